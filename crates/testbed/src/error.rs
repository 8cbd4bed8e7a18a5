//! Why a testbed could not be built, used or taken away, and whose fault it is.

use std::fmt;

/// Why a testbed could not be built, used or taken away.
#[derive(Debug)]
pub enum Error {
    /// What was asked for cannot be done: the words say what, expected and got.
    Input(String),
    /// The machine refused something on the way.
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
    /// The same with more words behind it.
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

/// Wraps what the system said about doing something.
pub(crate) fn failed(doing: impl fmt::Display) -> impl FnOnce(std::io::Error) -> Error {
    move |why| Error::Work(format!("{doing}: {why}"))
}
