//! An experiment run: every point, scheme and seed, on several threads, what is known already
//! taken from a cache.
//!
//! Results are keyed by point, scheme and seed, so that neither the order of the runs nor what
//! came from the cache shows in them.

mod cache;
mod cost;
mod forecast;
mod jobs;
mod report;
mod seeds;
mod spent;
mod table;

pub use crate::manifest::How;
pub use cache::{CODE, Cache, CacheUse, Key};
pub use forecast::{Forecast, LONG, Line as ForecastLine};
pub use report::{SweepPoint, SweepReport};
pub use spent::Spent;

use crate::manifest::Status;
use crate::progress::{Board, Line, Show, share};
use crate::staging::Staging;
use crate::when;
use crate::workers::{in_order, thread_cpu_s};
use crate::{Error, logs, page, recorder};
use cost::Costs;
use jobs::{Job, Jobs};
use serde_json::{Value, json};
use sidestep_lab::{Experiment, Point, PointResult, Progress, Record, Results, Watch};
use sidestep_sim::TraceFilter;
use std::collections::BTreeMap;
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
    pub show: Show,
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
    let cache = options.cache.map(Cache::at);
    let mut records: BTreeMap<&Key, Record> = BTreeMap::new();
    let distinct: Vec<&Job> = jobs.distinct();
    if let Some(cache) = &cache {
        let load = |i: usize| cache.load(&distinct[i].key);
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
    let known: Vec<bool> = jobs
        .all
        .iter()
        .map(|j| records.contains_key(&j.key))
        .collect();
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

    let empty = |e: &&Experiment| e.points.iter().map(|_| Vec::new()).collect();
    let mut own: Vec<Vec<Vec<Record>>> = experiments.iter().map(empty).collect();
    let mut runs: Vec<Vec<Done>> = experiments.iter().map(|_| Vec::new()).collect();
    let mut uses: BTreeMap<&Key, usize> = BTreeMap::new();
    (jobs.all.iter()).for_each(|job| *uses.entry(&job.key).or_default() += 1);
    for (job, known) in jobs.all.iter().zip(known) {
        let left = uses.get_mut(&job.key).expect("each is counted");
        *left -= 1;
        // The last that wants a record has it: all of them twice would be much.
        let record = match *left {
            0 => records.remove(&job.key),
            _ => records.get(&job.key).cloned(),
        };
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
    let used = cache.map(|cache| cache.used());
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

fn run_missing<'j>(
    experiments: &[&Experiment],
    options: &MeasureOptions<'_>,
    stop: &AtomicBool,
    cache: Option<&Cache>,
    costs: &Costs<'j>,
    records: &mut BTreeMap<&'j Key, Record>,
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
            let record = one(experiments, jobs[i], i, &board, &halt)?;
            if let Some(record) = &record {
                // At once and here, so that a killed process has lost only what was running.
                if let Some(cache) = cache {
                    cache.store(&jobs[i].key, record);
                }
                costs.measured(i, record.cpu_s);
            }
            Ok(record)
        },
        || {
            board.weigh(&costs.weights());
            line.draw(&board);
        },
        |i, result: Result<Option<Record>, Error>| {
            records.extend(result?.map(|record| (&jobs[i].key, record)));
            Ok::<(), Error>(())
        },
        || failed.store(true, Ordering::Relaxed),
    )?;
    line.clear();
    Ok(())
}

/// Makes one run; `None` when it was stopped.
fn one(
    experiments: &[&Experiment],
    job: &Job,
    number: usize,
    board: &Board,
    halt: &impl Fn() -> bool,
) -> Result<Option<Record>, Error> {
    if halt() {
        return Ok(None);
    }
    let experiment = experiments[job.experiment];
    let point = &experiment.points[job.point];
    let cpu = thread_cpu_s();
    let mut watch = |p: &Progress| {
        board.set(number, share(p).min(0.999), p.packet_hops);
        if halt() { Watch::Stop } else { Watch::Go }
    };
    let run = sidestep_lab::run(
        &point.scenario,
        job.scheme,
        job.seed,
        TraceFilter::None,
        &mut watch,
    );
    let run = run.map_err(|e| {
        let at = point.at.join(", ");
        let scheme = &point.scenario.schemes[job.scheme].name;
        let name = &experiment.name;
        Error::Run(format!(
            "{name} at {at}, scheme {scheme}, seed {}: {e}",
            job.seed
        ))
    })?;
    board.set(number, 1.0, run.outcome.totals.packet_hops);
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
    let measurement = measure_experiment(experiment, &options.measure, stop)?;
    let report = SweepReport::of(experiment, &measurement);
    tell(&report, &measurement.spent());
    let ran = measurement.runs.iter().filter(|run| run.how != How::NotRun);
    let ran = ran.count();
    let written = write(
        staging,
        experiment,
        &measurement,
        &report,
        options.measure.jobs,
    );
    Ok(FinishedSweep {
        dir: written.map_err(|e| recorder::unwritten(e, ran))?,
        report,
        measurement,
    })
}

