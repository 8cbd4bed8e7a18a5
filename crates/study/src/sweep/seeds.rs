//! `counts.parquet` and `samples.parquet` of a sweep, with the points: the values from which all numbers over
//! several seeds are computed.

use crate::Error;
use crate::columns::{Col, Get, TableWriter};
use crate::rows::{count_columns, count_rows, sample_columns, sample_rows};
use crate::staging::Staging;
use serde_json::{Map, Value};
use sidestep_lab::{Experiment, PointResult, Record};

/// Returns the columns: the axes, then those of a run's table.
fn columns<R>(experiment: &Experiment, own: Vec<Col<R>>, at: fn(&R, usize) -> &str) -> Vec<Col<R>> {
    let axis = |(i, name): (usize, &str)| Col {
        name: name.to_string().into(),
        doc: "value on this axis",
        get: Get::NthText(i, at),
    };
    let axes = experiment.axes.iter().map(|axis| axis.name.as_str());
    axes.enumerate().map(axis).chain(own).collect()
}

/// Describes each column of each table, for the manifest.
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

/// Tables of counts and samples while they are being written.
pub(super) struct Seeds {
    counts: TableWriter,
    samples: TableWriter,
}

impl Seeds {
    pub fn begin(staging: &Staging, experiment: &Experiment) -> Result<Seeds, Error> {
        Ok(Seeds {
            counts: begin(
                staging,
                "counts",
                &columns(experiment, count_columns(), |r, i| &r.at[i]),
            )?,
            samples: begin(
                staging,
                "samples",
                &columns(experiment, sample_columns(), |r, i| &r.at[i]),
            )?,
        })
    }

    /// Writes these points, one row group a run, or all as one row group if `together`.
    pub fn write(
        &mut self,
        experiment: &Experiment,
        points: &[PointResult],
        together: bool,
    ) -> Result<(), Error> {
        let counts = columns(experiment, count_columns(), |r, i| &r.at[i]);
        let samples = columns(experiment, sample_columns(), |r, i| &r.at[i]);
        write(&mut self.counts, &counts, points, count_rows, together)?;
        write(&mut self.samples, &samples, points, sample_rows, together)
    }

    pub fn finish(self) -> Result<(), Error> {
        self.counts.finish()?;
        self.samples.finish()
    }
}

fn begin<R>(staging: &Staging, name: &str, columns: &[Col<R>]) -> Result<TableWriter, Error> {
    let (file, path) = staging.create(&format!("{name}.parquet"))?;
    TableWriter::new(name, columns, file, path)
}

fn write<'a, R>(
    table: &mut TableWriter,
    columns: &[Col<R>],
    points: &'a [PointResult],
    rows: fn(&'a [String], &'a Record) -> Vec<R>,
    together: bool,
) -> Result<(), Error> {
    let runs = || {
        points
            .iter()
            .flat_map(|p| p.records.iter().map(move |r| rows(&p.at, r)))
    };
    if together {
        return table.write(columns, &runs().flatten().collect::<Vec<R>>());
    }
    for rows in runs() {
        table.write(columns, &rows)?;
    }
    Ok(())
}
