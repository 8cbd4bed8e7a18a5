//! Cutting a run into parts that the caller runs in parallel threads.
//!
//! **Decision**     which scenarios cannot run in parts yet, and how many events a window of a part would hold.
//! **State**        none.
//! **Units**        events.
//! **Errors**       [`refused`] names the obstacle.

use crate::scenario::Scenario;
use sidestep_sim::parts::{self, Cut};
use sidestep_sim::{Network, TraceFilter, TrafficPlan};
use sidestep_types::Seed;

/// Returns the reason why scheme number `scheme` of the scenario must run in one piece, if it must.
pub fn refused(scenario: &Scenario, scheme: usize, trace: &TraceFilter) -> Option<String> {
    let of = &scenario.schemes[scheme];
    if of.own.is_some() {
        return Some("policies of the caller cannot be split into parts".into());
    }
    if let Some(asked) = scenario.probe.watches() {
        return Some(format!(
            "`probe.{asked}` logs packets in the order of the whole run"
        ));
    }
    parts::refused(
        &of.config
            .world(&TrafficPlan::default(), Seed(0), trace.clone()),
    )
}

/// Cuts the scenario's network into `count` parts, for the framing of scheme number `scheme`.
pub fn cut(scenario: &Scenario, scheme: usize, count: usize) -> Result<Cut, parts::CutError> {
    let framing = scenario.schemes[scheme].config.framing;
    Cut::of(&scenario.network, count, framing)
}

/// Returns the largest number of parts of a network that all have hosts.
pub fn most(network: &Network) -> usize {
    Cut::most(network)
}
