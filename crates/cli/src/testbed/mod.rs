//! `sidestep testbed`: a scenario over the kernel's own TCP and software switches.

pub mod args;
mod run;
mod status;
mod up;

pub use up::{engine, interrupted};

use crate::{Failure, Outcome};
use args::{TestbedArgs, TestbedCommand};
use sidestep_testbed::Error;
use sidestep_testbed::attempt::Keep;

/// Does what was asked of the testbed.
pub fn testbed(args: &TestbedArgs) -> Outcome {
    match &args.command {
        TestbedCommand::Up(args) => up::up(args),
        TestbedCommand::Run(args) => run::run(args),
        TestbedCommand::Status(args) => status::status(args),
        TestbedCommand::Down(args) => up::down(args),
    }
}

/// Which runs `--keep-stalled` keeps, and which are kept without it.
pub fn keep(stalled: bool) -> Keep {
    match stalled {
        true => Keep::Stalled,
        false => Keep::InTime,
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        match error {
            Error::Input(words) => Failure::input(words),
            Error::Work(words) => Failure::work(words),
        }
    }
}
