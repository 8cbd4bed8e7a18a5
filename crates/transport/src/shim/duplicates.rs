//! Duplicate acknowledgements as an agent below a sender detects them: state shared by both agents.
//!
//! **Decision**     none. An acknowledgement is a duplicate when it carries no data, acknowledges the same byte
//!                  as the highest before it, and data is in flight. An acknowledgement with SACK blocks, or
//!                  one that answers a trimmed packet, carries more information and is no duplicate.
//! **State**        for each open flow and each of its subflows, the highest acknowledgement received, one past
//!                  the highest byte sent, and the duplicates since the former moved.
//! **Units**        bytes, acknowledgements.
//! **Errors**       none.
//! **Source**       RFC 5681 section 2; PLTS section III-C2 ("information about the ACK packet last seen for
//!                  each flow").
//! **Deviations**   a packet here has no window: by RFC 5681 an acknowledgement that moves the window is no
//!                  duplicate, and the software switch does not show such to shims. Acknowledgements carried by
//!                  data are not seen: the next acknowledgement of the same byte counts as new, and goes on.

use std::collections::BTreeMap;

use sidestep_types::{FlowId, Kind, Packet};

/// State of each open flow, with at least subflow 0.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Streams<S> {
    of: BTreeMap<Key, Stream<S>>,
}

/// Flow and, in the lowest byte, subflow number.
type Key = u64;

fn key(flow: FlowId, subflow: u8) -> Key {
    u64::from(flow.0) << 8 | u64::from(subflow)
}

/// State of a subflow, with that of its agent.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Stream<S> {
    /// Highest acknowledgement received.
    pub acked: u64,
    /// Highest byte sent, plus one.
    pub sent: u64,
    /// Duplicates since `acked` moved.
    pub run: u64,
    /// Set if data was retransmitted since `acked` moved.
    repaired: bool,
    /// Value of `sent` at the last retransmission.
    recover: u64,
    /// State of the agent.
    pub own: S,
}

/// Run of consecutive duplicates of one acknowledgement, ended by a higher one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Run {
    /// Number of duplicates.
    pub length: u64,
    /// Set if the sender retransmitted data during the run.
    pub repaired: bool,
}

/// Kind of an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AckKind {
    /// Acknowledgement higher than any before: it ends a run of any length.
    News(Run),
    /// Duplicate.
    Duplicate,
}

impl<S: Default> Stream<S> {
    /// Creates the state of subflow number `subflow`, which has sent nothing.
    fn new(subflow: u8) -> Stream<S> {
        Stream {
            acked: Packet::first_of(subflow),
            sent: Packet::first_of(subflow),
            run: 0,
            repaired: false,
            recover: 0,
            own: S::default(),
        }
    }

    /// Records that the bytes from `seq` up to `end` leave.
    fn leaves(&mut self, seq: u64, end: u64) {
        if seq < self.sent {
            self.repaired = true;
            self.recover = self.sent;
        } else if self.acked == self.sent {
            // Nothing was in flight: the receiver waits for this byte.
            self.acked = seq;
        }
        self.sent = self.sent.max(end);
    }

    /// Returns true while data sent before the last retransmission is not all acknowledged.
    pub fn recovers(&self) -> bool {
        self.acked < self.recover
    }

    fn classify(&mut self, ack: u64) -> Option<AckKind> {
        if ack > self.acked {
            let run = Run {
                length: std::mem::take(&mut self.run),
                repaired: std::mem::take(&mut self.repaired),
            };
            self.acked = ack;
            self.sent = self.sent.max(ack);
            return Some(AckKind::News(run));
        }
        if ack < self.acked || self.acked == self.sent {
            return None;
        }
        self.run += 1;
        Some(AckKind::Duplicate)
    }
}

impl<S: Default> Streams<S> {
    /// Creates an empty table.
    pub fn new() -> Streams<S> {
        Streams {
            of: BTreeMap::new(),
        }
    }

    /// Begins a flow: see [`super::Shim::open`].
    pub fn open(&mut self, flow: FlowId) {
        self.of
            .entry(key(flow, 0))
            .or_insert_with(|| Stream::new(0));
    }

    /// Ends a flow: see [`super::Shim::close`].
    pub fn close(&mut self, flow: FlowId) {
        let of_flow = key(flow, 0)..=key(flow, u8::MAX);
        let keys: Vec<Key> = self.of.range(of_flow).map(|(key, _)| *key).collect();
        for key in keys {
            self.of.remove(&key);
        }
    }

    /// Records a packet that leaves.
    pub fn down(&mut self, packet: &Packet) {
        if !packet.carries_data() {
            return;
        }
        let (seq, subflow) = (packet.seq(), packet.subflow());
        let key = key(packet.flow, subflow);
        // Few flows have more than one subflow: the others are added when their first data leaves.
        if subflow > 0
            && !self.of.contains_key(&key)
            && self.of.contains_key(&self::key(packet.flow, 0))
        {
            self.of.insert(key, Stream::new(subflow));
        }
        if let Some(stream) = self.of.get_mut(&key) {
            stream.leaves(seq, seq + u64::from(packet.len));
        }
    }

    /// Returns the state of the subflow of a packet that has just arrived, if the packet was a duplicate.
    pub fn duplicate(&self, packet: &Packet) -> Option<&Stream<S>> {
        let stream = self.of.get(&key(packet.flow, packet.subflow()))?;
        let same = packet.seq() == stream.acked && stream.run > 0 && stream.acked < stream.sent;
        (same && packet.kind() == Kind::Ack && !says_more(packet)).then_some(stream)
    }

    /// Classifies a packet that arrived, if it is an acknowledgement of an open flow.
    pub fn up(&mut self, packet: &Packet) -> Option<(AckKind, &mut Stream<S>)> {
        if packet.kind() != Kind::Ack {
            return None;
        }
        let key = key(packet.flow, packet.subflow());
        let stream = self.of.get_mut(&key)?;
        if says_more(packet) && packet.seq() <= stream.acked {
            return None;
        }
        let heard = stream.classify(packet.seq())?;
        Some((heard, stream))
    }
}

/// Returns true if an acknowledgement carries more than the next byte expected.
fn says_more(packet: &Packet) -> bool {
    packet.cut() || !packet.sack().is_empty()
}
