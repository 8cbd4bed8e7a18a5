//! Loss recovery: when a segment counts as lost, and how it is repaired.
//!
//! **Decision**     enter fast recovery at the duplicate threshold; leave it when everything then in flight is
//!                  acknowledged, or with Reno at any new acknowledgement; retransmit everything after a
//!                  timeout. A trimmed segment is lost at once, without waiting for duplicates.
//! **State**        `recover`, `guard` and counters in the sender, flags on the board.
//! **Units**        bytes.
//! **Errors**       none.
//! **Source**       RFC 5681 3.2, RFC 6582 3.2, RFC 6675 5 and 5.1, RFC 3042; Cheng et al., NSDI 2014 (trimmed
//!                  segments).
//! **Deviations**   window inflation starts at the configured threshold, not at 3. With SACK, limited transmit
//!                  is bounded by two segments beyond `cwnd`, as without SACK (RFC 6675: by the pipe, which is
//!                  the same at a threshold of 3). With Reno the window does not grow again, and echoes are
//!                  ignored, before the data in flight at the cut is acknowledged. RFC 6582's heuristics for
//!                  duplicates right after a timeout (section 4.1) are omitted: such duplicates start no
//!                  recovery. Selective acknowledgements survive a timeout, unless the receiver reneges on the
//!                  first byte. NSDI 2014 leaves open how trimming moves the window: here a trimmed segment
//!                  counts as a loss, so that the first one in a window of data reduces the window and begins a
//!                  recovery, and its retransmission leaves regardless of the window; later ones are
//!                  retransmitted as the pipe allows.

use sidestep_types::Time;

use super::{Opening, Phase, TcpSender};
use crate::Ack;

impl TcpSender {
    /// Handles a duplicate acknowledgement; with SACK, one that reported new arrivals.
    pub(super) fn duplicate(&mut self, now: Time) {
        if !self.sack && self.phase != Phase::Loss {
            self.presumed_arrived = self.presumed_arrived.saturating_add(self.window.mss);
        }
        match self.phase {
            Phase::Open => {
                self.dupacks = self.dupacks.saturating_add(1);
                let heard = self.config.duplicates_in_cwr || !self.cut;
                if heard && self.loss_believed() {
                    self.enter_fast(now);
                } else if self.config.limited_transmit
                    && self.dupacks <= self.transmits_on()
                    && (!self.reducing || self.config.limited_transmit_in_cwr)
                {
                    let most = self.window.cwnd.max(2 * self.window.mss);
                    self.allowance = (u64::from(self.dupacks) * self.window.mss).min(most);
                }
            }
            // RFC 6582 step 4: each duplicate shows that a segment has left the network.
            Phase::Fast if !self.sack => {
                self.window.cwnd = self.window.cwnd.saturating_add(self.window.mss);
            }
            Phase::Fast | Phase::Loss => {}
        }
    }

    /// Handles a report that a switch has trimmed a segment: its payload has left the network and did not
    /// arrive. Returns the newly reported bytes.
    #[cold]
    pub(super) fn on_trim_report(&mut self, now: Time, ack: &Ack) -> u64 {
        let cut = ack.cut_off();
        let news = cut.map_or(0, |(from, _)| self.board.cut(from));
        if news == 0 {
            return 0;
        }
        self.counters.cuts = self.counters.cuts.saturating_add(1);
        if self.phase == Phase::Open {
            self.enter_cut(now);
        } else {
            self.forget_prior();
        }
        news
    }

    /// Enters fast recovery on the report of a trimmed segment instead of duplicates.
    fn enter_cut(&mut self, now: Time) {
        self.forget_prior();
        if self.rack.is_some() {
            self.enter_recovery(now);
            self.forget_prior();
            self.free_repair = true;
            return;
        }
        let flight = (self.next_seq - self.first_unacked).saturating_sub(self.limited);
        self.control
            .on_loss(now, &mut self.window, flight, self.cut);
        if !self.sack {
            let left = u64::from(self.dupacks) * self.window.mss;
            self.window.cwnd = self.window.cwnd.saturating_add(left);
        }
        self.allowance = 0;
        self.begin_episode();
        // Where switches report losses, the last segment needs no rescue (RFC 6675 rule 4).
        self.rescued = true;
        self.board.begin_repair();
        self.free_repair = true;
        self.set_phase(Phase::Fast);
        if self.sack {
            self.believe_lost();
        }
    }

    fn loss_believed(&self) -> bool {
        let Some(threshold) = self.dupthresh() else {
            return false;
        };
        if self.sack {
            self.dupacks >= threshold || self.board.head_is_lost(u64::from(threshold))
        } else {
            // Reno forgets a recovery at the first new acknowledgement, so it may begin another one.
            self.dupacks >= threshold && (self.reno || self.first_unacked >= self.guard)
        }
    }

