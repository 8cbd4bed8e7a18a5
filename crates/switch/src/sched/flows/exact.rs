//! A table of the flows in a class.
//!
//! **Decision**     a flow is in from its first packet until its last has left the queue, and of what comes later (a
//!                  repair) from when that comes until it has left. One of which nothing waits and nothing came for
//!                  `silence` is out and forgotten; one that has ended, behind those that ended before it.
//! **State**        [`BYTES`] for each flow that is in, or is remembered to have ended; at most `places` of them. A table
//!                  that is full forgets who has ended, the oldest first, before it leaves a new flow out. Who is in is
//!                  put in order once in a `silence`, and not with each packet.
//! **Units**        flows; `silence` in time.
//! **Errors**       `places` for which a switch would need more than [`MEMORY`] are refused, with the numbers.
//! **Source**       none: see [`super`]. Deletion moves what it must back, as in Knuth, volume 3, 6.4, algorithm R.
//! **Deviations**   a table grows as flows come, up to what `places` of them need.

use sidestep_types::{Bytes, Refusal, Time};
use std::collections::VecDeque;

/// The most that a place takes: 32 of its own, and 8 to 16 to find it.
pub(super) const BYTES: u64 = 48;
/// What all tables of a switch may take; assumed.
const MEMORY: Bytes = Bytes(1_000_000_000);
/// No place.
const NONE: u32 = u32::MAX;
/// The most places.
pub(super) const MOST_PLACES: u64 = NONE as u64 - 1;

/// A flow that is known.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Place {
    key: u64,
    /// When a packet of it came last.
    seen: Time,
    /// Its neighbours in the list that it is in, the older and the newer.
    older: u32,
    newer: u32,
    /// The number of the packet of it that joined the queue last, 48 bits of it: it waits, and so does its flow, until
    /// that one has begun.
    last_low: u32,
    last_high: u16,
    /// Its last packet has come.
    ends: bool,
    /// The list that it is in.
    list: u8,
}

/// What a packet that came says of its flow.
pub(in super::super) struct Seen {
    /// Its place, if there is one.
    pub place: Option<u32>,
    /// It was among the young before, so that nobody falls due sooner for it.
    pub young: bool,
    /// The last packet of the flow has come before: this one is a repair.
    pub ends: bool,
}

impl Place {
    #[inline]
    fn last(&self) -> u64 {
        u64::from(self.last_low) | u64::from(self.last_high) << 32
    }

    #[inline]
    fn joins(&mut self, number: u64) {
        (self.last_low, self.last_high) = (number as u32, (number >> 32) as u16);
    }
}

/// Who has ended, in that order. Of one that was seen before those older in the list its silence is noticed behind
/// theirs.
const ENDED: u8 = 0;
/// Who is in and was not seen since the last turn, in the order in which they were seen.
const OLD: u8 = 1;
/// Who is in and was seen since, in any order: what comes next of a flow changes no list.
const YOUNG: u8 = 2;

/// Places in some order.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct List {
    oldest: u32,
    newest: u32,
}

const EMPTY: List = List {
    oldest: NONE,
    newest: NONE,
};

#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(in super::super) struct Exact {
    most: usize,
    silence: Time,
    places: Vec<Place>,
    /// The first of those that nobody has, which are linked as the newer one.
    free: u32,
    /// How many have somebody.
    known: usize,
    /// Where places are, by their keys' hash; twice as many as places, at the least.
    index: Vec<u32>,
    /// 64 less the bits of a number of the index.
    shift: u32,
    /// [`ENDED`], [`OLD`] and [`YOUNG`].
    lists: [List; 3],
    /// Nobody who is young was seen before: when the young became old last.
    turned: Time,
    /// Nobody has been silent for too long before.
    due: Time,
    flows: u32,
    /// How many packets have joined the queue, of whatever flows: each has the number that this is then. As a class's
    /// queue is first in, first out, who waits is told from that and from how many have begun to be sent.
    joined: u64,
    /// How many of them have begun, as was said last.
    begun: u64,
    /// Flows that have ended and wait, each with the number of a packet at whose beginning nothing of it may wait any
    /// more. The numbers rise.
    ending: VecDeque<(u64, u32)>,
    /// The first of these numbers.
    ends_at: u64,
}

