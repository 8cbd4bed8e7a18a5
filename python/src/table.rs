//! Table of a result directory, as Arrow.
//!
//! **Decision**  a table is a Parquet file whose rows are read on demand, in batches: polars, pandas, pyarrow
//!               and DuckDB read them through the Arrow C stream interface, without a copy and without pyarrow.
//! **Errors**    a file that is missing or not Parquet is a `ResultError` with its path; a missing column is a
//!               `ScenarioError`.

use crate::error::unreadable;
use crate::lists::lists;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use pyo3::ffi::c_str;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use std::fs::File;
use std::path::PathBuf;

/// Rows of one Parquet file.
#[pyclass(frozen, module = "sidestep")]
pub struct Table {
    path: PathBuf,
    /// Names of the columns, units included.
    #[pyo3(get)]
    columns: Vec<String>,
    rows: usize,
    /// Owner of the file: a result whose directory is removed with its last reference.
    _owner: Option<Py<PyAny>>,
}

#[pymethods]
impl Table {
    /// Opens the Parquet file `path`; reads only its footer. Keeps a reference to `owner`.
    #[new]
    #[pyo3(signature = (path, owner = None))]
    fn open(py: Python<'_>, path: PathBuf, owner: Option<Py<PyAny>>) -> PyResult<Table> {
        let reader = builder(py, &path)?;
        let meta = reader.metadata().file_metadata();
        let columns = reader.schema().fields().iter();
        Ok(Table {
            columns: columns.map(|field| field.name().clone()).collect(),
            rows: usize::try_from(meta.num_rows()).unwrap_or_default(),
            path,
            _owner: owner,
        })
    }

    /// Path of the file.
    #[getter]
    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    /// Returns the number of rows.
    fn __len__(&self) -> usize {
        self.rows
    }

    /// Returns the columns of these names, or all columns, as lists of Python values; null is `None`.
    #[pyo3(signature = (columns = None, limit = None))]
    fn to_dict<'py>(
        &self,
        py: Python<'py>,
        columns: Option<Vec<String>>,
        limit: Option<usize>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let names = columns.unwrap_or_default();
        let limit = limit.unwrap_or(self.rows);
        lists(py, &self.path, builder(py, &self.path)?, &names, limit)
    }

    /// Formats the first rows for a notebook.
    fn _repr_html_<'py>(slf: Bound<'py, Table>) -> PyResult<Bound<'py, PyAny>> {
        let html = slf.py().import("sidestep._html")?;
        html.call_method1("table", (slf,))
    }

    /// Returns the Arrow C stream of the rows (the Arrow PyCapsule interface).
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A consumer may request another schema, and a producer may decline.
        let _ = requested_schema;
        let reader: ParquetRecordBatchReader = (builder(py, &self.path)?.build())
            .map_err(|e| unreadable(py, format!("cannot read {}: {e}", self.path.display())))?;
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c_str!("arrow_array_stream"))
    }
}

fn builder(py: Python<'_>, path: &PathBuf) -> PyResult<ParquetRecordBatchReaderBuilder<File>> {
    let file = File::open(path)
        .map_err(|e| unreadable(py, format!("cannot read {}: {e}", path.display())))?;
    ParquetRecordBatchReaderBuilder::try_new(file).map_err(|e| {
        let path = path.display();
        unreadable(py, format!("cannot read {path}: expected Parquet, got {e}"))
    })
}
