//! Senders and receivers without I/O: machines that take `now` and an input and return an output.
//!
//! A driver (the simulator, a test) hands segments and acknowledgements over, asks
//! [`Sender::poll_send`] and [`Receiver::poll_ack`] until they return `None`, and calls
//! `on_timeout` once the machine's `deadline` has come. The machines own no clock,
//! socket or queue, and draw no random numbers.

#![forbid(unsafe_code)]

mod any;
mod choices;
mod config;
mod congestion;
pub mod host;
pub mod mptcp;
mod nature;
mod pfabric;
mod receiver;
mod registry;
mod rto;
mod sender;
mod shared;
pub mod shim;
mod transports;
mod words;

pub use any::AnyReceiver;
pub use choices::{CHOICES, Choice};
pub use config::{DelayedAck, LONGEST_SEGMENT, PARAMS, RackConfig, ReorderingConfig, TcpConfig};
pub use congestion::{AlphaMoves, Congestion, Control, DEFAULT, Delay, Echo, SwiftConfig, Window};
pub use host::Endpoint;
pub use mptcp::{MptcpConfig, MptcpReceiver, MptcpSender};
pub use nature::Nature;
pub use pfabric::{PfabricConfig, PfabricSender};
pub use receiver::{Opened, TcpReceiver};
pub use registry::Transport;
pub use rto::{Estimate, Estimator, RtoConfig};
pub use sender::{Closing, TcpSender};
pub use transports::{AnySender, ENTRIES, TransportConfig, build, takes};
pub use words::*;

use sidestep_types::{Packet, SackBlocks, Time};

/// What a sender puts on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// First byte carried. A `syn` carries none and has the number of the first byte here, 0 in
    /// subflow 0.
    pub seq: u64,
    /// Payload bytes. None, and no `syn`: with the number of the first byte it acknowledges the answer to
    /// a SYN; with that behind the last byte it is a FIN; with the next it acknowledges the answer to
    /// that. Only the FIN is answered.
    pub len: u32,
    /// Opens the connection.
    pub syn: bool,
    /// A switch may mark it (RFC 3168 ECT).
    pub ect: bool,
    /// The sender has reduced its window since the last echo (RFC 3168 CWR).
    pub cwr: bool,
    /// Some of these bytes were sent before.
    pub retransmit: bool,
    /// What switches order its packet by, if it is marked ([`Ranking`]). A `syn` never is.
    pub rank: Option<u32>,
}

impl Segment {
    /// The subflow that it is of: its path. The upper 4 of 48 bits of [`Segment::seq`] say which, as
    /// [`Packet::subflow`] reads them.
    #[inline]
    pub fn subflow(&self) -> u8 {
        Packet::subflow_of(self.seq)
    }
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
    /// Switches that its packet has crossed, by how far its time to live has fallen.
    pub hops: u8,
}

/// An acknowledgement: what a receiver answers to its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Ack {
    /// The next byte expected; one more when a FIN is acknowledged.
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
    /// The first block of `sack` is a duplicate that lies below `ack`: by how many bytes its end
    /// does, and its start (RFC 2883). Never together with `cut`.
    pub below: bool,
    /// [`Arrival::hops`] of the segment that arrived last.
    pub hops: u8,
}

impl Ack {
    /// The subflow that it acknowledges, by whose path it goes back.
    #[inline]
    pub fn subflow(&self) -> u8 {
        Packet::subflow_of(self.ack)
    }

    /// What a switch has cut off, as `[start, end)` bytes of the flow.
    #[inline]
    pub fn cut_off(&self) -> Option<(u64, u64)> {
        let (start, end) = self.sack.iter().next().filter(|_| self.cut)?;
        Some(self.absolute(start, end))
    }

    /// What has arrived once more, as `[start, end)` bytes of the flow: a first block that lies below
    /// `ack`, or within the second (RFC 2883 section 4).
    pub fn duplicate(&self) -> Option<(u64, u64)> {
        let mut blocks = self.sack.iter();
        let (start, end) = blocks.next().filter(|_| !self.cut)?;
        if self.below {
            let down = |relative| self.ack.saturating_sub(u64::from(relative));
            return Some((down(end), down(start)));
        }
        let (from, to) = blocks.next()?;
        (from <= start && end <= to).then(|| self.absolute(start, end))
    }

    /// What arrived above `ack`, most recent first, as `[start, end)` bytes of the flow.
    #[inline]
    pub fn arrived(&self) -> impl Iterator<Item = (u64, u64)> {
        let blocks = self.sack.iter().skip(usize::from(self.cut | self.below));
        blocks.map(|(start, end)| self.absolute(start, end))
    }

    fn absolute(&self, start: u32, end: u32) -> (u64, u64) {
        let from = |relative| self.ack.saturating_add(u64::from(relative));
        (from(start), from(end))
    }
}

