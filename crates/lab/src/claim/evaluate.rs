//! Claims held against numbers, at one point or over several.
//!
//! **Intervals**    per-seed numbers, paired seed by seed between schemes and points, by Student's
//!                  t. Where one of several points decides (`max`, `min`, `each`), the points'
//!                  intervals hold together with 95 %: each is at 1 - 0.05 / points (Bonferroni),
//!                  so that a sweep does not find by chance what no point shows alone. A maximum
//!                  then lies between the largest lower end and the largest upper end.

use super::{Accept, Claim, Compare, Over, Verdict};
use crate::experiment::{Axis, PointResult};
use crate::stats::metric::{self, Metric, Reading};
use crate::stats::{Interval, Summary, t_interval_of};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A claim beside our number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClaimResult {
    /// The claim's name.
    pub id: String,
    /// The paper's figure, table or section.
    pub figure: String,
    /// The sentence.
    pub says: String,
    /// What was measured.
    pub metric: String,
    /// Of which schemes.
    pub compare: String,
    /// The paper's number; null when it gives none.
    pub paper: Option<f64>,
    /// Ours, from all seeds together. With [`ClaimResult::bound`], a bound on it.
    pub ours: Option<f64>,
    /// `">="` or `"<="` when unfinished flows leave only a bound.
    pub bound: Option<String>,
    /// 95 % interval over seeds, paired seed by seed; needs two seeds or more.
    pub ci: Option<[f64; 2]>,
    /// The range that counts as reproduced.
    pub accept: String,
    /// What became of it.
    pub verdict: Verdict,
    /// Why that range.
    pub tolerance: String,
    /// Why the paper's number and ours differ.
    pub gap: String,
    /// The verdict that this version gives.
    #[serde(default = "reproduced")]
    pub expect: Verdict,
    /// The experiment that shows the assumption that decides; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub gap_sweep: String,
    /// The points it speaks of: axis to value, or to several with commas.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub at: BTreeMap<String, String>,
    /// The points that are taken off: axis to value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub less: BTreeMap<String, String>,
    /// The points that it is divided by: axis to value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub per: BTreeMap<String, String>,
    /// What was made of several points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<Over>,
    /// The number at each point; empty for a scenario without a sweep.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<ClaimPoint>,
}

impl ClaimResult {
    /// Is the verdict the expected one?
    pub fn is_expected(&self) -> bool {
        self.verdict == self.expect
    }
}

fn reproduced() -> Verdict {
    Verdict::Reproduced
}

/// A claim's number at one point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClaimPoint {
    /// The value on each axis.
    pub at: Vec<String>,
    /// As in [`ClaimResult`].
    pub ours: Option<f64>,
    /// As in [`ClaimResult`].
    pub bound: Option<String>,
    /// As in [`ClaimResult`]; at 1 - 0.05 / points under `max`, `min` and `each`.
    pub ci: Option<[f64; 2]>,
}

/// Holds every claim against the summaries of a scenario without a sweep.
pub fn evaluate(claims: &[Claim], summaries: &[Summary]) -> Vec<ClaimResult> {
    let point = PointResult {
        at: Vec::new(),
        summaries: summaries.to_vec(),
        records: Vec::new(),
    };
    evaluate_at(claims, &[], &[point])
}

/// Holds every claim against the points of an experiment.
pub(crate) fn evaluate_at(
    claims: &[Claim],
    axes: &[Axis],
    points: &[PointResult],
) -> Vec<ClaimResult> {
    let one = |claim: &Claim| evaluate_one(claim, axes, points);
    claims.iter().map(one).collect()
}

/// What is known of a number.
#[derive(Clone, Copy)]
struct Known {
    reading: Reading,
    ci: Option<Interval>,
}

