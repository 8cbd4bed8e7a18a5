//! Results of some runs as a user sees them.

use crate::setup::TestbedSetup;
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::Value;
use sidestep_lab::Run;
use sidestep_lab::stats::metric;
use sidestep_study::Recorder;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;

/// All written and shown results of some runs.
pub struct ShownResults {
    /// Values by name of a key, a metric, or a column (`TABLE.COLUMN`).
    pub values: BTreeMap<String, Vec<String>>,
    /// Printed table.
    pub text: String,
    pub json: Value,
}

impl ShownResults {
    /// Collects the results by way of a result directory.
    pub fn of(setup: &TestbedSetup, mut runs: Vec<Run>) -> ShownResults {
        let room = tempfile::tempdir().unwrap();
        let out = room.path().join("r");
        let mut recorder = Recorder::begin(&setup.scenario, &out, 1, false).unwrap();
        for run in &mut runs {
            recorder.add(0, run, None, 1.0);
        }
        let report = recorder.finish().unwrap().report;
        let mut shown = ShownResults {
            values: BTreeMap::new(),
            text: report.to_text(),
            json: report.to_json(),
        };
        for metric in metric::METRICS {
            let reading = metric.read(&report.summaries[0]);
            shown.put(metric.name, format!("{reading:?}"));
        }
        for table in ["flows", "queries", "groups", "ports"] {
            shown.table(table, &out.join(format!("{table}.parquet")));
        }
        let read = |name: &str| -> Value {
            serde_json::from_str(&std::fs::read_to_string(out.join(name)).unwrap()).unwrap()
        };
        let summary = read("summary.json");
        assert_eq!(summary, shown.json);
        shown.summary(&summary["schemes"]["dibs"]);
        let manifest = read("manifest.json");
        for run in manifest["runs"].as_array().unwrap() {
            shown.keys("", run);
        }
        shown.put("events", manifest["events"].to_string());
        shown.put("packet_hops", manifest["packet_hops"].to_string());
        shown
    }

    fn put(&mut self, name: &str, value: String) {
        self.values.entry(name.into()).or_default().push(value);
    }

    fn table(&mut self, table: &str, path: &Path) {
        let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
        for row in reader.get_row_iter(None).unwrap() {
            let row = row.unwrap();
            let cells: Vec<_> = row.get_column_iter().collect();
            let from = cells.iter().find(|(name, _)| *name == "from");
            let end = match from.map(|(_, from)| from.to_string().contains("host ")) {
                Some(true) => ".host",
                Some(false) => ".switch",
                None => "",
            };
            for (name, value) in cells {
                self.put(&format!("{table}{end}.{name}"), value.to_string());
            }
        }
    }

    fn summary(&mut self, summary: &Value) {
        self.keys("", summary);
        for class in summary["classes"].as_object().unwrap().values() {
            self.keys("classes.", class);
        }
        for seed in summary["per_seed"].as_array().into_iter().flatten() {
            self.summary(seed);
        }
    }

    fn keys(&mut self, before: &str, object: &Value) {
        let whole = ["classes", "per_seed", "not_told", "wall_s"];
        for (key, value) in object.as_object().unwrap() {
            if !whole.contains(&key.as_str()) {
                self.put(&format!("{before}{key}"), value.to_string());
            }
        }
    }

    /// Returns the names whose values differ.
    pub fn differs_from(&self, other: &ShownResults) -> Vec<String> {
        let names: BTreeSet<&String> = self.values.keys().chain(other.values.keys()).collect();
        let differs = |name: &&&String| self.values.get(**name) != other.values.get(**name);
        names
            .iter()
            .filter(differs)
            .map(|name| name.to_string())
            .collect()
    }
}
