//! System calls, with errors that name the operation and its object.

use std::ffi::c_int;
use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::time::Duration;

/// Failed operation of the system.
#[derive(Debug)]
pub struct IoError {
    /// Operation and object, as "open a packet socket on e0-h0".
    pub what: String,
    /// Reason.
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

/// Adds the operation to an error.
pub trait Tried<T> {
    /// Names the operation, as in "cannot `what`: no such device".
    fn tried(self, what: impl FnOnce() -> String) -> Result<T, IoError>;
}

impl<T> Tried<T> for io::Result<T> {
    fn tried(self, what: impl FnOnce() -> String) -> Result<T, IoError> {
        self.map_err(|why| IoError { what: what(), why })
    }
}

/// Returns the value of a system call that reports an error by -1 and `errno`.
pub fn answer(value: c_int) -> io::Result<c_int> {
    if value < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(value)
    }
}

/// Opens a socket that is closed in started programs.
pub fn socket(family: c_int, kind: c_int, protocol: c_int) -> io::Result<OwnedFd> {
    // SAFETY: no memory is passed; a descriptor that is 0 or more is ours alone.
    unsafe {
        let fd = answer(libc::socket(family, kind | libc::SOCK_CLOEXEC, protocol))?;
        Ok(OwnedFd::from_raw_fd(fd))
    }
}

/// Socket option whose value is a `T`. Only the constants of this module exist: the kernel follows the
/// pointer in the 16 bytes of a `SO_ATTACH_FILTER`, and a plain `T` of 16 bytes could hold any pointer.
///
/// ```
/// use sidestep_softswitch::io::sys::{SO_SNDBUF, SocketOption, option, set_option, socket};
/// use std::os::fd::AsFd;
///
/// const BUFFER: SocketOption<i32> = SO_SNDBUF;
/// let socket = socket(libc::AF_INET, libc::SOCK_DGRAM, 0)?;
/// set_option(socket.as_fd(), BUFFER, 65_536)?;
/// let bytes: i32 = option(socket.as_fd(), BUFFER)?;
/// assert!(bytes >= 65_536);
/// # std::io::Result::Ok(())
/// ```
///
/// A value of another type is refused, both to set and to read:
///
/// ```compile_fail,E0308
/// # use sidestep_softswitch::io::sys::{SO_SNDBUF, option, set_option, socket};
/// # use std::os::fd::AsFd;
/// # let socket = socket(libc::AF_INET, libc::SOCK_DGRAM, 0)?;
/// set_option(socket.as_fd(), SO_SNDBUF, [65_536, 0])?;
/// # std::io::Result::Ok(())
/// ```
///
/// ```compile_fail,E0308
/// # use sidestep_softswitch::io::sys::{SO_SNDBUF, option, set_option, socket};
/// # use std::os::fd::AsFd;
/// # let socket = socket(libc::AF_INET, libc::SOCK_DGRAM, 0)?;
/// let bytes: bool = option(socket.as_fd(), SO_SNDBUF)?;
/// # std::io::Result::Ok(())
/// ```
///
/// An option that is not among the constants is refused too:
///
/// ```compile_fail,E0624
/// # use sidestep_softswitch::io::sys::SocketOption;
/// let filter: SocketOption<[u32; 2]> =
///     unsafe { SocketOption::new(libc::SOL_SOCKET, libc::SO_ATTACH_FILTER) };
/// ```
#[derive(Debug)]
pub struct SocketOption<T> {
    level: c_int,
    name: c_int,
    value: PhantomData<T>,
}

/// Type that can be passed to the kernel, and read from it, as plain bytes.
///
/// # Safety
/// The type has neither padding nor pointers, and any bits of its size are a valid value.
pub unsafe trait Plain: Copy {}

/// Implements [`Plain`] for the types of options: one row lists the fields of a type, which must make up all of
/// its size.
macro_rules! plain {
    ($($of:ty = $($field:ty) +;)+) => {$(
        // SAFETY: integers without a byte between them, as the assertion below checks.
        unsafe impl Plain for $of {}
        const _: () = assert!(size_of::<$of>() == 0 $(+ size_of::<$field>())+);
    )+};
}

plain! {
    i32 = i32;
    [u32; 2] = u32 u32;
    libc::packet_mreq = i32 u16 u16 [u8; 8];
    libc::tpacket_req = u32 u32 u32 u32;
    libc::tpacket_req3 = u32 u32 u32 u32 u32 u32 u32;
}

impl<T: Plain> SocketOption<T> {
    /// Returns the option `name` of `level`.
    ///
    /// # Safety
    /// The kernel reads and writes a `T` as the value of this option, and follows no pointer in it.
    const unsafe fn new(level: c_int, name: c_int) -> SocketOption<T> {
        SocketOption {
            level,
            name,
            value: PhantomData,
        }
    }
}

/// Defines constants under the kernel's names. A row guarantees the requirements of [`SocketOption::new`].
macro_rules! options {
    ($($level:ident { $($name:ident: $value:ty,)+ })+) => {$($(
        #[doc = concat!("`", stringify!($name), "` of `", stringify!($level), "`.")]
        pub const $name: SocketOption<$value> =
            // SAFETY: guaranteed by the author of the row.
            unsafe { SocketOption::new(libc::$level, libc::$name) };
    )+)+};
}

