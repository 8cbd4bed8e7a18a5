//! Python schemes, run beside those of a scenario.

use super::callable::Raised;
use super::made::policies;
use super::plugin::Plugin;
use crate::error::wrong_call;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sidestep_lab::Experiment;
use sidestep_study::Error;
use sidestep_study::caller::{CallerScheme, Failure, with_caller_schemes};
use std::sync::{Arc, Mutex};

/// Schemes of a call, and the exceptions and failures of their policies.
#[derive(Default)]
pub struct Schemes {
    all: Vec<CallerScheme>,
    raised: Raised,
    failures: Arc<Mutex<Vec<Failure>>>,
}

impl Schemes {
    /// Converts a list of `sidestep.Scheme` objects and plug-ins.
    pub fn of(py: Python<'_>, given: &[Bound<'_, PyAny>]) -> PyResult<Schemes> {
        let mut schemes = Schemes::default();
        let kind = py.import("sidestep.policy")?.getattr("Scheme")?;
        for scheme in given {
            if !scheme.is_instance(&kind)? && !scheme.is_instance_of::<Plugin>() {
                let got = scheme.repr()?;
                return Err(wrong_call(
                    py,
                    &format!("policies: expected Schemes and Plugins, got {got}"),
                ));
            }
            let plugin = scheme.cast::<Plugin>().ok();
            let mut own = match plugin {
                Some(plugin) => plugin.get().0.own.clone(),
                None => policies(scheme, &schemes.raised)?,
            };
            let failures = Arc::clone(&schemes.failures);
            own.heard = Some(Arc::new(move |failure: &Failure| {
                if let Ok(mut all) = failures.lock() {
                    all.push(failure.clone());
                }
            }));
            schemes.all.push(CallerScheme {
                name: scheme.getattr("name")?.extract()?,
                extends: scheme.getattr("extends")?.extract()?,
                own,
            });
        }
        Ok(schemes)
    }

    /// Returns all schemes.
    pub fn all(&self) -> Vec<CallerScheme> {
        self.all.clone()
    }

    /// Calls `read` with changes as of `--set`, and adds these schemes at every point.
    pub fn add(
        &self,
        read: &dyn Fn(&[String]) -> Result<Experiment, Error>,
        sets: &[String],
    ) -> Result<Experiment, Error> {
        match self.all.is_empty() {
            true => read(sets),
            false => with_caller_schemes(read, sets, &self.all),
        }
    }

    /// Returns a `sidestep.PolicyError` if `error` is a failure of one of these; its cause is the exception of
    /// the policy.
    pub fn failed(&self, py: Python<'_>, error: &Error) -> Option<PyErr> {
        let words = error.to_string();
        let failures = self.failures.lock().ok()?;
        let failure = failures
            .iter()
            .find(|one| words.ends_with(&one.to_string()))?;
        let raised = self.raised.take(&failure.place.scheme, failure.place.seed);
        Some(policy_error(py, failure, raised).unwrap_or_else(|wrong| wrong))
    }
}

fn policy_error(py: Python<'_>, failure: &Failure, raised: Option<PyErr>) -> PyResult<PyErr> {
    let class = py.import("sidestep.policy")?.getattr("PolicyError")?;
    let words = PyDict::new(py);
    words.set_item("policy", &failure.policy)?;
    words.set_item("scheme", &failure.place.scheme)?;
    words.set_item("seed", failure.place.seed)?;
    words.set_item("switch", &failure.place.name)?;
    words.set_item("packet", &failure.packet)?;
    words.set_item("flow", failure.flow)?;
    words.set_item("time_us", failure.at.ps() as f64 / 1e6)?;
    let error = PyErr::from_value(class.call((failure.to_string(),), Some(&words))?);
    error.set_cause(py, raised);
    Ok(error)
}
