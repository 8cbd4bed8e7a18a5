//! Choice of the next segment: a SYN, a retransmission, or new data.

use sidestep_types::Time;

use super::{Opening, Phase, TcpSender};
use crate::Segment;

impl TcpSender {
    /// Returns new data, with `out` bytes considered in flight.
    #[inline]
    pub(super) fn next_new(&mut self, now: Time, out: u64) -> Option<Segment> {
        let len = self.window.mss.min(self.size - self.next_seq);
        if len == 0 || self.next_seq - self.first_unacked + len > self.rwnd {
            self.cwnd_limited = false;
            return None;
        }
        if self.first_unacked == self.next_seq {
            self.wake(now);
        }
        if out + len > self.window.cwnd.saturating_add(self.allowance) {
            self.cwnd_limited = true;
            return None;
        }
        if self.allowance > 0 && out + len > self.window.cwnd {
            self.limited += len;
        }
        let seq = self.next_seq - self.base;
        self.next_seq += len;
        self.board.push(now, len);
        self.timer.start(now);
        self.last_sent = now;
        self.counters.segments = self.counters.segments.saturating_add(1);
        if self.rack.is_some() {
            self.sent_new(now);
        }
        Some(Segment {
            seq,
            len: len as u32,
            syn: false,
            ect: self.control.ect(false),
            cwr: std::mem::take(&mut self.cwr),
            retransmit: false,
            rank: self.rank(),
        })
    }

    /// Returns the rank: the bytes left of the message.
    #[inline]
    pub(super) fn rank(&self) -> Option<u32> {
        self.ranking.rank(self.size - self.first_unacked)
    }

    /// Returns to the initial window after a silence of more than one RTO, which makes the path state stale
    /// (RFC 5681 4.1).
    #[inline]
    fn wake(&mut self, now: Time) {
        let silence = now.saturating_sub(self.last_sent);
        if self.config.idle_restart && self.next_seq > 0 && silence > self.timer.rto() {
            let initial = u64::from(self.config.initial_window.max(1)) * self.window.mss;
            self.control.at_most(&mut self.window, initial);
        }
    }

    /// Returns the next segment by the slow path: during a handshake, a recovery or a teardown.
    pub(super) fn next_special(&mut self, now: Time) -> Option<Segment> {
        if self.opening != Opening::Done {
            return self.next_opening(now);
        }
        if self.closes() {
            return self.next_close(now);
        }
        if self.keeps_pace(now) {
            return None;
        }
        if self.resend_head {
            self.resend_head = false;
            self.set_phase(self.phase);
            let in_pipe = self.sack || self.phase == Phase::Loss;
            if !self.board.is_empty() {
                return Some(self.resend(now, 0, in_pipe));
            }
        }
        if self.board.any_cut()
            && let Some(again) = self.next_cut(now)
        {
            return Some(again);
        }
        if let Some(rack) = &self.rack {
            return match rack.probing {
                true => self.next_probe(now),
                false => self.next_by_marks(now),
            };
        }
        let outstanding = self.next_seq - self.first_unacked;
        match self.phase {
            Phase::Open => self.next_new(now, outstanding),
            Phase::Fast if self.sack => self.next_seg(now),
            Phase::Fast => self.next_new(now, outstanding),
            Phase::Loss => match self.board.next_lost() {
                Some(i) => self.resend_if_room(now, i),
                None => self.next_new(now, self.board.pipe(self.first_unacked)),
            },
        }
    }

    /// Returns the next segment where losses are detected by time: segments marked lost, as the window allows,
    /// then new data (Linux `tcp_xmit_recovery`).
    fn next_by_marks(&mut self, now: Time) -> Option<Segment> {
        let pipe = self.board.pipe(self.first_unacked);
        if let Some(rack) = &mut self.rack
            && rack.new_alone
        {
            // F-RTO, RFC 5682 3.1 step 2.b.
            let new = self.next_new(now, pipe);
            if new.is_some() || self.next_seq > self.recover {
                return new;
            }
            if let Some(rack) = &mut self.rack {
                (rack.frto, rack.new_alone) = (false, false);
            }
        }
        match self.board.next_marked() {
            Some(i) if std::mem::take(&mut self.free_repair) => Some(self.resend(now, i, true)),
            Some(i) => self.resend_if_room(now, i),
            None => self.next_new(now, pipe),
        }
    }

