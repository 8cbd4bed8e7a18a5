//! Tests of switches that end during a run.

use crate::common::{own_name, skip, until};
use crate::needs_namespaces;
use serde_json::Value;
use sidestep_softswitch::trial::itself;
use sidestep_study::MeasureOptions;
use sidestep_study::progress::Show;
use sidestep_testbed::beside::{Ask, beside};
use sidestep_testbed::network::down::down;
use sidestep_testbed::network::status::{TestbedStatus, status};
use sidestep_testbed::network::switches::Engine;
use sidestep_testbed::order::Order;
use sidestep_testbed::run::RunOutputs;
use sidestep_testbed::session::Session;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Entry point of the switch process; not a test itself.
#[test]
fn this_program_as_a_switch() {
    itself::switch();
}

/// Returns the engine that runs this program as the testbed's switches.
fn engine() -> Engine {
    let words = itself::words("ended::this_program_as_a_switch").map(String::from);
    Engine::Switch(std::env::current_exe().unwrap(), words.to_vec())
}

/// Testbed of a shipped scenario, removed when this is dropped.
struct Bed(String);

impl Bed {
    /// Builds the testbed; skips with the reason and returns `None` if the machine lacks a requirement.
    fn up(name: &str) -> Option<Bed> {
        let order = Order {
            scenario: "quickstart".into(),
            scheme: "dibs".into(),
            sets: Vec::new(),
            quick: false,
            rate: sidestep_testbed::RATE.into(),
            name: own_name(name),
        };
        let bed = Bed(order.name.clone());
        match order.build(&engine(), &AtomicBool::new(false)) {
            Ok(_) => Some(bed),
            Err(sidestep_testbed::Error::Input(why)) => {
                skip(&format!("skipped: {why}"));
                None
            }
            Err(why) => panic!("{why}"),
        }
    }

    /// Kills the first switch; returns its name.
    fn kill(&self) -> String {
        kill(&status(&self.0).unwrap().expect("it is up"))
    }

    /// Runs these seeds into `out`, which must fail; returns the error's text.
    fn run(&self, seeds: &str, out: &Path) -> String {
        let session = Session::open(&Some(self.0.clone()), Some(seeds)).unwrap();
        let stop = AtomicBool::new(false);
        let how = RunOutputs {
            record: true,
            ..RunOutputs::default()
        };
        match session.record(out, how, &stop) {
            Ok(_) => panic!("a switch is dead"),
            Err(why) => why.to_string(),
        }
    }
}

/// Kills the first switch of a testbed; returns its name.
fn kill(standing: &TestbedStatus) -> String {
    let pid = standing.processes[0][0];
    // SAFETY: a plain call; the switch runs, so the process number is valid.
    assert_eq!(unsafe { libc::kill(pid, libc::SIGKILL) }, 0);
    standing.state.blueprint.switches[0].name.clone()
}

impl Drop for Bed {
    fn drop(&mut self) {
        if let Err(e) = down(&self.0, true) {
            eprintln!("{e}");
        }
    }
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn a_switch_that_is_killed_during_a_run_is_named_and_what_was_kept_before_is_written() {
    needs_namespaces!();
    let Some(bed) = Bed::up("dead") else { return };
    let room = tempfile::tempdir().unwrap();
    let out = room.path().join("r");
    // A recording is written at the end of its run, into a folder that is renamed when all runs are over.
    let hidden = format!(".r.partial-{}/recordings", std::process::id());
    let recordings = room.path().join(hidden);
    let recorded = || std::fs::read_dir(&recordings).is_ok_and(|all| all.count() > 0);
    let (killed, said) = std::thread::scope(|scope| {
        let killing = scope.spawn(|| {
            until("a run is over", recorded);
            bed.kill()
        });
        let said = bed.run("1..500", &out);
        (killing.join().unwrap(), said)
    });
    let named = format!("switch {killed} was killed by signal 9 (SIGKILL)");
    assert!(said.starts_with(&named), "{said}");
    let place = format!("of 500 runs completed before that are in {}", out.display());
    assert!(said.contains("s0.log") && said.ends_with(&place), "{said}");
    let manifest = json(&out.join("manifest.json"));
    assert_eq!(manifest["status"], "partial");
    let runs = manifest["runs"].as_array().unwrap();
    assert_eq!((runs.len(), &runs[499]["status"]), (500, &"not run".into()));
    assert_ne!(runs[0]["status"], "not run", "{}", runs[0]);
    let warnings = json(&out.join("summary.json"))["warnings"].to_string();
    assert!(warnings.contains(&named), "why it is partial: {warnings}");
    // Without a finished run there is nothing to write.
    let none = room.path().join("n");
    let said = bed.run("1", &none);
    assert!(said.starts_with(&named), "{said}");
    assert!(said.ends_with("and nothing is written"), "{said}");
    assert!(!none.exists());
}

#[test]
fn a_figure_whose_switch_is_killed_is_reported_as_far_as_it_came() {
    needs_namespaces!();
    let room = tempfile::tempdir().unwrap();
    let out = room.path().join("r");
    let engine = engine();
    let ask = Ask {
        figure: "dibs/fig06",
        quick: true,
        rate: sidestep_testbed::RATE,
        engine: &engine,
        out: &out,
        measure: MeasureOptions {
            jobs: 2,
            cache: None,
            show: Show::Never,
        },
    };
    // The testbed of the second scheme: all runs of the first were kept.
    let name = format!("reproduce-{}", std::process::id());
    let second = || {
        let standing = status(&name).ok()??;
        let is = standing.state.complete && standing.state.note["scheme"] == "droptail";
        is.then_some(standing)
    };
    let (killed, said) = std::thread::scope(|scope| {
        let killing = scope.spawn(|| {
            until("the second scheme's testbed is up", || second().is_some());
            kill(&second().expect("it is up"))
        });
        let said = match beside(&ask, &AtomicBool::new(false)) {
            Ok(_) => panic!("a switch is dead"),
            Err(why) => why.to_string(),
        };
        (killing.join().unwrap(), said)
    });
    let named = format!("switch {killed} was killed by signal 9 (SIGKILL)");
    assert!(said.starts_with(&named), "{said}");
    let place = format!(
        "of 60 runs of the testbed completed before that are in {}",
        out.display()
    );
    assert!(said.ends_with(&place), "{said}");
    let report = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(
        report.contains(&format!("testbed, scheme droptail: {named}")),
        "why it is partial"
    );
    assert!(report.contains("Partial: "), "that it is");
    assert!(status(&name).unwrap().is_none(), "it was taken down");
}
