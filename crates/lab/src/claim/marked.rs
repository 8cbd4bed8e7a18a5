//! Claims over real packets where the machine disturbed some runs: such a run is marked ([`Record::marks`]).
//!
//! **Decision**     a claim's number is taken twice, from all runs and without the marked ones. The verdict
//!                  stands if both agree; otherwise it is `can't tell`. A seed that is marked under one of the
//!                  schemes compared is left out under all of them: they are paired seed by seed.
//! **Why**          a machine disturbs long runs more often than short ones. Without the disturbed runs the
//!                  slow ones are missing; with them the machine is part of the number. A verdict that holds
//!                  both ways depends on neither.

use super::{Claim, ClaimResult, Unmarked, Verdict};
use crate::experiment::PointResult;
use crate::record::Record;
use crate::stats::summarise;
use std::collections::BTreeSet;

/// Returns the points without the seeds that are marked under a scheme of the claim, and those seeds; `None` if
/// no seed is marked.
pub fn without(claim: &Claim, points: &[PointResult]) -> Option<(Vec<u64>, Vec<PointResult>)> {
    let schemes = claim.compare.schemes();
    let of_claim = |run: &&Record| schemes.contains(&run.scheme.as_str());
    let runs = points.iter().flat_map(|point| &point.records);
    let marked = runs.filter(of_claim).filter(|run| !run.marks.is_empty());
    let marked: BTreeSet<u64> = marked.map(|run| run.seed).collect();
    if marked.is_empty() {
        return None;
    }
    let point = |point: &PointResult| {
        let kept = point.records.iter().filter(of_claim);
        let kept = kept.filter(|run| !marked.contains(&run.seed));
        let records: Vec<Record> = kept.cloned().collect();
        let summary = |scheme: &&str| {
            let own: Vec<&Record> = records.iter().filter(|r| r.scheme == *scheme).collect();
            (!own.is_empty()).then(|| summarise(&own).into())
        };
        PointResult {
            at: point.at.clone(),
            kept: schemes.iter().filter_map(summary).collect(),
            records,
            ..PointResult::default()
        }
    };
    let points = points.iter().map(point).collect();
    Some((marked.into_iter().collect(), points))
}

/// Combines the result of `all` runs with that of the `others`, which lack the seeds `left_out`.
pub fn both(all: ClaimResult, others: ClaimResult, left_out: Vec<u64>) -> ClaimResult {
    let ends = |of: &ClaimResult| of.ci.or(of.ours.map(|ours| [ours, ours]));
    let both = ends(&all).zip(ends(&others));
    let same = all.verdict == others.verdict;
    let n = left_out.len();
    let why = match (&others.undecided, others.verdict) {
        (Some(why), Verdict::CantTell) => format!(" ({why})"),
        _ => String::new(),
    };
    let undecided = format!(
        "{} with all runs, {}{why} without the {n} seeds that the machine disturbed",
        all.verdict_words(),
        others.verdict_words()
    );
    ClaimResult {
        verdict: if same { all.verdict } else { Verdict::CantTell },
        undecided: if same { all.undecided } else { Some(undecided) },
        more_seeds: all.more_seeds.filter(|_| same),
        unmarked: Some(Unmarked {
            left_out,
            ours: others.ours,
            bound: others.bound,
            ci: others.ci,
            seeds: others.seeds,
            verdict: others.verdict,
            verdict_of_all: all.verdict,
            both: both.map(|([a, b], [c, d])| [a.min(c), b.max(d)]),
        }),
        ..all
    }
}

#[cfg(test)]
mod tests {
    use super::super::evaluate::tests::claim;
    use super::super::{Compare, evaluate_runs};
    use super::*;
    use crate::stats::Sample;
    use sidestep_types::Time;

    /// Builds a run whose only query takes `ms`, with a mark unless `mark` is empty.
    fn run(scheme: &str, seed: u64, ms: u64, mark: &str) -> Record {
        let mut qct = Sample::default();
        qct.done(Time::from_ms(ms));
        Record {
            scheme: scheme.into(),
            seed,
            qct,
            marks: [mark]
                .into_iter()
                .filter(|mark| !mark.is_empty())
                .map(String::from)
                .collect(),
            ..Record::default()
        }
    }

