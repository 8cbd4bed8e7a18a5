//! Flows from packets.
//!
//! **Decision**     a flow is the payload that one end of a connection sends, counted by sequence number:
//!                  repeats count once, and bytes that the capture missed count too. A flow starts with its
//!                  first payload. It ends with a SYN that opens the connection anew, with FIN or RST, or when
//!                  nothing new was sent for the idle gap; the next payload then starts another.

use core::net::IpAddr;
use std::collections::BTreeMap;

/// Largest gap in a capture. A larger jump of sequence numbers is another connection whose SYN was not
/// captured.
const LARGEST_GAP: i32 = 1 << 28;

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
    pub ends: Ends,
    pub sequence: u32,
    /// Payload bytes.
    pub bytes: u64,
    pub syn: bool,
    /// True if the segment requests a connection.
    pub opens: bool,
    pub closes: bool,
}

/// Flow that one end sent.
pub struct OneWayFlow {
    pub ends: Ends,
    pub start: u128,
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

/// State of a direction of a connection.
struct Direction {
    /// Start and bytes of the current flow.
    now: Option<(u128, u64)>,
    /// Time of the latest new data.
    last: u128,
    /// Sequence number after all data seen; `None` before any was.
    next: Option<u32>,
    server: u16,
}

/// All connections of a capture.
pub struct Conversations {
    idle_gap: u128,
    open: BTreeMap<Ends, Direction>,
    done: Done,
}

/// Result of a capture.
#[derive(Default)]
pub struct Done {
    pub flows: Vec<OneWayFlow>,
    /// Payload bytes that were seen before.
    pub again: u64,
    /// Payload bytes that were not captured, according to sequence numbers.
    pub unseen: u64,
    /// Directions whose SYN was not captured.
    pub joined: u64,
}

impl Conversations {
    pub fn new(idle_gap: u128) -> Conversations {
        Conversations {
            idle_gap,
            open: BTreeMap::new(),
            done: Done::default(),
        }
    }

    /// Reads a TCP segment.
    pub fn segment(&mut self, segment: Segment) {
        let Segment {
            at,
            ends,
            sequence,
            bytes,
            ..
        } = segment;
        let first = sequence.wrapping_add(u32::from(segment.syn));
        if segment.opens && self.open.get(&ends).is_none_or(|of| of.next != Some(first)) {
            self.end(ends);
            self.end(ends.back());
            self.open.remove(&ends.back());
            self.start(ends, ends.dst.1, Some(first));
        } else if segment.syn && !segment.opens {
            // The answer to a SYN comes from the server.
            self.end(ends);
            self.start(ends, ends.src.1, Some(first));
        }
        if bytes > 0 {
            if !self.open.contains_key(&ends) {
                self.done.joined += 1;
                let known = self.open.get(&ends.back()).map(|of| of.server);
                let server = known.unwrap_or(ends.src.1.min(ends.dst.1));
                self.start(ends, server, None);
            }
            let fresh = self.fresh(ends, first, bytes);
            self.add(at, ends, fresh);
        }
        if segment.closes {
            self.end(ends);
        }
    }

    /// Reads a UDP datagram.
    pub fn datagram(&mut self, at: u128, ends: Ends, bytes: u64) {
        if !self.open.contains_key(&ends) {
            let known = self.open.get(&ends.back()).map(|of| of.server);
            let server = known.unwrap_or(ends.src.1.min(ends.dst.1));
            self.start(ends, server, None);
        }
        self.add(at, ends, bytes);
    }

    fn start(&mut self, ends: Ends, server: u16, next: Option<u32>) {
        let direction = Direction {
            now: None,
            last: 0,
            next,
            server,
        };
        self.open.insert(ends, direction);
    }

    /// Returns how many bytes are new, in a segment's payload and in a gap before it.
    fn fresh(&mut self, ends: Ends, first: u32, bytes: u64) -> u64 {
        let of = self.open.get_mut(&ends).expect("it was started");
        // The header's length field has 16 bits; a frame from a NIC that segments may be longer.
        let after = first.wrapping_add(bytes as u32);
        let ahead = of.next.map_or(0, |next| first.wrapping_sub(next) as i32);
        let beyond = of
            .next
            .map_or(i32::MAX, |next| after.wrapping_sub(next) as i32);
        if of.next.is_none() || ahead > LARGEST_GAP || beyond < -LARGEST_GAP {
            of.next = Some(after);
            return bytes;
        }
        if beyond <= 0 {
            self.done.again += bytes;
            return 0;
        }
        of.next = Some(after);
        if ahead >= 0 {
            self.done.unseen += ahead as u64;
            return bytes + ahead as u64;
        }
        let fresh = beyond as u64;
        self.done.again += bytes - fresh.min(bytes);
        fresh
    }

    fn add(&mut self, at: u128, ends: Ends, bytes: u64) {
        if bytes == 0 {
            return;
        }
        let of = self.open.get_mut(&ends).expect("it was started");
        let paused = at.saturating_sub(of.last) > self.idle_gap;
        if of.now.is_some() && paused {
            self.end(ends);
        }
        let of = self.open.get_mut(&ends).expect("it is there still");
        of.last = of.last.max(at);
        let (_, sum) = of.now.get_or_insert((at, 0));
        *sum = sum.saturating_add(bytes);
    }

    /// Ends the current flow of a direction.
    fn end(&mut self, ends: Ends) {
        let Some(of) = self.open.get_mut(&ends) else {
            return;
        };
        let server = of.server;
        if let Some((start, bytes)) = of.now.take() {
            self.done.flows.push(OneWayFlow {
                ends,
                start,
                bytes,
                server,
            });
        }
    }

    /// Ends all current flows and returns the result.
    pub fn finish(mut self) -> Done {
        let left: Vec<Ends> = self.open.keys().copied().collect();
        left.into_iter().for_each(|ends| self.end(ends));
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
                ends: Ends {
                    tcp: true,
                    src,
                    dst,
                },
                sequence,
                bytes,
                syn: flags.contains('S'),
                opens: flags == "S",
                closes: flags.contains(['F', 'R']),
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
