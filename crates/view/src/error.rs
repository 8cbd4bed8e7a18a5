//! Errors of this crate.

use std::fmt;

/// Reason why recordings cannot be shown, as a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The input was wrong.
    Input(String),
    /// The work itself failed.
    Work(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Input(words) | Error::Work(words) => f.write_str(words),
        }
    }
}

impl std::error::Error for Error {}
