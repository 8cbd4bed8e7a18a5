//! Classes of flows with different transports in one world: each flow has that of its class, at both ends.

use crate::common;

use common::*;
use sidestep_sim::agenda::WheelAgenda;
use sidestep_sim::*;
use sidestep_transport::{Congestion, DelayedAck, MptcpConfig, TcpConfig, TransportConfig};
use sidestep_types::*;
use std::sync::Arc;

/// Returns a plan of two classes; the flows of the second are `second`.
fn two(first: Vec<FlowPlan>, second: Vec<FlowPlan>) -> Arc<TrafficPlan> {
    let mut all = TrafficPlan::clone(&plan(first));
    all.classes = vec!["first".into(), "second".into()];
    let second = second.into_iter().map(|flow| FlowPlan { class: 1, ..flow });
    all.flows.extend(second);
    all.into()
}

/// Returns TCP without ECN.
fn tcp() -> TcpConfig {
    TcpConfig {
        congestion: Congestion::NewReno { ecn: false },
        ..dctcp()
    }
}

/// Gives the second class `transport`; the first has DCTCP.
fn beside(transport: impl Into<TransportConfig>, mut settings: WorldConfig) -> WorldConfig {
    settings.transports = ClassTransports {
        own: vec![None, Some(transport.into())],
    };
    settings
}

fn refused(plan: Arc<TrafficPlan>, settings: WorldConfig) -> String {
    let network = topology("single_switch", &[("hosts", "4")]);
    let world = World::<WheelAgenda>::new(&network, plan, settings);
    world.err().expect("a refusal")
}

#[test]
fn each_flow_has_the_transport_of_its_class_at_both_ends() {
    let network = topology("single_switch", &[("hosts", "7")]);
    let to_one = |hosts: std::ops::Range<u32>, size| {
        hosts.map(|src| flow(src, 0, size, Time::ZERO)).collect()
    };
    // Only ECN-capable packets are marked: those of TCP are dropped when the queue is full.
    let plan = two(to_one(1..4, 300_000), to_one(4..7, 300_000));
    let settings = beside(tcp(), config("ecn", 60, 1));
    let outcome = run_on_both(&network, &plan, &settings, Time::from_s(2));
    assert_conserved(&outcome);
    let (of_dctcp, of_tcp) = outcome.flows.split_at(3);
    assert!(outcome.flows.iter().all(|f| f.finished.is_some()));
    assert!(of_dctcp.iter().all(|f| f.marks > 0), "{of_dctcp:?}");
    assert!(of_tcp.iter().all(|f| f.marks == 0), "{of_tcp:?}");
    assert!(of_tcp.iter().any(|f| f.retransmits > 0), "{of_tcp:?}");
}

#[test]
fn a_transport_named_for_a_class_that_all_have_changes_nothing() {
    let network = topology("fat_tree", &[("k", "4")]);
    let many = |from: u32| (from..from + 4).map(|s| flow(s, 15 - s, 90_000, Time::ZERO));
    let mut all = TrafficPlan::clone(&two(many(0).collect(), many(4).collect()));
    asks(&mut all, 3, 12, &[(Time::ZERO, 500, 30_000)], Time::ZERO);
    let plan = Arc::new(all);
    let settings = config("ecn", 20, 5);
    let one = run(&network, plan.clone(), settings.clone(), Time::from_s(1));
    let named = run(&network, plan, beside(dctcp(), settings), Time::from_s(1));
    assert_eq!(one, named);
}

#[test]
fn flows_that_share_a_connection_have_the_transport_of_their_class() {
    let network = topology("single_switch", &[("hosts", "7")]);
    let to_one = (1..4).map(|src| flow(src, 0, 200_000, Time::ZERO));
    let mut all = TrafficPlan::clone(&two(to_one.collect(), vec![]));
    for host in 4..7 {
        asks(&mut all, 0, host, &[(Time::ZERO, 500, 200_000)], Time::ZERO);
    }
    all.flows[3..].iter_mut().for_each(|flow| flow.class = 1);
    let settings = beside(tcp(), config("ecn", 60, 1));
    let outcome = run_on_both(&network, &all.into(), &settings, Time::from_s(2));
    assert!(outcome.flows.iter().all(|f| f.finished.is_some()));
    let marked: Vec<bool> = outcome.flows.iter().map(|f| f.marks > 0).collect();
    assert_eq!(marked, [vec![true; 3], vec![false; 6]].concat());
}

