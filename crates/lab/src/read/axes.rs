//! `[sweep]` and `[quick]`: changes from point to point, and for a first look.

use super::names::{NAME_RULE, SECTIONS, is_name};
use crate::experiment::Axis;
use crate::tables;
use sidestep_config::document::{self, Entry, Item, Node, Table, find, nested, split};
use sidestep_config::problem::{At, Problems, suggest};
use sidestep_config::source::AROUND;

/// Axis, with the changes of each of its values.
#[derive(Clone, Debug)]
pub(super) struct ReadAxis {
    pub name: String,
    at: At,
    /// True if its name is a word that the file defines, not a key.
    named: bool,
    pub values: Vec<AxisValue>,
    /// Words of its values in the file, in `[sweep]` or `[quick]`: claims and plots may use them.
    pub declared: Vec<String>,
    /// Number of values in `[sweep]`.
    pub swept: usize,
}

/// Value of an axis.
#[derive(Clone, Debug)]
pub(super) struct AxisValue {
    /// Text in tables and plots.
    pub word: String,
    at: At,
    /// Trees to lay over the scenario, one for each key, with the dotted key.
    pub over: Vec<(String, Table)>,
}

impl ReadAxis {
    /// Returns the axis without places and trees.
    pub fn shown(&self) -> Axis {
        Axis {
            name: self.name.clone(),
            values: self.values.iter().map(|value| value.word.clone()).collect(),
            is_key: !self.named,
        }
    }

    /// Iterates over the keys that it changes.
    fn keys(&self) -> impl Iterator<Item = &str> {
        let over = self.values.iter().flat_map(|value| &value.over);
        over.map(|(key, _)| key.as_str())
    }
}

/// Keys that no axis may change, since points are compared scheme by scheme and seed by seed.
const SAME: [&str; 3] = ["title", "seeds", "schemes"];

/// Reads `[sweep]`.
pub(super) fn sweep(root: &Table, problems: &mut Problems) -> Vec<ReadAxis> {
    let mut axes: Vec<ReadAxis> = Vec::new();
    let Some(sweep) = find(root, "sweep") else {
        return axes;
    };
    let Some(table) = sweep.node.table("sweep", problems) else {
        return axes;
    };
    let mut leaves = Vec::new();
    table
        .iter()
        .for_each(|entry| gather("", entry, &mut leaves));
    if leaves.is_empty() {
        let message =
            "sweep: expected an axis, like switch.capacity = [\"50 pkt\", \"100 pkt\"], got none";
        problems.add(&sweep.at, message);
    }
    for (name, entry) in leaves {
        let Some(axis) = axis(&name, entry, problems) else {
            continue;
        };
        let again = axes.iter().find_map(|before| {
            let mut mine = axis.keys();
            let key = mine.find(|key| before.keys().any(|k| k == *key))?;
            Some((before.name.clone(), key.to_string()))
        });
        if let Some((before, key)) = again {
            let message = format!("sweep: {before:?} already sets {key:?}");
            problems.add(&entry.at, message);
        }
        axes.push(axis);
    }
    axes
}

/// Collects dotted keys that are written as tables, down to the first value that is not a table.
fn gather<'a>(prefix: &str, entry: &'a Entry, leaves: &mut Vec<(String, &'a Entry)>) {
    let path = join(prefix, &entry.key);
    match &entry.node.item {
        Item::Table(inner) => inner.iter().for_each(|e| gather(&path, e, leaves)),
        _ => leaves.push((path, entry)),
    }
}

/// Joins a key to a dotted path. The key may be such a path itself: `"buffer.mark_at"`, but not `"edge 0.1"`.
pub(super) fn join(prefix: &str, key: &str) -> String {
    let again = |keys: Vec<String>| {
        keys.iter()
            .fold(String::new(), |path, k| document::join(&path, k))
    };
    let path = split(key).map(again);
    match (prefix, path) {
        ("", Some(path)) if key.contains(['"', '\'']) => path,
        ("", _) => key.to_string(),
        (prefix, Some(path)) if path == key => format!("{prefix}.{path}"),
        (prefix, _) => document::join(prefix, key),
    }
}

