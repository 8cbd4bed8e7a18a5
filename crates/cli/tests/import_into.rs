//! Tests of `sidestep import --into`: the commands of the README answer about a reader's own trace, and a scenario
//! that cannot be connected stays as it is.

use crate::common;

use common::{Done, Room};
use serde_json::Value;
use std::fs;

const README: &str = include_str!("../../../README.md");

/// Returns the arguments of the commands below "Your own traffic".
fn readme_commands() -> Vec<Vec<&'static str>> {
    let part = README.split("\n## Your own traffic\n").nth(1).unwrap();
    let block = part.split("```").nth(1).unwrap();
    let lines = block
        .lines()
        .filter_map(|line| line.strip_prefix("sidestep "));
    let words = |line: &'static str| {
        line.split(" #")
            .next()
            .unwrap()
            .split_whitespace()
            .collect()
    };
    lines.map(words).collect()
}

/// Does what the README says with a trace called `name`; returns the outputs, one for each command.
fn follow_readme(room: &Room, name: &str) -> Vec<String> {
    let commands = readme_commands();
    let first: Vec<&str> = commands.iter().map(|words| words[0]).collect();
    assert_eq!(first, ["init", "import", "check", "run"]);
    let run = |words: &Vec<&str>| {
        let words: Vec<&str> = (words.iter())
            .map(|word| if *word == "flows.csv" { name } else { word })
            .collect();
        room.run(&words).with_status(0).out
    };
    commands.iter().map(run).collect()
}

