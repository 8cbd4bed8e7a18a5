//! Long work beside Python: without the GIL, stopped by Ctrl-C, with progress reports.
//!
//! **Decision**  a separate thread does the work. The calling thread waits without the GIL, checks for signals
//!               a few times a second, and reports progress. A signal, or an exception of the progress
//!               callback, asks the runs to stop early: partial results are written, and the exception is
//!               returned with them.

use crate::error::of_class;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sidestep_study::progress::{RunProgress, Show};
use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Interval between checks for signals.
const TICK: Duration = Duration::from_millis(50);

/// State shared by the two threads.
#[derive(Default)]
struct SharedProgress {
    state: Mutex<State>,
    moved: Condvar,
}

#[derive(Default)]
struct State {
    done: bool,
    now: Option<RunProgress>,
}

impl SharedProgress {
    fn open(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, how: impl FnOnce(&mut State)) {
        how(&mut self.open());
        self.moved.notify_all();
    }

    /// Waits for a tick or the end. Returns true at the end, and the progress if it is new.
    fn wait(&self) -> (bool, Option<RunProgress>) {
        let waited = self
            .moved
            .wait_timeout_while(self.open(), TICK, |state| !state.done);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        (state.done, state.now.take())
    }
}

/// Guard that reports the end of the work, whatever ended it.
struct Done<'a>(&'a SharedProgress);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.change(|state| state.done = true);
    }
}

/// Does `job` beside Python, and calls `progress` meanwhile. Returns the result, and the exception that
/// interrupted it.
pub fn beside<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    job: impl FnOnce(&AtomicBool, Show<'_>) -> T + Send,
) -> PyResult<(T, Option<PyErr>)> {
    let (desk, stop) = (SharedProgress::default(), AtomicBool::new(false));
    let mut interrupt = None;
    let ended = thread::scope(|scope| {
        let work = scope.spawn(|| {
            let _done = Done(&desk);
            let tell = |now: &RunProgress| desk.change(|state| state.now = Some(now.clone()));
            job(&stop, Show::Callback(&tell))
        });
        loop {
            let (done, now) = py.detach(|| desk.wait());
            let told = match (now, progress) {
                (Some(now), Some(progress)) => tell(progress, &now),
                _ => Ok(()),
            };
            if let Err(error) = told.and_then(|()| py.check_signals()) {
                stop.store(true, Ordering::Relaxed);
                interrupt.get_or_insert(error);
            }
            if done {
                return py.detach(|| work.join());
            }
        }
    });
    match ended {
        Ok(came_to) => Ok((came_to, interrupt)),
        Err(panic) => {
            let words = format!("a bug in the simulator ended the run: {}", said(&panic));
            Err(of_class(py, "RunError", words)?)
        }
    }
}

fn tell(progress: &Bound<'_, PyAny>, now: &RunProgress) -> PyResult<()> {
    let said = PyDict::new(progress.py());
    said.set_item("finished", now.finished)?;
    said.set_item("runs", now.runs)?;
    said.set_item("share", now.share)?;
    said.set_item("packet_hops", now.packet_hops)?;
    said.set_item("elapsed_s", now.elapsed_s)?;
    said.set_item("left_s", now.left_s)?;
    said.set_item("line", now.line())?;
    progress.call1((said,)).map(|_| ())
}

fn said(panic: &Box<dyn Any + Send>) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
