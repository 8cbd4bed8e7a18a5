//! States of a sender that detects losses by time, as in Linux.
//!
//! **Decision**     the effect, in each state, of an acknowledgement or of the end of the reordering window:
//!                  which window follows, whether a recovery begins or ends, which timer runs.
//! **State**        the sender's: `Open` (with `cut`: CWR), `Fast` (Recovery), `Loss`.
//! **Units**        bytes and picoseconds.
//! **Errors**       none.
//! **Source**       Linux `tcp_ack`, `tcp_fastretrans_alert`, `tcp_process_loss`, `tcp_enter_recovery`,
//!                  `tcp_enter_loss`, `tcp_rack_reo_timeout`; RFC 8985 6.2 and 6.3, RFC 5682 3.1.
//!                  docs/reference/transports/states.md has the table.
//! **Deviations**   a loss leaves half of the flight (RFC 5681), where Linux halves the window. A trimmed
//!                  segment is lost at once, as without RACK.

use sidestep_types::Time;

use super::super::board::{Delivered, Marked};
use super::super::{Phase, TcpSender};
use super::Pending;
use crate::Ack;

impl TcpSender {
    /// Handles an acknowledgement, in the order of Linux `tcp_ack`. An acknowledgement that another has
    /// overtaken still reports deliveries beyond holes.
    pub(in crate::sender) fn handle_ack_with_rack(&mut self, now: Time, ack: &Ack) {
        let Some(rack) = &self.rack else { return };
        let least = rack.least();
        let acked = ack.ack.saturating_sub(self.first_unacked);
        let before = self.proportional.then(|| self.before());
        if !ack.sack.is_empty() && !ack.cut {
            self.on_duplicate_report(ack);
        }
        if self.needs_notice(ack) {
            self.notice(now, ack);
        }
        let held = self.board.sacked();
        let mut heard = Delivered::new(now.ps(), least, self.recover);
        self.first_unacked += acked;
        self.control
            .handle_ack(acked, ack.ece, self.first_unacked, self.next_seq);
        let mut news = false;
        for (from, to) in ack.arrived() {
            news |= self.board.sack_timed(from, to, &mut heard);
        }
        if acked > 0 {
            self.board.cover_timed(self.first_unacked, &mut heard);
        }
        let delivered = match &mut self.rack {
            Some(rack) => rack.on_delivered(now, &heard),
            None => false,
        };
        self.measure(now, acked, &heard);
        if ack.ece {
            self.counters.echoes = self.counters.echoes.saturating_add(1);
            self.forget_prior();
        }
        self.end_probe(now, ack, acked, news);
        let wait = self.alert(now, ack, acked, news, delivered, &heard);
        let cut = if ack.cut {
            self.on_trim_report(now, ack)
        } else {
            0
        };
        if self.reducing {
            if let Some(before) = before {
                self.reduce(acked, cut, before);
            }
        } else if acked > 0 && self.phase != Phase::Fast && !self.cut {
            // Not all acknowledged bytes count: at the end of a recovery most of them had been delivered
            // before.
            let delivered = (acked + self.board.sacked()).saturating_sub(held);
            self.grow(delivered, self.board.sacked());
        }
        self.set_timer_after(now, acked, wait, &heard);
        if self.special || self.board.sacked() > 0 || self.board.lost() > 0 {
            self.set_phase(self.phase);
        }
    }

    /// Takes round trips of segments that were sent once (Karn): of the first for the timeout, of the last for
    /// the smallest round trip.
    #[inline]
    fn measure(&mut self, now: Time, acked: u64, heard: &Delivered) {
        let covered = heard.covered.filter(|_| !heard.again);
        match covered.or(heard.sacked) {
            Some((first, last)) => {
                let since = |sent: u64| now.ps().saturating_sub(sent);
                self.timer.sample(
                    Time::from_ps(since(first)),
                    self.first_unacked,
                    self.next_seq,
                );
                if let Some(rack) = &mut self.rack {
                    rack.measure(since(first), since(last));
                }
            }
            None if acked > 0 => self.new_data_again(now),
            None => {}
        }
    }

    /// Applies Linux `tcp_fastretrans_alert`. Returns the time until more segments may be lost, 0 for never.
    fn alert(
        &mut self,
        now: Time,
        ack: &Ack,
        acked: u64,
        news: bool,
        delivered: bool,
        heard: &Delivered,
    ) -> u64 {
        match self.phase {
            Phase::Open if self.cut && self.first_unacked > self.cut_end => {
                self.cut = false;
                self.end_reduction();
            }
            Phase::Fast if self.first_unacked >= self.recover => {
                self.end_reduction();
                self.leave();
            }
            Phase::Open | Phase::Fast => {}
            Phase::Loss => self.process_loss(now, ack, acked, news, heard),
        }
        let newest = self.rack.as_ref().map_or((0, 0), |rack| rack.newest);
        let marked = if delivered && !self.board.all_newer(newest) {
            self.mark_losses(now)
        } else {
            Marked::default()
        };
        match self.phase {
            Phase::Fast => {}
            Phase::Loss if !marked.again && ack.ece && self.config.echoes_in_loss => {
                self.on_mark_echo_in_loss();
            }
            Phase::Loss if !marked.again => {}
            _ if self.board.lost() > 0 => {
                self.enter_recovery(now);
                if ack.ece {
                    self.forget_prior(); // Linux tcp_enter_recovery: a mark forbids an undo.
                }
            }
            _ if ack.ece && !self.cut && self.control.ect(false) => {
                self.control
                    .on_echo(&mut self.window, self.next_seq - self.first_unacked);
                self.reduced();
            }
            _ => {}
        }
        marked.wait
    }

