//! `probes.json`: the logs of `[probe]`, one line for each run.
//!
//! The file contains detours, paths and the queues at single instants. Samples are in the summary and in plots.

use crate::Error;
use crate::staging::Staging;
use serde_json::{Value, json};
use sidestep_lab::Record;

/// Writes the logs of these runs, each with the values of its point's axes, if anything was logged.
pub fn write<'a>(
    staging: &Staging,
    runs: impl Iterator<Item = (&'a [String], &'a Record)>,
) -> Result<(), Error> {
    let lines: Vec<String> = runs.filter_map(|(at, run)| line(at, run)).collect();
    write_lines(staging, &lines)
}

/// Returns the line of a run, if anything was logged.
pub fn line(at: &[String], run: &Record) -> Option<String> {
    Some(of(at, run)?.to_string())
}

/// Writes lines that [`line`] returned.
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
