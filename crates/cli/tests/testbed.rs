//! `sidestep testbed` with our switches and the kernel's TCP. Skips, with the reason, where the kernel
//! forbids namespaces.

mod common;

use common::{Done, Room};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use serde_json::Value;
use std::fs::File;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, MutexGuard};

/// Testbeds pace frames: two at a time on two cores would make each other late.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// A room with a testbed of its own, which goes away with it.
struct Bed {
    room: Room,
    name: String,
    _turn: MutexGuard<'static, ()>,
}

impl Bed {
    /// `None`, and the reason printed, where there can be none.
    fn new(name: &str) -> Option<Bed> {
        let turn = ONE_AT_A_TIME.lock().unwrap_or_else(|e| e.into_inner());
        let probe = Command::new("unshare").args(["-n", "true"]).output();
        match probe {
            Ok(done) if done.status.success() => {}
            other => {
                common::skip(&format!("skipped: no network namespaces: {other:?}"));
                return None;
            }
        }
        Some(Bed {
            room: Room::new(),
            name: format!("be-{name}{}", std::process::id()),
            _turn: turn,
        })
    }

    fn testbed(&self, words: &[&str]) -> Done {
        let mut args = vec!["testbed"];
        args.extend(words);
        args.extend(["--name", &self.name]);
        self.room.run(&args)
    }

