//! `sidestep testbed run`

use super::args::RunArgs;
use super::scene::{Order, Scene};
use super::seen::{self, Late};
use super::{job, outcome, standing};
use crate::{Failure, Outcome, out, run as plain, stop};
use serde_json::{Map, Value, json};
use sidestep_softswitch::testbed::traffic::{self, HostCounters, Ran};
use sidestep_softswitch::testbed::{self, State};
use sidestep_study::lab::Run;
use sidestep_study::{Recorder, Status};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Runs a seed at most this often until one run is free of stalls. Assumed.
const ATTEMPTS: usize = 5;

/// A run in which a host handed a flow over later than this is discarded, in nanoseconds as measured.
/// Assumed: half a millisecond of a network that is emulated ten times slower.
const LATEST_START_NS: u64 = 5_000_000;

/// How late a flow was handed over, in nanoseconds.
fn handed_late(flow: &traffic::FlowRan) -> Option<u64> {
    Some(flow.started_ns?.saturating_sub(flow.due_ns?))
}

/// Between two runs: resets of the last one's connections arrive.
const BREATH: Duration = Duration::from_millis(50);

/// Runs the seeds one after the other and writes the result directory.
pub fn run(args: &RunArgs) -> Outcome {
    let state = standing(&args.name)?;
    let _busy = testbed::occupy(&state.blueprint.name)?;
    let order = Order::from_json(&state.blueprint.name, &state.note)?;
    let seeds = match (args.queries, &args.seeds) {
        (Some(0), _) => return Err(Failure::input("--queries: expected at least 1, got 0")),
        (Some(n), _) => Some(format!("1..{n}")),
        (None, seeds) => seeds.clone(),
    };
    let scene = order.read(seeds.as_deref())?;
    same(&state, &scene)?;
    let out = args
        .out
        .clone()
        .unwrap_or_else(|| plain::default_out(&scene.scenario.name));
    let stop = stop::on_interrupt(out.clone());
    let mut recorder = Recorder::begin(&scene.scenario, &out, 1, false)?;
    let mut log = Log::default();
    each(&scene, &state, &stop, &mut log, |seed, run, wall_s| {
        match run {
            Some(mut run) => recorder.add(0, &mut run, 0.0, wall_s)?,
            None => recorder.not_run(0, seed),
        }
        Ok(())
    })?;
    for warning in log.warnings() {
        recorder.warn(warning);
    }
    recorder.remark("testbed", log.to_json(&scene, &state, &order));
    let finished = recorder.finish()?;
    if args.json {
        let mut json = finished.report.to_json();
        json["result"] = finished.dir.display().to_string().into();
        json["testbed"] = log.to_json(&scene, &state, &order);
        out::say_json(&json);
    } else {
        out::say(&finished.report.to_text());
        out::say(&log.to_text(&scene));
        out::say(&format!("\nresult: {}\n", finished.dir.display()));
    }
    Ok(match finished.report.status {
        Status::Complete => 0,
        Status::Partial if stop.load(Ordering::Relaxed) => 130,
        Status::Partial => 1,
    })
}

/// Runs the seeds of the scenario one after the other on a testbed that stands and is occupied.
///
/// `done` gets each seed with its run, `None` when it was given up or not begun, and the seconds it took.
pub fn each(
    scene: &Scene,
    state: &State,
    stop: &AtomicBool,
    log: &mut Log,
    mut done: impl FnMut(u64, Option<Run>, f64) -> Result<(), Failure>,
) -> Result<(), Failure> {
    for &seed in &scene.scenario.seeds {
        let began = Instant::now();
        let run = one(scene, state, seed, stop, log)?;
        done(seed, run, began.elapsed().as_secs_f64())?;
    }
    Ok(())
}

