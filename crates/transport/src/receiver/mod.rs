//! TCP receiver: puts bytes in order and acknowledges the next one expected.
//!
//! **Decision**     whether to acknowledge now or a little later, with which echo and which blocks.
//! **State**        the next byte expected, ranges beyond holes, the state of echoes, one delayed
//!                  acknowledgement, trimmed segments and a duplicate not yet reported.
//! **Units**        bytes.
//! **Errors**       none: bytes received before, beyond the receive window or past the end of sequence space
//!                  are ignored, but the segment is still answered.
//! **Source**       RFC 5681 4.2 (acknowledgements), RFC 2018 (blocks), RFC 2883 (duplicates), RFC 3168 6.1.3
//!                  and RFC 8257 3.2 (echoes); Cheng et al., NSDI 2014 (trimmed segments). `delay` has the rule
//!                  of delayed acknowledgements.
//! **Deviations**   a trimmed segment is reported in the first SACK block, whether SACK is on or not; its mark
//!                  is not echoed, since trimming is the stronger signal. The report of a duplicate waits until
//!                  all trimmed segments are reported. A duplicate that arrives after the flow is complete is
//!                  not reported: its receiver has been removed.

mod delay;
pub(crate) mod ranges;

use std::sync::Arc;

use sidestep_types::{SackBlocks, Time};

use crate::congestion::{Controller, Echo};
use crate::{Ack, Arrival, Receiver, Recovery, TcpConfig};
use delay::Delay;
use ranges::Ranges;

/// Receiver's view of the handshake that opened its connection, for the sender on its side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Opened {
    /// No SYN, or not yet the acknowledgement of its answer.
    #[default]
    Unseen,
    /// Single answer to a SYN, acknowledged after this time.
    Took(Time),
    /// More than one answer to a SYN; the last one was acknowledged after this time, or not at all if it is
    /// [`Time::MAX`].
    Again(Time),
}

/// TCP receiver of one flow.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct TcpReceiver {
    next: u64,
    window: u64,
    /// Set while an acknowledgement of everything up to `next` is due.
    due: bool,
    /// State of the echo: the latch (RFC 3168), or whether the last segment was marked (RFC 8257).
    ece: bool,
    sack: bool,
    /// Set if duplicates are reported.
    dsack: bool,
    echo: Echo,
    accept: bool,
    /// Time of the last answer to a SYN; [`Time::MAX`] before.
    answered: Time,
    opened: Opened,
    /// Set while a SYN or a FIN is to be answered, or trimmed segments or a duplicate are to be reported.
    unusual: bool,
    /// Set while a FIN is to be answered.
    fin: bool,
    /// Switches that the last segment has crossed.
    hops: u8,
    /// Segments not yet acknowledged.
    waiting: u32,
    every: u32,
    delay: Delay,
    /// Time of the delayed acknowledgement; [`Time::MAX`] without one.
    deadline: Time,
    /// Acknowledgement of the segments before a change of marks, with their echo (RFC 8257 3.2).
    before: Option<(u64, bool)>,
    ranges: Ranges,
    /// Trimmed payloads not yet reported, as `[start, end)`.
    cuts: Vec<(u64, u64)>,
    /// Bytes of the last segment that had arrived before, as `[start, end)`; boxed, since few receivers need
    /// it.
    duplicate: Option<Box<(u64, u64)>>,
}

impl TcpReceiver {
    /// Creates a receiver that has received nothing.
    pub fn new(config: Arc<TcpConfig>) -> TcpReceiver {
        let delay = Delay::new(&config);
        TcpReceiver {
            next: 0,
            window: config.receive_window,
            due: false,
            ece: false,
            sack: config.recovery == Recovery::Sack,
            dsack: config.reordering.dsack && config.recovery == Recovery::Sack,
            echo: Controller::new(config.congestion).echo(),
            accept: false,
            answered: Time::MAX,
            opened: Opened::Unseen,
            unusual: false,
            fin: false,
            hops: 0,
            waiting: 0,
            every: delay.every(),
            delay,
            deadline: Time::MAX,
            before: None,
            ranges: Ranges::default(),
            cuts: Vec::new(),
            duplicate: None,
        }
    }

    /// Creates a receiver for a sender that is no TCP: it acknowledges every segment at once and selectively,
    /// within `window` bytes of the first missing one, without echoes.
    pub fn selective(window: u64) -> TcpReceiver {
        TcpReceiver {
            next: 0,
            window,
            due: false,
            ece: false,
            sack: true,
            dsack: false,
            echo: Echo::Never,
            accept: false,
            answered: Time::MAX,
            opened: Opened::Unseen,
            unusual: false,
            fin: false,
            hops: 0,
            waiting: 0,
            every: 1,
            delay: Delay::default(),
            deadline: Time::MAX,
            before: None,
            ranges: Ranges::default(),
            cuts: Vec::new(),
            duplicate: None,
        }
    }

