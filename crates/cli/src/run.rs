//! `sidestep run`

use crate::args::RunArgs;
use crate::failure::{Failure, Outcome};
use crate::{executor, out, stop};
use serde_json::Value;
use sidestep_lab::{Experiment, RecordSpec};
use sidestep_sim::TraceFilter;
use sidestep_study::caller::{CallerScheme, with_caller_schemes};
use sidestep_study::checkpoint::{CheckpointInterval, Checkpoints};
use sidestep_study::plugin;
use sidestep_study::progress::Show;
use sidestep_study::sweep::Spent;
use sidestep_study::threads::{ThreadChoice, Threading, most_threads};
use sidestep_study::{
    MeasureOptions, Options, Status, SweepOptions, SweepReport, WrittenRecording,
};
use sidestep_study::{Report, names, run_all, run_experiment, trace, when};
use sidestep_study::{files, format, memory, recorded};
use std::io;
use std::path::{Path, PathBuf};

/// Explains in an error that only an executor accepts a URL for `--cache`.
const BY_EXECUTOR: &str = "a URL needs --executor";

/// Runs a scenario or a sweep and prints its table, or its summary as JSON.
pub fn run(args: &RunArgs) -> Outcome {
    tell_single_seed(args.seeds.as_deref());
    if args.executor.is_some() {
        return executor::hand_over(args);
    }
    let kept = cache(args.cache.as_deref(), BY_EXECUTOR)?;
    let mut experiment = experiment(args)?;
    let threads = threads(args)?;
    let record = record(args)?;
    if !args.force {
        let jobs = jobs_of(args.jobs, threads)?;
        match (&record, &experiment.points[..]) {
            (Some(spec), [point]) => memory::refuse_recorded(&point.scenario, spec, jobs)?,
            _ => memory::refuse(&experiment, jobs, most_threads(threads, jobs, cores()))?,
        }
    }
    if experiment.is_sweep() {
        return sweep(&experiment, args, &kept);
    }
    let point = experiment.points.pop().expect("there is a point");
    let scenario = point.scenario;
    let filter = match &args.trace_packets {
        None => TraceFilter::None,
        Some(text) => trace::parse_filter(text).map_err(Failure::input)?,
    };
    let checkpoints = checkpoints(args, &scenario.name)?;
    let out = out_dir(args, &scenario.name);
    let options = Options {
        out: &out,
        jobs: jobs_of(args.jobs, threads)?,
        trace: filter,
        record,
        cache: (!args.no_cache).then_some(kept.as_path()),
        checkpoints: checkpoints.as_ref(),
        threads: threads.map(|asked| Threading {
            asked,
            remark: &out::remark,
        }),
        plots: &experiment.plots,
        show: show(args.progress),
    };
    let stop = stop::on_interrupt(out.clone());
    let mut told = PrintedResults::default();
    let mut tell = |report: &Report, spent: &Spent| {
        let text = || text_of(args.all, || report.answer(), || report.to_text());
        told = say(
            args,
            || report.to_json(),
            || report.to_csv(args.all),
            text,
            spent,
        );
    };
    let finished = run_all(&scenario, &options, &stop, &mut tell);
    let recordings = finished
        .as_ref()
        .map_or(&[][..], |f| f.recordings.as_slice());
    told.end(
        args.csv,
        finished.as_ref().ok().map(|f| f.dir.as_path()),
        recordings,
    );
    Ok(status(finished?.report.status))
}

/// Reads the experiment, with the file's schemes and those of plug-ins.
fn experiment(args: &RunArgs) -> Result<Experiment, Failure> {
    let read = |sets: &[String]| files::experiment(&args.scenario, sets, args.quick);
    let named = |error| of_options(args, error);
    if args.plugins.is_empty() {
        return read(&sets(args)).map_err(named);
    }
    // Reports errors of the scenario before plug-ins are built.
    read(&sets(args)).map_err(named)?;
    let load = |path: &PathBuf| {
        plugin::load(path).map_err(|e| Failure {
            status: e.exit_status(),
            words: format!("--plugin: {e}"),
        })
    };
    let own: Vec<CallerScheme> = args.plugins.iter().map(load).collect::<Result<_, _>>()?;
    Ok(with_caller_schemes(&read, &sets(args), &own)?)
}

/// Returns what to record of each run; `None` without `--record`.
fn record(args: &RunArgs) -> Result<Option<RecordSpec>, Failure> {
    if !args.record {
        return Ok(None);
    }
    let window = args.record_window.as_deref().map(recorded::parse_window);
    let flows = args.record_flows.as_deref().map(recorded::parse_flows);
    let packets = (args.record_packets.as_deref()).map(recorded::parse_packets);
    let named = |option: &'static str| move |why| Failure::input(format!("{option}: {why}"));
    Ok(Some(RecordSpec {
        window: window.transpose().map_err(named("--record-window"))?,
        flows: (flows.transpose())
            .map_err(named("--record-flows"))?
            .unwrap_or_default(),
        packets: (packets.transpose())
            .map_err(named("--record-packets"))?
            .unwrap_or_default(),
        most_bytes: None,
    }))
}

