//! Table of the flows in a class.
//!
//! **Decision**     a flow counts from its first packet until its last packet has left the queue. A later
//!                  packet (a retransmission) counts from its arrival until it has left. A flow is removed and
//!                  forgotten when none of its packets waits and none has arrived for `silence`. A flow that
//!                  has ended is forgotten after the flows that ended before it.
//! **State**        [`BYTES`] for each flow that counts or is remembered as ended; at most `places` flows. A
//!                  full table forgets ended flows, the oldest first, before it leaves a new flow out. Flows
//!                  that count are sorted once per `silence`, not at each packet.
//! **Units**        flows; `silence` in time.
//! **Errors**       refuses `places` for which a switch would need more than [`MEMORY`], with the numbers.
//! **Source**       none: see [`super`]. Deletion moves entries back, as in Knuth, volume 3, 6.4, algorithm R.
//! **Deviations**   a table grows as flows come, up to the size of `places` of them.

use sidestep_types::{Bytes, Refusal, Time};
use std::collections::VecDeque;

/// Most bytes per place: 32 for the place itself, and 8 to 16 for the index.
pub(super) const BYTES: u64 = 48;
/// Most memory of all tables of a switch; assumed.
const MEMORY: Bytes = Bytes(1_000_000_000);
/// Number that stands for no place.
const NONE: u32 = u32::MAX;
/// Most places of a table.
pub(super) const MOST_PLACES: u64 = NONE as u64 - 1;

/// Known flow.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Place {
    key: u64,
    /// Arrival of its latest packet.
    seen: Time,
    /// Neighbours in its list, the older and the newer.
    older: u32,
    newer: u32,
    /// Number, in 48 bits, of the flow's packet that joined the queue last. That packet, and so the flow, waits
    /// until its transmission has begun.
    last_low: u32,
    last_high: u16,
    /// True if the last packet of the flow has arrived.
    ends: bool,
    /// List that contains the place.
    list: u8,
}

/// Flow of a packet that has arrived, as the table found it.
pub(in super::super) struct FlowLookup {
    /// Place of the flow, if there is one.
    pub place: Option<u32>,
    /// True if the flow was young before, so that the packet brings no due time forward.
    pub young: bool,
    /// True if the last packet of the flow came before: this packet is a retransmission.
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

/// List of ended flows, in order of their end. Silence is noticed in this order: a flow seen earlier than an
/// older entry is removed after that entry.
const ENDED: u8 = 0;
/// List of flows that count and were not seen since the last turn, in the order in which they were seen.
const OLD: u8 = 1;
/// List of flows that count and were seen since the last turn, in any order: a further packet of a flow changes
/// no list.
const YOUNG: u8 = 2;

/// Ends of a linked list of places.
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
    /// First free place; free places are linked by `newer`.
    free: u32,
    /// Number of places in use.
    known: usize,
    /// Hash index from keys to places; at least twice as long as there are places.
    index: Vec<u32>,
    /// Number of bits by which a hash is shifted: 64 less the bits of an index number.
    shift: u32,
    /// Lists [`ENDED`], [`OLD`] and [`YOUNG`].
    lists: [List; 3],
    /// Time of the last turn, when the young became old. No young flow was seen before it.
    turned: Time,
    /// Time before which no flow can have been silent for too long.
    due: Time,
    flows: u32,
    /// Number of packets that have joined the queue, of all flows; each packet's own number is this count when
    /// it joins. A class queue is first in, first out, so this and the number of begun transmissions tell which
    /// packets wait.
    joined: u64,
    /// Number of these packets whose transmission has begun, as last reported.
    begun: u64,
    /// Flows that have ended and still wait, each with a packet number. When that packet's transmission begins,
    /// no packet of the flow may wait any more. The numbers rise.
    ending: VecDeque<(u64, u32)>,
    /// First of these numbers.
    ends_at: u64,
}

