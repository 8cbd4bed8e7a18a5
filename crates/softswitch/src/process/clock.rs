//! The clock of a switch.

use sidestep_types::Time;

/// Last usable time of a clock: an hour before [`Time`] ends, 213 days.
pub const END: Time = Time::from_ps(Time::MAX.ps() - Time::from_s(3600).ps());

/// Clock that counts from its start, by CLOCK_MONOTONIC. Not to be used after [`END`].
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start_ns: u64,
}

impl Clock {
    /// Starts a clock now.
    pub fn start() -> Clock {
        Clock {
            start_ns: nanoseconds(libc::CLOCK_MONOTONIC),
        }
    }

    /// Returns a clock started `ago`, possibly before this machine booted.
    #[cfg(test)]
    pub fn started(ago: Time) -> Clock {
        Clock {
            start_ns: nanoseconds(libc::CLOCK_MONOTONIC).wrapping_sub(ago.as_ns()),
        }
    }

    /// Returns the present time.
    #[inline]
    pub fn now(&self) -> Time {
        Time::from_ns(nanoseconds(libc::CLOCK_MONOTONIC).wrapping_sub(self.start_ns))
    }

    /// Returns the start of the clock, in nanoseconds of CLOCK_MONOTONIC.
    pub fn started_ns(&self) -> u64 {
        self.start_ns
    }

    /// Reads the time of day, which the kernel stamps frames with, and this clock before and after it.
    #[inline]
    pub fn read(&self) -> Reading {
        let before = self.now();
        let day_ns = nanoseconds(libc::CLOCK_REALTIME);
        Reading {
            before,
            day_ns,
            after: self.now(),
        }
    }

    /// Returns the time of day at which this clock was zero, in nanoseconds since 1970.
    pub fn day_ns(&self) -> u64 {
        nanoseconds(libc::CLOCK_REALTIME).saturating_sub(self.now().as_ns())
    }
}

/// Reading of both clocks, as nearly at once as an interruptible thread can read them.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// Time of the switch's clock before the time of day was read.
    pub before: Time,
    /// Time of day, in nanoseconds since 1970.
    pub day_ns: u64,
    /// Time of the switch's clock after the time of day was read.
    pub after: Time,
}

fn nanoseconds(clock: libc::clockid_t) -> u64 {
    // SAFETY: the kernel fills the whole of `now`; both clocks always exist.
    let now = unsafe {
        let mut now: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(clock, &raw mut now);
        now
    };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}
