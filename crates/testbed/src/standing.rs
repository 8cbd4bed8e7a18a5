//! Selection of a testbed by name, and its state.

use crate::error::Error;
use crate::network::state::{State, names};

/// Returns the testbed called `name`, or the only one.
pub fn which(name: &Option<String>) -> Result<String, Error> {
    if let Some(name) = name {
        return Ok(name.clone());
    }
    match &names()[..] {
        [] => Err(Error::Input(
            "no testbed is up; `sidestep testbed up SCENARIO` builds one".into(),
        )),
        [only] => Ok(only.clone()),
        several => Err(Error::Input(format!(
            "several testbeds are up ({}): expected --name with one of them",
            several.join(", ")
        ))),
    }
}

/// Returns the state of a testbed that is up and complete.
pub fn standing(name: &Option<String>) -> Result<State, Error> {
    let name = which(name)?;
    match State::read(&name)? {
        Some(state) if state.complete => Ok(state),
        Some(_) => Err(Error::Input(format!(
            "testbed {name} is incomplete; `sidestep testbed down --name {name}` removes it"
        ))),
        None => Err(Error::Input(format!(
            "no testbed {name} is up; `sidestep testbed up SCENARIO --name {name}` builds it"
        ))),
    }
}
