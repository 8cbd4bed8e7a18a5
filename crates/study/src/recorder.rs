//! Result directory of a scenario's runs, on the simulator or on a testbed.

use crate::manifest::{Manifest, PointRecord, Status};
use crate::report::Marked;
use crate::rows::KernelRow;
use crate::staging::Staging;
use crate::tables::{self, Rows, Tables};
use crate::{Error, Report, logs, page, recorded};
use serde_json::{Value, json};
use sidestep_lab::recorded::Reader;
use sidestep_lab::stats::Summary;
use sidestep_lab::{PlotSpec, Record, Run, Scenario, Scheme, evaluate_runs, stats};
use sidestep_types::Time;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Result of all runs.
#[derive(Debug)]
pub struct Finished {
    /// Result directory.
    pub dir: PathBuf,
    /// Numbers of the report.
    pub report: Report,
    /// Recordings in the directory.
    pub recordings: Vec<WrittenRecording>,
}

/// Recording that was written.
#[derive(Clone, Debug)]
pub struct WrittenRecording {
    /// File in the result directory.
    pub file: String,
    /// Size in bytes.
    pub bytes: usize,
    /// Window of the recording, and its reason.
    pub window: String,
    json: Value,
}

impl WrittenRecording {
    /// Describes the recording `bytes` of this run.
    fn of(run: &Record, bytes: &[u8]) -> Result<WrittenRecording, Error> {
        let file = recorded::file_name(&run.scheme, run.seed);
        let reader =
            Reader::open(bytes).map_err(|e| Error::Run(format!("cannot read back {file}: {e}")))?;
        let (head, tail) = (reader.head(), reader.tail());
        let events: u64 = tail.counts.iter().map(|crowd| crowd.events).sum();
        let to = Time::from_ps(tail.to);
        Ok(WrittenRecording {
            bytes: bytes.len(),
            window: format!("{}; to {to}: {}", head.window, tail.ended),
            json: json!({
                "file": file,
                "scheme": run.scheme,
                "seed": run.seed,
                "from_ps": head.from,
                "to_ps": tail.to,
                "window": head.window,
                "ended": tail.ended,
                "events": events,
                "bytes": bytes.len(),
            }),
            file,
        })
    }

    /// Returns the entry of the manifest.
    pub fn to_json(&self) -> &Value {
        &self.json
    }
}

/// Result of a run, kept until all runs have ended.
pub struct FinishedRun {
    /// Statistics of the run.
    pub record: Record,
    /// Rows of each table.
    pub rows: Rows,
    paths: Vec<String>,
    recording: Option<Vec<u8>>,
    cpu_s: Option<f64>,
    wall_s: f64,
}

impl FinishedRun {
    /// Takes the result, with its paths and recording, out of a run of scheme number `scheme`. Times are in
    /// seconds; the CPU time is `None` if it was not measured.
    pub fn of(
        scenario: &Scenario,
        scheme: usize,
        run: &mut Run,
        cpu_s: Option<f64>,
        wall_s: f64,
    ) -> FinishedRun {
        let mut record = Record::of(run);
        record.cpu_s = cpu_s.unwrap_or_default();
        FinishedRun {
            rows: Rows::of(scenario, scheme, run, &record),
            record,
            paths: tables::paths(scenario, run),
            recording: run.recording.take(),
            cpu_s,
            wall_s,
        }
    }

    /// Wraps a result that an earlier call made.
    pub fn known(record: Record, rows: Rows, cpu_s: Option<f64>) -> FinishedRun {
        FinishedRun {
            record,
            rows,
            paths: Vec::new(),
            recording: None,
            cpu_s,
            wall_s: 0.0,
        }
    }
}

/// Result directory in the making. If dropped before [`Recorder::finish`], no file of it is left.
///
/// A failure to write ends no run: the runs go on, [`Recorder::report`] has their numbers, and
/// [`Recorder::finish`] returns the error.
pub struct Recorder<'a> {
    scenario: &'a Scenario,
    staging: Staging,
    tables: Tables,
    manifest: Manifest,
    began: Instant,
    runs: Vec<Record>,
    /// CPU time of each scheme, in seconds; `None` if it is unknown for a run.
    cpu: Vec<Option<f64>>,
    warnings: Vec<String>,
    /// Error that left the tables or the recordings incomplete.
    failed: Option<Error>,
    recordings: Vec<WrittenRecording>,
    plots: &'a [PlotSpec],
}

