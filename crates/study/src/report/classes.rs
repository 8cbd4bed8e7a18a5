//! Blocks of the report's table, one for each class: a workload, or a class of a flow list.

use super::cells::{completed, interval, mean, p50, p99, p999};
use crate::format::count;
use sidestep_lab::stats::{ClassSummary, Summary};

/// Block of rows below a heading: each row is a label and one cell a scheme.
pub struct Block {
    /// Heading.
    pub heading: String,
    /// Rows for which at least one scheme has a value.
    pub rows: Vec<Vec<String>>,
}

/// Row: its label, a test if a class has a value for it, and the cell's text.
type Row = (
    &'static str,
    fn(&Summary, &ClassSummary) -> bool,
    fn(&Summary, &ClassSummary) -> String,
);

const ROWS: [Row; 16] = [
    ("completion p50, ms", ends, |_, c| p50(&c.fct_ms)),
    ("completion p99, ms", ends, |_, c| p99(&c.fct_ms)),
    (
        INTERVAL,
        |_, c| c.fct_ms.ci.is_some(),
        |_, c| interval(&c.fct_ms),
    ),
    ("completion p99.9, ms", ends, |_, c| p999(&c.fct_ms)),
    ("completion mean, ms", ends, |_, c| mean(&c.fct_ms)),
    ("slowdown p50", slows, |_, c| p50(&c.slowdown)),
    ("slowdown p99", slows, |_, c| p99(&c.slowdown)),
    ("slowdown mean", slows, |_, c| mean(&c.slowdown)),
    ("completed", ends, |_, c| completed(&c.fct_ms)),
    ("group completion p50, ms", groups, |_, c| p50(&c.group_ms)),
    ("group completion p99, ms", groups, |_, c| p99(&c.group_ms)),
    (
        INTERVAL,
        |_, c| c.group_ms.ci.is_some(),
        |_, c| interval(&c.group_ms),
    ),
    ("group completion mean, ms", groups, |_, c| {
        mean(&c.group_ms)
    }),
    ("groups completed", groups, |_, c| completed(&c.group_ms)),
    (
        "data packets dropped",
        |_, _| true,
        |_, c| counted(c.dropped),
    ),
    (
        "detours",
        |_, c| c.detours_delivered.is_some_and(|detours| detours > 0),
        |_, c| counted(c.detours_delivered),
    ),
];

const INTERVAL: &str = "  95 % interval over seeds";

/// Returns the blocks of all classes, in the order of the plan.
pub fn blocks(all: &[Summary]) -> Vec<Block> {
    let names = names(all).into_iter();
    names.map(|name| block(all, name)).collect()
}

/// Returns the names of all classes, in the order of the plan.
pub fn names(all: &[Summary]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for class in all.iter().flat_map(|s| &s.classes) {
        if class.exists() && !names.contains(&&*class.name) {
            names.push(&class.name);
        }
    }
    names
}

fn block(all: &[Summary], name: &str) -> Block {
    let own = |s: &'_ Summary| s.classes.iter().position(|class| class.name == name);
    let places: Vec<Option<usize>> = all.iter().map(own).collect();
    let pairs = || {
        let each = all.iter().zip(&places);
        each.map(|(s, place)| (s, place.map(|place| &s.classes[place])))
    };
    let shown = |row: &&Row| {
        let has = |class: &ClassSummary, s: &Summary| row.1(s, class);
        pairs().any(|(s, class)| class.is_some_and(|class| has(class, s)))
    };
    let cells = |(words, _, cell): &Row| {
        let cells = pairs().map(|(s, class)| class.map_or("-".into(), |class| cell(s, class)));
        std::iter::once(format!("  {words}")).chain(cells).collect()
    };
    Block {
        heading: format!("flows of {name}"),
        rows: ROWS.iter().filter(shown).map(cells).collect(),
    }
}

/// Returns true if some groups have flows of several classes, and so belong to none.
pub fn has_mixed_groups(s: &Summary) -> bool {
    let of_classes = s.classes.iter().map(|class| class.group_ms.n);
    s.group_ms.n > of_classes.sum()
}

fn ends(_: &Summary, class: &ClassSummary) -> bool {
    class.fct_ms.n > 0
}

fn slows(_: &Summary, class: &ClassSummary) -> bool {
    class.slowdown.n > 0
}

fn groups(_: &Summary, class: &ClassSummary) -> bool {
    class.group_ms.n > 0
}

fn counted(known: Option<u64>) -> String {
    known.map_or("-".into(), count)
}
