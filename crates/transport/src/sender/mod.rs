//! TCP sender: decides which segment to send next, and when a timeout is due.
//!
//! **Decision**     `send`: the next segment, new or retransmitted. `ack`: the effect of an acknowledgement.
//!                  `recovery`: when a segment counts as lost and how it is repaired. `reduction`: how fast a
//!                  cut window is reached. `close`: the FIN. `pace`: windows below a segment, and windows that
//!                  follow delays. `reordering`: which retransmissions were spurious, and the reaction. `rack`:
//!                  losses by time of sending, probes, and the states of Linux. `crate::congestion` decides the
//!                  size of the window, `crate::rto` the timer.
//! **State**        two sequence numbers, the window, the timer, eight bytes per segment in flight ([`board`]).
//!                  State does not grow with the length of a flow.
//! **Units**        bytes and picoseconds.
//! **Errors**       none: acknowledgements of data never sent, old acknowledgements, false SACK blocks and
//!                  early timeouts are ignored.
//! **Source**       RFC 5681 (Reno), 6582 (NewReno), 6675 (SACK), 3042 (limited transmit), 6298, 9937
//!                  (proportional rate reduction), 8985 (RACK-TLP), 5682 (F-RTO).
//! **Deviations**   new data leaves in full segments or not at all, except the last segment. The window grows
//!                  only while it limits the sender (as in Linux; in RFC 5681 it always grows). Timestamps give
//!                  round-trip samples, but add no option to packets. There are no zero-window probes, since the
//!                  receive window never closes.

mod ack;
mod board;
mod close;
mod pace;
mod part;
mod prr;
mod rack;
mod recovery;
mod reduction;
mod reordering;
mod send;

use std::sync::Arc;

use sidestep_types::Time;

use crate::congestion::{Controller, Window};
use crate::rto::Timer;
use crate::{
    Ack, Opened, Ranking, Recovery, Reduction, Segment, Sender, SenderCounters, TcpConfig,
};
use board::Board;
use close::Close;
pub use close::Closing;
use prr::Prr;
use rack::{Pending, Rack};
use reordering::Reordering;

/// State of loss recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Phase {
    /// No segment counts as lost.
    Open,
    /// Fast recovery (RFC 6582 or 6675), until `recover` is acknowledged.
    Fast,
    /// Recovery from a timeout: everything below `recover` is retransmitted.
    Loss,
}

/// State of the handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Opening {
    /// The connection is established.
    Done,
    /// A SYN is due; `again` if an earlier one was sent.
    Due { again: bool },
    /// A SYN left at `at`; `again` if it was not the first.
    Sent { at: Time, again: bool },
    /// The SYN was answered; the acknowledgement of the answer is due.
    Answered,
}

