//! Duplicate acknowledgements, as an agent below a sender knows them: what its shims have in common.
//!
//! **Decision**     none. An acknowledgement is a duplicate when it carries no data, acknowledges what
//!                  the highest before it did, and data is outstanding. One that has SACK blocks, or
//!                  answers a trimmed packet, says more than that and is none.
//! **State**        of each open flow and each of its subflows the highest acknowledgement that came, one
//!                  past the highest byte that left, and how many duplicates came since the first
//!                  moved.
//! **Units**        bytes, acknowledgements.
//! **Errors**       none.
//! **Source**       RFC 5681 section 2; PLTS section III-C2 ("information about the ACK packet last seen
//!                  for each flow").
//! **Deviations**   a packet here has no window: RFC 5681 takes what moves the window for no duplicate, and
//!                  the software switch does not show it to shims. What data acknowledges in passing is
//!                  not seen: the next acknowledgement of the same byte is taken for news, and goes on.

use std::collections::BTreeMap;

use sidestep_types::{FlowId, Kind, Packet};

/// Of each open flow at least subflow 0.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Streams<S> {
    of: BTreeMap<Key, Stream<S>>,
}

/// A flow and in the lowest byte the number of its subflow.
type Key = u64;

fn key(flow: FlowId, subflow: u8) -> Key {
    u64::from(flow.0) << 8 | u64::from(subflow)
}

/// What is known of a subflow, and what its agent keeps beside it.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Stream<S> {
    /// The highest acknowledgement that came.
    pub acked: u64,
    /// One past the highest byte that left.
    pub sent: u64,
    /// Duplicates since `acked` moved.
    pub run: u64,
    /// Something was sent again since `acked` moved.
    repaired: bool,
    /// What had been sent when something was sent again last.
    recover: u64,
    /// What its agent keeps.
    pub own: S,
}

/// Duplicates with one acknowledgement, one after the other, that another has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Run {
    /// How many.
    pub length: u64,
    /// Its sender sent something again meanwhile.
    pub repaired: bool,
}

/// What an acknowledgement is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// It acknowledges more than any before: a run is over, of however many.
    News(Run),
    /// A duplicate.
    Duplicate,
}

impl<S: Default> Stream<S> {
    /// Subflow number `subflow`, of which nothing has left.
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

    /// Bytes from `seq` up to `end` leave.
    fn leaves(&mut self, seq: u64, end: u64) {
        if seq < self.sent {
            self.repaired = true;
            self.recover = self.sent;
        } else if self.acked == self.sent {
            // Nothing was outstanding: its receiver waits for this byte.
            self.acked = seq;
        }
        self.sent = self.sent.max(end);
    }

    /// What had been sent when something was sent again is not all acknowledged.
    pub fn recovers(&self) -> bool {
        self.acked < self.recover
    }

    fn hear(&mut self, ack: u64) -> Option<Heard> {
        if ack > self.acked {
            let run = Run {
                length: std::mem::take(&mut self.run),
                repaired: std::mem::take(&mut self.repaired),
            };
            self.acked = ack;
            self.sent = self.sent.max(ack);
            return Some(Heard::News(run));
        }
        if ack < self.acked || self.acked == self.sent {
            return None;
        }
        self.run += 1;
        Some(Heard::Duplicate)
    }
}

impl<S: Default> Streams<S> {
    /// Of no flow.
    pub fn new() -> Streams<S> {
        Streams {
            of: BTreeMap::new(),
        }
    }

    /// See [`super::Shim::open`].
    pub fn open(&mut self, flow: FlowId) {
        self.of
            .entry(key(flow, 0))
            .or_insert_with(|| Stream::new(0));
    }

    /// See [`super::Shim::close`].
    pub fn close(&mut self, flow: FlowId) {
        let of_flow = key(flow, 0)..=key(flow, u8::MAX);
        let keys: Vec<Key> = self.of.range(of_flow).map(|(key, _)| *key).collect();
        for key in keys {
            self.of.remove(&key);
        }
    }

    /// A packet leaves.
    pub fn down(&mut self, packet: &Packet) {
        if !packet.carries_data() {
            return;
        }
        let (seq, subflow) = (packet.seq(), packet.subflow());
        let key = key(packet.flow, subflow);
        // Few flows have more than one subflow: they get theirs when its first data leaves.
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

    /// What is known of the subflow of a packet that has just arrived, if that was a duplicate.
    pub fn duplicate(&self, packet: &Packet) -> Option<&Stream<S>> {
        let stream = self.of.get(&key(packet.flow, packet.subflow()))?;
        let same = packet.seq() == stream.acked && stream.run > 0 && stream.acked < stream.sent;
        (same && packet.kind() == Kind::Ack && !says_more(packet)).then_some(stream)
    }

    /// A packet arrived: what it is, if it is one of these and of an open flow.
    pub fn up(&mut self, packet: &Packet) -> Option<(Heard, &mut Stream<S>)> {
        if packet.kind() != Kind::Ack {
            return None;
        }
        let key = key(packet.flow, packet.subflow());
        let stream = self.of.get_mut(&key)?;
        if says_more(packet) && packet.seq() <= stream.acked {
            return None;
        }
        let heard = stream.hear(packet.seq())?;
        Some((heard, stream))
    }
}

/// Does an acknowledgement say more than which byte is next?
fn says_more(packet: &Packet) -> bool {
    packet.cut() || !packet.sack().is_empty()
}
