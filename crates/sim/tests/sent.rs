//! Switches that rank data by what they saw of its flow.

use crate::common;

use common::*;
use sidestep_sim::{Outcome, World, WorldConfig};
use sidestep_transport::Ranking;
use sidestep_types::{BitRate, Bytes, Framing, Time};

/// The smallest rank first; hosts mark nothing.
fn by_rank(sent: Option<Time>) -> WorldConfig {
    let mut config = config("droptail", 100, 1);
    config.switch.sched = chosen_sched("srpt", &[]);
    let mut transport = dctcp();
    transport.ranking = Ranking::Unmarked;
    config.transport = transport.into();
    config.switch.sent = sent;
    config
}

/// Ten packets for host 2 from each of two hosts, and while they wait one from a third: when that one is there,
/// in us.
fn overtaken(sent: Option<Time>) -> f64 {
    let network = topology("single_switch", &[("hosts", "4")]);
    let flows = vec![
        flow(0, 2, 14_600, Time::ZERO),
        flow(1, 2, 14_600, Time::ZERO),
        flow(3, 2, 1_460, Time::from_us(110)),
    ];
    let outcome = run(&network, plan(flows), by_rank(sent), Time::from_s(1));
    fct_us(&outcome)[2]
}

#[test]
fn who_was_served_least_waits_for_what_is_on_the_wire_alone() {
    let packet = BitRate::gbps(1).time_to_send(Bytes(u64::from(Framing::Ethernet.wire(1500))));
    let packet = packet.as_us_f64();
    // Its own link, the packet on the wire, its own transmission, two delays.
    let most = 3.0 * packet + 2.0;
    let counted = overtaken(Some(Time::from_ms(100)));
    assert!(counted <= most, "{counted} us, at most {most} us");
    // Unmarked, all rank alike: behind some ten of the others.
    let unmarked = overtaken(None);
    assert!(unmarked > 8.0 * packet, "{unmarked} us");
}

#[test]
fn a_silence_makes_a_flow_a_newcomer() {
    let network = topology("single_switch", &[("hosts", "4")]);
    let last = |gap| {
        let mut all = plan(vec![]);
        let plan = std::sync::Arc::make_mut(&mut all);
        // One connection, two messages 10 ms apart; the second meets a flow that sent less than the first.
        asks(
            plan,
            1,
            2,
            &[(Time::ZERO, 29_200, 1), (Time::from_us(10_110), 1_460, 1)],
            Time::ZERO,
        );
        for host in [0, 3] {
            plan.flows.push(flow(host, 2, 14_600, Time::from_ms(10)));
        }
        let outcome = run(&network, all, by_rank(Some(gap)), Time::from_s(1));
        fct_us(&outcome)[2]
    };
    let (anew, goes_on) = (last(Time::from_ms(1)), last(Time::from_ms(100)));
    assert!(anew + 12.0 < goes_on, "{anew} us, {goes_on} us");
}

#[test]
fn where_nobody_goes_by_ranks_nothing_happens_otherwise() {
    let network = topology("fat_tree", &[("k", "4")]);
    let of = |sent| -> Outcome {
        let mut config = config("dibs", 8, 3);
        config.switch.sent = sent;
        run(&network, incast(1..16, 30_000), config, Time::from_s(1))
    };
    let (plain, counting) = (of(None), of(Some(Time::from_ms(100))));
    assert_eq!(plain.trajectory_hash, counting.trajectory_hash);
    assert_eq!(plain.totals.events, counting.totals.events);
}

#[test]
fn packets_are_conserved_where_switches_deflect_what_they_saw_most_of() {
    let network = topology("fat_tree", &[("k", "4")]);
    for seed in 1..4 {
        let mut config = config("vertigo", 8, seed);
        config.switch.route = chosen_route("power-of-two", &[]);
        config.switch.buffer = chosen_buffer("vertigo", &[]);
        config.switch.sched = chosen_sched("srpt", &[]);
        config.switch.sent = Some(Time::from_ms(100));
        let made: Result<World, String> =
            World::new(&network, incast(1..16, 30_000), config.clone());
        assert!(made.is_ok());
        let outcome = run(&network, incast(1..16, 30_000), config, Time::from_s(1));
        assert_conserved(&outcome);
        assert!(outcome.totals.detours > 0);
        assert!(outcome.flows.iter().all(|flow| flow.finished.is_some()));
    }
}
