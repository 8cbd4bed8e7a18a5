//! A claim's number at one point.

use super::known::{Known, NOTHING, Why, said};
use super::{Claim, Compare};
use crate::experiment::{Axis, PointResult};
use crate::stats::metric::{self, Reading, Unit};
use crate::stats::{Interval, Summary, are_apart, sectioned};

/// A point, and the one whose number is taken off or divided by.
pub struct Place<'a> {
    /// The point.
    pub here: &'a PointResult,
    other: Option<&'a PointResult>,
}

/// The points that a claim speaks of and that were run, in their order.
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

/// The number at one point, with its interval at `confidence`.
pub fn at_one(claim: &Claim, place: &Place<'_>, confidence: f64) -> Known {
    let Some(reading) = whole(claim, place) else {
        return NOTHING;
    };
    let seeds = seeds_of(claim, place);
    around(claim, reading, seeds, apart(claim, place), confidence)
}

/// A number of all seeds with its interval from `seeds`, each seed's own.
pub fn around(
    claim: &Claim,
    reading: Reading,
    seeds: Result<Vec<f64>, (usize, Why)>,
    apart: bool,
    confidence: f64,
) -> Known {
    let (Some(whole), _) = said(reading) else {
        return NOTHING;
    };
    let none = |seeds, why| Known {
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
        return Known {
            range,
            ..none(seeds.len(), Why::Extreme)
        };
    }
    let ci = sectioned(whole, &seeds, !claim.is_difference(), apart, confidence);
    Known {
        reading,
        ci: ci.map(|ci| possible(claim, whole, seeds.len(), ci)),
        why: ci.is_none().then_some(Why::FewSeeds),
        seeds: seeds.len(),
        range,
        apart,
    }
}

/// An interval without what the number cannot be: a share below none or above all, a time or a count below none.
fn possible(claim: &Claim, whole: f64, seeds: usize, ci: Interval) -> Interval {
    let metric = metric::find(&claim.metric).expect("a claim's metric is in the table");
    let share = metric.unit == Unit::Share && !claim.is_ratio();
    let least = match (claim.is_difference(), share) {
        (true, true) => -1.0,
        (true, false) => f64::NEG_INFINITY,
        // What was counted at all has a mean above none: of one event, Poisson's lower limit.
        (false, _) if metric.is_count && !claim.is_ratio() && whole > 0.0 => 0.0253 / seeds as f64,
        (false, _) => 0.0,
    };
    let most = if share { 1.0 } else { f64::INFINITY };
    // What no seed has seen may still come: of no event, Poisson's upper limit.
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

/// Do the seeds of one of the numbers that are compared fall apart?
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
        value(summary).zip(seeds)
    });
    all.any(|found| found.is_some_and(|(whole, seeds)| are_apart(whole, &seeds)))
}

/// The number from all seeds together; `None` when a scheme did not run.
fn whole(claim: &Claim, place: &Place<'_>) -> Option<Reading> {
    let here = combine(claim, &summaries(claim, place.here)?);
    match place.other {
        None => Some(here),
        Some(other) => Some(against(
            claim,
            here,
            combine(claim, &summaries(claim, other)?),
        )),
    }
}

/// The number here less the other, or over it.
fn against(claim: &Claim, here: Reading, other: Reading) -> Reading {
    if claim.per.is_empty() {
        here.minus(other)
    } else {
        here.over(other)
    }
}

/// The number of each seed, paired between schemes and points; or how many seeds there are and why not.
pub fn seeds_of(claim: &Claim, place: &Place<'_>) -> Result<Vec<f64>, (usize, Why)> {
    let all = |point| summaries(claim, point).ok_or((0, Why::Nothing));
    let here = all(place.here)?;
    let other = place.other.map(all).transpose()?;
    let n = here[0].seeds.len();
    if n < 2 {
        return Err((n, Why::FewSeeds));
    }
    let whole = whole(claim, place).unwrap_or(Reading::Nothing);
    let mut values = Vec::new();
    for first in &here[0].per_seed {
        let of_seed = |all: &[&'_ Summary]| {
            let own = |s: &&Summary| s.per_seed.iter().position(|p| p.seeds == first.seeds);
            let found: Option<Vec<&Summary>> =
                all.iter().map(|s| Some(&s.per_seed[own(s)?])).collect();
            // A seed that another scheme or point lacks has nothing to be compared with.
            Ok(combine(claim, &found.ok_or((n, Why::OtherSeeds))?))
        };
        let reading = match &other {
            None => of_seed(&here)?,
            Some(other) => against(claim, of_seed(&here)?, of_seed(other)?),
        };
        values.push(match (reading, whole) {
            (Reading::Exactly(value), _)
            | (Reading::AtLeast(value), Reading::AtLeast(_))
            | (Reading::AtMost(value), Reading::AtMost(_)) => value,
            _ => return Err((n, Why::Unfinished)),
        });
    }
    Ok(values)
}

/// One summary per scheme of the comparison.
fn summaries<'a>(claim: &Claim, point: &'a PointResult) -> Option<Vec<&'a Summary>> {
    let schemes = claim.compare.schemes().into_iter();
    schemes.map(|name| point.summary(name)).collect()
}

/// The claim's number from one summary per scheme of the comparison. A count is that of a seed, on average.
fn combine(claim: &Claim, of: &[&Summary]) -> Reading {
    let metric = metric::find(&claim.metric).expect("a claim's metric is in the table");
    let read = |i: usize| match metric.is_count {
        true => metric
            .read(of[i])
            .times(1.0 / of[i].seeds.len().max(1) as f64),
        false => metric.read(of[i]),
    };
    match &claim.compare {
        Compare::One(_) => read(0),
        Compare::Difference(..) => read(0).minus(read(1)),
        Compare::Ratio(..) => read(0).over(read(1)),
    }
}
