//! Documents match the registries: a page for each name, a row for each parameter, no path that does not exist.

use sidestep_lab::stats::metric::find;
use sidestep_lab::tables::{
    CHANGE, CLAIM, FIGURE, HOST, LISTS, PLOT, PROBE, PROBE_LISTS, SCENARIO, SWITCH, TRANSPORT,
    TRANSPORTS, WORKLOAD,
};
use sidestep_lab::{Experiment, Scenario};
use sidestep_sim::{Files, topology, workload};
use sidestep_switch::{buffer, route, sched};
use sidestep_transport::{CHOICES, TcpConfig, TransportConfig, shim};
use sidestep_types::{Entry, Param};
use std::fs;
use std::path::{Path, PathBuf};

/// Folders of `docs/`, and the entries that each has a page for.
const KINDS: [(&str, &[Entry]); 7] = [
    ("routes", route::ENTRIES),
    ("buffers", buffer::ENTRIES),
    ("scheds", sched::ENTRIES),
    ("transports", TRANSPORTS),
    ("shims", shim::ENTRIES),
    ("topologies", topology::ENTRIES),
    ("workloads", workload::ENTRIES),
];

/// Pages that `docs/reference/<kind>/` may hold beside a page for each entry.
const MORE: [&str; 2] = [
    "reference/transports/connection.md",
    "reference/transports/states.md",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the text of `docs/<page>`, or notes that it is missing.
fn page(page: &str, missing: &mut Vec<String>) -> String {
    fs::read_to_string(root().join("docs").join(page)).unwrap_or_else(|_| {
        missing.push(format!("docs/{page} is missing"));
        String::new()
    })
}

/// Notes the rows that `docs/<name>` lacks: one for each parameter, with its name first and its default in it.
fn check_params(name: &str, text: &str, params: &[Param], missing: &mut Vec<String>) {
    for param in params {
        let begins = format!("| `{}` |", param.name);
        let default = match param.default {
            None => "required".to_string(),
            Some("") => "none".to_string(),
            Some(default) => format!("`{default}`"),
        };
        let fits = |line: &str| {
            line.strip_prefix(&begins)
                .is_some_and(|rest| rest.contains(&default))
        };
        if !text.lines().any(fits) {
            let (unit, doc) = (param.unit.example(), param.doc);
            missing.push(format!(
                "docs/{name}: expected a row {begins} {unit} | {default} | {doc} |"
            ));
        }
    }
}

fn assert_none(missing: &[String]) {
    assert!(missing.is_empty(), "\n{}", missing.join("\n"));
}

#[test]
fn every_registered_name_has_a_page_with_a_row_for_each_parameter() {
    let mut missing = Vec::new();
    for (kind, entries) in KINDS {
        for entry in entries {
            let name = format!("reference/{kind}/{}.md", entry.name);
            let text = page(&name, &mut missing);
            let title = format!("# {}", entry.name);
            if !text.is_empty() && text.lines().next() != Some(&title) {
                missing.push(format!("docs/{name}: expected the title {title:?}"));
            }
            check_params(&name, &text, entry.params, &mut missing);
        }
    }
    for choice in CHOICES {
        for entry in choice.entries {
            page(
                &format!("reference/{}/{}.md", choice.kind, entry.name),
                &mut missing,
            );
        }
    }
    assert_none(&missing);
}

#[test]
fn every_key_of_a_scenario_has_a_row() {
    let mut missing = Vec::new();
    let text = page("reference/scenarios.md", &mut missing);
    for params in [SCENARIO, LISTS, SWITCH, WORKLOAD, HOST, CLAIM] {
        check_params("reference/scenarios.md", &text, params, &mut missing);
    }
    let text = page("reference/changes.md", &mut missing);
    check_params("reference/changes.md", &text, CHANGE, &mut missing);
    let experiments = page("reference/experiments.md", &mut missing);
    for params in [FIGURE, PLOT] {
        check_params(
            "reference/experiments.md",
            &experiments,
            params,
            &mut missing,
        );
    }
    let connection = "reference/transports/connection.md";
    let text_of_connection = page(connection, &mut missing);
    check_params(connection, &text_of_connection, TRANSPORT, &mut missing);
    let text = page("reference/metrics.md", &mut missing);
    for params in [PROBE, PROBE_LISTS] {
        check_params("reference/metrics.md", &text, params, &mut missing);
    }
    assert_none(&missing);
}

#[test]
fn every_row_about_a_metric_is_about_one_that_there_is() {
    let text = page("reference/metrics.md", &mut Vec::new());
    let table = text
        .split("| Metric | To be known of it |\n|---|---|\n")
        .nth(1);
    let rows = table
        .unwrap()
        .lines()
        .take_while(|line| line.starts_with("| `"));
    let names: Vec<&str> = rows.filter_map(|row| row.split('`').nth(1)).collect();
    assert!(names.len() > 5, "{names:?}");
    for name in names {
        assert!(
            find(name).is_some(),
            "docs/reference/metrics.md: {name} is no metric"
        );
    }
}

#[test]
fn every_page_is_in_the_index_and_none_is_left_over() {
    let mut missing = Vec::new();
    let index = page("README.md", &mut missing);
    let docs = root().join("docs");
    for file in markdown(&docs) {
        let name = file.strip_prefix(&docs).unwrap().to_str().unwrap();
        let name = name.replace('\\', "/");
        // The index links to the folder where every registered name has a page.
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        let listed = [format!("({name})"), format!("({folder}/)")];
        if name != "README.md" && !listed.iter().any(|link| index.contains(link)) {
            missing.push(format!("docs/README.md: expected a link to {name}"));
        }
        let known = |(kind, entries): &(&str, &[Entry])| {
            name.strip_prefix(&format!("reference/{kind}/"))
                .is_none_or(|file| entries.iter().any(|e| file == format!("{}.md", e.name)))
        };
        if !KINDS.iter().all(known) && !MORE.contains(&&*name) {
            missing.push(format!("docs/{name} is about nothing that is registered"));
        }
    }
    assert_none(&missing);
}

/// Files that examples name, and the example itself if it is a scheme's.
struct FileLocation<'a>(&'a str);

