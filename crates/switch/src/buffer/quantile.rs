//! Latest sampled ranks of each queue, and the standing of a packet among them.
//!
//! The standing is relative to the full window length, even before the window is filled: at a queue that has
//! sampled few packets, a packet has a better standing, as in the simulator of Practical Packet Deflection.

use super::relative_rank::{RankEstimator, RelativeRank};
use crate::Queues;
use sidestep_types::{Packet, PortId, Settings};

/// Setting of the window length.
#[derive(Clone, Copy, Settings)]
pub struct WindowSize {
    /// sampled ranks that each queue remembers, 1 to 1000 (20 in the simulator of PACMNET 2023)
    #[setting(default = "20", range = 1..=MOST)]
    window: u32,
}

/// Longest window, and longest sampling interval.
pub(super) const MOST: u64 = 1000;

/// Sampling windows of all ports.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Windows {
    size: u32,
    every: u32,
    windows: Vec<Window>,
}

#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Window {
    /// Sampled ranks; once the window is full, the oldest is at index `oldest`.
    ranks: Vec<u32>,
    oldest: usize,
    /// Packets since the last sample, which is counted too.
    since: u32,
}

impl Windows {
    /// Creates empty windows for a switch with `ports` ports, which sample one of `every` packets.
    pub fn new(size: WindowSize, every: u32, ports: u16) -> Windows {
        Windows {
            size: size.window,
            every,
            windows: vec![Window::default(); usize::from(ports)],
        }
    }
}

impl RankEstimator for Windows {
    /// Returns the share of the window that ranks strictly better.
    fn of(&self, pkt: &Packet, port: PortId, _: &mut dyn Queues) -> RelativeRank {
        let rank = pkt.rank();
        let ranks = &self.windows[port.index()].ranks;
        RelativeRank {
            part: ranks.iter().filter(|sampled| **sampled < rank).count() as u32,
            whole: self.size,
        }
    }

    #[inline]
    fn see(&mut self, pkt: &Packet, port: PortId) {
        let window = &mut self.windows[port.index()];
        if window.since == 0 {
            window.push(pkt.rank(), self.size as usize);
        }
        window.since += 1;
        if window.since == self.every {
            window.since = 0;
        }
    }

    fn why(&self, standing: RelativeRank) -> String {
        format!(
            "{} of the last {} ranks sampled there are smaller",
            standing.part, standing.whole
        )
    }
}

impl Window {
    fn push(&mut self, rank: u32, size: usize) {
        if self.ranks.len() < size {
            return self.ranks.push(rank);
        }
        self.ranks[self.oldest] = rank;
        self.oldest = (self.oldest + 1) % size;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{StillQueues, data};
    use sidestep_types::{FlowId, HostId, Kind};
    use std::collections::VecDeque;

    fn windows(window: u32, every: u32) -> Windows {
        Windows::new(WindowSize { window }, every, 2)
    }

    fn ranked(rank: u32) -> Packet {
        let mut packet = data();
        packet.set_rank(rank);
        packet
    }

    fn part(windows: &Windows, packet: &Packet, port: u16) -> u32 {
        let mut queues = StillQueues::of(&[0, 0], 9, &[]);
        windows.of(packet, PortId(port), &mut queues).part
    }

    #[test]
    fn one_in_so_many_is_sampled_from_the_first_on_and_ports_do_not_share() {
        let mut windows = windows(20, 3);
        for rank in 1..=7 {
            windows.see(&ranked(rank), PortId(0));
        }
        assert_eq!(windows.windows[0].ranks, [1, 4, 7]);
        assert_eq!(part(&windows, &ranked(7), 0), 2, "strictly smaller");
        assert_eq!(part(&windows, &ranked(100), 1), 0);
        let standing = windows.of(&ranked(8), PortId(0), &mut StillQueues::of(&[0], 9, &[]));
        assert_eq!(
            standing,
            RelativeRank { part: 3, whole: 20 },
            "places that are empty count as no better"
        );
    }

    #[test]
    fn unmarked_data_stands_behind_all_that_is_marked_and_acknowledgements_before_all() {
        let ack = Packet::new(Kind::Ack, FlowId(0), HostId(0), 0);
        let mut windows = windows(4, 1);
        for packet in [ack, ranked(9), data(), data()] {
            windows.see(&packet, PortId(0));
        }
        let parts = [ack, ranked(9), data()].map(|packet| part(&windows, &packet, 0));
        assert_eq!(parts, [0, 1, 2]);
    }

    proptest::proptest! {
        #[test]
        fn the_last_sampled_ranks_are_remembered_and_no_others(
            ranks in proptest::collection::vec(0u32..9, 0..60),
            size in 1u32..7, every in 1usize..5, own in 0u32..9,
        ) {
            let mut windows = windows(size, every as u32);
            let mut last = VecDeque::new();
            for (n, rank) in ranks.into_iter().enumerate() {
                windows.see(&ranked(rank), PortId(1));
                if n % every == 0 {
                    last.push_back(rank);
                }
                if last.len() as u32 > size {
                    last.pop_front();
                }
            }
            let smaller = last.iter().filter(|rank| **rank < own).count();
            assert_eq!(part(&windows, &ranked(own), 1), smaller as u32);
        }
    }
}