impl Exact {
    /// One of so many classes of a switch with `ports` ports.
    pub fn build(places: u32, silence: Time, classes: usize, ports: u16) -> Result<Exact, Refusal> {
        let takes = BYTES as u128 * u128::from(places) * classes as u128 * u128::from(ports);
        if takes > u128::from(MEMORY.0) {
            let wrong = format!(
                "places ({places}) take {takes} B in {classes} classes of {ports} ports, at {BYTES} B each; at most \
                 {MEMORY} in a switch"
            );
            return Err(Refusal::about(&["places", "classes"], wrong));
        }
        Ok(Exact {
            most: places as usize,
            silence,
            places: Vec::new(),
            free: NONE,
            known: 0,
            index: vec![NONE; 8],
            shift: 64 - 3,
            lists: [EMPTY; 3],
            turned: Time::ZERO,
            due: Time::MAX,
            flows: 0,
            joined: 0,
            begun: 0,
            ending: VecDeque::new(),
            ends_at: u64::MAX,
        })
    }

    #[inline]
    pub fn flows(&self) -> u32 {
        self.flows
    }

    /// What was silent for too long leaves.
    #[inline]
    pub fn age(&mut self, now: Time) {
        if now >= self.due {
            self.leave_silent(now);
        }
    }

    #[cold]
    fn leave_silent(&mut self, now: Time) {
        self.leave_list(ENDED, now);
        self.leave_list(OLD, now);
        if self.oldest(OLD).is_none() && now.saturating_sub(self.turned) >= self.silence {
            self.turn(now);
            self.leave_list(OLD, now);
        }
        let seen = [
            self.oldest(ENDED).map(|place| place.seen),
            self.oldest(OLD).map(|place| place.seen),
            self.oldest(YOUNG).map(|_| self.turned),
        ];
        let first = seen.into_iter().flatten().min();
        self.due = first.map_or(Time::MAX, |seen| seen.saturating_add(self.silence));
    }

    /// Those that are silent leave a list that is in order.
    fn leave_list(&mut self, list: u8, now: Time) {
        while let Some(place) = self.oldest(list)
            && now.saturating_sub(place.seen) >= self.silence
        {
            self.silent(self.lists[usize::from(list)].oldest, now);
        }
    }

    /// The young become old, in their order.
    fn turn(&mut self, now: Time) {
        let mut young = Vec::new();
        let mut at = self.lists[usize::from(YOUNG)].oldest;
        while let Some(place) = self.places.get(at as usize) {
            young.push(at);
            at = place.newer;
        }
        young.sort_by_key(|at| self.places[*at as usize].seen);
        for at in young {
            self.unlink(at);
            self.places[at as usize].list = OLD;
            self.link(at);
        }
        self.turned = now;
    }

    /// The oldest of a list is this one now.
    #[inline]
    fn falls_due(&mut self, oldest: u32) {
        if let Some(place) = self.places.get(oldest as usize) {
            self.due = self.due.min(place.seen.saturating_add(self.silence));
        }
    }

    /// The first of a list.
    fn oldest(&self, list: u8) -> Option<&Place> {
        self.places
            .get(self.lists[usize::from(list)].oldest as usize)
    }

    /// Nobody has been silent for too long before.
    #[inline]
    pub fn due(&self) -> Time {
        self.due
    }

    /// A packet of the flow `key` has come; one that `opens` it is the first of a new one. Says its place, if there
    /// is one.
    #[inline(always)]
    pub fn see(&mut self, key: u64, opens: bool, now: Time) -> Seen {
        let Some(at) = self.find(key) else {
            return Seen {
                place: self.see_new(key, now),
                young: false,
                ends: false,
            };
        };
        let place = &mut self.places[at as usize];
        place.seen = now;
        place.ends &= !opens;
        let (ends, young) = (place.ends, place.list == YOUNG);
        if !young {
            self.renew(at, now);
        }
        let place = Some(at);
        Seen { place, young, ends }
    }

    /// The same of a flow that has no place.
    #[cold]
    #[inline(never)]
    fn see_new(&mut self, key: u64, now: Time) -> Option<u32> {
        let at = self.add(key, now)?;
        self.flows += 1;
        self.link_young(at, now);
        Some(at)
    }

    /// The flow is in, and among the young.
    #[cold]
    #[inline(never)]
    fn renew(&mut self, at: u32, now: Time) {
        self.unlink(at);
        self.flows += u32::from(self.places[at as usize].list == ENDED);
        self.link_young(at, now);
    }

