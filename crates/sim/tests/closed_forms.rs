//! What the simulator must say where theory or arithmetic says it exactly.

use crate::common;

use common::*;
use sidestep_sim::{Network, Outcome, World};
use sidestep_switch::{Capacity, DropReason};
use sidestep_types::{BitRate, Bytes, Framing, Rng, Seed, Size, Time};

/// When the last of these packets (IP bytes) arrives over `hops` equal store-and-forward
/// links, if they are handed over together at time zero.
fn pipeline(packets: &[u32], hops: usize, rate: BitRate, delay: Time) -> Time {
    // When the packet before left each hop.
    let mut left = vec![Time::ZERO; hops];
    let mut arrived = Time::ZERO;
    for &ip in packets {
        let send = rate.time_to_send(Bytes(u64::from(Framing::Ethernet.wire(ip))));
        arrived = Time::ZERO;
        for hop in &mut left {
            *hop = arrived.max(*hop) + send;
            arrived = *hop + delay;
        }
    }
    arrived
}

#[test]
fn a_flow_on_an_idle_path_takes_exactly_its_pipeline() {
    let fat_tree = topology("fat_tree", &[("k", "4")]);
    let set = [
        ("fan_out", "2, 2, 2"),
        ("rate", "1 Gbps"),
        ("delay", "1 us"),
    ];
    let tree = topology("tree", &set);
    let (rate, delay) = (BitRate::gbps(1), Time::from_us(1));
    // Host 1 shares host 0's edge switch, 2 its pod, 15 and 7 neither.
    let ways = [(&fat_tree, 1, 2), (&fat_tree, 2, 4), (&fat_tree, 15, 6)];
    let of_tree = [(&tree, 1, 2), (&tree, 2, 4), (&tree, 7, 6)];
    for (network, dst, hops) in ways.into_iter().chain(of_tree) {
        // The last: 20 kB in 14 packets. Ten are on the way for 123 us when the first ACK
        // returns, so the window never stops the sender.
        for size in [1u64, 1460, 1461, 14_600, 20_000] {
            let mut packets = vec![1500; (size / 1460) as usize];
            if size % 1460 > 0 {
                packets.push(40 + (size % 1460) as u32);
            }
            let outcome = run(
                network,
                plan(vec![flow(0, dst, size, Time::from_us(7))]),
                config("ecn", 100, 1),
                Time::from_s(1),
            );
            let fct = outcome.flows[0].finished.unwrap() - Time::from_us(7);
            let expected = pipeline(&packets, hops, rate, delay);
            assert_eq!(fct, expected, "{size} bytes over {hops} links");
            assert_conserved(&outcome);
        }
    }
}

/// SYN there, SYN-ACK back, then an acknowledgement of it with the data behind: only the
/// data counts as data.
#[test]
fn a_handshake_costs_a_round_trip_and_an_acknowledgement() {
    let network = topology("fat_tree", &[("k", "4")]);
    let (rate, delay) = (BitRate::gbps(1), Time::from_us(1));
    let mut settings = config("ecn", 100, 1);
    let mut transport = dctcp();
    transport.handshake = true;
    settings.transport = transport.into();
    let outcome = run(
        &network,
        plan(vec![flow(0, 15, 1460, Time::ZERO)]),
        settings,
        Time::from_s(1),
    );
    let one_way = pipeline(&[40], 6, rate, delay);
    let expected = one_way + one_way + pipeline(&[40, 1500], 6, rate, delay);
    assert_eq!(fct_us(&outcome), [expected.as_us_f64()]);
    assert_eq!(
        (outcome.classes[0].sent, outcome.classes[0].delivered),
        (1, 1)
    );
    assert_eq!((outcome.flows[0].segments, outcome.totals.sent), (1, 5));
    assert_conserved(&outcome);
}