/// Returns the classes of a scheme's result, with the number of their flows over all seeds.
fn classes(room: &Room, scheme: &str) -> Vec<(String, u64)> {
    let text = fs::read_to_string(room.path().join("mine/results/summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&text).unwrap();
    let all = summary["schemes"][scheme]["classes"].as_object().unwrap();
    let one = |(name, of): (&String, &Value)| (name.clone(), of["fct_ms"]["n"].as_u64().unwrap());
    all.iter().map(one).filter(|(_, many)| *many > 0).collect()
}

/// A trace of two racks of seven nodes: 13 backups to one node at once, and 11 requests. The first rows name the
/// last nodes.
fn two_racks() -> String {
    let node = |i: usize| format!("rack{}-node{:02}", 1 + i / 7, 1 + i % 7);
    let mut text = String::from("timestamp,src,dst,bytes,app,pid\n");
    for i in (1..14).rev() {
        text.push_str(&format!(
            "1763712000.0010{i:02},{},{},65536,backup,{i}\n",
            node(i),
            node(0)
        ));
    }
    for i in 0..11 {
        text.push_str(&format!(
            "1763712000.00{},{},{},2000,rpc,7\n",
            11 + i,
            node(i),
            node(i + 2)
        ));
    }
    text
}

#[test]
fn the_commands_of_the_readme_answer_about_the_readers_list() {
    let room = Room::new();
    room.file("flows.csv", &two_racks());
    let said = follow_readme(&room, "flows.csv");
    // 14 hosts do not fit into the twelve of the example: the smallest fat-tree does, at the rate it had.
    for line in [
        "kept               24  flows",
        "rack1-node01 is h0, rack1-node02 is h1, rack1-node03 is h2, …, rack2-node07 is h13",
        "wrote mine/flows.hosts.csv: ",
        "  workload.trace.file = \"flows.flows.csv\" (it was flows.csv)",
        "  duration = \"1.1 ms\" (it was 20 ms)",
        "  topology.kind = \"fat_tree\" (it was custom)",
        "  topology.k = 4",
        "  topology.rate = \"10 Gbps\"",
        "  [[claim]]: 3 of classes that the list does not have became comments",
    ] {
        assert!(said[1].contains(line), "{line}\n{}", said[1]);
    }
    assert!(
        said[2].contains("24 flows of flows.csv between 14 hosts\n16 hosts, "),
        "{}",
        said[2]
    );
    assert!(said[2].contains("24 flows from the list"), "{}", said[2]);
    assert!(
        said[3].contains("flows of trace/backup, p99, ms"),
        "{}",
        said[3]
    );
    let expected = [
        ("trace/backup".to_string(), 130),
        ("trace/rpc".to_string(), 110),
    ];
    for scheme in ["dctcp", "mine"] {
        assert_eq!(classes(&room, scheme), expected, "{scheme}");
    }
    let page = fs::read_to_string(room.path().join("mine/results/report.html")).unwrap();
    assert!(page.contains("trace/backup") && !page.contains("trace/storage"));
    // The comments of the scenario are kept.
    let scenario = fs::read_to_string(room.path().join("mine/scenario.toml")).unwrap();
    let comments = |text: &str| {
        text.lines()
            .filter(|line| line.starts_with("# ") && !line.contains('='))
            .map(str::to_string)
            .collect::<Vec<_>>()
    };
    let before = include_str!("../src/init/scenario.toml");
    for comment in comments(before) {
        assert!(scenario.contains(&comment), "{comment}");
    }
    assert!(scenario.contains("# Not about this list: claims of classes that it does not have.\n# [[claim]]\n# id = \"storage\"\n"), "{scenario}");
    // The flows of h0, the first node by name, are those of the backup's target.
    let list = fs::read_to_string(room.path().join("mine/flows.flows.csv")).unwrap();
    assert_eq!(list.matches(",h0,65536 B,backup").count(), 13, "{list}");
}

/// A TCP segment over IPv4 and Ethernet, as a record of a capture.
fn segment(us: u32, ends: [(u8, u16); 2], seq: u32, flags: u8, payload: usize) -> Vec<u8> {
    let [(src, sport), (dst, dport)] = ends;
    let mut frame = vec![2, 0, 0, 0, 0, dst, 2, 0, 0, 0, 0, src, 8, 0];
    let length = 40 + payload as u16;
    frame.extend([0x45, 0]);
    frame.extend(length.to_be_bytes());
    frame.extend([0, 0, 0x40, 0, 64, 6, 0, 0, 10, 0, 0, src, 10, 0, 0, dst]);
    frame.extend(sport.to_be_bytes());
    frame.extend(dport.to_be_bytes());
    frame.extend(seq.to_be_bytes());
    frame.extend([0; 4]);
    frame.extend([0x50, flags, 0xff, 0xff, 0, 0, 0, 0]);
    frame.resize(frame.len() + payload, 7);
    let bytes = (frame.len() as u32).to_le_bytes();
    let mut record = Vec::new();
    record.extend(1_763_712_000u32.to_le_bytes());
    record.extend(us.to_le_bytes());
    record.extend(bytes);
    record.extend(bytes);
    record.extend(frame);
    record
}

/// A capture of two connections to 10.0.0.2: 3,000 bytes of 10.0.0.10 with an answer of 500, then 2,000 of 10.0.0.3.
fn capture() -> Vec<u8> {
    const SYN: u8 = 2;
    const ACK: u8 = 16;
    const FIN: u8 = 17;
    let mut all = vec![0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0];
    all.extend([0; 8]);
    all.extend([0, 0, 4, 0, 1, 0, 0, 0]);
    let (one, two, server) = ((10, 40_000), (3, 40_001), (2, 443));
    for (us, ends, seq, flags, payload) in [
        (0, [one, server], 0, SYN, 0),
        (10, [server, one], 0, SYN | ACK, 0),
        (100, [one, server], 1, ACK, 1460),
        (101, [one, server], 1461, ACK, 1460),
        (102, [one, server], 2921, ACK, 80),
        (300, [server, one], 1, ACK, 500),
        (400, [one, server], 3001, FIN, 0),
        (500, [two, server], 0, SYN, 0),
        (510, [server, two], 0, SYN | ACK, 0),
        (600, [two, server], 1, ACK, 1000),
        (700, [two, server], 1001, ACK, 1000),
        (800, [two, server], 2001, FIN, 0),
    ] {
        all.extend(segment(us, ends, seq, flags, payload));
    }
    all
}

#[test]
fn the_commands_of_the_readme_answer_about_the_readers_capture() {
    let room = Room::new();
    fs::write(room.path().join("capture.pcap"), capture()).unwrap();
    let said = follow_readme(&room, "capture.pcap");
    // Three hosts fit into the twelve of the example, whose network is kept.
    assert!(
        said[1].contains("10.0.0.2 is h0, 10.0.0.3 is h1, 10.0.0.10 is h2\n"),
        "{}",
        said[1]
    );
    assert!(!said[1].contains("topology.kind"), "{}", said[1]);
    assert!(
        said[2].contains("3 flows of capture.pcap between 3 hosts\n12 hosts, "),
        "{}",
        said[2]
    );
    assert_eq!(classes(&room, "dctcp"), [("trace".to_string(), 30)]);
    let list = fs::read_to_string(room.path().join("mine/capture.flows.csv")).unwrap();
    let rows: Vec<&str> = list.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(
        rows[1..],
        ["0,h2,h0,3000 B", "200,h0,h2,500 B", "500,h1,h0,2000 B"]
    );
}

const TRACE: &str = "start_us,src,dst,size,app\n0,h0,h1,1000,web\n500,h3,h2,2000,web\n";

const SCENARIO: &str = "\
duration = \"1 s\" # a second
schemes = [\"dctcp\"]

# sixteen hosts
[topology]
kind = \"fat_tree\"
k = 4 # the smallest

# the traffic
[workload.day]
kind = \"flow_list\" # from a file
file = \"old.csv\"
mss = \"1460 B\"

[switch]
buffer = { mark_at = \"20 pkt\" } # in packets
";

/// Imports `trace` into a scenario with this text.
fn into(room: &Room, scenario: &str, trace: &str) -> Done {
    room.file("trace.csv", trace);
    room.file("s.toml", scenario);
    room.run(&["import", "trace.csv", "--into", "s.toml"])
}

#[test]
fn a_scenario_is_changed_where_it_must_be_and_nowhere_else() {
    let room = Room::new();
    into(&room, SCENARIO, TRACE).with_status(0);
    let expected = SCENARIO
        .replace("\"1 s\"", "\"1 ms\"")
        .replace("old.csv", "trace.flows.csv");
    let expected = expected.replacen(
        "schemes = [\"dctcp\"]\n",
        "schemes = [\"dctcp\"]\ntitle = \"2 flows of trace.csv between 4 hosts\"\n",
        1,
    );
    assert_eq!(
        fs::read_to_string(room.path().join("s.toml")).unwrap(),
        expected
    );
    assert_eq!(room.names(), ["s.toml", "trace.csv", "trace.flows.csv"]);
    room.run(&["check", "s.toml"]).with_status(0);
    // A title of the user's own stays; more hosts need a larger k; inline tables and sources are changed too.
    let room = Room::new();
    let own = SCENARIO.replace(
        "[topology]\nkind = \"fat_tree\"\nk = 4 # the smallest\n",
        "topology = { kind = \"fat_tree\", k = 4, rate = \"40 Gbps\" } # here\n",
    );
    let own = format!(
        "title = \"storage at night\"\n{own}\n[source]\n\"topology.k\" = \"assumed: four\"\n\"topology.rate\" = \"ours\"\n"
    );
    let own = own.replacen(
        "# sixteen hosts\ntopology = { kind = \"fat_tree\", k = 4, rate = \"40 Gbps\" } # here\n",
        "",
        1,
    );
    let own =
        format!("topology = {{ kind = \"fat_tree\", k = 4, rate = \"40 Gbps\" }} # here\n{own}");
    into(&room, &own, "start_us,src,dst,size\n5,h0,h16,1\n").with_status(0);
    let text = fs::read_to_string(room.path().join("s.toml")).unwrap();
    assert!(text.starts_with("topology = { kind = \"fat_tree\", k = 6, rate = \"40 Gbps\" } # here\ntitle = \"storage at night\"\n"), "{text}");
    assert!(
        text.contains(
            "\"topology.k\" = \"assumed: the smallest fat-tree with the hosts of the list\"\n"
        ),
        "{text}"
    );
    room.run(&["check", "s.toml"]).with_status(0);
}

#[test]
fn a_scenario_that_does_not_exist_is_made_and_runs() {
    let room = Room::new();
    room.file("trace.csv", TRACE);
    let said = room
        .run(&["import", "trace.csv", "--into", "new/s.toml"])
        .with_status(0)
        .out;
    assert!(
        said.contains("wrote new/s.toml, which reads it:\n"),
        "{said}"
    );
    assert!(said.ends_with("next\n  sidestep check new/s.toml --brief\n  sidestep run new/s.toml --out new/results\n"), "{said}");
    room.run(&["run", "new/s.toml", "--seeds", "1", "--out", "r"])
        .with_status(0);
    // Without --into the command prints what to paste.
    let said = room
        .run(&["import", "trace.csv", "-o", "other"])
        .with_status(0)
        .out;
    let block = said.split("SCENARIO.toml:\n\n").nth(1).unwrap();
    room.file("pasted.toml", &format!("schemes = [\"dctcp\"]\n{block}"));
    assert!(
        block.contains("duration = \"1 ms\"\n\n[topology] # with 4 hosts or more\n"),
        "{block}"
    );
    room.run(&["check", "pasted.toml"]).with_status(0);
}

#[test]
fn a_network_and_a_switch_are_connected_too() {
    let room = Room::new();
    let fixture = |name: &str| {
        format!(
            "{}/../import/tests/fixtures/{name}",
            env!("CARGO_MANIFEST_DIR")
        )
    };
    let run = |args: &[&str]| room.run(args).with_status(0).out;
    run(&[
        "import",
        &fixture("flow.txt"),
        "--topology",
        &fixture("topology.txt"),
        "--into",
        "s.toml",
    ]);
    let said = run(&["import", &fixture("topology.txt"), "--into", "s.toml"]);
    assert!(
        said.contains("  topology.kind = \"custom\" (it was fat_tree)\n"),
        "{said}"
    );
    assert!(said.contains("  topology.k is removed\n"), "{said}");
    let said = run(&[
        "import",
        &fixture("config_db.json"),
        "--queue",
        "3",
        "--into",
        "s.toml",
    ]);
    assert!(said.contains("  switch.memory = \"3995680 B\"\n"), "{said}");
    let said = run(&["check", "s.toml"]);
    assert!(!said.contains("has no effect"), "{said}");
    for value in ["topology.topology.csv", "3.99568 MB", "250 kB"] {
        assert!(said.contains(value), "{value}: {said}");
    }
    run(&["run", "s.toml", "--seeds", "1", "--out", "r"]);
}

#[test]
fn imported_sizes_are_drawn_by_the_only_workload_that_draws_sizes() {
    let room = Room::new();
    room.file(
        "s.toml",
        "duration = \"10 ms\" # short\nschemes = [\"dibs\"]\n[topology]\nkind = \"fat_tree\"\nk = 4\n[workload.bg]\nkind = \"background\"\nload = \"5 %\"\n",
    );
    room.file("cdf.txt", "1000 50\n30000 100\n");
    let into = ["import", "cdf.txt", "--into", "s.toml"];
    let said = room.run(&into).with_status(0).out;
    assert!(
        said.contains("  workload.bg.cdf = \"cdf.sizes.csv\"\n"),
        "{said}"
    );
    let text = fs::read_to_string(room.path().join("s.toml")).unwrap();
    assert!(
        text.contains("\"10 ms\" # short") && text.contains("cdf = \"cdf.sizes.csv\""),
        "{text}"
    );
    room.run(&["check", "s.toml"]).with_status(0);
    // Without such a workload, or with two, nothing is changed.
    for more in [
        "",
        "[workload.a]\nkind = \"background\"\n[workload.b]\nkind = \"background\"\n",
    ] {
        let text = format!(
            "duration = \"10 ms\"\nschemes = [\"dibs\"]\n[topology]\nkind = \"fat_tree\"\nk = 4\n{more}"
        );
        room.file("t.toml", &text);
        let refused = room.run(&["import", "cdf.txt", "-o", "x", "--into", "t.toml"]);
        let said = refused.with_status(2).err;
        assert!(
            said.contains("expected one workload that draws sizes, got"),
            "{said}"
        );
        assert_eq!(
            fs::read_to_string(room.path().join("t.toml")).unwrap(),
            text
        );
        assert!(!room.path().join("x.sizes.csv").exists());
    }
}

#[test]
fn a_scenario_that_cannot_be_connected_stays_as_it_is_with_a_reason() {
    let lists = format!("{SCENARIO}\n[workload.night]\nkind = \"flow_list\"\nfile = \"b.csv\"\n");
    let query = SCENARIO.replace(
        "[workload.day]\nkind = \"flow_list\" # from a file\nfile = \"old.csv\"\nmss = \"1460 B\"",
        "[workload.query]\nkind = \"query\"\nrate = \"100 /s\"\ndegree = 4\nsize = \"20 kB\"",
    );
    let parts = format!("{SCENARIO}[switch.at.spine]\ncapacity = \"9 pkt\"\n");
    for (scenario, words) in [
        (
            lists.as_str(),
            "expected one workload of kind \"flow_list\" to read the list, got workload.day, workload.night",
        ),
        (
            &query,
            "expected a workload of kind \"flow_list\" to read the list, got workload.query, whose traffic would be added to it",
        ),
        (
            "extends = \"base.toml\"\n",
            "expected a scenario of its own, got one that extends \"base.toml\"; paste this instead:",
        ),
        (&SCENARIO.replace("k = 4", "k = "), "s.toml:7: "),
        (
            &SCENARIO.replace("schemes = [\"dctcp\"]", "schemes = [\"dctpc\"]"),
            "s.toml:2:12: ",
        ),
        (
            &SCENARIO.replace(
                "[workload.day]\n",
                "[workload]\nday.mss = \"1400 B\"\n[workload.day]\n",
            ),
            "s.toml:",
        ),
        (&parts, "s.toml:18:12: switch.at.spine"),
    ] {
        let room = Room::new();
        let done = into(&room, scenario, TRACE).with_status(2);
        assert!(done.err.contains(words), "{words}: {}", done.err);
        assert!(
            done.err.ends_with("sidestep: nothing was written\n"),
            "{}",
            done.err
        );
        assert_eq!(done.out, "");
        assert_eq!(room.names(), ["s.toml", "trace.csv"], "{words}");
        assert_eq!(
            fs::read_to_string(room.path().join("s.toml")).unwrap(),
            scenario
        );
    }
    // A list that exists already, a folder in the place of the scenario, a switch without flows.
    let room = Room::new();
    room.file("trace.flows.csv", "mine");
    let done = into(&room, SCENARIO, TRACE).with_status(2);
    assert!(
        done.err
            .contains("trace.flows.csv already exists: choose another --out"),
        "{}",
        done.err
    );
    assert_eq!(
        fs::read_to_string(room.path().join("s.toml")).unwrap(),
        SCENARIO
    );
    let done = room
        .run(&["import", "trace.csv", "--into", ".", "-o", "x"])
        .with_status(2);
    assert!(done.err.contains("--into .: "), "{}", done.err);
    let config = format!(
        "{}/../import/tests/fixtures/config_db.json",
        env!("CARGO_MANIFEST_DIR")
    );
    let done = room
        .run(&["import", &config, "--queue", "0", "--into", "none/s.toml"])
        .with_status(2);
    assert!(
        done.err
            .contains("expected a scenario at none/s.toml, got none: a scenario begins with flows"),
        "{}",
        done.err
    );
    assert_eq!(room.names(), ["s.toml", "trace.csv", "trace.flows.csv"]);
}
