//! Single timer of a sender that detects losses by time, and the probe of the tail.
//!
//! **Decision**     when a probe is due, which segment it carries, and what its answer shows; whether the timer
//!                  runs for the timeout, the reordering window or the probe.
//! **State**        `Rack::pending`, `Rack::probe`.
//! **Units**        picoseconds and bytes.
//! **Errors**       none.
//! **Source**       RFC 8985 section 7 (TLP); Linux `tcp_schedule_loss_probe`, `tcp_send_loss_probe`,
//!                  `tcp_process_tlp_ack`, `tcp_rearm_rto`, `tcp_set_xmit_timer`, `tcp_event_new_data_sent`.
//! **Deviations**   without a round trip there is no probe (RFC 8985 7.2: after a second). A loss that a probe
//!                  has repaired counts as a loss for the window (7.4.2); Linux reacts as to a mark, which with
//!                  DCTCP cuts less.

use sidestep_types::Time;

use super::super::board::Delivered;
use super::super::{Phase, TcpSender};
use super::{Pending, Probe};
use crate::{Ack, Segment};

impl TcpSender {
    /// Sets the timer after an acknowledgement: for the reordering window, a probe or the timeout.
    #[inline]
    pub(in crate::sender) fn set_timer_after(
        &mut self,
        now: Time,
        acked: u64,
        wait: u64,
        heard: &Delivered,
    ) {
        if self.first_unacked == self.next_seq {
            self.timer.stop();
            if let Some(rack) = &mut self.rack {
                (rack.pending, rack.probing) = (Pending::Rto, false);
            }
            self.special |= self.closes();
        } else if wait > 0 {
            let span = Time::from_ps(wait).saturating_add(self.margin());
            self.run(now, span.min(self.timer.rto()), Pending::Reorder);
        } else if acked > 0 || self.sacked_before_head(heard) {
            self.set_timer(now);
        }
    }

    /// Returns true if `heard` reports, for the first time, a segment sent before the last transmission of the
    /// first one. No other SACK moves the timer: otherwise it would move on forever while nothing is
    /// acknowledged.
    fn sacked_before_head(&self, heard: &Delivered) -> bool {
        match (heard.sacked, self.board.head_sent()) {
            (Some((first, _)), Some(head)) => first < head,
            _ => false,
        }
    }

    /// Sets the timer as Linux `tcp_set_xmit_timer`.
    #[inline]
    fn set_timer(&mut self, now: Time) {
        if !self.schedule_probe(now, self.timer.rto()) {
            self.rearm(now);
        }
    }

    /// Restarts the timeout as Linux `tcp_rearm_rto`: after a probe or a reordering window it counts from the
    /// transmission of the first segment.
    pub(in crate::sender) fn rearm(&mut self, now: Time) {
        let whole = self
            .rack
            .as_ref()
            .is_none_or(|rack| rack.pending == Pending::Rto);
        let span = if whole {
            self.timer.rto()
        } else {
            self.until_timeout(now).max(self.timer.shortest())
        };
        self.run(now, span, Pending::Rto);
    }

    /// Returns the time until the first segment has been in flight for a timeout.
    fn until_timeout(&self, now: Time) -> Time {
        let sent = Time::from_ps(self.board.head_sent().unwrap_or(now.ps()));
        sent.saturating_add(self.timer.rto()).saturating_sub(now)
    }

    #[inline]
    fn run(&mut self, now: Time, span: Time, pending: Pending) {
        self.timer.run(now, span);
        self.pend(pending);
    }

    /// Returns the margin that Linux adds to its short timers.
    #[inline]
    fn margin(&self) -> Time {
        self.rack
            .as_ref()
            .map_or(Time::ZERO, |rack| rack.config.margin)
    }

    #[inline]
    fn pend(&mut self, pending: Pending) {
        if let Some(rack) = &mut self.rack {
            rack.pending = pending;
        }
    }

