//! `sidestep testbed`: a scenario over the kernel's own TCP and software switches.

pub mod args;
mod job;
mod outcome;
mod progress;
pub mod reproduce;
mod run;
mod scale;
mod scene;
mod seen;
mod status;
mod up;

use crate::{Failure, Outcome};
use args::{TestbedArgs, TestbedCommand};
use sidestep_softswitch::testbed::{self, Error, State};

/// Does what was asked of the testbed.
pub fn testbed(args: &TestbedArgs) -> Outcome {
    match &args.command {
        TestbedCommand::Up(args) => up::up(args),
        TestbedCommand::Run(args) => run::run(args),
        TestbedCommand::Status(args) => status::status(args),
        TestbedCommand::Down(args) => up::down(args),
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

/// The testbed that is meant: the one named, or the only one there is.
fn which(name: &Option<String>) -> Result<String, Failure> {
    if let Some(name) = name {
        return Ok(name.clone());
    }
    match &testbed::names()[..] {
        [] => Err(Failure::input(
            "no testbed is up; `sidestep testbed up SCENARIO` builds one",
        )),
        [only] => Ok(only.clone()),
        several => Err(Failure::input(format!(
            "several testbeds are up ({}): expected --name with one of them",
            several.join(", ")
        ))),
    }
}

/// The state of a testbed that stands.
fn standing(name: &Option<String>) -> Result<State, Failure> {
    let name = which(name)?;
    match State::read(&name)? {
        Some(state) if state.complete => Ok(state),
        Some(_) => Err(Failure::input(format!(
            "testbed {name} was begun and not finished; `sidestep testbed down --name {name}` removes it"
        ))),
        None => Err(Failure::input(format!(
            "no testbed called {name} is up; `sidestep testbed up SCENARIO --name {name}` builds it"
        ))),
    }
}
