//! Pauses between switches: nothing is lost with enough headroom, and the price of that.

use crate::common;

use common::any::any_tree;
use common::*;
use proptest::prelude::*;
use sidestep_sim::pfc::headroom_needed;
use sidestep_sim::*;
use sidestep_switch::{AnySched, Capacity, DropReason, buffer};
use sidestep_types::*;
use std::sync::Arc;

/// Returns DCTCP over unlimited output queues whose switches pause from `xoff` bytes on.
fn pausing(xoff: u64, headroom: Option<u64>, seed: u64) -> WorldConfig {
    let mut config = config("ecn", 1, seed);
    config.switch.capacity = Capacity::Unlimited;
    config.switch.pfc = Some(PfcConfig {
        xoff: Bytes(xoff),
        xon: None,
        headroom: headroom.map(Bytes),
    });
    config
}

fn full_drops(outcome: &Outcome) -> u64 {
    outcome.totals.drops[DropReason::Full as usize]
}

fn port(outcome: &Outcome, from: End, to: End) -> PortOutcome {
    let ours = |p: &&PortOutcome| p.from == from && p.to == to;
    *outcome.ports.iter().find(ours).expect("a port")
}

const FULL: u32 = 1538;

/// Draws source, target and size of each flow.
fn any_incast() -> impl Strategy<Value = Vec<(u32, u32, u64)>> {
    let targets = prop_oneof![3 => Just(0u32), 1 => 1u32..16];
    proptest::collection::vec((1u32..16, targets, 1u64..200_000), 1..30)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 80,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn with_headroom_nothing_is_lost_and_up_and_down_paths_never_lock(
        network in any_tree(), list in any_incast(), xoff in 1u64..60_000, seed: u64, ip: bool,
    ) {
        let make = |(i, (src, to, size)): (usize, (u32, u32, u64))| {
            let dst = if to == src { (src + 1) % 16 } else { to };
            flow(src, dst, size, Time::from_ns(100 * i as u64))
        };
        let plan = plan(list.into_iter().enumerate().map(make).collect());
        let mut config = pausing(xoff, None, seed);
        config.framing = if ip { Framing::Ip } else { Framing::Ethernet };
        let outcome = run(&network, plan, config, Time::from_s(2));
        assert_conserved(&outcome);
        prop_assert_eq!(outcome.totals.drops, [0; DropReason::COUNT]);
        prop_assert!(outcome.deadlocks.is_empty());
        prop_assert!(outcome.flows.iter().all(|f| f.finished.is_some()));
    }
}

#[test]
fn a_pause_waits_for_its_frame_and_lasts_until_the_resume() {
    // One packet held is too much. The second packet is on the wire when the pause comes.
    let network = topology("single_switch", &[("hosts", "3"), ("delay", "1 us")]);
    let flows = vec![
        flow(1, 0, 2 * 1460, Time::ZERO),
        flow(2, 0, 100, Time::from_us(200)),
    ];
    let config = pausing(1518, None, 1);
    let plan = plan(flows);
    // Nothing happens between the pause and this end: the pause lasts until there.
    let early = run(&network, plan.clone(), config.clone(), Time::from_us(20));
    let nic = port(&early, End::Host(HostId(1)), End::Switch(SwitchId(0)));
    assert_eq!(early.end, Time::from_us(20));
    assert_eq!(nic.paused, early.end - Time::from_ns(13_304 + 672 + 1_000));
    let outcome = run(&network, plan, config, Time::from_s(1));
    let nic = port(&outcome, End::Host(HostId(1)), End::Switch(SwitchId(0)));
    // The first packet is in at 12.304 + 1 us; the pause takes 0.672 + 1 us back. The last bit of the first
    // packet leaves as the second arrives, so that resume and pause come back together. The second leaves
    // 12.304 us later, and the last resume takes 1.672 us again.
    let began = Time::from_ns(13_304 + 1_672);
    let ended = Time::from_ns(13_304 + 2 * 12_304 + 1_672);
    assert_eq!((nic.pauses, nic.paused), (2, ended - began));
    assert_eq!(outcome.totals.pauses, 2);
}

