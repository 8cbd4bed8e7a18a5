//! Laws that hold in every run, checked over random ones.

mod common;

use common::*;
use proptest::prelude::*;
use sidestep_sim::agenda::{HeapAgenda, WheelAgenda};
use sidestep_sim::*;
use sidestep_switch::{
    AnyBuffer, AnyRoute, AnySched, Buffer, Capacity, DropReason, Queues, Route, Sched, Verdict,
    Want, buffer, sched,
};
use sidestep_types::Rng;
use sidestep_types::*;
use std::collections::BTreeMap;
use std::sync::Arc;

fn any_config() -> impl Strategy<Value = WorldConfig> {
    // Every policy, with the scheduler that it needs.
    let buffers =
        proptest::sample::select(buffer::ENTRIES.iter().map(|e| e.name).collect::<Vec<_>>());
    let capacities = prop_oneof![
        (1u64..60).prop_map(|n| Capacity::PerPort(Size::Packets(n))),
        (1600u64..60_000).prop_map(|b| Capacity::PerPort(Size::Bytes(Bytes(b)))),
        (20_000u64..200_000, 1u64..4).prop_map(|(m, a)| Capacity::Shared {
            memory: Bytes(m),
            alpha: (a, 2)
        }),
        Just(Capacity::Unlimited),
    ];
    (
        buffers,
        capacities,
        any::<[bool; 2]>(),
        any::<u64>(),
        4u8..40,
    )
        .prop_map(|(name, capacity, [ip, fabric], seed, ttl)| {
            let nature = buffer::nature(name);
            let mut config = config(name, 1, seed);
            if nature.detours {
                config.transport = dibs(1, seed).transport;
            }
            if let Some(sched) = nature.sched {
                config.switch.sched = values(sched::ENTRIES, sched, &[]);
            }
            config.switch.capacity = capacity;
            config.framing = if ip { Framing::Ip } else { Framing::Ethernet };
            config.ttl = ttl;
            if fabric {
                config.transport = pfabric().into();
            }
            config
        })
}

/// The same, or with pauses, or with a fabric between inputs and outputs.
fn any_switches() -> impl Strategy<Value = WorldConfig> {
    let pfc = (1u64..40_000, proptest::option::of(1_538u64..10_000));
    let pfc = pfc.prop_map(|(xoff, headroom)| PfcConfig {
        xoff: Bytes(xoff),
        xon: None,
        headroom: headroom.map(Bytes),
    });
    let sizes = prop_oneof![
        (1u64..20).prop_map(Size::Packets),
        (1600u64..20_000).prop_map(|b| Size::Bytes(Bytes(b))),
    ];
    let cioq = ((1u64..5, 1u64..3), proptest::option::of(sizes));
    let cioq = cioq.prop_map(|((times, over), input_capacity)| CioqConfig {
        speedup: (times * over, over),
        input_capacity,
    });
    (any_config(), 0..3, pfc, cioq).prop_map(|(mut config, kind, pfc, cioq)| {
        config.switch.pfc =
            (kind == 1 && !buffer::nature(&config.switch.buffer.0).detours).then_some(pfc);
        config.switch.cioq = (kind == 2).then_some(cioq);
        config
    })
}

