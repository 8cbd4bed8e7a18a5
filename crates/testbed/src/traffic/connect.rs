//! A connection for each flow, or for two that go opposite ways, standing before the run begins.

use super::job::Job;
use crate::error::{Error, failed};
use crate::network::blueprint::{Blueprint, address};
use crate::network::netns;
use std::io;
use std::net::{SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::time::Duration;

/// The two ends of a flow. A socket stays in the namespace in which it was made, whichever
/// thread uses it.
pub struct Connection {
    pub sender: TcpStream,
    pub receiver: TcpStream,
}

impl Connection {
    /// The same sockets, for a flow the other way.
    fn turned(&self) -> io::Result<Connection> {
        Ok(Connection {
            sender: self.receiver.try_clone()?,
            receiver: self.sender.try_clone()?,
        })
    }
}

/// Hosts listen here.
const PORT: u16 = 7000;

/// A handshake that takes longer has failed.
const PATIENCE: Duration = Duration::from_secs(60);

/// Connects the sender of each flow with its receiver, in the order of the job.
pub fn all(print: &Blueprint, job: &Job) -> Result<Vec<Connection>, Error> {
    room_for(2 * job.flows.len() + 256);
    let mut listeners = Vec::new();
    for h in 0..print.hosts {
        let listen = || {
            TcpListener::bind((address(h), PORT)).map_err(failed(format!("host {h} cannot listen")))
        };
        listeners.push(netns::within(&print.host_space(h), listen)?);
    }
    let mut connections: Vec<Option<Connection>> = job.flows.iter().map(|_| None).collect();
    for h in 0..print.hosts {
        let own = job.flows.iter().enumerate();
        let own = own.filter(|(_, f)| f.src == h && f.back_on.is_none());
        let own: Vec<(usize, usize, _)> = own.map(|(i, f)| (i, f.dst, f.mss)).collect();
        let made = netns::within(&print.host_space(h), || {
            let one = |&(i, dst, mss): &(usize, usize, Option<u32>)| {
                Ok((i, pair(h, dst, mss, &listeners[dst])?))
            };
            own.iter().map(one).collect::<Result<Vec<_>, Error>>()
        })?;
        for (i, connection) in made {
            connections[i] = Some(connection);
        }
    }
    for (i, flow) in job.flows.iter().enumerate() {
        if let Some(first) = flow.back_on {
            let there = connections[first].as_ref().expect("it has its own");
            let back = there.turned().map_err(failed(format!("flow {i}")))?;
            connections[i] = Some(back);
        }
    }
    let all = connections
        .into_iter()
        .map(|c| c.expect("every flow has a source"));
    Ok(all.collect())
}

/// Made one after the other, so the connection that the listener has is the one just made.
fn pair(
    src: usize,
    dst: usize,
    mss: Option<u32>,
    listener: &TcpListener,
) -> Result<Connection, Error> {
    let doing = || format!("host {src} cannot connect to host {dst}");
    let to = SocketAddrV4::new(address(dst), PORT);
    let sender = match mss {
        None => TcpStream::connect_timeout(&to.into(), PATIENCE),
        Some(mss) => in_segments(mss, to),
    };
    let sender = sender.map_err(failed(doing()))?;
    let (receiver, peer) = listener.accept().map_err(failed(doing()))?;
    let from = sender.local_addr().map_err(failed(doing()))?;
    if peer != from {
        return Err(Error::Work(format!(
            "{}: expected a connection from {from}, got one from {peer}",
            doing()
        )));
    }
    for end in [&sender, &receiver] {
        end.set_nonblocking(true).map_err(failed(doing()))?;
        end.set_nodelay(true).map_err(failed(doing()))?;
        abort_on_close(end).map_err(failed(doing()))?;
    }
    Ok(Connection { sender, receiver })
}

/// A connection whose full segments carry `mss` bytes, both ways: it is said before the handshake, which
/// tells the other end.
fn in_segments(mss: u32, to: SocketAddrV4) -> io::Result<TcpStream> {
    // SAFETY: makes a socket, which is then owned.
    let socket = unsafe {
        let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC;
        match libc::socket(libc::AF_INET, kind, 0) {
            fd @ 0.. => TcpStream::from(OwnedFd::from_raw_fd(fd)),
            _ => return Err(io::Error::last_os_error()),
        }
    };
    let mss = mss as libc::c_int;
    set(&socket, libc::IPPROTO_TCP, libc::TCP_MAXSEG, &mss)?;
    // It limits the handshake as well.
    socket.set_write_timeout(Some(PATIENCE))?;
    let address = libc::sockaddr_in {
        sin_family: libc::AF_INET as u16,
        sin_port: to.port().to_be(),
        sin_addr: libc::in_addr {
            s_addr: u32::from(*to.ip()).to_be(),
        },
        sin_zero: [0; 8],
    };
    // SAFETY: the address outlives the call, which reads as much of it as it is told.
    let done = unsafe {
        libc::connect(
            socket.as_raw_fd(),
            (&raw const address).cast(),
            size_of::<libc::sockaddr_in>() as u32,
        )
    };
    match done {
        0 => Ok(socket),
        _ => Err(io::Error::last_os_error()),
    }
}

/// A run's connections must not go on sending in the next one: closed means forgotten, with a reset.
fn abort_on_close(stream: &TcpStream) -> io::Result<()> {
    let linger = libc::linger {
        l_onoff: 1,
        l_linger: 0,
    };
    set(stream, libc::SOL_SOCKET, libc::SO_LINGER, &linger)
}

/// Sets an option that takes a plain `T`.
fn set<T: Copy>(stream: &TcpStream, level: i32, option: i32, value: &T) -> io::Result<()> {
    // SAFETY: the kernel reads the value, which outlives the call, and checks its size.
    let done = unsafe {
        libc::setsockopt(
            stream.as_raw_fd(),
            level,
            option,
            std::ptr::from_ref(value).cast(),
            size_of::<T>() as u32,
        )
    };
    match done {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Raises the limit of open files as far as it goes.
fn room_for(files: usize) {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: reads and writes the struct. If it fails, opening the files will say so.
    unsafe {
        libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit);
        if limit.rlim_cur < files as u64 {
            limit.rlim_cur = limit.rlim_max;
            libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit);
        }
    }
}
