//! Switches with queues at inputs and outputs, and a fabric of limited speed between them.

use crate::common;

use common::*;
use proptest::prelude::*;
use sidestep_sim::*;
use sidestep_switch::{AnySched, Capacity, DropReason, buffer};
use sidestep_types::*;

/// `config` with a fabric `times` as fast as the fastest port.
fn crossing(mut config: WorldConfig, times: u64, input: Option<Size>) -> WorldConfig {
    config.switch.cioq = Some(CioqConfig {
        speedup: (times, 1),
        input_capacity: input,
    });
    config
}

fn full_drops(outcome: &Outcome) -> u64 {
    outcome.totals.drops[DropReason::Full as usize]
}

fn droptail(packets: u64) -> WorldConfig {
    config("droptail", packets, 1)
}

#[test]
fn a_packet_crosses_in_its_link_time_over_the_speed_up() {
    let network = topology("single_switch", &[("hosts", "2"), ("delay", "1 us")]);
    let one = || plan(vec![flow(0, 1, 1460, Time::ZERO)]);
    for (times, crossing_ns) in [(1, 12_304), (2, 6_152), (4, 3_076)] {
        let outcome = run(
            &network,
            one(),
            crossing(droptail(10), times, None),
            Time::from_ms(1),
        );
        let fct = outcome.flows[0].finished.unwrap();
        assert_eq!(fct, Time::from_ns(2 * (12_304 + 1_000) + crossing_ns));
    }
}

#[test]
fn a_fabric_runs_at_the_rate_of_the_fastest_port() {
    // From a 1 Gbps host over two switches with 10 Gbps between them.
    let network = topology(
        "dumbbell",
        &[
            ("left", "1"),
            ("right", "1"),
            ("bottleneck_rate", "10 Gbps"),
            ("delay", "0 us"),
            ("bottleneck_delay", "0 us"),
        ],
    );
    let one = plan(vec![flow(0, 1, 1460, Time::ZERO)]);
    let outcome = run(
        &network,
        one,
        crossing(droptail(10), 1, None),
        Time::from_ms(1),
    );
    let ps = 2 * 12_304_000 + 1_230_400 + 2 * 1_230_400;
    assert_eq!(outcome.flows[0].finished, Some(Time::from_ps(ps)));
}

/// When each data packet reached its host: the flow, in the order of time.
fn deliveries(outcome: &Outcome) -> Vec<(Time, u32)> {
    let arrived =
        |t: &&PacketTrace| !t.ack && t.steps.last().unwrap().what == TraceEvent::Delivered;
    let traces = outcome.traces.iter().filter(arrived);
    let mut list: Vec<_> = traces
        .map(|t| (t.steps.last().unwrap().at, t.flow.0))
        .collect();
    list.sort_unstable();
    list
}

#[test]
fn inputs_take_turns_at_an_output() {
    let network = topology("single_switch", &[("hosts", "4")]);
    let mut settings = crossing(droptail(100), 1, None);
    settings.trace = TraceFilter::Flows(vec![0, 1, 2]);
    let outcome = run(
        &network,
        incast(1..4, 10 * 1460),
        settings,
        Time::from_ms(9),
    );
    let order: Vec<u32> = deliveries(&outcome).iter().map(|d| d.1).collect();
    assert_eq!(order.len(), 30);
    assert!(
        order
            .windows(3)
            .all(|w| w[0] != w[1] && w[1] != w[2] && w[0] != w[2]),
        "{order:?}"
    );
}

#[test]
fn a_packet_for_an_idle_output_waits_for_one_crossing_at_most() {
    // Hosts 1 and 2 keep output 0 busy; input 1 has a queue for it when the packet for host 3 comes.
    let network = topology("single_switch", &[("hosts", "4"), ("delay", "0 us")]);
    let flows = vec![
        flow(1, 0, 10 * 1460, Time::ZERO),
        flow(2, 0, 10 * 1460, Time::ZERO),
        flow(1, 3, 1460, Time::ZERO),
    ];
    let outcome = run(
        &network,
        plan(flows),
        crossing(droptail(100), 1, None),
        Time::from_ms(9),
    );
    let packet = Time::from_ns(12_304);
    let came = packet * 11;
    let done = outcome.flows[2].finished.unwrap();
    assert!(done <= came + packet * 3, "{done}");
    assert!(outcome.flows[0].finished.unwrap() > came + packet * 6);
}

