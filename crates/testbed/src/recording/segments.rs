//! Translation of real segments into the terms of a recording: flow, kind and byte numbers.
//!
//! **Decision**     a segment with payload belongs to the flow that its sender sends over this connection; any
//!                  other segment acknowledges the flow in the opposite direction, if there is one.
//! **State**        per direction of a connection: its first sequence number, and its progress; per host, the
//!                  packets it has sent.
//! **Units**        bytes since the beginning of a connection.

use sidestep_lab::recorded::{EventKind, PacketFlags};
use sidestep_softswitch::process::notes::SegmentHeader;
use std::collections::HashMap;
use std::net::SocketAddrV4;

/// Ends of a connection in one direction: from, to.
type Ends = (SocketAddrV4, SocketAddrV4);

/// State of connections and hosts.
pub struct Segments {
    /// Flow sent in each direction.
    flows: HashMap<Ends, u32>,
    ways: HashMap<Ends, Way>,
    /// Packets sent, by host.
    sent: HashMap<u32, u64>,
}

/// Direction of a connection.
#[derive(Clone, Copy, Debug)]
struct Way {
    /// Sequence number of its first byte.
    first: u32,
    /// First byte after all that was sent.
    sent: u64,
}

impl Segments {
    /// Creates the state for flows with connections between these ends.
    pub fn of(ends: &[Option<Ends>]) -> Segments {
        let flows = ends.iter().zip(0..);
        let flows = flows.filter_map(|(ends, flow)| Some(((*ends)?, flow)));
        Segments {
            flows: flows.collect(),
            ways: HashMap::new(),
            sent: HashMap::new(),
        }
    }

    /// Reads a segment from before the recording: of a handshake, or a leftover.
    pub fn before(&mut self, seen: &SegmentHeader) {
        if seen.syn {
            let first = seen.seq.wrapping_add(1);
            self.ways
                .insert((seen.from, seen.to), Way { first, sent: 0 });
        }
    }

    /// Translates a segment that a host sends; `None` if it belongs to no flow.
    pub fn sent(&mut self, seen: &SegmentHeader, host: u32) -> Option<EventKind> {
        let (way, back) = ((seen.from, seen.to), (seen.to, seen.from));
        let (own, other) = (self.flows.get(&way), self.flows.get(&back));
        let data = seen.payload > 0 || seen.syn;
        let flow = match data {
            true => own.or(other),
            false => other.or(own),
        };
        let flow = *flow?;
        let own = self.ways.entry(way).or_insert(Way {
            first: seen.seq,
            sent: 0,
        });
        let begins = own.place(seen.seq);
        let ends = begins + u64::from(seen.payload);
        let again = seen.payload > 0 && begins < own.sent;
        own.sent = own.sent.max(ends);
        let seq = match data {
            true => begins,
            false => {
                let answered = self.ways.get(&back);
                answered.map_or(0, |answered| answered.place(seen.ack))
            }
        };
        let kind = match (seen.syn, seen.acks, seen.payload) {
            (true, false, _) => 2,
            (true, true, _) => 3,
            (false, _, 0) => 1,
            (false, ..) => 0,
        };
        let again = if again { PacketFlags::AGAIN } else { 0 };
        let echo = if kind == 1 && seen.ece {
            PacketFlags::ECHO
        } else {
            0
        };
        let sent = self.sent.entry(host).or_default();
        let number = std::mem::replace(sent, *sent + 1);
        Some(EventKind::Send {
            flow,
            seq,
            bytes: seen.payload.into(),
            says: kind | again | echo,
            host,
            number,
        })
    }
}

impl Way {
    /// Returns the byte of a sequence number: the one nearest to the last byte sent.
    fn place(&self, number: u32) -> u64 {
        let offset = number.wrapping_sub(self.first);
        let step = offset.wrapping_sub(self.sent as u32) as i32;
        self.sent.saturating_add_signed(i64::from(step))
    }
}
