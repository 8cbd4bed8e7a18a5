//! Detours of the data packets that arrived, and the switches they crossed beyond a shortest path.

use sidestep_sim::{ClassOutcome, Histogram};

/// Detours of the arrived data packets of some classes.
#[derive(Clone, Debug)]
pub(super) struct Ways<'a> {
    /// Packets by detours, including packets without any.
    pub detours: &'a Histogram,
    /// Detoured packets, by the length of the shortest path and then by the switches beyond it.
    extra: &'a [Histogram],
    /// Packets without a detour: on a shortest path.
    straight: u64,
}

impl<'a> Ways<'a> {
    /// Collects the packets of a class, or of several merged.
    pub fn of(packets: &'a ClassOutcome) -> Ways<'a> {
        Ways {
            detours: &packets.detours_each,
            extra: &packets.extra_hops,
            straight: packets.delivered - packets.detoured,
        }
    }

    /// Returns packets by the switches beyond a shortest path, whatever its length.
    pub fn extra_hops(&self) -> Histogram {
        let mut all = Histogram::default();
        all.add(0, self.straight);
        self.extra.iter().for_each(|extra| all.merge(extra));
        all
    }

    /// Returns the mean of switches crossed over those of a shortest path.
    pub fn stretch(&self) -> Option<f64> {
        // Sums whole numbers for each length, so that the result does not depend on the order of packets.
        let detoured = self.extra.iter().enumerate();
        let beyond: f64 = detoured
            .filter(|(_, extra)| !extra.is_empty())
            .map(|(shortest, extra)| extra.sum() as f64 / shortest as f64)
            .sum();
        let n = self.extra_hops().len();
        (n > 0).then(|| 1.0 + beyond / n as f64)
    }
}