impl<'a> Recorder<'a> {
    /// Begins the directory `out`; refuses one that is not empty. `jobs` is written to the manifest; `traced`
    /// adds the table of packet paths.
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
            recordings: Vec::new(),
            plots: &[],
            scenario,
        })
    }

    /// Adds a run of scheme number `scheme`, and takes its paths and recording. Times are in seconds; the CPU
    /// time is `None` if it was not measured.
    pub fn add(&mut self, scheme: usize, run: &mut Run, cpu_s: Option<f64>, wall_s: f64) {
        let made = FinishedRun::of(self.scenario, scheme, run, cpu_s, wall_s);
        self.take(scheme, made, false);
    }

    /// Adds the result of a run of scheme number `scheme`; `cached` if an earlier call made it.
    pub fn take(&mut self, scheme: usize, made: FinishedRun, cached: bool) {
        if self.failed.is_none() {
            self.failed = self.tables.write(&made.rows, &made.paths).err();
        }
        if let (None, Some(bytes)) = (&self.failed, &made.recording) {
            self.failed = self.keep(&made.record, bytes).err();
        }
        let cpu = &mut self.cpu[scheme];
        *cpu = cpu.zip(made.cpu_s).map(|(sum, more)| sum + more);
        let point = PointRecord::of(&made.record, made.cpu_s, made.wall_s, cached);
        self.manifest.points.push(point);
        self.runs.push(made.record);
    }

    /// Writes a recording.
    fn keep(&mut self, run: &Record, bytes: &[u8]) -> Result<(), Error> {
        let taped = WrittenRecording::of(run, bytes)?;
        self.staging.write(&taped.file, bytes)?;
        self.recordings.push(taped);
        Ok(())
    }

    /// Adds the table of the kernel's counters for senders of flows.
    pub fn expect_kernel(&mut self) -> Result<(), Error> {
        self.tables.begin_kernel(&self.staging)?;
        let (file, columns) = tables::kernel_docs();
        self.manifest.columns[file] = columns;
        Ok(())
    }

    /// Adds the kernel's counters from one run.
    pub fn add_kernel(&mut self, rows: &[KernelRow]) {
        if self.failed.is_none() {
            self.failed = self.tables.write_kernel(rows).err();
        }
    }

    /// Records that scheme number `scheme` was not run with `seed`.
    pub fn not_run(&mut self, scheme: usize, seed: u64) {
        let point = PointRecord::not_run(self.scenario, scheme, seed);
        self.manifest.points.push(point);
    }

    /// Adds an entry on the origin of these numbers to the manifest, under `key`.
    pub fn remark(&mut self, key: &'static str, value: Value) {
        self.manifest.remarks.push((key, value));
    }

    /// Sets further plots, drawn beside those of every run.
    pub fn draw(&mut self, plots: &'a [PlotSpec]) {
        self.plots = plots;
    }

    /// Adds a warning that matters before any number is trusted.
    pub fn warn(&mut self, warning: String) {
        self.warnings.push(warning);
    }

    /// Writes the results and gives the directory its name. On an error no file is left.
    pub fn finish(mut self) -> Result<Finished, Error> {
        let report = self.report();
        self.manifest.wall_s = self.began.elapsed().as_secs_f64();
        let ran = self.runs.len();
        let recordings = std::mem::take(&mut self.recordings);
        if !recordings.is_empty() {
            let all: Vec<&Value> = recordings.iter().map(WrittenRecording::to_json).collect();
            self.remark("recordings", json!(all));
        }
        let dir = self.write(&report).map_err(|e| unwritten(e, ran))?;
        Ok(Finished {
            dir,
            report,
            recordings,
        })
    }

    fn write(self, report: &Report) -> Result<PathBuf, Error> {
        let compared = self.compared();
        if let Some(failed) = self.failed {
            return Err(failed);
        }
        self.tables.finish()?;
        logs::write(&self.staging, self.runs.iter().map(|run| (&[][..], run)))?;
        self.staging
            .write("scenario.toml", self.scenario.to_toml().as_bytes())?;
        let (scenario, plots) = (self.scenario, self.plots);
        // The page shows the same runs as the table.
        let mut runs = self.runs;
        runs.retain(|run| compared.has(run));
        page::run(&self.staging, scenario, plots, report, runs)?;
        self.staging
            .write("summary.json", pretty(&report.to_json()).as_bytes())?;
        self.staging
            .write("manifest.json", pretty(&self.manifest.to_json()).as_bytes())?;
        self.staging.commit()
    }

    fn compared(&self) -> Compared {
        match self.manifest.status() {
            Status::Complete => Compared::All,
            Status::Partial => Compared::of(&self.runs, self.scenario.schemes.len()),
        }
    }

    /// Summarises the runs so far.
    pub fn report(&self) -> Report {
        let scenario = self.scenario;
        let compared = self.compared();
        let runs: Vec<&Record> = self.runs.iter().filter(|run| compared.has(run)).collect();
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
        let marked = runs.iter().any(|run| !run.marks.is_empty());
        // Summaries of the marked runs, or of the others; empty if no run is marked.
        let of = |disturbed: bool| -> Vec<Summary> {
            let own = |scheme: &Scheme| {
                let own = runs.iter().copied().filter(|r| r.scheme == scheme.name);
                let own = own.filter(|run| marked && run.marks.is_empty() != disturbed);
                let own: Vec<&Record> = own.collect();
                (!own.is_empty()).then(|| stats::summarise(&own))
            };
            scenario.schemes.iter().filter_map(own).collect()
        };
        let mut warnings = scenario.warnings();
        warnings.extend(self.warnings.iter().cloned());
        warnings.extend(runs.iter().flat_map(|run| run.warnings.clone()));
        let claims = match compared {
            Compared::Begun => &[],
            Compared::All | Compared::Seeds(_) => &scenario.claims[..],
        };
        if claims.len() < scenario.claims.len() {
            warnings.push(UNJUDGED.into());
        }
        Report {
            scenario: scenario.name.clone(),
            title: scenario.title.clone(),
            seeds: scenario.seeds.clone(),
            status: self.manifest.status(),
            warnings,
            claims: evaluate_runs(claims, &summaries, &runs),
            marked: runs.iter().filter_map(|run| Marked::of(run)).collect(),
            unmarked: of(false),
            disturbed: of(true),
            summaries,
        }
    }
}

