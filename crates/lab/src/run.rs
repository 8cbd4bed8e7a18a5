//! One run: a scheme, a seed, and the simulator stepped until it is done or told to stop.

use crate::Scenario;
use sidestep_sim::{Network, Outcome, Plan, TraceFilter, WorldConfig};
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
/// `watch` is asked every hundredth of the way. Errors say what the simulator refused.
/// Panics when the scenario has no such scheme.
pub fn run(
    scenario: &Scenario,
    scheme: usize,
    seed: u64,
    trace: TraceFilter,
    watch: &mut dyn FnMut(&Progress) -> Watch,
) -> Result<Run, String> {
    let scheme = &scenario.schemes[scheme];
    let plan = Arc::new(scenario.plan(seed)?);
    let config = scheme.config.world(Seed(seed), trace);
    let horizon = scenario.duration.saturating_add(scenario.drain);
    let (outcome, interrupted) = simulate(&scenario.network, &plan, config, horizon, watch)?;
    Ok(Run {
        scheme: scheme.name.clone(),
        seed,
        plan,
        outcome,
        interrupted,
    })
}

/// Steps a world until it is done, the horizon has come, or the watcher stops it.
fn simulate(
    _network: &Network,
    _plan: &Arc<Plan>,
    _config: WorldConfig,
    _horizon: Time,
    _watch: &mut dyn FnMut(&Progress) -> Watch,
) -> Result<(Outcome, bool), String> {
    Err("the simulator is not there yet".to_string())
}
