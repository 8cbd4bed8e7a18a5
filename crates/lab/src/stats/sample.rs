//! Completion times, those of the unfinished included: censored, not forgotten.

use serde::{Deserialize, Serialize};
use sidestep_types::Time;

/// A sample of completion times.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Packed", into = "Packed")]
pub struct Sample {
    done: Vec<Time>,
    /// How long each unfinished one has taken so far.
    open: Vec<Time>,
    /// Those that were under way when someone stopped the run. Nobody knows whether they are late:
    /// they count for the share that finished and rank nowhere.
    cut: u64,
}

/// A percentile or the mean of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Percentile {
    /// It fell on one that finished.
    Exactly(Time),
    /// It fell on one that did not: the true value is this or more.
    AtLeast(Time),
}

impl Sample {
    /// One finished after `span`.
    pub fn done(&mut self, span: Time) {
        self.done.push(span);
    }

    /// One had not finished after `span`.
    pub fn open(&mut self, span: Time) {
        self.open.push(span);
    }

    /// Whoever made it was stopped: the unfinished are not late but cut short.
    pub fn stop(&mut self) {
        self.cut += self.open.len() as u64;
        self.open.clear();
    }

    /// Takes in another sample.
    pub fn merge(&mut self, other: &Sample) {
        self.done.extend_from_slice(&other.done);
        self.open.extend_from_slice(&other.open);
        self.cut += other.cut;
    }

    /// Puts it in order, so that equal samples are equal values and pack well.
    pub fn sort(&mut self) {
        self.done.sort_unstable();
        self.open.sort_unstable();
    }

    /// The times of those that finished, in no order.
    pub fn finished(&self) -> &[Time] {
        &self.done
    }

    /// How long each of the others has taken so far, in no order; without those cut short.
    pub fn unfinished(&self) -> &[Time] {
        &self.open
    }

    /// Finished and unfinished together.
    pub fn len(&self) -> u64 {
        self.ranked() + self.cut
    }

    /// All but those cut short.
    fn ranked(&self) -> u64 {
        (self.done.len() + self.open.len()) as u64
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The share that finished; `None` of nothing.
    pub fn completed_share(&self) -> Option<f64> {
        (!self.is_empty()).then(|| self.done.len() as f64 / self.len() as f64)
    }

    /// The `permille`-th thousandth by nearest rank: the smallest value that at least that
    /// share of the sample does not exceed. The unfinished rank last.
    ///
    /// On an unfinished one the answer is a lower bound: every time is at least what was seen
    /// of it, so the value of this rank is at least the same rank among those.
    pub fn percentile(&mut self, permille: u32) -> Option<Percentile> {
        let n = self.ranked();
        let rank = (u128::from(n) * u128::from(permille)).div_ceil(1000).max(1);
        let index = usize::try_from(rank - 1).ok().filter(|i| (*i as u64) < n)?;
        if index < self.done.len() {
            let (_, value, _) = self.done.select_nth_unstable(index);
            return Some(Percentile::Exactly(*value));
        }
        let mut seen: Vec<Time> = self.done.iter().chain(&self.open).copied().collect();
        let (_, value, _) = seen.select_nth_unstable(index);
        Some(Percentile::AtLeast(*value))
    }
}

impl Sample {
    /// The mean; of the unfinished what was seen of them, which makes it a lower bound. `None` of nothing.
    pub fn mean(&self) -> Option<Percentile> {
        let all = self.done.iter().chain(&self.open);
        let sum: u128 = all.map(|time| u128::from(time.ps())).sum();
        let mean = sum.checked_div(u128::from(self.ranked()))?;
        let mean = Time::from_ps(mean as u64);
        Some(match self.open.is_empty() {
            true => Percentile::Exactly(mean),
            false => Percentile::AtLeast(mean),
        })
    }
}

/// A sample as it is kept: each list sorted, every time in picoseconds less the one before it.
#[derive(Serialize, Deserialize)]
struct Packed {
    done: Vec<u64>,
    open: Vec<u64>,
    cut: u64,
}

impl From<Sample> for Packed {
    fn from(mut sample: Sample) -> Packed {
        sample.sort();
        let steps = |times: &[Time]| -> Vec<u64> {
            let before = std::iter::once(&Time::ZERO).chain(times);
            let pairs = times.iter().zip(before);
            pairs.map(|(t, b)| t.ps() - b.ps()).collect()
        };
        Packed {
            done: steps(&sample.done),
            open: steps(&sample.open),
            cut: sample.cut,
        }
    }
}

impl From<Packed> for Sample {
    fn from(packed: Packed) -> Sample {
        let sums = |steps: Vec<u64>| {
            let mut sum = 0u64;
            let add = steps.into_iter().map(move |step| {
                sum = sum.wrapping_add(step);
                Time::from_ps(sum)
            });
            add.collect()
        };
        Sample {
            done: sums(packed.done),
            open: sums(packed.open),
            cut: packed.cut,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(done: &[u64], open: &[u64]) -> Sample {
        Sample {
            done: done.iter().map(|us| Time::from_us(*us)).collect(),
            open: open.iter().map(|us| Time::from_us(*us)).collect(),
            cut: 0,
        }
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
        // The last was asked shortly before the end: its own 1 us says little, the rank says 3.
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

    proptest::proptest! {
        #[test]
        fn what_is_packed_unpacks_in_order(
            done in proptest::collection::vec(0u64..u64::MAX, 0..40),
            open in proptest::collection::vec(0u64..50, 0..10),
        ) {
            let times = |ps: &[u64]| ps.iter().map(|ps| Time::from_ps(*ps)).collect();
            let mut sample = Sample { done: times(&done), open: times(&open), cut: 7 };
            let again: Sample = Packed::from(sample.clone()).into();
            sample.sort();
            proptest::prop_assert_eq!(again, sample);
        }

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
                    // However long the unfinished go on, the rank's value is not below it.
                    let mut finished = done.clone();
                    finished.extend(open.iter().map(|o| o + 7));
                    finished.sort_unstable();
                    proptest::prop_assert!(rank > done.len() && t <= Time::from_us(finished[rank - 1]));
                }
            }
        }
    }
}
