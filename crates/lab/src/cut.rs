//! Cutting a run into parts, which somebody with threads lets run side by side.
//!
//! **Decision**     what of a scenario cannot be in parts yet, and how many events a window of one would hold.
//! **State**        none.
//! **Units**        events.
//! **Errors**       [`refused`] names what is in the way.

use crate::scenario::Scenario;
use sidestep_sim::parts::{self, Cut};
use sidestep_sim::{Network, Plan, TraceFilter};
use sidestep_types::Seed;

/// Why scheme number `scheme` of the scenario runs in one piece, if it has to.
pub fn refused(scenario: &Scenario, scheme: usize, trace: &TraceFilter) -> Option<String> {
    let of = &scenario.schemes[scheme];
    if of.own.is_some() {
        return Some("policies of one's own are one to a run".into());
    }
    if let Some(asked) = scenario.probe.watches() {
        return Some(format!(
            "`probe.{asked}` notes packets in the order of the whole run"
        ));
    }
    parts::refused(&of.config.world(&Plan::default(), Seed(0), trace.clone()))
}

/// The network of the scenario cut into so many parts, as packets of scheme number `scheme` need it.
pub fn cut(scenario: &Scenario, scheme: usize, count: usize) -> Result<Cut, parts::Uncut> {
    let framing = scenario.schemes[scheme].config.framing;
    Cut::of(&scenario.network, count, framing)
}

/// How many parts of a network have hosts, at most.
pub fn most(network: &Network) -> usize {
    Cut::most(network)
}
