//! Numbers of a session: `summary.json`, and the tables for people.

mod answer;
mod cells;
mod claims;
mod classes;
mod table;

pub(crate) use claims::{claims_brief, claims_table};

use crate::csv;
use crate::format::{Grid, and, hang, seeds};
use crate::manifest::Status;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sidestep_lab::stats::Summary;
use sidestep_lab::{ClaimResult, Record};

/// Contents of `summary.json`.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Name of the scenario.
    pub scenario: String,
    /// Title of the scenario, one line; may be empty.
    pub title: String,
    /// All seeds requested.
    pub seeds: Vec<u64>,
    /// Status: complete if all runs ended.
    pub status: Status,
    /// Warnings, which matter before any number is trusted.
    pub warnings: Vec<String>,
    /// Summaries, one for each scheme that ran.
    pub summaries: Vec<Summary>,
    /// Testbed runs that the machine disturbed. They are included in the summaries.
    pub marked: Vec<Marked>,
    /// If there are marked runs: summaries without them, for each scheme that has other runs.
    pub unmarked: Vec<Summary>,
    /// Summaries of the marked runs alone.
    pub disturbed: Vec<Summary>,
    /// Claims of the paper beside our numbers.
    pub claims: Vec<ClaimResult>,
}

/// Run that the machine disturbed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marked {
    /// Name of the scheme.
    pub scheme: String,
    /// Seed.
    pub seed: u64,
    /// Disturbances of the run.
    pub why: Vec<String>,
}

impl Marked {
    /// Returns the mark of this run, if it has one.
    pub(crate) fn of(run: &Record) -> Option<Marked> {
        (!run.marks.is_empty()).then(|| Marked {
            scheme: run.scheme.clone(),
            seed: run.seed,
            why: run.marks.clone(),
        })
    }
}

impl Report {
    /// Returns the contents of `summary.json`: schemes by name, in the order of the scenario.
    pub fn to_json(&self) -> Value {
        let named = |all: &[Summary]| {
            let all = all.iter();
            Map::from_iter(all.map(|s| (s.scheme.clone(), json!(s))))
        };
        let mut json = json!({
            "scenario": self.scenario,
            "title": self.title,
            "status": self.status.word(),
            "seeds": self.seeds,
            "warnings": self.warnings,
            "schemes": named(&self.summaries),
            "claims": self.claims,
        });
        if !self.marked.is_empty() {
            json["marked"] = json!(self.marked);
            json["unmarked"] = json!({"schemes": named(&self.unmarked)});
            json["disturbed"] = json!({"schemes": named(&self.disturbed)});
        }
        json
    }

