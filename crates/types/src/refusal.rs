//! Refusals of values, with the parameters to blame.

use std::fmt;

/// Error for values from which no policy, topology, workload or transport can be made.
///
/// A refusal names its parameters, so that a reader of a file can point to them. As text it is one sentence
/// without a place and without the section: `k must be even, got 5`.
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
    /// Parameters to blame, the most probable first. The first that the user gave is shown. Empty if no value
    /// of this section is to blame.
    pub params: Vec<&'static str>,
    /// Requirement, as a clause with its subject: `k must be even`.
    pub expected: String,
    /// Value given; `None` if the clause already states it.
    pub got: Option<String>,
}

impl Refusal {
    /// Refuses the value of `param`. The clause `expected` continues from its name: `must be even`.
    pub fn of(param: &'static str, expected: impl fmt::Display) -> Refusal {
        Refusal::about(&[param], format!("{param} {expected}"))
    }

    /// Refuses a combination of the values of `params`; `expected` is a whole clause.
    pub fn about(params: &[&'static str], expected: impl Into<String>) -> Refusal {
        Refusal {
            params: params.to_vec(),
            expected: expected.into(),
            got: None,
        }
    }

    /// Refuses without blaming a value of this section; `expected` is a whole clause.
    pub fn of_none(expected: impl Into<String>) -> Refusal {
        Refusal::about(&[], expected)
    }

    /// Adds the value that was given.
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
