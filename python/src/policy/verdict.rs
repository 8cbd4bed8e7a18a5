//! Verdicts of a buffer policy.

use crate::error::wrong_call;
use pyo3::prelude::*;
use sidestep_switch::DropReason;
use sidestep_types::PortId;

/// Verdict on a packet.
#[pyclass(frozen, eq, module = "sidestep", name = "Verdict")]
#[derive(Clone, Copy, PartialEq)]
pub struct Verdict(pub sidestep_switch::Verdict);

#[pymethods]
impl Verdict {
    /// Name of the verdict: `enqueue`, `detour`, `evict`, `squeeze`, `trim` or `drop`.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.name()
    }

    /// Port of the verdict; `None` if it has none.
    #[getter]
    fn port(&self) -> Option<u16> {
        match self.0 {
            sidestep_switch::Verdict::Detour { port, .. }
            | sidestep_switch::Verdict::Squeeze { port, .. } => Some(port.0),
            _ => None,
        }
    }

    /// True if the packet is marked, provided it is ECN-capable.
    #[getter]
    fn mark(&self) -> bool {
        self.0.marks()
    }

    /// Reason for a drop; `None` for other verdicts.
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

/// Enqueues the packet at the port it wants.
#[pyfunction]
#[pyo3(signature = (*, mark = false))]
pub fn enqueue(mark: bool) -> Verdict {
    Verdict(sidestep_switch::Verdict::Enqueue { mark })
}

/// Enqueues the packet at another port.
#[pyfunction]
#[pyo3(signature = (port, *, mark = false))]
pub fn detour(port: u16, mark: bool) -> Verdict {
    let port = PortId(port);
    Verdict(sidestep_switch::Verdict::Detour { port, mark })
}

/// Evicts the worst packet of the wanted queue, and enqueues this one.
#[pyfunction]
#[pyo3(signature = (*, mark = false))]
pub fn evict(mark: bool) -> Verdict {
    Verdict(sidestep_switch::Verdict::Evict { mark })
}

/// Enqueues the packet at `port`, full or not: packets of strictly worse rank there make room.
#[pyfunction]
#[pyo3(signature = (port, *, mark = false))]
pub fn squeeze(port: u16, mark: bool) -> Verdict {
    let port = PortId(port);
    Verdict(sidestep_switch::Verdict::Squeeze { port, mark })
}

/// Cuts off the packet's payload, and enqueues its header at the port it wants.
#[pyfunction]
pub fn trim() -> Verdict {
    Verdict(sidestep_switch::Verdict::Trim)
}

/// Drops the packet.
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