fn axis(name: &str, entry: &Entry, problems: &mut Problems) -> Option<ReadAxis> {
    let Item::List(items) = &entry.node.item else {
        let message = format!("sweep: {name:?}: expected a list of values, got a value");
        problems.add(&entry.node.at, message);
        return None;
    };
    if items.is_empty() {
        let message = format!("sweep: {name:?} has no values, so nothing would run");
        problems.add(&entry.node.at, message);
        return None;
    }
    let tables = items.iter().filter(|n| matches!(n.item, Item::Table(_)));
    let named = tables.count() > 0;
    if named && (!is_name(name) || is_top_key(name)) {
        let rule = if is_name(name) {
            "it is a key of a scenario"
        } else {
            NAME_RULE
        };
        let message = format!("sweep: an axis of tables cannot be called {name:?}: {rule}");
        problems.add(&entry.at, message);
        return None;
    }
    let values = values(name, &entry.at, items, named, problems)?;
    Some(ReadAxis {
        name: name.to_string(),
        at: entry.at.clone(),
        named,
        swept: values.len(),
        declared: values.iter().map(|value| value.word.clone()).collect(),
        values,
    })
}

/// True if the name is a key or section of a scenario.
fn is_top_key(name: &str) -> bool {
    let params = tables::SCENARIO.iter().chain(tables::LISTS);
    let mut keys = params.map(|param| param.name).chain(SECTIONS).chain(AROUND);
    keys.any(|key| key == name)
}

fn values(
    name: &str,
    key_at: &At,
    items: &[Node],
    named: bool,
    problems: &mut Problems,
) -> Option<Vec<AxisValue>> {
    let all: Vec<Option<AxisValue>> = items
        .iter()
        .map(|node| {
            if named {
                case(name, node, problems)
            } else {
                let what = format!("sweep: {name:?}");
                let word = node.text(&what, "a value, or a table with `is`", problems)?;
                let over = set(name, key_at, node, problems)?;
                Some(AxisValue {
                    word: word.to_string(),
                    at: node.at.clone(),
                    over: vec![over],
                })
            }
        })
        .collect();
    let all: Vec<AxisValue> = all.into_iter().collect::<Option<_>>()?;
    for (i, value) in all.iter().enumerate() {
        if all[..i].iter().any(|before| before.word == value.word) {
            let message = format!("sweep: {name:?} has {:?} twice", value.word);
            problems.add(&value.at, message);
        }
    }
    Some(all)
}

/// Reads `{ is = "a word", "some.key" = … }`.
fn case(name: &str, node: &Node, problems: &mut Problems) -> Option<AxisValue> {
    let what = format!("sweep: {name:?}");
    let Item::Table(table) = &node.item else {
        let got = node.item.kind();
        let message = format!("{what}: expected a table for every value, got {got}");
        problems.add(&node.at, message);
        return None;
    };
    let Some(is) = find(table, "is") else {
        let message = format!("{what}: `is` is missing: the name of this value");
        problems.add(&node.at, message);
        return None;
    };
    let word = is.node.text(&format!("{what}: is"), "a word", problems)?;
    if word.trim().is_empty() {
        problems.add(&is.node.at, format!("{what}: `is` is empty"));
    }
    let mut over = Vec::new();
    for entry in table.iter().filter(|entry| entry.key != "is") {
        over.push(set(
            &join("", &entry.key),
            &entry.at,
            &entry.node,
            problems,
        )?);
    }
    Some(AxisValue {
        word: word.to_string(),
        at: node.at.clone(),
        over,
    })
}

/// Returns `key` with its value as a tree. Refuses a key that must be the same at every point.
fn set(key: &str, at: &At, node: &Node, problems: &mut Problems) -> Option<(String, Table)> {
    let first = key.split('.').next().unwrap_or(key);
    if SAME.contains(&first) {
        let message = format!("sweep: {first:?} must be the same at every point");
        problems.add(at, message);
        return None;
    }
    Some((key.to_string(), nest(key, at, node, problems)?))
}

/// Returns a dotted key and its value as a table of one entry.
fn nest(key: &str, at: &At, node: &Node, problems: &mut Problems) -> Option<Table> {
    let Some(keys) = split(key) else {
        problems.add(at, format!("{key:?}: expected keys joined by dots"));
        return None;
    };
    Some(nested(&keys, at, node.clone()))
}

/// Content of `[quick]`.
#[derive(Default)]
pub(super) struct Quick {
    /// Trees to lay over the scenario.
    pub over: Vec<Table>,
    /// Other values of axes, by the number of the axis.
    axes: Vec<(usize, Vec<AxisValue>)>,
}

impl Quick {
    /// Gives the axes their values for a first look.
    pub fn apply(&self, axes: &mut [ReadAxis]) {
        for (index, values) in &self.axes {
            axes[*index].values.clone_from(values);
        }
    }
}

/// Reads `[quick]`. Declares its values of axes.
pub(super) fn quick(root: &Table, axes: &mut [ReadAxis], problems: &mut Problems) -> Quick {
    let mut quick = Quick::default();
    let Some(table) = find(root, "quick").and_then(|e| e.node.table("quick", problems)) else {
        return quick;
    };
    for entry in table {
        quick_entry("", entry, axes, &mut quick, problems);
    }
    quick
}