#[test]
fn a_pause_waits_behind_the_packet_on_the_wire_and_ahead_of_the_queue() {
    // Host 0 receives a long train, so that its cable is never idle towards it; its own packets are paused at
    // once.
    let network = topology("single_switch", &[("hosts", "3"), ("delay", "1 us")]);
    let flows = vec![
        flow(1, 0, 10 * 1460, Time::ZERO),
        flow(0, 2, 1460, Time::from_us(20)),
        flow(1, 2, 100, Time::from_us(400)),
    ];
    let mut config = pausing(1518, None, 1);
    config.switch.pfc = Some(PfcConfig {
        xon: Some(Bytes(1517)),
        ..config.switch.pfc.unwrap()
    });
    let outcome = run(&network, plan(flows), config, Time::from_s(1));
    let nic = port(&outcome, End::Host(HostId(0)), End::Switch(SwitchId(0)));
    assert_eq!(nic.pauses, 1);
    // The packet is in at 33.304 us, while the switch sends host 0 its second packet, until 37.912. It leaves
    // for host 2 at 45.608, when the switch sends the third packet: host 1 was paused as well, and that packet
    // came only at 40.584.
    let (first, second) = (37_912, 40_584 + 12_304);
    assert_eq!(nic.paused, Time::from_ns(second - first));
}

#[test]
fn with_too_little_headroom_packets_are_lost() {
    let network = topology("single_switch", &[("hosts", "9"), ("delay", "10 us")]);
    let needed = headroom_needed(BitRate::gbps(1), Time::from_us(10), FULL).0;
    assert_eq!(needed, 2 * 1250 + 3 * 1538 + 84);
    let go = |headroom| {
        let mut config = pausing(15_180, Some(headroom), 1);
        config.switch.buffer = chosen_buffer("droptail", &[]);
        run(&network, incast(1..9, 200_000), config, Time::from_s(1))
    };
    assert_eq!(full_drops(&go(needed)), 0);
    let most = go(needed).ports.iter().map(|p| p.input_peak_bytes).max();
    // The pause arrives after 10.672 us, and packets sent by then arrive 10 us later: two packets, since hardly
    // anything goes back that the pause would wait for.
    assert_eq!(most, Some(15_180 + 2 * 1518));
    assert!(full_drops(&go(1518)) > 0);
    assert_conserved(&go(1518));
}

#[test]
fn a_packet_that_finds_no_room_asks_for_the_pause_as_well() {
    let network = topology("single_switch", &[("hosts", "9")]);
    // Three packets fit below xoff, and no fourth: xoff itself is never reached.
    let mut config = pausing(5_000, Some(0), 1);
    config.switch.buffer = chosen_buffer("droptail", &[]);
    let outcome = run(&network, incast(1..9, 200_000), config, Time::from_s(1));
    assert!(full_drops(&outcome) > 0 && outcome.totals.pauses > 0);
    assert!(outcome.flows.iter().all(|flow| flow.finished.is_some()));
    assert_conserved(&outcome);
}

/// Returns the ports without counts that exist only in a network with pauses.
fn unwatched(outcome: &Outcome) -> Vec<PortOutcome> {
    let bare = |p: &PortOutcome| PortOutcome {
        input_peak_bytes: 0,
        ..*p
    };
    outcome.ports.iter().map(bare).collect()
}

#[test]
fn thresholds_that_are_never_reached_change_nothing() {
    let network = topology("fat_tree", &[("k", "4")]);
    let mut plain = config("ecn", 100, 1);
    let outcome = run(
        &network,
        incast(1..16, 40_000),
        plain.clone(),
        Time::from_s(1),
    );
    plain.switch.pfc = Some(PfcConfig {
        xoff: Bytes(10_000_000),
        xon: None,
        headroom: None,
    });
    let watched = run(&network, incast(1..16, 40_000), plain, Time::from_s(1));
    assert_eq!(outcome.trajectory_hash, watched.trajectory_hash);
    assert_eq!(
        (&outcome.flows, unwatched(&outcome)),
        (&watched.flows, unwatched(&watched))
    );
}

