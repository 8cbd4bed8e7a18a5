//! Columns of a table as lists of Python numbers and strings, for users without a reader of Arrow.
//!
//! **Decision**  a plot or a table in a notebook needs a few columns, and neither pyarrow nor polars.
//! **Errors**    a missing column is a `ScenarioError` that lists the columns; a column of an unexpected type
//!               or a broken file is a `ResultError`.

use crate::error::{unreadable, wrong_call};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::fs::File;
use std::path::Path;

/// Returns the columns in `names`, in that order, up to `limit` rows; all columns if `names` is empty.
pub fn lists<'py>(
    py: Python<'py>,
    path: &Path,
    builder: ParquetRecordBatchReaderBuilder<File>,
    names: &[String],
    limit: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let refused = |e: &dyn std::fmt::Display| {
        let path = path.display();
        unreadable(py, format!("cannot read {path}: {e}"))
    };
    let known: Vec<String> = {
        let fields = builder.schema().fields().iter();
        fields.map(|field| field.name().clone()).collect()
    };
    if let Some(name) = names.iter().find(|name| !known.contains(name)) {
        let (file, known) = (path.display(), known.join(", "));
        let words = format!("{file} has no column {name:?}: expected one of {known}");
        return Err(wrong_call(py, &words));
    }
    let names = if names.is_empty() { &known } else { names };
    let out = PyDict::new(py);
    for name in names {
        out.set_item(name, PyList::empty(py))?;
    }
    // By number: a name with a dot, such as an axis of a sweep, would be a path into a column.
    let wanted = (0..known.len()).filter(|i| names.contains(&known[*i]));
    let mask = ProjectionMask::roots(builder.parquet_schema(), wanted);
    let reader = builder.with_projection(mask).with_limit(limit).build();
    for batch in reader.map_err(|e| refused(&e))? {
        let batch = batch.map_err(|e| refused(&e))?;
        for name in names {
            let list = out.get_item(name)?;
            let list = list.as_ref().and_then(|list| list.cast::<PyList>().ok());
            if let Some(list) = list {
                extend(list, &batch, name).map_err(|e| refused(&e))?;
            }
        }
    }
    Ok(out)
}

fn extend(list: &Bound<'_, PyList>, batch: &RecordBatch, name: &str) -> PyResult<()> {
    let Some(array) = batch.column_by_name(name) else {
        return Ok(());
    };
    let array: &dyn Array = array;
    if let Some(of) = array.as_primitive_opt::<Int64Type>() {
        return of.iter().try_for_each(|value| list.append(value));
    }
    if let Some(of) = array.as_primitive_opt::<Float64Type>() {
        return of.iter().try_for_each(|value| list.append(value));
    }
    if let Some(of) = array.as_string_opt::<i32>() {
        return of.iter().try_for_each(|value| list.append(value));
    }
    if let Some(of) = array.as_boolean_opt() {
        return of.iter().try_for_each(|value| list.append(value));
    }
    let of = array.data_type();
    Err(PyValueError::new_err(format!(
        "column {name:?} has type {of}: expected whole numbers, numbers, text or flags"
    )))
}
