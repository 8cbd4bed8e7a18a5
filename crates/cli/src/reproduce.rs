//! `sidestep reproduce`

use crate::args::ReproduceArgs;
use crate::failure::{Failure, Outcome};
use crate::run::PrintedResults;
use crate::values::Datapath;
use crate::{out, run, stop, testbed};
use sidestep_lab::Experiment;
use sidestep_study::MeasureOptions;
use sidestep_study::memory;
use sidestep_study::reproduce::Reproduction;
use sidestep_study::reproduce::library::ExperimentLibrary;
use sidestep_study::reproduce::long::takes_hours;
use sidestep_study::reproduce::run::{Options, Order, orders, reproduce as run_all};
use sidestep_study::sweep::Forecast;
use sidestep_testbed::RATE;
use sidestep_testbed::beside::{self, Ask};
use std::path::{Path, PathBuf};

/// Runs the requested figures, and prints a line for each claim, or the report as JSON.
pub fn reproduce(args: &ReproduceArgs) -> Outcome {
    if args.testbed && args.dry_run {
        return dry_run_beside(args);
    }
    if args.testbed {
        return beside(args);
    }
    let shelf = ExperimentLibrary::open(Path::new(""))?;
    let books = shelf.find(args.what.as_deref())?;
    for line in shelf.instead_of_shipped(&books) {
        out::remark(&line);
    }
    let orders = unless_long(orders(&shelf, &books, args.quick)?, args.what.is_some());
    let kept = cache(args)?;
    let asked = args.what.clone().unwrap_or_default();
    let asked = asked.trim_end_matches('/').to_string();
    let name = match asked.as_str() {
        "" => "reproduce".to_string(),
        asked => format!("reproduce-{}", asked.replace('/', "-")),
    };
    let out = args.out.clone().unwrap_or_else(|| run::default_out(&name));
    let options = Options {
        asked,
        quick: args.quick,
        out: &out,
        measure: MeasureOptions {
            jobs: run::jobs(args.jobs)?,
            cache: (!args.no_cache).then_some(kept.as_path()),
            show: run::show(args.progress),
        },
    };
    if args.dry_run {
        return dry_run(args, &orders, &options.measure);
    }
    if !args.force {
        let experiments: Vec<&Experiment> = orders.iter().map(|o| &o.experiment).collect();
        memory::refuse_all(&name, &experiments, options.measure.jobs)?;
    }
    let measure = &options.measure;
    if let Some(long) = Forecast::of_long(&named(&orders), measure.cache, measure.jobs)? {
        out::remark(&long.to_text());
    }
    let stop = stop::on_interrupt(out.clone());
    let mut told = PrintedResults::default();
    let mut tell = |all: &Reproduction| {
        told = PrintedResults::of(args.json, || all.to_json(), || all.to_text());
    };
    let finished = run_all(orders, &options, &stop, &mut tell);
    end(told, finished.as_ref().ok().map(|f| f.dir.as_path()));
    Ok(finished?.reproduction.exit_status())
}

/// Returns the folder of finished runs.
fn cache(args: &ReproduceArgs) -> Result<PathBuf, Failure> {
    run::cache(
        args.cache.as_deref(),
        "a URL needs an executor, which only `sidestep run` supports",
    )
}

/// Leaves out figures that take hours, unless `named`, and reports that.
fn unless_long(mut orders: Vec<Order>, named: bool) -> Vec<Order> {
    if named {
        return orders;
    }
    let mut left_out = Vec::new();
    orders.retain(|order| {
        let long = takes_hours(&order.experiment);
        if long {
            left_out.push(format!("{}/{}", order.paper, order.experiment.name));
        }
        !long
    });
    if !left_out.is_empty() {
        out::remark(&format!(
            "left out, since each takes hours: {}; name a figure or its paper to run it",
            left_out.join(", ")
        ));
    }
    orders
}

/// Prints how long the runs would take.
fn dry_run(args: &ReproduceArgs, orders: &[Order], measure: &MeasureOptions<'_>) -> Outcome {
    let forecast = Forecast::of(&named(orders), measure.cache, measure.jobs)?;
    match args.json {
        true => out::say_json(&forecast.to_json()),
        false => out::say(&forecast.to_text()),
    }
    Ok(0)
}

/// Prints how long a figure would take with the testbed as well; needs no root.
fn dry_run_beside(args: &ReproduceArgs) -> Outcome {
    let asked = args.what.as_deref().unwrap_or_default();
    let asked = asked.trim_end_matches('/');
    let kept = cache(args)?;
    let measure = MeasureOptions {
        jobs: run::jobs(args.jobs)?,
        cache: (!args.no_cache).then_some(kept.as_path()),
        show: run::show(false),
    };
    let rate = args.rate.as_deref().unwrap_or(RATE);
    let forecast = beside::forecast(asked, args.quick, rate, &measure)?;
    match args.json {
        true => out::say_json(&forecast.to_json()),
        false => out::say(&forecast.to_text()),
    }
    Ok(0)
}

/// Returns each figure's experiment with its name, `PAPER/FIGURE`.
fn named(orders: &[Order]) -> Vec<(String, &Experiment)> {
    let name = |order: &Order| format!("{}/{}", order.paper, order.experiment.name);
    orders
        .iter()
        .map(|order| (name(order), &order.experiment))
        .collect()
}

/// Runs one figure on the testbed as well.
fn beside(args: &ReproduceArgs) -> Outcome {
    testbed::keeps_all(args.keep_stalled);
    let asked = args.what.as_deref().unwrap_or_default();
    let asked = asked.trim_end_matches('/');
    let kept = cache(args)?;
    let name = format!("reproduce-{}-testbed", asked.replace('/', "-"));
    let out = args.out.clone().unwrap_or_else(|| run::default_out(&name));
    let ask = Ask {
        figure: asked,
        quick: args.quick,
        rate: args.rate.as_deref().unwrap_or(RATE),
        engine: &testbed::engine(false, args.datapath.unwrap_or(Datapath::Packet))?,
        out: &out,
        measure: MeasureOptions {
            jobs: run::jobs(args.jobs)?,
            cache: (!args.no_cache).then_some(kept.as_path()),
            show: run::show(args.progress),
        },
    };
    let stop = testbed::interrupted();
    let (finished, status) = beside::beside(&ask, &stop)?;
    let all = &finished.reproduction;
    let told = PrintedResults::of(args.json, || all.to_json(), || all.to_text());
    end(told, Some(&finished.dir));
    Ok(status)
}

/// Prints the path of the report, if it was written.
fn end(told: PrintedResults, dir: Option<&Path>) {
    if let Some(mut json) = told.heard() {
        json["result"] = dir.map(|dir| dir.display().to_string()).into();
        out::say_json(&json);
    } else if let Some(dir) = dir {
        let report = dir.join("report.html");
        out::say(&format!("\nreport: {}\n", report.display()));
    }
}
