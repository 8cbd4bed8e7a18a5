//! What is told to whoever watches: each frame, and what became of it.

use crate::frame::Refusal;
use sidestep_switch::{Event, Sink};
use sidestep_types::{PortId, Time};

/// One event of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameEvent<'a> {
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
    /// The switch queued or dropped it, as it came or after it had waited.
    Switched(Event),
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

/// Observer of frames.
pub type Watcher = Box<dyn for<'a> Sink<FrameEvent<'a>> + Send>;
