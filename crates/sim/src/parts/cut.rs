//! Partition of a network into parts.
//!
//! **Decision**     hosts stay with their switch. The switches with hosts are laid in a row as they are
//!                  numbered, pod after
//!                  pod, and the row is cut into pieces with about as many hosts each; every other switch goes
//!                  to the
//!                  part with most of its cables, on a tie to the one with the least load. Then switches at the
//!                  border
//!                  change sides as long as that saves cut cables and no part gets much more than its share.
//!                  Switches joined by a cable without delay stay together: its lookahead would be only a
//!                  packet's time.
//! **State**        per switch and host the number of its part.
//! **Units**        load of a switch: its cables, those to hosts twice, since a host's end of a flow has work
//!                  too.
//! **Errors**       [`CutError`]: why there cannot be that many parts, and how many there can be.

use crate::network::{End, Network};
use sidestep_switch::ports::Wire;
use sidestep_types::{Framing, HEADER_BYTES, HostId, SwitchId, Time};
use std::fmt;

/// Part of each switch and host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    of_switch: Vec<u16>,
    of_host: Vec<u16>,
    parts: usize,
    lookahead: Time,
    /// Cables between parts.
    cables: usize,
}

/// Reason why a network cannot be split into that many parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutError {
    /// The network has one switch, or one with hosts.
    OneSwitch,
    /// Cables without delay keep all hosts together.
    NoDelay,
    /// Fewer parts have hosts.
    TooMany {
        /// Number of useful parts.
        useful: usize,
    },
}

impl fmt::Display for CutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CutError::OneSwitch => f.write_str(
                "the network cannot be split into parts: all hosts are attached to one switch",
            ),
            CutError::NoDelay => f.write_str(
                "the network cannot be split into parts: every split would cross cables without \
                 delay, which allow no lookahead",
            ),
            CutError::TooMany { useful } => {
                write!(
                    f,
                    "at most {useful} threads are useful: the network has only {useful} parts with \
                     hosts"
                )
            }
        }
    }
}

/// Load that a part may have beyond its share, in percent.
const SLACK: usize = 5;
/// Most passes over all switches that let them change sides.
const ROUNDS: usize = 8;
/// Part of a switch not assigned yet.
const NOBODY: u16 = u16::MAX;

impl Cut {
    /// Splits `network` into `parts`, at least one.
    pub fn of(network: &Network, parts: usize, framing: Framing) -> Result<Cut, CutError> {
        let atoms = Atoms::of(network);
        let useful = atoms.with_hosts().len();
        if parts > useful.max(1) {
            return Err(match useful {
                0 | 1 if atoms.is_one_switch => CutError::OneSwitch,
                0 | 1 => CutError::NoDelay,
                useful => CutError::TooMany { useful },
            });
        }
        let of_atom = atoms.cut(parts);
        let of_switch: Vec<u16> = atoms.of_switch.iter().map(|atom| of_atom[*atom]).collect();
        let mut cut = Cut {
            of_host: vec![0; network.hosts as usize],
            of_switch,
            parts,
            lookahead: Time::MAX,
            cables: 0,
        };
        for cable in &network.cables {
            match (cable.a, cable.b) {
                (End::Host(h), End::Switch(s)) | (End::Switch(s), End::Host(h)) => {
                    cut.of_host[h.0 as usize] = cut.of_switch[s.0 as usize];
                }
                (a, b) => {
                    if cut.of_end(a) != cut.of_end(b) {
                        let wire = Wire::new(cable.rate, cable.delay);
                        let shortest = wire.time_to_send(framing.wire(HEADER_BYTES));
                        cut.lookahead = cut.lookahead.min(cable.delay.saturating_add(shortest));
                        cut.cables += 1;
                    }
                }
            }
        }
        Ok(cut)
    }

    /// Returns the most parts with hosts that a network can have.
    pub fn most(network: &Network) -> usize {
        Atoms::of(network).with_hosts().len().max(1)
    }

