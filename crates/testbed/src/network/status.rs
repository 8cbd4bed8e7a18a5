//! What stands of a testbed.

use super::state::State;
use super::{netns, switches};
use crate::error::Error;

/// What stands of one testbed.
#[derive(Clone, Debug)]
pub struct Standing {
    /// What was built.
    pub state: State,
    /// Namespaces that are listed and not there.
    pub missing: Vec<String>,
    /// For each switch, the processes in its namespace.
    pub processes: Vec<Vec<i32>>,
    /// For each switch, whether it answers.
    pub answers: Vec<bool>,
}

/// Looks at the testbed called `name`; `None` when there is none.
pub fn status(name: &str) -> Result<Option<Standing>, Error> {
    let Some(state) = State::read(name)? else {
        return Ok(None);
    };
    let gone = |space: &&String| !netns::path(space).exists();
    let missing = state.spaces.iter().filter(gone).cloned().collect();
    let switches = 0..state.blueprint.switches.len();
    let inside = |i| netns::processes(&state.blueprint.switch_space(i));
    let answers = |i| std::os::unix::net::UnixStream::connect(switches::control(name, i)).is_ok();
    Ok(Some(Standing {
        processes: switches.clone().map(inside).collect(),
        answers: switches.map(answers).collect(),
        missing,
        state,
    }))
}
