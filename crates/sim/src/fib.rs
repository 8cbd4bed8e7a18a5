//! Next hops on shortest paths, for any network: breadth-first search from each switch with hosts.
//!
//! A switch looks up its next hops by the switch of the destination, so tables stay small; equal sets of next
//! hops are stored once per switch, and equal tables once per network. Destinations with the same neighbours
//! are searched once ([`Tables`]).

mod tables;

use crate::indexed::{at, fetch, part};
use crate::network::{End, Network, SwitchInfo};
use sidestep_switch::Hops;
use sidestep_types::{PortId, PortSet};
use std::collections::VecDeque;
use std::sync::Arc;
use tables::Tables;

impl Network {
    /// Returns, for each switch and each host, the ports on shortest paths to it, in rising order: the choices
    /// of a switch's route. Errors as in [`crate::World::new`].
    pub fn next_hops(&self) -> Result<Vec<Vec<Vec<PortId>>>, String> {
        let ports = Ports::number(self)?;
        let fibs = ports.shortest_paths(&self.switches)?;
        let of_switch = |(s, fib): (usize, &Fib)| {
            let to_host = |at: &Attachment| match at.switch as usize == s {
                true => vec![at.port],
                false => fib.hops(at.switch).ports.to_vec(),
            };
            ports.attachments.iter().map(to_host).collect()
        };
        Ok(fibs.iter().enumerate().map(of_switch).collect())
    }

    /// Returns, for each switch, whether it has several next hops on shortest paths to some host, so that its
    /// route has a choice. Errors as in [`crate::World::new`].
    pub fn choices(&self) -> Result<Vec<bool>, String> {
        let fibs = Ports::number(self)?.shortest_paths(&self.switches)?;
        let several = |fib: &Fib| fib.set_of.iter().any(|set| set & 0x1ff > 1);
        Ok(fibs.iter().map(several).collect())
    }
}

/// Ports of a network, and next hops of each of its switches: worlds of the same network share them.
pub(crate) struct Paths {
    pub ports: Arc<Ports>,
    pub fibs: Vec<Fib>,
}

impl Paths {
    /// Computes the paths of `network`. Errors as in [`crate::World::new`].
    pub fn of(network: &Network) -> Result<Paths, String> {
        network.validate()?;
        let ports = Ports::number(network)?;
        Ok(Paths {
            fibs: ports.shortest_paths(&network.switches)?,
            ports: Arc::new(ports),
        })
    }
}

/// Most switches: tables hold an entry for each pair of them, a gigabyte at this number.
const MOST_SWITCHES: usize = 1 << 14;

/// Switch and port to which a host is attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attachment {
    pub switch: u32,
    pub port: PortId,
}

/// Forwarding table of one switch. Most switches of a regular network have equal tables, and share one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Fib {
    /// Per switch up to the last with hosts: the begin of its set in `hops`, and in the low 9 bits the set's
    /// length.
    set_of: Arc<[u32]>,
    hops: Arc<[PortId]>,
}

impl Default for Fib {
    fn default() -> Fib {
        Fib {
            set_of: Arc::new([]),
            hops: Arc::new([]),
        }
    }
}

impl Fib {
    /// Returns the ports on shortest paths to `switch`, which is another switch, with hosts. The number of a
    /// set is its begin in `hops`.
    #[inline]
    pub fn hops(&self, switch: u32) -> Hops<'_> {
        let set = at(&self.set_of, switch);
        Hops {
            ports: self.ports(set),
            set: set >> 9,
            prefix: switch,
        }
    }

    /// Prefetches what [`Fib::hops`] reads first.
    #[inline]
    pub fn fetch(&self, switch: u32) {
        fetch(self.set_of.as_ptr().wrapping_add(switch as usize).cast());
    }

    /// Returns an empty table.
    #[cfg(test)]
    pub fn new(switches: usize) -> Fib {
        Fib {
            set_of: vec![0; switches].into(),
            hops: Arc::new([]),
        }
    }

    /// Returns the sets of the table, for [`Fib::learn`].
    pub fn sets(&self) -> Vec<u32> {
        let mut sets: Vec<u32> = self
            .set_of
            .iter()
            .copied()
            .filter(|set| set & 0x1ff > 0)
            .collect();
        sets.sort_unstable();
        sets.dedup();
        sets
    }

    /// Makes `ports` the next hops to the switch `to`. `sets` are the sets of the table so far; a set no longer
    /// in use keeps its number, so that state stored by a route stays valid. Only whole lists are shared: a
    /// prefix of a longer list would have the same number.
    pub fn learn(&mut self, sets: &mut Vec<u32>, to: u32, ports: &[PortId]) {
        let known = sets.iter().find(|set| self.ports(**set) == ports);
        let set = known.copied().unwrap_or_else(|| {
            let mut hops = self.hops.to_vec();
            sets.push(append(&mut hops, ports));
            self.hops = hops.into();
            sets[sets.len() - 1]
        });
        if self.set_of[to as usize] != set {
            Arc::make_mut(&mut self.set_of)[to as usize] = set;
        }
    }

    /// Returns true if both share one table.
    #[cfg(test)]
    pub fn is(&self, other: &Fib) -> bool {
        Arc::ptr_eq(&self.set_of, &other.set_of)
    }

    #[inline]
    fn ports(&self, set: u32) -> &[PortId] {
        part(&self.hops, set >> 9, set & 0x1ff)
    }
}