fn quick_entry(
    prefix: &str,
    entry: &Entry,
    axes: &mut [ReadAxis],
    quick: &mut Quick,
    problems: &mut Problems,
) {
    let path = join(prefix, &entry.key);
    if let Some(index) = axes.iter().position(|axis| axis.name == path) {
        if let Some(values) = quick_values(&axes[index], entry, problems) {
            let words = values.iter().map(|value| value.word.clone());
            let new: Vec<String> = words
                .filter(|word| !axes[index].declared.contains(word))
                .collect();
            axes[index].declared.extend(new);
            quick.axes.push((index, values));
        }
        return;
    }
    let inner = format!("{path}.");
    let over_axes = axes.iter().any(|axis| axis.name.starts_with(&inner));
    if let (Item::Table(table), true) = (&entry.node.item, over_axes) {
        for entry in table {
            quick_entry(&path, entry, axes, quick, problems);
        }
        return;
    }
    if let Some(axis) = axes.iter().find(|axis| axis.keys().any(|key| key == path)) {
        let message = format!(
            "quick: axis {:?} already sets {path:?} at every point",
            axis.name
        );
        problems.add(&entry.at, message);
        return;
    }
    quick
        .over
        .extend(nest(&path, &entry.at, &entry.node, problems));
}

/// Reads other values of an axis; a named axis has its values chosen by their words.
fn quick_values(axis: &ReadAxis, entry: &Entry, problems: &mut Problems) -> Option<Vec<AxisValue>> {
    let one = std::slice::from_ref(&entry.node);
    let items = match &entry.node.item {
        Item::List(items) if items.is_empty() => {
            let message = format!("quick: {:?} has no values", axis.name);
            problems.add(&entry.node.at, message);
            return None;
        }
        Item::List(items) => items.as_slice(),
        _ => one,
    };
    if !axis.named {
        return values(&axis.name, &axis.at, items, false, problems);
    }
    let choose = |node: &Node, problems: &mut Problems| {
        let word = node.text(
            &format!("quick: {:?}", axis.name),
            "names of its values",
            problems,
        )?;
        choose(axis, word, &node.at, problems)
    };
    let all: Vec<_> = items.iter().map(|node| choose(node, problems)).collect();
    all.into_iter().collect()
}

/// Returns the value of a named axis with this word.
fn choose(axis: &ReadAxis, word: &str, at: &At, problems: &mut Problems) -> Option<AxisValue> {
    let found = axis.values.iter().find(|value| value.word == word);
    if found.is_none() {
        let known = axis.declared.iter().map(String::as_str);
        let hint = suggest(word, known);
        problems.add(
            at,
            format!("axis {:?} has no value {word:?}{hint}", axis.name),
        );
    }
    found.cloned()
}

/// Lets `--set` win over the axes: an axis that is set has that one value. Returns the sets that remain, and
/// adds notes about the effects.
pub(super) fn settle(
    axes: &mut [ReadAxis],
    sets: Vec<Table>,
    notes: &mut Vec<String>,
    problems: &mut Problems,
) -> Vec<Table> {
    let mut left = Vec::new();
    for set in sets {
        let (path, node) = path_of(&set);
        let Item::Text(word) = &node.item else {
            left.push(set);
            continue;
        };
        if let Some(axis) = axes.iter_mut().find(|axis| axis.name == path) {
            let value = if axis.named {
                choose(axis, word, &node.at, problems)
            } else {
                Some(AxisValue {
                    word: word.clone(),
                    at: node.at.clone(),
                    over: Vec::new(),
                })
            };
            let Some(value) = value else {
                continue;
            };
            let was = axis.values.len();
            notes.push(format!(
                "--set fixes {path} at {word:?}; the file sweeps {was} values"
            ));
            axis.values = vec![value];
            if !axis.named {
                left.push(set);
            }
            continue;
        }
        if let Some(axis) = axes.iter().find(|axis| axis.keys().any(|key| key == path)) {
            let name = &axis.name;
            notes.push(format!(
                "--set {path} overrides the values that axis {name} gives it"
            ));
        }
        left.push(set);
    }
    left
}

/// Returns the dotted key of a `--set`, and its value.
fn path_of(set: &Table) -> (String, &Node) {
    let (mut path, mut node) = (set[0].key.clone(), &set[0].node);
    while let Item::Table(table) = &node.item {
        let [entry] = table.as_slice() else {
            break;
        };
        path = join(&path, &entry.key);
        node = &entry.node;
    }
    (path, node)
}
