//! One number of several points: the worst, the largest, the smallest, the mean.

use super::known::{Known, NOTHING, Why, decide, said, verdict};
use super::place::{Place, around, seeds_of};
use super::{Accept, Claim, Verdict};
use crate::stats::Interval;
use crate::stats::metric::Reading;

/// The worst point: by its verdict, then by how far its number is on the wrong side.
pub fn each(accept: Accept, all: &[Known]) -> (Known, Verdict) {
    let rank = |verdict| match verdict {
        Verdict::NotReproduced => 0,
        Verdict::CantTell | Verdict::NotJudged => 1,
        Verdict::Reproduced => 2,
    };
    let room = |known: &Known| match said(known.reading).0 {
        Some(v) => accept.room(v),
        None => f64::NEG_INFINITY,
    };
    let worst = all.iter().min_by(|a, b| {
        let verdicts = rank(verdict(accept, **a)).cmp(&rank(verdict(accept, **b)));
        verdicts.then(room(a).total_cmp(&room(b)))
    });
    decide(accept, *worst.expect("there is a point"))
}

/// The largest number of all points, or the smallest.
pub fn extreme(all: &[Known], largest: bool) -> Known {
    use Reading::{AtLeast, AtMost, Exactly, Nothing};
    // The smallest is the largest with all signs changed.
    let turn = |reading| match (reading, largest) {
        (reading, true) => reading,
        (Exactly(v), _) => Exactly(-v),
        (AtLeast(v), _) => AtMost(-v),
        (AtMost(v), _) => AtLeast(-v),
        (Nothing, _) => Nothing,
    };
    let mut reading = turn(all[0].reading);
    for known in &all[1..] {
        reading = match (reading, turn(known.reading)) {
            (Nothing, _) | (_, Nothing) => Nothing,
            (Exactly(a), Exactly(b)) => Exactly(a.max(b)),
            (Exactly(a), AtMost(b)) | (AtMost(b), Exactly(a)) if a >= b => Exactly(a),
            (AtMost(a), Exactly(b) | AtMost(b)) | (Exactly(a), AtMost(b)) => AtMost(a.max(b)),
            // What may be anything below its bound cannot make the largest smaller.
            (AtLeast(a), AtMost(_)) | (AtMost(_), AtLeast(a)) => AtLeast(a),
            (AtLeast(a), AtLeast(b) | Exactly(b)) | (Exactly(a), AtLeast(b)) => AtLeast(a.max(b)),
        };
    }
    let reading = turn(reading);
    if reading == Nothing {
        return NOTHING;
    }
    let pick = |of: fn(&Interval) -> f64, ends: Vec<Interval>| {
        let values = ends.iter().map(of);
        if largest {
            values.fold(f64::NEG_INFINITY, f64::max)
        } else {
            values.fold(f64::INFINITY, f64::min)
        }
    };
    let both = |of: fn(&Known) -> Option<Interval>| {
        let ends: Option<Vec<Interval>> = all.iter().map(of).collect();
        ends.map(|ends| Interval {
            low: pick(|ci| ci.low, ends.clone()),
            high: pick(|ci| ci.high, ends),
        })
    };
    let ranges = all.iter().filter_map(|known| known.range);
    Known {
        reading,
        ci: both(|known| known.ci),
        why: all.iter().find_map(|known| known.why),
        seeds: all.iter().map(|known| known.seeds).min().unwrap_or(0),
        // One seed of one point is enough against a sentence on every run.
        range: ranges.reduce(|a, b| Interval {
            low: a.low.min(b.low),
            high: a.high.max(b.high),
        }),
        apart: all.iter().any(|known| known.apart),
    }
}

/// The mean of all points; its interval is from each seed's mean.
pub fn mean(claim: &Claim, places: &[Place<'_>], all: &[Known]) -> Known {
    let n = all.len() as f64;
    let sum = all.iter().map(|known| known.reading).reduce(Reading::plus);
    let reading = sum.map_or(Reading::Nothing, |sum| sum.times(1.0 / n));
    let values: Result<Vec<Vec<f64>>, _> = places.iter().map(|p| seeds_of(claim, p)).collect();
    let seeds = values.and_then(|points| {
        let seeds = points[0].len();
        let equal = points.iter().all(|values| values.len() == seeds);
        let of = |seed: usize| points.iter().map(|v| v[seed]).sum::<f64>() / n;
        match equal {
            true => Ok((0..seeds).map(of).collect::<Vec<f64>>()),
            false => Err((seeds, Why::OtherSeeds)),
        }
    });
    let apart = all.iter().any(|known| known.apart);
    around(claim, reading, seeds, apart, 0.95)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_among_several_stays_a_bound() {
        use Reading::{AtLeast, AtMost, Exactly};
        let of = |readings: &[Reading], largest| {
            let known = |reading: &Reading| Known {
                reading: *reading,
                ..NOTHING
            };
            let all: Vec<Known> = readings.iter().map(known).collect();
            extreme(&all, largest).reading
        };
        assert_eq!(of(&[Exactly(3.0), AtLeast(2.0)], true), AtLeast(3.0));
        assert_eq!(of(&[Exactly(3.0), AtLeast(5.0)], false), Exactly(3.0));
        assert_eq!(of(&[Exactly(3.0), AtLeast(2.0)], false), AtLeast(2.0));
        assert_eq!(of(&[Exactly(3.0), AtMost(2.0)], true), Exactly(3.0));
        assert_eq!(of(&[AtMost(4.0), AtLeast(2.0)], true), AtLeast(2.0));
        assert_eq!(of(&[AtMost(4.0), Exactly(3.0)], true), AtMost(4.0));
        assert_eq!(
            of(&[Reading::Nothing, Exactly(3.0)], true),
            Reading::Nothing
        );
    }
}
