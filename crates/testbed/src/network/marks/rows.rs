//! Test of the program against the rows of its shim, `conformance/vectors/shim-by-size.csv`, for marks by sent
//! bytes, over IPv4 and IPv6: built as a process by the C compiler of this machine, without a kernel to load it
//! or special rights.
//!
//! Rows without an equivalent in a connection are left out: flows of two subflows, flows that are not open, and
//! handshakes sent in mid-flow. Handshakes received in mid-flow count as late duplicates.

use super::{Marks, defines};
use crate::network::bpf::rows::{Row, answers, build, has_compiler, rows};
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn the_program_answers_the_rows_of_the_shim() {
    if !has_compiler() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let rows = rows("shim-by-size.csv");
    let by_sent = |settings: &&str| settings.split("; ").any(|change| change == "by=sent");
    let settings: BTreeSet<&str> = rows.iter().map(|row| row["settings"].as_str()).collect();
    let (mut told, mut beyond) = (0, BTreeMap::new());
    for settings in settings.into_iter().filter(by_sent) {
        let (mut lines, mut expected) = (String::new(), Vec::new());
        let mut host = Host::default();
        for row in rows.iter().filter(|row| row["settings"] == settings) {
            if row["step"] == "0" {
                host = Host::default();
                lines += "new\n";
            }
            if let Some(line) = host.tell(row) {
                lines += &line;
                if line.starts_with("out") {
                    expected.push((row["row"].clone(), row["service_after"].clone()));
                }
            }
        }
        let marks = marks(settings);
        let program = build(folder.path(), "marks_rows.c", &defines(&marks));
        assert!(!expected.is_empty(), "{settings}");
        told += 1;
        for version in ["4", "6"] {
            let said = answers(&program, &[version], &lines);
            assert_eq!(said.len(), expected.len(), "{settings}");
            let first = marks.services[0].to_string();
            let later = said.iter().any(|said| *said != first);
            *beyond.entry(marks.thresholds.len()).or_insert(false) |= later;
            for (said, (row, expected)) in said.iter().zip(&expected) {
                assert_eq!(said, expected, "row {row}: {settings}, IPv{version}");
            }
        }
    }
    assert_eq!(told, 9, "the table's settings by what was sent");
    // With any number of thresholds, some flow exceeds the first.
    let many: Vec<(usize, bool)> = beyond.into_iter().collect();
    assert_eq!(many, [1, 2, 4, 7].map(|thresholds| (thresholds, true)));
}

#[test]
fn a_late_duplicate_of_a_syn_brings_no_flow_back() {
    if !has_compiler() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let marks = Marks {
        by_sent: true,
        thresholds: vec![1_000],
        services: vec![46, 8],
        mirrors: true,
    };
    let program = build(folder.path(), "marks_rows.c", &defines(&marks));
    // A server sends, its client's SYN arrives again, and later a new connection has the same name.
    let lines = "in syn 7 0 46\nout syn-ack 7 0 0 0\nout data 7 0 1000 0\nout data 7 1000 500 0\nin syn 7 0 46\n\
                 out data 7 1500 500 0\nout data 7 0 500 0\nout fin 7 2000 0 0\nin syn 7 0 46\nout syn-ack 7 0 0 0\n\
                 out data 7 0 500 0\n";
    for version in ["4", "6"] {
        let said = answers(&program, &[version], lines);
        assert_eq!(said, ["46", "46", "8", "8", "8", "8", "46", "46"]);
    }
}

/// State of one host, from the rows so far.
#[derive(Default)]
struct Host {
    /// Connection of each open flow, and whether it has sent data.
    open: BTreeMap<String, (u32, bool)>,
    connections: u32,
}

/// Flows left out: one with two subflows, and one that is never opened.
const NOT_TOLD: [&str; 2] = ["0", "3"];

impl Host {
    /// Returns the input line for a row; `None` if the row has no equivalent.
    fn tell(&mut self, row: &Row) -> Option<String> {
        let flow = &row["flow"];
        if NOT_TOLD.contains(&flow.as_str()) {
            return None;
        }
        match row["operation"].as_str() {
            "open" => {
                self.connections += 1;
                let fresh = (self.connections, false);
                self.open.entry(flow.clone()).or_insert(fresh);
                return None;
            }
            "close" => {
                self.open.remove(flow);
                return None;
            }
            _ => {}
        }
        let (connection, begun) = self.open.get_mut(flow)?;
        let [seq, len] = ["seq_bytes", "payload_bytes"].map(|column| match row[column].as_str() {
            "" => "0",
            number => number,
        });
        let (kind, dscp) = (row["kind"].as_str(), &row["service_before"]);
        if row["operation"] == "up" {
            return Some(format!("in {kind} {connection} {len} {dscp}\n"));
        }
        let kind = match kind {
            "syn" | "syn-ack" if *begun => return None,
            "data" if len == "0" => "fin",
            kind => kind,
        };
        *begun |= kind == "data";
        Some(format!("out {kind} {connection} {seq} {len} {dscp}\n"))
    }
}

/// Parses the marks from a row's settings.
fn marks(settings: &str) -> Marks {
    let changes = settings.split("; ").map(|change| change.split_once('='));
    let changes: BTreeMap<&str, &str> = changes.map(|change| change.unwrap()).collect();
    let numbers = |text: &str| -> Vec<u64> {
        let words = text.split(" / ").map(|word| word.trim_end_matches(" B"));
        words.map(|word| word.parse().unwrap()).collect()
    };
    let thresholds = numbers(changes.get("thresholds").unwrap_or(&"100000 B"));
    let services = match changes.get("dscp") {
        None => (0..=thresholds.len() as u8).collect(),
        Some(text) => numbers(text).iter().map(|dscp| *dscp as u8).collect(),
    };
    Marks {
        by_sent: true,
        thresholds,
        services,
        mirrors: changes.get("acks") != Some(&"first"),
    }
}
