//! Deliveries and losses by the time of sending.
//!
//! **Decision**     which of the segments that an acknowledgement reports were sent last, which are lost
//!                  because one sent later was delivered, and how long to wait before more of them are lost.
//! **State**        none beyond the board's slots, each of which holds the time of its last transmission.
//! **Units**        picoseconds and bytes.
//! **Errors**       none.
//! **Source**       RFC 8985 6.2 steps 1 to 3 and 5, 6.3; Linux `tcp_rack_advance`, `tcp_rack_detect_loss`,
//!                  `tcp_timeout_mark_lost`, `tcp_sacktag_one`, `tcp_clean_rtx_queue`.
//! **Deviations**   none known.

use super::{AGAIN, Board, CUT, FLAGS, LOST, RESENT, SACKED, TIME_SHIFT};

/// Times of sending of the first and the last of several segments, in picoseconds.
pub(in crate::sender) type Span = (u64, u64);

/// Segments that one acknowledgement is the first to report.
#[derive(Clone, Copy, Debug)]
pub(in crate::sender) struct Delivered {
    now: u64,
    /// Smallest round trip so far: a retransmission answered sooner may be the original.
    least: u64,
    /// End of the data that an earlier loss concerns.
    high: u64,
    /// RFC 8985 RACK.xmit_ts and RACK.end_seq of the segment sent last; zeros without one.
    pub newest: (u64, u64),
    /// Segments sent once and acknowledged in order.
    pub covered: Option<Span>,
    /// Segments sent once and SACKed.
    pub sacked: Option<Span>,
    /// Set if a segment acknowledged in order was sent twice.
    pub again: bool,
    /// Set if a segment sent once was below `high` (Linux FLAG_ORIG_SACK_ACKED).
    pub original: bool,
    /// Lowest end of a segment sent once.
    pub lowest: u64,
    /// Highest end of all.
    pub top: u64,
}

impl Delivered {
    pub fn new(now: u64, least: u64, high: u64) -> Delivered {
        Delivered {
            now,
            least,
            high,
            newest: (0, 0),
            covered: None,
            sacked: None,
            again: false,
            original: false,
            lowest: u64::MAX,
            top: 0,
        }
    }

    /// Adds a segment that was sent once, as far as the board can tell.
    #[inline]
    fn once(&mut self, sent: u64, end: u64) {
        self.newest = self.newest.max((sent, end));
        self.original |= end <= self.high;
        self.lowest = self.lowest.min(end);
        self.top = self.top.max(end);
    }

    /// Adds a segment that was retransmitted. RFC 8985 6.2 step 2: the answer counts for the retransmission
    /// unless it is too soon.
    fn twice(&mut self, sent: u64, end: u64) {
        if self.now.saturating_sub(sent) >= self.least {
            self.newest = self.newest.max((sent, end));
        }
        self.top = self.top.max(end);
    }
}

fn widen(span: &mut Option<Span>, sent: u64) {
    let (first, last) = span.unwrap_or((sent, sent));
    *span = Some((first.min(sent), last.max(sent)));
}

/// Result of a search for losses.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::sender) struct Marked {
    /// Set if a retransmission was lost again.
    pub again: bool,
    /// Time until the last of the segments that may be lost is lost, in picoseconds; 0 if there are none.
    pub wait: u64,
}

impl Board {
    /// Works like [`Board::cover`] and reports the segments delivered.
    #[inline]
    pub(in crate::sender) fn cover_timed(&mut self, ack: u64, heard: &mut Delivered) {
        while let Some(&slot) = self.slots.front() {
            let len = self.mss.min(self.end - self.start);
            if self.start + len > ack {
                break;
            }
            self.slots.pop_front();
            self.start += len;
            let sent = slot >> TIME_SHIFT;
            if slot & AGAIN != 0 {
                heard.again = true;
                self.repaired = self.repaired.max(sent);
                if slot & SACKED == 0 {
                    heard.twice(sent, self.start);
                }
            } else if slot & SACKED == 0 {
                widen(&mut heard.covered, sent);
                heard.once(sent, self.start);
            }
            if slot & FLAGS != 0 {
                self.uncount(slot, len);
            }
        }
    }

    /// Works like [`Board::sack`] and reports the segments delivered.
    pub(in crate::sender) fn sack_timed(
        &mut self,
        from: u64,
        to: u64,
        heard: &mut Delivered,
    ) -> bool {
        let Some(slots) = self.within(from, to) else {
            return false;
        };
        for i in slots.clone() {
            let slot = self.slots[i];
            if slot & SACKED == 0 {
                let (sent, end) = (slot >> TIME_SHIFT, self.seq_of(i) + self.len_of(i));
                if slot & AGAIN == 0 {
                    widen(&mut heard.sacked, sent);
                    heard.once(sent, end);
                } else {
                    heard.twice(sent, end);
                }
            }
        }
        self.sack(from, to)
    }

