//! `sidestep reproduce PAPER/FIGURE --testbed`: real packets beside the simulator.
//!
//! Runs three arms of one experiment: the simulator with the file's settings, the simulator with the settings
//! that the kernel's TCP imposes, and the testbed. Claims are checked against the testbed.

mod forecast;

pub use forecast::{FigureForecast, forecast};

use crate::counted::{Counted, NOTE};
use crate::error::Error;
use crate::log::{Log, kernel_text};
use crate::network::changes::check_engine;
use crate::network::down::down;
use crate::network::features;
use crate::network::hosts::differences;
use crate::network::lock::occupy;
use crate::network::state::State;
use crate::network::switches::{self, Engine};
use crate::network::tools;
use crate::order::{Order, check_kernel};
use crate::progress::Progress;
use crate::run::{RunOutputs, each};
use crate::scale::Scale;
use crate::setup::{TestbedSetup, has_sack};
use serde_json::{Map, Value, json};
use sidestep_lab::{Experiment, Record, Scenario};
use sidestep_study::files;
use sidestep_study::reproduce::arms::{Arm, side_by_side};
use sidestep_study::reproduce::library::ExperimentLibrary;
use sidestep_study::reproduce::run::{Finished, publish};
use sidestep_study::reproduce::{FigureResult, Reproduction};
use sidestep_study::{MeasureOptions, Status, measure_experiments};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Settings that Linux imposes on any scenario, as far as the simulator has them.
const KERNEL: [&str; 5] = [
    "profile=linux",
    "transport.rto_estimator=linux",
    "transport.reduction=prr",
    "transport.handshake=false",
    "transport.measured_round_trip=20us",
];

/// Returns [`KERNEL`] and, for each scheme of `scenario`, the settings that depend on whether the testbed
/// enables SACK for it. With SACK, losses are detected by time, and short timers get 2 ms of this machine more,
/// scaled by `scale`.
fn kernel(scenario: &Scenario, scale: Scale) -> Vec<String> {
    let mut sets = KERNEL.map(String::from).to_vec();
    let margin = format!("timer_margin={}ns", scale.there(2_000_000).as_ns());
    for scheme in scenario.schemes.iter() {
        let sack = has_sack(&scheme.config);
        let own = match sack {
            true => ["recovery=sack", "fast_retransmit_rule=fixed", &margin],
            false => [
                "recovery=newreno",
                "limited_transmit=true",
                "loss_detection=duplicates",
            ],
        };
        sets.extend(own.map(|set| format!("scheme.{}.transport.{set}", scheme.name)));
    }
    sets
}

/// Returns the name of this command's testbeds, unique to the process, so that two commands can run side by
/// side.
fn name() -> String {
    format!("reproduce-{}", std::process::id())
}

/// Options of a reproduction on the testbed.
pub struct Ask<'a> {
    /// The figure, as `PAPER/FIGURE`.
    pub figure: &'a str,
    /// True if `[quick]` applies.
    pub quick: bool,
    /// Emulated rate of the first host's link.
    pub rate: &'a str,
    /// Engine that forwards frames.
    pub engine: &'a Engine,
    /// Result directory, which must not exist yet.
    pub out: &'a Path,
    /// Threads, cache and progress of the simulator's arms.
    pub measure: MeasureOptions<'a>,
}

/// Runs one figure three ways and writes the report; the exit status is that of the report.
///
/// If a switch dies or the machine refuses a step, the report covers the runs kept until then and states the
/// reason. The error states the same reason, and the path of the report.
pub fn beside(ask: &Ask<'_>, stop: &AtomicBool) -> Result<(Finished, u8), Error> {
    let Planned {
        paper,
        asked,
        experiment,
        told,
        scenes,
    } = planned(ask.figure, ask.quick, ask.rate)?;
    let scale = scenes[0].1.scale;
    for (_, setup) in &scenes {
        check_engine(ask.engine.name(), &setup.changes)?;
    }
    check_kernel(ask.engine, scenes.iter().map(|(_, setup)| setup))?;
    tools::need()?;
    sidestep_study::refuse_occupied(ask.out)?;
    let mut arms = simulated(ask, [experiment, told], stop)?;
    let mut bed = run_all(&scenes, ask, stop)?;
    let ended = bed.ended.take();
    let kept = bed.records.len();
    let records = std::mem::take(&mut bed.records);
    let experiment = || Ok(files::experiment(&asked, &[], ask.quick)?);
    arms.extend(of_bed(records, bed.status, ask.engine, scale, experiment)?);
    let facts = facts(&scenes, ask.engine, &bed.kernel, &bed.logs);
    let mut figure = side_by_side(&paper, arms, facts);
    say_logs(&mut figure, &bed.logs, scale.factor());
    if let Some((scheme, why)) = &ended {
        let words = format!("testbed, scheme {scheme}: {why}");
        figure.experiment.notes.push(words);
    }
    let (finished, status) = finish(ask, figure, &scenes, &bed.logs)?;
    match ended {
        None => Ok((finished, status)),
        Some((_, why)) => Err(why.and(format_args!(
            "the {kept} of {} runs of the testbed completed before that are in {}",
            runs(&scenes),
            finished.dir.display()
        ))),
    }
}

