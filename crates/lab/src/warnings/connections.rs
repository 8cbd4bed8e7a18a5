//! Connections that flows share, and where there is little to share.

use crate::scheme::Scheme;
use sidestep_sim::Plan;
use sidestep_types::FlowId;

pub(super) fn never_idle(scheme: &Scheme, first: &Plan) -> Option<String> {
    let idle = scheme.config.transport.each_tcp()?.idle_restart && !carries_on(first);
    idle.then(|| {
        "idle_restart changes nothing: no connection carries a second message the same way, as with \
         connection = \"persistent\" of a workload that asks"
            .to_string()
    })
}

/// Connections that flows share, where there is little to share.
pub(super) fn shares_little(scheme: &Scheme, first: &Plan) -> Option<String> {
    if first.joint.is_empty() {
        return None;
    }
    let transport = &scheme.config.transport;
    match transport.each_tcp() {
        None => Some(format!(
            "transport {} knows no connections: flows that share one go by its path, one message \
             at a time, and learn nothing from each other",
            transport.name()
        )),
        Some(tcp) => (!tcp.handshake && !carries_on(first)).then(|| {
            "handshake = false: a request and its response share a path, and nothing is known of it \
             that they could share"
                .to_string()
        }),
    }
}

/// Does a connection carry a second message the same way?
fn carries_on(plan: &Plan) -> bool {
    let src = |flow: FlowId| plan.flows[flow.0 as usize].src;
    let mut later = plan.joint.iter().filter(|joint| joint.flow != joint.opener);
    later.any(|joint| src(joint.flow) == src(joint.opener))
}
