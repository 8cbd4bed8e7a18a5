//! Evaluates claims against numbers, at one point or over several.
//!
//! **Intervals**    of the number of all seeds, from each seed's own by sectioning (`stats/sections.rs`),
//!                  paired seed by seed between schemes and points. Where one of several points decides (`max`,
//!                  `min`, `each`), the points' intervals hold together with 95 %: each is at 1 - 0.05 / points
//!                  (Bonferroni), so that a sweep does not find by chance a result that no point shows alone. A
//!                  maximum then lies between the largest lower end and the largest upper end.

use super::marked;
use super::number::{ClaimNumber, NOTHING, NoInterval, decide, ends, said, undecided};
use super::place::{Place, at_one, places};
use super::several::{each, extreme, mean};
use super::{Claim, ClaimPoint, ClaimResult, PointCombination, Verdict};
use crate::experiment::{Axis, Experiment, PointResult, Results};
use crate::record::Record;
use crate::stats::{StoredSummary, Summary};
use std::collections::BTreeMap;

/// Evaluates every claim against the summaries of a scenario without a sweep.
pub fn evaluate(claims: &[Claim], summaries: &[Summary]) -> Vec<ClaimResult> {
    evaluate_runs(claims, summaries, &[])
}

/// Evaluates every claim, given also the runs behind the summaries. The machine may have disturbed some
/// of them.
pub fn evaluate_runs(
    claims: &[Claim],
    summaries: &[Summary],
    runs: &[&Record],
) -> Vec<ClaimResult> {
    let marked = runs.iter().any(|run| !run.marks.is_empty());
    let kept = runs.iter().filter(|_| marked);
    let point = PointResult {
        at: Vec::new(),
        kept: summaries.iter().cloned().map(StoredSummary::from).collect(),
        records: kept.map(|run| (*run).clone()).collect(),
        ..PointResult::default()
    };
    evaluate_at(claims, &[], &[point])
}

impl Experiment {
    /// Evaluates the experiment's claims against its results.
    pub fn evaluate(&self, results: &Results) -> Vec<ClaimResult> {
        evaluate_at(&self.claims, &self.axes, &results.points)
    }
}

/// Evaluates every claim against the points of an experiment.
fn evaluate_at(claims: &[Claim], axes: &[Axis], points: &[PointResult]) -> Vec<ClaimResult> {
    let one = |claim: &Claim| evaluate_one(claim, axes, points);
    claims.iter().map(one).collect()
}

fn evaluate_one(claim: &Claim, axes: &[Axis], points: &[PointResult]) -> ClaimResult {
    let all = held_against(claim, axes, points);
    match marked::without(claim, points) {
        None => all,
        Some((left_out, points)) => {
            let others = held_against(claim, axes, &points);
            marked::both(all, others, left_out)
        }
    }
}

fn held_against(claim: &Claim, axes: &[Axis], points: &[PointResult]) -> ClaimResult {
    let chosen: Vec<Place<'_>> = places(claim, axes, points);
    let single = matches!(claim.over, None | Some(PointCombination::Mean));
    let confidence = if single {
        0.95
    } else {
        1.0 - 0.05 / chosen.len().max(1) as f64
    };
    let known: Vec<ClaimNumber> = chosen
        .iter()
        .map(|place| at_one(claim, place, confidence))
        .collect();
    let (whole, verdict) = match (known.as_slice(), claim.over) {
        ([], _) => (NOTHING, Verdict::CantTell),
        // Without `over` a claim is about one point; `--set` cannot make it more.
        (all, None) => decide(claim.accept, all[0]),
        (all, Some(PointCombination::Each)) => each(claim.accept, all),
        (all, Some(PointCombination::Max)) => decide(claim.accept, extreme(all, true)),
        (all, Some(PointCombination::Min)) => decide(claim.accept, extreme(all, false)),
        (all, Some(PointCombination::Mean)) => decide(claim.accept, mean(claim, &chosen, all)),
    };
    let (verdict, more_seeds, undecided) = match (&claim.not_judged, verdict) {
        (Some(settings), _) => (Verdict::NotJudged, None, Some(settings.clone())),
        (None, Verdict::CantTell) => {
            let (more, words) = undecided(claim.accept, whole);
            (verdict, more, Some(words))
        }
        (None, _) => (verdict, None, None),
    };
    let (ours, bound) = said(whole.reading);
    let point = |(place, known): (&Place<'_>, &ClaimNumber)| {
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
        compare: claim.compare.clone(),
        paper: claim.paper,
        own: claim.own,
        ours,
        bound,
        ci: ends(whole.ci),
        seeds: whole.seeds,
        method: whole.ci.map(|_| method(claim, whole)),
        why_no_interval: whole.why.map(|why: NoInterval| why.words().to_string()),
        more_seeds,
        undecided,
        accept: claim.accept.to_string(),
        verdict,
        tolerance: claim.tolerance.clone(),
        gap: claim.gap.clone(),
        expect: claim.expect,
        expect_between: claim.expect_between.map(|range| [range.from, range.to]),
        gap_sweep: claim.gap_sweep.clone(),
        at: together(&claim.at),
        less: together(&claim.less),
        per: together(&claim.per),
        over: claim.over,
        points_left_out: claim.meant.saturating_sub(chosen.len()),
        unmarked: None,
        points: shown.iter().zip(&known).map(point).collect(),
    }
}

