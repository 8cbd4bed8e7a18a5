//! The clock of a switch.

use sidestep_types::Time;

/// A clock is not to be used after this: an hour before [`Time`] ends, 213 days.
pub const END: Time = Time::from_ps(Time::MAX.ps() - Time::from_s(3600).ps());

/// Time since the clock was made, by CLOCK_MONOTONIC. Not to be used after [`END`].
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start_ns: u64,
}

impl Clock {
    /// Starts now.
    pub fn start() -> Clock {
        Clock {
            start_ns: nanoseconds(libc::CLOCK_MONOTONIC),
        }
    }

    /// A clock that was started `ago`, perhaps before this machine was.
    #[cfg(test)]
    pub fn started(ago: Time) -> Clock {
        Clock {
            start_ns: nanoseconds(libc::CLOCK_MONOTONIC).wrapping_sub(ago.as_ns()),
        }
    }

    /// Now.
    #[inline]
    pub fn now(&self) -> Time {
        Time::from_ns(nanoseconds(libc::CLOCK_MONOTONIC).wrapping_sub(self.start_ns))
    }

    /// When it was started, in nanoseconds of CLOCK_MONOTONIC.
    pub fn started_ns(&self) -> u64 {
        self.start_ns
    }

    /// The time of day, which the kernel stamps frames with, and now before and after it was read.
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

    /// How far this clock is behind the time of day, in nanoseconds since 1970.
    pub fn day_ns(&self) -> u64 {
        nanoseconds(libc::CLOCK_REALTIME).saturating_sub(self.now().as_ns())
    }
}

/// Both clocks, as nearly at once as a thread that may be interrupted can read them.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// Of the switch's clock, before the other was read.
    pub before: Time,
    /// The time of day, in nanoseconds since 1970.
    pub day_ns: u64,
    /// Of the switch's clock, after the other was read.
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
