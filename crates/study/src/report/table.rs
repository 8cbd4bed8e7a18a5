//! Table of a run: metrics as rows, schemes as columns.

use super::cells::{completed, done, interval, mean, p50, p99};
use super::classes::{blocks, has_mixed_groups};
use crate::format::{Grid, count, number, share};
use sidestep_lab::stats::Summary;
use sidestep_lab::stats::metric::{self, Metric, Reading};
use sidestep_switch::DropReason;

/// Builds the table: metrics as rows, schemes as columns. `short_flows` adds the rows of short background
/// flows, which DIBS reports.
pub fn of(all: &[Summary], short_flows: bool) -> Grid {
    let mut grid = Grid::default();
    let header = all.iter().map(|s| s.scheme.clone());
    grid.row(std::iter::once(String::new()).chain(header));
    grid.rule();
    let drops = DropReason::ALL.map(dropped);
    let others: Vec<Row> = others().map(Row::Happened).collect();
    let packets: Vec<&Row> = drops.iter().chain(PACKETS).chain(&others).collect();
    let section = |grid: &mut Grid, heading: &str, rows: Vec<&Row>| {
        let shown = rows
            .iter()
            .filter(|row| all.iter().any(|s| row.is_shown(s)));
        let shown: Vec<_> = shown.collect();
        if shown.is_empty() {
            return;
        }
        grid.heading(heading);
        for row in shown {
            let cells = all.iter().map(|s| row.cell(s));
            grid.row(std::iter::once(format!("  {}", row.name())).chain(cells));
        }
    };
    section(&mut grid, "queries", QUERIES.iter().collect());
    section(&mut grid, "all groups of flows", GROUPS.iter().collect());
    for block in blocks(all) {
        grid.heading(&block.heading);
        block.rows.into_iter().for_each(|row| grid.row(row));
    }
    if short_flows {
        let rows = SHORT_FLOWS.iter().collect();
        section(&mut grid, "short background flows, 1 to 10 kB", rows);
    }
    section(&mut grid, "all flows that end", FLOWS.iter().collect());
    section(&mut grid, "flows without an end", ENDLESS.iter().collect());
    section(&mut grid, "packets", packets);
    section(&mut grid, "cost", COST.iter().collect());
    grid
}

/// Row of the table.
enum Row {
    /// Count from the table of metrics, with its label there.
    Count(&'static str),
    /// Count from the table of metrics, left out if it is zero for all schemes.
    Happened(&'static str),
    /// Label, a test if a scheme has a value, and the cell's text.
    Own(&'static str, fn(&Summary) -> bool, fn(&Summary) -> String),
}

impl Row {
    fn name(&self) -> &'static str {
        match self {
            Row::Count(name) | Row::Happened(name) => known(name).row.expect("it has a row"),
            Row::Own(name, ..) => name,
        }
    }

    fn is_shown(&self, summary: &Summary) -> bool {
        match self {
            Row::Count(_) => true,
            Row::Happened(name) => counted(name, summary).is_some_and(|n| n > 0),
            Row::Own(_, shown, _) => shown(summary),
        }
    }

    fn cell(&self, summary: &Summary) -> String {
        match self {
            Row::Count(name) | Row::Happened(name) => or_dash(counted(name, summary)),
            Row::Own(_, _, cell) => cell(summary),
        }
    }
}

fn known(name: &str) -> &'static Metric {
    metric::METRICS
        .iter()
        .find(|metric| metric.name == name)
        .expect("a row's count is in the table of metrics")
}

/// Returns a count; `None` if it was not measured.
fn counted(name: &str, summary: &Summary) -> Option<u64> {
    match known(name).read(summary) {
        Reading::Exactly(n) => Some(n as u64),
        Reading::Nothing => None,
        Reading::AtLeast(_) | Reading::AtMost(_) => unreachable!("a count is exact"),
    }
}

/// Returns a share; `None` if it was not measured or has no whole.
fn of_all(name: &str, summary: &Summary) -> Option<f64> {
    match known(name).read(summary) {
        Reading::Exactly(share) => Some(share),
        Reading::Nothing => None,
        Reading::AtLeast(_) | Reading::AtMost(_) => unreachable!("a share of a count is exact"),
    }
}

fn or_dash(n: Option<u64>) -> String {
    n.map_or("-".into(), count)
}

/// Returns the row of drops for a reason. Reasons that apply to every switch have a row even if nothing was
/// dropped.
fn dropped(reason: DropReason) -> Row {
    match reason {
        DropReason::Full | DropReason::Ttl => Row::Count(reason.counted_as()),
        _ => Row::Happened(reason.counted_as()),
    }
}

/// Lists counts with a row label that neither [`dropped`] nor [`PACKETS`] places. Their rows follow the others.
fn others() -> impl Iterator<Item = &'static str> {
    let placed = |name: &str| {
        let is_drop = DropReason::ALL
            .iter()
            .any(|reason| reason.counted_as() == name);
        let mut rows = PACKETS.iter();
        is_drop
            || rows.any(|row| matches!(row, Row::Count(own) | Row::Happened(own) if *own == name))
    };
    let counts = metric::METRICS.iter().filter(|metric| metric.row.is_some());
    counts
        .map(|metric| metric.name)
        .filter(move |name| !placed(name))
}

