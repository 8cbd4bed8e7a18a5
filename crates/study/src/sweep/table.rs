//! `points.parquet`: one row per point, scheme and seed.

use crate::Error;
use crate::columns::{Col, Get, TableWriter};
use crate::staging::Staging;
use serde_json::Value;
use sidestep_lab::stats::metric::{self, CLASS_METRICS, METRICS, Reading};
use sidestep_lab::stats::{Summary, summarise};
use sidestep_lab::{Experiment, PointResult, Record};

/// Row with the numbers of a single seed.
struct Row<'a> {
    at: &'a [String],
    record: &'a Record,
    summary: Summary,
    hash: String,
    /// Metrics of one class, in the order of their columns.
    of_class: &'a [String],
}

impl Row<'_> {
    fn of_class(&self, nth: usize) -> Option<f64> {
        let metric = metric::find(&self.of_class[nth]).expect("a column is a metric");
        known(metric.read(&self.summary))
    }
}

fn known(reading: Reading) -> Option<f64> {
    match reading {
        Reading::Exactly(v) | Reading::AtLeast(v) | Reading::AtMost(v) => Some(v),
        Reading::Nothing => None,
    }
}

/// Returns the columns: the axes, the run, the metrics, the cost.
fn columns<'a>(experiment: &Experiment, of_class: &[String]) -> Vec<Col<Row<'a>>> {
    let axis = |(i, name): (usize, &str)| Col {
        name: name.to_string().into(),
        doc: "value on this axis",
        get: Get::NthText(i, |r: &Row<'_>, i| &r.at[i]),
    };
    let axes = experiment.axes.iter().map(|axis| axis.name.as_str());
    let mut all: Vec<Col<Row<'a>>> = axes.enumerate().map(axis).collect();
    all.extend(crate::columns::columns! { r: Row<'a>;
        /// name of the scheme
        scheme: Text = &r.record.scheme;
        /// seed of the run
        seed: Int = r.record.seed;
        /// queries, finished or not
        queries: Int = r.summary.qct_ms.n;
        /// true if the 99th percentile of query completion is a lower bound: it falls on an unfinished query
        qct_p99_at_least: Flag = r.summary.qct_ms.p99_at_least;
        /// background flows of 1 to 10 kB, finished or not
        fct_short_n: Int = r.summary.fct_short_ms.n;
        /// true if their 99th percentile falls on an unfinished flow: the value is a lower bound
        fct_short_p99_at_least: Flag = r.summary.fct_short_ms.p99_at_least;
    });
    all.extend(METRICS.iter().enumerate().map(|(i, metric)| Col {
        name: metric.name.into(),
        doc: metric.doc,
        get: if metric.is_count {
            Get::NthOptInt(i, |r: &Row<'_>, i| {
                known(METRICS[i].read(&r.summary)).map(|count| count as u64)
            })
        } else {
            Get::NthFloat(i, |r: &Row<'_>, i| known(METRICS[i].read(&r.summary)))
        },
    }));
    all.extend(of_class.iter().enumerate().map(|(i, name)| {
        let metric = metric::find(name).expect("a column is a metric");
        Col {
            name: name.clone().into(),
            doc: metric.doc,
            get: match metric.is_count {
                true => Get::NthOptInt(i, |r: &Row<'_>, i| r.of_class(i).map(|n| n as u64)),
                false => Get::NthFloat(i, |r: &Row<'_>, i| r.of_class(i)),
            },
        }
    }));
    all.extend(crate::columns::columns! { r: Row<'a>;
        /// packets that reached their host
        delivered: Int = r.record.counts.delivered;
        /// deliveries of one packet over one link
        packet_hops: Int = r.record.counts.packet_hops;
        /// events taken from the agenda
        events: Int = r.record.counts.events;
        /// simulated time, exact
        simulated_ps: Int = r.record.end.0.ps();
        /// digest of the trajectory, 16 hexadecimal digits
        trajectory_hash: Text = &r.hash;
    });
    all
}

/// Lists all metrics of all classes that have traffic at some point.
fn of_class(experiment: &Experiment) -> Vec<String> {
    let mut classes: Vec<String> = Vec::new();
    for scenario in experiment.points.iter().map(|point| &point.scenario) {
        for class in scenario.classes(scenario.duration) {
            if !classes.contains(&class) {
                classes.push(class);
            }
        }
    }
    let each = classes.iter().flat_map(|class| {
        CLASS_METRICS
            .iter()
            .map(move |metric| format!("{}:{class}", metric.name))
    });
    each.collect()
}

/// Describes each column, for the manifest.
pub(super) fn docs(experiment: &Experiment) -> Value {
    let columns = columns(experiment, &of_class(experiment));
    columns
        .iter()
        .map(|c| (c.name.to_string(), c.doc))
        .collect()
}

/// Table while it is being written.
pub(super) struct Points {
    table: TableWriter,
    of_class: Vec<String>,
}

impl Points {
    pub fn begin(staging: &Staging, experiment: &Experiment) -> Result<Points, Error> {
        let (file, path) = staging.create("points.parquet")?;
        let of_class = of_class(experiment);
        let columns = columns(experiment, &of_class);
        Ok(Points {
            table: TableWriter::new("points", &columns, file, path)?,
            of_class,
        })
    }

    /// Writes these points as one row group.
    pub fn write(&mut self, experiment: &Experiment, points: &[PointResult]) -> Result<(), Error> {
        let of_class = &self.of_class;
        let runs = points
            .iter()
            .flat_map(|p| p.records.iter().map(move |r| (p, r)));
        let rows: Vec<Row<'_>> = runs
            .map(|(point, record)| {
                assert!(record.told.is_all(), "a sweep is simulated");
                Row {
                    at: &point.at,
                    record,
                    summary: summarise(&[record]),
                    hash: format!("{:016x}", record.trajectory_hash),
                    of_class,
                }
            })
            .collect();
        self.table.write(&columns(experiment, of_class), &rows)
    }

    pub fn finish(self) -> Result<(), Error> {
        self.table.finish()
    }
}