    /// Searches for losses (RFC 8985 6.2 step 5).
    fn mark_losses(&mut self, now: Time) -> Marked {
        let Some(rack) = &self.rack else {
            return Marked::default();
        };
        let settle = rack.window(self.phase, self.board.segments_sacked());
        self.board
            .mark_by_time(now.ps(), rack.newest, rack.rtt, settle)
    }

    /// Ends a recovery: everything in flight when it began is acknowledged.
    fn leave(&mut self) {
        if let Some(rack) = &mut self.rack {
            rack.recovered();
        }
        self.reopen();
    }

    /// Returns to `Open`: ends a recovery and the test of F-RTO.
    pub(in crate::sender) fn reopen(&mut self) {
        if let Some(rack) = &mut self.rack {
            (rack.frto, rack.new_alone) = (false, false);
        }
        self.cut = false;
        self.resend_head = false;
        self.set_phase(Phase::Open);
    }

    /// Enters recovery (Linux `tcp_enter_recovery`): from Open and Loss the window is cut; from CWR the
    /// reduction goes on.
    pub(in crate::sender) fn enter_recovery(&mut self, now: Time) {
        self.remember(false);
        let in_cwr = self.phase == Phase::Open && self.cut;
        let flight = match self.phase {
            Phase::Loss => self.window.cwnd,
            _ => self.next_seq - self.first_unacked,
        };
        self.control.on_loss(now, &mut self.window, flight, in_cwr);
        self.counters.fast_retransmits = self.counters.fast_retransmits.saturating_add(1);
        self.recover = self.cut_end;
        if !in_cwr {
            self.recover = self.next_seq;
            self.reduced();
            if let Some(rack) = &mut self.rack {
                rack.probe = None;
            }
        }
        if let Some(rack) = &mut self.rack {
            (rack.frto, rack.new_alone, rack.probing) = (false, false, false);
        }
        self.cut = false;
        // Where the window is cut at once, nothing else would let the first retransmission leave.
        self.free_repair |= !self.proportional;
        self.set_phase(Phase::Fast);
    }

    /// Applies Linux `tcp_process_loss`, with F-RTO (RFC 5682 3.1, with SACK).
    fn process_loss(&mut self, now: Time, ack: &Ack, acked: u64, news: bool, heard: &Delivered) {
        let recovered = self.first_unacked >= self.recover;
        let more = self.size > self.next_seq && self.next_seq - self.first_unacked < self.rwnd;
        let Some(rack) = &mut self.rack else { return };
        rack.new_alone = false;
        if rack.frto {
            if heard.original {
                // Step 3.b: a segment arrived that was sent before the timeout and not since.
                return self.undo_timeout(now);
            }
            if self.next_seq > self.recover {
                let duplicate = acked == 0 && !ack.cut && ack.ack == self.first_unacked;
                rack.frto &= !(news || duplicate); // Step 3.a: the loss was real.
            } else if acked > 0 && !recovered {
                self.recover = self.next_seq;
                rack.new_alone = more; // Step 2.b.
                rack.frto = more;
                return;
            }
        }
        if recovered {
            self.leave();
        }
    }

    /// Undoes a spurious timeout: nothing that it marked is lost, and the window is restored.
    fn undo_timeout(&mut self, now: Time) {
        match self.take_prior() {
            Some(prior) => self.undo(now, prior),
            None => {
                self.board.unmark();
                self.reopen();
            }
        }
    }

    /// Cuts the window for an echo during recovery from a timeout, once in a window of data.
    #[cold]
    pub(in crate::sender) fn on_mark_echo_in_loss(&mut self) {
        if self.first_unacked > self.cut_end || self.cut_end == self.recover {
            self.control
                .on_echo(&mut self.window, self.next_seq - self.first_unacked);
            self.cut_end = self.next_seq.max(self.recover + 1);
        }
    }

    /// Handles a timeout (RFC 8985 6.3, Linux `tcp_enter_loss`).
    pub(in crate::sender) fn lose(&mut self, now: Time) {
        self.remember(true);
        let again = self.timed_out_at.replace(self.first_unacked) == Some(self.first_unacked);
        // Linux reduces once in a window of data, and again after a timeout that was followed by progress.
        let cut_already = match self.phase {
            Phase::Loss => again,
            Phase::Fast => self.first_unacked < self.recover,
            Phase::Open => self.cut && self.first_unacked < self.cut_end,
        };
        let fresh = self.phase == Phase::Open;
        let flight = match self.phase {
            Phase::Loss => self.window.cwnd,
            _ => self.next_seq - self.first_unacked,
        };
        self.control
            .on_timeout(now, &mut self.window, flight, cut_already);
        let Some(rack) = &mut self.rack else { return };
        rack.frto = rack.config.frto && (fresh || self.phase == Phase::Loss && again);
        (rack.new_alone, rack.probe, rack.probing) = (false, None, false);
        rack.pending = Pending::Rto;
        self.board.mark_on_timeout(now.ps(), rack.rtt);
        self.window.cwnd = self.board.pipe(self.first_unacked) + self.window.mss;
        self.recover = self.next_seq;
        self.reduced();
        (self.cut, self.reducing, self.free_repair) = (false, false, false);
        self.set_phase(Phase::Loss);
    }

    /// Handles the end of the reordering window (Linux `tcp_rack_reo_timeout`): one segment leaves, as
    /// proportional rate reduction allows for one delivered.
    pub(in crate::sender) fn settle_losses(&mut self, now: Time) {
        let before = self.before();
        let pipe = self.board.pipe(self.first_unacked);
        self.mark_losses(now);
        if self.board.pipe(self.first_unacked) != pipe && self.phase != Phase::Fast {
            self.enter_recovery(now);
            if self.reducing {
                self.reduce(0, self.window.mss, before);
            }
        }
        self.rearm(now);
        self.set_phase(self.phase);
    }
}
