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
pub mod red;
pub mod trim;

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

/// Why a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum DropReason {
    /// No queue would take it.
    Full = 0,
    /// Its time to live ran out.
    Ttl = 1,
    /// An active queue manager dropped it early.
    Early = 2,
    /// A packet that ranked better took its place.
    Evicted = 3,
    /// It had been detoured as often as the policy allows.
    Detours = 4,
}

impl DropReason {
    /// How many reasons there are.
    pub const COUNT: usize = 5;
    /// All of them, in the order of their numbers.
    pub const ALL: [DropReason; DropReason::COUNT] = [
        DropReason::Full,
        DropReason::Ttl,
        DropReason::Early,
        DropReason::Evicted,
        DropReason::Detours,
    ];

    /// The word for it in results.
    pub const fn name(self) -> &'static str {
        match self {
            DropReason::Full => "full",
            DropReason::Ttl => "ttl",
            DropReason::Early => "early",
            DropReason::Evicted => "evicted",
            DropReason::Detours => "detours",
        }
    }
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
