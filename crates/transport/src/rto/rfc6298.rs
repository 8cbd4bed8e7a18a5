//! RFC 6298: smoothed round trip plus four mean deviations.
//!
//! **Decision**     SRTT + max(G, 4 RTTVAR); gains 1/8 and 1/4; first sample R gives R and R/2.
//! **State**        8 SRTT and 4 RTTVAR, so that gains lose no picosecond (as in Jacobson's
//!                  appendix A).
//! **Units**        picoseconds.
//! **Errors**       none.
//! **Source**       RFC 6298 section 2.
//! **Deviations**   samples are exact; G bounds the variance term and quantises nothing.

use sidestep_types::Entry;

use super::{Estimate, LONGEST};
use crate::RtoConfig;

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Rfc6298 {
    /// Zero before the first sample, together with `rttvar4`.
    srtt8: u64,
    rttvar4: u64,
    granularity: u64,
    sampled: bool,
}

impl Estimate for Rfc6298 {
    const ENTRY: Entry = Entry {
        name: "rfc6298",
        summary: "SRTT + 4 RTTVAR with gains 1/8 and 1/4",
        source: "RFC 6298 section 2",
        params: &[],
    };

    fn new(config: &RtoConfig) -> Rfc6298 {
        Rfc6298 {
            srtt8: 0,
            rttvar4: 0,
            granularity: config.granularity.ps().min(LONGEST),
            sampled: false,
        }
    }

    #[inline]
    fn sample(&mut self, rtt: u64, _first_unacked: u64, _next_seq: u64) -> u64 {
        if self.sampled {
            let srtt = self.srtt8 >> 3;
            self.rttvar4 = self.rttvar4 - (self.rttvar4 >> 2) + rtt.abs_diff(srtt);
            self.srtt8 = self.srtt8 - srtt + rtt;
        } else {
            self.sampled = true;
            self.srtt8 = rtt << 3;
            self.rttvar4 = rtt << 1;
        }
        (self.srtt8 >> 3) + self.rttvar4.max(self.granularity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BackoffEnds, Estimator};
    use sidestep_types::Time;

    #[test]
    fn the_first_samples_follow_section_2() {
        let mut e = Rfc6298::new(&RtoConfig {
            estimator: Estimator::Rfc6298,
            min: Time::ZERO,
            initial: Time::from_s(1),
            max: Time::from_s(60),
            granularity: Time::from_ps(300),
            backoff: true,
            backoff_ends: BackoffEnds::AsEstimator,
            jiffy: None,
        });
        // SRTT 800, RTTVAR 400.
        assert_eq!(e.sample(800, 1, 2), 800 + 4 * 400);
        // RTTVAR 3/4*400 + 1/4*|800-1600| = 500, SRTT 7/8*800 + 1/8*1600 = 900.
        assert_eq!(e.sample(1600, 2, 3), 900 + 4 * 500);
        // Equal samples let the variance decay; G remains.
        let last = (0..500).map(|i| e.sample(900, i, i)).last();
        assert_eq!(last, Some(900 + 300));
    }
}