    /// Reads a report from `summary.json`. Errors name the value that is missing or invalid.
    pub fn from_json(value: &Value) -> Result<Report, String> {
        let text = |key: &str| {
            let found = value[key].as_str();
            found
                .map(str::to_string)
                .ok_or_else(|| format!("expected {key:?} to be a text, got {}", value[key]))
        };
        let read = |schemes: &Value| -> Result<Vec<Summary>, String> {
            let all = schemes.as_object();
            let all = all.ok_or("expected \"schemes\" to be an object")?.values();
            let all: Result<_, _> = all
                .cloned()
                .map(serde_json::from_value::<Summary>)
                .collect();
            all.map_err(|e: serde_json::Error| format!("\"schemes\": {e}"))
        };
        let list = |key: &str| value[key].clone();
        let summaries = read(&value["schemes"])?;
        let marked = match value.get("marked") {
            None => Vec::new(),
            Some(all) => {
                serde_json::from_value(all.clone()).map_err(|e| format!("\"marked\": {e}"))?
            }
        };
        let of_some = |key: &str| match marked.is_empty() {
            true => Ok(Vec::new()),
            false => read(&value[key]["schemes"]),
        };
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
            summaries,
            unmarked: of_some("unmarked")?,
            disturbed: of_some("disturbed")?,
            marked,
            claims: serde_json::from_value(list("claims"))
                .map_err(|e| format!("\"claims\": {e}"))?,
        })
    }

    /// Returns the report of one scheme: its numbers, and the claims on it alone.
    pub fn only(mut self, scheme: &str) -> Report {
        for all in [&mut self.summaries, &mut self.unmarked, &mut self.disturbed] {
            all.retain(|summary| summary.scheme == scheme);
        }
        self.marked.retain(|run| run.scheme == scheme);
        self.claims
            .retain(|claim| claim.compare.schemes() == [scheme]);
        self
    }

    /// Formats the answer, at most a screen: percentiles with their ratio to the first scheme, drops and timeouts; a row
    /// for each claim; the first warnings.
    pub fn answer(&self) -> String {
        let mut out = self.headline();
        let medians = (self.claims.iter()).any(|claim| claim.metric.contains("_p50"));
        out.push_str(&answer::of(&self.summaries, medians).render(&[]));
        if !self.marked.is_empty() {
            out.push('\n');
            out.push_str(&hang("", &self.what_is_marked(), 88));
        }
        if !self.claims.is_empty() {
            out.push('\n');
            out.push_str(&claims_brief(&self.claims));
        }
        out.push_str(&first_warnings(&self.warnings));
        out
    }

    /// Formats the numbers of the answer as CSV, or with `every` all metrics: a row for each scheme and metric.
    pub fn to_csv(&self, every: bool) -> String {
        let mut out = csv::head(std::iter::empty());
        for summary in &self.summaries {
            let names = match every {
                true => csv::every(summary),
                false => answer::metrics(summary),
            };
            out.push_str(&csv::rows(&[], summary, names));
        }
        out
    }

    /// Formats the table, the claims and the warnings as text.
    pub fn to_text(&self) -> String {
        let mut out = self.headline();
        out.push_str(&self.grid().render(&[]));
        if !self.marked.is_empty() {
            out.push('\n');
            out.push_str(&hang("", &self.what_is_marked(), 88));
            out.push('\n');
            out.push_str(&self.marked_grid().render(&[]));
        }
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

    /// Builds the table: metrics as rows, schemes as columns.
    pub(crate) fn grid(&self) -> Grid {
        let short = (self.claims.iter()).any(|claim| claim.metric.starts_with("fct_short"));
        table::of(&self.summaries, short)
    }

    /// Builds the table of each scheme that has marked runs: all its runs, the unmarked ones, and the marked
    /// ones.
    pub(crate) fn marked_grid(&self) -> Grid {
        let named = |summary: &Summary, words: &str| {
            let runs = summary.seeds.len();
            let scheme = format!("{}, {words} {runs}", summary.scheme);
            Summary {
                scheme,
                ..summary.clone()
            }
        };
        let columns = self.disturbed.iter().flat_map(|disturbed| {
            let find = |all: &[Summary], words| {
                let own = all.iter().find(|s| s.scheme == disturbed.scheme);
                own.map(|own| named(own, words))
            };
            let all = find(&self.summaries, "all");
            let unmarked = find(&self.unmarked, "unmarked");
            [all, unmarked, Some(named(disturbed, "marked"))]
        });
        let columns: Vec<Summary> = columns.flatten().collect();
        table::of(&columns, false)
    }

    /// Describes which runs are marked, and which runs the tables cover.
    pub(crate) fn what_is_marked(&self) -> String {
        let of = |scheme: &Summary| {
            let own = self.marked.iter().filter(|run| run.scheme == scheme.scheme);
            let own: Vec<u64> = own.map(|run| run.seed).collect();
            let (n, all) = (own.len(), scheme.seeds.len());
            let which = if n > 0 {
                format!(": {}", seeds(&own))
            } else {
                String::new()
            };
            format!("{n} of {all} seeds of {}{which}", scheme.scheme)
        };
        let all: Vec<String> = self.summaries.iter().map(of).collect();
        let left = match self.unmarked.as_slice() {
            [] => "no undisturbed run is left",
            _ => "below: all runs, undisturbed runs, disturbed runs",
        };
        format!(
            "disturbed by this machine, but included in the numbers above: {}; {left}",
            all.join("; ")
        )
    }

    /// Returns the table of 99th percentiles, if there are any.
    pub(crate) fn short(&self) -> Option<Grid> {
        answer::percentiles(&self.summaries, false)
    }

    fn headline(&self) -> String {
        let mut out = match self.title.as_str() {
            "" => format!("{}, seeds {}\n", self.scenario, seeds(&self.seeds)),
            title => {
                let title = format!("{}: {title}", self.scenario);
                hang(
                    "",
                    &and(&title, &format!("seeds {}", seeds(&self.seeds))),
                    88,
                )
            }
        };
        if self.status == Status::Partial {
            out.push_str(&hang("PARTIAL: ", &self.what_is_compared(), 88));
        }
        out.push('\n');
        out
    }

    /// Describes which runs the table of a partial result covers.
    pub(crate) fn what_is_compared(&self) -> String {
        let all = self.seeds.len();
        let cut = self.summaries.iter().any(|s| s.interrupted);
        match self.summaries.first() {
            None => "interrupted before any run began.".into(),
            Some(one) if !cut && self.summaries.iter().all(|s| s.seeds == one.seeds) => format!(
                "interrupted; the numbers cover the {} of {all} seeds that finished under every \
                 scheme: {}. Other runs are in flows.parquet only.",
                one.seeds.len(),
                seeds(&one.seeds)
            ),
            Some(_) => {
                let begun = self.summaries.iter();
                let begun = begun.map(|s| format!("{} of {all} {}", s.seeds.len(), s.scheme));
                format!(
                    "interrupted before any seed finished under every scheme; runs begun: {}. \
                     Percentiles cover finished flows only, which favours short ones; \
                     \"completed\" shows their share.",
                    begun.collect::<Vec<_>>().join(", ")
                )
            }
        }
    }
}