const QUERIES: &[Row] = &[
    Row::Own("completion p50, ms", has_queries, |s| p50(&s.qct_ms)),
    Row::Own("completion p99, ms", has_queries, |s| p99(&s.qct_ms)),
    Row::Own(
        "  95 % interval over seeds",
        |s| s.qct_ms.ci.is_some(),
        |s| interval(&s.qct_ms),
    ),
    Row::Own("completed", has_queries, |s| completed(&s.qct_ms)),
];

const GROUPS: &[Row] = &[
    Row::Own("completion p50, ms", has_mixed_groups, |s| p50(&s.group_ms)),
    Row::Own("completion p99, ms", has_mixed_groups, |s| p99(&s.group_ms)),
    Row::Own(
        "  95 % interval over seeds",
        |s| has_mixed_groups(s) && s.group_ms.ci.is_some(),
        |s| interval(&s.group_ms),
    ),
    Row::Own("completion mean, ms", has_mixed_groups, |s| {
        mean(&s.group_ms)
    }),
    Row::Own("completed", has_mixed_groups, |s| completed(&s.group_ms)),
];

const SHORT_FLOWS: &[Row] = &[
    Row::Own("completion p50, ms", has_short, |s| p50(&s.fct_short_ms)),
    Row::Own("completion p99, ms", has_short, |s| p99(&s.fct_short_ms)),
    Row::Own(
        "  95 % interval over seeds",
        |s| s.fct_short_ms.ci.is_some(),
        |s| interval(&s.fct_short_ms),
    ),
    Row::Own("completed", has_short, |s| completed(&s.fct_short_ms)),
];

const FLOWS: &[Row] = &[Row::Own(
    "completed",
    |s| flows(s).1 > 0,
    |s| {
        let (done, all) = flows(s);
        format!("{} ({})", count(done), share(done, all))
    },
)];

const ENDLESS: &[Row] = &[
    Row::Own("goodput over the link's rate, mean", has_endless, |s| {
        percent(of_all("flow_link_share_mean", s))
    }),
    Row::Own("  10th percentile of the flows", has_endless, |s| {
        percent(of_all("flow_link_share_p10", s))
    }),
    Row::Own("  most", has_endless, |s| {
        percent(of_all("flow_link_share_max", s))
    }),
    Row::Own(
        "  fair share, mean",
        |s| of_all("fair_share_mean", s).is_some(),
        |s| percent(of_all("fair_share_mean", s)),
    ),
    Row::Own("Jain's index", has_endless, |s| {
        of_all("jain", s).map_or("-".into(), number)
    }),
];

const PACKETS: &[Row] = &[
    Row::Happened("host_drops"),
    Row::Happened("trims"),
    Row::Own(
        "data packets detoured",
        |_| true,
        |s| {
            data(s).map_or("-".into(), |(detoured, delivered)| {
                format!("{} ({})", count(detoured), share(detoured, delivered))
            })
        },
    ),
    Row::Own(
        "  of them in queries",
        |s| has_queries(s) && of_all("detoured_query_share", s).is_some(),
        |s| percent(of_all("detoured_query_share", s)),
    ),
    Row::Own(
        "all packets detoured, with ACKs",
        |s| counted("detours", s).is_some_and(|n| n > 0),
        |s| percent(of_all("detoured_share", s)),
    ),
    Row::Happened("detours"),
    Row::Happened("pauses"),
    Row::Happened("deadlocks"),
    Row::Count("marks"),
    Row::Happened("host_marks"),
    Row::Count("timeouts"),
    Row::Count("retransmits"),
];

const COST: &[Row] = &[
    Row::Own("packet-hops", |_| true, |s| or_dash(s.packet_hops)),
    Row::Own("CPU, s", |_| true, |s| s.cpu_s.map_or("-".into(), number)),
    Row::Own(
        "packet-hops per CPU-second",
        |_| true,
        |s| {
            s.hops_per_cpu_s
                .map_or("-".into(), |h| format!("{} M", number(h / 1e6)))
        },
    ),
];

fn has_endless(s: &Summary) -> bool {
    of_all("flow_link_share_mean", s).is_some()
}

fn has_queries(s: &Summary) -> bool {
    s.qct_ms.n > 0
}

fn has_short(s: &Summary) -> bool {
    s.fct_short_ms.n > 0
}

fn flows(s: &Summary) -> (u64, u64) {
    s.classes
        .iter()
        .fold((0, 0), |(d, n), c| (d + done(&c.fct_ms), n + c.fct_ms.n))
}

fn data(s: &Summary) -> Option<(u64, u64)> {
    let detoured = s.classes.iter().map(|c| c.detoured).sum::<Option<u64>>()?;
    let delivered = s.classes.iter().map(|c| c.delivered).sum::<Option<u64>>()?;
    Some((detoured, delivered))
}

fn percent(value: Option<f64>) -> String {
    value.map_or("-".into(), |v| format!("{:.1} %", v * 100.0))
}
