//! Tests of `sidestep why`, and of the messages of `show` if it finds nothing.

use crate::common;

use common::{Done, Room};
use serde_json::Value;
use std::path::Path;

/// Compares with a file of `tests/golden`; `UPDATE_GOLDEN=1` writes it.
fn golden(name: &str, got: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, got).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(got, known, "{name}: UPDATE_GOLDEN=1 writes it");
}

/// Burst that overflows, under two schemes.
const BURST: &str = "duration = \"1 ms\"\ndrain = \"400 ms\"\nseeds = 3\nprofile = \"none\"\nschemes = [\"dctcp\", \"dibs\"]\n\
    [topology]\nkind = \"fat_tree\"\nk = 4\n[switch]\ncapacity = \"20 pkt\"\n\
    [workload.query]\nkind = \"incast\"\ndegree = 15\nsize = \"20 kB\"\n";

fn recorded() -> Room {
    let room = Room::new();
    room.file("burst.toml", BURST);
    let run = [
        "run",
        "burst.toml",
        "--out",
        "r",
        "--trace-packets",
        "detours>=2",
    ];
    room.run(&run).with_status(0);
    room
}

fn json(done: &Done) -> Value {
    serde_json::from_str(&done.out).unwrap_or_else(|e| panic!("{e}: {done:?}"))
}

/// Returns the first packet of a list that satisfies `wanted`.
fn first(room: &Room, args: &[&str], wanted: impl Fn(&Value) -> bool) -> String {
    let all = [&["why", "r", "--json"], args].concat();
    let list = json(&room.run(&all).with_status(0));
    let packets = list["packets"].as_array().unwrap();
    let found = packets
        .iter()
        .find(|packet| wanted(packet))
        .expect("there is one");
    found["id"].as_str().unwrap().to_string()
}

const DIBS: [&str; 2] = ["--scheme", "dibs"];
const DCTCP: [&str; 2] = ["--scheme", "dctcp"];

#[test]
fn each_decision_is_a_sentence_with_the_numbers_that_made_it() {
    let room = recorded();
    let why = |which: [&str; 2], id: &str| {
        room.run(&["why", "r", which[0], which[1], "--packet", id])
            .with_status(0)
            .out
    };
    let detoured = first(&room, &[&DIBS[..], &["--detoured"]].concat(), |p| {
        p["kind"] == "data"
    });
    golden("why-detoured.txt", &why(DIBS, &detoured));
    let dropped = first(&room, &[&DCTCP[..], &["--dropped"]].concat(), |p| {
        p["kind"] == "data"
    });
    golden("why-dropped.txt", &why(DCTCP, &dropped));
    let lists = room
        .run(&["why", "r", "--scheme", "dctcp", "--flow", "3"])
        .with_status(0);
    golden("why-flow.txt", &lists.out);
    let flow =
        json(&room.run(&["why", "r", "--scheme", "dctcp", "--dropped", "--json"]))["packets"][0]
            .clone();
    let again = first(
        &room,
        &["--scheme", "dctcp", "--flow", &flow["flow"].to_string()],
        |p| p["seq"] == flow["seq"] && p["kind"] == "data" && p["id"] != flow["id"],
    );
    golden("why-again.txt", &why(DCTCP, &again));
    let told = json(&room.run(&[
        "why", "r", "--scheme", "dibs", "--packet", &detoured, "--json",
    ]));
    assert_eq!(
        (&told["run"]["same"], &told["scheme"]),
        (&Value::Bool(true), &"dibs".into())
    );
    let steps = told["steps"].as_array().unwrap();
    let detour = steps
        .iter()
        .find(|step| step["event"] == "detoured")
        .expect("it was");
    assert_eq!(
        (&detour["fits"], &detour["queue_packets"]),
        (&Value::Bool(false), &20.into())
    );
    assert_eq!(detour["buffer"]["name"], "dibs");
}

