//! Tests of `sidestep testbed` with our switches and the kernel's TCP. Skipped, with the reason, if the kernel
//! forbids namespaces.
//!
//! A busy machine stalls switches and hosts. So runs are kept whether they stalled or not, and the tests check
//! what holds however late anything was: order, counts, reasons, and the limits of the links.

mod common;

use common::bed::{Bed, check_laws, json, sum, table, until};
use common::{Done, run_as_nobody, skip};
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

#[test]
fn the_papers_testbed_detours_and_accounts_for_every_frame() {
    let Some(bed) = Bed::new("p") else { return };
    // Slow links make bursts long: those of five hosts overlap, even if some are handed over late.
    let up = [
        "up",
        "dibs-testbed",
        "--scheme",
        "dibs",
        "--rate",
        "20 Mbps",
    ];
    bed.testbed(&up).with_status(0);
    let status = bed.testbed(&["status", "--json"]).with_status(0);
    let status: Value = serde_json::from_str(&status.out).unwrap();
    assert_eq!(
        status["testbeds"][0]["switches"].as_array().unwrap().len(),
        5
    );
    let run = ["run", "--queries", "2", "--json"];
    let done = bed.testbed(&[&run[..], &["--out", "r"]].concat());
    let result: Value = serde_json::from_str(&done.with_status(0).out).unwrap();
    let dibs = &result["schemes"]["dibs"];
    check_laws(&bed, "r", dibs);
    assert!(dibs["detours"].as_u64().unwrap() > 0, "{dibs}");
    assert_eq!(dibs["drops"]["early"], 0);
    assert_eq!(dibs["qct_ms"]["n"], 2);
    assert_eq!(dibs["qct_ms"]["completed_share"], 1.0);
    // 50 answers of 32 kB take 13.5 ms on a 1 Gbps link: no query completes earlier.
    let least = dibs["qct_ms"]["min"].as_f64().unwrap();
    assert!(least >= 13.4, "{least}");
    check_what_is_not_known(&bed, dibs);
    let manifest = json(&bed.room.path().join("r/manifest.json"));
    assert_eq!(manifest["events"], Value::Null);
    assert_eq!(manifest["runs"][0]["trajectory_hash"], Value::Null);
    assert_eq!(manifest["cpu_s"], Value::Null);
    let about = &manifest["testbed"];
    assert_eq!(about["scale"], 50.0);
    assert!(about["pacing_lateness"]["p999_us"].as_f64().unwrap() > 0.0);
    // Each run is listed once, and its disturbances are listed wherever the run is.
    let attempts = about["attempts"].as_array().unwrap();
    assert_eq!(attempts.len(), 2, "{about}");
    for (attempt, run) in attempts.iter().zip(manifest["runs"].as_array().unwrap()) {
        let wrong = &attempt["wrong"];
        let marked = !wrong.as_array().unwrap().is_empty();
        assert_eq!(&run["marked"], if marked { wrong } else { &Value::Null });
        let seeds = about["marked"].as_array().unwrap();
        assert_eq!(seeds.contains(&attempt["seed"]), marked, "{about}");
        assert!(attempt["stalls_per_s"].is_number(), "{about}");
    }
    assert_eq!(table(&bed.room.path().join("r/flows.parquet")).len(), 100);
    bed.testbed(&["down"]).with_status(0);
    assert_eq!(bed.traces(), [""; 0]);
}

#[test]
fn switches_in_the_kernel_detour_and_account_for_every_frame_too() {
    if let Err(why) = sidestep_softswitch::ebpf::need() {
        skip(&format!("skipped: {why}"));
        return;
    }
    let Some(bed) = Bed::new("e") else { return };
    let up = [
        "up",
        "dibs-testbed",
        "--scheme",
        "dibs",
        "--rate",
        "20 Mbps",
    ];
    let said = bed.testbed(&[&up[..], &["--datapath", "ebpf"]].concat());
    let said = said.with_status(0).out;
    assert!(said.contains("5 switches in the kernel"), "{said}");
    let refused = bed.testbed(&["run", "--queries", "1", "--record"]);
    let refused = refused.with_status(2).err;
    assert!(
        refused.contains("--record: expected --datapath packet"),
        "{refused}"
    );
    let run = ["run", "--queries", "2", "--json", "--out", "r"];
    let done = bed.testbed(&run);
    let result: Value = serde_json::from_str(&done.with_status(0).out).unwrap();
    let dibs = &result["schemes"]["dibs"];
    check_laws(&bed, "r", dibs);
    assert!(dibs["detours"].as_u64().unwrap() > 0, "{dibs}");
    assert_eq!(dibs["qct_ms"]["completed_share"], 1.0);
    // A bucket releases the last frame when its first bit would leave: 0.01 ms of 13.5.
    let least = dibs["qct_ms"]["min"].as_f64().unwrap();
    assert!(least >= 13.4, "{least}");
    let about = &json(&bed.room.path().join("r/manifest.json"))["testbed"];
    assert_eq!(about["engine"], "ebpf");
    // The lateness of the kernel's buckets is not counted: unknown, not zero.
    assert_eq!(about["attempts"][0]["stalls_per_s"], Value::Null, "{about}");
    let differences = about["differences"].to_string();
    assert!(
        differences.contains("which add no propagation delay"),
        "{differences}"
    );
    bed.testbed(&["down"]).with_status(0);
    assert_eq!(bed.traces(), [""; 0]);
}

