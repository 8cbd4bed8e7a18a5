//! `{ axis = "value" }`: the points that a plot or a claim is about.

use super::axes::{ReadAxis, join};
use sidestep_config::document::{Entry, Item, Node};
use sidestep_config::problem::{Problems, suggest};

/// Reads `{ axis = "value", … }` and checks each against the axes. With `several`, a list such as
/// `{ axis = ["one", "other"] }` is two values of the same axis.
pub(super) fn fixed(
    what: &str,
    node: &Node,
    axes: &[ReadAxis],
    several: bool,
    problems: &mut Problems,
) -> Option<Vec<(String, String)>> {
    let table = node.table(what, problems)?;
    let mut fixed = Vec::new();
    let mut leaves: Vec<(String, &Entry)> = Vec::new();
    let mut open: Vec<(String, &Entry)> = Vec::new();
    open.extend(
        table
            .iter()
            .rev()
            .map(|entry| (join("", &entry.key), entry)),
    );
    while let Some((path, entry)) = open.pop() {
        match &entry.node.item {
            Item::Table(inner) => {
                let inner = inner.iter().rev();
                open.extend(inner.map(|e| (join(&path, &e.key), e)));
            }
            _ => leaves.push((path, entry)),
        }
    }
    for (name, entry) in leaves {
        let Some(axis) = axes.iter().find(|axis| axis.name == name) else {
            let known = axes.iter().map(|axis| axis.name.as_str());
            let hint = suggest(&name, known);
            problems.add(&entry.at, format!("{what}: {name:?} is not swept{hint}"));
            continue;
        };
        let nodes = match &entry.node.item {
            Item::List(items) if several && !items.is_empty() => items.iter().collect(),
            _ => vec![&entry.node],
        };
        for node in nodes {
            let Some(value) = node.text(what, "a value of the axis", problems) else {
                continue;
            };
            // `--set` may have left the axis another value; words of the file stay valid.
            let here = axis.values.iter().any(|v| v.word == value);
            if !here && !axis.declared.iter().any(|word| word == value) {
                let known = axis.declared.iter().map(String::as_str);
                let hint = suggest(value, known);
                let message = format!("{what}: no point has {name} = {value:?}{hint}");
                problems.add(&node.at, message);
                continue;
            }
            fixed.push((name.clone(), value.to_string()));
        }
    }
    Some(fixed)
}
