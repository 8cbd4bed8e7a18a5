//! The fast agenda: a calendar queue (Brown, CACM 1988) whose width follows the pace of events.
//!
//! A ring of buckets, each an unsorted list threaded through the slots themselves, and a
//! bitmap of the buckets in use. A bucket is sorted when its turn comes, into the array of what
//! is ready; so planning an event costs the same however many fall on one instant. What lies
//! beyond one turn of the ring waits in a heap and moves in as the ring turns. Every [`PERIOD`]
//! events the bucket width is set to the mean gap between events, and the ring doubles when too
//! much had to wait in the heap.

use super::{Agenda, Slots, past, twice};
use crate::indexed::Table;
use sidestep_types::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const NONE: u32 = u32::MAX;
/// `Slot::at` of a slot without an event.
const IDLE: u64 = u64::MAX;
/// Events between two looks at the pace; fewer under Miri, whose tests are short.
const PERIOD: u32 = if cfg!(miri) { 1 << 8 } else { 1 << 14 };
const LEAST_BUCKETS: usize = 1 << 9;
const MOST_BUCKETS: usize = 1 << 18;
const FIRST_SHIFT: u32 = 14;
/// A bucket is wider than the mean gap between events by this power of two: to sort a few
/// together costs less than to turn the ring for each.
const WIDER: u32 = 1;

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
    /// The absolute number of the bucket that was sorted last. What is planned for it or an
    /// earlier one joins `ready`, so nothing in the ring lies before it.
    cursor: u64,
    now: u64,
    /// The events of that bucket, the next one last.
    ready: Vec<Event>,
    far: BinaryHeap<Reverse<(u64, u32, u32)>>,
    /// No event of `far` lies before this time.
    far_from: u64,
    /// Per slot: how many of its entries in `far` are spent.
    spent: Vec<u32>,
    pace: Pace,
}

/// Time, tie and slot as one number: events leave in this order.
type Event = u128;

/// What happened since the width was last set; `steps` since the start.
#[derive(Default)]
struct Pace {
    /// Events that became ready.
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
    fn horizon(&self) -> u64 {
        self.cursor + self.heads.len() as u64
    }

    /// Puts a slot whose event is set where it belongs.
    #[inline(always)]
    fn place(&mut self, slot: u32, at: u64) {
        if !self.link(slot, at) {
            self.place_elsewhere(slot, at);
        }
    }

    /// Puts a slot into its bucket, unless it belongs elsewhere.
    #[inline(always)]
    fn link(&mut self, slot: u32, at: u64) -> bool {
        let ahead = self.bucket(at).wrapping_sub(self.cursor + 1);
        if ahead >= self.heads.len() as u64 - 1 {
            return false;
        }
        let index = self.index(at);
        self.slots[slot].next = self.heads[index];
        self.heads[index] = slot;
        self.used[index / 64] |= 1 << (index % 64);
        true
    }

    /// Plans an event that does not belong in the ring.
    #[inline(never)]
    fn schedule_elsewhere(&mut self, slot: u32, at: u64) {
        if at < self.now {
            past(slot, at, self.now);
        }
        self.place_elsewhere(slot, at);
        if self.pace.pops >= PERIOD {
            self.adapt();
        }
    }

    /// Places an event that does not belong in the ring: it is due in the bucket that is being
    /// served, or beyond reach.
    fn place_elsewhere(&mut self, slot: u32, at: u64) {
        if self.bucket(at) <= self.cursor {
            let event = self.event(slot);
            let place = self.ready.partition_point(|other| *other > event);
            self.pace.pops += 1;
            self.pace.steps += (self.ready.len() - place) as u64 / 4;
            self.ready.insert(place, event);
        } else {
            self.pace.far += 1;
            self.far_from = self.far_from.min(at);
            self.far
                .push(Reverse((at, slot, self.spent[slot as usize])));
        }
    }

    #[inline(always)]
    fn event(&self, slot: u32) -> Event {
        let Slot { at, tie, .. } = self.slots[slot];
        u128::from(at) << 64 | u128::from(tie) << 32 | u128::from(slot)
    }

