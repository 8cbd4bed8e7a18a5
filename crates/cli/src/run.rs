//! `sidestep run`

use crate::args::RunArgs;
use crate::failure::{Failure, Outcome};
use crate::{out, stop};
use serde_json::Value;
use sidestep_study::files;
use sidestep_study::lab::Experiment;
use sidestep_study::progress::Show;
use sidestep_study::{MeasureOptions, Options, Status, SweepOptions, TraceFilter};
use sidestep_study::{run_all, run_experiment, trace, when};
use std::path::{Path, PathBuf};

/// Runs a scenario or a sweep and prints its table, or its summary as JSON.
pub fn run(args: &RunArgs) -> Outcome {
    let mut experiment = files::experiment(&args.scenario, &sets(args), args.quick)?;
    if experiment.is_sweep() {
        return sweep(&experiment, args);
    }
    let point = experiment.points.pop().expect("there is a point");
    let scenario = point.scenario;
    let filter = match &args.trace_packets {
        None => TraceFilter::None,
        Some(text) => trace::parse_filter(text).map_err(Failure::input)?,
    };
    let out = out_dir(args, &scenario.name);
    let options = Options {
        out: &out,
        jobs: jobs(args.jobs)?,
        trace: filter,
        plots: &experiment.plots,
        show: show(args.progress),
    };
    let stop = stop::on_interrupt(out.clone());
    let finished = run_all(&scenario, &options, &stop)?;
    say(
        args,
        &finished.dir,
        || finished.report.to_json(),
        || finished.report.to_text(),
    );
    Ok(status(finished.report.status))
}

/// Runs every point of an experiment.
fn sweep(experiment: &Experiment, args: &RunArgs) -> Outcome {
    if args.trace_packets.is_some() {
        return Err(Failure::input(
            "--trace-packets: expected a scenario without [sweep]; --set leaves an axis one value only",
        ));
    }
    let out = out_dir(args, &experiment.name);
    let kept = cache(&args.cache);
    let options = SweepOptions {
        out: &out,
        measure: MeasureOptions {
            jobs: jobs(args.jobs)?,
            cache: (!args.no_cache).then_some(kept.as_path()),
            show: show(args.progress),
        },
    };
    let stop = stop::on_interrupt(out.clone());
    let finished = run_experiment(experiment, &options, &stop)?;
    say(
        args,
        &finished.dir,
        || finished.report.to_json(),
        || finished.report.to_text(),
    );
    if !args.json {
        out::say(&finished.measurement.cost());
    }
    Ok(status(finished.report.status))
}

/// Who sees the progress.
pub fn show(always: bool) -> Show {
    if always { Show::Always } else { Show::Terminal }
}

fn out_dir(args: &RunArgs, name: &str) -> PathBuf {
    args.out.clone().unwrap_or_else(|| default_out(name))
}

fn say(args: &RunArgs, dir: &Path, json: impl Fn() -> Value, text: impl Fn() -> String) {
    let report = dir.join("report.html").display().to_string();
    if args.json {
        let mut json = json();
        json["result"] = dir.display().to_string().into();
        json["report"] = report.into();
        out::say_json(&json);
    } else {
        out::say(&text());
        out::say(&format!("\nreport: {report}\nresult: {}\n", dir.display()));
    }
}

fn status(status: Status) -> u8 {
    match status {
        Status::Complete => 0,
        Status::Partial => 130,
    }
}

/// `--seed` and `--seeds` are two more values to change.
fn sets(args: &RunArgs) -> Vec<String> {
    let mut sets = args.sets.clone();
    sets.extend(args.seed.map(|n| format!("seeds={n}")));
    sets.extend(args.seeds.as_ref().map(|s| format!("seeds={s}")));
    sets
}

/// Where finished runs are kept.
pub fn cache(asked: &Option<PathBuf>) -> PathBuf {
    asked.clone().unwrap_or_else(|| "results/.cache".into())
}

/// Threads: as asked, or one per core.
pub fn jobs(asked: Option<usize>) -> Result<usize, Failure> {
    match asked {
        Some(0) => Err(Failure::input("--jobs: expected at least 1, got 0")),
        Some(n) => Ok(n),
        None => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
    }
}

/// `results/NAME-TIME`, with a number behind it when it is taken.
pub fn default_out(name: &str) -> PathBuf {
    let base = format!("results/{name}-{}", when::compact(when::now_s()));
    let names = (2..).map(|n| format!("{base}-{n}"));
    let mut free = std::iter::once(base.clone())
        .chain(names)
        .map(PathBuf::from);
    free.find(|p| !p.exists()).expect("some number is free")
}
