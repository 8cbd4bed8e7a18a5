//! Locks against concurrent use: a process that builds, removes or uses a testbed holds a lock, released when
//! it ends.

use super::blueprint::check_name;
use super::state;
use crate::error::{Error, failed};
use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Lock on a directory, held until it is dropped or the process ends.
#[derive(Debug)]
pub struct Lock {
    /// Locked file; closing it releases the lock.
    _file: File,
}

impl Lock {
    /// Waits for the lock on `dir`, which is created if necessary.
    pub fn wait(dir: &Path) -> Result<Lock, Error> {
        loop {
            fs::create_dir_all(dir).map_err(failed(format!("cannot make {}", dir.display())))?;
            let Some(lock) = Lock::take(dir, 0)? else {
                continue;
            };
            return Ok(lock);
        }
    }

    /// Takes the lock on `dir`; `None` if another process holds it or the directory is gone.
    pub fn now(dir: &Path) -> Result<Option<Lock>, Error> {
        Lock::take(dir, libc::LOCK_NB)
    }

    fn take(dir: &Path, how: i32) -> Result<Option<Lock>, Error> {
        let doing = || format!("cannot lock {}", dir.display());
        let file = match File::open(dir) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other.map_err(failed(doing()))?,
        };
        // SAFETY: a plain call on an open descriptor.
        if unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | how) } != 0 {
            let why = io::Error::last_os_error();
            return match why.kind() {
                io::ErrorKind::WouldBlock => Ok(None),
                io::ErrorKind::Interrupted => Ok(None),
                _ => Err(failed(doing())(why)),
            };
        }
        // The previous holder may have removed the directory: then this locks nothing.
        let same = |a: &fs::Metadata, b: &fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
        let held = file.metadata().map_err(failed(doing()))?;
        match fs::metadata(dir) {
            Ok(there) if same(&held, &there) => Ok(Some(Lock { _file: file })),
            _ => Ok(None),
        }
    }
}

/// Locks the testbed called `name` for a run, until the lock is dropped: two concurrent runs would disturb each
/// other.
pub fn occupy(name: &str) -> Result<Lock, Error> {
    check_name(name).map_err(Error::Input)?;
    match Lock::now(&state::folder(name))? {
        Some(lock) => Ok(lock),
        None => Err(Error::Input(format!(
            "testbed {name} is in use by another run; wait for it, or build another with `up --name`"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_one_persons_until_it_is_dropped() {
        let dir = std::env::temp_dir().join(format!("be-lock-{}", std::process::id()));
        let first = Lock::wait(&dir).unwrap();
        assert!(Lock::now(&dir).unwrap().is_none());
        drop(first);
        assert!(Lock::now(&dir).unwrap().is_some());
        fs::remove_dir(&dir).unwrap();
        assert!(Lock::now(&dir).unwrap().is_none());
    }
}