#[test]
fn a_flow_to_an_idle_host_stands_behind_a_paused_port() {
    // Hosts 0 to 3 are left, 4 to 7 right of one cable. Three flows fill host 4's port; the fourth goes over
    // the same cable to host 5, which has no other traffic.
    let network = topology(
        "dumbbell",
        &[("left", "4"), ("right", "4"), ("bottleneck_rate", "1 Gbps")],
    );
    let flows = || {
        plan(vec![
            flow(0, 4, 300_000, Time::ZERO),
            flow(5, 4, 300_000, Time::ZERO),
            flow(6, 4, 300_000, Time::ZERO),
            flow(3, 5, 30_000, Time::from_us(600)),
        ])
    };
    let mut free = config("droptail", 1, 1);
    free.switch.capacity = Capacity::Unlimited;
    let mut paused = free.clone();
    paused.switch.pfc = pausing(15_000, None, 1).switch.pfc;
    let free = run(&network, flows(), free, Time::from_s(1));
    let paused = run(&network, flows(), paused, Time::from_s(1));
    let trunk = port(&paused, End::Switch(SwitchId(0)), End::Switch(SwitchId(1)));
    assert!(
        trunk.pauses > 0 && trunk.paused > Time::from_us(100),
        "{trunk:?}"
    );
    assert!(
        fct_us(&paused)[3] > 1.5 * fct_us(&free)[3],
        "{:?} {:?}",
        fct_us(&paused),
        fct_us(&free)
    );
}

/// Returns `n` switches in a ring with a host each.
fn ring(n: u32) -> Network {
    let cable = |a, b| Cable {
        a,
        b,
        rate: BitRate::gbps(1),
        delay: Time::from_us(1),
    };
    let switch = |s| End::Switch(SwitchId(s % n));
    let hosts = (0..n).map(|h| cable(End::Host(HostId(h)), switch(h)));
    let around = (0..n).map(|s| cable(switch(s), switch(s + 1)));
    Network {
        hosts: n,
        switches: (0..n).map(|s| SwitchInfo::of_tier("ring", s)).collect(),
        cables: hosts.chain(around).collect(),
    }
}

/// Returns a plan in which each of 5 hosts sends to the one two switches on: the short way round has the same
/// direction for all.
fn around(size: u64) -> Arc<TrafficPlan> {
    plan(
        (0..5)
            .map(|h| flow(h, (h + 2) % 5, size, Time::ZERO))
            .collect(),
    )
}

#[test]
fn a_ring_of_full_switches_locks_for_ever_and_says_so() {
    let mut config = pausing(15_000, None, 1);
    config.switch.buffer = chosen_buffer("droptail", &[]);
    let mut world: World = World::new(&ring(5), around(2_000_000), config.clone()).unwrap();
    assert!(!world.run_until(Time::from_s(2)));
    let outcome = world.finish();
    assert_conserved(&outcome);
    assert_eq!(full_drops(&outcome), 0);
    assert_eq!(outcome.deadlocks.len(), 1, "{:?}", outcome.deadlocks);
    let cycle = &outcome.deadlocks[0];
    assert!(cycle.at < Time::from_ms(1), "{}", cycle.at);
    // The five clockwise links: cables 5 to 9, their first direction.
    let mut ports = cycle.ports.clone();
    ports.sort_unstable();
    assert_eq!(ports, [10, 12, 14, 16, 18]);
    let next = |at: usize| outcome.ports[cycle.ports[at % 5] as usize];
    assert!(
        (0..5).all(|at| next(at).to == next(at + 1).from),
        "each waits for the next"
    );
    for at in &cycle.ports {
        let stuck = &outcome.ports[*at as usize];
        assert!(stuck.paused >= outcome.end - cycle.at, "{stuck:?}");
    }
    assert!(
        outcome
            .flows
            .iter()
            .all(|f| f.finished.is_none() && f.timeouts > 0)
    );
    // Pauses alone do not cause a deadlock: with marks the same traffic gets through.
    config.switch.buffer = chosen_buffer("ecn", &[("mark_at", "3 pkt")]);
    config.switch.pfc = pausing(60_000, None, 1).switch.pfc;
    let marked = run(&ring(5), around(2_000_000), config, Time::from_s(2));
    assert!(marked.deadlocks.is_empty() && marked.flows.iter().all(|f| f.finished.is_some()));
}

