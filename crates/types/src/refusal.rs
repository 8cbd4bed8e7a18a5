//! Why values cannot be had, with the parameters that are to blame.

use std::fmt;

/// Values that a policy, topology, workload or transport cannot be made from.
///
/// It names its parameters, so that whoever read them from a file can show their place. As text it
/// is one sentence, `k must be even, got 5`, without a place and without the section.
///
/// ```
/// use sidestep_types::Refusal;
///
/// let odd = Refusal::of("k", "must be even").got(5);
/// assert_eq!(odd.to_string(), "k must be even, got 5");
/// assert_eq!(odd.params, ["k"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The parameters it is about, the one most probably wrong first: of those that a user gave, the first
    /// is shown. Empty when no value of this section is to blame.
    pub params: Vec<&'static str>,
    /// What must hold, as a clause with its subject: `k must be even`.
    pub expected: String,
    /// What was given; `None` when the clause says that already.
    pub got: Option<String>,
}

impl Refusal {
    /// Refuses the value of `param`, which is the subject of the clause `expected`: `must be even`.
    pub fn of(param: &'static str, expected: impl fmt::Display) -> Refusal {
        Refusal::about(&[param], format!("{param} {expected}"))
    }

    /// Refuses what the values of `params` come to; `expected` is a whole clause.
    pub fn about(params: &[&'static str], expected: impl Into<String>) -> Refusal {
        Refusal {
            params: params.to_vec(),
            expected: expected.into(),
            got: None,
        }
    }

    /// Refuses what no value of this section is to blame for; `expected` is a whole clause.
    pub fn of_none(expected: impl Into<String>) -> Refusal {
        Refusal::about(&[], expected)
    }

    /// Adds what was given instead.
    pub fn got(self, got: impl fmt::Display) -> Refusal {
        Refusal {
            got: Some(got.to_string()),
            ..self
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.got {
            Some(got) => write!(f, "{}, got {got}", self.expected),
            None => f.write_str(&self.expected),
        }
    }
}

impl std::error::Error for Refusal {}

impl From<Refusal> for String {
    fn from(refusal: Refusal) -> String {
        refusal.to_string()
    }
}
