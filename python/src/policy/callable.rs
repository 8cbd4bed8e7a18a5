//! Python objects called as policies.

use super::loan::lend;
use super::verdict::Verdict;
use super::view::{Hops, Packet, Queues, RandomStream, Want};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyTuple};
use sidestep_study::caller::PolicySite;
use sidestep_switch::{Depth, DropReason};
use sidestep_types::{PortId, Rng, Time};
use std::sync::{Arc, Mutex};

/// Exceptions that policies raised, by scheme and seed: the first of each run.
#[derive(Clone, Default)]
pub struct Raised(Arc<Mutex<Vec<(String, u64, PyErr)>>>);

impl Raised {
    pub fn keep(&self, who: &PolicySite, error: PyErr) {
        if let Ok(mut raised) = self.0.lock() {
            raised.push((who.place.scheme.clone(), who.place.seed, error));
        }
    }

    /// Takes the exception raised in a run of `scheme` with `seed`.
    pub fn take(&self, scheme: &str, seed: u64) -> Option<PyErr> {
        let mut raised = self.0.lock().ok()?;
        let at = raised
            .iter()
            .position(|one| (&*one.0, one.1) == (scheme, seed))?;
        Some(raised.swap_remove(at).2)
    }
}

/// Policy to call, and the place where its exceptions are kept.
pub struct CallablePolicy {
    pub who: PolicySite,
    pub raised: Raised,
}