/// Hosts that mark, before queues by class: the packet's class, the packets that wait in its queue, and the
/// limit it met.
#[test]
fn a_packet_says_its_service_and_the_queue_of_its_class_with_its_limit_and_flows() {
    let room = Room::new();
    room.file(
        "burst.toml",
        &BURST.replace("[\"dctcp\", \"dibs\"]", "[\"mulbuff\"]"),
    );
    let sets = "switch.capacity=100 kB";
    let run = ["run", "burst.toml", "--out", "r", "--set", sets];
    room.run(&run).with_status(0);
    let dropped = first(&room, &["--dropped"], |p| p["kind"] == "data");
    let args = ["why", "r", "--packet", &dropped];
    let text = room.run(&args).with_status(0).out;
    for words in [
        "of service 0",
        "Class: its service 0 maps to class 0",
        "flows are counted",
    ] {
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(words), "{words}: {text}");
    }
    let told = json(&room.run(&[&args[..], &["--json"]].concat()));
    let steps = told["steps"].as_array().unwrap();
    assert_eq!(steps[0]["service"], 0);
    let last = steps.last().unwrap();
    assert_eq!(last["event"], "dropped");
    let class = &last["class"];
    assert_eq!((&class["service"], &class["class"]), (&0.into(), &0.into()));
    let [waits, flows] = ["queue_packets", "flows"].map(|key| class[key].as_u64().unwrap());
    assert!(flows > 0 && waits >= 3 * flows, "{class}");
}

#[test]
fn a_packet_that_is_not_there_is_refused_with_the_cause() {
    let room = recorded();
    let cases: &[&[&str]] = &[
        &["why", "r"],
        &["why", "r", "--packet", "5:0"],
        &["why", "r", "--packet", "five", "--scheme", "dibs"],
        &["why", "r", "--packet", "16:0", "--scheme", "dibs"],
        &["why", "r", "--packet", "5:4000", "--scheme", "dibs"],
        &["why", "r", "--packet", "5:0", "--scheme", "dips"],
        &[
            "why", "r", "--packet", "5:0", "--scheme", "dibs", "--seed", "4",
        ],
        &["why", "r", "--flow", "15", "--scheme", "dibs"],
        &["why", "r", "--detoured", "--scheme", "dctcp"],
        &["why", "nothing", "--packet", "5:0"],
        &["show", "r", "--packet", "5:4000"],
        &["show", "r", "--flow", "99"],
        &["show", "r", "--flow", "3", "--scheme", "dctcp"],
        &["show", "r", "--packets", "--scheme", "dips"],
        &["show", "r", "--packets", "--seed", "9"],
    ];
    let mut said = String::new();
    for args in cases {
        let done = room.run(args).with_status(2);
        assert_eq!(done.out, "");
        said.push_str(&format!("{}\n{}\n", args.join(" "), done.err));
    }
    golden("why-refused.txt", &said);
}

/// A run whose scenario was changed afterwards is explained, and reported to be another run.
#[test]
fn a_run_that_is_another_one_is_said_to_be() {
    let room = recorded();
    let path = room.path().join("r/scenario.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("\"20 pkt\"", "\"21 pkt\"")).unwrap();
    let done = room
        .run(&["why", "r", "--scheme", "dibs", "--packet", "5:0"])
        .with_status(1);
    let says = "The repeated run differs from the recorded one: its trajectory hash is";
    assert!(done.out.contains(says), "{}", done.out);
}

/// NICs that hold and mark little, before switches with large queues.
#[test]
fn what_a_nic_decides_is_a_sentence_too() {
    let room = Room::new();
    let nics = "[host]\ncapacity = \"6 pkt\"\nbuffer = { kind = \"ecn\", mark_at = \"3 pkt\" }\n";
    let burst = BURST.replace("\"20 pkt\"", "\"200 pkt\"");
    room.file("burst.toml", &format!("{burst}{nics}"));
    room.run(&["run", "burst.toml", "--out", "r"])
        .with_status(0);
    let args = [&DCTCP[..], &["--dropped"]].concat();
    let dropped = first(&room, &args, |p| p["kind"] == "data");
    let (host, number) = dropped.split_once(':').unwrap();
    let before: u64 = number.parse::<u64>().unwrap() - 1;
    let mut said = String::new();
    for id in [format!("{host}:{before}"), dropped.clone()] {
        let ask = ["why", "r", "--scheme", "dctcp", "--packet", &id];
        said.push_str(&room.run(&ask).with_status(0).out);
    }
    golden("why-nic.txt", &said);
}

