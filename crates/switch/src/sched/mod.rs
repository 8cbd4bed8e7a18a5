//! Schedulers: which of a port's packets leaves next.

use crate::registry::registry;
use sidestep_types::Packet;

/// The order of one port's queue. Packets are named by a handle of the driver's.
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
}

registry! {
    /// A scheduler: one of the registry, or a custom one.
    pub enum AnySched: Sched {
        fifo::Fifo,
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
}
