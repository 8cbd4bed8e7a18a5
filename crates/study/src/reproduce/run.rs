//! Runs the experiments of several figures as one list of jobs, and writes one directory.

use super::library::{ExperimentEntry, ExperimentLibrary};
use super::{FigureResult, Reproduction};
use crate::csv;
use crate::figures::pictures;
use crate::recorder::unwritten;
use crate::staging::Staging;
use crate::sweep::{CODE, RunOrigin, measure_experiments};
use crate::{Error, MeasureOptions, Measurement, page, when};
use serde_json::{Value, json};
use sidestep_lab::Experiment;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Options of a reproduction.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// Request, as in the report's title; empty for all.
    pub asked: String,
    /// True if `[quick]` is applied.
    pub quick: bool,
    /// Result directory, which must not exist yet.
    pub out: &'a Path,
    /// Threads, cache and progress.
    pub measure: MeasureOptions<'a>,
}

/// Figure to run.
pub struct Order {
    /// Folder of the paper.
    pub paper: String,
    /// Experiment to run.
    pub experiment: Experiment,
}

/// Reads all experiments. Errors in any of them are reported before anything runs.
pub fn orders(
    shelf: &ExperimentLibrary,
    books: &[&ExperimentEntry],
    quick: bool,
) -> Result<Vec<Order>, Error> {
    let mut wrong = Vec::new();
    let mut orders = Vec::new();
    for book in books {
        let file = match &book.file {
            Some(path) => path.display().to_string(),
            None => format!("{}/{}.toml", book.paper, book.name),
        };
        match Experiment::read(&file, &book.text, &[], quick, &shelf.beside(book)) {
            Ok(experiment) => orders.push(Order {
                paper: book.paper.clone(),
                experiment,
            }),
            Err(problems) => wrong.extend(problems),
        }
    }
    match wrong.is_empty() {
        true => Ok(orders),
        false => Err(Error::Wrong(wrong)),
    }
}

/// Result of a reproduction.
pub struct Finished {
    /// Result directory.
    pub dir: PathBuf,
    /// Reproduced figures.
    pub reproduction: Reproduction,
}

/// Runs all figures, passes the result to `tell`, and writes the report.
///
/// When `stop` becomes true, runs in progress end and count as not run, and the report is marked partial. On an
/// error only the cache remains.
pub fn reproduce(
    orders: Vec<Order>,
    options: &Options<'_>,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(&Reproduction),
) -> Result<Finished, Error> {
    let staging = Staging::begin(options.out)?;
    let experiments: Vec<&Experiment> = orders.iter().map(|o| &o.experiment).collect();
    let measured = measure_experiments(&experiments, &options.measure, stop)?;
    let manifest = manifest(options, &measured);
    let runs = measured.iter().flat_map(|m| &m.runs);
    let ran = runs.filter(|run| run.how != RunOrigin::NotRun).count();
    let figure = |(order, measured): (Order, Measurement)| FigureResult {
        paper: order.paper,
        claims: order.experiment.evaluate(&measured.results),
        results: measured.results,
        experiment: order.experiment,
        beside: None,
        status: measured.status,
    };
    let reproduction = Reproduction {
        asked: options.asked.clone(),
        quick: options.quick,
        figures: orders.into_iter().zip(measured).map(figure).collect(),
    };
    tell(&reproduction);
    finish(staging, reproduction, &manifest).map_err(|e| unwritten(e, ran))
}

/// Writes the report of figures that were carried out before. On an error no file remains.
pub fn publish(
    reproduction: Reproduction,
    manifest: &Value,
    out: &Path,
) -> Result<Finished, Error> {
    finish(Staging::begin(out)?, reproduction, manifest)
}

fn finish(
    staging: Staging,
    reproduction: Reproduction,
    manifest: &Value,
) -> Result<Finished, Error> {
    write(&staging, &reproduction)?;
    staging.write("manifest.json", format!("{manifest:#}\n").as_bytes())?;
    Ok(Finished {
        dir: staging.commit()?,
        reproduction,
    })
}

/// Returns the values that differ from call to call, which the report must not contain.
fn manifest(options: &Options<'_>, measured: &[Measurement]) -> Value {
    let runs = |how: RunOrigin| {
        let all = measured.iter().flat_map(|m| &m.runs);
        all.filter(|run| run.how == how).count()
    };
    let first = measured.first();
    let cache = first.and_then(|m| m.cache.as_ref()).map(|used| {
        json!({
            "dir": used.dir.display().to_string(),
            "kept": used.kept,
            "damaged": used.damaged,
            "total_bytes": used.total_bytes,
            "refused": used.refused,
        })
    });
    json!({
        "sidestep": {"version": env!("CARGO_PKG_VERSION"), "code": CODE},
        "began": first.map(|m| when::rfc3339(m.began_unix_s)),
        "wall_s": first.map(|m| m.wall_s.round()),
        "jobs": options.measure.jobs,
        "runs": {"made": runs(RunOrigin::Ran), "from_cache": runs(RunOrigin::Cached), "not_run": runs(RunOrigin::NotRun)},
        "cache": cache,
    })
}

fn write(staging: &Staging, reproduction: &Reproduction) -> Result<(), Error> {
    let palette = reproduction.palette();
    for figure in &reproduction.figures {
        let folder = figure.path();
        let plots = figure.plots(&palette);
        let drawings: Vec<_> = plots
            .iter()
            .filter_map(|plot| plot.drawing(&folder))
            .collect();
        pictures(staging, &drawings)?;
        staging.write(
            &format!("{folder}/points.csv"),
            points_csv(figure).as_bytes(),
        )?;
        staging.write(
            &format!("{folder}/experiment.toml"),
            match &figure.beside {
                Some(beside) => beside.toml.clone(),
                None => figure.experiment.to_toml(),
            }
            .as_bytes(),
        )?;
        let summaries = figure
            .results
            .points
            .iter()
            .map(|p| json!({"at": p.at, "schemes": p.summaries().map(|s| json!(*s)).collect::<Vec<_>>()}));
        let summary = json!({
            "experiment": folder,
            "status": figure.status.word(),
            "points": summaries.collect::<Vec<_>>(),
            "claims": figure.claims,
        });
        staging.write(
            &format!("{folder}/summary.json"),
            format!("{summary:#}\n").as_bytes(),
        )?;
    }
    staging.write(
        "report.json",
        format!("{:#}\n", reproduction.to_json()).as_bytes(),
    )?;
    staging.write(page::FILE, reproduction.to_html().as_bytes())
}

/// Lists every metric at every point, one row each.
fn points_csv(figure: &FigureResult) -> String {
    let axes = figure.experiment.axes.iter();
    let mut out = csv::head(axes.map(|axis| axis.name.as_str()));
    for point in &figure.results.points {
        for summary in point.summaries() {
            out.push_str(&csv::rows(&point.at, &summary, csv::every(&summary)));
        }
    }
    out
}