    /// Retransmits slot `i` as a probe of the tail. The slot still counts once in the pipe, as before.
    pub(super) fn resend_probe(&mut self, now: Time, i: usize) -> Segment {
        let reducing = std::mem::replace(&mut self.reducing, false);
        let segment = self.resend(now, i, false);
        self.reducing = reducing;
        segment
    }

    /// Returns the next segment by RFC 6675 5 (C) and NextSeg, rules 1 to 4 in turn.
    fn next_seg(&mut self, now: Time) -> Option<Segment> {
        let pipe = self.board.pipe(self.first_unacked);
        if pipe + self.window.mss > self.window.cwnd {
            return None;
        }
        if let Some(i) = self.board.next_lost() {
            return Some(self.resend(now, i, true));
        }
        if let Some(new) = self.next_new(now, pipe) {
            return Some(new);
        }
        let i = match self.board.next_below_top() {
            Some(i) => i,
            None if std::mem::replace(&mut self.rescued, true) => return None,
            None => self.board.last_missing()?,
        };
        Some(self.resend(now, i, true))
    }

    /// Retransmits a trimmed segment: the first at once, others if the window has room.
    #[cold]
    fn next_cut(&mut self, now: Time) -> Option<Segment> {
        let i = self.board.next_cut()?;
        if std::mem::take(&mut self.free_repair) {
            return Some(self.resend(now, i, true));
        }
        let after = self.board.pipe(self.first_unacked) + self.board.len_of(i);
        (after <= self.window.cwnd).then(|| self.resend(now, i, true))
    }

    /// Retransmits slot `i` if the window has room for it. New data never overtakes a retransmission.
    fn resend_if_room(&mut self, now: Time, i: usize) -> Option<Segment> {
        let after = self.board.pipe(self.first_unacked) + self.board.len_of(i);
        self.cwnd_limited = after > self.window.cwnd;
        (!self.cwnd_limited).then(|| self.resend(now, i, true))
    }

    /// Retransmits slot `i` of the board.
    fn resend(&mut self, now: Time, i: usize, in_pipe: bool) -> Segment {
        if self.reordering.is_some() {
            self.note_repair(now, i);
        }
        let (seq, len) = self.board.resend(now, i, self.first_unacked, in_pipe);
        if self.reducing {
            self.prr.resent += len;
            if !in_pipe {
                self.window.cwnd = self.window.cwnd.saturating_sub(len);
            }
        }
        self.timer.start(now);
        self.last_sent = now;
        self.counters.segments = self.counters.segments.saturating_add(1);
        self.counters.retransmits = self.counters.retransmits.saturating_add(1);
        if self.rack.is_some() {
            self.sent_again(now, i == 0);
        }
        Segment {
            seq: seq - self.base,
            len: len as u32,
            syn: false,
            ect: self.control.ect(true),
            cwr: false,
            retransmit: true,
            rank: self.rank(),
        }
    }

    fn next_opening(&mut self, now: Time) -> Option<Segment> {
        let again = match self.opening {
            Opening::Due { again } => again,
            Opening::Answered => return Some(self.confirm()),
            Opening::Sent { .. } | Opening::Done => return None,
        };
        if self.size == 0 {
            return None;
        }
        self.opening = Opening::Sent { at: now, again };
        self.timer.start(now);
        Some(Segment {
            seq: 0,
            len: 0,
            syn: true,
            ect: false,
            cwr: false,
            retransmit: again,
            rank: None,
        })
    }

    /// Acknowledges the answer to a SYN. RFC 9293 3.10.7.3: at once, before any data, so every sender that
    /// connects and then writes puts it on the wire.
    fn confirm(&mut self) -> Segment {
        self.opening = Opening::Done;
        self.set_phase(Phase::Open);
        Segment {
            seq: 0,
            len: 0,
            syn: false,
            ect: false,
            cwr: false,
            retransmit: false,
            rank: self.rank(),
        }
    }
}
