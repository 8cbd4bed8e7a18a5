//! What a claim says: of which number, of which schemes, and what counts as reproduced.

use super::Accept;
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
    /// A name of [`crate::stats::metric::METRICS`], or one of [`crate::stats::metric::CLASS_METRICS`] with
    /// a class.
    pub metric: String,
    /// Of which schemes.
    pub compare: Compare,
    /// The paper's number; `None` when it gives none.
    pub paper: Option<f64>,
    /// The sentence is no paper's.
    pub own: bool,
    /// What counts as reproduced.
    pub accept: Accept,
    /// Why that counts.
    pub tolerance: String,
    /// Why the paper's number and ours differ.
    pub gap: String,
    /// The points it speaks of: axis and value; an axis named twice may have either. Axes not
    /// named are free.
    pub at: Vec<(String, String)>,
    /// How many points the file has there; fewer may run.
    pub meant: usize,
    /// What to make of several points; `None` when it speaks of one.
    pub over: Option<Over>,
    /// Not the number itself but its difference to the one here: axis and value. Empty: no difference.
    pub less: Vec<(String, String)>,
    /// Not the number itself but its ratio to the one here: axis and value. Empty: no ratio.
    pub per: Vec<(String, String)>,
    /// The verdict that this version gives.
    pub expect: Verdict,
    /// The verdict that this version gives on the testbed.
    pub testbed_expect: Verdict,
    /// Why the paper's number and the testbed's differ.
    pub testbed_gap: String,
    /// The name of the experiment that shows the assumption that decides; may be empty.
    pub gap_sweep: String,
    /// Our number's interval when its verdict was recorded; `None` when nobody recorded it.
    pub expect_between: Option<Accept>,
    /// It was made for other settings than these: which. Then it is not judged.
    pub not_judged: Option<String>,
}

impl Claim {
    /// Nobody's claim: a metric of one scheme at one point over the same at another.
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

    /// Is its number one of two over the other?
    pub fn is_ratio(&self) -> bool {
        matches!(self.compare, Compare::Ratio(..)) || !self.per.is_empty()
    }

    /// Is its number a difference, so that it has both signs?
    pub fn is_difference(&self) -> bool {
        let of_schemes = matches!(self.compare, Compare::Difference(..)) && self.per.is_empty();
        of_schemes || !self.less.is_empty()
    }
}

/// What `paper` says when the sentence has no number.
pub(crate) const NO_NUMBER: &str = "no number";

/// What to make of several points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Over {
    /// The largest number.
    Max,
    /// The smallest number.
    Min,
    /// The mean.
    Mean,
    /// Each must do; the worst is shown.
    Each,
}

impl Over {
    /// All of them, by name.
    pub const ALL: [(&str, Over); 4] = [
        ("max", Over::Max),
        ("min", Over::Min),
        ("mean", Over::Mean),
        ("each", Over::Each),
    ];

    /// Its name in `[[claim]]`.
    pub fn name(self) -> &'static str {
        let named = Self::ALL.iter().find(|(_, over)| *over == self);
        named.expect("every one has a name").0
    }
}

/// What is compared; a text in JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
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

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// Our number's whole interval is within the range.
    #[serde(rename = "reproduced")]
    Reproduced,
    /// Its whole interval is outside.
    #[serde(rename = "not reproduced")]
    NotReproduced,
    /// The interval lies across an end of the range, or there is none, or no number.
    #[serde(rename = "can't tell")]
    CantTell,
    /// It was made for other settings than those that ran.
    #[serde(rename = "not judged")]
    NotJudged,
}

impl Verdict {
    /// All that may be expected, by the words for them.
    pub const ALL: [(&str, Verdict); 3] = [
        ("reproduced", Verdict::Reproduced),
        ("not reproduced", Verdict::NotReproduced),
        ("can't tell", Verdict::CantTell),
    ];
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Reproduced => "reproduced",
            Verdict::NotReproduced => "not reproduced",
            Verdict::CantTell => "can't tell",
            Verdict::NotJudged => "not judged",
        })
    }
}
