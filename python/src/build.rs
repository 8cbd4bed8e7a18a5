//! Origin of this build.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use sidestep_study::sweep::CODE;

/// Returns `json_schema`, the version of the dictionaries that match the output of `--json`; `version`;
/// `commit` (with `+modified` if sources differ from it); and `code`, a digest of the simulator's sources. Two
/// builds with one `code` produce the same runs, byte for byte.
#[pyfunction]
pub fn build_info(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let info = PyDict::new(py);
    info.set_item("version", env!("CARGO_PKG_VERSION"))?;
    info.set_item("commit", sidestep_study::COMMIT)?;
    info.set_item("code", CODE)?;
    info.set_item("json_schema", sidestep_study::json::VERSION.to_string())?;
    Ok(info)
}
