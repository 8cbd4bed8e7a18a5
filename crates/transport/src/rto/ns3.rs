//! ns-3: RFC 6298 with Jacobson's truncating shifts on whole nanoseconds.
//!
//! **Decision**     estimate + max(G, 4 variation); gains 1/8 and 1/4; first sample R gives R and R/2.
//! **State**        estimate and variation.
//! **Units**        nanoseconds, ns-3's default resolution; a sample is rounded down to a whole nanosecond.
//! **Errors**       none.
//! **Source**       ns-3 `RttMeanDeviation::IntegerUpdate`, `TcpSocketBase::EstimateRtt`.
//! **Deviations**   none known. `rfc6298` differs in that it does not truncate, and in the end of a
//!                  back-off: in ns-3 every acknowledgement of new data computes the timeout anew
//!                  (`TcpSocketBase::NewAck`), even without a sample.

use sidestep_types::Entry;

use super::{Estimate, LONGEST};
use crate::RtoConfig;

const PS_PER_NS: u64 = 1000;

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Ns3 {
    estimate: u64,
    variation: u64,
    granularity_ps: u64,
    sampled: bool,
}

impl Estimate for Ns3 {
    const ENTRY: Entry = Entry {
        name: "ns3",
        summary: "RFC 6298 in whole nanoseconds with truncating shifts",
        source: "ns-3 src/internet/model/rtt-estimator.cc, RttMeanDeviation",
        params: &[],
    };
    const BACKOFF_ENDS_AT_ACK: bool = true;

    fn new(config: &RtoConfig) -> Ns3 {
        Ns3 {
            estimate: 0,
            variation: 0,
            granularity_ps: config.granularity.ps().min(LONGEST),
            sampled: false,
        }
    }

    #[inline]
    fn sample(&mut self, rtt: u64, _first_unacked: u64, _next_seq: u64) -> u64 {
        let rtt = rtt / PS_PER_NS;
        if self.sampled {
            let delta = rtt.abs_diff(self.estimate);
            self.estimate = ((self.estimate << 3) - self.estimate + rtt) >> 3;
            self.variation = ((self.variation << 2) - self.variation + delta) >> 2;
        } else {
            self.sampled = true;
            self.estimate = rtt;
            self.variation = rtt / 2;
        }
        self.estimate * PS_PER_NS + (self.variation * 4 * PS_PER_NS).max(self.granularity_ps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BackoffEnds, Estimator};
    use sidestep_types::Time;

    #[test]
    fn shifts_truncate_whole_nanoseconds() {
        let mut e = Ns3::new(&RtoConfig {
            estimator: Estimator::Ns3,
            min: Time::ZERO,
            initial: Time::from_s(1),
            max: Time::from_s(60),
            granularity: Time::ZERO,
            backoff: true,
            backoff_ends: BackoffEnds::AsEstimator,
            jiffy: None,
        });
        // 101.9 ns counts as 101; half of that as 50.
        assert_eq!(e.sample(101_900, 1, 2), (101 + 4 * 50) * 1000);
        // (7*101 + 204)/8 = 113.875; (3*50 + 103)/4 = 63.25.
        assert_eq!(e.sample(204_000, 2, 3), (113 + 4 * 63) * 1000);
    }
}
