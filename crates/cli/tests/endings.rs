//! Tests of early ends of a run: interrupts, a full disk, or a closed output.

use crate::common;

use common::{Done, Room, skip};
use serde_json::Value;
use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Run that is long enough to be interrupted.
const LONG: [&str; 10] = [
    "run",
    "dibs-demo",
    "--seeds",
    "1..2000",
    "--jobs",
    "2",
    "--out",
    "out",
    "--no-cache",
    "--force",
];

/// Starts a long run and waits until it is in progress.
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
    // SAFETY: `child` has not been waited for, so its number is still valid.
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
    // Both signals wait until the process continues, so the second arrives however late this test is. The run
    // may still end between the two; then there is a result, and the test repeats.
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

/// Runs the command with a limit on the size of files, which fails like a full disk and needs no privilege.
fn limited(room: &Room, limit: u64, args: &[&str]) -> Done {
    let mut command = room.command(args);
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
    Done::of(command.output().unwrap())
}

/// Checks that the numbers are printed, that the loss is reported, and that no partial file remains.
fn expect_numbers_alone(done: &Done, runs: u32) {
    assert!(
        done.out.contains("p99, ms") && !done.out.contains("result:"),
        "{}",
        done.out
    );
    let lost = format!("the result files of {runs} runs could not be written, and none remains");
    assert!(
        done.err.contains(&lost) && done.err.contains("cannot write"),
        "{}",
        done.err
    );
}

#[test]
fn a_full_disk_costs_no_number_and_nothing_half_written_stays() {
    for limit in [0, 1_000, 20_000] {
        let room = Room::new();
        let args = ["run", "quickstart", "--no-cache", "--out", "deep/out"];
        let done = limited(&room, limit, &args).with_status(1);
        expect_numbers_alone(&done, 9);
        assert!(done.err.contains("deep/.out"), "{}", done.err);
        assert_eq!(room.names(), [""; 0], "{limit}");
    }
}

#[test]
fn what_a_full_disk_left_in_the_cache_is_taken_up() {
    let room = Room::new();
    let of = |out| ["run", "quickstart", "--cache", "kept", "--out", out];
    // Enough for the kept runs, not for the plots.
    let done = limited(&room, 40_000, &of("out")).with_status(1);
    expect_numbers_alone(&done, 9);
    assert_eq!(room.names(), ["kept"]);
    let again = room.run(&of("out")).with_status(0);
    assert!(
        again
            .out
            .contains("0 runs made, 9 taken from the cache kept"),
        "{}",
        again.out
    );
    // If the cache cannot be written, only the reuse of runs is lost.
    let room = Room::new();
    let done = limited(&room, 100, &of("out")).with_status(1);
    assert!(done.out.contains("no run could be cached"), "{}", done.out);
    let again = room.run(&of("out")).with_status(0);
    assert!(again.out.contains("9 runs made, 0 taken"), "{}", again.out);
}

#[test]
fn a_sweep_on_a_full_disk_says_its_numbers_too() {
    let room = Room::new();
    let sweep = "duration = \"1 ms\"\nschemes = [\"dctcp\", \"dibs\"]\n[topology]\nkind = \"fat_tree\"\nk = 4\n\
        [workload.query]\nkind = \"incast\"\ndegree = 15\nsize = \"20 kB\"\n\
        [sweep]\n\"workload.query.degree\" = [12, 15]\n";
    room.file("s.toml", sweep);
    let args = ["run", "s.toml", "--no-cache", "--out", "out"];
    let done = limited(&room, 1_000, &args).with_status(1);
    assert!(
        done.out.contains("qct_p99_ms") && !done.out.contains("result:"),
        "{}",
        done.out
    );
    assert!(
        done.err.contains("the result files of 4 runs"),
        "{}",
        done.err
    );
    assert_eq!(room.names(), ["s.toml"]);
}

/// Writes a paper with one figure.
fn paper(room: &Room, rate: &str) {
    let figure = format!(
        "title = \"one\"\nduration = \"1 ms\"\nseeds = \"1..3\"\nschemes = [\"dctcp\", \"dibs\"]\n\
         [topology]\nkind = \"fat_tree\"\nk = 4\n\
         [workload.query]\nkind = \"query\"\nrate = \"{rate}\"\ndegree = 8\nsize = \"1 kB\"\n\
         [figure]\npaper = \"Nobody\"\nnumber = \"1\"\nshows = \"nothing\"\n\
         [[claim]]\nid = \"none\"\nsays = \"nothing is lost\"\nmetric = \"drops\"\ncompare = \"dibs\"\n\
         paper = 0\naccept = \"0\"\ntolerance = \"the sentence\"\ngap = \"none\"\n"
    );
    std::fs::create_dir_all(room.path().join("experiments/mine")).unwrap();
    room.file("experiments/mine/one.toml", &figure);
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
    let done = full.run(&["run", "quickstart", "--out", "out", "--no-cache"]);
    let left = full.names();
    Command::new("umount").args(["-l", &at]).status().unwrap();
    let done = done.with_status(1);
    expect_numbers_alone(&done, 9);
    assert!(done.err.contains("No space left on device"), "{}", done.err);
    assert_eq!(left, [""; 0]);
}

