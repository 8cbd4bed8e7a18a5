//! Error of a recording that cannot be read.

use std::fmt;

/// Reason for which a recording is refused: what, where, expected, got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    what: String,
    where_: String,
    expected: String,
    got: String,
}

impl Refused {
    /// Creates an error: `what` is wrong at `where_` in the file.
    pub(crate) fn new(
        what: impl Into<String>,
        where_: impl Into<String>,
        expected: impl Into<String>,
        got: impl Into<String>,
    ) -> Refused {
        Refused {
            what: what.into(),
            where_: where_.into(),
            expected: expected.into(),
            got: got.into(),
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Refused {
            what,
            where_,
            expected,
            got,
        } = self;
        write!(f, "{what}: at {where_}: expected {expected}, got {got}")
    }
}

impl std::error::Error for Refused {}
