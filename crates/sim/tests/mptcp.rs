//! MPTCP in a network: one subflow behaves as TCP, several fill several paths, whatever happens to one of them.

use crate::common;

use common::any::*;
use common::*;
use proptest::prelude::*;
use sidestep_sim::*;
use sidestep_switch::{AnyBuffer, Buffer, DropReason, Queues, Verdict, Want};
use sidestep_transport::mptcp::{Coupling, Scheduler};
use sidestep_transport::{
    AckRule, DelayedAck, MptcpConfig, Recovery, Reduction, TcpConfig, TransportConfig, shim,
};
use sidestep_types::*;
use std::sync::Arc;

fn one_subflow(transport: &TransportConfig, coupling: Coupling) -> TransportConfig {
    let tcp = transport.tcp().expect("it is TCP").clone();
    let mut mptcp = MptcpConfig::from(tcp);
    mptcp.subflows = 1;
    mptcp.coupling = coupling;
    mptcp.into()
}

/// Returns the TCP of a transport that can be a subflow: Swift cannot.
fn of_subflows(transport: &TransportConfig) -> Option<&TcpConfig> {
    let delays = transport.nature().delays;
    transport.tcp().filter(|_| !delays)
}

/// Returns the couplings possible with this TCP: `mptcp` refuses to couple a window that is restored.
fn couplings(tcp: &TransportConfig) -> Vec<Coupling> {
    let gives_back = tcp.tcp().is_some_and(|tcp| tcp.reordering.undo);
    let both = [Coupling::Lia, Coupling::Uncoupled];
    both.into_iter()
        .filter(|c| !gives_back || *c == Coupling::Uncoupled)
        .collect()
}

/// Runs with TCP, and with one subflow; both must agree except for the rows of subflows.
fn same_as_tcp(
    network: &Network,
    plan: &Arc<TrafficPlan>,
    config: &WorldConfig,
    until: Time,
) -> Outcome {
    let tcp = run(network, plan.clone(), config.clone(), until);
    for coupling in couplings(&config.transport) {
        let mut config = config.clone();
        config.transport = one_subflow(&config.transport, coupling);
        let mut mptcp = run(network, plan.clone(), config, until);
        let started = tcp.flows.iter().filter(|f| f.started.is_some()).count();
        assert!(mptcp.subflows.len() <= started);
        for row in std::mem::take(&mut mptcp.subflows) {
            let flow = &tcp.flows[row.flow.0 as usize];
            assert_eq!((row.subflow, row.reinjections), (0, 0));
            assert_eq!(
                [
                    row.segments,
                    row.retransmits,
                    row.timeouts,
                    row.fast_retransmits
                ],
                [
                    flow.segments,
                    flow.retransmits,
                    flow.timeouts,
                    flow.fast_retransmits
                ]
            );
        }
        assert_eq!(tcp.trajectory_hash, mptcp.trajectory_hash);
        assert_eq!(tcp, mptcp);
    }
    tcp
}

