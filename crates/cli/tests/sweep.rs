//! Tests of sweeps: the same bytes however they were made, also if they were killed in between.

use crate::common;

use common::{Done, Room};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

const BASE: &str = r#"
duration = "20 ms"
seeds = "1..3"
[topology]
kind = "fat_tree"
k = 4
[workload.query]
kind = "query"
rate = "300 /s"
degree = 12
size = "20 kB"
"#;

const FIGURE: &str = r#"
extends = "base.toml"
title = "query completion"
schemes = ["dctcp", "dibs"]
[figure]
paper = "DIBS"
number = "8"
[sweep]
"workload.query.rate" = ["500 /s", "1000 /s", "2000 /s"]
assumption = [
  { is = "as assumed" },
  { is = "minimum RTO 1 ms", "transport.rto_min" = "1 ms", "transport.rto_initial" = "1 ms" },
]
[[plot]]
kind = "lines"
x = "workload.query.rate"
y = ["qct_p99_ms", "drops_full"]
[quick]
seeds = "1"
"workload.query.rate" = ["2000 /s"]
[[claim]]
says = "p99 falls"
metric = "qct_p99_ms"
compare = "dctcp - dibs"
over = "max"
paper = 20
accept = "1.."
tolerance = "any"
"#;

/// Creates a room with the experiment in it.
fn room() -> Room {
    let room = Room::new();
    room.file("base.toml", BASE);
    room.file("fig.toml", FIGURE);
    room
}

/// Reads all files of a result directory that must not depend on how it was made, plots included.
fn result(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        let (name, path) = (entry.file_name().into_string().unwrap(), entry.path());
        if path.is_dir() {
            let inner = result(&path).into_iter();
            files.extend(inner.map(|(inside, bytes)| (format!("{name}/{inside}"), bytes)));
        } else if name != "manifest.json" {
            files.push((name, fs::read(path).unwrap()));
        }
    }
    files.sort();
    files
}