#[test]
fn what_switches_in_the_kernel_cannot_do_is_refused_before_anything_is_built() {
    let Some(bed) = Bed::new("k") else { return };
    for (sets, said) in [
        (
            &["topology.delay=\"15 us\""][..],
            "expected at most 123040 ns as measured, got 150000 ns",
        ),
        (
            &["schemes=dibs", "scheme.dibs.switch.route=\"flowlet\""],
            "switch.route: expected single, ecmp",
        ),
    ] {
        let sets = sets.iter().flat_map(|set| ["--set", *set]);
        let words = [
            "up",
            "dibs-testbed",
            "--scheme",
            "dibs",
            "--datapath",
            "ebpf",
        ];
        let words: Vec<&str> = words.into_iter().chain(sets).collect();
        let refused = bed.testbed(&words).with_status(2).err;
        assert!(
            refused.contains("--datapath ebpf: ") && refused.contains(said),
            "{refused}"
        );
        assert_eq!(bed.traces(), [""; 0]);
    }
}

/// Checks that values not measured on real packets are null in the summary and the tables of the result `r`,
/// and a dash where they are printed.
fn check_what_is_not_known(bed: &Bed, summary: &Value) {
    for key in [
        "detoured_share",
        "stretch_mean",
        "spurious_timeouts",
        "events",
        "trajectory_hash",
    ] {
        assert_eq!(summary[key], Value::Null, "{key}");
    }
    assert_eq!(summary["classes"][0]["detoured"], Value::Null);
    let flows = table(&bed.room.path().join("r/flows.parquet"));
    for column in ["detours", "drops", "reordered", "fast_retransmits"] {
        assert_eq!(flows[0][column], None, "{column}");
    }
    assert!(flows[0]["retransmits"].is_some());
    let ports = table(&bed.room.path().join("r/ports.parquet"));
    // A cable begins at a host, whose NIC has a queue that is not visible.
    assert_eq!(
        (ports[0]["peak_packets"], ports[0]["drops_full"]),
        (None, None)
    );
    assert!(ports[1]["peak_packets"].is_some() && ports[1]["drops_full"].is_some());
    let shown = bed.room.run(&["show", "r", "--all"]).with_status(0).out;
    let line = shown.lines().find(|l| l.contains("data packets detoured"));
    assert!(line.unwrap().trim_end().ends_with('-'), "{shown}");
}

/// Scenario in which two hosts send 8 MB each to a third over one switch that marks at 20 packets.
const TWO: &str = "duration = \"10 ms\"\ndrain = \"10 s\"\nseeds = \"1\"\nschemes = [\"dctcp\"]\n\
     [topology]\nkind = \"single_switch\"\nhosts = 3\n\
     [switch]\ncapacity = \"100 pkt\"\nbuffer = { mark_at = \"20 pkt\" }\n\
     [workload.two]\nkind = \"incast\"\ndegree = 2\nsize = \"8 MB\"\n";

