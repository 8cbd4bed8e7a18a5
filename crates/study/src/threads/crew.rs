//! Crew of threads, one for each part of a run.
//!
//! The threads live as long as the crew. Between two calls they wait at the barrier, and the caller owns the
//! parts.

use super::barrier::Barrier;
use super::shared::Shared;
use crate::usage::thread_cpu_s;
use sidestep_sim::parts::{Crew, Part, Windows};
use sidestep_types::Time;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

/// Spins before a thread yields its core: some ten microseconds.
const SPINS: usize = 400;
/// Yields before a thread sleeps.
const YIELDS: usize = 1000;

/// Threads that run parts in parallel, including the caller's thread.
pub struct Threads {
    hall: Arc<SharedParts>,
    workers: Vec<JoinHandle<()>>,
}

/// State shared between caller and threads, through which parts are handed over.
struct SharedParts {
    shared: Shared,
    /// Desks, one for each thread: its part and windows.
    desks: Vec<Mutex<PartSlot>>,
    closed: AtomicBool,
    /// Panic payload of the first thread that panicked.
    said: Mutex<Option<Box<dyn Any + Send>>>,
    /// CPU time of all threads but the caller's, in nanoseconds.
    cpu_ns: Arc<AtomicU64>,
}

#[derive(Default)]
struct PartSlot {
    job: Option<(Box<Part>, Windows)>,
}

impl Threads {
    /// Creates the threads for `parts` parts. The CPU time of the other threads is added to `cpu_ns`.
    pub fn new(parts: usize, cpu_ns: Arc<AtomicU64>) -> Threads {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let spins = if parts <= cores { SPINS } else { 0 };
        let hall = Arc::new(SharedParts {
            shared: Shared::new(parts, Barrier::new(parts, spins, YIELDS)),
            desks: (0..parts).map(|_| Mutex::default()).collect(),
            closed: AtomicBool::new(false),
            said: Mutex::new(None),
            cpu_ns,
        });
        let work = |me: usize| {
            let hall = Arc::clone(&hall);
            thread::Builder::new()
                .name(format!("part {me}"))
                .spawn(move || hall.work(me))
                .expect("the system has a thread left")
        };
        Threads {
            workers: (1..parts).map(work).collect(),
            hall,
        }
    }
}

impl SharedParts {
    /// Runs the loop of thread `me`.
    fn work(&self, me: usize) {
        let mut before = thread_cpu_s();
        // The thread begins together with the others.
        while self.shared.barrier.wait() && !self.closed.load(Ordering::Acquire) {
            self.serve(me);
            let now = thread_cpu_s();
            let ns = ((now - before) * 1e9) as u64;
            self.cpu_ns.fetch_add(ns, Ordering::Relaxed);
            before = now;
            if !self.shared.barrier.wait() {
                return;
            }
        }
    }

    /// Serves the part on desk `me`. Returns the instant at which the run ended, if it did.
    fn serve(&self, me: usize) -> Option<Time> {
        let served = catch_unwind(AssertUnwindSafe(|| {
            let mut desk = self.desks[me].lock().expect("one thread is at a desk");
            let (part, windows) = desk.job.as_mut().expect("a part for each thread");
            self.shared.serve(me, part, windows)
        }));
        match served {
            Ok(end) => end.ok().flatten(),
            Err(payload) => {
                let mut said = self.said.lock().expect("nothing panics here");
                said.get_or_insert(payload);
                drop(said);
                self.shared.barrier.break_down();
                None
            }
        }
    }
}

impl Crew for Threads {
    fn serve(&mut self, parts: Vec<Box<Part>>, windows: Windows) -> (Vec<Box<Part>>, Option<Time>) {
        let hall = &*self.hall;
        assert_eq!(parts.len(), hall.desks.len(), "a thread for each part");
        for (desk, part) in hall.desks.iter().zip(parts) {
            let mut desk = desk.lock().expect("nobody works");
            desk.job = Some((part, windows));
        }
        let mut end = None;
        if hall.shared.barrier.wait() {
            end = hall.serve(0);
        }
        if !hall.shared.barrier.wait() {
            let said = hall.said.lock().ok().and_then(|mut said| said.take());
            match said {
                Some(payload) => resume_unwind(payload),
                None => panic!("a thread of this run has ended"),
            }
        }
        let take = |desk: &Mutex<PartSlot>| {
            let mut desk = desk.lock().expect("nobody works");
            desk.job.take().expect("it was put there").0
        };
        (hall.desks.iter().map(take).collect(), end)
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.hall.closed.store(true, Ordering::Release);
        self.hall.shared.barrier.break_down();
        for worker in self.workers.drain(..) {
            // Its panic was already resumed in the caller of the run.
            let _ = worker.join();
        }
    }
}
