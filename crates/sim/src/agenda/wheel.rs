//! Fast agenda: a calendar queue (Brown, CACM 1988) whose bucket width follows the event rate.
//!
//! A ring of buckets, each an unsorted list linked through the slots, and a bitmap of the buckets in use. Most
//! buckets in use hold one event, which leaves at once; any other is sorted into the array of ready events when
//! its turn comes. So scheduling an event costs the same however many fall on one instant. Events beyond one
//! turn of the ring wait in a heap and move in as the ring turns. Every [`PERIOD`] events the bucket width is
//! set to about half the mean gap between events, and the ring doubles if too many events had to wait in the
//! heap.
//!
//! [`Agenda::look`] sets how many events beyond the next one the caller wants to see: then buckets are sorted
//! before their turn and appended to the ready events.

use super::{Agenda, Slots, no_such, past, twice};
use crate::indexed::Table;
use sidestep_types::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::cold_path;

const NONE: u32 = u32::MAX;
/// Value of `Slot::at` for a slot without an event.
const IDLE: u64 = u64::MAX;
/// Events between two adjustments of the width; fewer under Miri, whose tests are short.
const PERIOD: u32 = if cfg!(miri) { 1 << 8 } else { 1 << 14 };
const LEAST_BUCKETS: usize = 1 << 9;
const MOST_BUCKETS: usize = 1 << 18;
const FIRST_SHIFT: u32 = 14;
/// With look-ahead, log2 of bucket width over the mean gap between events: sorting a few events together costs
/// less than turning the ring for each.
const WIDER: u32 = 1;
/// With look-ahead, ready events prepared at once, as a multiple of the events wanted.
const AT_ONCE: usize = 2;
/// With look-ahead, number of coming buckets to prefetch.
const NEXT_BUCKETS: u64 = 16;

#[derive(Clone, Copy)]
struct Slot {
    at: u64,
    tie: u32,
    next: u32,
}

/// Adaptive calendar queue.
pub struct WheelAgenda {
    slots: Table<Slot>,
    heads: Table<u32>,
    used: Table<u64>,
    /// Log2 of the bucket width in picoseconds.
    shift: u32,
    /// Absolute number of the bucket sorted last. An event scheduled for it or an earlier bucket joins `ready`,
    /// so nothing in the ring lies before it.
    cursor: u64,
    now: u64,
    /// Events of that bucket and of earlier ones, sorted. Those before `next` have left.
    ready: Vec<Event>,
    next: usize,
    /// The next bucket is sorted when `next` reaches this index: the end of `ready`, or the point where only
    /// the `wanted` events are left.
    stop: usize,
    /// Events wanted in order beyond the next one.
    wanted: usize,
    far: BinaryHeap<Reverse<(u64, u32, u32)>>,
    /// Lower bound of the event times in `far`.
    far_from: u64,
    /// While `cursor` is not beyond this bucket, the only event of a bucket may leave without further checks:
    /// no event of `far` comes within reach, there is no look-ahead, and nothing is ready.
    calm: u64,
    /// Per slot: number of its stale entries in `far`.
    spent: Vec<u32>,
    pace: Pace,
}

/// Time, tie and slot as one number: events leave in its order.
type Event = u128;

/// Next event, when nothing is ready.
enum Next {
    /// Only event of its bucket: time and slot.
    Alone(u64, u32),
    /// Several events of this bucket.
    Together(u64),
    /// Not decidable on the fast path.
    Unknown,
}

