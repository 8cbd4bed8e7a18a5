//! List of times: each as it is; very many as counts of rounded times.
//!
//! **Decision**     up to [`Times::EACH`] every time is kept. Beyond that all of them are rounded to 11 binary
//!                  digits and counted, so that memory and cache use stop growing. Results are those of the
//!                  rounded times: a percentile is the exact one, rounded.
//! **State**        a list, or a count for each rounded time; never both.
//! **Units**        picoseconds, or whatever a [`Time`] stands for. Rounding moves a time by 2⁻¹¹ of it at
//!                  most, 0.049 %, and none below 2048.
//! **Errors**       none.
//! **Source**       after HdrHistogram (Tene, 2012), with another number of digits.

use serde::{Deserialize, Serialize};
use sidestep_types::Time;
use std::collections::BTreeMap;

/// List of times.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Packed", into = "Packed")]
pub(super) struct Times {
    each: Vec<Time>,
    /// Number of times for each [`code`].
    folded: BTreeMap<u32, u64>,
    n: u64,
}

impl Times {
    /// Maximum number of times kept exactly. No run of a shipped experiment had more when it was chosen.
    pub const EACH: usize = 1 << 18;

    pub fn push(&mut self, time: Time) {
        self.n += 1;
        if self.folded.is_empty() && self.each.len() < Times::EACH {
            return self.each.push(time);
        }
        self.fold();
        *self.folded.entry(code(time)).or_default() += 1;
    }

    pub fn clear(&mut self) {
        *self = Times::default();
    }

    pub fn len(&self) -> u64 {
        self.n
    }

    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// True if the times are rounded.
    pub fn is_folded(&self) -> bool {
        !self.folded.is_empty()
    }

    /// Adds another list. Two exact lists stay exact, however long they become.
    pub fn merge(&mut self, other: &Times) {
        self.n += other.n;
        if !self.is_folded() && !other.is_folded() {
            return self.each.extend_from_slice(&other.each);
        }
        self.fold();
        for time in &other.each {
            *self.folded.entry(code(*time)).or_default() += 1;
        }
        for (code, count) in &other.folded {
            *self.folded.entry(*code).or_default() += count;
        }
    }

    fn fold(&mut self) {
        for time in std::mem::take(&mut self.each) {
            *self.folded.entry(code(time)).or_default() += 1;
        }
    }

    /// Sorts the times, so that equal lists are equal values and compress well.
    pub fn sort(&mut self) {
        self.each.sort_unstable();
        self.each.shrink_to_fit();
    }

    /// Iterates over the times with the number of occurrences; rounded ones in order, others in the list's.
    pub fn counts(&self) -> impl Iterator<Item = (Time, u64)> {
        let each = self.each.iter().map(|time| (*time, 1));
        each.chain(self.folded.iter().map(|(c, count)| (time(*c), *count)))
    }

    /// Returns the time at `index` in order; `index` is less than the number of times.
    pub fn nth(&mut self, index: u64) -> Time {
        if self.is_folded() {
            return nth_of(self.counts(), index);
        }
        let (_, value, _) = self.each.select_nth_unstable(index as usize);
        *value
    }

    /// Returns the time at `index` in the order of both lists together.
    pub fn nth_with(&self, other: &Times, index: u64) -> Time {
        let mut all: Vec<(Time, u64)> = self.counts().chain(other.counts()).collect();
        all.sort_unstable();
        nth_of(all.into_iter(), index)
    }

    /// Returns the sum, in picoseconds.
    pub fn sum(&self) -> u128 {
        let each = self.counts();
        each.map(|(time, count)| u128::from(time.ps()) * u128::from(count))
            .sum()
    }
}

/// Returns the time at `index` of sorted times.
fn nth_of(mut sorted: impl Iterator<Item = (Time, u64)>, index: u64) -> Time {
    let mut below = 0;
    let found = sorted.find(|(_, count)| {
        below += count;
        index < below
    });
    found.expect("an index is below their number").0
}

/// Binary digits of a rounded time.
const DIGITS: u32 = 11;
/// Number of rounded times with the same highest digit.
const STEP: u32 = 1 << (DIGITS - 1);

/// Returns the code of a rounded time, which grows by one from each to the next: the time itself below 2048,
/// then 1024 codes for each doubling.
fn code(time: Time) -> u32 {
    let ps = time.ps();
    let digits = u64::BITS - ps.leading_zeros();
    let Some(shift) = digits.checked_sub(DIGITS).filter(|shift| *shift > 0) else {
        return ps as u32;
    };
    // Rounds to the nearest. The last of a doubling may become the first of the next: its code is the next as
    // well.
    let up = (ps >> (shift - 1)) & 1;
    STEP * shift + (ps >> shift) as u32 + up as u32
}

/// Returns the time of a code.
fn time(code: u32) -> Time {
    let shift = (code / STEP).saturating_sub(1);
    let digits = u64::from(code - STEP * shift);
    Time::from_ps(digits.saturating_mul(1 << shift))
}

