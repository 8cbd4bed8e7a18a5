//! Smallest round trip of the recent past.
//!
//! **Decision**     the smallest of the present and of the previous 32 rounds; a round ends when data is acknowledged
//!                  that was sent after it began.
//! **State**        two minima, a count, a byte.
//! **Units**        picoseconds and bytes.
//! **Errors**       none.
//! **Source**       Linux `tcp_update_rtt_min`, which keeps the minimum of `tcp_min_rtt_wlen` (300 s).
//! **Deviations**   counted in rounds instead of seconds (assumed): 300 s outlast most runs here, and a span that fits
//!                  one network is too short or too long for another. A queue rises and drains in fewer than 32
//!                  rounds, so the minimum is that of the path and not of the queue.

use sidestep_types::Time;

/// Rounds after which the older half of the samples is forgotten (assumed).
const ROUNDS: u32 = 32;

/// Minimum of the round trips of the last 32 to 64 rounds.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Smallest {
    /// Smallest of the present rounds; [`Time::MAX`] without one.
    present: Time,
    /// Smallest of the rounds before these.
    before: Time,
    rounds: u32,
    /// End of the data that was sent when this round began.
    end: u64,
}

impl Smallest {
    pub const NONE: Smallest = Smallest {
        present: Time::MAX,
        before: Time::MAX,
        rounds: 0,
        end: 0,
    };

    /// Adds a round trip, taken when everything below `acked` was acknowledged and everything below `sent` sent.
    pub fn add(&mut self, rtt: Time, acked: u64, sent: u64) {
        if acked > self.end {
            (self.end, self.rounds) = (sent, self.rounds + 1);
            if self.rounds > ROUNDS {
                (self.before, self.present, self.rounds) = (self.present, Time::MAX, 1);
            }
        }
        self.present = self.present.min(rtt);
    }

    /// Returns the minimum; `None` before the first round trip.
    pub fn get(&self) -> Option<Time> {
        let smallest = self.present.min(self.before);
        (smallest != Time::MAX).then_some(smallest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds `rounds` rounds of ten bytes, each with two round trips of `us` and more.
    fn rounds(smallest: &mut Smallest, acked: &mut u64, rounds: u32, us: u64) {
        for _ in 0..rounds {
            *acked += 10;
            smallest.add(Time::from_us(us + 5), *acked, *acked + 9);
            smallest.add(Time::from_us(us), *acked + 5, *acked + 14);
        }
    }

    #[test]
    fn a_round_trip_is_forgotten_after_32_to_64_rounds() {
        let (mut smallest, mut acked) = (Smallest::NONE, 0);
        assert_eq!(smallest.get(), None);
        rounds(&mut smallest, &mut acked, 1, 100);
        rounds(&mut smallest, &mut acked, 63, 300);
        assert_eq!(smallest.get(), Some(Time::from_us(100)));
        rounds(&mut smallest, &mut acked, 1, 300);
        assert_eq!(smallest.get(), Some(Time::from_us(300)));
        // The last of 32 rounds is remembered for another 32.
        rounds(&mut smallest, &mut acked, 31, 50);
        rounds(&mut smallest, &mut acked, 32, 300);
        assert_eq!(smallest.get(), Some(Time::from_us(50)));
        rounds(&mut smallest, &mut acked, 1, 300);
        assert_eq!(smallest.get(), Some(Time::from_us(300)));
    }

    #[test]
    fn a_shorter_path_counts_at_its_first_round_trip() {
        let (mut smallest, mut acked) = (Smallest::NONE, 0);
        rounds(&mut smallest, &mut acked, 40, 300);
        smallest.add(Time::from_us(20), acked, acked);
        assert_eq!(smallest.get(), Some(Time::from_us(20)));
    }
}
