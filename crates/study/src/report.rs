//! The numbers of a session: `summary.json`, and the tables people read.

use crate::blank::{summary_from, summary_json};
use crate::manifest::Status;
use crate::words::{Grid, count, number, seeds, share, wrap};
use serde_json::{Map, Value, json};
use sidestep_lab::ClaimResult;
use sidestep_lab::stats::{Percentiles, Summary};

/// What `summary.json` says.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The scenario's name.
    pub scenario: String,
    /// What it shows, in one line; may be empty.
    pub title: String,
    /// All that were asked for.
    pub seeds: Vec<u64>,
    /// Whether all ran to their end.
    pub status: Status,
    /// What must be read before trusting a number.
    pub warnings: Vec<String>,
    /// One a scheme that ran.
    pub summaries: Vec<Summary>,
    /// The paper's claims beside our numbers.
    pub claims: Vec<ClaimResult>,
}

impl Report {
    /// As it stands in `summary.json`: schemes by name, in the order of the scenario.
    pub fn to_json(&self) -> Value {
        let all = self.summaries.iter();
        let schemes = all.map(|s| (s.scheme.clone(), summary_json(s)));
        json!({
            "scenario": self.scenario,
            "title": self.title,
            "status": self.status.word(),
            "seeds": self.seeds,
            "warnings": self.warnings,
            "schemes": Map::from_iter(schemes),
            "claims": self.claims,
        })
    }

    /// Reads it back. Errors say what is missing or not as expected.
    pub fn from_json(value: &Value) -> Result<Report, String> {
        let text = |key: &str| {
            let found = value[key].as_str();
            found
                .map(str::to_string)
                .ok_or_else(|| format!("expected {key:?} to be a text, got {}", value[key]))
        };
        let schemes = value["schemes"]
            .as_object()
            .ok_or("expected \"schemes\" to be an object")?;
        let summaries = schemes
            .values()
            .cloned()
            .map(summary_from)
            .collect::<Result<_, _>>();
        let list = |key: &str| value[key].clone();
        Ok(Report {
            scenario: text("scenario")?,
            title: text("title")?,
            seeds: serde_json::from_value(list("seeds")).map_err(|e| format!("\"seeds\": {e}"))?,
            status: if text("status")? == "complete" {
                Status::Complete
            } else {
                Status::Partial
            },
            warnings: serde_json::from_value(list("warnings"))
                .map_err(|e| format!("\"warnings\": {e}"))?,
            summaries: summaries.map_err(|e| format!("\"schemes\": {e}"))?,
            claims: serde_json::from_value(list("claims"))
                .map_err(|e| format!("\"claims\": {e}"))?,
        })
    }

    /// The table, the claims and the warnings as text.
    pub fn to_text(&self) -> String {
        let mut out = self.headline();
        out.push_str(&self.table());
        if !self.claims.is_empty() {
            out.push('\n');
            out.push_str(&claims_table(&self.claims));
        }
        for warning in &self.warnings {
            out.push('\n');
            out.push_str(&hang("warning: ", warning, 88));
        }
        out
    }

    fn headline(&self) -> String {
        let mut out = match self.title.as_str() {
            "" => format!("{}, seeds {}\n", self.scenario, seeds(&self.seeds)),
            title => hang(
                "",
                &format!("{}: {title}; seeds {}", self.scenario, seeds(&self.seeds)),
                88,
            ),
        };
        if self.status == Status::Partial {
            let runs: Vec<String> = self
                .summaries
                .iter()
                .map(|s| format!("{} of {} {}", s.seeds.len(), self.seeds.len(), s.scheme))
                .collect();
            let runs = if runs.is_empty() {
                "none".into()
            } else {
                runs.join(", ")
            };
            out.push_str(&hang(
                "PARTIAL: ",
                &format!(
                    "interrupted; runs begun: {runs}. What was under way counts as not completed."
                ),
                88,
            ));
        }
        out.push('\n');
        out
    }

    /// Metrics as rows, schemes as columns.
    fn table(&self) -> String {
        let mut grid = Grid::default();
        let all = &self.summaries;
        let header = all.iter().map(|s| s.scheme.clone());
        grid.row(std::iter::once(String::new()).chain(header));
        grid.rule();
        let mut section = |heading: &str, rows: &[Metric]| {
            let shown: Vec<&Metric> = rows
                .iter()
                .filter(|m| all.iter().any(|s| (m.shown)(s)))
                .collect();
            if shown.is_empty() {
                return;
            }
            grid.heading(heading);
            for metric in shown {
                let cells = all.iter().map(|s| (metric.cell)(s));
                grid.row(std::iter::once(format!("  {}", metric.name)).chain(cells));
            }
        };
        section("queries", QUERIES);
        section("short background flows, 1 to 10 kB", SHORT_FLOWS);
        section("all flows that end", FLOWS);
        section("packets", PACKETS);
        section("cost", COST);
        grid.render(&[])
    }
}

