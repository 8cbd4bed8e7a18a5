//! DCTCP's alpha of a connection, read from the kernel.
//!
//! **Decision**     a socket of the kernel's `dctcp` reports its alpha by `TCP_CC_INFO`. A socket of our
//!                  program cannot: the kernel does not let a BPF program have `get_info`. So the program also
//!                  keeps alpha in a map of socket storage.
//! **State**        a descriptor of that map, found by its name.
//! **Units**        1024ths.
//! **Errors**       a connection without an alpha, such as one whose peer refused ECN, gives `None`.
//! **Source**       linux/inet_diag.h for `struct tcp_dctcp_info`; linux/bpf.h for the calls.

use super::socket;
use crate::error::{Error, failed};
use crate::network::{dctcp, tools};
use serde_json::Value;
use std::io;
use std::net::TcpStream;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Scale of alpha: 1024 stands for every byte marked.
pub const ONE: u32 = 1024;

/// Longest name of a congestion control, with its terminating zero.
const NAME: usize = 16;

/// Source of a connection's alpha.
pub enum Alpha {
    /// The kernel's own `dctcp`.
    Kernel,
    /// The map of our program.
    Map(OwnedFd),
    /// No source: another congestion control is in use.
    Nobody,
}

impl Alpha {
    /// Finds the source for a connection of this process.
    pub fn of(stream: &TcpStream) -> Result<Alpha, Error> {
        let name = control(stream).map_err(failed("cannot read TCP_CONGESTION"))?;
        Ok(match dctcp::shown_name(&name) {
            Some(map) => Alpha::Map(open(&map)?),
            None if name == "dctcp" => Alpha::Kernel,
            None => Alpha::Nobody,
        })
    }

    /// Returns the alpha of a connection with the same congestion control, in 1024ths.
    pub fn read(&self, stream: &TcpStream) -> Option<u32> {
        match self {
            Alpha::Nobody => None,
            Alpha::Kernel => {
                let mut bytes = [0; 64];
                let option = libc::TCP_CC_INFO;
                let len = socket::get(stream, libc::IPPROTO_TCP, option, &mut bytes).ok()?;
                told(&bytes[..len])
            }
            Alpha::Map(map) => lookup(map, stream).ok(),
        }
    }
}

/// Returns the name of a connection's congestion control.
pub fn control(stream: &TcpStream) -> io::Result<String> {
    let mut name = [0; NAME];
    let len = socket::get(stream, libc::IPPROTO_TCP, libc::TCP_CONGESTION, &mut name)?;
    let name = &name[..len];
    let end = name.iter().position(|b| *b == 0).unwrap_or(len);
    Ok(String::from_utf8_lossy(&name[..end]).into_owned())
}

/// Parses a `struct tcp_dctcp_info`: two 16-bit numbers, of which the first tells whether DCTCP is active, then
/// alpha.
fn told(info: &[u8]) -> Option<u32> {
    let enabled = u16::from_ne_bytes(info.get(0..2)?.try_into().ok()?);
    let alpha = u32::from_ne_bytes(info.get(4..8)?.try_into().ok()?);
    (enabled != 0).then_some(alpha)
}

/// Opens the map with this name.
fn open(name: &str) -> Result<OwnedFd, Error> {
    let said = tools::run("bpftool", &["-j", "map", "show", "name", name], "")?;
    let id = number(&said).ok_or_else(|| {
        Error::Work(format!(
            "bpftool map show name {name}: expected one map with an id, got {said:?}"
        ))
    })?;
    let ask = ById {
        id,
        ..ById::default()
    };
    // SAFETY: the attributes hold an id only.
    let map = unsafe { call(MAP_FD_BY_ID, &ask) };
    map.map(|fd| {
        // SAFETY: just created, with no other owner.
        unsafe { OwnedFd::from_raw_fd(fd as i32) }
    })
    .map_err(failed(format!("cannot open the BPF map {name}")))
}

/// Parses the id in bpftool's output; a name with one map gives no list.
fn number(said: &str) -> Option<u32> {
    let said: Value = serde_json::from_str(said).ok()?;
    let one = match said.as_array() {
        Some(list) if list.len() == 1 => &list[0],
        Some(_) => return None,
        None => &said,
    };
    one["id"].as_u64()?.try_into().ok()
}

/// Returns the map's value for a socket of this process.
fn lookup(map: &OwnedFd, stream: &TcpStream) -> io::Result<u32> {
    let key = stream.as_raw_fd();
    let mut alpha = 0u32;
    let ask = Lookup {
        map: map.as_raw_fd() as u32,
        unused: 0,
        key: &raw const key as u64,
        value: &raw mut alpha as u64,
        flags: 0,
    };
    // SAFETY: the kernel reads a descriptor from the key and writes a value of four bytes, the map's value
    // size; both live here.
    unsafe { call(MAP_LOOKUP, &ask) }?;
    Ok(alpha)
}

const MAP_LOOKUP: libc::c_int = 1;
const MAP_FD_BY_ID: libc::c_int = 14;

/// `union bpf_attr` of [`MAP_LOOKUP`]; key and value are addresses.
#[repr(C)]
struct Lookup {
    map: u32,
    unused: u32,
    key: u64,
    value: u64,
    flags: u64,
}

/// `union bpf_attr` of [`MAP_FD_BY_ID`].
#[derive(Default)]
#[repr(C)]
struct ById {
    id: u32,
    next: u32,
    flags: u32,
}

/// Calls bpf(2).
///
/// # Safety
///
/// `T` must be the command's attributes, and the addresses in it must be valid for the command.
unsafe fn call<T>(command: libc::c_int, attributes: &T) -> io::Result<i64> {
    // SAFETY: the attributes outlive the call; the rest is the caller's obligation.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_bpf,
            command,
            std::ptr::from_ref(attributes),
            size_of::<T>(),
        )
    };
    match answer {
        0.. => Ok(answer),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_that_fell_back_has_no_alpha() {
        let mut info = [0u8; 16];
        info[4..8].copy_from_slice(&300u32.to_ne_bytes());
        assert_eq!(told(&info), None);
        info[0..2].copy_from_slice(&1u16.to_ne_bytes());
        assert_eq!(told(&info), Some(300));
        assert_eq!(told(&info[..6]), None);
    }

    #[test]
    fn a_map_is_found_by_its_name_where_there_is_one() {
        assert_eq!(number("{\"id\":345,\"type\":\"sk_storage\"}"), Some(345));
        assert_eq!(number("[{\"id\":345}]"), Some(345));
        assert_eq!(number("[{\"id\":1},{\"id\":2}]"), None);
        assert_eq!(number("[]"), None);
        assert_eq!(number(""), None);
    }

    #[test]
    fn a_connection_of_another_congestion_control_has_none() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        socket::set(&stream, libc::IPPROTO_TCP, libc::TCP_CONGESTION, b"reno\0").unwrap();
        assert_eq!(control(&stream).unwrap(), "reno");
        let alpha = Alpha::of(&stream).unwrap();
        assert!(matches!(alpha, Alpha::Nobody));
        assert_eq!(alpha.read(&stream), None);
    }
}
