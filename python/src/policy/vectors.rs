//! Conformance rows of a Python policy, as `sidestep vectors` prints those of Rust policies.

use super::callable::{CallablePolicy, Raised};
use super::made::Factory;
use crate::error::wrong_call;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use sidestep_study::caller::PolicySite;
use sidestep_switch::{AnyBuffer, AnyRoute, AnySched, Nature, Place};
use sidestep_types::{Bytes, Entry, Size, Value, Values};
use sidestep_vectors::{self as vectors, Policy, Seed, Table};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Returns the first `count` rows as CSV: the cases of the policy `like`, or cases drawn under the policy's own
/// name.
///
/// `seam` is `route`, `buffer` or `sched`. With `like`, the values of each setting are passed as arguments by
/// name.
#[pyfunction]
#[pyo3(signature = (seam, name, factory, *, like, count, seed, draws, remembers, ranks))]
#[allow(clippy::too_many_arguments)]
pub fn policy_vectors(
    py: Python<'_>,
    seam: &str,
    name: &str,
    factory: Py<PyAny>,
    like: Option<&str>,
    count: Option<u32>,
    seed: u64,
    draws: u32,
    remembers: bool,
    ranks: bool,
) -> PyResult<String> {
    let policy = match like {
        Some(like) => known(py, seam, like)?,
        None => {
            let nature = Nature {
                draws,
                remembers,
                ranks,
                control: true,
                ..Nature::PLAIN
            };
            own(py, seam, name, nature)?
        }
    };
    let raised = Raised::default();
    let factory = Arc::new(Factory {
        make: factory,
        raised: raised.clone(),
    });
    let called = format!("python:{name}");
    let policy_name = called.clone();
    let who = move |ports: u16, salt: u64| PolicySite {
        policy: policy_name.clone(),
        place: Place::of_vectors(ports, salt),
    };
    let params = policy.entry.params;
    let asked = match policy.seam {
        "route" => vectors::CallerPolicy::Route(Box::new(move |values, ports, salt| {
            let who = who(ports, salt);
            made(&who, &factory, |py| {
                let more = arguments(py, params, values)?;
                Ok(AnyRoute::Custom(Box::new(factory.route(
                    py,
                    &who,
                    Some(&more),
                )?)))
            })
        })),
        "buffer" => vectors::CallerPolicy::Buffer(Box::new(move |values, ports, salt| {
            let who = who(ports, salt);
            made(&who, &factory, |py| {
                let more = arguments(py, params, values)?;
                Ok(AnyBuffer::Custom(Box::new(factory.buffer(
                    py,
                    &who,
                    Some(&more),
                )?)))
            })
        })),
        _ => vectors::CallerPolicy::Sched(Box::new(move |values, ports, salt| {
            let who = who(ports, salt);
            made(&who, &factory, |py| {
                let more = arguments(py, params, values)?;
                Ok(AnySched::Custom(Box::new(factory.sched(
                    py,
                    &who,
                    0,
                    Some(&more),
                )?)))
            })
        })),
    };
    let count = count.unwrap_or(policy.shipped_rows());
    let rows = catch_unwind(AssertUnwindSafe(|| {
        vectors::csv(asked.rows(policy, Seed(seed)).take(count as usize))
    }));
    rows.map_err(|payload| {
        let said = PolicySite::said(payload).unwrap_or_else(|panic| {
            let words = panic.downcast_ref::<String>().cloned();
            words.unwrap_or_else(|| "the policy failed without a message".into())
        });
        failed(py, &called, said, raised.take("vectors", 0)).unwrap_or_else(|wrong| wrong)
    })
}

/// Creates a `sidestep.PolicyError` for the policy `called`, outside a run.
fn failed(py: Python<'_>, called: &str, said: String, raised: Option<PyErr>) -> PyResult<PyErr> {
    let class = py.import("sidestep.policy")?.getattr("PolicyError")?;
    let words = PyDict::new(py);
    words.set_item("policy", called)?;
    let error = PyErr::from_value(class.call((said,), Some(&words))?);
    error.set_cause(py, raised);
    Ok(error)
}

/// Creates the policy, or ends the table.
fn made<P>(who: &PolicySite, factory: &Factory, make: impl FnOnce(Python<'_>) -> PyResult<P>) -> P {
    let asked = CallablePolicy {
        who: who.clone(),
        raised: factory.raised.clone(),
    };
    asked.ask(make)
}

/// Returns the registered policy `like`.
fn known(py: Python<'_>, seam: &str, like: &str) -> PyResult<Policy> {
    let found = vectors::named(like)
        .into_iter()
        .find(|policy| policy.seam == seam);
    found.ok_or_else(|| {
        let known = vectors::policies().filter(|policy| policy.seam == seam);
        let known: Vec<&str> = known.map(|policy| policy.entry.name).collect();
        let known = known.join(", ");
        let words = format!("like: expected a {seam} of {known}, got {like:?}");
        wrong_call(py, &words)
    })
}

/// Creates a policy that no registry has. Its entry lives as long as the process: a few words for each call.
fn own(py: Python<'_>, seam: &str, name: &str, nature: Nature) -> PyResult<Policy> {
    let entry: &'static Entry = Box::leak(Box::new(Entry {
        name: Box::leak(name.to_string().into_boxed_str()),
        summary: "",
        source: "",
        params: &[],
    }));
    Policy::of(seam, entry, nature).ok_or_else(|| {
        let words = format!("seam: expected route, buffer or sched, got {seam:?}");
        wrong_call(py, &words)
    })
}

/// Returns parameters by name: `mark_at=(20, "pkt")`.
fn arguments<'py>(
    py: Python<'py>,
    params: &[sidestep_types::Param],
    values: &Values,
) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    for param in params {
        all.set_item(param.name, shown(py, values.get(param.name))?)?;
    }
    Ok(all)
}

/// Converts a value to Python: times in picoseconds, sizes of queues as `(20, "pkt")`, fractions as `(1, 16)`.
fn shown<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Off => py.None().into_bound(py),
        Value::Time(time) => time.ps().into_pyobject(py)?.into_any(),
        Value::Bytes(Bytes(n)) | Value::Count(n) | Value::PerMegasecond(n) => {
            n.into_pyobject(py)?.into_any()
        }
        Value::ByteRange(a, b) | Value::Fraction(a, b) => (*a, *b).into_pyobject(py)?.into_any(),
        Value::Rate(rate) => rate.to_string().into_pyobject(py)?.into_any(),
        Value::Size(Size::Packets(n)) => (*n, "pkt").into_pyobject(py)?.into_any(),
        Value::Size(Size::Bytes(Bytes(n))) => (*n, "B").into_pyobject(py)?.into_any(),
        Value::Counts(all) => PyList::new(py, all)?.into_any(),
        Value::Flag(flag) => flag.into_pyobject(py)?.to_owned().into_any(),
        Value::Word(word) => word.into_pyobject(py)?.into_any(),
        Value::List(all) => {
            let all: PyResult<Vec<Bound<'py, PyAny>>> =
                all.iter().map(|one| shown(py, one)).collect();
            PyList::new(py, all?)?.into_any()
        }
    })
}
