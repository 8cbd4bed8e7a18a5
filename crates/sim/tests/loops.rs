//! Closed loops: flows that replace each other, and flows with their own segment size.

use crate::common;

use common::any::*;
use common::changes::{any_changes, of};
use common::*;
use proptest::prelude::*;
use sidestep_sim::agenda::WheelAgenda;
use sidestep_sim::workload;
use sidestep_sim::*;
use sidestep_transport::TransportConfig;
use sidestep_types::*;
use std::num::NonZeroU16;
use std::sync::Arc;

/// Returns flows that follow each other: the first starts at time zero, and none starts at `until` or later.
fn chain(hops: &[(u32, u32, u64)], first: u32, until: Time) -> Vec<FlowPlan> {
    let each = (first..).zip(hops).map(|(id, &(src, dst, size))| FlowPlan {
        start: match id.checked_sub(1).filter(|before| *before >= first) {
            None => Start::At(Time::ZERO),
            Some(before) => Start::Replace {
                flow: FlowId(before),
                until,
            },
        },
        ..flow(src, dst, size, Time::ZERO)
    });
    each.collect()
}

/// Returns the plan of the `replace` workload with these values, for `window`.
fn planned(network: &Network, sets: &[(&str, &str)], window: Time) -> Arc<TrafficPlan> {
    let values = values(workload::ENTRIES, "replace", sets);
    let made = workload::build("replace", &values, &NoFiles, network).unwrap();
    let mut plan = TrafficPlan {
        classes: vec!["loop".into()],
        ..TrafficPlan::default()
    };
    made.plan(0, window, Seed(3), "loop", &mut plan).unwrap();
    plan.into()
}

#[test]
fn one_flow_after_the_other_on_idle_links_completes_as_often_as_its_time_fits() {
    let network = topology("single_switch", &[("hosts", "8")]);
    let window = Time::from_ms(20);
    let sets = [("active", "1"), ("cdf", "off"), ("size", "14600 B")];
    let plan = planned(&network, &sets, window);
    let outcome = run(&network, plan, config("ecn", 100, 1), window);
    // Ten packets of 12.304 us, stored once, and two delays of 1 us, for all pairs of hosts alike. Each flow
    // but the first leaves behind the acknowledgement of the previous flow's last byte, of 0.672 us.
    let alone = Time::from_ns(11 * 12_304 + 2_000);
    let ack = Time::from_ns(672);
    let done: Vec<Time> = outcome.flows.iter().map_while(|f| f.finished).collect();
    assert_eq!(done.len() as u64, (window + ack).ps() / (alone + ack).ps());
    assert!(
        (1..)
            .zip(&done)
            .all(|(n, at)| *at + ack == (alone + ack) * n)
    );
    // The next flow is in progress, and no other was handed over.
    let started = outcome.flows.iter().filter(|f| f.started.is_some());
    assert_eq!(started.count(), done.len() + 1);
    assert!(outcome.end <= window);
}

/// Each loop alternates over the link between two switches, with data one way and a byte the other.
#[test]
fn flows_of_one_size_in_a_loop_share_a_link() {
    let window = Time::from_ms(400);
    for active in [2u32, 4, 10] {
        let hosts = active.to_string();
        let sets = [
            ("left", &hosts[..]),
            ("right", &hosts),
            ("rate", "10 Gbps"),
            ("bottleneck_rate", "1 Gbps"),
        ];
        let network = topology("dumbbell", &sets);
        let size = 292_000u64;
        let mut flows = Vec::new();
        for i in 0..active {
            let there_and_back = [(i, active + i, size), (active + i, i, 1)];
            let hops: Vec<_> = there_and_back.into_iter().cycle().take(600).collect();
            flows.extend(chain(&hops, flows.len() as u32, window));
        }
        let plan = plan(flows);
        let outcome = run(&network, plan.clone(), config("ecn", 200, 2), window);
        assert_eq!(outcome.totals.drops.iter().sum::<u64>(), 0);
        let mut done = vec![0f64; active as usize];
        for (_, flow, seen) in outcome.flows_of(&plan) {
            if flow.size == size && seen.finished.is_some() {
                done[flow.src.0 as usize] += 1.0;
            }
        }
        // 200 packets of 1538 bytes.
        let fits = window.as_s_f64() * 1e9 / f64::from(200 * 1538 * 8);
        let all: f64 = done.iter().sum();
        assert!(
            (all - fits).abs() < f64::from(active),
            "{active}: {all} of {fits}"
        );
        let share = fits / f64::from(active);
        assert!(
            done.iter().all(|n| (n - share).abs() <= 0.1 * share + 1.0),
            "{done:?}"
        );
    }
}

