//! Checks `docs/reference/dialogues.md`: its counts are those of its table, and its example is a dialogue that holds.

use std::path::Path;

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/dialogues.md");
    std::fs::read_to_string(path).expect("the page is there")
}

/// Returns the cells of a row of a table.
fn cells(row: &str) -> Vec<&str> {
    row.trim_matches('|').split('|').map(str::trim).collect()
}

#[test]
fn the_counts_of_the_page_are_those_of_its_table() {
    let page = page();
    let rows: Vec<Vec<&str>> = (page.lines())
        .filter(|line| line.starts_with("| `") && line.contains(".pkt`"))
        .map(cells)
        .collect();
    assert!(rows.len() > 50, "{} rows", rows.len());
    let head = page.lines().find(|line| line.starts_with("| Script |"));
    let columns = cells(head.expect("the table has a head"));
    // Columns of the kernel, then of each of our transports.
    let who = columns.len() - 1;
    for (column, name) in (2..who).zip(&columns[2..who]) {
        let begins = format!(
            "| {}",
            name.replace("Kernel", "the kernel").replace("Ours", "ours")
        );
        let told = page.lines().find(|line| line.starts_with(&begins));
        let told = cells(told.unwrap_or_else(|| panic!("no line {begins}")));
        let count = |words: [&str; 2]| {
            let found = rows.iter().filter(|row| words.contains(&row[column]));
            found.count().to_string()
        };
        let words = [
            ["passes", "agrees"],
            ["fails", "differs"],
            ["not played"; 2],
        ];
        assert_eq!(told[1..], words.map(count), "{name}");
    }
}

#[test]
fn each_row_that_differs_says_why() {
    let page = page();
    for row in page.lines().filter(|line| line.contains(".pkt`")) {
        let cells = cells(row);
        let apart = ["fails", "differs", "not played"].iter();
        let apart = apart.filter(|word| cells.contains(word)).count() > 0;
        assert!(!apart || !cells[cells.len() - 1].is_empty(), "{row}");
    }
}

#[test]
fn the_example_of_the_page_holds() {
    let page = page();
    let block = page.split("```text\n").nth(1).expect("a block");
    let text = block.split("```").next().expect("its text");
    let played = crate::play::file("docs/reference/dialogues.md", text);
    let failures = played.iter().filter_map(|one| one.failure.as_ref());
    let failures: Vec<String> = failures.map(ToString::to_string).collect();
    assert_eq!((played.len(), failures), (1, vec![]));
}

/// Checks that every dialogue has a unique name, and a comment with the section, paper or code that its numbers
/// follow from.
#[test]
fn each_dialogue_has_a_name_of_its_own_and_names_its_source() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dialogues");
    let mut names = std::collections::BTreeSet::new();
    let mut wrong = Vec::new();
    for file in std::fs::read_dir(folder).expect("it is there") {
        let path = file.expect("it is listed").path();
        let text = std::fs::read_to_string(&path).expect("it is text");
        for dialogue in text.split("\n== ").skip(1) {
            let name = dialogue.lines().next().unwrap_or_default();
            let sources = ["RFC ", "Linux", "ns-3", "et al.", "header"];
            let comments = dialogue.lines().filter(|line| line.starts_with('#'));
            let named = comments
                .into_iter()
                .any(|line| sources.iter().any(|s| line.contains(s)));
            if !named || !names.insert(name.to_string()) {
                wrong.push(format!("{}: {name}", path.display()));
            }
        }
    }
    assert!(names.len() > 80, "{} dialogues", names.len());
    assert_eq!(wrong, [""; 0]);
}
