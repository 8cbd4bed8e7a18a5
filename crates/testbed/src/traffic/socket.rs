//! Sockets and socket options that the standard library does not offer.

use std::io;
use std::net::{SocketAddrV4, TcpStream};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Creates an unconnected IPv4 stream socket; `protocol` 0 is TCP.
pub fn stream(protocol: libc::c_int) -> io::Result<TcpStream> {
    let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC;
    // SAFETY: creates a socket, which is then owned.
    match unsafe { libc::socket(libc::AF_INET, kind, protocol) } {
        // SAFETY: just created, with no other owner.
        fd @ 0.. => Ok(TcpStream::from(unsafe { OwnedFd::from_raw_fd(fd) })),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Connects a socket.
pub fn connect(socket: &TcpStream, to: SocketAddrV4) -> io::Result<()> {
    with_address(to, |address, len| {
        // SAFETY: the address outlives the call, which reads `len` bytes of it.
        unsafe { libc::connect(socket.as_raw_fd(), address, len) }
    })
}

/// Binds a socket to an address.
pub fn bind(socket: &TcpStream, at: SocketAddrV4) -> io::Result<()> {
    with_address(at, |address, len| {
        // SAFETY: as for connect.
        unsafe { libc::bind(socket.as_raw_fd(), address, len) }
    })
}

fn with_address(
    of: SocketAddrV4,
    call: impl FnOnce(*const libc::sockaddr, libc::socklen_t) -> libc::c_int,
) -> io::Result<()> {
    let address = libc::sockaddr_in {
        sin_family: libc::AF_INET as u16,
        sin_port: of.port().to_be(),
        sin_addr: libc::in_addr {
            s_addr: u32::from(*of.ip()).to_be(),
        },
        sin_zero: [0; 8],
    };
    done(call(
        (&raw const address).cast(),
        size_of::<libc::sockaddr_in>() as libc::socklen_t,
    ))
}

/// Sets an option whose value is a plain `T`.
pub fn set<T: Copy>(stream: &impl AsRawFd, level: i32, option: i32, value: &T) -> io::Result<()> {
    // SAFETY: the kernel reads the value, which outlives the call, and checks its size.
    done(unsafe {
        libc::setsockopt(
            stream.as_raw_fd(),
            level,
            option,
            std::ptr::from_ref(value).cast(),
            size_of::<T>() as libc::socklen_t,
        )
    })
}

/// Reads an option into `bytes`, which may begin with an argument; returns the number of bytes filled.
pub fn get(stream: &impl AsRawFd, level: i32, option: i32, bytes: &mut [u8]) -> io::Result<usize> {
    let mut len = bytes.len() as libc::socklen_t;
    // SAFETY: the kernel writes at most `len` bytes and returns how many.
    done(unsafe {
        libc::getsockopt(
            stream.as_raw_fd(),
            level,
            option,
            bytes.as_mut_ptr().cast(),
            &raw mut len,
        )
    })?;
    Ok(len as usize)
}

/// Sets the code point of all packets the socket sends from now on; the congestion bits stay the kernel's. A
/// listener's connections inherit it, SYN/ACKs included.
pub fn mark(socket: &impl AsRawFd, dscp: u8) -> io::Result<()> {
    let field = libc::c_int::from(dscp) << 2;
    let mut domain = [0; size_of::<libc::c_int>()];
    get(socket, libc::SOL_SOCKET, libc::SO_DOMAIN, &mut domain)?;
    match libc::c_int::from_ne_bytes(domain) {
        libc::AF_INET6 => set(socket, libc::IPPROTO_IPV6, libc::IPV6_TCLASS, &field),
        _ => set(socket, libc::IPPROTO_IP, libc::IP_TOS, &field),
    }
}

/// Converts the return value of a system call.
pub fn done(answer: libc::c_int) -> io::Result<()> {
    match answer {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
