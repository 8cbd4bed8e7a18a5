//! Test of the table of snippets with the command: `python/tests/test_snippets.py` does the same in Python.

mod common;

use common::Room;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};

fn table() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/snippets/table.toml")
}

fn text<'a>(of: &'a DeTable<'_>, key: &str) -> Option<&'a str> {
    of.get(key).and_then(|value| value.get_ref().as_str())
}

fn list<'a, 'i>(of: &'a DeTable<'i>, key: &str) -> impl Iterator<Item = &'a DeValue<'i>> {
    let items = of.get(key).and_then(|value| value.get_ref().as_array());
    items.into_iter().flatten().map(|item| item.get_ref())
}

/// Runs a snippet; returns the hash of each scheme and seed.
fn run(snippet: &DeTable<'_>) -> BTreeMap<String, String> {
    let room = Room::new();
    let scenario = match text(snippet, "toml") {
        None => text(snippet, "scenario").unwrap(),
        Some(toml) => {
            room.file("snippet.toml", toml);
            "snippet.toml"
        }
    };
    let mut args = vec!["run", scenario, "--out", "r", "--no-cache"];
    for set in list(snippet, "set") {
        args.extend(["--set", set.as_str().unwrap()]);
    }
    room.run(&args).with_status(0);
    let manifest = fs::read_to_string(room.path().join("r/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    let runs = manifest["runs"].as_array().unwrap().iter();
    let pair = |run: &Value| {
        let name = format!("{} {}", run["scheme"].as_str().unwrap(), run["seed"]);
        (name, run["trajectory_hash"].as_str().unwrap().to_string())
    };
    runs.map(pair).collect()
}

#[test]
fn every_snippet_comes_to_its_hashes() {
    let written = fs::read_to_string(table()).unwrap();
    let read = DeTable::parse(&written).unwrap();
    let mut now = String::new();
    let mut hashes = Vec::new();
    for snippet in list(read.get_ref(), "snippet") {
        let pairs = run(snippet.as_table().unwrap()).into_iter();
        let pairs: Vec<String> = pairs
            .map(|(run, hash)| format!("\"{run}\" = \"{hash}\""))
            .collect();
        hashes.push(format!("hashes = {{ {} }}", pairs.join(", ")));
    }
    let mut hashes = hashes.into_iter();
    for line in written.lines() {
        match line.starts_with("hashes = ") {
            true => now.push_str(&hashes.next().expect("each snippet has its line")),
            false => now.push_str(line),
        }
        now.push('\n');
    }
    assert_eq!(hashes.next(), None, "each snippet has its line");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(table(), &now).unwrap();
    }
    let kept = fs::read_to_string(table()).unwrap();
    assert_eq!(kept, now, "UPDATE_GOLDEN=1 writes the hashes anew");
}
