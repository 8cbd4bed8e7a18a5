//! Lateness of departures: the end of the call that sends a frame, with up to 63 others, minus its due time.
//! And lateness of reading: the time when the loop turned to its ports, minus the time when the kernel had the
//! frame.
//!
//! **Decision**   a stall is a span of time, not a number of frames: it lasts from the due time of the first
//!                frame that is more than [`STALL`] late to the end of the last such frame. A loop that stops
//!                while nothing is due causes no stall.
//! **Units**      times of the switch's clock.

use hdrhistogram::Histogram;
use sidestep_types::Time;

/// Lateness above which a frame counts as late.
pub const STALL: Time = Time::from_ms(1);

/// Spans in which a late frame waited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stalls {
    frames: u64,
    spans: u64,
    time: Time,
    /// End of the last span.
    until: Time,
}

impl Stalls {
    /// Records a frame that was `due` and `done` at these times.
    #[inline]
    pub fn record(&mut self, due: Time, done: Time) {
        if done.saturating_sub(due) > STALL {
            self.add(due, done);
        }
    }

    #[cold]
    fn add(&mut self, due: Time, done: Time) {
        self.frames += 1;
        // A frame due during the last span, or at its end, belongs to that span.
        self.spans += u64::from(self.spans == 0 || due > self.until);
        let more = done.saturating_sub(due.max(self.until));
        self.time = self.time.saturating_add(more);
        self.until = self.until.max(done);
    }

    /// Returns the number of late frames.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Returns the number of spans.
    pub fn spans(&self) -> u64 {
        self.spans
    }

    /// Returns the total length of the spans.
    pub fn time(&self) -> Time {
        self.time
    }
}

/// Lateness of all departures, or of all readings, in nanoseconds with three digits.
#[derive(Clone, Debug)]
pub struct Lateness {
    histogram: Histogram<u64>,
    stalls: Stalls,
}

impl Default for Lateness {
    fn default() -> Lateness {
        const MINUTE_NS: u64 = 60_000_000_000;
        Lateness {
            histogram: Histogram::new_with_bounds(1, MINUTE_NS, 3)
                .expect("a lowest value of 1 and three digits are allowed"),
            stalls: Stalls::default(),
        }
    }
}

impl Lateness {
    /// Records one frame that was `due`, and was sent or read at `done`.
    #[inline]
    pub fn record(&mut self, due: Time, done: Time) {
        let late = done.saturating_sub(due);
        self.histogram.saturating_record(late.as_ns());
        self.stalls.record(due, done);
    }

    /// Returns the number of frames so far.
    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// Returns the stalls: late frames, and their spans.
    pub fn stalls(&self) -> &Stalls {
        &self.stalls
    }

    /// Returns the maximum, in nanoseconds.
    pub fn max_ns(&self) -> u64 {
        self.histogram.max()
    }

    /// Returns the lateness in nanoseconds that a share `quantile`, 0 to 1, of the frames does not exceed.
    pub fn quantile_ns(&self, quantile: f64) -> u64 {
        self.histogram.value_at_quantile(quantile)
    }

    /// Returns the sum of all lateness, in nanoseconds.
    pub fn sum_ns(&self) -> f64 {
        self.histogram.mean() * self.histogram.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_later_than_a_millisecond_is_late() {
        let mut lateness = Lateness::default();
        for us in [1, 2, 3, 1000] {
            lateness.record(Time::from_us(50), Time::from_us(50 + us));
        }
        assert_eq!(lateness.stalls(), &Stalls::default());
        lateness.record(Time::ZERO, Time::from_us(1001));
        assert_eq!((lateness.count(), lateness.stalls().frames()), (5, 1));
        let half = lateness.quantile_ns(0.5);
        assert!((3000..3010).contains(&half), "{half}");
        assert!(lateness.max_ns() >= 1_001_000);
    }

    #[test]
    fn frames_of_one_stop_are_one_stall_as_long_as_the_first_waited() {
        let mut stalls = Stalls::default();
        let ms = Time::from_ms;
        // Stopped from 10 to 60: frames were due at 12, 13 and 59.5, and are sent one after the other.
        stalls.record(ms(12), ms(60));
        stalls.record(ms(13), ms(60));
        stalls.record(Time::from_us(59_500), Time::from_us(60_100));
        // Still behind: due before the end of the late frames, and late itself.
        stalls.record(ms(59), ms(62));
        assert_eq!((stalls.frames(), stalls.spans()), (3, 1));
        assert_eq!(stalls.time(), ms(50));
        // Another stop, with one late frame.
        stalls.record(ms(100), ms(105));
        assert_eq!((stalls.frames(), stalls.spans()), (4, 2));
        assert_eq!(stalls.time(), ms(55));
    }
}
