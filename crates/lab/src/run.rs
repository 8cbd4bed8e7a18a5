//! One run: a scheme, a seed, and the simulator stepped until it is done or told to stop.

use crate::probe::{Probed, Prober};
use crate::scenario::Scenario;
use crate::unmeasured::Unmeasured;
use crate::warnings;
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
    /// What was looked at beside.
    pub probed: Probed,
    /// The watcher stopped it.
    pub interrupted: bool,
    /// What was not counted: nothing of a simulated run.
    pub unmeasured: Unmeasured,
    /// What must be read before trusting its numbers.
    pub warnings: Vec<String>,
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
    let mut world: World<A> = World::new(&scenario.network, Arc::clone(&plan), config)?;
    let (probe, network) = (&scenario.probe, &scenario.network);
    let capacity = scheme.config.switch.capacity;
    let mut prober = Prober::new(probe, network, capacity, scenario.duration);
    if let Some(watching) = probe.watching() {
        world.watch(watching);
    }
    let interrupted = simulate(&mut world, scenario, &plan, &mut prober, watch);
    let (outcome, watched) = world.finish_watched();
    let probed = prober.finish(watched, &outcome);
    Ok(Run {
        scheme: scheme.name.clone(),
        seed,
        plan,
        warnings: warnings::of_run(network, &scheme.name, seed, &outcome),
        outcome,
        probed,
        interrupted,
        unmeasured: Unmeasured::default(),
    })
}

/// Steps a world until it is done, the horizon has come, or the watcher stops it; says whether the watcher did.
fn simulate<A: Agenda>(
    world: &mut World<A>,
    scenario: &Scenario,
    plan: &Plan,
    prober: &mut Prober<'_>,
    watch: &mut dyn FnMut(&Progress) -> Watch,
) -> bool {
    let horizon = scenario.duration.saturating_add(scenario.drain);
    let step = Time::from_ps((horizon.ps() / 1000).max(1));
    let endless = plan.flows.iter().filter(|f| f.is_endless()).count() as u64;
    let total = plan.flows.len() as u64 - endless;
    let mut now = Time::ZERO;
    while now < horizon {
        // The window's end is a stop as well: flows without an end last until there.
        let next = now.saturating_add(step).min(horizon);
        let passes = now < scenario.duration && scenario.duration < next;
        now = if passes { scenario.duration } else { next };
        let all_delivered = run_and_look(world, prober, now);
        let left = world.unfinished() - endless;
        if all_delivered || (left == 0 && now >= scenario.duration) {
            break;
        }
        let progress = Progress {
            now,
            horizon,
            flows_done: total - left,
            flows_total: total,
            packet_hops: world.packet_hops(),
        };
        if watch(&progress) == Watch::Stop {
            return true;
        }
    }
    false
}

/// Runs a world until `limit`, with a stop wherever a probe is due. Says whether all is delivered.
fn run_and_look<A: Agenda>(world: &mut World<A>, prober: &mut Prober<'_>, limit: Time) -> bool {
    while prober.due() <= limit {
        let due = prober.due();
        if world.run_until(due) {
            return true;
        }
        prober.look(world, due);
    }
    world.run_until(limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sidestep_sim::NoFiles;

    fn read(text: &str) -> Scenario {
        let read = Scenario::read("t.toml", text, &[], &NoFiles);
        read.unwrap_or_else(|problems| panic!("{problems:?}"))
    }

    const INCAST: &str = "duration = \"1 ms\"\nschemes = [\"dctcp\", \"dibs\"]\n\
        [topology]\nkind = \"fat_tree\"\nk = 4\n\
        [workload.query]\nkind = \"incast\"\ndegree = 15\nsize = \"40 kB\"\n";

    #[test]
    fn a_run_ends_with_its_last_flow_whoever_watches() {
        let scenario = read(INCAST);
        let quiet = run(&scenario, 1, 1, TraceFilter::None, &mut |_| Watch::Go).unwrap();
        assert_eq!((quiet.scheme.as_str(), quiet.interrupted), ("dibs", false));
        assert!(
            quiet
                .outcome
                .flows
                .iter()
                .all(|flow| flow.finished.is_some())
        );
        assert!(
            quiet.outcome.end < Time::from_ms(100),
            "{}",
            quiet.outcome.end
        );
        let mut last = Progress::default();
        let watched = run(&scenario, 1, 1, TraceFilter::None, &mut |progress| {
            assert!(progress.now >= last.now && progress.packet_hops >= last.packet_hops);
            last = *progress;
            Watch::Go
        });
        assert_eq!(watched.unwrap().outcome, quiet.outcome);
        assert!(last.flows_done > 0 && last.flows_total == 15, "{last:?}");
    }

    #[test]
    fn a_stopped_run_keeps_what_it_has_and_says_so() {
        let scenario = read(INCAST);
        let mut asked = 0;
        let stopped = run(&scenario, 0, 1, TraceFilter::None, &mut |_| {
            asked += 1;
            if asked == 3 { Watch::Stop } else { Watch::Go }
        });
        let stopped = stopped.unwrap();
        assert!(stopped.interrupted && stopped.outcome.totals.packet_hops > 0);
        assert!(
            stopped
                .outcome
                .flows
                .iter()
                .any(|flow| flow.finished.is_none())
        );
    }

    #[test]
    fn endless_flows_last_as_long_as_the_window() {
        let scenario = read(
            "duration = \"2 ms\"\nschemes = [\"dctcp\"]\n[topology]\nkind = \"single_switch\"\nhosts = 4\n\
             [workload.all]\nkind = \"permutation\"\n",
        );
        let run = run(&scenario, 0, 1, TraceFilter::None, &mut |_| Watch::Go).unwrap();
        assert!(
            !run.interrupted && run.outcome.end <= Time::from_ms(2),
            "{}",
            run.outcome.end
        );
    }
}
