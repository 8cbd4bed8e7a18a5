//! Helpers of the reader: words, names, tables within tables, and settings.

use crate::scenario::{Setting, SettingContent};
use sidestep_config::document::{Item, Node, Table, find};
use sidestep_config::problem::{At, Problems};
use sidestep_config::section::Resolved;

/// Sections of a scenario, and two of the keys around it.
pub const SECTIONS: [&str; 10] = [
    "topology",
    "switch",
    "transport",
    "host",
    "workload",
    "scheme",
    "probe",
    "change",
    "source",
    "claim",
];

pub(super) const NAME_RULE: &str = "a name has at most 64 characters: letters, digits, \"-\" and \
                                    \"_\"";

pub(super) fn is_name(name: &str) -> bool {
    // Files are named after the name.
    (1..=64).contains(&name.len())
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
}

/// Returns the name in a path: `dibs` of `schemes/dibs.toml`.
pub(super) fn stem(path: &str) -> &str {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    file.strip_suffix(".toml").unwrap_or(file)
}

/// Splits `"a, b"` or `["a", "b"]` into words, each with its place.
pub(super) fn words(
    node: &Node,
    what: &str,
    expected: &str,
    problems: &mut Problems,
) -> Vec<(String, At)> {
    let nodes: Vec<&Node> = match &node.item {
        Item::List(items) => items.iter().collect(),
        _ => vec![node],
    };
    let mut words = Vec::new();
    for node in nodes {
        let Some(text) = node.text(what, expected, problems) else {
            continue;
        };
        let parts = text.split(',').map(|part| part.trim().to_string());
        words.extend(parts.map(|part| (part, node.at.clone())));
    }
    words
}

/// Returns the table at `path`, and the place of its key.
pub(super) fn descend<'a>(
    root: &'a Table,
    path: &[&str],
    problems: &mut Problems,
) -> Option<(&'a Table, &'a At)> {
    let mut at = None;
    let mut table = root;
    for (depth, key) in path.iter().enumerate() {
        let entry = find(table, key)?;
        at = Some(&entry.at);
        table = entry.node.table(&path[..=depth].join("."), problems)?;
    }
    Some((table, at?))
}

/// Returns the settings as settings for every scheme.
pub(super) fn common(resolved: Resolved) -> Vec<Setting> {
    of_scheme(None, resolved)
}

/// Returns the settings as settings of one scheme.
pub(super) fn of_scheme(scheme: Option<&str>, resolved: Resolved) -> Vec<Setting> {
    let setting = |(key, value, source)| {
        Setting::from(SettingContent {
            scheme: scheme.map(str::to_string),
            key,
            value,
            source,
        })
    };
    resolved.settings.into_iter().map(setting).collect()
}
