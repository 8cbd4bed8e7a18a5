//! Board of the segments in flight: one slot per segment, with its time of sending and its state.
//!
//! **Decision**     which segment is lost, which to repair next, which round trip to use as a sample.
//! **State**        eight bytes per segment in flight, in a ring.
//! **Units**        bytes and sequence numbers; slots hold picoseconds below 2^59 (6 days; later transmissions
//!                  give no round-trip sample).
//! **Errors**       none: selective acknowledgements of data not in flight are ignored, and so is the part that
//!                  covers half a segment.
//! **Source**       RFC 6675 sections 3 and 4 (Update, IsLost, SetPipe, NextSeg).
//! **Deviations**   bookkeeping is per segment, not per octet. IsLost counts only bytes: with full segments
//!                  DupThresh runs of them always exceed (DupThresh - 1) SMSS. The rescue (rule 4) does not
//!                  repeat a segment that this recovery has already retransmitted.

mod timed;

use std::collections::VecDeque;

use sidestep_types::Time;

use super::reordering::NewArrival;
pub(super) use timed::{Delivered, Marked};

/// Received by the peer, beyond a hole.
const SACKED: u64 = 1;
/// Lost: no longer in the network.
const LOST: u64 = 2;
/// Retransmitted in this episode, and in the network.
const RESENT: u64 = 4;
/// Retransmitted at any time: its round trip is ambiguous (Karn).
const AGAIN: u64 = 8;
/// Trimmed by a switch and not retransmitted since; such a segment is lost, too.
const CUT: u64 = 16;
const FLAGS: u64 = SACKED | LOST | RESENT | AGAIN | CUT;
const TIME_SHIFT: u32 = 5;

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Board {
    slots: VecDeque<u64>,
    /// First byte of the first slot. Every slot is `mss` long; the last may be shorter.
    start: u64,
    /// End of the last slot: the first byte never sent.
    end: u64,
    mss: u64,
    /// Bytes in slots with each flag.
    sacked: u64,
    lost: u64,
    resent: u64,
    /// Slots with [`CUT`].
    cuts: u32,
    /// Highest byte ever SACKed, plus one.
    top: u64,
    /// Edge below which every byte not SACKed is marked lost.
    lost_edge: u64,
    /// Edge below which nothing is still to be repaired in this episode (RFC 6675 HighRxt).
    hole: u64,
    /// Time of the newest retransmission that [`Board::cover`] has found, in picoseconds.
    repaired: u64,
    /// Highest byte ever retransmitted, plus one.
    again_edge: u64,
    /// Bytes ever marked lost by time.
    marked: u64,
}

impl Board {
    pub(super) fn new(mss: u64) -> Board {
        Board {
            slots: VecDeque::new(),
            start: 0,
            end: 0,
            mss,
            sacked: 0,
            lost: 0,
            resent: 0,
            cuts: 0,
            top: 0,
            lost_edge: 0,
            hole: 0,
            repaired: 0,
            again_edge: 0,
            marked: 0,
        }
    }

    /// Adds `len` new bytes that leave now.
    #[inline]
    pub(super) fn push(&mut self, now: Time, len: u64) {
        self.slots.push_back(stamp(now));
        self.end += len;
    }

    /// Removes everything below `ack`, which has arrived. Returns the time of sending of the newest segment
    /// among it, unless any of it was sent twice: then the wait for the retransmission is in the round trip of
    /// all of it.
    #[inline]
    pub(super) fn cover(&mut self, ack: u64) -> Option<Time> {
        let mut newest = None;
        let mut again = false;
        while let Some(&slot) = self.slots.front() {
            let len = self.mss.min(self.end - self.start);
            if self.start + len > ack {
                break;
            }
            self.slots.pop_front();
            self.start += len;
            if slot & FLAGS == 0 {
                newest = Some(Time::from_ps(slot >> TIME_SHIFT));
            } else {
                if slot & AGAIN != 0 {
                    again = true;
                    self.repaired = self.repaired.max(slot >> TIME_SHIFT);
                }
                self.uncount(slot, len);
            }
        }
        if again { None } else { newest }
    }

