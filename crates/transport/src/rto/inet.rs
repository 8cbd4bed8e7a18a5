//! INET: a variance that starts at a quarter of the initial timeout and decays slowly.
//!
//! **Decision**     SRTT + 4 RTTVAR with gain 1/8 for both, from SRTT 0 and RTTVAR
//!                  `initial`/4. So n clean samples of a short round trip give (7/8)^n of
//!                  the initial timeout: with 1 s, 0.875, 0.766, 0.670 s.
//! **State**        8 SRTT and 8 RTTVAR.
//! **Units**        picoseconds.
//! **Errors**       none.
//! **Source**       INET 3/4 `TcpBaseAlg::rttMeasurementComplete` and `processRexmitTimer`.
//! **Deviations**   exact shifts where INET multiplies doubles.
//!
//! The back-off is the ordinary doubling (`rexmit_timeout += rexmit_timeout`): a segment
//! lost twice waits one timeout and then two, three in all. These sums are the 2.625, 2.297 and
//! 2.010 s in the tails of Vertigo's figures.

use sidestep_types::Entry;

use super::{Estimate, LONGEST};
use crate::RtoConfig;

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Inet {
    srtt8: u64,
    rttvar8: u64,
}

impl Estimate for Inet {
    const ENTRY: Entry = Entry {
        name: "inet",
        summary: "SRTT + 4 RTTVAR, gain 1/8 for both, RTTVAR from a quarter of the initial timeout",
        source: "INET 3/4 src/inet/transportlayer/tcp/flavours/TcpBaseAlg.cc",
        params: &[],
    };

    fn new(config: &RtoConfig) -> Inet {
        Inet {
            srtt8: 0,
            rttvar8: config.initial.ps().min(LONGEST) * 2,
        }
    }

    #[inline]
    fn sample(&mut self, rtt: u64, _first_unacked: u64, _next_seq: u64) -> u64 {
        let srtt = self.srtt8 >> 3;
        self.srtt8 = self.srtt8 - srtt + rtt;
        self.rttvar8 = self.rttvar8 - (self.rttvar8 >> 3) + rtt.abs_diff(srtt);
        (self.srtt8 >> 3) + (self.rttvar8 >> 1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Timer;
    use crate::{BackoffEnds, Estimator, RtoConfig};
    use sidestep_types::Time;

    /// Returns the timeout after `samples` clean round trips of 20 ns, and the time at which a second timeout
    /// expires.
    fn rung(samples: u64) -> (String, String) {
        let mut timer = Timer::new(&RtoConfig {
            estimator: Estimator::Inet,
            min: Time::from_ms(10),
            initial: Time::from_s(1),
            max: Time::from_s(240),
            granularity: Time::ZERO,
            backoff: true,
            backoff_ends: BackoffEnds::AsEstimator,
            jiffy: None,
        });
        (0..samples).for_each(|i| timer.sample(Time::from_ns(20), i, i + 1));
        timer.restart(Time::ZERO);
        let first = timer.deadline().expect("it runs");
        timer.expire(first, true);
        let second = timer.deadline().expect("it runs");
        let text = |t: Time| format!("{:.3}", t.as_s_f64());
        (text(first), text(second))
    }

    #[test]
    fn clean_samples_walk_down_vertigos_ladder() {
        let expect = |a: &str, b: &str| (a.to_string(), b.to_string());
        assert_eq!(rung(1), expect("0.875", "2.625"));
        assert_eq!(rung(2), expect("0.766", "2.297"));
        assert_eq!(rung(3), expect("0.670", "2.010"));
    }
}
