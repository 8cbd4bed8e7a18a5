//! Log of events: single lines on standard error with the switch's name.

use std::io::Write;
use std::sync::Arc;

/// Log of one switch. A closed standard error is not an error.
#[derive(Clone, Debug)]
pub struct Log(Arc<str>);

impl Log {
    /// Returns the log of the switch called `name`.
    pub fn new(name: &str) -> Log {
        Log(name.into())
    }

    /// Writes one line; line ends inside become spaces.
    pub fn say(&self, words: impl AsRef<str>) {
        let line = words.as_ref().replace('\n', " ");
        let _ = writeln!(std::io::stderr(), "{}: {line}", self.0);
    }
}