/// Counts since the width was last set; `steps` since the start.
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

    /// Returns the ring index of the bucket of `at`.
    #[inline]
    fn index(&self, at: u64) -> u32 {
        self.bucket(at) as u32 & (self.heads.len() as u32 - 1)
    }

    /// Returns the first absolute bucket beyond the ring's reach.
    fn horizon(&self) -> u64 {
        self.cursor + self.heads.len() as u64
    }

    /// Places a slot, whose event is set, in the ring, the heap or the ready events.
    #[inline(always)]
    fn place(&mut self, slot: u32, at: u64) {
        if !self.link(slot, at) {
            self.place_elsewhere(slot, at);
        }
    }

    /// Links a slot into its bucket; returns false if it does not belong in the ring.
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

    /// Schedules an event that does not belong in the ring.
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

    /// Places an event that does not belong in the ring: it is due in the bucket being served, or beyond reach.
    fn place_elsewhere(&mut self, slot: u32, at: u64) {
        if self.bucket(at) <= self.cursor {
            self.pace.pops += 1;
            self.insert(self.event(slot));
        } else {
            self.pace.far += 1;
            self.far_from = self.far_from.min(at);
            self.calm = self.calm.min(self.calm_until());
            self.far
                .push(Reverse((at, slot, self.spent[slot as usize])));
        }
    }

    /// Returns the last bucket at whose turn nothing of `far` comes within reach.
    #[inline]
    fn calm_until(&self) -> u64 {
        let first = self.bucket(self.far_from);
        first.saturating_sub(self.heads.len() as u64)
    }

    /// Finds the next event on the fast path, with nothing ready. An event that is alone in its bucket is taken
    /// off.
    #[inline(always)]
    fn come(&mut self, limit: u64) -> Next {
        let from = (self.cursor + 1) as u32 & (self.heads.len() as u32 - 1);
        let bits = self.used[from / 64] >> (from % 64);
        if bits == 0 {
            cold_path();
            return Next::Unknown;
        }
        let index = from + bits.trailing_zeros();
        let bucket = self.cursor + 1 + u64::from(index - from);
        if bucket > self.calm {
            cold_path();
            return Next::Unknown;
        }
        let slot = self.heads[index];
        let Slot { at, next, .. } = self.slots[slot];
        if at > limit {
            cold_path();
            return Next::Unknown;
        }
        if next != NONE {
            return Next::Together(bucket);
        }
        self.heads[index] = NONE;
        self.used[index / 64] &= !(1 << (index % 64));
        self.cursor = bucket;
        self.pace.pops += 1;
        Next::Alone(at, slot)
    }

    /// Makes the events of bucket `bucket` the only ready ones.
    #[inline(never)]
    fn sort_alone(&mut self, bucket: u64) {
        self.ready.clear();
        self.sort(bucket);
        (self.next, self.stop) = (0, self.ready.len());
    }

    /// Advances the clock to an event taken off, and marks its slot idle.
    #[inline(always)]
    fn leaves(&mut self, at: u64, slot: u32) -> (Time, u32) {
        if at < self.now {
            past(slot, at, self.now);
        }
        self.slots[slot].at = IDLE;
        self.now = at;
        (Time::from_ps(at), slot)
    }

    /// Inserts an event into the ready events: moves those before it or those behind it, whichever are fewer.
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

    /// Removes an event from the ready events.
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

    /// Unlinks `slot` from its bucket.
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

    /// Returns the absolute number of the first bucket in use; `None` if the ring is empty.
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

    /// Refills the ready events when there are none, or fewer than wanted: adjusts the width when due, and
    /// sorts the next bucket in use, unless all of it lies past `limit`. Returns whether anything is ready.
    #[inline(never)]
    fn refill(&mut self, limit: u64) -> bool {
        // Events may be left over after look-ahead was switched off.
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
        self.calm = self.calm_until();
        match self.first_used() {
            Some(bucket) if bucket << self.shift <= limit => self.sort(bucket),
            None if self.reach_for_far(limit) => return true,
            _ => return false,
        }
        self.stop = self.ready.len();
        true
    }

    /// Refills with as many buckets as the look-ahead needs, and some more, so that it is seldom called.
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
        // With too few events, the next refill waits until all of them have left.
        let count = self.ready.len();
        self.stop = if count > self.wanted {
            count - self.wanted
        } else {
            count
        };
        count > 0
    }

    /// Prefetches the slots of the buckets that will be sorted next.
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

    /// Sorts the events of a bucket and appends them to the ready events.
    #[inline(always)]
    fn sort(&mut self, bucket: u64) {
        let index = bucket as u32 & (self.heads.len() as u32 - 1);
        let mut slot = std::mem::replace(&mut self.heads[index], NONE);
        self.used[index / 64] &= !(1 << (index % 64));
        let first = self.ready.len();
        let (at, mut differs) = (self.slots[slot].at, 0);
        while slot != NONE {
            self.ready.push(self.event(slot));
            let entry = &self.slots[slot];
            differs |= entry.at ^ at;
            slot = entry.next;
        }
        let sorted = &mut self.ready[first..];
        let count = sorted.len();
        if count > 1 {
            order(sorted, differs == 0);
            self.pace.steps += count as u64 * u64::from(count.ilog2());
        }
        self.pace.pops += count as u32;
        self.cursor = bucket;
        if self.bucket(self.far_from) < self.horizon() {
            self.pull();
        }
    }

    /// Moves events that have come within reach from the heap to the ring.
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

    /// Sets the width by the event rate of the last period, and places all events anew if it changed.
    #[cold]
    #[inline(never)]
    fn adapt(&mut self) {
        let gap = ((self.now - self.pace.began) / u64::from(self.pace.pops)).max(1);
        let about = gap.next_power_of_two().trailing_zeros();
        // Widths near the ideal one are good enough.
        let (shift, good) = match self.wanted {
            0 => (about.saturating_sub(1), [about.saturating_sub(2), about]),
            _ => (about + WIDER, [about + WIDER - 1, about + WIDER + 2]),
        };
        let shift = shift.clamp(4, 44);
        let crowded = self.pace.far > PERIOD / 16;
        let buckets = if crowded {
            (self.heads.len() * 2).min(MOST_BUCKETS)
        } else {
            self.heads.len()
        };
        let good = shift == self.shift || (good[0]..good[1]).contains(&self.shift);
        let change = !good || buckets != self.heads.len();
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

    /// Comparisons for sorting, and cache lines moved by insertions into the ready events, since the start: few
    /// per event when the width is good.
    pub fn steps(&self) -> u64 {
        self.pace.steps
    }
}