/// Reason for a partial run without verdicts.
const UNJUDGED: &str = "no claim is judged: no seed finished under every scheme";

/// Runs that the numbers cover.
enum Compared {
    /// All runs requested.
    All,
    /// In a partial result: the seeds with which every scheme ended.
    Seeds(BTreeSet<u64>),
    /// All runs that began, if there is no such seed.
    Begun,
}

impl Compared {
    /// Chooses from the runs that an interruption left.
    fn of(runs: &[Record], schemes: usize) -> Compared {
        let seeds = common_seeds(runs, schemes);
        if seeds.is_empty() {
            return Compared::Begun;
        }
        Compared::Seeds(seeds)
    }

    fn has(&self, run: &Record) -> bool {
        match self {
            Compared::All | Compared::Begun => true,
            Compared::Seeds(seeds) => seeds.contains(&run.seed),
        }
    }
}

/// Returns the seeds with which all `schemes` schemes ended.
pub(crate) fn common_seeds(runs: &[Record], schemes: usize) -> BTreeSet<u64> {
    let mut ended: BTreeMap<u64, usize> = BTreeMap::new();
    for run in runs.iter().filter(|run| !run.interrupted) {
        *ended.entry(run.seed).or_default() += 1;
    }
    let whole = ended.into_iter().filter(|(_, n)| *n == schemes);
    whole.map(|(seed, _)| seed).collect()
}

/// Wraps an error to report that the files of `runs` runs could not be written.
pub(crate) fn unwritten(error: Error, runs: usize) -> Error {
    match error {
        Error::Unwritten(words) => Error::Unwritten(words),
        error => Error::Unwritten(format!(
            "the numbers above are complete, but the result files of {runs} runs could not be \
             written, and none remains: {error}; fix that and repeat the command: cached runs are \
             not repeated"
        )),
    }
}