#[test]
fn dctcp_is_marked_from_twenty_packets_on() {
    let Some(bed) = Bed::new("d") else { return };
    bed.room.file("two.toml", TWO);
    bed.testbed(&["up", "two.toml"]).with_status(0);
    let done = bed.testbed(&["run", "--json", "--out", "r"]);
    let result: Value = serde_json::from_str(&done.with_status(0).out).unwrap();
    let dctcp = &result["schemes"]["dctcp"];
    check_laws(&bed, "r", dctcp);
    assert_eq!(result["testbed"]["ecn_negotiated"], true);
    assert_eq!(dctcp["qct_ms"]["completed_share"], 1.0);
    let gbps = 16e6 * 8.0 / (dctcp["qct_ms"]["max"].as_f64().unwrap() * 1e6);
    // 1460 of 1538 bytes are payload: a link carries no more, however late hosts and switches are.
    assert!(gbps < 0.9494, "{gbps} Gbps of goodput");
    let ports = table(&bed.room.path().join("r/ports.parquet"));
    let (marks, drops) = (sum(&ports, "marks"), sum(&ports, "drops_full"));
    let longest = ports.iter().filter_map(|p| p["peak_packets"]).max();
    assert!(marks > 0, "{dctcp}");
    // A packet is marked if 20 are before it, and dropped if 100 are.
    assert!((21..=100).contains(&longest.unwrap()), "{longest:?}");
    assert!(drops == 0 || longest == Some(100), "{drops}, {longest:?}");
    // Acknowledgements report marks to hosts, and one may cover several packets.
    let flows = table(&bed.room.path().join("r/flows.parquet"));
    let (told, packets) = (sum(&flows, "marks"), sum(&flows, "packets"));
    assert!((1..=packets).contains(&told), "{told} of {packets}");
}

#[test]
fn a_run_with_a_stall_is_kept_and_marked_and_numbers_are_given_without_it() {
    let Some(bed) = Bed::new("s") else { return };
    let long = TWO.replace("10 ms", "600 ms");
    let endless = long.split("[workload").next().unwrap();
    let all = format!("{endless}[workload.all]\nkind = \"permutation\"\n");
    bed.room.file("long.toml", &all);
    bed.testbed(&["up", "long.toml"]).with_status(0);
    // On a busy machine the run may end before its switch is stopped: repeat.
    let mut runs = (0..10).map(|n| (n, stalled_run(&bed, &format!("r{n}"))));
    let (n, (said, about)) = runs
        .find(|(_, (_, about))| about["pacing_lateness"]["stalls"].as_u64() > Some(0))
        .expect("one of ten runs stalls");
    assert!(
        said.contains("seed 1 is marked, since this machine was too busy:"),
        "{said}"
    );
    assert!(
        said.contains("1 of 1 seeds of dctcp: 1; no undisturbed run is left"),
        "{said}"
    );
    assert_eq!(about["marked"], serde_json::json!([1]), "{about}");
    assert_eq!(about["attempts"].as_array().unwrap().len(), 1);
    let wrong = about["attempts"][0]["wrong"][0].as_str().unwrap();
    assert!(
        wrong.contains("stalls made frames more than 1 ms late"),
        "{wrong}"
    );
    let summary = json(&bed.room.path().join(format!("r{n}/summary.json")));
    // The marked run is part of the numbers, and no run is left without it.
    assert_eq!(summary["schemes"]["dctcp"]["seeds"], serde_json::json!([1]));
    assert_eq!(summary["marked"][0]["seed"], 1);
    assert_eq!(summary["unmarked"]["schemes"], serde_json::json!({}));
    let shown = bed.room.run(&["show", &format!("r{n}")]).with_status(0);
    assert!(shown.out.contains("disturbed by this machine"), "{shown:?}");
}

/// Makes a run into the directory `out` whose switch is stopped for a while; returns its output with single
/// spaces, and the testbed's part of its manifest.
fn stalled_run(bed: &Bed, out: &str) -> (String, Value) {
    let before = bed.frames_left();
    let args = ["testbed", "run", "--out", out, "--name"];
    let mut command = bed
        .room
        .command(&[&args[..], &[bed.name.as_str()]].concat());
    let child = command.stdout(Stdio::piped()).spawn().unwrap();
    bed.until_frames_left(before);
    let status = bed.testbed(&["status", "--json"]);
    let status: Value = serde_json::from_str(&status.out).unwrap();
    let pid = status["testbeds"][0]["processes"][0][0].to_string();
    kill("-STOP", &pid);
    // A tenth of a run of 6 s.
    std::thread::sleep(Duration::from_millis(600));
    kill("-CONT", &pid);
    let done = Done::of(child.wait_with_output().unwrap()).with_status(0);
    let words: Vec<&str> = done.out.split_whitespace().collect();
    let manifest = json(&bed.room.path().join(out).join("manifest.json"));
    (words.join(" "), manifest["testbed"].clone())
}

fn kill(signal: &str, pid: &str) {
    let done = Command::new("kill").args([signal, pid]).status().unwrap();
    assert!(done.success(), "kill {signal} {pid}");
}