/// Most events of one instant that are sorted by counting: more are rare on one core's agenda.
const MOST_COUNTED: usize = 32;
/// Events counted for together.
const LANES: usize = 8;

/// Sorts the events of a bucket; those of one instant differ in their ties. Where all packets have one of two
/// lengths, most buckets in use are of one instant and hold two to thirty events: none of these branches is
/// mispredicted, where the comparisons of a sort are for nearly every event.
#[inline(always)]
fn order(events: &mut [Event], one_instant: bool) {
    match events {
        [a, b] => (*a, *b) = in_order(*a, *b),
        [a, b, c] => {
            let (low, high) = in_order(*a, *b);
            let (middle, last) = in_order(high, *c);
            (*a, *b) = in_order(low, middle);
            *c = last;
        }
        few if one_instant && few.len() <= LANES => order_by_ties::<LANES>(few),
        more if one_instant && more.len() <= MOST_COUNTED => order_by_ties::<MOST_COUNTED>(more),
        more => {
            cold_path();
            more.sort_unstable();
        }
    }
}

/// Sorts up to `MOST` events of one instant: the index of each is the number of smaller ties.
#[inline(never)]
fn order_by_ties<const MOST: usize>(events: &mut [Event]) {
    let (count, at) = (events.len(), events[0] >> 64 << 64);
    // As signed numbers, which every processor compares several of at once.
    let signed = |event: Event| ((event >> 32) as u32 ^ 1 << 31) as i32;
    let (mut ties, mut from) = ([i32::MAX; MOST], [0; MOST]);
    for (i, event) in events.iter().enumerate() {
        (ties[i], from[i]) = (signed(*event), *event as u64);
    }
    let mut before = 0;
    for first in (0..count).step_by(LANES) {
        let these: [i32; LANES] = ties[first..first + LANES].try_into().expect("so many");
        let mut places = [0u32; LANES];
        for tie in &ties[..count] {
            for (place, this) in places.iter_mut().zip(&these) {
                *place += u32::from(tie < this);
            }
        }
        for (place, event) in places.iter().zip(&from[first..count]) {
            events[*place as usize] = at | Event::from(*event);
            before += *place as usize;
        }
    }
    // Two events have the same tie: the slot decides.
    if before != count * (count - 1) / 2 {
        for (event, low) in events.iter_mut().zip(&from) {
            *event = at | Event::from(*low);
        }
        events.sort_unstable();
    }
}