/// The paper's words beside our numbers.
pub(crate) fn claims_table(claims: &[ClaimResult]) -> String {
    let mut grid = Grid::default();
    grid.row([
        "the paper says".into(),
        "paper".into(),
        "ours".into(),
        "verdict".into(),
    ]);
    grid.rule();
    for claim in claims {
        let source = if claim.figure.is_empty() {
            String::new()
        } else {
            format!(" ({})", claim.figure)
        };
        let mut lines = wrap(&format!("{}{source}", claim.says), 48).into_iter();
        let first = lines.next().unwrap_or_default();
        grid.row([
            first,
            claim.paper.map_or("-".into(), number),
            ours(claim),
            if claim.is_expected() {
                claim.verdict.to_string()
            } else {
                format!("{}, not as expected", claim.verdict)
            },
        ]);
        let mut more: Vec<String> = lines.collect();
        more.extend(
            wrap(&format!("{}: {}", claim.metric, claim.compare), 46)
                .into_iter()
                .map(|l| format!("  {l}")),
        );
        more.extend(
            wrap(&place(claim), 46)
                .into_iter()
                .map(|l| format!("  {l}")),
        );
        let interval = interval_of(claim);
        for (i, line) in more.into_iter().enumerate() {
            let beside = if i == 0 {
                interval.clone().unwrap_or_default()
            } else {
                String::new()
            };
            grid.row([line, String::new(), beside, String::new()]);
        }
        if claim.gap != "none" {
            for line in wrap(&format!("gap: {}", claim.gap), 84) {
                grid.heading(&format!("  {line}"));
            }
        }
    }
    grid.render(&[3])
}

/// Of which points a claim speaks, in words; nothing without a sweep.
fn place(claim: &ClaimResult) -> String {
    let pairs = |at: &std::collections::BTreeMap<String, String>| {
        let pairs: Vec<String> = at.iter().map(|(axis, v)| format!("{axis} {v}")).collect();
        pairs.join(", ")
    };
    let mut words = String::new();
    if let Some(over) = claim.over {
        words = format!("{} of {} points", over.name(), claim.points.len());
    }
    for (before, at) in [
        ("at", &claim.at),
        ("less that at", &claim.less),
        ("over that at", &claim.per),
    ] {
        if !at.is_empty() {
            let gap = if words.is_empty() { "" } else { ", " };
            words.push_str(&format!("{gap}{before} {}", pairs(at)));
        }
    }
    words
}

/// The interval of a claim's number over seeds. A count is the sum over seeds, so its
/// interval says that it is of one seed.
fn interval_of(claim: &ClaimResult) -> Option<String> {
    let [low, high] = claim.ci.filter(|[low, high]| low < high)?;
    let counted = [
        "drops",
        "trims",
        "detours",
        "marks",
        "timeouts",
        "retransmits",
    ];
    let of_one = counted.contains(&claim.metric.split('_').next()?) && !claim.compare.contains('/');
    let each = if of_one { " a seed" } else { "" };
    Some(format!("{}..{}{each}", number(low), number(high)))
}

fn ours(claim: &ClaimResult) -> String {
    match claim.ours {
        None => "-".into(),
        Some(v) => {
            let bound = claim
                .bound
                .as_deref()
                .map_or(String::new(), |b| format!("{b} "));
            format!("{bound}{}", number(v))
        }
    }
}