/// Runs the arms of the simulator: with the file's settings, and with those of the kernel's TCP.
fn simulated(
    ask: &Ask<'_>,
    experiments: [Experiment; 2],
    stop: &AtomicBool,
) -> Result<Vec<Arm>, Error> {
    let both: Vec<&Experiment> = experiments.iter().collect();
    let measured = measure_experiments(&both, &ask.measure, stop)?;
    let told = format!(
        "with the settings that the kernel's TCP imposes: {}, and RACK for schemes with SACK",
        KERNEL.join(", ")
    );
    let names = [
        ("simulator", "with the settings of the file".into()),
        ("simulator as Linux", told),
    ];
    let arms = names.into_iter().zip(experiments).zip(measured);
    Ok(arms
        .map(|(((name, says), experiment), measured)| {
            let points = measured.results.points.into_iter();
            Arm {
                name: name.into(),
                says,
                experiment,
                records: points.flat_map(|point| point.records).collect(),
                status: measured.status,
            }
        })
        .collect())
}

/// Builds the arms of the testbed: all runs and, if only some were disturbed by the machine, the disturbed and
/// the undisturbed runs apart.
fn of_bed(
    records: Vec<Record>,
    status: Status,
    engine: &Engine,
    scale: Scale,
    experiment: impl Fn() -> Result<Experiment, Error>,
) -> Result<Vec<Arm>, Error> {
    let arm = |name: &str, says: String, records: Vec<Record>| {
        Ok::<_, Error>(Arm {
            name: name.into(),
            says,
            experiment: experiment()?,
            records,
            status,
        })
    };
    let mut arms = Vec::new();
    let (unmarked, marked): (Vec<Record>, Vec<Record>) =
        (records.iter().cloned()).partition(|record| record.marks.is_empty());
    if !marked.is_empty() && !unmarked.is_empty() {
        let (some, all) = (marked.len(), records.len());
        let says = format!("only the {some} of {all} runs that this machine disturbed");
        arms.push(arm(MARKED, says, marked)?);
        let says =
            format!("the testbed's runs without the {some} of {all} that this machine disturbed");
        arms.push(arm(UNMARKED, says, unmarked)?);
    }
    let switches = match engine {
        Engine::Ebpf(..) => "switches in the kernel (eBPF)",
        _ => "software switches",
    };
    let says = format!(
        "namespaces, {switches} and the kernel's TCP; links of {} emulate {}, measured times are \
         divided by {}",
        scale.bed,
        scale.model,
        scale.factor()
    );
    arms.push(arm("testbed", says, records)?);
    Ok(arms)
}

/// Adds the log of each scheme's runs to the figure: its counts beside the arms, its warnings to the notes.
fn say_logs(figure: &mut FigureResult, logs: &[(String, Log, Value)], factor: f64) {
    if let Some(beside) = &mut figure.beside {
        let rows = logs.iter();
        let rows = rows.map(|(scheme, log, _)| log.counted().row(scheme, factor));
        beside.count(Counted::head(), rows.collect(), NOTE.into());
    }
    for (scheme, log, _) in logs {
        let warnings = log.warnings().into_iter();
        let notes = warnings.map(|words| format!("testbed, scheme {scheme}: {words}"));
        figure.experiment.notes.extend(notes);
    }
}

/// Returns the number of runs on the testbed.
fn runs(scenes: &[(Order, TestbedSetup)]) -> usize {
    scenes.iter().map(|(_, s)| s.scenario.seeds.len()).sum()
}

