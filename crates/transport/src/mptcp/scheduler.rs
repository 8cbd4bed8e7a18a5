//! Which subflow may send next.
//!
//! **Decision**     the order in which subflows are asked; the first that can send does.
//! **State**        that order.
//! **Units**        none.
//! **Errors**       none.
//! **Source**       Paasch et al., CSWS 2014 (lowest round trip first, round robin); the former is the default of
//!                  the kernel patches of multipath-tcp.org.
//! **Deviations**   a subflow that has measured no round trip comes before those that have; equal ones come in
//!                  the order of their numbers (assumed).

use sidestep_types::{Packet, Time};

use crate::registry::words;

words! {
    /// Which subflow is asked first for the next segment.
    pub enum Scheduler {
        /// That with the lowest smoothed round trip, while its window has room.
        LowestRtt = "lowest-rtt",
            "the subflow with the lowest round trip that has room",
            "Paasch et al., CSWS 2014";
        /// The one after that which sent last.
        RoundRobin = "round-robin",
            "subflows in turn, as far as each has room",
            "Paasch et al., CSWS 2014";
    }
}

/// The order of subflows.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Order {
    by: Scheduler,
    subflows: [u8; Packet::SUBFLOWS as usize],
    n: usize,
}

impl Order {
    pub(super) fn new(by: Scheduler, n: usize) -> Order {
        Order {
            by,
            subflows: std::array::from_fn(|i| i as u8),
            n,
        }
    }

    /// The subflow to be asked at this place.
    pub(super) fn at(&self, place: usize) -> usize {
        usize::from(self.subflows[place])
    }

    /// The one at this place has sent new data.
    pub(super) fn sent(&mut self, place: usize) {
        if self.by == Scheduler::RoundRobin {
            self.subflows[..self.n].rotate_left(place + 1);
        }
    }

    /// A round trip was measured: `of` says the smoothed one of each.
    pub(super) fn measured(&mut self, of: impl Fn(usize) -> Option<Time>) {
        if self.by == Scheduler::LowestRtt {
            let key = |subflow: &u8| (of(usize::from(*subflow)), *subflow);
            self.subflows[..self.n].sort_unstable_by_key(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(order: &Order) -> Vec<usize> {
        (0..order.n).map(|place| order.at(place)).collect()
    }

    #[test]
    fn the_lowest_round_trip_comes_first_and_unknown_ones_before_it() {
        let mut order = Order::new(Scheduler::LowestRtt, 4);
        let rtt = [Some(30), Some(10), None, Some(10)];
        order.measured(|i| rtt[i].map(Time::from_us));
        assert_eq!(all(&order), [2, 1, 3, 0]);
        order.sent(1);
        assert_eq!(all(&order), [2, 1, 3, 0]);
    }

    #[test]
    fn in_turn_the_next_is_the_one_after_that_which_sent() {
        let mut order = Order::new(Scheduler::RoundRobin, 3);
        order.sent(0);
        assert_eq!(all(&order), [1, 2, 0]);
        // 1 had no room, 2 sent.
        order.sent(1);
        assert_eq!(all(&order), [0, 1, 2]);
        order.sent(0);
        order.measured(|i| Some(Time::from_us(i as u64)));
        assert_eq!(all(&order), [1, 2, 0], "round trips change nothing");
    }
}
