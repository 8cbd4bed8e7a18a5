//! Warnings about reordering: its causes, transports that take it for loss, and shims that hide it.

use super::nature;
use crate::scenario::Scenario;
use crate::scheme::Scheme;
use sidestep_sim::SwitchConfig;
use sidestep_switch::{route, sched};
use sidestep_transport::{LossDetection, ThresholdRule, shim};

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
                "{who}, and loss_detection = \"rack\" takes for lost what is later than its reordering window, a \
                 smoothed round trip at most; fast_retransmit = \"off\" repairs by the timer alone, and host.shims = \
                 [\"order\"] restores the order"
            )
        });
    }
    (threshold <= 10 && !helped).then(|| {
        format!(
            "{who}, and fast_retransmit = {threshold} takes that for loss; DIBS turns it off, and \
             found more than 10 usually enough (section 4); host.shims = [\"order\"] and \
             fast_retransmit_rule leave it on"
        )
    })
}

/// Warns of a route that spreads a flow's packets, where no switch that uses it has a choice.
pub(super) fn nothing_to_spray(
    scenario: &Scenario,
    scheme: &Scheme,
    switch: &SwitchConfig,
) -> Option<String> {
    let route = &switch.route.0;
    if !route::nature(route).reorders {
        return None;
    }
    let config = &scheme.config;
    let choices = scenario.network.choices().ok()?;
    let of = |number| std::ptr::eq(config.others.kind(&config.switch, number), switch);
    let idle = !(0..choices.len()).any(|number| choices[number] && of(number));
    idle.then(|| {
        format!(
            "route {route:?} has nothing to choose from: expected switches with several next hops \
             toward some host, got one next hop for every packet"
        )
    })
}

pub(super) fn nothing_to_order(scenario: &Scenario, scheme: &Scheme) -> Option<String> {
    let mut switches = scheme.switches();
    let idle =
        orders(scheme) && switches.all(|(_, switch)| reorders(scenario, scheme, switch).is_none());
    idle.then(|| {
        "host.shims puts data back into order, but nothing here reorders it: it only holds what is \
         behind a loss, so that the loss is found later"
            .to_string()
    })
}

/// Warns of a shim that may hold data for longer than its sender waits for an acknowledgement. This is not
/// refused: the sender's timeout grows with its round trips, and a sweep of the wait may go there on purpose.
pub(super) fn held_beyond_a_timeout(scheme: &Scheme) -> Option<String> {
    let transport = &scheme.config.transport;
    let waits = transport.shortest_timeout();
    scheme.config.shims.iter().find_map(|(name, values)| {
        let param = shim::nature(name).holds?;
        let holds = values.time(param);
        (holds >= waits).then(|| {
            format!(
                "host.{name}.{param} ({holds}) is not below the shortest timeout of {}, {waits}: what is held may \
                 be sent again, for no loss",
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
    let (route, sched) = (&switch.route.0, &switch.sched.0);
    if nature(switch).reorders {
        Some("detours reorder packets".to_string())
    } else if route::nature(route).reorders && nothing_to_spray(scenario, scheme, switch).is_none()
    {
        Some(format!("route {route:?} reorders packets"))
    } else if sched::nature(sched).reorders {
        Some(format!("scheduler {sched:?} reorders packets"))
    } else {
        None
    }
}

/// True if a shim puts data back into order.
fn orders(scheme: &Scheme) -> bool {
    let mut shims = scheme.config.shims.iter();
    shims.any(|(name, _)| shim::nature(name).orders)
}

/// True if a shim hides from the sender the duplicate acknowledgements that reordering causes.
fn hides_reordering(scheme: &Scheme) -> bool {
    let mut shims = scheme.config.shims.iter();
    shims.any(|(name, _)| shim::nature(name).duplicates)
}
