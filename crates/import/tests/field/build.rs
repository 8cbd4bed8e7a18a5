//! Builder of captures: TCP segments between two hosts, and frames of any bytes.

/// Ends of a connection: the client asks, the server answers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum End {
    Client,
    Server,
}

use End::{Client, Server};

/// Segment whose numbers are positions in the stream: 0 is the first byte after the SYN.
#[derive(Clone, Copy)]
pub struct Segment {
    pub from: End,
    pub at: u32,
    pub bytes: usize,
    pub acknowledges: Option<u32>,
    pub flags: &'static str,
    pub window: u16,
}

impl Segment {
    /// Returns an acknowledgement up to `to` alone, with an open window.
    fn bare(from: End, to: u32) -> Segment {
        Segment {
            from,
            at: 0,
            bytes: 0,
            acknowledges: Some(to),
            flags: "",
            window: 500,
        }
    }
}

/// Capture with one connection, in classic pcap with nanoseconds.
pub struct Capture {
    pub bytes: Vec<u8>,
    /// Number of the first byte of the client and of the server.
    pub numbers: [u32; 2],
    pub port: u16,
}

/// Returns the header of a classic capture.
pub fn header(magic: [u8; 4], link: u32) -> Vec<u8> {
    let mut bytes = magic.to_vec();
    for word in [0x0004_0002u32, 0, 0, 65_535, link] {
        bytes.extend(word.to_le_bytes());
    }
    bytes
}

pub const NANOS: [u8; 4] = [0x4d, 0x3c, 0xb2, 0xa1];
pub const MICROS: [u8; 4] = [0xd4, 0xc3, 0xb2, 0xa1];

/// Returns the record of a packet of which `length` bytes were on the wire.
pub fn record(nanos: u64, frame: &[u8], length: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let words = [
        (nanos / 1_000_000_000) as u32,
        (nanos % 1_000_000_000) as u32,
        frame.len() as u32,
        length as u32,
    ];
    words
        .iter()
        .for_each(|word| bytes.extend(word.to_le_bytes()));
    bytes.extend(frame);
    bytes
}

/// Returns an Ethernet frame around an IPv4 packet.
pub fn frame(protocol: u8, src: u8, dst: u8, inner: &[u8]) -> Vec<u8> {
    let mut bytes = vec![2, 0, 0, 0, 0, dst, 2, 0, 0, 0, 0, src, 8, 0];
    let length = (20 + inner.len()) as u16;
    bytes.extend([0x45, 0]);
    bytes.extend(length.to_be_bytes());
    bytes.extend([0, 0, 0, 0, 64, protocol, 0, 0, 10, 0, 0, src, 10, 0, 0, dst]);
    bytes.extend(inner);
    bytes
}

/// Returns a TCP segment.
pub fn tcp(
    ports: [u16; 2],
    number: u32,
    acknowledges: Option<u32>,
    flags: &str,
    window: u16,
    bytes: usize,
) -> Vec<u8> {
    let mut segment = Vec::new();
    ports
        .iter()
        .for_each(|port| segment.extend(port.to_be_bytes()));
    segment.extend(number.to_be_bytes());
    segment.extend(acknowledges.unwrap_or(0).to_be_bytes());
    let bit = |c| match c {
        'F' => 1,
        'S' => 2,
        'R' => 4,
        'P' => 8,
        _ => 0,
    };
    let ack = u8::from(acknowledges.is_some()) << 4;
    segment.extend([0x50, flags.chars().map(bit).sum::<u8>() | ack]);
    segment.extend(window.to_be_bytes());
    segment.extend([0; 4]);
    segment.resize(20 + bytes, b'x');
    segment
}

impl Capture {
    pub fn new() -> Capture {
        Capture {
            bytes: header(NANOS, 1),
            numbers: [501, 0xffff_f000],
            port: 40_000,
        }
    }

    /// Adds a frame at this number of microseconds.
    pub fn frame(&mut self, micros: u64, frame: &[u8]) {
        self.bytes.extend(record(micros * 1000, frame, frame.len()));
    }

    /// Adds a segment.
    pub fn send(&mut self, micros: u64, segment: Segment) {
        let (me, other) = match segment.from {
            Client => (0, 1),
            Server => (1, 0),
        };
        let ports = match segment.from {
            Client => [self.port, 80],
            Server => [80, self.port],
        };
        let number = self.numbers[me].wrapping_add(segment.at);
        let acknowledges = segment.acknowledges;
        let acknowledges = acknowledges.map(|at| self.numbers[other].wrapping_add(at));
        let inner = tcp(
            ports,
            number,
            acknowledges,
            segment.flags,
            segment.window,
            segment.bytes,
        );
        let hosts = [1, 2];
        self.frame(micros, &frame(6, hosts[me], hosts[other], &inner));
    }

    /// Adds payload that acknowledges nothing new.
    pub fn data(&mut self, micros: u64, from: End, at: u32, bytes: usize) {
        self.flagged(micros, from, at, bytes, "");
    }

    /// Adds payload with flags.
    pub fn flagged(&mut self, micros: u64, from: End, at: u32, bytes: usize, flags: &'static str) {
        let segment = Segment {
            at,
            bytes,
            flags,
            ..Segment::bare(from, 0)
        };
        self.send(micros, segment);
    }

    /// Adds an acknowledgement of `from` up to the position `to` of the other end, with a window.
    pub fn window(&mut self, micros: u64, from: End, to: u32, window: u16) {
        let segment = Segment {
            window,
            ..Segment::bare(from, to)
        };
        self.send(micros, segment);
    }

    pub fn ack(&mut self, micros: u64, from: End, to: u32) {
        self.window(micros, from, to, 500);
    }

    /// Adds a SYN, or its answer, whose first byte has the given number.
    pub fn syn(&mut self, micros: u64, from: End, first: u32) {
        let me = usize::from(from == Server);
        let own = std::mem::replace(&mut self.numbers[me], first);
        let segment = Segment {
            at: u32::MAX,
            acknowledges: (from == Server).then_some(0),
            flags: "S",
            ..Segment::bare(from, 0)
        };
        self.send(micros, segment);
        self.numbers[me] = own;
    }

    /// Opens the connection.
    pub fn open(&mut self, micros: u64) {
        let [client, server] = self.numbers;
        self.syn(micros, Client, client);
        self.syn(micros + 10, Server, server);
        self.ack(micros + 20, Client, 0);
    }
}
