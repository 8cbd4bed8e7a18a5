//! Many times, each kept as it is; of very many, how often each came up, rounded.
//!
//! **Decision**     up to [`Times::EACH`] every time is kept. One more, and all of them are rounded to 11 binary digits
//!                  and counted, so that memory and cache hold no more however many follow. What comes from such a list is
//!                  what the rounded times say: a percentile is the exact one, rounded.
//! **State**        a list, or a count for each rounded time; never both.
//! **Units**        picoseconds, or whatever a [`Time`] stands for. Rounding moves a time by 2⁻¹¹ of it at most, 0.049 %,
//!                  and none below 2048.
//! **Errors**       none.
//! **Source**       after HdrHistogram (Tene, 2012), with digits of its own.

use serde::{Deserialize, Serialize};
use sidestep_types::Time;
use std::collections::BTreeMap;

/// A list of times.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Packed", into = "Packed")]
pub(super) struct Times {
    each: Vec<Time>,
    /// By [`code`], how many.
    folded: BTreeMap<u32, u64>,
    n: u64,
}

impl Times {
    /// So many are kept as they are. No run of a shipped experiment had more when it was chosen.
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

    /// Are they rounded?
    pub fn is_folded(&self) -> bool {
        !self.folded.is_empty()
    }

    /// Takes in another list. Two that are kept as they are stay so, however long they become.
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

    /// Puts them in order, so that equal lists are equal values and pack well.
    pub fn sort(&mut self) {
        self.each.sort_unstable();
        self.each.shrink_to_fit();
    }

    /// Every time and how often it came up; rounded ones in order, others in the list's.
    pub fn counts(&self) -> impl Iterator<Item = (Time, u64)> {
        let each = self.each.iter().map(|time| (*time, 1));
        each.chain(self.folded.iter().map(|(c, count)| (time(*c), *count)))
    }

    /// The one at `index` of their order, which is below their number.
    pub fn nth(&mut self, index: u64) -> Time {
        if self.is_folded() {
            return nth_of(self.counts(), index);
        }
        let (_, value, _) = self.each.select_nth_unstable(index as usize);
        *value
    }

    /// The one at `index` of the order of both lists together.
    pub fn nth_with(&self, other: &Times, index: u64) -> Time {
        let mut all: Vec<(Time, u64)> = self.counts().chain(other.counts()).collect();
        all.sort_unstable();
        nth_of(all.into_iter(), index)
    }

    /// Their sum, in picoseconds.
    pub fn sum(&self) -> u128 {
        let each = self.counts();
        each.map(|(time, count)| u128::from(time.ps()) * u128::from(count))
            .sum()
    }
}

/// The one at `index` of what is in order already.
fn nth_of(mut sorted: impl Iterator<Item = (Time, u64)>, index: u64) -> Time {
    let mut below = 0;
    let found = sorted.find(|(_, count)| {
        below += count;
        index < below
    });
    found.expect("an index is below their number").0
}

/// Binary digits that a rounded time has.
const DIGITS: u32 = 11;
/// So many rounded times have a highest digit in common.
const STEP: u32 = 1 << (DIGITS - 1);

/// A rounded time as a number that grows with it by one: exactly below 2048, then 1024 for each doubling.
fn code(time: Time) -> u32 {
    let ps = time.ps();
    let digits = u64::BITS - ps.leading_zeros();
    let Some(shift) = digits.checked_sub(DIGITS).filter(|shift| *shift > 0) else {
        return ps as u32;
    };
    // To the nearest. The last of a doubling may become the first of the next: its code is the next as well.
    let up = (ps >> (shift - 1)) & 1;
    STEP * shift + (ps >> shift) as u32 + up as u32
}

/// The time of a code.
fn time(code: u32) -> Time {
    let shift = (code / STEP).saturating_sub(1);
    let digits = u64::from(code - STEP * shift);
    Time::from_ps(digits.saturating_mul(1 << shift))
}

/// Times as they are kept: each, or its code, less the one before it, in order; of codes also how many.
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
        // From 1 ms on in steps of 7 ps.
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
        // Two that are not stay as they are together.
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