    /// Puts a place that is in no list among the young. Where nobody was in, they are young from now on.
    fn link_young(&mut self, at: u32, now: Time) {
        let nobody = [OLD, YOUNG].map(|list| self.lists[usize::from(list)].oldest);
        if nobody == [NONE; 2] {
            self.turned = now;
        }
        self.places[at as usize].list = YOUNG;
        self.link(at);
    }

    /// So many packets join the queue to wait there, of whatever flows.
    #[inline]
    pub fn some_join(&mut self, packets: u32) {
        self.joined += u64::from(packets);
    }

    /// It is of the flow in this place, and was seen right before; it may say that the flow `ends`.
    #[inline(always)]
    pub fn joins(&mut self, at: u32, ends: bool) {
        let place = &mut self.places[at as usize];
        place.joins(self.joined);
        place.ends |= ends;
        if place.ends {
            self.ends_with(self.joined, at);
        }
    }

    /// Nothing of the flow in this place may wait once the packet of this number has begun.
    #[cold]
    #[inline(never)]
    fn ends_with(&mut self, number: u64, at: u32) {
        let behind = self.ending.partition_point(|(other, _)| *other <= number);
        self.ending.insert(behind, (number, at));
        self.ends_at = self.ending[0].0;
    }

    /// Of the packets that joined all have begun but the last `waiting`.
    #[inline(always)]
    pub fn left(&mut self, waiting: u32) {
        self.begun = self.joined - u64::from(waiting);
        if self.ends_at <= self.begun {
            self.leave_ended();
        }
    }

    /// Those leave whose last packet has begun.
    #[cold]
    #[inline(never)]
    fn leave_ended(&mut self) {
        while let Some((number, at)) = self.ending.front().copied()
            && number <= self.begun
        {
            self.ending.pop_front();
            // Its connection may have been opened anew.
            if self.places[at as usize].ends {
                self.depart(at);
            }
        }
        self.ends_at = self.ending.front().map_or(u64::MAX, |first| first.0);
    }

    /// Does something of the flow in this place wait?
    #[inline]
    fn waits(&self, at: u32) -> bool {
        self.places[at as usize].last() > self.begun
    }

    /// A packet of the flow in this place, seen right before, joins and leaves at once, and none of it waits.
    #[inline]
    pub fn passes(&mut self, at: u32, ends: bool) {
        let place = &mut self.places[at as usize];
        place.ends |= ends;
        if place.ends {
            self.depart(at);
        }
    }

    /// A packet of no data joins that says that its flow ends.
    #[cold]
    pub fn ends(&mut self, key: u64) {
        if let Some(at) = self.find(key) {
            let place = &mut self.places[at as usize];
            place.ends = true;
            let last = place.last();
            match self.waits(at) {
                true => self.ends_with(last, at),
                false => self.depart(at),
            }
        }
    }

    /// A flow that ends is out when nothing of it waits.
    #[inline(never)]
    fn depart(&mut self, at: u32) {
        if self.waits(at) || self.places[at as usize].list == ENDED {
            return;
        }
        self.unlink(at);
        self.places[at as usize].list = ENDED;
        self.flows -= 1;
        self.link(at);
    }

    /// A flow is forgotten of which nothing came for so long, unless it only waits to be sent.
    #[cold]
    fn silent(&mut self, at: u32, now: Time) {
        if !self.waits(at) {
            return self.remove(at);
        }
        self.unlink(at);
        self.places[at as usize].seen = now;
        self.link_young(at, now);
    }

    /// Where the search for `key` begins: its upper bits times the golden ratio, which numbers in a row are far apart by.
    #[inline]
    fn home(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }

    #[inline]
    fn next(&self, slot: usize) -> usize {
        (slot + 1) & (self.index.len() - 1)
    }

    #[inline(always)]
    pub fn find(&self, key: u64) -> Option<u32> {
        let mut slot = self.home(key);
        loop {
            match self.index[slot] {
                NONE => return None,
                at if self.places[at as usize].key == key => {
                    return Some(at);
                }
                _ => slot = self.next(slot),
            }
        }
    }