/// Maximum number of warnings below an answer.
const WARNINGS: usize = 3;

/// Formats the first warnings, and the number of others.
pub(crate) fn first_warnings(warnings: &[String]) -> String {
    let mut out = String::new();
    for warning in warnings.iter().take(WARNINGS) {
        out.push('\n');
        out.push_str(&hang("warning: ", warning, 88));
    }
    match warnings.len().saturating_sub(WARNINGS) {
        0 => {}
        1 => out.push_str("\n1 more warning: --all prints it\n"),
        more => out.push_str(&format!("\n{more} more warnings: --all prints them\n")),
    }
    out
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use sidestep_lab::stats::{ClassSummary, Percentiles};
    use sidestep_lab::{Compare, Verdict};

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

    /// Returns a claim on this metric, with an interval.
    pub(crate) fn claim(metric: &str, compare: &str) -> ClaimResult {
        ClaimResult {
            id: "a".into(),
            figure: String::new(),
            says: "it is so".into(),
            metric: metric.into(),
            compare: Compare::parse(compare),
            paper: None,
            own: false,
            ours: Some(3.5),
            bound: None,
            ci: Some([3.0, 4.0]),
            seeds: 5,
            method: None,
            why_no_interval: None,
            more_seeds: None,
            undecided: None,
            accept: "1..".into(),
            verdict: Verdict::Reproduced,
            tolerance: "any".into(),
            gap: "none".into(),
            expect: Verdict::Reproduced,
            expect_between: None,
            gap_sweep: String::new(),
            at: Default::default(),
            less: Default::default(),
            per: Default::default(),
            over: None,
            points_left_out: 0,
            unmarked: None,
            points: Vec::new(),
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
                "simulated_s": 1.0, "trajectory_hash": "00", "classes": {},
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
            marked: Vec::new(),
            unmarked: Vec::new(),
            disturbed: Vec::new(),
            claims: vec![ClaimResult {
                figure: "7".into(),
                says: "DCTCP drops".into(),
                paper: Some(1.0),
                ..claim("drops_full", "dctcp")
            }],
        }
    }

    #[test]
    fn what_nobody_told_is_null_and_a_dash_also_when_it_is_read_again() {
        let mut report = report();
        for summary in &mut report.summaries {
            (summary.drops, summary.signals.marks) = (None, None);
            summary.classes = vec![ClassSummary::default()];
        }
        let json = report.to_json();
        let scheme = &json["schemes"]["dctcp"];
        for value in [
            &scheme["drops"],
            &scheme["marks"],
            &scheme["classes"][""]["dropped"],
        ] {
            assert_eq!(*value, Value::Null);
        }
        assert_eq!(scheme["timeouts"], 5);
        let again = Report::from_json(&json).unwrap();
        assert_eq!(again.to_json(), json);
        for text in [report.to_text(), again.to_text()] {
            let line = |words: &str| {
                text.lines()
                    .find(|line| line.trim_start().starts_with(words))
            };
            for words in ["ECN marks", "dropped, no room", "data packets detoured"] {
                let shown = line(words).unwrap();
                assert!(shown.contains(" - ") && shown.ends_with(" -"), "{shown:?}");
            }
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
            line("drops_full: dctcp").ends_with("3.00..4.00 per seed"),
            "{text}"
        );
        assert!(
            !text.contains("gap:") && text.contains("warning: read this first"),
            "{text}"
        );
        assert!(text.lines().all(|l| l.chars().count() <= 100), "{text}");
    }

    #[test]
    fn a_report_of_one_scheme_has_no_number_of_another() {
        let mut whole = report();
        whole.claims.push(claim("drops_full", "dctcp / dibs"));
        let one = whole.clone().only("dctcp");
        assert_eq!(one.summaries, whole.summaries[..1]);
        assert_eq!(one.claims, whole.claims[..1]);
        assert!(!one.answer().contains("dibs") && !one.to_csv(true).contains("dibs"));
        assert!(whole.only("dibs").claims.is_empty());
    }

    #[test]
    fn a_partial_result_says_what_it_compares() {
        let mut part = report();
        part.status = Status::Partial;
        part.seeds = vec![1, 2, 3, 4, 5];
        let said = |report: &Report| {
            let text = report.to_text();
            let lines = text.lines().skip_while(|l| !l.starts_with("PARTIAL"));
            let lines: Vec<&str> = lines.take_while(|l| !l.is_empty()).map(str::trim).collect();
            lines.join(" ")
        };
        assert_eq!(
            said(&part),
            "PARTIAL: interrupted; the numbers cover the 2 of 5 seeds that finished under every \
             scheme: 1-2. Other runs are in flows.parquet only."
        );
        part.summaries[1].seeds = vec![1];
        part.summaries[1].interrupted = true;
        assert_eq!(
            said(&part),
            "PARTIAL: interrupted before any seed finished under every scheme; runs begun: 2 of 5 \
             dctcp, 1 of 5 dibs. Percentiles cover finished flows only, which favours short ones; \
             \"completed\" shows their share."
        );
        part.summaries.clear();
        assert_eq!(said(&part), "PARTIAL: interrupted before any run began.");
    }

    #[test]
    fn what_is_written_reads_back() {
        let written = report();
        assert_eq!(Report::from_json(&written.to_json()), Ok(written.clone()));
        let mut marked = written.clone();
        marked.marked.push(Marked {
            scheme: "dibs".into(),
            seed: 2,
            why: vec!["stalled".into()],
        });
        marked.unmarked = written.summaries.clone();
        marked.unmarked[1].seeds = vec![1];
        marked.disturbed.push(written.summaries[1].clone());
        marked.disturbed[0].seeds = vec![2];
        assert_eq!(Report::from_json(&marked.to_json()), Ok(marked.clone()));
        let text = marked.to_text();
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            words.contains("0 of 2 seeds of dctcp; 1 of 2 seeds of dibs: 2; below: all runs, undisturbed runs, disturbed runs"),
            "{text}"
        );
        assert_eq!(text.matches("completion p99, ms").count(), 2, "{text}");
        // The three columns are side by side, for the scheme with marked runs only.
        let heads = text.lines().filter(|line| line.contains("dibs, all 2"));
        let heads: Vec<Vec<&str>> = heads.map(|l| l.split_whitespace().collect()).collect();
        let head = [
            "dibs,", "all", "2", "dibs,", "unmarked", "1", "dibs,", "marked", "1",
        ];
        assert_eq!(heads, [head], "{text}");
        let json = marked.to_json();
        let numbers = json["disturbed"]["schemes"].as_object().unwrap();
        assert_eq!(numbers.keys().collect::<Vec<_>>(), ["dibs"]);
        assert_eq!(numbers["dibs"]["seeds"], json!([2]));
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