/// TCP sender of one flow.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct TcpSender {
    /// Oldest byte not acknowledged.
    first_unacked: u64,
    /// First byte never sent.
    next_seq: u64,
    /// End of the data; `u64::MAX` for an endless flow.
    size: u64,
    /// Sequence number at which the current message starts; the public interface counts bytes from it.
    base: u64,
    window: Window,
    /// Bytes the receiver allows beyond `first_unacked`.
    rwnd: u64,
    /// Bytes that may leave beyond `cwnd` now (RFC 3042).
    allowance: u64,
    board: Board,
    timer: Timer,
    control: Controller,
    last_sent: Time,
    phase: Phase,
    /// Set if the next poll must take the slow path: handshake, recovery, pacing or teardown.
    special: bool,
    /// Set until the teardown is over, if the connection closes with a FIN.
    lingers: bool,
    /// Set if pacing limited the last poll.
    paced: bool,
    /// Set if the window alone limited the last poll.
    cwnd_limited: bool,
    /// Most bytes in flight in the current window of data; used only with the growth of Linux.
    most_out: u64,
    /// End of the window of data to which `most_out` refers.
    used_end: u64,
    /// Set from a reduction of the window until all data before `cut_end` is acknowledged.
    cut: bool,
    /// Set if the next new segment carries CWR.
    cwr: bool,
    sack: bool,
    /// Set if fast recovery ends with the first new acknowledgement.
    reno: bool,
    /// Set if windows are reduced by proportional rate reduction.
    proportional: bool,
    /// Rank that data carries.
    ranking: Ranking,
    /// Set while the window is being reduced step by step.
    reducing: bool,
    /// End of the data sent before the last reduction of the window.
    cut_end: u64,
    counters: SenderCounters,

    opening: Opening,
    /// State of the teardown, which begins when all data is acknowledged.
    close: Close,
    dupacks: u32,
    /// Bytes in flight that limited transmit has sent.
    limited: u64,
    /// Without SACK: bytes beyond `first_unacked` that have arrived according to duplicates.
    presumed_arrived: u64,
    prr: Prr,
    /// Set if the first segment in flight is to be retransmitted regardless of the window.
    resend_head: bool,
    /// Set if the next retransmission of a trimmed segment leaves regardless of the window.
    free_repair: bool,
    /// Set once a partial acknowledgement has restarted the timer (RFC 6582).
    partial: bool,
    /// Set once RFC 6675 rule 4 was used in this recovery.
    rescued: bool,
    /// Sequence number whose acknowledgement ends a recovery.
    recover: u64,
    /// Sequence number below which duplicates start no recovery (RFC 6582).
    guard: u64,
    /// Detection of spurious retransmissions, if configured.
    reordering: Option<Box<Reordering>>,
    /// Loss detection by time; `None` detects losses by duplicates.
    rack: Option<Box<Rack>>,
    /// Value of `first_unacked` at the last timeout.
    timed_out_at: Option<u64>,
    #[serde(with = "crate::shared")]
    config: Arc<TcpConfig>,
}

impl TcpSender {
    /// Creates a sender of `size` bytes, or of an endless flow.
    ///
    /// A segment is never larger than the receive window; with a receive window of zero nothing is ever sent.
    pub fn new(config: Arc<TcpConfig>, size: Option<u64>) -> TcpSender {
        let mss = config.mss;
        TcpSender::with_mss(config, mss, size)
    }

    /// Creates a sender like [`TcpSender::new`], with `mss` payload bytes in a full segment whatever `config`
    /// contains.
    pub fn with_mss(config: Arc<TcpConfig>, mss: u32, size: Option<u64>) -> TcpSender {
        let mss = u64::from(mss).min(config.receive_window).max(1);
        let opening = if config.handshake {
            Opening::Due { again: false }
        } else {
            Opening::Done
        };
        let mut control = Controller::new(config.congestion);
        let mut window = Window::new(mss, u64::from(config.initial_window))
            .with_floor(u64::from(config.window_floor))
            .with_growth(config.growth);
        control.begin(&mut window);
        let mut sender = TcpSender {
            first_unacked: 0,
            next_seq: 0,
            size: size.unwrap_or(u64::MAX),
            base: 0,
            window,
            rwnd: config.receive_window,
            allowance: 0,
            board: Board::new(mss),
            timer: Timer::new(&config.rto),
            control,
            last_sent: Time::ZERO,
            phase: Phase::Open,
            special: opening != Opening::Done,
            lingers: config.fin && size != Some(0),
            paced: false,
            cwnd_limited: false,
            most_out: 0,
            used_end: 0,
            cut: false,
            cwr: false,
            sack: config.recovery == Recovery::Sack,
            reno: config.recovery == Recovery::Reno,
            proportional: config.reduction == Reduction::Prr,
            ranking: config.ranking,
            reducing: false,
            cut_end: 0,
            counters: SenderCounters::default(),
            opening,
            close: Close::default(),
            dupacks: 0,
            limited: 0,
            presumed_arrived: 0,
            prr: Prr::default(),
            resend_head: false,
            free_repair: false,
            partial: false,
            rescued: false,
            recover: 0,
            guard: 0,
            reordering: Reordering::new(&config),
            rack: config.rack.map(|rack| Box::new(Rack::new(rack))),
            timed_out_at: None,
            config,
        };
        if let Some(round_trip) = sender.config.measured_round_trip {
            sender.first_sample(round_trip);
            sender.control.round_trip(round_trip);
        }
        sender
    }

