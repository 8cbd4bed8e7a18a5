//! TCP peer played frame by frame against the kernel's TCP.
//!
//! **Decision**     none: the test decides the frames and their times. The address of this end belongs to no
//!                  kernel of the testbed, so that only this end answers for it.
//! **State**        a packet socket at host 1's interface, the connection's ports, and its progress in both
//!                  directions.
//! **Units**        sequence numbers are those on the wire; lengths are bytes of payload.
//! **Errors**       a frame that does not arrive within [`PATIENCE`], longer than any machine takes, fails the
//!                  test.

use crate::common::inside;
use std::io;
use std::net::Ipv4Addr;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

pub const SYN: u8 = 2;
pub const PSH: u8 = 8;
pub const ACK: u8 = 16;
pub const ECE: u8 = 64;
pub const CWR: u8 = 128;

/// Values of the ECN field of an IP header.
pub const NOT_ECT: u8 = 0;
pub const ECT: u8 = 2;
pub const CE: u8 = 3;

/// Addresses of host 0, and of the end played here.
pub const HOST: Ipv4Addr = Ipv4Addr::new(10, 77, 0, 1);
const HOST_MAC: [u8; 6] = [2, 0x77, 0, 0, 0, 1];
pub const HERE: Ipv4Addr = Ipv4Addr::new(10, 77, 0, 99);
const HERE_MAC: [u8; 6] = [2, 0x77, 0, 0, 0, 99];

const PATIENCE: Duration = Duration::from_secs(60);

/// First sequence number of this end: near the maximum, so that numbers wrap.
const FIRST: u32 = u32::MAX - 5_000;

/// Window of this end, scaled by [`SHIFT`]: more than any test has in flight.
const WINDOW: u16 = u16::MAX;
const SHIFT: u8 = 7;

/// Adds the address of the end played here to the neighbours of the host in a namespace.
pub fn introduce(space: &str) {
    let mac = HERE_MAC.map(|byte| format!("{byte:02x}")).join(":");
    let here = HERE.to_string();
    let add = ["ip", "neighbour", "replace", &here, "lladdr", &mac];
    let add = [&add[..], &["dev", "eth0", "nud", "permanent"]].concat();
    inside(space, &add);
}

/// Received TCP segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    pub flags: u8,
    pub seq: u32,
    pub ack: u32,
    /// Bytes of payload.
    pub bytes: u32,
    /// ECN field of its IP header.
    pub ecn: u8,
}

impl Frame {
    pub fn has(&self, flags: u8) -> bool {
        self.flags & flags == flags
    }
}

/// Played end of a connection.
pub struct Wire {
    socket: OwnedFd,
    port: u16,
    theirs: u16,
    /// Next sequence number to send.
    pub seq: u32,
    /// Next sequence number expected: frames sent acknowledge all before it.
    pub next: u32,
}

