//! Swift in the simulator: the level at which queues settle, and an incast.

#![allow(missing_docs)]

use crate::common;

use common::*;
use sidestep_sim::*;
use sidestep_transport::{Congestion, SwiftConfig, TcpConfig};
use sidestep_types::*;

fn settings() -> SwiftConfig {
    match swift().congestion {
        Congestion::Swift { settings } => settings,
        other => panic!("{other:?}"),
    }
}

fn with(transport: TcpConfig, packets: u64) -> WorldConfig {
    WorldConfig {
        transport: transport.into(),
        ..config("ecn", packets, 1)
    }
}

/// Returns the delay at which windows settle: `flows` windows that fill a link on which a packet takes `packet`
/// us give each packet the target delay of each window, `flows·cwnd·packet = target(cwnd)`. The left side grows
/// with the window and the right side falls, so bisection finds it.
fn settles_at(flows: f64, packet: f64, hops: u8) -> f64 {
    let excess = |cwnd| flows * cwnd * packet - settings().target(cwnd, hops) / 1e6;
    let (mut low, mut high) = (0.001, 43.0);
    assert!(excess(low) < 0.0 && excess(high) > 0.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if excess(middle) > 0.0 {
            high = middle;
        } else {
            low = middle;
        }
    }
    flows * low * packet
}

/// Time of a data packet on a link of 1 Gbps.
const PACKET_US: f64 = 12.304;

/// Round trip without the queue of the shared link: two links of 10 Gbps, three delays of 1 us, and the
/// acknowledgement back.
const REST_US: f64 = 2.0 * 1.2304 + 3.0 + 2.0 * 0.0672 + 0.672 + 3.0;

/// Runs this many flows from the left of a dumbbell to its right, one from each host; returns the mean and the
/// least queue of the link between, in packets over 20 ms.
fn shared(flows: u32) -> (f64, u32) {
    shared_with(flows, swift())
}

/// Does what `shared` does, with this transport.
fn shared_with(flows: u32, transport: TcpConfig) -> (f64, u32) {
    let hosts = flows.to_string();
    let sets = [
        ("left", &hosts[..]),
        ("right", &hosts),
        ("rate", "10 Gbps"),
        ("bottleneck_rate", "1 Gbps"),
    ];
    let network = topology("dumbbell", &sets);
    let endless = |i| flow(i, flows + i, u64::MAX, Time::from_us(i.into()));
    let plan = plan((0..flows).map(endless).collect());
    let mut world: World = World::new(&network, plan, with(transport, 1000)).expect("a world");
    world.run_until(Time::from_ms(20));
    let (mut sum, mut least) = (0, u32::MAX);
    let looks = 4_000;
    for look in 1..=looks {
        let at = Time::from_ms(20) + Time::from_us(5 * look);
        world.run_until(at);
        let all = world.queue_depths(at);
        // No other link here is slower than its traffic.
        let queue = all.iter().map(|depth| depth.packets).max().expect("a link");
        sum += queue;
        least = least.min(queue);
    }
    (f64::from(sum) / looks as f64, least)
}

/// The windows of all flows grow together by one packet each a round trip, as long as they see no more than the
/// target delay, and a cut takes back at most four fifths of the excess: so the queue, and its mean, stay
/// within as many packets of the fixed point as there are flows.
#[test]
fn the_queue_of_a_shared_link_settles_where_the_target_says() {
    for flows in [2, 4, 8] {
        let (mean, least) = shared(flows);
        let target = settles_at(f64::from(flows), PACKET_US, 2);
        let expected = (target - REST_US) / PACKET_US;
        assert!(
            (mean - expected).abs() < f64::from(flows),
            "{flows} flows: {mean:.2} packets, expected {expected:.2}"
        );
        assert!(least > 0, "the link never idles");
    }
}

/// A hundred hosts answer one at once, over a port that holds the queue at which their windows settle and one
/// packet more of each: below the target they grow by that together before any of them sees the delay. DCTCP's
/// initial windows alone are 1,000 packets.
#[test]
fn an_incast_that_costs_dctcp_timeouts_costs_swift_none() {
    for (rate, packet) in [("1 Gbps", PACKET_US), ("10 Gbps", PACKET_US / 10.0)] {
        let network = topology("single_switch", &[("hosts", "101"), ("rate", rate)]);
        let settles = settles_at(100.0, packet, 1) / packet;
        let run = |transport, room| {
            let outcome = run(
                &network,
                incast(1..101, 40_000),
                with(transport, room),
                Time::from_s(5),
            );
            assert_conserved(&outcome);
            assert!(outcome.flows.iter().all(|f| f.finished.is_some()));
            let drops: u64 = outcome.totals.drops.iter().sum();
            (outcome.totals.timeouts, drops)
        };
        let room = settles as u64 + 100;
        let (of_dctcp, of_swift) = (run(dctcp(), room), run(swift(), room));
        assert!(of_dctcp.0 > 0 && of_dctcp.1 > 0, "{rate}: {of_dctcp:?}");
        assert_eq!(of_swift, (0, 0), "{rate}: {of_swift:?}");
    }
}

/// The fixed point is where cuts end and growth begins: a cut takes a part of the excess (`beta` below 1) and
/// so never ends below it, while growth carries every flow above it, by `ai` packets a round trip. Only for
/// that reason the mean lies above: with a smaller step it comes down to the fixed point.
#[test]
fn the_queue_is_above_its_fixed_point_by_what_windows_grow_by() {
    let above = |ai: f64| {
        let mut transport = swift();
        let mut settings = settings();
        settings.ai = ai;
        transport.congestion = Congestion::Swift { settings };
        let (mean, _) = shared_with(100, transport);
        (mean * PACKET_US + REST_US) / settles_at(100.0, PACKET_US, 2)
    };
    let [whole, quarter, sixteenth] = [1.0, 0.25, 0.0625].map(above);
    assert!((1.15..1.30).contains(&whole), "{whole:.3}");
    assert!((1.04..1.15).contains(&quarter), "{quarter:.3}");
    assert!((0.90..1.04).contains(&sixteenth), "{sixteenth:.3}");
}