/// A scenario of 47 million flows is refused before any of them is drawn.
#[test]
fn what_does_not_fit_is_refused_before_it_is_planned() {
    let room = Room::new();
    let large = "duration = \"10 ms\"\nschemes = [\"dctcp\", \"dibs\"]\n[topology]\nkind = \"fat_tree\"\nk = 4\n\
        [workload.query]\nkind = \"query\"\nrate = \"590 M/s\"\ndegree = 8\nsize = \"1 kB\"\n";
    room.file("large.toml", large);
    paper(&room, "5900 M/s");
    let of = |args: &[&str], gib: u64| {
        let mut command = room.command(args);
        let limited = move || {
            let limit = libc::rlimit {
                rlim_cur: gib << 30,
                rlim_max: gib << 30,
            };
            // SAFETY: the call is allowed between fork and exec.
            unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) };
            Ok(())
        };
        // SAFETY: the closure above does nothing else.
        unsafe { command.pre_exec(limited) };
        Done::of(command.output().unwrap())
    };
    for args in [
        &["check", "large.toml", "--jobs", "2"][..],
        &["run", "large.toml", "--jobs", "2", "--out", "out"],
        &["reproduce", "mine", "--jobs", "2", "--out", "out"],
    ] {
        let done = of(args, 1).with_status(2);
        let words = "2 runs at a time (about 47,200,000 flows each) need about";
        assert!(
            done.err.contains(words) && done.err.contains("iB are free"),
            "{}",
            done.err
        );
    }
    let json = of(&["check", "large.toml", "--json"], 1).with_status(2);
    assert!(
        json.out.contains("\"peak_bytes\"") && json.out.contains("of memory, but only"),
        "{}",
        json.out
    );
    let said = of(&["check", "large.toml"], 1);
    assert!(
        said.out.contains("about 47.2 M flows") && said.out.contains("GiB with"),
        "{}",
        said.out
    );
    assert_eq!(room.names(), ["experiments", "large.toml"]);
    // A small scenario fits.
    of(&["check", "quickstart"], 1).with_status(0);
}

/// Returns the arguments for many short runs, kept as they end.
fn kept(out: &str) -> [&str; 10] {
    let many = ["run", "quickstart", "--seeds", "1..300", "--jobs", "2"];
    let [a, b, c, d, e, f] = many;
    [a, b, c, d, e, f, "--cache", "kept", "--out", out]
}

/// Reads every file of a result that does not depend on time or speed.
fn lasting(room: &Room, dir: &str) -> Vec<(String, Vec<u8>)> {
    let names = ["flows", "queries", "ports", "counts"].map(|name| format!("{name}.parquet"));
    let drawn = ["scenario.toml", "plots/qct_cdf.svg"].map(String::from);
    let read = |name: &str| fs::read(room.path().join(dir).join(name)).unwrap();
    let all = names.iter().chain(&drawn);
    all.map(|name| (name.clone(), read(name))).collect()
}

