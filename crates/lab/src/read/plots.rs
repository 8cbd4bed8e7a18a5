//! `[figure]` and `[[plot]]`: the figure of a paper, and the plots to draw.

use super::axes::ReadAxis;
use super::fixed::fixed;
use super::names::{stem, words};
use super::points::points;
use super::reader::Reader;
use crate::experiment::{AuthorPoints, FigureSpec, PlotKind, PlotSpec};
use crate::stats::metric::{self, Each, SAMPLES, SampleKind};
use crate::tables::{FIGURE, PLOT};
use sidestep_config::document::{Entry, Item, Node, Table, find};
use sidestep_config::problem::{At, Problems, suggest};
use sidestep_switch::DropReason;
use sidestep_types::Param;

/// Reads `[figure]`.
pub(super) fn figure(root: &Table, problems: &mut Problems) -> Option<FigureSpec> {
    let entry = find(root, "figure")?;
    let table = entry.node.table("figure", problems)?;
    known_keys(table, "[figure]", FIGURE, problems);
    let mut text = |key: &str| {
        let param = FIGURE.iter().find(|param| param.name == key)?;
        match (find(table, key), param.default) {
            (Some(e), _) => {
                let text = e.node.text(&format!("figure.{key}"), "text", problems)?;
                Some(text.to_string())
            }
            (None, Some(default)) => Some(default.to_string()),
            (None, None) => {
                let message = format!("figure.{key} is missing: {}", param.doc);
                problems.add(&entry.at, message);
                None
            }
        }
    };
    let (paper, number, shows) = (text("paper"), text("number"), text("shows"));
    Some(FigureSpec {
        paper: paper?,
        number: number?,
        shows: shows?,
    })
}

fn known_keys(table: &Table, what: &str, params: &[Param], problems: &mut Problems) {
    for entry in table {
        if !params.iter().any(|param| param.name == entry.key) {
            let hint = suggest(&entry.key, params.iter().map(|param| param.name));
            let message = format!("unknown key {:?} in {what}{hint}", entry.key);
            problems.add(&entry.at, message);
        }
    }
}

