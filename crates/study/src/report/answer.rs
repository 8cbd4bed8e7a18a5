//! Short result of a run, as a table: 99th percentiles of queries, and of the groups and flows of each class, with
//! interval, ratio to the first scheme and completed share; then goodput, drops, detours and timeouts.

use super::cells::{done, interval, p50, p99};
use super::classes::names;
use crate::format::{Grid, count, number, share};
use sidestep_lab::stats::metric::{self, Reading};
use sidestep_lab::stats::{ClassSummary, Percentiles, Summary};

/// Maximum number of classes in an answer.
const MOST: usize = 8;

/// Metric of the goodput of endless flows.
const GOODPUT: &str = "flow_link_share_mean";

/// Counts below the percentiles: metric, label, and true if the row is shown even if all counts are 0.
const COUNTS: [(&str, &str, bool); 3] = [
    ("drops", "packets dropped", true),
    ("detours", "detours", false),
    ("timeouts", "retransmission timeouts", true),
];

/// Names the metrics of the answer: percentiles and completed shares of queries, and of the groups and flows of each class;
/// goodput; counts.
pub fn metrics(summary: &Summary) -> Vec<String> {
    let of = |population: &str, class: &str| {
        let each = ["p50_ms", "p95_ms", "p99_ms", "completed_share"];
        each.map(|number| format!("{population}_{number}{class}"))
    };
    let mut all: Vec<String> = of("qct", "").into();
    for class in &summary.classes {
        let class = format!(":{}", class.name);
        all.extend(of("group", &class).into_iter().chain(of("fct", &class)));
    }
    let counts = COUNTS.iter().map(|(name, ..)| name.to_string());
    all.extend(std::iter::once(GOODPUT.to_string()).chain(counts));
    all
}

/// Tabulates percentiles as rows and schemes as columns; with `medians`, the 50th percentiles too. `None` if there is
/// no row: no queries, groups or finite flows.
pub fn percentiles(all: &[Summary], medians: bool) -> Option<Grid> {
    let mut names = names(all);
    // Classes with groups (bursts) come first, since users ask about these.
    let grouped = |name: &str| {
        all.iter()
            .any(|s| class(s, name).is_some_and(|c| c.group_ms.n > 0))
    };
    names.sort_by_key(|name| !grouped(name));
    let mut grid = headed(all);
    let before = grid.rows().len();
    let mut rows = Rows {
        grid: &mut grid,
        all,
        medians,
    };
    rows.of("queries", |s| Some(&s.qct_ms));
    for name in names.into_iter().take(MOST) {
        rows.of(&format!("groups of {name}"), |s| {
            class(s, name).map(|c| &c.group_ms)
        });
        rows.of(&format!("flows of {name}"), |s| {
            class(s, name).map(|c| &c.fct_ms)
        });
    }
    (grid.rows().len() > before).then_some(grid)
}

/// Tabulates the complete answer: percentiles, goodput of endless flows, drops, detours and timeouts.
pub fn of(all: &[Summary], medians: bool) -> Grid {
    let mut grid = percentiles(all, medians).unwrap_or_else(|| headed(all));
    let left = names(all).len().saturating_sub(MOST);
    if left > 0 {
        grid.heading(&format!("  and {left} more classes: --all prints them"));
    }
    let mut row = |words: &str, cells: Vec<Option<String>>| {
        if cells.iter().any(Option::is_some) {
            let cells = cells.into_iter().map(|cell| cell.unwrap_or("-".into()));
            grid.row(std::iter::once(words.to_string()).chain(cells));
        }
    };
    let read = |name: &str, s: &Summary| match metric::find(name)?.read(s) {
        Reading::Exactly(value) => Some(value),
        _ => None,
    };
    let goodput = all.iter().map(|s| {
        let share = read(GOODPUT, s)?;
        Some(format!("{:.1} %", share * 100.0))
    });
    row("goodput of endless flows, of the link", goodput.collect());
    for (name, label, always) in COUNTS {
        let values: Vec<Option<f64>> = all.iter().map(|s| read(name, s)).collect();
        if always || values.iter().flatten().any(|n| *n > 0.0) {
            let cells = values.iter().map(|n| n.map(|n| count(n as u64)));
            row(label, cells.collect());
        }
    }
    grid
}

/// Returns a table with a column for each scheme, and no row yet.
fn headed(all: &[Summary]) -> Grid {
    let mut grid = Grid::default();
    let header = all.iter().map(|s| s.scheme.clone());
    grid.row(std::iter::once(String::new()).chain(header));
    grid.rule();
    grid
}

