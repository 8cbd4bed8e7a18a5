//! Which bytes of a flow the network has lost since they were last sent: to tell a needed
//! retransmission from a spurious one. Touched by drops, retransmissions and timeouts alone.
//!
//! **Decision**     a retransmission is needed when some of its bytes were dropped, or cut by a
//!                  switch, since they were last sent; otherwise it is spurious. A timeout is
//!                  spurious when the oldest byte waited for is not among the lost. So whatever
//!                  a lost acknowledgement or a mere delay causes is spurious.
//! **State**        the lost ranges of one flow, sorted, disjoint.
//! **Units**        bytes.
//! **Errors**       none.
//! **Source**       the simulator's own knowledge; RFC 3522 and RFC 4138 define the words.
//! **Deviations**   a copy that is dropped after a later one was sent makes the next
//!                  retransmission a needed one, although the later copy may arrive, and so does one
//!                  that a shim drops because it holds another. A packet
//!                  that a switch has cut counts from when its header arrives.

use sidestep_types::Packet;
use std::collections::BTreeMap;

/// The lost ranges of one flow.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Lost {
    /// Ends by starts.
    ranges: BTreeMap<u64, u64>,
}

/// Where the loss of a SYN is kept: beyond every byte. Those of other subflows stand below it.
pub(crate) const SYN: u64 = u64::MAX - 1;

/// [`SYN`] of one subflow.
pub(crate) fn syn_of(subflow: u8) -> u64 {
    SYN - 2 * u64::from(subflow)
}

/// Is this the place of a SYN, and of no byte?
pub(crate) fn is_syn(start: u64) -> bool {
    start > Packet::MOST_SEQ
}

impl Lost {
    /// `[start, end)` was lost.
    pub fn add(&mut self, start: u64, end: u64) {
        self.take(start, end);
        self.ranges.insert(start, end);
    }

    /// Is the byte at `seq` lost?
    pub fn holds(&self, seq: u64) -> bool {
        let before = self.ranges.range(..=seq).next_back();
        before.is_some_and(|(_, end)| *end > seq)
    }

    /// `[start, end)` is sent again: was any of it lost?
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
