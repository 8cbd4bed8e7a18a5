//! `sidestep reproduce`

use crate::args::ReproduceArgs;
use crate::failure::{Failure, Outcome};
use crate::{out, run, stop, testbed};
use serde_json::Value;
use sidestep_study::MeasureOptions;
use sidestep_study::lab::{Experiment, Problem};
use sidestep_study::memory;
use sidestep_study::reproduce::Reproduction;
use sidestep_study::reproduce::run::{Options, Order, reproduce as run_all};
use sidestep_study::reproduce::shelf::{Book, Shelf};
use sidestep_testbed::RATE;
use sidestep_testbed::beside::{self, Ask};
use std::path::Path;

/// Runs the figures that are asked for, and prints a line a claim, or the report as JSON.
pub fn reproduce(args: &ReproduceArgs) -> Outcome {
    if args.testbed {
        return beside(args);
    }
    let shelf = Shelf::open(Path::new(""))?;
    let books = shelf.find(args.what.as_deref())?;
    let orders = read(&shelf, &books, args.quick)?;
    let kept = run::cache(&args.cache);
    let asked = args.what.clone().unwrap_or_default();
    let asked = asked.trim_end_matches('/').to_string();
    let name = match asked.as_str() {
        "" => "reproduce".to_string(),
        asked => format!("reproduce-{}", asked.replace('/', "-")),
    };
    let jobs = run::jobs(args.jobs)?;
    if !args.force {
        let all: Vec<&Experiment> = orders.iter().map(|order| &order.experiment).collect();
        memory::refuse_together(&name, &all, jobs)?;
    }
    let out = args.out.clone().unwrap_or_else(|| run::default_out(&name));
    let options = Options {
        asked,
        quick: args.quick,
        out: &out,
        measure: MeasureOptions {
            jobs,
            cache: (!args.no_cache).then_some(kept.as_path()),
            show: run::show(args.progress),
        },
    };
    let stop = stop::on_interrupt(out.clone());
    let mut unheard = None;
    let mut told = None;
    // The verdicts, before anything is written: a full disk costs none of them.
    let mut tell = |all: &Reproduction| match args.json {
        true => told = Some(all.to_json()),
        false => unheard = out::try_say(&all.to_text()).err(),
    };
    let finished = run_all(orders, &options, &stop, &mut tell);
    if let Some(error) = &unheard {
        out::unheard(error);
    }
    let dir = finished
        .as_ref()
        .ok()
        .map(|finished| finished.dir.as_path());
    match (told, dir) {
        (Some(json), dir) => say_json(json, dir),
        (None, Some(dir)) => say_report(dir),
        (None, None) => {}
    }
    Ok(finished?.reproduction.exit_status())
}

/// Runs one figure over the testbed as well.
fn beside(args: &ReproduceArgs) -> Outcome {
    let asked = args.what.as_deref().unwrap_or_default();
    let asked = asked.trim_end_matches('/');
    let kept = run::cache(&args.cache);
    let name = format!("reproduce-{}-testbed", asked.replace('/', "-"));
    let out = args.out.clone().unwrap_or_else(|| run::default_out(&name));
    let ask = Ask {
        figure: asked,
        quick: args.quick,
        rate: args.rate.as_deref().unwrap_or(RATE),
        engine: &testbed::engine(false)?,
        out: &out,
        keep: testbed::keep(args.keep_stalled),
        measure: MeasureOptions {
            jobs: run::jobs(args.jobs)?,
            cache: (!args.no_cache).then_some(kept.as_path()),
            show: run::show(args.progress),
        },
    };
    let stop = testbed::interrupted();
    let (finished, status) = beside::beside(&ask, &stop)?;
    say(&finished.reproduction, &finished.dir, args.json);
    Ok(status)
}

/// Prints a report that was written to `dir`.
fn say(all: &Reproduction, dir: &Path, json: bool) {
    if json {
        say_json(all.to_json(), Some(dir));
    } else {
        out::say(&all.to_text());
        say_report(dir);
    }
}

/// Prints the report as JSON, and where its files are, if they could be written.
fn say_json(mut json: Value, dir: Option<&Path>) {
    json["result"] = dir.map(|dir| dir.display().to_string()).into();
    out::say_json(&json);
}

fn say_report(dir: &Path) {
    let report = dir.join("report.html");
    out::say(&format!("\nreport: {}\n", report.display()));
}

/// Reads all experiments; what is wrong with any of them is said before anything runs.
fn read(shelf: &Shelf, books: &[&Book], quick: bool) -> Result<Vec<Order>, Failure> {
    let mut wrong = Vec::new();
    let mut orders = Vec::new();
    for book in books {
        let file = match &book.file {
            Some(path) => path.display().to_string(),
            None => format!("{}/{}.toml", book.paper, book.name),
        };
        match Experiment::read(&file, &book.text, &[], quick, &shelf.beside(book)) {
            Ok(experiment) => orders.push(Order {
                paper: book.paper.clone(),
                experiment,
            }),
            Err(problems) => wrong.extend(problems.iter().map(Problem::to_string)),
        }
    }
    match wrong.is_empty() {
        true => Ok(orders),
        false => Err(Failure::input(wrong.join("\n"))),
    }
}
