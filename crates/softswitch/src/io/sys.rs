//! System calls with errors that say what was tried, and where.

use std::ffi::c_int;
use std::fmt;
use std::io;
use std::mem::MaybeUninit;
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

/// A value of a socket option: what the kernel reads and writes byte by byte.
///
/// # Safety
/// The type has no padding and no pointers, and any bits of its size are a value of it.
pub unsafe trait OptionValue: Copy {}

// SAFETY: an integer, and an array of such.
unsafe impl OptionValue for i32 {}
// SAFETY: as above.
unsafe impl OptionValue for [u32; 2] {}
// SAFETY: four integers of 32 bits.
unsafe impl OptionValue for libc::tpacket_req {}
// SAFETY: an integer of 32 bits, two of 16, and eight bytes.
unsafe impl OptionValue for libc::packet_mreq {}

/// Sets a socket option to `value`, whose type is the one that the option wants.
///
/// Whatever has pointers or padding is refused:
///
/// ```compile_fail
/// use sidestep_softswitch::io::sys::set_option;
/// use std::os::fd::AsFd;
///
/// let value: (u8, u32) = (1, 2);
/// let _ = set_option(std::io::stdin().as_fd(), 1, 2, value);
/// ```
pub fn set_option<T: OptionValue>(
    fd: BorrowedFd<'_>,
    level: c_int,
    name: c_int,
    value: T,
) -> io::Result<()> {
    // SAFETY: the kernel reads size_of::<T>() bytes at `value`, which lives through the call and
    // has no padding. There are no pointers in it that the kernel could follow.
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

/// Reads a socket option of type `T`.
///
/// A type that has fewer values than bits is refused: the kernel may write 2 into a `bool`.
///
/// ```compile_fail
/// use sidestep_softswitch::io::sys::option;
/// use std::os::fd::AsFd;
///
/// let _ = option::<bool>(std::io::stdin().as_fd(), 1, 3);
/// ```
pub fn option<T: OptionValue>(fd: BorrowedFd<'_>, level: c_int, name: c_int) -> io::Result<T> {
    let mut value = MaybeUninit::<T>::zeroed();
    let mut length = size_of::<T>() as u32;
    // SAFETY: the kernel writes at most `length` bytes, the size of `value`, which the trait says
    // may be any. A request that is read first is all zeros, so no pointer.
    unsafe {
        answer(libc::getsockopt(
            fd.as_raw_fd(),
            level,
            name,
            value.as_mut_ptr().cast(),
            &raw mut length,
        ))?;
        Ok(value.assume_init())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;

    #[test]
    fn an_option_is_read_as_it_was_set() {
        let socket = socket(libc::AF_INET, libc::SOCK_DGRAM, 0).unwrap();
        let fd = socket.as_fd();
        set_option(fd, libc::SOL_SOCKET, libc::SO_BROADCAST, 1).unwrap();
        let set = option::<i32>(fd, libc::SOL_SOCKET, libc::SO_BROADCAST);
        assert_eq!(set.unwrap(), 1);
        // SO_LINGER gives two words; of SO_BROADCAST only the first is written.
        let linger = option::<[u32; 2]>(fd, libc::SOL_SOCKET, libc::SO_LINGER);
        assert_eq!(linger.unwrap(), [0, 0]);
        let shorter = option::<[u32; 2]>(fd, libc::SOL_SOCKET, libc::SO_BROADCAST);
        assert_eq!(shorter.unwrap(), [1, 0]);
        let unknown = option::<i32>(fd, libc::SOL_SOCKET, 9999).unwrap_err();
        assert_eq!(unknown.raw_os_error(), Some(libc::ENOPROTOOPT));
    }
}
