//! A claim beside our number.

use super::{Compare, Over, Verdict};
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
    pub compare: Compare,
    /// The paper's number; null when it gives none.
    pub paper: Option<f64>,
    /// The sentence is no paper's.
    #[serde(default)]
    pub own: bool,
    /// Ours, from all seeds together. With [`ClaimResult::bound`], a bound on it.
    pub ours: Option<f64>,
    /// `">="` or `"<="` when unfinished flows leave only a bound.
    pub bound: Option<String>,
    /// 95 % interval over seeds, paired seed by seed; needs three seeds or more. Of a bound it is the bound's own.
    pub ci: Option<[f64; 2]>,
    /// How many seeds it is of.
    #[serde(default)]
    pub seeds: usize,
    /// How the interval was made; of a number without one nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Why there is no interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_no_interval: Option<String>,
    /// With `can't tell`: about how many more seeds would decide, when some do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more_seeds: Option<u64>,
    /// With `can't tell`: the same in words, or why no number of seeds decides. With `not judged`: why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undecided: Option<String>,
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
    /// Our number's interval when the verdict was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect_between: Option<[f64; 2]>,
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
    /// So many points that it speaks of did not run: the verdict is of the others alone.
    #[serde(default, skip_serializing_if = "is_none")]
    pub points_left_out: usize,
    /// Where the machine did something to some of the runs: what it comes to without those. The verdict above holds for
    /// both, and the numbers above are of all runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unmarked: Option<Unmarked>,
    /// The number at each point; empty for a scenario without a sweep.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<ClaimPoint>,
}

impl ClaimResult {
    /// Is its number one of two over the other, so that it has no unit and does not grow with the seeds?
    pub fn is_ratio(&self) -> bool {
        matches!(self.compare, Compare::Ratio(..)) || !self.per.is_empty()
    }

    /// Is the verdict the expected one?
    pub fn is_expected(&self) -> bool {
        self.verdict == self.expect
    }

    /// Has our number left the interval that was recorded with the verdict by more than its own?
    pub fn has_moved(&self) -> bool {
        let own = self.ci.or(self.ours.map(|ours| [ours, ours]));
        match (self.expect_between, own) {
            (Some([from, to]), Some([low, high])) => high < from || to < low,
            _ => false,
        }
    }
}

/// A claim's number without the runs that the machine did something to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unmarked {
    /// The seeds of those: each is left out of all schemes that are compared.
    pub left_out: Vec<u64>,
    /// As in [`ClaimResult`], of the other seeds.
    pub ours: Option<f64>,
    /// As in [`ClaimResult`].
    pub bound: Option<String>,
    /// As in [`ClaimResult`].
    pub ci: Option<[f64; 2]>,
    /// How many seeds are left.
    pub seeds: usize,
    /// The verdict by the other seeds alone.
    pub verdict: Verdict,
    /// The verdict by all.
    pub verdict_of_all: Verdict,
    /// From the least to the most that either says: its interval, or its number where there is none.
    pub both: Option<[f64; 2]>,
}

fn is_none(n: &usize) -> bool {
    *n == 0
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
