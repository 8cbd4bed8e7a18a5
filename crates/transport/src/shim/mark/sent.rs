//! What has left of a subflow and is not acknowledged.
//!
//! **Decision**     none: it says whether bytes left before, and what was said of them then.
//! **State**        of each packet outstanding its first byte, its number, how often it left again.
//! **Units**        bytes.
//! **Errors**       none.
//! **Source**       Abdous et al., CoNEXT 2021 (Vertigo), section 3.1: a table of flows has the original size.
//! **Deviations**   the tables of the paper's host have places for so many packets; here all have one.

use std::collections::VecDeque;

use super::MOST_COUNTED;

/// A packet that is outstanding.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub struct Sent {
    /// Its first byte.
    pub seq: u64,
    /// What was said of it when it left first.
    pub number: u32,
    /// The same of its message.
    pub id: u8,
    /// How often it left again.
    pub again: u8,
    /// It was the first of its message.
    pub first: bool,
    /// It has a place in the filter.
    pub filed: bool,
}

impl Sent {
    /// What is said of its bytes from `seq` on, as they leave again, if this is their number.
    pub fn rest(&self, seq: u64, number: u32, counts_packets: bool) -> Sent {
        Sent {
            seq,
            number,
            again: (self.again + 1).min(MOST_COUNTED),
            // Where packets are counted all of it is the first.
            first: self.first && counts_packets,
            filed: false,
            ..*self
        }
    }
}

/// The packets of a subflow that are outstanding.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Outstanding {
    /// By first byte.
    packets: VecDeque<Sent>,
    /// One past the highest byte that left.
    next: u64,
    /// The hash of the addresses of its packets.
    pub hash: u32,
}

impl Outstanding {
    /// Did the byte `seq` leave before?
    pub fn left_before(&self, seq: u64) -> bool {
        seq < self.next
    }

    /// The bytes until `end` leave.
    pub fn leaves(&mut self, end: u64) {
        self.next = self.next.max(end);
    }

    /// The packet that begins with the byte `seq`, or where it would stand.
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

    /// The packet there.
    pub fn at(&mut self, at: usize) -> &mut Sent {
        &mut self.packets[at]
    }

    /// One more, where [`Outstanding::find`] said; mostly behind all others.
    pub fn insert(&mut self, at: usize, sent: Sent) {
        self.packets.insert(at, sent);
    }

    /// The next of those that end at `ack` or before, which are outstanding no more; call until `None`.
    pub fn acknowledged(&mut self, ack: u64) -> Option<Sent> {
        let end = self.packets.get(1).map_or(self.next, |second| second.seq);
        self.packets.pop_front_if(|_| end <= ack)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(seq: u64) -> Sent {
        Sent {
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
        // A part of one is no packet.
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
