//! Agenda of a switch: the next event of each port, in a tree of minima over a fixed number of slots.

use sidestep_types::Time;

/// Times of the slots, with quick access to the earliest.
pub(super) struct Agenda {
    /// Tree of minima: node 1 is the root, the slots begin at `tree.len() / 2`.
    tree: Vec<Time>,
}

impl Agenda {
    /// Returns an agenda of `slots` slots, all empty.
    pub fn new(slots: usize) -> Agenda {
        Agenda {
            tree: vec![Time::MAX; 2 * slots.next_power_of_two().max(1)],
        }
    }

    /// Sets the time of `slot`; [`Time::MAX`] empties it.
    #[inline]
    pub fn set(&mut self, slot: usize, at: Time) {
        let mut node = self.tree.len() / 2 + slot;
        self.tree[node] = at;
        while node > 1 {
            let least = self.tree[node].min(self.tree[node ^ 1]);
            node /= 2;
            if self.tree[node] == least {
                return;
            }
            self.tree[node] = least;
        }
    }

    /// Returns the earliest time, [`Time::MAX`] if all slots are empty.
    #[inline]
    pub fn first(&self) -> Time {
        self.tree[1]
    }

    /// Returns the first slot that has the earliest time.
    #[inline]
    pub fn slot(&self) -> usize {
        let least = self.tree[1];
        let mut node = 1;
        while node < self.tree.len() / 2 {
            node *= 2;
            node += usize::from(self.tree[node] != least);
        }
        node - self.tree.len() / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn the_earliest_of_the_first_slots_is_at_hand(
            slots in 1usize..40,
            sets in proptest::collection::vec((0usize..40, 0u64..50), 1..200),
        ) {
            let mut agenda = Agenda::new(slots);
            let mut plain = vec![Time::MAX; slots];
            for (slot, at) in sets {
                let at = if at == 49 { Time::MAX } else { Time::from_ps(at) };
                agenda.set(slot % slots, at);
                plain[slot % slots] = at;
                let least = *plain.iter().min().unwrap();
                proptest::prop_assert_eq!(agenda.first(), least);
                if least != Time::MAX {
                    let first = plain.iter().position(|at| *at == least).unwrap();
                    proptest::prop_assert_eq!(agenda.slot(), first);
                }
            }
        }
    }
}
