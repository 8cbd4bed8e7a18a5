//! Tests of sessions as the command runs them: the contents of the result directory, and refusals before
//! anything is built. They use bridges, which need no program of ours.

use crate::common::{own_name, traces};
use crate::needs_namespaces;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde_json::Value;
use sidestep_testbed::Error;
use sidestep_testbed::network::down::down;
use sidestep_testbed::network::switches::Engine;
use sidestep_testbed::order::Order;
use sidestep_testbed::run::RunOutputs;
use sidestep_testbed::session::Session;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Twelve short flows and a long one to one of four hosts, at a tenth of the scenario's rate.
const FEW: &str = r#"
duration = "10 ms"
drain = "5 s"
seeds = "1..2"
schemes = ["reno"]

[topology]
kind = "single_switch"
hosts = 4

[workload.few]
kind = "incast"
degree = 3
flows = 4
size = "20 kB"
target = 3

[workload.long]
kind = "incast"
degree = 1
size = "2 MB"
target = 0

[scheme.reno]
summary = "TCP over a bridge"
[scheme.reno.switch]
buffer = "droptail"
capacity = "unlimited"
[scheme.reno.transport]
kind = "newreno"
"#;

const CHANGE: &str = r#"
[[change]]
at = "1 ms"
link = "switch 0 - host 1"
rate = "RATE"
"#;

/// Writes a scenario into a folder and returns an order for it, under a unique name.
fn order(room: &Path, text: &str) -> Order {
    let file = room.join("few.toml");
    fs::write(&file, text).unwrap();
    Order {
        scenario: file.display().to_string(),
        scheme: "reno".into(),
        sets: Vec::new(),
        quick: false,
        rate: "100 Mbps".into(),
        name: own_name("ses"),
    }
}

/// Testbed of a test, removed when this is dropped.
struct Built(String);

impl Drop for Built {
    fn drop(&mut self) {
        if let Err(why) = down(&self.0, true) {
            eprintln!("{why}");
        }
    }
}

type Row = BTreeMap<String, Field>;

fn table(path: &Path) -> Vec<Row> {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let rows = reader.get_row_iter(None).unwrap();
    let named = |row: parquet::record::Row| {
        let columns = row.get_column_iter();
        columns.map(|(k, v)| (k.clone(), v.clone())).collect()
    };
    rows.map(|row| named(row.unwrap())).collect()
}

fn whole(row: &Row, column: &str) -> Option<i64> {
    match &row[column] {
        Field::Long(n) => Some(*n),
        Field::Null => None,
        other => panic!("{column}: expected a whole number, got {other:?}"),
    }
}

fn number(row: &Row, column: &str) -> f64 {
    match &row[column] {
        Field::Double(n) => *n,
        other => panic!("{column}: expected a number, got {other:?}"),
    }
}

fn columns(dir: &Path) -> Value {
    let manifest = fs::read_to_string(dir.join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    manifest["columns"]["kernel.parquet"].clone()
}

#[test]
fn a_result_has_what_kernels_said_of_each_flow_if_it_was_asked_for() {
    needs_namespaces!();
    let room = tempfile::tempdir().unwrap();
    let order = order(room.path(), FEW);
    let stop = AtomicBool::new(false);
    let _built = Built(order.name.clone());
    order.build(&Engine::Bridge, &stop).unwrap();
    let session = Session::open(&Some(order.name.clone()), None).unwrap();
    let how = |kernel_stats| RunOutputs {
        record: false,
        kernel_stats,
    };
    let with = room.path().join("with");
    session.record(&with, how(true), &stop).unwrap();
    let flows = table(&with.join("flows.parquet"));
    let rows = table(&with.join("kernel.parquet"));
    let docs = columns(&with);
    let explained: BTreeSet<&String> = docs.as_object().unwrap().keys().collect();
    assert!(rows[0].keys().eq(explained));
    assert_eq!(flows.len(), 2 * 13);
    for flow in &flows {
        let of = |row: &&Row| {
            ["seed", "flow_id"]
                .iter()
                .all(|key| row[*key] == flow[*key])
        };
        let own: Vec<&Row> = rows.iter().filter(of).collect();
        assert!(!own.is_empty(), "{flow:?}");
        assert!(own.is_sorted_by(|a, b| number(a, "at_us") < number(b, "at_us")));
        for row in &own {
            assert_eq!(row["scheme"], flow["scheme"]);
            assert_eq!(
                (whole(row, "subflow"), &row["dctcp_alpha"]),
                (None, &Field::Null)
            );
            // Not before its hand-over was due, by the same clock.
            let due = whole(flow, "start_ns").unwrap() as f64 / 1e3;
            assert!(number(row, "at_us") >= due, "{row:?}, {flow:?}");
            assert!(whole(row, "window_packets") >= Some(1));
            assert!(whole(row, "retransmits") <= whole(flow, "retransmits"));
            // The timeout is the round trip plus at least the scheme's minimum.
            assert!(number(row, "srtt_us") < number(row, "rto_us"), "{row:?}");
        }
    }
    let without = room.path().join("without");
    session.record(&without, how(false), &stop).unwrap();
    assert!(!without.join("kernel.parquet").exists());
    assert_eq!(columns(&without), Value::Null);
}

#[test]
fn changes_that_cannot_be_made_are_refused_before_anything_is_built() {
    needs_namespaces!();
    let room = tempfile::tempdir().unwrap();
    for (rate, engine, why) in [
        (
            "500 Mbps",
            Engine::Bridge,
            "change: Linux bridges cannot change a link's rate",
        ),
        (
            "5 kbps",
            Engine::Switch("/nowhere".into(), Vec::new()),
            "change: rate: expected at least 1 kbps",
        ),
    ] {
        let order = order(
            room.path(),
            &format!("{FEW}{}", CHANGE.replace("RATE", rate)),
        );
        let Err(Error::Input(said)) = order.build(&engine, &AtomicBool::new(false)) else {
            panic!("{rate} is refused");
        };
        assert!(said.contains(why), "{said}");
        assert_eq!(traces(&order.name), [""; 0]);
    }
}