/// Returns the complete records of a cache.
fn records(kept: &Path) -> Vec<PathBuf> {
    let folders = fs::read_dir(kept).into_iter().flatten().flatten();
    let files = folders.flat_map(|f| fs::read_dir(f.path()).into_iter().flatten().flatten());
    let whole = files.map(|file| file.path());
    whole
        .filter(|p| p.extension().is_some_and(|e| e == "record"))
        .collect()
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn statuses(dir: &Path) -> Vec<String> {
    let manifest = json(&dir.join("manifest.json"));
    let runs = manifest["runs"].as_array().unwrap().clone();
    runs.iter()
        .map(|r| r["status"].as_str().unwrap().into())
        .collect()
}

#[test]
fn threads_and_the_cache_leave_no_trace_in_the_result() {
    let room = room();
    let (one, two, three) = (
        room.path().join("1"),
        room.path().join("2"),
        room.path().join("3"),
    );
    let run = |more: &[&str]| {
        let args: Vec<&str> = ["run", "fig.toml"].iter().chain(more).copied().collect();
        room.run(&args).with_status(0)
    };
    run(&["--out", "1", "--jobs", "3", "--cache", "kept"]);
    let again = run(&["--out", "2", "--jobs", "1", "--cache", "kept"]);
    assert!(
        again
            .out
            .contains("0 runs made, 36 taken from the cache kept"),
        "{}",
        again.out
    );
    run(&["--out", "3", "--jobs", "2", "--no-cache"]);
    assert!(
        !room.path().join("results").exists(),
        "nothing is kept where none is asked for"
    );
    let names: Vec<String> = result(&one).into_iter().map(|(name, _)| name).collect();
    let expected = [
        "counts.parquet",
        "experiment.toml",
        "plots/plot1-lines.png",
        "plots/plot1-lines.svg",
        "points.parquet",
        "report.html",
        "samples.parquet",
        "summary.json",
    ];
    assert_eq!(names, expected);
    assert_eq!(result(&two), result(&one));
    assert_eq!(result(&three), result(&one));
    assert!(
        statuses(&two)
            .iter()
            .all(|s| s == "complete, from the cache")
    );
    assert!(statuses(&three).iter().all(|s| s == "complete"));
    // The written experiment gives the same runs.
    fs::copy(one.join("experiment.toml"), room.path().join("again.toml")).unwrap();
    let args = ["run", "again.toml", "--out", "4", "--cache", "kept"];
    let again = room.run(&args).with_status(0);
    assert!(again.out.contains("0 runs made, 36 taken"), "{}", again.out);
    // The table is shown again.
    let shown = room.run(&["show", "1"]).with_status(0);
    assert!(
        again.out.lines().nth(6) == shown.out.lines().nth(6),
        "{}",
        shown.out
    );
}

#[test]
fn a_sweep_that_is_killed_again_and_again_ends_with_the_same_bytes() {
    let room = room();
    let args = |out: &'static str, kept: &'static str| {
        let sets = ["--set", "duration=100 ms", "--jobs", "2"];
        let all = ["run", "fig.toml", "--out", out, "--cache", kept];
        all.into_iter().chain(sets).collect::<Vec<&str>>()
    };
    room.run(&args("quiet", "kept-quiet")).with_status(0);
    let kept = room.path().join("kept");
    let mut killed = 0;
    // Irregular moments; every third may be before any run was kept.
    for (i, moment) in (0..60u64).map(|i| (i * 7919) % 41).enumerate() {
        if killed == 12 {
            break;
        }
        let before = records(&kept).len();
        let mut command = room.command(&args("out", "kept"));
        let silent = command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = silent.spawn().unwrap();
        let ended = |child: &mut std::process::Child| child.try_wait().unwrap().is_some();
        while i % 3 > 0 && records(&kept).len() == before && !ended(&mut child) {
            sleep(Duration::from_millis(1));
        }
        sleep(Duration::from_millis(moment));
        child.kill().unwrap();
        child.wait().unwrap();
        let out = room.path().join("out");
        if out.exists() && killed >= 3 {
            break;
        }
        if out.exists() {
            // Killed too late, on a busy machine: repeat from the start.
            fs::remove_dir_all(out).unwrap();
            fs::remove_dir_all(&kept).unwrap();
            killed = 0;
            continue;
        }
        killed += 1;
    }
    assert!(killed >= 3, "killed {killed} times");
    if !room.path().join("out").exists() {
        let done = room.run(&args("out", "kept")).with_status(0);
        assert!(!done.out.contains(" 0 taken from"), "{}", done.out);
    }
    assert_eq!(
        result(&room.path().join("out")),
        result(&room.path().join("quiet"))
    );
}

#[test]
fn damaged_records_are_made_again() {
    let room = room();
    room.run(&["run", "fig.toml", "--out", "1", "--cache", "kept"])
        .with_status(0);
    let records = records(&room.path().join("kept"));
    assert_eq!(records.len(), 36);
    for (i, path) in records.iter().take(12).enumerate() {
        let mut bytes = fs::read(path).unwrap();
        match i % 3 {
            0 => bytes.truncate(bytes.len() / 2),
            1 => *bytes.last_mut().unwrap() ^= 1,
            _ => bytes.clear(),
        }
        fs::write(path, bytes).unwrap();
    }
    let again = room
        .run(&["run", "fig.toml", "--out", "2", "--cache", "kept"])
        .with_status(0);
    let words = "12 runs made, 24 taken from the cache kept";
    assert!(
        again.out.contains(words) && again.out.contains("12 repeated because of damaged records"),
        "{}",
        again.out
    );
    let of = |name: &str| result(&room.path().join(name));
    assert_eq!(of("2"), of("1"));
}

#[test]
fn two_processes_share_a_cache() {
    let room = room();
    let begin = |out: &str| {
        let mut command = room.command(&["run", "fig.toml", "--out", out, "--cache", "kept"]);
        let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        piped.spawn().unwrap()
    };
    for child in [begin("1"), begin("2")] {
        Done::of(child.wait_with_output().unwrap()).with_status(0);
    }
    let of = |name: &str| result(&room.path().join(name));
    assert_eq!(of("2"), of("1"));
}

#[test]
fn an_interrupted_sweep_says_so_and_goes_on_later() {
    let room = room();
    let args = |out: &'static str| {
        [
            "run",
            "fig.toml",
            "--set",
            "duration=300 ms",
            "--out",
            out,
            "--cache",
            "kept",
        ]
    };
    let mut command = room.command(&args("part"));
    let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = piped.spawn().unwrap();
    // Once the first record is there.
    let kept = room.path().join("kept");
    while records(&kept).is_empty() {
        sleep(Duration::from_millis(2));
    }
    // SAFETY: `child` has not been waited for, so its number is still valid.
    assert_eq!(unsafe { libc::kill(child.id() as i32, libc::SIGINT) }, 0);
    let done = Done::of(child.wait_with_output().unwrap()).with_status(130);
    assert!(done.out.contains("PARTIAL"), "{}", done.out);
    let part = room.path().join("part");
    let ended = statuses(&part);
    assert_eq!(ended.len(), 36, "every run asked for is accounted for");
    let ran = ended.iter().filter(|s| *s == "complete").count();
    assert!(ran > 0 && ended.iter().any(|s| s == "not run"), "{ended:?}");
    assert_eq!(json(&part.join("summary.json"))["status"], "partial");
    let rest = room.run(&args("whole")).with_status(0);
    let words = format!("{} runs made, {ran} taken", 36 - ran);
    assert!(rest.out.contains(&words), "{words}: {}", rest.out);
}

#[test]
fn a_first_look_takes_fewer_runs_and_a_set_leaves_an_axis_one_value() {
    let room = room();
    let said = room.run(&["check", "fig.toml"]).with_status(0);
    let words = "6 points x 2 schemes x 3 seeds = 36 runs";
    assert!(said.out.contains(words), "{}", said.out);
    let quick = room
        .run(&["check", "fig.toml", "--quick", "--json"])
        .with_status(0);
    let quick: Value = serde_json::from_str(&quick.out).unwrap();
    assert_eq!(quick["scenarios"][0]["runs"], 4);
    let set = "workload.query.rate=700 /s";
    let args = [
        "run",
        "fig.toml",
        "--set",
        set,
        "--json",
        "--out",
        "out",
        "--no-cache",
    ];
    let done = room.run(&args).with_status(0);
    let json: Value = serde_json::from_str(&done.out).unwrap();
    let points = json["points"].as_array().unwrap();
    assert_eq!(points.len(), 2);
    assert_eq!(points[1]["at"]["workload.query.rate"], "700 /s");
    assert_eq!(points[1]["at"]["assumption"], "minimum RTO 1 ms");
    assert_eq!(json["claims"][0]["points"].as_array().unwrap().len(), 2);
    let note = json["notes"][0].as_str().unwrap();
    assert!(
        note.contains("700 /s") && note.contains("3 values"),
        "{note}"
    );
}
