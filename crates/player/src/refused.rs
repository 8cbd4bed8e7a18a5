//! Error of a question about a recording that cannot be answered.

use std::fmt;

/// Explanation of the error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(String);

impl Refused {
    pub(crate) fn new(words: impl Into<String>) -> Refused {
        Refused(words.into())
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

impl From<sidestep_recording::Refused> for Refused {
    fn from(why: sidestep_recording::Refused) -> Refused {
        Refused(why.to_string())
    }
}
