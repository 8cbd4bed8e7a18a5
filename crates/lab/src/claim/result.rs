//! Result of a claim: the paper's number beside ours.

use super::{Compare, PointCombination, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Result of a claim: the paper's number beside ours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClaimResult {
    /// Name of the claim.
    pub id: String,
    /// Figure, table or section of the paper.
    pub figure: String,
    /// Sentence of the claim.
    pub says: String,
    /// Metric of the claim.
    pub metric: String,
    /// Schemes compared.
    pub compare: Compare,
    /// Number of the paper; null if it gives none.
    pub paper: Option<f64>,
    /// True if the sentence is not from a paper.
    #[serde(default)]
    pub own: bool,
    /// Our number, from all seeds together. With [`ClaimResult::bound`], a bound on it.
    pub ours: Option<f64>,
    /// `">="` or `"<="` when unfinished flows leave only a bound.
    pub bound: Option<String>,
    /// 95 % interval over seeds, paired seed by seed; needs at least three seeds. For a bound, the interval of
    /// the bound.
    pub ci: Option<[f64; 2]>,
    /// Number of seeds behind it.
    #[serde(default)]
    pub seeds: usize,
    /// Method behind the interval; empty if there is no interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Reason why there is no interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_no_interval: Option<String>,
    /// With `can't tell`: about how many more seeds would decide, if more seeds can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more_seeds: Option<u64>,
    /// With `can't tell`: the seeds needed in words, or why no number of seeds decides. With `not judged`: the
    /// reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undecided: Option<String>,
    /// Range that counts as reproduced.
    pub accept: String,
    /// Verdict on the claim.
    pub verdict: Verdict,
    /// Reason for that range.
    pub tolerance: String,
    /// Reason why the paper's number and ours differ.
    pub gap: String,
    /// Verdict that this version is expected to give.
    #[serde(default = "reproduced")]
    pub expect: Verdict,
    /// Interval of our number when the verdict was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect_between: Option<[f64; 2]>,
    /// Experiment that varies the deciding assumption; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub gap_sweep: String,
    /// Points of the claim: axis to value; several values of an axis are joined with commas.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub at: BTreeMap<String, String>,
    /// Points whose number is subtracted: axis to value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub less: BTreeMap<String, String>,
    /// Points whose number is the divisor: axis to value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub per: BTreeMap<String, String>,
    /// Combination of several points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<PointCombination>,
    /// Points of the claim that did not run: the verdict is about the others alone.
    #[serde(default, skip_serializing_if = "is_none")]
    pub points_left_out: usize,
    /// Result without the runs that the machine disturbed, if there are such runs. The verdict above holds for
    /// both, and the numbers above are of all runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unmarked: Option<Unmarked>,
    /// Number at each point; empty for a scenario without a sweep.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<ClaimPoint>,
}

impl ClaimResult {
    /// True if the number is a ratio of two, so that it has no unit and does not grow with the seeds.
    pub fn is_ratio(&self) -> bool {
        matches!(self.compare, Compare::Ratio(..)) || !self.per.is_empty()
    }

    /// True if the verdict is the expected one.
    pub fn is_expected(&self) -> bool {
        self.verdict == self.expect
    }

    /// Returns the words of the verdict: see [`Verdict::words`].
    pub fn verdict_words(&self) -> &'static str {
        self.verdict.words(self.own)
    }

    /// True if the interval of our number is disjoint from the one recorded with the verdict.
    pub fn has_moved(&self) -> bool {
        let own = self.ci.or(self.ours.map(|ours| [ours, ours]));
        match (self.expect_between, own) {
            (Some([from, to]), Some([low, high])) => high < from || to < low,
            _ => false,
        }
    }
}

/// Number of a claim without the runs that the machine disturbed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unmarked {
    /// Seeds of the disturbed runs: each is left out under all schemes compared.
    pub left_out: Vec<u64>,
    /// As in [`ClaimResult`], for the other seeds.
    pub ours: Option<f64>,
    /// As in [`ClaimResult`].
    pub bound: Option<String>,
    /// As in [`ClaimResult`].
    pub ci: Option<[f64; 2]>,
    /// Number of seeds left.
    pub seeds: usize,
    /// Verdict by the other seeds alone.
    pub verdict: Verdict,
    /// Verdict by all seeds.
    pub verdict_of_all: Verdict,
    /// Union of both intervals; a number without an interval counts as one.
    pub both: Option<[f64; 2]>,
}

fn is_none(n: &usize) -> bool {
    *n == 0
}

fn reproduced() -> Verdict {
    Verdict::Reproduced
}

/// Number of a claim at one point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClaimPoint {
    /// Value on each axis.
    pub at: Vec<String>,
    /// As in [`ClaimResult`].
    pub ours: Option<f64>,
    /// As in [`ClaimResult`].
    pub bound: Option<String>,
    /// As in [`ClaimResult`]; at 1 - 0.05 / points under `max`, `min` and `each`.
    pub ci: Option<[f64; 2]>,
}
