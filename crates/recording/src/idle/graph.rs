//! Switches, the links between them, and the links of all shortest paths from one switch to another.
//!
//! **Decision**     breadth first from both ends, from the smaller front each time, until they meet.

use super::Hop;

/// Switches and the links between them.
#[derive(Debug)]
pub struct Graph {
    /// Links from each switch, and links into each.
    out: Rows,
    into: Rows,
    hops: Vec<Hop>,
    /// Per switch: the first switch with the same links.
    kinds: Vec<u32>,
}

/// Links at one end, in the order of the switches there.
#[derive(Debug)]
struct Rows {
    starts: Vec<u32>,
    /// Switch at the other end and number of the hop, sorted for each switch.
    links: Vec<(u32, u32)>,
}

/// Link between switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub from: u32,
    pub to: u32,
    /// Number of its rate and delay.
    pub hop: u32,
}

/// Links of all shortest paths between two switches, by their distance from the first.
#[derive(Debug)]
pub struct Dag {
    pub layers: Vec<Vec<Step>>,
}

impl Rows {
    fn of(switches: usize, links: &[Step], ends: impl Fn(&Step) -> (u32, u32)) -> Rows {
        let mut starts = vec![0; switches + 1];
        for step in links {
            starts[ends(step).0 as usize + 1] += 1;
        }
        for at in 0..switches {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut sorted = vec![(0, 0); links.len()];
        for step in links {
            let (near, far) = ends(step);
            let place = &mut next[near as usize];
            sorted[*place as usize] = (far, step.hop);
            *place += 1;
        }
        let mut rows = Rows {
            starts,
            links: sorted,
        };
        for at in 0..switches {
            let range = rows.range(at as u32);
            rows.links[range].sort_unstable();
        }
        rows
    }

    fn range(&self, switch: u32) -> std::ops::Range<usize> {
        let at = switch as usize;
        self.starts[at] as usize..self.starts[at + 1] as usize
    }

    fn row(&self, switch: u32) -> &[(u32, u32)] {
        &self.links[self.range(switch)]
    }
}

/// Distance of a switch that was not reached.
const FAR: u32 = u32::MAX;

impl Graph {
    pub fn new(switches: usize, links: Vec<(u32, u32, Hop)>) -> Graph {
        let mut hops: Vec<Hop> = links.iter().map(|(_, _, hop)| *hop).collect();
        hops.sort_unstable();
        hops.dedup();
        let step = |(from, to, hop): (u32, u32, Hop)| Step {
            from,
            to,
            hop: hops.partition_point(|other| *other < hop) as u32,
        };
        let steps: Vec<Step> = links.into_iter().map(step).collect();
        let out = Rows::of(switches, &steps, |step| (step.from, step.to));
        let into = Rows::of(switches, &steps, |step| (step.to, step.from));
        let mut order: Vec<u32> = (0..switches as u32).collect();
        let links = |switch: u32| (out.row(switch), into.row(switch));
        // Sorting is stable: the first of those alike stands for them.
        order.sort_by_key(|switch| links(*switch));
        let mut kinds = vec![0; switches];
        for alike in order.chunk_by(|one, next| links(*one) == links(*next)) {
            alike
                .iter()
                .for_each(|switch| kinds[*switch as usize] = alike[0]);
        }
        Graph {
            out,
            into,
            hops,
            kinds,
        }
    }

    pub fn switches(&self) -> usize {
        self.kinds.len()
    }

    /// Returns all different hops, by number.
    pub fn hops(&self) -> &[Hop] {
        &self.hops
    }

    pub fn hop(&self, step: Step) -> Hop {
        self.hops[step.hop as usize]
    }

    /// Returns the switch that stands for those with the same links as `switch`. Paths between switches that
    /// differ are alike if the kinds of their ends are.
    pub fn kind(&self, switch: u32) -> u32 {
        self.kinds[switch as usize]
    }

    /// Returns the shortest paths between two switches that differ.
    pub fn dag(&self, from: u32, to: u32) -> Option<Dag> {
        let mut far = [vec![FAR; self.switches()], vec![FAR; self.switches()]];
        let mut fronts = [vec![from], vec![to]];
        let mut steps = [0; 2];
        far[0][from as usize] = 0;
        far[1][to as usize] = 0;
        let met = loop {
            let side = usize::from(fronts[1].len() < fronts[0].len());
            let rows = [&self.out, &self.into][side];
            steps[side] += 1;
            let mut next = Vec::new();
            for at in &fronts[side] {
                for (to, _) in rows.row(*at) {
                    let known = &mut far[side][*to as usize];
                    if *known == FAR {
                        *known = steps[side];
                        next.push(*to);
                    }
                }
            }
            if next.is_empty() {
                return None;
            }
            let met = next.iter().copied();
            let met: Vec<u32> = met
                .filter(|at| far[1 - side][*at as usize] != FAR)
                .collect();
            fronts[side] = next;
            if !met.is_empty() {
                break met;
            }
        };
        let mut layers = self.back(0, &far[0], steps[0], &met);
        layers.reverse();
        layers.extend(self.back(1, &far[1], steps[1], &met));
        Some(Dag { layers })
    }

    /// Returns the links from the end of one side to `met`, the nearest to `met` first.
    fn back(&self, side: usize, far: &[u32], steps: u32, met: &[u32]) -> Vec<Vec<Step>> {
        let rows = [&self.into, &self.out][side];
        let mut at = met.to_vec();
        let mut layers = Vec::new();
        for level in (0..steps).rev() {
            let (mut layer, mut nearer) = (Vec::new(), Vec::new());
            for &near in &at {
                for &(other, hop) in rows.row(near) {
                    if far[other as usize] == level {
                        let (from, to) = [(other, near), (near, other)][side];
                        layer.push(Step { from, to, hop });
                        nearer.push(other);
                    }
                }
            }
            nearer.sort_unstable();
            nearer.dedup();
            layers.push(layer);
            at = nearer;
        }
        layers
    }
}