    /// Sets the timer for a probe (RFC 8985 7.2), if a probe is useful; after `timeout` at the latest.
    #[inline]
    fn schedule_probe(&mut self, now: Time, timeout: Time) -> bool {
        let Some(rack) = &mut self.rack else {
            return false;
        };
        let disorder = !self.cut && self.board.sacked() > 0;
        if !rack.config.probe || self.phase != Phase::Open || disorder || rack.srtt() == 0 {
            return false;
        }
        let more = match self.board.is_lone() {
            true => rack.config.ack_delay.unwrap_or(self.timer.min()),
            false => rack.config.margin,
        };
        let mut span = Time::from_ps(2 * rack.srtt()).saturating_add(more);
        if timeout > Time::ZERO {
            span = span.min(timeout);
        }
        self.run(now, span, Pending::Probe);
        true
    }

    /// Sets the timer after new data has left.
    #[inline]
    pub(in crate::sender) fn sent_new(&mut self, now: Time) {
        let Some(rack) = &self.rack else { return };
        let (probes, pending) = (rack.config.probe, rack.pending);
        if probes && self.schedule_probe(now, self.until_timeout(now)) {
            return;
        }
        if pending == Pending::Probe || self.board.is_lone() {
            self.rearm(now);
        }
    }

    /// Sets the timer after a retransmission has left: that of the first segment restarts the timeout, unless
    /// the reordering window runs.
    pub(in crate::sender) fn sent_again(&mut self, now: Time, first: bool) {
        let Some(rack) = &mut self.rack else { return };
        rack.resent += 1;
        if first && rack.pending != Pending::Reorder {
            self.run(now, self.timer.rto(), Pending::Rto);
        }
    }

    /// Handles the expiry of the probe timer: the next poll sends a probe, unless another is unanswered.
    #[cold]
    pub(in crate::sender) fn probe_due(&mut self, now: Time) {
        let Some(rack) = &mut self.rack else { return };
        if rack.probe.is_some() {
            self.rearm(now);
        } else {
            rack.probing = true;
            self.set_phase(self.phase);
        }
    }

    /// Returns the probe (RFC 8985 7.3): a new segment regardless of the window, or the last segment again.
    #[cold]
    pub(in crate::sender) fn next_probe(&mut self, now: Time) -> Option<Segment> {
        if let Some(rack) = &mut self.rack {
            rack.probing = false;
        }
        let limited = std::mem::replace(&mut self.allowance, u64::MAX);
        let new = self.next_new(now, self.board.pipe(self.first_unacked));
        self.allowance = limited;
        self.limited = 0;
        let again = new.is_none();
        let segment = match new {
            Some(new) => Some(new),
            None => self.board.last().map(|i| self.resend_probe(now, i)),
        };
        if segment.is_some() {
            self.counters.probes = self.counters.probes.saturating_add(1);
            let end = self.next_seq;
            if let Some(rack) = &mut self.rack {
                rack.probe = Some(Probe { end, again });
            }
            self.run(now, self.timer.rto(), Pending::Rto);
        } else {
            self.rearm(now);
        }
        self.set_phase(self.phase);
        segment
    }

    /// Checks whether the answer to a probe shows that it has repaired a loss (RFC 8985 7.4.2).
    #[inline]
    pub(in crate::sender) fn end_probe(&mut self, now: Time, ack: &Ack, acked: u64, news: bool) {
        if let Some(probe) = self.rack.as_ref().and_then(|rack| rack.probe)
            && self.first_unacked >= probe.end
        {
            self.answer_probe(now, ack, acked, news, probe);
        }
    }

    #[cold]
    fn answer_probe(&mut self, now: Time, ack: &Ack, acked: u64, news: bool, probe: Probe) {
        let both = ack.duplicate().is_some_and(|(_, end)| end == probe.end);
        let repaired = probe.again && !both && self.first_unacked > probe.end;
        let over = !probe.again || both || repaired || acked == 0 && !news;
        if repaired && self.phase == Phase::Open {
            // The original was lost, and the probe has repaired it.
            self.forget_prior();
            self.control.on_loss(
                now,
                &mut self.window,
                self.next_seq - self.first_unacked + acked,
                self.cut,
            );
            self.cut = false;
            self.reducing = false;
        }
        if let Some(rack) = self.rack.as_mut().filter(|_| over) {
            rack.probe = None;
        }
    }

    /// Widens the reordering window for a D-SACK.
    pub(in crate::sender) fn on_duplicate_report(&mut self, ack: &Ack) {
        let Some((_, end)) = ack.duplicate() else {
            return;
        };
        if let Some(rack) = &mut self.rack {
            rack.duplicated(end, self.first_unacked, self.next_seq);
        }
    }
}