/// Returns the threads of each run, if given.
fn threads(args: &RunArgs) -> Result<Option<ThreadChoice>, Failure> {
    let asked = args.threads.as_deref().map(ThreadChoice::parse).transpose();
    asked.map_err(|why| Failure::input(format!("--threads: {why}")))
}

/// Returns the number of concurrent runs: as given, or the cores divided by the threads of a run.
fn jobs_of(asked: Option<usize>, threads: Option<ThreadChoice>) -> Result<usize, Failure> {
    Ok(match (asked, threads) {
        (None, Some(ThreadChoice::Of(threads))) => (jobs(None)? / threads).max(1),
        _ => jobs(asked)?,
    })
}

/// Returns the interval and folder of checkpoints for the scenario called `name`; `None` without
/// `--checkpoint`.
fn checkpoints(args: &RunArgs, name: &str) -> Result<Option<Checkpoints>, Failure> {
    let Some(every) = &args.checkpoint else {
        return Ok(None);
    };
    let every = CheckpointInterval::parse(every)
        .map_err(|why| Failure::input(format!("--checkpoint: {why}")))?;
    let dir = args.checkpoint_to.clone();
    Ok(Some(Checkpoints {
        every,
        dir: dir.unwrap_or_else(|| Path::new("results/.checkpoints").join(name)),
        remark: out::remark,
    }))
}

/// Runs every point of an experiment.
fn sweep(experiment: &Experiment, args: &RunArgs, kept: &Path) -> Outcome {
    if args.record {
        return Err(Failure::input(
            "--record: expected a scenario without [sweep]: recordings of every point would fill a \
             disk; use --set to give each axis a single value",
        ));
    }
    if args.trace_packets.is_some() {
        return Err(Failure::input(
            "--trace-packets: expected a scenario without [sweep]; use --set to give each axis a \
             single value",
        ));
    }
    if args.checkpoint.is_some() {
        return Err(Failure::input(
            "--checkpoint: expected a scenario without [sweep], whose finished runs are kept \
             anyway; use --set to give each axis a single value",
        ));
    }
    match threads(args)? {
        None | Some(ThreadChoice::Of(1)) => {}
        Some(ThreadChoice::Auto) => out::remark(
            "--threads auto: one thread per run, since --jobs runs the points of a sweep in \
             parallel",
        ),
        Some(ThreadChoice::Of(count)) => {
            return Err(Failure::input(format!(
                "--threads {count}: expected a scenario without [sweep]: use --jobs to run its \
                 points in parallel; use --set to give each axis a single value",
            )));
        }
    }
    let out = out_dir(args, &experiment.name);
    let options = SweepOptions {
        out: &out,
        measure: MeasureOptions {
            jobs: jobs(args.jobs)?,
            cache: (!args.no_cache).then_some(kept),
            show: show(args.progress),
        },
    };
    let stop = stop::on_interrupt(out.clone());
    let mut told = PrintedResults::default();
    let mut tell = |report: &SweepReport, spent: &Spent| {
        let text = || text_of(args.all, || report.answer(), || report.to_text());
        told = say(
            args,
            || report.to_json(),
            || report.to_csv(args.all),
            text,
            spent,
        );
    };
    let finished = run_experiment(experiment, &options, &stop, &mut tell);
    told.end(
        args.csv,
        finished.as_ref().ok().map(|f| f.dir.as_path()),
        &[],
    );
    Ok(status(finished?.report.status))
}

/// Returns the whole table with `--all`, else the answer.
pub fn text_of(all: bool, answer: impl Fn() -> String, whole: impl Fn() -> String) -> String {
    if all { whole() } else { answer() }
}

/// Returns where progress is shown: always, or only on a terminal.
pub fn show(always: bool) -> Show<'static> {
    if always { Show::Always } else { Show::Terminal }
}

fn out_dir(args: &RunArgs, name: &str) -> PathBuf {
    args.out.clone().unwrap_or_else(|| default_out(name))
}

/// Results printed before the files are written.
#[derive(Default)]
pub struct PrintedResults {
    /// JSON to print once the files are written, with `--json`.
    json: Option<Value>,
    /// Error of writing to standard output.
    unheard: Option<io::Error>,
}

/// Prints the results of a run or a sweep.
fn say(
    args: &RunArgs,
    json: impl Fn() -> Value,
    csv: impl Fn() -> String,
    text: impl Fn() -> String,
    spent: &Spent,
) -> PrintedResults {
    PrintedResults::of(args.json, json, || match args.csv {
        true => csv(),
        false => format!("{}\n{}", text(), spent.to_text()),
    })
}

