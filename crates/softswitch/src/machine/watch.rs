//! What is told to whoever watches: each frame, and what became of it.

use crate::frame::Refusal;
use sidestep_switch::{DropReason, Joined};
use sidestep_types::{PortId, Time};

/// Something happened to a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event<'a> {
    /// Time on the machine's clock. It goes back where frames have [left](Happened::Left).
    pub at: Time,
    /// The port it came in by; `None` of the switch's own answers, and of a frame that waited and
    /// is evicted: moved to another queue, or dropped.
    pub from: Option<PortId>,
    /// Its bytes: as they will leave, or as they came when it is dropped.
    pub frame: &'a [u8],
    /// What happened to the frame.
    pub what: Happened,
}

/// What happened to a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happened {
    /// It was queued: where, and what was changed about it.
    Queued(Joined),
    /// It was dropped when it came.
    Dropped {
        /// The port it wanted.
        wanted: PortId,
        /// The reason of the drop.
        reason: DropReason,
    },
    /// It waited, and was dropped for a better one.
    Evicted {
        /// The port it waited at.
        port: PortId,
        /// The reason of the drop.
        reason: DropReason,
    },
    /// The last bit of a frame that waited left the queue of a port, at the time of the event; this is told when the
    /// frame is out of the link.
    Left {
        /// The port.
        port: PortId,
        /// When it was to be out of the link: a delay of the port later.
        out: Time,
    },
    /// It was not even looked at by the decision.
    Refused(Refusal),
    /// It asked for an address, and was answered; the answer follows.
    Answered,
}

/// Somebody who watches.
pub type Watcher = Box<dyn FnMut(&Event<'_>) + Send>;