    /// Takes the time of the newest retransmission that [`Board::cover`] has found since the last call; `None`
    /// if the time is too late for a slot.
    pub(super) fn take_repaired(&mut self) -> Option<Time> {
        let repaired = std::mem::take(&mut self.repaired);
        (repaired > 0).then(|| Time::from_ps(repaired))
    }

    /// Returns the bytes of `[first_unacked, end)` considered in the network (RFC 6675 SetPipe).
    #[inline]
    pub(super) fn pipe(&self, first_unacked: u64) -> u64 {
        (self.end - first_unacked + self.resent).saturating_sub(self.sacked + self.lost)
    }

    /// Returns true if the segment in flight that holds the byte at `seq` has arrived beyond a hole.
    pub(super) fn is_sacked(&self, seq: u64) -> bool {
        let slot = (seq.saturating_sub(self.start) / self.mss) as usize;
        self.slots.get(slot).is_some_and(|slot| slot & SACKED != 0)
    }

    /// Records the arrival of `[from, to)` (RFC 6675 Update). Returns true if any of it is new.
    pub(super) fn sack(&mut self, from: u64, to: u64) -> bool {
        let Some(slots) = self.within(from, to) else {
            return false;
        };
        let mut news = false;
        for i in slots {
            let slot = self.slots[i];
            if slot & SACKED == 0 {
                let len = self.len_of(i);
                self.uncount(slot, len);
                self.sacked += len;
                self.slots[i] = slot & !(LOST | RESENT | CUT) | SACKED;
                self.top = self.top.max(self.seq_of(i) + len);
                news = true;
            }
        }
        news
    }

    /// Collects the segments that an acknowledgement of everything below `ack` and of `blocks` would be the
    /// first to report, oldest first in each block, with their state before it is handled.
    pub(super) fn news(
        &self,
        ack: u64,
        blocks: impl Iterator<Item = (u64, u64)>,
        into: &mut Vec<NewArrival>,
    ) {
        let mut above = self.segments_sacked();
        let mut covered = 0;
        while covered < self.slots.len() && self.seq_of(covered) + self.len_of(covered) <= ack {
            match self.slots[covered] & SACKED {
                0 => into.push(self.news_of(covered, above)),
                _ => above = above.saturating_sub(1),
            }
            covered += 1;
        }
        for (from, to) in blocks {
            let Some(block) = self.within(from, to) else {
                continue;
            };
            for i in block.start.max(covered)..block.end {
                if self.slots[i] & SACKED == 0 {
                    into.push(self.news_of(i, self.sacked_above(i)));
                }
            }
        }
    }

    fn news_of(&self, i: usize, above: u32) -> NewArrival {
        let slot = self.slots[i];
        let once = slot & AGAIN == 0;
        NewArrival {
            seq: self.seq_of(i),
            sent: once.then(|| Time::from_ps(slot >> TIME_SHIFT)),
            above,
        }
    }

    /// Returns the number of segments that the peer holds beyond holes.
    pub(super) fn segments_sacked(&self) -> u32 {
        u32::try_from(self.sacked.div_ceil(self.mss)).unwrap_or(u32::MAX)
    }

    /// Returns the number of segments above slot `i` that the peer holds.
    pub(super) fn sacked_above(&self, i: usize) -> u32 {
        if self.sacked == 0 || self.seq_of(i) >= self.top {
            return 0;
        }
        let above = self.slots.range(i + 1..);
        above.filter(|slot| **slot & SACKED != 0).count() as u32
    }

    /// Returns the first byte of slot `i`, and whether a switch has trimmed the segment.
    pub(super) fn slot(&self, i: usize) -> (u64, bool) {
        (self.seq_of(i), self.slots[i] & CUT != 0)
    }

    /// Returns the slots entirely within `[from, to)`; `None` for an invalid block.
    fn within(&self, from: u64, to: u64) -> Option<std::ops::Range<usize>> {
        if from < self.start || to > self.end || from >= to {
            return None;
        }
        let first = (from - self.start).div_ceil(self.mss) as usize;
        let last = if to == self.end {
            self.slots.len()
        } else {
            ((to - self.start) / self.mss) as usize
        };
        Some(first..last)
    }

