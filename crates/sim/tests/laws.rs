//! Laws that hold in every run, checked over random ones.

mod common;

use common::any::*;
use common::*;
use proptest::prelude::*;
use sidestep_sim::agenda::{Agenda, HeapAgenda, WheelAgenda};
use sidestep_sim::*;
use sidestep_switch::{AnySched, Capacity, DropReason, Event, buffer};
use sidestep_types::*;
use std::collections::BTreeMap;
use std::sync::Arc;

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 120,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_packet_is_somewhere_at_any_moment(
        network in any_network(), config in any_switches(), plan in any_plan(16),
        us in 1u64..40_000,
    ) {
        let outcome = run(&network, plan.clone(), config, Time::from_us(us));
        assert_conserved(&outcome);
        for (flow, planned) in outcome.flows.iter().zip(&plan.flows) {
            prop_assert!(flow.delivered_bytes <= planned.size);
            if flow.finished.is_some() {
                prop_assert_eq!(flow.delivered_bytes, planned.size);
            }
        }
    }

    /// A packet forgotten by a scheduler would wait forever.
    #[test]
    fn when_all_is_quiet_nothing_waits(
        network in any_network(), mut config in any_switches(), plan in any_plan(16),
    ) {
        // Ports that pause each other forever may hold packets forever.
        prop_assume!(config.switch.pfc.is_none());
        config.ttl = 64;
        let left = left_when_quiet(&network, &plan, config);
        prop_assume!(left.is_some());
        prop_assert_eq!(left, Some((0, 0)));
    }

    #[test]
    fn who_looks_changes_nothing(
        network in any_network(), config in any_config(), plan in any_plan(16),
        look_us in 1u64..5_000,
    ) {
        let until = Time::from_ms(40);
        let alone = run(&network, plan.clone(), config.clone(), until);
        let mut world: World = World::new(&network, plan, config).expect("a world");
        world.watch(Watching { detours: 100, paths: 3, loops: true, latency: Some(Latency::every(3).of(0)), crossings: true });
        let (mut at, mut seen) = (Time::ZERO, Vec::new());
        while at < until {
            at = at.saturating_add(Time::from_us(look_us)).min(until);
            if world.run_until(at) {
                break;
            }
            seen.push(world.queue_depths(at));
        }
        let bytes = world.link_bytes();
        let flows = (0..alone.flows.len() as u32).map(|f| world.delivered(FlowId(f)));
        let flows: Vec<(u64, bool)> = flows.collect();
        let drops = world.drops();
        let (outcome, watched) = world.finish_watched();
        prop_assert!(outcome.ports.iter().map(|p| p.wire_bytes).eq(bytes));
        for (depth, port) in seen.iter().flat_map(|all| all.iter().zip(&outcome.ports)) {
            prop_assert!(depth.packets <= port.peak_packets && depth.bytes <= port.peak_bytes);
        }
        let seen = watched.detours.len() as u64 + watched.detours_missed;
        prop_assert_eq!(seen, outcome.totals.detours);
        for (told, flow) in flows.iter().zip(&outcome.flows) {
            prop_assert_eq!(*told, (flow.delivered_bytes, flow.finished.is_some()));
        }
        prop_assert_eq!(drops, outcome.totals.drops);
        let least = watched.latencies.iter().map(|(_, t)| *t).min();
        prop_assert!(least.is_none_or(|t| t > Time::ZERO));
        prop_assert_eq!(outcome, alone);
    }

    /// In a fat tree with ECMP, the numbers of two hosts give the length of the shortest path.
    #[test]
    fn detours_and_extra_hops_are_those_of_the_paths(
        plan in any_plan(16), capacity in 2u64..20, seed in any::<u64>(),
    ) {
        let network = topology("fat_tree", &[("k", "4")]);
        let mut config = dibs(capacity, seed);
        config.trace = TraceFilter::Detoured(1);
        let mut world: World = World::new(&network, plan.clone(), config).expect("a world");
        world.watch(Watching { paths: 2, loops: true, ..Watching::default() });
        world.run_until(Time::from_ms(200));
        let (outcome, watched) = world.finish_watched();
        let class = &outcome.classes[0];
        let mut detours = Histogram::default();
        detours.add(0, class.delivered - class.detoured);
        let mut extra = vec![Histogram::default(); 6];
        let data = outcome.traces.iter().filter(|t| !t.ack);
        for trace in data.filter(|t| t.steps.last().is_some_and(|s| s.what == TraceEvent::Delivered)) {
            detours.add(trace.detours(), 1);
            // Hosts 2e and 2e + 1 are attached to edge e, edges 2p and 2p + 1 are in pod p.
            let flow = &plan.flows[trace.flow.0 as usize];
            let (src, dst) = (flow.src.0, flow.dst.0);
            let shortest = if src / 2 == dst / 2 { 1 } else if src / 4 == dst / 4 { 3 } else { 5 };
            extra[shortest].add(trace.steps.len() - 2 - shortest, 1);
        }
        let last = extra.iter().rposition(|h| !h.is_empty()).map_or(0, |i| i + 1);
        extra.truncate(last);
        prop_assert_eq!(&class.detours_each, &detours);
        prop_assert_eq!(&class.extra_hops, &extra);
        let loops = &watched.loops;
        prop_assert!(loops.packets == class.delivered + class.dropped && loops.looped <= loops.detoured);
        if class.dropped == 0 {
            let most = watched.paths.first().map_or(0, PacketTrace::detours);
            prop_assert_eq!(Some(most), detours.max().or(Some(0)));
        }
    }

    #[test]
    fn the_wheel_and_the_heap_run_the_same_run(
        network in any_network(), config in any_switches(), plan in any_plan(16),
    ) {
        let until = Time::from_ms(40);
        run_on_both(&network, &plan, &config, until);
    }

    #[test]
    fn an_explicit_fifo_queue_runs_the_same_run_as_one_event_a_hop(
        network in any_network(), config in any_config(), plan in any_plan(16),
    ) {
        // A buffer policy that needs another scheduler has no FIFO run to compare with.
        prop_assume!(config.switch.sched.name() == "fifo");
        let until = Time::from_ms(40);
        let fast = run(&network, plan.clone(), config.clone(), until);
        let mut world: World = World::new(&network, plan, config).unwrap();
        world.set_scheds(|_, _| AnySched::Fifo(sidestep_switch::sched::fifo::Fifo::default()));
        world.run_until(until);
        let explicit = world.finish();
        prop_assert_eq!(fast.trajectory_hash, explicit.trajectory_hash);
        prop_assert_eq!(&fast.flows, &explicit.flows);
        prop_assert_eq!(&fast.ports, &explicit.ports);
        prop_assert!(explicit.totals.events >= fast.totals.events);
    }

    #[test]
    fn ends_of_transmission_that_are_not_planned_change_nothing(
        mut config in any_switches(),
        sched in proptest::sample::select(vec!["priority", "pfabric", "srpt"]),
        same_delays: bool,
        kind in 0u8..8,
        plan in any_plan(16),
        us in 1u64..40_000,
    ) {
        // A buffer policy that needs a particular scheduler gets it.
        if config.switch.buffer.nature().works_beside(sched) {
            config.switch.sched = chosen_sched(sched, &[]);
        }
        // Delays of whole packets: packets arrive as others leave.
        let delay = if same_delays { format!("{} ns", 8 * config.framing.wire(1500)) } else { "1 us".into() };
        let network = network(kind, &delay);
        let until = Time::from_us(us);
        let planned = run_planned::<WheelAgenda>(&network, &plan, &config, until);
        prop_assert_eq!(&planned, &run_planned::<HeapAgenda>(&network, &plan, &config, until));
        for mut seen in [
            run_with::<WheelAgenda>(&network, plan.clone(), config.clone(), until),
            run_with::<HeapAgenda>(&network, plan.clone(), config.clone(), until),
        ] {
            prop_assert!(seen.totals.events <= planned.totals.events);
            seen.totals.events = planned.totals.events;
            prop_assert_eq!(&planned, &seen);
        }
    }

    #[test]
    fn detours_go_to_switches_with_room_and_ports_are_first_in_first_out(
        seed: u64, limit in 1u32..20, degree in 2u32..15,
    ) {
        let network = topology("fat_tree", &[("k", "4")]);
        let mut config = dibs(u64::from(limit), seed);
        config.trace = TraceFilter::Detoured(0);
        let outcome = run(&network, incast(1..=degree, 30_000), config, Time::from_ms(60));
        assert_conserved(&outcome);
        let leads_to_switch: BTreeMap<(SwitchId, PortId), bool> = outcome
            .ports
            .iter()
            .filter_map(|p| match p.from {
                End::Switch(s) => Some(((s, p.port), matches!(p.to, End::Switch(_)))),
                End::Host(_) => None,
            })
            .collect();
        // Per port: the time when each packet was queued, and when it arrived at the far end.
        let mut passages: BTreeMap<(SwitchId, PortId), Vec<(Time, Time)>> = BTreeMap::new();
        let mut detours = 0;
        for trace in &outcome.traces {
            for (i, step) in trace.steps.iter().enumerate() {
                match step.what {
                    TraceEvent::At(End::Switch(switch), Event::Enqueue(joined)) => {
                        let (port, ahead) = (joined.port, joined.ahead.packets);
                        prop_assert!(ahead < limit, "{step:?}");
                        if joined.detoured() {
                            detours += 1;
                            prop_assert_eq!(joined.wanted_queue, limit, "a detour from a full port");
                            prop_assert!(leads_to_switch[&(switch, port)]);
                        }
                        if let Some(next) = trace.steps.get(i + 1) {
                            passages.entry((switch, port)).or_default().push((step.at, next.at));
                        }
                    }
                    TraceEvent::At(
                        End::Switch(switch),
                        Event::Drop { port, reason: DropReason::Full },
                    ) => {
                        // Every port was full, the wanted one included.
                        prop_assert!(leads_to_switch.contains_key(&(switch, port)));
                    }
                    _ => {}
                }
            }
        }
        prop_assert_eq!(detours, outcome.totals.detours);
        for list in passages.values_mut() {
            list.sort_unstable();
            prop_assert!(list.is_sorted_by_key(|p| p.1), "first in, first out");
        }
    }
}