fn class<'a>(summary: &'a Summary, name: &str) -> Option<&'a ClassSummary> {
    summary.classes.iter().find(|class| class.name == name)
}

/// Writer of rows of completion times into a grid.
struct Rows<'a, 'g> {
    grid: &'g mut Grid,
    all: &'a [Summary],
    medians: bool,
}

impl<'a> Rows<'a, '_> {
    /// Writes the rows of one population, called `what`: p99 with its ratio to the first scheme, interval, share that
    /// completed. `of` selects the percentiles of the population from a summary. Writes nothing if no scheme has any.
    fn of(&mut self, what: &str, of: impl Fn(&'a Summary) -> Option<&'a Percentiles>) {
        let own = |s| of(s).filter(|p: &&Percentiles| p.n > 0);
        let all: Vec<Option<&Percentiles>> = self.all.iter().map(own).collect();
        if all.iter().all(Option::is_none) {
            return;
        }
        let dash = || "-".to_string();
        let mut row = |words: String, cell: &dyn Fn(usize, &Percentiles) -> String| {
            let cells = all.iter().enumerate();
            let cells = cells.map(|(nth, of)| of.map_or_else(dash, |of| cell(nth, of)));
            self.grid.row(std::iter::once(words).chain(cells));
        };
        if self.medians {
            row(format!("{what}, p50, ms"), &|_, of| p50(of));
        }
        let exact = |of: &Percentiles| of.p99.filter(|p99| !of.p99_at_least && *p99 > 0.0);
        let first = all[0].and_then(exact);
        row(
            format!("{what}, p99, ms"),
            &|nth, of| match (first, exact(of)) {
                (Some(first), Some(own)) if nth > 0 => {
                    format!("{} ({} \u{d7})", p99(of), number(own / first))
                }
                _ => p99(of),
            },
        );
        if all.iter().flatten().any(|of| of.ci.is_some()) {
            row("  95 % interval over seeds".into(), &|_, of| interval(of));
        }
        let seeds = |nth: usize| self.all[nth].seeds.len() as u64;
        row("  completed (seeds \u{d7} number)".into(), &|nth, of| {
            completed(of, seeds(nth))
        });
    }
}

/// Formats the completed share and the number of items: `100 % of 10 × 166` for 166 in each of 10 seeds.
fn completed(of: &Percentiles, seeds: u64) -> String {
    let all = match of.n.checked_div(seeds) {
        Some(each) if seeds > 1 && each * seeds == of.n => {
            format!("{seeds} \u{d7} {}", count(each))
        }
        _ if seeds > 1 => format!("{} in {seeds} seeds", count(of.n)),
        _ => count(of.n),
    };
    format!("{} of {all}", share(done(of), of.n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::report;

    #[test]
    fn a_share_says_of_how_many_in_each_seed() {
        let of = |n| Percentiles {
            n,
            completed_share: Some(1.0),
            ..Percentiles::default()
        };
        assert_eq!(completed(&of(1660), 10), "100 % of 10 \u{d7} 166");
        assert_eq!(completed(&of(1663), 10), "100 % of 1,663 in 10 seeds");
        assert_eq!(completed(&of(166), 1), "100 % of 166");
    }

    #[test]
    fn the_answer_is_percentiles_with_ratio_and_completed_share_then_drops_and_timeouts() {
        let mut report = report();
        for summary in &mut report.summaries {
            (summary.qct_ms.p99_at_least, summary.qct_ms.ci) = (false, Some([3.5, 26.0]));
        }
        let text = of(&report.summaries, false).render(&[]);
        let lines: Vec<String> = (text.lines())
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        let rows = [
            "queries, p99, ms 24.0 4.00 (0.167 \u{d7})",
            "95 % interval over seeds 3.50..26.0 3.50..26.0",
            "completed (seeds \u{d7} number) 97.0 % of 2 \u{d7} 50 100 % of 2 \u{d7} 50",
            "packets dropped 7 7",
            "retransmission timeouts 5 5",
        ];
        assert_eq!(lines[0], "dctcp dibs");
        assert_eq!(lines[2..], rows, "{text}");
    }

    #[test]
    fn medians_stand_where_they_are_asked_for() {
        let text = of(&report().summaries, true).render(&[]);
        assert!(text.contains("queries, p50, ms"), "{text}");
    }
}
