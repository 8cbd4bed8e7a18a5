//! The testbed: namespaces, veth links, switches and the kernel's TCP around them.
//!
//! A [`Blueprint`] says what to build, in the emulated network's own units; [`up`] builds it,
//! [`run`](traffic::run) hands the flows of a [`Job`](traffic::Job) to the kernels of its hosts, [`down`]
//! takes all of it away. What happens when is in `docs/testbed.md`. This room knows no scenario: whoever
//! has one turns it into a blueprint.

pub mod blueprint;
mod dctcp;
mod down;
mod hosts;
mod lock;
mod netns;
pub mod state;
mod status;
mod switches;
mod tools;
pub mod traffic;
mod up;

pub use blueprint::Blueprint;
pub use down::down;
pub use hosts::differences;
pub use lock::Lock;
pub use state::{State, names};
pub use status::{Standing, status};
pub use switches::{Engine, counters, reset};
pub use tools::need;
pub use up::{Plan, up};

use std::fmt;

/// Takes the testbed called `name` for a run, until the lock is dropped: two at a time would be in each other's way.
pub fn occupy(name: &str) -> Result<Lock, Error> {
    blueprint::check_name(name).map_err(Error::Input)?;
    match Lock::now(&state::folder(name))? {
        Some(lock) => Ok(lock),
        None => Err(Error::Input(format!(
            "testbed {name} is in use by another run; wait for it, or build another with `up --name`"
        ))),
    }
}

/// Why a testbed could not be built, used or taken away.
#[derive(Debug)]
pub enum Error {
    /// What was asked for cannot be done: the words say what, expected and got.
    Input(String),
    /// The machine refused something on the way.
    Work(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Error::Input(words) | Error::Work(words)) = self;
        f.write_str(words)
    }
}

impl std::error::Error for Error {}

/// Wraps what the system said about doing something.
pub(crate) fn failed(doing: impl fmt::Display) -> impl FnOnce(std::io::Error) -> Error {
    move |why| Error::Work(format!("{doing}: {why}"))
}