/// A run from the cache is recorded as such, and compared as well.
#[test]
fn a_run_from_the_cache_is_compared() {
    let room = Room::new();
    room.file("burst.toml", BURST);
    for out in ["r", "s"] {
        room.run(&["run", "burst.toml", "--out", out])
            .with_status(0);
    }
    let path = room.path().join("s/manifest.json");
    let manifest = std::fs::read_to_string(&path).unwrap();
    let runs: Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(runs["runs"][1]["status"], "complete, from the cache");
    let ask = ["why", "s", "--scheme", "dibs", "--packet", "5:0"];
    let done = room.run(&ask).with_status(0);
    let says = " that s records.";
    assert!(done.out.contains(says), "{}", done.out);
    let hash = runs["runs"][1]["trajectory_hash"].as_str().unwrap();
    std::fs::write(&path, manifest.replace(hash, "0123456789abcdef")).unwrap();
    let done = room.run(&ask).with_status(1);
    let says = "The repeated run differs from the recorded one";
    assert!(done.out.contains(says), "{}", done.out);
}

#[test]
fn the_columns_that_the_help_of_vectors_cuts_are_those_of_the_answer() {
    let room = Room::new();
    let help = room.run(&["vectors", "--help"]).with_status(0).out;
    let cut = help
        .lines()
        .find(|line| line.contains("cut -d, -f"))
        .expect("an example");
    let numbers = cut.split("-f").last().unwrap().split(',');
    let numbers: Vec<usize> = numbers.map(|n| n.trim().parse().unwrap()).collect();
    let rows = room
        .run(&["vectors", "dibs-flow", "--count", "1"])
        .with_status(0)
        .out;
    let header: Vec<&str> = rows.lines().next().unwrap().split(',').collect();
    let named: Vec<&str> = numbers.iter().map(|n| header[n - 1]).collect();
    assert_eq!(named, ["settings", "want_port", "verdict", "port", "mark"]);
}

/// Control codes that a terminal obeys, in a title, a class, a switch's name and a path.
#[test]
fn what_a_user_wrote_gives_a_terminal_no_orders() {
    let room = Room::new();
    room.file(
        "flows.csv",
        "start,src,dst,size,class\n0 us,0,1,20 kB,\u{1b}[31mred\n",
    );
    room.file(
        "bad.csv",
        "start,src,dst,size,\u{1b}[31m\n0 us,0,1,20 kB,x\n",
    );
    room.file(
        "net.csv",
        "a,b,rate,delay\nh0,\u{1b}[2Jsw,1 Gbps,1 us\nh1,\u{1b}[2Jsw,1 Gbps,1 us\n",
    );
    let scenario = |file: &str| {
        format!(
            "title = \"\\u001b]0;owned\\u0007 title\"\nduration = \"1 ms\"\nschemes = [\"dctcp\"]\n[topology]\n\
             kind = \"custom\"\nfile = \"net.csv\"\n[workload.mine]\nkind = \"flow_list\"\nfile = \"{file}\"\n"
        )
    };
    room.file("good.toml", &scenario("flows.csv"));
    room.file("bad.toml", &scenario("bad.csv"));
    let calls: &[&[&str]] = &[
        &["run", "good.toml", "--out", "r"],
        &["check", "good.toml"],
        &["check", "bad.toml"],
        &["show", "r"],
        &["show", "r", "--json"],
        &["why", "r", "--packet", "0:0"],
        &["check", "\u{1b}[31mred.toml"],
        &["run", "good.toml", "--set", "title=\u{9b}31m", "--out", "s"],
    ];
    for args in calls {
        let done = room.run(args);
        let orders = |text: &str| text.contains(['\u{1b}', '\u{9b}', '\u{7}']);
        assert!(
            !orders(&done.out) && !orders(&done.err),
            "{args:?}: {done:?}"
        );
    }
}

