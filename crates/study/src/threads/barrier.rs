//! A barrier at which threads meet many thousand times a second.
//!
//! **Decision**     who waits looks again and again for a while, then lets others have the core, then sleeps: a window takes
//!                  microseconds, and to sleep and be woken as many; but where there are more threads than cores, or
//!                  nothing to run for long, nobody looks in vain for ever.
//! **State**        how many have come in this round, and which round it is.
//! **Units**        looks.
//! **Errors**       a barrier that is broken lets everybody through, and says so: one of the threads ended with a panic.
//!
//! What a thread wrote before it came is seen by every thread that has been let through: whoever comes reads and writes the
//! count, and the last one writes the round.

use super::sync::{AtomicBool, AtomicUsize, Condvar, Mutex, Ordering, spin_loop, yield_now};

/// Where so many threads meet.
pub struct Barrier {
    count: usize,
    spins: usize,
    yields: usize,
    came: AtomicUsize,
    round: AtomicUsize,
    broken: AtomicBool,
    /// How many sleep. Whoever lets the others through holds it, so that nobody looks, is let through, and falls asleep.
    sleepers: Mutex<usize>,
    bell: Condvar,
}

impl Barrier {
    /// For `count` threads, which look `spins` times and let others have the core `yields` times before they sleep.
    pub fn new(count: usize, spins: usize, yields: usize) -> Barrier {
        Barrier {
            count,
            spins,
            yields,
            came: AtomicUsize::new(0),
            round: AtomicUsize::new(0),
            broken: AtomicBool::new(false),
            sleepers: Mutex::new(0),
            bell: Condvar::new(),
        }
    }

    /// Waits until all have come. Says whether the barrier is whole.
    #[must_use]
    pub fn wait(&self) -> bool {
        // Nobody is let through before this thread has come, so the round is the present one.
        let round = self.round.load(Ordering::Acquire);
        if self.came.fetch_add(1, Ordering::AcqRel) + 1 == self.count {
            self.came.store(0, Ordering::Relaxed);
            self.let_through();
        } else {
            self.wait_for(round);
        }
        !self.broken.load(Ordering::Acquire)
    }

    /// Nobody waits any more, now or later.
    pub fn break_down(&self) {
        self.broken.store(true, Ordering::Release);
        self.let_through();
    }

    fn let_through(&self) {
        let sleepers = self.sleepers.lock().expect("nobody panics asleep");
        self.round.fetch_add(1, Ordering::Release);
        if *sleepers > 0 {
            self.bell.notify_all();
        }
    }

    fn is_over(&self, round: usize) -> bool {
        self.round.load(Ordering::Acquire) != round || self.broken.load(Ordering::Acquire)
    }

    fn wait_for(&self, round: usize) {
        for _ in 0..self.spins {
            if self.is_over(round) {
                return;
            }
            spin_loop();
        }
        for _ in 0..self.yields {
            if self.is_over(round) {
                return;
            }
            yield_now();
        }
        let mut sleepers = self.sleepers.lock().expect("nobody panics asleep");
        *sleepers += 1;
        while !self.is_over(round) {
            sleepers = self.bell.wait(sleepers).expect("nobody panics asleep");
        }
        *sleepers -= 1;
    }
}