    /// Returns true if the peer holds a byte at or above `seq`, beyond a hole.
    pub(super) fn holds_beyond(&self, seq: u64) -> bool {
        self.sacked > 0 && self.top > seq
    }

    /// Returns the bytes that the peer holds beyond holes.
    #[inline]
    pub(super) fn sacked(&self) -> u64 {
        self.sacked
    }

    /// Returns the edge below which every byte not SACKed is marked lost.
    #[inline]
    pub(super) fn lost_edge(&self) -> u64 {
        self.lost_edge
    }

    /// Returns RFC 6675 IsLost of the first segment.
    pub(super) fn head_is_lost(&self, threshold: u64) -> bool {
        self.edge(threshold) > self.start
    }

    /// Marks the segments that are lost by IsLost.
    pub(super) fn mark_lost(&mut self, threshold: u64) {
        let edge = self.edge(threshold);
        let mut at = self.lost_edge.max(self.start);
        while at < edge {
            at = self.mark(self.index_of(at));
        }
        self.lost_edge = self.lost_edge.max(edge);
    }

    /// Begins an episode: nothing is repaired yet, the first segment is lost.
    pub(super) fn begin_recovery(&mut self, threshold: u64) {
        self.settle();
        self.hole = self.start;
        if !self.slots.is_empty() {
            self.lost_edge = self.mark(0);
        }
        self.mark_lost(threshold);
    }

    /// Handles a timeout: everything not SACKed is lost. If the peer has SACKed the very byte that it still
    /// expects, it has reneged and none of its SACKs count.
    pub(super) fn begin_loss(&mut self) {
        let reneged = self.slots.front().is_some_and(|s| s & SACKED != 0);
        (self.sacked, self.lost, self.resent) = (0, 0, 0);
        self.cuts = 0;
        for i in 0..self.slots.len() {
            let len = self.len_of(i);
            let slot = self.slots[i] & !(LOST | RESENT | CUT);
            if slot & SACKED != 0 && !reneged {
                self.sacked += len;
                self.slots[i] = slot;
            } else {
                self.lost += len;
                self.slots[i] = slot & !SACKED | LOST;
            }
        }
        self.hole = self.start;
        self.lost_edge = self.end;
    }

    /// Ends an episode: assumptions about later segments are forgotten, reports of the peer or of a switch are
    /// not.
    pub(super) fn settle(&mut self) {
        if self.lost > 0 || self.resent > 0 {
            (self.lost, self.resent) = (0, 0);
            for i in 0..self.slots.len() {
                if self.slots[i] & CUT == 0 {
                    self.slots[i] &= !(LOST | RESENT);
                } else {
                    self.lost += self.len_of(i);
                }
            }
        }
        self.lost_edge = self.start;
    }

    /// Begins an episode because a switch has trimmed a segment: nothing is repaired yet.
    pub(super) fn begin_repair(&mut self) {
        self.settle();
        self.hole = self.start;
    }

    /// Records that a switch has trimmed the segment at `seq`. Returns the bytes to be repaired: 0 if the
    /// segment is not in flight, has arrived, or is known to be trimmed.
    pub(super) fn cut(&mut self, seq: u64) -> u64 {
        if seq < self.start || seq >= self.end {
            return 0;
        }
        let i = self.index_of(seq);
        let slot = self.slots[i];
        if slot & (SACKED | CUT) != 0 {
            return 0;
        }
        let len = self.len_of(i);
        self.uncount(slot, len);
        self.lost += len;
        self.slots[i] = slot & !RESENT | LOST | CUT;
        self.cuts += 1;
        len
    }

    /// Returns true if a trimmed segment was not retransmitted yet.
    #[inline]
    pub(super) fn any_cut(&self) -> bool {
        self.cuts > 0
    }

    /// Returns the first trimmed segment not retransmitted yet.
    pub(super) fn next_cut(&self) -> Option<usize> {
        self.slots.iter().position(|s| s & CUT != 0)
    }

    /// Returns true if the first segment was retransmitted in this episode.
    pub(super) fn head_is_resent(&self) -> bool {
        self.slots.front().is_some_and(|s| s & RESENT != 0)
    }

    /// Returns the first lost segment not yet repaired (RFC 6675 NextSeg rule 1).
    pub(super) fn next_lost(&mut self) -> Option<usize> {
        self.next_hole(self.lost_edge)
    }

