//! What reorders packets, what takes that for loss, and what hides it.

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
        return None; // It learns.
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

/// A route that spreads a flow's packets, where no switch that has it has a choice.
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

/// A shim may hold data for longer than its sender waits for an acknowledgement. No refusal: the sender's
/// timeout is longer than the shortest wherever its round trips are, and who sweeps the wait wants to see.
pub(super) fn held_beyond_a_timeout(scheme: &Scheme) -> Option<String> {
    let transport = &scheme.config.transport;
    let waits = transport.shortest_timeout();
    scheme.config.shims.iter().find_map(|shim| {
        let param = shim.nature().holds?;
        let (name, holds) = (shim.name(), shim.values().time(param));
        (holds >= waits).then(|| {
            format!(
                "host.{name}.{param} ({holds}) is not below the shortest timeout of {}, {waits}: what is held may \
                 be sent again, for no loss",
                transport.name()
            )
        })
    })
}

/// What lets packets of one flow overtake each other: of a route, where it has a choice.
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

/// A shim puts data back into order.
fn orders(scheme: &Scheme) -> bool {
    let mut shims = scheme.config.shims.iter();
    shims.any(|shim| shim.nature().orders)
}

/// A shim keeps from the sender what reordering looks like.
fn hides_reordering(scheme: &Scheme) -> bool {
    let mut shims = scheme.config.shims.iter();
    shims.any(|shim| shim.nature().duplicates)
}
