//! `sidestep check`

use crate::args::CheckArgs;
use crate::failure::{Failure, Outcome};
use crate::{out, run};
use serde_json::{Value, json};
use sidestep_lab::{
    Estimate, Experiment, FULL_HOPS_A_SECOND, HOPS_A_SECOND, LoadReport, Scenario, Setting,
};
use sidestep_study::check::{problems_json, to_json};
use sidestep_study::format::{Grid, count, counted, number, wrap};
use sidestep_study::progress::clock;
use sidestep_study::{files, memory};
use std::collections::{HashMap, HashSet};

/// Explains each scenario. A wrong one does not prevent the others from being checked.
pub fn check(args: &CheckArgs) -> Outcome {
    let mut wrong = Vec::new();
    let mut answers = Vec::new();
    let jobs = run::jobs(args.jobs)?;
    for name in &args.scenarios {
        match files::experiment(name, &args.sets, args.quick) {
            Ok(experiment) => {
                match args.json {
                    true => answers.push(to_json(&experiment, jobs)),
                    false => out::say(&to_text(&experiment, jobs, args.brief)),
                }
                let fits = memory::refuse(&experiment, jobs, 1);
                wrong.extend(fits.err().map(|error| (name, error)));
            }
            Err(error) => wrong.push((name, error)),
        }
    }
    // A scenario refused for its size is listed with its estimate as well.
    if args.json {
        let problems: Vec<Value> = {
            let each = wrong.iter();
            each.flat_map(|(name, error)| problems_json(name, error))
                .collect()
        };
        out::say_json(&json!({"scenarios": answers, "problems": problems}));
    }
    let lines: Vec<String> = wrong.iter().map(|(_, error)| error.to_string()).collect();
    match lines.is_empty() {
        true => Ok(0),
        false => Err(Failure::input(lines.join("\n"))),
    }
}

fn to_text(experiment: &Experiment, jobs: usize, brief: bool) -> String {
    let scenario = &experiment.points[0].scenario;
    let mut text = scenario.name.clone();
    if !scenario.title.is_empty() {
        text.push_str(&format!(": {}", scenario.title));
    }
    let network = &scenario.network;
    text.push_str(&format!(
        "\n{}, {}, {}\n\n",
        counted(network.hosts.into(), "host"),
        counted(network.switches.len() as u64, "switch"),
        counted(network.cables.len() as u64, "cable")
    ));
    if experiment.is_sweep() {
        text.push_str(&sweep_text(experiment));
    }
    let settings = settings_text(scenario, brief);
    // In the order of the questions about a network: how full it is, what to distrust, what it costs.
    let mut load = load_text(scenario);
    for note in &experiment.notes {
        load.push_str(&format!("\nnote: {note}\n"));
    }
    for warning in experiment.warnings() {
        load.push_str(&format!("\nwarning: {warning}\n"));
    }
    load.push_str(&estimate_text(&experiment.estimate(), jobs));
    let (first, second) = match brief {
        true => (load, settings),
        false => (settings, load),
    };
    text.push_str(&format!("{first}\n{second}"));
    text
}

/// Describes the estimated time and memory of the runs, computed from the offered load.
fn estimate_text(estimate: &Estimate, jobs: usize) -> String {
    let free = match memory::free() {
        Some(free) => format!("; {} are free", memory::size(free as f64)),
        None => String::new(),
    };
    let about = |n: f64| match n {
        n if n < 1e6 => count(n.round() as u64),
        n => format!("{} M", number(n / 1e6)),
    };
    let flows = match estimate.flows.round() {
        1.0 => "1 flow".to_string(),
        _ => format!("{} flows", about(estimate.flows)),
    };
    format!(
        "\nestimate from the offered load, drops and detours of bursts included\n  \
         a run       about {flows} and {} packet-hops (as many events)\n  \
         all {:<8}about {} of processor time at {} M packet-hops per second, {} at {} M (long queues)\n  \
         memory      about {} with {} at a time{free}\n",
        about(estimate.hops),
        estimate.runs,
        clock(estimate.cpu_s()),
        number(HOPS_A_SECOND / 1e6),
        clock(estimate.most_cpu_s()),
        number(FULL_HOPS_A_SECOND / 1e6),
        memory::size(estimate.bytes(jobs)),
        jobs.min(estimate.runs),
    )
}

/// Describes the axes of a sweep, and the number of runs.
fn sweep_text(experiment: &Experiment) -> String {
    let mut text = "swept\n".to_string();
    for axis in &experiment.axes {
        let values = wrap(&axis.values.join(", "), 70);
        text.push_str(&format!("  {}\n", axis.name));
        values
            .iter()
            .for_each(|line| text.push_str(&format!("      {line}\n")));
    }
    let (points, runs) = (experiment.points.len(), experiment.runs());
    let first = &experiment.points[0];
    let (schemes, seeds) = (first.scenario.schemes.len(), first.scenario.seeds.len());
    text.push_str(&format!(
        "  {} x {} x {} = {}\n\n\
         values and load at the first point: {}\n\n",
        counted(points as u64, "point"),
        counted(schemes as u64, "scheme"),
        counted(seeds as u64, "seed"),
        counted(runs as u64, "run"),
        first.at.join(", ")
    ));
    text
}

