//! Scheduling class of the loop: it runs at once when due, but not at the cost of everything else.
//!
//! The kernel takes a real-time thread that never sleeps off its core for 50 ms in each second. A loop that has
//! not slept for a while therefore becomes an ordinary thread until it sleeps again; a loop that polls all the
//! time is an ordinary thread from the start.

use crate::io::sys::answer;
use sidestep_types::Time;
use std::io;

/// Lowest of the real-time priorities: above every ordinary thread.
const PRIORITY: i32 = 1;
/// Time under SCHED_FIFO without sleep after which the 95 % limit is near.
const PATIENCE: Time = Time::from_ms(200);

/// Scheduling class of the calling thread.
#[derive(Debug)]
pub struct Priority {
    /// True if it may be SCHED_FIFO.
    wanted: bool,
    /// True while it is SCHED_FIFO.
    high: bool,
    awake_since: Time,
    lowered: u64,
}

impl Priority {
    /// Makes the calling thread SCHED_FIFO. It may return to it later without privileges.
    pub fn realtime() -> io::Result<Priority> {
        let limit = libc::rlimit {
            rlim_cur: PRIORITY as u64,
            rlim_max: PRIORITY as u64,
        };
        // SAFETY: the kernel reads `limit`. If this fails, the first lowering is permanent.
        unsafe { libc::setrlimit(libc::RLIMIT_RTPRIO, &raw const limit) };
        schedule(libc::SCHED_FIFO, PRIORITY)?;
        Ok(Priority {
            wanted: true,
            high: true,
            awake_since: Time::ZERO,
            lowered: 0,
        })
    }

    /// Leaves the thread an ordinary one.
    pub fn ordinary() -> Priority {
        Priority {
            wanted: false,
            high: false,
            awake_since: Time::ZERO,
            lowered: 0,
        }
    }

    /// Records that the loop ran and did not sleep.
    #[inline]
    pub fn ran(&mut self, now: Time) {
        if self.high && now.saturating_sub(self.awake_since) > PATIENCE {
            self.high = schedule(libc::SCHED_OTHER, 0).is_err();
            self.lowered += 1;
            self.awake_since = now;
        }
    }

    /// Records that the loop slept until `now`.
    #[inline]
    pub fn slept(&mut self, now: Time) {
        if self.wanted && !self.high && now.saturating_sub(self.awake_since) > PATIENCE {
            self.high = schedule(libc::SCHED_FIFO, PRIORITY).is_ok();
            self.wanted = self.high;
        }
        if self.high {
            self.awake_since = now;
        }
    }

    /// Returns how often the thread was lowered because it did not sleep.
    pub fn lowered(&self) -> u64 {
        self.lowered
    }
}

/// Sets the scheduling class. Threads started later are ordinary ones.
fn schedule(policy: i32, priority: i32) -> io::Result<()> {
    let policy = policy | libc::SCHED_RESET_ON_FORK;
    let parameters = libc::sched_param {
        sched_priority: priority,
    };
    // SAFETY: the kernel reads `parameters`; 0 is the calling thread.
    let done = unsafe { libc::sched_setscheduler(0, policy, &raw const parameters) };
    answer(done).map(|_| ())
}

/// Disables timer slack: sleeps of the calling thread end on time, not up to 50 us later.
pub fn no_timer_slack() {
    // SAFETY: no memory is passed.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1 as libc::c_ulong) };
}

/// Locks all memory of the process, present and future, so that it is never swapped out.
///
/// The limit is lifted first: without privileges later, further allocations would be refused.
pub fn lock_memory() -> io::Result<()> {
    let limit = libc::rlimit {
        rlim_cur: libc::RLIM_INFINITY,
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: the kernel reads `limit`.
    answer(unsafe { libc::setrlimit(libc::RLIMIT_MEMLOCK, &raw const limit) })?;
    // SAFETY: no memory is passed.
    answer(unsafe { libc::mlockall(libc::MCL_CURRENT | libc::MCL_FUTURE) }).map(|_| ())
}
