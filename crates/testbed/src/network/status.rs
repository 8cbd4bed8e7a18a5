//! Status of a testbed: its namespaces, processes and answering switches.

use super::state::State;
use super::{netns, switches};
use crate::error::Error;

/// Status of one testbed.
#[derive(Clone, Debug)]
pub struct TestbedStatus {
    /// State written when it was built.
    pub state: State,
    /// Namespaces in the state that no longer exist.
    pub missing: Vec<String>,
    /// Processes in each switch's namespace.
    pub processes: Vec<Vec<i32>>,
    /// True for each switch that answers.
    pub answers: Vec<bool>,
}

/// Inspects the testbed called `name`; `None` if there is none.
pub fn status(name: &str) -> Result<Option<TestbedStatus>, Error> {
    let Some(state) = State::read(name)? else {
        return Ok(None);
    };
    let gone = |space: &&String| !netns::path(space).exists();
    let missing = state.spaces.iter().filter(gone).cloned().collect();
    let switches = 0..state.blueprint.switches.len();
    let inside = |i| netns::processes(&state.blueprint.switch_space(i));
    let answers = |i| std::os::unix::net::UnixStream::connect(switches::control(name, i)).is_ok();
    Ok(Some(TestbedStatus {
        processes: switches.clone().map(inside).collect(),
        answers: switches.map(answers).collect(),
        missing,
        state,
    }))
}