    /// Returns the number of parts.
    pub fn parts(&self) -> usize {
        self.parts
    }

    /// Returns the least time between queueing a packet in one part and its arrival in another.
    pub fn lookahead(&self) -> Time {
        self.lookahead
    }

    /// Returns the number of cables between parts.
    pub fn cables(&self) -> usize {
        self.cables
    }

    /// Returns the part of a host.
    pub fn of_host(&self, host: HostId) -> u16 {
        self.of_host[host.0 as usize]
    }

    /// Returns the part of a switch.
    pub fn of_switch(&self, switch: SwitchId) -> u16 {
        self.of_switch[switch.0 as usize]
    }

    pub(crate) fn of_end(&self, end: End) -> u16 {
        match end {
            End::Host(host) => self.of_host(host),
            End::Switch(switch) => self.of_switch(switch),
        }
    }
}

/// Groups of switches that stay together, and the cables between groups.
struct Atoms {
    of_switch: Vec<usize>,
    hosts: Vec<usize>,
    /// Load of each group.
    load: Vec<usize>,
    /// Per group: its neighbours and the number of cables to each, in the order of their numbers.
    near: Vec<Vec<(usize, usize)>>,
    is_one_switch: bool,
}

impl Atoms {
    fn of(network: &Network) -> Atoms {
        let switches = network.switches.len();
        let mut root: Vec<usize> = (0..switches).collect();
        let find = |root: &[usize], mut at: usize| {
            while root[at] != at {
                at = root[at];
            }
            at
        };
        for cable in &network.cables {
            if let (End::Switch(a), End::Switch(b)) = (cable.a, cable.b)
                && cable.delay == Time::ZERO
            {
                let (a, b) = (find(&root, a.0 as usize), find(&root, b.0 as usize));
                root[a.max(b)] = a.min(b);
            }
        }
        let (mut of_switch, mut atoms) = (vec![0; switches], 0);
        for switch in 0..switches {
            let first = find(&root, switch);
            of_switch[switch] = if first == switch {
                atoms += 1;
                atoms - 1
            } else {
                of_switch[first]
            };
        }
        let (mut hosts, mut load) = (vec![0; atoms], vec![0; atoms]);
        let mut cables = Vec::new();
        let mut with_hosts = vec![false; switches];
        for cable in &network.cables {
            match (cable.a, cable.b) {
                (End::Host(_), End::Switch(s)) | (End::Switch(s), End::Host(_)) => {
                    let atom = of_switch[s.0 as usize];
                    with_hosts[s.0 as usize] = true;
                    hosts[atom] += 1;
                    load[atom] += 2;
                }
                (End::Switch(a), End::Switch(b)) => {
                    let (a, b) = (of_switch[a.0 as usize], of_switch[b.0 as usize]);
                    load[a] += 1;
                    load[b] += 1;
                    if a != b {
                        cables.extend([(a, b), (b, a)]);
                    }
                }
                (End::Host(_), End::Host(_)) => {}
            }
        }
        cables.sort_unstable();
        let mut near: Vec<Vec<(usize, usize)>> = vec![Vec::new(); atoms];
        for (a, b) in cables {
            match near[a].last_mut() {
                Some((last, count)) if *last == b => *count += 1,
                _ => near[a].push((b, 1)),
            }
        }
        Atoms {
            of_switch,
            hosts,
            load,
            near,
            is_one_switch: with_hosts.iter().filter(|has| **has).count() <= 1,
        }
    }

    fn with_hosts(&self) -> Vec<usize> {
        (0..self.hosts.len())
            .filter(|atom| self.hosts[*atom] > 0)
            .collect()
    }

    /// Returns the part of each group.
    fn cut(&self, parts: usize) -> Vec<u16> {
        let mut of = vec![NOBODY; self.hosts.len()];
        self.cut_row(parts, &mut of);
        self.give_others(parts, &mut of);
        self.refine(parts, &mut of);
        of
    }