impl Wire {
    /// Opens this end at interface `eth0` of this thread's namespace.
    pub fn new() -> io::Result<Wire> {
        // The kernel keeps a used port for a while, so each end has another one.
        static PORTS: AtomicU16 = AtomicU16::new(20_000);
        let protocol = (libc::ETH_P_IP as u16).to_be();
        let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC;
        // SAFETY: creates a socket, which is then owned.
        let fd = checked(unsafe { libc::socket(libc::AF_PACKET, kind, i32::from(protocol)) })?;
        // SAFETY: just created, with no other owner.
        let socket = unsafe { OwnedFd::from_raw_fd(fd) };
        // SAFETY: the name ends with a zero.
        let interface = unsafe { libc::if_nametoindex(c"eth0".as_ptr()) };
        // SAFETY: an all-zero address is valid.
        let mut at: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
        at.sll_family = libc::AF_PACKET as u16;
        at.sll_protocol = protocol;
        at.sll_ifindex = interface as i32;
        let len = size_of::<libc::sockaddr_ll>() as libc::socklen_t;
        // SAFETY: the address outlives the call, which reads `len` bytes of it.
        checked(unsafe { libc::bind(fd, (&raw const at).cast(), len) })?;
        // Room for frames that arrive while the test does not read.
        let room: libc::c_int = 32 << 20;
        // SAFETY: the kernel reads the number.
        checked(unsafe {
            libc::setsockopt(
                fd,
                libc::SOL_SOCKET,
                libc::SO_RCVBUFFORCE,
                (&raw const room).cast(),
                size_of_val(&room) as libc::socklen_t,
            )
        })?;
        Ok(Wire {
            socket,
            port: PORTS.fetch_add(1, Ordering::Relaxed),
            theirs: 0,
            seq: FIRST,
            next: 0,
        })
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Opens a connection to a listener of the kernel; returns the SYN/ACK.
    pub fn connect(&mut self, to: u16, asks: u8) -> Frame {
        self.theirs = to;
        self.say(SYN | asks, 0, NOT_ECT, &options());
        let answer = self.frame(|f| f.has(SYN | ACK));
        self.next = answer.seq.wrapping_add(1);
        self.seq = self.seq.wrapping_add(1);
        self.say(ACK, 0, NOT_ECT, &[]);
        answer
    }

    /// Accepts a connection that the kernel opens; returns its SYN.
    pub fn accept(&mut self, answers: u8) -> Frame {
        let asked = self.frame(|f| f.has(SYN) && !f.has(ACK));
        self.next = asked.seq.wrapping_add(1);
        self.say(SYN | ACK | answers, 0, NOT_ECT, &options());
        self.seq = self.seq.wrapping_add(1);
        asked
    }

    /// Sends segments of `bytes` each with these ECN fields, all in one call.
    pub fn send(&mut self, bytes: usize, marks: &[u8]) {
        let mut frames: Vec<Vec<u8>> = Vec::new();
        for ecn in marks {
            frames.push(self.bytes(ACK | PSH, bytes, *ecn, &[]));
            self.seq = self.seq.wrapping_add(bytes as u32);
        }
        self.put(&mut frames);
    }

    /// Acknowledges all up to `next`, with these flags and options.
    pub fn acknowledge(&mut self, next: u32, flags: u8, options: &[u8]) {
        self.next = next;
        self.say(ACK | flags, 0, NOT_ECT, options);
    }

    fn say(&self, flags: u8, bytes: usize, ecn: u8, options: &[u8]) {
        self.put(&mut [self.bytes(flags, bytes, ecn, options)]);
    }

    fn put(&self, frames: &mut [Vec<u8>]) {
        let mut parts: Vec<libc::iovec> = (frames.iter_mut())
            .map(|frame| libc::iovec {
                iov_base: frame.as_mut_ptr().cast(),
                iov_len: frame.len(),
            })
            .collect();
        let mut all: Vec<libc::mmsghdr> = (parts.iter_mut())
            .map(|part| {
                // SAFETY: an all-zero message is valid.
                let mut message: libc::mmsghdr = unsafe { std::mem::zeroed() };
                message.msg_hdr.msg_iov = part;
                message.msg_hdr.msg_iovlen = 1;
                message
            })
            .collect();
        let mut sent = 0;
        while sent < all.len() {
            let left = &mut all[sent..];
            // SAFETY: each message has one part, which is a frame; all outlive the call.
            let n = unsafe {
                libc::sendmmsg(
                    self.socket.as_raw_fd(),
                    left.as_mut_ptr(),
                    left.len() as u32,
                    0,
                )
            };
            sent += checked(n).expect("frames are sent") as usize;
        }
    }

    /// Waits for the next frame of this connection that matches; skips others.
    pub fn frame(&mut self, wanted: impl Fn(&Frame) -> bool) -> Frame {
        loop {
            let frame = self
                .within(PATIENCE)
                .expect("a frame comes within a minute");
            if wanted(&frame) {
                return frame;
            }
        }
    }

    /// Waits for the next frame of this connection; `None` if none arrives in time.
    pub fn within(&mut self, span: Duration) -> Option<Frame> {
        let mut bytes = [0; 2048];
        loop {
            let mut poll = libc::pollfd {
                fd: self.socket.as_raw_fd(),
                events: libc::POLLIN,
                revents: 0,
            };
            // SAFETY: reads and writes the one entry.
            let ready = unsafe { libc::poll(&raw mut poll, 1, span.as_millis() as i32) };
            if checked(ready).expect("polled") == 0 {
                return None;
            }
            // SAFETY: the kernel writes no more bytes than there is room for.
            let n = unsafe {
                libc::recv(
                    self.socket.as_raw_fd(),
                    bytes.as_mut_ptr().cast(),
                    bytes.len(),
                    0,
                )
            };
            let n = checked(n as i32).expect("received") as usize;
            if let Some((from, frame)) = self.read(&bytes[..n]) {
                self.theirs = from;
                return Some(frame);
            }
        }
    }

    /// Parses a frame of this connection; returns the peer's port and the frame.
    fn read(&self, bytes: &[u8]) -> Option<(u16, Frame)> {
        let two = |at: usize| Some(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]));
        let four = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        let head = usize::from(bytes.get(14)? & 15) * 4;
        let tcp = 14 + head;
        let ours = bytes.get(30..34)? == HERE.octets() && two(tcp + 2)? == self.port;
        if bytes.get(23)? != &6 || !ours {
            return None;
        }
        let offset = usize::from(bytes.get(tcp + 12)? >> 4) * 4;
        Some((
            two(tcp)?,
            Frame {
                flags: *bytes.get(tcp + 13)?,
                seq: four(tcp + 4)?,
                ack: four(tcp + 8)?,
                bytes: u32::from(two(16)?) - (head + offset) as u32,
                ecn: bytes.get(15)? & 3,
            },
        ))
    }

    /// Builds a frame to the kernel, with its checksums.
    fn bytes(&self, flags: u8, bytes: usize, ecn: u8, options: &[u8]) -> Vec<u8> {
        assert!(options.len().is_multiple_of(4), "{options:?}");
        let head = 20 + options.len();
        let mut tcp = Vec::new();
        tcp.extend(self.port.to_be_bytes());
        tcp.extend(self.theirs.to_be_bytes());
        tcp.extend(self.seq.to_be_bytes());
        tcp.extend(self.next.to_be_bytes());
        tcp.extend([(head as u8 / 4) << 4, flags]);
        tcp.extend(WINDOW.to_be_bytes());
        tcp.extend([0; 4]);
        tcp.extend(options);
        tcp.resize(head + bytes, 0);
        let len = tcp.len() as u16;
        let mut pseudo = [&HERE.octets()[..], &HOST.octets()[..], &[0, 6]].concat();
        pseudo.extend(len.to_be_bytes());
        pseudo.extend(&tcp);
        tcp[16..18].copy_from_slice(&checksum(&pseudo).to_be_bytes());
        let mut ip = vec![0x45, ecn];
        ip.extend((20 + len).to_be_bytes());
        ip.extend([0, 0, 0x40, 0, 64, 6, 0, 0]);
        ip.extend(HERE.octets());
        ip.extend(HOST.octets());
        let sum = checksum(&ip);
        ip[10..12].copy_from_slice(&sum.to_be_bytes());
        [&HOST_MAC[..], &HERE_MAC, &[8, 0], &ip, &tcp].concat()
    }
}