    /// Evaluates whether the longest query of `compare` is accepted.
    fn held(compare: &str, accept: &str, runs: &[Record]) -> ClaimResult {
        let mut claim = claim(None, accept);
        claim.metric = "qct_max_ms".into();
        claim.compare = Compare::parse(compare);
        let summary = |scheme: &str| {
            let own: Vec<&Record> = runs.iter().filter(|run| run.scheme == scheme).collect();
            summarise(&own)
        };
        let summaries: Vec<_> = ["a", "b"].map(summary).into_iter().collect();
        let runs: Vec<&Record> = runs.iter().collect();
        evaluate_runs(&[claim], &summaries, &runs).remove(0)
    }

    /// Builds five runs of each scheme. Seed 4 of `a` took 38 ms, during which the machine stalled; the others
    /// 18 to 20. Seed 2 of `b` is marked too.
    fn runs() -> Vec<Record> {
        let a = [(18, ""), (19, ""), (20, ""), (38, "stalled"), (19, "")];
        let b = [(9, ""), (10, "stalled"), (10, ""), (9, ""), (9, "")];
        let of = |scheme: &str, all: [(u64, &str); 5]| {
            let runs = (1..)
                .zip(all)
                .map(|(seed, (ms, mark))| run(scheme, seed, ms, mark));
            runs.collect::<Vec<_>>()
        };
        [of("a", a), of("b", b)].concat()
    }

    #[test]
    fn a_verdict_that_the_marked_run_alone_makes_does_not_stand() {
        let got = held("a", "30..45", &runs());
        assert_eq!((got.ours, got.verdict), (Some(38.0), Verdict::CantTell));
        let without = got.unmarked.unwrap();
        assert_eq!((without.ours, without.seeds), (Some(20.0), 4));
        let verdicts = (without.verdict_of_all, without.verdict);
        assert_eq!(verdicts, (Verdict::Reproduced, Verdict::NotReproduced));
        assert_eq!(without.both, Some([20.0, 38.0]));
        let why = got.undecided.unwrap();
        assert!(
            why.contains("reproduced with all runs, not reproduced without the 1 seeds"),
            "{why}"
        );
        // Silently leaving out the marked run would have turned the verdict.
        let kept: Vec<Record> = runs()
            .into_iter()
            .filter(|run| run.marks.is_empty())
            .collect();
        assert_eq!(held("a", "30..45", &kept).verdict, Verdict::NotReproduced);
    }

    #[test]
    fn a_verdict_that_holds_both_ways_stands() {
        for (accept, verdict) in [
            ("15..45", Verdict::Reproduced),
            ("..15", Verdict::NotReproduced),
        ] {
            let got = held("a", accept, &runs());
            assert_eq!(got.verdict, verdict, "{accept}");
            assert_eq!(got.unmarked.unwrap().left_out, [4]);
        }
    }

    #[test]
    fn schemes_that_are_compared_keep_their_seeds_together() {
        let got = held("a / b", "0..9", &runs());
        let without = got.unmarked.unwrap();
        assert_eq!((without.left_out, without.seeds), (vec![2, 4], 3));
        assert_eq!(without.ours, Some(2.0));
        assert_eq!(got.verdict, Verdict::Reproduced);
    }

    #[test]
    fn where_nearly_all_runs_are_marked_nobody_can_tell() {
        let mut all = runs();
        all.iter_mut()
            .filter(|run| run.seed > 2)
            .for_each(|run| run.marks = vec!["stalled".into()]);
        let got = held("a", "15..45", &all);
        assert_eq!(got.verdict, Verdict::CantTell);
        assert_eq!(got.unmarked.unwrap().seeds, 2);
        all.iter_mut().for_each(|run| run.marks.clear());
        let got = held("a", "15..45", &all);
        assert_eq!((got.verdict, got.unmarked), (Verdict::Reproduced, None));
    }
}
