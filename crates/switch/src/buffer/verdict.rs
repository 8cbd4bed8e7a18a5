//! Verdicts of buffer policies.

use super::DropReason;
use sidestep_types::PortId;

/// Decision of a buffer policy about a packet. Only ECN-capable packets can be marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The packet joins its wanted queue.
    Enqueue {
        /// True to mark it.
        mark: bool,
    },
    /// The packet joins the queue of another port.
    Detour {
        /// Port that it joins.
        port: PortId,
        /// True to mark it.
        mark: bool,
    },
    /// The worst packet of the wanted queue is evicted, and this one joins in its place. Only valid if
    /// [`Queues::worst`](crate::Queues::worst) returns a rank. With a capacity in bytes, the evicted packet may
    /// free too few: the policy is called again then. [`Buffer::displaced`](super::Buffer::displaced) decides
    /// about evicted packets.
    Evict {
        /// True to mark the packet that joins.
        mark: bool,
    },
    /// The packet joins this queue, full or not: the worst waiting packets are dropped (reason `evicted`) until
    /// it fits. Only packets that rank strictly worse are dropped; if that is not enough, or the port does not
    /// rank, the packet itself is dropped.
    Squeeze {
        /// Port of the queue, which may be the wanted one.
        port: PortId,
        /// True to mark the packet that joins.
        mark: bool,
    },
    /// The payload is cut off; the header joins the wanted queue even if that is full.
    Trim,
    /// The packet is dropped.
    Drop(DropReason),
}

impl Verdict {
    /// Returns the word for the verdict in results.
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

    /// Returns the port whose queue a packet joins that wanted `want`; `None` if it is dropped.
    pub const fn port(self, want: PortId) -> Option<PortId> {
        match self {
            Verdict::Detour { port, .. } | Verdict::Squeeze { port, .. } => Some(port),
            Verdict::Enqueue { .. } | Verdict::Evict { .. } | Verdict::Trim => Some(want),
            Verdict::Drop(_) => None,
        }
    }

    /// Returns true if the packet is to be marked.
    pub const fn marks(self) -> bool {
        match self {
            Verdict::Enqueue { mark }
            | Verdict::Evict { mark }
            | Verdict::Detour { mark, .. }
            | Verdict::Squeeze { mark, .. } => mark,
            Verdict::Trim | Verdict::Drop(_) => false,
        }
    }

    /// Returns the reason of the drop, if the packet is dropped.
    pub const fn reason(self) -> Option<DropReason> {
        match self {
            Verdict::Drop(reason) => Some(reason),
            _ => None,
        }
    }
}
