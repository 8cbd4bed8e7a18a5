//! A TCP receiver: puts bytes in order and says which one it expects next.
//!
//! **Decision**     acknowledge now or a little later, with which echo and which blocks.
//! **State**        the next byte expected, ranges beyond holes, the echo's state, one
//!                  delayed acknowledgement.
//! **Units**        bytes.
//! **Errors**       none: bytes seen before, beyond the receive window or past the end of
//!                  sequence space are ignored, but the segment is still answered.
//! **Source**       RFC 5681 4.2 (acknowledgements), RFC 2018 (blocks), RFC 3168 6.1.3 and
//!                  RFC 8257 3.2 (echoes).
//! **Deviations**   a delayed acknowledgement counts segments of any size, as ns-3 does
//!                  (the RFC: full-sized ones). No D-SACK.

mod ranges;

use std::sync::Arc;

use sidestep_types::{SackBlocks, Time};

use crate::congestion::{Controller, Echo};
use crate::{Ack, Arrival, DelayedAck, Receiver, Recovery, TcpConfig};
use ranges::Ranges;

/// A TCP receiver of one flow.
#[derive(Clone, Debug)]
pub struct TcpReceiver {
    next: u64,
    window: u64,
    /// An acknowledgement of everything up to `next` is due.
    due: bool,
    /// The echo: the latch (RFC 3168), or whether the last segment was marked (RFC 8257).
    ece: bool,
    sack: bool,
    echo: Echo,
    accept: bool,
    /// Segments not yet acknowledged.
    waiting: u32,
    every: u32,
    timeout: Time,
    /// [`Time::MAX`] without a delayed acknowledgement.
    deadline: Time,
    /// RFC 8257 3.2: what came before a change of marks, with the echo it had.
    before: Option<(u64, bool)>,
    ranges: Ranges,
}

impl TcpReceiver {
    /// A receiver that has seen nothing.
    pub fn new(config: Arc<TcpConfig>) -> TcpReceiver {
        let at_once = DelayedAck {
            segments: 1,
            timeout: Time::ZERO,
        };
        let delay = config.delayed_ack.unwrap_or(at_once);
        TcpReceiver {
            next: 0,
            window: config.receive_window,
            due: false,
            ece: false,
            sack: config.recovery == Recovery::Sack,
            echo: Controller::new(config.congestion).echo(),
            accept: false,
            waiting: 0,
            every: delay.segments,
            timeout: delay.timeout,
            deadline: Time::MAX,
            before: None,
            ranges: Ranges::default(),
        }
    }

    #[inline]
    fn hear_mark(&mut self, arrival: &Arrival) {
        match self.echo {
            Echo::Never => {}
            Echo::Latch => self.ece = arrival.ce || (self.ece && !arrival.cwr),
            Echo::Exact if self.ece != arrival.ce => {
                if self.waiting > 0 {
                    self.before = Some((self.next, self.ece));
                    self.waiting = 0;
                    self.deadline = Time::MAX;
                }
                self.ece = arrival.ce;
            }
            Echo::Exact => {}
        }
    }

    /// In order, with nothing waiting beyond: the common case.
    #[inline]
    fn take_in_order(&mut self, now: Time, end: u64) {
        self.next = end;
        self.waiting += 1;
        if self.waiting >= self.every {
            self.due = true;
        } else if self.waiting == 1 {
            self.deadline = now.saturating_add(self.timeout);
        }
    }

    /// Out of order, filling a hole, seen before or beyond the window: answered at once.
    fn take(&mut self, start: u64, end: u64) {
        self.due = true;
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

    fn blocks(&self) -> SackBlocks {
        if self.sack && !self.ranges.is_empty() {
            self.ranges.blocks(self.next)
        } else {
            SackBlocks::NONE
        }
    }

    /// RFC 5681 and RFC 793: opens the connection, again if the answer was lost.
    fn accepted(&mut self) -> Ack {
        self.accept = false;
        Ack {
            ack: self.next,
            ece: false,
            syn: true,
            sack: SackBlocks::NONE,
        }
    }
}

impl Receiver for TcpReceiver {
    #[inline]
    fn on_segment(&mut self, now: Time, arrival: Arrival) {
        if arrival.syn {
            self.accept = true;
            return;
        }
        if arrival.len == 0 {
            return;
        }
        self.hear_mark(&arrival);
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
    fn poll_ack(&mut self, _now: Time) -> Option<Ack> {
        if self.accept {
            return Some(self.accepted());
        }
        if let Some((ack, ece)) = self.before.take() {
            return Some(Ack {
                ack,
                ece,
                syn: false,
                sack: SackBlocks::NONE,
            });
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
