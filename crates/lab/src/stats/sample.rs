//! Completion times, with unfinished ones included: censored, not forgotten.

use super::times::Times;
use serde::{Deserialize, Serialize};
use sidestep_types::Time;

/// Sample of completion times. Very many are kept [rounded](Sample::EACH).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    done: Times,
    /// Elapsed time of each unfinished item.
    open: Times,
    /// Items in progress when the run was stopped. It is unknown whether they are late: they count in the share
    /// that finished and have no rank.
    cut: u64,
}

/// Percentile or mean of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Percentile {
    /// Value of a finished item.
    Exactly(Time),
    /// Lower bound, from an unfinished item: the true value is this or more.
    AtLeast(Time),
}

impl Sample {
    /// Number of finished, and of unfinished, items of a run up to which every time is kept. Beyond it all
    /// times are rounded, by at most 0.05 %, and counted.
    pub const EACH: usize = Times::EACH;

    /// Adds an item that finished after `span`.
    pub fn done(&mut self, span: Time) {
        self.done.push(span);
    }

    /// Adds an item that had not finished after `span`.
    pub fn open(&mut self, span: Time) {
        self.open.push(span);
    }

    /// Notes that the run was stopped: its unfinished items are not late but cut short.
    pub fn stop(&mut self) {
        self.cut += self.open.len();
        self.open.clear();
    }

    /// Adds another sample.
    pub fn merge(&mut self, other: &Sample) {
        self.done.merge(&other.done);
        self.open.merge(&other.open);
        self.cut += other.cut;
    }

    /// Sorts the sample, so that equal samples are equal values and compress well.
    pub fn sort(&mut self) {
        self.done.sort();
        self.open.sort();
    }

    /// Iterates over the times of the finished items, in no order.
    pub fn finished(&self) -> impl Iterator<Item = Time> {
        let repeated = |(time, count)| std::iter::repeat_n(time, count as usize);
        self.done.counts().flat_map(repeated)
    }

    /// Iterates over the times of the finished items, with the number of items for each.
    pub fn finished_counts(&self) -> impl Iterator<Item = (Time, u64)> {
        self.done.counts()
    }

    /// Iterates over the elapsed times of the unfinished items, in no order, with the number of items for each;
    /// without those cut short.
    pub fn unfinished_counts(&self) -> impl Iterator<Item = (Time, u64)> {
        self.open.counts()
    }

    /// True if times of finished or unfinished items are rounded.
    pub fn is_rounded(&self) -> bool {
        self.done.is_folded() || self.open.is_folded()
    }

    /// Returns the number of items, finished or not.
    pub fn len(&self) -> u64 {
        self.ranked() + self.cut
    }

    /// Returns the number of items without those cut short.
    fn ranked(&self) -> u64 {
        self.done.len() + self.open.len()
    }

    /// True if there are no items.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the share that finished; `None` if there are no items.
    pub fn completed_share(&self) -> Option<f64> {
        (!self.is_empty()).then(|| self.done.len() as f64 / self.len() as f64)
    }

    /// Returns the `permille`-th thousandth by nearest rank: the smallest value that at least that
    /// share of the sample does not exceed. Unfinished items rank last.
    ///
    /// On an unfinished item the result is a lower bound: every time is at least its elapsed
    /// time, so the value of this rank is at least the same rank among those.
    pub fn percentile(&mut self, permille: u32) -> Option<Percentile> {
        let n = self.ranked();
        let rank = (u128::from(n) * u128::from(permille)).div_ceil(1000).max(1);
        let index = u64::try_from(rank - 1).ok().filter(|index| *index < n)?;
        Some(match index < self.done.len() {
            true => Percentile::Exactly(self.done.nth(index)),
            false => Percentile::AtLeast(self.done.nth_with(&self.open, index)),
        })
    }

    /// Returns the `permille`-th thousandth of the finished items alone, by nearest rank; `None` if none
    /// finished.
    pub fn done_percentile(&mut self, permille: u32) -> Option<Time> {
        let n = self.done.len();
        let rank = (u128::from(n) * u128::from(permille)).div_ceil(1000).max(1);
        let index = u64::try_from(rank - 1).ok().filter(|index| *index < n)?;
        Some(self.done.nth(index))
    }

    /// Returns the mean of the finished items alone; `None` if none finished.
    pub fn done_mean(&self) -> Option<Time> {
        let mean = self.done.sum().checked_div(u128::from(self.done.len()))?;
        Some(Time::from_ps(mean as u64))
    }

