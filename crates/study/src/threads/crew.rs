//! A crew with a thread for each part.
//!
//! The threads live as long as the crew. Between two calls they wait at the barrier, and the parts are the caller's.

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

/// Looks before a thread lets others have its core: some ten microseconds.
const SPINS: usize = 400;
/// Times that it does so before it sleeps.
const YIELDS: usize = 1000;

/// Threads that let parts run side by side, the caller's own among them.
pub struct Threads {
    hall: Arc<Hall>,
    workers: Vec<JoinHandle<()>>,
}

/// Where parts are handed over.
struct Hall {
    shared: Shared,
    /// One a thread: what it is to do, and what came of it.
    desks: Vec<Mutex<Desk>>,
    closed: AtomicBool,
    /// What the first thread said that ended with a panic.
    said: Mutex<Option<Box<dyn Any + Send>>>,
    /// Processor time of all threads but the caller's, in nanoseconds.
    cpu_ns: Arc<AtomicU64>,
}

#[derive(Default)]
struct Desk {
    job: Option<(Box<Part>, Windows)>,
}

impl Threads {
    /// For so many parts. What the other threads take of the processors is added to `cpu_ns`.
    pub fn new(parts: usize, cpu_ns: Arc<AtomicU64>) -> Threads {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let spins = if parts <= cores { SPINS } else { 0 };
        let hall = Arc::new(Hall {
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

impl Hall {
    /// The life of thread `me`.
    fn work(&self, me: usize) {
        let mut before = thread_cpu_s();
        // It begins with the others.
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

    /// Does what is on desk `me`. Says with which instant the run ended, if it did.
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
        let take = |desk: &Mutex<Desk>| {
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
            // What it said was told where the run was.
            let _ = worker.join();
        }
    }
}
