//! Paths between two switches, by the time of a packet along each.

use super::Hop;
use super::graph::{Dag, Graph, Step};

/// Delay and rates of a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Way {
    delay_ps: u64,
    /// Rates of its links, the largest first.
    rates: Vec<u64>,
}

impl Way {
    /// Returns the time of a packet of `bytes` along the path, ps.
    pub fn time(&self, bytes: u64) -> u128 {
        let rates = self.rates.iter();
        let sent = rates.map(|rate| u128::from(super::time_to_send(bytes, *rate)));
        u128::from(self.delay_ps) + sent.sum::<u128>()
    }

    /// Returns the rate of its slowest link.
    pub fn slowest(&self) -> u64 {
        self.rates.last().copied().unwrap_or(u64::MAX)
    }

    fn and(&self, hop: Hop) -> Way {
        let mut rates = self.rates.clone();
        let rate = hop.limit();
        rates.insert(rates.partition_point(|other| *other > rate), rate);
        Way {
            delay_ps: self.delay_ps.saturating_add(hop.delay_ps),
            rates,
        }
    }

    /// True if no packet is later than on `other`, which has as many links.
    fn beats(&self, other: &Way) -> bool {
        let mut rates = self.rates.iter().zip(&other.rates);
        self.delay_ps <= other.delay_ps && rates.all(|(own, other)| own >= other)
    }
}

/// Most paths of which none beats another. More are replaced by one that is as good as each.
const MOST: usize = 24;

/// Paths of which none beats another; all with the same number of links.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Best(Vec<Way>);

impl Best {
    pub fn fastest(&self, bytes: u64) -> &Way {
        let ways = self.0.iter();
        ways.min_by_key(|way| way.time(bytes))
            .expect("at least one path")
    }

    fn add(&mut self, way: Way) {
        if self.0.iter().any(|other| other.beats(&way)) {
            return;
        }
        self.0.retain(|other| !way.beats(other));
        self.0.push(way);
        if self.0.len() > MOST {
            let mut best = self.0.pop().expect("just added");
            for other in self.0.drain(..) {
                best.delay_ps = best.delay_ps.min(other.delay_ps);
                let rates = best.rates.iter_mut().zip(&other.rates);
                rates.for_each(|(own, other)| *own = (*own).max(*other));
            }
            self.0.push(best);
        }
    }
}

/// Best paths from one end to each switch between two, stored once where they are alike.
pub struct Towards {
    all: Vec<Best>,
    /// Per switch: its paths in `all`.
    of: Vec<usize>,
}

/// Number of no paths.
const NONE: usize = usize::MAX;

impl Towards {
    /// Collects the paths from the begin of `dag` to its switches, or from its switches to the end if
    /// `backward`.
    pub fn of(graph: &Graph, dag: &Dag, backward: bool) -> Towards {
        let mut towards = Towards {
            all: vec![Best(vec![Way::default()])],
            of: vec![NONE; graph.switches()],
        };
        let near = |step: &Step| if backward { step.to } else { step.from };
        let far = |step: &Step| if backward { step.from } else { step.to };
        let ends = if backward {
            dag.layers.last()
        } else {
            dag.layers.first()
        };
        for step in ends.into_iter().flatten() {
            towards.of[near(step) as usize] = 0;
        }
        let mut layers: Vec<&Vec<Step>> = dag.layers.iter().collect();
        if backward {
            layers.reverse();
        }
        for layer in layers {
            // Paths that one more link has made: before it, the link, and after it.
            let mut made: Vec<(usize, u32, usize)> = Vec::new();
            for step in layer {
                let before = towards.of[near(step) as usize];
                let known = made
                    .iter()
                    .find(|(b, hop, _)| (*b, *hop) == (before, step.hop));
                let after = known.map(|(_, _, after)| *after);
                let after = after.unwrap_or_else(|| {
                    let mut best = Best::default();
                    let ways = towards.all[before].0.iter();
                    ways.for_each(|way| best.add(way.and(graph.hop(*step))));
                    let after = towards.number(best);
                    made.push((before, step.hop, after));
                    after
                });
                let own = far(step) as usize;
                towards.of[own] = match towards.of[own] {
                    NONE => after,
                    same if same == after => same,
                    other => {
                        let mut best = towards.all[other].clone();
                        let ways = towards.all[after].0.clone();
                        ways.into_iter().for_each(|way| best.add(way));
                        towards.number(best)
                    }
                };
            }
        }
        towards
    }

    fn number(&mut self, best: Best) -> usize {
        let known = self.all.iter().position(|other| *other == best);
        known.unwrap_or_else(|| {
            self.all.push(best);
            self.all.len() - 1
        })
    }

    pub fn number_at(&self, switch: u32) -> usize {
        self.of[switch as usize]
    }

    pub fn best(&self, number: usize) -> &Best {
        &self.all[number]
    }
}

/// Paths between two switches.
#[derive(Debug)]
pub struct Ways {
    /// Links of the only path.
    pub only: Option<Vec<Hop>>,
    best: Best,
}

impl Ways {
    pub fn of(graph: &Graph, dag: &Dag) -> Ways {
        let alone = dag.layers.iter().all(|layer| layer.len() == 1);
        let links = dag.layers.iter().flatten().map(|step| graph.hop(*step));
        let only = alone.then(|| links.collect());
        let towards = Towards::of(graph, dag, false);
        let end = dag.layers.last().and_then(|layer| layer.first());
        let end = end.expect("switches that differ are a link apart").to;
        Ways {
            only,
            best: towards.best(towards.number_at(end)).clone(),
        }
    }

    /// Returns the path on which a packet of `bytes` is fastest.
    pub fn fastest(&self, bytes: u64) -> &Way {
        self.best.fastest(bytes)
    }
}
