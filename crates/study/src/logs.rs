//! `probes.json`: what `[probe]` logged of each run, in a line of its own.
//!
//! Samples are in the summary and in plots; detours, paths and the queues at single instants are here.

use crate::Error;
use crate::staging::Staging;
use serde_json::{Value, json};
use sidestep_lab::Record;

/// Writes what there is of these runs, each with the values on the axes of its point, if anything was logged.
pub fn write<'a>(
    staging: &Staging,
    runs: impl Iterator<Item = (&'a [String], &'a Record)>,
) -> Result<(), Error> {
    let lines: Vec<String> = runs.filter_map(|(at, run)| line(at, run)).collect();
    write_lines(staging, &lines)
}

/// The line of a run, if anything was logged.
pub fn line(at: &[String], run: &Record) -> Option<String> {
    Some(of(at, run)?.to_string())
}

/// The same of lines that were made before.
pub fn write_lines(staging: &Staging, lines: &[String]) -> Result<(), Error> {
    match lines.is_empty() {
        true => Ok(()),
        false => {
            let text = format!("{{\"runs\": [\n{}\n]}}\n", lines.join(",\n"));
            staging.write("probes.json", text.as_bytes())
        }
    }
}

fn of(at: &[String], run: &Record) -> Option<Value> {
    let probed = &run.probed;
    let some =
        !probed.detours.is_empty() || !probed.paths.is_empty() || !probed.occupancy.is_empty();
    some.then(|| {
        json!({
            "at": at,
            "scheme": run.scheme,
            "seed": run.seed,
            "detours": probed.detours,
            "detours_missed": probed.detours_missed,
            "paths": probed.paths,
            "occupancy": probed.occupancy,
        })
    })
}