/// A line of megabytes in any input file gives a short message.
#[test]
fn a_line_of_twenty_megabytes_gives_a_short_message() {
    let room = Room::new();
    let long = "x".repeat(20_000_000);
    room.file(
        "net.csv",
        &format!("a,b,rate,delay\nh0,s,1 Gbps,{long}\nh1,s,1 Gbps,1 us\n"),
    );
    room.file(
        "flows.csv",
        &format!("start,src,dst,size\n0 us,0,1,{long}\n"),
    );
    room.file(
        "sizes.csv",
        &format!("size_bytes,cumulative_probability\n{long},1\n"),
    );
    room.file("head.csv", &format!("start,src,dst,size,{long}\n"));
    room.file("scheme.toml", &format!("[switch]\ncapacity = \"{long}\"\n"));
    let text = |topology: &str, workload: &str, more: &str| {
        format!(
            "duration = \"1 ms\"\nschemes = [\"{more}\"]\n[topology]\n{topology}\n[workload.mine]\n{workload}\n"
        )
    };
    let (star, list) = (
        "kind = \"single_switch\"\nhosts = 4",
        "kind = \"flow_list\"\nfile = \"flows.csv\"",
    );
    let sizes = "kind = \"background\"\ninter_arrival = \"10 ms\"\ncdf = \"sizes.csv\"";
    let cases = [
        (
            "net",
            text("kind = \"custom\"\nfile = \"net.csv\"", list, "dctcp"),
        ),
        ("flows", text(star, list, "dctcp")),
        ("head", text(star, &list.replace("flows", "head"), "dctcp")),
        ("sizes", text(star, sizes, "dctcp")),
        ("scheme", text(star, sizes, "scheme.toml")),
        ("name", text(star, sizes, &long)),
        ("value", format!("duration = \"{long}\"\n")),
        ("key", format!("{long} = 1\n")),
        ("syntax", format!("duration = {long}\n")),
        ("list", format!("seeds = [{}]\n", "1, ".repeat(1_000_000))),
    ];
    let mut said = String::new();
    for (name, text) in cases {
        room.file("a.toml", &text);
        let done = room.run(&["check", "a.toml"]).with_status(2);
        let longest = done.err.lines().map(str::len).max().unwrap();
        assert!(
            longest < 700 && done.err.len() < 10_000,
            "{name}: {} bytes",
            done.err.len()
        );
        // Other lines list the registries, which grow.
        let about = done.err.lines().max_by_key(|line| line.len()).unwrap();
        said.push_str(&format!("{name}\n{about}\n\n"));
    }
    golden("long-lines.txt", &said);
}

#[test]
fn claims_of_other_settings_are_not_judged_and_say_which_they_were_made_for() {
    let room = Room::new();
    let claim = "[[claim]]\nid = \"none\"\nsays = \"nothing is lost\"\nmetric = \"drops\"\ncompare = \"dibs\"\n\
                 paper = 0\naccept = \"0\"\ntolerance = \"the sentence\"\ngap = \"none\"\n";
    room.file("burst.toml", &format!("{BURST}{claim}"));
    let mut said = String::new();
    for sets in [
        &["--set", "switch.capacity=30 pkt"][..],
        &[
            "--set",
            "workload.more.kind=incast",
            "--set",
            "workload.more.degree=3",
            "--set",
            "workload.more.size=1 kB",
        ],
        &["--seeds", "4..5"],
    ] {
        let done = room
            .run(&[&["run", "burst.toml", "--no-cache"][..], sets].concat())
            .with_status(0);
        let lines = done.out.lines().map(str::trim);
        let lines: Vec<&str> = lines.filter(|l| l.starts_with("not judged:")).collect();
        said.push_str(&format!("{}\n{}\n\n", sets.join(" "), lines.join("\n")));
    }
    golden("not-judged.txt", &said);
}

#[test]
fn all_lines_of_a_file_that_are_wrong_are_said_at_once() {
    let room = Room::new();
    room.file(
        "net.csv",
        "a,b,rate,delay\nh0,s,1 Gbp,1 us\nh1,s\nh1,s,1 Gbps,1 us\nh1,s,1 Gbps,1 us\n",
    );
    room.file(
        "flows.csv",
        "start,src,dst,size\n0 us,0,9,20 kB\n0 us,1,1,20 kB\n0,0,1,20 kB\n0 us,0,1\n",
    );
    room.file(
        "sizes.csv",
        "size_bytes,cumulative_probability\n100,0.5\n50,0.6\n200,x\n300,1\n",
    );
    room.file(
        "a.toml",
        "duration = \"1 ms\"\nschemes = [\"dctcp\"]\n[topology]\nkind = \"single_switch\"\nhosts = 4\n\
         [workload.mine]\nkind = \"flow_list\"\nfile = \"flows.csv\"\n\
         [workload.sizes]\nkind = \"background\"\ninter_arrival = \"10 ms\"\ncdf = \"sizes.csv\"\n",
    );
    room.file(
        "b.toml",
        "duration = \"1 ms\"\nschemes = [\"dctcp\"]\n[topology]\nkind = \"custom\"\nfile = \"net.csv\"\n\
         [workload.mine]\nkind = \"flow_list\"\nfile = \"flows.csv\"\n",
    );
    let said: Vec<String> = ["a.toml", "b.toml"]
        .map(|file| room.run(&["check", file]).with_status(2).err)
        .into();
    golden("all-at-once.txt", &said.join("\n"));
}
