//! Model check of the barrier in `crates/study/src/threads/barrier.rs`: loom runs its threads' steps in every
//! order that the memory model allows. `scripts/test-all.sh threads` starts it.
#![cfg(all(loom, test))]

mod sync {
    pub use loom::hint::spin_loop;
    pub use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    pub use loom::sync::{Condvar, Mutex};
    pub use loom::thread::yield_now;
}

#[path = "../../src/threads/barrier.rs"]
mod barrier;

#[cfg(test)]
mod tests {
    use super::barrier::Barrier;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::thread;

    /// Value that threads hand over at a barrier without a lock, as the parts of a run do.
    struct UnlockedCell(UnsafeCell<u32>);
    // SAFETY: the barrier keeps writers and readers apart. This is the property under test: loom checks every
    // access.
    unsafe impl Sync for UnlockedCell {}

    impl UnlockedCell {
        fn new() -> UnlockedCell {
            UnlockedCell(UnsafeCell::new(0))
        }
        fn write(&self, value: u32) {
            // SAFETY: loom fails if another thread reads at the same time.
            self.0.with_mut(|at| unsafe { *at = value });
        }
        fn read(&self) -> u32 {
            // SAFETY: loom fails if another thread writes at the same time.
            self.0.with(|at| unsafe { *at })
        }
    }

    fn meet(threads: usize, spins: usize, rounds: u32) {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(move || {
            let barrier = Arc::new(Barrier::new(threads, spins, 0));
            let desks: Arc<Vec<UnlockedCell>> =
                Arc::new((0..2 * threads).map(|_| UnlockedCell::new()).collect());
            let life = move |me: usize, barrier: Arc<Barrier>, desks: Arc<Vec<UnlockedCell>>| {
                for round in 1..=rounds {
                    let side = threads * (round as usize % 2);
                    desks[side + me].write(round);
                    assert!(barrier.wait());
                    for other in 0..threads {
                        assert_eq!(desks[side + other].read(), round);
                    }
                }
            };
            let others: Vec<_> = (1..threads)
                .map(|me| {
                    let (barrier, desks) = (barrier.clone(), desks.clone());
                    thread::spawn(move || life(me, barrier, desks))
                })
                .collect();
            life(0, barrier, desks);
            others.into_iter().for_each(|other| other.join().unwrap());
        });
    }

    #[test]
    fn two_threads_hand_over_what_they_wrote_asleep() {
        meet(2, 0, 3);
    }

    #[test]
    fn two_threads_hand_over_what_they_wrote_looking_first() {
        meet(2, 1, 2);
    }

    #[test]
    fn three_threads_hand_over_what_they_wrote() {
        meet(3, 0, 1);
    }

    #[test]
    fn a_barrier_that_breaks_lets_a_sleeper_through() {
        loom::model(|| {
            let barrier = Arc::new(Barrier::new(2, 0, 0));
            let other = {
                let barrier = barrier.clone();
                thread::spawn(move || barrier.wait())
            };
            barrier.break_down();
            assert!(!other.join().unwrap());
        });
    }
}
