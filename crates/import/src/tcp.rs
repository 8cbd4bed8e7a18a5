//! Flows from packets.
//!
//! **Decision**     a flow is a message: the payload that one end of a connection sends between two pauses of the
//!                  application ([`crate::direction`]), counted by sequence number. Repeats count once, and bytes
//!                  that the capture missed within a message count too. A SYN opens the ports anew after FIN, RST
//!                  or a long silence; otherwise the numbers of the payload decide between several SYNs.

use crate::direction::{Direction, Message, Payload, Taken};
use core::net::IpAddr;
use std::collections::BTreeMap;

/// Silence after which a SYN with another number is believed, picoseconds.
const LONG_IDLE: u128 = 1_000_000_000_000;

/// Most SYNs of a direction between which its payload may decide.
const MOST_SYNS: usize = 4;

/// Largest distance of the first captured payload from its SYN.
const NEAR: u32 = 1 << 26;

/// Sender and receiver of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ends {
    pub tcp: bool,
    pub src: (IpAddr, u16),
    pub dst: (IpAddr, u16),
}

impl Ends {
    fn back(self) -> Ends {
        Ends {
            tcp: self.tcp,
            src: self.dst,
            dst: self.src,
        }
    }
}

/// TCP segment.
pub struct Segment {
    pub at: u128,
    /// Number of the packet in the capture, from 1.
    pub packet: u64,
    pub ends: Ends,
    pub sequence: u32,
    pub acknowledges: Option<u32>,
    pub window: u16,
    /// Payload bytes.
    pub bytes: u64,
    pub syn: bool,
    pub fin: bool,
    pub rst: bool,
    pub push: bool,
}

/// Flow that one end sent.
pub struct OneWayFlow {
    pub ends: Ends,
    pub start: u128,
    /// Packet with which the flow started.
    pub packet: u64,
    pub bytes: u64,
    /// Port of the server.
    server: u16,
}

impl OneWayFlow {
    /// Returns the class by port: `tcp-443`.
    pub fn class(&self) -> String {
        let kind = if self.ends.tcp { "tcp" } else { "udp" };
        format!("{kind}-{}", self.server)
    }
}

/// SYN with another number than the current one.
struct Syn {
    first: u32,
    server: u16,
    at: u128,
}

/// Direction of a connection, and SYNs that may have opened another one.
struct Line {
    now: Direction,
    others: Vec<Syn>,
}

/// Datagrams between two ports up to a pause.
struct Datagrams {
    start: u128,
    packet: u64,
    bytes: u64,
    last: u128,
    server: u16,
}

/// All connections of a capture.
pub struct Conversations {
    idle_gap: u128,
    open: BTreeMap<Ends, Line>,
    datagrams: BTreeMap<Ends, Datagrams>,
    done: Done,
}

/// Result of a capture.
#[derive(Default)]
pub struct Done {
    pub flows: Vec<OneWayFlow>,
    /// Payload bytes that were captured before.
    pub again: u64,
    /// Payload bytes within flows that were not captured, according to sequence numbers.
    pub unseen: u64,
    /// Bytes between flows by which sequence numbers jump.
    pub between: u64,
    /// Directions whose SYN was not captured.
    pub joined: u64,
}

impl Conversations {
    pub fn new(idle_gap: u128) -> Conversations {
        Conversations {
            idle_gap,
            open: BTreeMap::new(),
            datagrams: BTreeMap::new(),
            done: Done::default(),
        }
    }

    /// Reads a TCP segment.
    pub fn segment(&mut self, segment: Segment) {
        let (at, ends) = (segment.at, segment.ends);
        let first = segment.sequence.wrapping_add(u32::from(segment.syn));
        if segment.syn {
            self.syn(&segment, first);
        }
        if let (Some(number), Some(back)) = (segment.acknowledges, self.open.get_mut(&ends.back()))
            && !segment.rst
        {
            let window = (!segment.syn).then_some(segment.window);
            back.now.acknowledged(at, number, window);
            back.now.was_open |= segment.window > 0;
            back.now.heard = back.now.heard.max(at);
        }
        let payload = Payload {
            at,
            packet: segment.packet,
            first,
            bytes: segment.bytes,
            push: segment.push,
        };
        if segment.bytes > 0 {
            self.payload(ends, payload);
        }
        if let Some(line) = self.open.get_mut(&ends) {
            let of = &mut line.now;
            if segment.bytes == 0 && !segment.syn {
                of.empty(first);
            }
            // The header's length field has 16 bits; a frame from a NIC that segments may be longer.
            let after = first.wrapping_add(segment.bytes as u32);
            if segment.fin {
                of.finished(at, after, self.idle_gap);
            }
            of.heard = of.heard.max(at);
        }
        if segment.rst {
            for ends in [ends, ends.back()] {
                if let Some(line) = self.open.get_mut(&ends) {
                    line.now.closed = true;
                }
            }
        }
    }

