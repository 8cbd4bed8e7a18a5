//! Numbers of an experiment: its `summary.json`, and the table for people.

use super::Measurement;
use crate::csv;
use crate::format::{Grid, PARTIAL, and, hang, number, seeds};
use crate::manifest::Status;
use crate::report::{claims_brief, claims_table, first_warnings};
use crate::reproduce::drawn::{bounded, heading_of, point_of};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value, json};
use sidestep_lab::stats::metric::{self, Reading};
use sidestep_lab::stats::{StoredSummary, Summary};
use sidestep_lab::{Axis, ClaimResult, Experiment};
use std::sync::Arc;

/// Contents of an experiment's `summary.json`.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepReport {
    /// Name of the experiment.
    pub experiment: String,
    /// Title, one line; may be empty.
    pub title: String,
    /// True if `[quick]` was applied.
    pub quick: bool,
    /// All seeds requested.
    pub seeds: Vec<u64>,
    /// Status: complete if all runs ended.
    pub status: Status,
    /// Warnings, which matter before any number is trusted.
    pub warnings: Vec<String>,
    /// Notes on the effect of `--set` on the axes.
    pub notes: Vec<String>,
    /// Swept axes.
    pub axes: Vec<Axis>,
    /// Metrics of the table: those of plots and claims.
    pub shown: Vec<String>,
    /// Points.
    pub points: Vec<SweepPoint>,
    /// Claims of the paper beside our numbers.
    pub claims: Vec<ClaimResult>,
}

/// Numbers of one point.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepPoint {
    /// Value on each axis.
    pub at: Vec<String>,
    /// Summaries in compact form, one for each scheme that ran.
    pub kept: Vec<StoredSummary>,
}

impl SweepPoint {
    /// Iterates over the summaries, one for each scheme that ran.
    pub fn summaries(&self) -> impl Iterator<Item = Arc<Summary>> {
        self.kept.iter().map(StoredSummary::get)
    }
}

/// Returns the metrics of an experiment without plots and claims: the completion times of all its traffic.
fn usual(points: &[SweepPoint]) -> Vec<String> {
    let summaries = || points.iter().flat_map(SweepPoint::summaries);
    let mut shown = Vec::new();
    if summaries().any(|s| s.qct_ms.n > 0) {
        shown.push("qct_p99_ms".to_string());
    }
    if summaries().any(|s| s.group_ms.n > 0) {
        shown.push("group_p99_ms".to_string());
    }
    for summary in summaries() {
        for class in &summary.classes {
            let name = format!("fct_p99_ms:{}", class.name);
            if class.fct_ms.n > 0 && !shown.contains(&name) {
                shown.push(name);
            }
        }
    }
    if shown.is_empty() {
        shown.push("drops".into());
    }
    shown
}

impl SweepReport {
    /// Returns the report of one scheme: its numbers, and the claims on it alone.
    pub fn only(mut self, scheme: &str) -> SweepReport {
        for point in &mut self.points {
            point.kept.retain(|kept| kept.get().scheme == scheme);
        }
        self.claims
            .retain(|claim| claim.compare.schemes() == [scheme]);
        self
    }

    /// Summarises a measured experiment.
    pub fn of(experiment: &Experiment, measured: &Measurement) -> SweepReport {
        let drawn = experiment.plots.iter().flat_map(|plot| &plot.y);
        let claimed = experiment.claims.iter().map(|claim| claim.metric.as_str());
        let mut shown: Vec<String> = Vec::new();
        for name in drawn.map(String::as_str).chain(claimed) {
            if !shown.iter().any(|before| before == name) {
                shown.push(name.to_string());
            }
        }
        let points = measured.results.points.iter().map(|point| SweepPoint {
            at: point.at.clone(),
            kept: point.kept.clone(),
        });
        let points: Vec<SweepPoint> = points.collect();
        if shown.is_empty() {
            shown = usual(&points);
        }
        SweepReport {
            experiment: experiment.name.clone(),
            title: experiment.title.clone(),
            quick: experiment.quick,
            seeds: experiment.points[0].scenario.seeds.clone(),
            status: measured.status,
            warnings: experiment.warnings_of(&measured.results),
            notes: experiment.notes.clone(),
            axes: experiment.axes.clone(),
            shown,
            points,
            claims: experiment.evaluate(&measured.results),
        }
    }