impl Exact {
    /// Creates a table for one of `classes` classes of a switch with `ports` ports.
    pub fn build(places: u32, silence: Time, classes: usize, ports: u16) -> Result<Exact, Refusal> {
        let takes = BYTES as u128 * u128::from(places) * classes as u128 * u128::from(ports);
        if takes > u128::from(MEMORY.0) {
            let takes = Bytes(u64::try_from(takes).unwrap_or(u64::MAX));
            let wrong = format!(
                "flow tables would take {takes} per switch, at most {MEMORY} is allowed: {places} \
                 places of {BYTES} B for each of {classes} classes at each of {ports} ports; \
                 lower places or classes"
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

    /// Removes flows that were silent for too long.
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

    /// Removes silent flows from a sorted list.
    fn leave_list(&mut self, list: u8, now: Time) {
        while let Some(place) = self.oldest(list)
            && now.saturating_sub(place.seen) >= self.silence
        {
            self.silent(self.lists[usize::from(list)].oldest, now);
        }
    }

    /// Moves the young flows to the old list, in the order in which they were seen.
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

    /// Updates the due time for the new oldest place of a list.
    #[inline]
    fn falls_due(&mut self, oldest: u32) {
        if let Some(place) = self.places.get(oldest as usize) {
            self.due = self.due.min(place.seen.saturating_add(self.silence));
        }
    }

    /// Returns the oldest place of a list.
    fn oldest(&self, list: u8) -> Option<&Place> {
        self.places
            .get(self.lists[usize::from(list)].oldest as usize)
    }

    /// Returns the time before which no flow can have been silent for too long.
    #[inline]
    pub fn due(&self) -> Time {
        self.due
    }

    /// Counts the flow `key` of a packet that has arrived. A packet that `opens` it is the first of a new
    /// connection. Returns the place of the flow, if there is one.
    #[inline(always)]
    pub fn see(&mut self, key: u64, opens: bool, now: Time) -> FlowLookup {
        let Some(at) = self.find(key) else {
            return FlowLookup {
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
        FlowLookup { place, young, ends }
    }

    /// Counts a flow that has no place, if there is room for it.
    #[cold]
    #[inline(never)]
    fn see_new(&mut self, key: u64, now: Time) -> Option<u32> {
        let at = self.add(key, now)?;
        self.flows += 1;
        self.link_young(at, now);
        Some(at)
    }

    /// Counts the flow in this place again and makes it young.
    #[cold]
    #[inline(never)]
    fn renew(&mut self, at: u32, now: Time) {
        self.unlink(at);
        self.flows += u32::from(self.places[at as usize].list == ENDED);
        self.link_young(at, now);
    }

    /// Adds a place that is in no list to the young ones. Restarts the turn if no flow counted before.
    fn link_young(&mut self, at: u32, now: Time) {
        let nobody = [OLD, YOUNG].map(|list| self.lists[usize::from(list)].oldest);
        if nobody == [NONE; 2] {
            self.turned = now;
        }
        self.places[at as usize].list = YOUNG;
        self.link(at);
    }

    /// Records that `packets` packets join the queue and wait there, of any flow.
    #[inline]
    pub fn some_join(&mut self, packets: u32) {
        self.joined += u64::from(packets);
    }

    /// Records that the packet that joined last is of the flow in this place. It was shown right before, and
    /// may be the last (`ends`).
    #[inline(always)]
    pub fn joins(&mut self, at: u32, ends: bool) {
        let place = &mut self.places[at as usize];
        place.joins(self.joined);
        place.ends |= ends;
        if place.ends {
            self.ends_with(self.joined, at);
        }
    }

    /// Records that no packet of the flow in this place may wait once the transmission of packet `number` has
    /// begun.
    #[cold]
    #[inline(never)]
    fn ends_with(&mut self, number: u64, at: u32) {
        let behind = self.ending.partition_point(|(other, _)| *other <= number);
        self.ending.insert(behind, (number, at));
        self.ends_at = self.ending[0].0;
    }

    /// Records that the transmission of all packets that joined, except the last `waiting`, has begun.
    #[inline(always)]
    pub fn left(&mut self, waiting: u32) {
        self.begun = self.joined - u64::from(waiting);
        if self.ends_at <= self.begun {
            self.leave_ended();
        }
    }

    /// Stops counting flows whose last packet has begun to be sent.
    #[cold]
    #[inline(never)]
    fn leave_ended(&mut self) {
        while let Some((number, at)) = self.ending.front().copied()
            && number <= self.begun
        {
            self.ending.pop_front();
            // The flow may have been opened again since.
            if self.places[at as usize].ends {
                self.depart(at);
            }
        }
        self.ends_at = self.ending.front().map_or(u64::MAX, |first| first.0);
    }

    /// Returns true if a packet of the flow in this place waits.
    #[inline]
    fn waits(&self, at: u32) -> bool {
        self.places[at as usize].last() > self.begun
    }

    /// Records that a packet of the flow in this place joins and leaves at once, while none of its packets
    /// waits. It was shown right before.
    #[inline]
    pub fn passes(&mut self, at: u32, ends: bool) {
        let place = &mut self.places[at as usize];
        place.ends |= ends;
        if place.ends {
            self.depart(at);
        }
    }

    /// Records that a packet without data joins that ends its flow.
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

    /// Removes a flow that ends from the count, unless a packet of it waits.
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

    /// Forgets a flow that was silent for too long, unless packets of it wait to be sent.
    #[cold]
    fn silent(&mut self, at: u32, now: Time) {
        if !self.waits(at) {
            return self.remove(at);
        }
        self.unlink(at);
        self.places[at as usize].seen = now;
        self.link_young(at, now);
    }

    /// Returns the slot where the search for `key` begins: the upper bits of its product with the golden ratio,
    /// by which consecutive keys are spread out.
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

    /// Returns a place for a new flow that counts from now on, in no list yet. `None` if all places are taken
    /// by flows that count.
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

    /// Appends a place, and doubles the memory if it is full.
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

    /// Doubles the index. All places are in use then, or no place would be appended.
    #[cold]
    fn grow(&mut self) {
        self.index = vec![NONE; 2 * self.index.len()];
        self.shift -= 1;
        (0..self.places.len() as u32).for_each(|at| self.enter(at));
    }

    /// Forgets a flow of which no packet waits.
    #[cold]
    fn remove(&mut self, at: u32) {
        self.unlink(at);
        let place = &self.places[at as usize];
        self.flows -= u32::from(place.list != ENDED);
        let mut hole = self.home(place.key);
        while self.index[hole] != at {
            hole = self.next(hole);
        }
        // Moves into the hole any later entry whose search begins at the hole or before it.
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

    /// Appends a place to its list, as the newest.
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

    /// Checks that a full table takes no more memory than a refusal states.
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
