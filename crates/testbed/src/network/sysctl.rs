//! Kernel values below `/proc/sys`.

use crate::error::{Error, failed};
use std::fs;
use std::path::Path;

/// Returns true if the kernel has this value.
pub(super) fn has_sysctl(key: &str) -> bool {
    Path::new("/proc/sys").join(key).exists()
}

/// Writes one value in this thread's namespace.
pub fn write_sysctl(key: &str, value: &str) -> Result<(), Error> {
    let name = key.replace('/', ".");
    fs::write(Path::new("/proc/sys").join(key), value)
        .map_err(failed(format!("cannot set sysctl {name} to {value}")))
}
