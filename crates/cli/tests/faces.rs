//! Tests of the command's output for shells, for `man` and for a new user.

use crate::common;

use common::Room;
use serde_json::Value;
use std::fs;

#[test]
fn the_version_names_the_commit() {
    let said = Room::new().run(&["--version"]).with_status(0).out;
    let of = said.strip_prefix(concat!("sidestep ", env!("CARGO_PKG_VERSION"), " (commit "));
    let commit = of.and_then(|rest| rest.strip_suffix(")\n")).expect(&said);
    let digits = commit.strip_suffix("+modified").unwrap_or(commit);
    let hex = digits.len() == 12 && digits.bytes().all(|b| b.is_ascii_hexdigit());
    assert!(hex || digits == "unknown", "{said}");
}

#[test]
fn every_shell_has_completions_that_know_the_subcommands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let said = Room::new().run(&["completions", shell]).with_status(0).out;
        for word in ["reproduce", "import", "no-cache"] {
            assert!(said.contains(word), "{shell} does not know {word}");
        }
    }
    Room::new().run(&["completions", "csh"]).with_status(2);
}

#[test]
fn there_is_a_manual_page_for_each_command() {
    let room = Room::new();
    let whole = room.run(&["man"]).with_status(0).out;
    assert!(
        whole.contains(".TH sidestep 1") && whole.contains("Exit status"),
        "{whole}"
    );
    room.run(&["man", "--dir", "man1"]).with_status(0);
    let page = fs::read_to_string(room.path().join("man1/sidestep-testbed-up.1")).unwrap();
    assert!(page.contains("sidestep\\-testbed\\-up"), "{page}");
    assert!(room.path().join("man1/sidestep-import.1").exists());
}

#[test]
fn what_init_writes_is_checked_and_run_as_it_is() {
    let room = Room::new();
    let said = room.run(&["init", "mine"]).with_status(0).out;
    for next in [
        "sidestep check mine/scenario.toml",
        "sidestep run mine/scenario.toml",
    ] {
        assert!(said.contains(next), "{said}");
    }
    let checked = room
        .run(&["check", "mine/scenario.toml"])
        .with_status(0)
        .out;
    assert!(!checked.contains("warning"), "{checked}");
    // From another directory: files that the scenario names are found beside it.
    let run = room
        .run(&["run", "mine/scenario.toml", "--out", "r", "--json"])
        .with_status(0);
    let summary: Value = serde_json::from_str(&run.out).unwrap();
    for scheme in ["dctcp", "mine"] {
        assert!(summary["schemes"][scheme].is_object(), "{}", run.out);
    }
    let trace = fs::read_to_string(room.path().join("mine/flows.csv")).unwrap();
    let flows = trace.lines().filter(|line| line.contains(" us,")).count();
    assert!(
        said.contains(&format!("a trace of {flows} flows")),
        "{said}"
    );
}

#[test]
fn init_overwrites_nothing_and_writes_nothing_beside_what_is_there() {
    let room = Room::new();
    room.file("flows.csv", "mine");
    let said = room.run(&["init"]).with_status(2).err;
    assert_eq!(
        said,
        "sidestep: init: . already has flows.csv: expected a directory without these files; \
         nothing was written\n"
    );
    assert_eq!(room.names(), ["flows.csv"]);
    assert_eq!(
        fs::read_to_string(room.path().join("flows.csv")).unwrap(),
        "mine"
    );
    for place in ["flows.csv", "flows.csv/mine"] {
        let said = room.run(&["init", place]).with_status(2).err;
        assert_eq!(
            said,
            "sidestep: init: expected a directory, got the file flows.csv\n"
        );
    }
    let out = [
        "run",
        "quickstart",
        "--seed",
        "1",
        "--out",
        "flows.csv/mine",
    ];
    let said = room.run(&out).with_status(2).err;
    let expected =
        "cannot write results to flows.csv/mine: expected a directory, got the file flows.csv\n";
    assert!(said.ends_with(expected), "{said}");
}
