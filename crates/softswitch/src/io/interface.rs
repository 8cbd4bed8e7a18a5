//! Linux's state of an interface, queried by its name.

use super::sys::{IoError, Tried, answer, socket};
use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

/// State of an interface at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Number of the interface; it changes when the interface is recreated under the same name.
    pub index: i32,
    /// True if the interface is up, and has a carrier.
    pub running: bool,
    /// Bytes of the longest payload of a frame, without Ethernet's header.
    pub mtu: u32,
    /// MAC of the interface.
    pub mac: [u8; 6],
}

/// Socket for queries about interfaces of the namespace it was created in.
#[derive(Debug)]
pub struct Inquiry(OwnedFd);

impl Inquiry {
    /// Opens the socket; any kind of socket will do.
    pub fn new() -> Result<Inquiry, IoError> {
        socket(libc::AF_INET, libc::SOCK_DGRAM, 0)
            .map(Inquiry)
            .tried(|| "open a socket to ask about interfaces".into())
    }

    /// Returns the interface with that name.
    pub fn interface(&self, name: &str) -> io::Result<Interface> {
        // SAFETY: four requests of netdevice(7), each of which reads a name and fills one field of the union,
        // the one that is read. All of these are integers, and the whole was zeroed before.
        let (index, flags, mtu, address) = unsafe {
            (
                self.ask(name, libc::SIOCGIFINDEX)?.ifr_ifru.ifru_ifindex,
                i32::from(self.ask(name, libc::SIOCGIFFLAGS)?.ifr_ifru.ifru_flags),
                self.ask(name, libc::SIOCGIFMTU)?.ifr_ifru.ifru_mtu,
                self.ask(name, libc::SIOCGIFHWADDR)?
                    .ifr_ifru
                    .ifru_hwaddr
                    .sa_data,
            )
        };
        // The driver reports the carrier at once; the flag can be a second late.
        let carrier = self.carrier(name);
        let carrier = carrier.unwrap_or(flags & libc::IFF_RUNNING != 0);
        Ok(Interface {
            index,
            running: flags & libc::IFF_UP != 0 && carrier,
            mtu: mtu.max(0) as u32,
            mac: std::array::from_fn(|i| address[i] as u8),
        })
    }

    fn carrier(&self, name: &str) -> Option<bool> {
        /// `ETHTOOL_GLINK`, which fills the second word of a `struct ethtool_value`.
        const GET_LINK: u32 = 0x0a;
        let mut value = [GET_LINK, 0];
        // SAFETY: the command reads and writes two words.
        let asked = unsafe { self.ethtool(name, &mut value) };
        asked.ok().map(|()| value[1] != 0)
    }

    /// Queries the interface with that name.
    ///
    /// # Safety
    /// The request reads and writes one ifreq, and follows no pointer in it.
    unsafe fn ask(&self, name: &str, question: libc::Ioctl) -> io::Result<libc::ifreq> {
        let mut request = named(name)?;
        // SAFETY: the request lives through the call; the caller guarantees the rest.
        answer(unsafe { libc::ioctl(self.0.as_raw_fd(), question, &raw mut request) })?;
        Ok(request)
    }

    /// Passes `data` to a driver by SIOCETHTOOL.
    ///
    /// # Safety
    /// `data` must have the layout that the command in its first word requires, and any bits of its size must
    /// be a valid value.
    pub(super) unsafe fn ethtool<T>(&self, name: &str, data: &mut T) -> io::Result<()> {
        const SIOCETHTOOL: libc::Ioctl = 0x8946;
        let mut request = named(name)?;
        request.ifr_ifru.ifru_data = (&raw mut *data).cast();
        // SAFETY: `data` lives through the call; the caller guarantees the rest.
        answer(unsafe { libc::ioctl(self.0.as_raw_fd(), SIOCETHTOOL, &raw mut request) })?;
        Ok(())
    }
}

fn named(name: &str) -> io::Result<libc::ifreq> {
    let text = CString::new(name).map_err(|_| io::ErrorKind::InvalidInput)?;
    let bytes = text.as_bytes_with_nul();
    if bytes.len() > libc::IFNAMSIZ {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("the name {name:?} is longer than the 15 bytes that Linux allows"),
        ));
    }
    // SAFETY: an ifreq of zeros is a valid one.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(bytes) {
        *to = *from as libc::c_char;
    }
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loopback_is_there_and_nonsense_is_not() {
        let inquiry = Inquiry::new().unwrap();
        let lo = inquiry.interface("lo").unwrap();
        assert!(lo.index > 0 && lo.mtu > 1500, "{lo:?}");
        let gone = inquiry.interface("no-such-if").unwrap_err();
        assert_eq!(gone.raw_os_error(), Some(libc::ENODEV));
        let long = inquiry.interface("a-name-that-is-too-long").unwrap_err();
        assert!(long.to_string().contains("15 bytes"), "{long}");
    }
}
