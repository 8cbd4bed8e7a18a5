//! Sweep: runs every point, scheme and seed of an experiment on several threads, or takes the result from a
//! cache.
//!
//! Results are keyed by point, scheme and seed, so they do not depend on the order of the runs or on the cache.
//! A single run is made by [`one`], here on threads and elsewhere by a [`Worker`]. [`collect`] turns the
//! records into a directory, whoever made them.

mod cache;
mod carried;
mod collect;
mod cost;
mod forecast;
mod jobs;
mod plan;
mod report;
mod seeds;
mod spent;
mod table;

pub use crate::manifest::RunOrigin;
pub use cache::{CODE, Cache, CacheUse, Key, is_record};
pub use carried::{Carried, Worker};
pub use forecast::{Forecast, LONG, Line as ForecastLine};
pub use plan::{Collected, SweepPlan, Work};
pub use report::{SweepPoint, SweepReport};
pub use spent::Spent;

use crate::manifest::Status;
use crate::progress::{Board, Line, Show, share};
use crate::staging::Staging;
use crate::usage::thread_cpu_s;
use crate::when;
use crate::workers::in_order;
use crate::{Error, recorder};
use cost::Costs;
use jobs::{Job, Jobs};
use sidestep_lab::{Experiment, Point, PointResult, Progress, Record, Results, Watch};
use sidestep_sim::TraceFilter;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Options of a measurement.
#[derive(Clone, Copy, Debug)]
pub struct MeasureOptions<'a> {
    /// Number of threads.
    pub jobs: usize,
    /// Cache of records between calls; `None` for no cache.
    pub cache: Option<&'a Path>,
    /// Receiver of progress reports.
    pub show: Show<'a>,
}

/// Measured experiment.
#[derive(Debug)]
pub struct Measurement {
    /// Results. Interrupted runs are left out.
    pub results: Results,
    /// Status: complete if all runs ended.
    pub status: Status,
    /// Outcome of each run, by point, scheme and seed.
    pub runs: Vec<Done>,
    /// Use of the cache.
    pub cache: Option<CacheUse>,
    /// Start, in seconds since 1970.
    pub began_unix_s: u64,
    /// Duration, seconds.
    pub wall_s: f64,
}

impl Measurement {
    /// Counts the runs made and the runs taken from the cache.
    pub fn spent(&self) -> Spent {
        let mut spent = Spent {
            cache: self.cache.clone(),
            ..Spent::default()
        };
        self.runs.iter().for_each(|run| spent.count(run.how));
        spent
    }
}

/// Run of an experiment.
#[derive(Clone, Debug)]
pub struct Done {
    /// Index of its point.
    pub point: usize,
    /// Index of its scheme.
    pub scheme: usize,
    /// Seed.
    pub seed: u64,
    /// Outcome.
    pub how: RunOrigin,
}

/// Runs every point of an experiment with every scheme and seed, and writes to the cache only.
///
/// When `stop` becomes true, runs in progress end and count as not run.
pub fn measure_experiment(
    experiment: &Experiment,
    options: &MeasureOptions<'_>,
    stop: &AtomicBool,
) -> Result<Measurement, Error> {
    let mut all = measure_experiments(&[experiment], options, stop)?;
    Ok(all.pop().expect("one experiment has one measurement"))
}

