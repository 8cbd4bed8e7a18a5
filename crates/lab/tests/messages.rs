//! Golden table: mistakes in scenarios, and the messages about them.
//!
//! A changed message is a change for users: update the table in a separate commit.

use sidestep_lab::Scenario;
use sidestep_sim::Files;

/// Files: a few tables, and no others.
struct Few;

impl Files for Few {
    fn read(&self, path: &str) -> Result<String, String> {
        match path {
            "falls.csv" => Ok("size_bytes,cumulative_probability\n100,0.5\n200,0.4\n".into()),
            "short.csv" => Ok("size_bytes,cumulative_probability\n100,0.5\n200,0.9\n".into()),
            "mss.csv" => Ok("start,src,dst,size,mss\n1 ms,0,3,20 kB,10 kB\n".into()),
            "large.csv" => Ok("start,src,dst,size,mss\n1 ms,0,3,20 kB,9 kB\n".into()),
            "classes.csv" => {
                let rows = "1 ms,0,3,64 kB,storage\n1 ms,1,3,2 kB,web\n";
                Ok(format!("start,src,dst,size,class\n{rows}"))
            }
            "group.csv" => Ok("start,src,dst,size,group\n1 ms,0,3,endless,a\n".into()),
            "word.csv" => Ok("start,src,dst,size,class\n1 ms,0,3,1 B,\u{1b}[31m\n".into()),
            "cells.csv" => {
                let wrong = "1,9,99,0 B,10 kB,\u{1b}[31m,a\n2 ms,x,3,endless,,,a\n";
                Ok(format!("start,src,dst,size,mss,class,group\n{wrong}"))
            }
            "cables.csv" => Ok("a,b,rate,delay\nh0,,1 Gb,1 us\nh0,s0,fast,1\n".into()),
            "both.csv" => Ok("size_bytes,cumulative_probability\nx,2\n".into()),
            "header.csv" => Ok("# none\nstart,src,dst,size\n".into()),
            "self.csv" => Ok("start,src,dst,size\n1 ms,3,3,20 kB\n".into()),
            "beyond.csv" => {
                let row = |host| format!("1 ms,h{host},h{},1 B\n", (host + 1) % 128);
                Ok("start,src,dst,size\n".to_string() + &(0..128).map(row).collect::<String>())
            }
            "names.csv" => {
                Ok("start,src,dst,size\n".to_string() + &"1 ms,web-1,db-2,1 B\n".repeat(500))
            }
            "mine.toml" => {
                Ok("[switch]\nbuffer = \"dibs\"\n[transport]\nfast_retransmit = 0\n".into())
            }
            _ => Err("no such file".into()),
        }
    }
}

/// Small scenario; each case replaces one line of it or adds one.
const GOOD: &str = r#"duration = "10 ms"
schemes = ["dctcp", "dibs"]
[topology]
kind = "fat_tree"
k = 4
[workload.query]
kind = "query"
rate = "300 /s"
degree = 8
"#;

fn said(text: &str, sets: &[&str]) -> String {
    // Without a profile, messages about a value depend on no other file.
    let sets = ["profile=none"].iter().chain(sets);
    let sets: Vec<String> = sets.map(|set| set.to_string()).collect();
    match Scenario::read("a.toml", text, &sets, &Few) {
        Ok(_) => "(good)".to_string(),
        Err(problems) => {
            let lines: Vec<String> = problems.iter().map(|p| p.to_string()).collect();
            lines.join("\n")
        }
    }
}

/// Applies `line => instead` to [`GOOD`]; `(end)` adds at the end.
fn changed(line: &str, instead: &str) -> String {
    if line == "(end)" {
        return said(&format!("{GOOD}{instead}\n"), &[]);
    }
    assert!(GOOD.contains(line), "{line}");
    said(&GOOD.replacen(line, instead, 1), &[])
}

#[test]
fn a_good_scenario_is_read() {
    assert_eq!(said(GOOD, &[]), "(good)");
}

#[test]
fn what_is_wrong_in_a_file_is_said_with_its_place() {
    let table = include_str!("messages.txt");
    let mut now = String::new();
    for case in table.split("\n\n").filter(|case| !case.trim().is_empty()) {
        let (head, messages) = case.trim().split_once("\n!").expect("a case has a message");
        let joined = messages.lines().skip(1).find(|line| !line.starts_with('!'));
        assert_eq!(joined, None, "a blank line parts cases");
        let (line, instead) = head.split_once(" => ").expect("a case has an arrow");
        let lines = |text: &str| text.replace("\\n", "\n");
        let got = changed(&lines(line.trim()), &lines(instead));
        let got: Vec<String> = got.lines().map(|l| format!("! {l}")).collect();
        now.push_str(&format!("{head}\n{}\n\n", got.join("\n")));
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/messages.txt");
        std::fs::write(path, &now).expect("the table can be written");
    }
    let differs = now.lines().zip(table.lines()).find(|(new, old)| new != old);
    assert_eq!(differs, None, "UPDATE_GOLDEN=1 writes the new table");
    assert_eq!(
        now.len(),
        table.len(),
        "a table has lines that the other lacks"
    );
}