fn any_plan(hosts: u32) -> impl Strategy<Value = Arc<Plan>> {
    let one = (0..hosts, 1..hosts, 1u64..60_000, 0u64..3_000);
    proptest::collection::vec(one, 1..40).prop_map(move |list| {
        let make = |(src, step, size, us): (u32, u32, u64, u64)| {
            flow(src, (src + step) % hosts, size, Time::from_us(us))
        };
        plan(list.into_iter().map(make).collect())
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 120,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_packet_is_somewhere_at_any_moment(
        config in any_switches(), plan in any_plan(16), us in 1u64..40_000,
    ) {
        let network = topology("fat_tree", &[("k", "4")]);
        let outcome = run(&network, plan.clone(), config, Time::from_us(us));
        assert_conserved(&outcome);
        for (flow, planned) in outcome.flows.iter().zip(&plan.flows) {
            prop_assert!(flow.delivered_bytes <= planned.size);
            if flow.finished.is_some() {
                prop_assert_eq!(flow.delivered_bytes, planned.size);
            }
        }
    }

    #[test]
    fn who_looks_changes_nothing(
        config in any_config(), plan in any_plan(16), look_us in 1u64..5_000,
    ) {
        let network = topology("fat_tree", &[("k", "4")]);
        let until = Time::from_ms(40);
        let alone = run(&network, plan.clone(), config.clone(), until);
        let mut world: World = World::new(&network, plan, config).expect("a world");
        world.watch(Watching { detours: 100, paths: 3, loops: true });
        let mut at = Time::ZERO;
        while at < until {
            at = at.saturating_add(Time::from_us(look_us)).min(until);
            if world.run_until(at) {
                break;
            }
            world.queue_depths(at);
        }
        let bytes = world.link_bytes();
        let (outcome, watched) = world.finish_watched();
        prop_assert!(outcome.ports.iter().map(|p| p.wire_bytes).eq(bytes));
        let seen = watched.detours.len() as u64 + watched.detours_missed;
        prop_assert_eq!(seen, outcome.totals.detours);
        prop_assert_eq!(outcome, alone);
    }

    #[test]
    fn detours_and_extra_hops_are_those_of_the_paths(
        plan in any_plan(16), capacity in 2u64..20, seed in any::<u64>(),
    ) {
        let network = topology("fat_tree", &[("k", "4")]);
        let mut config = dibs(capacity, seed);
        config.trace = TraceFilter::Detoured(1);
        let mut world: World = World::new(&network, plan.clone(), config).expect("a world");
        world.watch(Watching { detours: 0, paths: 2, loops: true });
        world.run_until(Time::from_ms(200));
        let (outcome, watched) = world.finish_watched();
        let class = &outcome.classes[0];
        let mut detours = Histogram::default();
        detours.add(0, class.delivered - class.detoured);
        let mut extra = vec![Histogram::default(); 6];
        let data = outcome.traces.iter().filter(|t| !t.ack);
        for trace in data.filter(|t| t.steps.last().is_some_and(|s| s.what == TraceEvent::Delivered)) {
            detours.add(trace.detours(), 1);
            // Hosts 2e and 2e + 1 hang off edge e, edges 2p and 2p + 1 are in pod p.
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
        config in any_switches(), plan in any_plan(16),
    ) {
        let network = topology("leaf_spine", &[("leaves", "4"), ("spines", "2"), ("hosts_per_leaf", "4")]);
        let until = Time::from_ms(40);
        let wheel = run_with::<WheelAgenda>(&network, plan.clone(), config.clone(), until);
        let heap = run_with::<HeapAgenda>(&network, plan, config, until);
        prop_assert_eq!(wheel, heap);
    }

    #[test]
    fn an_explicit_fifo_queue_runs_the_same_run_as_one_event_a_hop(
        config in any_config(), plan in any_plan(16),
    ) {
        // A buffer that needs a scheduler of its own has no FIFO run to compare with.
        prop_assume!(config.switch.sched.0 == "fifo");
        let network = topology("fat_tree", &[("k", "4")]);
        let until = Time::from_ms(40);
        let fast = run(&network, plan.clone(), config.clone(), until);
        let mut world: World = World::new(&network, plan, config).unwrap();
        world.set_scheds(|_, _| AnySched::Fifo(sidestep_switch::sched::fifo::Fifo::default()));
        world.run_until(until);
        let explicit = world.finish();
        prop_assert_eq!(fast.trajectory_hash, explicit.trajectory_hash);
        prop_assert_eq!(&fast.flows, &explicit.flows);
        prop_assert_eq!(&fast.ports, &explicit.ports);
        prop_assert!(explicit.totals.events > fast.totals.events);
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
        // Per port: when each packet was queued and when it arrived at the far end.
        let mut passages: BTreeMap<(SwitchId, PortId), Vec<(Time, Time)>> = BTreeMap::new();
        let mut detours = 0;
        for trace in &outcome.traces {
            for (i, step) in trace.steps.iter().enumerate() {
                match step.what {
                    TraceEvent::Queued { switch, port, wanted, ahead, wanted_queue, .. } => {
                        prop_assert!(ahead < limit, "{step:?}");
                        if port != wanted {
                            detours += 1;
                            prop_assert_eq!(wanted_queue, limit, "a detour from a full port");
                            prop_assert!(leads_to_switch[&(switch, port)]);
                        }
                        if let Some(next) = trace.steps.get(i + 1) {
                            passages.entry((switch, port)).or_default().push((step.at, next.at));
                        }
                    }
                    TraceEvent::Dropped { wanted, reason: DropReason::Full, switch } => {
                        // Nothing open: the wanted port was full.
                        prop_assert!(leads_to_switch.contains_key(&(switch, wanted)));
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
    // 200 expected, standard deviation 10.
    assert!(
        (160..240).contains(&first),
        "the first host won {first} of 400 ties"
    );
}

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

/// Ranks by the number of the flow: the highest is the worst, of equals the latest.
#[derive(Default)]
struct ByFlow(Vec<(u32, u32)>);

impl Sched for ByFlow {
    fn push(&mut self, packet: &Packet, handle: u32) {
        self.0.push((packet.flow.0, handle));
    }
    fn pop(&mut self) -> Option<u32> {
        (!self.0.is_empty()).then(|| self.0.remove(0).1)
    }
    fn worst(&self) -> Option<u32> {
        self.0.iter().map(|waiting| waiting.0).max()
    }
    fn evict(&mut self) -> Option<u32> {
        let worst = self.worst()?;
        let latest = self.0.iter().rposition(|waiting| waiting.0 == worst)?;
        Some(self.0.remove(latest).1)
    }
}

/// Evicts for a lower flow.
struct Lower;

impl Buffer for Lower {
    fn admit(
        &mut self,
        packet: &Packet,
        want: Want,
        queues: &mut dyn Queues,
        _: &mut Rng,
    ) -> Verdict {
        if want.depth.packets == 0 {
            let empty = queues.empty_at(want.port) <= queues.now();
            assert!(empty, "the last bit of an empty queue has left");
        }
        if want.fits {
            return Verdict::Enqueue { mark: false };
        }
        match queues.worst(want.port) {
            Some(worst) if packet.flow.0 < worst => Verdict::Evict { mark: false },
            _ => Verdict::Drop(DropReason::Full),
        }
    }
}

/// Runs `plan` on a fat-tree whose switches evict by flow.
fn run_evicting(config: WorldConfig, plan: Arc<Plan>) -> Outcome {
    let network = topology("fat_tree", &[("k", "4")]);
    let mut world: World = World::new(&network, plan, config).unwrap();
    world.set_scheds(|_, _| AnySched::Custom(Box::new(ByFlow::default())));
    world.set_buffers(|_| AnyBuffer::Custom(Box::new(Lower)));
    world.run_until(Time::from_ms(40));
    let queued: u64 = world.queue_lengths().iter().map(|n| u64::from(*n)).sum();
    let outcome = world.finish();
    assert!(
        queued <= outcome.totals.in_flight,
        "{queued} queued: {:?}",
        outcome.totals
    );
    outcome
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 60,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn packets_that_are_evicted_are_counted_once_and_leave_no_room_taken(
        config in any_switches(), plan in any_plan(16),
    ) {
        let capacity = config.switch.capacity;
        let outcome = run_evicting(config, plan);
        assert_conserved(&outcome);
        for port in outcome.ports.iter().filter(|p| matches!(p.from, End::Switch(_))) {
            if let Capacity::PerPort(Size::Packets(limit)) = capacity {
                prop_assert!(u64::from(port.peak_packets) <= limit);
            }
            if let Capacity::PerPort(Size::Bytes(limit)) = capacity {
                prop_assert!(u64::from(port.peak_bytes) <= limit.0);
            }
        }
    }
}

#[test]
fn a_lower_flow_takes_the_place_of_a_higher_one() {
    let mut settings = config("ecn", 5, 1);
    settings.trace = TraceFilter::Flows((0..8).collect());
    let outcome = run_evicting(settings, incast(1..9, 14_600));
    assert_conserved(&outcome);
    let evicted = outcome.totals.drops[DropReason::Evicted as usize];
    assert!(evicted > 10, "{evicted}");
    assert!(
        outcome.flows[0].drops < outcome.flows[7].drops,
        "{:?}",
        outcome.flows
    );
    let gone = |trace: &&PacketTrace| match trace.steps.last().unwrap().what {
        TraceEvent::Dropped { reason, .. } => reason == DropReason::Evicted,
        _ => false,
    };
    assert_eq!(outcome.traces.iter().filter(gone).count() as u64, evicted);
}

#[test]
fn trimmed_packets_go_on_as_headers_of_the_least_size_and_overtake() {
    let network = topology("single_switch", &[("hosts", "9")]);
    let mut settings = config("trim", 8, 1);
    settings.switch.sched = values(sched::ENTRIES, "priority", &[]);
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
        let cut = |s: &TraceStep| matches!(s.what, TraceEvent::Queued { trimmed: true, .. });
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
        settings.switch.buffer = values(buffer::ENTRIES, "dibs", &[("ingress", ingress)]);
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
            if let (
                TraceEvent::Queued { switch: before, .. },
                TraceEvent::Queued {
                    switch,
                    port,
                    wanted,
                    ..
                },
            ) = (pair[0].what, pair[1].what)
            {
                let returns = leads_to[&(switch, port)] == End::Switch(before);
                back += u32::from(port != wanted && returns);
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
    settings.switch.buffer = values(buffer::ENTRIES, "dibs", &[("max_detours", "2")]);
    settings.trace = TraceFilter::Detoured(0);
    let outcome = run(&network, incast(1..16, 20_000), settings, Time::from_ms(60));
    assert_conserved(&outcome);
    assert!(outcome.totals.drops[DropReason::Detours as usize] > 10);
    assert!(outcome.traces.iter().all(|t| t.detours() <= 2));
}

/// The last of the next hops, or a port that may not be there.
struct Last(Option<u16>);

impl Route for Last {
    fn pick(&mut self, _: &Packet, hops: &[PortId], _: &mut dyn Queues, _: &mut Rng) -> PortId {
        self.0.map_or(hops[hops.len() - 1], PortId)
    }
}

fn run_routed(port: Option<u16>) -> Outcome {
    let network = topology(
        "leaf_spine",
        &[("leaves", "2"), ("spines", "3"), ("hosts_per_leaf", "2")],
    );
    let flows = plan(vec![
        flow(0, 2, 50_000, Time::ZERO),
        flow(1, 3, 50_000, Time::ZERO),
    ]);
    let mut world: World = World::new(&network, flows, config("ecn", 100, 1)).unwrap();
    world.set_routes(|_| AnyRoute::Custom(Box::new(Last(port))));
    assert!(world.run_until(Time::from_s(1)));
    world.finish()
}

#[test]
fn a_route_of_ones_own_decides_the_way() {
    let outcome = run_routed(None);
    assert_conserved(&outcome);
    let used = |p: &&PortOutcome| {
        let between = matches!((p.from, p.to), (End::Switch(_), End::Switch(_)));
        between && p.packets > 0
    };
    // Up from each leaf and down to each, over one spine of three.
    assert_eq!(outcome.ports.iter().filter(used).count(), 4);
}

#[test]
#[should_panic(expected = "port 60000 of a switch with 5")]
fn a_route_of_ones_own_that_names_a_port_that_is_not_there_is_stopped() {
    run_routed(Some(60_000));
}

#[test]
fn a_scheduler_of_ones_own_decides_the_order_and_loses_nothing() {
    let network = topology("single_switch", &[("hosts", "4")]);
    let mut world: World =
        World::new(&network, incast(1..4, 14_600), config("ecn", 100, 1)).unwrap();
    world.set_scheds(|_, _| AnySched::Custom(Box::new(Lifo::default())));
    assert!(world.run_until(Time::from_s(1)));
    let outcome = world.finish();
    assert_conserved(&outcome);
    let reordered = |o: &Outcome| o.flows.iter().map(|f| f.reordered).sum::<u32>();
    assert!(reordered(&outcome) > 0);
    let fifo = run(
        &network,
        incast(1..4, 14_600),
        config("ecn", 100, 1),
        Time::from_s(1),
    );
    assert_eq!(reordered(&fifo), 0);
}

#[test]
fn a_buffer_of_ones_own_is_asked_for_every_packet() {
    struct Deaf;
    impl Buffer for Deaf {
        fn admit(&mut self, _: &Packet, _: Want, _: &mut dyn Queues, _: &mut Rng) -> Verdict {
            Verdict::Drop(DropReason::Early)
        }
    }
    let network = topology("single_switch", &[("hosts", "2")]);
    let mut world: World =
        World::new(&network, incast(1..2, 14_600), config("ecn", 100, 1)).unwrap();
    world.set_buffers(|_| AnyBuffer::Custom(Box::new(Deaf)));
    world.run_until(Time::from_ms(5));
    let outcome = world.finish();
    assert_eq!(outcome.totals.drops, [0, 0, 10, 0, 0]);
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
    assert!(buffer::ENTRIES.len() >= 4);
}

#[test]
fn the_delayed_acknowledgement_of_a_last_segment_is_sent_although_the_flow_is_complete() {
    use sidestep_transport::{DelayedAck, TcpConfig, TransportConfig};
    let network = topology("single_switch", &[("hosts", "3")]);
    let mut settings = config("ecn", 100, 1);
    settings.transport = TransportConfig::from(TcpConfig {
        delayed_ack: Some(DelayedAck {
            segments: 2,
            timeout: Time::from_ms(1),
        }),
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
#[should_panic(expected = "port 60000 of a switch with 2")]
fn a_buffer_of_ones_own_that_names_a_port_that_is_not_there_is_stopped() {
    struct Lost;
    impl Buffer for Lost {
        fn admit(&mut self, _: &Packet, _: Want, q: &mut dyn Queues, _: &mut Rng) -> Verdict {
            q.depth(PortId(60_000));
            Verdict::Enqueue { mark: false }
        }
    }
    let network = topology("single_switch", &[("hosts", "2")]);
    let mut world: World = World::new(&network, incast(1..2, 1460), config("ecn", 100, 1)).unwrap();
    world.set_buffers(|_| AnyBuffer::Custom(Box::new(Lost)));
    world.run_until(Time::from_ms(1));
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