/// Poisson packets of one size through one link of constant rate: the mean wait is
/// rho·S / (2(1 - rho)).
#[test]
fn the_mean_wait_of_an_m_d_1_queue_is_the_textbooks() {
    let network = topology(
        "dumbbell",
        &[
            ("left", "1"),
            ("right", "1"),
            ("rate", "1 Tbps"),
            ("bottleneck_rate", "1 Gbps"),
        ],
    );
    let service = BitRate::gbps(1).time_to_send(Bytes(1538)).ps() as f64;
    for rho in [0.3, 0.6, 0.8] {
        let mut rng = Rng::from_seed(11);
        let mut at = 0.0;
        let flows = (0..200_000).map(|_| {
            at += rng.exponential(service / rho);
            flow(0, 1, 1460, Time::from_ps(at as u64))
        });
        let mut settings = config("droptail", 100, 3);
        settings.switch.capacity = Capacity::Unlimited;
        let outcome = run(&network, plan(flows.collect()), settings, Time::from_s(100));
        let idle = fct_us(&outcome).iter().copied().fold(f64::MAX, f64::min);
        let waits: Vec<f64> = fct_us(&outcome).iter().map(|f| f - idle).collect();
        assert_eq!(waits.len(), 200_000);
        // Neighbours depend on each other: the error comes from the means of 100 batches.
        let batches: Vec<f64> = waits.chunks(2_000).map(mean).collect();
        let m = mean(&batches);
        let variance = batches.iter().map(|b| (b - m).powi(2)).sum::<f64>() / 99.0;
        let error = (variance / 100.0).sqrt();
        let expected = rho * service / 1e6 / (2.0 * (1.0 - rho));
        assert!(
            (m - expected).abs() < 3.0 * error,
            "rho {rho}: mean wait {m:.4} us, expected {expected:.4} ± {error:.4}"
        );
        assert!(error < 0.05 * expected, "the check is sharp: {error}");
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// DCTCP's own analysis (SIGCOMM 2010, section 3.3): with N flows in step, the queue's peak
/// is K + N packets and its swing ½·√(2N(C·RTT + K)).
#[test]
fn dctcp_holds_its_queue_between_the_bounds_of_its_analysis() {
    for n in [2u32, 8] {
        let (hosts, delay) = (n.to_string(), "20 us");
        let network = topology(
            "dumbbell",
            &[
                ("left", &hosts),
                ("right", &hosts),
                ("rate", "10 Gbps"),
                ("bottleneck_rate", "1 Gbps"),
                ("delay", delay),
                ("bottleneck_delay", delay),
            ],
        );
        let flows = (0..n).map(|i| flow(i, n + i, sidestep_sim::FlowPlan::ENDLESS, Time::ZERO));
        let mut settings = config("ecn", 1000, 5);
        settings.switch.buffer = chosen_buffer("ecn", &[("mark_at", "40 pkt")]);
        let mut world: World = World::new(&network, plan(flows.collect()), settings).unwrap();
        // The bottleneck's cable is the one whose rate is 1 Gbps; `a` is the left switch.
        let cable = network
            .cables
            .iter()
            .position(|c| c.rate == BitRate::gbps(1))
            .unwrap();
        let mut queue = Vec::new();
        for step in 0..40_000u64 {
            world.run_until(Time::from_ms(100) + Time::from_us(10) * step);
            queue.push(f64::from(world.queue_lengths()[2 * cable]));
        }
        let busy = Time::from_ms(100) + Time::from_us(10) * 40_000;
        let outcome = world.finish();
        let (k, n) = (40.0, f64::from(n));
        // 125 us of base round trip: six propagation delays and one full packet, in packets of 12.3 us.
        let bdp = (6.0 * 20.0 + 12.3) / 12.3;
        let swing = 0.5 * (2.0 * n * (bdp + k)).sqrt();
        let peak = queue.iter().copied().fold(0.0, f64::max);
        let low = queue.iter().copied().fold(f64::MAX, f64::min);
        assert!(peak <= k + n + 5.0, "peak {peak} of {n} flows");
        assert!(peak >= k, "peak {peak} of {n} flows");
        assert!(
            low >= k + n - 2.0 * swing - 5.0,
            "low {low} of {n} flows, swing {swing}"
        );
        let sent = outcome.ports[2 * cable].wire_bytes as f64 * 8.0;
        let use_ = sent / (busy.as_s_f64() * 1e9);
        assert!(use_ > 0.99, "the link is used {use_}");
        assert_eq!(outcome.totals.drops, [0; DropReason::COUNT]);
    }
}

/// Two ports of one switch under endless overload share its memory as the fixed point says.
#[test]
fn shared_memory_settles_at_the_fixed_point_of_dynamic_thresholds() {
    // Each of two receivers gets three senders at once, far more than fits.
    let network = topology("single_switch", &[("hosts", "8")]);
    let memory = 300_000u64;
    for (above, below) in [(1, 2), (1, 1), (4, 1)] {
        let flows = (2..8).map(|s| flow(s, s % 2, 3_000_000, Time::ZERO));
        let mut settings = config("droptail", 0, 1);
        settings.switch.capacity = Capacity::Shared {
            memory: Bytes(memory),
            alpha: (above, below),
        };
        let mut transport = dctcp();
        transport.initial_window = 300;
        settings.transport = transport.into();
        let outcome = run(&network, plan(flows.collect()), settings, Time::from_ms(3));
        let alpha = above as f64 / below as f64;
        let fixed = alpha * memory as f64 / (1.0 + 2.0 * alpha);
        for port in peaks_towards(&network, &outcome, 2) {
            // The first to fill may pass the fixed point before the other has grown.
            assert!(
                (port - fixed).abs() < 2.0 * 1518.0 * (1.0 + alpha),
                "{port} {fixed}"
            );
        }
        assert!(outcome.totals.drops[0] > 100);
    }
}

/// Peak bytes of the ports that lead to the first `hosts` hosts.
fn peaks_towards(network: &Network, outcome: &Outcome, hosts: u32) -> Vec<f64> {
    use sidestep_sim::End;
    assert!(network.hosts >= hosts);
    let leads = |to: End| matches!(to, End::Host(h) if h.0 < hosts);
    let ports = outcome.ports.iter().filter(|p| leads(p.to));
    ports.map(|p| f64::from(p.peak_bytes)).collect()
}

/// A packet that arrives as another leaves finds the room that it leaves.
#[test]
fn a_port_of_one_packet_takes_the_next_as_the_first_leaves() {
    let network = topology("dumbbell", &[("left", "1"), ("right", "1")]);
    let mut settings = config("droptail", 1, 1);
    settings.switch.capacity = Capacity::PerPort(Size::Packets(1));
    settings.seed = Seed(9);
    let outcome = run(
        &network,
        plan(vec![flow(0, 1, 14_600, Time::ZERO)]),
        settings,
        Time::from_s(1),
    );
    assert_eq!(outcome.totals.drops, [0; DropReason::COUNT]);
    assert_eq!(outcome.flows[0].retransmits, 0);
}
