//! The answers of buffer policies.

use super::DropReason;
use sidestep_types::PortId;

/// What becomes of a packet. A mark is taken by ECN-capable packets alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It joins the queue it wanted.
    Enqueue {
        /// And is marked.
        mark: bool,
    },
    /// It joins the queue of another port.
    Detour {
        /// That port.
        port: PortId,
        /// And is marked.
        mark: bool,
    },
    /// The wanted queue's worst packet goes, and this one joins in its place. Only where
    /// [`Queues::worst`](crate::Queues::worst) names one. Where the capacity is in bytes, the evicted packet may free too few
    /// of them: then the policy is asked again. What goes is [`Buffer::displaced`](super::Buffer::displaced).
    Evict {
        /// And it is marked.
        mark: bool,
    },
    /// It joins this queue, full or not: of what waits there, the worst are dropped (reason
    /// `evicted`) until all fits. Only what ranks strictly worse makes room; where that is too little, or nothing
    /// ranks, the packet is dropped itself.
    Squeeze {
        /// The queue's port, which may be the one it wanted.
        port: PortId,
        /// And it is marked.
        mark: bool,
    },
    /// Its payload is cut off; the header joins the queue it wanted, room or not.
    Trim,
    /// The packet is dropped.
    Drop(DropReason),
}

impl Verdict {
    /// The word for it in results.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Enqueue { .. } => "enqueue",
            Verdict::Detour { .. } => "detour",
            Verdict::Evict { .. } => "evict",
            Verdict::Squeeze { .. } => "squeeze",
            Verdict::Trim => "trim",
            Verdict::Drop(_) => "drop",
        }
    }

    /// The port whose queue a packet joins that wanted `want`; `None` when it is dropped.
    pub const fn port(self, want: PortId) -> Option<PortId> {
        match self {
            Verdict::Detour { port, .. } | Verdict::Squeeze { port, .. } => Some(port),
            Verdict::Enqueue { .. } | Verdict::Evict { .. } | Verdict::Trim => Some(want),
            Verdict::Drop(_) => None,
        }
    }

    /// Is the packet marked, if it can be?
    pub const fn marks(self) -> bool {
        match self {
            Verdict::Enqueue { mark }
            | Verdict::Evict { mark }
            | Verdict::Detour { mark, .. }
            | Verdict::Squeeze { mark, .. } => mark,
            Verdict::Trim | Verdict::Drop(_) => false,
        }
    }

    /// Why the packet is dropped, if it is.
    pub const fn reason(self) -> Option<DropReason> {
        match self {
            Verdict::Drop(reason) => Some(reason),
            _ => None,
        }
    }
}
