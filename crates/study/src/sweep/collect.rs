//! Turns records, wherever they were made, into a result directory.
//!
//! **Decision**   points are taken in order. Each is summarised, written to the tables, and reduced to what the
//!                summary, the manifest and the page need. Records are kept whole if a plot draws samples,
//!                paths, detours or queues.
//! **State**      for each point and scheme its summary, about 5 KB; for each run 200 bytes; the scenario of
//!                each point; at most [`GROUPS`] row groups of the tables.
//! **Errors**     a file cannot be written; the numbers are reported before.

use super::jobs::{Job, Jobs};
use super::report::Each;
use super::{CODE, CacheUse, Done, FinishedSweep, Key, Measurement, RunOrigin, Spent, SweepReport};
use super::{seeds, table, with_common_seeds};
use crate::manifest::Status;
use crate::staging::Staging;
use crate::usage::milli;
use crate::{Error, logs, page, recorder, when};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value, json};
use sidestep_lab::{Experiment, PlotKind, PointResult, Ran, Record, Results};
use std::path::PathBuf;
use std::time::Instant;

/// Maximum number of row groups in a table: a writer or reader holds the metadata of each, 300 kB for one of
/// `points.parquet`. With at most this many points, each point is one row group.
const GROUPS: usize = 250;

/// Access to the records, and facts about them for the manifest.
pub(super) struct Source<'a> {
    /// Function that returns true if the record of a run is available.
    pub is_there: &'a dyn Fn(&Key) -> bool,
    /// Function that returns the record of a run.
    pub record: &'a dyn Fn(&Key) -> Option<Record>,
    /// Function that returns true if an earlier call made the run.
    pub was_known: &'a dyn Fn(&Key) -> bool,
    pub cache: Option<CacheUse>,
    pub began: Instant,
    pub began_unix_s: u64,
    /// Number of runs at a time.
    pub jobs: usize,
    /// Executor that made the runs, if it was not this process alone.
    pub executor: Option<&'a str>,
}

/// Creates the directory. `tell` receives the report before the last files are written.
pub(super) fn collect(
    experiment: &Experiment,
    staging: Staging,
    jobs: &Jobs,
    source: &Source<'_>,
    tell: &mut dyn FnMut(&SweepReport, &Spent),
) -> Result<FinishedSweep, Error> {
    let mut runs: Vec<Done> = Vec::with_capacity(jobs.all.len());
    for job in &jobs.all {
        let how = match ((source.is_there)(&job.key), (source.was_known)(&job.key)) {
            (true, true) => RunOrigin::Cached,
            (true, false) => RunOrigin::Ran,
            (false, _) => RunOrigin::NotRun,
        };
        runs.push(Done {
            point: job.point,
            scheme: job.scheme,
            seed: job.seed,
            how,
        });
    }
    let complete = runs.iter().all(|run| run.how != RunOrigin::NotRun);
    let mut collector = Collector::begin(experiment, &staging);
    let (mut next, mut done) = (jobs.all.iter().peekable(), runs.iter());
    for (nth, point) in experiment.points.iter().enumerate() {
        let mut records = Vec::new();
        while let Some(job) = next.next_if(|job: &&Job| job.point == nth) {
            let done = done.next().expect("a run a job");
            if done.how == RunOrigin::NotRun {
                continue;
            }
            let record = (source.record)(&job.key).ok_or_else(|| {
                let key = job.key.digits();
                Error::Unwritten(format!(
                    "the record {key} disappeared while results were collected; repeat the command \
                     (the remaining records are used)"
                ))
            })?;
            records.push(record);
        }
        if !complete {
            records = with_common_seeds(point, records);
        }
        collector.take(records);
    }
    let (results, probes, failed) = collector.finish();
    let measurement = Measurement {
        results,
        status: match complete {
            true => Status::Complete,
            false => Status::Partial,
        },
        runs,
        cache: source.cache.clone(),
        began_unix_s: source.began_unix_s,
        wall_s: source.began.elapsed().as_secs_f64(),
    };
    let report = SweepReport::of(experiment, &measurement);
    tell(&report, &measurement.spent());
    let ran = measurement
        .runs
        .iter()
        .filter(|run| run.how != RunOrigin::NotRun);
    let ran = ran.count();
    let written = match failed {
        Some(failed) => Err(failed),
        None => write(staging, experiment, &measurement, &report, &probes, source),
    };
    Ok(FinishedSweep {
        dir: written.map_err(|e| recorder::unwritten(e, ran))?,
        report,
        measurement,
    })
}

/// Tables while they are being written, and the reduced results of each point.
struct Collector<'a> {
    experiment: &'a Experiment,
    points: Option<table::Points>,
    seeds: Option<seeds::Seeds>,
    /// Points in a row group.
    group: usize,
    /// Points not yet written to the tables.
    pending: Vec<PointResult>,
    results: Results,
    probes: Vec<String>,
    /// True if a plot draws more than metrics, so that records are kept whole.
    whole: bool,
    /// Error that left the tables incomplete.
    failed: Option<Error>,
}

