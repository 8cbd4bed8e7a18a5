//! Token bucket, stored as the time at which it is full again.
//!
//! **Decision**     a cost passes if the bucket holds that many tokens.
//! **State**        one instant: no fractions of tokens.
//! **Units**        picoseconds; a cost is the time in which its tokens come in.
//! **Errors**       none; a cost above the bucket's depth passes when the bucket is full.
//! **Source**       ITU-T I.371, annex A: the generic cell rate algorithm in its form of virtual scheduling.

use sidestep_types::Time;

/// Token bucket, full at first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Bucket {
    /// Time at which the bucket is full again.
    full_at: Time,
}

impl Bucket {
    /// Takes `cost` out of a bucket of `depth`; returns false, and takes nothing, if it does not hold that
    /// much.
    pub fn take(&mut self, now: Time, cost: Time, depth: Time) -> bool {
        let before = self.full_at.max(now);
        let after = before.saturating_add(cost);
        let fits = after.saturating_sub(now) <= depth.max(cost);
        if fits {
            self.full_at = after;
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_passes_at_once_and_the_rest_as_tokens_come() {
        let (mut bucket, ms) = (Bucket::default(), Time::from_ms);
        let mut take = |now| bucket.take(ms(now), ms(10), ms(30));
        // Three at once: the depth of the bucket.
        assert_eq!(
            [take(100), take(100), take(100), take(100)],
            [true, true, true, false]
        );
        assert!(!take(109), "not yet");
        assert!(take(110), "what was refused cost nothing");
        assert!(!take(110));
        // After a long silence, at most the depth of the bucket.
        assert_eq!(
            [take(900), take(900), take(900), take(900)],
            [true, true, true, false]
        );
    }

    #[test]
    fn what_costs_more_than_the_bucket_holds_passes_when_it_is_full() {
        let (mut bucket, ms) = (Bucket::default(), Time::from_ms);
        assert!(bucket.take(ms(5), ms(10), Time::ZERO));
        assert!(!bucket.take(ms(14), ms(10), Time::ZERO));
        assert!(bucket.take(ms(15), ms(10), Time::ZERO));
    }
}