impl CallablePolicy {
    /// Calls the policy, and ends the run if it raises an exception.
    pub fn ask<R>(&self, question: impl FnOnce(Python<'_>) -> PyResult<R>) -> R {
        let said = Python::attach(|py| {
            question(py).map_err(|error| {
                let why = words(py, &error);
                self.raised.keep(&self.who, error);
                why
            })
        });
        // Outside the interpreter, which must not see the unwinding.
        said.unwrap_or_else(|why| self.who.stop(why))
    }

    /// Converts the answer `said` to a port.
    fn port(&self, said: &Bound<'_, PyAny>) -> PyResult<PortId> {
        let last = self.who.place.ports.saturating_sub(1);
        if said.is_instance_of::<PyBool>() || said.extract::<i128>().is_err() {
            return Err(wrong_type("pick", "a port (int)", said));
        }
        match said.extract::<u16>() {
            Ok(port) if port <= last => Ok(PortId(port)),
            _ => {
                let text = format!("pick: expected a port from 0 to {last}, got {said}");
                Err(PyValueError::new_err(text))
            }
        }
    }

    /// Converts the answer `said` to a verdict.
    fn verdict(&self, of: &str, said: &Bound<'_, PyAny>) -> PyResult<sidestep_switch::Verdict> {
        let verdict = said.cast::<Verdict>();
        let verdict =
            verdict.map_err(|_| wrong_type(of, "a Verdict, such as sidestep.enqueue()", said))?;
        let verdict = verdict.get().0;
        let last = self.who.place.ports.saturating_sub(1);
        match verdict {
            sidestep_switch::Verdict::Detour { port, .. }
            | sidestep_switch::Verdict::Squeeze { port, .. }
                if port.0 > last =>
            {
                let text = format!("{of}: expected a port from 0 to {last}, got {}", port.0);
                Err(PyValueError::new_err(text))
            }
            _ => Ok(verdict),
        }
    }
}

fn wrong_type(of: &str, expected: &str, got: &Bound<'_, PyAny>) -> PyErr {
    let kind = got.get_type().name().map(|name| name.to_string());
    let shown = got.repr().map(|shown| shown.to_string());
    let (kind, shown) = (kind.unwrap_or_default(), shown.unwrap_or_default());
    PyTypeError::new_err(format!("{of}: expected {expected}, got {shown} ({kind})"))
}

/// Formats an exception, as `ZeroDivisionError: division by zero (mine.py, line 12)`.
pub fn words(py: Python<'_>, error: &PyErr) -> String {
    let mut text = error.to_string();
    let mut deepest = error.traceback(py).map(Bound::into_any);
    while let Some(next) = deepest
        .as_ref()
        .and_then(|at| at.getattr("tb_next").ok())
        .filter(|next| !next.is_none())
    {
        deepest = Some(next);
    }
    if let Some(at) = deepest
        && let Ok(line) = at
            .getattr("tb_lineno")
            .and_then(|line| line.extract::<u32>())
        && let Ok(file) = at
            .getattr("tb_frame")
            .and_then(|frame| frame.getattr("f_code")?.getattr("co_filename"))
    {
        text.push_str(&format!(" ({file}, line {line})"));
    }
    text
}

/// Calls a policy that may read the queues and draw random numbers.
fn with_views(
    py: Python<'_>,
    method: &Py<PyAny>,
    ports: u16,
    queues: &mut dyn sidestep_switch::Queues,
    rng: &mut Rng,
    first: impl FnOnce() -> PyResult<(Py<PyAny>, Py<PyAny>)>,
) -> PyResult<Py<PyAny>> {
    lend(queues, |ticket| {
        let (packet, second) = first()?;
        let view = Bound::new(py, Queues { ticket, ports })?;
        let stream = Bound::new(py, RandomStream::of(rng))?;
        let said = method.bind(py).call1((packet, second, view, &stream));
        if let Some(left) = stream.get().take() {
            *rng = left;
        }
        said.map(Bound::unbind)
    })
}

/// Route written in Python.
pub struct Route {
    pub asked: CallablePolicy,
    pub pick: Py<PyAny>,
}

impl sidestep_switch::Route for Route {
    fn pick(
        &mut self,
        pkt: &sidestep_types::Packet,
        hops: sidestep_switch::Hops<'_>,
        queues: &mut dyn sidestep_switch::Queues,
        rng: &mut Rng,
    ) -> PortId {
        let Route { asked, pick } = self;
        asked.ask(|py| {
            let said = with_views(py, pick, asked.who.place.ports, queues, rng, || {
                let hops = Hops {
                    ports: hops.ports.iter().map(|port| port.0).collect(),
                    set: hops.set,
                    prefix: hops.prefix,
                };
                Ok((
                    Py::new(py, Packet(*pkt))?.into_any(),
                    Py::new(py, hops)?.into_any(),
                ))
            })?;
            asked.port(said.bind(py))
        })
    }
}

/// Buffer policy written in Python.
pub struct Buffer {
    pub asked: CallablePolicy,
    pub admit: Py<PyAny>,
    /// Method `displaced`, if the policy defines it.
    pub displaced: Option<Py<PyAny>>,
}

impl sidestep_switch::Buffer for Buffer {
    fn admit(
        &mut self,
        pkt: &sidestep_types::Packet,
        want: sidestep_switch::Want,
        queues: &mut dyn sidestep_switch::Queues,
        rng: &mut Rng,
    ) -> sidestep_switch::Verdict {
        let Buffer { asked, admit, .. } = self;
        asked.ask(|py| {
            let said = with_views(py, admit, asked.who.place.ports, queues, rng, || {
                let Depth { packets, bytes } = want.depth;
                let want = Want {
                    port: want.port.0,
                    packets,
                    bytes,
                    fits: want.fits,
                };
                Ok((
                    Py::new(py, Packet(*pkt))?.into_any(),
                    Py::new(py, want)?.into_any(),
                ))
            })?;
            asked.verdict("admit", said.bind(py))
        })
    }

