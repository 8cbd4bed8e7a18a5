//! Tests of the schemas that `sidestep schema` prints: they accept every shipped file, and refuse files that
//! the reader refuses.

use crate::common;

use common::Room;
use jsonschema::Validator;
use serde_json::{Map, Value};
use std::fs;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn printed(kind: &str) -> String {
    Room::new().run(&["schema", kind]).with_status(0).out
}

fn validator(kind: &str) -> Validator {
    let schema: Value = serde_json::from_str(&printed(kind)).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

/// Converts a file to JSON, as editors pass it to a schema.
fn json(text: &str) -> Value {
    table(DeTable::parse(text).unwrap().get_ref())
}

fn table(table: &DeTable<'_>) -> Value {
    let entry = |(key, of): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
        (AsRef::<str>::as_ref(key.get_ref()).to_string(), value(of))
    };
    Value::Object(table.iter().map(entry).collect::<Map<_, _>>())
}

fn value(of: &Spanned<DeValue<'_>>) -> Value {
    match of.get_ref() {
        DeValue::String(text) => text.to_string().into(),
        DeValue::Integer(number) => number.to_string().parse::<i64>().unwrap().into(),
        DeValue::Float(number) => number.to_string().parse::<f64>().unwrap().into(),
        DeValue::Boolean(flag) => (*flag).into(),
        DeValue::Datetime(date) => date.to_string().into(),
        DeValue::Array(items) => items.iter().map(value).collect(),
        DeValue::Table(of) => table(of),
    }
}

fn problems(schema: &Validator, text: &str) -> Vec<String> {
    let said = |error: jsonschema::ValidationError<'_>| {
        let words: String = error.to_string().chars().take(200).collect();
        format!("{}: {words}", error.instance_path())
    };
    schema.iter_errors(&json(text)).map(said).collect()
}

/// Returns all TOML files in `folder`, which must have some.
fn files(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let files: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|end| end == "toml"))
        .collect();
    assert!(!files.is_empty(), "{folder} has no files");
    files
}

fn each_is_valid(kind: &str, folder: &str) {
    let schema = validator(kind);
    for file in files(folder) {
        let said = problems(&schema, &fs::read_to_string(&file).unwrap());
        assert!(said.is_empty(), "{}: {said:#?}", file.display());
    }
}

#[test]
fn every_shipped_file_is_valid() {
    each_is_valid("scenario", "scenarios");
    each_is_valid("experiment", "scenarios");
    each_is_valid("scheme", "schemes");
    for folder in fs::read_dir(root().join("experiments")).unwrap() {
        let path = folder.unwrap().path();
        if path.is_dir() {
            let name = path.file_name().unwrap().to_str().unwrap().to_string();
            each_is_valid("experiment", &format!("experiments/{name}"));
        }
    }
}

#[test]
fn what_init_writes_is_valid_and_names_its_schema() {
    let room = Room::new();
    room.run(&["init"]).with_status(0);
    for (file, kind) in [("scenario.toml", "scenario"), ("mine.toml", "scheme")] {
        let text = fs::read_to_string(room.path().join(file)).unwrap();
        assert_eq!(problems(&validator(kind), &text), [""; 0], "{file}");
        let name = text.lines().next().unwrap().strip_prefix("#:schema ./");
        let schema = fs::read_to_string(room.path().join(name.unwrap())).unwrap();
        assert_eq!(schema, printed(kind));
    }
}

const SCENARIO: &str = r#"
duration = "1 ms"
seeds = [1, "3..4"]
schemes = "dctcp, dibs"
[topology]
kind = "fat_tree"
k = 4
[workload.w]
kind = "incast"
degree = 5
size = "20 kB"
[switch]
capacity = "100 pkt"
buffer = { kind = "ecn", mark_at = "20 pkt" }
"#;

#[test]
fn what_the_reader_refuses_for_its_words_the_schema_refuses_too() {
    let schema = validator("scenario");
    assert_eq!(problems(&schema, SCENARIO), [""; 0]);
    let room = Room::new();
    for (from, to) in [
        // Unknown keys, at each level.
        ("duration", "duratoin"),
        ("capacity", "capacty"),
        ("k = 4", "kk = 4"),
        ("mark_at", "markat"),
        ("[switch]", "[swich]"),
        ("[workload.w]", "[workload.\"w w\"]"),
        // A wrong unit, or none.
        ("\"1 ms\"", "\"1 kB\""),
        ("\"1 ms\"", "1"),
        ("\"20 kB\"", "\"20 pkt\""),
        ("\"20 kB\"", "\"20\""),
        ("\"100 pkt\"", "\"100 us\""),
        ("\"20 pkt\"", "\"20 Gbps\""),
        ("k = 4", "k = \"four\""),
        ("k = 4", "k = 4.5"),
        // A word that no registry has, or a parameter of another entry.
        ("\"fat_tree\"", "\"fattree\""),
        ("\"incast\"", "\"incst\""),
        ("\"ecn\"", "\"ecm\""),
        ("k = 4", "leaves = 4"),
        // Missing parts.
        ("duration = \"1 ms\"", ""),
        ("kind = \"ecn\", mark_at = \"20 pkt\"", "kind = [\"ecn\"]"),
    ] {
        assert!(SCENARIO.contains(from), "{from}");
        let text = SCENARIO.replacen(from, to, 1);
        assert_ne!(problems(&schema, &text), [""; 0], "{from} -> {to}");
        room.file("s.toml", &text);
        room.run(&["check", "s.toml"]).with_status(2);
    }
}
