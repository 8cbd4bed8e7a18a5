//! Warnings about reordering: its causes, transports that take it for loss, and shims that hide it.

use super::nature;
use crate::scenario::Scenario;
use crate::scheme::Scheme;
use sidestep_sim::SwitchConfig;
use sidestep_transport::{LossDetection, ThresholdRule};

pub(super) fn reordering_looks_like_losses(
    scenario: &Scenario,
    scheme: &Scheme,
    switch: &SwitchConfig,
) -> Option<String> {
    let tcp = scheme.config.transport.each_tcp()?;
    let threshold = tcp.dupack_threshold?;
    let who = reorders(scenario, scheme, switch)?;
    if tcp.reordering.rule != ThresholdRule::Fixed {
        return None; // The threshold adapts to reordering.
    }
    // DIBS section 4: above 10 duplicates is usually enough.
    let helped = orders(scheme) || hides_reordering(scheme);
    if tcp.loss_detection() == LossDetection::Rack {
        return (!helped).then(|| {
            format!(
                "{who}, and loss_detection = \"rack\" treats packets later than its reordering \
                 window (at most one smoothed round trip) as lost; set fast_retransmit = \"off\" \
                 to repair by timeout only, or host.shims = [\"order\"] to restore the order"
            )
        });
    }
    (threshold <= 10 && !helped).then(|| {
        format!(
            "{who}, and fast_retransmit = {threshold} treats that as loss; set it to \"off\" or \
             above 10, as DIBS does (section 4), or add host.shims = [\"order\"] or a \
             fast_retransmit_rule"
        )
    })
}

/// Warns of a route that spreads a flow's packets, where no switch that uses it has a choice.
pub(super) fn nothing_to_spray(
    scenario: &Scenario,
    scheme: &Scheme,
    switch: &SwitchConfig,
) -> Option<String> {
    let route = switch.route.name();
    if !switch.route.nature().reorders {
        return None;
    }
    let config = &scheme.config;
    let choices = scenario.network.choices().ok()?;
    let of = |number| std::ptr::eq(config.others.kind(&config.switch, number), switch);
    let idle = !(0..choices.len()).any(|number| choices[number] && of(number));
    idle.then(|| {
        format!(
            "route {route:?} has no choice: in this network every packet has a single next hop; \
             use a topology whose switches have several next hops toward a host"
        )
    })
}

pub(super) fn nothing_to_order(scenario: &Scenario, scheme: &Scheme) -> Option<String> {
    let mut switches = scheme.switches();
    let idle =
        orders(scheme) && switches.all(|(_, switch)| reorders(scenario, scheme, switch).is_none());
    idle.then(|| {
        "host.shims restores the order of data, but nothing here reorders it: the shim only holds \
         packets behind a loss, so the loss is detected later"
            .to_string()
    })
}

/// Warns of a shim that may hold data for longer than its sender waits for an acknowledgement. This is not
/// refused: the sender's timeout grows with its round trips, and a sweep of the wait may go there on purpose.
pub(super) fn held_beyond_a_timeout(scheme: &Scheme) -> Option<String> {
    let transport = &scheme.config.transport;
    let waits = transport.shortest_timeout();
    scheme.config.shims.iter().find_map(|shim| {
        let param = shim.nature().holds?;
        let (name, holds) = (shim.name(), shim.values().time(param));
        (holds >= waits).then(|| {
            format!(
                "host.{name}.{param} ({holds}) is not below the shortest timeout of {}, {waits}: \
                 held packets may be retransmitted although none was lost",
                transport.name()
            )
        })
    })
}

/// Returns the cause that lets packets of one flow overtake each other; a route counts only where it has a
/// choice.
pub(super) fn reorders(
    scenario: &Scenario,
    scheme: &Scheme,
    switch: &SwitchConfig,
) -> Option<String> {
    let (route, sched) = (switch.route.name(), switch.sched.name());
    if nature(switch).reorders {
        Some("detours reorder packets".to_string())
    } else if switch.route.nature().reorders && nothing_to_spray(scenario, scheme, switch).is_none()
    {
        Some(format!("route {route:?} reorders packets"))
    } else if switch.sched.nature().reorders {
        Some(format!("scheduler {sched:?} reorders packets"))
    } else {
        None
    }
}

/// True if a shim puts data back into order.
fn orders(scheme: &Scheme) -> bool {
    let mut shims = scheme.config.shims.iter();
    shims.any(|shim| shim.nature().orders)
}

/// True if a shim hides from the sender the duplicate acknowledgements that reordering causes.
fn hides_reordering(scheme: &Scheme) -> bool {
    let mut shims = scheme.config.shims.iter();
    shims.any(|shim| shim.nature().duplicates)
}
