//! Tests of `sidestep run --executor`: the Python with the package is queried for its version, and receives the
//! same arguments.

use crate::common;

use common::Room;
use sidestep_study::sweep::CODE;
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// Creates a room with a Python whose package reports that it was built from `code`, and which prints its
/// arguments for a sweep.
fn room(code: &str) -> Room {
    let room = Room::new();
    let script = format!(
        "#!/bin/sh\nif [ \"$1\" = -c ]; then echo '{{\"code\": \"{code}\"}}'; else printf '%s\\n' \"$@\"; exit 7; fi\n"
    );
    room.file("python", &script);
    let path = room.path().join("python");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    room
}

fn run(room: &Room, python: &str, args: &[&str]) -> std::process::Output {
    let mut command = room.command(args);
    command.env("SIDESTEP_PYTHON", python).output().unwrap()
}

#[test]
fn the_same_words_are_handed_over_to_a_package_of_the_same_code() {
    let room = room(CODE);
    let words = [
        "run",
        "-weird.toml",
        "--executor",
        "dask:tcp://head:8786",
        "--set",
        "a=-1 ms",
        "--seed",
        "3",
        "--jobs",
        "2",
        "--cache",
        "s3://bucket/a",
        "--out",
        "o",
        "--json",
        "--quick",
    ];
    let words: Vec<&str> = words
        .into_iter()
        .filter(|word| *word != "-weird.toml")
        .collect();
    let words = [&words[..], &["--", "-weird.toml"]].concat();
    let done = run(&room, "./python", &words);
    // The process became that Python: the exit status is Python's.
    assert_eq!(done.status.code(), Some(7));
    let said = String::from_utf8(done.stdout).unwrap();
    let got: Vec<&str> = said.lines().collect();
    let expected = [
        "-m",
        "sidestep",
        "run",
        "--executor=dask:tcp://head:8786",
        "--set=a=-1 ms",
        "--seeds=3",
        "--jobs=2",
        "--out=o",
        "--cache=s3://bucket/a",
        "--json",
        "--quick",
        "--",
        "-weird.toml",
    ];
    assert_eq!(got, expected);
}

#[test]
fn without_the_package_or_with_another_version_it_says_what_to_install() {
    let other = room("0.0.9-other");
    let refused = |room: &Room, python: &str| {
        let done = run(room, python, &["run", "a.toml", "--executor", "dask"]);
        assert_eq!(done.status.code(), Some(2));
        assert!(done.stdout.is_empty());
        String::from_utf8(done.stderr).unwrap()
    };
    let said = refused(&other, "./python");
    let words =
        format!("is another version: expected {CODE}, got 0.0.9-other; run `pip install ./python`");
    assert!(said.contains(&words), "{said}");
    let said = refused(&other, "./no-python");
    assert!(
        said.contains("cannot run ./no-python") && said.contains("pip install ./python"),
        "{said}"
    );
    let said = refused(&other, "false");
    assert!(
        said.contains("false does not have the package sidestep: it printed nothing"),
        "{said}"
    );
}

#[test]
fn what_an_executor_does_not_take_is_refused_beside_it() {
    let room = room(CODE);
    let each: [&[&str]; 6] = [
        &["--trace-packets", "detours>=8"],
        &["--force"],
        &["--plugin", "mine"],
        &["--record"],
        &["--record", "--record-window", "1 ms..2 ms"],
        &["--record", "--record-flows", "all"],
    ];
    for more in each {
        let words = [&["run", "a.toml", "--executor", "local"][..], more].concat();
        let done = run(&room, "./python", &words);
        let said = String::from_utf8(done.stderr).unwrap();
        // With status 7 it would have been handed over, and the option lost.
        assert_eq!(done.status.code(), Some(2), "{more:?}: {said}");
        for word in ["cannot be used with", "--executor", more[0]] {
            assert!(said.contains(word), "{more:?}: {said}");
        }
    }
}

#[test]
fn a_url_is_no_folder_for_runs_of_this_process() {
    let room = Room::new();
    room.file("a.toml", "duration = \"1 ms\"\n");
    let figure = "dibs/fig02";
    let each: [(&[&str], &str); 4] = [
        (&["run", "a.toml"], "a URL needs --executor"),
        (
            &["reproduce", figure, "--quick"],
            "only `sidestep run` supports",
        ),
        (
            &["reproduce", figure, "--dry-run"],
            "only `sidestep run` supports",
        ),
        (
            &["reproduce", figure, "--testbed", "--dry-run"],
            "only `sidestep run` supports",
        ),
    ];
    for (words, instead) in each {
        let done = room.run(&[words, &["--cache", "s3://bucket/records"]].concat());
        assert_eq!(done.status, 2, "{words:?}: {}", done.err);
        let expected = "--cache: expected a directory, got \"s3://bucket/records\": a URL needs";
        assert!(done.err.contains(expected), "{}", done.err);
        assert!(done.err.contains(instead), "{}", done.err);
        assert!(done.out.is_empty());
    }
    // Nothing is started, and no folder `s3:` is created.
    assert_eq!(room.names(), ["a.toml"]);
}