    /// Returns the contents of `summary.json`.
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self).expect("a report is always JSON")
    }

    /// Reads a report from `summary.json`. Errors name the value that is missing or invalid.
    pub fn from_json(value: &Value) -> Result<SweepReport, String> {
        fn part<T: serde::de::DeserializeOwned>(value: &Value, key: &str) -> Result<T, String> {
            serde_json::from_value(value[key].clone()).map_err(|e| format!("{key:?}: {e}"))
        }
        let list = |value: &Value, key: &str| {
            let list = value[key].as_array().cloned();
            list.ok_or_else(|| format!("expected {key:?} to be a list"))
        };
        let axis = |value: &Value| {
            Ok::<Axis, String>(Axis {
                name: part(value, "name")?,
                values: part(value, "values")?,
                is_key: part(value, "is_key")?,
            })
        };
        let point = |value: &Value| {
            let at: Map<String, Value> = part(value, "at")?;
            let schemes: Map<String, Value> = part(value, "schemes")?;
            let summaries = schemes
                .into_iter()
                .map(|(_, s)| serde_json::from_value::<Summary>(s).map(StoredSummary::from));
            let summaries = summaries.collect::<Result<_, _>>();
            let words = at.values().map(|v| v.as_str().map(String::from));
            Ok::<SweepPoint, String>(SweepPoint {
                at: words
                    .collect::<Option<_>>()
                    .ok_or("\"at\": expected texts")?,
                kept: summaries.map_err(|e| format!("\"schemes\": {e}"))?,
            })
        };
        let status: String = part(value, "status")?;
        Ok(SweepReport {
            experiment: part(value, "experiment")?,
            title: part(value, "title")?,
            quick: part(value, "quick")?,
            seeds: part(value, "seeds")?,
            status: if status == Status::Complete.word() {
                Status::Complete
            } else {
                Status::Partial
            },
            warnings: part(value, "warnings")?,
            notes: part(value, "notes")?,
            axes: list(value, "axes")?
                .iter()
                .map(axis)
                .collect::<Result<_, _>>()?,
            shown: part(value, "shown")?,
            points: list(value, "points")?
                .iter()
                .map(point)
                .collect::<Result<_, _>>()?,
            claims: part(value, "claims")?,
        })
    }

    /// Formats the answer: the compared metric with its interval, a row for each point and claim, the first warnings.
    pub fn answer(&self) -> String {
        let mut out = self.headline();
        if let Some(compared) = self.shown.first() {
            out.push_str(&self.compared(compared));
        }
        if !self.claims.is_empty() {
            out.push('\n');
            out.push_str(&claims_brief(&self.claims));
        }
        for note in &self.notes {
            out.push('\n');
            out.push_str(&hang("note: ", note, 88));
        }
        out.push_str(&first_warnings(&self.warnings));
        out
    }

    /// Formats the metrics of the table as CSV, or with `every` all metrics: a row for each point, scheme and metric.
    pub fn to_csv(&self, every: bool) -> String {
        let mut out = csv::head(self.axes.iter().map(|axis| axis.name.as_str()));
        for point in &self.points {
            for summary in point.summaries() {
                let names = match every {
                    true => csv::every(&summary),
                    false => self.shown.clone(),
                };
                out.push_str(&csv::rows(&point.at, &summary, names));
            }
        }
        out
    }

    /// Formats one metric: points as rows, schemes as columns.
    fn compared(&self, name: &str) -> String {
        let mut schemes: Vec<String> = Vec::new();
        for summary in self.points.iter().flat_map(SweepPoint::summaries) {
            if !schemes.contains(&summary.scheme) {
                schemes.push(summary.scheme.clone());
            }
        }
        let mut grid = Grid::default();
        let axes = self.axes.iter().map(|axis| axis.name.clone());
        grid.row(axes.chain(schemes.iter().cloned()));
        grid.rule();
        for point in self.points.iter().take(MOST_ROWS) {
            let summaries: Vec<_> = point.summaries().collect();
            let cells = schemes.iter().map(|scheme| {
                let own = summaries.iter().find(|s| s.scheme == *scheme);
                own.map_or("-".into(), |own| with_interval(name, own))
            });
            grid.row(point.at.iter().cloned().chain(cells));
        }
        let more = self.points.len().saturating_sub(MOST_ROWS);
        if more > 0 {
            let points = if more == 1 { "point" } else { "points" };
            grid.heading(&format!("{more} more {points} in report.html and by --all"));
        }
        let heading = format!("{name}: {}, 95 % interval over seeds", heading_of(name));
        let left: Vec<usize> = (1..self.axes.len()).collect();
        let mut text = format!("{}{}", hang("", &heading, 88), grid.render(&left));
        if let [_, others @ ..] = &self.shown[..]
            && !others.is_empty()
        {
            text.push_str(&hang("by --all: ", &others.join(", "), 88));
        }
        text
    }

    /// Formats the table, the claims, the notes and the warnings as text.
    pub fn to_text(&self) -> String {
        let mut out = self.headline();
        let (grid, left) = self.grid();
        out.push_str(&grid.render(&left));
        if !self.claims.is_empty() {
            out.push('\n');
            out.push_str(&claims_table(&self.claims));
        }
        let notes = self.notes.iter().map(|note| ("note: ", note));
        let warnings = self.warnings.iter().map(|w| ("warning: ", w));
        for (label, words) in notes.chain(warnings) {
            out.push('\n');
            out.push_str(&hang(label, words, 88));
        }
        out
    }

    fn headline(&self) -> String {
        let title = match self.title.as_str() {
            "" => self.experiment.clone(),
            title => format!("{}: {title}", self.experiment),
        };
        let quick = if self.quick { "; quick" } else { "" };
        let seeds = seeds(&self.seeds);
        let mut out = hang("", &and(&title, &format!("seeds {seeds}{quick}")), 88);
        if self.status == Status::Partial {
            let words = format!(
                "{PARTIAL} Finished runs are cached: repeat the command (with another --out, if \
                 you gave one) to continue."
            );
            out.push_str(&hang("PARTIAL: ", &words, 88));
        }
        out.push('\n');
        out
    }

    /// Builds the table: points and schemes as rows, metrics as columns. Also returns the columns with words,
    /// beside the first.
    pub(crate) fn grid(&self) -> (Grid, Vec<usize>) {
        let mut grid = Grid::default();
        let axes = self.axes.iter().map(|axis| axis.name.clone());
        let head = axes.chain(["scheme".to_string(), "seeds".to_string()]);
        grid.row(head.chain(self.shown.iter().cloned()));
        grid.rule();
        for point in &self.points {
            for summary in point.summaries() {
                let cells = self.shown.iter().map(|name| cell(name, &summary));
                let ran = [summary.scheme.clone(), summary.seeds.len().to_string()];
                grid.row(point.at.iter().cloned().chain(ran).chain(cells));
            }
        }
        (grid, (1..=self.axes.len()).collect())
    }
}

