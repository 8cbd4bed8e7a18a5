//! What can go wrong around a run, and whose fault it is.

use sidestep_lab::Problem;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a study could not be made.
#[derive(Debug)]
pub enum Error {
    /// What was asked for cannot be done: the words say what, where, expected and got.
    Input(String),
    /// A scenario or experiment says what cannot be: everything that is wrong, with its places.
    Wrong(Vec<Problem>),
    /// A file or directory could not be read or written.
    Io {
        /// What was being done, as in `cannot write`.
        doing: &'static str,
        /// To which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The simulation itself failed.
    Run(String),
    /// What came out could not be written: the words say what is lost and what is not.
    Unwritten(String),
}

impl Error {
    /// Wraps what the system said about `path`.
    pub fn io(doing: &'static str, path: &Path, source: io::Error) -> Error {
        Error::Io {
            doing,
            path: path.to_path_buf(),
            source,
        }
    }

    /// 1 when the run failed, 2 when what it was given was wrong.
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
