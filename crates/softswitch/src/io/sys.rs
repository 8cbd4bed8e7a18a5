//! System calls with errors that say what was tried, and where.

use std::ffi::c_int;
use std::fmt;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

/// What the system would not do.
#[derive(Debug)]
pub struct IoError {
    /// What was tried and on what, as "open a packet socket on e0-h0".
    pub what: String,
    /// Why not.
    pub why: io::Error,
}

impl fmt::Display for IoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot {}: {}", self.what, self.why)?;
        match self.why.raw_os_error() {
            Some(libc::EPERM | libc::EACCES) => {
                write!(f, " (needs root, or CAP_NET_RAW and CAP_NET_ADMIN)")
            }
            _ => Ok(()),
        }
    }
}

impl std::error::Error for IoError {}

/// Says what was tried when it fails.
pub trait Tried<T> {
    /// As in "cannot `what`: no such device".
    fn tried(self, what: impl FnOnce() -> String) -> Result<T, IoError>;
}

impl<T> Tried<T> for io::Result<T> {
    fn tried(self, what: impl FnOnce() -> String) -> Result<T, IoError> {
        self.map_err(|why| IoError { what: what(), why })
    }
}

/// The value of a system call that answers -1 and `errno` for an error.
pub fn answer(value: c_int) -> io::Result<c_int> {
    if value < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(value)
    }
}

/// A socket that is closed in programs that are started.
pub fn socket(family: c_int, kind: c_int, protocol: c_int) -> io::Result<OwnedFd> {
    // SAFETY: no memory is passed; a descriptor that is 0 or more is ours alone.
    unsafe {
        let fd = answer(libc::socket(family, kind | libc::SOCK_CLOEXEC, protocol))?;
        Ok(OwnedFd::from_raw_fd(fd))
    }
}

/// Sets a socket option to `value`, whose type is the one that the option wants.
pub fn set_option<T: Copy>(
    fd: BorrowedFd<'_>,
    level: c_int,
    name: c_int,
    value: T,
) -> io::Result<()> {
    // SAFETY: the kernel reads size_of::<T>() bytes at `value`, which lives through the call.
    unsafe {
        answer(libc::setsockopt(
            fd.as_raw_fd(),
            level,
            name,
            (&raw const value).cast(),
            size_of::<T>() as u32,
        ))?;
    }
    Ok(())
}

/// Reads a socket option of type `T`, for which all bits zero is a value.
pub fn option<T: Copy + Default>(fd: BorrowedFd<'_>, level: c_int, name: c_int) -> io::Result<T> {
    let mut value = T::default();
    let mut length = size_of::<T>() as u32;
    // SAFETY: the kernel writes at most `length` bytes, the size of `value`.
    unsafe {
        answer(libc::getsockopt(
            fd.as_raw_fd(),
            level,
            name,
            (&raw mut value).cast(),
            &raw mut length,
        ))?;
    }
    Ok(value)
}