#[inline(always)]
fn in_order(a: Event, b: Event) -> (Event, Event) {
    (a.min(b), a.max(b))
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
            calm: 0,
            spent: vec![0; slots],
            pace: Pace::default(),
        }
    }

    #[inline(always)]
    fn schedule(&mut self, slot: u32, at: Time, tie: u32) {
        let at = at.ps();
        if slot as usize >= self.slots.len() {
            no_such(slot, self.slots.len());
        }
        let entry = &mut self.slots[slot];
        if entry.at != IDLE {
            twice(slot);
        }
        entry.at = at;
        entry.tie = tie;
        // An event in the past is in no bucket ahead.
        if !self.link(slot, at) {
            cold_path();
            self.schedule_elsewhere(slot, at);
        }
    }

    fn cancel(&mut self, slot: u32) {
        if slot as usize >= self.slots.len() {
            no_such(slot, self.slots.len());
        }
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
        if self.next >= self.stop {
            match self.come(limit.ps()) {
                Next::Alone(at, slot) => return Some(self.leaves(at, slot)),
                Next::Together(bucket) => self.sort_alone(bucket),
                Next::Unknown => {
                    cold_path();
                    if !self.refill(limit.ps()) {
                        return None;
                    }
                }
            }
        }
        let event = self.ready[self.next];
        let (at, slot) = ((event >> 64) as u64, event as u32);
        if at > limit.ps() {
            cold_path();
            return None;
        }
        self.next += 1;
        Some(self.leaves(at, slot))
    }

    fn look(&mut self, wanted: usize) {
        if wanted != self.wanted {
            self.wanted = wanted;
            self.calm = 0;
        }
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
    /// Returns the time of the next event; [`Time::MAX`] without one.
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

    /// Turns an empty ring to the first event of the heap, unless that lies past `limit`. Returns whether an
    /// event is ready now.
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

#[cfg(test)]
mod tests {
    use super::*;
    use sidestep_types::Rng;

    #[test]
    fn few_events_leave_in_order_however_they_came() {
        for count in 2..=4u32 {
            // Every sequence of `count` events out of as many, duplicates included.
            for which in 0..count.pow(count) {
                let of = |place| Event::from(which / count.pow(place) % count) << 64;
                let mut events: Vec<Event> = (0..count).map(of).collect();
                let mut sorted = events.clone();
                sorted.sort();
                order(&mut events, false);
                assert_eq!(events, sorted);
            }
        }
    }

    #[test]
    fn events_of_one_instant_leave_by_their_ties_and_those_of_one_tie_by_their_slots() {
        let mut rng = Rng::from_seed(1);
        for ties in [3, 1 << 31] {
            for count in 2..=MOST_COUNTED as u32 + 2 {
                let mut event = |slot| {
                    let tie = rng.below(ties) as u32 | if slot % 5 > 0 { 1 << 31 } else { 0 };
                    Event::from(tie) << 32 | 7 << 64 | Event::from(slot)
                };
                let mut events: Vec<Event> = (0..count).rev().map(&mut event).collect();
                let mut sorted = events.clone();
                sorted.sort();
                order(&mut events, true);
                assert_eq!(events, sorted, "{count} events of {ties} ties");
            }
        }
    }
}
