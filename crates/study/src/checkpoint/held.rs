//! Lock on a folder of checkpoints: one call uses it at a time.
//!
//! The folder itself is locked, so no lock file is left behind, and the lock ends with the process in every
//! case.

use crate::Error;
use std::fs::{self, File, TryLockError};
use std::path::Path;

/// Locked folder. No other call may use it until this is dropped.
#[derive(Debug)]
pub struct FolderLock {
    _folder: File,
}

impl FolderLock {
    /// Creates the folder if it is missing, and locks it. On a file system without locks, `remark` receives a
    /// warning instead.
    pub(super) fn new(dir: &Path, remark: fn(&str)) -> Result<FolderLock, Error> {
        let name = dir.display();
        let failed = |e| {
            Error::Unwritten(format!(
                "cannot create the folder of checkpoints {name}: {e}"
            ))
        };
        fs::create_dir_all(dir).map_err(failed)?;
        let folder = File::open(dir).map_err(failed)?;
        match folder.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::Input(format!(
                    "--checkpoint: the folder {name} is in use by another call; wait for it, or \
                     choose another folder with --checkpoint-to"
                )));
            }
            Err(TryLockError::Error(e)) => remark(&format!(
                "{name} cannot be locked ({e}); make sure that no other call uses it"
            )),
        }
        Ok(FolderLock { _folder: folder })
    }
}
