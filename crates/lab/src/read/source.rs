//! Where a value comes from: paper, assumption, scheme, scenario, user or default.

use super::document::{Item, Table, find};
use super::problem::{At, Problems, suggest};
use std::collections::BTreeMap;

/// Who wrote a layer.
#[derive(Debug)]
pub(crate) enum Origin {
    /// The scenario's file, with its `[source]`.
    Scenario(Sources),
    /// A scheme's file, with its `[source]`.
    Scheme(String, Sources),
    /// A `--set`.
    User,
}

/// The `[source]` of a file: dotted key to words.
pub(crate) type Sources = BTreeMap<String, String>;

impl Origin {
    /// The source of the value that this layer gave to `path`.
    pub fn source(&self, path: &str) -> String {
        match self {
            Origin::User => "user: --set".to_string(),
            Origin::Scenario(sources) => match sources.get(path) {
                Some(words) => cite(words),
                None => "scenario file".to_string(),
            },
            Origin::Scheme(name, sources) => match sources.get(path) {
                Some(words) if words.starts_with("assumed") => format!("{words} (scheme {name})"),
                Some(words) => format!("scheme {name}: {words}"),
                None => format!("scheme {name}"),
            },
        }
    }
}

/// The source of a default, from the words that explain it.
pub(crate) fn default(doc: &str) -> String {
    let word = if doc.contains("assumed") {
        "assumed"
    } else {
        "default"
    };
    format!("{word}: {doc}")
}

/// Words that say what they are stay; others are a paper's.
fn cite(words: &str) -> String {
    const KNOWN: [&str; 6] = [
        "paper:",
        "assumed:",
        "default:",
        "user:",
        "scheme ",
        "scenario file",
    ];
    if KNOWN.iter().any(|known| words.starts_with(known)) {
        words.to_string()
    } else {
        format!("paper: {words}")
    }
}

/// Reads the `[source]` of a file. Each key must be one that the file sets.
pub(crate) fn read(root: &Table, problems: &mut Problems) -> Sources {
    let mut sources = Sources::new();
    let Some(table) = find(root, "source").and_then(|e| e.node.table("source", problems)) else {
        return sources;
    };
    let mut set = Vec::new();
    list("", root, &mut set);
    for entry in table {
        let Some(words) = entry.node.text("source", "a citation", problems) else {
            continue;
        };
        let key = entry
            .key
            .strip_suffix(".kind")
            .filter(|k| set.iter().any(|s| s == k));
        let key = key.unwrap_or(&entry.key);
        if !set.iter().any(|s| s == key) {
            unset(&entry.at, key, &set, problems);
        }
        sources.insert(key.to_string(), words.to_string());
    }
    sources
}

fn unset(at: &At, key: &str, set: &[String], problems: &mut Problems) {
    let hint = suggest(key, set.iter().map(String::as_str));
    // The list of all keys would be the whole file again.
    let hint = if hint.starts_with("; known") {
        ""
    } else {
        &hint
    };
    problems.add(
        at,
        format!("[source] names {key:?}, which this file does not set{hint}"),
    );
}

/// All dotted keys of a tree, inner ones included.
fn list(prefix: &str, table: &Table, set: &mut Vec<String>) {
    for entry in table {
        if prefix.is_empty() && matches!(entry.key.as_str(), "source" | "claim") {
            continue;
        }
        let path = match prefix {
            "" => entry.key.clone(),
            prefix => format!("{prefix}.{}", entry.key),
        };
        if let Item::Table(inner) = &entry.node.item {
            list(&path, inner, set);
        }
        set.push(path);
    }
}