impl Reader<'_> {
    /// Reads all plots.
    pub(super) fn plots(
        &self,
        root: &Table,
        schemes: &[(String, At)],
        axes: &[ReadAxis],
        problems: &mut Problems,
    ) -> Option<Vec<PlotSpec>> {
        let Some(entry) = find(root, "plot") else {
            return Some(Vec::new());
        };
        let Item::List(nodes) = &entry.node.item else {
            let got = entry.node.item.kind();
            let message = format!("plot: expected [[plot]], got {got}");
            problems.add(&entry.node.at, message);
            return None;
        };
        let all: Vec<_> = nodes
            .iter()
            .map(|node| self.plot(node, schemes, axes, problems))
            .collect();
        all.into_iter().collect()
    }

    fn plot(
        &self,
        node: &Node,
        schemes: &[(String, At)],
        axes: &[ReadAxis],
        problems: &mut Problems,
    ) -> Option<PlotSpec> {
        let table = node.table("plot", problems)?;
        known_keys(table, "[[plot]]", PLOT, problems);
        let at = match find(table, "at") {
            Some(entry) => fixed("plot.at", &entry.node, axes, false, problems),
            None => Some(Vec::new()),
        };
        let chosen = self.plot_schemes(table, schemes, problems);
        let kind = kind(node, table, problems)?;
        let text = |key: &str, problems: &mut Problems| match find(table, key) {
            Some(e) => e.node.text(&format!("plot.{key}"), "text", problems),
            None => Some(""),
        };
        let against = matches!(kind, PlotKind::Lines | PlotKind::Bars);
        let sample = kind.is_of_sample();
        let of_axes = ["x", "y", "per", "points", "points_of"].map(|key| (key, against));
        for (key, fits) in of_axes.into_iter().chain([("of", sample)]) {
            if let (Some(entry), false) = (find(table, key), fits) {
                let message = format!("plot: kind {:?} has no {key:?}", kind.name());
                problems.add(&entry.at, message);
            }
        }
        let x = if against {
            x(node, table, axes, problems)
        } else {
            Some(String::new())
        };
        let y = if against {
            self.y(node, table, problems)
        } else {
            Some(Vec::new())
        };
        let per = match find(table, "per") {
            Some(entry) => fixed("plot.per", &entry.node, axes, false, problems),
            None => Some(Vec::new()),
        };
        let drawn = if against {
            self.points(table, y.as_deref(), chosen.as_deref(), schemes, problems)
        } else {
            Some(AuthorPoints::default())
        };
        let of = if sample {
            self.of(node, table, kind, problems)
        } else {
            Some(String::new())
        };
        let (log_x, log_y) = match text("log", problems)? {
            "" => (false, false),
            "x" => (true, false),
            "y" => (false, true),
            "xy" => (true, true),
            other => {
                let at = find(table, "log").map_or(&node.at, |entry| &entry.node.at);
                let message = format!("plot.log: {other:?} is unknown; known: x, y, xy");
                problems.add(at, message);
                return None;
            }
        };
        Some(PlotSpec {
            kind,
            title: text("title", problems)?.to_string(),
            x: x?,
            y: y?,
            of: of?,
            at: at?,
            schemes: chosen?,
            per: per?,
            points: drawn?,
            log_x,
            log_y,
        })
    }

    /// Reads the points of the paper's authors.
    fn points(
        &self,
        table: &Table,
        y: Option<&[String]>,
        chosen: Option<&[String]>,
        schemes: &[(String, At)],
        problems: &mut Problems,
    ) -> Option<AuthorPoints> {
        let Some(entry) = find(table, "points") else {
            if let Some(of) = find(table, "points_of") {
                problems.add(&of.at, "plot.points_of needs plot.points");
            }
            return Some(AuthorPoints::default());
        };
        if find(table, "per").is_some() {
            let message = "plot.points: per turns this plot into ratios, and points of authors are \
                           not ratios; remove per or points";
            problems.add(&entry.at, message);
        }
        let path = entry.node.text("plot.points", "a table", problems)?;
        let figures = match find(table, "points_of") {
            Some(of) => words(&of.node, "plot.points_of", "names of figures", problems),
            None => Vec::new(),
        };
        let figures: Vec<String> = figures.into_iter().map(|(name, _)| name).collect();
        let (y, chosen) = (y?, chosen?);
        let has_scheme = |name: &str| match chosen {
            [] => schemes.iter().any(|(word, _)| stem(word) == name),
            some => some.iter().any(|own| own == name),
        };
        let text = self.files.read(path);
        match text.and_then(|text| points(&text, &figures, y, has_scheme)) {
            Ok(points) => Some(points),
            Err(why) => {
                problems.add(&entry.node.at, format!("plot.points: {path:?}: {why}"));
                None
            }
        }
    }

    fn plot_schemes(
        &self,
        table: &Table,
        schemes: &[(String, At)],
        problems: &mut Problems,
    ) -> Option<Vec<String>> {
        let Some(entry) = find(table, "schemes") else {
            return Some(Vec::new());
        };
        let mut chosen = Vec::new();
        for (name, at) in words(&entry.node, "plot.schemes", "names of schemes", problems) {
            let listed = schemes.iter().any(|(word, _)| stem(word) == name);
            if !listed && !self.lists(&name) {
                let hint = suggest(&name, schemes.iter().map(|(word, _)| stem(word)));
                let message = format!("plot.schemes: {name:?} is not in schemes{hint}");
                problems.add(&at, message);
                continue;
            }
            chosen.push(name);
        }
        Some(chosen)
    }

    /// Reads the sample that a plot of `kind` draws.
    fn of(
        &self,
        node: &Node,
        table: &Table,
        kind: PlotKind,
        problems: &mut Problems,
    ) -> Option<String> {
        let fits = |name: &str| {
            let sample = metric::sample(name);
            kind != PlotKind::OverTime || sample.is_some_and(SampleKind::has_windows)
        };
        let known = || SAMPLES.iter().copied().filter(|name| fits(name));
        let Some(entry) = find(table, "of") else {
            let known: Vec<&str> = known().collect();
            let message = format!("plot.of is missing: expected one of {}", known.join(", "));
            problems.add(&node.at, message);
            return None;
        };
        let name = (entry.node).text("plot.of", "the name of a sample", problems)?;
        let sample = match self.sample(name, known().collect()) {
            Ok(sample) => sample,
            Err(message) => {
                problems.add(&entry.node.at, message);
                return None;
            }
        };
        if !fits(name) {
            let known: Vec<&str> = known().collect();
            let message = format!(
                "plot.of: {name:?} has no value per window; those that have: {}",
                known.join(", ")
            );
            problems.add(&entry.node.at, message);
            return None;
        }
        if let (Some((_, own)), Some(each)) = (name.split_once('.'), sample.each) {
            let (what, names) = match each {
                Each::Workload => ("workload", self.workload_names()),
                Each::Reason => (
                    "reason of a drop",
                    DropReason::ALL.map(DropReason::name).to_vec(),
                ),
                // Selections of links can only be checked against a network.
                Each::Links => ("", vec![own]),
            };
            if !names.contains(&own) {
                let hint = suggest(own, names);
                let message = format!("plot.of: no {what} is called {own:?}{hint}");
                problems.add(&entry.node.at, message);
                return None;
            }
        }
        // Selections of links are stored with one blank around the arrow.
        let parts: Vec<&str> = name.split('>').map(str::trim).collect();
        Some(parts.join(" > "))
    }

    fn y(&self, node: &Node, table: &Table, problems: &mut Problems) -> Option<Vec<String>> {
        let Some(entry) = find(table, "y") else {
            problems.add(&node.at, "plot.y is missing: expected names of metrics");
            return None;
        };
        let mut metrics = Vec::new();
        for (name, at) in words(&entry.node, "plot.y", "names of metrics", problems) {
            match self.metric(&name) {
                Ok(name) => metrics.push(name),
                Err(message) => problems.add(&at, message),
            }
        }
        Some(metrics)
    }

    /// Returns the names of all workloads in the files.
    fn workload_names(&self) -> Vec<&str> {
        let roots = self.roots().filter_map(|(root, _)| find(root, "workload"));
        let tables = roots.filter_map(|entry| match &entry.node.item {
            Item::Table(table) => Some(table),
            _ => None,
        });
        tables.flatten().map(|entry| entry.key.as_str()).collect()
    }
}

