//! `sidestep testbed run`

use super::args::RunArgs;
use super::keep::keeps_all;
use crate::failure::{Failure, Outcome};
use crate::{out, run, stop};
use sidestep_testbed::run::RunOutputs;
use sidestep_testbed::session::Session;
use std::sync::atomic::Ordering;

/// Runs the seeds one after the other and writes the result directory.
pub fn run(args: &RunArgs) -> Outcome {
    let seeds = match (args.queries, &args.seeds) {
        (Some(0), _) => return Err(Failure::input("--queries: expected at least 1, got 0")),
        (Some(n), _) => Some(format!("1..{n}")),
        (None, seeds) => seeds.clone(),
    };
    keeps_all(args.keep_stalled);
    let session = Session::open(&args.name, seeds.as_deref()).map_err(|error| {
        let option = if args.queries.is_some() {
            "--queries"
        } else {
            "--seeds"
        };
        Failure::from(error).of_seeds(option, seeds.as_deref().unwrap_or_default())
    })?;
    let out = args.out.clone();
    let out = out.unwrap_or_else(|| run::default_out(session.scenario()));
    let stop = stop::on_interrupt(out.clone());
    let how = RunOutputs {
        record: args.record,
        kernel_stats: args.kernel_stats,
    };
    let recorded = session.record(&out, how, &stop)?;
    if args.json {
        out::say_json(&recorded.to_json());
    } else {
        out::say(&recorded.to_text(args.all));
    }
    Ok(match recorded.is_complete() {
        true => 0,
        false if stop.load(Ordering::Relaxed) => 130,
        false => 1,
    })
}
