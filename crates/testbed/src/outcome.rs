//! What hosts and switches saw, in the simulator's words: times are those of the network that is emulated.
//!
//! **Deviations**   the simulator's words have a number for everything. What nobody counted is 0 in them and
//!                  named in [`Unmeasured`], so that nobody shows it.

use crate::scene::Scene;
use crate::seen::PortSeen;
use crate::traffic::{FlowRan, Ran};
use sidestep_study::lab::stats::metric;
use sidestep_study::lab::{Probed, Run, Unmeasured};
use sidestep_study::sim::{ClassOutcome, End, FlowOutcome, Outcome, Plan, PortOutcome, Totals};
use sidestep_study::switch::DropReason;
use sidestep_study::switch::ports::Counts;
use sidestep_study::types::{PortId, Time};
use std::sync::Arc;

/// The run that `ran` is, with what the ports of each switch saw; nothing with bridges.
pub fn run(scene: &Scene, seed: u64, plan: Plan, ran: &Ran, seen: &[Vec<PortSeen>]) -> Run {
    let ports = ports(scene, ran, seen);
    let flows: Vec<FlowOutcome> = ran
        .flows
        .iter()
        .map(|flow| self::flow(scene, flow))
        .collect();
    let outcome = Outcome {
        classes: classes(&plan, ran),
        totals: totals(&flows, &ports, ran),
        flows,
        ports,
        deadlocks: Vec::new(),
        end: scene.scale.there(ran.end_ns),
        trajectory_hash: 0,
        traces: Vec::new(),
    };
    let scheme = &scene.scenario.schemes[0];
    let named = |w: &String| format!("scheme {}, seed {seed}: {w}", scheme.name);
    Run {
        scheme: scheme.name.clone(),
        seed,
        plan: Arc::new(plan),
        outcome,
        probed: Probed::default(),
        interrupted: ran.interrupted,
        unmeasured: unmeasured(ran, !seen.is_empty()),
        warnings: ran.warnings.iter().map(named).collect(),
    }
}

