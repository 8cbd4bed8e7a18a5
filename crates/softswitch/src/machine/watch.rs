//! What is told to whoever watches: each frame, and what became of it.

use crate::frame::Refusal;
use sidestep_switch::DropReason;
use sidestep_types::{PortId, Time};

/// Something happened to a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event<'a> {
    /// Time on the machine's clock.
    pub at: Time,
    /// The port it came in by; `None` of the switch's own answers, and of a frame that is evicted.
    pub from: Option<PortId>,
    /// Its bytes: as they will leave, or as they came when it is dropped.
    pub frame: &'a [u8],
    /// What happened to the frame.
    pub what: Happened,
}

/// What happened to a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happened {
    /// It was queued on the port it wanted.
    Queued {
        /// That port.
        port: PortId,
        /// Packets before it.
        ahead: u32,
        /// It was marked.
        marked: bool,
    },
    /// It was queued on another port.
    Detoured {
        /// The port it wanted.
        wanted: PortId,
        /// The port it got.
        port: PortId,
        /// Packets before it.
        ahead: u32,
        /// It was marked.
        marked: bool,
    },
    /// Its payload was cut off, and the rest queued.
    Trimmed {
        /// On this port.
        port: PortId,
        /// Packets before it.
        ahead: u32,
    },
    /// It was dropped when it came.
    Dropped {
        /// The port it wanted.
        wanted: PortId,
        /// The reason of the drop.
        reason: DropReason,
    },
    /// It waited, and gave its place to a better one.
    Evicted {
        /// The port it waited at.
        port: PortId,
    },
    /// It was not even looked at by the decision.
    Refused(Refusal),
    /// It asked for an address, and was answered; the answer follows.
    Answered,
}

/// Somebody who watches.
pub type Watcher = Box<dyn FnMut(&Event<'_>) + Send>;