/// Appends a set of next hops; returns its begin and length.
fn append(hops: &mut Vec<PortId>, ports: &[PortId]) -> u32 {
    let from = hops.len();
    assert!(
        from < 1 << 23 && ports.len() < 1 << 9,
        "a forwarding table of sane size"
    );
    hops.extend_from_slice(ports);
    (from as u32) << 9 | ports.len() as u32
}

/// Ports of every switch: the far end of each, and its directed half of a cable.
pub(crate) struct Ports {
    /// Per switch, per port: the far end, the cable, and whether the switch is its `a` end.
    pub of_switch: Vec<Vec<(End, u32, bool)>>,
    /// Per host: its cable, and whether it is the `a` end.
    pub of_host: Vec<(u32, bool)>,
    /// Per host: its switch and port.
    pub attachments: Vec<Attachment>,
}

impl Ports {
    /// Numbers the ports in the order of the cables. Errors name a host without exactly one cable to a switch,
    /// or a switch with too many ports.
    pub fn number(network: &Network) -> Result<Ports, String> {
        let mut of_switch: Vec<Vec<(End, u32, bool)>> = vec![Vec::new(); network.switches.len()];
        let mut of_host = vec![Vec::new(); network.hosts as usize];
        for (c, cable) in network.cables.iter().enumerate() {
            for (near, far, is_a) in [(cable.a, cable.b, true), (cable.b, cable.a, false)] {
                match near {
                    End::Host(h) => of_host[h.0 as usize].push((far, c as u32, is_a)),
                    End::Switch(s) => of_switch[s.0 as usize].push((far, c as u32, is_a)),
                }
            }
        }
        for (s, ports) in of_switch.iter().enumerate() {
            if ports.len() > PortSet::CAPACITY {
                return Err(format!(
                    "switch {} has {} ports, at most {} are possible",
                    network.switches[s],
                    ports.len(),
                    PortSet::CAPACITY
                ));
            }
        }
        let mut attachments = Vec::new();
        let mut nics = Vec::new();
        for (h, cables) in of_host.iter().enumerate() {
            let [(End::Switch(s), cable, is_a)] = cables[..] else {
                return Err(format!(
                    "host {h} has {} cables, expected exactly one, to a switch",
                    cables.len()
                ));
            };
            let port = of_switch[s.0 as usize]
                .iter()
                .position(|p| p.1 == cable)
                .expect("the switch's end of the host's cable");
            attachments.push(Attachment {
                switch: s.0,
                port: PortId(port as u16),
            });
            nics.push((cable, is_a));
        }
        Ok(Ports {
            of_switch,
            of_host: nics,
            attachments,
        })
    }

    /// Computes the forwarding table of every switch. Errors name a switch that cannot reach a host.
    pub fn shortest_paths(&self, switches: &[SwitchInfo]) -> Result<Vec<Fib>, String> {
        let n = self.of_switch.len();
        if n > MOST_SWITCHES {
            return Err(format!(
                "{n} switches, expected at most {MOST_SWITCHES}: their forwarding tables would not fit"
            ));
        }
        Ok(Tables::of(self, switches)?.share())
    }

    /// Calls `with` with every switch that has hosts, every switch that reaches it, and the ports on shortest
    /// paths there without the cables that are `dead`.
    pub fn each_way(
        &self,
        dead: &dyn Fn(u32) -> bool,
        mut with: impl FnMut(u32, usize, &[PortId]),
    ) {
        for to in self.with_hosts() {
            for (s, ports) in self.ways(to, dead).iter().enumerate() {
                if !ports.is_empty() {
                    with(to, s, ports);
                }
            }
        }
    }