/// Runs several experiments as one list of runs, in their order.
///
/// Each measurement states the use of the cache and the duration of all experiments together.
pub fn measure_experiments(
    experiments: &[&Experiment],
    options: &MeasureOptions<'_>,
    stop: &AtomicBool,
) -> Result<Vec<Measurement>, Error> {
    let (began, began_unix_s) = (Instant::now(), when::now_s());
    let jobs = Jobs::of(experiments);
    let PackedResults {
        mut records,
        known,
        used,
    } = fill(experiments, &jobs, options, stop)?;

    let empty = |e: &&Experiment| e.points.iter().map(|_| Vec::new()).collect();
    let mut own: Vec<Vec<Vec<Record>>> = experiments.iter().map(empty).collect();
    let mut runs: Vec<Vec<Done>> = experiments.iter().map(|_| Vec::new()).collect();
    let mut uses: BTreeMap<&Key, usize> = BTreeMap::new();
    (jobs.all.iter()).for_each(|job| *uses.entry(&job.key).or_default() += 1);
    for job in &jobs.all {
        let known = known.contains(&job.key);
        let left = uses.get_mut(&job.key).expect("each is counted");
        *left -= 1;
        let record = records.get(&job.key).map(|packed| cache::read(packed));
        if *left == 0 {
            // Holding every record both packed and unpacked would take too much memory.
            records.remove(&job.key);
        }
        let how = match (&record, known) {
            (Some(_), true) => RunOrigin::Cached,
            (Some(_), false) => RunOrigin::Ran,
            (None, _) => RunOrigin::NotRun,
        };
        own[job.experiment][job.point].extend(record);
        runs[job.experiment].push(Done {
            point: job.point,
            scheme: job.scheme,
            seed: job.seed,
            how,
        });
    }
    drop(records);
    let wall_s = began.elapsed().as_secs_f64();
    let one = |((experiment, own), runs): ((&&Experiment, Vec<Vec<Record>>), Vec<Done>)| {
        let points = experiment.points.iter().zip(own);
        let complete = runs.iter().all(|run| run.how != RunOrigin::NotRun);
        Measurement {
            results: Results {
                points: points
                    .map(|(p, records)| match complete {
                        true => PointResult::of(p, records),
                        false => PointResult::of(p, with_common_seeds(p, records)),
                    })
                    .collect(),
            },
            status: if complete {
                Status::Complete
            } else {
                Status::Partial
            },
            runs,
            cache: used.clone(),
            began_unix_s,
            wall_s,
        }
    };
    Ok(experiments.iter().zip(own).zip(runs).map(one).collect())
}

/// Keeps the records of the seeds with which every scheme of the point ended.
fn with_common_seeds(point: &Point, records: Vec<Record>) -> Vec<Record> {
    let common = recorder::common_seeds(&records, point.scenario.schemes.len());
    let mut records = records;
    records.retain(|record| common.contains(&record.seed));
    records
}

/// Results of all runs, packed as in a cache, which takes a tenth of the memory of records.
struct PackedResults<'j> {
    records: BTreeMap<&'j Key, Vec<u8>>,
    /// Runs made by an earlier call.
    known: BTreeSet<&'j Key>,
    /// Use of the cache.
    used: Option<CacheUse>,
}

/// Loads the runs in the cache, and makes the others.
fn fill<'j>(
    experiments: &[&Experiment],
    jobs: &'j Jobs,
    options: &MeasureOptions<'_>,
    stop: &AtomicBool,
) -> Result<PackedResults<'j>, Error> {
    let cache = options.cache.map(Cache::at);
    let mut records: BTreeMap<&Key, Vec<u8>> = BTreeMap::new();
    let distinct: Vec<&Job> = jobs.distinct();
    if let Some(cache) = &cache {
        let load = |i: usize| {
            distinct[i]
                .kept
                .then(|| cache.load_packed(&distinct[i].key))
                .flatten()
        };
        in_order(
            distinct.len(),
            options.jobs,
            load,
            || {},
            |i, found| {
                records.extend(found.map(|record| (&distinct[i].key, record)));
                Ok::<(), Error>(())
            },
            || {},
        )?;
    }
    let known: BTreeSet<&Key> = records.keys().copied().collect();
    let missing = distinct
        .into_iter()
        .filter(|j| !records.contains_key(&j.key));
    let costs = Costs::of(experiments, missing.collect());
    run_missing(
        experiments,
        options,
        stop,
        cache.as_ref(),
        &costs,
        &mut records,
    )?;
    Ok(PackedResults {
        records,
        known,
        used: cache.map(|cache| cache.used()),
    })
}

