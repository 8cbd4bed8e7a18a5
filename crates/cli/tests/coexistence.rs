//! Tests of workloads with different transports, as the command accepts, shows and runs them.

use crate::common;

use common::Room;

/// TCP beside DCTCP and MPTCP across a tree.
const TEXT: &str = "duration = \"1 ms\"\ndrain = \"1 s\"\nseeds = [1]\nschemes = [\"dctcp\", \"dibs\"]\n\
    [topology]\nkind = \"fat_tree\"\nk = 4\ndelay = \"50 us\"\n\
    [workload.query]\nkind = \"incast\"\ndegree = 12\nsize = \"3 kB\"\n\
    [workload.tcp]\nkind = \"permutation\"\nsize = \"30 kB\"\ntransport = \"newreno\"\n\
    [workload.mptcp]\nkind = \"permutation\"\nsize = \"30 kB\"\n\
    transport = { kind = \"mptcp\", subflows = 3, rto_min = \"2 ms\" }\n";

fn room() -> Room {
    let room = Room::new();
    room.file("t.toml", TEXT);
    room
}

#[test]
fn check_says_every_value_of_a_workload_s_transport_with_its_source() {
    let room = room();
    let done = room.run(&["check", "t.toml", "--set", "workload.query.transport=swift"]);
    assert_eq!(done.status, 0, "{}", done.err);
    let line = |key: &str| {
        let found = done
            .out
            .lines()
            .find(|line| line.trim_start().starts_with(&format!("{key} ")));
        found
            .unwrap_or_else(|| panic!("no {key} in {}", done.out))
            .to_string()
    };
    for (key, value, source) in [
        ("workload.query.transport.kind", "swift", "user: --set"),
        ("workload.tcp.transport.kind", "newreno", "scenario file"),
        ("workload.mptcp.transport.subflows", "3", "scenario file"),
        ("workload.mptcp.transport.rto_min", "2 ms", "scenario file"),
        ("workload.mptcp.transport.rto_max", "60 s", "default: "),
    ] {
        let line = line(key);
        assert!(line.contains(value) && line.contains(source), "{line}");
    }
}

#[test]
fn a_wrong_transport_of_a_workload_is_refused_with_its_place() {
    let room = room();
    let done = room.run(&["check", "t.toml", "--set", "workload.tcp.transport=dctpc"]);
    assert_eq!(done.status, 2);
    let expected = "--set workload.tcp.transport=dctpc: transport \"dctpc\" is unknown; did you mean \"dctcp\"?";
    assert!(done.err.contains(expected), "{}", done.err);
}

#[test]
fn a_run_has_the_same_files_on_two_threads_and_a_manifest_that_says_each_transport() {
    let room = room();
    let [one, two] = ["1", "2"].map(|threads| {
        let out = format!("out{threads}");
        let done = room.run(&[
            "run",
            "t.toml",
            "--no-cache",
            "--json",
            "--threads",
            threads,
            "--out",
            &out,
        ]);
        assert_eq!(done.status, 0, "{}", done.err);
        room.result(&out)
    });
    assert_eq!(one.0, two.0);
    assert!(one.1 == two.1, "a table differs");
    let manifest = std::fs::read_to_string(room.path().join("out1/manifest.json")).unwrap();
    assert!(
        manifest.contains("workload.tcp.transport.kind"),
        "{manifest}"
    );
    // The scenario in the manifest gives the same run again.
    let classes = &one.0["schemes"]["dctcp"]["classes"];
    for name in ["query", "tcp", "mptcp"] {
        assert!(classes[name]["delivered"].as_u64() > Some(0), "{classes:#}");
    }
    assert_eq!(classes["tcp"]["marked"], 0);
}

#[test]
fn a_sweep_goes_over_the_transport_of_a_workload() {
    let room = Room::new();
    let axis = "[sweep]\n\"workload.tcp.transport\" = [\"dctcp\", \"newreno\"]\n";
    room.file("t.toml", &format!("{TEXT}{axis}"));
    let done = room.run(&["run", "t.toml", "--no-cache", "--json", "--out", "out"]);
    assert_eq!(done.status, 0, "{}", done.err);
    let summary = std::fs::read_to_string(room.path().join("out/summary.json")).unwrap();
    assert!(summary.contains("workload.tcp.transport"), "{summary}");
}