    /// A place for a flow that has none yet and is in from now on, in no list; `None` where all are taken by flows that
    /// are in.
    fn add(&mut self, key: u64, now: Time) -> Option<u32> {
        let [ended, ..] = self.lists;
        if self.known == self.most {
            if ended.oldest == NONE {
                return None;
            }
            self.remove(ended.oldest);
        }
        let place = Place {
            key,
            seen: now,
            older: NONE,
            newer: NONE,
            last_low: 0,
            last_high: 0,
            ends: false,
            list: YOUNG,
        };
        self.known += 1;
        Some(match self.free {
            NONE => self.one_more(place),
            at => {
                self.free = std::mem::replace(&mut self.places[at as usize], place).newer;
                self.enter(at);
                at
            }
        })
    }

    /// One place more, with twice the memory where that is full.
    fn one_more(&mut self, place: Place) -> u32 {
        let at = self.places.len();
        if at == self.places.capacity() {
            let twice = (2 * at).max(4).min(self.most);
            self.places.reserve_exact(twice - at);
        }
        self.places.push(place);
        match 2 * self.places.len() > self.index.len() {
            true => self.grow(),
            false => self.enter(at as u32),
        }
        at as u32
    }

    /// Enters a place into the index.
    fn enter(&mut self, at: u32) {
        let mut slot = self.home(self.places[at as usize].key);
        while self.index[slot] != NONE {
            slot = self.next(slot);
        }
        self.index[slot] = at;
    }

    /// Twice the index. Every place has somebody then, or there would not be one more.
    #[cold]
    fn grow(&mut self) {
        self.index = vec![NONE; 2 * self.index.len()];
        self.shift -= 1;
        (0..self.places.len() as u32).for_each(|at| self.enter(at));
    }

    /// Forgets a flow of which nothing waits.
    #[cold]
    fn remove(&mut self, at: u32) {
        self.unlink(at);
        let place = &self.places[at as usize];
        self.flows -= u32::from(place.list != ENDED);
        let mut hole = self.home(place.key);
        while self.index[hole] != at {
            hole = self.next(hole);
        }
        // Whoever stands behind and would be sought from the hole or before it moves into it.
        let mut slot = self.next(hole);
        while self.index[slot] != NONE {
            let home = self.home(self.places[self.index[slot] as usize].key);
            let mask = self.index.len() - 1;
            if slot.wrapping_sub(home) & mask >= slot.wrapping_sub(hole) & mask {
                self.index[hole] = self.index[slot];
                hole = slot;
            }
            slot = self.next(slot);
        }
        self.index[hole] = NONE;
        self.places[at as usize].newer = std::mem::replace(&mut self.free, at);
        self.known -= 1;
    }

    /// Puts a place behind the newest of its list.
    fn link(&mut self, at: u32) {
        let list = &mut self.lists[usize::from(self.places[at as usize].list)];
        let before = std::mem::replace(&mut list.newest, at);
        match before {
            NONE => {
                list.oldest = at;
                self.falls_due(at);
            }
            before => self.places[before as usize].newer = at,
        }
        let place = &mut self.places[at as usize];
        (place.older, place.newer) = (before, NONE);
    }

    fn unlink(&mut self, at: u32) {
        let Place {
            older, newer, list, ..
        } = self.places[at as usize];
        let list = usize::from(list);
        match older {
            NONE => {
                self.lists[list].oldest = newer;
                self.falls_due(newer);
            }
            older => self.places[older as usize].newer = newer,
        }
        match newer {
            NONE => self.lists[list].newest = older,
            newer => self.places[newer as usize].older = older,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_takes_what_the_refusal_counts() {
        assert_eq!(
            size_of::<Place>() as u64 + 4 * size_of::<u32>() as u64,
            BYTES
        );
    }

    /// A full table has no more memory than a refusal says that it needs.
    #[test]
    fn a_million_flows_are_in_40_mb_and_the_next_power_of_two_of_them_in_48_b_each() {
        for (places, expected) in [
            (1_000, 40_192),
            (1_000_000, 40_388_608),
            ((1 << 20) + 1, 50_331_680),
        ] {
            let mut table = Exact::build(places as u32, Time::from_ms(10), 1, 1).unwrap();
            (0..places + 9).for_each(|key| _ = table.see(key, false, Time::ZERO));
            assert_eq!(u64::from(table.flows()), places);
            let own = table.places.capacity() * size_of::<Place>();
            let takes = (own + table.index.capacity() * size_of::<u32>()) as u64;
            assert_eq!(takes, expected, "{places}");
            assert!(takes <= BYTES * places, "{places}: {takes}");
        }
    }
}
