//! Experiment: a scenario at several points, its plots, and the claims of a paper about it.

use crate::claim::Claim;
use crate::ran::Ran;
use crate::record::Record;
use crate::scenario::Scenario;
use crate::stats::{StoredSummary, Summary, metric, place, summarise};
use std::sync::Arc;

/// Experiment as `docs/reference/experiments.md` defines it. A scenario without `[sweep]` is an experiment with a
/// single point and no axes.
pub struct Experiment {
    /// Name of the file, without folder and extension.
    pub name: String,
    /// Title in one line; may be empty.
    pub title: String,
    /// Figure of a paper, if the experiment reproduces one.
    pub figure: Option<FigureSpec>,
    /// Plots to draw.
    pub plots: Vec<PlotSpec>,
    /// Swept axes; the last one varies fastest.
    pub axes: Vec<Axis>,
    /// All combinations of the axes' values; never empty.
    pub points: Vec<Point>,
    /// Claims of a paper about the experiment.
    pub claims: Vec<Claim>,
    /// True if `[quick]` was applied.
    pub quick: bool,
    /// Effects of `--set` on the axes, one sentence each.
    pub notes: Vec<String>,
}

/// `[figure]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FigureSpec {
    /// Paper: authors, venue and year.
    pub paper: String,
    /// Number of the figure in the paper; for a table or section its name.
    pub number: String,
    /// Subject of the figure, in one sentence.
    pub shows: String,
}

impl FigureSpec {
    /// Returns the usual name: `Figure 8`, `Section 5.6`, or the name as given; `None` without a number.
    pub fn heading(&self) -> Option<String> {
        match self.number.as_str() {
            "" => None,
            n if n.starts_with(|c: char| c.is_ascii_digit()) => {
                // `5.6` is a section, `8` and `2a` are figures.
                let kind = if n.contains('.') { "Section" } else { "Figure" };
                Some(format!("{kind} {n}"))
            }
            words => Some(words.into()),
        }
    }
}

/// Swept axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Dotted key, or a name that the file defines.
    pub name: String,
    /// Values, as shown to the reader.
    pub values: Vec<String>,
    /// True if the name is a dotted key of the scenario.
    pub is_key: bool,
}

/// Combination of the axes' values.
pub struct Point {
    /// Value on each axis, in the order of [`Experiment::axes`].
    pub at: Vec<String>,
    /// Scenario to simulate at this point. Its claims are in the experiment.
    pub scenario: Scenario,
}

/// Kinds of `[[plot]]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlotKind {
    /// Metrics against an axis, one line for each scheme.
    Lines,
    /// Metrics against an axis of words, as bars.
    Bars,
    /// Distribution of a sample.
    Cdf,
    /// Values of a sample by rank.
    Ranked,
    /// Windows of a sample against simulated time.
    OverTime,
    /// Path of one packet through the network.
    Path,
    /// Each detour as a mark, time against switch.
    Detours,
    /// Queues of one pod at some instants.
    Occupancy,
}

impl PlotKind {
    /// All kinds, by name.
    pub const ALL: [(&str, PlotKind); 8] = [
        ("lines", PlotKind::Lines),
        ("bars", PlotKind::Bars),
        ("cdf", PlotKind::Cdf),
        ("ranked", PlotKind::Ranked),
        ("over_time", PlotKind::OverTime),
        ("path", PlotKind::Path),
        ("detours", PlotKind::Detours),
        ("occupancy", PlotKind::Occupancy),
    ];

    /// Returns a description in one line.
    pub const fn doc(self) -> &'static str {
        match self {
            PlotKind::Lines => "metrics y against axis x, one line per scheme, with 95 % intervals",
            PlotKind::Bars => "metrics y against an axis x of words, one bar per scheme",
            PlotKind::Cdf => "distribution of a sample, one curve per scheme (and point)",
            PlotKind::Ranked => {
                "values of a sample sorted by size, one curve per scheme (and point)"
            }
            PlotKind::OverTime => {
                "sample with a value per window against simulated time, one line per scheme (and \
                 point)"
            }
            PlotKind::Path => "path of one packet through the network; needs probe.paths",
            PlotKind::Detours => "each detour as a mark, time against switch; needs probe.detours",
            PlotKind::Occupancy => "queues of one pod at some instants; needs probe.occupancy",
        }
    }

    /// True if the plot draws a sample.
    pub fn is_of_sample(self) -> bool {
        matches!(self, PlotKind::Cdf | PlotKind::Ranked | PlotKind::OverTime)
    }

    /// Returns the name in `[[plot]]`.
    pub fn name(self) -> &'static str {
        let named = Self::ALL.iter().find(|(_, kind)| *kind == self);
        named.expect("every kind has a name").0
    }
}

