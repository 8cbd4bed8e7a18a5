//! Events for a watcher: every frame, and what happened to it.

use crate::frame::Refusal;
use sidestep_switch::{Event, Sink};
use sidestep_types::{PortId, Time};

/// Event of one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameEvent<'a> {
    /// Time on the machine's clock. It goes back where frames have [left](Happened::Left).
    pub at: Time,
    /// Ingress port of the frame; `None` for the switch's own answers, and for a queued frame that is evicted:
    /// moved to another queue, or dropped.
    pub from: Option<PortId>,
    /// Bytes of the frame: as they will leave, or as they came if it is dropped.
    pub frame: &'a [u8],
    /// Event of the frame.
    pub what: FrameAction,
}

/// Kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameAction {
    /// The switch queued or dropped the frame, on arrival or after it was queued.
    Switched(Event),
    /// The last bit of a queued frame left the queue of a port at the time of the event; reported when the
    /// frame leaves the link.
    Left {
        /// Port of the queue.
        port: PortId,
        /// Time at which the frame leaves the link: a delay of the port later.
        out: Time,
    },
    /// Refused before the decision.
    Refused(Refusal),
    /// Answered request for an address; the answer follows.
    Answered,
}

/// Observer of frames.
pub type Watcher = Box<dyn for<'a> Sink<FrameEvent<'a>> + Send>;
