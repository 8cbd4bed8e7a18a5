//! Description of a run in its recording: the network at the beginning, flows and queries at the end.

use crate::scenario::Scenario;
use crate::scheme::SchemeConfig;
use sidestep_recording::{Flow, Head, Link, Network, Node, Query, Tail};
use sidestep_sim::{End, Outcome, TrafficPlan};
use sidestep_switch::{Capacity, DropReason};
use sidestep_types::{Size, Time};

/// Returns the head of a recording of scheme number `scheme` with `seed`. The source is the simulator unless
/// the caller changes it. The caller fills in window, flows and packets.
pub fn recording_head(scenario: &Scenario, scheme: usize, seed: u64) -> Head {
    let network = network_of(scenario, scheme);
    let scheme = &scenario.schemes[scheme];
    Head {
        source: "simulator".into(),
        time_unit: "ps".into(),
        scenario: scenario.name.clone(),
        scheme: scheme.name.clone(),
        seed: seed.to_string(),
        reasons: DropReason::ALL.map(|why| why.name().into()).to_vec(),
        clauses: DropReason::ALL.map(|why| why.clause().into()).to_vec(),
        network,
        ..Head::default()
    }
}

/// Returns the network as a recording of scheme number `scheme` describes it, to draw it before there is a
/// recording.
///
/// Panics when the scenario has no such scheme.
pub fn network_of(scenario: &Scenario, scheme: usize) -> Network {
    let settings = &mut scenario.settings.iter();
    let kind = settings.find(|setting| setting.key == "topology.kind");
    Network {
        kind: kind.map_or_else(String::new, |kind| kind.value.trim_matches('"').into()),
        ..network(&scenario.network, &scenario.schemes[scheme].config)
    }
}

/// Returns the flows and queries in progress from `from` to before `to`.
pub fn recording_tail(plan: &TrafficPlan, outcome: &Outcome, from: Time, to: Time) -> Tail {
    let under_way =
        |start: Time, end: Option<Time>| start < to && end.is_none_or(|end| end >= from);
    let mut flows = Vec::new();
    let mut answered = vec![(0, Time::ZERO); plan.queries.len()];
    for ((planned, seen), id) in plan.flows.iter().zip(&outcome.flows).zip(0..) {
        if let (Some(query), false, Some(at)) = (planned.query, planned.request, seen.finished) {
            let (responses, last) = &mut answered[query as usize];
            (*responses, *last) = (*responses + 1, at.max(*last));
        }
        let Some(start) = seen.started else { continue };
        if !under_way(start, seen.finished) {
            continue;
        }
        flows.push(Flow {
            id,
            src: planned.src.0,
            dst: planned.dst.0,
            bytes: (!planned.is_endless()).then_some(planned.size),
            class: planned.class.into(),
            query: planned.query,
            start: start.ps(),
            end: seen.finished.map(Time::ps),
            tuple: None,
        });
    }
    let queries = plan.queries.iter().zip(answered).zip(0..);
    let queries = queries.filter_map(|((query, (responses, last)), id)| {
        let end = (responses == query.responses).then_some(last);
        under_way(query.start, end).then_some(Query {
            id,
            target: query.target.0,
            class: query.class.into(),
            responses: query.responses,
            start: query.start.ps(),
            end: end.map(Time::ps),
        })
    });
    Tail {
        classes: plan.classes.clone(),
        flows,
        queries: queries.collect(),
        ..Tail::default()
    }
}

/// Lists hosts, then switches; links in the order of cables.
fn network(network: &sidestep_sim::Network, config: &SchemeConfig) -> Network {
    let hosts = network.hosts;
    let number = |end: End| match end {
        End::Host(host) => host.0,
        End::Switch(switch) => hosts + switch.0,
    };
    let capacity = |node: u32| match node.checked_sub(hosts) {
        Some(switch) => config.others.kind(&config.switch, switch as usize).capacity,
        None => match &config.nic {
            Some(nic) => nic.capacity,
            None => Capacity::Unlimited,
        },
    };
    let mut nodes: Vec<Node> = (0..hosts)
        .map(|host| Node {
            name: format!("host {host}"),
            host: true,
            ..Node::default()
        })
        .collect();
    nodes.extend(network.switches.iter().map(|switch| Node {
        name: switch.name.clone(),
        tier: switch.tier.clone(),
        pod: switch.pod.clone(),
        ..Node::default()
    }));
    for (node, at) in nodes.iter_mut().zip(0..) {
        if let Capacity::Shared { memory, .. } = capacity(at) {
            node.shared_bytes = Some(memory.0);
        }
    }
    let mut ports = vec![0; nodes.len()];
    let mut links = Vec::new();
    for cable in &network.cables {
        for (from, to) in [(cable.a, cable.b), (cable.b, cable.a)] {
            let (from, to) = (number(from), number(to));
            let port = ports[from as usize];
            ports[from as usize] += 1;
            let (queue_packets, queue_bytes) = match capacity(from) {
                Capacity::PerPort(Size::Packets(n)) => (Some(n), None),
                Capacity::PerPort(Size::Bytes(bytes)) => (None, Some(bytes.0)),
                Capacity::Unlimited | Capacity::Shared { .. } => (None, None),
            };
            links.push(Link {
                from,
                port,
                to,
                rate_bps: cable.rate.as_bps(),
                delay_ps: cable.delay.ps(),
                queue_packets,
                queue_bytes,
            });
        }
    }
    Network {
        kind: String::new(),
        nodes,
        links,
    }
}
