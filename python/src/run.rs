//! `run`, `sweep` and `reproduce`: the same calls as the command's, into a result directory.

use crate::error::{Refused, raise};
use crate::policy::Schemes;
use crate::source::Source;
use crate::work::beside;
use pyo3::prelude::*;
use sidestep_lab::{Experiment, RecordSpec};
use sidestep_sim::TraceFilter;
use sidestep_study::reproduce::library::ExperimentLibrary;
use sidestep_study::reproduce::run::{self as figures, orders};
use sidestep_study::threads::{ThreadChoice, Threading, most_threads};
use sidestep_study::{Error, MeasureOptions, Options, SweepOptions, trace};
use sidestep_study::{memory, recorded, run_all, run_experiment};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Result directory of a call, and the exception that ended the call early.
type RunResult = (PathBuf, Option<Py<PyAny>>);

/// Options of a call.
#[derive(FromPyObject)]
pub struct RunOptions {
    /// Result directory.
    #[pyo3(item)]
    out: PathBuf,
    /// Number of threads.
    #[pyo3(item)]
    jobs: usize,
    /// Cache of finished runs; None keeps none.
    #[pyo3(item)]
    cache: Option<PathBuf>,
    /// True to run even if the estimate exceeds the memory.
    #[pyo3(item)]
    force: bool,
}

/// Selection of the data to record of each run, in the command's words.
#[derive(FromPyObject)]
pub struct Recording {
    /// Start and end of the recording; docs/reference/recording.md describes the default.
    #[pyo3(item)]
    window: Option<String>,
    /// Flows whose windows are recorded.
    #[pyo3(item)]
    flows: Option<String>,
}

impl Recording {
    fn spec(&self) -> Result<RecordSpec, String> {
        let window = self.window.as_deref().map(recorded::parse_window);
        let flows = self.flows.as_deref().map(recorded::parse_flows);
        Ok(RecordSpec {
            window: window
                .transpose()
                .map_err(|e| format!("record_window: {e}"))?,
            flows: (flows.transpose())
                .map_err(|e| format!("record_flows: {e}"))?
                .unwrap_or_default(),
            ..RecordSpec::default()
        })
    }
}

/// Runs every scheme of a scenario, and these Python schemes, with every seed. Returns the result, and the
/// reasons for which runs that could use several threads use one.
#[pyfunction]
#[pyo3(signature = (source, how, trace_packets = None, progress = None, policies = Vec::new(), record = None, threads = None))]
pub fn run<'py>(
    source: &Bound<'py, Source>,
    how: RunOptions,
    trace_packets: Option<&str>,
    progress: Option<&Bound<'py, PyAny>>,
    policies: Vec<Bound<'py, PyAny>>,
    record: Option<Recording>,
    threads: Option<&str>,
) -> PyResult<(PathBuf, Option<Py<PyAny>>, Vec<String>)> {
    let (py, source) = (source.py(), source.get());
    let schemes = Schemes::of(py, &policies)?;
    let refuse = |e: &Error| refused(py, e, source, &schemes);
    let mut experiment = source.read_with(py, &schemes)?;
    if experiment.is_sweep() {
        let axes: Vec<&str> = experiment
            .axes
            .iter()
            .map(|axis| axis.name.as_str())
            .collect();
        return Err(refuse(&Error::Input(format!(
            "{}: expected a scenario without [sweep], got axes {}: sidestep.sweep runs every point",
            source.own_name(),
            axes.join(", ")
        ))));
    }
    let threads = threads.map(ThreadChoice::parse).transpose();
    let threads = threads.map_err(|why| refuse(&Error::Input(format!("threads: {why}"))))?;
    fits(&experiment, &how, threads).map_err(|e| refuse(&e))?;
    let trace = match trace_packets {
        None => TraceFilter::None,
        Some(text) => trace::parse_filter(text).map_err(|e| refuse(&Error::Input(e)))?,
    };
    let record = match record {
        None => None,
        Some(asked) => Some(asked.spec().map_err(|e| refuse(&Error::Input(e)))?),
    };
    let point = experiment.points.pop().expect("there is a point");
    let plots = &experiment.plots;
    let remarks = Mutex::new(Vec::new());
    let remark = |said: &str| remarks.lock().expect("no panic").push(said.to_string());
    let done = beside(py, progress, |stop, show| {
        let options = Options {
            out: &how.out,
            jobs: how.jobs,
            trace,
            cache: how.cache.as_deref(),
            checkpoints: None,
            threads: threads.map(|asked| Threading {
                asked,
                remark: &remark,
            }),
            plots,
            record,
            show,
        };
        run_all(&point.scenario, &options, stop, &mut |_, _| {}).map(|finished| finished.dir)
    })?;
    let (path, interrupt) = left(py, done, refuse)?;
    let remarks = remarks.into_inner().expect("no panic");
    Ok((path, interrupt, remarks))
}

