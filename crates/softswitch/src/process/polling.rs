//! Polling in place of a short sleep: waking up takes longer than forwarding a frame.
//!
//! **Decision**  for `most` after the last frame, and before the next departure, the loop polls. Otherwise it
//!               sleeps: until a frame arrives, or until `most` before the departure.
//! **Limit**     a loop that was awake for half of the present [`WINDOW`] does not poll in the rest of it.
//!               Polling thus never takes more than half of a core, and a real-time thread stays far from the
//!               95 % at which the kernel takes it off its core.
//! **State**     time of the last work; time slept in this window.
//! **Units**     picoseconds of the loop's clock.

use sidestep_types::Time;
use std::fmt;

/// Length of the window in which polling is limited.
const WINDOW: Time = Time::from_ms(10);
/// Time awake in a window after which the loop does not poll.
const AWAKE: Time = Time::from_ms(5);
/// Longest sleep, so that the loop does not sleep past the end of the clock.
const LONGEST_SLEEP: Time = Time::from_s(60);

/// Action of the loop when no frame is there and none is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idle {
    /// Looks again at once.
    Poll,
    /// Sleeps for so long, or until something happens.
    Sleep(Time),
}

/// Decision between polling and sleeping; see the module.
#[derive(Debug)]
pub struct Polling {
    most: Time,
    /// Time of the last work.
    worked: Option<Time>,
    /// Start of the present window.
    window: Time,
    /// Time slept in this window.
    slept: Time,
}

impl Polling {
    /// Returns the policy that polls for `most` after a frame and before a departure; never if that is 0.
    pub fn new(most: Time) -> Polling {
        Polling {
            most,
            worked: None,
            window: Time::ZERO,
            slept: Time::ZERO,
        }
    }

    /// Records that the loop had something to do at `now`.
    #[inline]
    pub fn worked(&mut self, now: Time) {
        self.worked = Some(now);
    }

    /// Records that the loop slept from one time to the other.
    pub fn slept(&mut self, from: Time, to: Time) {
        self.slept += to.saturating_sub(from);
    }

    /// Returns the action at `now`, if nothing is due before `due`, or ever.
    #[inline]
    pub fn idle(&mut self, now: Time, due: Option<Time>) -> Idle {
        let left = due.map(|due| due.saturating_sub(now));
        let sleep = |left: Option<Time>| {
            Idle::Sleep(left.map_or(LONGEST_SLEEP, |left| left.min(LONGEST_SLEEP)))
        };
        if self.most == Time::ZERO || self.tired(now) {
            return sleep(left);
        }
        let lately = |worked| now.saturating_sub(worked) < self.most;
        if left.is_some_and(|left| left <= self.most) || self.worked.is_some_and(lately) {
            return Idle::Poll;
        }
        sleep(left.map(|left| left.saturating_sub(self.most)))
    }

    /// Returns true if the loop was awake for too long in this window.
    #[inline]
    fn tired(&mut self, now: Time) -> bool {
        let passed = now.saturating_sub(self.window);
        if passed >= WINDOW {
            self.window = now;
            self.slept = Time::ZERO;
            return false;
        }
        passed.saturating_sub(self.slept) >= AWAKE
    }
}

impl fmt::Display for Polling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.most {
            Time::ZERO => write!(f, "sleeps when idle"),
            most => write!(f, "polls for {most} before it sleeps"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: Time = Time::from_us(50);

    fn us(us: u64) -> Time {
        Time::from_us(us)
    }

    #[test]
    fn after_the_last_frame_it_polls_for_a_while_and_then_sleeps() {
        let mut polling = Polling::new(MOST);
        assert_eq!(polling.idle(us(10), None), Idle::Sleep(LONGEST_SLEEP));
        polling.worked(us(10));
        assert_eq!(polling.idle(us(11), None), Idle::Poll);
        assert_eq!(polling.idle(us(59), None), Idle::Poll);
        assert_eq!(polling.idle(us(60), None), Idle::Sleep(LONGEST_SLEEP));
        polling.worked(us(70));
        assert_eq!(polling.idle(us(119), None), Idle::Poll);
    }

    #[test]
    fn before_a_departure_it_wakes_up_and_polls() {
        let mut polling = Polling::new(MOST);
        assert_eq!(polling.idle(us(10), Some(us(100))), Idle::Sleep(us(40)));
        polling.slept(us(10), us(52));
        assert_eq!(polling.idle(us(52), Some(us(100))), Idle::Poll);
        assert_eq!(polling.idle(us(50), Some(us(100))), Idle::Poll);
        let far = Time::from_s(1000);
        assert_eq!(polling.idle(us(52), Some(far)), Idle::Sleep(LONGEST_SLEEP));
    }

    #[test]
    fn without_polling_it_sleeps_to_the_departure() {
        let mut polling = Polling::new(Time::ZERO);
        polling.worked(us(10));
        assert_eq!(polling.idle(us(10), Some(us(11))), Idle::Sleep(us(1)));
        assert_eq!(polling.idle(us(10), None), Idle::Sleep(LONGEST_SLEEP));
    }

    #[test]
    fn awake_for_half_of_a_window_it_sleeps_until_the_next() {
        let mut polling = Polling::new(MOST);
        let start = Time::from_s(1);
        // Work, polling and sleep until the loop was awake for half of the window, whatever it did.
        assert_eq!(polling.idle(start, Some(start + us(1))), Idle::Poll);
        polling.slept(start + us(1000), start + us(2000));
        let (awake, asleep) = (start + us(5999), start + us(6000));
        assert_eq!(polling.idle(awake, Some(awake + us(1))), Idle::Poll);
        let due = Some(asleep + us(30));
        assert_eq!(polling.idle(asleep, due), Idle::Sleep(us(30)));
        polling.worked(asleep + us(3999));
        let next = start + WINDOW;
        assert_eq!(polling.idle(next, None), Idle::Poll);
        polling.worked(next + us(5000));
        let sleep = Idle::Sleep(LONGEST_SLEEP);
        assert_eq!(polling.idle(next + us(5000), None), sleep);
    }
}
