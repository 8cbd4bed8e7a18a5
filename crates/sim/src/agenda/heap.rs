//! Plain agenda: the standard library's binary heap. The wheel is tested and timed against it.

use super::{Agenda, Slots, past, twice};
use sidestep_types::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Binary heap of events; cancelled ones are skipped as they come up.
pub struct HeapAgenda {
    heap: BinaryHeap<Reverse<(u64, u32, u32, u32)>>,
    /// Per slot: the round of its current event, and whether it has one.
    rounds: Vec<(u32, bool)>,
    now: u64,
}

impl Agenda for HeapAgenda {
    fn new(slots: Slots) -> HeapAgenda {
        let slots = slots.count();
        HeapAgenda {
            heap: BinaryHeap::with_capacity(slots),
            rounds: vec![(0, false); slots],
            now: 0,
        }
    }

    #[inline]
    fn schedule(&mut self, slot: u32, at: Time, tie: u32) {
        if at.ps() < self.now {
            past(slot, at.ps(), self.now);
        }
        let round = &mut self.rounds[slot as usize];
        if round.1 {
            twice(slot);
        }
        *round = (round.0.wrapping_add(1), true);
        self.heap.push(Reverse((at.ps(), tie, slot, round.0)));
    }

    fn cancel(&mut self, slot: u32) {
        self.rounds[slot as usize].1 = false;
    }

    fn pending(&self) -> Vec<(Time, u32, u32)> {
        let live = self
            .heap
            .iter()
            .filter_map(|&Reverse((at, tie, slot, round))| {
                let stale = self.rounds[slot as usize] != (round, true);
                (!stale).then_some((Time::from_ps(at), tie, slot))
            });
        let mut pending: Vec<_> = live.collect();
        pending.sort_unstable();
        pending
    }

    #[inline]
    fn pop_until(&mut self, limit: Time) -> Option<(Time, u32)> {
        loop {
            let &Reverse((at, _, slot, round)) = self.heap.peek()?;
            let stale = self.rounds[slot as usize] != (round, true);
            if !stale && at > limit.ps() {
                return None;
            }
            self.heap.pop();
            if stale {
                continue;
            }
            if at < self.now {
                past(slot, at, self.now);
            }
            self.now = at;
            self.rounds[slot as usize].1 = false;
            return Some((Time::from_ps(at), slot));
        }
    }
}
