//! Packets of a subflow in flight.
//!
//! **Decision**     none: the list tells whether bytes left before, and with which number.
//! **State**        for each packet in flight its first byte, its number, its retransmissions.
//! **Units**        bytes.
//! **Errors**       none.
//! **Source**       Abdous et al., CoNEXT 2021 (Vertigo), section 3.1: a table of flows has the original size.
//! **Deviations**   the tables of the paper's host have a fixed number of places; here all packets have one.

use std::collections::VecDeque;

use super::MOST_COUNTED;

/// Record of a packet in flight.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub struct InFlightPacket {
    /// First byte.
    pub seq: u64,
    /// Number in its tag when it left first.
    pub number: u32,
    /// Id of its message in that tag.
    pub id: u8,
    /// Retransmissions.
    pub again: u8,
    /// Set if it was the first packet of its message.
    pub first: bool,
    /// Set if it is in the filter.
    pub filed: bool,
}

impl InFlightPacket {
    /// Returns the record of its bytes from `seq` on, which leave again with this number.
    pub fn rest(&self, seq: u64, number: u32, counts_packets: bool) -> InFlightPacket {
        InFlightPacket {
            seq,
            number,
            again: (self.again + 1).min(MOST_COUNTED),
            // If packets are counted, all of its bytes are the first packet.
            first: self.first && counts_packets,
            filed: false,
            ..*self
        }
    }
}

/// List of the packets of a subflow in flight.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Outstanding {
    /// Records, sorted by first byte.
    packets: VecDeque<InFlightPacket>,
    /// Highest byte sent, plus one.
    next: u64,
    /// Hash of the addresses of its packets.
    pub hash: u32,
}

impl Outstanding {
    /// Returns true if the byte `seq` left before.
    pub fn left_before(&self, seq: u64) -> bool {
        seq < self.next
    }

    /// Records that the bytes until `end` leave.
    pub fn leaves(&mut self, end: u64) {
        self.next = self.next.max(end);
    }

    /// Returns the index of the packet that begins with the byte `seq`, or the index where it would be.
    pub fn find(&self, seq: u64) -> Result<usize, usize> {
        match self.packets.back() {
            Some(last) if last.seq >= seq => {
                let at = self.packets.partition_point(|sent| sent.seq < seq);
                match self.packets[at].seq == seq {
                    true => Ok(at),
                    false => Err(at),
                }
            }
            _ => Err(self.packets.len()),
        }
    }

    /// Returns the packet at an index.
    pub fn at(&mut self, at: usize) -> &mut InFlightPacket {
        &mut self.packets[at]
    }

    /// Inserts a packet at the index from [`Outstanding::find`], usually the end.
    pub fn insert(&mut self, at: usize, sent: InFlightPacket) {
        self.packets.insert(at, sent);
    }

    /// Removes and returns the next packet that ends at `ack` or before; call until `None`.
    pub fn acknowledged(&mut self, ack: u64) -> Option<InFlightPacket> {
        let end = self.packets.get(1).map_or(self.next, |second| second.seq);
        self.packets.pop_front_if(|_| end <= ack)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(seq: u64) -> InFlightPacket {
        InFlightPacket {
            seq,
            number: 0,
            id: 0,
            again: 0,
            first: false,
            filed: false,
        }
    }

    #[test]
    fn packets_stand_by_their_first_byte_until_they_are_acknowledged() {
        let mut all = Outstanding::default();
        for (seq, at) in [(0, 0), (100, 1), (300, 2), (200, 2), (50, 1)] {
            assert_eq!(all.find(seq), Err(at), "{seq}");
            all.insert(at, sent(seq));
        }
        all.leaves(400);
        assert_eq!(all.find(200), Ok(3));
        let gone = std::iter::from_fn(|| all.acknowledged(200)).map(|sent| sent.seq);
        assert_eq!(gone.collect::<Vec<_>>(), [0, 50, 100]);
        assert_eq!((all.find(100), all.find(200)), (Err(0), Ok(0)));
        // A partly acknowledged packet stays.
        assert!(all.acknowledged(299).is_none());
        assert_eq!(all.acknowledged(399).map(|sent| sent.seq), Some(200));
        assert!(all.acknowledged(399).is_none());
        assert_eq!(all.acknowledged(400).map(|sent| sent.seq), Some(300));
    }

    #[test]
    fn what_follows_takes_the_room_of_what_is_acknowledged() {
        let mut all = Outstanding::default();
        for n in 0..10_000u64 {
            all.insert(all.packets.len(), sent(n * 100));
            all.leaves((n + 1) * 100);
            while all.acknowledged(n.saturating_sub(8) * 100).is_some() {}
        }
        assert!(all.packets.len() <= 10 && all.packets.capacity() <= 32);
    }

    #[test]
    fn what_left_before_is_below_the_highest_byte_whoever_knows_of_it_still() {
        let mut all = Outstanding::default();
        assert!(!all.left_before(0));
        all.leaves(1_460);
        assert!(all.left_before(0) && all.left_before(1_459) && !all.left_before(1_460));
        all.leaves(100);
        assert!(all.left_before(1_459));
    }
}
