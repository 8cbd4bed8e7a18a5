//! The fast agenda: a calendar queue (Brown, CACM 1988) whose width follows the pace of events.
//!
//! A ring of buckets, each a short sorted list threaded through the slots themselves, and a
//! bitmap of the buckets in use. What lies beyond one turn of the ring waits in a heap and
//! moves in as the ring turns. Every [`PERIOD`] events the bucket width is set to the mean
//! gap between events, and the ring doubles when too much had to wait in the heap.

use super::{Agenda, past};
use crate::indexed::Table;
use sidestep_types::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const NONE: u32 = u32::MAX;
/// `Slot::at` of a slot without an event.
const IDLE: u64 = u64::MAX;
/// Events between two looks at the pace.
const PERIOD: u32 = 1 << 14;
const LEAST_BUCKETS: usize = 1 << 9;
const MOST_BUCKETS: usize = 1 << 18;
const FIRST_SHIFT: u32 = 14;

#[derive(Clone, Copy)]
struct Slot {
    at: u64,
    tie: u32,
    next: u32,
}

/// The adaptive calendar queue.
pub struct WheelAgenda {
    slots: Table<Slot>,
    heads: Table<u32>,
    used: Table<u64>,
    /// Bucket width is `1 << shift` picoseconds.
    shift: u32,
    /// The absolute number of the bucket of the last event; nothing pending lies before it.
    cursor: u64,
    now: u64,
    in_ring: u32,
    far: BinaryHeap<Reverse<(u64, u32, u32)>>,
    /// No event of `far` lies before this time.
    far_from: u64,
    /// Per slot: how many of its entries in `far` are spent.
    spent: Vec<u32>,
    pace: Pace,
}

/// The order in which events leave, as one number: two comparisons instead of three and no branch.
#[inline(always)]
fn order(at: u64, tie: u32, slot: u32) -> u128 {
    u128::from(at) << 64 | u128::from(tie) << 32 | u128::from(slot)
}

/// What happened since the width was last set.
#[derive(Default)]
struct Pace {
    pops: u32,
    began: u64,
    far: u32,
    steps: u64,
}

impl WheelAgenda {
    #[inline]
    fn bucket(&self, at: u64) -> u64 {
        at >> self.shift
    }

    /// Where in the ring the bucket of `at` is.
    #[inline]
    fn index(&self, at: u64) -> u32 {
        self.bucket(at) as u32 & (self.heads.len() as u32 - 1)
    }

    /// The first absolute bucket that is out of the ring's reach.
    #[inline]
    fn horizon(&self) -> u64 {
        self.cursor + self.heads.len() as u64
    }

    /// Links `slot` into its bucket, which must be within reach.
    #[inline(always)]
    fn link(&mut self, slot: u32, at: u64, tie: u32) {
        let index = self.index(at);
        let head = self.heads[index];
        self.in_ring += 1;
        if head == NONE {
            self.used[index / 64] |= 1 << (index % 64);
        } else if !self.before(at, tie, slot, head) {
            return self.link_behind(head, slot, at, tie);
        }
        self.slots[slot].next = head;
        self.heads[index] = slot;
    }

    /// Links `slot` into a bucket's list somewhere behind `prev`. Kept out of line, so that the
    /// way past it needs no registers saved.
    #[inline(never)]
    fn link_behind(&mut self, mut prev: u32, slot: u32, at: u64, tie: u32) {
        loop {
            self.pace.steps += 1;
            let next = self.slots[prev].next;
            if next == NONE || self.before(at, tie, slot, next) {
                self.slots[slot].next = next;
                self.slots[prev].next = slot;
                return;
            }
            prev = next;
        }
    }

    /// Does `(at, tie, slot)` come before the event of `other`?
    #[inline(always)]
    fn before(&self, at: u64, tie: u32, slot: u32, other: u32) -> bool {
        let o = &self.slots[other];
        order(at, tie, slot) < order(o.at, o.tie, other)
    }

    /// Unlinks `slot` from its bucket.
    fn unlink(&mut self, slot: u32) {
        let Slot { at, next, .. } = self.slots[slot];
        let index = self.index(at);
        self.in_ring -= 1;
        if self.heads[index] == slot {
            self.heads[index] = next;
            if next == NONE {
                self.used[index / 64] &= !(1 << (index % 64));
            }
            return;
        }
        let mut prev = self.heads[index];
        while self.slots[prev].next != slot {
            prev = self.slots[prev].next;
        }
        self.slots[prev].next = next;
    }

    /// The ring index of the first bucket in use at or after the cursor; the ring is not empty.
    #[inline]
    fn first_used(&self) -> u32 {
        let start = self.cursor as u32 & (self.heads.len() as u32 - 1);
        let word = start / 64;
        let here = self.used[word] & (!0 << (start % 64));
        if here != 0 {
            return word * 64 + here.trailing_zeros();
        }
        let words = self.used.len() as u32;
        let mut w = word;
        loop {
            w = (w + 1) & (words - 1);
            if self.used[w] != 0 {
                return w * 64 + self.used[w].trailing_zeros();
            }
        }
    }

    /// Moves what has come within reach from the heap to the ring.
    #[cold]
    fn pull(&mut self) {
        while let Some(&Reverse((at, slot, round))) = self.far.peek() {
            let stale = self.spent[slot as usize] != round;
            if !stale && self.bucket(at) >= self.horizon() {
                self.far_from = at;
                return;
            }
            self.far.pop();
            if !stale {
                self.spent[slot as usize] += 1;
                let tie = self.slots[slot].tie;
                self.link(slot, at, tie);
            }
        }
        self.far_from = IDLE;
    }

