//! Test of `docs/reference/results.md`: it names all files, columns and keys that are written, and no others.

mod common;

use common::Room;
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::Value;
use sidestep_lab::catalog::kind;
use sidestep_lab::stats::metric::find;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::Path;

type Names = BTreeSet<String>;

const PAGE: &str = include_str!("../../../docs/reference/results.md");

/// Burst with everything that a result may hold: paths, probes, several seeds.
const BURST: &str = "duration = \"1 ms\"\ndrain = \"400 ms\"\nseeds = \"1..2\"\nschemes = [\"dibs\"]\n\
    [topology]\nkind = \"fat_tree\"\nk = 4\n[probe]\nloops = true\ndetours = true\nlinks = \"1 ms\"\n\
    [workload.query]\nkind = \"query\"\nrate = \"2 k/s\"\ndegree = 15\n";

/// Returns the section with this heading, up to the next heading.
fn section(heading: &str) -> &'static str {
    let rest = PAGE.split(&format!("\n## {heading}\n")).nth(1);
    let rest = rest.unwrap_or_else(|| panic!("docs/reference/results.md has no {heading:?}"));
    rest.split("\n## ").next().unwrap()
}

/// Returns the names in backticks.
fn spans(text: &str) -> Names {
    text.split('`')
        .skip(1)
        .step_by(2)
        .map(String::from)
        .collect()
}

/// Returns the names in the first column of a table's rows that contain `with`.
fn rows(text: &str, with: &str) -> Names {
    let heads = text.lines().zip(text.lines().skip(1));
    let heads = heads.filter(|(_, next)| next.starts_with("|---"));
    let heads: Names = heads.map(|(head, _)| head.to_string()).collect();
    let row = |line: &&str| line.starts_with("| ") && line.contains(with) && !heads.contains(*line);
    let first = |row: &str| spans(row.split('|').nth(1).unwrap());
    text.lines().filter(row).flat_map(first).collect()
}

/// Returns the words of the names in a text; one span may hold several.
fn words(text: &str) -> Names {
    let part = |span: String| -> Vec<String> {
        let word = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
        span.split(word).map(String::from).collect()
    };
    spans(text).into_iter().flat_map(part).collect()
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn keys(value: &Value) -> Names {
    value.as_object().unwrap().keys().cloned().collect()
}

fn columns(path: &Path) -> Names {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let schema = reader.metadata().file_metadata().schema_descr();
    schema
        .columns()
        .iter()
        .map(|column| column.name().to_string())
        .collect()
}

fn files(dir: &Path) -> Names {
    let named = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().unwrap();
        match entry.path().is_dir() {
            true => format!("{name}/"),
            false => name,
        }
    };
    fs::read_dir(dir)
        .unwrap()
        .map(|entry| named(entry.unwrap()))
        .collect()
}

/// Checks that every key is named in the text.
fn named(what: &str, keys: &Names, text: &str) {
    let known = words(text);
    let lacks: Vec<&String> = keys.difference(&known).collect();
    assert!(
        lacks.is_empty(),
        "docs/reference/results.md, {what}: lacks {lacks:?}"
    );
}

