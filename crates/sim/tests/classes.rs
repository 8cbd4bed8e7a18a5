//! Class queues under TCP: shares of a link, and queue lengths.

use crate::common;

use common::*;
use sidestep_sim::*;
use sidestep_switch::{Capacity, DropReason};
use sidestep_transport::shim::{AnyShim, Shim, Stack};
use sidestep_types::*;

/// Shim that puts flows below number `long` into class 0 and all others into class 1.
#[derive(Clone, Copy)]
struct PacketFlags {
    long: u32,
}

impl Shim for PacketFlags {
    fn down(&mut self, _: Time, packet: &mut Packet) {
        packet.set_service(u8::from(packet.flow.0 >= self.long));
    }
}

fn classes(sched: &str, sets: &[(&str, &str)]) -> WorldConfig {
    let mut config = config("droptail", 100, 1);
    config.switch.sched = chosen_sched(sched, sets);
    config
}

/// Runs with the shims of `config`, or with `says`.
fn run_classes(
    plan: std::sync::Arc<TrafficPlan>,
    config: WorldConfig,
    says: Option<PacketFlags>,
    until: Time,
) -> Outcome {
    let hosts = plan.flows.len() as u32 + 1;
    let network = topology("single_switch", &[("hosts", &hosts.to_string())]);
    let mut world: World = World::new(&network, plan, config).expect("a world");
    if let Some(says) = says {
        world.set_shims(|_| Stack::of(vec![AnyShim::Custom(Box::new(says))]));
    }
    world.run_until(until);
    world.finish()
}

/// Returns the share of the link to host 0 that `short` greedy flows of class 0 get beside two of class 1.
fn share_of_class_0(short: u32, mut config: WorldConfig) -> f64 {
    config.switch.capacity = Capacity::Unlimited;
    let endless = (1..short + 3).map(|host| flow(host, 0, 1 << 40, Time::ZERO));
    let says = Some(PacketFlags { long: short });
    let outcome = run_classes(plan(endless.collect()), config, says, Time::from_ms(60));
    let bytes: Vec<u64> = outcome.flows.iter().map(|f| f.delivered_bytes).collect();
    let of_class_0: u64 = bytes[..short as usize].iter().sum();
    of_class_0 as f64 / bytes.iter().sum::<u64>() as f64
}

#[test]
fn greedy_flows_have_a_half_under_ps_and_n_of_n_plus_2_under_wps() {
    for n in [1u32, 2, 6] {
        let ps = share_of_class_0(n, classes("ps", &[]));
        assert!((ps / 0.5 - 1.0).abs() < 0.02, "{n}: {ps}");
        let expected = f64::from(n) / f64::from(n + 2);
        // Unlimited queues mean long round trips, during which a flow may be silent.
        for count in ["exact", "approximate"] {
            let sets = [("count", count), ("silence", "90 ms"), ("window", "90 ms")];
            let wps = share_of_class_0(n, classes("wps", &sets));
            assert!((wps / expected - 1.0).abs() < 0.02, "{n}, {count}: {wps}");
        }
    }
    let weighed = share_of_class_0(2, classes("wps", &[("weights", "3 1")]));
    assert!((weighed / 0.75 - 1.0).abs() < 0.02, "{weighed}");
}

#[test]
fn strict_leaves_a_higher_class_what_the_lower_does_not_take() {
    let share = share_of_class_0(2, classes("strict", &[]));
    assert!(share > 0.98, "{share}");
}

/// Runs 1 MB from this many senders at once, beside two long flows; returns the mean completion time of the
/// short flows in microseconds, and the number of packets dropped as full.
fn incast(senders: u32, sizes: &str, window: u32) -> (f64, u64) {
    // The silence is too long to end a flow: the host marks the end.
    let mut settings = classes("wps", &[("silence", "900 ms")]);
    settings.shims = vec![chosen_shim("by-size", &[("thresholds", "1 MB")])];
    let sets = [("sizes", sizes), ("product", "12.5 kB")];
    settings.switch.buffer = chosen_buffer("mulbuff", &sets);
    settings.switch.capacity = Capacity::PerPort(Size::Bytes(Bytes(400_000)));
    settings.transport = sidestep_transport::TcpConfig {
        initial_window: window,
        ..dctcp()
    }
    .into();
    let size = 1_000_000 / u64::from(senders);
    let short = (1..=senders).map(|host| flow(host, 0, size, Time::from_ms(3)));
    let long = (senders + 1..senders + 3).map(|host| flow(host, 0, 1 << 40, Time::ZERO));
    let flows = plan(short.chain(long).collect());
    let outcome = run_classes(flows, settings, None, Time::from_ms(900));
    assert_conserved(&outcome);
    let done = &outcome.flows[..senders as usize];
    let spans = done
        .iter()
        .map(|f| (f.finished.expect("in time") - f.started.unwrap()).as_us_f64());
    let full = outcome.totals.drops[DropReason::Full as usize];
    assert_eq!(
        full,
        outcome.totals.drops.iter().sum::<u64>(),
        "nothing else is dropped"
    );
    (spans.sum::<f64>() / f64::from(senders), full)
}

/// With initial windows of two, a burst of a few senders fits into three packets a flow; with ten it does not.
#[test]
fn three_packets_a_flow_hold_a_first_window_of_two_and_lose_of_one_of_ten() {
    let (_, two) = incast(20, "per-flow", 2);
    let (_, ten) = incast(20, "per-flow", 10);
    let (_, held) = incast(20, "static", 10);
    assert!(ten > two && ten > held, "{two} {ten} {held}");
}

#[test]
fn from_where_three_packets_a_flow_reach_the_cap_both_ways_are_the_same() {
    // 237.5 kB are 52 flows of three full packets.
    let [grows, stands] = ["per-flow", "static"].map(|sizes| incast(90, sizes, 2));
    assert_eq!(grows.1, stands.1);
    // Until the first 52 flows have come, the limit still grows.
    assert!(
        (grows.0 / stands.0 - 1.0).abs() < 0.001,
        "{grows:?} {stands:?}"
    );
}

/// A short flow is counted in its class only while its packets are there: a later one gets the third of the
/// link that one of three flows has, not the half that two of four have.
#[test]
fn a_flow_whose_host_says_that_it_ends_leaves_the_count_at_once() {
    let mut config = classes("wps", &[("silence", "900 ms")]);
    config.shims = vec![chosen_shim("by-size", &[("thresholds", "4 MB")])];
    config.switch.capacity = Capacity::Unlimited;
    let long = (1..3).map(|host| flow(host, 0, 1 << 40, Time::ZERO));
    let short = [
        flow(3, 0, 100_000, Time::from_ms(1)),
        flow(4, 0, 4_000_000, Time::from_ms(50)),
    ];
    let outcome = run_classes(
        plan(long.chain(short).collect()),
        config,
        None,
        Time::from_ms(200),
    );
    assert_conserved(&outcome);
    let later = &outcome.flows[3];
    let took = later.finished.expect("in time") - later.started.unwrap();
    // 32 Mbit and headers take 100 ms at a third of 1 Gbps, and 67 ms at a half.
    assert!(
        took > Time::from_ms(93) && took < Time::from_ms(110),
        "{took}"
    );
}
