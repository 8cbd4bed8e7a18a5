//! Tests of `sidestep reproduce` on small papers written by the tests.

use crate::common;

use common::{Done, Room};
use serde_json::Value;
use std::fs;
use std::os::unix::process::CommandExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

const BASE: &str = r#"
duration = "1 ms"
drain = "1 s"
seeds = "1..3"
schemes = ["dctcp", "dibs"]
[topology]
kind = "fat_tree"
k = 4
[workload.query]
kind = "incast"
degree = 15
size = "20 kB"
"#;

/// Returns a figure with a claim that holds or not, depending on `accept`.
fn figure(accept: &str, expect: &str) -> String {
    format!(
        r#"
extends = "base.toml"
title = "answers of two sizes"
[figure]
paper = "Nobody, nowhere 2026"
number = "1"
shows = "larger answers take longer"
[sweep]
"workload.query.size" = ["20 kB", "40 kB"]
[[plot]]
kind = "lines"
x = "workload.query.size"
y = ["qct_p99_ms", "detours"]
[[plot]]
kind = "cdf"
of = "qct_ms"
[quick]
seeds = "1"
[[claim]]
id = "time"
says = "it takes a while"
metric = "qct_p99_ms"
compare = "dibs"
at = {{ "workload.query.size" = "20 kB" }}
paper = 2
accept = "{accept}"
tolerance = "the sentence itself"
gap = "none"
expect = "{expect}"
"#
    )
}

/// Creates a room with a paper called `mine`.
fn room(figures: &[(&str, String)]) -> Room {
    let room = Room::new();
    fs::create_dir_all(room.path().join("experiments/mine")).unwrap();
    room.file("experiments/mine/base.toml", BASE);
    for (name, text) in figures {
        room.file(&format!("experiments/mine/{name}.toml"), text);
    }
    room
}

fn json(done: &Done) -> Value {
    serde_json::from_str(&done.out).unwrap_or_else(|e| panic!("{e}: {done:?}"))
}

