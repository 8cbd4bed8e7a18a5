//! Narrowest cut between two switches: the links of smallest total rate that every shortest path crosses.
//!
//! **Source**       Dinic's algorithm; the links that leave what is still reachable are the cut.

use super::Hop;
use super::graph::{Dag, Graph};
use super::ways::{Best, Towards};
use std::collections::VecDeque;

/// Links of a cut that are alike.
#[derive(Debug)]
pub struct Across {
    pub hop: Hop,
    /// Number of links.
    pub count: u64,
    /// Paths to the links.
    pub before: Best,
    /// Paths from the links.
    pub after: Best,
}

/// Largest rate of an arc, so that sums fit.
const MOST: u64 = 1 << 50;

#[derive(Default)]
struct Flow {
    /// Arcs and their reverses in turn: end, and rate left.
    arcs: Vec<(usize, u64)>,
    /// Arcs of each node.
    of: Vec<Vec<usize>>,
}

impl Flow {
    /// Returns the distances from node `from` along arcs with rate left.
    fn levels(&self, from: usize) -> Vec<Option<u32>> {
        let mut levels = vec![None; self.of.len()];
        levels[from] = Some(0);
        let mut queue = VecDeque::from([(from, 0)]);
        while let Some((at, level)) = queue.pop_front() {
            for &(to, left) in self.of[at].iter().map(|arc| &self.arcs[*arc]) {
                if left > 0 && levels[to].is_none() {
                    levels[to] = Some(level + 1);
                    queue.push_back((to, level + 1));
                }
            }
        }
        levels
    }

    /// Sends flow along one path that descends `levels`; false if there is none. `next` are the arcs to try.
    fn push(&mut self, ends: [usize; 2], levels: &[Option<u32>], next: &mut [usize]) -> bool {
        let (mut at, mut path) = (ends[0], Vec::new());
        while at != ends[1] {
            let arc = self.of[at].get(next[at]).copied();
            let Some(arc) = arc else {
                // A dead end: back, and the next arc there.
                let Some(last) = path.pop() else { return false };
                let (before, _): (usize, u64) = self.arcs[last ^ 1];
                at = before;
                next[at] += 1;
                continue;
            };
            let (to, left) = self.arcs[arc];
            let down = levels[to].is_some() && levels[to] == levels[at].map(|level| level + 1);
            if left > 0 && down {
                path.push(arc);
                at = to;
            } else {
                next[at] += 1;
            }
        }
        let least = path.iter().map(|arc| self.arcs[*arc].1).min();
        for arc in path {
            self.arcs[arc].1 -= least.unwrap_or(0);
            self.arcs[arc ^ 1].1 += least.unwrap_or(0);
        }
        true
    }
}

/// Returns the narrowest cut of `dag`.
pub fn narrowest(graph: &Graph, dag: &Dag) -> Vec<Across> {
    let steps: Vec<_> = dag.layers.iter().flatten().copied().collect();
    let mut nodes: Vec<u32> = steps.iter().flat_map(|step| [step.from, step.to]).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let node = |switch: u32| nodes.partition_point(|other| *other < switch);
    let (Some(first), Some(last)) = (steps.first(), steps.last()) else {
        return Vec::new();
    };
    let ends = [node(first.from), node(last.to)];
    let mut flow = Flow {
        of: vec![Vec::new(); nodes.len()],
        ..Flow::default()
    };
    for step in &steps {
        let (from, to) = (node(step.from), node(step.to));
        flow.of[from].push(flow.arcs.len());
        flow.arcs.push((to, graph.hop(*step).limit().min(MOST)));
        flow.of[to].push(flow.arcs.len());
        flow.arcs.push((from, 0));
    }
    let reached = loop {
        let levels = flow.levels(ends[0]);
        if levels[ends[1]].is_none() {
            break levels;
        }
        let mut next = vec![0; nodes.len()];
        while flow.push(ends, &levels, &mut next) {}
    };
    let (to, from) = (
        Towards::of(graph, dag, false),
        Towards::of(graph, dag, true),
    );
    let crosses = steps
        .iter()
        .filter(|step| reached[node(step.from)].is_some() && reached[node(step.to)].is_none());
    let mut alike: Vec<_> = crosses
        .map(|step| (step.hop, to.number_at(step.from), from.number_at(step.to)))
        .collect();
    alike.sort_unstable();
    let hop = |number| graph.hops()[number as usize];
    alike
        .chunk_by(|one, next| one == next)
        .map(|alike| Across {
            hop: hop(alike[0].0),
            count: alike.len() as u64,
            before: to.best(alike[0].1).clone(),
            after: from.best(alike[0].2).clone(),
        })
        .collect()
}
