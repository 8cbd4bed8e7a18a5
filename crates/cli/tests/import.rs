//! Tests of `sidestep import`: its files run unchanged, no file is overwritten, and left-out parts are
//! reported.

use crate::common;

use common::Room;
use serde_json::Value;
use std::fs;
use std::path::Path;

fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../import/tests/fixtures");
    folder.join(name).to_str().unwrap().to_string()
}

const SCENARIO: &str = r#"
duration = "10 s"
schemes = ["dctcp"]
[topology]
kind = "fat_tree"
k = 4
[workload.trace]
kind = "flow_list"
file = "mine.flows.csv"
"#;

/// Imports a flow list and runs it; returns the number of completed flows.
fn run(room: &Room, file: &str, more: &[&str], scenario: &str) -> u64 {
    let file = fixture(file);
    let args = [&["import", &file, "-o", "mine", "--json"], more].concat();
    let said: Value = serde_json::from_str(&room.run(&args).with_status(0).out).unwrap();
    assert_eq!(said["written"][0]["path"], "mine.flows.csv");
    room.file("s.toml", scenario);
    room.run(&["check", "s.toml"]).with_status(0);
    let done = room
        .run(&["run", "s.toml", "--out", "r", "--json"])
        .with_status(0);
    let summary: Value = serde_json::from_str(&done.out).unwrap();
    let classes = summary["schemes"]["dctcp"]["classes"]
        .as_object()
        .unwrap()
        .values();
    let ended = classes.filter(|of| of["fct_ms"]["completed_share"] == 1.0);
    let ended: u64 = ended.map(|of| of["fct_ms"]["n"].as_u64().unwrap()).sum();
    let kept = said["kept"].as_array().unwrap().iter();
    let flows = kept
        .filter(|of| of["what"] == "flows")
        .map(|of| of["count"].as_u64().unwrap());
    assert_eq!(
        ended,
        flows.sum::<u64>(),
        "{file}: every flow is sent and comes to its end"
    );
    ended
}

#[test]
fn flow_lists_of_captures_and_netflow_run_as_they_are() {
    for (file, flows) in [
        ("capture.pcap", 4),
        ("capture.pcapng", 4),
        ("nfdump.csv", 3),
        ("ipfix.csv", 2),
    ] {
        let room = Room::new();
        assert_eq!(
            run(&room, file, &["--class-by-port"], SCENARIO),
            flows,
            "{file}"
        );
        let hosts = fs::read_to_string(room.path().join("mine.hosts.csv")).unwrap();
        assert!(hosts.contains("10.0.0.1,h"), "{hosts}");
        // The map that was written is accepted by the next import.
        let again = room.run(&[
            "import",
            &fixture(file),
            "-o",
            "again",
            "--hosts",
            "mine.hosts.csv",
            "--class-by-port",
        ]);
        again.with_status(0);
        let rows = |name: &str| {
            let text = fs::read_to_string(room.path().join(name)).unwrap();
            let rows = text.lines().filter(|line| !line.starts_with('#'));
            rows.map(str::to_string).collect::<Vec<_>>()
        };
        assert_eq!(rows("mine.flows.csv"), rows("again.flows.csv"));
    }
}