    /// Returns the first unrepaired hole below anything SACKed (RFC 6675 NextSeg rule 3).
    pub(super) fn next_below_top(&mut self) -> Option<usize> {
        self.next_hole(self.top)
    }

    /// Returns the last segment not SACKed, unless it was just repaired (RFC 6675 NextSeg rule 4).
    pub(super) fn last_missing(&self) -> Option<usize> {
        let last = self.slots.iter().rposition(|s| s & SACKED == 0)?;
        (self.slots[last] & RESENT == 0).then_some(last)
    }

    /// Retransmits slot `i`; `in_pipe` if it counts as in the network from now on. Returns its first byte not
    /// below `first_unacked`, and its length from there.
    pub(super) fn resend(
        &mut self,
        now: Time,
        i: usize,
        first_unacked: u64,
        in_pipe: bool,
    ) -> (u64, u64) {
        let (len, slot) = (self.len_of(i), self.slots[i]);
        self.cuts -= u32::from(slot & CUT != 0);
        let mut flags = slot & FLAGS & !CUT | AGAIN;
        if in_pipe && slot & RESENT == 0 {
            self.resent += len;
            flags |= RESENT;
        }
        self.slots[i] = stamp(now) & !FLAGS | flags;
        let (seq, end) = (self.seq_of(i), self.seq_of(i) + len);
        self.again_edge = self.again_edge.max(end);
        (seq.max(first_unacked), end - seq.max(first_unacked))
    }

    /// Returns true if all segments are full.
    pub(super) fn is_whole(&self) -> bool {
        (self.end - self.start).is_multiple_of(self.mss)
    }

    /// Returns true if nothing is in flight.
    pub(super) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Returns the bytes of slot `i`.
    pub(super) fn len_of(&self, i: usize) -> u64 {
        self.mss.min(self.end - self.seq_of(i))
    }

    fn seq_of(&self, i: usize) -> u64 {
        self.start + i as u64 * self.mss
    }

    fn index_of(&self, seq: u64) -> usize {
        ((seq - self.start) / self.mss) as usize
    }

    /// Marks slot `i` lost unless it is SACKED or lost already; returns its end.
    fn mark(&mut self, i: usize) -> u64 {
        let len = self.len_of(i);
        if self.slots[i] & (SACKED | LOST) == 0 {
            self.slots[i] |= LOST;
            self.lost += len;
        }
        self.seq_of(i) + len
    }

    /// Returns the edge below which more than (`threshold` - 1) segments' bytes are SACKed above every byte.
    fn edge(&self, threshold: u64) -> u64 {
        if self.sacked == 0 || self.top <= self.start {
            return self.start;
        }
        let enough = (threshold.max(1) - 1).saturating_mul(self.mss);
        let mut above = 0;
        for i in (0..=self.index_of(self.top - 1)).rev() {
            if self.slots[i] & SACKED != 0 {
                above += self.len_of(i);
                if above > enough {
                    return self.seq_of(i);
                }
            }
        }
        self.start
    }

    /// Returns the first segment below `limit` neither SACKED nor repaired, searching on from `hole`.
    fn next_hole(&mut self, limit: u64) -> Option<usize> {
        self.hole = self.hole.max(self.start);
        while self.hole < limit.min(self.end) {
            let i = self.index_of(self.hole);
            if self.slots[i] & (SACKED | RESENT) == 0 {
                return Some(i);
            }
            self.hole = self.seq_of(i) + self.len_of(i);
        }
        None
    }

    fn uncount(&mut self, slot: u64, len: u64) {
        self.sacked -= if slot & SACKED != 0 { len } else { 0 };
        self.lost -= if slot & LOST != 0 { len } else { 0 };
        self.resent -= if slot & RESENT != 0 { len } else { 0 };
        self.cuts -= u32::from(slot & CUT != 0);
    }
}

/// Returns the slot of a segment sent now. A time too late for a slot makes the segment count as sent twice.
#[inline]
fn stamp(now: Time) -> u64 {
    match now.ps() >> (64 - TIME_SHIFT) {
        0 => now.ps() << TIME_SHIFT,
        _ => AGAIN,
    }
}
