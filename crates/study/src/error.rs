//! Errors around a run, and the exit status of each.

use sidestep_lab::Problem;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Reason why a study failed.
#[derive(Debug)]
pub enum Error {
    /// The request cannot be carried out. The text says what was wrong, where, what was expected and what was
    /// found.
    Input(String),
    /// A scenario or experiment is invalid: all its problems, with their positions.
    Wrong(Vec<Problem>),
    /// A file or directory could not be read or written.
    Io {
        /// The failed action, as in `cannot write`.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The simulation itself failed.
    Run(String),
    /// A result could not be written. The text says what is lost and what is not.
    Unwritten(String),
}

impl Error {
    /// Wraps the system's error about `path`.
    pub fn io(doing: &'static str, path: &Path, source: io::Error) -> Error {
        Error::Io {
            doing,
            path: path.to_path_buf(),
            source,
        }
    }

    /// Returns the exit status: 1 if the run failed, 2 if the input was wrong.
    pub fn exit_status(&self) -> u8 {
        match self {
            Error::Run(_) | Error::Unwritten(_) => 1,
            Error::Input(_) | Error::Wrong(_) | Error::Io { .. } => 2,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Input(words) | Error::Run(words) | Error::Unwritten(words) => f.write_str(words),
            Error::Wrong(problems) => {
                let lines: Vec<String> = problems.iter().map(Problem::to_string).collect();
                f.write_str(&lines.join("\n"))
            }
            Error::Io {
                doing,
                path,
                source,
            } => {
                write!(f, "{doing} {}: {source}", path.display())
            }
        }
    }
}

impl std::error::Error for Error {}
