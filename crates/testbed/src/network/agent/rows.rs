//! Test of the program against the rows of its shim, `conformance/vectors/shim-agent-droptail.csv`: built as a
//! process by the C compiler of this machine, without a kernel to load it or special rights.
//!
//! Rows are translated to what TCP has: a subflow becomes a connection, a flow is open once data has left, and
//! a closed flow is reset. An acknowledgement with SACK blocks is passed on only if it advances, since the
//! program judges it by its number (see its header).

use super::{bpf, defines};
use crate::network::bpf::rows::{Row, answers, has_compiler, rows};
use crate::setup;
use sidestep_transport::shim;
use sidestep_types::{Value, Values};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const SHIM: &str = "agent-droptail";

#[test]
fn the_program_answers_the_rows_of_the_shim() {
    if !has_compiler() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (mut asked, mut dropped) = (0, 0);
    let rows = rows("shim-agent-droptail.csv");
    let settings: BTreeSet<&str> = rows.iter().map(|row| row["settings"].as_str()).collect();
    for settings in settings {
        let (mut lines, mut expected) = (String::new(), Vec::new());
        let mut host = Host::default();
        for row in rows.iter().filter(|row| row["settings"] == settings) {
            if row["step"] == "0" {
                host = Host::default();
                lines += "new\n";
            }
            if let Some(line) = host.tell(row) {
                lines += &line;
                if line.starts_with("up") {
                    let said = format!("{} {}", row["verdict"], row["duplicate"]);
                    expected.push((row["row"].clone(), said));
                }
            }
        }
        let said = answers(&build(folder.path(), settings), &[], &lines);
        assert_eq!(said.len(), expected.len(), "{settings}");
        for (said, (row, expected)) in said.iter().zip(&expected) {
            assert_eq!(said, expected, "row {row}: {settings}");
            dropped += u32::from(said.starts_with("drop"));
        }
        asked += expected.len();
    }
    assert!(asked > 1_000 && dropped > 100, "{asked} {dropped}");
}

/// State of one host, from the rows so far.
#[derive(Default)]
struct Host {
    open: BTreeSet<u64>,
    /// Highest byte sent, plus one, of each connection that has sent data.
    sent: BTreeMap<u64, u64>,
}

/// Connection numbers reserved for each flow.
const SUBFLOWS: u64 = 16;

impl Host {
    /// Returns the input line for a row; `None` if the row has no equivalent.
    fn tell(&mut self, row: &Row) -> Option<String> {
        let number = |column: &str| row[column].parse::<u64>().ok();
        let flow = number("flow").unwrap();
        let connection = SUBFLOWS * flow + number("subflow").unwrap_or(0);
        match row["operation"].as_str() {
            "open" => {
                self.open.insert(flow);
                return None;
            }
            "close" => {
                self.open.remove(&flow);
                let of = SUBFLOWS * flow..SUBFLOWS * (flow + 1);
                let ended: Vec<u64> = self.sent.range(of).map(|(name, _)| *name).collect();
                let end = |name: &u64| {
                    self.sent.remove(name);
                    format!("end {name}\n")
                };
                return Some(ended.iter().map(end).collect());
            }
            _ if !self.open.contains(&flow) => return None,
            _ => {}
        }
        let len = number("payload_bytes").unwrap_or(0);
        if row["operation"] == "down" {
            let at = number("seq_bytes").unwrap();
            let sent = self.sent.entry(connection).or_default();
            *sent = at.max(*sent).max(at + len);
            return Some(format!("down {connection} {at} {len}\n"));
        }
        let at = number("ack_bytes").or(number("seq_bytes")).unwrap();
        let more = row["sack_blocks"] != "0" || row["cut"] != "0";
        let moves = self.sent.get(&connection) == Some(&at);
        if !row["ack_bytes"].is_empty() && more && !moves {
            return None;
        }
        Some(format!("up {connection} {at} {len}\n"))
    }
}

/// Builds the program with these settings as a process.
fn build(folder: &Path, settings: &str) -> PathBuf {
    let entry = shim::ENTRIES
        .iter()
        .find(|entry| entry.name == SHIM)
        .unwrap();
    let mut values = Values::defaults(entry.params);
    for change in settings.split("; ").filter(|change| *change != "defaults") {
        let (name, text) = change.split_once('=').unwrap();
        let param = entry
            .params
            .iter()
            .find(|param| param.name == name)
            .unwrap();
        values.set(param.name, Value::parse(text, param).unwrap());
    }
    let agent = shim::choose(SHIM, &values).unwrap();
    let agent = setup::agent(&[agent]).unwrap().unwrap();
    bpf::rows::build(folder, "rows.c", &defines(agent))
}