#[test]
fn one_subflow_is_tcp_byte_for_byte_where_much_is_lost() {
    let network = topology("fat_tree", &[("k", "4")]);
    let until = Time::from_ms(400);
    let mut plan = TrafficPlan::clone(&incast(1..16, 100_000));
    (plan.flows).extend((1..16).map(|s| flow(s, (s + 8) % 16, 300_000, Time::ZERO)));
    let rounds = [(Time::ZERO, 500, 30_000), (Time::from_ms(3), 600, 20_000)];
    asks(&mut plan, 3, 9, &rounds, Time::from_us(40));
    let plan = Arc::new(plan);
    let base = || TcpConfig {
        rto: sidestep_transport::RtoConfig {
            min: Time::from_ms(1),
            initial: Time::from_ms(1),
            ..TcpConfig::default().rto
        },
        ..TcpConfig::default()
    };
    let delayed = Some(DelayedAck {
        segments: 2,
        timeout: Time::from_us(500),
    });
    let variants = [
        base(),
        TcpConfig {
            recovery: Recovery::Sack,
            ..base()
        },
        TcpConfig {
            reduction: Reduction::AtOnce,
            ..base()
        },
        TcpConfig {
            delayed_ack: delayed,
            ..base()
        },
        TcpConfig {
            delayed_ack: delayed,
            ack_rule: AckRule::Ns3,
            recovery: Recovery::Sack,
            ..base()
        },
        TcpConfig {
            handshake: true,
            fin: true,
            ..base()
        },
        TcpConfig {
            handshake: true,
            fin: true,
            delayed_ack: delayed,
            limited_transmit: true,
            idle_restart: true,
            ..base()
        },
        TcpConfig {
            receive_window: 9_000,
            mss: 1000,
            initial_window: 3,
            fin: true,
            ..base()
        },
        TcpConfig {
            dupack_threshold: None,
            ..base()
        },
        TcpConfig {
            rto: base().rto,
            ..dctcp()
        },
    ];
    for (i, tcp) in variants.into_iter().enumerate() {
        for buffer in ["droptail", "ecn", "dibs", "trim"] {
            let mut settings = config(buffer, 8, 1 + i as u64);
            settings.transport = tcp.clone().into();
            let outcome = same_as_tcp(&network, &plan, &settings, until);
            let lossy = outcome.totals.retransmits > 0;
            assert!(lossy || buffer == "dibs", "{buffer} {i}: nothing was lost");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn one_subflow_is_tcp_byte_for_byte_in_any_run(
        network in any_network(),
        config in any_switches(),
        plan in any_plan(16),
    ) {
        if of_subflows(&config.transport).is_some() {
            same_as_tcp(&network, &plan, &config, Time::from_ms(30));
        }
    }

    #[test]
    fn several_subflows_lose_no_packet_and_deliver_every_byte_once(
        network in any_network(),
        config in any_switches(),
        plan in any_plan(16),
        (subflows, lia, reinject, in_turn) in (1u8..=16, any::<bool>(), any::<bool>(), any::<bool>()),
    ) {
        if let Some(tcp) = of_subflows(&config.transport) {
            let couplings = couplings(&config.transport);
            let mut config = config.clone();
            // A message that goes over several subflows is not ordered by its tags.
            config.shims.retain(|shim| shim::reads_tags(shim).is_none());
            config.transport = MptcpConfig {
                subflows,
                coupling: if lia { couplings[0] } else { Coupling::Uncoupled },
                reinject,
                scheduler: if in_turn { Scheduler::RoundRobin } else { Scheduler::LowestRtt },
                ..MptcpConfig::from(tcp.clone())
            }.into();
            let outcome = run(&network, plan.clone(), config, Time::from_ms(60));
            assert_conserved(&outcome);
            for (f, (flow, seen)) in plan.flows.iter().zip(&outcome.flows).enumerate() {
                prop_assert!(seen.delivered_bytes <= flow.size);
                if seen.finished.is_some() {
                    prop_assert_eq!(seen.delivered_bytes, flow.size);
                }
                let rows = outcome.subflows.iter().filter(|row| row.flow.0 as usize == f);
                let rows: Vec<_> = rows.collect();
                let whole = rows.is_empty() || rows.len() == usize::from(subflows) && seen.started.is_some();
                prop_assert!(whole, "{} rows", rows.len());
                let sum = |of: fn(&SubflowOutcome) -> u32| rows.iter().map(|row| of(row)).sum::<u32>();
                prop_assert_eq!(sum(|row| row.segments), seen.segments);
                prop_assert_eq!(sum(|row| row.retransmits), seen.retransmits);
                prop_assert_eq!(sum(|row| row.timeouts), seen.timeouts);
                prop_assert!(reinject || sum(|row| row.reinjections) == 0);
                let bytes: u64 = rows.iter().map(|row| row.bytes).sum();
                prop_assert!(bytes >= seen.delivered_bytes);
            }
        }
    }
}

/// Returns two leaves and two spines; two links between switches are as fast as one of a host.
fn two_paths() -> Network {
    let sets = [
        ("leaves", "2"),
        ("spines", "2"),
        ("hosts_per_leaf", "2"),
        ("host_rate", "2 Gbps"),
        ("fabric_rate", "1 Gbps"),
    ];
    topology("leaf_spine", &sets)
}

/// Returns the goodput in bit/s of one endless flow over [`two_paths`] with this many subflows, and this seed.
fn goodput(subflows: u8, seed: u64, scheduler: Scheduler) -> f64 {
    let tcp = TcpConfig {
        recovery: Recovery::Sack,
        ..TcpConfig::default()
    };
    let mut settings = config("droptail", 60, seed);
    settings.transport = MptcpConfig {
        subflows,
        scheduler,
        ..MptcpConfig::from(tcp)
    }
    .into();
    let endless = plan(vec![flow(0, 2, u64::MAX, Time::ZERO)]);
    let outcome = run(&two_paths(), endless, settings, Time::from_ms(100));
    assert_conserved(&outcome);
    outcome.flows[0].delivered_bytes as f64 * 8.0 / 0.1
}

#[test]
fn two_subflows_fill_two_paths_where_one_fills_one() {
    // 1460 of 1538 bytes of link time are payload.
    let link = 1e9 * 1460.0 / 1538.0;
    for scheduler in [Scheduler::LowestRtt, Scheduler::RoundRobin] {
        let one = goodput(1, 1, scheduler) / link;
        assert!((0.9..=1.0).contains(&one), "{one}");
        // Both subflows hash to one path in half of the seeds.
        let two: Vec<f64> = (1..=8).map(|s| goodput(2, s, scheduler) / link).collect();
        let both = two.iter().filter(|share| **share > 1.8).count();
        let same = two
            .iter()
            .filter(|share| (0.9..=1.0).contains(*share))
            .count();
        assert_eq!(both + same, 8, "{two:?}");
        assert!(both >= 2 && same >= 1, "{two:?}");
        let eight = goodput(8, 1, scheduler) / link;
        assert!(eight > 1.8, "{eight}");
    }
}

/// Buffer that drops all data of one subflow, from the packet of this number on.
#[derive(Clone)]
struct Dead {
    subflow: u8,
    from: u64,
    until: Time,
}

impl Buffer for Dead {
    fn admit(
        &mut self,
        packet: &Packet,
        _: Want,
        queues: &mut dyn Queues,
        _: &mut sidestep_types::Rng,
    ) -> Verdict {
        let number = (packet.seq() - Packet::first_of(packet.subflow())) / 1460;
        let hit = packet.carries_data() && packet.subflow() == self.subflow;
        match hit && number >= self.from && queues.now() < self.until {
            true => Verdict::Drop(DropReason::Early),
            false => Verdict::Enqueue { mark: false },
        }
    }
}

fn run_with_a_dead_path(reinject: bool, dead: Dead, tcp: TcpConfig) -> Outcome {
    let mut settings = config("droptail", 1000, 3);
    settings.transport = MptcpConfig {
        subflows: 2,
        reinject,
        ..MptcpConfig::from(tcp)
    }
    .into();
    let flows = plan(vec![
        flow(0, 2, 400_000, Time::ZERO),
        flow(1, 3, 10_000, Time::from_s(2)),
    ]);
    let mut world: World = World::new(&two_paths(), flows, settings).expect("a world");
    world.set_buffers(|switch| {
        let dead = dead.clone();
        let until = if switch.0 == 0 {
            dead.until
        } else {
            Time::ZERO
        };
        AnyBuffer::Custom(Box::new(Dead { until, ..dead }))
    });
    assert!(world.run_until(Time::from_s(3)), "all is delivered");
    let outcome = world.finish();
    assert_conserved(&outcome);
    outcome
}

#[test]
fn what_a_dead_path_holds_arrives_by_the_other_one() {
    for subflow in [0, 1] {
        let dead = Dead {
            subflow,
            from: 5,
            until: Time::from_s(1),
        };
        let tcp = || TcpConfig {
            fin: true,
            handshake: true,
            ..TcpConfig::default()
        };
        let with = run_with_a_dead_path(true, dead.clone(), tcp());
        let without = run_with_a_dead_path(false, dead, tcp());
        let row = |o: &Outcome, subflow: u8| o.subflows[usize::from(subflow)];
        let (ill, well) = (row(&with, subflow), row(&with, 1 - subflow));
        assert_eq!(
            (ill.flow, ill.subflow, well.flow),
            (FlowId(0), subflow, FlowId(0))
        );
        assert!(well.reinjections > 0 && ill.reinjections == 0);
        assert_eq!(with.totals.reinjections, u64::from(well.reinjections));
        assert_eq!((without.totals.reinjections, well.retransmits), (0, 0));
        // Exactly the data that the failed subflow had in flight is carried twice.
        let twice = ill.bytes + well.bytes - 400_000;
        assert_eq!(twice.div_ceil(1460), u64::from(well.reinjections));
        // With reinjection, all data is there after the first timeout, 10 ms; without, only when the path is
        // back.
        let took = |o: &Outcome| o.flows[0].finished.expect("delivered");
        assert!(took(&with) < Time::from_ms(40), "{:?}", took(&with));
        assert!(took(&without) > Time::from_s(1), "{:?}", took(&without));
        // The failed subflow repairs what it sent all the same, and both are closed.
        assert!(ill.timeouts > 1);
        assert_eq!(with.flows[0].spurious_timeouts, 0);
    }
}

/// Buffer that drops data at random, each segment once at most.
#[derive(Clone)]
struct Lossy {
    /// Drop probability, in 2⁻³².
    share: u64,
}

impl Buffer for Lossy {
    fn admit(
        &mut self,
        packet: &Packet,
        _: Want,
        _: &mut dyn Queues,
        rng: &mut sidestep_types::Rng,
    ) -> Verdict {
        let counts = packet.carries_data() && !packet.retransmit();
        match counts && u64::from(rng.draw()) < self.share {
            true => Verdict::Drop(DropReason::Early),
            false => Verdict::Enqueue { mark: false },
        }
    }
}

/// Returns the goodput in bit/s of one endless flow over two spines that drop these shares of its data, in
/// thousandths, and the number of spines that carry it. Links are faster than any window: round trips are equal
/// and constant.
fn lossy_goodput(transport: &TransportConfig, thousandths: [u64; 2], seed: u64) -> (f64, usize) {
    let sets = [
        ("leaves", "2"),
        ("spines", "2"),
        ("hosts_per_leaf", "2"),
        ("host_rate", "40 Gbps"),
        ("fabric_rate", "40 Gbps"),
        ("fabric_delay", "25 us"),
    ];
    let network = topology("leaf_spine", &sets);
    let mut settings = config("droptail", 10_000, seed);
    settings.transport = transport.clone();
    let endless = plan(vec![flow(0, 2, u64::MAX, Time::ZERO)]);
    let mut world: World = World::new(&network, endless, settings).expect("a world");
    let of_spine = |switch: SwitchId| {
        network.switches[switch.0 as usize]
            .name
            .strip_prefix("spine ")
    };
    let shares: Vec<u64> = (0..network.switches.len() as u32)
        .map(|switch| match of_spine(SwitchId(switch)) {
            Some("0") => thousandths[0],
            Some(_) => thousandths[1],
            None => 0,
        })
        .collect();
    world.set_buffers(move |switch| {
        let share = (shares[switch.0 as usize] << 32) / 1000;
        AnyBuffer::Custom(Box::new(Lossy { share }))
    });
    world.run_until(Time::from_ms(200));
    let outcome = world.finish();
    // The receiver's leaf: acknowledgements go the other way.
    let leaf = End::Switch(SwitchId(1));
    assert_eq!(network.switches[1].name, "leaf 1");
    let spines = outcome
        .ports
        .iter()
        .filter(|port| port.to == leaf && port.from != End::Host(HostId(2)))
        .filter(|port| port.wire_bytes > 1_000_000);
    let goodput = outcome.flows[0].delivered_bytes as f64 * 8.0;
    (goodput, spines.count())
}

/// Returns the mean over the first four seeds with which the flow's data uses this many spines.
fn mean_lossy_goodput(transport: &TransportConfig, thousandths: [u64; 2], spines: usize) -> f64 {
    let runs = (1..20).map(|seed| lossy_goodput(transport, thousandths, seed));
    let fit: Vec<f64> = (runs.filter(|run| run.1 == spines).map(|run| run.0))
        .take(4)
        .collect();
    assert_eq!(fit.len(), 4);
    fit.iter().sum::<f64>() / 4.0
}

/// RFC 6356 aims at the throughput of one TCP on the best path. With random losses and equal round trips that
/// holds up to the effect of varying windows: a little more on equal paths, a little less on unequal ones
/// (docs/reference/transports/mptcp.md).
#[test]
fn coupled_subflows_take_about_what_a_tcp_takes_on_the_best_path() {
    let tcp = TcpConfig {
        recovery: Recovery::Sack,
        receive_window: 16 << 20,
        congestion: sidestep_transport::Congestion::NewReno { ecn: false },
        ..TcpConfig::default()
    };
    let coupled: TransportConfig = MptcpConfig {
        subflows: 2,
        ..MptcpConfig::from(tcp.clone())
    }
    .into();
    let alone: TransportConfig = tcp.into();
    let best = mean_lossy_goodput(&alone, [2, 2], 1);
    let share = |thousandths| mean_lossy_goodput(&coupled, thousandths, 2) / best;
    let (equal, unequal) = (share([2, 2]), share([2, 8]));
    assert!((0.98..1.2).contains(&equal), "{equal:.3}");
    assert!((0.82..0.98).contains(&unequal), "{unequal:.3}");
}
