//! Forwarding tables of a whole network under construction.
//!
//! Destinations with the same neighbours (the racks of a pod, every leaf of a leaf-spine) are equally far from
//! all other switches, by the same ports: they are searched once. Only their neighbours, which reach them by
//! different ports, and their own tables differ. So a fat-tree needs one search for each pod, and a network in
//! which no two are alike one for each switch with hosts.

use super::{Fib, Ports, append};
use crate::network::{End, SwitchInfo};
use sidestep_types::PortId;
use std::collections::HashMap;
use std::sync::Arc;

/// Next hops of all switches to the destinations so far.
pub(super) struct Tables {
    /// Number of columns: destinations are below it.
    columns: usize,
    /// Per switch and destination: a set of next hops, encoded as in a [`Fib`].
    set_of: Vec<u32>,
    /// Per switch: its next hops, and the sets of them.
    hops: Vec<Vec<PortId>>,
    sets: Vec<Vec<u32>>,
}

impl Tables {
    /// Computes the tables of all switches. Errors name a switch that cannot reach a host.
    pub fn of(ports: &Ports, switches: &[SwitchInfo]) -> Result<Tables, String> {
        let (n, to_all) = (switches.len(), ports.with_hosts());
        let columns = to_all.last().map_or(0, |last| *last as usize + 1);
        let mut tables = Tables {
            columns,
            set_of: vec![0; n * columns],
            hops: vec![Vec::new(); n],
            sets: vec![Vec::new(); n],
        };
        let around: Vec<_> = to_all.iter().map(|to| (*to, ports.around(*to))).collect();
        for alike in around.chunk_by(|one, next| one.1 == next.1) {
            let ways = ports.ways(alike[0].0, &|_| false);
            for (s, way) in (0..).zip(&ways) {
                tables.learn_all(ports, s, way, alike).map_err(|to| {
                    let (s, to) = (&switches[s as usize], &switches[to as usize]);
                    format!("switch {s} cannot reach switch {to}")
                })?;
            }
        }
        Ok(tables)
    }

    /// Stores the next hops of switch `s` to all of `alike`; `way` are those to the first. Returns the switch
    /// that it cannot reach as an error.
    fn learn_all(
        &mut self,
        ports: &Ports,
        s: u32,
        way: &[PortId],
        alike: &[(u32, Vec<u32>)],
    ) -> Result<(), u32> {
        let beside = alike[0].1.binary_search(&s).is_ok();
        let mut own = None;
        for &(to, _) in alike {
            if s == to {
                own = Some(to);
                continue;
            }
            // From one of the alike switches to another, every neighbour leads; a neighbour reaches each by a
            // direct port.
            let way = match beside || s == alike[0].0 {
                true => &ports.leading(s, |far| !beside || far == to)[..],
                false => way,
            };
            if way.is_empty() {
                return Err(to);
            }
            self.learn(s, to, way);
        }
        // A switch's entry for itself is never read: it gets the entry for a switch that is alike, so that
        // their tables are equal.
        if let Some(to) = own {
            let row = s as usize * self.columns;
            let other = alike.iter().find(|other| other.0 != to);
            let other = other.map_or(to, |other| other.0);
            self.set_of[row + to as usize] = self.set_of[row + other as usize];
        }
        Ok(())
    }

    fn learn(&mut self, s: u32, to: u32, way: &[PortId]) {
        let (hops, sets) = (&mut self.hops[s as usize], &mut self.sets[s as usize]);
        let place = s as usize * self.columns + to as usize;
        let is_way = |set: u32| {
            let from = (set >> 9) as usize;
            hops[from..from + (set & 0x1ff) as usize] == *way
        };
        // Most entries equal the one before.
        let before = if to > 0 { self.set_of[place - 1] } else { 0 };
        let mut known = std::iter::once(&before).chain(sets.iter());
        self.set_of[place] = match known.find(|set| is_way(**set)) {
            Some(known) => *known,
            None => {
                sets.push(append(hops, way));
                sets[sets.len() - 1]
            }
        };
    }

    /// Returns the table of each switch; equal tables are shared.
    pub fn share(self) -> Vec<Fib> {
        let mut known: HashMap<(&[u32], &[PortId]), Fib> = HashMap::new();
        let mut fibs = Vec::with_capacity(self.hops.len());
        for (s, hops) in self.hops.iter().enumerate() {
            let set_of = &self.set_of[s * self.columns..(s + 1) * self.columns];
            let fib = known.entry((set_of, &hops[..])).or_insert_with(|| Fib {
                set_of: Arc::from(set_of),
                hops: Arc::from(&hops[..]),
            });
            fibs.push(fib.clone());
        }
        fibs
    }
}

impl Ports {
    /// Returns the switches at the far ends of the cables of `switch`, each once, in rising order.
    fn around(&self, switch: u32) -> Vec<u32> {
        let fars = self.of_switch[switch as usize].iter();
        let mut all: Vec<u32> = fars
            .filter_map(|(far, ..)| match far {
                End::Switch(far) => Some(far.0),
                End::Host(_) => None,
            })
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Returns the ports of `switch` to the switches that `these` accepts.
    fn leading(&self, switch: u32, these: impl Fn(u32) -> bool) -> Vec<PortId> {
        let ports = (0..).zip(&self.of_switch[switch as usize]);
        ports
            .filter(|(_, (far, ..))| matches!(far, End::Switch(far) if these(far.0)))
            .map(|(port, _)| PortId(port))
            .collect()
    }
}