/// Name of the arm with the testbed's marked runs.
const MARKED: &str = "testbed marked";

/// Name of the arm with the testbed's unmarked runs.
const UNMARKED: &str = "testbed unmarked";

/// Inputs of a reproduction, read before anything is run.
struct Planned {
    /// Paper of the figure.
    paper: String,
    /// Name of the experiment file to run.
    asked: String,
    experiment: Experiment,
    /// The experiment with the settings that the kernel's TCP imposes.
    told: Experiment,
    scenes: Vec<(Order, TestbedSetup)>,
}

fn planned(figure: &str, quick: bool, rate: &str) -> Result<Planned, Error> {
    let (paper, asked) = one_figure(figure)?;
    let read = |sets: &[String]| files::experiment(&asked, sets, quick);
    let experiment = read(&[])?;
    if experiment.is_sweep() {
        return Err(Error::Input(format!(
            "{asked}: --testbed runs figures without [sweep], got {} points; choose another figure",
            experiment.points.len()
        )));
    }
    let scenes = scenes(&asked, &experiment, rate)?;
    Ok(Planned {
        told: read(&kernel(&experiment.points[0].scenario, scenes[0].1.scale))?,
        scenes,
        experiment,
        paper,
        asked,
    })
}

/// Returns the paper of the requested figure, and the file to run: the file with the suffix [`SMALL`] if there
/// is one, whose network fits one machine, else the figure's file.
fn one_figure(asked: &str) -> Result<(String, String), Error> {
    let shelf = ExperimentLibrary::open(Path::new(""))?;
    let books = shelf.find((!asked.is_empty()).then_some(asked))?;
    match books[..] {
        [book] => {
            let small = format!("{}/{}{SMALL}", book.paper, book.name);
            let file = match shelf.find(Some(&small)) {
                Ok(_) => small,
                Err(_) => asked.to_string(),
            };
            Ok((book.paper.clone(), file))
        }
        _ => Err(Error::Input(format!(
            "--testbed runs one figure: expected PAPER/FIGURE like dibs/fig06, got {:?}",
            if asked.is_empty() {
                "all papers"
            } else {
                asked
            }
        ))),
    }
}

/// Suffix of a figure's variant for the testbed.
const SMALL: &str = "-testbed";

/// Reads each scheme as a testbed. All are read before any is built, so that a refusal costs nothing.
fn scenes(
    asked: &str,
    experiment: &Experiment,
    rate: &str,
) -> Result<Vec<(Order, TestbedSetup)>, Error> {
    let scenario = &experiment.points[0].scenario;
    let setup = |scheme: &str| {
        let order = Order {
            scenario: asked.into(),
            scheme: scheme.into(),
            sets: Vec::new(),
            quick: experiment.quick,
            rate: rate.into(),
            name: name(),
        };
        let seeds: Vec<String> = scenario.seeds.iter().map(u64::to_string).collect();
        let setup = order.read(Some(&format!("[{}]", seeds.join(","))))?;
        Ok((order, setup))
    };
    scenario.schemes.iter().map(|s| setup(&s.name)).collect()
}

/// Results of the testbed's runs.
struct Bed {
    records: Vec<Record>,
    status: Status,
    logs: Vec<(String, Log, Value)>,
    /// Kernel features under the last scheme, as lines of text.
    kernel: String,
    /// Scheme and error that ended the runs early, if any.
    ended: Option<(String, Error)>,
}

fn run_all(
    scenes: &[(Order, TestbedSetup)],
    ask: &Ask<'_>,
    stop: &AtomicBool,
) -> Result<Bed, Error> {
    let mut progress = Progress::of(runs(scenes), ask.measure.show);
    let mut bed = Bed {
        records: Vec::new(),
        status: Status::Complete,
        logs: Vec::new(),
        kernel: String::new(),
        ended: None,
    };
    for (order, setup) in scenes {
        if stop.load(Ordering::Relaxed) {
            bed.status = Status::Partial;
            break;
        }
        let ran = order.build(ask.engine, stop).and_then(|(state, _)| {
            let mut log = Log::of(&state);
            let ran = run_one(setup, &state, stop, &mut progress, &mut log, &mut bed);
            let json = log.to_json(setup, &state, order);
            bed.kernel = kernel_text(&state);
            bed.logs.push((order.scheme.clone(), log, json));
            let down = down(&order.name, false);
            ran.and(down)
        });
        if let Err(why) = ran {
            if bed.records.is_empty() {
                return Err(why.and("no run was completed before that, and nothing is written"));
            }
            bed.status = Status::Partial;
            bed.ended = Some((order.scheme.clone(), why));
            break;
        }
    }
    Ok(bed)
}

