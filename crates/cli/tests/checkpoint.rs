//! Tests of `--checkpoint`: a killed run continues, and its result equals that of an uninterrupted run.

use crate::common;

use common::Room;
use std::fs;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

const TEXT: &str = "duration = \"20 ms\"\nseeds = [1]\nschemes = [\"dibs\"]\n\
    [topology]\nkind = \"fat_tree\"\nk = 4\n\
    [probe]\nlinks = \"130 us\"\n\
    [workload.query]\nkind = \"query\"\nrate = \"3000 /s\"\ndegree = 12\nsize = \"20 kB\"\n\
    [workload.background]\nkind = \"permutation\"\n";

/// Returns the arguments of a run into `out`, with `more` arguments.
fn args<'a>(out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["run", "t.toml", "--no-cache", "--json", "--out", out];
    args.extend(more);
    args
}

const EVERY: [&str; 2] = ["--checkpoint", "200 us"];

fn room() -> Room {
    let room = Room::new();
    room.file("t.toml", TEXT);
    room
}

/// Returns the names of the checkpoint files in the default folder.
fn kept(room: &Room) -> Vec<String> {
    let files = fs::read_dir(room.path().join("results/.checkpoints/t"));
    let files = files.into_iter().flatten();
    let mut names: Vec<String> = files
        .map(|file| {
            file.expect("a file")
                .file_name()
                .into_string()
                .expect("a name")
        })
        .filter(|name| name.ends_with(".checkpoint"))
        .collect();
    names.sort();
    names
}

/// Kills `child` once there are `files` checkpoints and `after` has passed; returns false if the child ended
/// before.
fn kill(room: &Room, mut child: Child, files: usize, after: Duration) -> bool {
    let patience = Instant::now() + Duration::from_secs(120);
    let mut seen = None;
    loop {
        if child.try_wait().expect("a child").is_some() {
            return false;
        }
        if kept(room).len() >= files {
            seen.get_or_insert_with(Instant::now);
        }
        if seen.is_some_and(|at| at.elapsed() >= after) {
            // SIGKILL: the child writes nothing afterwards.
            child.kill().expect("it runs");
            child.wait().expect("it ended");
            return true;
        }
        assert!(Instant::now() < patience, "no checkpoint in two minutes");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_run_that_is_killed_at_any_time_goes_on_and_is_the_run_in_one_piece() {
    let room = room();
    room.run(&args("whole", &[])).with_status(0);
    let whole = room.result("whole");
    let mut gone_on = 0;
    // Kills before the first checkpoint, during the writing of one, and between two.
    for (n, (files, after)) in [(0, 0), (1, 0), (2, 1), (2, 7), (2, 20)]
        .into_iter()
        .enumerate()
    {
        let out = format!("part{n}");
        let mut command = room.command(&args(&out, &EVERY));
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().expect("it starts");
        if !kill(&room, child, files, Duration::from_millis(after)) {
            assert_eq!(room.result(&out), whole);
            continue;
        }
        let there = kept(&room).len();
        let again = format!("again{n}");
        let done = room.run(&args(&again, &EVERY)).with_status(0);
        gone_on += usize::from(done.err.contains("scheme dibs, seed 1 resumes at"));
        assert!(
            there == 0 || done.err.contains("resumes at"),
            "{}",
            done.err
        );
        assert_eq!(
            room.result(&again),
            whole,
            "killed with {files} files after {after} ms"
        );
        let left = fs::read_dir(room.path().join("results/.checkpoints/t"));
        let left = left.into_iter().flatten().count();
        assert_eq!(left, 0, "what has ended needs none, not even half of one");
    }
    assert!(gone_on >= 2, "{gone_on} of five went on from a checkpoint");
}

/// Returns a room in which a run was killed after two checkpoints.
fn killed() -> Room {
    let room = room();
    for attempt in 0..20 {
        let out = format!("first{attempt}");
        let mut command = room.command(&args(&out, &EVERY));
        command.stdout(Stdio::null()).stderr(Stdio::null());
        if kill(
            &room,
            command.spawn().expect("it starts"),
            2,
            Duration::ZERO,
        ) {
            return room;
        }
    }
    panic!("twenty runs of 20 ms ended within a millisecond of their second checkpoint");
}

fn refused(room: &Room, more: &[&str]) -> String {
    let done = room
        .run(&args("refused", &[&EVERY[..], more].concat()))
        .with_status(2);
    assert!(!room.path().join("refused").exists());
    done.err
}

#[test]
fn a_checkpoint_of_another_scenario_or_seed_is_refused_and_a_torn_one_passed_over() {
    let room = killed();
    assert_eq!(kept(&room), ["dibs-1.0.checkpoint", "dibs-1.1.checkpoint"]);
    let said = refused(&room, &["--set", "duration=21 ms"]);
    assert!(
        said.contains("digest of the scenario's settings: expected"),
        "{said}"
    );
    let dir = room.path().join("results/.checkpoints/t");
    fs::copy(
        dir.join("dibs-1.0.checkpoint"),
        dir.join("dibs-2.0.checkpoint"),
    )
    .expect("copied");
    let said = refused(&room, &["--seed", "2"]);
    assert!(
        said.contains("dibs-2.0.checkpoint is of another run"),
        "{said}"
    );
    assert!(said.contains("expected 2, got 1"), "{said}");
    for (slot, goes_on) in [(0, true), (1, false)] {
        let path = dir.join(format!("dibs-1.{slot}.checkpoint"));
        let bytes = fs::read(&path).expect("it is there");
        fs::write(&path, &bytes[..bytes.len() - 1]).expect("written");
        if goes_on {
            continue;
        }
        let done = room.run(&args("anew", &EVERY)).with_status(0);
        assert_eq!(done.err.matches("skipped").count(), 2, "{}", done.err);
        assert!(!done.err.contains("resumes"), "{}", done.err);
    }
    room.run(&args("whole", &[])).with_status(0);
    assert_eq!(room.result("anew"), room.result("whole"));
}

#[test]
fn a_folder_that_another_call_uses_is_refused_before_anything_runs() {
    let room = room();
    let folder = room.path().join("results/.checkpoints/t");
    fs::create_dir_all(&folder).expect("made");
    let other = fs::File::open(&folder).expect("there");
    other.lock().expect("locked");
    let said = refused(&room, &[]);
    assert!(said.contains("is in use by another call"), "{said}");
    drop(other);
    room.run(&args("alone", &EVERY)).with_status(0);
}

#[test]
fn what_has_no_checkpoints_is_refused_before_anything_runs() {
    let room = room();
    let said = refused(&room, &["--record"]);
    assert!(
        said.contains("--checkpoint: a checkpoint cannot contain a recording"),
        "{said}"
    );
    let said = refused(&room, &["--executor", "local"]);
    assert!(said.contains("cannot be used with"), "{said}");
    for (every, expected) in [
        ("0 s", "expected a time above 0"),
        ("clock 5", "expected a unit of s, min or h"),
        ("soon", "expected a time"),
    ] {
        let done = room
            .run(&args("refused", &["--checkpoint", every]))
            .with_status(2);
        assert!(
            done.err.contains(&format!("--checkpoint: {expected}")),
            "{}",
            done.err
        );
    }
    let swept = TEXT.to_string() + "[sweep]\n\"workload.query.degree\" = [5, 6]\n";
    room.file("t.toml", &swept);
    let said = refused(&room, &[]);
    assert!(
        said.contains("--checkpoint: expected a scenario without [sweep]"),
        "{said}"
    );
}
