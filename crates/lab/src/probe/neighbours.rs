//! Switches around each switch, and the occupancy of their buffers.

use sidestep_sim::{End, Network};
use sidestep_switch::{Capacity, Depth};
use sidestep_types::{BitRate, Size};

/// Switches around each switch.
pub struct Neighbourhood {
    /// Switches at a distance of one and of two cables, for each switch.
    pub around: Vec<[Vec<u32>; 2]>,
    /// Directed links that the ports feed, for each switch.
    ports: Vec<Vec<usize>>,
}

impl Neighbourhood {
    pub fn of(network: &Network) -> Neighbourhood {
        let n = network.switches.len();
        let mut next = vec![Vec::new(); n];
        for cable in &network.cables {
            if let (End::Switch(a), End::Switch(b)) = (cable.a, cable.b) {
                next[a.0 as usize].push(b.0);
                next[b.0 as usize].push(a.0);
            }
        }
        for list in &mut next {
            list.sort_unstable();
            list.dedup();
        }
        let around = (0..n).map(|s| {
            let near = next[s].clone();
            let mut far: Vec<u32> = near
                .iter()
                .flat_map(|t| &next[*t as usize])
                .copied()
                .collect();
            far.sort_unstable();
            far.dedup();
            far.retain(|t| *t as usize != s && near.binary_search(t).is_err());
            [near, far]
        });
        let around = around.collect();
        let mut ports = vec![Vec::new(); n];
        for (place, from, _) in directed(network) {
            if let End::Switch(s) = from {
                ports[s.0 as usize].push(place);
            }
        }
        Neighbourhood { around, ports }
    }

    /// Returns the share of these switches' buffers that is free; `None` without switches.
    /// `capacities` are those of all switches.
    pub fn free(&self, switches: &[u32], capacities: &[Capacity], depths: &[Depth]) -> Option<f64> {
        let (mut free, mut all) = (0u64, 0u64);
        for switch in switches {
            let queues = self.ports[*switch as usize].iter().map(|p| depths[*p]);
            let mut count = |held: u64, most: u64| {
                free += most.saturating_sub(held);
                all += most;
            };
            match capacities[*switch as usize] {
                Capacity::PerPort(Size::Packets(n)) => {
                    queues.for_each(|queue| count(u64::from(queue.packets), n));
                }
                Capacity::PerPort(Size::Bytes(b)) => {
                    queues.for_each(|queue| count(u64::from(queue.bytes), b.0));
                }
                Capacity::Shared { memory, .. } => {
                    count(queues.map(|queue| u64::from(queue.bytes)).sum(), memory.0);
                }
                // Refused when the scenario was read.
                Capacity::Unlimited => {}
            }
        }
        (all > 0).then(|| free as f64 / all as f64)
    }
}

/// Iterates over directed links in the order of the outcome's ports: index, feeding end, rate.
pub fn directed(network: &Network) -> impl Iterator<Item = (usize, End, BitRate)> {
    let both = network
        .cables
        .iter()
        .flat_map(|c| [(c.a, c.rate), (c.b, c.rate)]);
    both.enumerate()
        .map(|(place, (from, rate))| (place, from, rate))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{packets, row};
    use super::*;

    #[test]
    fn neighbours_are_exactly_one_and_two_cables_away_and_all_their_ports_count() {
        let around = Neighbourhood::of(&row());
        let expected: [[&[u32]; 2]; 4] =
            [[&[1], &[2]], [&[0, 2], &[3]], [&[1, 3], &[0]], [&[2], &[1]]];
        assert_eq!(
            around.around,
            expected.map(|pair| pair.map(<[u32]>::to_vec))
        );
        // Host 0's cable is 0: link 0 leads up, 1 down. Cable 4 joins switches 0 and 1: link 8 leads there, 9
        // back.
        assert_eq!(around.ports[0], [1, 8]);
        assert_eq!(around.ports[1], [3, 9, 10]);
        let depths = packets(&[(0, 1000), (1, 10), (8, 2), (3, 7)]);
        let free = |switches: &[u32], capacity| around.free(switches, &[capacity; 4], &depths);
        let each = Capacity::PerPort(Size::Packets(10));
        assert_eq!(free(&[0], each), Some(8.0 / 20.0));
        assert_eq!(free(&[0, 1], each), Some(31.0 / 50.0));
        assert_eq!(free(&[3], each), Some(1.0));
        assert_eq!(free(&[], each), None);
        let bytes = Capacity::PerPort(Size::Bytes(sidestep_types::Bytes(30_360)));
        assert_eq!(free(&[0], bytes), Some(1.0 - 12.0 / 40.0));
        let shared = Capacity::Shared {
            memory: sidestep_types::Bytes(36_432),
            alpha: (1, 1),
        };
        assert_eq!(free(&[0], shared), Some(0.5));
        // Switch 0 has 8 of 20 places free, switch 1 has 4 of 6; one of its queues is over its limit.
        let own = [10, 2, 1, 1].map(|n| Capacity::PerPort(Size::Packets(n)));
        assert_eq!(around.free(&[0, 1], &own, &depths), Some(12.0 / 26.0));
    }
}
