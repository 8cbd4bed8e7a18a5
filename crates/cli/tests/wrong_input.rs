//! Tests of wrong input: exit status 2, a helpful message, and no files left behind.

use crate::common;

use common::{Done, Room};

const SCENARIO: &str = r#"
duration = "1 ms"
schemes = ["dctcp"]
[topology]
kind = "fat_tree"
k = 4
[workload.w]
kind = "incast"
degree = 5
size = "20 kB"
"#;

/// Runs `SCENARIO` with one piece of text replaced, and expects each of `words` in the error.
fn refused(from: &str, to: &str, words: &[&str]) {
    assert!(SCENARIO.contains(from), "{from}");
    let room = Room::new();
    room.file("s.toml", &SCENARIO.replace(from, to));
    expect_refusal(&room, &["run", "s.toml", "--out", "made/out"], words);
    assert_eq!(room.names(), ["s.toml"], "{to}: nothing is left behind");
}

fn expect_refusal(room: &Room, args: &[&str], words: &[&str]) {
    let done = room.run(args).with_status(2);
    assert_eq!(done.out, "", "{args:?}");
    for word in words {
        assert!(
            done.err.contains(word),
            "{args:?}: expected {word:?} in {}",
            done.err
        );
    }
}

#[test]
fn a_refused_scenario_is_told_in_json_with_every_place() {
    let room = Room::new();
    room.file("good.toml", SCENARIO);
    let wrong = SCENARIO.replace("k = 4", "k = 5").replace("20 kB", "0 kB");
    room.file("bad.toml", &format!("{wrong}bogus = 1\n"));
    let args = ["check", "bad.toml", "good.toml", "gone.toml", "--json"];
    let done = room.run(&args).with_status(2);
    let said: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(said["scenarios"].as_array().unwrap().len(), 1, "the others");
    let golden = include_str!("golden/check-refused.json");
    let problems = serde_json::to_string_pretty(&said["problems"]).unwrap();
    assert_eq!(problems, golden.trim_end());
    let lines = problems.matches("\"message\"").count();
    assert_eq!(done.err.lines().count(), lines, "{}", done.err);
}

#[test]
fn what_is_no_scenario_at_all_is_refused_before_it_is_read() {
    let room = Room::new();
    let large = std::fs::File::create(room.path().join("large.toml")).unwrap();
    large.set_len((32 << 20) + 1).unwrap();
    let most = "expected at most 33554432 bytes, got 33554433\n";
    expect_refusal(&room, &["check", "large.toml"], &["large.toml", most]);
    std::fs::write(
        room.path().join("odd.toml"),
        b"duration = \"1 ms\"\n# \xe9\n",
    )
    .unwrap();
    let line = "cannot read scenario \"odd.toml\": line 2: expected text in UTF-8, got byte 0xe9\n";
    expect_refusal(&room, &["check", "odd.toml"], &[line]);
    let device = "\"/dev/zero\": expected a file or a pipe, got a directory or a device\n";
    expect_refusal(&room, &["check", "/dev/zero"], &[device]);
}

#[test]
fn a_scenario_may_come_by_a_pipe() {
    let room = Room::new();
    let mut check = room.command(&["check", "/dev/stdin"]);
    check.stdin(std::process::Stdio::piped());
    check.stdout(std::process::Stdio::piped());
    let mut running = check.spawn().unwrap();
    let mut words = running.stdin.take().unwrap();
    std::io::Write::write_all(&mut words, SCENARIO.as_bytes()).unwrap();
    drop(words);
    let said = Done::of(running.wait_with_output().unwrap()).with_status(0);
    assert!(said.out.contains("fat_tree"), "{}", said.out);
}

