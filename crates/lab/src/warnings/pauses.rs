//! Warnings about pauses: headroom, queues that overflow all the same, and deadlocks.

use crate::scenario::Scenario;
use crate::scheme::Scheme;
use sidestep_sim::pfc::headroom_needed;
use sidestep_sim::{Deadlock, End, Network, Outcome, PortOutcome, SwitchConfig};
use sidestep_switch::Capacity;
use sidestep_transport::shim;
use sidestep_types::{Bytes, Size};

pub(super) fn too_little_headroom(scenario: &Scenario, scheme: &Scheme) -> Option<String> {
    let headroom = scheme.config.switch.pfc?.headroom?;
    let needed = needed(scenario, scheme);
    (headroom < needed).then(|| {
        format!(
            "pfc_headroom ({headroom}) is below the {needed} that can still arrive after a pause \
             on the worst cable of this network: packets may be lost; set pfc_headroom = \"auto\""
        )
    })
}

/// Warns of a limit on an output that can be reached before any input's.
pub(super) fn overflows_though_paused(
    scenario: &Scenario,
    scheme: &Scheme,
    switch: &SwitchConfig,
) -> Option<String> {
    let pfc = switch.pfc?;
    if switch.capacity == Capacity::Unlimited {
        return None;
    }
    let of = |number: &usize| {
        let config = &scheme.config;
        std::ptr::eq(config.others.kind(&config.switch, *number), switch)
    };
    let ports = scenario.network.port_counts();
    let ports = (0..ports.len())
        .filter(of)
        .map(|number| u64::from(ports[number]));
    let most = ports.max().unwrap_or(0);
    let headroom = pfc.headroom.unwrap_or(needed(scenario, scheme)).0;
    let bytes = most.saturating_mul(pfc.xoff.0.saturating_add(headroom));
    let enough = matches!(switch.capacity, Capacity::PerPort(Size::Bytes(room)) if room.0 >= bytes);
    (!enough).then(|| {
        format!(
            "pfc limits the bytes held from each input port (up to {} over {most} ports), but an \
             output queue may reach its capacity first and drop packets; set capacity = \
             \"unlimited\" so that only pauses limit it",
            Bytes(bytes)
        )
    })
}

/// Returns the headroom that a pause needs on the worst cable of the network.
fn needed(scenario: &Scenario, scheme: &Scheme) -> Bytes {
    let framing = scheme.config.framing;
    let longest = shim::longest(&scheme.config.shims, scenario.largest_mss(scheme));
    let full = framing.wire(longest.ip());
    let each = scenario.network.cables.iter();
    let each = each.map(|cable| headroom_needed(cable.rate, cable.delay, full));
    each.max().unwrap_or_default()
}

/// Returns the warnings to read before trusting a number of this run.
pub(crate) fn of_run(network: &Network, scheme: &str, seed: u64, outcome: &Outcome) -> Vec<String> {
    let name = |end: End| match end {
        End::Host(host) => format!("host {}", host.0),
        End::Switch(switch) => network.switches[switch.0 as usize].to_string(),
    };
    let port = |p: &PortOutcome| format!("{} port {} to {}", name(p.from), p.port.0, name(p.to));
    let told = |deadlock: &Deadlock| {
        let ports = deadlock.ports.iter();
        let ports: Vec<String> = ports.map(|p| port(&outcome.ports[*p as usize])).collect();
        format!(
            "scheme {scheme}, seed {seed}: deadlock at {}: {}, and back to the first: each port is \
             paused until the next one sends, so none sends again; flows through them do not finish",
            deadlock.at,
            ports.join(", ")
        )
    };
    outcome.deadlocks.iter().map(told).collect()
}
