//! Interval between checkpoints: in simulated time or in wall-clock time.

use sidestep_types::{Quantity, Time, Unit, parse_quantity};
use std::time::{Duration, Instant};

/// Interval between checkpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckpointInterval {
    /// A checkpoint at every multiple of this simulated time.
    Simulated(Time),
    /// A checkpoint when this much wall-clock time has passed since the last one.
    Clock(Duration),
}

/// Time at which the next checkpoint is due.
pub(super) struct Due {
    /// Simulated time at which the run stops at the latest.
    pub at: Time,
    clock: Option<Instant>,
}

impl CheckpointInterval {
    /// Reads `10 ms` as simulated time and `clock 5 min` as wall-clock time.
    ///
    /// Errors state the expected form. Simulated time uses the units of scenarios, wall-clock time `s`, `min`
    /// and `h`.
    pub fn parse(text: &str) -> Result<CheckpointInterval, String> {
        let refuse = |what: &str| {
            Err(format!(
                "{what}, got {text:?}; write simulated time as \"10 ms\", wall-clock time as \
                 \"clock 5 min\""
            ))
        };
        let text = text.trim();
        let Some(clock) = text.strip_prefix("clock ") else {
            return match parse_quantity(text, Unit::Time) {
                Ok(Quantity::Time(Time::ZERO)) => refuse("expected a time above 0"),
                Ok(Quantity::Time(time)) => Ok(CheckpointInterval::Simulated(time)),
                _ => refuse("expected a time"),
            };
        };
        let clock = clock.trim();
        let unit_at = clock.find(|c: char| c.is_ascii_alphabetic());
        let (number, unit) = clock.split_at(unit_at.unwrap_or(clock.len()));
        let seconds = match unit {
            "s" => 1,
            "min" => 60,
            "h" => 3600,
            _ => return refuse("expected a unit of s, min or h after the number"),
        };
        let number = number.trim().parse::<u64>().ok();
        match number.and_then(|number| number.checked_mul(seconds)) {
            Some(0) => refuse("expected a time above 0"),
            Some(seconds) => Ok(CheckpointInterval::Clock(Duration::from_secs(seconds))),
            None => refuse("expected a whole number of s, min or h"),
        }
    }

    /// Returns when the next checkpoint is due, after one at simulated time `now` and wall-clock time `clock`.
    pub(super) fn after(self, now: Time, clock: Instant) -> Due {
        match self {
            CheckpointInterval::Simulated(every) => {
                let next = (now.ps() / every.ps())
                    .saturating_add(1)
                    .saturating_mul(every.ps());
                Due {
                    at: Time::from_ps(next),
                    clock: None,
                }
            }
            CheckpointInterval::Clock(every) => Due {
                at: Time::MAX,
                clock: clock.checked_add(every),
            },
        }
    }
}

impl Due {
    pub fn is_now(&self, now: Time, clock: Instant) -> bool {
        now >= self.at || self.clock.is_some_and(|due| clock >= due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_simulated_or_of_the_clock() {
        let simulated = |us| Ok(CheckpointInterval::Simulated(Time::from_us(us)));
        let clock = |s| Ok(CheckpointInterval::Clock(Duration::from_secs(s)));
        assert_eq!(CheckpointInterval::parse("10 ms"), simulated(10_000));
        assert_eq!(CheckpointInterval::parse("clock 5 min"), clock(300));
        assert_eq!(CheckpointInterval::parse("clock 2h"), clock(7200));
        for wrong in [
            "",
            "0 s",
            "10",
            "clock",
            "clock 0 s",
            "clock 5 ms",
            "clock 5",
            "clock -1 s",
        ] {
            let said = CheckpointInterval::parse(wrong).expect_err(wrong);
            assert!(said.contains(&format!("{wrong:?}")), "{said}");
        }
    }

    #[test]
    fn the_next_one_is_at_a_multiple_or_when_the_clock_has_gone_on() {
        let (now, clock) = (Time::from_us(25), Instant::now());
        let due = CheckpointInterval::Simulated(Time::from_us(10)).after(now, clock);
        assert_eq!(due.at, Time::from_us(30));
        assert!(!due.is_now(Time::from_us(29), clock) && due.is_now(Time::from_us(30), clock));
        let due = CheckpointInterval::Simulated(Time::from_us(10)).after(Time::from_us(30), clock);
        assert_eq!(due.at, Time::from_us(40));
        let due = CheckpointInterval::Clock(Duration::from_secs(60)).after(now, clock);
        assert!(!due.is_now(Time::MAX.saturating_sub(now), clock));
        assert!(due.is_now(now, clock + Duration::from_secs(60)));
    }
}
