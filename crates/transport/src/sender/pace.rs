//! Windows that follow delays, and may be less than a segment.
//!
//! **Decision**     whether the next segment is too soon after the last one; whether the controller or the
//!                  recovery sets the window during a recovery.
//! **State**        `paced`: the last poll was too soon.
//! **Units**        picoseconds.
//! **Errors**       none.
//! **Source**       Kumar et al., SIGCOMM 2020 (below one packet, each waits round trip/window).
//! **Deviations**   retransmissions wait as new data does. A waiting retransmission is not in flight, so its
//!                  timeout begins when it may leave (assumed). The packets of a handshake and of a teardown
//!                  are not paced.

use sidestep_types::Time;

use super::{Phase, TcpSender};
use crate::Delay;

impl TcpSender {
    /// Returns the window in full segments; a fraction, for a controller whose windows may be less than one.
    pub fn window_in_segments(&self) -> f64 {
        self.control.packets(&self.window)
    }

    /// Returns the current least time between two segments of data.
    pub fn pace(&self) -> Time {
        self.control.gap()
    }

    /// Passes a delay sample to a controller that reacts to delays.
    #[cold]
    #[inline(never)]
    pub(super) fn on_delay_sample(&mut self, delay: Delay) {
        let cwnd = self.window.cwnd;
        let cut = self.control.on_delay(&mut self.window, delay);
        if self.reducing || self.phase == Phase::Fast && !self.sack {
            // The recovery brings the window to `ssthresh`, by reduction or after inflation.
            self.window.cwnd = cwnd;
        }
        if cut {
            self.forget_prior();
        }
        self.set_phase(self.phase);
    }

    /// Returns true, and records that the pace limits this poll, if it is too soon for the next segment.
    pub(super) fn keeps_pace(&mut self, now: Time) -> bool {
        let gap = self.control.gap();
        self.paced =
            gap > Time::ZERO && self.next_seq > 0 && now < self.last_sent.saturating_add(gap);
        if self.paced {
            self.cwnd_limited = self.next_seq < self.size;
            let none_out = self.phase == Phase::Loss && self.board.pipe(self.first_unacked) == 0;
            if self.resend_head || none_out {
                self.timer.restart(self.last_sent.saturating_add(gap));
            }
        }
        self.paced
    }

    /// Returns the timer's deadline, or the end of the gap that delays a segment if that is sooner.
    #[cold]
    pub(super) fn next_deadline(&self) -> Option<Time> {
        let timer = self.timer.deadline();
        if !self.paced || self.first_unacked == self.size {
            return timer;
        }
        let due = self.last_sent.saturating_add(self.control.gap());
        Some(timer.map_or(due, |timer| timer.min(due)))
    }
}
