//! Runs of a scenario's seeds on a testbed that is up, one after the other.

use crate::attempt::Attempt;
use crate::error::Error;
use crate::log::Log;
use crate::network::changes::{restore, steps, take};
use crate::network::state::State;
use crate::network::switches;
use crate::setup::TestbedSetup;
use crate::{job, kernel, outcome, recording, seen, traffic};
use sidestep_lab::Run;
use sidestep_study::KernelRow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Pause between two runs, in which resets of the last run's connections arrive.
const BREATH: Duration = Duration::from_millis(50);

/// Interval of checks that the switches still run.
const LOOK: Duration = Duration::from_millis(10);

/// Longest wait for a switch to send the remaining frames of a run.
const PATIENCE: Duration = Duration::from_secs(30);

/// Optional outputs of each run.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunOutputs {
    /// True to record every packet.
    pub record: bool,
    /// True to query the kernels' statistics of flows' senders.
    pub kernel_stats: bool,
}

/// Kept run.
pub struct KeptRun {
    /// Outcome of its flows.
    pub run: Run,
    /// Kernel statistics of its flows' senders; empty unless requested.
    pub kernel: Vec<KernelRow>,
}

/// Refuses a recording that the testbed cannot make.
pub fn check_record(setup: &TestbedSetup, state: &State) -> Result<(), Error> {
    let print = &setup.blueprint;
    let refuse = |why: &str| Err(Error::Input(format!("--record: expected {why}")));
    if state.engine == switches::EBPF {
        return refuse("--datapath packet: switches in the kernel do not record packets");
    }
    if state.engine != switches::SWITCH {
        return refuse(
            "software switches, got Linux bridges (--bridge), which do not record packets",
        );
    }
    if print.fabric_mtu > 0 {
        return refuse(
            "tags in an option (carry = \"option\") or none: switches do not record packets with a \
             tag between Ethernet and IP",
        );
    }
    if print.settings.subflows.is_some() {
        return refuse("TCP: an MPTCP subflow cannot be assigned to its connection");
    }
    Ok(())
}

/// Runs the seeds of the scenario one after the other on a testbed that is up and locked.
///
/// Every run is kept; its marks name this machine's disturbances. `done` receives each seed with its run,
/// `None` if it was not begun, and its duration in seconds.
pub fn each(
    setup: &TestbedSetup,
    state: &State,
    how: RunOutputs,
    stop: &AtomicBool,
    log: &mut Log,
    mut done: impl FnMut(u64, Option<KeptRun>, f64) -> Result<(), Error>,
) -> Result<(), Error> {
    for &seed in &setup.scenario.seeds {
        let began = Instant::now();
        let run = one(setup, state, seed, how, stop, log)?;
        done(seed, run, began.elapsed().as_secs_f64())?;
    }
    Ok(())
}

/// Runs one seed; `None` if stopped before it began.
fn one(
    setup: &TestbedSetup,
    state: &State,
    seed: u64,
    how: RunOutputs,
    stop: &AtomicBool,
    log: &mut Log,
) -> Result<Option<KeptRun>, Error> {
    let plan = setup.scenario.plan(seed).map_err(Error::Work)?;
    let job = job::job(&setup.scenario, &plan, setup.scale);
    let steps = steps(&setup.blueprint, &setup.changes);
    if stop.load(Ordering::Relaxed) {
        return Ok(None);
    }
    quiet(setup, state)?;
    let as_built = restore(&setup.blueprint, &setup.changes);
    take(&setup.blueprint, &as_built)?;
    switches::reset(&setup.blueprint, &state.engine)?;
    let before = switches::counters(&setup.blueprint, &state.engine)?;
    if how.record {
        switches::note(&setup.blueprint, &state.engine)?;
    }
    let during = traffic::RunActivities {
        steps: &steps,
        asks: how.kernel_stats,
    };
    let (ran, ended) = while_switches_run(setup, state, stop, |stop| {
        traffic::run_with(&setup.blueprint, &job, during, stop)
    });
    if let Some((switch, how)) = ended {
        let log = switches::log(&setup.blueprint.name, switch);
        return Err(Error::Work(format!(
            "{how} during the run of seed {seed}; its log is {}",
            log.display()
        )));
    }
    let notes = match how.record {
        true => Some(switches::noted(&setup.blueprint, &state.engine)?),
        false => None,
    };
    take(&setup.blueprint, &as_built)?;
    let ran = ran?;
    let after = switches::counters(&setup.blueprint, &state.engine)?;
    let ports = seen::between(&setup.blueprint, &before, &after)?;
    // Bridges do not count lost frames.
    let lost = (!ports.is_empty()).then(|| ports.iter().flatten().map(|p| p.lost).sum());
    let late = match state.engine.as_str() {
        // The kernel's token buckets may be late, but do not count it: unknown, not zero.
        switches::EBPF => seen::Late::default(),
        _ => seen::late(&after)?,
    };
    let attempt = Attempt::of(&ran, late, lost);
    let dropped = |p: &seen::PortSeen| p.counts.drops.iter().sum::<u64>();
    let dropped = (!ports.is_empty()).then(|| ports.iter().flatten().map(dropped).sum());
    log.note(seed, &ran, &attempt, dropped);
    log.changes(&steps, &ran);
    let mut run = outcome::run(setup, seed, plan, &ran, &ports);
    run.marks = attempt.wrong();
    let of = (&*run.plan, &run.outcome);
    run.recording = notes.map(|notes| recording::recording(setup, seed, of, &ran, &notes));
    let kernel = kernel::rows(setup, seed, &ran, !run.marks.is_empty());
    Ok(Some(KeptRun { run, kernel }))
}

/// Does `work`, and stops it if the caller stops or a switch ends; returns the switch that ended, and how.
fn while_switches_run<T>(
    setup: &TestbedSetup,
    state: &State,
    stop: &AtomicBool,
    work: impl FnOnce(&AtomicBool) -> T,
) -> (T, Option<(usize, String)>) {
    let (stops, over) = (AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let watching = scope.spawn(|| {
            loop {
                // Read before the last check of the switches, so that a switch that ends in between is noticed.
                let last = over.load(Ordering::Acquire);
                let ended = switches::ended(&setup.blueprint, &state.engine);
                if ended.is_some() || stop.load(Ordering::Relaxed) {
                    stops.store(true, Ordering::Relaxed);
                }
                if last || ended.is_some() {
                    return ended;
                }
                std::thread::sleep(LOOK);
            }
        });
        let done = work(&stops);
        over.store(true, Ordering::Release);
        (done, watching.join().expect("looking does not panic"))
    })
}

/// Waits until the switches hold no frame of the last run.
fn quiet(setup: &TestbedSetup, state: &State) -> Result<(), Error> {
    let began = Instant::now();
    loop {
        std::thread::sleep(BREATH);
        let answers = switches::counters(&setup.blueprint, &state.engine)?;
        let held = seen::held(&answers)?;
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
