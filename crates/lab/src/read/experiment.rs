//! Reads text into an [`Experiment`]: a base, the file, and a scenario for each point. A plain
//! [`Scenario`] is an experiment with a single point.

use super::axes::{self, AxisValue, ReadAxis};
use super::made_for::made_for;
use super::names::stem;
use super::plots::figure;
use super::reader::Reader;
use crate::experiment::{Experiment, Point};
use crate::scenario::Scenario;
use crate::shipped::{self, OrShipped};
use sha2::{Digest, Sha256};
use sidestep_config::document::{self, Table, find};
use sidestep_config::problem::{At, Problem, Problems};
use sidestep_config::source::{self, Origin};
use sidestep_sim::Files;
use sidestep_types::Time;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Maximum number of points; more are taken for a mistake: each takes 9 kB once it is summed up.
const MOST_POINTS: usize = if cfg!(fuzzing) { 6 } else { 100_000 };

/// Keys that a file does not inherit from its base.
const OWN: [&str; 6] = ["title", "figure", "plot", "sweep", "quick", "claim"];

impl Experiment {
    /// Reads the experiment, or plain scenario, in `text` of the file called `file`, changed by
    /// `sets` (`key=value` each), and by its `[quick]` if `quick` is set.
    ///
    /// `files` reads the files that it names: its base, schemes, distributions, flow lists. Errors list
    /// everything that is wrong, in the order of the files.
    pub fn read(
        file: &str,
        text: &str,
        sets: &[String],
        quick: bool,
        files: &dyn Files,
    ) -> Result<Experiment, Vec<Problem>> {
        let mut problems = Problems::default();
        let files = &OrShipped(files);
        let read = Parsed::of(file, text, sets, quick, files, &mut problems)
            .and_then(|parsed| parsed.experiment(files, &mut problems));
        match read {
            Some(experiment) if problems.is_empty() => Ok(experiment),
            _ => Err(problems.into_sorted()),
        }
    }
}

impl Scenario {
    /// Reads the scenario in `text` of the file called `file`, changed by `sets` (`key=value` each).
    ///
    /// `files` reads the files that it names: schemes, distributions, flow lists. Errors list everything that
    /// is wrong, in the order of the file.
    pub fn read(
        file: &str,
        text: &str,
        sets: &[String],
        files: &dyn Files,
    ) -> Result<Scenario, Vec<Problem>> {
        let mut experiment = Experiment::read(file, text, sets, false, files)?;
        if experiment.points.len() > 1 {
            let mut problems = Problems::default();
            let many = experiment.points.len();
            let message =
                format!("expected a scenario without [sweep], got one with {many} points");
            problems.add(&At::file(file), message);
            return Err(problems.into_sorted());
        }
        let point = experiment.points.pop().expect("there is a point");
        Ok(point.scenario)
    }
}

/// Experiment whose points are read one at a time: for callers that run a few of very many.
pub struct Outline {
    parsed: Parsed,
    points: usize,
}

impl Outline {
    /// Reads as [`Experiment::read`] does, without any point.
    pub fn read(
        file: &str,
        text: &str,
        sets: &[String],
        quick: bool,
        files: &dyn Files,
    ) -> Result<Outline, Vec<Problem>> {
        let mut problems = Problems::default();
        let parsed = Parsed::of(file, text, sets, quick, &OrShipped(files), &mut problems);
        let read = parsed.and_then(|parsed| {
            let points = parsed.points(&mut problems)?;
            Some(Outline { parsed, points })
        });
        match read {
            Some(outline) if problems.is_empty() => Ok(outline),
            _ => Err(problems.into_sorted()),
        }
    }

    /// Returns the number of points.
    pub fn points(&self) -> usize {
        self.points
    }

    /// Reads point number `n`, in the order of [`Experiment::points`]; `None` if there is no such point.
    pub fn point(&self, n: usize, files: &dyn Files) -> Option<Result<Point, Vec<Problem>>> {
        if n >= self.points {
            return None;
        }
        let (mut problems, parsed) = (Problems::default(), &self.parsed);
        let values = parsed.values(n);
        let files = &OrShipped(files);
        let read = parsed.point(&values, &parsed.over, &parsed.sets, files, &mut problems);
        Some(match read {
            Some(scenario) if problems.is_empty() => Ok(Point {
                at: values.iter().map(|value| value.word.clone()).collect(),
                scenario,
            }),
            _ => Err(problems.into_sorted()),
        })
    }
}

/// Parsed trees of an experiment.
struct Parsed {
    file: String,
    /// Base, if there is one, and the file.
    written: Vec<(Table, Origin)>,
    axes: Vec<ReadAxis>,
    /// First point under `[quick]`, checked even when it is not used.
    first_look: Option<(Vec<ReadAxis>, Vec<Table>)>,
    over: Vec<Table>,
    sets: Vec<Table>,
    quick: bool,
    notes: Vec<String>,
}