impl<'a> Collector<'a> {
    fn begin(experiment: &'a Experiment, staging: &Staging) -> Collector<'a> {
        let mut failed = None;
        let mut first = |e| {
            failed.get_or_insert(e);
        };
        let points = table::Points::begin(staging, experiment);
        let points = points.map_err(&mut first).ok();
        let seeds = seeds::Seeds::begin(staging, experiment);
        let seeds = seeds.map_err(&mut first).ok();
        let plots = experiment.plots.iter();
        let mut drawn = plots.map(|plot| plot.kind);
        Collector {
            experiment,
            points,
            seeds,
            group: experiment.points.len().div_ceil(GROUPS),
            pending: Vec::new(),
            results: Results {
                points: Vec::with_capacity(experiment.points.len()),
            },
            probes: Vec::new(),
            whole: drawn.any(|kind| !matches!(kind, PlotKind::Lines | PlotKind::Bars)),
            failed,
        }
    }

    /// Adds the next point, with its records by scheme and seed.
    fn take(&mut self, records: Vec<Record>) {
        let nth = self.results.points.len() + self.pending.len();
        let point = PointResult::of(&self.experiment.points[nth], records);
        let logged = point.records.iter();
        let logged = logged.filter_map(|run| logs::line(&point.at, run));
        self.probes.extend(logged);
        self.pending.push(point);
        if self.pending.len() == self.group {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if self.failed.is_none() {
            self.failed = self.write().err();
        }
        for mut point in self.pending.drain(..) {
            if !self.whole {
                point.records = Vec::new();
                point.pack();
            }
            self.results.points.push(point);
        }
    }

    fn write(&mut self) -> Result<(), Error> {
        if let Some(points) = &mut self.points {
            points.write(self.experiment, &self.pending)?;
        }
        if let Some(seeds) = &mut self.seeds {
            seeds.write(self.experiment, &self.pending, self.group > 1)?;
        }
        Ok(())
    }

    fn finish(mut self) -> (Results, Vec<String>, Option<Error>) {
        if !self.pending.is_empty() {
            self.flush();
        }
        let ends = [
            self.points.map(table::Points::finish),
            self.seeds.map(seeds::Seeds::finish),
        ];
        for end in ends.into_iter().flatten() {
            if let (Err(e), None) = (end, &self.failed) {
                self.failed = Some(e);
            }
        }
        (self.results, self.probes, self.failed)
    }
}

fn write(
    staging: Staging,
    experiment: &Experiment,
    measurement: &Measurement,
    report: &SweepReport,
    probes: &[String],
    source: &Source<'_>,
) -> Result<PathBuf, Error> {
    staging.write("experiment.toml", experiment.to_toml().as_bytes())?;
    logs::write_lines(&staging, probes)?;
    page::sweep(&staging, experiment, &measurement.results, report)?;
    staging.write_json("summary.json", report)?;
    let manifest = Manifest::of(experiment, measurement, source);
    staging.write_json("manifest.json", &manifest)?;
    staging.commit()
}

/// `manifest.json`: the runs, the values with their sources, and the cost.
struct Manifest<'a> {
    experiment: &'a Experiment,
    measured: &'a Measurement,
    /// Entries before the list of runs, and after it.
    head: Map<String, Value>,
    tail: Map<String, Value>,
}

impl Manifest<'_> {
    fn of<'a>(
        experiment: &'a Experiment,
        measured: &'a Measurement,
        source: &Source<'_>,
    ) -> Manifest<'a> {
        let cpu = |how: RunOrigin| {
            let own = measured.runs.iter().filter(|done| done.how == how);
            let cpu: f64 = own
                .filter_map(|done| Some(find(measured, done)?.cpu_s))
                .sum();
            milli(cpu)
        };
        let all = measured.results.points.iter().flat_map(|p| &p.runs);
        let settings = experiment.points[0].scenario.settings().iter().map(
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
        let head = json!({
            "sidestep": {"version": env!("CARGO_PKG_VERSION"), "code": CODE},
            "status": measured.status.word(),
            "began": when::rfc3339(measured.began_unix_s),
            "jobs": source.jobs,
            "wall_s": milli(measured.wall_s),
            "cpu_s": cpu(RunOrigin::Ran),
            "cpu_s_saved": cpu(RunOrigin::Cached),
            "events": all.clone().map(|run| run.events).sum::<u64>(),
            "packet_hops": all.filter_map(|run| run.packet_hops).sum::<u64>(),
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
        });
        let Value::Object(mut head) = head else {
            unreachable!("it is an object")
        };
        if let Some(executor) = source.executor {
            head.insert("executor".into(), executor.into());
        }
        Manifest {
            experiment,
            measured,
            head,
            tail: Map::from_iter([("columns".to_string(), Value::Object(columns))]),
        }
    }

    fn run(&self, done: &Done) -> Value {
        let point = &self.experiment.points[done.point];
        let mut json = json!({
            "at": point.at,
            "scheme": point.scenario.schemes[done.scheme].name,
            "seed": done.seed,
            "status": done.how.word(),
        });
        let ran = find(self.measured, done);
        if ran.is_none() && done.how != RunOrigin::NotRun {
            // In a partial result: some scheme did not end with this seed.
            json["compared"] = false.into();
        }
        if let Some(ran) = ran {
            json["simulated_ms"] = ran.end.as_ms_f64().into();
            json["flows"] = ran.flows.into();
            json["queries"] = ran.queries.into();
            json["events"] = ran.events.into();
            json["packet_hops"] = ran.packet_hops.into();
            let hash = ran.trajectory_hash;
            json["trajectory_hash"] = hash.map(|hash| format!("{hash:016x}")).into();
            json["cpu_s"] = milli(ran.cpu_s).into();
        }
        json
    }
}

/// Serialises run by run: with very many runs the text alone would take hundreds of megabytes.
impl Serialize for Manifest<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        for (key, value) in &self.head {
            map.serialize_entry(key, value)?;
        }
        map.serialize_entry(
            "runs",
            &Each(&self.measured.runs, |run: &Done| self.run(run)),
        )?;
        for (key, value) in &self.tail {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

fn find<'a>(measured: &'a Measurement, done: &Done) -> Option<&'a Ran> {
    let mut runs = measured.results.points[done.point].runs.iter();
    runs.find(|ran| ran.scheme == done.scheme && ran.seed == done.seed)
}
