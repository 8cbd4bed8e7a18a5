//! The tables and paths of a result directory, written run by run.

use crate::Error;
use crate::columns::{Col, TableWriter};

use crate::rows::{
    Point, flow_columns, flow_rows, group_columns, group_rows, port_columns, port_rows,
    query_columns, query_rows,
};
use crate::staging::Staging;
use crate::trace::PortNames;
use serde_json::{Map, Value};
use sidestep_lab::ideal::Ideal;
use sidestep_lab::{Run, Scenario};
use sidestep_sim::PacketTrace;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// The files while they are written.
pub struct Tables<'a> {
    scenario: &'a Scenario,
    flows: TableWriter,
    queries: TableWriter,
    groups: TableWriter,
    ports: TableWriter,
    traces: Option<Traces<'a>>,
}

impl<'a> Tables<'a> {
    /// Begins all of them; paths only when some are kept.
    pub fn begin(
        staging: &Staging,
        scenario: &'a Scenario,
        traced: bool,
    ) -> Result<Tables<'a>, Error> {
        Ok(Tables {
            scenario,
            flows: begin(staging, "flows", &flow_columns())?,
            queries: begin(staging, "queries", &query_columns())?,
            groups: begin(staging, "groups", &group_columns())?,
            ports: begin(staging, "ports", &port_columns())?,
            traces: if traced {
                Some(Traces::begin(staging, scenario)?)
            } else {
                None
            },
        })
    }

    /// Adds a run of scheme number `scheme`, and takes its paths.
    pub fn write(&mut self, scheme: usize, run: &mut Run) -> Result<(), Error> {
        let traces = std::mem::take(&mut run.outcome.traces);
        let point = Point {
            scheme: &run.scheme,
            seed: run.seed,
            plan: &run.plan,
            outcome: &run.outcome,
            unmeasured: &run.unmeasured,
        };
        let network = &self.scenario.network;
        let config = &self.scenario.schemes[scheme].config;
        let mut ideal = Ideal::new(network, config.framing, config.transport.mss());
        self.flows
            .write(&flow_columns(), &flow_rows(point, &mut ideal))?;
        self.queries.write(&query_columns(), &query_rows(point))?;
        self.groups.write(&group_columns(), &group_rows(point))?;
        self.ports
            .write(&port_columns(), &port_rows(point, network))?;
        match &mut self.traces {
            Some(file) => file.write(point, &traces),
            None => Ok(()),
        }
    }

    /// Ends all of them.
    pub fn finish(self) -> Result<(), Error> {
        self.flows.finish()?;
        self.queries.finish()?;
        self.groups.finish()?;
        self.ports.finish()?;
        self.traces.map_or(Ok(()), Traces::finish)
    }
}

fn begin<R>(staging: &Staging, name: &str, columns: &[Col<R>]) -> Result<TableWriter, Error> {
    let (file, path) = staging.create(&format!("{name}.parquet"))?;
    TableWriter::new(name, columns, file, path)
}

/// What each column of each table says, for the manifest.
pub fn column_docs() -> Value {
    fn docs<R>(columns: Vec<Col<R>>) -> Value {
        columns
            .iter()
            .map(|c| (c.name.to_string(), c.doc))
            .collect()
    }
    let tables = [
        ("flows.parquet", docs(flow_columns())),
        ("queries.parquet", docs(query_columns())),
        ("groups.parquet", docs(group_columns())),
        ("ports.parquet", docs(port_columns())),
    ];
    Value::Object(Map::from_iter(
        tables.map(|(name, docs)| (name.to_string(), docs)),
    ))
}

/// `traces.json` while it is written, one packet a line.
struct Traces<'a> {
    names: PortNames<'a>,
    file: BufWriter<File>,
    path: PathBuf,
    any: bool,
}

impl<'a> Traces<'a> {
    fn begin(staging: &Staging, scenario: &'a Scenario) -> Result<Traces<'a>, Error> {
        let (file, path) = staging.create("traces.json")?;
        let names = PortNames::new(&scenario.network);
        let mut traces = Traces {
            names,
            file: BufWriter::new(file),
            path,
            any: false,
        };
        traces.put("{\"packets\": [")?;
        Ok(traces)
    }

    fn write(&mut self, point: Point<'_>, traces: &[PacketTrace]) -> Result<(), Error> {
        for trace in traces {
            let comma = if self.any { "," } else { "" };
            self.any = true;
            let packet = self.names.packet(point, trace);
            self.put(&format!("{comma}\n{packet}"))?;
        }
        Ok(())
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

    #[test]
    fn every_column_is_in_the_documents() {
        let page = include_str!("../../../docs/results.md");
        let docs = column_docs();
        for (table, columns) in docs.as_object().unwrap() {
            let section = page.split(&format!("\n## {table}\n")).nth(1);
            let section = section.unwrap_or_else(|| panic!("docs/results.md has no {table}"));
            let section = section.split("\n## ").next().unwrap();
            for name in columns.as_object().unwrap().keys() {
                let row = format!("`{name}`");
                assert!(
                    section.contains(&row),
                    "docs/results.md: {table} lacks {row}"
                );
            }
        }
    }
}
