//! The result directory of a scenario's runs, whoever ran them: the simulator, or a testbed.

use crate::manifest::{Manifest, PointRecord, Status};
use crate::staging::Staging;
use crate::tables::{self, Rows, Tables};
use crate::{Error, Report, logs, page};
use serde_json::Value;
use sidestep_lab::{PlotSpec, Record, Run, Scenario, evaluate, stats};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What is left when all runs are in.
#[derive(Debug)]
pub struct Finished {
    /// The result directory.
    pub dir: PathBuf,
    /// Its numbers.
    pub report: Report,
}

/// What is kept of a run until all are in.
pub struct Made {
    /// Its numbers.
    pub record: Record,
    /// Its part of each table.
    pub rows: Rows,
    paths: Vec<String>,
    cpu_s: Option<f64>,
    wall_s: f64,
}

impl Made {
    /// Of a run of scheme number `scheme`; takes its paths. Times in seconds; that of the
    /// processor is `None` when nobody measured it.
    pub fn of(
        scenario: &Scenario,
        scheme: usize,
        run: &mut Run,
        cpu_s: Option<f64>,
        wall_s: f64,
    ) -> Made {
        let mut record = Record::of(run);
        record.cpu_s = cpu_s.unwrap_or_default();
        Made {
            rows: Rows::of(scenario, scheme, run, &record),
            record,
            paths: tables::paths(scenario, run),
            cpu_s,
            wall_s,
        }
    }

    /// One that was made by an earlier call.
    pub fn known(record: Record, rows: Rows, cpu_s: Option<f64>) -> Made {
        Made {
            record,
            rows,
            paths: Vec::new(),
            cpu_s,
            wall_s: 0.0,
        }
    }
}

/// A result directory in the making; dropped before [`Recorder::finish`], nothing of it is left.
///
/// What cannot be written ends nothing: the runs go on, [`Recorder::report`] has their numbers, and
/// [`Recorder::finish`] says what went wrong.
pub struct Recorder<'a> {
    scenario: &'a Scenario,
    staging: Staging,
    tables: Tables,
    manifest: Manifest,
    began: Instant,
    runs: Vec<Record>,
    /// Processor time of each scheme, in seconds; `None` when it is not known of a run.
    cpu: Vec<Option<f64>>,
    warnings: Vec<String>,
    /// Why the tables are not whole.
    failed: Option<Error>,
    plots: &'a [PlotSpec],
}

