//! Runs the experiments of several figures as one list of jobs, and writes one directory.

use super::drawn::{Drawn, point_of};
use super::{FigureResult, Reproduction};
use crate::plot::{png, svg};
use crate::progress::{Board, Line, Show};
use crate::staging::Staging;
use crate::workers::{in_order, thread_cpu_s};
use crate::{Error, Status};
use sidestep_lab::stats::metric::METRICS;
use sidestep_lab::{Experiment, PointResult, Progress, Record, Results, Scenario, Watch};
use sidestep_sim::TraceFilter;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// How to run figures.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// What was asked for, as the report's title says it; empty for all.
    pub asked: String,
    /// `[quick]` was applied.
    pub quick: bool,
    /// The result directory, which must not exist yet.
    pub out: &'a Path,
    /// Threads.
    pub jobs: usize,
    /// Who sees the progress.
    pub show: Show,
}

/// A figure to run.
pub struct Order {
    /// The paper's folder.
    pub paper: String,
    /// What to run.
    pub experiment: Experiment,
}

/// What is left of it all.
pub struct Finished {
    /// The result directory.
    pub dir: PathBuf,
    /// What came out.
    pub reproduction: Reproduction,
}

/// One run of one figure.
#[derive(Clone, Copy)]
struct Job {
    figure: usize,
    point: usize,
    scheme: usize,
    seed: u64,
}

/// Runs all figures and writes the report.
///
/// When `stop` becomes true the running ones end where they are, and the report is marked
/// partial. On an error nothing is left behind.
pub fn reproduce(
    orders: Vec<Order>,
    options: &Options<'_>,
    stop: &AtomicBool,
) -> Result<Finished, Error> {
    let staging = Staging::begin(options.out)?;
    let jobs = jobs(&orders);
    let weights = jobs.iter().map(|job| weight(scenario(&orders, *job)));
    let board = Board::new(jobs.len());
    board.weigh(&weights.collect::<Vec<_>>());
    let mut line = Line::new(options.show);
    let failed = AtomicBool::new(false);
    let halt = || stop.load(Ordering::Relaxed) || failed.load(Ordering::Relaxed);
    let mut records: Vec<Option<Record>> = Vec::new();
    in_order(
        jobs.len(),
        options.jobs,
        |i| measure(scenario(&orders, jobs[i]), jobs[i], i, &board, &halt),
        || line.draw(&board),
        |_, record| {
            records.push(record?);
            Ok::<(), Error>(())
        },
        || failed.store(true, Ordering::Relaxed),
    )?;
    line.clear();
    let reproduction = Reproduction {
        asked: options.asked.clone(),
        quick: options.quick,
        figures: gather(orders, &jobs, records),
    };
    write(&staging, &reproduction)?;
    Ok(Finished {
        dir: staging.commit()?,
        reproduction,
    })
}

fn jobs(orders: &[Order]) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (figure, order) in orders.iter().enumerate() {
        for (point, at) in order.experiment.points.iter().enumerate() {
            for scheme in 0..at.scenario.schemes.len() {
                jobs.extend(at.scenario.seeds.iter().map(|&seed| Job {
                    figure,
                    point,
                    scheme,
                    seed,
                }));
            }
        }
    }
    jobs
}

fn scenario(orders: &[Order], job: Job) -> &Scenario {
    &orders[job.figure].experiment.points[job.point].scenario
}

/// About how much work a run is: the bytes its workloads offer. Endless flows offer what a share
/// of the hosts' links carries.
fn weight(scenario: &Scenario) -> f64 {
    let load = scenario.load();
    let seconds = scenario.duration.as_s_f64() + 1e-3;
    let endless = load.sum.endless as f64 / f64::from(scenario.network.hosts.max(1));
    let bits = load.sum.wire_bps + load.capacity_bps * endless.min(1.0);
    (bits * seconds).max(1.0)
}

/// Runs one job, unless it is too late.
fn measure(
    scenario: &Scenario,
    job: Job,
    i: usize,
    board: &Board,
    halt: &impl Fn() -> bool,
) -> Result<Option<Record>, Error> {
    if halt() {
        return Ok(None);
    }
    let cpu = thread_cpu_s();
    let mut watch = |p: &Progress| {
        let part = |a: u64, b: u64| if b == 0 { 0.0 } else { a as f64 / b as f64 };
        let share = part(p.now.ps(), p.horizon.ps()).max(part(p.flows_done, p.flows_total));
        board.set(i, share.min(0.999), p.packet_hops);
        if halt() { Watch::Stop } else { Watch::Go }
    };
    let run = sidestep_lab::run(
        scenario,
        job.scheme,
        job.seed,
        TraceFilter::None,
        &mut watch,
    );
    let run = run.map_err(|e| {
        Error::Run(format!(
            "{}, scheme {}, seed {}: {e}",
            scenario.name, scenario.schemes[job.scheme].name, job.seed
        ))
    })?;
    let mut record = Record::of(&run);
    record.cpu_s = thread_cpu_s() - cpu;
    board.set(i, 1.0, record.counts.packet_hops);
    Ok(Some(record))
}

