//! Terms of a claim: its number, its schemes, and the range that counts as reproduced.

use super::Accept;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Sentence of a paper that the results of a scenario are compared with.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// Name in reports.
    pub id: String,
    /// Figure, table or section of the paper.
    pub figure: String,
    /// Sentence of the claim.
    pub says: String,
    /// Name of an entry of [`crate::stats::metric::METRICS`], or of [`crate::stats::metric::CLASS_METRICS`]
    /// with a class.
    pub metric: String,
    /// Schemes compared.
    pub compare: Compare,
    /// Number of the paper; `None` if it gives none.
    pub paper: Option<f64>,
    /// True if the sentence is not from a paper.
    pub own: bool,
    /// Range that counts as reproduced.
    pub accept: Accept,
    /// Reason for that range.
    pub tolerance: String,
    /// Reason why the paper's number and ours differ.
    pub gap: String,
    /// Points of the claim: axis and value; an axis given twice may have either value. Other axes
    /// are free.
    pub at: Vec<(String, String)>,
    /// Number of points that the file has there; fewer may run.
    pub meant: usize,
    /// Combination of several points; `None` if the claim is about one point.
    pub over: Option<PointCombination>,
    /// Point whose number is subtracted: axis and value. Empty: no difference.
    pub less: Vec<(String, String)>,
    /// Point whose number is the divisor: axis and value. Empty: no ratio.
    pub per: Vec<(String, String)>,
    /// Verdict that this version is expected to give.
    pub expect: Verdict,
    /// Verdict that this version is expected to give on the testbed.
    pub testbed_expect: Verdict,
    /// Reason why the paper's number and the testbed's differ.
    pub testbed_gap: String,
    /// Name of the experiment that varies the deciding assumption; may be empty.
    pub gap_sweep: String,
    /// Interval of our number when its verdict was recorded; `None` if it was not recorded.
    pub expect_between: Option<Accept>,
    /// Settings for which the claim was made and which differ here; with them it is not judged.
    pub not_judged: Option<String>,
}

impl Claim {
    /// Builds an internal claim: a metric of one scheme at one point divided by the same at another.
    pub(super) fn ratio(metric: &str, scheme: &str) -> Claim {
        Claim {
            id: String::new(),
            figure: String::new(),
            says: String::new(),
            metric: metric.into(),
            compare: Compare::One(scheme.into()),
            paper: None,
            own: true,
            accept: Accept::parse("0..").expect("a range"),
            tolerance: String::new(),
            gap: String::new(),
            at: Vec::new(),
            meant: 1,
            over: None,
            less: Vec::new(),
            per: vec![("here".into(), "there".into())],
            expect: Verdict::CantTell,
            testbed_expect: Verdict::CantTell,
            testbed_gap: String::new(),
            gap_sweep: String::new(),
            expect_between: None,
            not_judged: None,
        }
    }

    /// True if the number is a ratio of two.
    pub fn is_ratio(&self) -> bool {
        matches!(self.compare, Compare::Ratio(..)) || !self.per.is_empty()
    }

    /// True if the number is a difference, so that it has both signs.
    pub fn is_difference(&self) -> bool {
        let of_schemes = matches!(self.compare, Compare::Difference(..)) && self.per.is_empty();
        of_schemes || !self.less.is_empty()
    }
}

/// Word in `paper` for a sentence without a number.
pub(crate) const NO_NUMBER: &str = "no number";

/// Combination of several points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PointCombination {
    /// Largest number.
    Max,
    /// Smallest number.
    Min,
    /// Mean of the numbers.
    Mean,
    /// Every number must be in the range; the worst is shown.
    Each,
}

impl PointCombination {
    /// All variants, by name.
    pub const ALL: [(&str, PointCombination); 4] = [
        ("max", PointCombination::Max),
        ("min", PointCombination::Min),
        ("mean", PointCombination::Mean),
        ("each", PointCombination::Each),
    ];

    /// Returns the name in `[[claim]]`.
    pub fn name(self) -> &'static str {
        let named = Self::ALL.iter().find(|(_, over)| *over == self);
        named.expect("every one has a name").0
    }
}

/// Comparison of schemes; a text in JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Compare {
    /// Number of one scheme.
    One(String),
    /// Number of the first less that of the second: `a - b`.
    Difference(String, String),
    /// Number of the first over that of the second: `a / b`.
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

    /// Returns the schemes compared.
    pub fn schemes(&self) -> Vec<&str> {
        match self {
            Compare::One(a) => vec![a],
            Compare::Difference(a, b) | Compare::Ratio(a, b) => vec![a, b],
        }
    }
}

impl From<String> for Compare {
    fn from(text: String) -> Compare {
        Compare::parse(&text)
    }
}

impl From<Compare> for String {
    fn from(compare: Compare) -> String {
        compare.to_string()
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

/// Verdict on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// The whole interval of our number is within the range.
    #[serde(rename = "reproduced")]
    Reproduced,
    /// The whole interval of our number is outside the range.
    #[serde(rename = "not reproduced")]
    NotReproduced,
    /// The interval crosses an end of the range, or there is no interval, or no number.
    #[serde(rename = "can't tell")]
    CantTell,
    /// The claim was made for other settings than those that ran.
    #[serde(rename = "not judged")]
    NotJudged,
}

impl Verdict {
    /// All verdicts that may be expected, by their words.
    pub const ALL: [(&str, Verdict); 3] = [
        ("reproduced", Verdict::Reproduced),
        ("not reproduced", Verdict::NotReproduced),
        ("can't tell", Verdict::CantTell),
    ];

    /// Returns the words of the verdict on one claim, in every report: a paper's claim is reproduced or not; a claim
    /// of the user's `own` file holds or does not hold.
    pub const fn words(self, own: bool) -> &'static str {
        match (self, own) {
            (Verdict::Reproduced, true) => "holds",
            (Verdict::NotReproduced, true) => "does not hold",
            (Verdict::Reproduced, false) => "reproduced",
            (Verdict::NotReproduced, false) => "not reproduced",
            (Verdict::CantTell, _) => "can't tell",
            (Verdict::NotJudged, _) => "not judged",
        }
    }

    /// Returns the words after a number of claims: `3 hold`.
    pub const fn words_of_many(self, own: bool) -> &'static str {
        match (self, own) {
            (Verdict::Reproduced, true) => "hold",
            (Verdict::NotReproduced, true) => "do not hold",
            (verdict, own) => verdict.words(own),
        }
    }
}

/// Writes the words of a paper's claim, which are also the keys in files.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words(false))
    }
}
