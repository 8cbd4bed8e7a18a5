//! Buffer policies: what becomes of a packet at the queue its route chose.

mod detour;
pub mod dibs;
pub mod dibs_first_open;
pub mod dibs_flow;
pub mod dibs_load_aware;
pub mod dibs_probabilistic;
pub mod droptail;
pub mod ecn;
pub mod pfabric;
mod reason;
pub mod red;
pub mod trim;

pub use reason::DropReason;

use crate::registry::registry;
use crate::{Queues, Want};
use sidestep_types::{Packet, PortId, Rng};

/// Decides what becomes of a packet.
pub trait Buffer {
    /// The packet `pkt` wants to leave by `want.port`. Draws from `rng` only when it needs chance.
    fn admit(
        &mut self,
        pkt: &Packet,
        want: Want,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> Verdict;
}

/// What becomes of a packet. A mark is taken by ECN-capable packets alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It joins the queue it wanted.
    Enqueue {
        /// And is marked.
        mark: bool,
    },
    /// It joins the queue of another port, and is marked (design rule 5).
    Detour(PortId),
    /// The wanted queue's worst packet goes (reason `evicted`) and this one joins in its place.
    /// Only where [`Queues::worst`] names one. Where rooms are counted in bytes the place may be
    /// too small: then the policy is asked again.
    Evict {
        /// And it is marked.
        mark: bool,
    },
    /// Its payload is cut off; the header joins the queue it wanted, room or not.
    Trim,
    /// The packet is dropped.
    Drop(DropReason),
}

registry! {
    /// A buffer policy: one of the registry, or a custom one.
    pub enum AnyBuffer: Buffer {
        droptail::DropTail,
        ecn::Ecn,
        red::Red,
        dibs::Dibs,
        dibs_load_aware::DibsLoadAware,
        dibs_flow::DibsFlow,
        dibs_probabilistic::DibsProbabilistic,
        dibs_first_open::DibsFirstOpen,
        pfabric::PFabric,
        trim::Trim,
    }
}

impl Buffer for AnyBuffer {
    #[inline(always)]
    fn admit(
        &mut self,
        pkt: &Packet,
        want: Want,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> Verdict {
        dispatch!(self, policy => policy.admit(pkt, want, queues, rng))
    }
}
