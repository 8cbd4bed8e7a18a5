//! What becomes of single packets on their way: cut, detoured, dropped, counted.

use crate::common;

use common::*;
use sidestep_sim::*;
use sidestep_switch::*;
use sidestep_types::*;
use std::collections::BTreeMap;

#[test]
fn a_time_to_live_of_n_lets_a_packet_through_n_minus_one_switches() {
    let network = topology("linear", &[("switches", "4"), ("hosts_per_switch", "1")]);
    for (ttl, arrives) in [(4, false), (5, true)] {
        let mut settings = config("ecn", 100, 1);
        settings.ttl = ttl;
        let outcome = run(
            &network,
            plan(vec![flow(0, 3, 100, Time::ZERO)]),
            settings,
            Time::from_ms(5),
        );
        assert_eq!(outcome.flows[0].finished.is_some(), arrives);
        assert_eq!(
            outcome.totals.drops[DropReason::Ttl as usize],
            u64::from(!arrives)
        );
    }
}

#[test]
fn trimmed_packets_go_on_as_headers_of_the_least_size_and_overtake() {
    let network = topology("single_switch", &[("hosts", "9")]);
    let mut settings = config("trim", 8, 1);
    settings.switch.sched = chosen_sched("priority", &[]);
    settings.trace = TraceFilter::Flows((0..8).collect());
    let outcome = run(&network, incast(1..9, 14_600), settings, Time::from_us(300));
    assert_conserved(&outcome);
    let trims: u64 = outcome.ports.iter().map(|p| p.counts.trims).sum();
    assert!(trims > 20 && trims == outcome.totals.trims, "{trims}");
    assert_eq!(outcome.totals.drops, [0; DropReason::COUNT]);
    // All data packets went to one port; those that were cut take 84 bytes there, the others 1538.
    let last = outcome
        .ports
        .iter()
        .find(|p| p.to == End::Host(HostId(0)))
        .unwrap();
    let trimmed = |trace: &&PacketTrace| {
        let cut = |s: &TraceStep| {
            let queued = s.what.queued();
            queued.is_some_and(|(_, joined)| joined.changes.has(Changes::TRIMMED))
        };
        trace.steps.iter().any(cut)
    };
    let arrived = |trace: &&PacketTrace| trace.steps.last().unwrap().what == TraceEvent::Delivered;
    let data = outcome.traces.iter().filter(|t| !t.ack).filter(arrived);
    let (cut, whole): (Vec<_>, Vec<_>) = data.partition(trimmed);
    let bytes = 84 * cut.len() as u64 + 1538 * whole.len() as u64;
    assert_eq!(
        last.wire_bytes,
        bytes,
        "{} cut, {} whole",
        cut.len(),
        whole.len()
    );
    let spent = |t: &PacketTrace| t.steps[2].at - t.steps[1].at;
    let slowest = cut.iter().map(|t| spent(t)).max().unwrap();
    // At most one packet of data and a burst of other headers go before a header.
    assert!(slowest < Time::from_us(30), "{slowest}");
}

#[test]
fn without_the_ingress_port_no_detour_goes_straight_back() {
    let network = topology("fat_tree", &[("k", "4")]);
    let back = |ingress: &str| {
        let mut settings = dibs(5, 3);
        settings.switch.buffer = chosen_buffer("dibs", &[("ingress", ingress)]);
        settings.trace = TraceFilter::Detoured(1);
        let outcome = run(&network, incast(1..16, 20_000), settings, Time::from_ms(60));
        assert_conserved(&outcome);
        let leads_to: BTreeMap<(SwitchId, PortId), End> = (outcome.ports.iter())
            .filter_map(|p| match p.from {
                End::Switch(s) => Some(((s, p.port), p.to)),
                End::Host(_) => None,
            })
            .collect();
        let mut back = 0;
        for pair in outcome.traces.iter().flat_map(|t| t.steps.windows(2)) {
            if let (Some((before, _)), Some((switch, joined))) =
                (pair[0].what.queued(), pair[1].what.queued())
            {
                let returns = leads_to[&(switch, joined.port)] == End::Switch(before);
                back += u32::from(joined.detoured() && returns);
            }
        }
        assert!(outcome.totals.detours > 50);
        back
    };
    assert!(back("true") > 10);
    assert_eq!(back("false"), 0);
}

#[test]
fn a_packet_that_was_detoured_so_often_is_dropped_and_says_so() {
    let network = topology("fat_tree", &[("k", "4")]);
    let mut settings = dibs(3, 3);
    settings.switch.buffer = chosen_buffer("dibs", &[("max_detours", "2")]);
    settings.trace = TraceFilter::Detoured(0);
    let outcome = run(&network, incast(1..16, 20_000), settings, Time::from_ms(60));
    assert_conserved(&outcome);
    assert!(outcome.totals.drops[DropReason::Detours as usize] > 10);
    assert!(outcome.traces.iter().all(|t| t.detours() <= 2));
}

#[test]
fn the_delayed_acknowledgement_of_a_last_segment_is_sent_although_the_flow_is_complete() {
    use sidestep_transport::{AckRule, DelayedAck, TcpConfig, TransportConfig};
    let network = topology("single_switch", &[("hosts", "3")]);
    let mut settings = config("ecn", 100, 1);
    settings.transport = TransportConfig::from(TcpConfig {
        delayed_ack: Some(DelayedAck {
            segments: 2,
            timeout: Time::from_ms(1),
        }),
        ack_rule: AckRule::Ns3,
        ..dctcp()
    });
    // One segment and three leave an odd one behind; the later flow keeps the run going.
    let flows = vec![
        flow(0, 1, 1000, Time::ZERO),
        flow(0, 2, 4000, Time::ZERO),
        flow(1, 2, 1000, Time::from_ms(60)),
    ];
    let outcome = run(&network, plan(flows), settings, Time::from_s(1));
    assert_eq!(outcome.totals.timeouts, 0, "{:?}", outcome.flows);
    assert_eq!(outcome.totals.retransmits, 0);
    assert!(outcome.flows.iter().all(|f| f.finished.is_some()));
}

#[test]
fn a_nic_counts_the_packets_that_wait_and_not_those_on_a_long_wire() {
    // Two packets, one after the other has left, over a link as long as 80 packets.
    let network = topology("single_switch", &[("hosts", "2"), ("delay", "1 ms")]);
    let flows = vec![
        flow(0, 1, 1460, Time::ZERO),
        flow(0, 1, 1460, Time::from_us(50)),
    ];
    let outcome = run(
        &network,
        plan(flows),
        config("ecn", 100, 1),
        Time::from_s(1),
    );
    let nic = outcome
        .ports
        .iter()
        .find(|p| p.from == End::Host(HostId(0)))
        .unwrap();
    assert_eq!(nic.peak_packets, 1);
}