/// Delayed acknowledgements and receive windows belong to the receiver: it has the transport of its class as
/// well.
#[test]
fn a_world_in_which_every_flow_has_its_class_s_transport_is_the_world_of_that_transport() {
    let network = topology("fat_tree", &[("k", "4")]);
    let mut all = TrafficPlan::clone(&incast(1..12, 60_000));
    asks(&mut all, 3, 12, &[(Time::ZERO, 500, 30_000)], Time::ZERO);
    all.classes = vec!["none".into(), "all".into()];
    all.flows.iter_mut().for_each(|flow| flow.class = 1);
    let plan = Arc::new(all);
    let delayed = TcpConfig {
        delayed_ack: Some(DelayedAck {
            segments: 2,
            timeout: Time::from_us(500),
        }),
        ..tcp()
    };
    let transports: [TransportConfig; 3] = [
        delayed.into(),
        MptcpConfig::from(tcp()).into(),
        pfabric().into(),
    ];
    for transport in transports {
        let mut common = config("droptail", 20, 5);
        common.transport = transport.clone();
        let common = run(&network, plan.clone(), common, Time::from_s(1));
        let own = beside(transport, config("droptail", 20, 5));
        let own = run(&network, plan.clone(), own, Time::from_s(1));
        assert!(own.flows.iter().all(|flow| flow.finished.is_some()));
        assert_eq!(common, own);
    }
}

/// DCTCP keeps the queue near the threshold, TCP fills it, and only DCTCP gets the marks above the threshold.
#[test]
fn tcp_without_marks_takes_a_marking_bottleneck_from_dctcp() {
    let network = topology("single_switch", &[("hosts", "3")]);
    let endless = |src| flow(src, 0, FlowPlan::ENDLESS, Time::ZERO);
    let plan = two(vec![endless(1)], vec![endless(2)]);
    let until = Time::from_ms(200);
    let shares = |settings: WorldConfig| {
        let outcome = run(&network, plan.clone(), settings, until);
        let sent: Vec<f64> = (outcome.flows.iter())
            .map(|f| f.delivered_bytes as f64)
            .collect();
        let all: f64 = sent.iter().sum();
        // The link is full in both cases.
        assert!(all * 8.0 / 0.2 > 0.9e9, "{all}");
        sent[1] / all
    };
    let alike = shares(config("ecn", 100, 1));
    assert!((0.4..0.6).contains(&alike), "{alike}");
    let apart = shares(beside(tcp(), config("ecn", 100, 1)));
    assert!(apart > 0.8, "{apart}");
}

#[test]
fn subflows_are_of_the_flows_of_the_class_that_has_them() {
    let network = topology(
        "leaf_spine",
        &[("leaves", "2"), ("spines", "2"), ("hosts_per_leaf", "4")],
    );
    let across = |from: u32| (from..from + 2).map(|s| flow(s, s + 4, 400_000, Time::ZERO));
    let plan = two(across(0).collect(), across(2).collect());
    let mptcp = MptcpConfig {
        subflows: 4,
        ..MptcpConfig::from(tcp())
    };
    let settings = beside(mptcp, config("ecn", 100, 1));
    let outcome = run_on_both(&network, &plan, &settings, Time::from_s(1));
    assert_conserved(&outcome);
    assert!(outcome.flows.iter().all(|f| f.delivered_bytes == 400_000));
    let rows: Vec<_> = (outcome.subflows.iter())
        .map(|row| (row.flow.0, row.subflow))
        .collect();
    let expected: Vec<_> = (2..4)
        .flat_map(|f| (0..4).map(move |subflow| (f, subflow)))
        .collect();
    assert_eq!(rows, expected);
}

#[test]
fn segments_of_a_class_are_as_large_as_those_of_its_transport() {
    let network = topology("single_switch", &[("hosts", "4")]);
    let plan = two(
        vec![flow(0, 1, 14_600, Time::ZERO)],
        vec![flow(2, 3, 14_600, Time::ZERO)],
    );
    let small = TcpConfig { mss: 730, ..tcp() };
    let outcome = run(
        &network,
        plan,
        beside(small, config("ecn", 100, 1)),
        Time::from_s(1),
    );
    let segments: Vec<u32> = outcome.flows.iter().map(|f| f.segments).collect();
    assert_eq!(segments, [10, 20]);
}

#[test]
fn what_no_world_can_have_of_transports_of_classes_is_refused() {
    let of_two = || two(vec![flow(0, 1, 1000, Time::ZERO)], vec![]);
    let mut one_class = config("ecn", 100, 1);
    one_class.transports.own = vec![Some(tcp().into())];
    assert_eq!(
        refused(of_two(), one_class),
        "transports must have one entry for each of the 2 classes, got 1"
    );
    let mut shared = TrafficPlan::clone(&of_two());
    asks(&mut shared, 0, 1, &[(Time::ZERO, 500, 900)], Time::ZERO);
    shared.flows[2].class = 1;
    assert_eq!(
        refused(shared.into(), beside(tcp(), config("ecn", 100, 1))),
        "flow 2 shares the connection of flow 1 but has another transport"
    );
    let mut never = tcp();
    never.rto.min = Time::ZERO;
    let why = refused(of_two(), beside(never, config("ecn", 100, 1)));
    assert!(why.contains("timeout must be above 0"), "{why}");
}