/// A paragraph with its first words standing out to the left.
pub(crate) fn hang(label: &str, text: &str, width: usize) -> String {
    let indent = " ".repeat(label.len());
    let mut out = String::new();
    for (i, line) in wrap(text, width - label.len()).iter().enumerate() {
        out.push_str(if i == 0 { label } else { &indent });
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// A row of the table.
struct Metric {
    name: &'static str,
    /// Has the scheme anything to say here?
    shown: fn(&Summary) -> bool,
    cell: fn(&Summary) -> String,
}

const fn metric(
    name: &'static str,
    shown: fn(&Summary) -> bool,
    cell: fn(&Summary) -> String,
) -> Metric {
    Metric { name, shown, cell }
}

const fn always(name: &'static str, cell: fn(&Summary) -> String) -> Metric {
    Metric {
        name,
        shown: |_| true,
        cell,
    }
}

const QUERIES: &[Metric] = &[
    metric("completion p50, ms", has_queries, |s| p50(&s.qct_ms)),
    metric("completion p99, ms", has_queries, |s| p99(&s.qct_ms)),
    metric(
        "  95 % interval over seeds",
        |s| s.qct_ms.ci.is_some(),
        |s| interval(&s.qct_ms),
    ),
    metric("completed", has_queries, |s| completed(&s.qct_ms)),
];

const SHORT_FLOWS: &[Metric] = &[
    metric("completion p50, ms", has_short, |s| p50(&s.fct_short_ms)),
    metric("completion p99, ms", has_short, |s| p99(&s.fct_short_ms)),
    metric(
        "  95 % interval over seeds",
        |s| s.fct_short_ms.ci.is_some(),
        |s| interval(&s.fct_short_ms),
    ),
    metric("completed", has_short, |s| completed(&s.fct_short_ms)),
];

const FLOWS: &[Metric] = &[metric(
    "completed",
    |s| flows(s).1 > 0,
    |s| {
        let (done, all) = flows(s);
        format!("{} ({})", count(done), share(done, all))
    },
)];

const PACKETS: &[Metric] = &[
    always("dropped, no room", |s| drops(s, "full")),
    always("dropped, TTL expired", |s| drops(s, "ttl")),
    metric(
        "dropped early",
        |s| s.drops.get("early").is_some_and(|n| *n > 0),
        |s| drops(s, "early"),
    ),
    metric(
        "dropped for a better one",
        |s| s.drops.get("evicted").is_some_and(|n| *n > 0),
        |s| drops(s, "evicted"),
    ),
    metric(
        "dropped, detoured too often",
        |s| s.drops.get("detours").is_some_and(|n| *n > 0),
        |s| drops(s, "detours"),
    ),
    metric("trimmed", |s| s.trims > 0, |s| known(s, "trims", s.trims)),
    always("data packets detoured", |s| {
        if s.unmeasured.has("detoured_data_share") {
            return "-".into();
        }
        let (detoured, delivered) = data(s);
        format!("{} ({})", count(detoured), share(detoured, delivered))
    }),
    metric(
        "  of them in queries",
        |s| has_queries(s) && data(s).0 > 0,
        |s| percent(s.detoured_query_share),
    ),
    metric(
        "all packets detoured, with ACKs",
        |s| s.detours > 0,
        |s| {
            let share = s.unmeasured.unless("detoured_share", s.detoured_share);
            percent(share.flatten())
        },
    ),
    metric(
        "detours",
        |s| s.detours > 0,
        |s| known(s, "detours", s.detours),
    ),
    metric("pauses", |s| s.pauses > 0, |s| count(s.pauses)),
    metric("deadlocks", |s| s.deadlocks > 0, |s| count(s.deadlocks)),
    always("ECN marks", |s| known(s, "marks", s.marks)),
    always("retransmission timeouts", |s| {
        known(s, "timeouts", s.timeouts)
    }),
    always("retransmissions", |s| count(s.retransmits)),
];

const COST: &[Metric] = &[
    always("packet-hops", |s| known(s, "packet_hops", s.packet_hops)),
    always("CPU, s", |s| s.cpu_s.map_or("-".into(), number)),
    always("packet-hops per CPU-second", |s| {
        s.hops_per_cpu_s
            .map_or("-".into(), |h| format!("{} M", number(h / 1e6)))
    }),
];

fn has_queries(s: &Summary) -> bool {
    s.qct_ms.n > 0
}

fn has_short(s: &Summary) -> bool {
    s.fct_short_ms.n > 0
}

fn p50(of: &Percentiles) -> String {
    bounded(of.p50, of.p50_at_least)
}

fn p99(of: &Percentiles) -> String {
    bounded(of.p99, of.p99_at_least)
}

fn bounded(value: Option<f64>, at_least: bool) -> String {
    let bound = if at_least { ">= " } else { "" };
    value.map_or("-".into(), |v| format!("{bound}{}", number(v)))
}

fn interval(of: &Percentiles) -> String {
    of.ci.map_or("-".into(), |[a, b]| {
        format!("{}..{}", number(a.max(0.0)), number(b))
    })
}

fn completed(of: &Percentiles) -> String {
    let done = done(of);
    format!("{} ({})", count(done), share(done, of.n))
}

fn done(of: &Percentiles) -> u64 {
    (of.completed_share.unwrap_or(0.0) * of.n as f64).round() as u64
}

fn flows(s: &Summary) -> (u64, u64) {
    s.classes
        .iter()
        .fold((0, 0), |(d, n), c| (d + done(&c.fct_ms), n + c.fct_ms.n))
}

fn data(s: &Summary) -> (u64, u64) {
    s.classes
        .iter()
        .fold((0, 0), |(d, n), c| (d + c.detoured, n + c.delivered))
}

fn drops(s: &Summary, reason: &str) -> String {
    known(s, "drops", s.drops.get(reason).copied().unwrap_or(0))
}

/// A count, or `-` when it was not measured.
fn known(s: &Summary, name: &str, n: u64) -> String {
    let known = s.unmeasured.unless(name, n);
    known.map_or("-".into(), count)
}

fn percent(value: Option<f64>) -> String {
    value.map_or("-".into(), |v| format!("{:.1} %", v * 100.0))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use sidestep_lab::Verdict;

    fn percentiles(p99: f64, n: u64, completed_share: f64) -> Percentiles {
        Percentiles {
            p50: Some(2.0),
            p99: Some(p99),
            n,
            completed_share: Some(completed_share),
            p99_at_least: completed_share < 0.99,
            ..Percentiles::default()
        }
    }

    pub(crate) fn report() -> Report {
        let scheme = |name: &str, p99, share| {
            let drops =
                [("full", 7), ("ttl", 0), ("early", 0)].map(|(r, n)| (r.to_string(), json!(n)));
            let empty = json!(Percentiles::default());
            let mut summary: Summary = serde_json::from_value(json!({
                "scheme": name, "seeds": [1, 2], "interrupted": false, "qct_ms": empty, "fct_short_ms": empty,
                "drops": Map::from_iter(drops), "detours": 0, "marks": 1234, "timeouts": 5, "retransmits": 6,
                "sent": 1, "delivered": 1, "in_flight": 0, "packet_hops": 20_000_000, "events": 1,
                "simulated_s": 1.0, "trajectory_hash": "00", "classes": [],
            }))
            .unwrap();
            summary.qct_ms = percentiles(p99, 100, share);
            summary.set_cpu(2.0);
            summary
        };
        Report {
            scenario: "demo".into(),
            title: String::new(),
            seeds: vec![1, 2],
            status: Status::Complete,
            warnings: vec!["read this first".into()],
            summaries: vec![scheme("dctcp", 24.0, 0.97), scheme("dibs", 4.0, 1.0)],
            claims: vec![ClaimResult {
                id: "a".into(),
                figure: "7".into(),
                says: "DCTCP drops".into(),
                metric: "drops_full".into(),
                compare: "dctcp".into(),
                paper: Some(1.0),
                ours: Some(7.0),
                bound: None,
                ci: Some([3.0, 4.0]),
                accept: "1..".into(),
                verdict: Verdict::Reproduced,
                tolerance: "any".into(),
                gap: "none".into(),
                expect: Verdict::Reproduced,
                gap_sweep: String::new(),
                at: Default::default(),
                less: Default::default(),
                per: Default::default(),
                over: None,
                points: Vec::new(),
            }],
        }
    }

    #[test]
    fn the_table_shows_bounds_shares_and_verdicts() {
        let text = report().to_text();
        let line = |starts: &str| {
            let found = text.lines().find(|l| l.trim_start().starts_with(starts));
            found
                .unwrap_or_else(|| panic!("{starts}: {text}"))
                .to_string()
        };
        assert_eq!(
            line("completion p99, ms")
                .split_whitespace()
                .skip(3)
                .collect::<Vec<_>>(),
            [">=", "24.0", "4.00"]
        );
        assert!(
            line("completed").ends_with("97 (97.0 %)  100 (100 %)"),
            "{text}"
        );
        assert!(line("packet-hops per").ends_with("10.0 M"), "{text}");
        assert!(line("DCTCP drops (7)").ends_with("reproduced"), "{text}");
        assert!(
            line("drops_full: dctcp").ends_with("3.00..4.00 a seed"),
            "{text}"
        );
        assert!(
            !text.contains("gap:") && text.contains("warning: read this first"),
            "{text}"
        );
        assert!(text.lines().all(|l| l.chars().count() <= 100), "{text}");
    }

    #[test]
    fn what_is_written_reads_back() {
        let written = report();
        assert_eq!(Report::from_json(&written.to_json()), Ok(written.clone()));
        let names: Vec<String> = written.to_json()["schemes"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect();
        assert_eq!(names, ["dctcp", "dibs"], "in the order of the scenario");
        assert!(
            Report::from_json(&json!({"scenario": 1}))
                .unwrap_err()
                .contains("schemes")
        );
    }
}