/// A flow is handed over when it is due: that a host was late is in the testbed's own numbers, and in the flow's time.
fn flow(scene: &Scene, flow: &FlowRan) -> FlowOutcome {
    let there = |ns: u64| scene.scale.there(ns);
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

/// One for each direction of each cable, `a` to `b` first.
fn ports(scene: &Scene, ran: &Ran, seen: &[Vec<PortSeen>]) -> Vec<PortOutcome> {
    let network = &scene.scenario.network;
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

/// FCS, preamble and gap: what a frame costs on a wire beside what an interface counts.
const FRAMING: u64 = 24;

fn classes(plan: &Plan, ran: &Ran) -> Vec<ClassOutcome> {
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

/// Never known of real packets: what became of a flow's packets in the switches, and what a network
/// without a clock of its own would have to say.
const NEVER: [&str; 39] = [
    "detoured_share",
    "detoured_data_share",
    "detoured_query_share",
    "detoured_background_share",
    "detours_per_packet",
    "detours_p99",
    "detours_max",
    "stretch_mean",
    "extra_hops_p99",
    "spurious_retransmits",
    "spurious_timeouts",
    "reordered_share",
    "reordering_p99",
    "reordering_p99_at_least",
    "in_flight",
    "events",
    "trajectory_hash",
    "classes.detoured",
    "classes.detours",
    "classes.dropped",
    "classes.detours_each",
    "classes.extra_hops",
    "classes.trimmed",
    "classes.reordered",
    "classes.n_reordering",
    "flows.spurious_retransmits",
    "flows.spurious_timeouts",
    "flows.fast_retransmits",
    "flows.reordered",
    "flows.reordering_extent",
    "flows.n_reordering",
    "flows.detours",
    "flows.max_detours",
    "flows.drops",
    "ports.host.drops",
    "ports.host.peak_packets",
    "ports.host.peak_bytes",
    "ports.host.input_peak_bytes",
    "ports.switch.input_peak_bytes",
];

/// Not known with bridges, which count nothing of the kind: these, and [`counted_by_switches`].
const OF_SWITCHES: [&str; 14] = [
    "drops",
    "drops_at",
    "detours",
    "pauses",
    "packet_hops",
    "link_use",
    "link_use_mean",
    "link_use_max",
    "ports.switch.packets",
    "ports.switch.wire_bytes",
    "ports.switch.drops",
    "ports.switch.peak_packets",
    "ports.switch.peak_bytes",
    "ports.switch.pauses",
];

/// What a switch counts of its decisions, at a port and over all of them where that is a metric.
fn counted_by_switches() -> Vec<String> {
    let mut names: Vec<String> = DropReason::ALL
        .map(|reason| format!("drops_{}", reason.name()))
        .into();
    for count in Counts::ALL {
        names.push(format!("ports.switch.{}", count.name));
        if metric::find(count.name).is_some() {
            names.push(count.name.into());
        }
    }
    names
}

/// What was not counted: always, without switches that count, and by an older kernel.
fn unmeasured(ran: &Ran, switches: bool) -> Unmeasured {
    let mut all = Unmeasured::of(NEVER);
    if !switches {
        all.add(&Unmeasured::of(OF_SWITCHES));
        let counted = counted_by_switches();
        all.add(&Unmeasured::of(counted.iter().map(String::as_str)));
    }
    let mut older = |known: fn(&FlowRan) -> bool, names: &[&str]| {
        if !ran.flows.iter().all(known) {
            all.add(&Unmeasured::of(names.iter().copied()));
        }
    };
    older(
        |flow| flow.sender.total_rto.is_some(),
        &[
            "timeouts",
            "query_timeout_share",
            "response_timeout_share",
            "flows.timeouts",
        ],
    );
    older(
        |flow| flow.sender.data_segments_out.is_some(),
        &["classes.sent", "flows.packets"],
    );
    older(
        |flow| flow.receiver.data_segments_in.is_some(),
        &["classes.delivered"],
    );
    older(
        |flow| flow.sender.delivered_marked.is_some(),
        &["classes.marked", "flows.marks"],
    );
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::TcpInfo;
    use sidestep_study::lab::Signals;

    #[test]
    fn what_an_older_kernel_or_a_bridge_does_not_count_is_not_known() {
        let known = TcpInfo {
            data_segments_out: Some(3),
            data_segments_in: Some(3),
            delivered_marked: Some(0),
            total_rto: Some(0),
            ..TcpInfo::default()
        };
        let ran = |sender: TcpInfo| Ran {
            flows: vec![FlowRan {
                sender,
                receiver: known,
                ..FlowRan::default()
            }],
            ..Ran::default()
        };
        let new = unmeasured(&ran(known), true);
        assert_eq!(new, Unmeasured::of(NEVER));
        let sender = TcpInfo {
            total_rto: None,
            ..known
        };
        let old = unmeasured(&ran(sender), true);
        assert!(old.has("timeouts") && old.has("flows.timeouts") && !old.has("flows.marks"));
        let bridges = unmeasured(&ran(known), false);
        assert!(bridges.has("detours") && bridges.has("ports.switch.peak_packets"));
        assert!(!new.has("detours"));
    }

    #[test]
    fn with_bridges_nothing_that_switches_count_is_known() {
        let bridges = unmeasured(&Ran::default(), false);
        for name in ["marks", "trims", "drops_full", "drops_evicted"] {
            assert!(metric::find(name).is_some() && bridges.has(name), "{name}");
        }
        for name in ["detours_in", "detours_out", "trims", "drops", "packets"] {
            assert!(bridges.has(&format!("ports.switch.{name}")), "{name}");
        }
        assert!(!bridges.has("retransmits") && !bridges.has("timeouts"));
    }

    #[test]
    fn every_signal_of_a_run_is_counted_or_named() {
        let counted = ["marks", "trims", "timeouts", "retransmits"];
        let never = unmeasured(&Ran::default(), true);
        for name in Signals::NAMES {
            assert!(counted.contains(name) || never.has(name), "{name}");
        }
    }
}
