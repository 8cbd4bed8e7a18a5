//! Senders and receivers without I/O: machines that take `now` and an input and return an output.
//!
//! A driver (the simulator, a test) hands segments and acknowledgements over, asks
//! [`Sender::poll_send`] and [`Receiver::poll_ack`] until they return `None`, and calls
//! `on_timeout` once the machine's `deadline` has come. The machines own no clock,
//! socket or queue, and draw no random numbers.

mod any;
mod config;
mod congestion;
mod receiver;
mod registry;
mod rto;
mod sender;

pub use any::{AnyReceiver, AnySender};
pub use config::{DelayedAck, Recovery, Reduction, RtoConfig, TcpConfig, recoveries, reductions};
pub use congestion::{Congestion, congestions};
pub use receiver::TcpReceiver;
pub use registry::Entry;
pub use rto::{Estimator, estimators};
pub use sender::TcpSender;

use sidestep_types::{SackBlocks, Time};

/// What a sender puts on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// First byte carried. A `syn` carries none and has 0 here.
    pub seq: u64,
    /// Payload bytes; none, and no `syn`: acknowledges the answer to a SYN, and is not answered.
    pub len: u32,
    /// Opens the connection.
    pub syn: bool,
    /// A switch may mark it (RFC 3168 ECT).
    pub ect: bool,
    /// The sender has reduced its window since the last echo (RFC 3168 CWR).
    pub cwr: bool,
    /// Some of these bytes were sent before.
    pub retransmit: bool,
}

/// What a receiver sees of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// First byte carried.
    pub seq: u64,
    /// Payload bytes.
    pub len: u32,
    /// Opens the connection.
    pub syn: bool,
    /// A switch marked it (RFC 3168 CE).
    pub ce: bool,
    /// The sender says it has reduced its window.
    pub cwr: bool,
}

/// What a receiver answers and a sender hears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    /// The next byte expected.
    pub ack: u64,
    /// Echo of a mark (RFC 3168 ECE; with DCTCP the exact CE of what is acknowledged).
    pub ece: bool,
    /// Accepts the connection.
    pub syn: bool,
    /// What arrived above `ack`, relative to it, most recent first.
    pub sack: SackBlocks,
}

/// What a sender counted over its life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderCounters {
    /// Data segments sent, retransmissions included.
    pub segments: u32,
    /// Data segments sent again.
    pub retransmits: u32,
    /// Times the retransmission timer ran out.
    pub timeouts: u32,
    /// Times fast retransmit began.
    pub fast_retransmits: u32,
    /// Acknowledgements with an echo of a mark.
    pub echoes: u32,
}

/// A sender of one flow.
pub trait Sender {
    /// An acknowledgement arrived.
    fn on_ack(&mut self, now: Time, ack: Ack);
    /// [`Sender::deadline`] has come.
    fn on_timeout(&mut self, now: Time);
    /// The next segment to put on the wire; call until `None`.
    fn poll_send(&mut self, now: Time) -> Option<Segment>;
    /// When [`Sender::on_timeout`] is due, if ever.
    fn deadline(&self) -> Option<Time>;
    /// Has every byte been acknowledged?
    fn is_done(&self) -> bool;
    /// What it counted.
    fn counters(&self) -> SenderCounters;
}

/// A receiver of one flow.
pub trait Receiver {
    /// A segment arrived.
    fn on_segment(&mut self, now: Time, arrival: Arrival);
    /// [`Receiver::deadline`] has come: a delayed acknowledgement is due.
    fn on_timeout(&mut self, now: Time);
    /// The next acknowledgement to send; call until `None`.
    fn poll_ack(&mut self, now: Time) -> Option<Ack>;
    /// When [`Receiver::on_timeout`] is due, if ever.
    fn deadline(&self) -> Option<Time>;
    /// Bytes delivered to the application, in order.
    fn delivered(&self) -> u64;
}