// Guaranteed: socket(7), packet(7) and the kernel's packet_mmap.rst give each option this type. The options can
// neither change nor remove a mapped ring: the kernel returns EBUSY while the mapping stands.
options! {
    SOL_SOCKET {
        SO_ERROR: i32,
        SO_SNDBUF: i32,
        SO_SNDBUFFORCE: i32,
        SO_TIMESTAMPING: i32,
    }
    SOL_PACKET {
        PACKET_ADD_MEMBERSHIP: libc::packet_mreq,
        PACKET_IGNORE_OUTGOING: i32,
        PACKET_QDISC_BYPASS: i32,
        PACKET_RX_RING: libc::tpacket_req,
        PACKET_STATISTICS: [u32; 2],
        PACKET_TIMESTAMP: i32,
        PACKET_TX_RING: libc::tpacket_req,
        PACKET_VERSION: i32,
    }
}

/// Sets a socket option.
pub fn set_option<T: Plain>(
    fd: BorrowedFd<'_>,
    option: SocketOption<T>,
    value: T,
) -> io::Result<()> {
    // SAFETY: the kernel reads size_of::<T>() bytes at `value`, which lives through the call and, being plain,
    // has no padding. It follows no pointer in them, as the option's constructor guarantees.
    unsafe {
        answer(libc::setsockopt(
            fd.as_raw_fd(),
            option.level,
            option.name,
            (&raw const value).cast(),
            size_of::<T>() as u32,
        ))?;
    }
    Ok(())
}

/// Reads a socket option.
pub fn option<T: Plain>(fd: BorrowedFd<'_>, option: SocketOption<T>) -> io::Result<T> {
    let mut value = MaybeUninit::<T>::zeroed();
    let mut length = size_of::<T>() as u32;
    // SAFETY: the kernel writes at most `length` bytes, the size of `value`; the rest stays zero, and any bits
    // are a plain value. If it reads first, as a request, it finds zeros, and follows no pointer, as the
    // option's constructor guarantees. `value` is aligned for a `T`, written by the kernel alone, and borrowed
    // by nobody else.
    unsafe {
        answer(libc::getsockopt(
            fd.as_raw_fd(),
            option.level,
            option.name,
            value.as_mut_ptr().cast(),
            &raw mut length,
        ))?;
        Ok(value.assume_init())
    }
}

/// Waits until one of `fds` is ready or broken, or until `most` has passed; returns the number of ready ones. A
/// signal ends the wait early.
pub fn poll(fds: &mut [libc::pollfd], most: Option<Duration>) -> io::Result<usize> {
    // Limited to a time that any kernel can represent.
    let most = most.map(|most| libc::timespec {
        tv_sec: most.as_secs().min(u64::from(u32::MAX)) as libc::time_t,
        tv_nsec: most.subsec_nanos().into(),
    });
    let timeout = most.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: pointer and number are those of `fds`, in which the kernel writes the results only; the timeout
    // is null or lives through the call. A descriptor that is not open is reported, and nothing is done to an
    // open one.
    let ready = unsafe {
        libc::ppoll(
            fds.as_mut_ptr(),
            fds.len() as libc::nfds_t,
            timeout,
            std::ptr::null(),
        )
    };
    match answer(ready) {
        Ok(ready) => Ok(ready as usize),
        Err(e) if e.kind() == io::ErrorKind::Interrupted => Ok(0),
        Err(e) => Err(e),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;

    // Guaranteed: socket(7) gives both these types; a `linger` is two integers.
    options! {
        SOL_SOCKET {
            SO_BROADCAST: i32,
            SO_LINGER: [u32; 2],
        }
    }
    // SAFETY: the kernel writes one word of the two, and any bits are two words.
    const SO_BROADCAST_IN_TWO: SocketOption<[u32; 2]> =
        unsafe { SocketOption::new(libc::SOL_SOCKET, libc::SO_BROADCAST) };
    // SAFETY: this option does not exist.
    const UNKNOWN: SocketOption<i32> = unsafe { SocketOption::new(libc::SOL_SOCKET, 9999) };

    #[test]
    fn what_is_ready_is_told_and_what_is_not_is_waited_for() {
        let socket = socket(libc::AF_INET, libc::SOCK_DGRAM, 0).unwrap();
        let of = |events| libc::pollfd {
            fd: socket.as_raw_fd(),
            events,
            revents: 0,
        };
        // No data arrives; sending is possible.
        let mut both = [of(libc::POLLIN), of(libc::POLLOUT)];
        assert_eq!(poll(&mut both, None).unwrap(), 1);
        assert_eq!((both[0].revents, both[1].revents), (0, libc::POLLOUT));
        assert_eq!(poll(&mut both[..1], Some(Duration::ZERO)).unwrap(), 0);
        assert_eq!(poll(&mut [], Some(Duration::from_nanos(1))).unwrap(), 0);
        let gone = libc::pollfd {
            fd: c_int::MAX,
            events: libc::POLLIN,
            revents: 0,
        };
        let mut gone = [gone];
        assert_eq!(poll(&mut gone, Some(Duration::MAX)).unwrap(), 1);
        assert_eq!(gone[0].revents, libc::POLLNVAL);
    }

    #[test]
    fn an_option_is_read_as_it_was_set() {
        let socket = socket(libc::AF_INET, libc::SOCK_DGRAM, 0).unwrap();
        let fd = socket.as_fd();
        set_option(fd, SO_BROADCAST, 1).unwrap();
        assert_eq!(option(fd, SO_BROADCAST).unwrap(), 1);
        // SO_LINGER returns two words; of SO_BROADCAST only the first is written.
        assert_eq!(option(fd, SO_LINGER).unwrap(), [0, 0]);
        assert_eq!(option(fd, SO_BROADCAST_IN_TWO).unwrap(), [1, 0]);
        let unknown = option(fd, UNKNOWN).unwrap_err();
        assert_eq!(unknown.raw_os_error(), Some(libc::ENOPROTOOPT));
    }
}
