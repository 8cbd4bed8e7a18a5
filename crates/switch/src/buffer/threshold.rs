//! Queue threshold that falls with the standing of the packet at hand among others.
//!
//! With R from 0 (the most urgent) to 1, a queue of capacity C keeps a packet while it holds no more than
//! C·(1 − alpha·R). A full queue keeps no packet, a queue without a limit keeps all. AIFO's rule,
//! R ≤ (C − c)/C/(1 − k), is the same with alpha = 1 − k.

use super::relative_rank::{RankEstimator, RelativeRank};
use crate::why::{bytes, count, packets};
use crate::{Depth, Queues, Want};
use sidestep_types::{Packet, PortId, Size};

/// Threshold rule, and the estimator of standings that it uses.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Threshold<S> {
    /// Numerator and denominator, at most 1.
    alpha: (u32, u32),
    standings: S,
}

/// Decision of one queue about a packet.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct ThresholdDecision {
    pub port: PortId,
    pub depth: Depth,
    pub kept: bool,
    fits: bool,
    /// Standing of the packet, and the limit of the queue; `None` if neither was needed.
    standing: Option<(RelativeRank, Size)>,
}

impl<S: RankEstimator> Threshold<S> {
    /// Creates thresholds between `1 − alpha` of a queue and all of it.
    pub fn new(alpha: (u32, u32), standings: S) -> Threshold<S> {
        Threshold { alpha, standings }
    }

    /// Decides whether this queue keeps the packet. The queue sees the packet in either case.
    #[inline]
    pub fn judge(&mut self, pkt: &Packet, at: Want, queues: &mut dyn Queues) -> ThresholdDecision {
        let Want { port, depth, fits } = at;
        let mut judged = ThresholdDecision {
            port,
            depth,
            kept: fits,
            fits,
            standing: None,
        };
        if fits && let Some(limit) = queues.limit() {
            let (held, most) = fill(depth, limit);
            // Far below the limit the standing does not matter.
            if !keeps(held, most, self.alpha, RelativeRank::LAST) {
                let standing = self.standings.of(pkt, port, queues);
                judged.kept = keeps(held, most, self.alpha, standing);
                judged.standing = Some((standing, limit));
            }
        }
        self.standings.see(pkt, port);
        judged
    }

    /// Explains the decision of a queue, with its numbers.
    pub fn why(&self, judged: ThresholdDecision) -> String {
        match (judged.fits, judged.standing) {
            (false, _) => "the queue is full".into(),
            (true, None) => "the queue is so short that it takes every packet".into(),
            (true, Some((standing, limit))) => {
                let (held, most) = fill(judged.depth, limit);
                let held = match limit {
                    Size::Packets(_) => packets(held),
                    Size::Bytes(_) => bytes(held),
                };
                format!(
                    "rank quantile {} ({}): the queue takes the packet while it holds at most {} of {}, and \
                     it holds {held}",
                    standing.words(),
                    self.standings.why(standing),
                    count(threshold(most, self.alpha, standing)),
                    count(most)
                )
            }
        }
    }
}

/// Returns the content of a queue and its limit, in the unit of the limit.
fn fill(depth: Depth, limit: Size) -> (u64, u64) {
    match limit {
        Size::Packets(most) => (u64::from(depth.packets), most),
        Size::Bytes(most) => (u64::from(depth.bytes), most.0),
    }
}

/// Checks `held ≤ most · (1 − alpha·standing)` without rounding, as hardware can.
fn keeps(held: u64, most: u64, alpha: (u32, u32), standing: RelativeRank) -> bool {
    let (share, whole) = left(alpha, standing);
    u128::from(held) * whole <= u128::from(most) * share
}

/// Returns the most that a queue may hold and still keep a packet of this standing.
fn threshold(most: u64, alpha: (u32, u32), standing: RelativeRank) -> u64 {
    let (share, whole) = left(alpha, standing);
    (u128::from(most) * share / whole) as u64
}

/// Returns `1 − alpha·standing` as a fraction of numbers below 2⁶⁴, so that no product above overflows.
fn left((above, below): (u32, u32), standing: RelativeRank) -> (u128, u128) {
    let whole = u128::from(below) * u128::from(standing.whole);
    (whole - u128::from(above) * u128::from(standing.part), whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_urgent_leave_the_share_alpha_free_and_the_most_urgent_nothing() {
        let tenth = (1, 10);
        let at = |held, part, whole| keeps(held, 100, tenth, RelativeRank { part, whole });
        assert!(at(100, 0, 20) && !at(101, 0, 20));
        assert!(at(90, 20, 20) && !at(91, 20, 20));
        assert!(at(95, 10, 20) && !at(96, 10, 20));
        // The threshold is 95.95 of 101 packets.
        let half = RelativeRank {
            part: 10,
            whole: 20,
        };
        assert!(keeps(95, 101, tenth, half) && !keeps(96, 101, tenth, half));
        assert_eq!(threshold(101, tenth, half), 95);
        assert!(keeps(100, 100, (0, 1), RelativeRank::LAST));
        assert!(
            keeps(0, 100, (1, 1), RelativeRank::LAST) && !keeps(1, 100, (1, 1), RelativeRank::LAST)
        );
    }

    proptest::proptest! {
        #[test]
        fn the_most_that_is_kept_is_the_threshold_and_numbers_never_overflow(
            most: u64, above: u32, below in 1u32.., part: u32, whole in 1u32..,
        ) {
            let alpha = (above.min(below), below);
            let standing = RelativeRank { part: part.min(whole), whole };
            let threshold = threshold(most, alpha, standing);
            assert!(keeps(threshold, most, alpha, standing) && threshold <= most);
            assert!(threshold == u64::MAX || !keeps(threshold + 1, most, alpha, standing));
        }

        /// Checks against the rule of Yu et al., SIGCOMM 2021: quantile ≤ 1/(1 − k) · (C − c)/C.
        #[test]
        fn with_alpha_of_one_without_k_it_is_the_rule_of_aifo(
            held in 0u64..=1000, k in 0u32..10, part in 0u32..=20,
        ) {
            let standing = RelativeRank { part, whole: 20 };
            let aifo = u64::from(part) * u64::from(10 - k) * 1000 <= 20 * 10 * (1000 - held);
            assert_eq!(keeps(held, 1000, (10 - k, 10), standing), aifo);
        }
    }
}