    /// Returns the switches that have hosts.
    fn with_hosts(&self) -> Vec<u32> {
        let mut with_hosts: Vec<u32> = self.attachments.iter().map(|a| a.switch).collect();
        with_hosts.sort_unstable();
        with_hosts.dedup();
        with_hosts
    }

    /// Returns, per switch, the ports on shortest paths to the switch `to` without the cables that are `dead`:
    /// none at `to` itself, and none if there is no path.
    fn ways(&self, to: u32, dead: &dyn Fn(u32) -> bool) -> Vec<Vec<PortId>> {
        let distance = self.distances(to, dead);
        let of_switch = |(s, ports): (usize, &Vec<(End, u32, bool)>)| {
            if distance[s] == u32::MAX {
                return Vec::new();
            }
            let closer = |far: &End| match far {
                End::Switch(f) => distance[f.0 as usize].checked_add(1) == Some(distance[s]),
                End::Host(_) => false,
            };
            (ports.iter().enumerate())
                .filter(|(_, (far, cable, _))| closer(far) && !dead(*cable))
                .map(|(p, _)| PortId(p as u16))
                .collect()
        };
        self.of_switch.iter().enumerate().map(of_switch).collect()
    }

    fn distances(&self, to: u32, dead: &dyn Fn(u32) -> bool) -> Vec<u32> {
        let mut distance = vec![u32::MAX; self.of_switch.len()];
        distance[to as usize] = 0;
        let mut queue = VecDeque::from([to]);
        while let Some(s) = queue.pop_front() {
            for (far, cable, _) in &self.of_switch[s as usize] {
                if let End::Switch(f) = far
                    && !dead(*cable)
                    && distance[f.0 as usize] == u32::MAX
                {
                    distance[f.0 as usize] = distance[s as usize] + 1;
                    queue.push_back(f.0);
                }
            }
        }
        distance
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NoFiles;
    use crate::topology::{Topology, fat_tree::FatTree, testbed::Testbed};
    use sidestep_types::Settings;

    #[test]
    fn edges_and_aggregations_of_a_fat_tree_have_a_choice_and_its_cores_none() {
        let network = FatTree::defaults().build_network(&NoFiles).unwrap();
        let choices = network.choices().unwrap();
        for (switch, choice) in network.switches.iter().zip(choices) {
            assert_eq!(choice, !switch.name.starts_with("core"), "{}", switch.name);
        }
    }

    #[test]
    fn next_hops_are_the_hosts_port_or_every_shortest_way() {
        let network = Testbed::defaults().build_network(&NoFiles).unwrap();
        let hops = network.next_hops().unwrap();
        let ports = |numbers: &[u16]| numbers.iter().map(|&n| PortId(n)).collect::<Vec<_>>();
        // Host 1 is attached to edge 0; the other edges reach it by both aggregation switches.
        assert_eq!(hops[0][1], ports(&[1]));
        assert_eq!(hops[2][1], ports(&[2, 3]));
        assert_eq!(hops[3][5], ports(&[2]));
    }

    #[test]
    fn equal_lists_of_ports_have_one_number_and_others_another() {
        // Ports 0 and 1 to one switch, 0 alone to a second, 1 alone to a third, 1 and 2 to a fourth.
        let (mut fib, mut sets) = (Fib::new(6), Vec::new());
        let lists: [&[u16]; 6] = [&[0, 1], &[0], &[1], &[1, 2], &[0, 1], &[1, 2]];
        for (to, ports) in lists.iter().enumerate() {
            let ports: Vec<PortId> = ports.iter().map(|&p| PortId(p)).collect();
            fib.learn(&mut sets, to as u32, &ports);
            let hops = fib.hops(to as u32);
            assert_eq!((hops.ports, hops.prefix), (&ports[..], to as u32));
        }
        for (a, b) in (0..6).flat_map(|a| (0..6).map(move |b| (a, b))) {
            let (one, other) = (fib.hops(a), fib.hops(b));
            assert_eq!(
                one.set == other.set,
                one.ports == other.ports,
                "{a} and {b}"
            );
        }
        assert_eq!(fib.hops.len(), 2 + 1 + 1 + 2);
    }
}