/// `[[plot]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotSpec {
    /// Kind of plot.
    pub kind: PlotKind,
    /// Title above the plot; may be empty.
    pub title: String,
    /// `lines` and `bars`: name of the axis.
    pub x: String,
    /// `lines` and `bars`: names of metrics.
    pub y: Vec<String>,
    /// `cdf`, `ranked` and `over_time`: name of the sample.
    pub of: String,
    /// Fixed axes: name and value. If no point has these values, nothing is drawn.
    pub at: Vec<(String, String)>,
    /// Schemes to draw; empty for all.
    pub schemes: Vec<String>,
    /// `lines` and `bars`: divide each number by the number at these axis values; empty for the number itself.
    pub per: Vec<(String, String)>,
    /// `lines` and `bars`: points that the paper's authors plotted.
    pub points: AuthorPoints,
    /// True if the x axis is logarithmic.
    pub log_x: bool,
    /// True if the y axis is logarithmic.
    pub log_y: bool,
}

/// Points that a paper's authors plotted, as far as a plot shows them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AuthorPoints {
    /// Source of the points, in one line; empty if there are none.
    pub source: String,
    /// Points, in the order of their table.
    pub all: Vec<AuthorPoint>,
}

/// Point plotted by the authors.
#[derive(Clone, Debug, PartialEq)]
pub struct AuthorPoint {
    /// Metric of the point.
    pub metric: String,
    /// Our name of the authors' scheme.
    pub scheme: String,
    /// Position on the axis, as an axis writes its values.
    pub x: String,
    /// Value, in the metric's unit.
    pub y: f64,
}

impl Experiment {
    /// True if the experiment has axes, unlike a plain scenario.
    pub fn is_sweep(&self) -> bool {
        !self.axes.is_empty()
    }

    /// Returns the number of runs: points times schemes times seeds.
    pub fn runs(&self) -> usize {
        let of = |point: &Point| point.scenario.schemes.len() * point.scenario.seeds.len();
        self.points.iter().map(of).sum()
    }

    /// Returns the warnings to read before trusting a number, each once. A warning that does not hold for all
    /// points names its points.
    pub fn warnings(&self) -> Vec<String> {
        let mut all: Vec<(String, Vec<String>)> = Vec::new();
        for point in &self.points {
            for warning in point.scenario.warnings() {
                match all.iter_mut().find(|(said, _)| *said == warning) {
                    Some((_, at)) => at.push(point.at.join(", ")),
                    None => all.push((warning, vec![point.at.join(", ")])),
                }
            }
        }
        let named = |(warning, at): (String, Vec<String>)| match at.len() {
            n if n == self.points.len() => warning,
            n if n > 4 => format!("at {n} of {} points: {warning}", self.points.len()),
            _ => format!("at {}: {warning}", at.join("; ")),
        };
        let mut all: Vec<String> = all.into_iter().map(named).collect();
        all.extend(self.unprobed());
        all.extend(self.unsent());
        all
    }

    /// Returns the metrics and samples that plots and claims use.
    fn asked(&self) -> Vec<&str> {
        let drawn = self.plots.iter();
        let drawn = drawn.flat_map(|plot| plot.y.iter().chain([&plot.of]));
        let claimed = self.claims.iter().map(|claim| claim.metric.as_str());
        let mut asked: Vec<&str> = drawn.map(String::as_str).chain(claimed).collect();
        asked.sort_unstable();
        asked.dedup();
        asked
    }

    /// Warns of metrics and samples without a value: of a class that sends no flow, or of groups where no flow
    /// names one.
    fn unsent(&self) -> Vec<String> {
        let scenarios = || self.points.iter().map(|point| &point.scenario);
        let class = |name: &str| {
            let (_, class) = name.split_once(':')?;
            let lacks = |s: &&Scenario| {
                let sent = s.classes(s.duration);
                place(sent.iter().map(String::as_str), class).is_err()
            };
            let end = scenarios().find(lacks)?.duration;
            Some(format!(
                "{name} has no value: no flow of the class starts before duration ends at {end}"
            ))
        };
        let missing = |name: &str| {
            if name.starts_with("group_") && !scenarios().all(Scenario::has_groups) {
                return Some(format!(
                    "{name} has no value: no flow of a flow list has a group"
                ));
            }
            class(name)
        };
        self.asked().into_iter().filter_map(missing).collect()
    }

