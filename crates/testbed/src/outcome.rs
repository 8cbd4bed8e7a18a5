//! Measurements of hosts and switches as the simulator's outcome: times are those of the emulated network.
//!
//! **Deviations**   an outcome has a number for everything. A value that was not counted is 0, and its teller
//!                  is missing in [`CountSources`], so that it is never shown.

#[cfg(test)]
mod tests;

use crate::seen::PortSeen;
use crate::setup::TestbedSetup;
use crate::traffic::{FlowRan, Ran};
use sidestep_lab::{CountSource, CountSources, Probed, Run, probe};
use sidestep_sim::{ClassOutcome, End, FlowOutcome, Outcome, PortOutcome, Totals, TrafficPlan};
use sidestep_types::{PortId, Time};
use std::sync::Arc;

/// Converts `ran` and the counts of each switch's ports into a run; `seen` is empty with bridges.
pub fn run(
    setup: &TestbedSetup,
    seed: u64,
    plan: TrafficPlan,
    ran: &Ran,
    seen: &[Vec<PortSeen>],
) -> Run {
    let ports = ports(setup, ran, seen);
    let flows: Vec<FlowOutcome> = ran
        .flows
        .iter()
        .map(|flow| self::flow(setup, flow))
        .collect();
    let outcome = Outcome {
        classes: classes(&plan, ran),
        totals: totals(&flows, &ports, ran),
        flows,
        ports,
        // The kernel is not queried for the subflows of a flow.
        subflows: Vec::new(),
        deadlocks: Vec::new(),
        end: setup.scale.there(ran.end_ns),
        trajectory_hash: 0,
        traces: Vec::new(),
    };
    let probed = Probed {
        drops_at: probe::drops_at(&setup.scenario.network, &outcome),
        ..Probed::default()
    };
    let scheme = &setup.scenario.schemes[0];
    let named = |w: &String| format!("scheme {}, seed {seed}: {w}", scheme.name);
    Run {
        scheme: scheme.name.clone(),
        seed,
        plan: Arc::new(plan),
        outcome,
        network: Arc::clone(&setup.scenario.network),
        framing: scheme.config.framing,
        mss: scheme.config.transport.mss(),
        probed,
        recording: None,
        interrupted: ran.interrupted,
        // Set by the caller, which measured the lateness.
        marks: Vec::new(),
        told: told(ran, !seen.is_empty()),
        warnings: ran.warnings.iter().map(named).collect(),
    }
}

/// Returns the sources of a run's values: without the simulator, without switches if bridges forward, and
/// without counters that an older kernel lacks.
fn told(ran: &Ran, switches: bool) -> CountSources {
    let all = |known: fn(&FlowRan) -> bool| ran.flows.iter().all(known);
    let tellers = [
        (CountSource::Simulator, false),
        (CountSource::Switches, switches),
        (
            CountSource::Timeouts,
            all(|flow| flow.sender.total_rto.is_some()),
        ),
        (
            CountSource::DataOut,
            all(|flow| flow.sender.data_segments_out.is_some()),
        ),
        (
            CountSource::DataIn,
            all(|flow| flow.receiver.data_segments_in.is_some()),
        ),
        (
            CountSource::Marks,
            all(|flow| flow.sender.delivered_marked.is_some()),
        ),
    ];
    let missing = tellers.into_iter().filter(|(_, there)| !there);
    CountSources::without(missing.map(|(teller, _)| teller))
}

/// Converts a flow. Its start is its due time: a host's lateness appears in the testbed's own numbers, and in
/// the flow's completion time.
fn flow(setup: &TestbedSetup, flow: &FlowRan) -> FlowOutcome {
    let there = |ns: u64| setup.scale.there(ns);
    FlowOutcome {
        started: flow.started_ns.and(flow.due_ns).map(there),
        finished: flow.finished_ns.map(there),
        delivered_bytes: flow.delivered,
        segments: flow.sender.data_segments_out.unwrap_or(0),
        retransmits: flow.sender.retransmits,
        timeouts: flow.sender.total_rto.unwrap_or(0),
        marks: flow.sender.delivered_marked.unwrap_or(0),
        ..FlowOutcome::default()
    }
}

/// Returns an outcome for each direction of each cable, `a` to `b` first.
fn ports(setup: &TestbedSetup, ran: &Ran, seen: &[Vec<PortSeen>]) -> Vec<PortOutcome> {
    let network = &setup.scenario.network;
    let mut next = vec![0u16; network.switches.len()];
    let mut ports = Vec::new();
    for cable in &network.cables {
        for (from, to) in [(cable.a, cable.b), (cable.b, cable.a)] {
            let (port, what) = match from {
                End::Host(h) => {
                    let host = &ran.hosts[h.0 as usize];
                    let what = PortSeen {
                        packets: host.sent,
                        bytes: host.sent_bytes,
                        ..PortSeen::default()
                    };
                    (0, what)
                }
                End::Switch(s) => {
                    let port = next[s.0 as usize];
                    next[s.0 as usize] += 1;
                    let ports = seen.get(s.0 as usize);
                    let what = ports.and_then(|ports| ports.get(usize::from(port)));
                    (port, what.cloned().unwrap_or_default())
                }
            };
            ports.push(PortOutcome {
                from,
                port: PortId(port),
                to,
                rate: cable.rate,
                packets: what.packets,
                wire_bytes: what.bytes + FRAMING * what.packets,
                counts: what.counts,
                peak_packets: what.peak_packets,
                peak_bytes: what.peak_bytes,
                pauses: 0,
                paused: Time::ZERO,
                input_peak_bytes: 0,
            });
        }
    }
    ports
}

/// Bytes of a frame on the wire that an interface does not count: FCS, preamble and gap.
const FRAMING: u64 = 24;

fn classes(plan: &TrafficPlan, ran: &Ran) -> Vec<ClassOutcome> {
    let mut classes = vec![ClassOutcome::default(); plan.classes.len()];
    for (flow, seen) in plan.flows.iter().zip(&ran.flows) {
        let class = &mut classes[usize::from(flow.class)];
        class.sent += u64::from(seen.sender.data_segments_out.unwrap_or(0));
        class.delivered += u64::from(seen.receiver.data_segments_in.unwrap_or(0));
        class.marked += u64::from(seen.sender.delivered_marked.unwrap_or(0));
    }
    classes
}

fn totals(flows: &[FlowOutcome], ports: &[PortOutcome], ran: &Ran) -> Totals {
    let mut totals = Totals {
        sent: ran.hosts.iter().map(|h| h.sent).sum(),
        delivered: ran.hosts.iter().map(|h| h.received).sum(),
        ..Totals::default()
    };
    for port in ports {
        totals.packet_hops += port.packets;
        totals.decided(&port.counts);
    }
    for flow in flows {
        totals.timeouts += u64::from(flow.timeouts);
        totals.retransmits += u64::from(flow.retransmits);
    }
    totals
}
