//! Construction of Python policies for switches.

use super::callable::{Buffer, CallablePolicy, Raised, Route, Sched, words};
use super::view::Switch;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sidestep_study::caller::{CallerPolicies, MakeBuffer, MakeRoute, MakeSched, Part, PolicySite};
use sidestep_types::PortId;
use std::sync::Arc;

/// Constructor of policies: a class, or any callable that accepts a `Switch`.
pub struct Factory {
    pub make: Py<PyAny>,
    pub raised: Raised,
}

impl Factory {
    /// Creates the policy for `who`; `wrap` looks up its methods, `more` are arguments by name.
    fn made<P>(
        &self,
        who: &PolicySite,
        port: Option<u16>,
        more: Option<&Bound<'_, PyDict>>,
        py: Python<'_>,
        wrap: impl FnOnce(&Bound<'_, PyAny>, CallablePolicy) -> PyResult<P>,
    ) -> PyResult<P> {
        let switch = Bound::new(py, Switch(who.place.clone(), port))?;
        let object = self.make.bind(py).call((&switch,), more)?;
        // An `__init__` that does not call its base class leaves the switch out. What takes no attribute is refused below.
        if !object.hasattr("switch")? {
            let _ = object.setattr("switch", &switch);
        }
        let asked = CallablePolicy {
            who: who.clone(),
            raised: self.raised.clone(),
        };
        wrap(&object, asked)
    }

    pub fn route(
        &self,
        py: Python<'_>,
        who: &PolicySite,
        more: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Route> {
        self.made(who, None, more, py, |object, asked| {
            let pick = required(object, "Route", "pick")?;
            Ok(Route { asked, pick })
        })
    }

    pub fn buffer(
        &self,
        py: Python<'_>,
        who: &PolicySite,
        more: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Buffer> {
        self.made(who, None, more, py, |object, asked| {
            let admit = required(object, "Buffer", "admit")?;
            let displaced = own(object, "Buffer", "displaced")?;
            Ok(Buffer {
                asked,
                admit,
                displaced,
            })
        })
    }

    pub fn sched(
        &self,
        py: Python<'_>,
        who: &PolicySite,
        port: u16,
        more: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Sched> {
        self.made(who, Some(port), more, py, |object, asked| {
            let own = |name| own(object, "Sched", name);
            let flag = |name| -> PyResult<bool> {
                object
                    .getattr_opt(name)?
                    .map_or(Ok(false), |flag| flag.is_truthy())
            };
            Ok(Sched {
                asked,
                passes: flag("passes")?,
                counts: flag("counts")?,
                push: required(object, "Sched", "push")?,
                pop: required(object, "Sched", "pop")?,
                worst: own("worst")?,
                evict: own("evict")?,
                each_worst: own("each_worst")?,
                each_held: own("each_held")?,
                queue: own("queue")?,
                class_of: own("class_of")?,
                see: own("see")?,
                skip: own("skip")?,
            })
        })
    }
}

/// Returns the method `name`, which every policy of this seam must have.
fn required(object: &Bound<'_, PyAny>, seam: &str, name: &str) -> PyResult<Py<PyAny>> {
    own(object, seam, name)?.ok_or_else(|| {
        let kind = object
            .get_type()
            .name()
            .map(|name| name.to_string())
            .unwrap_or_default();
        PyTypeError::new_err(format!(
            "expected a {seam} with a method {name}, got an object of {kind}"
        ))
    })
}

/// Returns the method `name` if the object overrides the base class.
fn own(object: &Bound<'_, PyAny>, seam: &str, name: &str) -> PyResult<Option<Py<PyAny>>> {
    let base = object
        .py()
        .import("sidestep.policy")?
        .getattr(seam)?
        .getattr_opt(name)?;
    let here = object.get_type().getattr_opt(name)?;
    let same = match (&base, &here) {
        (Some(base), Some(here)) => base.is(here),
        _ => false,
    };
    let method = object
        .getattr_opt(name)?
        .filter(|method| !same && method.is_callable());
    Ok(method.map(Bound::unbind))
}

/// Keeps an exception that `made` raised, and returns its message.
fn told<P>(
    py: Python<'_>,
    who: &PolicySite,
    raised: &Raised,
    made: PyResult<P>,
) -> Result<P, String> {
    made.map_err(|error| {
        let why = words(py, &error);
        raised.keep(who, error);
        why
    })
}

/// Returns the policies of a `sidestep.Scheme`.
pub fn policies(scheme: &Bound<'_, PyAny>, raised: &Raised) -> PyResult<CallerPolicies> {
    let part = |seam: &str| -> PyResult<Option<(String, Factory)>> {
        let make = scheme.getattr(seam)?;
        if make.is_none() {
            return Ok(None);
        }
        let name: String = scheme.call_method1("policy_name", (seam,))?.extract()?;
        let factory = Factory {
            make: make.unbind(),
            raised: raised.clone(),
        };
        Ok(Some((name, factory)))
    };
    let route = part("route")?.map(|(name, factory)| {
        let make: Arc<MakeRoute> = Arc::new(move |who| {
            Python::attach(|py| {
                let made = factory.route(py, who, None);
                told(py, who, &factory.raised, made).map(|route| Box::new(route) as _)
            })
        });
        Part { name, make }
    });
    let buffer = part("buffer")?.map(|(name, factory)| {
        let make: Arc<MakeBuffer> = Arc::new(move |who| {
            Python::attach(|py| {
                let made = factory.buffer(py, who, None);
                told(py, who, &factory.raised, made).map(|buffer| Box::new(buffer) as _)
            })
        });
        Part { name, make }
    });
    let sched = part("sched")?.map(|(name, factory)| {
        let make: Arc<MakeSched> = Arc::new(move |who, PortId(port)| {
            Python::attach(|py| {
                let made = factory.sched(py, who, port, None);
                told(py, who, &factory.raised, made).map(|sched| Box::new(sched) as _)
            })
        });
        Part { name, make }
    });
    let version: Option<String> = scheme.getattr("version")?.extract()?;
    Ok(CallerPolicies {
        route,
        buffer,
        sched,
        key: version.map(|version| format!("version {version}")),
        slow: true,
        heard: None,
    })
}
