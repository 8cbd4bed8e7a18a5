//! Short table of the main results: the 99th percentiles of queries, and of the groups and flows of each class.

use super::cells::p99;
use super::classes::names;
use crate::words::{Grid, number, share};
use sidestep_lab::stats::{ClassSummary, Percentiles, Summary};

/// Maximum number of classes in the short table; the whole table has all.
const MOST: usize = 8;

/// Builds the table: percentiles as rows, schemes as columns, relative to the first scheme. `None` if nothing
/// completes.
pub fn of(all: &[Summary]) -> Option<Grid> {
    let mut names = names(all);
    // Classes with groups (bursts) come first: the lab is about them.
    let grouped = |name: &str| {
        all.iter()
            .any(|s| class(s, name).is_some_and(|c| c.group_ms.n > 0))
    };
    names.sort_by_key(|name| !grouped(name));
    let mut grid = Grid::default();
    let header = all.iter().map(|s| s.scheme.clone());
    grid.row(std::iter::once(String::new()).chain(header));
    grid.rule();
    let before = grid.rows().len();
    row(&mut grid, "queries", all, |s| Some(&s.qct_ms));
    for name in names.into_iter().take(MOST) {
        row(&mut grid, &format!("groups of {name}"), all, |s| {
            class(s, name).map(|c| &c.group_ms)
        });
        row(&mut grid, &format!("flows of {name}"), all, |s| {
            class(s, name).map(|c| &c.fct_ms)
        });
    }
    (grid.rows().len() > before).then_some(grid)
}

fn class<'a>(summary: &'a Summary, name: &str) -> Option<&'a ClassSummary> {
    summary.classes.iter().find(|class| class.name == name)
}

/// Adds a row, and a second one with the completed share if some did not complete.
fn row<'a>(
    grid: &mut Grid,
    what: &str,
    all: &'a [Summary],
    of: impl Fn(&'a Summary) -> Option<&'a Percentiles>,
) {
    let all: Vec<Option<&Percentiles>> = all.iter().map(|s| of(s).filter(|p| p.n > 0)).collect();
    if all.iter().all(Option::is_none) {
        return;
    }
    let exact = |of: &Percentiles| of.p99.filter(|p99| !of.p99_at_least && *p99 > 0.0);
    let first = all[0].and_then(exact);
    let cells = all.iter().enumerate().map(|(nth, of)| {
        let Some(of) = of else {
            return "-".to_string();
        };
        match (first, exact(of)) {
            (Some(first), Some(own)) if nth > 0 => {
                format!("{} ({} \u{d7})", p99(of), number(own / first))
            }
            _ => p99(of),
        }
    });
    grid.row(std::iter::once(format!("{what}, ms")).chain(cells));
    let whole = |of: &&Percentiles| of.completed_share == Some(1.0);
    if all.iter().flatten().all(whole) {
        return;
    }
    let cells = all.iter().map(|of| {
        let done = |of: &Percentiles| (of.completed_share.unwrap_or(0.0) * of.n as f64).round();
        of.map_or("-".into(), |of| share(done(of) as u64, of.n))
    });
    grid.row(std::iter::once("  completed".to_string()).chain(cells));
}
