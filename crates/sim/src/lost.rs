//! Bytes of a flow that the network has lost since they were last sent: they tell a needed retransmission from
//! a spurious one. Touched only by drops, retransmissions and timeouts.
//!
//! **Decision**     a retransmission is needed if some of its bytes were dropped, or trimmed by a
//!                  switch, since they were last sent; otherwise it is spurious. A timeout is
//!                  spurious if the oldest byte waited for is not among the lost. So whatever
//!                  a lost acknowledgement or a mere delay causes is spurious.
//! **State**        the lost ranges of one flow, sorted, disjoint.
//! **Units**        bytes.
//! **Errors**       none.
//! **Source**       the simulator's own knowledge; RFC 3522 and RFC 4138 define the words.
//! **Deviations**   a copy that is dropped after a later one was sent makes the next
//!                  retransmission a needed one, although the later copy may arrive; so does a copy
//!                  that a shim drops because it holds another. A packet
//!                  trimmed by a switch counts from the arrival of its header.

use sidestep_types::Packet;
use std::collections::BTreeMap;

/// Lost ranges of one flow.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Lost {
    /// Ends of the ranges, by their starts.
    ranges: BTreeMap<u64, u64>,
}

/// Place of a SYN: beyond every byte. The SYNs of other subflows have places below it.
pub(crate) const SYN: u64 = u64::MAX - 1;

/// Returns the place of the SYN of one subflow, [`SYN`] for the first.
pub(crate) fn syn_of(subflow: u8) -> u64 {
    SYN - 2 * u64::from(subflow)
}

/// Returns true if this is the place of a SYN, not of a byte.
pub(crate) fn is_syn(start: u64) -> bool {
    start > Packet::MOST_SEQ
}

impl Lost {
    /// Marks `[start, end)` as lost.
    pub fn add(&mut self, start: u64, end: u64) {
        self.take(start, end);
        self.ranges.insert(start, end);
    }

    /// Returns true if the byte at `seq` is lost.
    pub fn holds(&self, seq: u64) -> bool {
        let before = self.ranges.range(..=seq).next_back();
        before.is_some_and(|(_, end)| *end > seq)
    }

    /// Clears `[start, end)`, which is retransmitted; returns true if any of it was lost.
    pub fn take(&mut self, start: u64, end: u64) -> bool {
        let mut any = false;
        while let Some((&from, &to)) = self.ranges.range(..end).next_back()
            && to > start
        {
            any = true;
            self.ranges.remove(&from);
            if to > end {
                self.ranges.insert(end, to);
            }
            if from < start {
                self.ranges.insert(from, start);
            }
        }
        any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_lost_is_needed_once() {
        let mut lost = Lost::default();
        lost.add(1000, 2000);
        assert!(lost.holds(1000) && lost.holds(1999) && !lost.holds(2000) && !lost.holds(999));
        assert!(!lost.take(0, 1000));
        assert!(lost.take(1000, 2000));
        assert!(!lost.take(1000, 2000));
    }

    #[test]
    fn a_part_sent_again_leaves_the_rest_lost() {
        let mut lost = Lost::default();
        lost.add(1000, 2000);
        assert!(lost.take(1000, 1001));
        assert!(!lost.holds(1000) && lost.holds(1001));
        assert!(lost.take(1400, 1500));
        assert!(lost.holds(1399) && !lost.holds(1400) && lost.holds(1500));
        assert!(lost.take(0, 5000));
        assert!(!lost.take(0, 5000));
    }

    #[test]
    fn the_same_segment_lost_twice_is_lost_once() {
        let mut lost = Lost::default();
        lost.add(0, 1000);
        lost.add(0, 1000);
        assert!(lost.take(0, 1000) && !lost.take(0, 1000));
    }
}