/// The scenario must still mean what was built; how much its hosts can hand over at once may
/// differ with the seeds.
fn same(state: &State, scene: &Scene) -> Result<(), Failure> {
    let mut now = scene.blueprint.clone();
    now.settings.send_buffer = state.blueprint.settings.send_buffer;
    if now != state.blueprint {
        return Err(Failure::input(format!(
            "{} has changed since testbed {} was built after it; take it down and build it again",
            scene.scenario.name, state.blueprint.name
        )));
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
) -> Result<Option<Run>, Failure> {
    let plan = scene.scenario.plan(seed).map_err(Failure::work)?;
    let job = job::job(&scene.scenario, &plan, scene.scale);
    for _ in 0..ATTEMPTS {
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        quiet(scene, state)?;
        testbed::reset(&scene.blueprint, &state.engine)?;
        let before = testbed::counters(&scene.blueprint, &state.engine)?;
        let ran = traffic::run(&scene.blueprint, &job, stop)?;
        let after = testbed::counters(&scene.blueprint, &state.engine)?;
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
fn quiet(scene: &Scene, state: &State) -> Result<(), Failure> {
    let began = Instant::now();
    loop {
        std::thread::sleep(BREATH);
        let answers = testbed::counters(&scene.blueprint, &state.engine)?;
        let held = seen::held(&answers);
        if held == 0 {
            return Ok(());
        }
        if began.elapsed() > PATIENCE {
            return Err(Failure::work(format!(
                "the switches still hold {held} frames {} s after a run; expected none",
                PATIENCE.as_secs()
            )));
        }
    }
}

/// The longest that a switch may go on sending what is left of a run.
const PATIENCE: Duration = Duration::from_secs(30);

/// What is known of all attempts.
#[derive(Default)]
pub struct Log {
    attempts: Vec<Value>,
    /// Of the runs that were kept.
    late: Late,
    /// How late their flows were handed over, in nanoseconds.
    starts_ns: Vec<u64>,
    hosts: BTreeMap<String, u64>,
    discarded: usize,
    given_up: Vec<u64>,
    timeouts_unknown: bool,
    ecn: bool,
}

impl Log {
    fn note(&mut self, seed: u64, ran: &Ran, late: Late, lost: u64, kept: bool) {
        let mut attempt =
            json!({"seed": seed, "kept": kept, "lateness": late.to_json(), "lost": lost});
        attempt["measured_ms"] = json!(ran.end_ns as f64 / 1e6);
        self.attempts.push(attempt);
        if !kept {
            self.discarded += 1;
            return;
        }
        self.late = self.late.worst(late);
        self.starts_ns
            .extend(ran.flows.iter().filter_map(handed_late));
        self.starts_ns.sort_unstable();
        for (key, n) in ran.hosts.iter().flat_map(|h: &HostCounters| &h.tcp) {
            *self.hosts.entry(key.clone()).or_default() += n;
        }
        self.timeouts_unknown |= !ran.timeouts_known;
        self.ecn |= ran.flows.iter().any(|f| f.sender.ecn);
    }

    /// The start that a share `q` of all is not later than, in microseconds.
    fn start_us(&self, q: f64) -> f64 {
        let n = self.starts_ns.len();
        let rank = ((q * n as f64).ceil() as usize).clamp(1, n.max(1));
        self.starts_ns
            .get(rank - 1)
            .map_or(0.0, |ns| *ns as f64 / 1e3)
    }

    /// Was a seed left out?
    pub fn gave_up(&self) -> bool {
        !self.given_up.is_empty()
    }

    /// What must be read before trusting a number.
    pub fn warnings(&self) -> Vec<String> {
        let mut list = Vec::new();
        for seed in &self.given_up {
            list.push(format!(
                "seed {seed}: all of {ATTEMPTS} runs had a stall of over 1 ms, a flow handed over 5 ms late, or frames lost beside the decision; it is left out"
            ));
        }
        if self.timeouts_unknown {
            list.push("this kernel does not count timeouts of single connections (Linux 6.7 does): timeouts of flows are 0; see testbed.hosts.TCPTimeouts of the manifest".into());
        }
        list
    }

    /// As it stands in a manifest.
    pub fn to_json(&self, scene: &Scene, state: &State, order: &Order) -> Value {
        let settings = &scene.blueprint.settings;
        let mut differences = scene.differences.clone();
        differences.extend(testbed::differences(settings));
        let hosts: Map<String, Value> = self
            .hosts
            .iter()
            .map(|(k, n)| (k.clone(), json!(n)))
            .collect();
        json!({
            "kernel": kernel(),
            "cores": std::thread::available_parallelism().map_or(1, usize::from),
            "engine": state.engine,
            "scale": scene.scale.factor(),
            "rate_bps": scene.scale.bed.as_bps(),
            "times": "in tables and summary: of the emulated network, that is as measured and divided by scale",
            "order": order.to_json(),
            "dctcp": match (&state.dctcp, settings.congestion) {
                (Some(name), _) => json!(format!("BPF program {name}")),
                (None, testbed::blueprint::Congestion::Dctcp { .. }) => json!("of the kernel"),
                _ => Value::Null,
            },
            "ecn_negotiated": self.ecn,
            "pacing_lateness": self.late.to_json(),
            "pacing_lateness_is": "of the worst switch of the worst run that was kept, number by number, as measured",
            "start_lateness_us": {
                "p50": self.start_us(0.5), "p99": self.start_us(0.99), "p999": self.start_us(0.999),
                "max": self.start_us(1.0),
            },
            "discarded": self.discarded,
            "discarded_because": "a departure or a reading was more than 1 ms late, a host handed a flow over more than 5 ms late, or a frame was lost or refused beside the decision",
            "given_up": self.given_up,
            "hosts": hosts,
            "differences": differences,
            "attempts": self.attempts,
        })
    }

    /// In a line.
    pub fn to_text(&self, scene: &Scene) -> String {
        format!(
            "\ntestbed: Linux {}, {} for {}, times divided by {}; {}\n",
            kernel(),
            scene.scale.bed,
            scene.scale.model,
            scene.scale.factor(),
            self.late_text(),
        )
    }

    /// How late switches and hosts were, in a line.
    pub fn late_text(&self) -> String {
        format!(
            "pacing late by p50 {:.0} us, p99 {:.0} us, p99.9 {:.0} us in the worst switch of the worst run; \
             hand-over late by p99 {:.0} us; {} runs discarded",
            self.late.p50_us,
            self.late.p99_us,
            self.late.p999_us,
            self.start_us(0.99),
            self.discarded
        )
    }
}

/// The kernel's release.
pub fn kernel() -> String {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease");
    release.map_or_else(|_| "unknown".into(), |r| r.trim().to_string())
}