#[test]
fn a_run_waits_for_no_loop() {
    let network = topology("single_switch", &[("hosts", "4")]);
    let hops = [(0, 1, 20_000), (1, 0, 20_000), (0, 1, 20_000)];
    let mut flows = chain(&hops, 0, Time::from_s(1));
    flows.push(flow(2, 3, 1_460, Time::ZERO));
    let plan = plan(flows);
    let mut world: World = World::new(&network, plan.clone(), config("ecn", 100, 1)).unwrap();
    assert!(!world.run_until(Time::from_ms(10)), "the loop goes on");
    assert_eq!((world.unfinished(), plan.unawaited()), (3, 3));
    let outcome = world.finish();
    assert!(outcome.flows.iter().all(|flow| flow.finished.is_some()));
    assert_eq!(outcome.end, Time::from_ms(10));
}

#[test]
fn a_loop_that_ends_elsewhere_is_refused() {
    let network = topology("single_switch", &[("hosts", "4")]);
    let astray = chain(&[(0, 1, 10), (2, 3, 10)], 0, Time::from_ms(1));
    let refused = World::<WheelAgenda>::new(&network, plan(astray), config("ecn", 100, 1));
    let why = refused.err().unwrap();
    assert!(
        why.contains("flow 1 waits for flow 0, which does not end at the host that sends flow 1"),
        "{why}"
    );
}

/// Checks that, whatever the transport, full segments have the size given by the flow, and a smaller last one
/// carries the rest.
#[test]
fn a_flow_has_segments_of_its_own_size() {
    let network = topology("single_switch", &[("hosts", "4")]);
    for transport in [TransportConfig::from(dctcp()), pfabric().into()] {
        let mut config = config("ecn", 100, 1);
        config.transport = transport;
        let of = |mss: Option<u16>| FlowPlan {
            mss: mss.and_then(NonZeroU16::new),
            ..flow(0, 1, 30_000, Time::ZERO)
        };
        for (mss, segments, last) in [
            (None, 21, 800),
            (Some(100), 300, 100),
            (Some(8_999), 4, 3_003),
        ] {
            let plan = plan(vec![of(mss)]);
            let outcome = run(&network, plan.clone(), config.clone(), Time::from_ms(50));
            assert_eq!(
                (outcome.flows[0].segments, outcome.flows[0].retransmits),
                (segments, 0)
            );
            let full = plan.flows[0].mss_or(config.transport.mss());
            let wire = |payload| u64::from(Framing::Ethernet.wire(HEADER_BYTES + payload));
            let sent = outcome
                .ports
                .iter()
                .find(|p| p.from == End::Host(HostId(0)))
                .unwrap();
            let expected = u64::from(segments - 1) * wire(full) + wire(last);
            assert_eq!(sent.wire_bytes, expected, "{mss:?}");
        }
    }
}

/// Pauses leave room for the largest packet of any flow.
#[test]
fn pauses_know_the_largest_segment_of_a_plan() {
    let network = topology("single_switch", &[("hosts", "8")]);
    let mut settings = config("droptail", 1, 1);
    settings.switch.capacity = sidestep_switch::Capacity::Unlimited;
    settings.switch.pfc = Some(PfcConfig {
        xoff: Bytes(20_000),
        xon: None,
        headroom: None,
    });
    let large = |src| FlowPlan {
        mss: NonZeroU16::new(8_900),
        ..flow(src, 0, 400_000, Time::ZERO)
    };
    let paused = plan((1..8).map(large).collect());
    let outcome = run(&network, paused.clone(), settings.clone(), Time::from_s(1));
    assert!(outcome.totals.pauses > 0);
    assert_eq!(outcome.totals.drops.iter().sum::<u64>(), 0);
    settings.switch.pfc = Some(PfcConfig {
        xoff: Bytes(2_000),
        xon: None,
        headroom: Some(Bytes(2_000)),
    });
    let refused = World::<WheelAgenda>::new(&network, paused, settings);
    let why = refused.err().unwrap();
    assert!(
        why.contains("must hold a full packet, 8958 B with mss 8900 B, got 4 kB"),
        "{why}"
    );
}