    /// Sets the width by the pace of the last period and sorts the events anew when it changed.
    #[cold]
    #[inline(never)]
    fn adapt(&mut self) {
        let gap = ((self.now - self.pace.began) / u64::from(PERIOD)).max(1);
        let shift = gap.next_power_of_two().trailing_zeros().clamp(4, 44);
        let crowded = self.pace.far > PERIOD / 16;
        let buckets = if crowded {
            (self.heads.len() * 2).min(MOST_BUCKETS)
        } else {
            self.heads.len()
        };
        let change = shift.abs_diff(self.shift) > 1 || buckets != self.heads.len();
        self.pace.pops = 0;
        self.pace.far = 0;
        self.pace.began = self.now;
        if change {
            self.rebuild(shift, buckets);
        }
    }

    fn rebuild(&mut self, shift: u32, buckets: usize) {
        let pending: Vec<u32> = (0..self.slots.len() as u32)
            .filter(|&s| self.slots[s].at != IDLE)
            .collect();
        self.far.clear();
        self.far_from = IDLE;
        self.spent.fill(0);
        self.heads = Table::new(vec![NONE; buckets]);
        self.used = Table::new(vec![0; buckets / 64]);
        self.in_ring = 0;
        self.shift = shift;
        self.cursor = self.bucket(self.now);
        for slot in pending {
            let Slot { at, tie, .. } = self.slots[slot];
            self.place(slot, at, tie);
        }
    }

    /// Puts a slot whose event is set into the ring or the heap.
    #[inline(always)]
    fn place(&mut self, slot: u32, at: u64, tie: u32) {
        if self.bucket(at) < self.horizon() {
            self.link(slot, at, tie);
        } else {
            self.put_off(slot, at);
        }
    }

    /// Puts an event that is out of the ring's reach into the heap.
    #[inline(never)]
    fn put_off(&mut self, slot: u32, at: u64) {
        self.pace.far += 1;
        self.far_from = self.far_from.min(at);
        self.far
            .push(Reverse((at, slot, self.spent[slot as usize])));
    }

    /// Steps along buckets' lists since the start: few per event when the width is good.
    pub fn steps(&self) -> u64 {
        self.pace.steps
    }
}

impl Agenda for WheelAgenda {
    fn new(slots: usize) -> WheelAgenda {
        let buckets = (2 * slots)
            .next_power_of_two()
            .clamp(LEAST_BUCKETS, MOST_BUCKETS);
        let idle = Slot {
            at: IDLE,
            tie: 0,
            next: NONE,
        };
        WheelAgenda {
            slots: Table::new(vec![idle; slots]),
            heads: Table::new(vec![NONE; buckets]),
            used: Table::new(vec![0; buckets / 64]),
            shift: FIRST_SHIFT,
            cursor: 0,
            now: 0,
            in_ring: 0,
            far: BinaryHeap::new(),
            far_from: IDLE,
            spent: vec![0; slots],
            pace: Pace::default(),
        }
    }

    #[inline(always)]
    fn schedule(&mut self, slot: u32, at: Time, tie: u32) {
        let at = at.ps();
        if at < self.now {
            past(slot, at, self.now);
        }
        assert!(
            (slot as usize) < self.slots.len(),
            "slot {slot} of {}",
            self.slots.len()
        );
        let entry = &mut self.slots[slot];
        debug_assert!(entry.at == IDLE, "slot {slot} already has an event");
        entry.at = at;
        entry.tie = tie;
        self.place(slot, at, tie);
    }

    fn cancel(&mut self, slot: u32) {
        assert!(
            (slot as usize) < self.slots.len(),
            "slot {slot} of {}",
            self.slots.len()
        );
        let at = self.slots[slot].at;
        if at == IDLE {
            return;
        }
        if self.bucket(at) < self.horizon() {
            self.unlink(slot);
        } else {
            self.spent[slot as usize] += 1;
        }
        self.slots[slot].at = IDLE;
    }

    #[inline]
    fn pop_until(&mut self, limit: Time) -> Option<(Time, u32)> {
        if self.in_ring == 0 && !self.reach_for_far(limit) {
            return None;
        }
        let index = self.first_used();
        let slot = self.heads[index];
        let Slot { at, next, .. } = self.slots[slot];
        if at > limit.ps() {
            return None;
        }
        if at < self.now {
            past(slot, at, self.now);
        }
        self.slots[slot].at = IDLE;
        self.heads[index] = next;
        // Without a branch: how many share a bucket cannot be foretold.
        self.used[index / 64] &= !(u64::from(next == NONE) << (index % 64));
        self.in_ring -= 1;
        self.now = at;
        self.cursor = self.bucket(at);
        if self.bucket(self.far_from) < self.horizon() {
            self.pull();
        }
        self.pace.pops += 1;
        if self.pace.pops >= PERIOD {
            self.adapt();
        }
        Some((Time::from_ps(at), slot))
    }
}

impl WheelAgenda {
    /// With an empty ring: turns it to the first event of the heap, unless that lies past
    /// `limit`. Says whether the ring has an event now.
    #[cold]
    fn reach_for_far(&mut self, limit: Time) -> bool {
        while let Some(&Reverse((at, slot, round))) = self.far.peek() {
            if self.spent[slot as usize] != round {
                self.far.pop();
                continue;
            }
            if at > limit.ps() {
                return false;
            }
            self.cursor = self.bucket(at);
            self.pull();
            return true;
        }
        false
    }
}
