//! Notifications of link changes: a netlink socket that becomes readable when any interface changes.
//!
//! Messages are not parsed: they can be lost when many arrive at once, and querying the few interfaces of a
//! switch is cheap. A message is therefore only a reason to query again.

use super::sys::{IoError, Tried, answer, socket};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

/// Socket that becomes readable when some interface of the namespace appears, disappears or changes.
#[derive(Debug)]
pub struct LinkNews(OwnedFd);

impl LinkNews {
    /// Starts listening.
    pub fn listen() -> Result<LinkNews, IoError> {
        let open = || -> io::Result<LinkNews> {
            let kind = libc::SOCK_RAW | libc::SOCK_NONBLOCK;
            let fd = socket(libc::AF_NETLINK, kind, libc::NETLINK_ROUTE)?;
            // SAFETY: an address of zeros is valid, and then filled.
            let mut address: libc::sockaddr_nl = unsafe { std::mem::zeroed() };
            address.nl_family = libc::AF_NETLINK as u16;
            address.nl_groups = libc::RTMGRP_LINK as u32;
            // SAFETY: pointer and length are those of `address`.
            answer(unsafe {
                libc::bind(
                    fd.as_raw_fd(),
                    (&raw const address).cast(),
                    size_of_val(&address) as u32,
                )
            })?;
            Ok(LinkNews(fd))
        };
        open().tried(|| "listen for changes of interfaces".into())
    }

    /// Returns true if there was news since the last call, or if the kernel had to drop some.
    pub fn any(&self) -> bool {
        let mut news = false;
        let mut room = [0u8; 8192];
        loop {
            // SAFETY: the kernel writes at most the length of `room`.
            let got = unsafe {
                libc::recv(
                    self.0.as_raw_fd(),
                    room.as_mut_ptr().cast(),
                    room.len(),
                    libc::MSG_DONTWAIT,
                )
            };
            if got >= 0 {
                news = true;
                continue;
            }
            match io::Error::last_os_error().raw_os_error() {
                Some(libc::ENOBUFS | libc::EINTR) => news = true,
                _ => return news,
            }
        }
    }
}

impl AsFd for LinkNews {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
