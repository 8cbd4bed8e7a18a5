//! Pages of a run, of a sweep and of a report of figures.

use super::{Page, Section, Table, palette};
use crate::figures::pictures;
use crate::format::{PARTIAL, some};
use crate::reproduce::drawn::{Drawn, Subject, draw, point_of};
use crate::reproduce::{FigureResult, Reproduction};
use crate::staging::Staging;
use crate::{Error, Report, Status, SweepReport, figures};
use sidestep_lab::stats::StoredSummary;
use sidestep_lab::{
    AuthorPoints, Experiment, PlotKind, PlotSpec, PointResult, Ran, Record, Results, Scenario,
};

/// Name of the file.
pub(crate) const FILE: &str = "report.html";

/// Folder of a result's plots.
const PLOTS: &str = "plots";

/// Writes the plots of a run (those of every run, and those of `[[plot]]`) and its page.
pub(crate) fn run(
    staging: &Staging,
    scenario: &Scenario,
    plots: &[PlotSpec],
    report: &Report,
    records: Vec<Record>,
) -> Result<(), Error> {
    let subject = Subject::alone(scenario, &report.claims);
    let mut drawn = figures::draw(scenario, &records, &report.claims);
    let results = Results {
        points: vec![PointResult {
            at: Vec::new(),
            kept: report
                .summaries
                .iter()
                .cloned()
                .map(StoredSummary::from)
                .collect(),
            runs: Ran::all(&subject.schemes(), &records),
            records,
        }],
    };
    let palette = palette(&subject);
    let own = plots.iter().enumerate();
    drawn.extend(own.map(|spec| draw(&subject, &results, spec, &palette)));
    let table = Table {
        caption: format!(
            "All seeds together, {}",
            some(scenario.schemes.len(), "scheme")
        ),
        grid: without_clocks(report).grid(),
        words: 1,
    };
    let mut tables = vec![table];
    if !report.marked.is_empty() {
        tables.push(Table {
            caption: report.what_is_marked(),
            grid: report.marked_grid(),
            words: 1,
        });
    }
    let section = Section {
        group: "",
        path: scenario.name.clone(),
        heading: "Results".into(),
        shows: "",
        results: &results,
        partial: report.status == Status::Partial,
        warnings: report.warnings.clone(),
        tables,
        plots: drawn,
        pictures: PLOTS.into(),
        beside: None,
        files: Vec::new(),
        subject,
    };
    one(
        staging,
        section,
        false,
        report.what_is_compared(),
        short(report),
    )
}

/// Builds the table of 99th percentiles at the top of the page.
fn short(report: &Report) -> Option<Table> {
    let against = match report.summaries.as_slice() {
        [first, _, ..] => format!("; in brackets, as a multiple of {}", first.scheme),
        _ => String::new(),
    };
    Some(Table {
        caption: format!("99th percentiles, all seeds together{against}"),
        grid: report.short()?,
        words: 1,
    })
}

/// Returns the report without CPU times, so that equal runs give equal pages.
fn without_clocks(report: &Report) -> Report {
    let mut report = report.clone();
    for summary in &mut report.summaries {
        (summary.cpu_s, summary.hops_per_cpu_s) = (None, None);
    }
    report
}

/// Writes the plots of an experiment, and its page.
pub(crate) fn sweep(
    staging: &Staging,
    experiment: &Experiment,
    results: &Results,
    report: &SweepReport,
) -> Result<(), Error> {
    let subject = Subject::of(experiment, &report.claims);
    let palette = palette(&subject);
    let usual: Vec<PlotSpec>;
    let plots = match experiment.plots.as_slice() {
        [] => {
            usual = usual_plots(experiment, report);
            &usual
        }
        own => own,
    };
    let drawn = plots.iter().enumerate();
    let drawn = drawn.map(|spec| draw(&subject, results, spec, &palette));
    let (grid, left) = report.grid();
    let table = Table {
        caption: "Each point and scheme, all seeds together".into(),
        grid,
        words: 1 + left.len(),
    };
    let mut warnings = report.warnings.clone();
    warnings.extend(report.notes.iter().cloned());
    let section = Section {
        group: "",
        path: experiment.name.clone(),
        heading: "Results".into(),
        shows: "",
        results,
        partial: report.status == Status::Partial,
        warnings,
        tables: vec![table],
        plots: drawn.collect(),
        pictures: PLOTS.into(),
        beside: None,
        files: Vec::new(),
        subject,
    };
    one(staging, section, report.quick, PARTIAL.into(), None)
}