impl Parsed {
    fn of(
        file: &str,
        text: &str,
        sets: &[String],
        quick: bool,
        files: &dyn Files,
        problems: &mut Problems,
    ) -> Option<Parsed> {
        let root = document::parse(file, text, problems);
        if !problems.is_empty() {
            // The rest of a tree is not reliable after a syntax error.
            return None;
        }
        let mut written = Vec::new();
        if let Some(entry) = find(&root, "extends") {
            written.push(base(entry, files, problems)?);
        }
        let mut axes = axes::sweep(&root, problems);
        if !problems.is_empty() {
            // Claims or plots on an axis that could not be read would be reported as wrong.
            return None;
        }
        let look = axes::quick(&root, &mut axes, problems);
        let has_quick = find(&root, "quick").is_some();
        let sources = source::read(&root, problems);
        written.push((root, Origin::Scenario(sources)));
        let parsed = sets.iter().map(|set| document::parse_set(set, problems));
        let sets: Vec<Table> = parsed.collect::<Vec<_>>().into_iter().flatten().collect();
        let mut notes = Vec::new();
        if quick && !has_quick {
            notes.push("--quick: the file has no [quick], so nothing is shortened".into());
        }
        let mut quick_axes = axes.clone();
        look.apply(&mut quick_axes);
        let (mut axes, first_look, over) = match (quick, has_quick) {
            (true, _) => (quick_axes, None, look.over),
            (false, true) => (axes, Some((quick_axes, look.over)), Vec::new()),
            (false, false) => (axes, None, Vec::new()),
        };
        let sets = axes::settle(&mut axes, sets, &mut notes, problems);
        Some(Parsed {
            file: file.to_string(),
            written,
            axes,
            first_look,
            over,
            sets,
            quick: quick && has_quick,
            notes,
        })
    }

    fn experiment(self, files: &dyn Files, problems: &mut Problems) -> Option<Experiment> {
        if let Some((axes, over)) = &self.first_look {
            let first: Vec<&AxisValue> = axes.iter().map(|axis| &axis.values[0]).collect();
            self.point(&first, over, &[], files, problems);
        }
        let many = self.points(problems)?;
        let mut points: Vec<Point> = Vec::with_capacity(many);
        for n in 0..many {
            let values = self.values(n);
            let mut scenario = self.point(&values, &self.over, &self.sets, files, problems);
            // Share everything that does not depend on an axis with the previous value on it, and so with the
            // first.
            for before in self.before(n) {
                if let (Some(scenario), Some(before)) = (&mut scenario, points.get(before)) {
                    scenario.share(&before.scenario);
                }
            }
            let at = values.iter().map(|value| value.word.clone()).collect();
            points.extend(scenario.map(|scenario| Point { at, scenario }));
        }
        let at_first = self.values(0);
        let mut first = self.reader(&at_first, &self.over, &self.sets, files, files);
        first.classes = (points.len() == many).then(|| classes(&points));
        let root = &self.written.last().expect("the file itself").0;
        let mut quiet = Problems::default();
        let names = first.scheme_names(&mut quiet).map(|(names, _)| names);
        let names = names.unwrap_or_default();
        let claims = first.claims(root, &names, &self.axes, problems);
        let figure = figure(root, problems);
        let plots = first.plots(root, &names, &self.axes, problems);
        if !problems.is_empty() || points.len() != many {
            return None;
        }
        let (mut claims, title) = (claims?, points[0].scenario.title.clone());
        let file = self.point(&at_first, &self.over, &[], files, &mut quiet);
        if let Some(file) = file {
            made_for(&mut claims, &file, &points[0].scenario, &self.axes);
        }
        let mut notes = self.notes;
        notes.extend(names.iter().filter_map(|(word, _)| unread(word, files)));
        if self.axes.is_empty() {
            // Only the warnings of a single scenario are shown, so the notes join them.
            points[0].scenario.warnings.append(&mut notes);
        }
        if self.axes.is_empty() {
            points[0].scenario.claims.clone_from(&claims);
        }
        Some(Experiment {
            name: stem(&self.file).to_string(),
            title,
            figure,
            plots: plots?,
            axes: self.axes.iter().map(ReadAxis::shown).collect(),
            points,
            claims,
            quick: self.quick,
            notes,
        })
    }