fn evaluate_one(claim: &Claim, axes: &[Axis], points: &[PointResult]) -> ClaimResult {
    let chosen: Vec<Place<'_>> = places(claim, axes, points);
    let single = matches!(claim.over, None | Some(Over::Mean));
    let confidence = if single {
        0.95
    } else {
        1.0 - 0.05 / chosen.len().max(1) as f64
    };
    let known: Vec<Known> = chosen
        .iter()
        .map(|place| at_one(claim, place, confidence))
        .collect();
    let (whole, verdict) = match (known.as_slice(), claim.over) {
        ([], _) => (NOTHING, Verdict::CantTell),
        // Without `over` a claim speaks of one point; `--set` cannot make it more.
        (all, None) => decide(claim.accept, all[0]),
        (all, Some(Over::Each)) => each(claim.accept, all),
        (all, Some(Over::Max)) => decide(claim.accept, extreme(all, true)),
        (all, Some(Over::Min)) => decide(claim.accept, extreme(all, false)),
        (all, Some(Over::Mean)) => decide(claim.accept, mean(claim, &chosen, all)),
    };
    let (ours, bound) = said(whole.reading);
    let point = |(place, known): (&Place<'_>, &Known)| {
        let (ours, bound) = said(known.reading);
        ClaimPoint {
            at: place.here.at.clone(),
            ours,
            bound,
            ci: ends(known.ci),
        }
    };
    let shown = if axes.is_empty() { &[][..] } else { &chosen };
    ClaimResult {
        id: claim.id.clone(),
        figure: claim.figure.clone(),
        says: claim.says.clone(),
        metric: claim.metric.to_string(),
        compare: claim.compare.to_string(),
        paper: claim.paper,
        ours,
        bound,
        ci: ends(whole.ci),
        accept: claim.accept.to_string(),
        verdict,
        tolerance: claim.tolerance.clone(),
        gap: claim.gap.clone(),
        expect: claim.expect,
        gap_sweep: claim.gap_sweep.clone(),
        at: together(&claim.at),
        less: together(&claim.less),
        per: together(&claim.per),
        over: claim.over,
        points: shown.iter().zip(&known).map(point).collect(),
    }
}

/// Axis to value; several values of one axis with commas.
fn together(at: &[(String, String)]) -> BTreeMap<String, String> {
    let mut all: BTreeMap<String, String> = BTreeMap::new();
    for (axis, value) in at {
        let known = all.entry(axis.clone()).or_default();
        if !known.is_empty() {
            known.push_str(", ");
        }
        known.push_str(value);
    }
    all
}

const NOTHING: Known = Known {
    reading: Reading::Nothing,
    ci: None,
};

fn said(reading: Reading) -> (Option<f64>, Option<String>) {
    match reading {
        Reading::Exactly(v) => (Some(v), None),
        Reading::AtLeast(v) => (Some(v), Some(">=".to_string())),
        Reading::AtMost(v) => (Some(v), Some("<=".to_string())),
        Reading::Nothing => (None, None),
    }
}

fn ends(ci: Option<Interval>) -> Option<[f64; 2]> {
    ci.map(|ci| [ci.low, ci.high])
}

/// A point, and the one whose number is taken off or divided by.
struct Place<'a> {
    here: &'a PointResult,
    other: Option<&'a PointResult>,
}

/// The points that a claim speaks of and that were run, in their order.
fn places<'a>(claim: &Claim, axes: &[Axis], points: &'a [PointResult]) -> Vec<Place<'a>> {
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

