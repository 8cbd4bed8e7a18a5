//! Scheduler: the subflow that may send next.
//!
//! **Decision**     the order in which subflows are polled; the first that can send does.
//! **State**        that order.
//! **Units**        none.
//! **Errors**       none.
//! **Source**       Paasch et al., CSWS 2014 (lowest round trip first, round robin); the former is the default
//!                  of the kernel patches of multipath-tcp.org.
//! **Deviations**   a subflow without a measured round trip comes before those with one; ties go by subflow
//!                  number (assumed).

use sidestep_types::{Packet, Time};

use crate::registry::words;

words! {
    /// Order in which subflows are offered the next segment.
    pub enum Scheduler {
        /// Lowest smoothed round trip first, while the window has room.
        LowestRtt = "lowest-rtt",
            "the subflow with the lowest round trip that has room",
            "Paasch et al., CSWS 2014";
        /// Round robin: the subflow after the one that sent last comes first.
        RoundRobin = "round-robin",
            "round robin over the subflows whose window has room",
            "Paasch et al., CSWS 2014";
    }
}

/// Current order of subflows.
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

    /// Returns the subflow at this place of the order.
    pub(super) fn at(&self, place: usize) -> usize {
        usize::from(self.subflows[place])
    }

    /// Records that the subflow at this place has sent new data.
    pub(super) fn sent(&mut self, place: usize) {
        if self.by == Scheduler::RoundRobin {
            self.subflows[..self.n].rotate_left(place + 1);
        }
    }

    /// Updates the order after a round trip was measured; `of` returns the smoothed round trip of a subflow.
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
        // 1 had no room; 2 sent.
        order.sent(1);
        assert_eq!(all(&order), [0, 1, 2]);
        order.sent(0);
        order.measured(|i| Some(Time::from_us(i as u64)));
        assert_eq!(all(&order), [1, 2, 0], "round trips change nothing");
    }
}
