//! A bucket of tokens, as the time until it is full again.
//!
//! **Decision**     something passes if what it costs fits under the brim.
//! **State**        one instant: no fractions of tokens.
//! **Units**        picoseconds; a cost is how long its tokens take to come in.
//! **Errors**       none; what costs more than the bucket holds passes when it is full.
//! **Source**       ITU-T I.371, annex A: the generic cell rate algorithm in its form of virtual scheduling.

use sidestep_types::Time;

/// One bucket, full at first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Bucket {
    /// When it is full again.
    full_at: Time,
}

impl Bucket {
    /// Takes `cost` out of a bucket that holds `depth`; false when that is not in it, and it is left as it was.
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
        // Three at once, as many as the bucket holds.
        assert_eq!(
            [take(100), take(100), take(100), take(100)],
            [true, true, true, false]
        );
        assert!(!take(109), "not yet");
        assert!(take(110), "what was refused cost nothing");
        assert!(!take(110));
        // After a long silence no more than the bucket holds.
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
