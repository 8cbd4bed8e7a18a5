//! Combines the numbers of several points into one: the worst, the largest, the smallest, the mean.

use super::number::{ClaimNumber, NOTHING, NoInterval, decide, said, verdict};
use super::place::{BySeed, Place, around, seeds_of};
use super::{Accept, Claim, Verdict};
use crate::stats::Interval;
use crate::stats::metric::Reading;

/// Returns the worst point: by its verdict, then by the distance of its number from the range.
pub fn each(accept: Accept, all: &[ClaimNumber]) -> (ClaimNumber, Verdict) {
    let rank = |verdict| match verdict {
        Verdict::NotReproduced => 0,
        Verdict::CantTell | Verdict::NotJudged => 1,
        Verdict::Reproduced => 2,
    };
    let room = |known: &ClaimNumber| match said(known.reading).0 {
        Some(v) => accept.room(v),
        None => f64::NEG_INFINITY,
    };
    let worst = all.iter().min_by(|a, b| {
        let verdicts = rank(verdict(accept, **a)).cmp(&rank(verdict(accept, **b)));
        verdicts.then(room(a).total_cmp(&room(b)))
    });
    decide(accept, *worst.expect("there is a point"))
}

/// Returns the largest number of all points, or the smallest.
pub fn extreme(all: &[ClaimNumber], largest: bool) -> ClaimNumber {
    use Reading::{AtLeast, AtMost, Exactly, Nothing};
    // The smallest is the largest with all signs changed.
    let turn = |reading| match (reading, largest) {
        (reading, true) => reading,
        (Exactly(v), _) => Exactly(-v),
        (AtLeast(v), _) => AtMost(-v),
        (AtMost(v), _) => AtLeast(-v),
        (Nothing, _) => Nothing,
    };
    let readings: Vec<Reading> = all.iter().map(|known| turn(known.reading)).collect();
    let reading = largest_of(&readings);
    let reading = turn(reading);
    if reading == Nothing {
        return nothing(all);
    }
    let furthest = |ends: Vec<f64>| match largest {
        true => ends.into_iter().reduce(f64::max),
        false => ends.into_iter().reduce(f64::min),
    };
    // A number that may be anything below its bound has no lower end to raise that of the largest; for the
    // smallest, the reverse. Where all points are such bounds, so is the extreme, and its end there is open
    // anyway.
    let open = |known: &ClaimNumber| match largest {
        true => matches!(known.reading, AtMost(_)),
        false => matches!(known.reading, AtLeast(_)),
    };
    let inner = |of: fn(&Interval) -> f64| {
        let closed = all.iter().filter(|known| !open(known));
        let ends: Vec<f64> = closed.filter_map(|k| k.ci.as_ref().map(of)).collect();
        furthest(ends)
            .or_else(|| furthest(all.iter().filter_map(|k| k.ci.as_ref().map(of)).collect()))
    };
    let outer = |of: fn(&Interval) -> f64| {
        furthest(all.iter().filter_map(|k| k.ci.as_ref().map(of)).collect())
    };
    let ci = || {
        let low = |ci: &Interval| ci.low;
        let high = |ci: &Interval| ci.high;
        Some(match largest {
            true => Interval {
                low: inner(low)?,
                high: outer(high)?,
            },
            false => Interval {
                low: outer(low)?,
                high: inner(high)?,
            },
        })
    };
    let ci = match all.iter().all(|known| known.ci.is_some()) {
        true => ci(),
        false => None,
    };
    let ranges = all.iter().filter_map(|known| known.range);
    ClaimNumber {
        reading,
        ci,
        why: all.iter().find_map(|known| known.why),
        seeds: all.iter().map(|known| known.seeds).min().unwrap_or(0),
        // One seed of one point is enough to refute a statement about every run.
        range: ranges.reduce(|a, b| Interval {
            low: a.low.min(b.low),
            high: a.high.max(b.high),
        }),
        apart: all.iter().any(|known| known.apart),
    }
}

/// Returns the largest of several readings, in any order. A reading that may be anything below its bound cannot
/// lower it.
fn largest_of(readings: &[Reading]) -> Reading {
    use Reading::{AtLeast, AtMost, Exactly, Nothing};
    let largest = |of: fn(&Reading) -> Option<f64>| readings.iter().filter_map(of).reduce(f64::max);
    let least = largest(|r| match r {
        AtLeast(v) | Exactly(v) => Some(*v),
        AtMost(_) | Nothing => None,
    });
    let most = largest(|r| match r {
        AtMost(v) => Some(*v),
        AtLeast(_) | Exactly(_) | Nothing => None,
    });
    let is_open = readings.iter().any(|r| matches!(r, AtLeast(_)));
    match (least, most) {
        _ if readings.contains(&Nothing) => Nothing,
        (Some(least), _) if is_open => AtLeast(least),
        (Some(exact), Some(most)) if exact < most => AtMost(most),
        (Some(exact), _) => Exactly(exact),
        (None, Some(most)) => AtMost(most),
        (None, None) => Nothing,
    }
}