#[test]
fn a_scenario_that_cannot_be_is_refused_at_its_line() {
    refused("k = 4", "k = 5", &["s.toml:6", "even", "5"]);
    refused("degree = 5", "degree = 500", &["s.toml:9", "500"]);
    refused("degree = 5", "degree = 0", &["s.toml:9", "0"]);
    refused("k = 4", "k = 4\nrate = \"0 Gbps\"", &["s.toml:7", "rate"]);
    refused(
        "k = 4",
        "rat = \"1 Gbps\"",
        &["s.toml:6", "rat", "did you mean \"rate\""],
    );
    refused("\"1 ms\"", "\"1 lightyear\"", &["s.toml:2", "lightyear"]);
    refused("\"1 ms\"", "\"400 days\"", &["s.toml:2"]);
    refused("\"1 ms\"", "\"99999999999 s\"", &["s.toml:2"]);
    refused(
        "\"dctcp\"",
        "\"dctpc\"",
        &["s.toml:3", "did you mean \"dctcp\""],
    );
    refused("[topology]", "[topology", &["s.toml:4"]);
    refused(
        "kind = \"fat_tree\"\nk = 4",
        "kind = \"single_switch\"\nhosts = 0",
        &["s.toml:6", "hosts"],
    );
}

#[test]
fn files_that_a_scenario_names_are_read_with_the_same_care() {
    let background = |cdf: &str| {
        let text = SCENARIO.replace(
            "kind = \"incast\"\ndegree = 5\nsize = \"20 kB\"",
            "kind = \"background\"\ncdf = \"mine.csv\"\ninter_arrival = \"1 ms\"",
        );
        let room = Room::new();
        room.file("s.toml", &text);
        room.file(
            "mine.csv",
            &format!("size_bytes,cumulative_probability\n{cdf}"),
        );
        room
    };
    let run = &["run", "s.toml", "--out", "out"];
    expect_refusal(
        &background("100,0\n200,0.7\n300,0.6\n400,1\n"),
        run,
        &["mine.csv:4", "0.6"],
    );
    expect_refusal(&background("100,0\n200,0.7\n"), run, &["mine.csv", "0.7"]);
    expect_refusal(&background("100,zero\n"), run, &["mine.csv:2", "zero"]);
    let room = background("100,1\n");
    std::fs::remove_file(room.path().join("mine.csv")).unwrap();
    expect_refusal(&room, run, &["mine.csv"]);
}

#[test]
fn a_flow_to_itself_is_refused() {
    let room = Room::new();
    room.file(
        "s.toml",
        &SCENARIO.replace(
            "kind = \"incast\"\ndegree = 5\nsize = \"20 kB\"",
            "kind = \"flow_list\"\nfile = \"f.csv\"",
        ),
    );
    room.file("f.csv", "start,src,dst,size\n0 us,3,3,10 kB\n");
    expect_refusal(&room, &["run", "s.toml", "--out", "out"], &["f.csv:2", "3"]);
    assert_eq!(room.names(), ["f.csv", "s.toml"]);
}

