//! Offloads off: what veth leaves to the hardware nobody here does.
//!
//! With veth's defaults a raw socket is handed frames without checksums, and segments of 64 kB.

use super::{Error, failed};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Commands of linux/ethtool.h, each a switch for one offload, with its name.
const SWITCHES: [(u32, &str); 6] = [
    (0x0000_0015, "rx"),  // ETHTOOL_SRXCSUM
    (0x0000_0019, "sg"),  // ETHTOOL_SSG
    (0x0000_001f, "tso"), // ETHTOOL_STSO
    (0x0000_0017, "tx"),  // ETHTOOL_STXCSUM
    (0x0000_0024, "gso"), // ETHTOOL_SGSO
    (0x0000_002c, "gro"), // ETHTOOL_SGRO
];

/// linux/sockios.h.
const SIOCETHTOOL: libc::Ioctl = 0x8946;

#[repr(C)]
struct EthtoolValue {
    cmd: u32,
    data: u32,
}

/// Turns all of them off at `interface`, in this thread's namespace.
pub fn off(interface: &str) -> Result<(), Error> {
    // SAFETY: makes a socket, which the descriptor then owns.
    let socket = unsafe {
        let fd = libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0);
        if fd < 0 {
            return Err(failed("cannot make a socket")(io::Error::last_os_error()));
        }
        OwnedFd::from_raw_fd(fd)
    };
    for (cmd, name) in SWITCHES {
        let mut value = EthtoolValue { cmd, data: 0 };
        // SAFETY: an all-zero ifreq is a valid one; the name is cut to leave its last byte zero.
        let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
        let letters = interface.bytes().take(libc::IFNAMSIZ - 1);
        for (to, from) in request.ifr_name.iter_mut().zip(letters) {
            *to = from as libc::c_char;
        }
        request.ifr_ifru.ifru_data = (&raw mut value).cast();
        // SAFETY: the kernel reads and writes the request and the value, which outlive the call.
        let done = unsafe { libc::ioctl(socket.as_raw_fd(), SIOCETHTOOL, &raw mut request) };
        if done != 0 {
            let doing = format!("cannot turn offload {name} of {interface} off");
            return Err(failed(doing)(io::Error::last_os_error()));
        }
    }
    Ok(())
}