impl<'a> Recorder<'a> {
    /// Begins the directory `out`; one that holds anything is refused. `jobs` is for the manifest;
    /// `traced` makes room for the paths of packets.
    pub fn begin(
        scenario: &'a Scenario,
        out: &Path,
        jobs: usize,
        traced: bool,
    ) -> Result<Recorder<'a>, Error> {
        let staging = Staging::begin(out)?;
        Ok(Recorder {
            tables: Tables::begin(&staging, traced)?,
            staging,
            manifest: Manifest::begin(scenario, jobs),
            began: Instant::now(),
            runs: Vec::new(),
            cpu: vec![Some(0.0); scenario.schemes.len()],
            warnings: Vec::new(),
            failed: None,
            plots: &[],
            scenario,
        })
    }

    /// Adds a run of scheme number `scheme`, and takes its paths. Times in seconds; that of the
    /// processor is `None` when nobody measured it.
    pub fn add(&mut self, scheme: usize, run: &mut Run, cpu_s: Option<f64>, wall_s: f64) {
        let made = Made::of(self.scenario, scheme, run, cpu_s, wall_s);
        self.take(scheme, made, false);
    }

    /// Adds a run of scheme number `scheme`; `cached` when an earlier call made it.
    pub fn take(&mut self, scheme: usize, made: Made, cached: bool) {
        if self.failed.is_none() {
            self.failed = self.tables.write(&made.rows, &made.paths).err();
        }
        let cpu = &mut self.cpu[scheme];
        *cpu = cpu.zip(made.cpu_s).map(|(sum, more)| sum + more);
        let point = PointRecord::of(&made.record, made.cpu_s, made.wall_s, cached);
        self.manifest.points.push(point);
        self.runs.push(made.record);
    }

    /// Scheme number `scheme` was not run with `seed`.
    pub fn not_run(&mut self, scheme: usize, seed: u64) {
        let point = PointRecord::not_run(self.scenario, scheme, seed);
        self.manifest.points.push(point);
    }

    /// Says in the manifest where these numbers come from, under `key`.
    pub fn remark(&mut self, key: &'static str, value: Value) {
        self.manifest.remarks.push((key, value));
    }

    /// Draws these beside what every run draws.
    pub fn draw(&mut self, plots: &'a [PlotSpec]) {
        self.plots = plots;
    }

    /// Adds what must be read before trusting a number.
    pub fn warn(&mut self, warning: String) {
        self.warnings.push(warning);
    }

    /// Writes what there is and gives the directory its name. On an error nothing of it is left.
    pub fn finish(mut self) -> Result<Finished, Error> {
        let report = self.report();
        self.manifest.wall_s = self.began.elapsed().as_secs_f64();
        let ran = self.runs.len();
        let dir = self.write(&report).map_err(|e| unwritten(e, ran))?;
        Ok(Finished { dir, report })
    }

    fn write(self, report: &Report) -> Result<PathBuf, Error> {
        if let Some(failed) = self.failed {
            return Err(failed);
        }
        self.tables.finish()?;
        logs::write(&self.staging, self.runs.iter().map(|run| (&[][..], run)))?;
        self.staging
            .write("scenario.toml", self.scenario.to_toml().as_bytes())?;
        let (scenario, plots) = (self.scenario, self.plots);
        page::run(&self.staging, scenario, plots, &report, self.runs)?;
        self.staging
            .write("summary.json", pretty(&report.to_json()).as_bytes())?;
        self.staging
            .write("manifest.json", pretty(&self.manifest.to_json()).as_bytes())?;
        self.staging.commit()
    }

    /// The numbers of the runs so far.
    pub fn report(&self) -> Report {
        let scenario = self.scenario;
        let status: Status = self.manifest.status();
        let runs: Vec<&Record> = match status {
            Status::Complete => self.runs.iter().collect(),
            Status::Partial => comparable(&self.runs, scenario.schemes.len()),
        };
        let mut summaries = Vec::new();
        for (scheme, cpu_s) in scenario.schemes.iter().zip(&self.cpu) {
            let of_scheme = |run: &&Record| run.scheme == scheme.name;
            let own: Vec<&Record> = runs.iter().copied().filter(of_scheme).collect();
            if !own.is_empty() {
                let mut summary = stats::summarise(&own);
                if cpu_s.is_some() {
                    summary.set_cpu(own.iter().map(|run| run.cpu_s).sum());
                }
                summaries.push(summary);
            }
        }
        let mut warnings = scenario.warnings();
        warnings.extend(self.warnings.iter().cloned());
        warnings.extend(runs.iter().flat_map(|run| run.warnings.clone()));
        Report {
            scenario: scenario.name.clone(),
            title: scenario.title.clone(),
            seeds: scenario.seeds.clone(),
            status,
            warnings,
            claims: evaluate(&scenario.claims, &summaries),
            summaries,
        }
    }
}

/// Of runs that an interruption left, those that can be compared; where there is none, all that there is.
fn comparable(runs: &[Record], schemes: usize) -> Vec<&Record> {
    let seeds = common_seeds(runs, schemes);
    let common = |run: &&Record| seeds.is_empty() || seeds.contains(&run.seed);
    runs.iter().filter(common).collect()
}

/// The seeds with which all of so many schemes came to their end.
pub(crate) fn common_seeds(runs: &[Record], schemes: usize) -> BTreeSet<u64> {
    let mut ended: BTreeMap<u64, usize> = BTreeMap::new();
    for run in runs.iter().filter(|run| !run.interrupted) {
        *ended.entry(run.seed).or_default() += 1;
    }
    let whole = ended.into_iter().filter(|(_, n)| *n == schemes);
    whole.map(|(seed, _)| seed).collect()
}

/// That the numbers of so many runs could not be written.
pub(crate) fn unwritten(error: Error, runs: usize) -> Error {
    match error {
        Error::Unwritten(words) => Error::Unwritten(words),
        error => Error::Unwritten(format!(
            "the numbers above are whole, but the files of {runs} runs could not be written, and none of \
             them is left: {error}; make room and call again: runs that are kept are not made again"
        )),
    }
}

/// JSON as it stands in a result directory.
pub(crate) fn pretty(value: &Value) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("a value is always JSON");
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_seeds_that_every_scheme_ended_with_are_compared() {
        let run = |scheme: &str, seed, interrupted| Record {
            scheme: scheme.into(),
            seed,
            interrupted,
            ..Record::default()
        };
        let of = |runs: &[Record]| -> Vec<(String, u64)> {
            let compared = comparable(runs, 2).into_iter();
            compared.map(|r| (r.scheme.clone(), r.seed)).collect()
        };
        let runs = [
            run("a", 1, false),
            run("b", 1, false),
            run("a", 2, false),
            run("b", 2, true),
            run("a", 3, true),
        ];
        assert_eq!(of(&runs), [("a".into(), 1), ("b".into(), 1)]);
        // No seed of both: all there is, and the report says so.
        assert_eq!(of(&runs[2..]).len(), 3);
    }
}
