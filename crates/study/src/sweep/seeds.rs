//! `counts.parquet` and `samples.parquet` of a sweep: what all numbers of several seeds are made of, with their points.

use crate::Error;
use crate::columns::{Col, Get, TableWriter};
use crate::rows::{count_columns, count_rows, sample_columns, sample_rows};
use crate::staging::Staging;
use serde_json::{Map, Value};
use sidestep_lab::{Experiment, Record, Results};

/// The axes, then the columns of a run's table.
fn columns<R>(experiment: &Experiment, own: Vec<Col<R>>, at: fn(&R, usize) -> &str) -> Vec<Col<R>> {
    let axis = |(i, name): (usize, &str)| Col {
        name: name.to_string().into(),
        doc: "value on this axis",
        get: Get::NthText(i, at),
    };
    let axes = experiment.axes.iter().map(|axis| axis.name.as_str());
    axes.enumerate().map(axis).chain(own).collect()
}

/// What each column of each table says, for the manifest.
pub(super) fn docs(experiment: &Experiment) -> Map<String, Value> {
    fn docs<R>(columns: &[Col<R>]) -> Value {
        let doc = |c: &Col<R>| (c.name.to_string(), c.doc);
        columns.iter().map(doc).collect()
    }
    let counts = columns(experiment, count_columns(), |r, i| &r.at[i]);
    let samples = columns(experiment, sample_columns(), |r, i| &r.at[i]);
    Map::from_iter([
        ("counts.parquet".to_string(), docs(&counts)),
        ("samples.parquet".to_string(), docs(&samples)),
    ])
}

/// Writes both.
pub(super) fn write(
    staging: &Staging,
    experiment: &Experiment,
    results: &Results,
) -> Result<(), Error> {
    let counts = columns(experiment, count_columns(), |r, i| &r.at[i]);
    let samples = columns(experiment, sample_columns(), |r, i| &r.at[i]);
    table(staging, "counts", &counts, results, count_rows)?;
    table(staging, "samples", &samples, results, sample_rows)
}

/// Writes one, a row group a run.
fn table<'a, R>(
    staging: &Staging,
    name: &str,
    columns: &[Col<R>],
    results: &'a Results,
    rows: fn(&'a [String], &'a Record) -> Vec<R>,
) -> Result<(), Error> {
    let (file, path) = staging.create(&format!("{name}.parquet"))?;
    let mut table = TableWriter::new(name, columns, file, path)?;
    for point in &results.points {
        for record in &point.records {
            table.write(columns, &rows(&point.at, record))?;
        }
    }
    table.finish()
}