#[test]
fn a_packet_with_nothing_behind_it_takes_one_event_a_hop() {
    let network = topology("linear", &[("switches", "4")]);
    let alone = plan(vec![flow(0, 7, 1000, Time::ZERO)]);
    let until = Time::from_ms(1);
    let fifo = config("droptail", 9, 1);
    let mut ranked = fifo.clone();
    ranked.switch.sched = chosen_sched("srpt", &[]);
    let planned = run_planned::<WheelAgenda>(&network, &alone, &ranked, until);
    let seen = run(&network, alone.clone(), ranked, until);
    assert_eq!(seen, run(&network, alone, fifo, until));
    let (hops, events) = (seen.totals.packet_hops, seen.totals.events);
    assert_eq!((hops, planned.totals.events), (5, events + 4));
}

/// Runs with every end of a transmission scheduled.
fn run_planned<A: Agenda>(
    network: &Network,
    plan: &Arc<TrafficPlan>,
    config: &WorldConfig,
    until: Time,
) -> Outcome {
    let mut world: World<A> = World::new(network, plan.clone(), config.clone()).unwrap();
    world.plan_every_end();
    world.run_until(until);
    world.finish()
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_another_run() {
    let network = topology("fat_tree", &[("k", "4")]);
    let go = |seed| {
        run(
            &network,
            incast(1..16, 20_000),
            dibs(10, seed),
            Time::from_ms(100),
        )
    };
    assert_eq!(go(1), go(1));
    assert_ne!(go(1).trajectory_hash, go(2).trajectory_hash);
}

#[test]
fn two_worlds_stepped_in_turn_record_what_each_records_alone() {
    let mut pausing = |seed| {
        let mut config = config("ecn", 100, seed);
        config.switch.pfc = Some(PfcConfig {
            xoff: Bytes(12_000),
            xon: None,
            headroom: None,
        });
        config
    };
    let mut crossing = |seed| {
        let mut config = dibs(10, seed);
        config.switch.cioq = Some(CioqConfig {
            speedup: (3, 2),
            input_capacity: Some(Size::Packets(8)),
        });
        config
    };
    step_in_turn(&mut |seed| dibs(10, seed));
    step_in_turn(&mut pausing);
    step_in_turn(&mut crossing);
}

fn step_in_turn(config: &mut dyn FnMut(u64) -> WorldConfig) {
    let network = topology("fat_tree", &[("k", "4")]);
    let mut make =
        |seed| -> World { World::new(&network, incast(1..16, 40_000), config(seed)).unwrap() };
    let (mut a, mut b) = (make(1), make(2));
    let mut alone = |seed| {
        let mut world = make(seed);
        world.run_until(Time::from_ms(100));
        world.finish()
    };
    for us in 1..=100_000 / 7 {
        a.run_until(Time::from_us(7 * us));
        b.run_until(Time::from_us(7 * us));
    }
    a.run_until(Time::from_ms(100));
    b.run_until(Time::from_ms(100));
    assert_eq!(a.finish(), alone(1));
    assert_eq!(b.finish(), alone(2));
}

#[test]
fn ties_between_equal_senders_are_broken_fairly() {
    // Two hosts start the same flow at the same instant and tie at every packet.
    let network = topology("single_switch", &[("hosts", "3")]);
    let mut first = 0;
    for seed in 0..400 {
        let mut settings = config("droptail", 1, seed);
        settings.switch.capacity = Capacity::PerPort(Size::Packets(1));
        let outcome = run(&network, incast(1..3, 1460), settings, Time::from_us(40));
        assert_eq!(outcome.totals.drops[DropReason::Full as usize], 1);
        first += u32::from(outcome.flows[0].finished.is_some());
    }
    // Expected are 200, with a standard deviation of 10.
    assert!(
        (160..240).contains(&first),
        "the first host won {first} of 400 ties"
    );
}

#[test]
fn impossible_plans_are_refused_with_a_reason() {
    let network = topology("single_switch", &[("hosts", "4")]);
    let said = |f: FlowPlan| {
        World::<WheelAgenda>::new(&network, plan(vec![f]), config("ecn", 100, 1))
            .err()
            .unwrap()
    };
    assert!(said(flow(1, 1, 10, Time::ZERO)).contains("from host 1 to itself"));
    assert!(said(flow(0, 9, 10, Time::ZERO)).contains("names host 9, expected below 4"));
    assert!(said(flow(0, 1, 0, Time::ZERO)).contains("has no bytes"));
    let large = |size| said(flow(0, 1, size, Time::ZERO));
    assert!(large(1 << 44).contains("flow 0 has 17592186044416 bytes, expected at most"));
    assert!(buffer::ENTRIES.len() >= 4);
}
