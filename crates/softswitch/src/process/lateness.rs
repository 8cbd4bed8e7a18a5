//! How late frames leave: the end of the call that sends a frame, with up to 63 others, less when
//! it was due. And how late they are read: the time when the loop turned to its ports, less when
//! the kernel had the frame.

use hdrhistogram::Histogram;
use sidestep_types::Time;

/// Departures and readings later than this are stalls: a run with one says nothing about the network.
pub const STALL: Time = Time::from_ms(1);

/// Lateness of all departures, or of all readings, in nanoseconds with three digits.
#[derive(Clone, Debug)]
pub struct Lateness {
    histogram: Histogram<u64>,
    stalls: u64,
}

impl Default for Lateness {
    fn default() -> Lateness {
        const MINUTE_NS: u64 = 60_000_000_000;
        Lateness {
            histogram: Histogram::new_with_bounds(1, MINUTE_NS, 3)
                .expect("a lowest value of 1 and three digits are allowed"),
            stalls: 0,
        }
    }
}

impl Lateness {
    /// One frame was sent, or read, `late`.
    #[inline]
    pub fn record(&mut self, late: Time) {
        self.histogram.saturating_record(late.as_ns());
        if late > STALL {
            self.stalls += 1;
        }
    }

    /// Frames so far.
    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// Frames later than [`STALL`].
    pub fn stalls(&self) -> u64 {
        self.stalls
    }

    /// The latest, in nanoseconds.
    pub fn max_ns(&self) -> u64 {
        self.histogram.max()
    }

    /// Lateness in nanoseconds that a share `quantile`, 0 to 1, of the frames do not exceed.
    pub fn quantile_ns(&self, quantile: f64) -> u64 {
        self.histogram.value_at_quantile(quantile)
    }

    /// All lateness together, in nanoseconds.
    pub fn sum_ns(&self) -> f64 {
        self.histogram.mean() * self.histogram.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_later_than_a_millisecond_is_a_stall() {
        let mut lateness = Lateness::default();
        for us in [1, 2, 3, 1000] {
            lateness.record(Time::from_us(us));
        }
        lateness.record(Time::from_us(1001));
        assert_eq!((lateness.count(), lateness.stalls()), (5, 1));
        let half = lateness.quantile_ns(0.5);
        assert!((3000..3010).contains(&half), "{half}");
        assert!(lateness.max_ns() >= 1_001_000);
    }
}