    /// Returns the number of combinations of the axes' values.
    fn points(&self, problems: &mut Problems) -> Option<usize> {
        let sizes = self.axes.iter().map(|axis| axis.values.len());
        let many = sizes.fold(1usize, |product, n| product.saturating_mul(n));
        if many > MOST_POINTS {
            let (root, _) = self.written.last().expect("the file itself");
            let whole = At::file(&self.file);
            let at = find(root, "sweep").map_or(&whole, |entry| &entry.at);
            let message = format!(
                "sweep: expected at most {MOST_POINTS} points, which take about 1 GB, got {many}"
            );
            problems.add(at, message);
            return None;
        }
        Some(many)
    }

    /// Returns the numbers of the points with the previous value on one axis, and the same values on all
    /// others.
    fn before(&self, n: usize) -> Vec<usize> {
        let (mut all, mut stride) = (Vec::new(), 1);
        for axis in self.axes.iter().rev() {
            if !(n / stride).is_multiple_of(axis.values.len()) {
                all.push(n - stride);
            }
            stride *= axis.values.len();
        }
        all
    }

    /// Returns combination number `n` of the axes' values; the last axis varies fastest.
    fn values(&self, n: usize) -> Vec<&AxisValue> {
        let (mut values, mut left) = (Vec::new(), n);
        for axis in self.axes.iter().rev() {
            values.push(&axis.values[left % axis.values.len()]);
            left /= axis.values.len();
        }
        values.reverse();
        values
    }

    fn point(
        &self,
        values: &[&AxisValue],
        over: &[Table],
        sets: &[Table],
        files: &dyn Files,
        problems: &mut Problems,
    ) -> Option<Scenario> {
        let seen = DigestedFiles {
            files,
            read: RefCell::default(),
        };
        let reader = self.reader(values, over, sets, &seen, files);
        let mut scenario = reader.read(&self.file, problems)?;
        scenario.files = seen.read.into_inner().into_iter().collect();
        Some(scenario)
    }

    fn reader<'r>(
        &'r self,
        values: &[&'r AxisValue],
        over: &'r [Table],
        sets: &'r [Table],
        files: &'r dyn Files,
        scheme_files: &'r dyn Files,
    ) -> Reader<'r> {
        const QUICK: &Origin = &Origin::Quick;
        const SWEEP: &Origin = &Origin::Sweep;
        const USER: &Origin = &Origin::User;
        let quick = over.iter().map(|table| (table, QUICK));
        let swept = values.iter().flat_map(|value| &value.over);
        let swept = swept.map(|(_, table)| (table, SWEEP));
        let sets = sets.iter().map(|table| (table, USER));
        Reader {
            at: At::file(&self.file),
            written: &self.written,
            over: quick.chain(swept).chain(sets).collect(),
            files,
            scheme_files,
            classes: None,
        }
    }
}

/// Notes that a file of the user has the name of a shipped scheme, and so is not read.
fn unread(word: &str, files: &dyn Files) -> Option<String> {
    let shipped = shipped::scheme(word)?;
    let path = format!("schemes/{word}.toml");
    let own = files.read(&path).ok()?;
    let note = || {
        format!(
            "{path} is not read, because {word:?} is a shipped scheme; schemes = [\"./{path}\"] \
             reads the file"
        )
    };
    (own != shipped).then(note)
}

/// Returns the classes of all points, each once.
fn classes(points: &[Point]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for point in points {
        for class in point.scenario.classes(Time::MAX) {
            if !all.contains(&class) {
                all.push(class);
            }
        }
    }
    all
}

/// Reads the base that a file extends.
fn base(
    entry: &document::Entry,
    files: &dyn Files,
    problems: &mut Problems,
) -> Option<(Table, Origin)> {
    let path = entry
        .node
        .text("extends", "a file beside this one", problems)?;
    let text = match files.read(path) {
        Ok(text) => text,
        Err(why) => {
            let message = format!("extends: {path:?} cannot be read: {why}");
            problems.add(&entry.node.at, message);
            return None;
        }
    };
    let mut own = Problems::default();
    let mut root = document::parse(path, &text, &mut own);
    if !own.is_empty() {
        problems.extend(own);
        return None;
    }
    if let Some(again) = find(&root, "extends") {
        let message = "extends: another file extends this one, so this one cannot extend a third";
        problems.add(&again.at, message);
        return None;
    }
    root.retain(|entry| !OWN.contains(&entry.key.as_str()));
    // Sources are checked against the whole file, before keys are removed.
    let sources = source::read(&root, problems);
    Some((root, Origin::Scenario(sources)))
}

/// Remembers a digest of every file that is read.
struct DigestedFiles<'a> {
    files: &'a dyn Files,
    read: RefCell<BTreeMap<String, String>>,
}

impl Files for DigestedFiles<'_> {
    fn read(&self, path: &str) -> Result<String, String> {
        let text = self.files.read(path)?;
        let digest = Sha256::digest(text.as_bytes());
        let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        self.read.borrow_mut().insert(path.to_string(), digits);
        Ok(text)
    }
}
