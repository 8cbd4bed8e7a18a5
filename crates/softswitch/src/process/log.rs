//! What happens, in single lines on standard error with the switch's name.

use std::io::Write;
use std::sync::Arc;

/// Writes lines for one switch. A standard error that is gone is not an error.
#[derive(Clone, Debug)]
pub struct Log(Arc<str>);

impl Log {
    /// For the switch called `name`.
    pub fn new(name: &str) -> Log {
        Log(name.into())
    }

    /// One line; line ends inside become spaces.
    pub fn say(&self, words: impl AsRef<str>) {
        let line = words.as_ref().replace('\n', " ");
        let _ = writeln!(std::io::stderr(), "{}: {line}", self.0);
    }
}