/// Returns the method behind an interval, in a few words.
fn method(claim: &Claim, known: ClaimNumber) -> String {
    let paired = if claim.compare.schemes().len() + claim.less.len() + claim.per.len() > 1 {
        ", paired"
    } else {
        ""
    };
    let scale = if claim.is_difference() {
        ""
    } else {
        ", of logarithms if all are positive"
    };
    let apart = if known.apart {
        ", widened to the range of the seeds, which differ too much"
    } else {
        ""
    };
    format!("sectioning of {} seeds{paired}{scale}{apart}", known.seeds)
}

/// Maps each axis to its value; several values of one axis are joined with commas.
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

#[cfg(test)]
pub(super) mod tests {
    use super::super::{Accept, Compare};
    use super::*;
    use crate::record::Counts;
    use crate::stats::{Sample, summarise};
    use sidestep_types::Time;

    /// Builds the summary of a scheme with one query in each seed, which takes the given milliseconds.
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

    /// Builds points of the axis `x`, with each seed's time under `a` and `b`.
    fn points(all: &[(&str, &[u64], &[u64])]) -> (Vec<Axis>, Vec<PointResult>) {
        let axis = Axis {
            name: "x".into(),
            values: all.iter().map(|(x, ..)| x.to_string()).collect(),
            is_key: true,
        };
        let point = |(x, a, b): &(&str, &[u64], &[u64])| PointResult {
            at: vec![x.to_string()],
            kept: vec![summary("a", a).into(), summary("b", b).into()],
            ..PointResult::default()
        };
        (vec![axis], all.iter().map(point).collect())
    }

