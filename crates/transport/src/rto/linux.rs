//! Linux: the largest deviation of a round trip, and a floor under the variance.
//!
//! **Decision**     SRTT + rttvar, where rttvar follows the largest smoothed deviation of
//!                  each window of data, falls by a quarter of the difference per window, and is
//!                  never below `min`: an idle path gives RTT + `min`, not `min`.
//! **State**        8 SRTT, 4 mdev, its maximum in this window, rttvar, the window's end.
//! **Units**        picoseconds (Linux: microseconds).
//! **Errors**       none.
//! **Source**       Linux `net/ipv4/tcp_input.c`, `tcp_rtt_estimator` and `__tcp_set_rto`.
//! **Deviations**   the result is not rounded up to jiffies.

use sidestep_types::Entry;

use super::{Estimate, LONGEST};
use crate::RtoConfig;

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Linux {
    /// Zero before the first sample.
    srtt8: u64,
    mdev4: u64,
    mdev_max: u64,
    rttvar: u64,
    window_end: u64,
    min: u64,
}

impl Estimate for Linux {
    const ENTRY: Entry = Entry {
        name: "linux",
        summary: "SRTT + the largest deviation of a round trip, with min as lower bound of the \
                  deviation",
        source: "Linux net/ipv4/tcp_input.c, tcp_rtt_estimator",
        params: &[],
    };

    fn new(config: &RtoConfig) -> Linux {
        Linux {
            srtt8: 0,
            mdev4: 0,
            mdev_max: 0,
            rttvar: 0,
            window_end: 0,
            min: config.min.ps().min(LONGEST),
        }
    }

    #[inline]
    fn sample(&mut self, rtt: u64, first_unacked: u64, next_seq: u64) -> u64 {
        if self.srtt8 == 0 {
            self.srtt8 = (rtt << 3).max(1);
            self.mdev4 = rtt << 1; // a timeout of three round trips
            self.rttvar = self.mdev4.max(self.min);
            self.mdev_max = self.rttvar;
            self.window_end = next_seq;
        } else {
            self.update(rtt);
            if first_unacked > self.window_end {
                self.end_window(next_seq);
            }
        }
        (self.srtt8 >> 3) + self.rttvar
    }
}

impl Linux {
    #[inline]
    fn update(&mut self, rtt: u64) {
        let srtt = self.srtt8 >> 3;
        self.srtt8 = (self.srtt8 - srtt + rtt).max(1);
        let deviation = rtt.abs_diff(srtt);
        let mean = self.mdev4 >> 2;
        // A shrinking round trip must not look like jitter: it counts for an eighth (Eifel).
        let grow = match deviation.saturating_sub(mean) {
            more if rtt < srtt => more >> 3,
            more => more,
        };
        self.mdev4 = self.mdev4 + grow - mean.saturating_sub(deviation);
        if self.mdev4 > self.mdev_max {
            self.mdev_max = self.mdev4;
            self.rttvar = self.rttvar.max(self.mdev_max);
        }
    }

    fn end_window(&mut self, next_seq: u64) {
        if self.mdev_max < self.rttvar {
            self.rttvar -= (self.rttvar - self.mdev_max) >> 2;
        }
        self.window_end = next_seq;
        self.mdev_max = self.min;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BackoffEnds, Estimator};
    use sidestep_types::Time;

    fn linux(min: u64) -> Linux {
        Linux::new(&RtoConfig {
            estimator: Estimator::Linux,
            min: Time::from_ps(min),
            initial: Time::from_s(1),
            max: Time::from_s(120),
            granularity: Time::ZERO,
            backoff: true,
            backoff_ends: BackoffEnds::AsEstimator,
            jiffy: None,
        })
    }

    #[test]
    fn the_first_timeout_is_three_round_trips() {
        assert_eq!(linux(0).sample(1000, 1, 10), 3000);
    }

    #[test]
    fn on_a_quiet_path_the_minimum_is_added_to_the_round_trip() {
        let mut e = linux(200_000);
        let last = (1..2000)
            .map(|i| e.sample(1000, i * 10, i * 10 + 10))
            .last();
        assert_eq!(last, Some(1000 + 200_000));
    }

    #[test]
    fn a_shrinking_round_trip_counts_for_an_eighth() {
        let mut e = linux(0);
        e.sample(8000, 1, 10); // srtt 8000, mdev4 16000
        // |0 - 8000| - 4000 = 4000, an eighth of it is 500; within the window rttvar only rises.
        assert_eq!(e.sample(0, 2, 11), 7000 + 16_500);
        assert_eq!(e.mdev4, 16_500);
    }

    #[test]
    fn the_variance_falls_once_per_window() {
        let mut e = linux(0);
        e.sample(8000, 1, 10);
        e.sample(8000, 5, 20); // mdev4 16000 - 4000, still in the first window
        assert_eq!((e.mdev4, e.rttvar), (12_000, 16_000));
        e.sample(8000, 11, 30); // the window ends; its maximum is still the first 16000
        assert_eq!((e.mdev4, e.rttvar), (9000, 16_000));
        e.sample(8000, 31, 50); // this window's maximum: 6750
        assert_eq!(e.rttvar, 16_000 - (16_000 - 6750) / 4);
    }
}