    /// Enters fast recovery (RFC 6582 steps 2 and 3, RFC 6675 step 4).
    fn enter_fast(&mut self, now: Time) {
        self.remember(false);
        let flight = (self.next_seq - self.first_unacked).saturating_sub(self.limited);
        self.control
            .on_loss(now, &mut self.window, flight, self.cut);
        if !self.sack {
            let left = u64::from(self.dupacks) * self.window.mss;
            self.window.cwnd = self.window.cwnd.saturating_add(left);
        }
        self.counters.fast_retransmits = self.counters.fast_retransmits.saturating_add(1);
        self.allowance = 0;
        self.begin_episode();
        self.resend_head = true;
        self.set_phase(Phase::Fast);
        if self.sack {
            self.board.begin_recovery(self.threshold());
        }
    }

    fn begin_episode(&mut self) {
        self.recover = self.next_seq;
        self.guard = self.next_seq.saturating_add(1);
        self.partial = false;
        self.rescued = false;
        self.dupacks = 0;
        self.reduced();
    }

    /// Handles newly acknowledged bytes in fast recovery.
    pub(super) fn advance_fast(&mut self, now: Time, acked: u64) {
        if self.reno || self.first_unacked >= self.recover {
            self.end_reduction();
            if self.reno {
                // RFC 5681 3.2 step 6, at any new acknowledgement.
                self.window.cwnd = self.window.ssthresh;
            } else if !self.sack {
                // RFC 6582 step 3, full acknowledgement, option 1.
                let flight = (self.next_seq - self.first_unacked).max(self.window.mss);
                self.window.cwnd = self.window.ssthresh.min(flight + self.window.mss);
            }
            self.close_episode(now);
        } else if self.sack {
            self.believe_lost();
        } else {
            self.partial_ack(acked);
        }
    }

    /// Handles a partial acknowledgement (RFC 6582 step 3): the next hole is repaired, and the window shrinks
    /// by the bytes that left it. Only the first one restarts the timer.
    fn partial_ack(&mut self, acked: u64) {
        let back = if acked >= self.window.mss {
            self.window.mss
        } else {
            0
        };
        self.window.cwnd = (self.window.cwnd.saturating_sub(acked) + back).max(self.window.mss);
        self.partial = true;
        self.resend_head = !self.board.head_is_resent();
        self.set_phase(Phase::Fast);
    }

    /// Applies RFC 6675 IsLost to the whole board.
    pub(super) fn believe_lost(&mut self) {
        self.board.mark_lost(self.threshold());
    }

    fn threshold(&self) -> u64 {
        self.dupthresh().map_or(u64::MAX, u64::from)
    }

    /// Handles newly acknowledged bytes after a timeout: slow start, whatever the echoes.
    pub(super) fn advance_loss(&mut self, now: Time, acked: u64, held: u64) {
        self.grow(acked, held);
        if self.first_unacked >= self.recover {
            self.close_episode(now);
        }
    }

    pub(super) fn close_episode(&mut self, now: Time) {
        if self.rack.is_some() {
            return self.reopen();
        }
        self.partial = false;
        self.resend_head = false;
        self.presumed_arrived = 0;
        self.board.settle();
        self.set_phase(Phase::Open);
        if self.board.any_cut() {
            // The trimmed segment was sent after this recovery began, so it belongs to another window of data.
            self.enter_cut(now);
        }
    }

    /// Handles a timeout (RFC 6298 5.4 to 5.7 and RFC 5681 3.1): the window falls to one segment, and
    /// everything not known to have arrived is retransmitted.
    pub(super) fn timed_out(&mut self, now: Time) {
        self.counters.timeouts = self.counters.timeouts.saturating_add(1);
        self.timer.expire(now, self.config.rto.backoff);
        if self.opening != Opening::Done {
            self.opening = Opening::Due { again: true };
            return;
        }
        if self.closes() {
            return self.close_again();
        }
        if self.rack.is_some() {
            return self.lose(now);
        }
        self.remember(true);
        // After a timeout, data still to be retransmitted is not in flight.
        let flight = match self.phase {
            Phase::Loss => self.board.pipe(self.first_unacked),
            _ => (self.next_seq - self.first_unacked).saturating_sub(self.limited),
        };
        let again = self.timed_out_at.replace(self.first_unacked) == Some(self.first_unacked);
        self.control
            .on_timeout(now, &mut self.window, flight, again);
        self.allowance = 0;
        self.limited = 0;
        self.begin_episode();
        self.reducing = false;
        self.presumed_arrived = 0;
        self.resend_head = false;
        self.free_repair = false;
        self.board.begin_loss();
        self.set_phase(Phase::Loss);
    }
}
