//! `docs/dialogues.md`: its counts are those of its table, and its example is a dialogue that holds.

use std::path::Path;

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/dialogues.md");
    std::fs::read_to_string(path).expect("the page is there")
}

/// The cells of a row of a table.
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
    // The kernel, then each of ours.
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
    let played = crate::play::file("docs/dialogues.md", text);
    let failures = played.iter().filter_map(|one| one.failure.as_ref());
    let failures: Vec<String> = failures.map(ToString::to_string).collect();
    assert_eq!((played.len(), failures), (1, vec![]));
}
