//! How a run can end early: interrupted, out of room, or with nobody listening.

mod common;

use common::{Done, Room, skip};
use serde_json::Value;
use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Enough work to be interrupted in.
const LONG: [&str; 8] = [
    "run",
    "dibs-demo",
    "--seeds",
    "1..2000",
    "--jobs",
    "2",
    "--out",
    "out",
];

/// Begins a long run and waits until it is under way.
fn begin(room: &Room, args: &[&str]) -> Child {
    let mut command = room.command(args);
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let hidden = room.path().join(format!(".out.partial-{}", child.id()));
    wait_until(|| hidden.join("flows.parquet").exists());
    child
}

fn wait_until(ready: impl Fn() -> bool) {
    let began = Instant::now();
    while !ready() {
        assert!(
            began.elapsed() < Duration::from_secs(120),
            "it never happened"
        );
        sleep(Duration::from_millis(5));
    }
}

fn signal(child: &Child, signal: i32) {
    // SAFETY: `child` is ours and has not been waited for, so the number is still its own.
    assert_eq!(unsafe { libc::kill(child.id() as i32, signal) }, 0);
}

#[test]
fn an_interrupted_run_writes_what_there_is_and_says_so() {
    for wanted in [libc::SIGINT, libc::SIGTERM] {
        let room = Room::new();
        let child = begin(&room, &LONG);
        signal(&child, wanted);
        let done = Done::of(child.wait_with_output().unwrap()).with_status(130);
        assert!(done.out.contains("PARTIAL"), "{}", done.out);
        assert_eq!(done.out.lines().last(), Some("result: out"));
        assert_eq!(room.names(), ["out"]);
        let manifest = fs::read_to_string(room.path().join("out/manifest.json")).unwrap();
        let manifest: Value = serde_json::from_str(&manifest).unwrap();
        assert_eq!(manifest["status"], "partial");
        let runs = manifest["runs"].as_array().unwrap();
        assert_eq!(runs.len(), 4000, "every run asked for is accounted for");
        assert!(runs.iter().any(|r| r["status"] == "not run"));
        room.run(&["show", "out"]).with_status(0);
    }
}

#[test]
fn a_second_interrupt_leaves_at_once_and_leaves_nothing() {
    let mut args = LONG.to_vec();
    args.extend(["--jobs", "1", "--set", "duration=100 s"]);
    args.remove(4);
    args.remove(4);
    // Both signals wait until it goes on, so that the second comes however late this test is. The run
    // may still end between the two; then there is a result, and we try again.
    let mut left = Vec::new();
    while left.len() < 20 && !left.iter().any(Vec::is_empty) {
        let room = Room::new();
        let child = begin(&room, &args);
        for one in [libc::SIGSTOP, libc::SIGINT, libc::SIGTERM, libc::SIGCONT] {
            signal(&child, one);
        }
        Done::of(child.wait_with_output().unwrap()).with_status(130);
        left.push(room.names());
    }
    assert!(left.iter().any(Vec::is_empty), "{left:?}");
}

#[test]
fn a_full_disk_is_said_and_nothing_half_written_stays() {
    // A limit on the size of files answers like a full disk, and needs no privilege.
    for limit in [0, 1_000, 20_000] {
        let room = Room::new();
        let mut command = room.command(&["run", "quickstart", "--out", "deep/out"]);
        let limited = move || {
            let limit = libc::rlimit {
                rlim_cur: limit,
                rlim_max: limit,
            };
            // SAFETY: both calls are allowed between fork and exec.
            unsafe {
                libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
                libc::setrlimit(libc::RLIMIT_FSIZE, &limit);
            }
            Ok(())
        };
        // SAFETY: the closure above does nothing else.
        unsafe { command.pre_exec(limited) };
        let done = Done::of(command.output().unwrap()).with_status(2);
        assert!(
            done.err.contains("cannot write") && done.err.contains("deep/.out"),
            "{}",
            done.err
        );
        assert_eq!(room.names(), [""; 0], "{limit}");
    }
}

#[test]
fn a_real_full_disk_is_said_too() {
    let full = Room::new();
    let at = full.path().to_str().unwrap().to_string();
    let mut mount = Command::new("mount");
    let mounted = (mount.args(["-t", "tmpfs", "-o", "size=64k", "tmpfs", &at])).output();
    if !mounted.as_ref().is_ok_and(|o| o.status.success()) {
        skip(&format!("skipped: no small file system: {mounted:?}"));
        return;
    }
    let done = full.run(&["run", "quickstart", "--out", "out"]);
    let left = full.names();
    Command::new("umount").args(["-l", &at]).status().unwrap();
    let done = done.with_status(2);
    assert!(done.err.contains("No space left on device"), "{}", done.err);
    assert_eq!(left, [""; 0]);
}

#[test]
fn a_reader_that_went_away_is_no_reason_to_panic() {
    let room = Room::new();
    for args in [
        &["list"][..],
        &["check", "quickstart"],
        &["run", "quickstart", "--out", "out"],
        &["--help"],
    ] {
        let mut command = room.command(args);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let done = Done::of(child.wait_with_output().unwrap()).with_status(0);
        assert!(!done.err.contains("panicked"), "{}", done.err);
    }
    assert!(
        room.path().join("out/manifest.json").exists(),
        "the results are there all the same"
    );
}

#[test]
fn an_output_that_cannot_be_written_is_said() {
    // Opened, not created: root would make a file of it where it is not there.
    let full = match File::options().write(true).open("/dev/full") {
        Ok(full) => full,
        Err(why) => return skip(&format!("skipped: no /dev/full: {why}")),
    };
    let room = Room::new();
    let mut command = room.command(&["list"]);
    let done = Done::of(command.stdout(full).output().unwrap()).with_status(1);
    assert!(done.err.contains("standard output"), "{}", done.err);
}
