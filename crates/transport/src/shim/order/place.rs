//! Where a packet stands in its stream: what `by` counts, as a number that grows with what was sent later.

use sidestep_types::{Packet, Tag};

/// What places are counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) enum Axis {
    /// Bytes of the stream, by sequence number.
    Sequence,
    /// Bytes of the message, from its end: place 0 is before any that a tag can say, so that a stream which
    /// waits there waits for the packet that is flagged as the first.
    Remaining,
    /// Packets of the message that were sent before.
    Packets,
    /// Bytes of the message that were sent before.
    Bytes,
}

impl Axis {
    /// By what a packet with this tag is placed, where hosts count by this axis: by its sequence number if it
    /// says nothing else.
    pub fn of(self, tag: &Tag) -> Axis {
        let says = match self {
            Axis::Sequence => false,
            Axis::Remaining => tag.remaining() > 0 && tag.remaining() < u32::MAX,
            Axis::Packets | Axis::Bytes => tag.sent().is_some_and(|sent| sent < u32::MAX),
        };
        match tag.tagged() && says {
            true => self,
            false => Axis::Sequence,
        }
    }

    /// How many places a packet takes.
    #[inline]
    pub fn takes(self, packet: &Packet) -> u64 {
        match self {
            Axis::Packets => 1,
            Axis::Sequence | Axis::Remaining | Axis::Bytes => u64::from(packet.len),
        }
    }

    /// The place of `packet`, by what it says itself.
    #[inline]
    pub fn place(self, packet: &Packet) -> u64 {
        match self {
            Axis::Sequence => packet.seq(),
            Axis::Remaining => u64::from(u32::MAX - packet.tag().remaining()),
            Axis::Packets | Axis::Bytes => u64::from(packet.tag().sent().unwrap_or(0)),
        }
    }
}
