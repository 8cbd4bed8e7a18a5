//! Fast source of frames: one frame, or random ones, sent in batches as fast as the kernel accepts them.

use crate::io::Port;
use crate::io::interface::Inquiry;
use etherparse::{
    EtherType, Ethernet2Header, IcmpEchoHeader, Icmpv4Header, Icmpv4Type, IpNumber, Ipv4Header,
};
use std::time::{Duration, Instant};

/// Frames in a batch.
const BATCH: usize = 64;

/// Result of a flood.
#[derive(Clone, Copy, Debug)]
pub struct Flooded {
    /// Frames that the interface accepted.
    pub frames: u64,
    /// Duration in seconds.
    pub seconds: f64,
}

/// Returns a UDP frame over IPv4 of `length` bytes without FCS, at least 42, with right checksums, from host
/// number `from` to host number `to` as [`super::wiring`] numbers them.
pub fn udp_frame(length: usize, from: u8, to: u8) -> Vec<u8> {
    let length = length.max(42);
    let mut frame = vec![0u8; length];
    frame[..6].copy_from_slice(&sink(to));
    frame[6..12].copy_from_slice(&[2, 9, 0, 0, 0, from + 1]);
    frame[12..14].copy_from_slice(&[8, 0]);
    let ip = &mut frame[14..];
    let total = (length - 14) as u16;
    ip[0] = 0x45;
    ip[2..4].copy_from_slice(&total.to_be_bytes());
    ip[8] = 64;
    ip[9] = 17;
    ip[12..16].copy_from_slice(&[10, 9, 0, from + 1]);
    ip[16..20].copy_from_slice(&[10, 9, 0, to + 1]);
    let sum = (0..20).step_by(2).fold(0u32, |sum, at| {
        sum + u32::from(u16::from_be_bytes([ip[at], ip[at + 1]]))
    });
    let sum = (sum & 0xffff) + (sum >> 16);
    let checksum = !(((sum & 0xffff) + (sum >> 16)) as u16);
    ip[10..12].copy_from_slice(&checksum.to_be_bytes());
    // Port 9 discards. A UDP checksum of 0 means none.
    ip[20..24].copy_from_slice(&[0x13, 0x88, 0, 9]);
    ip[24..26].copy_from_slice(&(total - 20).to_be_bytes());
    frame
}

/// Returns an echo request of 60 bytes without FCS, from host number `from` to host number `to`, whose kernel
/// answers it.
pub fn echo_request(from: u8, to: u8, number: u16) -> Vec<u8> {
    const ID: u16 = 0x5344;
    let payload = [0; 18];
    let mac = |host: u8| [2, 9, 0, 0, 0, host + 1];
    let address = |host: u8| [10, 9, 0, host + 1];
    let echo = Icmpv4Type::EchoRequest(IcmpEchoHeader {
        id: ID,
        seq: number,
    });
    let icmp = Icmpv4Header::with_checksum(echo, &payload);
    let length = (icmp.header_len() + payload.len()) as u16;
    let mut ip = Ipv4Header::new(length, 64, IpNumber::ICMP, address(from), address(to))
        .expect("the payload is short");
    ip.header_checksum = ip.calc_header_checksum();
    let ethernet = Ethernet2Header {
        source: mac(from),
        destination: mac(to),
        ether_type: EtherType::IPV4,
    };
    [
        &ethernet.to_bytes()[..],
        &ip.to_bytes(),
        &icmp.to_bytes(),
        &payload,
    ]
    .concat()
}

/// Returns a MAC for frames to host `number` that nobody is to read: the host drops them unread, so that only
/// their transport costs time.
pub const fn sink(number: u8) -> [u8; 6] {
    [2, 9, 0, 0, 1, number + 1]
}

/// Source of frames on an interface of this thread's namespace, without any switch.
pub struct Source(Port);

impl Source {
    /// Opens the interface, and switches off its offloads.
    pub fn open(interface: &str) -> Result<Source, String> {
        let inquiry = Inquiry::new().map_err(|e| e.to_string())?;
        (Port::open(&inquiry, interface).map(Source)).map_err(|e| e.to_string())
    }

    /// Sends frames.
    pub fn send<'a>(&mut self, frames: impl Iterator<Item = &'a [u8]>) {
        self.0.send(frames);
    }

    /// Returns the frames that the interface accepted so far.
    pub fn sent(&mut self) -> u64 {
        self.0.counters().sent
    }
}

/// Sends `frame` by `interface` of this thread's namespace for `time`, without pause.
pub fn flood(interface: &str, frame: &[u8], time: Duration) -> Result<Flooded, String> {
    let mut source = Source::open(interface)?;
    let start = Instant::now();
    while start.elapsed() < time {
        for _ in 0..16 {
            source.send(std::iter::repeat_n(frame, BATCH));
        }
    }
    Ok(Flooded {
        frames: source.sent(),
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// Pins the calling thread to one core.
pub fn pin(core: usize) {
    // SAFETY: a set of zeros is empty; `core` is below the 1024 that it has room for.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(core % 1024, &mut set);
        libc::sched_setaffinity(0, size_of_val(&set), &raw const set);
    }
}
