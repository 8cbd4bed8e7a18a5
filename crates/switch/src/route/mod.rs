//! Routes: which of the next hops on a shortest path a packet takes.

mod checked;
pub mod ecmp;
pub mod single;

pub(crate) use checked::checked;

use crate::Queues;
use crate::registry::registry;
use sidestep_types::{Packet, PortId, Rng};

/// Picks a next hop.
///
/// ```
/// use sidestep_switch::testing::{StillQueues, data};
/// use sidestep_switch::{Queues, Route};
/// use sidestep_types::{Packet, PortId, Rng, scale};
///
/// /// Sends every packet by a next hop of its own.
/// struct Spray;
///
/// impl Route for Spray {
///     fn pick(&mut self, _: &Packet, hops: &[PortId], _: &mut dyn Queues, rng: &mut Rng) -> PortId {
///         hops[scale(rng.draw(), hops.len() as u32) as usize]
///     }
/// }
///
/// let hops = [PortId(2), PortId(5)];
/// let mut queues = StillQueues::of(&[0; 6], 100, &[2, 5]);
/// let mut rng = Rng::from_seed(1);
/// let by_port_2 = (0..1000)
///     .filter(|_| Spray.pick(&data(), &hops, &mut queues, &mut rng) == PortId(2))
///     .count();
/// assert!((420..580).contains(&by_port_2)); // 500 expected, standard deviation 16
/// ```
pub trait Route {
    /// One of `hops`, the ports on shortest paths to the packet's host; never empty.
    fn pick(
        &mut self,
        pkt: &Packet,
        hops: &[PortId],
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> PortId;
}

registry! {
    /// A route: one of the registry, or a custom one.
    pub enum AnyRoute: Route {
        ecmp::Ecmp,
        single::Single,
    }
}

impl Route for AnyRoute {
    #[inline(always)]
    fn pick(
        &mut self,
        pkt: &Packet,
        hops: &[PortId],
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> PortId {
        dispatch!(self, policy => policy.pick(pkt, hops, queues, rng))
    }
}
