//! Senders and receivers without I/O: machines that take `now` and an input and return an output.
//!
//! A driver (the simulator, a test) passes segments and acknowledgements in, polls
//! [`Sender::poll_send`] and [`Receiver::poll_ack`] until they return `None`, and calls
//! `on_timeout` once the machine's `deadline` has come. The machines have no clock,
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
mod word_settings;

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
pub use word_settings::*;

use sidestep_types::{Packet, SackBlocks, Time};

/// Segment to put on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// First byte carried. A `syn` carries no byte and has the number of the subflow's first byte here: 0 in
    /// subflow 0.
    pub seq: u64,
    /// Payload bytes. In a segment without payload and without `syn`, `seq` tells its purpose: at the first
    /// byte it acknowledges the SYN-ACK; just after the last byte it is a FIN; one after that it acknowledges
    /// the answer to the FIN. Only the FIN is answered.
    pub len: u32,
    /// Set if it opens the connection.
    pub syn: bool,
    /// Set if a switch may mark the packet (RFC 3168 ECT).
    pub ect: bool,
    /// Set if the sender has reduced its window since the last echo (RFC 3168 CWR).
    pub cwr: bool,
    /// Set if some of these bytes were sent before.
    pub retransmit: bool,
    /// Rank by which switches order the packet, if it carries one ([`Ranking`]). A `syn` carries none.
    pub rank: Option<u32>,
}

impl Segment {
    /// Returns the segment's subflow, which determines its path. The upper 4 of the 48 bits of [`Segment::seq`]
    /// encode it; [`Packet::subflow`] reads the same bits.
    #[inline]
    pub fn subflow(&self) -> u8 {
        Packet::subflow_of(self.seq)
    }
}

/// Segment as a receiver sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// First byte carried.
    pub seq: u64,
    /// Payload bytes.
    pub len: u32,
    /// Set if it opens the connection.
    pub syn: bool,
    /// Set if a switch marked the packet (RFC 3168 CE).
    pub ce: bool,
    /// Set if the sender reports a reduced window (RFC 3168 CWR).
    pub cwr: bool,
    /// Set if a switch trimmed the packet: the payload did not arrive.
    pub trimmed: bool,
    /// Switches that the packet has crossed, from the decrease of its time to live.
    pub hops: u8,
}

/// Acknowledgement: a receiver's answer to its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Ack {
    /// Next byte expected; one more once a FIN is acknowledged.
    pub ack: u64,
    /// Echo of a mark (RFC 3168 ECE; with DCTCP the exact CE of what is acknowledged).
    pub ece: bool,
    /// Set if it accepts the connection.
    pub syn: bool,
    /// Ranges received above `ack`, relative to it, most recent first.
    pub sack: SackBlocks,
    /// Set if a segment arrived without its payload: then the first block of `sack` is the payload that a
    /// switch trimmed. The other blocks have arrived.
    pub cut: bool,
    /// Set if the first block of `sack` is a duplicate below `ack` (RFC 2883): its two numbers are the
    /// distances from `ack` down to its end and to its start. Never set together with `cut`.
    pub below: bool,
    /// [`Arrival::hops`] of the segment that arrived last.
    pub hops: u8,
}

impl Ack {
    /// Returns the subflow acknowledged; the acknowledgement takes its path back.
    #[inline]
    pub fn subflow(&self) -> u8 {
        Packet::subflow_of(self.ack)
    }

    /// Returns the trimmed payload, as `[start, end)` bytes of the flow.
    #[inline]
    pub fn cut_off(&self) -> Option<(u64, u64)> {
        let (start, end) = self.sack.iter().next().filter(|_| self.cut)?;
        Some(self.absolute(start, end))
    }

    /// Returns the range that arrived a second time, as `[start, end)` bytes of the flow: a first block that
    /// lies below `ack`, or within the second block (RFC 2883 section 4).
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

    /// Returns the ranges received above `ack`, most recent first, as `[start, end)` bytes of the flow.
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

/// Counters of a sender over its lifetime.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SenderCounters {
    /// Data segments sent, retransmissions included.
    pub segments: u32,
    /// Data segments retransmitted.
    pub retransmits: u32,
    /// Expiries of the retransmission timer.
    pub timeouts: u32,
    /// Fast retransmits begun.
    pub fast_retransmits: u32,
    /// Acknowledgements that echo a mark.
    pub echoes: u32,
    /// Segments retransmitted because a switch had trimmed them.
    pub cuts: u32,
    /// Duplicates reported by acknowledgements (RFC 2883).
    pub dsacks: u32,
    /// Window reductions undone because the recovery that made them was spurious.
    pub undone: u32,
    /// Tail loss probes (RFC 8985 section 7).
    pub probes: u32,
}

/// Sender of one flow.
///
/// ```
/// use sidestep_transport::{Ack, AnySender, Endpoint, Segment, Sender, SenderCounters};
/// use sidestep_types::Time;
///
/// /// Sends a hundred bytes in one segment, again each millisecond until they are acknowledged.
/// #[derive(Default)]
/// struct Insist {
///     done: bool,
///     /// Time of the next transmission.
///     due: Time,
///     sent: u32,
/// }
///
/// impl Sender for Insist {
///     fn on_ack(&mut self, _now: Time, ack: Ack) {
///         self.done = ack.ack >= 100;
///     }
///     fn on_timeout(&mut self, _now: Time) {} // `poll_send` checks whether the segment is due
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
    /// Handles an acknowledgement.
    fn on_ack(&mut self, now: Time, ack: Ack);
    /// Handles the expiry of [`Sender::deadline`].
    fn on_timeout(&mut self, now: Time);
    /// Returns the next segment to put on the wire; call until `None`.
    fn poll_send(&mut self, now: Time) -> Option<Segment>;
    /// Returns the time at which [`Sender::on_timeout`] is due, if any.
    fn deadline(&self) -> Option<Time>;
    /// Returns the number of bytes acknowledged in order, which is also the oldest byte not acknowledged. With
    /// subflows: that of the subflow whose deadline is next.
    fn acknowledged(&self) -> u64;
    /// Returns true once every byte has been acknowledged.
    fn is_done(&self) -> bool;
    /// Returns the sender's counters.
    fn counters(&self) -> SenderCounters;
}

/// Receiver of one flow.
///
/// ```
/// use sidestep_transport::{Ack, Arrival, Receiver};
/// use sidestep_types::Time;
///
/// /// Accepts only the next segment in order; answers every segment at once and echoes marks.
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
    /// Handles the arrival of a segment.
    fn on_segment(&mut self, now: Time, arrival: Arrival);
    /// Handles the expiry of [`Receiver::deadline`]: a delayed acknowledgement is due.
    fn on_timeout(&mut self, now: Time);
    /// Returns the next acknowledgement to send; call until `None`.
    fn poll_ack(&mut self, now: Time) -> Option<Ack>;
    /// Returns the time at which [`Receiver::on_timeout`] is due, if any.
    fn deadline(&self) -> Option<Time>;
    /// Returns the number of bytes delivered to the application, in order.
    fn delivered(&self) -> u64;
    /// Returns the sequence number expected next on a subflow.
    fn expected(&self, _subflow: u8) -> u64 {
        self.delivered()
    }
}
