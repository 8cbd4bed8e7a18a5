//! Plug-ins: policies in Rust that are compiled apart.

use crate::error::{Refused, raise};
use pyo3::prelude::*;
use sidestep_study::own::OwnScheme;
use sidestep_study::plugin;
use std::path::PathBuf;

/// The scheme of a plug-in that was loaded.
#[pyclass(frozen, module = "sidestep")]
pub struct Plugin(pub OwnScheme);

#[pymethods]
impl Plugin {
    /// What its crate is called, and its scheme in results.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// The scheme that it is but for its policy.
    #[getter]
    fn extends(&self) -> &str {
        &self.0.extends
    }

    /// `sha256:` and the digest of its library.
    #[getter]
    fn digest(&self) -> &str {
        self.0.own.key.as_deref().unwrap_or_default()
    }

    fn __repr__(&self) -> String {
        format!("<plug-in {}, extends {}>", self.0.name, self.0.extends)
    }
}

/// Builds the plug-in in the folder `path` and loads it; a library is loaded as it is.
#[pyfunction]
pub fn load_plugin(py: Python<'_>, path: PathBuf) -> PyResult<Plugin> {
    let loaded = py.detach(|| plugin::load(&path));
    loaded
        .map(Plugin)
        .map_err(|e| raise(py, &e, Refused::Call, None))
}

/// Writes the crate of a plug-in, `name`, into the folder `out`, which must not exist yet. Says which files it wrote.
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