/// Serialised form of times: sorted times, or codes with counts, as differences from the one before.
#[derive(Serialize, Deserialize)]
struct Packed {
    steps: Vec<u64>,
    counts: Vec<u64>,
}

impl From<Times> for Packed {
    fn from(mut times: Times) -> Packed {
        times.sort();
        let sorted: Vec<u64> = match times.is_folded() {
            true => times.folded.keys().map(|code| u64::from(*code)).collect(),
            false => times.each.iter().map(|time| time.ps()).collect(),
        };
        let before = std::iter::once(&0).chain(&sorted);
        Packed {
            steps: sorted.iter().zip(before).map(|(t, b)| t - b).collect(),
            counts: times.folded.into_values().collect(),
        }
    }
}

impl From<Packed> for Times {
    fn from(packed: Packed) -> Times {
        let mut sum = 0u64;
        let sorted = packed.steps.into_iter().map(|step| {
            sum = sum.wrapping_add(step);
            sum
        });
        let mut times = Times::default();
        if packed.counts.is_empty() {
            times.each = sorted.map(Time::from_ps).collect();
            times.n = times.each.len() as u64;
        } else {
            let codes = sorted.map(|code| code as u32);
            times.folded = codes.zip(packed.counts).collect();
            times.n = times.folded.values().sum();
        }
        times
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(ps: impl IntoIterator<Item = u64>) -> Times {
        let mut times = Times::default();
        ps.into_iter().for_each(|ps| times.push(Time::from_ps(ps)));
        times
    }

    #[test]
    fn codes_grow_by_one_with_what_they_stand_for() {
        assert_eq!(code(Time::from_ps(2047)), 2047);
        assert_eq!(code(Time::MAX), code(Time::from_ps(u64::MAX - 1)));
        for c in 0..code(Time::MAX) {
            assert!(time(c) < time(c + 1), "{c}");
            assert_eq!(code(time(c)), c);
        }
    }

    #[test]
    fn one_more_than_each_and_all_are_rounded() {
        let each = Times::EACH as u64;
        // Times from 1 ms on in steps of 7 ps.
        let ps = |i: u64| 1_000_000_000 + 7 * i;
        let mut exact = of((0..each).map(ps));
        assert!(!exact.is_folded() && exact.nth(12_345) == Time::from_ps(ps(12_345)));
        exact.push(Time::from_ps(ps(each)));
        assert!(exact.is_folded() && exact.each.is_empty());
        assert_eq!(exact.len(), each + 1);
        for i in [0, 1, each / 2, each] {
            let off = exact.nth(i).ps().abs_diff(ps(i)) as f64 / ps(i) as f64;
            assert!(off <= 1.0 / 2048.0, "{off}");
        }
        // Two exact lists stay exact when merged.
        let mut two = of((0..each).map(ps));
        two.merge(&of((0..each).map(ps)));
        assert!(!two.is_folded() && two.len() == 2 * each);
    }

    proptest::proptest! {
        #[test]
        fn rounding_moves_a_time_little_and_keeps_their_order(a: u64, b: u64, down in 0u32..64) {
            let (a, b) = (a >> down, b >> down);
            let rounded = |ps| time(code(Time::from_ps(ps))).ps();
            proptest::prop_assert!(rounded(a).abs_diff(a) <= a >> 11);
            proptest::prop_assert!((a <= b) == (rounded(a) <= rounded(b)) || rounded(a) == rounded(b));
            proptest::prop_assert_eq!(rounded(rounded(a)), rounded(a));
        }

        #[test]
        fn what_is_rounded_has_the_rounded_percentiles_whatever_came_with_what(
            a in proptest::collection::vec(0u64..u64::MAX, 1..60),
            b in proptest::collection::vec(0u64..50_000, 1..60),
            down in 0u32..50,
        ) {
            let a: Vec<u64> = a.into_iter().map(|ps| ps >> down).collect();
            let mut folded = of(a.iter().copied());
            folded.fold();
            let mut one = folded.clone();
            one.merge(&of(b.iter().copied()));
            let mut other = of(b.iter().copied());
            other.merge(&folded);
            proptest::prop_assert_eq!(&one, &other);
            let mut all: Vec<u64> = a.iter().chain(&b).copied().collect();
            all.sort_unstable();
            proptest::prop_assert_eq!(one.len(), all.len() as u64);
            for (i, ps) in all.iter().enumerate() {
                let rounded = time(code(Time::from_ps(*ps)));
                proptest::prop_assert_eq!(one.nth(i as u64), rounded);
            }
            let again: Times = Packed::from(one.clone()).into();
            proptest::prop_assert_eq!(again, one);
        }

        #[test]
        fn what_is_packed_unpacks_in_order(ps in proptest::collection::vec(0u64..u64::MAX, 0..40)) {
            let mut times = of(ps);
            let again: Times = Packed::from(times.clone()).into();
            times.sort();
            proptest::prop_assert_eq!(again, times);
        }
    }
}