fn at_one(claim: &Claim, place: &Place<'_>, confidence: f64) -> Known {
    let Some(reading) = whole(claim, place) else {
        return NOTHING;
    };
    // A count is the sum over all seeds, and no interval makes it another number.
    let interval = || t_interval_of(&by_seed(claim, place)?, confidence);
    let ci = (!metric::is_count(claim.metric)).then(interval).flatten();
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
fn by_seed(claim: &Claim, place: &Place<'_>) -> Option<Vec<f64>> {
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
    let metric: &Metric = metric::find(claim.metric).expect("a claim's metric is in the table");
    let read = |i: usize| metric.read(of[i]);
    match &claim.compare {
        Compare::One(_) => read(0),
        Compare::Difference(..) => read(0).minus(read(1)),
        Compare::Ratio(..) => read(0).over(read(1)),
    }
}

fn decide(accept: Accept, known: Known) -> (Known, Verdict) {
    (known, verdict(accept, known))
}

fn verdict(accept: Accept, Known { reading, ci }: Known) -> Verdict {
    let decided = |sure: bool, never: bool| match (sure, never) {
        (true, _) => Verdict::Reproduced,
        (_, true) => Verdict::NotReproduced,
        _ => Verdict::CantTell,
    };
    match reading {
        Reading::Exactly(v) => {
            let reaches = ci.is_some_and(|ci| ci.low <= accept.to && accept.from <= ci.high);
            decided(accept.holds(v), !reaches)
        }
        Reading::AtLeast(v) => decided(
            v >= accept.from && accept.to == f64::INFINITY,
            v > accept.to,
        ),
        Reading::AtMost(v) => decided(
            v <= accept.to && accept.from == f64::NEG_INFINITY,
            v < accept.from,
        ),
        Reading::Nothing => Verdict::CantTell,
    }
}

/// The worst point: by its verdict, then by how far its number is on the wrong side.
fn each(accept: Accept, all: &[Known]) -> (Known, Verdict) {
    let rank = |verdict| match verdict {
        Verdict::NotReproduced => 0,
        Verdict::CantTell => 1,
        Verdict::Reproduced => 2,
    };
    let room = |known: &Known| match said(known.reading).0 {
        Some(v) => (v - accept.from).min(accept.to - v),
        None => f64::NEG_INFINITY,
    };
    let worst = all.iter().min_by(|a, b| {
        let verdicts = rank(verdict(accept, **a)).cmp(&rank(verdict(accept, **b)));
        verdicts.then(room(a).total_cmp(&room(b)))
    });
    decide(accept, *worst.expect("there is a point"))
}

/// The largest number of all points, or the smallest.
fn extreme(all: &[Known], largest: bool) -> Known {
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
    let ends: Option<Vec<Interval>> = all.iter().map(|known| known.ci).collect();
    let pick = |of: fn(&Interval) -> f64, ends: &[Interval]| {
        let values = ends.iter().map(of);
        if largest {
            values.fold(f64::NEG_INFINITY, f64::max)
        } else {
            values.fold(f64::INFINITY, f64::min)
        }
    };
    Known {
        reading: turn(reading),
        ci: ends.map(|ends| Interval {
            low: pick(|ci| ci.low, &ends),
            high: pick(|ci| ci.high, &ends),
        }),
    }
}

/// The mean of all points; its interval is that of each seed's mean.
fn mean(claim: &Claim, places: &[Place<'_>], all: &[Known]) -> Known {
    let n = all.len() as f64;
    let sum = all.iter().map(|known| known.reading).reduce(Reading::plus);
    let reading = sum.map_or(Reading::Nothing, |sum| sum.times(1.0 / n));
    if metric::is_count(claim.metric) {
        return Known { reading, ci: None };
    }
    let values: Option<Vec<Vec<f64>>> = places.iter().map(|p| by_seed(claim, p)).collect();
    let seeds = values.and_then(|points| {
        let seeds = points[0].len();
        let equal = points.iter().all(|values| values.len() == seeds);
        let of = |seed: usize| points.iter().map(|v| v[seed]).sum::<f64>() / n;
        equal.then(|| (0..seeds).map(of).collect::<Vec<f64>>())
    });
    Known {
        reading,
        ci: seeds.and_then(|values| t_interval_of(&values, 0.95)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Record;
    use crate::stats::{Sample, summarise};
    use sidestep_types::Time;

    /// A scheme whose only query of each seed takes so many milliseconds.
    fn summary(scheme: &str, qcts_ms: &[u64]) -> Summary {
        let record = |(ms, seed): (&u64, u64)| {
            let mut qct = Sample::default();
            qct.done(Time::from_ms(*ms));
            Record {
                scheme: scheme.into(),
                seed,
                qct,
                ..Record::default()
            }
        };
        let records: Vec<Record> = qcts_ms.iter().zip(1..).map(record).collect();
        summarise(&records.iter().collect::<Vec<_>>())
    }

    /// Points of the axis `x`, with each seed's time under `a` and `b`.
    fn points(all: &[(&str, &[u64], &[u64])]) -> (Vec<Axis>, Vec<PointResult>) {
        let axis = Axis {
            name: "x".into(),
            values: all.iter().map(|(x, ..)| x.to_string()).collect(),
            is_key: true,
        };
        let point = |(x, a, b): &(&str, &[u64], &[u64])| PointResult {
            at: vec![x.to_string()],
            summaries: vec![summary("a", a), summary("b", b)],
            records: Vec::new(),
        };
        (vec![axis], all.iter().map(point).collect())
    }

    fn claim(over: Option<Over>, accept: &str) -> Claim {
        Claim {
            id: "c".into(),
            figure: String::new(),
            says: "less".into(),
            metric: "qct_p99_ms",
            compare: Compare::parse("a - b"),
            paper: Some(20.0),
            accept: Accept::parse(accept).unwrap(),
            tolerance: "any".into(),
            gap: "none".into(),
            at: Vec::new(),
            over,
            less: Vec::new(),
            per: Vec::new(),
            expect: Verdict::Reproduced,
            testbed_expect: Verdict::Reproduced,
            testbed_gap: String::new(),
            gap_sweep: String::new(),
        }
    }

    fn held(claim: &Claim, all: &[(&str, &[u64], &[u64])]) -> ClaimResult {
        let (axes, points) = points(all);
        evaluate_at(std::slice::from_ref(claim), &axes, &points).remove(0)
    }

    /// Differences by seed: 10, 10, 13 at `1`; 20, 21, 22 at `2`; 15, 15, 15 at `3`.
    const THREE: [(&str, &[u64], &[u64]); 3] = [
        ("1", &[40, 50, 63], &[30, 40, 50]),
        ("2", &[40, 51, 62], &[20, 30, 40]),
        ("3", &[35, 45, 55], &[20, 30, 40]),
    ];

    #[test]
    fn several_points_make_one_number() {
        let ours = |over| held(&claim(Some(over), "0.."), &THREE).ours.unwrap();
        assert_eq!((ours(Over::Max), ours(Over::Min)), (22.0, 13.0));
        assert!((ours(Over::Mean) - 50.0 / 3.0).abs() < 1e-9);
        let all = held(&claim(Some(Over::Max), "0.."), &THREE);
        let each: Vec<f64> = all.points.iter().map(|p| p.ours.unwrap()).collect();
        assert_eq!(each, [13.0, 22.0, 15.0]);
        assert_eq!(all.points[1].at, ["2"]);
    }

    #[test]
    fn each_shows_the_worst_and_falls_with_one() {
        let good = held(&claim(Some(Over::Each), "12.."), &THREE);
        assert_eq!((good.ours, good.verdict), (Some(13.0), Verdict::Reproduced));
        let bad = held(&claim(Some(Over::Each), "..18"), &THREE);
        assert_eq!((bad.ours, bad.verdict), (Some(22.0), Verdict::CantTell));
        let far = held(&claim(Some(Over::Each), "..1"), &THREE);
        assert_eq!(
            (far.ours, far.verdict),
            (Some(22.0), Verdict::NotReproduced)
        );
    }

    #[test]
    fn intervals_of_several_points_hold_together() {
        let all = held(&claim(Some(Over::Max), "0.."), &THREE);
        // Differences 20, 21, 22: mean 21, error 1/sqrt 3; t(2) at 1 - 0.05 / 6 is 7.6488.
        let [low, high] = all.points[1].ci.unwrap();
        let half = 7.6488 / 3f64.sqrt();
        assert!((low - (21.0 - half)).abs() < 1e-3 && (high - (21.0 + half)).abs() < 1e-3);
        // The largest lies above the largest lower end, here of the point without spread.
        let [low, high_of_all] = all.ci.unwrap();
        assert_eq!(
            (low, high_of_all),
            (all.points[1].ci.unwrap()[0].max(15.0), high)
        );
        // Alone, the point has its usual interval: t(2) is 4.3027.
        let mut alone = claim(None, "0..");
        alone.at = vec![("x".into(), "2".into())];
        let [low, _] = held(&alone, &THREE).ci.unwrap();
        assert!(
            (low - (21.0 - 4.302653 / 3f64.sqrt())).abs() < 1e-6,
            "{low}"
        );
        // The mean's interval is that of each seed's mean: 15, 46/3, 50/3.
        let [low, high] = held(&claim(Some(Over::Mean), "0.."), &THREE).ci.unwrap();
        let mean = (15.0 + 46.0 / 3.0 + 50.0 / 3.0) / 3.0;
        assert!(((low + high) / 2.0 - mean).abs() < 1e-9);
    }

    #[test]
    fn a_ratio_between_points_and_two_values_of_an_axis() {
        let mut ratio = claim(None, "1..2");
        ratio.at = vec![("x".into(), "2".into())];
        ratio.per = vec![("x".into(), "3".into())];
        let got = held(&ratio, &THREE);
        assert!((got.ours.unwrap() - 22.0 / 15.0).abs() < 1e-12, "{got:?}");
        assert_eq!(got.per["x"], "3");
        let mut two = claim(Some(Over::Max), "0..");
        two.at = vec![("x".into(), "1".into()), ("x".into(), "3".into())];
        let got = held(&two, &THREE);
        assert_eq!((got.ours, got.points.len()), (Some(15.0), 2));
        assert_eq!(got.at["x"], "1, 3");
    }

    #[test]
    fn less_is_taken_off_seed_by_seed() {
        let mut claim = claim(None, "5..10");
        claim.at = vec![("x".into(), "2".into())];
        claim.less = vec![("x".into(), "3".into())];
        let result = held(&claim, &THREE);
        // By seed 5, 6, 7; of all seeds together 22 - 15.
        assert_eq!(
            (result.ours, result.verdict),
            (Some(7.0), Verdict::Reproduced)
        );
        let [low, high] = result.ci.unwrap();
        assert!(((low + high) / 2.0 - 6.0).abs() < 1e-9);
        assert_eq!(result.less["x"], "3");
    }

    #[test]
    fn points_that_did_not_run_leave_a_claim_without_an_answer() {
        let mut claim = claim(None, "0..");
        claim.at = vec![("x".into(), "9".into())];
        let result = held(&claim, &THREE);
        assert_eq!((result.ours, result.verdict), (None, Verdict::CantTell));
        assert!(!result.is_expected());
    }

    #[test]
    fn a_bound_among_several_stays_a_bound() {
        use Reading::{AtLeast, AtMost, Exactly};
        let of = |readings: &[Reading], largest| {
            let known = |reading: &Reading| Known {
                reading: *reading,
                ci: None,
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