/// Sorts records into figures and points.
fn gather(orders: Vec<Order>, jobs: &[Job], records: Vec<Option<Record>>) -> Vec<FigureResult> {
    let mut sorted: Vec<Vec<Vec<Record>>> = orders
        .iter()
        .map(|order| order.experiment.points.iter().map(|_| Vec::new()).collect())
        .collect();
    let mut complete = vec![true; orders.len()];
    for (job, record) in jobs.iter().zip(records) {
        complete[job.figure] &= record.as_ref().is_some_and(|r| !r.interrupted);
        sorted[job.figure][job.point].extend(record);
    }
    let figures = orders.into_iter().zip(sorted).zip(complete);
    let figure = |((order, points), complete): ((Order, Vec<Vec<Record>>), bool)| {
        let experiment = order.experiment;
        let points = experiment.points.iter().zip(points);
        let results = Results {
            points: points
                .map(|(point, own)| PointResult::of(point, own))
                .collect(),
        };
        FigureResult {
            paper: order.paper,
            claims: experiment.evaluate(&results),
            results,
            experiment,
            status: if complete {
                Status::Complete
            } else {
                Status::Partial
            },
        }
    };
    figures.map(figure).collect()
}

fn write(staging: &Staging, reproduction: &Reproduction) -> Result<(), Error> {
    let palette = reproduction.palette();
    for figure in &reproduction.figures {
        let folder = figure.path();
        for plot in figure.plots(&palette) {
            picture(staging, &folder, &plot)?;
        }
        staging.write(
            &format!("{folder}/points.csv"),
            points_csv(figure).as_bytes(),
        )?;
        staging.write(
            &format!("{folder}/experiment.toml"),
            figure.experiment.to_toml().as_bytes(),
        )?;
        let summaries = figure
            .results
            .points
            .iter()
            .map(|p| serde_json::json!({"at": p.at, "schemes": p.summaries}));
        let summary = serde_json::json!({
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
    staging.write("report.html", reproduction.to_html().as_bytes())
}

fn picture(staging: &Staging, folder: &str, plot: &Drawn) -> Result<(), Error> {
    let Ok(scene) = &plot.scene else {
        return Ok(());
    };
    let name = format!("{folder}/{}", plot.file);
    staging.write(&format!("{name}.svg"), svg(scene).as_bytes())?;
    let bytes = png(scene, 2.0).map_err(|e| {
        let path = staging.target().join(format!("{name}.png"));
        Error::io("cannot draw", &path, std::io::Error::other(e))
    })?;
    staging.write(&format!("{name}.png"), &bytes)
}

/// Every metric at every point: a row each. Counts are those of a seed, on average.
fn points_csv(figure: &FigureResult) -> String {
    let mut out = String::new();
    for axis in &figure.experiment.axes {
        out.push_str(&format!("{},", cell(&axis.name)));
    }
    out.push_str("scheme,metric,value,ci_low,ci_high,bound,seeds\n");
    for point in &figure.results.points {
        let at: Vec<String> = point.at.iter().map(|v| format!("{},", cell(v))).collect();
        for summary in &point.summaries {
            for metric in METRICS {
                let Some(p) = point_of(metric.name, summary) else {
                    continue;
                };
                let [low, high] = match p.ci {
                    Some(ci) => ci.map(|v| v.to_string()),
                    None => [String::new(), String::new()],
                };
                let bound = match p.bound {
                    None => "",
                    Some(crate::plot::Side::Above) => ">=",
                    Some(crate::plot::Side::Below) => "<=",
                };
                out.push_str(&format!(
                    "{}{},{},{},{low},{high},{bound},{}\n",
                    at.concat(),
                    cell(&summary.scheme),
                    metric.name,
                    p.value,
                    summary.seeds.len()
                ));
            }
        }
    }
    out
}

/// In quotes when it has to be.
fn cell(text: &str) -> String {
    match text.contains([',', '"', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.into(),
    }
}