/// Runs every point of an experiment, with these Python schemes added.
#[pyfunction]
#[pyo3(signature = (source, how, progress = None, policies = Vec::new()))]
pub fn sweep<'py>(
    source: &Bound<'py, Source>,
    how: RunOptions,
    progress: Option<&Bound<'py, PyAny>>,
    policies: Vec<Bound<'py, PyAny>>,
) -> PyResult<RunResult> {
    let (py, source) = (source.py(), source.get());
    let schemes = Schemes::of(py, &policies)?;
    let refuse = |e: &Error| refused(py, e, source, &schemes);
    let experiment = source.read_with(py, &schemes)?;
    if !experiment.is_sweep() {
        return Err(refuse(&Error::Input(format!(
            "{}: expected [sweep] or over={{\"switch.capacity\": [\"50 pkt\", \"100 pkt\"]}}, got neither: \
             sidestep.run runs a scenario as it is",
            source.own_name()
        ))));
    }
    fits(&experiment, &how, None).map_err(|e| refuse(&e))?;
    let done = beside(py, progress, |stop, show| {
        let options = SweepOptions {
            out: &how.out,
            measure: how.measure(show),
        };
        run_experiment(&experiment, &options, stop, &mut |_, _| {}).map(|finished| finished.dir)
    })?;
    left(py, done, refuse)
}

/// Runs figures of papers, by name, and checks their claims against the results.
#[pyfunction]
#[pyo3(signature = (what, quick, how, progress = None))]
pub fn reproduce<'py>(
    py: Python<'py>,
    what: &str,
    quick: bool,
    how: RunOptions,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<RunResult> {
    let refuse = |e: &Error| raise(py, e, Refused::Scenario, None);
    let asked = what.trim_end_matches('/').to_string();
    let read = || {
        let shelf = ExperimentLibrary::open(Path::new(""))?;
        let orders = orders(&shelf, &shelf.find(Some(&asked))?, quick)?;
        if !how.force {
            let all: Vec<&Experiment> = orders.iter().map(|order| &order.experiment).collect();
            memory::refuse_all(&asked, &all, how.jobs)?;
        }
        Ok(orders)
    };
    let orders = py.detach(read).map_err(|e| refuse(&e))?;
    let done = beside(py, progress, |stop, show| {
        let options = figures::Options {
            asked: asked.clone(),
            quick,
            out: &how.out,
            measure: how.measure(show),
        };
        figures::reproduce(orders, &options, stop, &mut |_| {}).map(|finished| finished.dir)
    })?;
    left(py, done, refuse)
}

impl RunOptions {
    fn measure<'a>(&'a self, show: sidestep_study::progress::Show<'a>) -> MeasureOptions<'a> {
        MeasureOptions {
            jobs: self.jobs,
            cache: self.cache.as_deref(),
            show,
        }
    }
}

/// Creates the exception for a failure of a Python policy, or for a wrong call.
fn refused(py: Python<'_>, error: &Error, source: &Source, schemes: &Schemes) -> PyErr {
    let failed = schemes.failed(py, error);
    failed.unwrap_or_else(|| raise(py, error, Refused::Scenario, Some(source.about())))
}

fn fits(
    experiment: &Experiment,
    how: &RunOptions,
    threads: Option<ThreadChoice>,
) -> Result<(), Error> {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    match how.force {
        true => Ok(()),
        false => memory::refuse(
            experiment,
            how.jobs,
            most_threads(threads, how.jobs, cores()),
        ),
    }
}

/// Returns the directory, with the exception that interrupted the call; raises the exception if there is no
/// directory.
fn left(
    py: Python<'_>,
    (done, interrupt): (Result<PathBuf, Error>, Option<PyErr>),
    refuse: impl Fn(&Error) -> PyErr,
) -> PyResult<RunResult> {
    match (done, interrupt) {
        (Ok(dir), interrupt) => Ok((dir, interrupt.map(|e| e.into_value(py).into_any()))),
        (Err(error), None) => Err(refuse(&error)),
        (Err(error), Some(interrupt)) => {
            interrupt
                .value(py)
                .call_method1("add_note", (error.to_string(),))?;
            Err(interrupt)
        }
    }
}