    /// Reads the SYN of a segment.
    fn syn(&mut self, segment: &Segment, first: u32) {
        let (at, ends) = (segment.at, segment.ends);
        // The answer to a SYN comes from the server.
        let opens = segment.acknowledges.is_none();
        let server = if opens { ends.dst.1 } else { ends.src.1 };
        let state = |ends: &Ends| {
            let of = self.open.get(ends).map(|line| &line.now);
            of.map_or((false, 0), |of| (of.closed, of.heard))
        };
        let (one, two) = (state(&ends), state(&ends.back()));
        let over = one.0 || two.0 || at.saturating_sub(one.1.max(two.1)) > LONG_IDLE;
        if let Some(line) = self.open.get_mut(&ends) {
            if line.now.starts_with(first) {
                return;
            }
            if !over {
                let new = line.others.iter().all(|syn| syn.first != first);
                if new && line.others.len() < MOST_SYNS {
                    line.others.push(Syn { first, server, at });
                }
                return;
            }
        }
        self.end(ends);
        // The other end answers with a number of its own.
        if opens && over {
            self.end(ends.back());
        }
        let mut now = Direction::new(server, first, true, at);
        now.takes = segment.window > 0;
        self.start(ends, now);
    }

    fn start(&mut self, ends: Ends, mut now: Direction) {
        let others = Vec::new();
        // The receiver's SYN may be the only segment with a window above zero.
        let back = self.open.get(&ends.back());
        now.was_open |= back.is_some_and(|back| back.now.takes);
        self.open.insert(ends, Line { now, others });
    }

    /// Reads the payload of a segment.
    fn payload(&mut self, ends: Ends, payload: Payload) {
        let (idle_gap, first) = (self.idle_gap, payload.first);
        let joined = |server| Direction::new(server, first, false, payload.at);
        let fits = match self.open.get(&ends) {
            Some(line) => {
                let fits = line.now.fits(&payload, idle_gap);
                let mut syns = line.others.iter();
                let syn = syns.find(|syn| {
                    syn.first == first || !fits && first.wrapping_sub(syn.first) < NEAR
                });
                let opened = syn.map(|syn| Direction::new(syn.server, syn.first, true, syn.at));
                let other = opened.or_else(|| (!fits).then(|| joined(line.now.server)));
                match other {
                    Some(other) => {
                        self.end(ends);
                        self.start(ends, other);
                        false
                    }
                    None => true,
                }
            }
            None => {
                let known = self.open.get(&ends.back()).map(|line| line.now.server);
                self.start(ends, joined(known.unwrap_or(ends.src.1.min(ends.dst.1))));
                true
            }
        };
        let line = self.open.get_mut(&ends).expect("it was started");
        let mut taken = line.now.data(payload, idle_gap);
        if !fits && matches!(taken, Taken::Foreign) {
            // Too far from its SYN as well.
            line.now = joined(line.now.server);
            taken = line.now.data(payload, idle_gap);
        }
        if let Taken::Kept { again } = taken {
            self.done.again += again;
        }
    }

    /// Reads a UDP datagram.
    pub fn datagram(&mut self, at: u128, packet: u64, ends: Ends, bytes: u64) {
        let known = self.datagrams.get(&ends.back()).map(|of| of.server);
        let new = Datagrams {
            start: at,
            packet,
            bytes: 0,
            last: at,
            server: known.unwrap_or(ends.src.1.min(ends.dst.1)),
        };
        let server = self.datagrams.get(&ends).map(|of| of.server);
        let paused = |of: &Datagrams| at.saturating_sub(of.last) > self.idle_gap;
        if self.datagrams.get(&ends).is_some_and(paused) {
            self.close(ends);
        }
        let of = self.datagrams.entry(ends).or_insert(new);
        of.server = server.unwrap_or(of.server);
        of.bytes = of.bytes.saturating_add(bytes);
        of.last = of.last.max(at);
    }

    /// Ends the datagrams between two ports.
    fn close(&mut self, ends: Ends) {
        if let Some(of) = self.datagrams.remove(&ends) {
            self.done.flows.push(OneWayFlow {
                ends,
                start: of.start,
                packet: of.packet,
                bytes: of.bytes,
                server: of.server,
            });
        }
    }

