//! Runs a session to its end, or until its watcher stops it.

use crate::caller::{CallerPolicies, Failure};
use crate::recording::RecordSpec;
use crate::run::{Progress, Run};
use crate::scenario::Scenario;
use crate::session::Session;
use sidestep_sim::TraceFilter;
use sidestep_sim::agenda::{Agenda, WheelAgenda};
use sidestep_sim::parts::{Crew, Cut};
use std::sync::Arc;

/// Answer of the watcher of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// Continue the run.
    Go,
    /// Stop the run now; the results so far are kept.
    Stop,
}

/// Runs scheme number `scheme` of the scenario with `seed`.
///
/// The run ends when every finite flow has been delivered, or at `duration + drain`; with endless flows not
/// before `duration`. `watch` is called every thousandth of the way. Errors report what the simulator refused.
/// Panics when the scenario has no such scheme.
pub fn run(
    scenario: &Scenario,
    scheme: usize,
    seed: u64,
    trace: TraceFilter,
    watch: &mut dyn FnMut(&Progress) -> Watch,
) -> Result<Run, String> {
    run_on::<WheelAgenda>(scenario, scheme, seed, trace, watch)
}

/// Runs as [`run`] does and records the run as `record` sets out. The outcome is the same.
pub fn run_recorded(
    scenario: &Scenario,
    scheme: usize,
    seed: u64,
    trace: TraceFilter,
    record: &RecordSpec,
    watch: &mut dyn FnMut(&Progress) -> Watch,
) -> Result<Run, String> {
    drive::<WheelAgenda>(scenario, (scheme, seed), trace, Some(record), watch)
}

/// Runs as [`run`] does on an agenda of the caller's choice: the outcome is the same, the speed is not.
pub fn run_on<A: Agenda>(
    scenario: &Scenario,
    scheme: usize,
    seed: u64,
    trace: TraceFilter,
    watch: &mut dyn FnMut(&Progress) -> Watch,
) -> Result<Run, String> {
    drive::<A>(scenario, (scheme, seed), trace, None, watch)
}

/// Runs as [`run`] does in the parts of `cut`, which `crew` executes. The outcome is the same.
///
/// Errors report what the simulator refused. Panics when the scenario has no such scheme, and where a cut is
/// [refused](crate::cut::refused).
pub fn run_cut(
    scenario: &Scenario,
    (scheme, seed): (usize, u64),
    cut: &Arc<Cut>,
    crew: Box<dyn Crew>,
    watch: &mut dyn FnMut(&Progress) -> Watch,
) -> Result<Run, String> {
    let mut session: Session<WheelAgenda> = Session::cut(scenario, (scheme, seed), cut, crew)?;
    while !session.step() && watch(&session.glance()) == Watch::Go {}
    Ok(session.finish())
}

fn drive<A: Agenda>(
    scenario: &Scenario,
    (scheme, seed): (usize, u64),
    trace: TraceFilter,
    record: Option<&RecordSpec>,
    watch: &mut dyn FnMut(&Progress) -> Watch,
) -> Result<Run, String> {
    if let Some(own) = &scenario.schemes[scheme].own {
        return run_with_policies::<A>(own, scenario, (scheme, seed), trace, record, watch);
    }
    let mut session: Session<A> = Session::new(scenario, scheme, seed, trace)?;
    if let Some(record) = record {
        session.record(scenario, record);
    }
    while !session.step() && watch(&session.glance()) == Watch::Go {}
    Ok(session.finish())
}

/// Runs as [`drive`] does with policies of the caller, any of which may end the run.
fn run_with_policies<A: Agenda>(
    own: &CallerPolicies,
    scenario: &Scenario,
    (scheme, seed): (usize, u64),
    trace: TraceFilter,
    record: Option<&RecordSpec>,
    watch: &mut dyn FnMut(&Progress) -> Watch,
) -> Result<Run, String> {
    let mut attempt =
        |trace: TraceFilter, remember: bool| -> Result<Result<Run, Box<Failure>>, String> {
            let mut session: Session<A> = Session::new(scenario, scheme, seed, trace)?;
            if let Some(record) = record {
                session.record(scenario, record);
            }
            if remember {
                session.remember_deciding();
            }
            loop {
                match session.step_with_policies(own) {
                    Ok(false) if watch(&session.glance()) == Watch::Go => {}
                    Ok(_) => return Ok(Ok(session.finish())),
                    Err(failure) => return Ok(Err(failure)),
                }
            }
        };
    let remember = own.slow && trace == TraceFilter::None;
    let mut failure = match attempt(trace, remember)? {
        Ok(run) => return Ok(run),
        Err(failure) => failure,
    };
    // Run once more, slower, to learn the packet's number: a deterministic policy fails at the same instant.
    if !remember
        && let Ok(Err(again)) = attempt(TraceFilter::None, true)
        && (again.at, &again.why) == (failure.at, &failure.why)
    {
        failure = again;
    }
    if let Some(heard) = &own.heard {
        heard(&failure);
    }
    Err(failure.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sidestep_sim::NoFiles;
    use sidestep_types::Time;

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