#[test]
fn a_packet_that_finds_its_input_full_is_dropped() {
    let network = topology("single_switch", &[("hosts", "4")]);
    let go = |input| {
        let settings = crossing(droptail(1000), 1, Some(input));
        run(
            &network,
            incast(1..4, 10 * 1460),
            settings,
            Time::from_ms(5),
        )
    };
    // One in three leaves while ten come: 7 are there in the end, one of them crossing.
    assert_eq!(full_drops(&go(Size::Packets(7))), 0);
    let little = go(Size::Packets(3));
    assert!(full_drops(&little) > 0);
    assert_conserved(&little);
    let little = go(Size::Bytes(Bytes(3 * 1518)));
    assert!(full_drops(&little) > 0);
    let most = little.ports.iter().map(|p| p.input_peak_bytes).max();
    assert_eq!(most, Some(3 * 1518));
}

#[test]
fn with_a_large_speed_up_it_is_an_output_queued_switch() {
    // Apart by uneven times, so that no two packets meet on one picosecond.
    let network = topology("fat_tree", &[("k", "4")]);
    let flows = || {
        let one = |s: u32| flow(s, 0, 20_000, Time::from_ns(u64::from(s) * 1_777));
        plan((1..16).map(one).collect())
    };
    for name in ["droptail", "ecn"] {
        let ideal = run(&network, flows(), config(name, 1000, 1), Time::from_s(1));
        let far = |times| {
            let settings = crossing(config(name, 1000, 1), times, None);
            let outcome = run(&network, flows(), settings, Time::from_s(1));
            assert_eq!(outcome.totals.drops, ideal.totals.drops);
            let pairs = fct_us(&outcome).into_iter().zip(fct_us(&ideal));
            pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        let (slow, faster, fastest) = (far(1), far(100), far(1_000_000));
        assert!(slow > 10.0 && faster < slow, "{name}: {slow} {faster} us");
        assert!(fastest < 0.001, "{name}: {fastest} us");
    }
}

#[test]
fn a_full_output_detours_at_the_input() {
    let network = topology("fat_tree", &[("k", "4")]);
    let settings = crossing(dibs(10, 1), 2, None);
    let outcome = run(&network, incast(1..16, 40_000), settings, Time::from_s(1));
    assert_conserved(&outcome);
    assert!(outcome.totals.detours > 100, "{:?}", outcome.totals);
    assert!(outcome.flows.iter().all(|f| f.finished.is_some()));
}

#[test]
fn a_scheduler_of_ones_own_orders_what_has_crossed() {
    let network = topology("fat_tree", &[("k", "4")]);
    let config = crossing(config("ecn", 1000, 1), 2, None);
    let mut world: World = World::new(&network, incast(1..16, 40_000), config).unwrap();
    world.set_scheds(|_, _| AnySched::Custom(Box::new(Lifo::default())));
    assert!(world.run_until(Time::from_s(2)));
    let outcome = world.finish();
    assert_conserved(&outcome);
    assert_eq!(full_drops(&outcome), 0);
    assert!(outcome.flows.iter().any(|f| f.reordered > 0));
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 60,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn an_output_never_holds_more_than_its_capacity_and_takes_all_it_promised(
        seed: u64, limit in 1u64..30, bytes: bool, times in 1u64..4,
        policy in 0..buffer::ENTRIES.len(), degree in 2u32..16,
    ) {
        let network = topology("fat_tree", &[("k", "4")]);
        let name = buffer::ENTRIES[policy].name;
        let nature = buffer::nature(name);
        let mut settings = if nature.detours { dibs(limit, seed) } else { config(name, limit, seed) };
        settings.switch.buffer = config(name, limit, seed).switch.buffer;
        if let Some(sched) = nature.sched.first() {
            settings.switch.sched = chosen_sched(sched, &[]);
        }
        if bytes {
            settings.switch.capacity = Capacity::PerPort(Size::Bytes(Bytes(limit * 1518)));
        }
        let settings = crossing(settings, times, Some(Size::Packets(5)));
        let outcome = run(&network, incast(1..degree, 30_000), settings, Time::from_ms(60));
        assert_conserved(&outcome);
        // Headers and acknowledgements have room beyond the capacity there.
        prop_assume!(name != "trim");
        for port in outcome.ports.iter().filter(|p| matches!(p.from, End::Switch(_))) {
            if bytes {
                prop_assert!(u64::from(port.peak_bytes) <= limit * 1518, "{:?}", port);
            } else {
                prop_assert!(u64::from(port.peak_packets) <= limit, "{:?}", port);
            }
        }
    }
}