    /// Ends a direction.
    fn end(&mut self, ends: Ends) {
        let Some(Line { now, .. }) = self.open.remove(&ends) else {
            return;
        };
        let (server, opened) = (now.server, now.opened);
        let ended = now.end();
        self.done.unseen += ended.unseen;
        self.done.between += ended.between;
        self.done.joined += u64::from(!opened && !ended.messages.is_empty());
        let sent = |of: Message| OneWayFlow {
            ends,
            start: of.start,
            packet: of.packet,
            bytes: of.bytes(),
            server,
        };
        self.done.flows.extend(ended.messages.into_iter().map(sent));
    }

    /// Ends all current flows and returns the result.
    pub fn finish(mut self) -> Done {
        let left: Vec<Ends> = self.open.keys().copied().collect();
        left.into_iter().for_each(|ends| self.end(ends));
        let left: Vec<Ends> = self.datagrams.keys().copied().collect();
        left.into_iter().for_each(|ends| self.close(ends));
        // Sorted by start, and by ends if the starts are equal.
        self.done.flows.sort_by_key(|sent| (sent.start, sent.ends));
        self.done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: (IpAddr, u16) = (IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1)), 40_000);
    const B: (IpAddr, u16) = (IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 2)), 80);

    fn sent(segments: &[(u128, bool, u32, u64, &str)]) -> (Vec<(u128, bool, u64)>, Done) {
        let mut all = Conversations::new(100);
        for &(at, from_a, sequence, bytes, flags) in segments {
            let (src, dst) = if from_a { (A, B) } else { (B, A) };
            all.segment(Segment {
                at,
                packet: 1,
                acknowledges: (flags != "S").then_some(0),
                window: 500,
                ends: Ends {
                    tcp: true,
                    src,
                    dst,
                },
                sequence,
                bytes,
                syn: flags.contains('S'),
                fin: flags.contains('F'),
                rst: flags.contains('R'),
                push: flags.contains('P'),
            });
        }
        let done = all.finish();
        let flows = done.flows.iter();
        let flows = flows
            .map(|of| (of.start, of.ends.src == A, of.bytes))
            .collect();
        (flows, done)
    }

    #[test]
    fn each_direction_is_a_flow_from_its_first_payload_on() {
        let (flows, done) = sent(&[
            (0, true, 7, 0, "S"),
            (1, false, 99, 0, "SA"),
            (2, true, 8, 200, "A"),
            (5, false, 100, 1460, "A"),
            (6, false, 1560, 540, "FA"),
            (7, true, 208, 0, "FA"),
        ]);
        assert_eq!(flows, [(2, true, 200), (5, false, 2000)]);
        assert_eq!((done.again, done.unseen, done.joined), (0, 0, 0));
        assert!(done.flows.iter().all(|of| of.class() == "tcp-80"));
    }

    #[test]
    fn what_is_sent_again_counts_once_and_what_was_not_captured_counts() {
        let (flows, done) = sent(&[
            (0, true, 7, 0, "S"),
            (1, true, 8, 100, "A"),
            (2, true, 8, 100, "A"),
            (3, true, 58, 100, "A"),
            (4, true, 258, 100, "A"),
            (5, true, 8, 50, "A"),
        ]);
        assert_eq!(flows, [(1, true, 350)]);
        assert_eq!((done.again, done.unseen), (200, 100));
    }

    #[test]
    fn a_pause_a_close_and_a_new_connection_each_end_a_flow() {
        let data = [
            (0, true, 8, 10, "A"),
            (101, true, 18, 10, "A"),
            (110, true, 28, 10, "FA"),
        ];
        assert_eq!(sent(&data).0, [(0, true, 10), (101, true, 20)]);
        let again = [
            (0, true, 8, 10, "A"),
            (5, true, 5000, 0, "S"),
            (6, true, 5001, 30, "A"),
        ];
        assert_eq!(sent(&again).0, [(0, true, 10), (6, true, 30)]);
        // A repeated SYN opens nothing.
        let twice = [
            (0, true, 7, 0, "S"),
            (1, true, 7, 0, "S"),
            (2, true, 8, 10, "A"),
        ];
        assert_eq!(sent(&twice).0, [(2, true, 10)]);
        // A repeat after FIN is no flow.
        let late = [(0, true, 8, 10, "FA"), (9, true, 8, 10, "A")];
        assert_eq!(sent(&late).0, [(0, true, 10)]);
    }

    #[test]
    fn sequence_numbers_pass_zero() {
        let (flows, _) = sent(&[(0, true, u32::MAX - 9, 20, "A"), (1, true, 10, 20, "A")]);
        assert_eq!(flows, [(0, true, 40)]);
    }
}
