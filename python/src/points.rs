//! Parts of a sweep, for executors: the runs to make, one run of them, and the result directory built from
//! their records.
//!
//! **Decision**  a worker receives bytes and returns bytes: the executor chooses its machine. A run and a
//!               collection release the GIL; a run often checks whether it was stopped.
//! **Errors**    those of `sidestep.errors`, with their parts: `ScenarioError` for a wrong request (another
//!               version of Sidestep included), `RunError` for a run that failed, `ResultError` for a failed
//!               read or write.

use crate::error::{Refused, raise};
use crate::source::Source;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sidestep_study::Status;
use sidestep_study::files::{self, FileLocation, find};
use sidestep_study::sweep::{self, CacheUse, Collected};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Sweep that has not been run yet.
#[pyclass(frozen, name = "Plan", module = "sidestep._native")]
pub struct SweepPlan {
    plan: sweep::SweepPlan,
    /// Source of the sweep, for errors.
    source: Source,
}

#[pymethods]
impl SweepPlan {
    /// Reads the experiment in `text`, called `name`; files that it names are searched in `folder`, then in the
    /// current folder.
    #[staticmethod]
    #[pyo3(signature = (text, name, sets = Vec::new(), quick = false, folder = None))]
    fn of_text(
        py: Python<'_>,
        text: String,
        name: String,
        sets: Vec<String>,
        quick: bool,
        folder: Option<PathBuf>,
    ) -> PyResult<SweepPlan> {
        let beside = folder.map_or(FileLocation::Nowhere, FileLocation::Folder);
        let own = files::Source { name, text, beside };
        read(py, Source::written(own, sets, quick))
    }

    /// Reads the experiment of `source`.
    #[staticmethod]
    fn of(source: &Bound<'_, Source>) -> PyResult<SweepPlan> {
        read(source.py(), source.get().clone())
    }

    /// Reads the experiment at the path, or with the shipped name, `which`.
    #[staticmethod]
    #[pyo3(signature = (which, sets = Vec::new(), quick = false))]
    fn open(py: Python<'_>, which: &str, sets: Vec<String>, quick: bool) -> PyResult<SweepPlan> {
        let own = find(which).map_err(|e| raise(py, &e, Refused::Scenario, None))?;
        read(py, Source::written(own, sets, quick))
    }

    /// Name of the experiment.
    #[getter]
    fn name(&self) -> &str {
        &self.plan.experiment().name
    }

    /// Number of points.
    #[getter]
    fn points(&self) -> usize {
        self.plan.experiment().points.len()
    }

    /// Returns the data that each worker needs, whichever runs it makes.
    fn shared<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.plan.carried().to_bytes())
    }

    /// Returns each run once, in the best order to start them: key, point, scheme, seed, and estimated number
    /// of packets.
    fn works(&self, py: Python<'_>) -> Vec<(String, usize, usize, u64, f64)> {
        let works = py.detach(|| self.plan.works());
        let each = works.into_iter();
        each.map(|w| (w.key, w.point, w.scheme, w.seed, w.cost))
            .collect()
    }

    /// Refuses a sweep that could not be collected: into an occupied directory or, unless `force`, with more
    /// data than fits into memory.
    #[pyo3(signature = (out, force = false))]
    fn refuse(&self, py: Python<'_>, out: PathBuf, force: bool) -> PyResult<()> {
        let refused = py.detach(|| self.plan.refuse(&out, force));
        refused.map_err(|e| raise(py, &e, Refused::Scenario, Some(self.source.about())))
    }

    /// Builds the result directory `out` from the records in `folders`. Returns its path, true if it is
    /// partial, and its table.
    #[pyo3(signature = (out, folders, *, known, cache, refused_by_cache, took_s, jobs, executor))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords")]
    fn collect(
        &self,
        py: Python<'_>,
        out: PathBuf,
        folders: Vec<PathBuf>,
        known: BTreeSet<String>,
        cache: Option<PathBuf>,
        refused_by_cache: Option<String>,
        took_s: f64,
        jobs: usize,
        executor: String,
    ) -> PyResult<(PathBuf, bool, String)> {
        let took = Duration::try_from_secs_f64(took_s).unwrap_or_default();
        let made = Collected {
            known,
            cache: cache.map(|dir| CacheUse {
                dir,
                refused: refused_by_cache,
                ..CacheUse::default()
            }),
            took,
            jobs,
            executor,
        };
        let done = py.detach(|| self.plan.collect(&out, &folders, &made));
        let done = done.map_err(|e| raise(py, &e, Refused::Scenario, Some(self.source.about())))?;
        let partial = done.report.status == Status::Partial;
        Ok((done.dir, partial, done.report.answer()))
    }
}

fn read(py: Python<'_>, source: Source) -> PyResult<SweepPlan> {
    let (own, sets, quick) = source.asked();
    let plan = py.detach(|| sweep::SweepPlan::read(own, sets, quick));
    let plan = plan.map_err(|e| raise(py, &e, Refused::Scenario, Some(source.about())))?;
    Ok(SweepPlan { plan, source })
}

/// Request to the workers of this process to stop their runs.
#[pyclass(frozen, module = "sidestep._native")]
#[derive(Default)]
pub struct Stop {
    stop: Arc<AtomicBool>,
}

#[pymethods]
impl Stop {
    #[new]
    fn new() -> Stop {
        Stop::default()
    }

    /// Requests the stop.
    fn set(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Worker that makes runs of one experiment, as [`SweepPlan::shared`] sends it.
#[pyclass(frozen, module = "sidestep._native")]
pub struct Worker {
    worker: sweep::Worker,
}

#[pymethods]
impl Worker {
    /// Reads the experiment; refuses one of another version of Sidestep.
    #[new]
    fn new(py: Python<'_>, shared: Vec<u8>) -> PyResult<Worker> {
        let worker = py
            .detach(|| sweep::Worker::open(&shared))
            .map_err(|e| raise(py, &e, Refused::Scenario, None))?;
        Ok(Worker { worker })
    }

    /// Returns the record of one run, packed, and its packet-hops; `None` if it was stopped.
    #[pyo3(signature = (key, point, scheme, seed, stop = None))]
    fn compute<'py>(
        &self,
        py: Python<'py>,
        key: &str,
        point: usize,
        scheme: usize,
        seed: u64,
        stop: Option<&Stop>,
    ) -> PyResult<Option<(Bound<'py, PyBytes>, u64)>> {
        let stop = stop.map_or_else(Arc::default, |stop| stop.stop.clone());
        let made = py.detach(|| self.worker.compute(key, point, scheme, seed, &stop));
        let made = made.map_err(|e| raise(py, &e, Refused::Scenario, None))?;
        Ok(made.map(|(record, hops)| (PyBytes::new(py, &record), hops)))
    }
}

/// Returns true if `bytes` are a complete record.
#[pyfunction]
pub fn is_record(bytes: &[u8]) -> bool {
    sweep::is_record(bytes)
}