    /// Returns the receiver's view of the handshake.
    pub fn opened(&self) -> Opened {
        self.opened
    }

    /// Handles a segment without payload: the acknowledgement of the answer to a SYN, which gives a round trip
    /// unless there were two answers (Karn); or a FIN, whose sender knows that all data has arrived.
    #[cold]
    fn on_empty_segment(&mut self, now: Time, seq: u64) {
        if seq > 0 {
            self.fin |= seq == self.next;
            self.unusual |= self.fin;
            return;
        }
        let took = now.saturating_sub(self.answered);
        match self.opened {
            Opened::Unseen if self.answered != Time::MAX => self.opened = Opened::Took(took),
            Opened::Again(Time::MAX) => self.opened = Opened::Again(took),
            _ => {}
        }
    }

    #[inline]
    fn on_mark(&mut self, arrival: &Arrival) {
        match self.echo {
            Echo::Never => {}
            Echo::Latch => {
                if arrival.ce && !self.ece {
                    self.delay.hurry(2);
                }
                self.ece = arrival.ce || (self.ece && !arrival.cwr);
            }
            Echo::Exact if self.ece != arrival.ce => {
                if self.waiting > 0 {
                    self.before = Some((self.next, self.ece));
                    self.waiting = 0;
                    self.deadline = Time::MAX;
                }
                self.delay.hurry(1);
                self.ece = arrival.ce;
            }
            Echo::Exact => {}
        }
    }

    /// Accepts a segment in order while nothing is held beyond it: the common case.
    #[inline]
    fn take_in_order(&mut self, now: Time, end: u64) {
        let len = end - self.next;
        self.next = end;
        self.waiting += 1;
        if self.waiting >= self.every {
            self.due = true;
        } else {
            self.hold(now, len);
        }
    }

    /// Decides whether the acknowledgement is delayed.
    #[cold]
    #[inline(never)]
    fn hold(&mut self, now: Time, len: u64) {
        let first = self.waiting == 1;
        if self.delay.answers_now(now, len, first) {
            self.due = true;
        } else if first {
            self.deadline = now.saturating_add(self.delay.wait());
        }
    }

    /// Accepts a segment that is out of order, fills a hole, arrived before or is beyond the window; answered
    /// at once.
    fn take(&mut self, start: u64, end: u64) {
        self.due = true;
        if start < self.next {
            self.delay.begin();
        }
        if self.dsack
            && let Some(duplicate) = self.already_received(start, end)
        {
            self.duplicate = Some(Box::new(duplicate));
            self.unusual = true;
        }
        let start = start.max(self.next);
        let end = end.min(self.next.saturating_add(self.window));
        if start >= end {
            return;
        }
        if start > self.next {
            self.ranges.insert(start, end);
        } else {
            self.next = self.ranges.take_from(end);
        }
    }

    /// Returns the first run of bytes that have arrived before (RFC 2883 section 4).
    #[cold]
    fn already_received(&self, start: u64, end: u64) -> Option<(u64, u64)> {
        if start < self.next {
            Some((start, end.min(self.next)))
        } else {
            self.ranges.shared(start, end)
        }
    }

    /// Handles a SYN, or a trimmed segment: none of its bytes has arrived, and the sender is informed at once.
    #[cold]
    fn on_unusual_segment(&mut self, arrival: &Arrival) {
        if arrival.syn {
            self.accept = true;
            self.unusual = true;
            return;
        }
        if arrival.len == 0 {
            return;
        }
        self.due = true;
        self.hops = arrival.hops;
        let end = arrival.seq.saturating_add(u64::from(arrival.len));
        let start = arrival.seq.max(self.next);
        if start < end && !self.ranges.holds(start, end) {
            self.cuts.push((start, end));
            self.unusual = true;
        }
    }

    /// Returns the next acknowledgement by priority: the answer to a SYN or a FIN, then the segments before a
    /// change of marks, then trimmed segments, then a duplicate.
    #[cold]
    fn unusual_ack(&mut self, now: Time) -> Option<Ack> {
        let ack = if self.accept {
            self.accepted(now)
        } else if std::mem::take(&mut self.fin) {
            self.waiting = 0;
            self.deadline = Time::MAX;
            early(self.next + 1, false, self.hops)
        } else if let Some((ack, ece)) = self.before.take() {
            early(ack, ece, self.hops)
        } else if self.cuts.is_empty() {
            self.duplicate_ack()
        } else {
            self.trim_report()
        };
        self.unusual = self.accept || !self.cuts.is_empty() || self.duplicate.is_some();
        Some(ack)
    }

