//! The seeds of a scenario on a testbed that stands, one after the other.

use crate::error::Error;
use crate::log::{ATTEMPTS, LATEST_START_NS, Log, handed_late};
use crate::network::state::State;
use crate::network::switches;
use crate::scene::Scene;
use crate::{job, outcome, seen, traffic};
use sidestep_study::lab::Run;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Between two runs: resets of the last one's connections arrive.
const BREATH: Duration = Duration::from_millis(50);

/// The longest that a switch may go on sending what is left of a run.
const PATIENCE: Duration = Duration::from_secs(30);

/// Runs the seeds of the scenario one after the other on a testbed that stands and is occupied.
///
/// `done` gets each seed with its run, `None` when it was given up or not begun, and the seconds it took.
pub fn each(
    scene: &Scene,
    state: &State,
    stop: &AtomicBool,
    log: &mut Log,
    mut done: impl FnMut(u64, Option<Run>, f64) -> Result<(), Error>,
) -> Result<(), Error> {
    for &seed in &scene.scenario.seeds {
        let began = Instant::now();
        let run = one(scene, state, seed, stop, log)?;
        done(seed, run, began.elapsed().as_secs_f64())?;
    }
    Ok(())
}

/// One seed, again until no switch stalled; `None` when it was given up or stopped before it began.
fn one(
    scene: &Scene,
    state: &State,
    seed: u64,
    stop: &AtomicBool,
    log: &mut Log,
) -> Result<Option<Run>, Error> {
    let plan = scene.scenario.plan(seed).map_err(Error::Work)?;
    let job = job::job(&scene.scenario, &plan, scene.scale);
    for _ in 0..ATTEMPTS {
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        quiet(scene, state)?;
        switches::reset(&scene.blueprint, &state.engine)?;
        let before = switches::counters(&scene.blueprint, &state.engine)?;
        let ran = traffic::run(&scene.blueprint, &job, stop)?;
        let after = switches::counters(&scene.blueprint, &state.engine)?;
        let late = seen::late(&after);
        let ports = seen::between(&scene.blueprint, &before, &after)?;
        let lost = ports.iter().flatten().map(|p| p.lost).sum();
        let in_time = ran.flows.iter().filter_map(handed_late).max() <= Some(LATEST_START_NS);
        let kept = (late.stalls == 0 && lost == 0 && in_time) || ran.interrupted;
        log.note(seed, &ran, late, lost, kept);
        if kept {
            return Ok(Some(outcome::run(scene, seed, plan, &ran, &ports)));
        }
    }
    log.given_up.push(seed);
    Ok(None)
}

/// Waits until the switches hold nothing of the last run.
fn quiet(scene: &Scene, state: &State) -> Result<(), Error> {
    let began = Instant::now();
    loop {
        std::thread::sleep(BREATH);
        let answers = switches::counters(&scene.blueprint, &state.engine)?;
        let held = seen::held(&answers);
        if held == 0 {
            return Ok(());
        }
        if began.elapsed() > PATIENCE {
            return Err(Error::Work(format!(
                "the switches still hold {held} frames {} s after a run; expected none",
                PATIENCE.as_secs()
            )));
        }
    }
}
