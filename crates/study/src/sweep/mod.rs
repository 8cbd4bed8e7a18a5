//! An experiment run: every point, scheme and seed, on several threads, what is known already
//! taken from a cache.
//!
//! Results are keyed by point, scheme and seed, so that neither the order of the runs nor what
//! came from the cache shows in them. A run alone is made by [`one`], here on threads and elsewhere by a [`Worker`];
//! what came in is made a directory by [`collect`], whoever made it.

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

pub use crate::manifest::How;
pub use cache::{CODE, Cache, CacheUse, Key, is_record};
pub use carried::{Carried, Worker};
pub use forecast::{Forecast, LONG, Line as ForecastLine};
pub use plan::{Collected, Plan, Work};
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

/// How to measure an experiment.
#[derive(Clone, Copy, Debug)]
pub struct MeasureOptions<'a> {
    /// Threads.
    pub jobs: usize,
    /// Where records are kept between calls; `None` keeps none.
    pub cache: Option<&'a Path>,
    /// Who sees the progress.
    pub show: Show<'a>,
}

/// An experiment, measured.
#[derive(Debug)]
pub struct Measurement {
    /// What came out. Runs that an interruption ended are not there.
    pub results: Results,
    /// Whether all of it ran.
    pub status: Status,
    /// What was done, by point, scheme and seed.
    pub runs: Vec<Done>,
    /// What happened to the cache.
    pub cache: Option<CacheUse>,
    /// When it began, in seconds since 1970.
    pub began_unix_s: u64,
    /// How long it took.
    pub wall_s: f64,
}

impl Measurement {
    /// What was made of it, and what was known.
    pub fn spent(&self) -> Spent {
        let mut spent = Spent {
            cache: self.cache.clone(),
            ..Spent::default()
        };
        self.runs.iter().for_each(|run| spent.count(run.how));
        spent
    }
}

/// One run of an experiment.
#[derive(Clone, Debug)]
pub struct Done {
    /// The number of its point.
    pub point: usize,
    /// The number of its scheme.
    pub scheme: usize,
    /// Its seed.
    pub seed: u64,
    /// What became of it.
    pub how: How,
}

/// Runs every point of an experiment with every scheme and seed, and writes nothing but the cache.
///
/// When `stop` becomes true the running ones end where they are and count as not run.
pub fn measure_experiment(
    experiment: &Experiment,
    options: &MeasureOptions<'_>,
    stop: &AtomicBool,
) -> Result<Measurement, Error> {
    let mut all = measure_experiments(&[experiment], options, stop)?;
    Ok(all.pop().expect("one experiment has one measurement"))
}

/// The same of several experiments as one list of runs, in their order.
///
/// What happened to the cache, and how long it took, is that of all of them in each.
pub fn measure_experiments(
    experiments: &[&Experiment],
    options: &MeasureOptions<'_>,
    stop: &AtomicBool,
) -> Result<Vec<Measurement>, Error> {
    let (began, began_unix_s) = (Instant::now(), when::now_s());
    let jobs = Jobs::of(experiments);
    let Kept {
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
            // All of them twice would be much.
            records.remove(&job.key);
        }
        let how = match (&record, known) {
            (Some(_), true) => How::Cached,
            (Some(_), false) => How::Ran,
            (None, _) => How::NotRun,
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
        let complete = runs.iter().all(|run| run.how != How::NotRun);
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

/// The records of the seeds with which every scheme of the point ended.
fn with_common_seeds(point: &Point, records: Vec<Record>) -> Vec<Record> {
    let common = recorder::common_seeds(&records, point.scenario.schemes.len());
    let mut records = records;
    records.retain(|record| common.contains(&record.seed));
    records
}

/// What is known when all runs have ended: packed, as a cache keeps it, which takes a tenth of what it is made of.
struct Kept<'j> {
    records: BTreeMap<&'j Key, Vec<u8>>,
    /// Those that an earlier call had made.
    known: BTreeSet<&'j Key>,
    /// What happened to the cache.
    used: Option<CacheUse>,
}

/// Takes what the cache has, and makes the other runs.
fn fill<'j>(
    experiments: &[&Experiment],
    jobs: &'j Jobs,
    options: &MeasureOptions<'_>,
    stop: &AtomicBool,
) -> Result<Kept<'j>, Error> {
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
    Ok(Kept {
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
            // At once and here, so that a killed process has lost only what was running.
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

/// Makes one run of the experiment called `name`; `None` when it was stopped. `told` hears how much of it is done and
/// how many packet-hops it came to, and says whether to stop.
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

/// How to run an experiment into a result directory.
#[derive(Clone, Copy, Debug)]
pub struct SweepOptions<'a> {
    /// The result directory; see [`Staging`] for what is refused.
    pub out: &'a Path,
    /// How to measure.
    pub measure: MeasureOptions<'a>,
}

/// What an experiment leaves.
#[derive(Debug)]
pub struct FinishedSweep {
    /// The result directory.
    pub dir: PathBuf,
    /// Its numbers.
    pub report: SweepReport,
    /// What it was made of.
    pub measurement: Measurement,
}

/// Runs an experiment and writes its result directory: `points.parquet`, `counts.parquet`, `samples.parquet`,
/// `summary.json`, `experiment.toml` and `manifest.json`. The last alone differs from call to call. `tell` sees the
/// numbers, and what they cost, before their files are written.
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
