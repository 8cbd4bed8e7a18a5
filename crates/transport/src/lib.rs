//! Senders and receivers without I/O: machines that take `now` and an input and return an output.
//!
//! A driver (the simulator, a test) hands segments and acknowledgements over, asks
//! [`Sender::poll_send`] and [`Receiver::poll_ack`] until they return `None`, and calls
//! `on_timeout` once the machine's `deadline` has come. The machines own no clock,
//! socket or queue, and draw no random numbers.

#![forbid(unsafe_code)]

mod any;
mod config;
mod congestion;
mod pfabric;
mod receiver;
mod registry;
mod rto;
mod sender;

pub use any::{AnyReceiver, AnySender};
pub use config::{
    DelayedAck, Recovery, Reduction, RtoConfig, TcpConfig, TransportConfig, recoveries, reductions,
};
pub use congestion::{Congestion, congestions};
pub use pfabric::{PfabricConfig, PfabricSender};
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
    /// Bytes of the flow not acknowledged as it leaves, its own included; what pFabric orders
    /// by. [`u32::MAX`] for 4 GiB and more, and for an endless flow. A `syn` has none.
    pub rank: u32,
}

/// What a segment of a flow with `left` bytes to be acknowledged is ranked by.
#[inline]
pub(crate) fn rank(left: u64) -> u32 {
    left.min(u64::from(u32::MAX)) as u32
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
    /// A switch has cut the payload off: these bytes did not arrive.
    pub trimmed: bool,
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
    /// A segment arrived without its payload: the first block of `sack` is what a switch has
    /// cut off. The others are what arrived.
    pub cut: bool,
}

impl Ack {
    /// What a switch has cut off, as `[start, end)` bytes of the flow.
    #[inline]
    pub fn cut_off(&self) -> Option<(u64, u64)> {
        let (start, end) = self.sack.iter().next().filter(|_| self.cut)?;
        Some(self.absolute(start, end))
    }

    /// What arrived above `ack`, most recent first, as `[start, end)` bytes of the flow.
    #[inline]
    pub fn arrived(&self) -> impl Iterator<Item = (u64, u64)> {
        let blocks = self.sack.iter().skip(usize::from(self.cut));
        blocks.map(|(start, end)| self.absolute(start, end))
    }

    fn absolute(&self, start: u32, end: u32) -> (u64, u64) {
        let from = |relative| self.ack.saturating_add(u64::from(relative));
        (from(start), from(end))
    }
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
    /// Segments that are sent again because a switch had cut them.
    pub cuts: u32,
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
    /// Bytes acknowledged, from the first on: the oldest byte it waits for.
    fn acknowledged(&self) -> u64;
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
