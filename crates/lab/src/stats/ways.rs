//! How far the data packets that arrived went out of their way.

use sidestep_sim::{ClassOutcome, Histogram};

/// How the data packets of some classes that arrived were detoured.
#[derive(Clone, Debug)]
pub(super) struct Ways<'a> {
    /// By detours, those without any included.
    pub detours: &'a Histogram,
    /// Detoured ones, by the shortest path and then by the switches beyond it.
    extra: &'a [Histogram],
    /// Those that were not detoured: on a shortest path.
    straight: u64,
}

impl<'a> Ways<'a> {
    /// Of the packets of a class, or of several together.
    pub fn of(packets: &'a ClassOutcome) -> Ways<'a> {
        Ways {
            detours: &packets.detours_each,
            extra: &packets.extra_hops,
            straight: packets.delivered - packets.detoured,
        }
    }

    /// By the switches beyond a shortest path, of whatever length that is.
    pub fn extra_hops(&self) -> Histogram {
        let mut all = Histogram::default();
        all.add(0, self.straight);
        self.extra.iter().for_each(|extra| all.merge(extra));
        all
    }

    /// Mean of switches crossed over those of a shortest path.
    pub fn stretch(&self) -> Option<f64> {
        // A sum of whole numbers for each length, so that no order of packets shows.
        let detoured = self.extra.iter().enumerate();
        let beyond: f64 = detoured
            .filter(|(_, extra)| !extra.is_empty())
            .map(|(shortest, extra)| extra.sum() as f64 / shortest as f64)
            .sum();
        let n = self.extra_hops().len();
        (n > 0).then(|| 1.0 + beyond / n as f64)
    }
}
