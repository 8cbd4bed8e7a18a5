//! The fast agenda: a calendar queue (Brown, CACM 1988) whose width follows the pace of events.
//!
//! A ring of buckets, each an unsorted list threaded through the slots themselves, and a
//! bitmap of the buckets in use. A bucket is sorted when its turn comes, into the array of what
//! is ready; so planning an event costs the same however many fall on one instant. What lies
//! beyond one turn of the ring waits in a heap and moves in as the ring turns. Every [`PERIOD`]
//! events the bucket width is set to the mean gap between events, and the ring doubles when too
//! much had to wait in the heap.
//!
//! Who wants to know what comes after the next event says how far ([`Agenda::look`]): then buckets are
//! sorted before their turn, and join what is ready behind it.

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
/// Where somebody looks ahead, so many times as many events as are wanted are made ready at once.
const AT_ONCE: usize = 2;
/// So many buckets to come are asked for, where somebody looks ahead.
const NEXT_BUCKETS: u64 = 16;

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
    /// The events of that bucket and of earlier ones, in their order. Those before `next` have left.
    ready: Vec<Event>,
    next: usize,
    /// The next bucket is sorted when `next` comes here: at the end of `ready`, or where no more of it is
    /// left than somebody wants to know.
    stop: usize,
    /// So many events beyond the next one are wanted in order.
    wanted: usize,
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
            self.pace.pops += 1;
            self.insert(self.event(slot));
        } else {
            self.pace.far += 1;
            self.far_from = self.far_from.min(at);
            self.far
                .push(Reverse((at, slot, self.spent[slot as usize])));
        }
    }

    /// Puts an event among those that are ready: moves those before it or those behind it, whichever are
    /// fewer.
    fn insert(&mut self, event: Event) {
        let (next, count) = (self.next, self.ready.len());
        let place = next + self.ready[next..].partition_point(|other| *other < event);
        let (before, behind) = (place - next, count - place);
        if next > 0 && before < behind {
            self.ready.copy_within(next..place, next - 1);
            self.ready[place - 1] = event;
            self.next -= 1;
            self.pace.steps += before as u64 / 4;
        } else {
            self.ready.insert(place, event);
            self.stop += 1;
            self.pace.steps += behind as u64 / 4;
        }
    }

    /// Takes an event out of those that are ready.
    fn remove(&mut self, event: Event) {
        let next = self.next;
        let place = next + self.ready[next..].partition_point(|other| *other < event);
        debug_assert!(self.ready[place] == event);
        self.ready.remove(place);
        self.stop = self.stop.max(next + 1) - 1;
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

    /// With nothing ready, or less than is wanted: adapts to the pace when that is due, and sorts the next
    /// bucket with events, unless all of it lies past `limit`. Says whether anything is ready.
    #[inline(never)]
    fn refill(&mut self, limit: u64) -> bool {
        // Something is left where nobody wants to know any more what is ahead.
        if self.wanted > 0 || self.next < self.ready.len() {
            return self.refill_ahead(limit);
        }
        self.ready.clear();
        (self.next, self.stop) = (0, 0);
        if self.pace.pops >= PERIOD {
            self.adapt();
            if !self.ready.is_empty() {
                return true;
            }
        }
        match self.first_used() {
            Some(bucket) if bucket << self.shift <= limit => self.sort(bucket),
            None if self.reach_for_far(limit) => return true,
            _ => return false,
        }
        self.stop = self.ready.len();
        true
    }

    /// The same with as many buckets as are wanted ahead, and some more, so that it is seldom asked for.
    #[cold]
    #[inline(never)]
    fn refill_ahead(&mut self, limit: u64) -> bool {
        self.ready.drain(..self.next);
        (self.next, self.stop) = (0, 0);
        if self.pace.pops >= PERIOD {
            self.adapt();
        }
        while self.ready.len() <= AT_ONCE * self.wanted {
            match self.first_used() {
                Some(bucket) if bucket << self.shift <= limit => self.sort(bucket),
                None if self.ready.is_empty() && self.reach_for_far(limit) => {}
                _ => break,
            }
        }
        self.fetch_buckets();
        // Where there are not so many, nobody asks again before these have left.
        let count = self.ready.len();
        self.stop = if count > self.wanted {
            count - self.wanted
        } else {
            count
        };
        count > 0
    }

    /// Asks for the slots of the buckets that will be sorted next.
    fn fetch_buckets(&self) {
        let buckets = self.heads.len() as u64 - 1;
        for bucket in self.cursor + 1..=self.cursor + NEXT_BUCKETS {
            let slot = self.heads[(bucket & buckets) as u32];
            if slot != NONE {
                self.slots.fetch(slot);
            }
        }
        for bucket in self.cursor + 1..=self.cursor + NEXT_BUCKETS / 2 {
            let slot = self.heads[(bucket & buckets) as u32];
            if slot != NONE {
                self.slots.fetch(self.slots[slot].next);
            }
        }
    }

    /// Makes the events of a bucket ready, behind those that are.
    #[inline(always)]
    fn sort(&mut self, bucket: u64) {
        let index = bucket as u32 & (self.heads.len() as u32 - 1);
        let mut slot = std::mem::replace(&mut self.heads[index], NONE);
        self.used[index / 64] &= !(1 << (index % 64));
        let first = self.ready.len();
        while slot != NONE {
            self.ready.push(self.event(slot));
            slot = self.slots[slot].next;
        }
        let sorted = &mut self.ready[first..];
        let count = sorted.len();
        if count > 1 {
            sorted.sort_unstable();
            self.pace.steps += count as u64 * u64::from(count.ilog2());
        }
        self.pace.pops += count as u32;
        self.cursor = bucket;
        if self.bucket(self.far_from) < self.horizon() {
            self.pull();
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
        (self.next, self.stop) = (0, 0);
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
            next: 0,
            stop: 0,
            wanted: 0,
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
            self.remove(self.event(slot));
        } else if bucket < self.horizon() {
            self.unlink(slot);
        } else {
            self.spent[slot as usize] += 1;
        }
        self.slots[slot].at = IDLE;
    }

    fn pending(&self) -> Vec<(Time, u32, u32)> {
        let planned = (0..).zip(self.slots.iter());
        let planned = planned.filter(|(_, slot)| slot.at != IDLE);
        let mut pending: Vec<_> = planned
            .map(|(number, slot)| (Time::from_ps(slot.at), slot.tie, number))
            .collect();
        pending.sort_unstable();
        pending
    }

    #[inline]
    fn pop_until(&mut self, limit: Time) -> Option<(Time, u32)> {
        if self.next >= self.stop && !self.refill(limit.ps()) {
            return None;
        }
        let event = self.ready[self.next];
        let (at, slot) = ((event >> 64) as u64, event as u32);
        if at > limit.ps() {
            return None;
        }
        self.next += 1;
        if at < self.now {
            past(slot, at, self.now);
        }
        self.slots[slot].at = IDLE;
        self.now = at;
        Some((Time::from_ps(at), slot))
    }

    fn look(&mut self, wanted: usize) {
        self.wanted = wanted;
    }

    #[inline(always)]
    fn fetch(&self, slot: u32) {
        self.slots.fetch(slot);
    }

    #[inline(always)]
    fn ahead<const N: usize>(&self, from: usize) -> Option<[u32; N]> {
        let events = self.ready.get(self.next + from..)?.first_chunk()?;
        Some(events.map(|event| event as u32))
    }
}

impl WheelAgenda {
    /// When the next event is; [`Time::MAX`] without one.
    pub(crate) fn earliest(&mut self) -> Time {
        if let Some(event) = self.ready.get(self.next) {
            return Time::from_ps((event >> 64) as u64);
        }
        if let Some(bucket) = self.first_used() {
            let mut slot = self.heads[bucket as u32 & (self.heads.len() as u32 - 1)];
            let mut earliest = IDLE;
            while slot != NONE {
                earliest = earliest.min(self.slots[slot].at);
                slot = self.slots[slot].next;
            }
            return Time::from_ps(earliest);
        }
        while let Some(&Reverse((at, slot, round))) = self.far.peek() {
            if self.spent[slot as usize] == round {
                return Time::from_ps(at);
            }
            self.far.pop();
        }
        Time::MAX
    }

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
