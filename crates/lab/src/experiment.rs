//! An experiment: a scenario at several points, what is drawn of it, and what a paper claims.

use crate::claim::Claim;
use crate::ran::Ran;
use crate::record::Record;
use crate::scenario::Scenario;
use crate::stats::{Kept, Summary, metric, place, summarise};
use std::sync::Arc;

/// What `docs/experiments.md` calls an experiment. A scenario without `[sweep]` is one with a
/// single point and no axes.
pub struct Experiment {
    /// The file's name without folder and ending.
    pub name: String,
    /// What it shows, in one line; may be empty.
    pub title: String,
    /// The paper's figure, when it is one.
    pub figure: Option<FigureSpec>,
    /// What is drawn.
    pub plots: Vec<PlotSpec>,
    /// What is swept; the last one varies fastest.
    pub axes: Vec<Axis>,
    /// All combinations of the axes' values; never empty.
    pub points: Vec<Point>,
    /// What a paper says about it.
    pub claims: Vec<Claim>,
    /// `[quick]` was applied.
    pub quick: bool,
    /// What `--set` did to the axes, one sentence each.
    pub notes: Vec<String>,
}

/// `[figure]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FigureSpec {
    /// The paper: authors, venue and year.
    pub paper: String,
    /// The figure's number there; a table or section by its name.
    pub number: String,
    /// What it shows, in one sentence.
    pub shows: String,
}

impl FigureSpec {
    /// What people call it: `Figure 8`, `Section 5.6`, or its own words; nothing where it has no number.
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

/// What is swept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// A dotted key, or a name of the file's own.
    pub name: String,
    /// Its values, as the reader sees them.
    pub values: Vec<String>,
    /// The name is a dotted key of the scenario.
    pub is_key: bool,
}

/// One combination of the axes' values.
pub struct Point {
    /// The value on each axis, in the order of [`Experiment::axes`].
    pub at: Vec<String>,
    /// What to simulate there. Its claims are the experiment's.
    pub scenario: Scenario,
}

/// The kinds of `[[plot]]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlotKind {
    /// Metrics against an axis, a line a scheme.
    Lines,
    /// Metrics against an axis of words.
    Bars,
    /// The distribution of a sample.
    Cdf,
    /// The values of a sample by rank.
    Ranked,
    /// A sample's windows against simulated time.
    OverTime,
    /// One packet's way through the network.
    Path,
    /// Each detour as a mark, time against switch.
    Detours,
    /// The queues of one pod at some instants.
    Occupancy,
}

impl PlotKind {
    /// All of them, by name.
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

    /// What it draws, in one line.
    pub const fn doc(self) -> &'static str {
        match self {
            PlotKind::Lines => "metrics y against axis x, a line a scheme, with 95 % intervals",
            PlotKind::Bars => "metrics y against an axis x of words, a bar a scheme",
            PlotKind::Cdf => "the distribution of a sample, a curve a scheme (and point)",
            PlotKind::Ranked => {
                "the values of a sample in the order of their size, a curve a scheme (and point)"
            }
            PlotKind::OverTime => {
                "a sample with a value for each window against simulated time, a line a scheme (and point)"
            }
            PlotKind::Path => "one packet's way through the network; needs probe.paths",
            PlotKind::Detours => "each detour as a mark, time against switch; needs probe.detours",
            PlotKind::Occupancy => "the queues of one pod at some instants; needs probe.occupancy",
        }
    }

    /// Does it draw a sample?
    pub fn is_of_sample(self) -> bool {
        matches!(self, PlotKind::Cdf | PlotKind::Ranked | PlotKind::OverTime)
    }

    /// Its name in `[[plot]]`.
    pub fn name(self) -> &'static str {
        let named = Self::ALL.iter().find(|(_, kind)| *kind == self);
        named.expect("every kind has a name").0
    }
}

/// `[[plot]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotSpec {
    /// What is drawn.
    pub kind: PlotKind,
    /// Above it; may be empty.
    pub title: String,
    /// `lines` and `bars`: the name of the axis.
    pub x: String,
    /// `lines` and `bars`: names of metrics.
    pub y: Vec<String>,
    /// `cdf`, `ranked` and `over_time`: the name of the sample.
    pub of: String,
    /// Fixes axes: name and value. Values that no point has leave nothing to draw.
    pub at: Vec<(String, String)>,
    /// Only these schemes; empty for all.
    pub schemes: Vec<String>,
    /// `lines` and `bars`: each number over the one at these values of axes; empty for the number itself.
    pub per: Vec<(String, String)>,
    /// `lines` and `bars`: what the paper's authors plotted.
    pub points: AuthorPoints,
    /// The x axis is logarithmic.
    pub log_x: bool,
    /// The y axis is logarithmic.
    pub log_y: bool,
}

