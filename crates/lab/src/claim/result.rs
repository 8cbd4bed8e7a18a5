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
    /// Is its number one of two over the other, so that it has no unit and does not grow with the seeds?
    pub fn is_ratio(&self) -> bool {
        matches!(self.compare, Compare::Ratio(..)) || !self.per.is_empty()
    }

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
