//! How far the data packets that arrived went out of their way.

use crate::record::ClassRecord;
use sidestep_sim::Histogram;

/// How the data packets of some classes that arrived were detoured.
#[derive(Clone, Debug, Default)]
pub(super) struct Ways {
    /// By detours, those without any included.
    pub detours: Histogram,
    /// Detoured ones, by the shortest path and then by the switches beyond it.
    extra: Vec<Histogram>,
    /// Those that were not detoured: on a shortest path.
    straight: u64,
}

impl Ways {
    /// Of these classes together.
    pub fn of<'a>(classes: impl IntoIterator<Item = &'a ClassRecord>) -> Ways {
        let mut all = Ways::default();
        for class in classes {
            all.detours.merge(&Histogram::from(&class.detours_each[..]));
            if all.extra.len() < class.extra_hops.len() {
                all.extra
                    .resize_with(class.extra_hops.len(), Default::default);
            }
            for (mine, theirs) in all.extra.iter_mut().zip(&class.extra_hops) {
                mine.merge(&Histogram::from(&theirs[..]));
            }
            all.straight += class.delivered - class.detoured;
        }
        all
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
