//! Origin of a value: paper, assumption, scheme, scenario, user or default.

use crate::document::{Item, Table, find, join};
use crate::problem::{At, Problems, suggest};
use std::collections::BTreeMap;

/// Top-level keys of a file about its values or its results, not about the scenario itself.
pub const AROUND: [&str; 7] = [
    "source", "claim", "extends", "figure", "plot", "sweep", "quick",
];

/// Origin of a layer.
#[derive(Debug)]
pub enum Origin {
    /// The scenario's file, with its `[source]`.
    Scenario(Sources),
    /// A scheme's file, with its `[source]`.
    Scheme(String, Sources),
    /// A profile's file, with its `[source]`.
    Profile(String, Sources),
    /// A `[quick]`.
    Quick,
    /// A value of `[sweep]`.
    Sweep,
    /// A `--set`.
    User,
}

/// Table `[source]` of a file: dotted key to words.
pub type Sources = BTreeMap<String, String>;

impl Origin {
    /// Returns the source of the value that this layer gave to `path`.
    pub fn source(&self, path: &str) -> String {
        match self {
            Origin::User => "user: --set".to_string(),
            Origin::Quick => QUICK.to_string(),
            Origin::Sweep => SWEEP.to_string(),
            Origin::Scenario(sources) => {
                match sources.get(path).or_else(|| chosen(sources, path)) {
                    Some(words) => cite(words),
                    None => "scenario file".to_string(),
                }
            }
            Origin::Scheme(name, sources) => match sources.get(path) {
                Some(words) if words.starts_with("assumed") => format!("{words} (scheme {name})"),
                Some(words) => format!("scheme {name}: {words}"),
                None => format!("scheme {name}"),
            },
            Origin::Profile(name, sources) => match sources.get(path) {
                Some(words) => format!("profile {name}: {words}"),
                None => format!("profile {name}"),
            },
        }
    }
}

/// Returns the source of the kind of a table that may also be a name alone: `workload.web.transport = "dctcp"`.
fn chosen<'a>(sources: &'a Sources, path: &str) -> Option<&'a String> {
    let whole = path.strip_suffix(".transport.kind")?;
    sources.get(&format!("{whole}.transport"))
}

impl Origin {
    /// Returns true if the layer exists to override others.
    pub fn replaces(&self) -> bool {
        matches!(self, Origin::User | Origin::Quick | Origin::Sweep)
    }
}

/// Source of a value from `[quick]`.
pub const QUICK: &str = "quick";

/// Source of a value from `[sweep]`.
pub const SWEEP: &str = "sweep";

/// Returns true if these words, a source or the description of a default, contain "assumed". The word may apply
/// to a part alone: `DIBS Table 2; Poisson is assumed`.
pub fn is_assumed(words: &str) -> bool {
    words.contains("assumed")
}

/// Returns the source of a default, from its description. The word "assumed" moves from the end of the
/// description to its front.
pub fn default(doc: &str) -> String {
    if !is_assumed(doc) {
        return format!("default: {doc}");
    }
    let words = doc.strip_suffix("; assumed").unwrap_or(doc);
    let words = words.replacen("; assumed: ", "; ", 1);
    format!("assumed: {}", words.replacen("; assumed ", "; ", 1))
}

/// Returns words that begin with a known origin unchanged, and marks other words as those of a paper.
fn cite(words: &str) -> String {
    const KNOWN: [&str; 7] = [
        "paper:",
        "assumed:",
        "default:",
        "user:",
        "scheme ",
        "profile ",
        "scenario file",
    ];
    let whole = [QUICK, SWEEP].contains(&words);
    if whole || KNOWN.iter().any(|known| words.starts_with(known)) {
        words.to_string()
    } else {
        format!("paper: {words}")
    }
}

/// Reads the `[source]` of a file. The file must set each key named there.
pub fn read(root: &Table, problems: &mut Problems) -> Sources {
    let mut sources = Sources::new();
    let Some(table) = find(root, "source").and_then(|e| e.node.table("source", problems)) else {
        return sources;
    };
    let set = keys(root);
    for entry in table {
        let Some(words) = entry.node.text("source", "a citation", problems) else {
            continue;
        };
        if !set.contains(&entry.key) {
            // Accepts `switch.buffer.kind` for `buffer = "dibs"`.
            let whole = entry.key.strip_suffix(".kind").unwrap_or(&entry.key);
            if !set.iter().any(|key| key == whole) {
                unset(&entry.at, &entry.key, &set, problems);
            }
        }
        // The source of a policy's kind is stored under the policy's key.
        if let Some(policy) = entry.key.strip_suffix(".kind") {
            sources.insert(policy.to_string(), words.to_string());
        }
        sources.insert(entry.key.clone(), words.to_string());
    }
    sources
}

fn unset(at: &At, key: &str, set: &[String], problems: &mut Problems) {
    let hint = suggest(key, set.iter().map(String::as_str));
    // A list of all keys would repeat the whole file.
    let hint = if hint.starts_with("; known") {
        ""
    } else {
        &hint
    };
    problems.add(
        at,
        format!("[source] has the key {key:?}, but this file does not set that{hint}"),
    );
}

/// Returns all dotted keys of a file, nested ones included.
pub fn keys(root: &Table) -> Vec<String> {
    let mut set = Vec::new();
    list("", root, &mut set);
    set
}

fn list(prefix: &str, table: &Table, set: &mut Vec<String>) {
    for entry in table {
        if prefix.is_empty() && AROUND.contains(&entry.key.as_str()) {
            continue;
        }
        let path = join(prefix, &entry.key);
        match &entry.node.item {
            Item::Table(inner) => list(&path, inner, set),
            // The first of several `[[change]]` is `change.1`.
            Item::List(items) => {
                for (number, item) in (1..).zip(items) {
                    if let Item::Table(inner) = &item.item {
                        list(&join(&path, &format!("{number}")), inner, set);
                    }
                }
            }
            Item::Text(_) => {}
        }
        set.push(path);
    }
}

#[cfg(test)]
mod tests {
    use super::default;

    #[test]
    fn assumed_stands_before_the_words_and_not_behind() {
        assert_eq!(default("of every link"), "default: of every link");
        assert_eq!(default("when; assumed"), "assumed: when");
        assert_eq!(
            default("of every link; assumed: DIBS is silent"),
            "assumed: of every link; DIBS is silent"
        );
        assert_eq!(
            default("of a request; assumed off: DIBS is silent"),
            "assumed: of a request; off: DIBS is silent"
        );
    }
}
