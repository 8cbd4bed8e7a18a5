//! Connections of a run: one for each flow, or for two flows in opposite directions, established before the
//! run.

use super::job::{Flow, Job};
use super::multipath;
use super::socket::{self, set, stream};
use crate::error::{Error, failed};
use crate::network::blueprint::{Blueprint, address};
use crate::network::multipath::{PORT, take_announced};
use crate::network::netns;
use std::io;
use std::net::{SocketAddr, SocketAddrV4, TcpListener, TcpStream};
use std::time::Duration;

/// Ends of a flow's connection. A socket stays in the namespace in which it was created, whichever thread
/// uses it.
pub struct Connection {
    pub sender: TcpStream,
    pub receiver: TcpStream,
    /// True for MPTCP.
    pub multipath: bool,
}

impl Connection {
    /// Returns the address and port of the sender, and of the receiver.
    pub fn ends(&self) -> Option<(SocketAddrV4, SocketAddrV4)> {
        let v4 = |end: io::Result<SocketAddr>| match end {
            Ok(SocketAddr::V4(end)) => Some(end),
            _ => None,
        };
        Some((v4(self.sender.local_addr())?, v4(self.sender.peer_addr())?))
    }

    /// Returns the same sockets for a flow in the opposite direction.
    fn turned(&self) -> io::Result<Connection> {
        Ok(Connection {
            sender: self.receiver.try_clone()?,
            receiver: self.sender.try_clone()?,
            multipath: self.multipath,
        })
    }
}

impl Drop for Connection {
    /// Resets MPTCP sockets: a close would first send the remaining data.
    fn drop(&mut self) {
        if self.multipath {
            multipath::reset(&self.sender);
            multipath::reset(&self.receiver);
        }
    }
}

/// Longest time for a handshake.
const PATIENCE: Duration = Duration::from_secs(60);

/// Connects the sender of each flow with its receiver, in the order of the job.
pub fn all(print: &Blueprint, job: &Job) -> Result<Vec<Connection>, Error> {
    room_for(2 * job.flows.len() + 256);
    let mut listeners = Vec::new();
    for h in 0..print.hosts {
        let listen = || {
            let listener = match print.settings.subflows {
                None => TcpListener::bind((address(h), PORT)),
                Some(_) => multipath::listen(SocketAddrV4::new(address(h), PORT)),
            };
            listener.map_err(failed(format!("host {h} cannot listen")))
        };
        listeners.push(netns::within(&print.host_space(h), listen)?);
    }
    let mut connections: Vec<Option<Connection>> = job.flows.iter().map(|_| None).collect();
    for h in 0..print.hosts {
        let own = job.flows.iter().enumerate();
        let own = own.filter(|(_, f)| f.src == h && f.back_on.is_none());
        let marks = print.settings.marks.as_ref();
        let asks = |f: &Flow| Asks {
            mss: f.mss,
            multipath: print.settings.subflows.is_some(),
            services: marks.and_then(|marks| marks.of_sockets(f.says)),
        };
        let own: Vec<(usize, usize, Asks)> = own.map(|(i, f)| (i, f.dst, asks(f))).collect();
        if own.is_empty() {
            continue;
        }
        let subflows = print.settings.subflows;
        take_announced(print, h, true)?;
        let made = netns::within(&print.host_space(h), || {
            let one = |&(i, dst, asks): &(usize, usize, Asks)| {
                Ok((i, pair(h, dst, asks, &listeners[dst])?))
            };
            own.iter().map(one).collect::<Result<Vec<_>, Error>>()
        })?;
        for (i, connection) in &made {
            for end in [&connection.sender, &connection.receiver] {
                multipath::wait(end, subflows, PATIENCE)
                    .map_err(|why| Error::Work(format!("flow {i}: {why}")))?;
            }
        }
        take_announced(print, h, false)?;
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

/// Settings of a connection.
#[derive(Clone, Copy)]
struct Asks {
    /// Payload of a full segment.
    mss: Option<u32>,
    multipath: bool,
    /// Code points of the connecting end and of the accepting end, SYN/ACK included.
    services: Option<(u8, u8)>,
}

/// Connects two hosts. Connections are made one after the other, so the listener's next connection is this one,
/// and the listener's code point applies to it.
fn pair(src: usize, dst: usize, asks: Asks, listener: &TcpListener) -> Result<Connection, Error> {
    let doing = || format!("host {src} cannot connect to host {dst}");
    let to = SocketAddrV4::new(address(dst), PORT);
    if let Some((_, answers)) = asks.services {
        socket::mark(listener, answers).map_err(failed(doing()))?;
    }
    let sender = connect(asks, to).map_err(failed(doing()))?;
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
    Ok(Connection {
        sender,
        receiver,
        multipath: asks.multipath,
    })
}

/// Connects with segments of `mss` bytes in both directions, if given: set before the handshake, which
/// announces it. The SYN already has its code point.
fn connect(asks: Asks, to: SocketAddrV4) -> io::Result<TcpStream> {
    if !asks.multipath && asks.mss.is_none() && asks.services.is_none() {
        return TcpStream::connect_timeout(&to.into(), PATIENCE);
    }
    let protocol = if asks.multipath {
        libc::IPPROTO_MPTCP
    } else {
        0
    };
    let socket = stream(protocol)?;
    if let Some((sends, _)) = asks.services {
        socket::mark(&socket, sends)?;
    }
    if let Some(mss) = asks.mss {
        let mss = mss as libc::c_int;
        set(&socket, libc::IPPROTO_TCP, libc::TCP_MAXSEG, &mss)?;
    }
    // The write timeout also limits the handshake.
    socket.set_write_timeout(Some(PATIENCE))?;
    socket::connect(&socket, to)?;
    Ok(socket)
}

/// Makes a close reset the connection and discard its data, so that a run's connections do not send during the
/// next run.
fn abort_on_close(stream: &TcpStream) -> io::Result<()> {
    let linger = libc::linger {
        l_onoff: 1,
        l_linger: 0,
    };
    set(stream, libc::SOL_SOCKET, libc::SO_LINGER, &linger)
}

/// Raises the limit of open files to its maximum, if it is below `files`.
fn room_for(files: usize) {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: reads and writes the struct. If it fails, opening the files will report that.
    unsafe {
        libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit);
        if limit.rlim_cur < files as u64 {
            limit.rlim_cur = limit.rlim_max;
            libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit);
        }
    }
}