fn run_missing<'j>(
    experiments: &[&Experiment],
    options: &MeasureOptions<'_>,
    stop: &AtomicBool,
    cache: Option<&Cache>,
    costs: &Costs<'j>,
    records: &mut BTreeMap<&'j Key, Vec<u8>>,
) -> Result<(), Error> {
    let jobs = &costs.jobs;
    let board = Board::new(jobs.len());
    let mut line = Line::new(options.show);
    let failed = AtomicBool::new(false);
    let halt = || stop.load(Ordering::Relaxed) || failed.load(Ordering::Relaxed);
    in_order(
        jobs.len(),
        options.jobs,
        |i| {
            let job = jobs[i];
            if halt() {
                return Ok(None);
            }
            let mut told = |share: f64, hops: u64| {
                board.set(i, share, hops);
                halt()
            };
            let experiment = experiments[job.experiment];
            let point = &experiment.points[job.point];
            let record = one(&experiment.name, point, job.scheme, job.seed, &mut told)?;
            let Some(record) = record else {
                return Ok(None);
            };
            costs.measured(i, record.cpu_s);
            let packed = cache::pack(&record);
            // The run is stored at once, so that a killed process loses only the runs in progress.
            if let Some(cache) = cache.filter(|_| job.kept) {
                cache.store_packed(&job.key, &packed, record.cpu_s);
            }
            Ok(Some(packed))
        },
        || {
            board.weigh(&costs.weights());
            line.draw(&board);
        },
        |i, result: Result<Option<Vec<u8>>, Error>| {
            records.extend(result?.map(|record| (&jobs[i].key, record)));
            Ok::<(), Error>(())
        },
        || failed.store(true, Ordering::Relaxed),
    )?;
    line.end(&board);
    Ok(())
}

/// Makes one run of the experiment called `name`; `None` if it was stopped. `told` receives the share done and
/// the packet-hops so far, and returns true to stop.
fn one(
    name: &str,
    point: &Point,
    scheme: usize,
    seed: u64,
    told: &mut dyn FnMut(f64, u64) -> bool,
) -> Result<Option<Record>, Error> {
    let cpu = thread_cpu_s();
    let mut watch = |p: &Progress| match told(share(p).min(0.999), p.packet_hops) {
        true => Watch::Stop,
        false => Watch::Go,
    };
    let run = sidestep_lab::run(&point.scenario, scheme, seed, TraceFilter::None, &mut watch);
    let run = run.map_err(|e| {
        let at = point.at.join(", ");
        let scheme = &point.scenario.schemes[scheme].name;
        Error::Run(format!("{name} at {at}, scheme {scheme}, seed {seed}: {e}"))
    })?;
    told(1.0, run.outcome.totals.packet_hops);
    if run.interrupted {
        return Ok(None);
    }
    let mut record = Record::of(&run);
    record.cpu_s = thread_cpu_s() - cpu;
    Ok(Some(record))
}

/// Options for running an experiment into a result directory.
#[derive(Clone, Copy, Debug)]
pub struct SweepOptions<'a> {
    /// Result directory; see [`Staging`] for what is refused.
    pub out: &'a Path,
    /// Options of the measurement.
    pub measure: MeasureOptions<'a>,
}

/// Result of a sweep.
#[derive(Debug)]
pub struct FinishedSweep {
    /// Result directory.
    pub dir: PathBuf,
    /// Report.
    pub report: SweepReport,
    /// Measurement behind the report.
    pub measurement: Measurement,
}

/// Runs an experiment and writes its result directory: `points.parquet`, `counts.parquet`, `samples.parquet`,
/// `summary.json`, `experiment.toml` and `manifest.json`. Only the manifest differs from call to call. `tell`
/// receives the report, and the runs' cost, before the files are written.
pub fn run_experiment(
    experiment: &Experiment,
    options: &SweepOptions<'_>,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(&SweepReport, &Spent),
) -> Result<FinishedSweep, Error> {
    let staging = Staging::begin(options.out)?;
    let (began, began_unix_s) = (Instant::now(), when::now_s());
    let jobs = Jobs::of(&[experiment]);
    let kept = fill(&[experiment], &jobs, &options.measure, stop)?;
    let source = collect::Source {
        is_there: &|key| kept.records.contains_key(key),
        record: &|key| kept.records.get(key).map(|packed| cache::read(packed)),
        was_known: &|key| kept.known.contains(key),
        cache: kept.used.clone(),
        began,
        began_unix_s,
        jobs: options.measure.jobs,
        executor: None,
    };
    collect::collect(experiment, staging, &jobs, &source, tell)
}
