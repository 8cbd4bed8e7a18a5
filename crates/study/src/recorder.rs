//! The result directory of a scenario's runs, whoever ran them: the simulator, or a testbed.

use crate::manifest::{Manifest, PointRecord, Status};
use crate::staging::Staging;
use crate::tables::Tables;
use crate::{Error, Report, page};
use serde_json::Value;
use sidestep_lab::{PlotSpec, Record, Run, Scenario, evaluate, stats};
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

/// A result directory in the making; dropped before [`Recorder::finish`], nothing of it is left.
pub struct Recorder<'a> {
    scenario: &'a Scenario,
    staging: Staging,
    tables: Tables<'a>,
    manifest: Manifest,
    began: Instant,
    runs: Vec<Record>,
    /// Processor time of each scheme, in seconds; `None` when it is not known of a run.
    cpu: Vec<Option<f64>>,
    warnings: Vec<String>,
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
            tables: Tables::begin(&staging, scenario, traced)?,
            staging,
            manifest: Manifest::begin(scenario, jobs),
            began: Instant::now(),
            runs: Vec::new(),
            cpu: vec![Some(0.0); scenario.schemes.len()],
            warnings: Vec::new(),
            plots: &[],
            scenario,
        })
    }

    /// Adds a run of scheme number `scheme`, and takes its paths. Times in seconds; that of the
    /// processor is `None` when nobody measured it.
    pub fn add(
        &mut self,
        scheme: usize,
        run: &mut Run,
        cpu_s: Option<f64>,
        wall_s: f64,
    ) -> Result<(), Error> {
        self.tables.write(scheme, run)?;
        let cpu = &mut self.cpu[scheme];
        *cpu = cpu.zip(cpu_s).map(|(sum, more)| sum + more);
        let point = PointRecord::of(run, cpu_s, wall_s);
        self.manifest.points.push(point);
        self.runs.push(Record::of(run));
        Ok(())
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

    /// Writes what there is and gives the directory its name.
    pub fn finish(mut self) -> Result<Finished, Error> {
        let report = self.report();
        self.manifest.wall_s = self.began.elapsed().as_secs_f64();
        self.tables.finish()?;
        self.staging
            .write("scenario.toml", self.scenario.to_toml().as_bytes())?;
        let (scenario, plots) = (self.scenario, self.plots);
        page::run(&self.staging, scenario, plots, &report, self.runs)?;
        self.staging
            .write("summary.json", pretty(&report.to_json()).as_bytes())?;
        self.staging
            .write("manifest.json", pretty(&self.manifest.to_json()).as_bytes())?;
        let dir = self.staging.commit()?;
        Ok(Finished { dir, report })
    }

    fn report(&self) -> Report {
        let scenario = self.scenario;
        let status: Status = self.manifest.status();
        let mut summaries = Vec::new();
        for (scheme, cpu_s) in scenario.schemes.iter().zip(&self.cpu) {
            let of_scheme = |run: &&Record| run.scheme == scheme.name;
            let own: Vec<&Record> = self.runs.iter().filter(of_scheme).collect();
            if !own.is_empty() {
                let mut summary = stats::summarise(&own);
                if let Some(cpu_s) = *cpu_s {
                    summary.set_cpu(cpu_s);
                }
                summaries.push(summary);
            }
        }
        let mut warnings = scenario.warnings();
        warnings.extend(self.warnings.iter().cloned());
        warnings.extend(self.runs.iter().flat_map(|run| run.warnings.clone()));
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

/// JSON as it stands in a result directory.
pub(crate) fn pretty(value: &Value) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("a value is always JSON");
    text.push('\n');
    text
}
