//! Network namespaces: entering, listing and deleting them, and finding their processes.

use super::tools;
use crate::error::{Error, failed};
use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Folder in which `ip netns` keeps namespaces.
const FOLDER: &str = "/run/netns";

/// Returns the file of a namespace.
pub fn path(space: &str) -> PathBuf {
    Path::new(FOLDER).join(space)
}

/// Opens a namespace, to enter it later.
pub fn open(space: &str) -> Result<File, Error> {
    File::open(path(space)).map_err(failed(format!("cannot open namespace {space}")))
}

/// Moves this thread into a namespace.
pub fn enter(space: &File) -> io::Result<()> {
    // SAFETY: a plain call on an open descriptor; only this thread moves.
    match unsafe { libc::setns(space.as_raw_fd(), libc::CLONE_NEWNET) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Does `work` in a namespace, on a temporary thread.
pub fn within<T: Send>(
    space: &str,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> Result<T, Error> {
    let file = open(space)?;
    std::thread::scope(|scope| {
        let inside = scope.spawn(|| {
            enter(&file).map_err(failed(format!("cannot enter namespace {space}")))?;
            work()
        });
        inside.join().expect("work in a namespace does not panic")
    })
}

/// Returns the namespaces with a testbed's name: `NAME-h<i>` and `NAME-s<i>`.
pub fn of_testbed(name: &str) -> Vec<String> {
    let ours = |space: &String| {
        let rest = space.strip_prefix(name).and_then(|r| r.strip_prefix('-'));
        let number = rest.and_then(|r| r.strip_prefix(['h', 's']));
        number.is_some_and(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_digit()))
    };
    let entries = fs::read_dir(FOLDER).into_iter().flatten().flatten();
    let names = entries.filter_map(|e| e.file_name().into_string().ok());
    let mut spaces: Vec<String> = names.filter(ours).collect();
    spaces.sort();
    spaces
}

/// Returns true if this is an alias of the namespace of this process, or of the machine itself.
pub fn is_at_home(space: &str) -> bool {
    let identity = |path: PathBuf| fs::metadata(path).ok().map(|m| (m.dev(), m.ino()));
    let it = identity(path(space));
    let homes = ["/proc/self/ns/net", "/proc/1/ns/net"];
    it.is_some() && homes.iter().any(|home| identity(home.into()) == it)
}

/// Returns the processes in a namespace.
pub fn processes(space: &str) -> Vec<i32> {
    let Ok(it) = fs::metadata(path(space)) else {
        return Vec::new();
    };
    let same = |pid: &i32| {
        let theirs = fs::metadata(format!("/proc/{pid}/ns/net"));
        theirs.is_ok_and(|t| (t.dev(), t.ino()) == (it.dev(), it.ino()))
    };
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|e| e.file_name().to_str()?.parse().ok());
    pids.filter(same).collect()
}

/// Deletes a namespace with all its links. A missing namespace counts as deleted.
pub fn delete(space: &str) -> Result<(), Error> {
    if !path(space).exists() {
        return Ok(());
    }
    match tools::run("ip", &["netns", "delete", space], "") {
        // `ip netns add` was killed between creating the file and mounting the namespace on it.
        Err(_) if fs::remove_file(path(space)).is_ok() => Ok(()),
        other => other.map(drop),
    }
}