/// The file with its original columns, epoch times and addresses is refused, with a hint to `import`.
#[test]
fn a_list_of_ones_own_runs_after_an_import() {
    let room = Room::new();
    assert_eq!(run(&room, "own.csv", &[], SCENARIO), 3);
    let said: Value = fs::read_to_string(room.path().join("r/summary.json"))
        .map(|text| serde_json::from_str(&text).unwrap())
        .unwrap();
    let classes = &said["schemes"]["dctcp"]["classes"];
    assert_eq!(classes["trace/storage"]["group_ms"]["n"], 1, "{classes}");
    for (list, words) in [
        (
            "timestamp,src,dst,size\n",
            "class and group; `sidestep import` reads others, got \"timestamp\"",
        ),
        (
            "start_us,src,dst,size\n5,10.0.0.1,h2,1 kB\n",
            "expected a host from 0 to 15; `sidestep import` numbers addresses and names, got \"10.0.0.1\"",
        ),
        (
            "start_s,src,dst,size\n1763712000.5,h1,h2,1 kB\n",
            "after the start of the run; `sidestep import` shifts the first flow to 0, got \"1763712000.5 s\", which is too large",
        ),
    ] {
        room.file("mine.flows.csv", list);
        let said = room.run(&["check", "s.toml"]).with_status(2).err;
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn a_simulators_network_and_flows_run_together() {
    let room = Room::new();
    room.run(&["import", &fixture("topology.txt"), "-o", "mine"])
        .with_status(0);
    let custom = SCENARIO.replace(
        "kind = \"fat_tree\"\nk = 4",
        "kind = \"custom\"\nfile = \"mine.topology.csv\"",
    );
    assert_eq!(
        run(
            &room,
            "flow.txt",
            &["--topology", &fixture("topology.txt")],
            &custom
        ),
        3
    );
}

/// The sizes of HPCC and of ns-2 are accepted by a workload, and have the means of the shipped files.
#[test]
fn sizes_of_other_tools_are_drawn_by_a_workload() {
    let ns2 = "6 1 0\n6 1 0.15\n13 1 0.2\n19 1 0.3\n33 1 0.4\n53 1 0.53\n133 1 0.6\n667 1 0.7\n1333 1 0.8\n\
               3333 1 0.9\n6667 1 0.97\n20000 1 1\n";
    let room = Room::new();
    room.file("ns2.txt", ns2);
    for (file, more, mean) in [
        (
            fixture("websearch.txt"),
            &[][..],
            "The mean is 1711250.0 B with interpolation = \"linear\"",
        ),
        (
            "ns2.txt".into(),
            &["--packet", "1460"],
            "The mean is 1665830.8 B with interpolation = \"linear\"",
        ),
    ] {
        let said = room
            .run(&[&["import", &file, "-o", "mine"], more].concat())
            .with_status(0)
            .out;
        assert!(said.contains(mean), "{said}");
        assert!(
            said.contains("kind = \"background\"\ncdf = \"mine.sizes.csv\""),
            "{said}"
        );
        let workload = "kind = \"background\"\ncdf = \"mine.sizes.csv\"\ninter_arrival = \"off\"\nload = \"0.1\"";
        let list = "kind = \"flow_list\"\nfile = \"mine.flows.csv\"";
        room.file("s.toml", &SCENARIO.replace(list, workload));
        room.run(&["check", "s.toml"]).with_status(0);
        fs::remove_file(room.path().join("mine.sizes.csv")).unwrap();
    }
}

#[test]
fn columns_by_hand_make_any_header_a_list_of_flows() {
    let room = Room::new();
    room.file("b.csv", "when,who,what,much\n1,a,b,64 KB\n");
    let columns = "start_us=when,src=who,dst=what,size=much";
    room.run(&["import", "b.csv", "-o", "mine", "--columns", columns])
        .with_status(0);
    let flows = fs::read_to_string(room.path().join("mine.flows.csv")).unwrap();
    assert!(flows.ends_with("\n0,h0,h1,64000 B\n"), "{flows}");
}

#[test]
fn a_switchs_buffers_are_a_section_of_a_scenario() {
    let room = Room::new();
    let asked = room.run(&["import", &fixture("config_db.json"), "-o", "edge"]);
    let asked = asked.with_status(2).err;
    assert!(
        asked.contains("--queue 0: queues 0-2 of 2 ports"),
        "{asked}"
    );
    room.run(&[
        "import",
        &fixture("config_db.json"),
        "--queue",
        "0",
        "-o",
        "edge",
    ])
    .with_status(0);
    let switch = fs::read_to_string(room.path().join("edge.switch.toml")).unwrap();
    let workload = "kind = \"incast\"\ndegree = 5\nsize = \"20 kB\"";
    let scenario = SCENARIO.replace("kind = \"flow_list\"\nfile = \"mine.flows.csv\"", workload);
    room.file("s.toml", &format!("{scenario}\n{switch}"));
    let said = room.run(&["check", "s.toml"]).with_status(0).out;
    for value in ["9.243812 MB", "1/2"] {
        assert!(said.contains(value), "{value}: {said}");
    }
    assert!(!said.contains("250 kB"), "marks of queue 3: {said}");
}

#[test]
fn nothing_is_overwritten_and_nothing_is_left_of_a_call_that_failed() {
    let room = Room::new();
    room.file("mine.hosts.csv", "mine");
    let said = room
        .run(&["import", &fixture("capture.pcap"), "-o", "mine"])
        .with_status(2)
        .err;
    assert_eq!(
        said,
        "sidestep: mine.hosts.csv already exists: choose another --out\n"
    );
    assert_eq!(room.names(), ["mine.hosts.csv"]);
    assert_eq!(
        fs::read_to_string(room.path().join("mine.hosts.csv")).unwrap(),
        "mine"
    );
}

#[test]
fn in_a_folder_the_files_have_the_name_of_what_was_read() {
    let room = Room::new();
    let made = room.path().join("made");
    fs::create_dir(&made).unwrap();
    for out in ["made", "made/"] {
        room.run(&[
            "import",
            &fixture("config_db.json"),
            "--queue",
            "0",
            "-o",
            out,
        ])
        .with_status(0);
        fs::remove_file(made.join("config_db.switch.toml")).unwrap();
    }
}

#[test]
fn what_cannot_be_imported_is_refused_in_a_line() {
    let room = Room::new();
    room.file("a.txt", "hello\n");
    room.file("b.csv", "when,who,what\n1,2,3\n");
    room.file("f.txt", "2\n1 2 3 100 5000 2\n");
    let (triggers, capture) = (fixture("incast.cm"), fixture("capture.pcap"));
    for (args, words) in [
        (
            &["import", "a.txt"][..],
            "a.txt: the format cannot be detected; set --from to one of csv, pcap,",
        ),
        (
            &["import", "b.csv"],
            "b.csv: the format cannot be detected; a CSV of flows begins with names like \
             time,src_ip,dst_ip,bytes (--columns start=NAME,src=NAME,dst=NAME,size=NAME names others); set \
             --from to one of csv, pcap,",
        ),
        (&["import", "none.pcap"], "cannot read none.pcap: "),
        (
            &["import", "."],
            "cannot read .: expected a file, got a directory",
        ),
        (
            &["import", "f.txt"],
            "f.txt:2: expected 2 flows, as line 1 says, got 1",
        ),
        (
            &["import", "f.txt", "--from", "htsim"],
            "f.txt:1: expected Nodes, Connections",
        ),
        (
            &["import", "f.txt", "--hosts", "a.txt"],
            "a.txt:1: expected the header \"address,host\", got \"hello\"",
        ),
        (
            &["import", &capture, "--idle-gap", "soon"],
            "--idle-gap: expected a time like",
        ),
        (
            &["import", "f.txt", "--idle-gap", "5 ms"],
            "--idle-gap: expected a file of format pcap, got hpcc-flows",
        ),
        (
            &["import", "f.txt", "--udp"],
            "--udp: expected a file of format pcap or netflow, got hpcc-flows",
        ),
        (
            &["import", &capture, "--sampling", "10"],
            "--sampling: expected a file of format netflow, got pcap",
        ),
        (
            &["import", &capture, "--spread=soon"],
            "--spread: expected a time like",
        ),
        (
            &["import", &capture, "--spread"],
            "--spread: expected starts of which most are multiples of one step",
        ),
        (
            &["import", &capture, "--from-time", "soon"],
            "--from-time: expected a date with a time like 2026-09-01T10:00:05 or seconds of the file's clock, got \"soon\"",
        ),
        (
            &["import", &capture, "--for", "soon"],
            "--for: expected a time like",
        ),
        (
            &["import", &capture, "--from-time", "2030-01-01T00:00:00"],
            "capture.pcap: expected flows with payload, got none; left out: ",
        ),
        (
            &["import", &capture, "--profile", "lossy"],
            "--profile: expected a file of format sonic, got pcap",
        ),
        (
            &["import", &capture, "--queue", "3"],
            "--queue: expected a file of format sonic, got pcap",
        ),
        (
            &["import", "f.txt", "--columns", "src,dst"],
            "--columns: expected src, dst and start, got \"src,dst\"",
        ),
        (
            &["import", "f.txt", "--columns", "src"],
            "--columns: expected pairs like start=ts,size=octets, or",
        ),
        (
            &["import", "f.txt", "--columns", "src,=b"],
            "--columns: expected pairs like start=ts,size=octets,",
        ),
        (
            &["import", &capture, "--columns", "start=ts"],
            "--columns: expected a file of format csv or netflow or hpcc-flows or htsim or cdf, got pcap",
        ),
        (
            &["import", &triggers],
            "incast.cm:7: expected a connection with a start",
        ),
    ] {
        let done = room.run(args).with_status(2);
        assert!(
            done.err.contains(words) && done.err.lines().count() == 1,
            "{args:?}: {}",
            done.err
        );
        assert_eq!(done.out, "");
    }
    assert_eq!(room.names(), ["a.txt", "b.csv", "f.txt"]);
}
