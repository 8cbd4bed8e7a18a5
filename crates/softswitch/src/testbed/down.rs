//! Taking a testbed away: what its state lists, and whatever bears its name.

use super::lock::Lock;
use super::state::{self, ROOT, State};
use super::{Error, dctcp, failed, netns, tools};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long processes may take to end by themselves.
const PATIENCE: Duration = Duration::from_secs(3);

/// Removes the testbed called `name`; says whether there was anything. Works as well when it was half
/// built, or its processes are dead. What cannot be removed does not keep the rest.
pub fn down(name: &str) -> Result<bool, Error> {
    tools::need()?;
    let lock = Lock::wait(Path::new(ROOT))?;
    let own = dctcp::own_name(name);
    let there = state::folder(name).exists()
        || !netns::of_testbed(name).is_empty()
        || dctcp::available().contains(&own);
    remove(name, &lock)?;
    Ok(there)
}

/// [`down`], by whoever holds the lock.
pub(super) fn remove(name: &str, _lock: &Lock) -> Result<(), Error> {
    let mut wrong = Vec::new();
    let mut keep = |result: Result<(), Error>| {
        if let Err(why) = result {
            wrong.push(why.to_string());
        }
    };
    // A state that cannot be read still leaves the names.
    let listed = State::read(name).ok().flatten();
    let mut spaces: BTreeSet<String> = netns::of_testbed(name).into_iter().collect();
    spaces.extend(listed.iter().flat_map(|s| s.spaces.iter().cloned()));
    end_processes(&spaces);
    for space in &spaces {
        keep(netns::delete(space));
    }
    keep(dctcp::unregister(&dctcp::own_name(name)));
    let dir = state::folder(name);
    if dir.exists() {
        let doing = format!("cannot remove {}", dir.display());
        keep(fs::remove_dir_all(&dir).map_err(failed(doing)));
    }
    // The last one takes the common folder along; until then it is not empty.
    let _ = fs::remove_dir(ROOT);
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(Error::Work(wrong.join("\n"))),
    }
}

/// Asks everything in the namespaces to end, then makes it.
fn end_processes(spaces: &BTreeSet<String>) {
    let inside = || -> Vec<i32> { spaces.iter().flat_map(|s| netns::processes(s)).collect() };
    let signal = |pids: &[i32], signal| {
        for &pid in pids {
            // SAFETY: a plain call; a process that is gone by now is no harm.
            unsafe { libc::kill(pid, signal) };
        }
    };
    let began = Instant::now();
    let mut how = libc::SIGTERM;
    loop {
        let pids = inside();
        if pids.is_empty() || began.elapsed() > 2 * PATIENCE {
            return;
        }
        if began.elapsed() > PATIENCE {
            how = libc::SIGKILL;
        }
        signal(&pids, how);
        std::thread::sleep(Duration::from_millis(20));
    }
}
