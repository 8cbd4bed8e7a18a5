//! `sidestep`: the burst-tolerance lab on the command line.

#![forbid(unsafe_code)]

mod args;
mod bench;
mod check;
mod list;
mod out;
mod reproduce;
mod run;
mod show;
mod stop;
mod switch;
mod testbed;
mod vectors;

use clap::Parser;
use std::process::ExitCode;

/// What a command ends with: an exit status, or what to say and the status to end with.
type Outcome = Result<u8, Failure>;

/// Why a command could not do its work.
pub(crate) struct Failure {
    /// 1 when the run failed, 2 when the input was wrong.
    status: u8,
    /// What, where, expected, got; one message a line.
    words: String,
}

impl Failure {
    /// The input was wrong.
    fn input(words: impl Into<String>) -> Failure {
        Failure {
            status: 2,
            words: words.into(),
        }
    }

    /// The work itself failed.
    fn work(words: impl Into<String>) -> Failure {
        Failure {
            status: 1,
            words: words.into(),
        }
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

fn main() -> ExitCode {
    let outcome = match args::Cli::parse().command {
        args::Command::Run(args) => run::run(&args),
        args::Command::Reproduce(args) => reproduce::reproduce(&args),
        args::Command::Check(args) => check::check(&args),
        args::Command::List(args) => list::list(&args),
        args::Command::Show(args) => show::show(&args),
        args::Command::Bench(args) => bench::bench(&args),
        args::Command::Switch(args) => switch::switch(&args),
        args::Command::Testbed(args) => testbed::testbed(&args),
        args::Command::Vectors(args) => vectors::vectors(&args),
    };
    match outcome {
        Ok(status) => ExitCode::from(status),
        Err(failure) => {
            for line in failure.words.lines() {
                out::complain(line);
            }
            ExitCode::from(failure.status)
        }
    }
}