/// Formats JSON for a file of a result directory.
pub(crate) fn pretty(value: &Value) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("a value is always JSON");
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use sidestep_lab::{PointResult, Ran, Results, Watch, run};
    use sidestep_sim::{NoFiles, TraceFilter};

    #[test]
    fn only_seeds_that_every_scheme_ended_with_are_compared() {
        let run = |scheme: &str, seed, interrupted| Record {
            scheme: scheme.into(),
            seed,
            interrupted,
            ..Record::default()
        };
        let of = |runs: &[Record]| -> Vec<(String, u64)> {
            let compared = Compared::of(runs, 2);
            let kept = runs.iter().filter(|run| compared.has(run));
            kept.map(|r| (r.scheme.clone(), r.seed)).collect()
        };
        let runs = [
            run("a", 1, false),
            run("b", 1, false),
            run("a", 2, false),
            run("b", 2, true),
            run("a", 3, true),
        ];
        assert_eq!(of(&runs), [("a".into(), 1), ("b".into(), 1)]);
        // If no seed has both, all runs are compared, and the report states it.
        assert_eq!(of(&runs[2..]).len(), 3);
    }

    const TWO: &str = "title = \"two\"\nduration = \"1 ms\"\nseeds = \"1..3\"\nschemes = [\"dctcp\", \"dibs\"]\n\
        [topology]\nkind = \"single_switch\"\nhosts = 4\n[workload.a]\nkind = \"query\"\nrate = \"2 k/s\"\n\
        degree = 3\n[[claim]]\nid = \"a\"\nsays = \"a\"\nmetric = \"qct_p99_ms\"\ncompare = \"dibs\"\naccept = \"0..\"\n\
        paper = \"no number\"\ntolerance = \"any\"\ngap = \"none\"\n";

    /// Returns the report, the page and the digest of [`TWO`] after these runs: scheme, seed, and true if
    /// interrupted.
    fn partial(runs: &[(usize, u64, bool)]) -> (Report, String, String) {
        let scenario = Scenario::read("two.toml", TWO, &[], &NoFiles).unwrap();
        let room = tempfile::tempdir().unwrap();
        let mut recorder = Recorder::begin(&scenario, &room.path().join("r"), 1, false).unwrap();
        for &(scheme, seed, cut) in runs {
            let go = &mut |_: &_| Watch::Go;
            let mut run = run(&scenario, scheme, seed, TraceFilter::None, go).unwrap();
            run.interrupted = cut;
            recorder.add(scheme, &mut run, None, 1.0);
        }
        recorder.not_run(1, 3);
        let cut = recorder.compared();
        let records = recorder.runs.iter().filter(|run| cut.has(run)).cloned();
        let records: Vec<Record> = records.collect();
        let points = vec![PointResult {
            runs: Ran::all(&["dctcp", "dibs"], &records),
            ..PointResult::default()
        }];
        let digest = page::digest(&Results { points });
        let done = recorder.finish().unwrap();
        let page = std::fs::read_to_string(done.dir.join(page::FILE)).unwrap();
        (done.report, page, digest)
    }

    #[test]
    fn without_a_seed_of_all_schemes_no_claim_is_judged() {
        let (report, page, _) = partial(&[(0, 1, false), (1, 1, true)]);
        assert_eq!(report.claims, []);
        assert_eq!(report.warnings.last().unwrap(), UNJUDGED);
        assert!(page.contains(UNJUDGED), "{page}");
        let (report, _, _) = partial(&[(0, 1, false), (1, 1, false), (0, 2, true)]);
        assert_eq!(report.claims.len(), 1);
        assert!(!report.warnings.iter().any(|w| w == UNJUDGED));
    }

    #[test]
    fn a_partial_page_is_about_what_its_table_compares() {
        let common = [(0, 1, false), (1, 1, false)];
        let (_, page, digest) = partial(&[&common[..], &[(0, 2, false), (1, 2, true)]].concat());
        assert_eq!(digest, partial(&common).2);
        assert!(page.contains(&digest), "{page}");
        let words = "Partial: interrupted; the numbers cover the 1 of 3 seeds that finished under \
                     every scheme: 1.";
        assert!(page.contains(words), "{page}");
    }
}
