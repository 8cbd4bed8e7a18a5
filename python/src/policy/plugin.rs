//! Plug-ins: policies in Rust that are compiled separately.

use crate::error::{Refused, raise};
use pyo3::prelude::*;
use sidestep_study::caller::CallerScheme;
use sidestep_study::plugin;
use std::path::PathBuf;

/// Scheme of a loaded plug-in.
#[pyclass(frozen, module = "sidestep")]
pub struct Plugin(pub CallerScheme);

#[pymethods]
impl Plugin {
    /// Name of the plug-in's crate, and of its scheme in results.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// Scheme that the plug-in extends with its policy.
    #[getter]
    fn extends(&self) -> &str {
        &self.0.extends
    }

    /// Digest of the library, with the prefix `sha256:`.
    #[getter]
    fn digest(&self) -> &str {
        self.0.own.key.as_deref().unwrap_or_default()
    }

    fn __repr__(&self) -> String {
        format!("<plug-in {}, extends {}>", self.0.name, self.0.extends)
    }
}

/// Builds the plug-in in the folder `path` and loads it; loads a compiled library without a build.
#[pyfunction]
pub fn load_plugin(py: Python<'_>, path: PathBuf) -> PyResult<Plugin> {
    let loaded = py.detach(|| plugin::load(&path));
    loaded
        .map(Plugin)
        .map_err(|e| raise(py, &e, Refused::Call, None))
}

/// Writes the crate of a plug-in, `name`, into the folder `out`, which must not exist yet. Returns the files
/// written.
#[pyfunction]
#[pyo3(signature = (name, *, kind = "buffer", out = None))]
pub fn new_policy(
    py: Python<'_>,
    name: &str,
    kind: &str,
    out: Option<PathBuf>,
) -> PyResult<Vec<PathBuf>> {
    let out = out.unwrap_or_else(|| PathBuf::from(name));
    plugin::write(&out, name, kind).map_err(|e| raise(py, &e, Refused::Call, None))
}