impl Files for FileLocation<'_> {
    fn read(&self, path: &str) -> Result<String, String> {
        let text = match path {
            "fabric.csv" => "a,b,rate,delay\nh0,s0,1 Gbps,1 us\nh1,s0,1 Gbps,1 us\n",
            "flows.csv" => "start,src,dst,size\n0 us,0,1,20 kB\n",
            "base.toml" => BASE,
            "schemes/mine.toml" if self.0.starts_with("summary") => self.0,
            _ => return Err("no such file".into()),
        };
        Ok(text.to_string())
    }
}

/// Base that examples of experiments extend.
const BASE: &str = "duration = \"1 ms\"\n[topology]\nkind = \"fat_tree\"\nk = 4\n\
    [workload.query]\nkind = \"query\"\nrate = \"300 /s\"\ndegree = 4\n";

/// Completes an example: a section alone is no scenario.
fn whole(example: &str) -> String {
    let says = |start: &str| example.lines().any(|line| line.starts_with(start));
    if says("extends") {
        return example.to_string();
    }
    let mut text = String::new();
    if example.starts_with("summary") {
        text.push_str("duration = \"1 ms\"\nschemes = [\"mine\"]\n");
    } else {
        if !says("duration") {
            text.push_str("duration = \"1 ms\"\n");
        }
        if !says("schemes") {
            text.push_str("schemes = [\"mine\"]\n[scheme.mine]\n");
        }
        text.push_str(example);
    }
    if !says("[topology]") {
        text.push_str("\n[topology]\nkind = \"fat_tree\"\nk = 4\n");
    }
    if says("\"workload.query.") && !says("[workload.") {
        text.push_str("\n[workload.query]\nkind = \"query\"\nrate = \"1 /s\"\ndegree = 4\n");
    } else if !says("[workload.") {
        text.push_str("\n[workload.one]\nkind = \"long\"\n");
    }
    text
}

