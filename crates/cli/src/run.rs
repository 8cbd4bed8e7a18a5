//! `sidestep run`

use crate::args::RunArgs;
use crate::{Failure, Outcome, files, out, stop};
use sidestep_study::progress::Show;
use sidestep_study::{Options, Status, TraceFilter, run_all, trace, when};
use std::path::PathBuf;

/// Runs a scenario and prints its table, or its summary as JSON.
pub fn run(args: &RunArgs) -> Outcome {
    let scenario = files::scenario(&args.scenario, &sets(args))?;
    let filter = match &args.trace_packets {
        None => TraceFilter::None,
        Some(text) => trace::parse_filter(text).map_err(Failure::input)?,
    };
    let jobs = jobs(args.jobs)?;
    let out = args
        .out
        .clone()
        .unwrap_or_else(|| default_out(&scenario.name));
    let show = if args.progress {
        Show::Always
    } else {
        Show::Terminal
    };
    let options = Options {
        out: &out,
        jobs,
        trace: filter,
        show,
    };
    let stop = stop::on_interrupt(out.clone());
    let finished = run_all(&scenario, &options, &stop)?;
    if args.json {
        let mut json = finished.report.to_json();
        json["result"] = finished.dir.display().to_string().into();
        out::say_json(&json);
    } else {
        out::say(&finished.report.to_text());
        out::say(&format!("\nresult: {}\n", finished.dir.display()));
    }
    Ok(match finished.report.status {
        Status::Complete => 0,
        Status::Partial => 130,
    })
}

/// `--seed` and `--seeds` are two more values to change.
fn sets(args: &RunArgs) -> Vec<String> {
    let mut sets = args.sets.clone();
    sets.extend(args.seed.map(|n| format!("seeds={n}")));
    sets.extend(args.seeds.as_ref().map(|s| format!("seeds={s}")));
    sets
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
