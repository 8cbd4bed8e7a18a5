//! Sockets of the kernel's MPTCP: creation, waiting for subflows, inspection, reset.
//!
//! **Source**       linux/mptcp.h for the numbers and structs; Documentation/networking/mptcp.rst.
//! **Errors**       a connection that has fallen back to TCP, or lacks subflows.

use super::info::{self, TcpInfo};
use super::socket;
use crate::error::{Error, failed};
use std::io;
use std::net::{SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

const SOL_MPTCP: i32 = 284;
const MPTCP_TCPINFO: i32 = 2;

/// Creates a listener that accepts MPTCP.
pub fn listen(at: SocketAddrV4) -> io::Result<TcpListener> {
    let listener = socket::stream(libc::IPPROTO_MPTCP)?;
    socket::set(&listener, libc::SOL_SOCKET, libc::SO_REUSEADDR, &1i32)?;
    socket::bind(&listener, at)?;
    // SAFETY: a plain call on an open descriptor.
    socket::done(unsafe { libc::listen(listener.as_raw_fd(), 4096) })?;
    Ok(OwnedFd::from(listener).into())
}

/// Waits until a connection has this many established subflows; `None` stands for plain TCP.
pub fn wait(end: &TcpStream, subflows: Option<u32>, patience: Duration) -> Result<(), String> {
    let Some(subflows) = subflows else {
        return Ok(());
    };
    let began = Instant::now();
    loop {
        let bytes = ask(end).map_err(|why| format!("expected MPTCP, got TCP: {why}"))?;
        let has = each(&bytes).filter(|info| info[0] == ESTABLISHED).count();
        if has == subflows as usize {
            return Ok(());
        }
        if began.elapsed() > patience {
            return Err(format!(
                "expected {subflows} subflows, got {has} in {} s",
                patience.as_secs()
            ));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// First byte of `struct tcp_info` for TCP_ESTABLISHED.
const ESTABLISHED: u8 = 1;
/// Buffer size of one subflow's `struct tcp_info`.
const ROOM: usize = 512;
/// Size of `struct mptcp_subflow_data`: four numbers.
const HEAD: usize = 16;
/// Upper bound of the kernel's subflows.
const MOST: usize = 16;

/// Queries the kernel about a connection: returns the head, then each subflow's `struct tcp_info`.
fn ask(end: &TcpStream) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; HEAD + MOST * ROOM];
    bytes[0..4].copy_from_slice(&(HEAD as u32).to_ne_bytes());
    bytes[12..16].copy_from_slice(&(ROOM as u32).to_ne_bytes());
    let len = socket::get(end, SOL_MPTCP, MPTCP_TCPINFO, &mut bytes)?;
    bytes.truncate(len);
    Ok(bytes)
}

/// Splits the answer by subflow. The head's second number is their count; its last is the size that the kernel
/// fills for each.
fn each(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let number = |at: usize| {
        let four = bytes.get(at..at + 4).and_then(|four| four.try_into().ok());
        four.map_or(0, u32::from_ne_bytes) as usize
    };
    let (subflows, size) = (number(4), number(12));
    let body = bytes.get(HEAD..).unwrap_or_default();
    body.chunks_exact(size.max(1)).take(subflows)
}

/// Returns the state of a connection: that of its first subflow, with the counts of all.
pub fn info(end: &TcpStream) -> Result<TcpInfo, Error> {
    let bytes = ask(end).map_err(failed("cannot read MPTCP_TCPINFO"))?;
    sum(&bytes).ok_or_else(|| {
        Error::Work(format!(
            "MPTCP_TCPINFO: expected the subflows of a connection, got {} B without one",
            bytes.len()
        ))
    })
}

/// Returns the state of each subflow.
pub fn subflows(end: &TcpStream) -> Result<Vec<TcpInfo>, Error> {
    let bytes = ask(end).map_err(failed("cannot read MPTCP_TCPINFO"))?;
    Ok(whole(&bytes).map(info::read).collect())
}

/// Returns the subflows whose `struct tcp_info` is complete.
fn whole(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    each(bytes).filter(|info| info.len() >= LEAST)
}

fn sum(bytes: &[u8]) -> Option<TcpInfo> {
    whole(bytes).map(info::read).reduce(|all, one| {
        let both = |a: Option<u32>, b: Option<u32>| Some(a? + b?);
        TcpInfo {
            snd_cwnd: all.snd_cwnd + one.snd_cwnd,
            retransmits: all.retransmits + one.retransmits,
            data_segments_out: both(all.data_segments_out, one.data_segments_out),
            data_segments_in: both(all.data_segments_in, one.data_segments_in),
            delivered_marked: both(all.delivered_marked, one.delivered_marked),
            out_of_order: both(all.out_of_order, one.out_of_order),
            total_rto: both(all.total_rto, one.total_rto),
            ..all
        }
    })
}

/// Bytes of `struct tcp_info` that every kernel fills.
const LEAST: usize = 104;

/// Resets all subflows of a connection; unsent data is discarded.
pub fn reset(end: &TcpStream) {
    let nowhere = libc::sockaddr {
        sa_family: libc::AF_UNSPEC as u16,
        sa_data: [0; 14],
    };
    // SAFETY: the address outlives the call. A failure means that the connection is already gone.
    unsafe {
        libc::connect(
            end.as_raw_fd(),
            &raw const nowhere,
            size_of::<libc::sockaddr>() as libc::socklen_t,
        )
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_subflows_are_added_up() {
        let size = 248;
        let mut bytes = vec![0; HEAD + 2 * size];
        bytes[4] = 2;
        bytes[12..16].copy_from_slice(&(size as u32).to_ne_bytes());
        for (n, retransmits) in [(0, 3), (1, 4)] {
            let at = HEAD + n * size;
            bytes[at] = n as u8 + 1;
            bytes[at + 8] = n as u8 + 1;
            bytes[at + 100] = retransmits;
            bytes[at + 240] = 1;
        }
        let states: Vec<u8> = each(&bytes).map(|info| info[0]).collect();
        assert_eq!(states, [1, 2]);
        let all = sum(&bytes).unwrap();
        assert_eq!(
            (all.retransmits, all.total_rto, all.rto_us),
            (7, Some(2), 1)
        );
        bytes[4] = 0;
        assert_eq!(sum(&bytes), None);
        assert_eq!(sum(&[]), None);
    }
}