    /// Returns true if everything in flight left after the `newest` delivery: that segment was sent once, and
    /// is below all of it.
    #[inline]
    pub(in crate::sender) fn all_newer(&self, newest: (u64, u64)) -> bool {
        self.again_edge < newest.1 && newest.1 <= self.start
    }

    /// Marks segments sent before the `newest` delivery, more than `rtt` and `settle` ago, as lost (RFC 8985
    /// 6.2 step 5).
    pub(in crate::sender) fn mark_by_time(
        &mut self,
        now: u64,
        newest: (u64, u64),
        rtt: u64,
        settle: u64,
    ) -> Marked {
        let mut marked = Marked::default();
        for i in 0..self.slots.len() {
            let slot = self.slots[i];
            if slot & SACKED != 0 || slot & (LOST | RESENT) == LOST {
                continue;
            }
            let end = self.seq_of(i) + self.len_of(i);
            let sent = slot >> TIME_SHIFT;
            if (sent, end) >= newest {
                if slot & AGAIN == 0 && end > self.again_edge {
                    break; // The rest was sent once, and later still.
                }
                continue;
            }
            let left = (sent + rtt + settle).saturating_sub(now);
            if left > 0 {
                marked.wait = marked.wait.max(left);
                continue;
            }
            marked.again |= slot & RESENT != 0;
            self.mark_again(i);
        }
        marked
    }

    /// Handles a timeout (RFC 8985 6.3). The first segment is lost, and so are those sent more than `rtt` ago;
    /// all are if the receiver reneged on the first (see [`Board::begin_loss`]).
    pub(in crate::sender) fn mark_on_timeout(&mut self, now: u64, rtt: u64) {
        let reneged = self.slots.front().is_some_and(|s| s & SACKED != 0);
        for i in 0..self.slots.len() {
            let mut slot = self.slots[i];
            if reneged && slot & SACKED != 0 {
                self.sacked -= self.len_of(i);
                slot &= !SACKED;
                self.slots[i] = slot;
            }
            let recent = i > 0 && !reneged && (slot >> TIME_SHIFT) + rtt > now;
            if slot & SACKED == 0 && !recent {
                self.mark_again(i);
            }
        }
    }

    /// Marks slot `i` lost; if it was retransmitted, the retransmission is lost.
    fn mark_again(&mut self, i: usize) {
        let (slot, len) = (self.slots[i], self.len_of(i));
        self.hole = self.hole.min(self.seq_of(i));
        self.marked += len;
        if slot & RESENT != 0 {
            self.resent -= len;
        }
        if slot & LOST == 0 {
            self.lost += len;
        }
        self.slots[i] = slot & !RESENT | LOST;
    }

    /// Returns the first segment marked lost and not retransmitted since.
    pub(in crate::sender) fn next_marked(&mut self) -> Option<usize> {
        if self.lost == self.resent {
            return None;
        }
        self.hole = self.hole.max(self.start);
        while self.hole < self.end {
            let i = self.index_of(self.hole);
            if self.slots[i] & (SACKED | LOST | RESENT) == LOST {
                return Some(i);
            }
            self.hole = self.seq_of(i) + self.len_of(i);
        }
        None
    }

    /// Clears the marks of a spurious timeout: nothing that it marked is lost, retransmitted or not.
    pub(in crate::sender) fn unmark(&mut self) {
        for i in 0..self.slots.len() {
            let slot = self.slots[i];
            if slot & (LOST | CUT) == LOST {
                let len = self.len_of(i);
                self.lost -= len;
                self.resent -= if slot & RESENT != 0 { len } else { 0 };
                self.slots[i] = slot & !(LOST | RESENT);
            }
        }
    }

    /// Returns the last segment that is not SACKed.
    pub(in crate::sender) fn last(&self) -> Option<usize> {
        self.slots.iter().rposition(|s| s & SACKED == 0)
    }

    /// Returns true if the first segment is marked lost and was not retransmitted since.
    pub(in crate::sender) fn head_waits(&self) -> bool {
        let head = self.slots.front();
        head.is_some_and(|slot| slot & (SACKED | LOST | RESENT) == LOST)
    }

    /// Returns the time of the last transmission of the first segment.
    pub(in crate::sender) fn head_sent(&self) -> Option<u64> {
        self.slots.front().map(|slot| slot >> TIME_SHIFT)
    }

    /// Returns true if exactly one segment is in flight.
    #[inline]
    pub(in crate::sender) fn is_lone(&self) -> bool {
        self.slots.len() == 1
    }

    /// Returns the bytes marked lost, retransmitted or not.
    #[inline]
    pub(in crate::sender) fn lost(&self) -> u64 {
        self.lost
    }

    /// Returns the bytes ever marked lost by time, each counted every time.
    #[inline]
    pub(in crate::sender) fn marked(&self) -> u64 {
        self.marked
    }
}
