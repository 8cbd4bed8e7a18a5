//! Removal of a testbed: everything its state lists, and everything with its name.

use super::blueprint::check_name;
use super::lock::Lock;
use super::state::{self, ROOT, State};
use super::{agent, dctcp, marks, netns, tools};
use crate::error::{Error, failed};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// Time for processes to end after SIGTERM.
const PATIENCE: Duration = Duration::from_secs(3);
/// Time for processes to end after SIGKILL, on a busy machine.
const KILLED: Duration = Duration::from_secs(60);

/// Removes the testbed called `name`; returns whether there was one. Also removes a half-built testbed, or one
/// whose processes are dead. A part that cannot be removed does not prevent the removal of the rest.
///
/// Namespaces with a testbed's name but without its state may belong to another program. They are an error
/// unless `force` is set, which removes them with all their processes.
pub fn down(name: &str, force: bool) -> Result<bool, Error> {
    check_name(name).map_err(Error::Input)?;
    tools::need()?;
    let lock = Lock::wait(Path::new(ROOT))?;
    let own = dctcp::own_name(name);
    let (built, spaces) = (state::folder(name).exists(), netns::of_testbed(name));
    if !built && !force && !spaces.is_empty() {
        return Err(Error::Input(format!(
            "no testbed {name} is recorded, but namespaces with its name exist: {}; --force \
             removes them with all their processes",
            spaces.join(", ")
        )));
    }
    let there = built || !spaces.is_empty() || dctcp::available().contains(&own);
    remove(name, &lock)?;
    Ok(there)
}

/// Does the work of [`down`] for a caller that holds the lock.
pub(super) fn remove(name: &str, _lock: &Lock) -> Result<(), Error> {
    let mut wrong = Vec::new();
    let mut keep = |result: Result<(), Error>| {
        if let Err(why) = result {
            wrong.push(why.to_string());
        }
    };
    // Namespaces are found by name even if the state cannot be read.
    let listed = State::read(name).ok().flatten();
    let mut spaces: BTreeSet<String> = netns::of_testbed(name).into_iter().collect();
    spaces.extend(listed.iter().flat_map(|s| s.spaces.iter().cloned()));
    // A name can be an alias of the namespace that this process runs in.
    spaces.retain(|space| !netns::is_at_home(space));
    end_processes(&spaces);
    for space in &spaces {
        keep(netns::delete(space));
    }
    keep(dctcp::unregister(&dctcp::own_name(name)));
    keep(agent::unpin(name));
    keep(marks::unpin(name));
    let dir = state::folder(name);
    if dir.exists() {
        let doing = format!("cannot remove {}", dir.display());
        keep(fs::remove_dir_all(&dir).map_err(failed(doing)));
    }
    // Removing the last testbed removes the common folder; before, it is not empty.
    let _ = fs::remove_dir(ROOT);
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(Error::Work(wrong.join("\n"))),
    }
}

/// Sends SIGTERM to all processes in the namespaces, then SIGKILL.
fn end_processes(spaces: &BTreeSet<String>) {
    let inside = || -> Vec<i32> { spaces.iter().flat_map(|s| netns::processes(s)).collect() };
    let signal = |pids: &[i32], signal| {
        for &pid in pids {
            // SAFETY: a plain call; a process that is gone by now does no harm.
            unsafe { libc::kill(pid, signal) };
        }
    };
    let began = Instant::now();
    let mut how = libc::SIGTERM;
    loop {
        let pids = inside();
        if pids.is_empty() || began.elapsed() > PATIENCE + KILLED {
            return;
        }
        if began.elapsed() > PATIENCE {
            how = libc::SIGKILL;
        }
        signal(&pids, how);
        std::thread::sleep(Duration::from_millis(20));
    }
}
