//! The factor between the network that is emulated and what this machine can pace.

use sidestep_types::{BitRate, Time};

/// A network's times are longer, and its rates smaller, by `model / bed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// A link of the network.
    pub model: BitRate,
    /// The same on this machine.
    pub bed: BitRate,
}

impl Scale {
    /// How many times slower the testbed is.
    pub fn factor(self) -> f64 {
        self.model.as_bps() as f64 / self.bed.as_bps() as f64
    }

    /// A rate of the network as it is here, rounded down to whole bits per second.
    pub fn rate(self, rate: BitRate) -> u64 {
        let scaled = times(rate.as_bps(), self.bed.as_bps(), self.model.as_bps());
        scaled.max(1)
    }

    /// A time of the network as it is here, in nanoseconds, rounded down.
    pub fn here_ns(self, time: Time) -> u64 {
        times(time.as_ns(), self.model.as_bps(), self.bed.as_bps())
    }

    /// A time that was measured here as it is in the network.
    pub fn there(self, ns: u64) -> Time {
        self.there_ps(ns.saturating_mul(1000))
    }

    /// The same of picoseconds.
    pub fn there_ps(self, ps: u64) -> Time {
        Time::from_ps(times(ps, self.bed.as_bps(), self.model.as_bps()))
    }
}

/// `n × by / over`, in 128 bits, stopping at the largest.
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
