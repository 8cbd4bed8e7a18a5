//! One run: a scheme, a seed, and the simulator stepped until it is done or told to stop.

use crate::Scenario;
use sidestep_sim::agenda::{Agenda, WheelAgenda};
use sidestep_sim::{Outcome, Plan, TraceFilter, World};
use sidestep_types::{Seed, Time};
use std::sync::Arc;

/// What the watcher of a run answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// Go on.
    Go,
    /// Stop here; what was recorded so far is kept.
    Stop,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Simulated time.
    pub now: Time,
    /// The run stops here at the latest.
    pub horizon: Time,
    /// Flows whose last byte was delivered.
    pub flows_done: u64,
    /// Flows that end.
    pub flows_total: u64,
    /// Deliveries of one packet over one link so far.
    pub packet_hops: u64,
}

/// A finished run.
#[derive(Clone, Debug)]
pub struct Run {
    /// The scheme's name.
    pub scheme: String,
    /// The seed.
    pub seed: u64,
    /// What was to happen.
    pub plan: Arc<Plan>,
    /// What happened.
    pub outcome: Outcome,
    /// The watcher stopped it.
    pub interrupted: bool,
}

/// Runs scheme number `scheme` of the scenario with `seed`.
///
/// The run ends when every flow that ends has been delivered, or at `duration + drain`; with
/// endless flows not before `duration`. `watch` is asked every thousandth of the way.
/// Errors say what the simulator refused. Panics when the scenario has no such scheme.
pub fn run(
    scenario: &Scenario,
    scheme: usize,
    seed: u64,
    trace: TraceFilter,
    watch: &mut dyn FnMut(&Progress) -> Watch,
) -> Result<Run, String> {
    run_on::<WheelAgenda>(scenario, scheme, seed, trace, watch)
}

/// [`run`] on an agenda of the caller's choice: the outcome is the same, the speed is not.
pub fn run_on<A: Agenda>(
    scenario: &Scenario,
    scheme: usize,
    seed: u64,
    trace: TraceFilter,
    watch: &mut dyn FnMut(&Progress) -> Watch,
) -> Result<Run, String> {
    let scheme = &scenario.schemes[scheme];
    let plan = Arc::new(scenario.plan(seed)?);
    let config = scheme.config.world(Seed(seed), trace);
    let world: World<A> = World::new(&scenario.network, Arc::clone(&plan), config)?;
    let (outcome, interrupted) = simulate(world, scenario, &plan, watch);
    Ok(Run {
        scheme: scheme.name.clone(),
        seed,
        plan,
        outcome,
        interrupted,
    })
}

/// Steps a world until it is done, the horizon has come, or the watcher stops it.
fn simulate<A: Agenda>(
    mut world: World<A>,
    scenario: &Scenario,
    plan: &Plan,
    watch: &mut dyn FnMut(&Progress) -> Watch,
) -> (Outcome, bool) {
    let horizon = scenario.duration.saturating_add(scenario.drain);
    let step = Time::from_ps((horizon.ps() / 1000).max(1));
    let endless = plan.flows.iter().filter(|f| f.is_endless()).count() as u64;
    let total = plan.flows.len() as u64 - endless;
    let mut now = Time::ZERO;
    let mut interrupted = false;
    while now < horizon {
        now = now.saturating_add(step).min(horizon);
        let all_delivered = world.run_until(now);
        let left = world.unfinished() - endless;
        if all_delivered || (left == 0 && now >= scenario.duration) {
            break;
        }
        let progress = Progress {
            now,
            horizon,
            flows_done: total - left,
            flows_total: total,
            packet_hops: world.totals().packet_hops,
        };
        if watch(&progress) == Watch::Stop {
            interrupted = true;
            break;
        }
    }
    (world.finish(), interrupted)
}