/// Serialises `summary.json` point by point, since a sweep may have very many.
impl Serialize for SweepReport {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let axis = |a: &Axis| json!({"name": a.name, "values": a.values, "is_key": a.is_key});
        let point = |point: &SweepPoint| {
            let names = self.axes.iter().map(|axis| axis.name.clone());
            let at = names.zip(point.at.iter().map(|value| json!(value)));
            let schemes = point.summaries();
            let schemes = schemes.map(|s| (s.scheme.clone(), json!(*s)));
            json!({"at": Map::from_iter(at), "schemes": Map::from_iter(schemes)})
        };
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("experiment", &self.experiment)?;
        map.serialize_entry("title", &self.title)?;
        map.serialize_entry("quick", &self.quick)?;
        map.serialize_entry("status", self.status.word())?;
        map.serialize_entry("seeds", &self.seeds)?;
        map.serialize_entry("warnings", &self.warnings)?;
        map.serialize_entry("notes", &self.notes)?;
        map.serialize_entry("axes", &Each(&self.axes, axis))?;
        map.serialize_entry("shown", &self.shown)?;
        map.serialize_entry("points", &Each(&self.points, point))?;
        map.serialize_entry("claims", &self.claims)?;
        map.end()
    }
}

/// List whose items are converted to JSON one at a time.
pub(super) struct Each<'a, T, F>(pub &'a [T], pub F);

impl<T, F: Fn(&T) -> Value> Serialize for Each<'_, T, F> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.0.iter().map(&self.1))
    }
}

/// Maximum number of rows of an answer.
const MOST_ROWS: usize = 40;

/// Formats a metric with its interval: `5.08 (4.91..5.32)`. Counts are those of one seed, on average.
fn with_interval(name: &str, summary: &Summary) -> String {
    let Some(point) = point_of(name, summary) else {
        return "-".into();
    };
    let interval = point.ci.map_or(String::new(), |[low, high]| {
        format!(" ({}..{})", number(low), number(high))
    });
    format!("{}{interval}", bounded(&point))
}

fn cell(name: &str, summary: &Summary) -> String {
    let reading = metric::find(name).map(|metric| metric.read(summary));
    match reading {
        Some(Reading::Exactly(v)) => number(v),
        Some(Reading::AtLeast(v)) => format!(">= {}", number(v)),
        Some(Reading::AtMost(v)) => format!("<= {}", number(v)),
        Some(Reading::Nothing) | None => "-".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::report;

    /// Returns a sweep with this many points, each with the summaries of the same two schemes.
    fn sweep(points: usize) -> SweepReport {
        let summaries = report().summaries;
        let point = |at: usize| SweepPoint {
            at: vec![at.to_string()],
            kept: summaries.iter().cloned().map(StoredSummary::from).collect(),
        };
        SweepReport {
            experiment: "sweep".into(),
            title: String::new(),
            quick: false,
            seeds: vec![1, 2],
            status: Status::Complete,
            warnings: (1..=5).map(|n| format!("warning {n}")).collect(),
            notes: Vec::new(),
            axes: vec![Axis {
                name: "k".into(),
                values: (0..points).map(|n| n.to_string()).collect(),
                is_key: false,
            }],
            shown: vec!["qct_p99_ms".into(), "drops".into()],
            points: (0..points).map(point).collect(),
            claims: Vec::new(),
        }
    }

    #[test]
    fn an_answer_has_a_row_for_each_point_and_names_what_it_leaves_out() {
        let text = sweep(43).answer();
        let rows = text.lines().filter(|line| line.contains("4.00"));
        assert_eq!(rows.count(), MOST_ROWS, "{text}");
        for line in [
            "k    dctcp  dibs",
            "3 more points in report.html and by --all",
            "by --all: drops",
            "2 more warnings: --all prints them",
        ] {
            assert!(
                text.lines().any(|said| said.trim_end() == line),
                "{line}: {text}"
            );
        }
        assert!(!sweep(40).answer().contains("more points"));
    }
}