fn write(
    staging: Staging,
    experiment: &Experiment,
    measurement: &Measurement,
    report: &SweepReport,
    jobs: usize,
) -> Result<PathBuf, Error> {
    table::write(&staging, experiment, &measurement.results)?;
    seeds::write(&staging, experiment, &measurement.results)?;
    staging.write("experiment.toml", experiment.to_toml().as_bytes())?;
    let points = measurement.results.points.iter();
    let logged = points.flat_map(|point| point.records.iter().map(|run| (&point.at[..], run)));
    logs::write(&staging, logged)?;
    page::sweep(&staging, experiment, &measurement.results, report)?;
    staging.write(
        "summary.json",
        recorder::pretty(&report.to_json()).as_bytes(),
    )?;
    let manifest = manifest(experiment, measurement, jobs);
    staging.write("manifest.json", recorder::pretty(&manifest).as_bytes())?;
    staging.commit()
}

/// `manifest.json`: what ran, with which values from where, and what it cost.
fn manifest(experiment: &Experiment, measured: &Measurement, jobs: usize) -> Value {
    let find = |done: &Done| {
        let point = &measured.results.points[done.point];
        let name = &experiment.points[done.point].scenario.schemes[done.scheme].name;
        (name, point.of_scheme(name).find(|r| r.seed == done.seed))
    };
    let run = |done: &Done| {
        let (scheme, record) = find(done);
        let mut json = json!({
            "at": experiment.points[done.point].at,
            "scheme": scheme,
            "seed": done.seed,
            "status": done.how.word(),
        });
        if record.is_none() && done.how != How::NotRun {
            // Of a partial result: some scheme did not end with this seed.
            json["compared"] = false.into();
        }
        if let Some(r) = record {
            json["simulated_ms"] = r.end.0.as_ms_f64().into();
            json["flows"] = r.flows.into();
            json["queries"] = r.queries.into();
            json["events"] = r.counts.events.into();
            json["packet_hops"] = r.counts.packet_hops.into();
            json["trajectory_hash"] = format!("{:016x}", r.trajectory_hash).into();
            json["cpu_s"] = milli(r.cpu_s).into();
        }
        json
    };
    let cpu = |how: How| {
        let own = measured.runs.iter().filter(|done| done.how == how);
        let cpu: f64 = own.filter_map(|done| Some(find(done).1?.cpu_s)).sum();
        milli(cpu)
    };
    let all = measured.results.points.iter().flat_map(|p| &p.records);
    let settings =
        experiment.points[0].scenario.settings().iter().map(
            |s| json!({"scheme": s.scheme, "key": s.key, "value": s.value, "source": s.source}),
        );
    let cache = measured.cache.as_ref().map(|used| {
        json!({
            "dir": used.dir.display().to_string(),
            "kept": used.kept,
            "kept_bytes": used.kept_bytes,
            "damaged": used.damaged,
            "total_bytes": used.total_bytes,
            "refused": used.refused,
        })
    });
    let axes = experiment.axes.iter();
    let mut columns = seeds::docs(experiment);
    columns.insert("points.parquet".into(), table::docs(experiment));
    json!({
        "sidestep": {"version": env!("CARGO_PKG_VERSION"), "code": CODE},
        "status": measured.status.word(),
        "began": when::rfc3339(measured.began_unix_s),
        "jobs": jobs,
        "wall_s": milli(measured.wall_s),
        "cpu_s": cpu(How::Ran),
        "cpu_s_saved": cpu(How::Cached),
        "events": all.clone().map(|r| r.counts.events).sum::<u64>(),
        "packet_hops": all.map(|r| r.counts.packet_hops).sum::<u64>(),
        "cache": cache,
        "experiment": {
            "name": experiment.name,
            "title": experiment.title,
            "quick": experiment.quick,
            "axes": axes.map(|a| json!({"name": a.name, "values": a.values})).collect::<Vec<_>>(),
            "points": experiment.points.len(),
            "seeds": experiment.points[0].scenario.seeds,
            "notes": experiment.notes,
            "warnings": experiment.warnings(),
            "settings_at_the_first_point": settings.collect::<Vec<_>>(),
        },
        "runs": measured.runs.iter().map(run).collect::<Vec<_>>(),
        "columns": columns,
    })
}

/// To a thousandth; a clock knows no more.
fn milli(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}
