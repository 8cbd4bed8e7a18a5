//! Place of a packet in its stream, as a number that grows with later packets.

use sidestep_types::{Packet, Tag};

/// Unit of places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) enum Axis {
    /// Bytes of the stream, by sequence number.
    Sequence,
    /// Bytes of the message, counted from its end: place 0 is before any that a tag can carry, so a stream that
    /// waits there waits for the packet flagged as the first.
    Remaining,
    /// Packets of the message that were sent before.
    Packets,
    /// Bytes of the message that were sent before.
    Bytes,
}

impl Axis {
    /// Returns the axis that places a packet with this tag, where hosts count by `self`: the sequence number if
    /// the tag has no such count.
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

    /// Returns the number of places that a packet takes.
    #[inline]
    pub fn takes(self, packet: &Packet) -> u64 {
        match self {
            Axis::Packets => 1,
            Axis::Sequence | Axis::Remaining | Axis::Bytes => u64::from(packet.len),
        }
    }

    /// Returns the place of `packet`, from its header and tag.
    #[inline]
    pub fn place(self, packet: &Packet) -> u64 {
        match self {
            Axis::Sequence => packet.seq(),
            Axis::Remaining => u64::from(u32::MAX - packet.tag().remaining()),
            Axis::Packets | Axis::Bytes => u64::from(packet.tag().sent().unwrap_or(0)),
        }
    }
}