#[test]
fn an_interrupted_run_writes_what_there_is() {
    let Some(bed) = Bed::new("i") else { return };
    bed.testbed(&["up", "quickstart", "--scheme", "dibs"])
        .with_status(0);
    let args = [
        "testbed",
        "run",
        "--queries",
        "500",
        "--out",
        "r",
        "--name",
        &bed.name,
    ];
    let child = bed
        .room
        .command(&args)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    bed.until_frames_left(0);
    kill("-INT", &child.id().to_string());
    Done::of(child.wait_with_output().unwrap()).with_status(130);
    let manifest = json(&bed.room.path().join("r/manifest.json"));
    assert_eq!(manifest["status"], "partial");
    let runs = manifest["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 500);
    assert_eq!(runs[499]["status"], "not run");
    // Each run that was started is listed, the last of them interrupted or complete.
    assert_ne!(runs[0]["status"], "not run", "{}", runs[0]);
    let ran = runs.iter().filter(|run| run["status"] != "not run").count();
    assert_eq!(
        manifest["testbed"]["attempts"].as_array().unwrap().len(),
        ran
    );
}

#[test]
fn a_dead_switch_is_seen_and_removed_with_the_rest() {
    let Some(bed) = Bed::new("k") else { return };
    bed.testbed(&["up", "dibs-testbed", "--scheme", "droptail"])
        .with_status(0);
    let again = bed
        .testbed(&["up", "dibs-testbed", "--scheme", "droptail"])
        .with_status(2);
    assert!(
        again.err.contains("is up") && again.err.contains(&format!("down --name {}", bed.name)),
        "{again:?}"
    );
    let status = bed.testbed(&["status", "--json"]).with_status(0);
    let status: Value = serde_json::from_str(&status.out).unwrap();
    let pid = status["testbeds"][0]["processes"][3][0].as_i64().unwrap();
    kill("-9", &pid.to_string());
    until("the switch has ended", || {
        !Path::new(&format!("/proc/{pid}/exe")).exists()
    });
    let status = bed.testbed(&["status"]).with_status(1);
    assert!(status.out.contains("does not answer"), "{status:?}");
    let run = bed.testbed(&["run", "--queries", "1"]).with_status(1);
    assert!(
        run.err.contains("agg 0") && run.err.contains("s3.log"),
        "{run:?}"
    );
    bed.testbed(&["down"]).with_status(0);
    assert_eq!(bed.traces(), [""; 0]);
}

#[test]
fn an_up_killed_at_any_point_is_cleaned_up_by_down() {
    let Some(bed) = Bed::new("c") else { return };
    for wait_ms in [100, 300, 600] {
        let args = [
            "testbed",
            "up",
            "dibs-testbed",
            "--scheme",
            "dibs",
            "--name",
            &bed.name,
        ];
        let mut child = bed
            .room
            .command(&args)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(wait_ms));
        child.kill().unwrap();
        child.wait().unwrap();
        bed.testbed(&["down"]).with_status(0);
        assert_eq!(bed.traces(), [""; 0], "killed after {wait_ms} ms");
    }
}

#[test]
fn what_cannot_be_built_is_refused_with_the_reason() {
    let Some(bed) = Bed::new("r") else { return };
    let refused = |words: &[&str]| bed.testbed(words).with_status(2).err;
    let why = refused(&["up", "dibs-testbed"]);
    assert!(
        why.contains("--scheme with one of unlimited, droptail, dibs"),
        "{why}"
    );
    let why = refused(&["up", "dibs-demo", "--scheme", "dibs"]);
    assert!(
        why.contains("expected 1 to 64") && why.contains("got 128"),
        "{why}"
    );
    let why = refused(&[
        "up",
        "quickstart",
        "--scheme",
        "pfabric",
        "--set",
        "schemes=pfabric",
    ]);
    assert!(why.contains("pfabric"), "{why}");
    let why = refused(&[
        "up",
        "quickstart",
        "--scheme",
        "dibs",
        "--set",
        "workload.query.kind=query",
        "--set",
        "workload.query.degree=15",
        "--set",
        "workload.query.request=1 kB",
        "--set",
        "workload.query.connection=persistent",
    ]);
    assert!(
        why.contains("workload.query.connection: expected \"own\" or \"shared\""),
        "{why}"
    );
    let why = refused(&["up", "quickstart", "--scheme", "dibs", "--rate", "2 Gbps"]);
    assert!(why.contains("--rate") && why.contains("1 Gbps"), "{why}");
    let why = refused(&["run"]);
    assert!(why.contains("no testbed "), "{why}");
    assert_eq!(bed.traces(), [""; 0]);
}

