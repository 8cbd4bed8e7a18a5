//! Queries without a run, or about a result: `check`, `list`, `schema`, `show`, `why`, each with the command's
//! output.

use crate::error::{Refused, raise, unreadable};
use crate::policy::Schemes;
use crate::source::Source;
use pyo3::prelude::*;
use serde_json::{Value, json};
use sidestep_lab::stats::Summary;
use sidestep_study::catalog::{self, KINDS};
use sidestep_study::check::{problems_json, to_json};
use sidestep_study::json::versioned;
use sidestep_study::reproduce::point_of;
use sidestep_study::result::ResultDir;
use sidestep_study::schema as schemas;
use sidestep_study::why::{self as packets, Recorded, RunSelector, Wanted};
use sidestep_study::{Error, memory};
use std::path::PathBuf;

/// Returns the meaning of a scenario, and its problems.
#[pyfunction]
pub fn check(source: &Bound<'_, Source>, jobs: usize) -> String {
    let (py, source) = (source.py(), source.get());
    let asked = || -> Value {
        let name = source.own_name();
        match source.try_read() {
            Err(error) => json!({"scenarios": [], "problems": problems_json(name, &error)}),
            Ok(experiment) => {
                let fits = memory::refuse(&experiment, jobs, 1);
                let wrong = fits.err().map(|error| problems_json(name, &error));
                json!({"scenarios": [to_json(&experiment, jobs)], "problems": wrong.unwrap_or_default()})
            }
        }
    };
    versioned(&py.detach(asked)).to_string()
}

/// Returns the available choices: one kind of thing, or all.
#[pyfunction]
#[pyo3(signature = (kind = None))]
pub fn list(py: Python<'_>, kind: Option<&str>) -> PyResult<String> {
    let Some(name) = kind else {
        let all = KINDS.iter().filter_map(|kind| catalog::kind(kind));
        let all: Vec<Value> = all.map(|kind| json!(kind)).collect();
        return Ok(versioned(&json!({"kinds": all})).to_string());
    };
    let found = catalog::kind(name).ok_or_else(|| {
        let known = KINDS.join(", ");
        let error = Error::Input(format!(
            "list: {name:?} is unknown; expected one of {known}"
        ));
        raise(py, &error, Refused::Scenario, None)
    })?;
    Ok(versioned(&json!(found)).to_string())
}

/// Value, the ends of its 95 % interval, and true if it is a lower bound.
type Reading = (f64, Option<f64>, Option<f64>, bool);

/// Returns a metric of a scheme's summary, which is passed as JSON; `None` if it was not measured.
#[pyfunction]
pub fn metric(py: Python<'_>, summary: &str, name: &str) -> PyResult<Option<Reading>> {
    let summary: Summary = serde_json::from_str(summary)
        .map_err(|e| unreadable(py, format!("cannot read the summary of a scheme: {e}")))?;
    let read = point_of(name, &summary).map(|point| {
        let bound = point.bound.is_some();
        let [low, high] = match point.ci.filter(|_| !bound) {
            Some(ci) => ci.map(Some),
            None => [None, None],
        };
        (point.value, low, high, bound)
    });
    Ok(read)
}

/// Returns the JSON Schema of a scenario, or of an experiment, generated from the tables by which it is read.
#[pyfunction]
pub fn schema(experiment: bool) -> String {
    schemas::scenario(experiment).to_string()
}

/// Returns the numbers of a result directory as text: the answer, or with `all` the whole table.
#[pyfunction]
#[pyo3(signature = (dir, all = false))]
pub fn show(py: Python<'_>, dir: PathBuf, all: bool) -> PyResult<String> {
    let text = || -> Result<String, Error> {
        let dir = ResultDir::open(&dir)?;
        match dir.sweep()? {
            Some(sweep) if all => Ok(sweep.to_text()),
            Some(sweep) => Ok(sweep.answer()),
            None if all => Ok(dir.report()?.to_text()),
            None => Ok(dir.report()?.answer()),
        }
    };
    py.detach(text)
        .map_err(|e| raise(py, &e, Refused::Result, None))
}

/// Returns the account of one packet of a recorded run, or packets to choose from.
#[pyfunction]
#[pyo3(signature = (dir, *, scheme, seed, packet, flow, dropped, detoured, class_, files, policies))]
#[allow(clippy::too_many_arguments)]
pub fn why(
    py: Python<'_>,
    dir: PathBuf,
    scheme: Option<String>,
    seed: Option<u64>,
    packet: Option<String>,
    flow: Option<u32>,
    dropped: bool,
    detoured: bool,
    class_: Option<String>,
    files: Option<PathBuf>,
    policies: Vec<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let wanted = Wanted::asked(flow, dropped, detoured, class_.as_deref());
    let which = RunSelector { scheme, seed };
    let schemes = Schemes::of(py, &policies)?;
    let told = || {
        let recorded = Recorded::open(&dir, files.as_deref())?.with_caller_schemes(schemes.all());
        told(
            &recorded,
            &which,
            packet.as_deref(),
            wanted,
            class_.as_deref(),
        )
    };
    let json = py.detach(told).map_err(|e| {
        let failed = schemes.failed(py, &e);
        failed.unwrap_or_else(|| raise(py, &e, Refused::Result, None))
    })?;
    Ok(versioned(&json).to_string())
}

fn told(
    recorded: &Recorded,
    which: &RunSelector,
    packet: Option<&str>,
    wanted: Option<Wanted>,
    class: Option<&str>,
) -> Result<Value, Error> {
    match (packet, wanted) {
        (Some(packet), _) => Ok(packets::why(recorded, which, packet)?.json),
        (None, Some(wanted)) => Ok(packets::list(recorded, which, wanted, class)?.json),
        (None, None) => Err(Error::Input(format!(
            "why: expected a packet, as in packet=\"100:3\"; {}",
            recorded.how_to_find()
        ))),
    }
}
