//! Result of a command.

/// Result of a command: an exit status, or a failure.
pub type Outcome = Result<u8, Failure>;

/// Failure of a command, with its message and exit status.
pub struct Failure {
    /// Exit status: 1 if the run failed, 2 if the input was wrong.
    pub status: u8,
    /// Messages, one per line: what is wrong, where, expected, got.
    pub words: String,
}

impl Failure {
    /// Creates a failure due to wrong input.
    pub fn input(words: impl Into<String>) -> Failure {
        Failure {
            status: 2,
            words: words.into(),
        }
    }

    /// Creates a failure of the work itself.
    pub fn work(words: impl Into<String>) -> Failure {
        Failure {
            status: 1,
            words: words.into(),
        }
    }

    /// Renames `--set seeds=…` in the message to the option that the user gave, `--seed` or `--seeds`.
    pub fn of_seeds(mut self, option: &str, value: &str) -> Failure {
        let set = format!("--set seeds={value}: seeds:");
        self.words = self.words.replace(&set, &format!("{option}:"));
        self
    }
}

impl From<sidestep_study::Error> for Failure {
    fn from(error: sidestep_study::Error) -> Failure {
        Failure {
            status: error.exit_status(),
            words: error.to_string(),
        }
    }
}

impl From<sidestep_testbed::Error> for Failure {
    fn from(error: sidestep_testbed::Error) -> Failure {
        use sidestep_testbed::Error;
        match error {
            Error::Input(words) => Failure::input(words),
            Error::Work(words) => Failure::work(words),
        }
    }
}

impl From<sidestep_view::Error> for Failure {
    fn from(error: sidestep_view::Error) -> Failure {
        use sidestep_view::Error;
        match error {
            Error::Input(words) => Failure::input(words),
            Error::Work(words) => Failure::work(words),
        }
    }
}