#[test]
fn the_page_names_the_files_columns_and_keys_of_a_run() {
    let room = Room::new();
    room.file("burst.toml", BURST);
    let run = [
        "run",
        "burst.toml",
        "--trace-packets",
        "detours>=1",
        "--record",
        "--out",
        "r",
    ];
    room.run(&run).with_status(0);
    let dir = room.path().join("r");
    let head = PAGE.split("\n## ").next().unwrap();
    let mut written = rows(head, "");
    // Written by the testbed only: `testbed_changes` compares its columns with the manifest.
    assert!(written.remove("kernel.parquet"));
    assert_eq!(written, files(&dir), "files");
    for table in files(&dir).iter().filter(|name| name.ends_with(".parquet")) {
        let mut own = columns(&dir.join(table));
        // One name stands for the reasons of drops.
        let drops = kind("drops").unwrap().items;
        let found = drops
            .iter()
            .filter(|drop| own.remove(&format!("drops_{}", drop.name)));
        if found.count() > 0 {
            own.insert("drops_REASON".into());
        }
        assert_eq!(rows(section(table), ""), own, "{table}");
    }
    let summary = json(&dir.join("summary.json"));
    let text = section("summary.json");
    named("summary.json", &keys(&summary), text);
    let scheme = keys(&summary["schemes"]["dibs"]);
    let (known, absent) = (rows(text, ""), rows(text, "absent"));
    // Metrics are known by name, whether they have a row or not.
    let differ: Vec<&String> = known
        .symmetric_difference(&scheme)
        .filter(|key| !absent.contains(*key) && find(key).is_none())
        .collect();
    assert!(
        differ.is_empty(),
        "docs/reference/results.md, keys of a scheme: {differ:?}"
    );
    named(
        "a class",
        &keys(&summary["schemes"]["dibs"]["classes"]["query"]),
        text,
    );
    named(
        "percentiles",
        &keys(&summary["schemes"]["dibs"]["qct_ms"]),
        text,
    );
    let manifest = json(&dir.join("manifest.json"));
    let text = section("manifest.json");
    for part in [
        &manifest,
        &manifest["scenario"],
        &manifest["scenario"]["settings"][0],
        &manifest["runs"][0],
    ] {
        named("manifest.json", &keys(part), text);
    }
    let traces = json(&dir.join("traces.json"));
    for packet in traces["packets"].as_array().unwrap() {
        named("a packet", &keys(packet), section("traces.json"));
        for step in packet["steps"].as_array().unwrap() {
            named("a step", &keys(step), section("traces.json"));
        }
    }
}

#[test]
fn the_page_names_the_files_columns_and_keys_of_a_sweep() {
    let room = Room::new();
    room.file(
        "sweep.toml",
        &format!("{BURST}[sweep]\n\"switch.capacity\" = [\"50 pkt\", \"100 pkt\"]\n"),
    );
    room.run(&["run", "sweep.toml", "--no-cache", "--out", "r"])
        .with_status(0);
    let dir = room.path().join("r");
    let text = section("Of a sweep");
    let tables: Vec<&str> = text
        .split("\n\n")
        .filter(|part| part.starts_with("| "))
        .collect();
    let mut written = files(&dir);
    written.remove("plots/");
    assert_eq!(rows(tables[0], ""), written, "files");
    let mut own = columns(&dir.join("points.parquet"));
    own.remove("switch.capacity");
    own.retain(|column| {
        column.contains(':') || find(column).is_none() || rows(tables[1], "").contains(column)
    });
    // One name stands for the metrics of classes.
    let of_class = own.extract_if(.., |column| column.contains(':'));
    let of_class = of_class.count();
    assert!(of_class > 1 && own.insert("METRIC:CLASS".into()));
    assert_eq!(rows(tables[1], ""), own, "points.parquet");
    for table in ["counts.parquet", "samples.parquet"] {
        let mut own = columns(&dir.join(table));
        assert!(own.remove("switch.capacity"), "{table} has the axis");
        assert_eq!(rows(section(table), ""), own, "{table} of a sweep");
        let docs = &json(&dir.join("manifest.json"))["columns"][table];
        assert_eq!(keys(docs).len(), own.len() + 1, "{table}");
    }
    let summary = json(&dir.join("summary.json"));
    named("summary.json of a sweep", &keys(&summary), text);
    named("a point", &keys(&summary["points"][0]), text);
    let manifest = json(&dir.join("manifest.json"));
    let both = format!("{text}{}", section("manifest.json"));
    for part in [&manifest, &manifest["runs"][0]] {
        named("manifest.json of a sweep", &keys(part), &both);
    }
}

#[test]
fn the_page_names_the_keys_of_a_claim() {
    let room = Room::new();
    let run = [
        "run",
        "dibs-demo",
        "--quick",
        "--seed",
        "1",
        "--set",
        "duration=20 ms",
        "--out",
        "r",
    ];
    room.run(&run).with_status(0);
    let summary = json(&room.path().join("r/summary.json"));
    let claims = summary["claims"].as_array().unwrap();
    assert!(!claims.is_empty());
    for claim in claims {
        named("a claim", &keys(claim), section("summary.json"));
    }
}
