//! `sidestep testbed`: a scenario over the kernel's own TCP and software switches.

pub mod args;
mod keep;
mod run;
mod status;
mod up;

pub use keep::keeps_all;
pub use up::{engine, interrupted};

use crate::failure::Outcome;
use args::{TestbedArgs, TestbedCommand};

/// Executes a subcommand of `testbed`.
pub fn testbed(args: &TestbedArgs) -> Outcome {
    match &args.command {
        TestbedCommand::Up(args) => up::up(args),
        TestbedCommand::Run(args) => run::run(args),
        TestbedCommand::Status(args) => status::status(args),
        TestbedCommand::Down(args) => up::down(args),
    }
}
