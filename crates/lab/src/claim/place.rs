//! Number of a claim at one point.

use super::number::{ClaimNumber, NOTHING, NoInterval, said};
use super::{Claim, Compare};
use crate::experiment::{Axis, PointResult};
use crate::stats::metric::{self, Reading, Unit};
use crate::stats::{Interval, Summary, are_apart, sectioned};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Number of each seed, by seed.
pub type BySeed = BTreeMap<Vec<u64>, f64>;

/// Point of a claim, and the point whose number is subtracted or divided by.
pub struct Place<'a> {
    /// Point of the claim.
    pub here: &'a PointResult,
    other: Option<&'a PointResult>,
}

/// Returns the points that a claim is about and that were run, in their order.
pub fn places<'a>(claim: &Claim, axes: &[Axis], points: &'a [PointResult]) -> Vec<Place<'a>> {
    let index = |name: &str| axes.iter().position(|axis| axis.name == name);
    let fits = |point: &&PointResult| {
        let meant = |axis: &str, here: &str| {
            let mut all = claim.at.iter();
            all.any(|(name, value)| name == axis && value == here)
        };
        let mut fixed = claim.at.iter();
        fixed.all(|(axis, _)| index(axis).is_none_or(|i| meant(axis, &point.at[i])))
    };
    let place = |here: &'a PointResult| {
        if claim.less.is_empty() && claim.per.is_empty() {
            return Some(Place { here, other: None });
        }
        let mut at = here.at.clone();
        for (axis, value) in claim.less.iter().chain(&claim.per) {
            at[index(axis)?].clone_from(value);
        }
        let other = points.iter().find(|point| point.at == at)?;
        Some(Place {
            here,
            other: Some(other),
        })
    };
    points.iter().filter(fits).filter_map(place).collect()
}

/// Computes the number at one point, with its interval at `confidence`.
pub fn at_one(claim: &Claim, place: &Place<'_>, confidence: f64) -> ClaimNumber {
    let Some(reading) = whole(claim, place) else {
        return NOTHING;
    };
    if reading == Reading::Nothing && whole_over_none(claim, place) {
        return ClaimNumber {
            why: Some(NoInterval::Zero),
            ..NOTHING
        };
    }
    let seeds = seeds_of(claim, place).map(|seeds| seeds.into_values().collect());
    around(claim, reading, seeds, apart(claim, place), confidence)
}

/// Computes a scheme's metric here divided by that there, with its 95 % interval, seeds paired.
pub fn over(
    metric: &str,
    scheme: &str,
    here: &PointResult,
    there: &PointResult,
) -> (Reading, Option<[f64; 2]>) {
    let claim = Claim::ratio(metric, scheme);
    let other = Some(there);
    let known = at_one(&claim, &Place { here, other }, 0.95);
    (known.reading, super::number::ends(known.ci))
}

/// Puts an interval around a number of all seeds, from `seeds`, each seed's own number.
pub fn around(
    claim: &Claim,
    reading: Reading,
    seeds: Result<Vec<f64>, (usize, NoInterval)>,
    apart: bool,
    confidence: f64,
) -> ClaimNumber {
    let (Some(whole), _) = said(reading) else {
        return NOTHING;
    };
    let none = |seeds, why| ClaimNumber {
        reading,
        ci: None,
        why: Some(why),
        seeds,
        range: Some(Interval {
            low: whole,
            high: whole,
        }),
        apart,
    };
    let seeds = match seeds {
        Ok(seeds) => seeds,
        Err((n, why)) => return none(n, why),
    };
    let range = Some(Interval {
        low: seeds.iter().copied().fold(whole, f64::min),
        high: seeds.iter().copied().fold(whole, f64::max),
    });
    let found = metric::find(&claim.metric);
    if found.is_some_and(|metric| metric.is_extreme()) {
        return ClaimNumber {
            range,
            ..none(seeds.len(), NoInterval::Extreme)
        };
    }
    let ci = sectioned(whole, &seeds, !claim.is_difference(), apart, confidence);
    ClaimNumber {
        reading,
        ci: ci.map(|ci| possible(claim, whole, seeds.len(), ci)),
        why: ci.is_none().then_some(NoInterval::FewSeeds),
        seeds: seeds.len(),
        range,
        apart,
    }
}

/// Clips an interval to possible numbers: a share lies between 0 and 1, a time or a count is not negative.
fn possible(claim: &Claim, whole: f64, seeds: usize, ci: Interval) -> Interval {
    let metric = metric::find(&claim.metric).expect("a claim's metric is in the table");
    let share = metric.unit == Unit::Share && !claim.is_ratio();
    // A difference divided by another one has both signs, as a difference has.
    let signed = claim.is_difference() || matches!(claim.compare, Compare::Difference(..));
    let least = match (signed, share) {
        (true, true) => -1.0,
        (true, false) => f64::NEG_INFINITY,
        // A count above zero has a mean above zero: for one event, Poisson's lower limit.
        (false, _) if metric.is_count && !claim.is_ratio() && whole > 0.0 => 0.0253 / seeds as f64,
        (false, _) => 0.0,
    };
    let most = if share { 1.0 } else { f64::INFINITY };
    // Events that no seed has seen may still occur: for no event, Poisson's upper limit.
    if metric.is_count && !claim.is_ratio() && (ci.low, ci.high) == (0.0, 0.0) {
        let high = 3.689 / seeds as f64;
        let low = if claim.is_difference() { -high } else { 0.0 };
        return Interval { low, high };
    }
    Interval {
        low: ci.low.max(least.min(whole)),
        high: ci.high.min(most.max(whole)),
    }
}

