//! Schedulers: which of a port's packets leaves next.

pub mod fifo;
pub mod pfabric;
pub mod priority;

use crate::Depth;
use crate::registry::registry;
use sidestep_types::Packet;

/// The order of one port's queue. Packets are named by a handle of the driver's.
///
/// ```
/// use sidestep_switch::Sched;
/// use sidestep_switch::testing::data;
/// use sidestep_types::Packet;
///
/// /// Last in, first out.
/// #[derive(Default)]
/// struct Lifo(Vec<u32>);
///
/// impl Sched for Lifo {
///     fn push(&mut self, _: &Packet, handle: u32) {
///         self.0.push(handle);
///     }
///     fn pop(&mut self) -> Option<u32> {
///         self.0.pop()
///     }
/// }
///
/// let mut sched = Lifo::default();
/// sched.push(&data(), 7);
/// sched.push(&data(), 8);
/// assert_eq!([sched.pop(), sched.pop(), sched.pop()], [Some(8), Some(7), None]);
/// ```
pub trait Sched {
    /// Does every packet leave in the order it came? A driver then knows each departure at
    /// arrival and need not keep this queue at all.
    fn is_fifo(&self) -> bool {
        false
    }
    /// A packet joins.
    fn push(&mut self, pkt: &Packet, handle: u32);
    /// The next packet to leave.
    fn pop(&mut self) -> Option<u32>;
    /// The rank of the packet that [`Sched::evict`] would take out. `None` when there is none,
    /// or when this scheduler does not rank.
    fn worst(&self) -> Option<u32> {
        None
    }
    /// Takes the worst packet out, for one that ranks better.
    fn evict(&mut self) -> Option<u32> {
        None
    }
    /// How much waits that is served before everything else, in packets and their bytes of link time.
    fn urgent(&self) -> Depth {
        Depth::default()
    }
}

registry! {
    /// A scheduler: one of the registry, or a custom one.
    pub enum AnySched: Sched {
        fifo::Fifo,
        priority::Priority,
        pfabric::PFabric,
    }
}

impl Sched for AnySched {
    fn is_fifo(&self) -> bool {
        dispatch!(self, policy => policy.is_fifo())
    }
    fn push(&mut self, pkt: &Packet, handle: u32) {
        dispatch!(self, policy => policy.push(pkt, handle))
    }
    fn pop(&mut self) -> Option<u32> {
        dispatch!(self, policy => policy.pop())
    }
    fn worst(&self) -> Option<u32> {
        dispatch!(self, policy => policy.worst())
    }
    fn evict(&mut self) -> Option<u32> {
        dispatch!(self, policy => policy.evict())
    }
    fn urgent(&self) -> Depth {
        dispatch!(self, policy => policy.urgent())
    }
}