#[test]
fn a_segment_above_the_receive_window_or_any_packet_is_refused() {
    let network = topology("single_switch", &[("hosts", "4")]);
    let said = |mss, window| {
        let mut config = config("ecn", 100, 1);
        let mut tcp = dctcp();
        tcp.receive_window = window;
        config.transport = tcp.into();
        let own = FlowPlan {
            mss: NonZeroU16::new(mss),
            ..flow(0, 1, 10, Time::ZERO)
        };
        World::<WheelAgenda>::new(&network, plan(vec![own]), config).err()
    };
    assert_eq!(said(4_000, 4_000), None);
    let why = "a flow's mss must be within the receive window (3999 B), got 4000 B";
    assert_eq!(said(4_000, 3_999).as_deref(), Some(why));
    assert_eq!(
        said(65_001, 1 << 20).as_deref(),
        Some("mss must be from 1 B to 65000 B, got 65001 B")
    );
}

/// Draws flows at any instants, and any loops beside them, with segments of any size.
fn any_traffic() -> impl Strategy<Value = (Arc<TrafficPlan>, Time)> {
    let hops = proptest::collection::vec((1u32..16, 1u64..60_000), 1..12);
    let loops = proptest::collection::vec((0u32..16, hops), 1..6);
    (any_plan(16), loops, 1u64..20_000).prop_map(|(before, loops, us)| {
        let until = Time::from_us(us);
        let mut all = TrafficPlan::clone(&before);
        for (mut at, hops) in loops {
            let mut next = |(step, size)| {
                let src = at;
                at = (src + step) % 16;
                (src, at, size)
            };
            let hops: Vec<_> = hops.into_iter().map(&mut next).collect();
            all.flows
                .extend(chain(&hops, all.flows.len() as u32, until));
        }
        (Arc::new(all), until)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_follower_starts_when_and_where_the_one_before_ended_and_not_after_its_loop(
        network in any_network(), mut config in any_switches(), (plan, until) in any_traffic(),
        drawn in any_changes(), us in 1u64..40_000,
    ) {
        config.changes = of(&network, drawn);
        let limit = Time::from_us(us);
        let outcome = run_on_both(&network, &plan, &config, limit);
        assert_conserved(&outcome);
        prop_assert!(outcome.end <= limit);
        for (flow, seen) in plan.flows.iter().zip(&outcome.flows) {
            if let Start::Replace { flow: before, .. } = flow.start {
                let ended = outcome.flows[before.0 as usize].finished;
                prop_assert_eq!(seen.started, ended.filter(|at| *at < until));
            }
        }
        let there: Vec<FlowId> = outcome.flows_of(&plan).map(|(id, ..)| id).collect();
        let never = |id: &FlowId| {
            let flow = &plan.flows[id.0 as usize];
            flow.start.replaces() && outcome.flows[id.0 as usize].started.is_none()
        };
        prop_assert!(!there.iter().any(never));
        let left_out = (0..plan.flows.len() as u32).map(FlowId).filter(never).count();
        prop_assert_eq!(there.len() + left_out, plan.flows.len());
    }

    #[test]
    fn two_worlds_with_loops_stepped_in_turn_record_what_each_records_alone(
        network in any_network(), mut configs in [any_switches(), any_switches()],
        (plan, _) in any_traffic(), drawn in [any_changes(), any_changes()], step in 1u64..5_000,
    ) {
        for (config, drawn) in configs.iter_mut().zip(drawn) {
            config.changes = of(&network, drawn);
        }
        let until = Time::from_ms(20);
        let [mut a, mut b] = configs.clone().map(|config| -> World {
            World::new(&network, plan.clone(), config).unwrap()
        });
        let mut at = Time::ZERO;
        while at < until {
            at = (at + Time::from_us(step)).min(until);
            a.run_until(at);
            b.run_until(at);
        }
        let [one, two] = configs.map(|config| run(&network, plan.clone(), config, until));
        prop_assert_eq!(a.finish(), one);
        prop_assert_eq!(b.finish(), two);
    }
}