    /// Assigns the groups with hosts: each piece of the row has at least one, and leaves one for each piece to
    /// come.
    fn cut_row(&self, parts: usize, of: &mut [u16]) {
        let row = self.with_hosts();
        let all: usize = row.iter().map(|atom| self.hosts[*atom]).sum();
        let (mut part, mut before, mut in_part) = (0, 0, 0);
        for (i, atom) in row.iter().enumerate() {
            // The middle of the group's hosts lies beyond the end of the piece.
            let middle = 2 * before + self.hosts[*atom];
            let full = middle * parts > 2 * all * (part + 1);
            let must = row.len() - i <= parts - 1 - part;
            if in_part > 0 && part + 1 < parts && (full || must) {
                (part, in_part) = (part + 1, 0);
            }
            of[*atom] = part as u16;
            in_part += 1;
            before += self.hosts[*atom];
        }
    }

    /// Assigns the other groups, from those next to a part outwards.
    fn give_others(&self, parts: usize, of: &mut [u16]) {
        let mut loads = self.loads(parts, of);
        loop {
            let next_to = |atom: &usize| {
                of[*atom] == NOBODY && self.near[*atom].iter().any(|(b, _)| of[*b] != NOBODY)
            };
            let layer: Vec<usize> = (0..of.len()).filter(next_to).collect();
            if layer.is_empty() {
                break;
            }
            let cables: Vec<Vec<usize>> =
                (layer.iter().map(|atom| self.cables_to(*atom, parts, of))).collect();
            for (atom, cables) in layer.into_iter().zip(cables) {
                let best = (0..parts).max_by_key(|part| {
                    let least = usize::MAX - loads[*part];
                    (cables[*part], least, usize::MAX - part)
                });
                let best = best.expect("there are parts");
                of[atom] = best as u16;
                loads[best] += self.load[atom];
            }
        }
        // Not connected to any part: no packet reaches them.
        of.iter_mut()
            .filter(|part| **part == NOBODY)
            .for_each(|part| *part = 0);
    }

    fn loads(&self, parts: usize, of: &[u16]) -> Vec<usize> {
        let mut loads = vec![0; parts];
        for (atom, part) in of.iter().enumerate().filter(|(_, part)| **part != NOBODY) {
            loads[usize::from(*part)] += self.load[atom];
        }
        loads
    }

    /// Returns the number of cables from `atom` to each part.
    fn cables_to(&self, atom: usize, parts: usize, of: &[u16]) -> Vec<usize> {
        let mut cables = vec![0; parts];
        for (other, count) in &self.near[atom] {
            if of[*other] != NOBODY {
                cables[usize::from(of[*other])] += count;
            }
        }
        cables
    }

    /// Moves groups to another part where that saves cables.
    fn refine(&self, parts: usize, of: &mut [u16]) {
        let mut loads = self.loads(parts, of);
        let mut hosts = vec![0; parts];
        for (atom, part) in of.iter().enumerate() {
            hosts[usize::from(*part)] += self.hosts[atom];
        }
        let all: usize = self.load.iter().sum();
        let most = all.div_ceil(parts) * (100 + SLACK) / 100;
        for _ in 0..ROUNDS {
            let mut moved = false;
            for atom in 0..of.len() {
                let own = usize::from(of[atom]);
                let cables = self.cables_to(atom, parts, of);
                let best = (0..parts).max_by_key(|part| (cables[*part], usize::MAX - part));
                let best = best.expect("there are parts");
                let fits = loads[best] + self.load[atom] <= most;
                // A part keeps at least one group with hosts.
                let stays = self.hosts[atom] > 0 && hosts[own] == self.hosts[atom];
                if cables[best] > cables[own] && fits && !stays {
                    of[atom] = best as u16;
                    loads[own] -= self.load[atom];
                    loads[best] += self.load[atom];
                    hosts[own] -= self.hosts[atom];
                    hosts[best] += self.hosts[atom];
                    moved = true;
                }
            }
            if !moved {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests;
