//! How far out of their way data packets went, and how busy links were: whole numbers, so that runs
//! add up the same in any order and read back from a file as they were.

use serde::{Deserialize, Serialize};
use sidestep_sim::{ClassOutcome, End, Histogram, Outcome};

/// How the data packets of one class that arrived were detoured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ways {
    /// By how often they were detoured, from 0 up.
    pub detours: Vec<u64>,
    /// Detoured ones: by the switches of a shortest path, and then by those crossed beyond it.
    pub extra: Vec<Vec<u64>>,
    /// Those that were not detoured: on a shortest path.
    pub straight: u64,
}

impl Ways {
    /// What a run counted.
    pub fn of(class: &ClassOutcome) -> Ways {
        let counts = |histogram: &Histogram| histogram.counts().to_vec();
        Ways {
            detours: counts(&class.detours_each),
            extra: class.extra_hops.iter().map(counts).collect(),
            straight: class.delivered - class.detoured,
        }
    }

    /// Takes in another class's, or another run's.
    pub fn merge(&mut self, other: &Ways) {
        add(&mut self.detours, &other.detours);
        if self.extra.len() < other.extra.len() {
            self.extra.resize(other.extra.len(), Vec::new());
        }
        for (mine, theirs) in self.extra.iter_mut().zip(&other.extra) {
            add(mine, theirs);
        }
        self.straight += other.straight;
    }

    /// By how often they were detoured.
    pub fn detours(&self) -> Histogram {
        histogram(&self.detours)
    }

    /// By the switches beyond a shortest path, of whatever length that is.
    pub fn extra_hops(&self) -> Histogram {
        let mut all = histogram(&[self.straight]);
        for extra in &self.extra {
            all.merge(&histogram(extra));
        }
        all
    }

    /// Mean of switches crossed over those of a shortest path.
    pub fn stretch(&self) -> Option<f64> {
        let detoured = self.extra.iter().enumerate();
        let beyond: f64 = detoured
            .filter(|(_, extra)| !extra.is_empty())
            .map(|(shortest, extra)| histogram(extra).sum() as f64 / shortest as f64)
            .sum();
        let n = self.extra_hops().len();
        (n > 0).then(|| 1.0 + beyond / n as f64)
    }
}

/// How busy the links out of switches were, in billionths of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Busy {
    /// Links, once for each run.
    pub links: u64,
    /// The sum over them.
    pub sum_ppb: u64,
    /// The busiest.
    pub max_ppb: u64,
}

impl Busy {
    /// What a run counted; nothing of one that ended at once.
    pub fn of(outcome: &Outcome) -> Busy {
        let mut busy = Busy::default();
        for port in &outcome.ports {
            let can = u128::from(port.rate.as_bps()) * u128::from(outcome.end.ps());
            if !matches!(port.from, End::Switch(_)) || can == 0 {
                continue;
            }
            // bytes · 8 / (bits per second · ps / 10¹²), times 10⁹
            let carried = u128::from(port.wire_bytes) * 8_000_000_000_000;
            let ppb = u64::try_from(carried * 1_000_000_000 / can).unwrap_or(u64::MAX);
            busy.merge(&Busy {
                links: 1,
                sum_ppb: ppb,
                max_ppb: ppb,
            });
        }
        busy
    }

    /// Takes in another run's.
    pub fn merge(&mut self, other: &Busy) {
        self.links += other.links;
        self.sum_ppb += other.sum_ppb;
        self.max_ppb = self.max_ppb.max(other.max_ppb);
    }

    /// The mean over links; `None` of nothing.
    pub fn mean(&self) -> Option<f64> {
        (self.links > 0).then(|| self.sum_ppb as f64 / self.links as f64 / 1e9)
    }

    /// The busiest link's; `None` of nothing.
    pub fn max(&self) -> Option<f64> {
        (self.links > 0).then_some(self.max_ppb as f64 / 1e9)
    }
}

/// Adds counts by value.
pub(crate) fn add(mine: &mut Vec<u64>, theirs: &[u64]) {
    if mine.len() < theirs.len() {
        mine.resize(theirs.len(), 0);
    }
    for (mine, theirs) in mine.iter_mut().zip(theirs) {
        *mine += theirs;
    }
}

fn histogram(counts: &[u64]) -> Histogram {
    let mut histogram = Histogram::default();
    for (value, count) in counts.iter().enumerate() {
        histogram.add(value, *count);
    }
    histogram
}