    /// Returns the mean. Unfinished items count with their elapsed time, which makes it a lower bound. `None`
    /// if there are no items.
    pub fn mean(&self) -> Option<Percentile> {
        let sum = self.done.sum() + self.open.sum();
        let mean = sum.checked_div(u128::from(self.ranked()))?;
        let mean = Time::from_ps(mean as u64);
        Some(match self.open.is_empty() {
            true => Percentile::Exactly(mean),
            false => Percentile::AtLeast(mean),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(done: &[u64], open: &[u64]) -> Sample {
        let mut sample = Sample::default();
        done.iter().for_each(|us| sample.done(Time::from_us(*us)));
        open.iter().for_each(|us| sample.open(Time::from_us(*us)));
        sample
    }

    fn exactly(us: u64) -> Option<Percentile> {
        Some(Percentile::Exactly(Time::from_us(us)))
    }

    fn at_least(us: u64) -> Option<Percentile> {
        Some(Percentile::AtLeast(Time::from_us(us)))
    }

    #[test]
    fn the_nearest_rank_is_a_value_of_the_sample() {
        let mut five = sample(&[50, 15, 40, 20, 35], &[]);
        assert_eq!(five.percentile(50), exactly(15));
        assert_eq!(five.percentile(300), exactly(20));
        assert_eq!(five.percentile(400), exactly(20));
        assert_eq!(five.percentile(500), exactly(35));
        assert_eq!(five.percentile(1000), exactly(50));
        assert_eq!(five.percentile(0), exactly(15));
        let mut hundred = sample(&(1..=100).collect::<Vec<_>>(), &[]);
        assert_eq!(hundred.percentile(990), exactly(99));
        assert_eq!(sample(&[], &[]).percentile(500), None);
    }

    #[test]
    fn a_percentile_on_an_unfinished_one_is_a_lower_bound() {
        let mut some = sample(&[1, 2, 3], &[100]);
        assert_eq!(some.percentile(500), exactly(2));
        assert_eq!(some.percentile(990), at_least(100));
        assert_eq!(some.completed_share(), Some(0.75));
        // The last began shortly before the end: its own 1 us is no useful bound, the rank gives 3.
        let mut late = sample(&[2, 3], &[1]);
        assert_eq!(late.percentile(990), at_least(3));
    }

    #[test]
    fn what_was_cut_short_is_not_late_and_counts_for_the_share() {
        let mut stopped = sample(&[1, 2, 3], &[100]);
        stopped.stop();
        assert_eq!((stopped.len(), stopped.completed_share()), (4, Some(0.75)));
        assert_eq!(stopped.percentile(990), exactly(3));
        assert_eq!(stopped.mean(), exactly(2));
        let mut both = sample(&[9], &[]);
        both.merge(&stopped);
        assert_eq!((both.len(), both.percentile(1000)), (5, exactly(9)));
        let mut none = sample(&[], &[5]);
        none.stop();
        assert_eq!((none.percentile(500), none.mean()), (None, None));
        assert_eq!(none.completed_share(), Some(0.0));
    }

    #[test]
    fn those_that_finished_have_numbers_of_their_own() {
        let mut some = sample(&[1, 2, 6], &[100, 200]);
        assert_eq!(some.done_mean(), Some(Time::from_us(3)));
        assert_eq!(some.done_percentile(990), Some(Time::from_us(6)));
        assert_eq!(some.done_percentile(500), Some(Time::from_us(2)));
        some.stop();
        assert_eq!(some.done_mean(), Some(Time::from_us(3)));
        let mut none = sample(&[], &[5]);
        assert_eq!((none.done_mean(), none.done_percentile(990)), (None, None));
    }

    #[test]
    fn the_mean_is_whole_picoseconds_and_a_lower_bound_where_one_did_not_finish() {
        assert_eq!(sample(&[], &[]).mean(), None);
        assert_eq!(sample(&[1, 2, 6], &[]).mean(), exactly(3));
        assert_eq!(sample(&[1, 2], &[9]).mean(), at_least(4));
        let mut thirds = Sample::default();
        for ps in [1, 1, 2] {
            thirds.done(Time::from_ps(ps));
        }
        assert_eq!(thirds.mean(), Some(Percentile::Exactly(Time::from_ps(1))));
        let mut long = Sample::default();
        (0..3).for_each(|_| long.done(Time::MAX));
        assert_eq!(long.mean(), Some(Percentile::Exactly(Time::MAX)));
    }

    #[test]
    fn of_very_many_the_percentiles_are_the_exact_ones_rounded() {
        let n = Sample::EACH as u64 + 1_000;
        // 1 us to 5 s, evenly over the logarithms.
        let ps = |i: u64| (1e6 * libm::exp(libm::log(5e6) * i as f64 / n as f64)) as u64;
        let mut many = Sample::default();
        // The values arrive out of order: 11 does not divide n.
        assert!(!n.is_multiple_of(11));
        (0..n).for_each(|i| many.done(Time::from_ps(ps(11 * i % n))));
        (0..50).for_each(|_| many.open(Time::from_s(6)));
        many.sort();
        assert!(many.is_rounded() && many.len() == n + 50);
        for permille in [1, 100, 500, 900, 990, 999] {
            let rank = ((n + 50) * u64::from(permille)).div_ceil(1000);
            let Some(Percentile::Exactly(got)) = many.percentile(permille) else {
                panic!("{permille} finished");
            };
            let off = got.ps() as f64 / ps(rank - 1) as f64 - 1.0;
            assert!(off.abs() <= 0.0005, "{permille}: {off}");
        }
        // The unfinished are few, and stay exact.
        assert_eq!(many.percentile(1000), at_least(6_000_000));
        assert_eq!(many.finished().count() as u64, n);
        assert_eq!(
            many.finished_counts().map(|(_, count)| count).sum::<u64>(),
            n
        );
    }

    proptest::proptest! {
        #[test]
        fn a_percentile_is_the_value_that_sorting_finds(
            done in proptest::collection::vec(0u64..50, 0..40),
            open in proptest::collection::vec(0u64..50, 0..10),
            permille in 1u32..=1000,
        ) {
            let n = done.len() + open.len();
            let rank = (n * permille as usize).div_ceil(1000);
            let mut sorted = done.clone();
            sorted.sort_unstable();
            match sample(&done, &open).percentile(permille) {
                None => proptest::prop_assert_eq!(n, 0),
                Some(Percentile::Exactly(t)) => proptest::prop_assert_eq!(t, Time::from_us(sorted[rank - 1])),
                Some(Percentile::AtLeast(t)) => {
                    // However long the unfinished items take, the rank's value is not below the bound.
                    let mut finished = done.clone();
                    finished.extend(open.iter().map(|o| o + 7));
                    finished.sort_unstable();
                    proptest::prop_assert!(rank > done.len() && t <= Time::from_us(finished[rank - 1]));
                }
            }
        }
    }
}