/// Returns the first point without a number, with its reason.
fn nothing(all: &[ClaimNumber]) -> ClaimNumber {
    let mut without = all.iter().filter(|known| known.reading == Reading::Nothing);
    without.next().copied().unwrap_or(NOTHING)
}

/// Returns the mean of all points; its interval is from each seed's mean.
pub fn mean(claim: &Claim, places: &[Place<'_>], all: &[ClaimNumber]) -> ClaimNumber {
    let n = all.len() as f64;
    let sum = all.iter().map(|known| known.reading).reduce(Reading::plus);
    let reading = sum.map_or(Reading::Nothing, |sum| sum.times(1.0 / n));
    if reading == Reading::Nothing {
        return nothing(all);
    }
    let values: Result<Vec<BySeed>, _> = places.iter().map(|p| seeds_of(claim, p)).collect();
    let seeds = values.and_then(|points| {
        let first = &points[0];
        let equal = points.iter().all(|values| values.keys().eq(first.keys()));
        let of = |seed: &Vec<u64>| points.iter().map(|v| v[seed]).sum::<f64>() / n;
        match equal {
            true => Ok(first.keys().map(of).collect::<Vec<f64>>()),
            false => Err((first.len(), NoInterval::OtherSeeds)),
        }
    });
    let apart = all.iter().any(|known| known.apart);
    around(claim, reading, seeds, apart, 0.95)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_holds_the_extreme_on_its_closed_side_alone() {
        use Reading::{AtLeast, AtMost, Exactly};
        let known = |reading, low, high| ClaimNumber {
            reading,
            ci: Some(Interval { low, high }),
            why: None,
            seeds: 5,
            ..NOTHING
        };
        let ends = |all: &[ClaimNumber], largest| {
            let ci = extreme(all, largest).ci.unwrap();
            (ci.low, ci.high)
        };
        let (most, least) = (known(AtMost(4.0), 3.9, 4.1), known(AtLeast(2.0), 1.9, 2.1));
        assert_eq!(ends(&[most, least], true), (1.9, 4.1));
        assert_eq!(ends(&[most, least], false), (1.9, 4.1));
        let exact = known(Exactly(3.0), 2.8, 3.2);
        assert_eq!(ends(&[exact, most], true), (2.8, 4.1));
        assert_eq!(ends(&[exact, least], false), (1.9, 3.2));
        let from = |text| decide(Accept::parse(text).unwrap(), extreme(&[most, least], true)).1;
        assert_eq!(from("3.8.."), Verdict::CantTell, "it may be 2");
        assert_eq!(from("1.."), Verdict::Reproduced);
    }

    #[test]
    fn a_bound_among_several_stays_a_bound() {
        use Reading::{AtLeast, AtMost, Exactly};
        let of = |readings: &[Reading], largest| {
            let known = |reading: &Reading| ClaimNumber {
                reading: *reading,
                ..NOTHING
            };
            let all: Vec<ClaimNumber> = readings.iter().map(known).collect();
            extreme(&all, largest).reading
        };
        assert_eq!(of(&[Exactly(3.0), AtLeast(2.0)], true), AtLeast(3.0));
        assert_eq!(of(&[Exactly(3.0), AtLeast(5.0)], false), Exactly(3.0));
        assert_eq!(of(&[Exactly(3.0), AtLeast(2.0)], false), AtLeast(2.0));
        assert_eq!(of(&[Exactly(3.0), AtMost(2.0)], true), Exactly(3.0));
        assert_eq!(of(&[AtMost(4.0), AtLeast(2.0)], true), AtLeast(2.0));
        assert_eq!(of(&[AtMost(4.0), Exactly(3.0)], true), AtMost(4.0));
        let mixed = [Exactly(3.0), AtMost(4.0), AtLeast(2.0)];
        assert_eq!(of(&mixed, true), AtLeast(3.0), "in any order");
        assert_eq!(of(&[mixed[2], mixed[0], mixed[1]], true), AtLeast(3.0));
        assert_eq!(of(&mixed, false), AtMost(3.0));
        assert_eq!(
            of(&[Reading::Nothing, Exactly(3.0)], true),
            Reading::Nothing
        );
    }
}