impl PrintedResults {
    /// Prints the results before anything is written; JSON waits until the files are written.
    pub fn of(
        as_json: bool,
        json: impl Fn() -> Value,
        text: impl Fn() -> String,
    ) -> PrintedResults {
        match as_json {
            true => PrintedResults {
                json: Some(json()),
                unheard: None,
            },
            false => PrintedResults {
                json: None,
                unheard: out::try_say(&text()).err(),
            },
        }
    }

    /// Exits the command if the output failed; returns the JSON that is still to be printed.
    pub fn heard(self) -> Option<Value> {
        if let Some(error) = &self.unheard {
            out::unheard(error);
        }
        self.json
    }

    /// Prints the paths of the files, if they were written; beside CSV on standard error.
    fn end(self, beside_csv: bool, dir: Option<&Path>, recordings: &[WrittenRecording]) {
        let say = |line: &str| match beside_csv {
            true => out::remark(line),
            false => out::say(&format!("{line}\n")),
        };
        let dir = dir.map(|dir| dir.display().to_string());
        match (self.heard(), dir) {
            (Some(mut json), dir) => {
                json["report"] = dir.as_ref().map(|dir| format!("{dir}/report.html")).into();
                json["result"] = dir.into();
                if !recordings.is_empty() {
                    json["recordings"] = recordings
                        .iter()
                        .map(|taped| taped.to_json().clone())
                        .collect();
                }
                out::say_json(&json);
            }
            (None, Some(dir)) => {
                for WrittenRecording {
                    file,
                    bytes,
                    window,
                    ..
                } in recordings
                {
                    let mega = format::number(*bytes as f64 / 1e6);
                    say(&format!(
                        "recorded: {dir}/{file}, {mega} MB; window {window}"
                    ));
                }
                say(&format!("report: {dir}/report.html\nresult: {dir}"));
            }
            (None, None) => {}
        }
    }
}

fn status(status: Status) -> u8 {
    match status {
        Status::Complete => 0,
        Status::Partial => 130,
    }
}

/// Remarks that a number given to `--seeds` is one seed, since it may have been meant as their count.
fn tell_single_seed(seeds: Option<&str>) {
    let only: Option<u64> = seeds.and_then(|seeds| seeds.trim().parse().ok());
    if let Some(n @ 2..) = only {
        out::remark(&format!(
            "--seeds {n} is one seed, number {n}; for {n} seeds write --seeds 1..{n}"
        ));
    }
}

/// Returns the changed values, with `--schemes`, `--seed` and `--seeds` as further ones.
fn sets(args: &RunArgs) -> Vec<String> {
    let mut sets = args.sets.clone();
    sets.extend(args.schemes.as_ref().map(|s| format!("schemes={s}")));
    sets.extend(args.seed.map(|n| format!("seeds={n}")));
    sets.extend(args.seeds.as_ref().map(|s| format!("seeds={s}")));
    sets
}

/// Renames values that an option has set to that option, in an error of reading.
fn of_options(args: &RunArgs, error: sidestep_study::Error) -> Failure {
    let mut failure = Failure::from(error);
    if let Some(schemes) = &args.schemes {
        let set = format!("--set schemes={schemes}: schemes:");
        failure.words = failure.words.replace(&set, "--schemes:");
        let set = format!("--set schemes={schemes}");
        failure.words = failure.words.replace(&set, "--schemes");
    }
    match (args.seed, &args.seeds) {
        (Some(seed), _) => failure.of_seeds("--seed", &seed.to_string()),
        (None, Some(seeds)) => failure.of_seeds("--seeds", seeds),
        (None, None) => failure,
    }
}

/// Returns the folder of finished runs. A URL is refused, as it would become a folder's name; `instead` names
/// the option that accepts one.
pub fn cache(asked: Option<&Path>, instead: &str) -> Result<PathBuf, Failure> {
    let asked = asked.unwrap_or(Path::new("results/.cache"));
    match asked.to_str() {
        Some(url) if url.contains("://") => Err(Failure::input(format!(
            "--cache: expected a directory, got {url:?}: {instead}"
        ))),
        _ => Ok(asked.to_path_buf()),
    }
}

/// Returns the number of concurrent runs: as given, or one per core.
pub fn jobs(asked: Option<usize>) -> Result<usize, Failure> {
    match asked {
        Some(0) => Err(Failure::input("--jobs: expected at least 1, got 0")),
        Some(n) => Ok(n),
        None => Ok(cores()),
    }
}

/// Returns the cores available to this process.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Returns `results/NAME-TIME`, with a number appended if it exists. The number may change when the results are
/// written, to the next free one.
pub fn default_out(name: &str) -> PathBuf {
    let base = PathBuf::from(format!("results/{name}-{}", when::compact(when::now_s())));
    let mut free = names(&base);
    free.find(|p| !p.exists()).expect("some number is free")
}