/// Returns the scheme, seed and status of each run of a result.
fn runs(room: &Room, dir: &str) -> Vec<(String, u64, String)> {
    let manifest = fs::read_to_string(room.path().join(dir).join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    let runs = manifest["runs"].as_array().unwrap().iter();
    let text = |run: &Value, key: &str| run[key].as_str().unwrap().to_string();
    runs.map(|run| {
        (
            text(run, "scheme"),
            run["seed"].as_u64().unwrap(),
            text(run, "status"),
        )
    })
    .collect()
}

/// Returns the number of complete kept runs.
fn records(room: &Room) -> usize {
    let folders = fs::read_dir(room.path().join("kept"))
        .into_iter()
        .flatten()
        .flatten();
    let files = folders.flat_map(|f| fs::read_dir(f.path()).into_iter().flatten().flatten());
    files
        .filter(|f| f.path().extension().is_some_and(|e| e == "record"))
        .count()
}

#[test]
fn a_run_that_was_interrupted_compares_like_with_like_and_goes_on() {
    let room = Room::new();
    let mut command = room.command(&kept("part"));
    let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = piped.spawn().unwrap();
    wait_until(|| records(&room) >= 8);
    signal(&child, libc::SIGINT);
    let done = Done::of(child.wait_with_output().unwrap()).with_status(130);
    assert!(
        done.out.contains("the numbers cover the")
            && done.out.contains("of 300 seeds")
            && done
                .out
                .contains("), of 900; repeat the command to continue\n"),
        "{}",
        done.out
    );
    let ended: Vec<(String, u64, String)> = runs(&room, "part");
    assert_eq!(ended.len(), 900, "every run asked for is accounted for");
    let of = |scheme: &str| {
        let own = ended
            .iter()
            .filter(|(s, _, how)| s == scheme && how == "complete");
        own.map(|(_, seed, _)| *seed).collect::<Vec<u64>>()
    };
    let all = ["dctcp", "dibs", "infinite"].map(of);
    // Two runs at a time, so no scheme is more than two ahead.
    let ran: usize = all.iter().map(Vec::len).sum();
    let even = |other: &Vec<u64>| other.len().abs_diff(all[0].len()) <= 2;
    assert!(ran >= 8 && all.iter().all(even), "{all:?}");
    // The table covers the seeds that all schemes have.
    let of_all = |seed: &u64| all.iter().all(|seeds| seeds.contains(seed));
    let common: Vec<u64> = all[0].iter().copied().filter(of_all).collect();
    let summary = fs::read_to_string(room.path().join("part/summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    for scheme in ["dctcp", "dibs", "infinite"] {
        let seeds = summary["schemes"][scheme]["seeds"].clone();
        assert_eq!(serde_json::from_value::<Vec<u64>>(seeds).unwrap(), common);
    }
    // The same command, into the same directory.
    let rest = room.run(&kept("part")).with_status(0);
    assert!(rest.out.ends_with("\nresult: part\n"), "{}", rest.out);
    let words = format!("{} runs made, {ran} taken from the cache kept", 900 - ran);
    assert!(rest.out.contains(&words), "{words}: {}", rest.out);
    let again = room.run(&kept("again")).with_status(0);
    assert!(
        again.out.contains("0 runs made, 900 taken"),
        "{}",
        again.out
    );
    let mut quiet = kept("quiet").to_vec();
    quiet.splice(6..8, ["--no-cache"]);
    room.run(&quiet).with_status(0);
    for dir in ["part", "again"] {
        assert!(lasting(&room, dir) == lasting(&room, "quiet"), "{dir}");
    }
}

#[test]
fn a_run_that_was_killed_goes_on_with_what_had_ended() {
    let room = Room::new();
    let mut command = room.command(&kept("out"));
    let silent = command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = silent.spawn().unwrap();
    wait_until(|| records(&room) >= 5);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!room.path().join("out").exists());
    let had = records(&room);
    let rest = room.run(&kept("out")).with_status(0);
    let words = format!("{} runs made, {had} taken from the cache kept", 900 - had);
    assert!(rest.out.contains(&words), "{words}: {}", rest.out);
}

#[test]
fn two_runs_that_begin_in_one_second_do_not_meet() {
    let room = Room::new();
    let begin = |_| {
        let mut command = room.command(&["run", "quickstart", "--no-cache"]);
        let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        piped.spawn().unwrap()
    };
    let all: Vec<Child> = (0..4).map(begin).collect();
    let result = |child: Child| {
        let done = Done::of(child.wait_with_output().unwrap()).with_status(0);
        done.out.lines().last().unwrap().to_string()
    };
    let mut said: Vec<String> = all.into_iter().map(result).collect();
    for line in &said {
        let dir = line.strip_prefix("result: ").unwrap();
        assert!(room.path().join(dir).join("manifest.json").exists());
    }
    said.sort();
    said.dedup();
    assert_eq!(said.len(), 4, "{said:?}");
}

#[test]
fn a_reader_that_went_away_is_no_reason_to_panic() {
    let room = Room::new();
    for args in [
        &["list"][..],
        &["check", "quickstart"],
        &["run", "quickstart", "--out", "out", "--no-cache"],
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
    // Opened, not created: root would create a regular file if it is missing.
    let full = match File::options().write(true).open("/dev/full") {
        Ok(full) => full,
        Err(why) => return skip(&format!("skipped: no /dev/full: {why}")),
    };
    let room = Room::new();
    let mut command = room.command(&["list"]);
    let done = Done::of(command.stdout(full).output().unwrap()).with_status(1);
    assert!(done.err.contains("standard output"), "{}", done.err);
}
