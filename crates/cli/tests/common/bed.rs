//! Test support: a testbed of one test, and the checks that its runs must pass.

use super::{Done, Room, skip};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Testbeds pace frames: two at a time on two cores would make each other late.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Room with a testbed, which is removed when this is dropped.
pub struct Bed {
    pub room: Room,
    pub name: String,
    _turn: MutexGuard<'static, ()>,
}

impl Bed {
    /// Prepares a testbed; skips with the reason and returns `None` if namespaces are not possible.
    pub fn new(name: &str) -> Option<Bed> {
        let turn = ONE_AT_A_TIME.lock().unwrap_or_else(|e| e.into_inner());
        let probe = Command::new("unshare").args(["-n", "true"]).output();
        match probe {
            Ok(done) if done.status.success() => {}
            other => {
                skip(&format!("skipped: no network namespaces: {other:?}"));
                return None;
            }
        }
        Some(Bed {
            room: Room::new(),
            name: format!("be-{name}{}", std::process::id()),
            _turn: turn,
        })
    }

    pub fn testbed(&self, words: &[&str]) -> Done {
        let mut args = vec!["testbed"];
        args.extend(words);
        args.extend(["--name", &self.name]);
        self.room.run(&args)
    }

    /// Returns the number of frames that its switches have sent.
    pub fn frames_left(&self) -> u64 {
        let status = self.testbed(&["status", "--json"]);
        let status: Value = serde_json::from_str(&status.out).unwrap();
        let switches = status["testbeds"][0]["switches"].as_array().unwrap();
        let ports = switches
            .iter()
            .flat_map(|s| s["ports"].as_object().unwrap().values());
        ports.filter_map(|p| p["tx_frames"].as_u64()).sum()
    }

    /// Waits until its switches have sent frames of a run, more than `before`.
    pub fn until_frames_left(&self, before: u64) {
        until("frames have left", || self.frames_left() > before + 100);
    }

    /// Returns everything of this testbed that is left in the machine.
    pub fn traces(&self) -> Vec<String> {
        let listed = |program: &str, args: &[&str], mark: &str| -> Vec<String> {
            let out = Command::new(program).args(args).output().unwrap();
            let text = String::from_utf8_lossy(&out.stdout).into_owned();
            let lines = text.lines().map(String::from);
            lines.filter(|line| line.contains(mark)).collect()
        };
        let mut all = listed("ip", &["netns", "list"], &format!("{}-", self.name));
        let folder = format!("/run/sidestep/{}", self.name);
        all.extend(listed("pgrep", &["-af", &folder], &folder));
        all.extend(Path::new(&folder).exists().then_some(folder));
        all
    }
}

impl Drop for Bed {
    fn drop(&mut self) {
        self.testbed(&["down"]);
    }
}

/// Waits until `so` holds, longer than any machine takes.
pub fn until(what: &str, mut so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !so() {
        assert!(began.elapsed().as_secs() < 120, "not so: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub fn json(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Reads the whole numbers of a Parquet file by column; other values are `None`.
pub fn table(path: &Path) -> Vec<BTreeMap<String, Option<i64>>> {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let whole = |field: &Field| match field {
        Field::Long(n) => Some(*n),
        Field::Bool(yes) => Some(i64::from(*yes)),
        _ => None,
    };
    let rows = reader.get_row_iter(None).unwrap();
    rows.map(|row| {
        let row = row.unwrap();
        let columns = row.get_column_iter();
        columns.map(|(k, v)| (k.clone(), whole(v))).collect()
    })
    .collect()
}

/// Returns the sum of a column.
pub fn sum(rows: &[BTreeMap<String, Option<i64>>], column: &str) -> i64 {
    rows.iter().filter_map(|row| row[column]).sum()
}

/// Checks the invariants of every run, with its tables and the counters of the switches since their start:
/// frames received were sent, dropped, refused or are held; a detour leaves one port for another; a finished
/// flow has all its bytes.
pub fn check_laws(bed: &Bed, dir: &str, summary: &Value) {
    let status = bed.testbed(&["status", "--json"]).with_status(0);
    let status: Value = serde_json::from_str(&status.out).unwrap();
    for switch in status["testbeds"][0]["switches"].as_array().unwrap() {
        let ports: Vec<&Value> = switch["ports"].as_object().unwrap().values().collect();
        let count = |value: &Value| value.as_u64().unwrap_or_else(|| panic!("{switch}"));
        let all = |key: &str| ports.iter().map(|p| count(&p[key])).sum::<u64>();
        let reasons = |key: &str| {
            let each = ports
                .iter()
                .flat_map(|p| p[key].as_object().unwrap().values());
            each.map(count).sum::<u64>()
        };
        assert_eq!(
            all("rx_frames") + all("copies") - all("floods"),
            all("tx_frames") + reasons("drops") + reasons("refused") + count(&switch["held"]),
            "{switch}"
        );
    }
    let ports = table(&bed.room.path().join(dir).join("ports.parquet"));
    assert_eq!(sum(&ports, "detours_in"), sum(&ports, "detours_out"));
    for (key, column) in [("detours", "detours_in"), ("marks", "marks")] {
        assert_eq!(summary[key], sum(&ports, column), "{key}");
    }
    for (reason, count) in summary["drops"].as_object().unwrap() {
        assert_eq!(count, sum(&ports, &format!("drops_{reason}")), "{reason}");
    }
    for flow in table(&bed.room.path().join(dir).join("flows.parquet")) {
        let whole = flow["delivered_bytes"] == flow["size_bytes"];
        assert_eq!(flow["finished"] == Some(1), whole, "{flow:?}");
    }
}