    /// Reports the duplicate in the first block and, if it lies within a received range, that range in the
    /// second (RFC 2883 section 4).
    fn duplicate_ack(&mut self) -> Ack {
        let (start, end) = *self.duplicate.take().expect("something is to be told");
        self.due = false;
        self.waiting = 0;
        self.deadline = Time::MAX;
        let below = start < self.next;
        let (near, far) = match below {
            true => (self.next - end.min(self.next), self.next - start),
            false => (start - self.next, end - self.next),
        };
        let mut sack = SackBlocks::NONE;
        let mut told = false;
        if let (Ok(near), Ok(far)) = (u32::try_from(near), u32::try_from(far)) {
            sack.push(near, far);
            told = true;
        }
        for (from, to) in self.blocks().iter() {
            sack.push(from, to);
        }
        Ack {
            ack: self.next,
            ece: self.ece,
            syn: false,
            sack,
            cut: false,
            below: below && told,
            hops: self.hops,
        }
    }

    /// Reports the oldest trimmed segment not yet reported, one per acknowledgement; each acknowledges
    /// everything up to `next`.
    fn trim_report(&mut self) -> Ack {
        let (start, end) = self.cuts.remove(0);
        self.due = self.duplicate.is_some();
        self.waiting = 0;
        self.deadline = Time::MAX;
        let relative = |at: u64| u32::try_from(at.saturating_sub(self.next));
        let mut sack = SackBlocks::NONE;
        let cut = match (relative(start), relative(end)) {
            (Ok(from), Ok(to)) if from < to => {
                sack.push(from, to);
                true
            }
            // The whole segment has arrived since.
            _ => false,
        };
        for (from, to) in self.blocks().iter() {
            sack.push(from, to);
        }
        Ack {
            ack: self.next,
            ece: self.ece,
            syn: false,
            sack,
            cut,
            below: false,
            hops: self.hops,
        }
    }

    fn blocks(&self) -> SackBlocks {
        if self.sack && !self.ranges.is_empty() {
            self.ranges.blocks(self.next)
        } else {
            SackBlocks::NONE
        }
    }

    /// Opens the connection, again if the answer was lost (RFC 5681 and RFC 793).
    fn accepted(&mut self, now: Time) -> Ack {
        self.accept = false;
        if self.answered != Time::MAX && self.opened == Opened::Unseen {
            self.opened = Opened::Again(Time::MAX);
        }
        self.answered = now;
        Ack {
            ack: self.next,
            ece: false,
            syn: true,
            sack: SackBlocks::NONE,
            cut: false,
            below: false,
            hops: self.hops,
        }
    }
}

/// Returns the acknowledgement of the segments before a change of marks, with their echo (RFC 8257 3.2).
fn early(ack: u64, ece: bool, hops: u8) -> Ack {
    Ack {
        ack,
        ece,
        syn: false,
        sack: SackBlocks::NONE,
        cut: false,
        below: false,
        hops,
    }
}

impl Receiver for TcpReceiver {
    #[inline(always)]
    fn on_segment(&mut self, now: Time, arrival: Arrival) {
        if arrival.syn || arrival.trimmed {
            return self.on_unusual_segment(&arrival);
        }
        if arrival.len == 0 {
            return self.on_empty_segment(now, arrival.seq);
        }
        self.hops = arrival.hops;
        self.on_mark(&arrival);
        let end = arrival.seq.saturating_add(u64::from(arrival.len));
        let fits = u64::from(arrival.len) <= self.window;
        if arrival.seq == self.next && self.ranges.is_empty() && fits {
            self.take_in_order(now, end);
        } else {
            self.take(arrival.seq, end);
        }
    }

    fn on_timeout(&mut self, now: Time) {
        if now >= self.deadline {
            self.deadline = Time::MAX;
            self.due = self.waiting > 0;
        }
    }

    #[inline]
    fn poll_ack(&mut self, now: Time) -> Option<Ack> {
        if self.unusual {
            return self.unusual_ack(now);
        }
        if let Some((ack, ece)) = self.before.take() {
            return Some(early(ack, ece, self.hops));
        }
        if !self.due {
            return None;
        }
        self.due = false;
        self.waiting = 0;
        self.deadline = Time::MAX;
        Some(Ack {
            ack: self.next,
            ece: self.ece,
            syn: false,
            sack: self.blocks(),
            cut: false,
            below: false,
            hops: self.hops,
        })
    }

    #[inline]
    fn deadline(&self) -> Option<Time> {
        (self.deadline != Time::MAX).then_some(self.deadline)
    }

    #[inline]
    fn delivered(&self) -> u64 {
        self.next
    }
}

#[cfg(test)]
mod tests;
