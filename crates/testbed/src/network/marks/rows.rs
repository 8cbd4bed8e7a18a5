//! The program as a process, built by the C compiler of this machine, answers the rows of the shim that it is:
//! `conformance/vectors/shim-by-size.csv` by what was sent, over IPv4 and over IPv6. Neither a kernel that loads it nor
//! anybody's rights are needed.
//!
//! What the rows have and a connection has not is not told: flows of two subflows, flows that are not open, and
//! handshakes in the middle. Of those that come, which a shim takes for data, data is told.

use super::{Marks, defines};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[test]
fn the_program_answers_the_rows_of_the_shim() {
    let folder = tempfile::tempdir().unwrap();
    let rows = rows();
    let by_sent = |settings: &&str| settings.split("; ").any(|change| change == "by=sent");
    let settings: BTreeSet<&str> = rows.iter().map(|row| row["settings"].as_str()).collect();
    let (mut asked, mut later) = (0, 0);
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
        let program = build(folder.path(), &marks);
        for version in ["4", "6"] {
            let said = answers(&program, version, &lines);
            assert_eq!(said.len(), expected.len(), "{settings}");
            for (said, (row, expected)) in said.iter().zip(&expected) {
                assert_eq!(said, expected, "row {row}: {settings}, IPv{version}");
                later += u32::from(*said != marks.services[0].to_string());
            }
            asked += expected.len();
        }
    }
    assert!(asked > 600 && later > 200, "{asked} {later}");
}

/// A row: its cells by their columns.
type Row = BTreeMap<String, String>;

fn rows() -> Vec<Row> {
    let path = "../../conformance/vectors/shim-by-size.csv";
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').map(String::from));
    let names: Vec<String> = lines.next().unwrap().collect();
    lines
        .map(|cells| names.iter().cloned().zip(cells).collect())
        .collect()
}

/// What has been told of one host.
#[derive(Default)]
struct Host {
    /// The connection of each open flow, and whether data has left over it.
    open: BTreeMap<String, (u32, bool)>,
    connections: u32,
}

/// The flow of two subflows, and the one that is never opened.
const NOT_TOLD: [&str; 2] = ["0", "3"];

impl Host {
    /// The line of the program's input that tells of a row, if it can be told.
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
            let opens = kind == "syn" && *begun;
            let (kind, len) = if opens { ("data", "1") } else { (kind, len) };
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

/// The marks of a setting of the rows.
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

/// The program with these settings, as a process.
fn build(folder: &Path, marks: &Marks) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("bpf/host");
    let program = folder.join("rows");
    let built = Command::new("cc")
        .args(["-Wall", "-Werror", "-Wno-unknown-pragmas", "-O0"])
        .args(
            defines(marks)
                .into_iter()
                .map(|define| format!("-D{define}")),
        )
        .arg(format!("-I{}", source.display()))
        .arg(source.join("marks_rows.c"))
        .arg("-o")
        .arg(&program)
        .status();
    assert!(built.expect("a C compiler").success(), "{marks:?}");
    program
}

/// What the program says to these lines.
fn answers(program: &Path, version: &str, lines: &str) -> Vec<String> {
    let mut child = Command::new(program)
        .arg(version)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let lines = lines.to_string();
    let told = std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let done = child.wait_with_output().unwrap();
    assert!(
        done.status.success(),
        "a line is unknown, or a header wrong"
    );
    told.join().unwrap().unwrap();
    let said = String::from_utf8(done.stdout).unwrap();
    said.lines().map(String::from).collect()
}
