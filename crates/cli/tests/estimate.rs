//! Test of `check`'s memory estimate against the memory a run used.

use crate::common;

use common::Room;
use serde_json::Value;
use std::process::Stdio;

/// Returns the largest memory use of the command, in bytes.
#[allow(
    clippy::zombie_processes,
    reason = "waited for below, for its use of memory"
)]
fn peak(room: &Room, args: &[&str]) -> f64 {
    let mut command = room.command(args);
    let child = command.stdout(Stdio::null()).spawn().unwrap();
    let mut status = 0;
    // SAFETY: a struct of plain numbers, valid if all zero.
    let mut used: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `child` is this process's and not waited for elsewhere; both places are writable.
    let waited = unsafe { libc::wait4(child.id() as i32, &mut status, 0, &mut used) };
    assert_eq!((waited, status), (child.id() as i32, 0));
    used.ru_maxrss as f64 * 1024.0
}

/// Set in the process that measures. A command's peak includes the memory of the process that starts it, and
/// that of all tests together is larger than a run's.
const ALONE: &str = "SIDESTEP_TEST_MEASURES_ALONE";

#[test]
fn the_memory_of_a_run_is_near_the_estimate() {
    if std::env::var_os(ALONE).is_none() {
        let name = "estimate::the_memory_of_a_run_is_near_the_estimate";
        let mut alone = std::process::Command::new(std::env::current_exe().unwrap());
        let done = alone
            .args(["--exact", name])
            .env(ALONE, "yes")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&done.stdout);
        assert!(done.status.success() && said.contains("1 passed"), "{said}");
        return;
    }
    let room = Room::new();
    let many = [
        "--set",
        "workload.query.rate=10 k/s",
        "--set",
        "workload.query.size=1460 B",
    ];
    let cases: [(&str, &[&str]); 3] = [
        ("quickstart", &["--set", "seeds=1"]),
        ("dibs-demo", &["--set", "seeds=1", "--set", "duration=1 s"]),
        (
            "dibs-demo",
            &[&many[..], &["--set", "seeds=1", "--set", "duration=1 s"]].concat(),
        ),
    ];
    for (n, (name, sets)) in cases.into_iter().enumerate() {
        let jobs = ["--jobs", "2"];
        let check = [&["check", name, "--json"], &jobs[..], sets].concat();
        let said: Value = serde_json::from_str(&room.run(&check).with_status(0).out).unwrap();
        let said = &said["scenarios"][0]["estimate"];
        let out = n.to_string();
        let run = [&["run", name, "--no-cache", "--out", &out], &jobs[..], sets].concat();
        let took = peak(&room, &run);
        let factor = said["peak_bytes"].as_f64().unwrap() / took;
        assert!(
            (0.5..2.0).contains(&factor),
            "{name} {sets:?}: {factor}, {took}, {said}"
        );
    }
}