/// Points above which a sweep draws no plot by default, only those that its file asks for.
const MOST_DRAWN: usize = 1_000;

/// Returns the plots of a sweep whose file asks for none: the columns of its table over its first axis.
fn usual_plots(experiment: &Experiment, report: &SweepReport) -> Vec<PlotSpec> {
    let there = |name: &&String| {
        let mut all = report.points.iter().flat_map(|point| &point.kept);
        all.any(|kept| point_of(name, &kept.get()).is_some())
    };
    let Some(axis) = experiment.axes.first() else {
        return Vec::new();
    };
    // The marks of that many points hide each other, and drawing them takes minutes.
    if experiment.points.len() > MOST_DRAWN {
        return Vec::new();
    }
    vec![PlotSpec {
        kind: PlotKind::Lines,
        title: String::new(),
        x: axis.name.clone(),
        y: report.shown.iter().filter(there).cloned().collect(),
        of: String::new(),
        at: Vec::new(),
        schemes: Vec::new(),
        per: Vec::new(),
        points: AuthorPoints::default(),
        log_x: false,
        log_y: false,
    }]
}

/// Writes the page of one section, and its plots as separate files. `compared` is the note of a partial result.
fn one(
    staging: &Staging,
    mut section: Section<'_>,
    quick: bool,
    compared: String,
    short: Option<Table>,
) -> Result<(), Error> {
    let drawings: Vec<_> = section
        .plots
        .iter()
        .filter_map(|plot| plot.drawing(PLOTS))
        .collect();
    pictures(staging, &drawings)?;
    let mut files = staging.names()?;
    // These files are written together with the page or after it.
    for name in ["summary.json", "manifest.json"] {
        if !files.iter().any(|own| own == name) {
            files.push(name.into());
        }
    }
    files.sort();
    section.files = files.into_iter().map(|name| (name.clone(), name)).collect();
    let subject = &section.subject;
    let page = Page {
        title: match subject.title {
            "" => subject.name.to_string(),
            title => format!("{}: {title}", subject.name),
        },
        papers: Vec::new(),
        figures: false,
        quick,
        partial: section.partial.then_some(compared),
        short,
        sections: vec![section],
    };
    staging.write(FILE, page.to_html().as_bytes())
}

impl Reproduction {
    /// Renders the whole report as one HTML file.
    pub fn to_html(&self) -> String {
        let palette = self.palette();
        let mut papers: Vec<&str> = Vec::new();
        let specs = self
            .figures
            .iter()
            .filter_map(|f| f.experiment.figure.as_ref());
        for spec in specs {
            if !spec.paper.is_empty() && !papers.contains(&spec.paper.as_str()) {
                papers.push(&spec.paper);
            }
        }
        let sections = self.figures.iter();
        let page = Page {
            title: match self.asked.as_str() {
                "" => "All papers: figures and claims".into(),
                asked => format!("{asked}: figures and claims"),
            },
            papers,
            figures: true,
            quick: self.quick,
            partial: (self.status() == Status::Partial).then(|| PARTIAL.into()),
            short: None,
            sections: sections.map(|f| figure(f, f.plots(&palette))).collect(),
        };
        page.to_html()
    }
}

fn figure(figure: &FigureResult, plots: Vec<Drawn>) -> Section<'_> {
    let experiment = &figure.experiment;
    let folder = figure.path();
    let mut warnings = experiment.warnings_of(&figure.results);
    warnings.extend(experiment.notes.iter().cloned());
    let mut names = ["points.csv", "summary.json", "experiment.toml"]
        .map(String::from)
        .to_vec();
    for plot in plots.iter().filter(|p| p.drawing.is_ok()) {
        names.push(format!("{}.svg", plot.file));
        names.push(format!("{}.png", plot.file));
    }
    let beside = |name: String| (name.clone(), format!("{folder}/{name}"));
    Section {
        group: &figure.paper,
        heading: figure.heading(),
        shows: experiment.figure.as_ref().map_or("", |spec| &spec.shows),
        subject: Subject::of(experiment, &figure.claims),
        results: &figure.results,
        partial: figure.status == Status::Partial,
        warnings,
        tables: Vec::new(),
        plots,
        pictures: folder.clone(),
        beside: figure.beside.as_ref(),
        files: names.into_iter().map(beside).collect(),
        path: folder,
    }
}