/// Figure small enough for a test: three queries, two schemes.
const FIGURE: &str = r#"
title = "ten answers at once"
duration = "1 ms"
drain = "10 s"
seeds = "1..3"
schemes = ["droptail", "dibs"]
[topology]
kind = "testbed"
[transport]
kind = "newreno"
fast_retransmit = "off"
[workload.query]
kind = "incast"
degree = 5
flows = 2
size = "10 kB"
target = 5
[scheme.droptail]
summary = "drop-tail"
[scheme.dibs]
summary = "detours"
[scheme.dibs.switch]
buffer = "dibs"
[figure]
paper = "none"
number = "1"
shows = "two arms"
[[plot]]
kind = "cdf"
of = "qct_ms"
[[claim]]
id = "done"
says = "every query is answered"
metric = "qct_completed_share"
compare = "dibs"
paper = 1
accept = "1"
tolerance = "the sentence itself"
expect = "not reproduced"
testbed_expect = "reproduced"
"#;

/// Starts a reproduction of the figure on a testbed, with the result directory `out`.
fn figure(bed: &Bed, out: &str) -> Child {
    let folder = bed.room.path().join("experiments/mine");
    std::fs::create_dir_all(folder).unwrap();
    bed.room.file("experiments/mine/fig1.toml", FIGURE);
    let words = ["reproduce", "mine/fig1", "--testbed"];
    let mut command = bed.room.command(&words);
    command.args(["--json", "--no-cache", "--out", out]);
    let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    piped.spawn().unwrap()
}

/// Returns the report of [`figure`]; checks that its claim is reproduced by all runs of real packets.
fn report(child: Child) -> Value {
    let done = Done::of(child.wait_with_output().unwrap());
    let said: Value = serde_json::from_str(&done.out).unwrap_or_else(|e| panic!("{e}: {done:?}"));
    let figure = &said["figures"][0];
    let rows = figure["beside"]["rows"].as_array().unwrap();
    assert!(rows.iter().any(|row| row[0] == "dibs"), "{said}");
    let columns = figure["beside"]["columns"].as_array().unwrap();
    assert!(columns.contains(&"testbed".into()), "{columns:?}");
    let claim = &said["claims"][0];
    assert_eq!(claim["expect"], "reproduced", "{claim}");
    assert_eq!(claim["at"]["arm"], "testbed", "{claim}");
    // If the machine disturbed a run, two seeds are left, too few for a verdict.
    let without = &claim["unmarked"];
    let (of_all, status) = match without.is_null() {
        true => (&claim["verdict"], 0),
        false => (&without["verdict_of_all"], 1),
    };
    assert_eq!(of_all, "reproduced", "{claim}");
    if status == 1 {
        assert_eq!(claim["verdict"], "can't tell", "{claim}");
        assert!(without["seeds"].as_u64() < Some(3), "{claim}");
    }
    done.with_status(status);
    said
}

#[test]
fn a_figure_over_the_testbed_stands_beside_the_simulators() {
    let Some(bed) = Bed::new("f") else { return };
    report(figure(&bed, "r"));
    let at = |file: &str| bed.room.path().join("r").join(file);
    for file in ["report.html", "mine/fig1/points.csv"] {
        assert!(at(file).exists(), "{file}");
    }
    let schemes = &json(&at("manifest.json"))["testbed"]["schemes"];
    for scheme in ["droptail", "dibs"] {
        // Each seed's first run is kept, and named if it stalled.
        let about = &schemes[scheme];
        let attempts = about["attempts"].as_array().unwrap();
        assert_eq!(attempts.len(), 3, "{about}");
        let wrong = |a: &&Value| !a["wrong"].as_array().unwrap().is_empty();
        let marked = about["marked"].as_array().unwrap().len();
        assert_eq!(attempts.iter().filter(wrong).count(), marked, "{about}");
    }
    let many = bed
        .room
        .run(&["reproduce", "mine", "--testbed", "--rate", "3 pkt"]);
    assert_eq!(many.status, 2, "{many:?}");
}

#[test]
fn two_figures_over_testbeds_are_not_in_each_others_way() {
    let Some(bed) = Bed::new("b") else { return };
    let both = ["one", "two"].map(|out| figure(&bed, out));
    for child in both {
        report(child);
    }
}

#[test]
fn without_root_it_says_so() {
    let Some(bed) = Bed::new("u") else { return };
    let up = [
        "testbed",
        "up",
        "quickstart",
        "--scheme",
        "dibs",
        "--name",
        &bed.name,
    ];
    if let Some(done) = run_as_nobody(&up) {
        let done = done.with_status(2);
        assert!(done.err.contains("expected to run as root"), "{done:?}");
    }
    let mut command = bed.room.command(&up);
    let done = Done::of(command.env("PATH", "/nonexistent").output().unwrap());
    // `ip` is in /usr/sbin as well, where it is found without PATH.
    assert!(
        done.status == 0 || done.err.contains("iproute2"),
        "{done:?}"
    );
}
