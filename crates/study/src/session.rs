//! A scenario run: every scheme with every seed, on several threads, into one result directory.

use crate::manifest::{Manifest, PointRecord, Status};
use crate::progress::{Board, Line, Show};
use crate::staging::Staging;
use crate::tables::Tables;
use crate::workers::{in_order, thread_cpu_s};
use crate::{Error, Report, figures};
use sidestep_lab::{Progress, Record, Run, Scenario, Watch, evaluate, stats};
use sidestep_sim::TraceFilter;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// How to run a scenario.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// The result directory; see [`Staging`] for what is refused.
    pub out: &'a Path,
    /// Threads.
    pub jobs: usize,
    /// Which packets' paths to keep.
    pub trace: TraceFilter,
    /// Who sees the progress.
    pub show: Show,
}

/// What a session leaves.
#[derive(Debug)]
pub struct Finished {
    /// The result directory.
    pub dir: PathBuf,
    /// Its numbers.
    pub report: Report,
}

/// Runs every scheme of `scenario` with every seed and writes the result directory.
///
/// When `stop` becomes true the running ones end where they are, what there is is written,
/// and the result is marked partial. On an error nothing is left behind.
pub fn run_all(
    scenario: &Scenario,
    options: &Options<'_>,
    stop: &AtomicBool,
) -> Result<Finished, Error> {
    let session = Session::begin(scenario, options)?;
    session.run(options, stop)
}

struct Session<'a> {
    scenario: &'a Scenario,
    staging: Staging,
    tables: Tables<'a>,
    /// Scheme and seed, in the order of the results.
    points: Vec<(usize, u64)>,
    manifest: Manifest,
}

/// What one point gave, and what it cost.
struct Measured {
    run: Run,
    cpu_s: f64,
    wall_s: f64,
}

impl<'a> Session<'a> {
    fn begin(scenario: &'a Scenario, options: &Options<'_>) -> Result<Session<'a>, Error> {
        let staging = Staging::begin(options.out)?;
        let schemes = 0..scenario.schemes.len();
        let points = schemes.flat_map(|s| scenario.seeds.iter().map(move |&seed| (s, seed)));
        Ok(Session {
            scenario,
            tables: Tables::begin(&staging, scenario, options.trace != TraceFilter::None)?,
            staging,
            points: points.collect(),
            manifest: Manifest::begin(scenario, options.jobs),
        })
    }

    fn run(mut self, options: &Options<'_>, stop: &AtomicBool) -> Result<Finished, Error> {
        let began = Instant::now();
        let points = self.points.clone();
        let board = Board::new(points.len());
        let mut line = Line::new(options.show);
        let failed = AtomicBool::new(false);
        let halt = || stop.load(Ordering::Relaxed) || failed.load(Ordering::Relaxed);
        let mut runs: Vec<Record> = Vec::new();
        let mut cpu: Vec<f64> = vec![0.0; self.scenario.schemes.len()];
        in_order(
            points.len(),
            options.jobs,
            |i| measure(self.scenario, points[i], i, &options.trace, &board, &halt),
            || line.draw(&board),
            |i, result| {
                let (scheme, seed) = points[i];
                let Some(mut measured) = result? else {
                    self.manifest
                        .points
                        .push(PointRecord::not_run(self.scenario, scheme, seed));
                    return Ok(());
                };
                self.tables.write(scheme, &mut measured.run)?;
                cpu[scheme] += measured.cpu_s;
                self.manifest.points.push(PointRecord::of(
                    &measured.run,
                    measured.cpu_s,
                    measured.wall_s,
                ));
                runs.push(Record::of(&measured.run));
                Ok::<(), Error>(())
            },
            || failed.store(true, Ordering::Relaxed),
        )?;
        line.clear();
        let report = report(self.scenario, &runs, &cpu, self.manifest.status());
        self.manifest.wall_s = began.elapsed().as_secs_f64();
        self.finish(runs, report)
    }

    fn finish(self, runs: Vec<Record>, report: Report) -> Result<Finished, Error> {
        self.tables.finish()?;
        figures::write(&self.staging, self.scenario, &runs)?;
        self.staging
            .write("scenario.toml", self.scenario.to_toml().as_bytes())?;
        self.staging
            .write("summary.json", pretty(&report.to_json()).as_bytes())?;
        self.staging
            .write("manifest.json", pretty(&self.manifest.to_json()).as_bytes())?;
        let dir = self.staging.commit()?;
        Ok(Finished { dir, report })
    }
}

/// Runs one point, unless it is too late. The clocks are this thread's.
fn measure(
    scenario: &Scenario,
    (scheme, seed): (usize, u64),
    point: usize,
    trace: &TraceFilter,
    board: &Board,
    halt: &impl Fn() -> bool,
) -> Result<Option<Measured>, Error> {
    if halt() {
        return Ok(None);
    }
    let (wall, cpu) = (Instant::now(), thread_cpu_s());
    let mut watch = |p: &Progress| {
        board.set(point, share(p).min(0.999), p.packet_hops);
        if halt() { Watch::Stop } else { Watch::Go }
    };
    let run =
        sidestep_lab::run(scenario, scheme, seed, trace.clone(), &mut watch).map_err(|e| {
            Error::Run(format!(
                "scheme {}, seed {seed}: {e}",
                scenario.schemes[scheme].name
            ))
        })?;
    board.set(point, 1.0, run.outcome.totals.packet_hops);
    let (wall_s, cpu_s) = (wall.elapsed().as_secs_f64(), thread_cpu_s() - cpu);
    Ok(Some(Measured { run, cpu_s, wall_s }))
}

/// How far a run is. It ends with the last flow or at the horizon, whichever is first, so
/// the further of the two counts.
pub(crate) fn share(p: &Progress) -> f64 {
    let part = |a: u64, b: u64| if b == 0 { 0.0 } else { a as f64 / b as f64 };
    part(p.now.ps(), p.horizon.ps()).max(part(p.flows_done, p.flows_total))
}

fn report(scenario: &Scenario, runs: &[Record], cpu: &[f64], status: Status) -> Report {
    let mut summaries = Vec::new();
    for (scheme, cpu_s) in scenario.schemes.iter().zip(cpu) {
        let own: Vec<&Record> = runs.iter().filter(|r| r.scheme == scheme.name).collect();
        if !own.is_empty() {
            let mut summary = stats::summarise(&own);
            summary.set_cpu(*cpu_s);
            summaries.push(summary);
        }
    }
    let mut warnings = scenario.warnings();
    warnings.extend(runs.iter().flat_map(|run| run.warnings.clone()));
    let claims = evaluate(&scenario.claims, &summaries);
    Report {
        scenario: scenario.name.clone(),
        title: scenario.title.clone(),
        seeds: scenario.seeds.clone(),
        status,
        warnings,
        summaries,
        claims,
    }
}

/// JSON as it stands in a result directory.
pub(crate) fn pretty(value: &serde_json::Value) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("a value is always JSON");
    text.push('\n');
    text
}
