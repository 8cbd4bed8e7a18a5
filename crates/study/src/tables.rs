//! Tables and packet paths of a result directory, written run by run.

use crate::Error;
use crate::columns::{Col, TableWriter, packed};
use crate::rows::{
    KernelRow, Point, count_columns, count_rows, flow_columns, flow_rows, group_columns,
    group_rows, kernel_columns, port_columns, port_rows, query_columns, query_rows, sample_columns,
    sample_rows, subflow_columns, subflow_rows,
};
use crate::staging::Staging;
use crate::trace::PortNames;
use bytes::Bytes;
use serde_json::{Map, Value};
use sidestep_lab::ideal::Ideal;
use sidestep_lab::{Record, Run, Scenario};
use sidestep_sim::PacketTrace;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// Rows of one run, each table's as a separate Parquet file in memory: the form in which a cache stores them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    /// Tables, in the order of [`Rows::NAMES`].
    pub tables: [Bytes; Rows::NAMES.len()],
}

impl Rows {
    /// Names of the tables.
    pub const NAMES: [&str; 7] = [
        "flows", "queries", "groups", "ports", "subflows", "counts", "samples",
    ];

    /// Collects the rows of a run of scheme number `scheme`, with its statistics `record`.
    pub fn of(scenario: &Scenario, scheme: usize, run: &Run, record: &Record) -> Rows {
        let point = point(run);
        let network = &scenario.network;
        let config = &scenario.schemes[scheme].config;
        let mut ideal = Ideal::new(network, config.framing, config.transport.mss());
        let [flows, queries, groups, ports, subflows, counts, samples] = Rows::NAMES;
        Rows {
            tables: [
                packed(flows, &flow_columns(), &flow_rows(point, &mut ideal)),
                packed(queries, &query_columns(), &query_rows(point)),
                packed(groups, &group_columns(), &group_rows(point)),
                packed(ports, &port_columns(), &port_rows(point, network)),
                packed(subflows, &subflow_columns(), &subflow_rows(point)),
                packed(counts, &count_columns(), &count_rows(&[], record)),
                packed(samples, &sample_columns(), &sample_rows(&[], record)),
            ],
        }
    }
}

/// Formats the traced packet paths of a run, one line of JSON each, and removes them from the run.
pub fn paths(scenario: &Scenario, run: &mut Run) -> Vec<String> {
    let traces = std::mem::take(&mut run.outcome.traces);
    let names = PortNames::new(&scenario.network);
    let line = |trace: &PacketTrace| names.packet(point(run), trace).to_string();
    traces.iter().map(line).collect()
}

fn point(run: &Run) -> Point<'_> {
    Point {
        scheme: &run.scheme,
        seed: run.seed,
        plan: &run.plan,
        outcome: &run.outcome,
        told: &run.told,
        disturbed: !run.marks.is_empty(),
    }
}

/// Files while they are being written.
pub struct Tables {
    tables: [TableWriter; Rows::NAMES.len()],
    traces: Option<Traces>,
    kernel: Option<TableWriter>,
}

/// Name of the table of kernel statistics, which only testbed runs have, on request.
pub const KERNEL: &str = "kernel";

impl Tables {
    /// Begins all tables; the file of paths only if `traced`.
    pub fn begin(staging: &Staging, traced: bool) -> Result<Tables, Error> {
        let [flows, queries, groups, ports, subflows, counts, samples] = Rows::NAMES;
        Ok(Tables {
            tables: [
                begin(staging, flows, &flow_columns())?,
                begin(staging, queries, &query_columns())?,
                begin(staging, groups, &group_columns())?,
                begin(staging, ports, &port_columns())?,
                begin(staging, subflows, &subflow_columns())?,
                begin(staging, counts, &count_columns())?,
                begin(staging, samples, &sample_columns())?,
            ],
            traces: traced.then(|| Traces::begin(staging)).transpose()?,
            kernel: None,
        })
    }

    /// Writes the rows of a run, and its paths.
    pub fn write(&mut self, rows: &Rows, paths: &[String]) -> Result<(), Error> {
        for (table, part) in self.tables.iter_mut().zip(&rows.tables) {
            table.append(part)?;
        }
        match &mut self.traces {
            Some(file) => paths.iter().try_for_each(|path| file.add(path)),
            None => Ok(()),
        }
    }

