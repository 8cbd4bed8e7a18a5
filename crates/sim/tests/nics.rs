//! Queues of NICs that decide: what they drop, mark and reorder, exactly.

use crate::common;

use common::any::*;
use common::*;
use proptest::prelude::*;
use sidestep_sim::*;
use sidestep_switch::{Capacity, DropReason, buffer};
use sidestep_transport::TcpConfig;
use sidestep_types::*;

/// The queue of a NIC.
fn nic(name: &str, sets: &[(&str, &str)], sched: &str, packets: Option<u64>) -> Option<NicConfig> {
    let room = |n| Capacity::PerPort(Size::Packets(n));
    Some(NicConfig {
        buffer: chosen_buffer(name, sets),
        sched: chosen_sched(sched, &[]),
        capacity: packets.map_or(Capacity::Unlimited, room),
    })
}

/// A first window of so many segments.
fn window(segments: u32) -> WorldConfig {
    let mut settings = config("droptail", 1, 1);
    settings.switch.capacity = Capacity::Unlimited;
    settings.transport = TcpConfig {
        initial_window: segments,
        ..dctcp()
    }
    .into();
    settings
}

/// The ports of hosts.
fn of_hosts(outcome: &Outcome) -> impl Iterator<Item = &PortOutcome> {
    let ports = outcome.ports.iter();
    ports.filter(|port| matches!(port.from, End::Host(_)))
}

/// A window comes at once: a NIC of n packets takes n of it, a queue that holds K marks what comes then.
#[test]
fn of_a_window_a_nic_takes_what_fits_and_marks_what_comes_above_the_threshold() {
    let network = topology("single_switch", &[("hosts", "2")]);
    let before_any_ack = Time::from_us(20);
    for (window_of, holds, mark_at) in [
        (10, 4, 2),
        (10, 10, 3),
        (10, 1, 1),
        (40, 30, 20),
        (9, 30, 9),
    ] {
        let mut settings = window(window_of);
        let mark = format!("{mark_at} pkt");
        settings.nic = nic("ecn", &[("mark_at", &mark)], "fifo", Some(holds));
        let flows = plan(vec![flow(0, 1, 1_000_000, Time::ZERO)]);
        let outcome = run(&network, flows, settings, before_any_ack);
        assert_conserved(&outcome);
        let window_of = u64::from(window_of);
        let taken = window_of.min(holds);
        let (drops, marks) = (window_of - taken, taken.saturating_sub(mark_at));
        let port = of_hosts(&outcome).next().unwrap();
        assert_eq!(port.counts.drops[DropReason::Full as usize], drops);
        assert_eq!(
            (port.counts.marks, port.peak_packets),
            (marks, taken as u32)
        );
        assert_eq!(outcome.totals.drops.iter().sum::<u64>(), drops);
        let totals = outcome.totals;
        assert_eq!(
            (totals.host_drops, totals.host_marks, totals.marks),
            (drops, marks, marks)
        );
        assert_eq!(u64::from(outcome.flows[0].drops), drops);
    }
}

/// The same window into a switch behind a link that takes no time, as if that were the NIC.
#[test]
fn a_nic_marks_and_drops_as_the_port_of_a_switch_does() {
    let network = |rate: &str| {
        let sets = [
            ("left", "1"),
            ("right", "1"),
            ("rate", rate),
            ("bottleneck_rate", "1 Gbps"),
        ];
        topology("dumbbell", &sets)
    };
    for (name, sets, sched) in [
        ("droptail", &[][..], "fifo"),
        ("ecn", &[("mark_at", "7 pkt")], "fifo"),
        ("pfabric", &[], "pfabric"),
        ("trim", &[], "priority"),
    ] {
        let flows = plan(vec![flow(0, 1, 60_000, Time::ZERO)]);
        let until = Time::from_us(10);
        let seen = |outcome: Outcome, from_host: bool| {
            let is = |p: &&PortOutcome| matches!(p.from, End::Host(_)) == from_host;
            let port = outcome
                .ports
                .iter()
                .filter(is)
                .max_by_key(|p| p.peak_packets);
            let port = port.unwrap();
            (port.counts, port.peak_packets, port.peak_bytes)
        };
        let mut own = window(30);
        own.nic = nic(name, sets, sched, Some(12));
        let at_nic = seen(run(&network("1 Gbps"), flows.clone(), own, until), true);
        let mut other = window(30);
        other.switch.buffer = chosen_buffer(name, sets);
        other.switch.sched = chosen_sched(sched, &[]);
        other.switch.capacity = Capacity::PerPort(Size::Packets(12));
        let at_switch = seen(run(&network("10 Tbps"), flows, other, until), false);
        assert_eq!(at_nic, at_switch, "{name}");
    }
}

