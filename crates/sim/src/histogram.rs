//! Histogram of small numbers.

/// Counts by value, from 0 up; no longer than the largest value needs.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Histogram(Vec<u64>);

impl From<&[u64]> for Histogram {
    /// Makes a histogram from the counts of 0, 1, 2 …
    fn from(counts: &[u64]) -> Histogram {
        let mut all = Histogram::default();
        for (value, count) in counts.iter().enumerate() {
            all.add(value, *count);
        }
        all
    }
}

impl Histogram {
    /// Adds `count` occurrences of `value`.
    pub fn add(&mut self, value: usize, count: u64) {
        if count == 0 {
            return;
        }
        if self.0.len() <= value {
            self.0.resize(value + 1, 0);
        }
        self.0[value] += count;
    }

    /// Adds another histogram.
    pub fn merge(&mut self, other: &Histogram) {
        for (value, count) in other.0.iter().enumerate() {
            self.add(value, *count);
        }
    }

    /// Returns the count of each value, from 0 up to the largest.
    pub fn counts(&self) -> &[u64] {
        &self.0
    }

    /// Returns the number of all occurrences.
    pub fn len(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Returns true if nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the sum of all values.
    pub fn sum(&self) -> u64 {
        let values = self.0.iter().zip(0u64..);
        values.map(|(count, value)| count * value).sum()
    }

    /// Returns the mean; `None` if empty.
    pub fn mean(&self) -> Option<f64> {
        (!self.is_empty()).then(|| self.sum() as f64 / self.len() as f64)
    }

    /// Returns the largest value; `None` if empty.
    pub fn max(&self) -> Option<usize> {
        self.0.len().checked_sub(1)
    }

    /// Returns the quantile of `permille` thousandths, by nearest rank; `None` if empty.
    pub fn percentile(&self, permille: u32) -> Option<usize> {
        let rank = (u128::from(self.len()) * u128::from(permille)).div_ceil(1000);
        let mut seen = 0;
        self.0.iter().position(|count| {
            seen += u128::from(*count);
            seen >= rank.max(1)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_the_nearest_rank_among_all_values() {
        let mut h = Histogram::default();
        assert_eq!((h.percentile(990), h.mean(), h.max()), (None, None, None));
        h.add(0, 98);
        h.add(7, 1);
        h.add(40, 1);
        assert_eq!((h.percentile(980), h.percentile(981)), (Some(0), Some(7)));
        assert_eq!((h.percentile(990), h.percentile(1000)), (Some(7), Some(40)));
        assert_eq!((h.percentile(0), h.max()), (Some(0), Some(40)));
        assert_eq!((h.len(), h.sum(), h.mean()), (100, 47, Some(0.47)));
        h.add(90, 0);
        assert_eq!(h.max(), Some(40), "none of a value is not one of it");
        let mut both = Histogram::default();
        both.add(2, 3);
        both.merge(&h);
        assert_eq!((both.counts()[2], both.len()), (3, 103));
        let mut three = Histogram::default();
        three.add(3, 1);
        assert_eq!(three.percentile(0), Some(3), "the least value there is");
    }
}
