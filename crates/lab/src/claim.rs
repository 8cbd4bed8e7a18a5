//! A paper's claims beside our numbers: reproduced, not reproduced, or can't tell.

use crate::stats::metric::{self, Reading};
use crate::stats::{Interval, Summary, t_interval};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A sentence of a paper that a scenario can be held against.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// Its name in reports.
    pub id: String,
    /// The paper's figure, table or section.
    pub figure: String,
    /// The sentence.
    pub says: String,
    /// A name of [`metric::METRICS`].
    pub metric: &'static str,
    /// Of which schemes.
    pub compare: Compare,
    /// The paper's number.
    pub paper: f64,
    /// What counts as reproduced.
    pub accept: Accept,
    /// Why that counts.
    pub tolerance: String,
    /// Why the paper's number and ours differ.
    pub gap: String,
}

/// What is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compare {
    /// One scheme's number.
    One(String),
    /// The first's less the second's: `a - b`.
    Difference(String, String),
    /// The first's over the second's: `a / b`.
    Ratio(String, String),
}

impl Compare {
    /// Reads `a`, `a - b` or `a / b`. The operator has spaces around it: names have hyphens.
    pub fn parse(text: &str) -> Compare {
        let pair = |(a, b): (&str, &str)| (a.trim().to_string(), b.trim().to_string());
        if let Some((a, b)) = text.split_once(" - ").map(pair) {
            Compare::Difference(a, b)
        } else if let Some((a, b)) = text.split_once(" / ").map(pair) {
            Compare::Ratio(a, b)
        } else {
            Compare::One(text.trim().to_string())
        }
    }

    /// The schemes it speaks of.
    pub fn schemes(&self) -> Vec<&str> {
        match self {
            Compare::One(a) => vec![a],
            Compare::Difference(a, b) | Compare::Ratio(a, b) => vec![a, b],
        }
    }
}

impl fmt::Display for Compare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Compare::One(a) => f.write_str(a),
            Compare::Difference(a, b) => write!(f, "{a} - {b}"),
            Compare::Ratio(a, b) => write!(f, "{a} / {b}"),
        }
    }
}

/// A range with both ends included; an end left out is infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accept {
    /// The least that counts.
    pub from: f64,
    /// The most that counts.
    pub to: f64,
}

impl Accept {
    /// Reads `"10..30"`, `"..2"`, `"0.9.."` or one number.
    pub fn parse(text: &str) -> Result<Accept, String> {
        let refuse = || {
            format!(
                "expected a range like \"10..30\", \"..2\", \"0.9..\" or one number, got {text:?}"
            )
        };
        let number = |text: &str| text.trim().parse().ok().filter(|n: &f64| n.is_finite());
        let end = |text: &str, open| {
            if text.trim().is_empty() {
                Some(open)
            } else {
                number(text)
            }
        };
        let range = match text.split_once("..") {
            Some((from, to)) => end(from, f64::NEG_INFINITY).zip(end(to, f64::INFINITY)),
            None => number(text).map(|n| (n, n)),
        };
        let (from, to) = range.ok_or_else(refuse)?;
        if from > to || (from.is_infinite() && to.is_infinite()) {
            return Err(refuse());
        }
        Ok(Accept { from, to })
    }

    fn holds(&self, value: f64) -> bool {
        (self.from..=self.to).contains(&value)
    }
}

impl fmt::Display for Accept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.from == self.to {
            return write!(f, "{}", self.from);
        }
        if self.from.is_finite() {
            write!(f, "{}", self.from)?;
        }
        f.write_str("..")?;
        if self.to.is_finite() {
            write!(f, "{}", self.to)?;
        }
        Ok(())
    }
}

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// Our number is within the range.
    #[serde(rename = "reproduced")]
    Reproduced,
    /// It is outside, and so is its whole confidence interval.
    #[serde(rename = "not reproduced")]
    NotReproduced,
    /// There is no number, only a bound that does not decide, or the interval reaches into the range.
    #[serde(rename = "can't tell")]
    CantTell,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Reproduced => "reproduced",
            Verdict::NotReproduced => "not reproduced",
            Verdict::CantTell => "can't tell",
        })
    }
}

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
    /// The paper's number.
    pub paper: f64,
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
}

/// Holds every claim against the summaries.
pub fn evaluate(claims: &[Claim], summaries: &[Summary]) -> Vec<ClaimResult> {
    claims
        .iter()
        .map(|claim| evaluate_one(claim, summaries))
        .collect()
}

fn evaluate_one(claim: &Claim, summaries: &[Summary]) -> ClaimResult {
    let chosen: Option<Vec<&Summary>> = claim
        .compare
        .schemes()
        .into_iter()
        .map(|name| summaries.iter().find(|summary| summary.scheme == name))
        .collect();
    let (reading, ci) = match &chosen {
        // A count is the sum over all seeds, and no interval makes it another number.
        Some(chosen) if metric::is_count(claim.metric) => (combine(claim, chosen), None),
        Some(chosen) => (combine(claim, chosen), over_seeds(claim, chosen)),
        None => (Reading::Nothing, None),
    };
    let (ours, bound) = match reading {
        Reading::Exactly(v) => (Some(v), None),
        Reading::AtLeast(v) => (Some(v), Some(">=".to_string())),
        Reading::AtMost(v) => (Some(v), Some("<=".to_string())),
        Reading::Nothing => (None, None),
    };
    ClaimResult {
        id: claim.id.clone(),
        figure: claim.figure.clone(),
        says: claim.says.clone(),
        metric: claim.metric.to_string(),
        compare: claim.compare.to_string(),
        paper: claim.paper,
        ours,
        bound,
        ci: ci.map(|ci| [ci.low, ci.high]),
        accept: claim.accept.to_string(),
        verdict: verdict(claim.accept, reading, ci),
        tolerance: claim.tolerance.clone(),
        gap: claim.gap.clone(),
    }
}

fn verdict(accept: Accept, reading: Reading, ci: Option<Interval>) -> Verdict {
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

/// The claim's number from one summary per scheme of the comparison.
fn combine(claim: &Claim, of: &[&Summary]) -> Reading {
    let metric = metric::find(claim.metric).expect("a claim's metric is in the table");
    let read = |i: usize| (metric.read)(of[i]);
    match &claim.compare {
        Compare::One(_) => read(0),
        Compare::Difference(..) => read(0).minus(read(1)),
        Compare::Ratio(..) => read(0).over(read(1)),
    }
}

/// The interval of the per-seed numbers, when every seed has one.
fn over_seeds(claim: &Claim, of: &[&Summary]) -> Option<Interval> {
    let mut values = Vec::new();
    for first in &of[0].per_seed {
        // A seed that another scheme lacks has nothing to be compared with.
        let paired: Option<Vec<&Summary>> = of
            .iter()
            .map(|other| other.per_seed.iter().find(|s| s.seeds == first.seeds))
            .collect();
        if let Reading::Exactly(v) = combine(claim, &paired?) {
            values.push(v);
        } else {
            return None;
        }
    }
    t_interval(&values)
}
