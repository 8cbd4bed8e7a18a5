//! Warnings about connections that flows share, where there is little to share.

use super::parts::Part;
use crate::scenario::{Scenario, of_profile};
use sidestep_sim::{Joint, TrafficPlan};
use sidestep_types::FlowId;

pub(super) fn never_idle(
    scenario: &Scenario,
    part: &Part<'_>,
    first: &TrafficPlan,
) -> Option<String> {
    let transport = &part.scheme.config.transport;
    // A profile sets the key for whatever connections there are.
    let said = part.setting(scenario, "idle_restart");
    let said = said.is_some_and(|setting| !of_profile(setting));
    let idle = said && transport.each_tcp()?.idle_restart && !carries_on(part, first);
    idle.then(|| {
        "idle_restart has no effect: no connection carries a second message in the same direction; \
         set connection = \"persistent\" in a workload with requests"
            .to_string()
    })
}

/// Warns of shared connections where there is little to share.
pub(super) fn shares_little(part: &Part<'_>, first: &TrafficPlan) -> Option<String> {
    joint(part, first).next()?;
    let transport = &part.scheme.config.transport;
    match transport.each_tcp() {
        None => Some(format!(
            "transport {} has no connections: flows that share one use the same path, one message \
             at a time, and share no state",
            transport.name()
        )),
        Some(tcp) => (!tcp.handshake && !carries_on(part, first)).then(|| {
            "handshake = false: a request and its response share a connection, but without a \
             handshake there is no round-trip sample for them to share; set handshake = true"
                .to_string()
        }),
    }
}

/// True if a connection carries a second message the same way.
fn carries_on(part: &Part<'_>, plan: &TrafficPlan) -> bool {
    let src = |flow: FlowId| plan.flows[flow.0 as usize].src;
    let mut later = joint(part, plan).filter(|joint| joint.flow != joint.opener);
    later.any(|joint| src(joint.flow) == src(joint.opener))
}

/// Iterates over the part's flows that share a connection.
fn joint<'a>(part: &Part<'_>, plan: &'a TrafficPlan) -> impl Iterator<Item = &'a Joint> + use<'a> {
    let has = part.has(plan);
    let joint = plan.joint.iter();
    joint.filter(move |joint| has(&plan.flows[joint.flow.0 as usize]))
}