fn kind(node: &Node, table: &Table, problems: &mut Problems) -> Option<PlotKind> {
    let names = || PlotKind::ALL.into_iter().map(|(name, _)| name);
    let Some(entry) = find(table, "kind") else {
        let names: Vec<&str> = names().collect();
        let message = format!("plot.kind is missing: expected one of {}", names.join(", "));
        problems.add(&node.at, message);
        return None;
    };
    let name = entry.node.text("plot.kind", "a kind", problems)?;
    let found = PlotKind::ALL.into_iter().find(|(known, _)| *known == name);
    if found.is_none() {
        let hint = suggest(name, names());
        problems.add(&entry.node.at, format!("plot {name:?} is unknown{hint}"));
    }
    found.map(|(_, kind)| kind)
}

/// Reads the axis to draw against; if none is named and there is only one, that one.
fn x(node: &Node, table: &Table, axes: &[ReadAxis], problems: &mut Problems) -> Option<String> {
    let names = || axes.iter().map(|axis| axis.name.as_str());
    let entry: Option<&Entry> = find(table, "x");
    match (entry, axes) {
        (Some(entry), _) => {
            let name = entry.node.text("plot.x", "the name of an axis", problems)?;
            if !names().any(|axis| axis == name) {
                let hint = suggest(name, names());
                let message = format!("plot.x: {name:?} is not swept{hint}");
                problems.add(&entry.node.at, message);
                return None;
            }
            Some(name.to_string())
        }
        (None, [only]) => Some(only.name.clone()),
        (None, _) => {
            let known: Vec<&str> = names().collect();
            let message = match &known[..] {
                [] => "plot.x is missing: expected an axis, but this file has no [sweep]".into(),
                known => format!(
                    "plot.x is missing: expected an axis of [sweep]: {}",
                    known.join(", ")
                ),
            };
            problems.add(&node.at, message);
            None
        }
    }
}