/// Points that a paper's authors plotted, as far as a plot shows them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AuthorPoints {
    /// Where they come from, in one line; empty without any.
    pub source: String,
    /// The points, in the order of their table.
    pub all: Vec<AuthorPoint>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq)]
pub struct AuthorPoint {
    /// The metric that it is of.
    pub metric: String,
    /// Our name of its scheme.
    pub scheme: String,
    /// Position on the axis, as an axis writes its values.
    pub x: String,
    /// The number, in the metric's unit.
    pub y: f64,
}

impl Experiment {
    /// Is it more than a plain scenario?
    pub fn is_sweep(&self) -> bool {
        !self.axes.is_empty()
    }

    /// How many runs it takes: points times schemes times seeds.
    pub fn runs(&self) -> usize {
        let of = |point: &Point| point.scenario.schemes.len() * point.scenario.seeds.len();
        self.points.iter().map(of).sum()
    }

    /// What must be read before trusting a number, each once, with the points it is about
    /// when it is not about all.
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

    /// Metrics and samples that plots and claims ask for.
    fn asked(&self) -> Vec<&str> {
        let drawn = self.plots.iter();
        let drawn = drawn.flat_map(|plot| plot.y.iter().chain([&plot.of]));
        let claimed = self.claims.iter().map(|claim| claim.metric.as_str());
        let mut asked: Vec<&str> = drawn.map(String::as_str).chain(claimed).collect();
        asked.sort_unstable();
        asked.dedup();
        asked
    }

    /// Those of a class of which no flow is sent, and those of groups without any.
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
                "{name} has no value: no flow of the class starts before the run's end at {end}"
            ))
        };
        let missing = |name: &str| {
            if name.starts_with("group_") && !scenarios().all(Scenario::has_groups) {
                return Some(format!(
                    "{name} has no value: no flow of a list names a group"
                ));
            }
            class(name)
        };
        self.asked().into_iter().filter_map(missing).collect()
    }

    /// Those that no probe measures.
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

    /// [`Experiment::warnings`], and what the runs gave rise to: the first words of a scheme at a
    /// point stand for all that were of it there.
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

/// What came out at all points, in the order of [`Experiment::points`].
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// One per point.
    pub points: Vec<PointResult>,
}

/// What came out at one point.
#[derive(Clone, Debug, Default)]
pub struct PointResult {
    /// The value on each axis.
    pub at: Vec<String>,
    /// One per scheme that ran, in the scenario's order. Reports hold the same.
    pub kept: Vec<Kept>,
    /// One per run: by scheme, then by seed. Runs that an interruption kept from beginning are not there.
    pub runs: Vec<Ran>,
    /// The same whole; none of a sweep whose plots draw numbers alone.
    pub records: Vec<Record>,
}

impl PointResult {
    /// Sums up the records of one point, which are in the order of schemes and seeds.
    pub fn of(point: &Point, records: Vec<Record>) -> PointResult {
        let schemes = point.scenario.schemes.iter();
        let summary = |name: &str| {
            let own: Vec<&Record> = records.iter().filter(|r| r.scheme == name).collect();
            (!own.is_empty()).then(|| summarise(&own).into())
        };
        let mut kept: Vec<Kept> = schemes.filter_map(|s| summary(&s.name)).collect();
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

    /// The summary of a scheme.
    pub fn summary(&self, scheme: &str) -> Option<Arc<Summary>> {
        self.summaries().find(|s| s.scheme == scheme)
    }

    /// The summaries, one per scheme that ran.
    pub fn summaries(&self) -> impl Iterator<Item = Arc<Summary>> {
        self.kept.iter().map(Kept::get)
    }

    /// Holds them in few bytes from now on.
    pub fn pack(&mut self) {
        self.kept.iter_mut().for_each(|kept| *kept = kept.packed());
    }

    /// The records of a scheme, by seed.
    pub fn of_scheme<'a>(&'a self, scheme: &'a str) -> impl Iterator<Item = &'a Record> {
        self.records.iter().filter(move |r| r.scheme == scheme)
    }
}

impl Results {
    /// The point at these values.
    pub fn at(&self, at: &[String]) -> Option<&PointResult> {
        self.points.iter().find(|point| point.at == at)
    }
}
