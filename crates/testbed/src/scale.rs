//! Scale factor between the emulated network and this machine's pace.

use sidestep_types::{BitRate, Time};

/// Scale of a testbed: times are longer, and rates smaller, by `model / bed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// Rate of a link in the network.
    pub model: BitRate,
    /// Rate of the same link on this machine.
    pub bed: BitRate,
}

impl Scale {
    /// Returns the slow-down of the testbed.
    pub fn factor(self) -> f64 {
        self.model.as_bps() as f64 / self.bed.as_bps() as f64
    }

    /// Converts a rate of the network to this machine, rounded down to whole bits per second, at least 1.
    pub fn rate(self, rate: BitRate) -> u64 {
        let scaled = times(rate.as_bps(), self.bed.as_bps(), self.model.as_bps());
        scaled.max(1)
    }

    /// Converts a time of the network to this machine, in nanoseconds, rounded down.
    pub fn here_ns(self, time: Time) -> u64 {
        times(time.as_ns(), self.model.as_bps(), self.bed.as_bps())
    }

    /// Converts a time measured here, in nanoseconds, to the network.
    pub fn there(self, ns: u64) -> Time {
        self.there_ps(ns.saturating_mul(1000))
    }

    /// Converts a time measured here, in picoseconds, to the network.
    pub fn there_ps(self, ps: u64) -> Time {
        Time::from_ps(times(ps, self.bed.as_bps(), self.model.as_bps()))
    }
}

/// Returns `n × by / over`, computed in 128 bits and capped at `u64::MAX`.
fn times(n: u64, by: u64, over: u64) -> u64 {
    let exact = u128::from(n) * u128::from(by) / u128::from(over.max(1));
    u64::try_from(exact).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_times_slower_is_ten_times_longer() {
        let scale = Scale {
            model: BitRate::gbps(1),
            bed: BitRate::mbps(100),
        };
        assert_eq!(scale.factor(), 10.0);
        assert_eq!(scale.rate(BitRate::gbps(10)), 1_000_000_000);
        assert_eq!(scale.here_ns(Time::from_us(1)), 10_000);
        assert_eq!(scale.there(135_000_000), Time::from_us(13_500));
    }
}