    /// Takes `slot` out of its bucket.
    fn unlink(&mut self, slot: u32) {
        let Slot { at, next, .. } = self.slots[slot];
        let index = self.index(at);
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

    /// The absolute number of the first bucket in use; `None` when the ring is empty.
    #[inline]
    fn first_used(&self) -> Option<u64> {
        let start = self.cursor + 1;
        let buckets = self.heads.len() as u32;
        let from = start as u32 & (buckets - 1);
        let (mut word, words) = (from / 64, buckets / 64);
        let mut bits = self.used[word] & (!0 << (from % 64));
        let mut looked = 0;
        while bits == 0 {
            looked += 1;
            if looked > words {
                return None;
            }
            word = (word + 1) & (words - 1);
            bits = self.used[word];
        }
        let index = word * 64 + bits.trailing_zeros();
        Some(start + u64::from(index.wrapping_sub(from) & (buckets - 1)))
    }

    /// With nothing ready: adapts to the pace when that is due, and sorts the next bucket with
    /// events, unless all of it lies past `limit`. Says whether anything is ready.
    #[inline(never)]
    fn refill(&mut self, limit: u64) -> bool {
        if self.pace.pops >= PERIOD {
            self.adapt();
            if !self.ready.is_empty() {
                return true;
            }
        }
        let bucket = match self.first_used() {
            Some(bucket) => bucket,
            None if self.reach_for_far(limit) => return true,
            None => return false,
        };
        if bucket << self.shift > limit {
            return false;
        }
        let index = bucket as u32 & (self.heads.len() as u32 - 1);
        let mut slot = std::mem::replace(&mut self.heads[index], NONE);
        self.used[index / 64] &= !(1 << (index % 64));
        while slot != NONE {
            self.ready.push(self.event(slot));
            slot = self.slots[slot].next;
        }
        let count = self.ready.len();
        if count > 1 {
            self.ready.sort_unstable_by(|a, b| b.cmp(a));
            self.pace.steps += count as u64 * u64::from(count.ilog2());
        }
        self.pace.pops += count as u32;
        self.cursor = bucket;
        if self.bucket(self.far_from) < self.horizon() {
            self.pull();
        }
        true
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
                self.place(slot, at);
            }
        }
        self.far_from = IDLE;
    }

    /// Sets the width by the pace of the last period and sorts the events anew when it changed.
    #[cold]
    #[inline(never)]
    fn adapt(&mut self) {
        let gap = ((self.now - self.pace.began) / u64::from(PERIOD)).max(1);
        let shift = (gap.next_power_of_two().trailing_zeros() + WIDER).clamp(4, 44);
        let crowded = self.pace.far > PERIOD / 16;
        let buckets = if crowded {
            (self.heads.len() * 2).min(MOST_BUCKETS)
        } else {
            self.heads.len()
        };
        let change = shift.abs_diff(self.shift) > 1 || buckets != self.heads.len();
        self.pace.far = 0;
        self.pace.began = self.now;
        if change {
            self.rebuild(shift, buckets);
        }
        self.pace.pops = 0;
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
        self.ready.clear();
        self.shift = shift;
        self.cursor = self.bucket(self.now);
        for slot in pending {
            self.place(slot, self.slots[slot].at);
        }
    }

    /// Comparisons for sorting, and cache lines moved for what came into a sorted bucket, since
    /// the start: few per event when the width is good.
    pub fn steps(&self) -> u64 {
        self.pace.steps
    }
}

impl Agenda for WheelAgenda {
    fn new(slots: Slots) -> WheelAgenda {
        let slots = slots.count();
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
            ready: Vec::new(),
            far: BinaryHeap::new(),
            far_from: IDLE,
            spent: vec![0; slots],
            pace: Pace::default(),
        }
    }

    #[inline(always)]
    fn schedule(&mut self, slot: u32, at: Time, tie: u32) {
        let at = at.ps();
        assert!(
            (slot as usize) < self.slots.len(),
            "slot {slot} of {}",
            self.slots.len()
        );
        let entry = &mut self.slots[slot];
        if entry.at != IDLE {
            twice(slot);
        }
        entry.at = at;
        entry.tie = tie;
        // What has passed is in no bucket to come.
        if !self.link(slot, at) {
            self.schedule_elsewhere(slot, at);
        }
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
        let bucket = self.bucket(at);
        if bucket <= self.cursor {
            let event = self.event(slot);
            self.ready.retain(|other| *other != event);
        } else if bucket < self.horizon() {
            self.unlink(slot);
        } else {
            self.spent[slot as usize] += 1;
        }
        self.slots[slot].at = IDLE;
    }

    #[inline]
    fn pop_until(&mut self, limit: Time) -> Option<(Time, u32)> {
        if self.ready.is_empty() && !self.refill(limit.ps()) {
            return None;
        }
        let &event = self.ready.last()?;
        let (at, slot) = ((event >> 64) as u64, event as u32);
        if at > limit.ps() {
            return None;
        }
        self.ready.pop();
        if at < self.now {
            past(slot, at, self.now);
        }
        self.slots[slot].at = IDLE;
        self.now = at;
        Some((Time::from_ps(at), slot))
    }
}

impl WheelAgenda {
    /// With an empty ring: turns it to the first event of the heap, unless that lies past
    /// `limit`. Says whether there is an event ready now.
    #[cold]
    fn reach_for_far(&mut self, limit: u64) -> bool {
        while let Some(&Reverse((at, slot, round))) = self.far.peek() {
            if self.spent[slot as usize] != round {
                self.far.pop();
                continue;
            }
            if at > limit {
                return false;
            }
            self.cursor = self.bucket(at);
            self.pull();
            return true;
        }
        false
    }
}