    /// Makes this new sender that of a server, which has received the SYN: its connection is established. `opened`
    /// tells what the receiver of the same host observed of the handshake.
    ///
    /// The first window is one segment if the SYN or its answer was lost (RFC 5681 section 3.1).
    pub fn answering(mut self, opened: Opened) -> TcpSender {
        self.opening = Opening::Done;
        self.set_phase(Phase::Open);
        match opened {
            Opened::Unseen => {}
            Opened::Took(round_trip) => {
                self.first_sample(round_trip);
                self.control.round_trip(round_trip);
            }
            Opened::Again(round_trip) => {
                let mss = self.window.mss;
                self.control.at_most(&mut self.window, mss);
                if self.config.timestamps && round_trip != Time::MAX {
                    self.first_sample(round_trip);
                }
            }
        }
        self
    }

    /// Starts another message, of `bytes`, on the same connection. The window, the timer and the state of the
    /// congestion controller are kept. In the public interface, bytes are numbered from 0 again and counters
    /// restart.
    ///
    /// Panics unless the message before is acknowledged completely.
    pub fn push(&mut self, bytes: u64) {
        assert!(self.is_done(), "one message at a time on a connection");
        self.base = self.first_unacked;
        self.size = self.first_unacked.saturating_add(bytes);
        self.counters = SenderCounters::default();
    }

    /// Extends the current message by `bytes`. Returns false, without effect, while the connection is being
    /// closed or while a short segment is in flight: the sender counts data in flight in full segments.
    #[must_use = "it may be refused"]
    pub fn extend(&mut self, bytes: u64) -> bool {
        let fits = !self.closes() && self.board.is_whole();
        if fits {
            self.size = self.size.saturating_add(bytes);
        }
        fits
    }

    /// Returns the congestion window in bytes.
    pub fn cwnd(&self) -> u64 {
        self.window.cwnd
    }

    /// Returns the slow start threshold; `u64::MAX` before the first loss or mark.
    pub fn ssthresh(&self) -> u64 {
        self.window.ssthresh
    }

    /// Returns true if the oldest segment counts as lost and only the window delays its retransmission.
    pub fn waits_for_window(&self) -> bool {
        self.board.head_waits()
    }

    /// Returns the retransmission timeout in force, back-off included.
    pub fn rto(&self) -> Time {
        self.timer.rto()
    }

    /// Adds the round trip of the handshake as a sample.
    fn first_sample(&mut self, round_trip: Time) {
        self.timer.sample(round_trip, 0, 0);
        if let Some(rack) = &mut self.rack {
            rack.measure(round_trip.ps(), round_trip.ps());
        }
    }

    /// Sets the phase and recomputes whether polling takes the slow path.
    fn set_phase(&mut self, phase: Phase) {
        self.phase = phase;
        let disorder = match &self.rack {
            Some(rack) => rack.probing || self.board.sacked() > 0 || self.board.lost() > 0,
            None => false,
        };
        self.special = disorder
            || self.resend_head
            || phase != Phase::Open
            || self.opening != Opening::Done
            || self.closes()
            || self.control.gap() > Time::ZERO;
    }
}

impl Sender for TcpSender {
    #[inline]
    fn on_ack(&mut self, now: Time, mut ack: Ack) {
        ack.ack = ack.ack.saturating_add(self.base);
        self.handle_ack(now, ack);
    }

    fn on_timeout(&mut self, now: Time) {
        if self.timer.deadline().is_some_and(|due| now >= due) {
            match self.rack.as_ref().map(|rack| rack.pending) {
                Some(Pending::Reorder) => self.settle_losses(now),
                Some(Pending::Probe) => self.probe_due(now),
                Some(Pending::Rto) | None => self.timed_out(now),
            }
        }
    }

    #[inline]
    fn poll_send(&mut self, now: Time) -> Option<Segment> {
        if self.special {
            self.next_special(now)
        } else {
            self.next_new(now, self.next_seq - self.first_unacked)
        }
    }

    #[inline]
    fn deadline(&self) -> Option<Time> {
        if self.special {
            self.next_deadline()
        } else {
            self.timer.deadline()
        }
    }

    #[inline]
    fn acknowledged(&self) -> u64 {
        self.first_unacked - self.base
    }

    #[inline]
    fn is_done(&self) -> bool {
        self.first_unacked == self.size && !self.lingers
    }

    fn counters(&self) -> SenderCounters {
        self.counters
    }
}

#[cfg(test)]
mod tests;
