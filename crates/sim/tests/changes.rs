//! Links that change rate, go down and come up: exact results by arithmetic, and laws that always hold.

use crate::common;

use common::any::*;
use common::changes::{any_changes, of};
use common::*;
use proptest::prelude::*;
use sidestep_sim::*;
use sidestep_switch::sched::fifo::Fifo;
use sidestep_switch::{AnySched, Capacity, DropReason};
use sidestep_transport::TcpConfig;
use sidestep_types::*;
use std::sync::Arc;

const LINK_DOWN: usize = DropReason::LinkDown as usize;

fn change(at: Time, cable: u32, to: Becomes) -> Change {
    let reroute = None;
    Change {
        at,
        cable,
        to,
        reroute,
    }
}

/// Returns the cable between two ends.
fn cable(network: &Network, a: End, b: End) -> u32 {
    let is = |c: &Cable| (c.a, c.b) == (a, b) || (c.a, c.b) == (b, a);
    network.cables.iter().position(is).expect("a cable") as u32
}

fn switch(network: &Network, name: &str) -> End {
    let at = network.switches.iter().position(|s| s.name == name);
    End::Switch(SwitchId(at.expect("a switch") as u32))
}

/// Returns a network with one host on each side of a link of 1 Gbps; the other links are so fast that they
/// count for little. Also returns the cable of that link.
fn one_link() -> (Network, u32) {
    let network = topology(
        "dumbbell",
        &[
            ("left", "1"),
            ("right", "1"),
            ("rate", "1 Tbps"),
            ("bottleneck_rate", "1 Gbps"),
        ],
    );
    let middle = cable(
        &network,
        switch(&network, "left"),
        switch(&network, "right"),
    );
    (network, middle)
}

/// Returns a plan of `n` data packets at once, each a flow.
fn burst(n: u32) -> Arc<TrafficPlan> {
    plan((0..n).map(|_| flow(0, 1, 1460, Time::ZERO)).collect())
}

fn unlimited(sched: &str) -> WorldConfig {
    let mut config = config("droptail", 1, 1);
    config.switch.capacity = Capacity::Unlimited;
    config.switch.sched = chosen_sched(sched, &[]);
    config
}

