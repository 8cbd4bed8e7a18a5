//! Access to tables and lists of any section of a config.

use sidestep_config::document::{Entry, Item, Node, Table, find};
use sidestep_config::problem::{At, Problems};

/// Returns the table of a section, with its place; empty if it is missing.
pub(super) fn table(
    root: &Table,
    name: &str,
    at: &At,
    problems: &mut Problems,
) -> Option<(Table, At)> {
    match find(root, name) {
        None => Some((Table::new(), at.clone())),
        Some(entry) => Some((entry.node.table(name, problems)?.clone(), entry.at.clone())),
    }
}

/// Returns the tables of `[[name]]`, with their places.
pub(super) fn tables<'a>(
    root: &'a Table,
    name: &str,
    problems: &mut Problems,
) -> Option<Vec<(&'a Table, &'a At)>> {
    let Some(entry) = find(root, name) else {
        return Some(Vec::new());
    };
    let Item::List(nodes) = &entry.node.item else {
        let got = entry.node.item.kind();
        let message = format!("{name}: expected [[{name}]], got {got}");
        problems.add(&entry.at, message);
        return None;
    };
    let read =
        |node: &'a Node, problems: &mut Problems| Some((node.table(name, problems)?, &node.at));
    let all: Vec<_> = nodes.iter().map(|node| read(node, problems)).collect();
    all.into_iter().collect()
}

/// Splits a table into its plain values and the lists called `lists`.
pub(super) fn split<'a>(table: &'a Table, lists: &[&str]) -> (Table, Vec<&'a Entry>) {
    let (list, plain): (Vec<&Entry>, Vec<&Entry>) = table
        .iter()
        .partition(|entry| lists.contains(&entry.key.as_str()));
    (plain.into_iter().cloned().collect(), list)
}

/// Returns the words of the list `key`, with their places; empty if it is missing.
pub(super) fn words<'a>(
    lists: &[&'a Entry],
    key: &str,
    problems: &mut Problems,
) -> Option<Vec<(&'a str, &'a At)>> {
    let Some(entry) = lists.iter().find(|entry| entry.key == key) else {
        return Some(Vec::new());
    };
    let Item::List(nodes) = &entry.node.item else {
        let got = entry.node.item.kind();
        problems.add(&entry.node.at, format!("{key}: expected a list, got {got}"));
        return None;
    };
    let read = |node: &'a Node, problems: &mut Problems| {
        Some((node.text(key, "a word", problems)?, &node.at))
    };
    let all: Vec<_> = nodes.iter().map(|node| read(node, problems)).collect();
    all.into_iter().collect()
}