    pub(in super::super) fn claim(over: Option<PointCombination>, accept: &str) -> Claim {
        Claim {
            id: "c".into(),
            figure: String::new(),
            says: "less".into(),
            metric: "qct_p99_ms".into(),
            compare: Compare::parse("a - b"),
            paper: Some(20.0),
            accept: Accept::parse(accept).unwrap(),
            tolerance: "any".into(),
            gap: "none".into(),
            own: false,
            at: Vec::new(),
            meant: 1,
            over,
            less: Vec::new(),
            per: Vec::new(),
            expect: Verdict::Reproduced,
            testbed_expect: Verdict::Reproduced,
            testbed_gap: String::new(),
            gap_sweep: String::new(),
            expect_between: None,
            not_judged: None,
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
        assert_eq!(
            (ours(PointCombination::Max), ours(PointCombination::Min)),
            (22.0, 13.0)
        );
        assert!((ours(PointCombination::Mean) - 50.0 / 3.0).abs() < 1e-9);
        let all = held(&claim(Some(PointCombination::Max), "0.."), &THREE);
        let each: Vec<f64> = all.points.iter().map(|p| p.ours.unwrap()).collect();
        assert_eq!(each, [13.0, 22.0, 15.0]);
        assert_eq!(all.points[1].at, ["2"]);
    }

    #[test]
    fn each_shows_the_worst_and_falls_with_one() {
        let good = held(&claim(Some(PointCombination::Each), "-20.."), &THREE);
        assert_eq!((good.ours, good.verdict), (Some(13.0), Verdict::Reproduced));
        let bad = held(&claim(Some(PointCombination::Each), "..18"), &THREE);
        assert_eq!((bad.ours, bad.verdict), (Some(22.0), Verdict::CantTell));
        let far = held(&claim(Some(PointCombination::Each), "..1"), &THREE);
        assert_eq!(
            (far.ours, far.verdict),
            (Some(22.0), Verdict::NotReproduced)
        );
    }

    #[test]
    fn intervals_of_several_points_hold_together() {
        let all = held(&claim(Some(PointCombination::Max), "0.."), &THREE);
        // Differences 20, 21, 22 around 22, the difference of all seeds: S² is 5/2; t(2) at 1 - 0.05 / 6 is
        // 7.6488.
        let [low, high] = all.points[1].ci.unwrap();
        let error = (2.5f64 / 3.0).sqrt();
        let half = 7.6488 * error;
        assert!((low - (22.0 - half)).abs() < 1e-3 && (high - (22.0 + half)).abs() < 1e-3);
        // The maximum lies above the largest lower end, here that of the point without spread.
        let [low, high_of_all] = all.ci.unwrap();
        assert_eq!(
            (low, high_of_all),
            (all.points[1].ci.unwrap()[0].max(15.0), high)
        );
        // Alone, the point has its usual interval: t(2) is 4.3027.
        let mut alone = claim(None, "0..");
        alone.at = vec![("x".into(), "2".into())];
        let [low, _] = held(&alone, &THREE).ci.unwrap();
        assert!((low - (22.0 - 4.302653 * error)).abs() < 1e-6, "{low}");
        // The interval of the mean is centred on the mean of all points, 50/3.
        let [low, high] = held(&claim(Some(PointCombination::Mean), "0.."), &THREE)
            .ci
            .unwrap();
        assert!(((low + high) / 2.0 - 50.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn a_ratio_between_points_and_two_values_of_an_axis() {
        let mut ratio = claim(None, "1..2");
        ratio.at = vec![("x".into(), "2".into())];
        ratio.per = vec![("x".into(), "3".into())];
        let got = held(&ratio, &THREE);
        assert!((got.ours.unwrap() - 22.0 / 15.0).abs() < 1e-12, "{got:?}");
        assert_eq!(got.per["x"], "3");
        let mut two = claim(Some(PointCombination::Max), "0..");
        two.at = vec![("x".into(), "1".into()), ("x".into(), "3".into())];
        let got = held(&two, &THREE);
        assert_eq!((got.ours, got.points.len()), (Some(15.0), 2));
        assert_eq!(got.at["x"], "1, 3");
    }

    #[test]
    fn less_is_taken_off_seed_by_seed() {
        let mut claim = claim(None, "3..11");
        claim.at = vec![("x".into(), "2".into())];
        claim.less = vec![("x".into(), "3".into())];
        let result = held(&claim, &THREE);
        // By seed 5, 6, 7; all seeds together give 22 - 15.
        assert_eq!(
            (result.ours, result.verdict),
            (Some(7.0), Verdict::Reproduced)
        );
        let [low, high] = result.ci.unwrap();
        assert!(((low + high) / 2.0 - 7.0).abs() < 1e-9);
        assert_eq!(result.less["x"], "3");
    }

    /// Evaluates the ratio of the timeouts of `a`, by seed, to those of `b`.
    fn over_counts(b: &[u64]) -> ClaimResult {
        let of = |scheme: &str, counts: &[u64]| {
            let record = |(n, seed): (&u64, u64)| Record {
                scheme: scheme.into(),
                seed,
                counts: Counts {
                    timeouts: *n,
                    ..Counts::default()
                },
                ..Record::default()
            };
            let records: Vec<Record> = counts.iter().zip(1..).map(record).collect();
            summarise(&records.iter().collect::<Vec<_>>())
        };
        let mut ratio = claim(None, "0..");
        ratio.metric = "timeouts".into();
        ratio.compare = Compare::parse("a / b");
        evaluate(&[ratio], &[of("a", &[8, 9, 10]), of("b", b)]).remove(0)
    }

    #[test]
    fn what_is_divided_by_zero_says_so_and_not_that_flows_are_unfinished() {
        let zero = "the divisor is not above zero, in a seed or in all seeds together";
        for b in [&[0, 4, 5], &[0, 0, 0]] {
            let result = over_counts(b);
            assert_eq!(result.why_no_interval.as_deref(), Some(zero), "{b:?}");
            assert_eq!(result.verdict, Verdict::CantTell);
        }
        assert_eq!(over_counts(&[3, 4, 5]).why_no_interval, None);
    }

    #[test]
    fn the_mean_pairs_points_by_the_number_of_the_seed() {
        let (axes, mut points) = points(&THREE);
        let result = |points: &[PointResult]| {
            let of = [claim(Some(PointCombination::Mean), "0..")];
            evaluate_at(&of, &axes, points).remove(0)
        };
        let before = result(&points);
        // Seeds in another order give the same result; a seed that only one point has finds no partner.
        let change = |point: &mut PointResult, how: fn(&mut Summary)| {
            for kept in &mut point.kept {
                let mut summary = Summary::clone(&kept.get());
                how(&mut summary);
                *kept = summary.into();
            }
        };
        change(&mut points[1], |s| s.per_seed.reverse());
        assert_eq!(result(&points).ci, before.ci);
        change(&mut points[1], |s| s.per_seed[0].seeds = vec![7]);
        let words = "the schemes or points compared ran different seeds";
        assert_eq!(result(&points).why_no_interval.as_deref(), Some(words));
    }

    #[test]
    fn a_difference_over_another_may_be_negative() {
        let mut ratio = claim(None, "0..");
        ratio.at = vec![("x".into(), "1".into())];
        ratio.per = vec![("x".into(), "3".into())];
        let [low, _] = held(
            &ratio,
            &[
                ("1", &[30, 45, 53], &[31, 40, 50]),
                ("3", &[35, 45, 55], &[20, 30, 40]),
            ],
        )
        .ci
        .unwrap();
        assert!(low < 0.0, "{low}");
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
    fn a_verdict_of_some_of_its_points_says_how_many_are_left_out() {
        let mut claim = claim(Some(PointCombination::Each), "0..");
        claim.meant = 5;
        assert_eq!(held(&claim, &THREE).points_left_out, 2);
        claim.meant = 3;
        assert_eq!(held(&claim, &THREE).points_left_out, 0);
    }
}
