//! Tests of `--threads`: a run on several threads has the same bytes as on one, or is refused with the reason.

use crate::common;

use common::Room;
use serde_json::Value;

/// Scenario with few windows: if cores are scarce, a window lasts until every thread had its turn.
const TEXT: &str = "duration = \"1 ms\"\ndrain = \"1 s\"\nseeds = [1]\nschemes = [\"dibs\"]\n\
    [topology]\nkind = \"fat_tree\"\nk = 4\ndelay = \"50 us\"\n\
    [probe]\nlinks = \"200 us\"\n\
    [workload.query]\nkind = \"incast\"\ndegree = 12\nsize = \"3 kB\"\n";

fn room(text: &str) -> Room {
    let room = Room::new();
    room.file("t.toml", text);
    room
}

/// Returns the result of the run with these thread arguments.
fn result(room: &Room, threads: &[&str]) -> (Value, Vec<(String, Vec<u8>)>) {
    let out = format!("out{}", threads.join(""));
    let mut args = vec!["run", "t.toml", "--no-cache", "--json", "--out", &out];
    args.extend(threads);
    let ran = room.run(&args);
    assert_eq!(ran.status, 0, "{threads:?}: {}", ran.err);
    room.result(&out)
}

#[test]
fn every_file_of_a_result_is_the_same_on_any_number_of_threads() {
    let room = room(TEXT);
    let one = result(&room, &[]);
    for threads in ["1", "2", "3", "4", "8", "auto"] {
        let many = result(&room, &["--threads", threads]);
        assert_eq!(many.0, one.0, "{threads} threads");
        assert!(many.1 == one.1, "{threads} threads: a table differs");
    }
}

/// Returns the error of a call that must be refused as wrong input.
fn refused(text: &str, more: &[&str]) -> String {
    let room = room(text);
    let mut args = vec!["run", "t.toml", "--no-cache", "--out", "out"];
    args.extend(more);
    let ran = room.run(&args);
    assert_eq!(ran.status, 2, "{more:?}: {}", ran.err);
    assert!(!room.path().join("out").exists(), "{more:?}");
    ran.err
}

#[test]
fn what_cannot_be_cut_is_refused_with_the_reason() {
    let cases: &[(&str, &str, &[&str], &str)] = &[
        ("", "", &["--threads", "0"], "expected `auto` or a number"),
        (
            "",
            "",
            &["--threads", "many"],
            "expected `auto` or a number",
        ),
        ("", "", &["--threads", "9"], "at most 8 threads are useful"),
        (
            "kind = \"fat_tree\"\nk = 4\ndelay = \"50 us\"",
            "kind = \"single_switch\"\nhosts = 16\n",
            &["--threads", "2"],
            "attached to one switch",
        ),
        (
            "delay = \"50 us\"",
            "delay = \"0 us\"",
            &["--threads", "2"],
            "without delay",
        ),
        (
            "",
            "",
            &["--threads", "2", "--checkpoint", "1 ms"],
            "--checkpoint works with one thread only",
        ),
        (
            "",
            "",
            &["--threads", "2", "--record"],
            "--record works with one thread only",
        ),
        (
            "",
            "",
            &["--threads", "2", "--trace-packets", "dropped"],
            "paths of packets",
        ),
        (
            "links = \"200 us\"",
            "detours = true",
            &["--threads", "2"],
            "`probe.detours`",
        ),
    ];
    for (from, to, args, why) in cases {
        let text = match from.is_empty() {
            true => TEXT.to_string(),
            false => TEXT.replace(from, to),
        };
        let said = refused(&text, args);
        assert!(said.contains(why), "{args:?}: expected {why:?} in {said}");
    }
}

#[test]
fn auto_says_why_it_takes_one_thread() {
    let room = room(&TEXT.replace(
        "kind = \"fat_tree\"\nk = 4\ndelay = \"50 us\"",
        "kind = \"single_switch\"\nhosts = 16\n",
    ));
    let args = [
        "run",
        "t.toml",
        "--no-cache",
        "--out",
        "out",
        "--threads",
        "auto",
    ];
    let ran = room.run(&args);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(ran.err.contains("scheme dibs: one thread: "), "{}", ran.err);
}
