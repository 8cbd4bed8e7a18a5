//! Handling of acknowledgements.

use sidestep_types::Time;

use super::{Opening, Phase, TcpSender};
use crate::{Ack, Delay};

impl TcpSender {
    #[inline]
    pub(super) fn handle_ack(&mut self, now: Time, ack: Ack) {
        if self.opening != Opening::Done {
            return self.opened(now, ack);
        }
        let idle = self.first_unacked == self.next_seq;
        if ack.ack < self.first_unacked || ack.ack > self.next_seq || ack.syn || idle {
            return self.on_late_ack(now, &ack, idle);
        }
        if self.rack.is_some() {
            return self.handle_ack_with_rack(now, &ack);
        }
        if self.reordering.is_some() {
            self.notice(now, &ack);
        }
        let acked = ack.ack - self.first_unacked;
        let before = self.proportional.then(|| self.before());
        let held = self.arrived();
        self.first_unacked = ack.ack;
        self.control
            .handle_ack(acked, ack.ece, self.first_unacked, self.next_seq);
        let news = !ack.sack.is_empty() && self.sack && self.on_sack_blocks(&ack);
        if acked > 0 {
            self.new_data(now, acked, ack.hops);
        }
        if ack.ece {
            self.on_mark_echo();
        }
        if acked > 0 {
            self.advance(now, acked, held);
        } else if (news || !self.sack) && !ack.cut {
            self.duplicate(now);
        }
        if news && self.phase == Phase::Fast {
            self.believe_lost();
        }
        let cut = if ack.cut {
            self.on_trim_report(now, &ack)
        } else {
            0
        };
        if self.reducing
            && let Some(before) = before
        {
            self.reduce(acked, cut, before);
        }
    }

    /// Handles an acknowledgement that another has overtaken: only its reports of trimmed segments, duplicates
    /// and, with RACK, deliveries are new.
    #[cold]
    fn on_late_ack(&mut self, now: Time, ack: &Ack, idle: bool) {
        if idle && self.lingers {
            self.on_close_ack(ack);
        }
        if idle && self.rack.is_some() && ack.ack == self.first_unacked && !ack.syn {
            self.on_duplicate_report(ack);
            self.end_probe(now, ack, 0, false);
        }
        let late = ack.ack < self.first_unacked && !ack.syn && !idle;
        if late && self.rack.is_some() {
            return self.handle_ack_with_rack(now, ack);
        }
        if late && ack.cut {
            self.on_trim_report(now, ack);
        }
        if ack.ack <= self.first_unacked && !ack.syn {
            self.notice_duplicate(now, ack, false);
        }
    }

    /// Handles newly acknowledged bytes: takes a round-trip sample and resets the count of duplicates.
    #[inline]
    fn new_data(&mut self, now: Time, acked: u64, hops: u8) {
        debug_assert!(acked > 0, "the acknowledgement advances");
        if let Some(sent) = self.board.cover(self.first_unacked) {
            let rtt = now.saturating_sub(sent);
            self.timer.sample(rtt, self.first_unacked, self.next_seq);
            if self.control.delays() {
                self.on_delay_sample(Delay { now, rtt, hops });
            }
        } else {
            self.new_data_again(now);
        }
        self.dupacks = 0;
        self.allowance = 0;
        self.limited = 0;
        self.presumed_arrived = self
            .presumed_arrived
            .saturating_sub(acked.saturating_sub(self.window.mss));
        if self.cut && self.first_unacked > self.cut_end {
            self.cut = false;
            self.end_reduction();
        }
    }

    /// Handles acknowledged bytes of which some were sent twice. RFC 7323 4.1: a timestamp tells which
    /// transmission is answered; the last one, since it has filled the hole.
    #[cold]
    pub(super) fn new_data_again(&mut self, now: Time) {
        match self.board.take_repaired() {
            Some(sent) if self.config.timestamps => {
                let rtt = now.saturating_sub(sent);
                self.timer.sample(rtt, self.first_unacked, self.next_seq);
            }
            _ => self.timer.acknowledged(),
        }
    }

