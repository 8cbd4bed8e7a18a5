//! Test of `docs/tutorials/tutorial.md`: every command of the page runs, in order, in one folder, and prints what the
//! page shows.

use crate::common;

use common::Room;
use std::fs;

const PAGE: &str = include_str!("../../../docs/tutorials/tutorial.md");

/// Command of the page, and the output lines that the page shows; none if it shows none.
struct Step {
    command: Vec<String>,
    shown: Vec<String>,
}

/// Parses the page: each command of a `sh` block, and the `text` block after it, which shows the output of the
/// last of them.
fn steps() -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut block: Option<&str> = None;
    for line in PAGE.lines() {
        match (block, line.strip_prefix("```")) {
            (None, Some(kind)) => block = Some(kind),
            (Some(_), Some(_)) => block = None,
            (Some("sh"), None) => {
                let said = line.split(" #").next().expect("a split has a first part");
                steps.extend(words(said).map(|command| Step {
                    command,
                    shown: Vec::new(),
                }));
            }
            (Some("text"), None) => {
                let step = steps.last_mut().expect("what is said follows a command");
                step.shown.push(line.to_string());
            }
            _ => {}
        }
    }
    assert!(block.is_none(), "a block of the page has no end");
    steps
}

/// Splits the words after `sidestep`, as a shell does; `None` for another command.
fn words(line: &str) -> Option<Vec<String>> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.trim().chars() {
        match c {
            '"' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            _ => words.last_mut().expect("there is a word").push(c),
        }
    }
    (words.remove(0) == "sidestep").then_some(words)
}

/// Returns the first shown line that is missing in `said`, in the order of the page; a line `…` stands for any
/// lines.
fn missing<'a>(shown: &'a [String], said: &str) -> Option<&'a str> {
    let mut lines = said.lines().map(str::trim_end);
    let kept = shown.iter().map(|line| line.trim_end());
    (kept.filter(|line| !line.is_empty() && *line != "…"))
        .find(|line| !lines.any(|said| said == *line))
}

#[test]
fn each_command_of_the_tutorial_says_what_the_page_says() {
    let room = Room::new();
    let steps = steps();
    assert!(steps.len() >= 5, "{} commands were found", steps.len());
    for step in &steps {
        let args: Vec<&str> = step.command.iter().map(String::as_str).collect();
        let done = room.run(&args).with_status(0);
        if let Some(line) = missing(&step.shown, &done.out) {
            panic!(
                "{args:?} does not say, where the page has it:\n{line}\nbut:\n{}",
                done.out
            );
        }
    }
    // The page's picture is the plot of the run.
    let drawn = fs::read_to_string(
        room.path()
            .join("mine/results/plots/fct_cdf.trace_storage.svg"),
    );
    let kept = include_str!("../../../docs/images/tutorial-storage.svg");
    assert!(
        drawn.unwrap() == kept,
        "docs/images/tutorial-storage.svg is not what `run` draws"
    );
    // The page begins with the answer, and shows the plots of claims first.
    let page = fs::read_to_string(room.path().join("mine/results/report.html")).unwrap();
    let order = [
        ">groups of trace/storage, p99, ms</th><td class=\"n\">2.53</td><td class=\"n\">1.80 (0.710 ×)</td>",
        ">flows of trace/storage, p99, ms</th><td class=\"n\">2.47</td><td class=\"n\">1.78 (0.723 ×)</td>",
        ">flows of trace/web, p99, ms</th>",
        ">expected</th>",
        "<h3>Plots</h3>",
        ">Completion time of flows of trace/storage</text>",
        ">Completion time of groups of flows of trace/storage</text>",
        ">Completion time of flows of trace/web</text>",
        "<h3>Numbers</h3>",
    ];
    let places = order.map(|part| page.find(part).unwrap_or_else(|| panic!("{part}")));
    assert!(places.is_sorted(), "{places:?}");
}

#[test]
fn a_line_that_is_not_said_or_not_in_order_is_found() {
    let shown: Vec<String> = ["a", "…", "c  "].map(str::to_string).into();
    assert_eq!(missing(&shown, "a\nb\nc\n"), None);
    assert_eq!(missing(&shown, "c\na\n"), Some("c"));
    assert_eq!(missing(&shown, "a\nb\n"), Some("c"));
}
