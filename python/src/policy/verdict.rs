//! What a buffer policy answers.

use crate::error::wrong_call;
use pyo3::prelude::*;
use sidestep_switch::DropReason;
use sidestep_types::PortId;

/// What becomes of a packet.
#[pyclass(frozen, eq, module = "sidestep", name = "Verdict")]
#[derive(Clone, Copy, PartialEq)]
pub struct Verdict(pub sidestep_switch::Verdict);

#[pymethods]
impl Verdict {
    /// `enqueue`, `detour`, `evict`, `squeeze`, `trim` or `drop`.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.name()
    }

    /// The port that it names; `None` where it names none.
    #[getter]
    fn port(&self) -> Option<u16> {
        match self.0 {
            sidestep_switch::Verdict::Detour { port, .. }
            | sidestep_switch::Verdict::Squeeze { port, .. } => Some(port.0),
            _ => None,
        }
    }

    /// Is the packet marked, if it can be?
    #[getter]
    fn mark(&self) -> bool {
        self.0.marks()
    }

    /// Why the packet is dropped; `None` where it is not.
    #[getter]
    fn reason(&self) -> Option<&'static str> {
        self.0.reason().map(DropReason::name)
    }

    fn __repr__(&self) -> String {
        let mark = if self.mark() { "mark=True" } else { "" };
        let port = self.port().map(|port| port.to_string());
        let reason = self.reason().map(|reason| format!("{reason:?}"));
        let words = [port, reason, Some(mark.to_string())];
        let words: Vec<String> = words
            .into_iter()
            .flatten()
            .filter(|word| !word.is_empty())
            .collect();
        format!("{}({})", self.name(), words.join(", "))
    }
}

/// The packet joins the queue that it wants.
#[pyfunction]
#[pyo3(signature = (*, mark = false))]
pub fn enqueue(mark: bool) -> Verdict {
    Verdict(sidestep_switch::Verdict::Enqueue { mark })
}

/// The packet joins the queue of another port.
#[pyfunction]
#[pyo3(signature = (port, *, mark = false))]
pub fn detour(port: u16, mark: bool) -> Verdict {
    let port = PortId(port);
    Verdict(sidestep_switch::Verdict::Detour { port, mark })
}

/// The worst packet of the wanted queue goes, and this one joins.
#[pyfunction]
#[pyo3(signature = (*, mark = false))]
pub fn evict(mark: bool) -> Verdict {
    Verdict(sidestep_switch::Verdict::Evict { mark })
}

/// The packet joins this queue, full or not: what ranks strictly worse there makes room.
#[pyfunction]
#[pyo3(signature = (port, *, mark = false))]
pub fn squeeze(port: u16, mark: bool) -> Verdict {
    let port = PortId(port);
    Verdict(sidestep_switch::Verdict::Squeeze { port, mark })
}

/// The packet's payload is cut off; its header joins the queue that it wants.
#[pyfunction]
pub fn trim() -> Verdict {
    Verdict(sidestep_switch::Verdict::Trim)
}

/// The packet is dropped.
#[pyfunction]
#[pyo3(signature = (reason = "full"))]
pub fn drop(py: Python<'_>, reason: &str) -> PyResult<Verdict> {
    let found = DropReason::ALL
        .into_iter()
        .find(|known| known.name() == reason);
    let found = found.ok_or_else(|| {
        let known: Vec<&str> = DropReason::ALL.iter().map(|known| known.name()).collect();
        let words = format!(
            "reason: expected one of {}, got {reason:?}",
            known.join(", ")
        );
        wrong_call(py, &words)
    })?;
    Ok(Verdict(sidestep_switch::Verdict::Drop(found)))
}