#[test]
fn a_wrong_command_line_is_refused() {
    let room = Room::new();
    room.file("s.toml", SCENARIO);
    let refused = |args: &[&str], words: &[&str]| expect_refusal(&room, args, words);
    refused(
        &["run", "quickstrat"],
        &["quickstrat", "did you mean \"quickstart\""],
    );
    refused(
        &["run", "nowhere/s.toml"],
        &["nowhere/s.toml", "No such file"],
    );
    refused(&["run", "."], &["expected a file"]);
    refused(
        &["run", "s.toml", "--set", "topology.q=4"],
        &["--set", "topology", "did you mean \"k\"", "\"q\""],
    );
    refused(&["run", "s.toml", "--set", "topology.k"], &["--set", "="]);
    refused(&["run", "s.toml", "--seed", "one"], &["one"]);
    refused(
        &["run", "s.toml", "--seeds", "5..1"],
        &["sidestep: --seeds: \"5..1\" counts down; write the smaller seed first"],
    );
    refused(
        &["sweep", "s.toml", "--seeds", "1..x"],
        &["sidestep: --seeds: expected seeds like"],
    );
    refused(
        &["run", "s.toml", "--executor", "daks:tcp://a:1"],
        &[
            "--executor: expected one of local, dask, ray, slurm",
            "got \"daks:tcp://a:1\"",
            "did you mean \"dask\"",
        ],
    );
    refused(
        &["run", "s.toml", "--seed", "1", "--seeds", "1..2"],
        &["cannot be used with"],
    );
    refused(
        &["run", "s.toml", "--jobs", "0"],
        &["jobs", "at least 1", "0"],
    );
    for wrong in ["-1", "1.5", "99999999999999999999"] {
        let words = [wrong, "expected a whole number that is not negative"];
        refused(&["run", "s.toml", "--jobs", wrong], &words);
        refused(&["run", "s.toml", "--seed", wrong], &words);
    }
    refused(
        &["run", "s.toml", "--trace-packets", "hops=3"],
        &["hops=3", "detours>=8"],
    );
    refused(&["list", "bufers"], &["bufers", "buffers"]);
    refused(&["bench", "perm129"], &["perm129", "perm128"]);
    refused(
        &["show", "nothing"],
        &["nothing", "expected a result directory"],
    );
    refused(&["show", "."], &["manifest.json"]);
    refused(&["frobnicate"], &["frobnicate"]);
    assert_eq!(room.names(), ["s.toml"]);
}

#[test]
fn a_result_directory_must_be_free_and_writable() {
    let room = Room::new();
    room.file("s.toml", SCENARIO);
    room.file("file", "mine");
    room.run(&["run", "s.toml", "--out", "done"]).with_status(0);
    let before = room.names();
    let refused =
        |out: &str, words: &[&str]| expect_refusal(&room, &["run", "s.toml", "--out", out], words);
    refused("done", &["done", "a directory with results", "--out"]);
    refused(".", &["expected a directory"]);
    refused("file", &["got a file"]);
    refused("file/under", &["file"]);
    refused("/proc/sidestep/out", &["/proc/sidestep"]);
    assert_eq!(room.names(), before);
}

#[test]
fn check_reports_every_wrong_scenario_and_prints_the_others() {
    let room = Room::new();
    room.file("good.toml", SCENARIO);
    room.file("odd.toml", &SCENARIO.replace("k = 4", "k = 5"));
    room.file("typo.toml", &SCENARIO.replace("degree", "degre"));
    let done = room
        .run(&["check", "odd.toml", "good.toml", "typo.toml"])
        .with_status(2);
    assert!(
        done.out.contains("good") && done.out.contains("offered load"),
        "{}",
        done.out
    );
    assert!(
        done.err.contains("odd.toml:6") && done.err.contains("typo.toml:9"),
        "{}",
        done.err
    );
}

#[test]
fn no_vectors_at_all_are_refused() {
    let room = Room::new();
    let words = ["'0'", "--count", "1.."];
    expect_refusal(&room, &["vectors", "dibs", "--count", "0"], &words);
}

#[test]
fn a_policy_without_vectors_is_refused_with_what_was_probably_meant() {
    let room = Room::new();
    let words = ["\"dips\" is unknown", "did you mean \"dibs\""];
    expect_refusal(&room, &["vectors", "dips"], &words);
    let words = ["\"pfabric\"", "buffer/pfabric or sched/pfabric"];
    expect_refusal(&room, &["vectors", "pfabric"], &words);
    let words = ["\"dsack\"", "receiver/dsack or threshold/dsack"];
    expect_refusal(&room, &["vectors", "dsack"], &words);
    let words = ["\"agent-ecm\" is unknown", "did you mean \"agent-ecn\""];
    expect_refusal(&room, &["vectors", "agent-ecm"], &words);
    let done = room
        .run(&["vectors", "sched/pfabric", "--count", "5"])
        .with_status(0);
    assert_eq!(done.out.lines().count(), 6);
    assert!(done.out.starts_with("row,settings,queue,step,operation,"));
}