    /// Updates window and timer after new bytes were acknowledged.
    #[inline]
    fn advance(&mut self, now: Time, acked: u64, held: u64) {
        let was_partial = self.partial;
        match self.phase {
            Phase::Open => {
                if !self.cut {
                    self.grow(acked, held);
                }
            }
            Phase::Fast => self.advance_fast(now, acked),
            Phase::Loss => self.advance_loss(now, acked, held),
        }
        if self.first_unacked == self.next_seq {
            self.timer.stop();
            self.special |= self.closes();
        } else if !(was_partial && self.partial) {
            self.timer.restart(now);
        }
    }

    /// Lets the window grow: `acked` bytes are newly acknowledged, and `held` bytes beyond them had arrived
    /// before.
    #[inline]
    pub(super) fn grow(&mut self, acked: u64, held: u64) {
        if self.window.grows_whole() {
            self.grow_whole(acked, held);
        } else if self.cwnd_limited {
            self.control.grow(&mut self.window, acked);
        }
    }

    /// Grows as Linux `tcp_cwnd_validate`, `tcp_is_cwnd_limited` and `tcp_slow_start`: delivered bytes count,
    /// and in slow start it is enough that half of the window was in use.
    fn grow_whole(&mut self, acked: u64, held: u64) {
        let out = self.next_seq - self.first_unacked + acked;
        if self.first_unacked > self.used_end || out > self.most_out {
            (self.most_out, self.used_end) = (out, self.next_seq);
        }
        let window = &self.window;
        let used = window.cwnd < window.ssthresh && window.cwnd < self.most_out.saturating_mul(2);
        if self.cwnd_limited || used {
            let delivered = (acked + self.arrived()).saturating_sub(held);
            self.control.grow(&mut self.window, delivered);
        }
    }

    /// Handles the echo of a mark: at most one cut in a window of data (RFC 3168 6.1.2, RFC 8257 3.3). A
    /// recovery has already cut the window.
    #[inline]
    fn on_mark_echo(&mut self) {
        self.counters.echoes = self.counters.echoes.saturating_add(1);
        if self.phase == Phase::Loss && self.config.echoes_in_loss && self.control.ect(false) {
            return self.on_mark_echo_in_loss();
        }
        if self.cut || !self.control.ect(false) {
            return;
        }
        self.control
            .on_echo(&mut self.window, self.next_seq - self.first_unacked);
        self.forget_prior();
        self.reduced();
    }

    /// Records that the window was reduced for everything sent so far.
    pub(super) fn reduced(&mut self) {
        self.cut = true;
        self.cut_end = self.next_seq;
        self.cwr = self.control.ect(false);
        if self.proportional {
            self.begin_reduction();
        }
    }

    /// Updates the scoreboard, before anything else (RFC 6675 (A)).
    fn on_sack_blocks(&mut self, ack: &Ack) -> bool {
        let mut news = false;
        for (from, to) in ack.arrived() {
            news |= self.board.sack(from, to);
        }
        news
    }

    /// Handles the answer to a SYN; any other acknowledgement is older than the connection.
    fn opened(&mut self, now: Time, ack: Ack) {
        let Opening::Sent { at, again } = self.opening else {
            return;
        };
        if !ack.syn || ack.ack != 0 {
            return;
        }
        self.opening = Opening::Answered;
        self.timer.stop();
        if again {
            // RFC 5681 3.1: after a lost SYN the first window is one segment.
            let mss = self.window.mss;
            self.control.at_most(&mut self.window, mss);
            self.timer.forget_back_off(&self.config.rto);
        }
        let rtt = now.saturating_sub(at);
        if !again {
            self.control.round_trip(rtt);
        }
        if self.config.syn_sample && (!again || self.config.timestamps) {
            self.first_sample(rtt);
        }
    }
}