/// True if the seeds of one of the compared numbers fall apart.
fn apart(claim: &Claim, place: &Place<'_>) -> bool {
    let metric = metric::find(&claim.metric).expect("a claim's metric is in the table");
    if metric.is_count {
        return false;
    }
    let points = std::iter::once(place.here).chain(place.other);
    let all = points.filter_map(|point| summaries(claim, point)).flatten();
    let mut all = all.map(|summary| {
        let value = |of: &Summary| said(metric.read(of)).0;
        let seeds: Option<Vec<f64>> = summary.per_seed.iter().map(value).collect();
        value(&summary).zip(seeds)
    });
    all.any(|found| found.is_some_and(|(whole, seeds)| are_apart(whole, &seeds)))
}

/// Computes the number from all seeds together; `None` if a scheme did not run.
fn whole(claim: &Claim, place: &Place<'_>) -> Option<Reading> {
    let here = combine(claim, &of(&summaries(claim, place.here)?));
    match place.other {
        None => Some(here),
        Some(other) => {
            let other = combine(claim, &of(&summaries(claim, other)?));
            Some(against(claim, here, other))
        }
    }
}

/// Subtracts the other number from that here, or divides by it.
fn against(claim: &Claim, here: Reading, other: Reading) -> Reading {
    if claim.per.is_empty() {
        here.minus(other)
    } else {
        here.over(other)
    }
}

/// True if a divisor of these numbers is not above zero.
fn is_over_none(claim: &Claim, here: &[&Summary], other: Option<&[&Summary]>) -> bool {
    let none = |reading| matches!(reading, Reading::Exactly(v) if v <= 0.0);
    let of_schemes =
        |of: &[&Summary]| matches!(claim.compare, Compare::Ratio(..)) && none(read(claim, of[1]));
    let of_other =
        |of: &[&Summary]| of_schemes(of) || !claim.per.is_empty() && none(combine(claim, of));
    of_schemes(here) || other.is_some_and(of_other)
}

fn whole_over_none(claim: &Claim, place: &Place<'_>) -> bool {
    let other = place.other.and_then(|point| summaries(claim, point));
    let here = summaries(claim, place.here);
    let other = other.as_deref().map(of);
    here.is_some_and(|here| is_over_none(claim, &of(&here), other.as_deref()))
}

/// Computes the number of each seed, paired between schemes and points. Errors give the number of seeds and the
/// reason.
pub fn seeds_of(claim: &Claim, place: &Place<'_>) -> Result<BySeed, (usize, NoInterval)> {
    let all = |point| summaries(claim, point).ok_or((0, NoInterval::Nothing));
    let here = all(place.here)?;
    let other = place.other.map(all).transpose()?;
    let n = here[0].seeds.len();
    if n < 2 {
        return Err((n, NoInterval::FewSeeds));
    }
    let whole = whole(claim, place).unwrap_or(Reading::Nothing);
    let mut values = BySeed::new();
    for first in &here[0].per_seed {
        // A seed that another scheme or point lacks has no partner to compare with.
        let lacks = || (n, NoInterval::OtherSeeds);
        let of_here = own(&here, &first.seeds).ok_or_else(lacks)?;
        let of_other = match &other {
            Some(other) => Some(own(other, &first.seeds).ok_or_else(lacks)?),
            None => None,
        };
        let number = combine(claim, &of_here);
        let reading = match &of_other {
            None => number,
            Some(other) => against(claim, number, combine(claim, other)),
        };
        let value = match (reading, whole) {
            (Reading::Exactly(value), _)
            | (Reading::AtLeast(value), Reading::AtLeast(_))
            | (Reading::AtMost(value), Reading::AtMost(_)) => value,
            _ if is_over_none(claim, &of_here, of_other.as_deref()) => {
                return Err((n, NoInterval::Zero));
            }
            _ => return Err((n, NoInterval::Unfinished)),
        };
        values.insert(first.seeds.clone(), value);
    }
    Ok(values)
}

/// Returns the part of each summary for these seeds, if all summaries have it.
fn own<'a>(all: &'a [Arc<Summary>], seeds: &[u64]) -> Option<Vec<&'a Summary>> {
    let of_seed = |s: &'a Arc<Summary>| s.per_seed.iter().find(|own| own.seeds == seeds);
    all.iter().map(of_seed).collect()
}

/// Returns the summary of each scheme of the comparison.
fn summaries(claim: &Claim, point: &PointResult) -> Option<Vec<Arc<Summary>>> {
    let schemes = claim.compare.schemes().into_iter();
    schemes.map(|name| point.summary(name)).collect()
}

fn of(all: &[Arc<Summary>]) -> Vec<&Summary> {
    all.iter().map(Arc::as_ref).collect()
}

/// Reads the claim's metric of one scheme. A count is the mean per seed.
fn read(claim: &Claim, of: &Summary) -> Reading {
    let metric = metric::find(&claim.metric).expect("a claim's metric is in the table");
    match metric.is_count {
        true => metric.read(of).times(1.0 / of.seeds.len().max(1) as f64),
        false => metric.read(of),
    }
}

/// Computes the claim's number from the summaries of the schemes compared.
fn combine(claim: &Claim, of: &[&Summary]) -> Reading {
    let read = |i: usize| read(claim, of[i]);
    match &claim.compare {
        Compare::One(_) => read(0),
        Compare::Difference(..) => read(0).minus(read(1)),
        Compare::Ratio(..) => read(0).over(read(1)),
    }
}