    fn displaced(
        &mut self,
        pkt: &sidestep_types::Packet,
        from: PortId,
        queues: &mut dyn sidestep_switch::Queues,
        rng: &mut Rng,
    ) -> sidestep_switch::Verdict {
        let Buffer {
            asked, displaced, ..
        } = self;
        let Some(displaced) = displaced else {
            return sidestep_switch::Verdict::Drop(DropReason::Evicted);
        };
        asked.ask(|py| {
            let said = with_views(py, displaced, asked.who.place.ports, queues, rng, || {
                let from = from.0.into_pyobject(py)?.unbind().into_any();
                Ok((Py::new(py, Packet(*pkt))?.into_any(), from))
            })?;
            asked.verdict("displaced", said.bind(py))
        })
    }
}

/// Scheduler written in Python. A method it lacks behaves as in the trait.
pub struct Sched {
    pub asked: CallablePolicy,
    pub passes: bool,
    pub counts: bool,
    pub push: Py<PyAny>,
    pub pop: Py<PyAny>,
    pub worst: Option<Py<PyAny>>,
    pub evict: Option<Py<PyAny>>,
    pub each_worst: Option<Py<PyAny>>,
    pub each_held: Option<Py<PyAny>>,
    pub queue: Option<Py<PyAny>>,
    pub class_of: Option<Py<PyAny>>,
    pub see: Option<Py<PyAny>>,
    pub skip: Option<Py<PyAny>>,
}

impl Sched {
    /// Calls `method`, which returns a number or None.
    fn number<'a, N: for<'py> FromPyObject<'py, 'py> + Default>(
        &self,
        of: &str,
        method: &'a Option<Py<PyAny>>,
        with: impl FnOnce(Python<'_>, &Bound<'_, PyAny>) -> PyResult<Py<PyAny>>,
    ) -> Option<N> {
        let method = method.as_ref()?;
        self.asked.ask(|py| {
            let said = with(py, method.bind(py))?.into_bound(py);
            if said.is_none() {
                return Ok(None);
            }
            match said.extract::<N>() {
                Ok(number) if !said.is_instance_of::<PyBool>() => Ok(Some(number)),
                _ => Err(wrong_type(of, "an int or None", &said)),
            }
        })
    }
}

fn plain(_: Python<'_>, method: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    method.call0().map(Bound::unbind)
}

impl sidestep_switch::Sched for Sched {
    fn passes(&self) -> bool {
        self.passes
    }
    fn counts(&self) -> bool {
        self.counts
    }
    fn pass(&mut self, pkt: &sidestep_types::Packet, now: Time) {
        if !self.counts {
            return;
        }
        self.see(pkt, now);
        if let Some(skip) = &self.skip {
            self.asked
                .ask(|py| skip.call1(py, (Packet(*pkt),)).map(|_| ()));
        }
    }
    fn push(&mut self, pkt: &sidestep_types::Packet, handle: u32) {
        let push = &self.push;
        self.asked
            .ask(|py| push.call1(py, (Packet(*pkt), handle)).map(|_| ()));
    }
    fn pop(&mut self) -> Option<u32> {
        let pop = &self.pop;
        self.asked.ask(|py| {
            let said = pop.bind(py).call0()?;
            if said.is_none() {
                return Ok(None);
            }
            match said.extract::<u32>() {
                Ok(handle) if !said.is_instance_of::<PyBool>() => Ok(Some(handle)),
                _ => Err(wrong_type(
                    "pop",
                    "the handle of a waiting packet (int), or None",
                    &said,
                )),
            }
        })
    }
    fn worst(&self) -> Option<u32> {
        self.number("worst", &self.worst, plain)
    }
    fn evict(&mut self) -> Option<u32> {
        self.number("evict", &self.evict, plain)
    }
    fn each_worst(&self, with: &mut dyn FnMut(u32, u32) -> bool) {
        let Some(each) = &self.each_worst else {
            return;
        };
        let all: Vec<(u32, u32)> = self.asked.ask(|py| {
            let named = each.bind(py).call0()?.try_iter()?;
            named.map(|one| one?.extract()).collect()
        });
        // `with` returns false when the querying policy needs no more.
        let _ = all.into_iter().all(|(rank, wire)| with(rank, wire));
    }
    fn each_held(&self, with: &mut dyn FnMut(u32)) {
        let Some(each) = &self.each_held else {
            return;
        };
        let all: Vec<u32> = self.asked.ask(|py| {
            let named = each.bind(py).call0()?.try_iter()?;
            named
                .map(|one| one?.extract())
                .collect::<PyResult<Vec<u32>>>()
        });
        all.into_iter().for_each(with);
    }
    fn queue(&self, service: u8) -> sidestep_switch::Class {
        let Some(queue) = &self.queue else {
            return sidestep_switch::Class::default();
        };
        self.asked.ask(|py| {
            let said = queue.bind(py).call1((service,))?;
            if said.is_none() {
                return Ok(sidestep_switch::Class::default());
            }
            let said = said
                .cast::<PyTuple>()
                .map_err(|_| wrong_type("queue", "(packets, bytes, flows) or None", &said))?;
            let (packets, bytes, flows) = said.extract()?;
            let depth = Depth { packets, bytes };
            Ok(sidestep_switch::Class { depth, flows })
        })
    }
    fn class_of(&self, service: u8) -> Option<u8> {
        self.number("class_of", &self.class_of, |_, method| {
            method.call1((service,)).map(Bound::unbind)
        })
    }
    fn see(&mut self, pkt: &sidestep_types::Packet, now: Time) {
        if let Some(see) = &self.see {
            self.asked
                .ask(|py| see.call1(py, (Packet(*pkt), now.ps())).map(|_| ()));
        }
    }
}