    /// What is left in the machine of this testbed.
    fn traces(&self) -> Vec<String> {
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

fn json(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Every attempt stalled: the machine has no time for this test, which is what the run says, too.
fn starved(done: &Done) -> bool {
    let starved = done.status == 1 && done.out.contains("had a stall");
    if starved {
        // No fault of the code, so no failure even where tests must run.
        let _ = writeln!(
            std::io::stderr(),
            "skipped: this machine stalled in every attempt: {}",
            done.out
        );
    }
    starved
}

#[test]
fn the_papers_testbed_detours_and_loses_nothing() {
    let Some(bed) = Bed::new("p") else { return };
    bed.testbed(&["up", "dibs-testbed", "--scheme", "dibs"])
        .with_status(0);
    let status = bed.testbed(&["status", "--json"]).with_status(0);
    let status: Value = serde_json::from_str(&status.out).unwrap();
    assert_eq!(
        status["testbeds"][0]["switches"].as_array().unwrap().len(),
        5
    );
    let done = bed.testbed(&["run", "--queries", "2", "--json", "--out", "r"]);
    if starved(&done) {
        return;
    }
    let result: Value = serde_json::from_str(&done.with_status(0).out).unwrap();
    let dibs = &result["schemes"]["dibs"];
    assert_eq!(dibs["drops"]["full"], 0);
    assert!(dibs["detours"].as_u64().unwrap() > 100, "{dibs}");
    assert_eq!(dibs["qct_ms"]["n"], 2);
    // 50 answers of 32 kB are 13.5 ms of a 1 Gbps link.
    let p50 = dibs["qct_ms"]["p50"].as_f64().unwrap();
    assert!((13.4..15.0).contains(&p50), "{p50}");
    let manifest = json(&bed.room.path().join("r/manifest.json"));
    let about = &manifest["testbed"];
    assert_eq!(about["scale"], 10.0);
    assert!(about["pacing_lateness"]["p999_us"].as_f64().unwrap() > 0.0);
    assert_eq!(about["pacing_lateness"]["stalls"], 0);
    let flows =
        SerializedFileReader::new(File::open(bed.room.path().join("r/flows.parquet")).unwrap())
            .unwrap();
    assert_eq!(flows.get_row_iter(None).unwrap().count(), 100);
    bed.testbed(&["down"]).with_status(0);
    assert_eq!(bed.traces(), [""; 0]);
}

#[test]
fn dctcp_fills_a_link_from_a_short_queue() {
    let Some(bed) = Bed::new("d") else { return };
    bed.room.file(
        "two.toml",
        "duration = \"10 ms\"\ndrain = \"3 s\"\nseeds = \"1\"\nschemes = [\"dctcp\"]\n\
         [topology]\nkind = \"single_switch\"\nhosts = 3\n\
         [switch]\ncapacity = \"100 pkt\"\nbuffer = { mark_at = \"20 pkt\" }\n\
         [workload.two]\nkind = \"incast\"\ndegree = 2\nsize = \"8 MB\"\n",
    );
    bed.testbed(&["up", "two.toml"]).with_status(0);
    let done = bed.testbed(&["run", "--json", "--out", "r"]);
    if starved(&done) {
        return;
    }
    let result: Value = serde_json::from_str(&done.with_status(0).out).unwrap();
    let dctcp = &result["schemes"]["dctcp"];
    let gbps = 16e6 * 8.0 / (dctcp["qct_ms"]["max"].as_f64().unwrap() * 1e6);
    // 1460 of 1538 bytes are payload.
    assert!((0.90..0.9494).contains(&gbps), "{gbps} Gbps of goodput");
    assert_eq!(dctcp["drops"]["full"], 0);
    assert!(dctcp["marks"].as_u64().unwrap() > 100, "{dctcp}");
    let ports =
        SerializedFileReader::new(File::open(bed.room.path().join("r/ports.parquet")).unwrap())
            .unwrap();
    let columns = ports
        .metadata()
        .file_metadata()
        .schema()
        .get_fields()
        .to_vec();
    let peak = columns
        .iter()
        .position(|c| c.name() == "peak_packets")
        .unwrap();
    let longest = ports
        .get_row_iter(None)
        .unwrap()
        .map(|r| r.unwrap().get_long(peak).unwrap())
        .max();
    assert!((20..70).contains(&longest.unwrap()), "{longest:?}");
}

#[test]
fn an_interrupted_run_writes_what_there_is() {
    let Some(bed) = Bed::new("i") else { return };
    bed.testbed(&["up", "quickstart", "--scheme", "dibs"])
        .with_status(0);
    let args = [
        "testbed",
        "run",
        "--queries",
        "500",
        "--out",
        "r",
        "--name",
        &bed.name,
    ];
    let child = bed
        .room
        .command(&args)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_secs(2));
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
    Done::of(child.wait_with_output().unwrap()).with_status(130);
    let manifest = json(&bed.room.path().join("r/manifest.json"));
    assert_eq!(manifest["status"], "partial");
    let runs = manifest["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 500);
    assert_eq!(runs[499]["status"], "not run");
    // A machine without time may have had none that was good, which is counted.
    let discarded = manifest["testbed"]["discarded"].as_u64().unwrap();
    assert!(
        discarded > 0 || runs.iter().any(|run| run["status"] == "complete"),
        "{:?}",
        runs[0]
    );
}

#[test]
fn a_dead_switch_is_seen_and_removed_with_the_rest() {
    let Some(bed) = Bed::new("k") else { return };
    bed.testbed(&["up", "dibs-testbed", "--scheme", "droptail"])
        .with_status(0);
    let again = bed
        .testbed(&["up", "dibs-testbed", "--scheme", "droptail"])
        .with_status(2);
    assert!(
        again.err.contains("is up") && again.err.contains(&format!("down --name {}", bed.name)),
        "{again:?}"
    );
    let status = bed.testbed(&["status", "--json"]).with_status(0);
    let status: Value = serde_json::from_str(&status.out).unwrap();
    let pid = status["testbeds"][0]["processes"][3][0].as_i64().unwrap();
    assert!(
        Command::new("kill")
            .args(["-9", &pid.to_string()])
            .status()
            .unwrap()
            .success()
    );
    std::thread::sleep(std::time::Duration::from_millis(100));
    let status = bed.testbed(&["status"]).with_status(1);
    assert!(status.out.contains("does not answer"), "{status:?}");
    let run = bed.testbed(&["run", "--queries", "1"]).with_status(1);
    assert!(
        run.err.contains("agg 0") && run.err.contains("s3.log"),
        "{run:?}"
    );
    bed.testbed(&["down"]).with_status(0);
    assert_eq!(bed.traces(), [""; 0]);
}

#[test]
fn an_up_killed_at_any_point_is_cleaned_up_by_down() {
    let Some(bed) = Bed::new("c") else { return };
    for wait_ms in [100, 300, 600] {
        let args = [
            "testbed",
            "up",
            "dibs-testbed",
            "--scheme",
            "dibs",
            "--name",
            &bed.name,
        ];
        let mut child = bed
            .room
            .command(&args)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(wait_ms));
        child.kill().unwrap();
        child.wait().unwrap();
        bed.testbed(&["down"]).with_status(0);
        assert_eq!(bed.traces(), [""; 0], "killed after {wait_ms} ms");
    }
}

#[test]
fn what_cannot_be_built_is_refused_with_the_reason() {
    let Some(bed) = Bed::new("r") else { return };
    let refused = |words: &[&str]| bed.testbed(words).with_status(2).err;
    let why = refused(&["up", "dibs-testbed"]);
    assert!(
        why.contains("--scheme with one of unlimited, droptail, dibs"),
        "{why}"
    );
    let why = refused(&["up", "dibs-demo", "--scheme", "dibs"]);
    assert!(
        why.contains("expected 1 to 64") && why.contains("got 128"),
        "{why}"
    );
    let why = refused(&[
        "up",
        "quickstart",
        "--scheme",
        "pfabric",
        "--set",
        "schemes=pfabric",
    ]);
    assert!(why.contains("pfabric"), "{why}");
    let why = refused(&["up", "quickstart", "--scheme", "dibs", "--rate", "2 Gbps"]);
    assert!(why.contains("--rate") && why.contains("1 Gbps"), "{why}");
    let why = refused(&["run"]);
    assert!(why.contains("no testbed called"), "{why}");
    assert_eq!(bed.traces(), [""; 0]);
}

/// Small enough for a test: two queries, two schemes.
const FIGURE: &str = r#"
title = "ten answers at once"
duration = "1 ms"
drain = "1 s"
seeds = "1..2"
schemes = ["droptail", "dibs"]
[topology]
kind = "testbed"
[transport]
kind = "newreno"
fast_retransmit = "off"
[workload.query]
kind = "incast"
degree = 5
flows = 2
size = "10 kB"
target = 5
[scheme.droptail]
summary = "drop-tail"
[scheme.dibs]
summary = "detours"
[scheme.dibs.switch]
buffer = "dibs"
[figure]
paper = "none"
number = "1"
shows = "two arms"
[[plot]]
kind = "cdf"
of = "qct_ms"
[[claim]]
id = "done"
says = "every query is answered"
metric = "qct_completed_share"
compare = "dibs"
paper = 1
accept = "1"
tolerance = "the sentence itself"
expect = "not reproduced"
testbed_expect = "reproduced"
"#;

#[test]
fn a_figure_over_the_testbed_stands_beside_the_simulators() {
    let Some(bed) = Bed::new("f") else { return };
    std::fs::create_dir_all(bed.room.path().join("experiments/mine")).unwrap();
    bed.room.file("experiments/mine/fig1.toml", FIGURE);
    let words = [
        "reproduce",
        "mine/fig1",
        "--testbed",
        "--json",
        "--out",
        "r",
    ];
    let done = bed.room.run(&words);
    let said: Value = serde_json::from_str(&done.out).unwrap_or_else(|e| panic!("{e}: {done:?}"));
    let figure = &said["figures"][0];
    let rows = figure["beside"]["rows"].as_array().unwrap();
    assert!(rows.iter().any(|row| row[0] == "dibs"), "{said}");
    assert_eq!(figure["beside"]["columns"][4], "testbed");
    if said["notes"].as_str().is_none() && done.status != 0 {
        // A machine without time leaves seeds out, which is said and is no success.
        let notes = figure["notes"].to_string();
        assert!(notes.contains("had a stall"), "{done:?}");
        return;
    }
    let claim = &said["claims"][0];
    assert_eq!(claim["verdict"], "reproduced", "{claim}");
    assert_eq!(claim["expect"], "reproduced", "{claim}");
    assert_eq!(claim["at"]["arm"], "testbed", "{claim}");
    for file in ["report.html", "manifest.json", "mine/fig1/points.csv"] {
        assert!(bed.room.path().join("r").join(file).exists(), "{file}");
    }
    let many = bed
        .room
        .run(&["reproduce", "mine", "--testbed", "--rate", "3 pkt"]);
    assert_eq!(many.status, 2, "{many:?}");
}

#[test]
fn without_root_it_says_so() {
    let Some(bed) = Bed::new("u") else { return };
    let mut command = bed.room.command(&[
        "testbed",
        "up",
        "quickstart",
        "--scheme",
        "dibs",
        "--name",
        &bed.name,
    ]);
    command.current_dir("/").uid(65_534).gid(65_534);
    match command.output() {
        Ok(output) => {
            let done = Done::of(output).with_status(2);
            assert!(done.err.contains("expected to run as root"), "{done:?}");
        }
        Err(e) => eprintln!("skipped: an ordinary user may not read this program: {e}"),
    }
    let mut command = bed.room.command(&[
        "testbed",
        "up",
        "quickstart",
        "--scheme",
        "dibs",
        "--name",
        &bed.name,
    ]);
    let done = Done::of(command.env("PATH", "/nonexistent").output().unwrap());
    // `ip` stands in /usr/sbin as well, where it is found without PATH.
    assert!(
        done.status == 0 || done.err.contains("iproute2"),
        "{done:?}"
    );
}
