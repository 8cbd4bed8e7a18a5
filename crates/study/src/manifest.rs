//! `manifest.json`: the runs, the values with their sources, and the cost.
//!
//! Two result directories of one scenario may differ only here (times, jobs and dates) and in `cpu_s` and
//! `hops_per_cpu_s` of `summary.json`.

use crate::tables::column_docs;
use crate::usage::milli;
use crate::when;
use serde_json::{Value, json};
use sidestep_lab::{CountSource, Record, Scenario};

/// Completeness of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// All runs are complete.
    Complete,
    /// An interruption left at least one run incomplete.
    Partial,
}

impl Status {
    /// Returns the word for it in results.
    pub fn word(self) -> &'static str {
        match self {
            Status::Complete => "complete",
            Status::Partial => "partial",
        }
    }
}

/// Outcome of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunOrigin {
    /// Made by this call.
    Ran,
    /// Taken from the cache.
    Cached,
    /// Interrupted, or never begun.
    NotRun,
}

impl RunOrigin {
    pub(crate) fn word(self) -> &'static str {
        match self {
            RunOrigin::Ran => "complete",
            RunOrigin::Cached => "complete, from the cache",
            RunOrigin::NotRun => "not run",
        }
    }
}

/// Run of one scheme with one seed.
#[derive(Debug)]
pub struct PointRecord {
    json: Value,
    complete: bool,
    /// True if the result came from the cache.
    cached: bool,
}

impl PointRecord {
    /// Describes a run by its record and its times; `cached` if the result came from the cache.
    pub fn of(run: &Record, cpu_s: Option<f64>, wall_s: f64, cached: bool) -> PointRecord {
        let hash = format!("{:016x}", run.trajectory_hash);
        let mut json = json!({
            "scheme": run.scheme,
            "seed": run.seed,
            "status": match (run.interrupted, cached) {
                (true, _) => "interrupted",
                (false, true) => RunOrigin::Cached.word(),
                (false, false) => RunOrigin::Ran.word(),
            },
            "simulated_ms": run.end.0.as_ms_f64(),
            "flows": run.flows,
            "queries": run.queries,
            "events": run.told.by(CountSource::Simulator, run.counts.events),
            "packet_hops": run.told.by(CountSource::Switches, run.counts.packet_hops),
            "trajectory_hash": run.told.by(CountSource::Simulator, hash),
            "cpu_s": cpu_s.map(milli),
            "wall_s": milli(wall_s),
        });
        if !run.marks.is_empty() {
            json["marked"] = json!(run.marks);
        }
        PointRecord {
            json,
            complete: !run.interrupted,
            cached,
        }
    }

    /// Describes a run that was not begun.
    pub fn not_run(scenario: &Scenario, scheme: usize, seed: u64) -> PointRecord {
        let name = &scenario.schemes[scheme].name;
        PointRecord {
            json: json!({"scheme": name, "seed": seed, "status": RunOrigin::NotRun.word()}),
            complete: false,
            cached: false,
        }
    }
}

/// Manifest while it is being written.
#[derive(Debug)]
pub struct Manifest {
    head: Value,
    began_unix_s: u64,
    jobs: usize,
    /// Runs, in the order of the results.
    pub points: Vec<PointRecord>,
    /// Time from the start of the first run to the end of the last, seconds.
    pub wall_s: f64,
    /// Description of each column of each table.
    pub columns: Value,
    /// Further entries, each under its own key.
    pub remarks: Vec<(&'static str, Value)>,
}

impl Manifest {
    /// Begins the manifest of a result whose runs begin now.
    pub fn begin(scenario: &Scenario, jobs: usize) -> Manifest {
        let settings = scenario.settings().iter().map(
            |s| json!({"scheme": s.scheme, "key": s.key, "value": s.value, "source": s.source}),
        );
        let schemes = scenario
            .schemes
            .iter()
            .map(|s| json!({"name": s.name, "summary": s.summary, "source": s.source}));
        let network = &scenario.network;
        let head = json!({
            "name": scenario.name,
            "title": scenario.title,
            "duration_ms": scenario.duration.as_ms_f64(),
            "drain_ms": scenario.drain.as_ms_f64(),
            "hosts": network.hosts,
            "switches": network.switches.len(),
            "cables": network.cables.len(),
            "seeds": scenario.seeds,
            "schemes": schemes.collect::<Vec<_>>(),
            "settings": settings.collect::<Vec<_>>(),
            "warnings": scenario.warnings(),
        });
        Manifest {
            head,
            began_unix_s: when::now_s(),
            jobs,
            points: Vec::new(),
            wall_s: 0.0,
            columns: column_docs(),
            remarks: Vec::new(),
        }
    }

    /// Returns whether all points are complete.
    pub fn status(&self) -> Status {
        if self.points.iter().all(|p| p.complete) {
            Status::Complete
        } else {
            Status::Partial
        }
    }

    /// Returns the contents of the manifest file.
    pub fn to_json(&self) -> Value {
        // The sum over all runs is unknown if it is unknown for one of them.
        let known = |key: &str| {
            let mut made = self.points.iter().filter(|p| p.json.get(key).is_some());
            made.all(|p| !p.json[key].is_null())
        };
        let sum = |key: &str| {
            let all = self.points.iter().filter_map(|p| p.json[key].as_u64());
            known(key).then(|| all.sum::<u64>())
        };
        let cpu = |cached: bool| {
            let own = self.points.iter().filter(|p| p.cached == cached);
            let cpu = own.filter_map(|p| p.json["cpu_s"].as_f64());
            known("cpu_s").then(|| milli(cpu.sum()))
        };
        let runs: Vec<&Value> = self.points.iter().map(|p| &p.json).collect();
        let mut json = json!({
            "sidestep": {"version": env!("CARGO_PKG_VERSION")},
            "status": self.status().word(),
            "began": when::rfc3339(self.began_unix_s),
            "jobs": self.jobs,
            "wall_s": milli(self.wall_s),
            "cpu_s": cpu(false),
            "cpu_s_saved": cpu(true),
            "events": sum("events"),
            "packet_hops": sum("packet_hops"),
            "scenario": self.head,
            "runs": runs,
            "columns": self.columns,
        });
        for (key, value) in &self.remarks {
            json[*key] = value.clone();
        }
        json
    }
}