#[test]
fn a_ring_without_pauses_never_locks() {
    let mut config = config("droptail", 20, 1);
    config.switch.pfc = None;
    let outcome = run(&ring(5), around(2_000_000), config, Time::from_s(2));
    assert!(outcome.flows.iter().all(|f| f.finished.is_some()));
    assert_eq!(outcome.totals.pauses, 0);
}

#[test]
fn a_scheduler_of_ones_own_is_paused_and_loses_nothing() {
    let network = topology("fat_tree", &[("k", "4")]);
    let config = pausing(15_000, None, 1);
    let mut world: World = World::new(&network, incast(1..16, 40_000), config).unwrap();
    world.set_scheds(|_, _| AnySched::Custom(Box::new(Lifo::default())));
    assert!(world.run_until(Time::from_s(2)));
    let outcome = world.finish();
    assert_conserved(&outcome);
    assert_eq!(full_drops(&outcome), 0);
    assert!(outcome.flows.iter().any(|f| f.reordered > 0));
    assert!(outcome.totals.pauses > 0);
}

/// Runs fifteen hosts that send to one over ports of ten packets, which fill before a port's share does.
fn pausing_over(name: &str) -> Outcome {
    let network = topology("fat_tree", &[("k", "4")]);
    let mut config = pausing(12_000, None, 1);
    config.switch.capacity = Capacity::PerPort(Size::Packets(10));
    config.switch.buffer = chosen_buffer(name, &[]);
    let sched = buffer::nature(name).sched[0];
    config.switch.sched = chosen_sched(sched, &[]);
    config.transport = pfabric().into();
    let outcome = run(&network, incast(1..16, 40_000), config, Time::from_s(1));
    assert_conserved(&outcome);
    assert!(outcome.totals.pauses > 10, "{:?}", outcome.totals);
    assert!(outcome.flows.iter().all(|f| f.finished.is_some()));
    outcome
}

#[test]
fn an_evicted_packet_counts_no_more_for_the_port_that_brought_it() {
    // A packet that was still counted would keep its sender paused forever.
    let totals = pausing_over("pfabric").totals;
    assert!(
        totals.drops[DropReason::Evicted as usize] > 10,
        "{totals:?}"
    );
}

#[test]
fn a_trimmed_packet_counts_for_what_is_left_of_it() {
    let totals = pausing_over("trim").totals;
    assert!(totals.trims > 10, "{totals:?}");
}

/// A frame that waited for a slow packet was lost with the link: later frames do not wait behind it.
#[test]
fn a_pause_after_a_return_waits_for_no_frame_that_died_with_the_link() {
    let network = topology("single_switch", &[("hosts", "6")]);
    let mut config = pausing(6_000, Some(20_000), 1);
    // An acknowledgement that begins after 100 us takes 0.67 s, and a frame of that time waits for it.
    let at = Time::from_us;
    let slow = Becomes::Rate(BitRate::bps(1_000));
    for host in 1..6 {
        let nic = |c: &Cable| [c.a, c.b].contains(&End::Host(HostId(host)));
        let cable = network.cables.iter().position(nic).unwrap() as u32;
        let becomes = [(100, slow), (2_000, Becomes::Down), (2_100, Becomes::Up)];
        config.changes.extend(becomes.map(|(us, to)| Change {
            at: at(us),
            cable,
            to,
            reroute: None,
        }));
    }
    // Small flows whose acknowledgements are in flight when the rate falls, and large ones after it.
    let acked = (1..6).flat_map(|host| (0..8).map(move |i| flow(host, 0, 1460, at(10 * i))));
    let later = (1..6).map(|host| flow(host, 0, 200_000, at(3_000)));
    let plan = plan(acked.chain(later).collect());
    let outcome = run(&network, plan, config, Time::from_ms(100));
    assert_conserved(&outcome);
    assert!(outcome.totals.pauses > 5);
    assert_eq!(full_drops(&outcome), 0);
}
