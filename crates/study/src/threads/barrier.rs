//! Barrier at which threads meet many thousand times a second.
//!
//! **Decision**     a waiting thread spins, then yields its core, then sleeps. A window takes microseconds, and
//!                  so do sleeping and waking, so a short wait is a spin. With more threads than cores, or in a
//!                  long wait, spinning is in vain, so a thread sleeps in the end.
//! **State**        the number of threads that have arrived in this round, and the round.
//! **Units**        iterations of a loop.
//! **Errors**       a broken barrier lets all threads through, and [`Barrier::wait`] returns false: one of them
//!                  ended with a panic.
//!
//! Writes of a thread before it arrives are visible to every thread after the barrier: each arriving thread
//! reads and writes the count, and the last one writes the round.

use super::sync::{AtomicBool, AtomicUsize, Condvar, Mutex, Ordering, spin_loop, yield_now};

/// Barrier for a fixed number of threads.
pub struct Barrier {
    count: usize,
    spins: usize,
    yields: usize,
    came: AtomicUsize,
    round: AtomicUsize,
    broken: AtomicBool,
    /// Number of sleeping threads. The thread that lets the others through holds the lock, so that no thread
    /// checks the round, is let through, and then falls asleep.
    sleepers: Mutex<usize>,
    bell: Condvar,
}

impl Barrier {
    /// Creates a barrier for `count` threads. Before it sleeps, a waiting thread spins `spins` times and yields
    /// its core `yields` times.
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

    /// Waits until all threads have arrived. Returns false if the barrier is broken.
    #[must_use]
    pub fn wait(&self) -> bool {
        // The round cannot change before this thread arrives, so this is the present one.
        let round = self.round.load(Ordering::Acquire);
        if self.came.fetch_add(1, Ordering::AcqRel) + 1 == self.count {
            self.came.store(0, Ordering::Relaxed);
            self.let_through();
        } else {
            self.wait_for(round);
        }
        !self.broken.load(Ordering::Acquire)
    }

    /// Breaks the barrier: no thread waits any more, now or later.
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
