//! A claim's number at one point.

use super::known::{Known, NOTHING};
use super::{Claim, Compare};
use crate::experiment::{Axis, PointResult};
use crate::stats::metric::{self, Reading};
use crate::stats::{Summary, t_interval_of};

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
    // A count is the sum over all seeds, and no interval makes it another number.
    let interval = || t_interval_of(&by_seed(claim, place)?, confidence);
    let ci = (!metric::is_count(&claim.metric)).then(interval).flatten();
    Known { reading, ci }
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

/// The number of each seed that all of them have, when each is exact.
pub fn by_seed(claim: &Claim, place: &Place<'_>) -> Option<Vec<f64>> {
    let (here, other) = (summaries(claim, place.here)?, place.other);
    let other = match other {
        None => None,
        Some(other) => Some(summaries(claim, other)?),
    };
    let mut values = Vec::new();
    for first in &here[0].per_seed {
        let of_seed = |all: &[&'_ Summary]| {
            let own = |s: &&Summary| s.per_seed.iter().position(|p| p.seeds == first.seeds);
            let found: Option<Vec<&Summary>> =
                all.iter().map(|s| Some(&s.per_seed[own(s)?])).collect();
            Some(combine(claim, &found?))
        };
        // A seed that another scheme or point lacks has nothing to be compared with.
        let reading = match &other {
            None => of_seed(&here)?,
            Some(other) => against(claim, of_seed(&here)?, of_seed(other)?),
        };
        let Reading::Exactly(value) = reading else {
            return None;
        };
        values.push(value);
    }
    Some(values)
}

/// One summary per scheme of the comparison.
fn summaries<'a>(claim: &Claim, point: &'a PointResult) -> Option<Vec<&'a Summary>> {
    let schemes = claim.compare.schemes().into_iter();
    schemes.map(|name| point.summary(name)).collect()
}

/// The claim's number from one summary per scheme of the comparison.
fn combine(claim: &Claim, of: &[&Summary]) -> Reading {
    let metric = metric::find(&claim.metric).expect("a claim's metric is in the table");
    let read = |i: usize| metric.read(of[i]);
    match &claim.compare {
        Compare::One(_) => read(0),
        Compare::Difference(..) => read(0).minus(read(1)),
        Compare::Ratio(..) => read(0).over(read(1)),
    }
}