/// Formats key, value and source in columns: first the settings common to all schemes, then those of each
/// scheme under its name. With `brief` only assumed values.
fn settings_text(scenario: &Scenario, brief: bool) -> String {
    let mut grid = Grid::default();
    // The title is printed above.
    let told = scenario.settings().iter().filter(|s| s.key != "title");
    let told = told.filter(|s| !brief || s.is_assumed());
    let mut alike: HashMap<[&str; 3], HashSet<&str>> = HashMap::new();
    for s in told.clone() {
        alike
            .entry(words(s))
            .or_default()
            .extend(s.scheme.as_deref());
    }
    let count = scenario.schemes.len();
    let is_alike = |s: &Setting| count > 1 && alike[&words(s)].len() == count;
    let first = scenario.schemes.first().map(|scheme| scheme.name.as_str());
    grid.heading(match brief {
        true => "assumed values: no paper and no standard gives them",
        false => "all schemes",
    });
    for s in told.clone().filter(|s| s.scheme.is_none()) {
        row(&mut grid, s);
    }
    let of_first = told.clone().filter(|s| s.scheme.as_deref() == first);
    for s in of_first.filter(|s| is_alike(s)) {
        row(&mut grid, s);
    }
    for scheme in scenario.schemes.iter() {
        let name = &scheme.name;
        let over = match scheme.changed {
            true => format!(
                " (shipped scheme with the changes of [scheme.{name}]; source \"scheme {name}\" \
                 below means the shipped one)"
            ),
            false => String::new(),
        };
        let own = told.clone().filter(|s| s.scheme.as_ref() == Some(name));
        if brief && !own.clone().any(|s| !is_alike(s)) {
            continue;
        }
        grid.heading(&format!("\nscheme {name}: {}{over}", scheme.summary));
        for s in own.filter(|s| !is_alike(s)) {
            row(&mut grid, s);
        }
    }
    grid.render(&[1, 2])
}

fn row(grid: &mut Grid, setting: &Setting) {
    let mut source = wrap(&setting.source, SOURCE_WIDTH).into_iter();
    let first = source.next().unwrap_or_default();
    let (key, value) = (format!("  {}", setting.key), setting.value.clone());
    grid.row([key, value, first]);
    source.for_each(|line| grid.row([String::new(), String::new(), line]));
}

/// Returns a setting without its scheme.
fn words(setting: &Setting) -> [&str; 3] {
    [&setting.key, &setting.value, &setting.source]
}

/// Width at which a source is wrapped.
const SOURCE_WIDTH: usize = 54;

fn load_text(scenario: &Scenario) -> String {
    let load = scenario.load();
    let mut text = format!(
        "offered load; all hosts' links together carry {} Gbps in one direction\n",
        number(load.capacity_bps / 1e9)
    );
    text.push_str(&format!(
        "  {:<15} {:>11} {:>11} {:>15} {:>13} {:>9}\n",
        "class", "flows/s", "queries/s", "payload Gbps", "wire Gbps", "share"
    ));
    for c in load.classes.iter().chain([&load.sum]) {
        text.push_str(&format!(
            "  {:<15} {:>11.1} {:>11.1} {:>15.4} {:>13.4} {:>8.2} %\n",
            c.name,
            c.flows_per_s,
            c.queries_per_s,
            c.payload_bps / 1e9,
            c.wire_bps / 1e9,
            c.share * 100.0
        ));
        for note in &c.notes {
            text.push_str(&format!("      {note}\n"));
        }
    }
    for note in &load.notes {
        text.push_str(&format!("  note: {note}\n"));
    }
    text.push_str(&fabric_text(&load));
    text
}

/// Formats each load as a share of hosts' links and of the links above their switches, if there are any.
fn fabric_text(load: &LoadReport) -> String {
    let Some(fabric) = &load.fabric else {
        return String::new();
    };
    let mut text = format!(
        "\nshares of the hosts' links, and of the {} Gbps that the links from {} carry in one \
         direction\n",
        number(fabric.bps as f64 / 1e9),
        fabric.name
    );
    text.push_str(&format!(
        "  {:<15} {:>15} {:>13} {:>19} {:>13}\n",
        "class", "payload/hosts", "wire/hosts", "payload/fabric", "wire/fabric"
    ));
    for c in load.classes.iter().chain([&load.sum]) {
        let shares = [c.payload_share, c.share].map(|share| share * 100.0);
        let of_fabric = [c.fabric_payload_share, c.fabric_share];
        let of_fabric = of_fabric.map(|share| share.unwrap_or_default() * 100.0);
        text.push_str(&format!(
            "  {:<15} {:>13.2} % {:>11.2} % {:>17.2} % {:>11.2} %\n",
            c.name, shares[0], shares[1], of_fabric[0], of_fabric[1]
        ));
    }
    text
}
