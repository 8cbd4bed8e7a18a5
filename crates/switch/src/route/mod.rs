//! Routes: which of the next hops on a shortest path a packet takes.

mod checked;
pub mod ecmp;
pub mod single;

pub(crate) use checked::checked;

use crate::Queues;
use crate::registry::registry;
use sidestep_types::{Packet, PortId, Rng};

/// Picks a next hop.
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