    /// Begins the table of kernel statistics.
    pub fn begin_kernel(&mut self, staging: &Staging) -> Result<(), Error> {
        self.kernel = Some(begin(staging, KERNEL, &kernel_columns())?);
        Ok(())
    }

    /// Writes the kernel statistics of a run, if their table was begun.
    pub fn write_kernel(&mut self, rows: &[KernelRow]) -> Result<(), Error> {
        match &mut self.kernel {
            Some(table) => table.write(&kernel_columns(), rows),
            None => Ok(()),
        }
    }

    /// Finishes all files.
    pub fn finish(self) -> Result<(), Error> {
        let mut tables = self.tables.into_iter().chain(self.kernel);
        tables.try_for_each(TableWriter::finish)?;
        self.traces.map_or(Ok(()), Traces::finish)
    }
}

fn begin<R>(staging: &Staging, name: &str, columns: &[Col<R>]) -> Result<TableWriter, Error> {
    let (file, path) = staging.create(&format!("{name}.parquet"))?;
    TableWriter::new(name, columns, file, path)
}

fn docs<R>(columns: Vec<Col<R>>) -> Value {
    columns
        .iter()
        .map(|c| (c.name.to_string(), c.doc))
        .collect()
}

/// Describes the table of kernel statistics: its file, and its columns.
pub fn kernel_docs() -> (String, Value) {
    (format!("{KERNEL}.parquet"), docs(kernel_columns()))
}

/// Describes each column of each table, for the manifest.
pub fn column_docs() -> Value {
    let tables = [
        ("flows.parquet", docs(flow_columns())),
        ("queries.parquet", docs(query_columns())),
        ("groups.parquet", docs(group_columns())),
        ("ports.parquet", docs(port_columns())),
        ("subflows.parquet", docs(subflow_columns())),
        ("counts.parquet", docs(count_columns())),
        ("samples.parquet", docs(sample_columns())),
    ];
    Value::Object(Map::from_iter(
        tables.map(|(name, docs)| (name.to_string(), docs)),
    ))
}

/// `traces.json` while it is being written, one packet a line.
struct Traces {
    file: BufWriter<File>,
    path: PathBuf,
    any: bool,
}

impl Traces {
    fn begin(staging: &Staging) -> Result<Traces, Error> {
        let (file, path) = staging.create("traces.json")?;
        let mut traces = Traces {
            file: BufWriter::new(file),
            path,
            any: false,
        };
        traces.put("{\"packets\": [")?;
        Ok(traces)
    }

    fn add(&mut self, packet: &str) -> Result<(), Error> {
        let comma = if self.any { "," } else { "" };
        self.any = true;
        self.put(&format!("{comma}\n{packet}"))
    }

    fn finish(mut self) -> Result<(), Error> {
        self.put("\n]}\n")?;
        let flushed = self
            .file
            .flush()
            .and_then(|()| self.file.get_ref().sync_all());
        flushed.map_err(|e| Error::io("cannot write", &self.path, e))
    }

    fn put(&mut self, text: &str) -> Result<(), Error> {
        let written = self.file.write_all(text.as_bytes());
        written.map_err(|e| Error::io("cannot write", &self.path, e))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sidestep_switch::DropReason;

    #[test]
    fn every_column_is_in_the_documents() {
        let page = include_str!("../../../docs/reference/results.md");
        let mut docs = column_docs();
        let (table, columns) = kernel_docs();
        docs[table] = columns;
        for (table, columns) in docs.as_object().unwrap() {
            let section = page.split(&format!("\n## {table}\n")).nth(1);
            let section =
                section.unwrap_or_else(|| panic!("docs/reference/results.md has no {table}"));
            let section = section.split("\n## ").next().unwrap();
            for name in columns.as_object().unwrap().keys() {
                let is_drop = |reason: &DropReason| reason.counted_as() == name;
                let row = match DropReason::ALL.iter().any(is_drop) {
                    true => "`drops_REASON`".into(),
                    false => format!("`{name}`"),
                };
                assert!(
                    section.contains(&row),
                    "docs/reference/results.md: {table} lacks {row}"
                );
            }
        }
    }
}
