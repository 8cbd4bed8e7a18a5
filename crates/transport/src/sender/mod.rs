//! A TCP sender: what to put on the wire, and when to stop waiting.
//!
//! **Decision**     `send`: the next segment, new or again. `ack`: what an acknowledgement
//!                  means. `recovery`: when a loss is believed and how it is repaired.
//!                  `reduction`: how fast a cut window is reached. `close`: the FIN.
//!                  `pace`: windows below a segment, and those that go by delays.
//!                  `reordering`: which repairs were needless, and what follows.
//!                  `rack`: losses by time of sending, probes, and the states of Linux.
//!                  How large the window is belongs to `crate::congestion`, the timer to
//!                  `crate::rto`.
//! **State**        two sequence numbers, the window, the timer, eight bytes per
//!                  outstanding segment ([`board`]). An endless flow needs no more.
//! **Units**        bytes and picoseconds.
//! **Errors**       none: acknowledgements of what was never sent, older ones, false SACK
//!                  blocks and early timeouts are ignored.
//! **Source**       RFC 5681 (Reno), 6582 (NewReno), 6675 (SACK), 3042 (limited transmit), 6298,
//!                  9937 (proportional rate reduction), 8985 (RACK-TLP), 5682 (F-RTO).
//! **Deviations**   new data leaves in full segments or not at all, the last one excepted.
//!                  The window grows only while it is what holds the sender back (as Linux
//!                  does; RFC 5681 would let it grow idle). Timestamps are
//!                  samples, not options on the wire. No probe of a closed window: it never closes.

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

/// Where a sender stands between losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Phase {
    /// Nothing is believed lost.
    Open,
    /// Fast recovery (RFC 6582 or 6675), until `recover` is acknowledged.
    Fast,
    /// The timer ran out; everything below `recover` is sent again.
    Loss,
}

/// Where a handshake stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Opening {
    /// The connection stands.
    Done,
    /// A SYN is to be sent.
    Due { again: bool },
    /// One is on its way since.
    Sent { at: Time, again: bool },
    /// It was answered, and the answer is to be acknowledged.
    Answered,
}

/// A TCP sender of one flow.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct TcpSender {
    /// The oldest byte not acknowledged.
    una: u64,
    /// The first byte never sent.
    nxt: u64,
    /// Where the data ends; `u64::MAX` for an endless flow.
    size: u64,
    /// Where the message begins that is being sent: the outside counts from here.
    base: u64,
    window: Window,
    /// Bytes the receiver allows beyond `una`.
    rwnd: u64,
    /// RFC 3042: bytes that may leave beyond `cwnd` now.
    allowance: u64,
    board: Board,
    timer: Timer,
    control: Controller,
    last_sent: Time,
    phase: Phase,
    /// Something other than "new data if the window allows" may be next.
    special: bool,
    /// The connection is to be closed still.
    lingers: bool,
    /// The pace held back the last poll.
    paced: bool,
    /// The window, and nothing else, held back the last poll.
    cwnd_limited: bool,
    /// The most that was outstanding since `used_end` was sent, where windows grow as Linux's.
    most_out: u64,
    used_end: u64,
    /// The window was reduced for data up to `cut_end`, not yet all acknowledged.
    cut: bool,
    /// The next new segment says CWR.
    cwr: bool,
    sack: bool,
    /// Fast recovery ends with the first new acknowledgement.
    reno: bool,
    /// Windows come down by proportional rate reduction.
    proportional: bool,
    /// What data is marked with.
    ranking: Ranking,
    /// One is coming down now.
    reducing: bool,
    cut_end: u64,
    counters: SenderCounters,

    opening: Opening,
    /// How the connection is closed, when all is acknowledged.
    close: Close,
    dupacks: u32,
    /// Of the outstanding bytes, those sent by limited transmit.
    limited: u64,
    /// Without SACK: bytes beyond `una` that duplicates say have arrived.
    guessed: u64,
    prr: Prr,
    /// The first outstanding segment is to be sent again, whatever the window.
    resend_head: bool,
    /// The next repair of what a switch has cut leaves whatever the window.
    free_repair: bool,
    /// RFC 6582: a partial acknowledgement has restarted the timer already.
    partial: bool,
    /// RFC 6675 rule 4 has been used in this recovery.
    rescued: bool,
    /// An episode ends when this is acknowledged.
    recover: u64,
    /// RFC 6582: duplicates start nothing before this is acknowledged.
    guard: u64,
    /// What is made of repairs that were needless, if anything.
    reordering: Option<Box<Reordering>>,
    /// Loss detection by time; without it duplicates count.
    rack: Option<Box<Rack>>,
    /// `una` when the timer last ran out.
    timed_out_at: Option<u64>,
    #[serde(with = "crate::shared")]
    config: Arc<TcpConfig>,
}