/// Returns the options of a SYN: 1460 B a segment, SACK, and the window scale.
fn options() -> Vec<u8> {
    let [high, low] = 1460u16.to_be_bytes();
    vec![2, 4, high, low, 1, 1, 4, 2, 1, 3, 3, SHIFT]
}

/// Returns a SACK option with these blocks; a first block below the acknowledged number is a D-SACK.
pub fn sack(blocks: &[(u32, u32)]) -> Vec<u8> {
    let mut option = vec![1, 1, 5, 2 + 8 * blocks.len() as u8];
    for (from, to) in blocks {
        option.extend(from.to_be_bytes());
        option.extend(to.to_be_bytes());
    }
    option
}

/// Computes the checksum of RFC 1071.
fn checksum(bytes: &[u8]) -> u16 {
    let words = bytes.chunks(2);
    let sum: u32 = words
        .map(|two| u32::from(two[0]) << 8 | u32::from(*two.get(1).unwrap_or(&0)))
        .sum();
    let once = (sum & 0xffff) + (sum >> 16);
    !((once & 0xffff) + (once >> 16)) as u16
}

fn checked(answer: libc::c_int) -> io::Result<libc::c_int> {
    match answer {
        0.. => Ok(answer),
        _ => Err(io::Error::last_os_error()),
    }
}