/// What a NIC lost was lost: it is sent again for a reason.
#[test]
fn what_a_nic_drops_or_evicts_is_sent_again_for_a_reason() {
    let network = topology("single_switch", &[("hosts", "3")]);
    let flows = || {
        let second = flow(0, 2, 9_000, Time::from_us(5));
        plan(vec![flow(0, 1, 29_200, Time::ZERO), second])
    };
    for (name, sched) in [
        ("droptail", "fifo"),
        ("pfabric", "pfabric"),
        ("droptail", "srpt"),
    ] {
        let mut settings = window(20);
        settings.trace = TraceFilter::Detoured(0);
        settings.nic = nic(name, &[], sched, Some(12));
        let outcome = run(&network, flows(), settings, Time::from_s(2));
        assert_conserved(&outcome);
        let totals = outcome.totals;
        assert!(totals.host_drops >= 8, "{name}: {totals:?}");
        assert_eq!(
            (totals.spurious_retransmits, totals.spurious_timeouts),
            (0, 0),
            "{name}"
        );
        assert!(outcome.flows.iter().all(|flow| flow.finished.is_some()));
        let of = |reason: DropReason| {
            let last = outcome
                .traces
                .iter()
                .map(|trace| trace.steps.last().unwrap().what);
            let dropped = last.filter(|what| {
                what.dropped() == Some(reason) && matches!(what, TraceEvent::At(End::Host(_), _))
            });
            dropped.count() as u64
        };
        for reason in DropReason::ALL {
            assert_eq!(
                of(reason),
                totals.drops[reason as usize],
                "{name}: {reason:?}"
            );
        }
        let joined =
            |trace: &PacketTrace| matches!(trace.steps[1].what, TraceEvent::At(End::Host(_), _));
        assert!(
            outcome.traces.iter().all(joined),
            "a path says what the NIC did"
        );
    }
}

/// Flows whose timers go off at one instant: the NIC takes what is sent again by one, and drops it of the others.
#[test]
fn what_a_nic_drops_as_it_is_sent_again_is_still_to_be_sent_again() {
    let network = topology("single_switch", &[("hosts", "3")]);
    let flows = (0..6)
        .map(|i| flow(0, 1 + i % 2, 1460, Time::ZERO))
        .collect();
    let mut settings = window(10);
    settings.nic = nic("droptail", &[], "fifo", Some(1));
    let outcome = run(&network, plan(flows), settings, Time::from_s(2));
    assert_conserved(&outcome);
    let totals = outcome.totals;
    // One gets through, then one at each of five timeouts that all the others share.
    assert_eq!((totals.host_drops, totals.timeouts), (15, 15));
    assert_eq!(
        (totals.spurious_retransmits, totals.spurious_timeouts),
        (0, 0)
    );
}

/// Ten segments of a long flow, and one of a short flow that comes while the first is sent.
#[test]
fn at_a_ranked_nic_a_short_flow_waits_for_one_packet_alone() {
    let network = topology("single_switch", &[("hosts", "3")]);
    let at = Time::from_us(1);
    let fct = |sched: &str| {
        let mut settings = window(10);
        settings.nic = nic("droptail", &[], sched, None);
        let flows = plan(vec![flow(0, 1, 14_600, Time::ZERO), flow(0, 2, 1460, at)]);
        let outcome = run(&network, flows, settings, Time::from_s(1));
        outcome.flows[1].finished.unwrap()
    };
    // 1538 bytes at 1 Gbps, twice for its own two links, and 1 us each.
    let full = Time::from_ns(12_304);
    let after = |packets: u64| Time::from_ns(12_304 * packets) + full + full + Time::from_us(2);
    assert_eq!((fct("fifo"), fct("srpt")), (after(10), after(1)));
}

#[test]
fn queues_that_no_nic_can_have_are_refused() {
    let network = topology("single_switch", &[("hosts", "2")]);
    let said = |nic: Option<NicConfig>| {
        let mut settings = window(10);
        settings.nic = nic;
        let flows = plan(vec![flow(0, 1, 10, Time::ZERO)]);
        World::<agenda::WheelAgenda>::new(&network, flows, settings).err()
    };
    for entry in buffer::ENTRIES {
        let nature = buffer::nature(entry.name);
        let sched = nature.sched.first().copied().unwrap_or("fifo");
        let refused = said(nic(entry.name, &[], sched, Some(9)));
        let detours = refused.is_some_and(|why| why.contains("no other port"));
        assert_eq!(detours, nature.detours, "{}", entry.name);
    }
    let mut shares = nic("droptail", &[], "fifo", None);
    shares.as_mut().unwrap().capacity = Capacity::Shared {
        memory: Bytes(100_000),
        alpha: (1, 1),
    };
    assert!(said(shares).unwrap().contains("share memory"));
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 60,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// A decision that always says yes is none.
    #[test]
    fn a_nic_that_takes_all_in_turn_runs_the_run_of_one_that_does_not_decide(
        network in any_network(), mut config in any_switches(), plan in any_plan(16),
        us in 1u64..40_000,
    ) {
        config.nic = None;
        let until = Time::from_us(us);
        let plain = run(&network, plan.clone(), config.clone(), until);
        config.nic = nic("droptail", &[], "fifo", None);
        prop_assert_eq!(&plain, &run(&network, plan, config, until));
    }

    /// What is dropped at hosts and at switches is all that is dropped, and hosts have no other queue.
    #[test]
    fn hosts_and_switches_together_mark_and_drop_what_a_run_does(
        network in any_network(), config in any_switches(), nic in any_nic(), plan in any_plan(16),
        us in 1u64..40_000,
    ) {
        let mut config = config;
        config.nic = nic;
        let outcome = run(&network, plan, config, Time::from_us(us));
        assert_conserved(&outcome);
        let totals = outcome.totals;
        let drops: u64 = of_hosts(&outcome).flat_map(|port| port.counts.drops).sum();
        let marks: u64 = of_hosts(&outcome).map(|port| port.counts.marks).sum();
        prop_assert_eq!((totals.host_drops, totals.host_marks), (drops, marks));
        for port in of_hosts(&outcome) {
            prop_assert_eq!((port.counts.detours_in, port.counts.detours_out), (0, 0));
        }
    }
}