#[test]
fn a_paper_gives_one_report_with_a_folder_a_figure() {
    let room = room(&[
        ("fig1", figure("1..3", "reproduced")),
        ("fig2", figure("100..", "not reproduced")),
    ]);
    let done = room
        .run(&["reproduce", "mine", "--out", "out", "--jobs", "2"])
        .with_status(0);
    assert!(
        done.out.contains("ok reproduced     it takes a while"),
        "{}",
        done.out
    );
    assert!(
        done.out.contains("no not reproduced it takes a while"),
        "{}",
        done.out
    );
    assert!(
        done.out.ends_with("report: out/report.html\n"),
        "{}",
        done.out
    );
    for file in [
        "report.html",
        "report.json",
        "manifest.json",
        "mine/fig1/plot1-lines.svg",
        "mine/fig1/plot2-cdf.png",
        "mine/fig2/points.csv",
        "mine/fig2/experiment.toml",
    ] {
        assert!(room.path().join("out").join(file).is_file(), "{file}");
    }
    let shown = room.run(&["show", "out"]).with_status(2).err;
    assert!(
        shown.ends_with("whose report is out/report.html\n"),
        "{shown}"
    );
    // All runs are kept by now, and the report is the same.
    let before = fs::read(room.path().join("out/report.html")).unwrap();
    room.run(&["reproduce", "mine", "--out", "again"])
        .with_status(0);
    assert_eq!(
        before,
        fs::read(room.path().join("again/report.html")).unwrap()
    );
    let manifest = fs::read(room.path().join("again/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    assert_eq!(manifest["runs"]["made"], 0, "{manifest}");
}

#[test]
fn what_is_expected_and_not_reproduced_is_status_1_and_json_says_why() {
    let room = room(&[("fig1", figure("100..", "reproduced"))]);
    for (args, status) in [
        (&["reproduce", "mine/fig1", "--json", "--no-cache"][..], 1),
        // One seed has no interval and gives no verdict, so a quick run does not fail.
        (
            &["reproduce", "mine/fig1", "--json", "--quick", "--no-cache"],
            0,
        ),
    ] {
        let done = room.run(args).with_status(status);
        let all = json(&done);
        let claim = &all["claims"][0];
        assert_eq!(
            claim["verdict"],
            if status == 1 {
                "not reproduced"
            } else {
                "can't tell"
            }
        );
        assert_eq!(claim["figure"], "mine/fig1");
        for key in ["id", "says", "paper", "ours", "gap", "expect"] {
            assert!(!claim[key].is_null(), "{key}: {claim}");
        }
        let folder = all["result"].as_str().unwrap();
        assert!(
            folder.starts_with("results/reproduce-mine-fig1-"),
            "{folder}"
        );
        assert_eq!(all["quick"], args.contains(&"--quick"));
    }
}

#[test]
fn unknown_names_and_wrong_files_are_status_2_and_leave_nothing() {
    let room = room(&[("fig1", figure("1..3", "reproduced"))]);
    let say = |what: &str| room.run(&["reproduce", what]).with_status(2).err;
    let hint = "sidestep: paper \"mien\" is unknown; did you mean \"mine\"?\n";
    assert_eq!(say("mien"), hint);
    assert!(say("mine/fig2").contains("did you mean \"fig1\"?"));
    room.file(
        "experiments/mine/fig3.toml",
        "extends = \"base.toml\"\n[topolgy]\n",
    );
    let wrong = say("mine");
    assert!(wrong.contains("fig3.toml:2:"), "{wrong}");
    let nested = say("mine/fig1/x");
    assert!(nested.contains("has no figure"), "{nested}");
    assert_eq!(room.names(), ["experiments"]);
}

#[test]
fn experiments_are_listed() {
    let room = room(&[("fig1", figure("1..3", "reproduced"))]);
    let list = room.run(&["list", "experiments"]).with_status(0).out;
    assert!(
        list.contains("mine/fig1") && list.contains("answers of two sizes"),
        "{list}"
    );
    assert!(!list.contains("mine/base"), "{list}");
}

#[test]
fn an_interrupted_call_leaves_a_report_that_says_so() {
    let long = figure("1..3", "reproduced").replace("extends", "seeds = \"1..3000\"\nextends");
    let room = room(&[("fig1", long)]);
    let mut command = room.command(&["reproduce", "mine", "--out", "out", "--jobs", "1"]);
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap();
    // Kept runs show that it is in progress.
    let (began, kept) = (Instant::now(), room.path().join("results/.cache"));
    while !kept.exists() {
        assert!(began.elapsed() < Duration::from_secs(60), "it never began");
        std::thread::sleep(Duration::from_millis(5));
    }
    // SAFETY: `child` has not been waited for, so its number is still valid.
    assert_eq!(unsafe { libc::kill(child.id() as i32, libc::SIGINT) }, 0);
    let done = Done::of(child.wait_with_output().unwrap()).with_status(130);
    assert!(done.out.contains("PARTIAL: interrupted"), "{}", done.out);
    let html = fs::read_to_string(room.path().join("out/report.html")).unwrap();
    assert!(html.contains("Partial: interrupted; the numbers of each point cover"));
}

#[test]
fn a_report_that_cannot_be_written_costs_no_verdict() {
    let room = room(&[("fig1", figure("1..3", "reproduced"))]);
    let limited = || {
        let limit = libc::rlimit {
            rlim_cur: 1_000,
            rlim_max: 1_000,
        };
        // SAFETY: both calls are allowed between fork and exec.
        unsafe {
            libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
            libc::setrlimit(libc::RLIMIT_FSIZE, &limit);
        }
        Ok(())
    };
    let mut command = room.command(&["reproduce", "mine", "--no-cache", "--out", "out"]);
    // SAFETY: the closure above does nothing else.
    unsafe { command.pre_exec(limited) };
    let done = Done::of(command.output().unwrap()).with_status(1);
    assert!(
        done.out.contains("ok reproduced     it takes a while") && !done.out.contains("report:"),
        "{}",
        done.out
    );
    let lost = "the result files of 12 runs could not be written, and none remains";
    assert!(done.err.contains(lost), "{}", done.err);
    assert_eq!(room.names(), ["experiments"]);
}

#[test]
fn a_dry_run_of_a_testbed_counts_its_runs_and_needs_no_root() {
    let room = room(&[]);
    let dry = |more: &[&str]| {
        let args = [
            "reproduce",
            "dibs/fig06",
            "--testbed",
            "--dry-run",
            "--quick",
        ];
        room.run(&[&args, more].concat())
    };
    let said = json(&dry(&["--json"]).with_status(0));
    assert_eq!(said["figures"].as_array().map(Vec::len), Some(2), "{said}");
    let runs = said["figures"][0]["runs"].as_u64().unwrap();
    assert_eq!(said["testbed"]["runs"], runs);
    let wall = |i: usize| said["testbed"]["wall_s"][i].as_f64().unwrap();
    assert!(0.0 < wall(0) && wall(0) <= wall(1), "{said}");
    let text = dry(&[]).with_status(0).out;
    let line = format!("testbed: {runs} runs one after the other");
    assert!(text.contains(&line), "{text}");
    assert!(!room.path().join("results").exists());
    let both = dry(&["--keep-stalled"]).with_status(2).err;
    assert!(both.contains("--keep-stalled"), "{both}");
}

#[test]
fn a_dry_run_says_how_long_each_figure_will_take_and_runs_nothing() {
    let room = room(&[("fig1", figure("1..3", "reproduced"))]);
    let dry = |more: &[&str]| {
        let args = [&["reproduce", "mine", "--dry-run"], more].concat();
        room.run(&args).with_status(0)
    };
    let done = dry(&[]);
    let row = done.out.lines().find(|line| line.starts_with("mine/fig1"));
    assert!(row.is_some_and(|row| row.contains("  12 ")), "{done:?}");
    assert!(!room.path().join("results").exists());
    let said = json(&dry(&["--json"]));
    assert_eq!(
        (&said["figures"][0]["runs"], &said["figures"][0]["kept"]),
        (&12.into(), &0.into())
    );
    assert!(
        said["wall_s"][1].as_f64() >= said["wall_s"][0].as_f64(),
        "{said}"
    );
    // A short run prints no forecast before it starts.
    let made = room.run(&["reproduce", "mine", "--out", "out"]);
    assert_eq!(made.with_status(0).err, "");
    let said = json(&dry(&["--json"]));
    assert_eq!(said["figures"][0]["kept"], 12);
    assert_eq!(said["wall_s"], serde_json::json!([0.0, 0.0]));
}