#[test]
fn what_is_wrong_in_a_set_is_said_with_the_set() {
    let cases = [
        (
            "switch.capacity=1500 B",
            "--set switch.capacity=1500 B: switch: capacity must hold a full packet, 1518 B with mss 1460 B, got 1.5 kB",
        ),
        (
            "switch.capasity=9 pkt",
            "--set switch.capasity=9 pkt: unknown key \"capasity\" in [switch]; did you mean \"capacity\"?",
        ),
        (
            "host.order.capacity=shared",
            "--set host.order.capacity=shared: host.order.capacity: expected packets like \"100 pkt\" or bytes like \"150 kB\" or \"unlimited\", got \"shared\"",
        ),
        (
            "seeds=3..1",
            "--set seeds=3..1: seeds: \"3..1\" counts down; write the smaller seed first",
        ),
        (
            "scheme.dips.switch.capacity=9 pkt",
            "--set scheme.dips.switch.capacity=9 pkt: scheme \"dips\" is not in schemes; did you mean \"dibs\"?",
        ),
        (
            "workload.qurey.rate=600 /s",
            "--set workload.qurey.rate=600 /s: unknown workload \"qurey\"; did you mean \"query\"?",
        ),
        (
            "workload.more.rate=600 /s",
            "--set workload.more.rate=600 /s: [workload.more] needs a kind: one of query, background, long, permutation, incast, replace, flow_list",
        ),
        (
            "workload.query.load=50 %",
            "a.toml:8:8: workload.query: set one of rate and load, and the other to \"off\", got both; add --set workload.query.rate=off",
        ),
        (
            "workload.query.rate=600",
            "--set workload.query.rate=600: workload.query.rate: expected a frequency like \"300 /s\" (/s, k/s, M/s) or \"off\", got \"600\" without a unit",
        ),
        (
            "claim=1",
            "--set claim=1: unknown key \"claim\"; known: title, duration, drain, framing, ttl, profile, seeds, schemes, topology, switch, transport, host, workload, scheme, probe, change",
        ),
        (
            "change.1.at=1 ms",
            "--set change.1.at=1 ms: change.1: link or switch is missing: the cable or the switch \
             that changes",
        ),
        (
            "k=8",
            "--set k=8: unknown key \"k\"; did you mean \"topology.k\"?",
        ),
        (
            "rto_min=1 ms",
            "--set rto_min=1 ms: unknown key \"rto_min\"; did you mean \"transport.rto_min\"?",
        ),
        (
            "nonsense",
            "--set nonsense: expected key=value, got no \"=\"",
        ),
    ];
    for (set, expected) in cases {
        assert_eq!(said(GOOD, &[set]), expected);
    }
}

/// A message may name a parameter that is not the cause, or none at all.
#[test]
fn a_refusal_is_shown_at_the_parameter_that_made_it() {
    let topology = |lines: &str| GOOD.replace("kind = \"fat_tree\"\nk = 4", lines);
    let workload = |lines: &str| format!("{GOOD}[workload.more]\n{lines}\n");
    let cases = [
        // The place is not `left`, which the message names first.
        (
            topology("kind = \"dumbbell\"\nleft = 12\nbottleneck_delay = \"2000 s\""),
            "a.toml:6:20: topology: cable switch \"left\" to switch \"right\": expected a delay of \
             at most 1000 s, got 2000 s",
        ),
        (
            topology("kind = \"leaf_spine\"\nhost_delay = \"2000 s\""),
            "a.toml:5:14: topology: cable host 0 to switch \"leaf 0\": expected a delay of at most \
             1000 s, got 2000 s",
        ),
        (
            topology("kind = \"custom\"\nfile = \"cables\""),
            "a.toml:5:8: topology: \"cables\": no such file",
        ),
        // The place is not `load`, which is also the file's name.
        (
            workload(
                "kind = \"background\"\ninter_arrival = \"off\"\nload = \"1/2\"\ncdf = \"load.csv\"",
            ),
            "a.toml:14:7: workload.more: \"load.csv\" is neither a shipped distribution nor a \
             readable file: no such file",
        ),
        // The place is the one of two keys that was given.
        (
            format!("{GOOD}[transport]\nrto_max = \"1 us\"\n"),
            "a.toml:11:11: transport: rto_min (10 ms) must not be above rto_max (1 us)",
        ),
    ];
    for (text, expected) in cases {
        assert!(said(&text, &[]).ends_with(expected), "{}", said(&text, &[]));
    }
    let odd = topology("kind = \"single_switch\"\nhosts = 9")
        .replace("kind = \"query\"", "kind = \"long\"\nbetween = \"pairs\"")
        .replace("rate = \"300 /s\"\ndegree = 8\n", "");
    assert_eq!(
        said(&odd, &[]),
        "a.toml:8:11: workload.query: pairs need an even number of hosts, got 9"
    );
}