impl TcpSender {
    /// A sender of `size` bytes, or of as many as the network takes.
    ///
    /// A segment is never larger than the receive window; with a receive window of zero
    /// nothing is ever sent.
    pub fn new(config: Arc<TcpConfig>, size: Option<u64>) -> TcpSender {
        let mss = config.mss;
        TcpSender::with_mss(config, mss, size)
    }

    /// The same with `mss` payload bytes in a full segment, whatever `config` says.
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
            una: 0,
            nxt: 0,
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
            guessed: 0,
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

    /// The same, fresh, at the end that a request has come to: the connection stands, and what its
    /// receiver saw of the handshake is known.
    ///
    /// RFC 5681 3.1: where the SYN or its answer was lost the first window is one segment.
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

    /// The application hands over a message of `bytes` more on the same connection: window, timer
    /// and the congestion controller's memory are what the messages before have left. To the outside
    /// its bytes are numbered from 0 again and counts start anew.
    ///
    /// Panics unless everything before has been acknowledged.
    pub fn push(&mut self, bytes: u64) {
        assert!(self.is_done(), "one message at a time on a connection");
        self.base = self.una;
        self.size = self.una.saturating_add(bytes);
        self.counters = SenderCounters::default();
    }

    /// The application hands over `bytes` more of the message that is being sent. Not when the connection is being
    /// closed, nor behind a short segment that is outstanding: what is outstanding is counted in full segments.
    #[must_use = "it may be refused"]
    pub fn extend(&mut self, bytes: u64) -> bool {
        let fits = !self.closes() && self.board.is_whole();
        if fits {
            self.size = self.size.saturating_add(bytes);
        }
        fits
    }

    /// Bytes that may be in the network, by the congestion window.
    pub fn cwnd(&self) -> u64 {
        self.window.cwnd
    }

    /// Where slow start ends; `u64::MAX` before the first loss or mark.
    pub fn ssthresh(&self) -> u64 {
        self.window.ssthresh
    }

    /// Does it take the oldest segment for lost, which the window alone keeps from being sent again?
    pub fn waits_for_window(&self) -> bool {
        self.board.head_waits()
    }

    /// The retransmission timeout in force, back-off included.
    pub fn rto(&self) -> Time {
        self.timer.rto()
    }

    /// The round trip of the handshake.
    fn first_sample(&mut self, round_trip: Time) {
        self.timer.sample(round_trip, 0, 0);
        if let Some(rack) = &mut self.rack {
            rack.measure(round_trip.ps(), round_trip.ps());
        }
    }

    /// Recomputes whether polling needs the long way.
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
        self.hear(now, ack);
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
            self.next_new(now, self.nxt - self.una)
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
        self.una - self.base
    }

    #[inline]
    fn is_done(&self) -> bool {
        self.una == self.size && !self.lingers
    }

    fn counters(&self) -> SenderCounters {
        self.counters
    }
}

#[cfg(test)]
mod tests;
