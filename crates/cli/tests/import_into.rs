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
    let scenario = fs::read_to_string(room.path().join("mine/scenario.toml")).unwrap();
    let rate =
        "\"topology.rate\" = \"assumed: the rate of the hosts' links in the network before\"";
    assert!(scenario.contains(rate), "{scenario}");
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
    assert!(scenario.contains("# Left out by `sidestep import`: about classes that the list does not have.\n# [[claim]]\n# id = \"storage\"\n"), "{scenario}");
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
        said.contains(
            "made new/s.toml: fat_tree k = 4, 10 Gbps (assumed), schemes dctcp and dibs, seeds 1..5\n  workload.trace.file = \"trace.flows.csv\"\n  duration = \"1 ms\"\n"
        ) && !said.contains("(it was"),
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
    assert!(
        said.contains("in place of its [topology] and duration"),
        "{said}"
    );
    // Both have links of the same rate.
    let hosts = |file: &str| {
        let said = room.run(&["check", file]).with_status(0).out;
        assert!(said.contains("together carry 160 Gbps"), "{said}");
    };
    hosts("pasted.toml");
    hosts("new/s.toml");
}

#[test]
fn a_folder_means_the_scenario_in_it_and_is_made_if_it_is_missing() {
    let room = Room::new();
    room.file("trace.csv", TRACE);
    for folder in ["a/", "."] {
        let args = ["import", "trace.csv", "--into", folder, "-o", "deep/o/x"];
        let said = room.run(&args).with_status(0).out;
        let scenario = format!("{folder}/scenario.toml").replace("//", "/");
        assert!(
            said.contains(&format!("made {scenario}: fat_tree")),
            "{said}"
        );
        room.run(&["check", folder]).with_status(0);
        fs::remove_dir_all(room.path().join("deep")).unwrap();
    }
    // A folder that exists has a scenario already, which is changed.
    room.file("s.toml", SCENARIO);
    fs::rename(
        room.path().join("s.toml"),
        room.path().join("scenario.toml"),
    )
    .unwrap();
    let said = room
        .run(&["import", "trace.csv", "--into", "."])
        .with_status(0)
        .out;
    assert!(
        said.contains("wrote ./scenario.toml, which uses "),
        "{said}"
    );
    assert!(
        said.contains("  duration = \"1 ms\" (it was 1 s)\n"),
        "{said}"
    );
    // A refused import leaves no folder.
    let config = format!(
        "{}/../import/tests/fixtures/config_db.json",
        env!("CARGO_MANIFEST_DIR")
    );
    let args = [
        "import",
        &config,
        "--queue",
        "0",
        "--into",
        "none/s.toml",
        "-o",
        "other/x",
    ];
    room.run(&args).with_status(2);
    assert!(!room.path().join("none").exists() && !room.path().join("other").exists());
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
    for line in [
        "  switch.memory = \"3995680 B\"\n",
        "  switch.buffer = { mark_at = \"250000 B\" }\n",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
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
            "expected a scenario without `extends`, got extends = \"base.toml\": paste these lines into it:",
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
    // A list that exists already, a switch without flows.
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

/// Returns the text of the scenario in the room.
fn scenario(room: &Room) -> String {
    fs::read_to_string(room.path().join("s.toml")).unwrap()
}

/// Imports `trace` into a scenario, which is refused and stays as it is. Returns the message.
fn refused(text: &str, trace: &str) -> String {
    let room = Room::new();
    let done = into(&room, text, trace).with_status(2);
    assert_eq!(scenario(&room), text);
    assert_eq!(room.names(), ["s.toml", "trace.csv"]);
    done.err
}

const LEAF_SPINE: &str = "\
duration = \"1 s\"
schemes = [\"dctcp\"]
title = \"storage at night\"

[topology]
kind = \"leaf_spine\"
leaves = 2
spines = 2
hosts_per_leaf = 4
host_rate = \"25 Gbps\"

[workload.day]
kind = \"flow_list\"
file = \"gone.csv\"
";

const LAST_OF_8: &str = "start_us,src,dst,size\n5,h0,h7,1000\n";
const LAST_OF_17: &str = "start_us,src,dst,size\n5,h0,h16,1000\n";

#[test]
fn a_network_is_replaced_only_if_it_is_known_to_be_too_small() {
    // A mistake in the network is the user's to mend, whether or not the hosts would suffice.
    let typo = LEAF_SPINE.replace("leaves", "leafs");
    for (text, trace, words) in [
        (&typo, LAST_OF_8, "s.toml:7:1: unknown key \"leafs\""),
        (&typo, LAST_OF_17, "s.toml:7:1: unknown key \"leafs\""),
        (
            &LEAF_SPINE.replace("leaf_spine", "leaf"),
            LAST_OF_8,
            "s.toml:6:8: ",
        ),
    ] {
        let said = refused(text, trace);
        assert!(said.contains(words), "{words}: {said}");
    }
    // The old list is missing, and with it the whole scenario cannot be read: the network can.
    let room = Room::new();
    into(&room, LEAF_SPINE, LAST_OF_8).with_status(0);
    let expected = LEAF_SPINE
        .replace("\"1 s\"", "\"1 ms\"")
        .replace("gone.csv", "trace.flows.csv");
    assert_eq!(scenario(&room), expected);
    let room = Room::new();
    into(&room, LEAF_SPINE, LAST_OF_17).with_status(0);
    let larger = "[topology]\nkind = \"fat_tree\"\nk = 6\nrate = \"25 Gbps\"\n\n[workload.day]\n";
    assert!(scenario(&room).contains(larger), "{}", scenario(&room));
}

#[test]
fn the_source_of_a_larger_network_names_the_key_that_was_set() {
    let switch = "[topology]\nkind = \"single_switch\"\nhosts = 8\nrate = \"40 Gbps\"\n";
    let start = LEAF_SPINE.find("[topology]").unwrap();
    let end = LEAF_SPINE.find("\n[workload.day]").unwrap();
    let mut text = LEAF_SPINE.to_string();
    text.replace_range(start..end, switch);
    let sourced = format!("{text}\n[source]\n\"topology.rate\" = \"ours\"\n");
    let room = Room::new();
    into(&room, &sourced, LAST_OF_17).with_status(0);
    let text = scenario(&room);
    assert!(
        text.contains(&switch.replace("hosts = 8", "hosts = 17")),
        "{text}"
    );
    assert!(
        text.contains("\"topology.hosts\" = \"the list, which has as many hosts\"\n"),
        "{text}"
    );
    room.run(&["check", "s.toml"]).with_status(0);
    // An error that remains with the larger network is said too.
    let said = refused(&sourced.replace("\"dctcp\"", "\"dctpc\""), LAST_OF_17);
    let (_, second) = said
        .split_once("with a network for the 17 hosts of the list:\n")
        .unwrap();
    assert!(second.contains("s.toml:2:12: "), "{said}");
}

#[test]
fn writing_a_scenario_overwrites_no_other_file() {
    let room = Room::new();
    room.file("s.toml.part", "mine");
    into(&room, SCENARIO, TRACE).with_status(0);
    let kept = fs::read_to_string(room.path().join("s.toml.part")).unwrap();
    assert_eq!(kept, "mine");
    let names = ["s.toml", "s.toml.part", "trace.csv", "trace.flows.csv"];
    assert_eq!(room.names(), names);
}

#[test]
fn only_claims_and_plots_of_classes_that_the_list_lost_become_comments() {
    let claim = |class: &str, compare: &str| {
        format!(
            "\n[[claim]]\nid = \"{class}\"\nsays = \"less\"\nmetric = \"fct_p99_ms:{class}\"\n\
             compare = \"{compare}\"\npaper = \"no number\"\naccept = \"..0.5\"\n\
             tolerance = \"assumed\"\ngap = \"none\"\n"
        )
    };
    let plot = "\n[[plot]]\nkind = \"cdf\"\nof = \"fct_ms:backup\"\n";
    let text = format!(
        "{}{}{}{plot}",
        LEAF_SPINE.replace("\"dctcp\"", "\"dctcp\", \"dibs\""),
        claim("backup", "dibs / dctcp"),
        claim("web", "dibs / dctcp"),
    );
    let old = "start_us,src,dst,size,class\n0,h0,h1,1000,backup\n0,h0,h1,1000,web\n";
    let import = |text: &str| {
        let room = Room::new();
        room.file(
            "gone.csv",
            &old.replace("start_us", "start")
                .replace("\n0,", "\n0 us,")
                .replace("1000", "1000 B"),
        );
        let done = into(&room, text, TRACE);
        (done, scenario(&room))
    };
    let (done, after) = import(&text);
    let said = done.with_status(0).out;
    for part in ["claim", "plot"] {
        let line =
            format!("  [[{part}]]: 1 of classes that the list does not have became comments\n");
        assert!(said.contains(&line), "{said}");
    }
    assert!(
        after.contains("# metric = \"fct_p99_ms:backup\""),
        "{after}"
    );
    assert!(after.contains("\nmetric = \"fct_p99_ms:web\""), "{after}");
    assert!(after.contains("# of = \"fct_ms:backup\""), "{after}");
    // A misspelled class, scheme or metric is the user's to mend.
    for (from, to, words) in [
        (
            "fct_p99_ms:web",
            "fct_p99_ms:wbe",
            "no class is called \"wbe\"",
        ),
        (
            "fct_ms:backup",
            "fct_ms:bakcup",
            "no class is called \"bakcup\"",
        ),
        ("id = \"web\"", "idd = \"web\"", "idd"),
        ("fct_p99_ms:web", "fct_p98_ms:web", "fct_p98_ms"),
        (
            "\"dibs / dctcp\"",
            "\"dibs / dtcp\"",
            "scheme \"dtcp\" is not in schemes",
        ),
    ] {
        let text = text.replace(from, to);
        let (done, after) = import(&text);
        let said = done.with_status(2).err;
        assert!(said.contains(words), "{words}: {said}");
        assert!(!said.contains("\"backup\""), "{words}: {said}");
        assert_eq!(after, text);
    }
}

#[test]
fn a_title_of_the_users_own_stays_even_if_the_example_has_its_words() {
    let room = Room::new();
    let titled = format!("title = \"storage\"\n{SCENARIO}");
    into(&room, &titled, TRACE).with_status(0);
    assert!(scenario(&room).starts_with("title = \"storage\"\n"));
}

#[test]
fn folders_that_were_made_for_a_refused_import_are_removed() {
    let config = format!(
        "{}/../import/tests/fixtures/config_db.json",
        env!("CARGO_MANIFEST_DIR")
    );
    let room = Room::new();
    fs::create_dir(room.path().join("kept")).unwrap();
    for target in ["a/b/c/s.toml", "kept/b/c/s.toml"] {
        let args = ["import", &config, "--queue", "0", "--into", target];
        let said = room.run(&args).with_status(2).err;
        assert!(said.contains("got none"), "{said}");
        assert_eq!(room.names(), ["kept"], "{target}");
        let kept = fs::read_dir(room.path().join("kept")).unwrap();
        assert_eq!(kept.count(), 0, "{target}");
    }
    // A file is no folder: the scenario is not just missing.
    room.file("trace.csv", TRACE);
    let args = [
        "import",
        "trace.csv",
        "-o",
        "x",
        "--into",
        "trace.csv/s.toml",
    ];
    let said = room.run(&args).with_status(2).err;
    assert!(
        said.contains("--into trace.csv/s.toml: Not a directory"),
        "{said}"
    );
    assert_eq!(room.names(), ["kept", "trace.csv"]);
}