/// Returns the departure of each packet of a burst from the link in the middle, which changes its rate at `at`
/// from `old` to `new`: a packet leaves at the rate at which it began.
fn departures(n: u32, at: Time, old: BitRate, new: BitRate) -> Vec<Time> {
    let first_link = BitRate::gbps(1000).time_to_send(Bytes(1538));
    let (mut arrives, mut free, mut all) = (Time::from_us(1), Time::ZERO, Vec::new());
    for _ in 0..n {
        arrives += first_link;
        let begins = arrives.max(free);
        let rate = if begins < at { old } else { new };
        free = begins + rate.time_to_send(Bytes(1538));
        all.push(free);
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 96,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn what_waits_leaves_at_the_new_rate_to_the_picosecond(
        n in 1u32..40,
        sched in proptest::sample::select(vec!["fifo", "srpt", "priority", "pfabric"]),
        // Some of them at the instant at which a packet leaves.
        at in prop_oneof![0u64..500_000_000, (0u64..40).prop_map(|k| 1_012_304 + 12_304_000 * k)],
        new in prop_oneof![Just(500_000_000u64), Just(2_000_000_000), 1_000_000u64..5_000_000_000],
        explicit: bool,
    ) {
        let (network, middle) = one_link();
        let (at, old, new) = (Time::from_ps(at), BitRate::gbps(1), BitRate::bps(new));
        let mut config = unlimited(sched);
        config.changes = vec![change(at, middle, Becomes::Rate(new))];
        let mut world: World = World::new(&network, burst(n), config).unwrap();
        if explicit && sched == "fifo" {
            world.set_scheds(|_, _| AnySched::Fifo(Fifo::default()));
        }
        world.run_until(Time::from_s(10));
        let outcome = world.finish();
        let after = BitRate::gbps(1000).time_to_send(Bytes(1538)) + Time::from_us(2);
        let expected: Vec<Time> = departures(n, at, old, new).into_iter().map(|t| t + after).collect();
        let found: Vec<Time> = outcome.flows.iter().map(|f| f.finished.unwrap()).collect();
        prop_assert_eq!(found, expected);
        assert_conserved(&outcome);
    }

    #[test]
    fn what_has_not_arrived_when_a_link_dies_is_lost_and_nothing_else(
        n in 1u32..40,
        sched in proptest::sample::select(vec!["fifo", "srpt", "priority", "pfabric"]),
        at in prop_oneof![0u64..500_000_000, (0u64..40).prop_map(|k| 2_012_304 + 12_304_000 * k)],
    ) {
        let (network, middle) = one_link();
        let mut config = unlimited(sched);
        let at = Time::from_ps(at);
        config.changes = vec![change(at, middle, Becomes::Down)];
        // The run stops before any timer goes off.
        let outcome = run(&network, burst(n), config, Time::from_us(900));
        let rate = BitRate::gbps(1);
        let arrive = departures(n, Time::MAX, rate, rate).into_iter().map(|t| t + Time::from_us(1));
        let arrived = arrive.filter(|arrives| *arrives < at).count() as u64;
        let over = &outcome.ports[2 * middle as usize];
        prop_assert_eq!((over.packets, over.counts.drops[LINK_DOWN]), (arrived, u64::from(n) - arrived));
        assert_conserved(&outcome);
    }

    #[test]
    fn every_packet_is_somewhere_whatever_is_cut(
        network in any_network(), mut config in any_switches(), plan in any_plan(16),
        drawn in any_changes(), us in 1u64..40_000,
    ) {
        config.changes = of(&network, drawn);
        config.trace = TraceFilter::Detoured(0);
        let outcome = run(&network, plan.clone(), config, Time::from_us(us));
        assert_conserved(&outcome);
        for (flow, planned) in outcome.flows.iter().zip(&plan.flows) {
            prop_assert!(flow.delivered_bytes <= planned.size);
            prop_assert_eq!(flow.finished.is_some(), flow.delivered_bytes == planned.size);
        }
        // Each path has exactly one end, as its last step.
        let ended = |what: &TraceEvent| *what == TraceEvent::Delivered || what.dropped().is_some();
        let mut lost = 0;
        for trace in &outcome.traces {
            let ends = trace.steps.iter().filter(|step| ended(&step.what)).count();
            prop_assert!(ends == 0 || (ends == 1 && ended(&trace.steps.last().unwrap().what)));
            let last = trace.steps.last().unwrap().what;
            lost += u64::from(last.dropped() == Some(DropReason::LinkDown));
        }
        prop_assert_eq!(lost, outcome.totals.drops[LINK_DOWN]);
        let of_flows: u64 = outcome.flows.iter().map(|f| u64::from(f.drops)).sum();
        prop_assert_eq!(of_flows, outcome.classes[0].dropped);
    }

    #[test]
    fn when_all_is_quiet_nothing_waits_on_what_was_cut_and_mended(
        network in any_network(), mut config in any_switches(), plan in any_plan(16),
        drawn in any_changes(),
    ) {
        // In a network with cycles, pauses may deadlock.
        let tree = network.cables.len() + 1 == network.hosts as usize + network.switches.len();
        prop_assume!(tree || config.switch.pfc.is_none());
        config.ttl = 64;
        config.changes = of(&network, drawn);
        // A flow whose host is cut off keeps trying.
        let left = left_when_quiet(&network, &plan, config);
        prop_assume!(left.is_some());
        prop_assert_eq!(left, Some((0, 0)));
    }

    #[test]
    fn the_wheel_and_the_heap_change_alike(
        network in any_network(), mut config in any_switches(), plan in any_plan(16),
        drawn in any_changes(),
    ) {
        config.changes = of(&network, drawn);
        let until = Time::from_ms(40);
        run_on_both(&network, &plan, &config, until);
    }

    #[test]
    fn who_looks_between_changes_changes_nothing(
        network in any_network(), mut config in any_switches(), plan in any_plan(16),
        drawn in any_changes(), look_us in 1u64..500,
    ) {
        config.changes = of(&network, drawn);
        let until = Time::from_ms(20);
        let alone = run(&network, plan.clone(), config.clone(), until);
        let mut world: World = World::new(&network, plan, config).unwrap();
        let mut at = Time::ZERO;
        while at < until {
            at = at.saturating_add(Time::from_ns(look_us * 769)).min(until);
            if world.run_until(at) {
                break;
            }
            world.queue_depths(at);
        }
        prop_assert_eq!(world.finish(), alone);
    }

    #[test]
    fn an_explicit_fifo_queue_changes_as_one_event_a_hop_does(
        network in any_network(), mut config in any_config(), plan in any_plan(16),
        drawn in any_changes(),
    ) {
        prop_assume!(config.switch.sched.name() == "fifo");
        config.changes = of(&network, drawn);
        let until = Time::from_ms(40);
        let fast = run(&network, plan.clone(), config.clone(), until);
        let mut world: World = World::new(&network, plan, config).unwrap();
        world.set_scheds(|_, _| AnySched::Fifo(Fifo::default()));
        world.run_until(until);
        let explicit = world.finish();
        prop_assert_eq!(fast.trajectory_hash, explicit.trajectory_hash);
        prop_assert_eq!(&fast.flows, &explicit.flows);
        prop_assert_eq!(&fast.ports, &explicit.ports);
    }

    #[test]
    fn ends_that_are_not_planned_change_nothing_beside_changes(
        network in any_network(), mut config in any_switches(), plan in any_plan(16),
        sched in proptest::sample::select(vec!["priority", "pfabric", "srpt"]),
        drawn in any_changes(), us in 1u64..40_000,
    ) {
        if config.switch.buffer.nature().works_beside(sched) {
            config.switch.sched = chosen_sched(sched, &[]);
        }
        config.changes = of(&network, drawn);
        let until = Time::from_us(us);
        let mut planned: World = World::new(&network, plan.clone(), config.clone()).unwrap();
        planned.plan_every_end();
        planned.run_until(until);
        let planned = planned.finish();
        let mut seen = run(&network, plan, config, until);
        prop_assert!(seen.totals.events <= planned.totals.events);
        seen.totals.events = planned.totals.events;
        prop_assert_eq!(planned, seen);
    }

    /// While only one class has packets, they are queued in the line of the port, and schedulers and counts are
    /// updated late.
    #[test]
    fn class_queues_that_leave_nothing_to_choose_change_nothing_but_events(
        network in any_network(), plan in any_plan(16), drawn in any_changes(), us in 1_000u64..60_000,
        sched in proptest::sample::select(vec!["strict", "ps", "wps"]),
        buffer in proptest::sample::select(vec!["droptail", "per-flow", "static"]),
        (quantum, silence, places) in (84u64..4_000, 20u64..20_000, 1u64..30),
        (below, acks) in (1u64..30_000, proptest::sample::select(vec!["flow", "first"])),
        (shared, ttl) in (any::<bool>(), proptest::sample::select(vec![255u8, 255, 3, 2])),
        room in proptest::sample::select(vec![7u64, 60]),
    ) {
        let [quantum, silence] = [format!("{quantum} B"), format!("{silence} us")];
        let (places, below) = (places.to_string(), format!("{below} B"));
        let mut config = config("droptail", room, 1);
        if buffer != "droptail" {
            let sets = [("sizes", buffer), ("total", "30 kB"), ("product", "9 kB")];
            config.switch.buffer = chosen_buffer("mulbuff", &sets);
        }
        if shared {
            let (memory, alpha) = (Bytes(1_000 * room), (1, 1));
            config.switch.capacity = Capacity::Shared { memory, alpha };
        }
        config.ttl = ttl;
        let of_count = [("count", "exact"), ("silence", &*silence), ("places", &*places)];
        let all = [of_count.as_slice(), &[("quantum", &*quantum)]].concat();
        let sets = if sched == "strict" { &of_count[..] } else { &all };
        config.switch.sched = chosen_sched(sched, sets);
        config.shims = vec![chosen_shim("by-size",
            &[("thresholds", &*below), ("acks", acks)],
        )];
        config.changes = of(&network, drawn);
        let until = Time::from_us(us);
        let mut planned: World = World::new(&network, plan.clone(), config.clone()).unwrap();
        planned.plan_every_end();
        planned.run_until(until);
        let now = planned.now();
        let planned = planned.finish();
        let mut seen: World = World::new(&network, plan, config).unwrap();
        seen.run_until(until);
        prop_assert_eq!(now, seen.now());
        let mut seen = seen.finish();
        prop_assert!(seen.totals.events <= planned.totals.events);
        seen.totals.events = planned.totals.events;
        prop_assert_eq!(planned, seen);
    }

    #[test]
    fn a_change_to_the_same_rate_changes_nothing(
        network in any_network(), mut config in any_switches(), plan in any_plan(16),
        drawn in any_changes(),
    ) {
        let until = Time::from_ms(40);
        let unchanged = run(&network, plan.clone(), config.clone(), until);
        let same = |(ns, cable, ..): (u64, u32, u8, Option<u64>)| {
            let cable = cable % network.cables.len() as u32;
            let rate = network.cables[cable as usize].rate;
            change(Time::from_ns(ns), cable, Becomes::Rate(rate))
        };
        config.changes = drawn.into_iter().map(same).collect();
        let mut changed = run(&network, plan, config, until);
        // Packets queued in the line of a port with class queues are taken off it, and an end of a transmission
        // is scheduled.
        prop_assert!(changed.totals.events >= unchanged.totals.events);
        changed.totals.events = unchanged.totals.events;
        prop_assert_eq!(changed, unchanged);
    }

    #[test]
    fn once_next_hops_follow_nothing_is_sent_to_a_dead_link(
        kind in 0u8..8, mut config in any_config(), plan in any_plan(16),
        cuts in proptest::collection::vec((0u64..4_000, any::<u32>(), 0u64..2_000), 1..6),
    ) {
        let network = network(kind, "1 us");
        let down = |(us, cable, after)| (us * 1_000, cable, 0, Some(after));
        let mut changes = of(&network, cuts.into_iter().map(down).collect());
        // Only cuts with a path around them are left.
        changes.retain(|change| change.reroute.is_some());
        prop_assume!(!changes.is_empty() && changes.iter().all(|c| c.to == Becomes::Down));
        let followed = changes.iter().map(|c| c.at.saturating_add(c.reroute.unwrap())).max();
        config.changes = changes;
        let lost = |until| run(&network, plan.clone(), config.clone(), until).totals.drops[LINK_DOWN];
        prop_assert_eq!(lost(followed.unwrap()), lost(Time::from_s(1)));
    }
}

/// Returns a config whose transport retransmits only by its timer, which waits for 10 ms.
fn by_timer(mut config: WorldConfig) -> WorldConfig {
    config.transport = TcpConfig {
        dupack_threshold: None,
        ..dctcp()
    }
    .into();
    config
}

#[test]
fn what_a_dead_link_or_a_dead_nic_lost_is_sent_again_for_a_reason() {
    let (network, middle) = one_link();
    let nic = cable(&network, End::Host(HostId(0)), switch(&network, "left"));
    // The link fails before any data has arrived, so that no acknowledgement is lost, which would cause
    // retransmissions.
    for (cable, nic, down) in [(middle, false, 10_000), (nic, true, 500)] {
        let mut config = by_timer(unlimited("fifo"));
        config.trace = TraceFilter::Flows(vec![0]);
        let (down, up) = (Time::from_ns(down), Time::from_ms(35));
        config.changes = vec![
            change(down, cable, Becomes::Down),
            change(up, cable, Becomes::Up),
        ];
        let one = plan(vec![flow(0, 1, 200_000, Time::ZERO)]);
        let outcome = run(&network, one, config, Time::from_s(5));
        assert_conserved(&outcome);
        let flow = &outcome.flows[0];
        assert!(flow.finished.is_some_and(|at| at > up), "{flow:?}");
        assert!(flow.drops > 1 && flow.timeouts > 1, "{flow:?}");
        assert_eq!(flow.spurious_timeouts, 0, "{flow:?}");
        assert_eq!(flow.spurious_retransmits, 0, "{flow:?}");
        let ports = &outcome.ports[2 * cable as usize];
        assert_eq!(ports.counts.drops[LINK_DOWN], u64::from(flow.drops));
        assert_eq!(outcome.totals.drops[LINK_DOWN], u64::from(flow.drops));
        let by_host = |trace: &PacketTrace| {
            let last = trace.steps.last().unwrap().what;
            last.dropped().is_some() && matches!(last, TraceEvent::At(End::Host(_), _))
        };
        let by_host = outcome.traces.iter().filter(|trace| by_host(trace)).count();
        assert_eq!(by_host as u32, if nic { flow.drops } else { 0 });
    }
}

#[test]
fn what_comes_up_has_the_rate_that_the_network_says() {
    let (network, middle) = one_link();
    let mut config = unlimited("fifo");
    let slow = Becomes::Rate(BitRate::bps(10_000_000));
    config.changes = vec![
        change(Time::from_us(1), middle, slow),
        change(Time::from_us(2), middle, Becomes::Down),
        change(Time::from_us(3), middle, Becomes::Up),
    ];
    let one = || plan(vec![flow(0, 1, 1460, Time::from_us(4))]);
    let changed = run(&network, one(), config, Time::from_s(1));
    let alone = run(&network, one(), unlimited("fifo"), Time::from_s(1));
    assert_eq!(fct_us(&changed), fct_us(&alone));
    let rates = |outcome: &Outcome| outcome.ports.iter().map(|p| p.rate).collect::<Vec<_>>();
    assert_eq!(
        rates(&changed),
        rates(&alone),
        "results say what the topology says"
    );
}

/// Every path of a fat tree from one pod to another crosses one of four cores.
#[test]
fn next_hops_and_detours_go_around_a_switch_that_is_down() {
    let network = topology("fat_tree", &[("k", "4")]);
    let core = switch(&network, "core 1");
    let of_core: Vec<u32> = (0..)
        .zip(&network.cables)
        .filter(|(_, c)| c.a == core || c.b == core)
        .map(|(i, _)| i)
        .collect();
    assert_eq!(of_core.len(), 4);
    let (down, up) = (Time::from_ms(2), Time::from_ms(40));
    let go = |name, reroute: Option<Time>| {
        let mut config = if name == "dibs" {
            dibs(10, 1)
        } else {
            by_timer(config(name, 100, 1))
        };
        let of = |at, to| {
            let all = of_core.iter();
            all.map(move |&cable| Change {
                at,
                cable,
                to,
                reroute,
            })
        };
        config.changes = of(down, Becomes::Down).chain(of(up, Becomes::Up)).collect();
        config.trace = TraceFilter::Detoured(0);
        let flows = (0..16u32).flat_map(|h| (4..12).map(move |far| (h, (h + far) % 16)));
        let flows = flows.enumerate().map(|(i, (a, b))| {
            flow(
                a,
                b,
                100_000,
                Time::from_us(100 * i as u64 + i as u64 % 2 * 45_000),
            )
        });
        run(&network, plan(flows.collect()), config, Time::from_s(5))
    };
    let End::Switch(core) = core else {
        unreachable!()
    };
    for name in ["droptail", "dibs"] {
        let outcome = go(name, Some(Time::from_ms(1)));
        assert_conserved(&outcome);
        assert!(outcome.flows.iter().all(|f| f.finished.is_some()));
        let mut lost = Vec::new();
        let mut crossed = Vec::new();
        for step in outcome.traces.iter().flat_map(|trace| &trace.steps) {
            if step.what.dropped() == Some(DropReason::LinkDown) {
                lost.push(step.at);
            }
            if step.what.queued().is_some_and(|(switch, _)| switch == core) {
                crossed.push(step.at);
            }
        }
        let followed = down + Time::from_ms(1);
        assert!(lost.len() > 10 && lost.iter().all(|at| (down..followed).contains(at)));
        // One millisecond after the core came up, packets are sent there again.
        let back = up + Time::from_ms(1);
        assert!(crossed.iter().all(|at| *at < down || *at > back));
        let after = crossed.iter().filter(|at| **at > back).count();
        assert!(name != "dibs" || after > 10, "{after}");
        let never = go(name, None);
        assert_conserved(&never);
        assert!(never.totals.drops[LINK_DOWN] > 2 * lost.len() as u64);
    }
}

/// Runs three hosts that send to host 0 and are paused most of the time.
fn pausing(cut: HostId, down: Time, up: Option<Time>, until: Time) -> (Outcome, usize) {
    let network = topology("single_switch", &[("hosts", "4")]);
    let mut config = by_timer(config("droptail", 1000, 1));
    config.switch.pfc = Some(PfcConfig {
        xoff: Bytes(4_000),
        xon: None,
        headroom: None,
    });
    let nic = cable(&network, End::Host(cut), End::Switch(SwitchId(0)));
    let down = change(down, nic, Becomes::Down);
    let up = up.map(|at| change(at, nic, Becomes::Up));
    config.changes = [down].into_iter().chain(up).collect();
    let outcome = run(&network, incast(1..4, 300_000), config, until);
    assert_conserved(&outcome);
    let place = outcome.ports.iter().position(|p| p.from == End::Host(cut));
    (outcome, place.unwrap())
}

/// Packets queued for the dead link no longer count where they came in, or their senders would wait forever.
#[test]
fn what_a_dead_link_loses_no_longer_pauses_anybody() {
    let (outcome, _) = pausing(
        HostId(0),
        Time::from_us(500),
        Some(Time::from_us(900)),
        Time::from_s(5),
    );
    assert!(outcome.totals.pauses > 10);
    assert!(outcome.flows.iter().all(|f| f.finished.is_some()));
    assert!(outcome.totals.drops[LINK_DOWN] > 10);
    assert!(outcome.deadlocks.is_empty());
}

#[test]
fn a_pause_on_a_dead_link_is_forgotten() {
    let mut stood = 0;
    for down in (0..20).map(|i| Time::from_us(300 + 13 * i)) {
        let paused = |until| {
            let (outcome, nic) = pausing(HostId(1), down, None, until);
            (outcome.ports[nic].pauses, outcome.ports[nic].paused)
        };
        let (before, then) = (paused(down - Time::from_ns(9)), paused(down));
        assert_eq!(paused(Time::from_ms(8)), then);
        stood += u32::from(then.1 > before.1);
    }
    assert!(stood > 0, "it was paused when its link died");
}

/// RED must learn when a queue ran empty. For an explicit queue that is computed as a sum over its packets.
#[test]
fn an_explicit_queue_runs_empty_when_the_other_does_after_a_change_of_rate() {
    let (network, middle) = one_link();
    let mut config = unlimited("fifo");
    let red = [
        ("weight", "1/8"),
        ("min", "2 pkt"),
        ("max", "20 pkt"),
        ("max_p", "1/2"),
    ];
    config.switch.buffer = chosen_buffer("red", &red);
    // At 60 us five packets of a burst have begun; the others take ten times as long, the last until 4,369 us.
    // The next burst begins a few packet times later.
    let begins = |k: u64| Time::from_us(k * (4_369 + 8 * k));
    let becomes = |at, bps| change(at, middle, Becomes::Rate(BitRate::bps(bps)));
    let rates = |begin| {
        [
            becomes(begin + Time::from_us(60), 100_000_000),
            becomes(begin + Time::from_us(4_300), 1_000_000_000),
        ]
    };
    config.changes = (0..6).map(begins).flat_map(rates).collect();
    let bursts =
        (0..6).flat_map(|k| (0..40).map(move |i| flow(0, 1, 1460, begins(k) + Time::from_ns(i))));
    let bursts = plan(bursts.collect());
    let go = |explicit: bool| {
        let mut world: World = World::new(&network, bursts.clone(), config.clone()).unwrap();
        if explicit {
            world.set_scheds(|_, _| AnySched::Fifo(Fifo::default()));
        }
        world.run_until(Time::from_ms(40));
        world.finish()
    };
    let (fast, explicit) = (go(false), go(true));
    assert!(fast.totals.marks + fast.totals.drops.iter().sum::<u64>() > 10);
    assert_eq!(
        (fast.trajectory_hash, fast.ports),
        (explicit.trajectory_hash, explicit.ports)
    );
}

#[test]
fn changes_that_cannot_be_are_refused_by_their_number() {
    let (network, middle) = one_link();
    let refused = |changes: Vec<Change>| {
        let mut config = unlimited("fifo");
        config.changes = changes;
        let made: Result<World, String> = World::new(&network, burst(1), config);
        made.err().unwrap_or_default()
    };
    let at = Time::from_us;
    let down = change(at(1), middle, Becomes::Down);
    assert_eq!(refused(vec![down]), "");
    let followed = Change {
        reroute: Some(at(5)),
        ..down
    };
    assert_eq!(
        refused(vec![followed]),
        "change 0: this change disconnects host 0 from host 1"
    );
}

/// Neither of two interleaved runs may record the other's changes.
#[test]
fn two_changing_worlds_stepped_in_turn_record_what_each_records_alone() {
    let network = topology("fat_tree", &[("k", "4")]);
    let make = |seed: u64| -> World {
        let mut config = dibs(10, seed);
        config.changes = vec![
            Change {
                at: Time::from_us(200 * seed),
                cable: 40,
                to: Becomes::Down,
                reroute: Some(Time::from_us(300)),
            },
            Change {
                at: Time::from_us(3_000),
                cable: 40,
                to: Becomes::Up,
                reroute: Some(Time::from_us(300)),
            },
        ];
        World::new(&network, incast(1..16, 40_000), config).unwrap()
    };
    let alone = |seed| {
        let mut world = make(seed);
        world.run_until(Time::from_ms(100));
        world.finish()
    };
    let (mut a, mut b) = (make(1), make(2));
    for us in 1..=100_000 / 7 {
        a.run_until(Time::from_us(7 * us));
        b.run_until(Time::from_us(7 * us));
    }
    a.run_until(Time::from_ms(100));
    b.run_until(Time::from_ms(100));
    assert_eq!(a.finish(), alone(1));
    assert_eq!(b.finish(), alone(2));
}