#[test]
fn more_choices_than_a_switch_has_ports_are_refused_once() {
    let two = GOOD
        .replace("k = 4", "k = 2")
        .replace("degree = 8", "degree = 1");
    let with = |more: &str| said(&format!("{two}{more}\n"), &["seeds=1"]);
    let three = "buffer = { kind = \"vertigo\", choices = 3 }";
    let expected = "a.toml:11:40: switch.buffer: switch \"edge 0.0\": choices must be at most 2, \
                    the number of ports of the switch, got 3";
    let all = format!("[scheme.dctcp.switch]\n{three}");
    assert_eq!(with(&all), expected);
    // The cores inherit the value; their own section is harmless, and the place stays that of the value.
    let harmless = format!("{all}\n[switch.at.core]\ncapacity = \"9 pkt\"");
    assert_eq!(with(&harmless), expected);
    let core = with(&format!("[switch.at.core]\n{three}"));
    let expected = expected.replace("switch.buffer", "switch.at.core.buffer");
    assert_eq!(core, expected.replace("edge 0.0", "core 0"));
}

#[test]
fn what_is_inherited_is_refused_where_it_stands_not_at_another_set() {
    let text = format!(
        "{GOOD}[scheme.dctcp.switch]\nbuffer = \"vertigo\"\n[switch.at.core]\nsched = \"priority\"\n"
    );
    let expected = "a.toml:11:10: switch.at.core.buffer: \"vertigo\" needs sched \"srpt\", \"pfabric\" or \
                    \"fifo\", got \"priority\"";
    assert_eq!(said(&text, &["switch.at.core.capacity=50 pkt"]), expected);
}

#[test]
fn every_problem_is_reported_not_just_the_first() {
    let text = GOOD
        .replace("\"10 ms\"", "10")
        .replace("k = 4", "k = 5")
        .replace("\"300 /s\"", "\"fast\"");
    let lines: Vec<String> = said(&text, &[])
        .lines()
        .map(|l| l[..8].to_string())
        .collect();
    assert_eq!(lines, ["a.toml:1", "a.toml:5", "a.toml:8"]);
}

proptest::proptest! {
    #[test]
    fn any_text_is_answered_without_a_panic(text in "\\PC{0,80}") {
        let _ = said(&text, &[]);
        let _ = said(GOOD, &[&text]);
    }

    #[test]
    fn any_value_is_answered_without_a_panic(
        line in 0usize..9,
        value in proptest::prop_oneof![
            "\"[0-9]{0,12}( (ps|us|s|B|GB|pkt|Gbps|/s|M/s))?\"",
            "[0-9]{1,20}",
            "-?[0-9]\\.[0-9]{1,3}",
            "\\[[0-9], \"[a-z]{0,4}\"\\]",
            "\\{ kind = \"(dibs|red|ecn)\", (mark_at|min|max_p) = \"[0-9]{1,3} ?(pkt|kB)?\" \\}",
        ],
    ) {
        // Replaces any one value of a good scenario.
        let mut lines: Vec<String> = GOOD.lines().map(str::to_string).collect();
        if let Some((key, _)) = lines[line].split_once(" = ") {
            lines[line] = format!("{key} = {value}");
        }
        let _ = said(&lines.join("\n"), &[&format!("switch.buffer={value}")]);
    }
}

#[test]
fn programs_read_the_parts_of_a_message_off_it() {
    let table = include_str!("messages.txt");
    let (mut all, mut suggested) = (0, 0);
    for line in table.lines().filter_map(|line| line.strip_prefix("! ")) {
        // The place ends at the first blank; a message that names no file has none.
        let Some((_, message)) = line.split_once(": ") else {
            continue;
        };
        let problem = sidestep_lab::Problem {
            file: "a.toml".into(),
            line: 0,
            column: 0,
            message: message.into(),
        };
        let parts = problem.parts();
        let said =
            |part: &Option<String>| part.as_deref().is_none_or(|part| message.contains(part));
        assert!(said(&parts.got) && said(&parts.suggestion), "{message}");
        let known = parts
            .expected
            .as_deref()
            .and_then(|e| e.strip_prefix("one of "));
        assert!(
            said(&parts.expected) || known.is_some_and(|k| message.contains(k)),
            "{message}"
        );
        assert_eq!(
            parts.suggestion.is_some(),
            message.contains("did you mean"),
            "{message}"
        );
        assert!(
            parts.expected.is_some() || !message.contains("expected "),
            "{message}"
        );
        assert!(
            parts.got.is_some() || !message.contains(", got "),
            "{message}"
        );
        all += 1;
        suggested += usize::from(parts.suggestion.is_some());
    }
    assert!(
        all > 200 && suggested > 20,
        "{all} messages, {suggested} with a suggestion"
    );
}