#[test]
fn every_example_in_the_documents_is_read() {
    let mut wrong = Vec::new();
    let mut read = 0;
    for file in markdown(&root().join("docs")) {
        // Configs of the software switch are no scenarios; crates/softswitch reads those.
        if file.ends_with("softswitch.md") || file.ends_with("softswitch-security.md") {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        for block in text.split("```toml\n").skip(1) {
            let example = block.split("```").next().unwrap();
            let name = file.file_name().unwrap().to_str().unwrap();
            let answer =
                Experiment::read(name, &whole(example), &[], false, &FileLocation(example));
            if let Err(problems) = answer {
                wrong.extend(problems.iter().map(|p| format!("{p} in\n{example}")));
            }
            read += 1;
        }
    }
    assert_none(&wrong);
    assert!(read > 20, "{read} examples");
}

/// Returns the transport of a minimal scenario with `set`.
fn transport(set: &str) -> TransportConfig {
    transport_with(set, &[])
}

fn transport_with(set: &str, with: &[&str]) -> TransportConfig {
    let sets: Vec<String> = with.iter().chain([&set]).map(|s| s.to_string()).collect();
    let read = Scenario::read("t.toml", &whole(""), &sets, &FileLocation(""));
    let scenario = read.unwrap_or_else(|problems| panic!("{set}: {problems:?}"));
    scenario.schemes[0].config.transport.clone()
}

fn tcp_with(set: &str, with: &[&str]) -> TcpConfig {
    let chosen = transport_with(set, with);
    chosen.tcp().expect("a TCP by default").clone()
}

#[test]
fn what_the_transport_registers_a_scenario_can_choose() {
    for choice in CHOICES {
        for entry in choice.entries {
            // D-SACKs are received only with SACK.
            let with = match (choice.key, entry.name) {
                ("transport.fast_retransmit_rule", "dsack") => {
                    &["transport.recovery=sack", "transport.dsack=true"][..]
                }
                // RACK needs the deliveries that SACK reports.
                ("transport.loss_detection", "rack") => &["transport.recovery=sack"][..],
                _ => &[],
            };
            let chosen = tcp_with(&format!("{}={}", choice.key, entry.name), with);
            assert_eq!((choice.of)(&chosen), entry.name);
        }
    }
    for entry in TRANSPORTS {
        let chosen = transport(&format!("transport.kind={}", entry.name));
        assert_eq!(chosen.name(), entry.name);
    }
}

#[test]
fn a_scenario_that_says_nothing_of_its_transport_gets_the_default() {
    assert_eq!(
        tcp_with("transport.kind=newreno", &["profile=none"]),
        TcpConfig::default()
    );
}

#[test]
fn a_scenario_can_choose_every_framing() {
    let bytes = ["ethernet", "ip", "ppp"].map(|name| {
        let set = [format!("framing={name}")];
        let read = Scenario::read("t.toml", &whole(""), &set, &FileLocation(""));
        let scenario = read.unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
        scenario.schemes[0].config.framing.wire(1500)
    });
    assert_eq!(bytes, [1538, 1500, 1502]);
}

/// Crates whose files the documents name by path; paths in backticks must exist.
const ROOMS: [&str; 7] = ["types", "switch", "transport", "sim", "lab", "study", "cli"];

#[test]
fn every_path_that_the_documents_name_is_there() {
    let mut missing = Vec::new();
    let pages = markdown(&root().join("docs"))
        .into_iter()
        .chain(["ARCHITECTURE.md", "CONTRIBUTING.md"].map(|file| root().join(file)));
    for file in pages {
        let text = fs::read_to_string(&file).unwrap_or_default();
        for word in text.split('`').skip(1).step_by(2) {
            let room = |room: &&str| word.starts_with(&format!("crates/{room}/"));
            // `<NAME>` is a placeholder, `{a,b}` and `*` stand for several.
            let pattern = word.contains(['<', '{', '*', ' ']);
            if ROOMS.iter().any(room) && !pattern && !root().join(word).exists() {
                let name = file.file_name().unwrap().to_str().unwrap();
                missing.push(format!("{name} names {word}, which is not there"));
            }
        }
    }
    assert_none(&missing);
}

/// Returns all Markdown files under `folder`, in order.
fn markdown(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else {
        return found;
    };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(markdown(&path));
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
    found.sort();
    found
}