    /// Warns of metrics and samples that no probe measures.
    fn unprobed(&self) -> Vec<String> {
        let missing = |name: &str| {
            let of_sample = || metric::sample(name).and_then(|sample| sample.needs);
            let needs = metric::find(name).map_or_else(of_sample, |metric| metric.needs)?;
            let mut points = self.points.iter();
            let off = points.any(|point| !needs.is_met(&point.scenario.probe));
            off.then(|| format!("{name} has no value without {} in [probe]", needs.key()))
        };
        self.asked().into_iter().filter_map(missing).collect()
    }

    /// Returns [`Experiment::warnings`] and the warnings of the runs. For a scheme at a point only the first is
    /// given, with the number of the others.
    pub fn warnings_of(&self, results: &Results) -> Vec<String> {
        let mut all = self.warnings();
        for point in &results.points {
            let at = point.at.join(", ");
            for of in point.runs.chunk_by(|a, b| a.scheme == b.scheme) {
                let mut said = of.iter().flat_map(|run| &run.warnings);
                let Some(first) = said.next() else { continue };
                let place = match at.as_str() {
                    "" => String::new(),
                    at => format!("at {at}: "),
                };
                let more = match said.count() {
                    0 => String::new(),
                    n => format!(" (and {n} more like this)"),
                };
                all.push(format!("{place}{first}{more}"));
            }
        }
        all
    }
}

/// Results at all points, in the order of [`Experiment::points`].
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// Results of each point.
    pub points: Vec<PointResult>,
}

/// Results at one point.
#[derive(Clone, Debug, Default)]
pub struct PointResult {
    /// Value on each axis.
    pub at: Vec<String>,
    /// Summary of each scheme that ran, in the scenario's order. Reports hold the same.
    pub kept: Vec<StoredSummary>,
    /// Each run: by scheme, then by seed. Runs that never began because of an interruption are missing.
    pub runs: Vec<Ran>,
    /// Full record of each run; empty for a sweep whose plots draw only numbers.
    pub records: Vec<Record>,
}

impl PointResult {
    /// Sums up the records of one point, ordered by scheme and seed.
    pub fn of(point: &Point, records: Vec<Record>) -> PointResult {
        let schemes = point.scenario.schemes.iter();
        let summary = |name: &str| {
            let own: Vec<&Record> = records.iter().filter(|r| r.scheme == name).collect();
            (!own.is_empty()).then(|| summarise(&own).into())
        };
        let mut kept: Vec<StoredSummary> = schemes.filter_map(|s| summary(&s.name)).collect();
        kept.shrink_to_fit();
        let schemes = point.scenario.schemes.iter();
        let schemes: Vec<&str> = schemes.map(|s| s.name.as_str()).collect();
        PointResult {
            at: point.at.clone(),
            kept,
            runs: Ran::all(&schemes, &records),
            records,
        }
    }

    /// Returns the summary of a scheme.
    pub fn summary(&self, scheme: &str) -> Option<Arc<Summary>> {
        self.summaries().find(|s| s.scheme == scheme)
    }

    /// Iterates over the summaries, one for each scheme that ran.
    pub fn summaries(&self) -> impl Iterator<Item = Arc<Summary>> {
        self.kept.iter().map(StoredSummary::get)
    }

    /// Compresses the summaries in memory.
    pub fn pack(&mut self) {
        self.kept.iter_mut().for_each(|kept| *kept = kept.packed());
    }

    /// Iterates over the records of a scheme, by seed.
    pub fn of_scheme<'a>(&'a self, scheme: &'a str) -> impl Iterator<Item = &'a Record> {
        self.records.iter().filter(move |r| r.scheme == scheme)
    }
}

impl Results {
    /// Returns the results of the point at these values.
    pub fn at(&self, at: &[String]) -> Option<&PointResult> {
        self.points.iter().find(|point| point.at == at)
    }
}