/// What a sender counted over its life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
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
    /// Duplicates that acknowledgements have told of (RFC 2883).
    pub dsacks: u32,
    /// Windows given back, since the recovery that had cut them was needless.
    pub undone: u32,
    /// Probes of the tail (RFC 8985 section 7).
    pub probes: u32,
}

/// A sender of one flow.
///
/// ```
/// use sidestep_transport::{Ack, AnySender, Endpoint, Segment, Sender, SenderCounters};
/// use sidestep_types::Time;
///
/// /// A hundred bytes in one segment, sent again each millisecond until they are acknowledged.
/// #[derive(Default)]
/// struct Insist {
///     done: bool,
///     /// When it is sent (again).
///     due: Time,
///     sent: u32,
/// }
///
/// impl Sender for Insist {
///     fn on_ack(&mut self, _now: Time, ack: Ack) {
///         self.done = ack.ack >= 100;
///     }
///     fn on_timeout(&mut self, _now: Time) {} // `poll_send` sees for itself that it is due
///     fn poll_send(&mut self, now: Time) -> Option<Segment> {
///         if self.done || now < self.due {
///             return None;
///         }
///         self.due = now + Time::from_ms(1);
///         self.sent += 1;
///         let retransmit = self.sent > 1;
///         Some(Segment { seq: 0, len: 100, syn: false, ect: false, cwr: false, retransmit, rank: None })
///     }
///     fn deadline(&self) -> Option<Time> {
///         (self.sent > 0 && !self.done).then_some(self.due)
///     }
///     fn acknowledged(&self) -> u64 {
///         if self.done { 100 } else { 0 }
///     }
///     fn is_done(&self) -> bool {
///         self.done
///     }
///     fn counters(&self) -> SenderCounters {
///         SenderCounters { segments: self.sent, ..SenderCounters::default() }
///     }
/// }
///
/// let mut tx = Endpoint::sending(AnySender::Custom(Box::new(Insist::default())), 0);
/// assert!(!tx.poll_send(Time::ZERO).expect("sent").retransmit);
/// let alarm = tx.next_alarm().expect("nothing is acknowledged");
/// assert!(tx.on_alarm(alarm, alarm));
/// assert!(tx.poll_send(alarm).expect("sent again").retransmit);
/// ```
pub trait Sender {
    /// An acknowledgement arrived.
    fn on_ack(&mut self, now: Time, ack: Ack);
    /// [`Sender::deadline`] has come.
    fn on_timeout(&mut self, now: Time);
    /// The next segment to put on the wire; call until `None`.
    fn poll_send(&mut self, now: Time) -> Option<Segment>;
    /// When [`Sender::on_timeout`] is due, if ever.
    fn deadline(&self) -> Option<Time>;
    /// Bytes acknowledged, from the first on: the oldest byte it waits for. With subflows, that of the
    /// one whose deadline is next.
    fn acknowledged(&self) -> u64;
    /// Has every byte been acknowledged?
    fn is_done(&self) -> bool;
    /// What it counted.
    fn counters(&self) -> SenderCounters;
}

/// A receiver of one flow.
///
/// ```
/// use sidestep_transport::{Ack, Arrival, Receiver};
/// use sidestep_types::Time;
///
/// /// Takes what comes next and nothing else; answers everything at once, marks included.
/// #[derive(Default)]
/// struct InOrder {
///     next: u64,
///     answer: Option<Ack>,
/// }
///
/// impl Receiver for InOrder {
///     fn on_segment(&mut self, _now: Time, arrival: Arrival) {
///         if arrival.seq == self.next && !arrival.trimmed {
///             self.next += u64::from(arrival.len);
///         }
///         self.answer = Some(Ack {
///             ack: self.next,
///             ece: arrival.ce,
///             syn: arrival.syn,
///             sack: Default::default(),
///             cut: false,
///             below: false,
///             hops: arrival.hops,
///         });
///     }
///     fn on_timeout(&mut self, _now: Time) {}
///     fn poll_ack(&mut self, _now: Time) -> Option<Ack> {
///         self.answer.take()
///     }
///     fn deadline(&self) -> Option<Time> {
///         None
///     }
///     fn delivered(&self) -> u64 {
///         self.next
///     }
/// }
///
/// let segment = |seq| Arrival { seq, len: 100, syn: false, ce: false, cwr: false, trimmed: false, hops: 0 };
/// let mut rx = InOrder::default();
/// for (seq, ack) in [(0, 100), (200, 100), (100, 200)] {
///     rx.on_segment(Time::ZERO, segment(seq));
///     assert_eq!(rx.poll_ack(Time::ZERO).expect("it answers").ack, ack);
/// }
/// ```
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
    /// The sequence number that is expected next of a subflow.
    fn expected(&self, _subflow: u8) -> u64 {
        self.delivered()
    }
}
