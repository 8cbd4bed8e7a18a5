//! What a command ends with.

/// What a command ends with: an exit status, or what to say and the status to end with.
pub type Outcome = Result<u8, Failure>;

/// Why a command could not do its work.
pub struct Failure {
    /// 1 when the run failed, 2 when the input was wrong.
    pub status: u8,
    /// What, where, expected, got; one message a line.
    pub words: String,
}

impl Failure {
    /// The input was wrong.
    pub fn input(words: impl Into<String>) -> Failure {
        Failure {
            status: 2,
            words: words.into(),
        }
    }

    /// The work itself failed.
    pub fn work(words: impl Into<String>) -> Failure {
        Failure {
            status: 1,
            words: words.into(),
        }
    }

    /// `--seed` and `--seeds` go in as a value to change: what is wrong with it is said of them.
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