fn run_one(
    setup: &TestbedSetup,
    state: &State,
    stop: &AtomicBool,
    progress: &mut Progress<'_>,
    log: &mut Log,
    bed: &mut Bed,
) -> Result<(), Error> {
    let _busy = occupy(&setup.blueprint.name)?;
    each(
        setup,
        state,
        RunOutputs::default(),
        stop,
        log,
        |_, kept, _| {
            match kept.map(|kept| kept.run) {
                Some(run) if !run.interrupted => {
                    progress.add(run.outcome.totals.packet_hops);
                    bed.records.push(Record::of(&run));
                }
                _ => bed.status = Status::Partial,
            }
            Ok(())
        },
    )
}

/// Describes the testbed and its measured lateness, as pairs of name and text for the report.
fn facts(
    scenes: &[(Order, TestbedSetup)],
    engine: &Engine,
    kernel: &str,
    logs: &[(String, Log, Value)],
) -> Vec<(String, String)> {
    let kernel = kernel
        .lines()
        .filter_map(|line| line.trim().split_once(": "));
    let mut facts: Vec<(String, String)> = kernel
        .map(|(name, words)| (name.to_string(), words.to_string()))
        .collect();
    for (scheme, log, _) in logs {
        facts.push((format!("{scheme}: lateness"), log.late_text()));
    }
    let mut said: Vec<String> = switches::differences(engine.name());
    let rack = features::rack();
    for (_, setup) in scenes {
        let all = setup.differences.iter().cloned();
        for words in all.chain(differences(&setup.blueprint.settings, rack)) {
            if !said.contains(&words) {
                said.push(words);
            }
        }
    }
    facts.extend(
        said.into_iter()
            .map(|w| ("deviation of the testbed from the scenario".to_string(), w)),
    );
    facts
}

fn finish(
    ask: &Ask<'_>,
    figure: FigureResult,
    scenes: &[(Order, TestbedSetup)],
    logs: &[(String, Log, Value)],
) -> Result<(Finished, u8), Error> {
    let schemes: Map<String, Value> = logs
        .iter()
        .map(|(s, _, json)| (s.clone(), json.clone()))
        .collect();
    let manifest = json!({
        "sidestep": {"version": env!("CARGO_PKG_VERSION")},
        "testbed": {
            "scale": scenes[0].1.scale.factor(),
            "schemes": schemes,
        },
    });
    let all = Reproduction {
        asked: format!("{} on the testbed", ask.figure),
        quick: ask.quick,
        figures: vec![figure],
    };
    let finished = publish(all, &manifest, ask.out)?;
    let status = finished.reproduction.exit_status();
    Ok((finished, status))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sidestep_types::Time;

    /// The kernel uses RACK whenever it has SACK, regardless of the file.
    #[test]
    fn the_simulator_is_told_rack_where_the_kernel_has_sack() {
        let mut seen = [0, 0];
        for figure in ["dibs/fig06", "mulbuff/real-incast"] {
            let planned = planned(figure, true, "100 Mbps").unwrap_or_else(|why| panic!("{why}"));
            let of = |experiment: &Experiment| experiment.points[0].scenario.schemes.clone();
            let (asked, told) = (of(&planned.experiment), of(&planned.told));
            for (asked, told) in asked.iter().zip(told.iter()) {
                let sack = has_sack(&asked.config);
                let tcp = told.config.transport.each_tcp().expect("a TCP");
                let margin = tcp.rack.map(|rack| rack.margin);
                let expected = sack.then(|| planned.scenes[0].1.scale.there(2_000_000));
                assert_eq!(margin, expected, "{figure}: {}", told.name);
                assert_eq!(tcp.measured_round_trip, Some(Time::from_us(20)));
                seen[usize::from(sack)] += 1;
            }
        }
        assert!(seen[0] > 0 && seen[1] > 0, "{seen:?}");
    }
}
