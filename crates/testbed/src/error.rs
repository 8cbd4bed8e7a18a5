//! Errors of building, using or removing a testbed, by cause: the input or the machine.

use std::fmt;

/// Error of building, using or removing a testbed.
#[derive(Debug)]
pub enum Error {
    /// The request cannot be met; the text says what was expected and what was found.
    Input(String),
    /// The machine refused a step.
    Work(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Error::Input(words) | Error::Work(words)) = self;
        f.write_str(words)
    }
}

impl std::error::Error for Error {}

impl Error {
    /// Returns the error with `more` appended.
    pub(crate) fn and(self, more: impl fmt::Display) -> Error {
        match self {
            Error::Input(words) => Error::Input(format!("{words}; {more}")),
            Error::Work(words) => Error::Work(format!("{words}; {more}")),
        }
    }
}

impl From<sidestep_study::Error> for Error {
    fn from(error: sidestep_study::Error) -> Error {
        match error.exit_status() {
            1 => Error::Work(error.to_string()),
            _ => Error::Input(error.to_string()),
        }
    }
}

/// Wraps an I/O error with a description of the attempted step.
pub(crate) fn failed(doing: impl fmt::Display) -> impl FnOnce(std::io::Error) -> Error {
    move |why| Error::Work(format!("{doing}: {why}"))
}
