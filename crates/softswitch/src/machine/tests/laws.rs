//! Laws for every policy under any traffic.

use super::config;
use crate::frame::sample::{Sample, arp_request};
use crate::machine::{Change, Counters, Machine};
use crate::setup::{Icmp, Mac, Pace, Router, Setup};
use proptest::prelude::*;
use sidestep_switch::{Capacity, buffer, route, sched};
use sidestep_types::{BitRate, PortId, Size, Time};

/// Received frame.
#[derive(Clone, Debug)]
enum Input {
    Tcp {
        from: u8,
        to: u8,
        payload: usize,
        tos: u8,
        ttl: u8,
    },
    Udp {
        from: u8,
        to: u8,
    },
    Asked(u8),
    Group,
    Spoiled(Vec<u8>),
    Tagged {
        from: u8,
        to: u8,
        payload: usize,
        ttl: u8,
        tag: u16,
    },
}

impl Input {
    fn bytes(&self) -> Vec<u8> {
        match self {
            Input::Tcp {
                from,
                to,
                payload,
                tos,
                ttl,
            } => Sample {
                tos: *tos,
                ttl: *ttl,
                ..Sample::tcp(*from, *to, *payload)
            }
            .bytes(),
            Input::Udp { from, to } => Sample {
                flags: None,
                ..Sample::tcp(*from, *to, 700)
            }
            .bytes(),
            Input::Asked(target) => arp_request(1, [10, 77, 0, *target]),
            Input::Group => {
                let mut bytes = Sample::tcp(1, 2, 30).bytes();
                bytes[..6].fill(0xff);
                bytes
            }
            Input::Spoiled(bytes) => bytes.clone(),
            Input::Tagged {
                from,
                to,
                payload,
                ttl,
                tag,
            } => {
                let ttl = *ttl;
                let plain = Sample {
                    ttl,
                    ..Sample::tcp(*from, *to, *payload)
                }
                .bytes();
                let [a, b] = tag.to_be_bytes();
                [&plain[..12], &[0x81, 0, a, b], &plain[12..]].concat()
            }
        }
    }
}

fn input() -> impl Strategy<Value = Input> {
    let host = || 1u8..=5;
    prop_oneof![
        8 => (host(), host(), 0usize..=1460, any::<u8>(), 1u8..4)
            .prop_map(|(from, to, payload, tos, ttl)| Input::Tcp { from, to, payload, tos, ttl }),
        1 => (host(), host()).prop_map(|(from, to)| Input::Udp { from, to }),
        1 => (1u8..8).prop_map(Input::Asked),
        1 => Just(Input::Group),
        1 => proptest::collection::vec(any::<u8>(), 0..80).prop_map(Input::Spoiled),
        2 => (host(), host(), 0usize..=1460, 1u8..4, prop_oneof![Just(10), Just(20), Just(0x600a), any::<u16>()])
            .prop_map(|(from, to, payload, ttl, tag)| Input::Tagged { from, to, payload, ttl, tag }),
    ]
}

/// Generates frames with their port and the nanoseconds since the one before.
fn traffic() -> impl Strategy<Value = Vec<(Input, u16, u64)>> {
    proptest::collection::vec((input(), 0u16..5, 0u64..3_000), 1..300)
}

fn change() -> impl Strategy<Value = Change> {
    let ports = || proptest::collection::vec((0u16..5).prop_map(PortId), 1..4);
    let set = move || ports().prop_map(|ports| ports.into_iter().collect());
    let host = |n: u8| format!("02:00:00:00:00:0{n}").parse().unwrap();
    prop_oneof![
        (set(), 10u64..4_000).prop_map(|(set, rate)| Change::Rate(set, BitRate::mbps(rate))),
        set().prop_map(Change::Down),
        set().prop_map(Change::Up),
        (1u8..=4, ports(), proptest::option::of(3u16..5)).prop_map(move |(to, ports, open)| {
            Change::Ways {
                stations: vec![(host(to), ports)],
                detours: open.map(|port| [PortId(port)].into_iter().collect()),
            }
        }),
    ]
}

/// Checks that all received frames, and the copies made by floods, are accounted for.
fn conserved(counters: &Counters) -> Result<(), TestCaseError> {
    let sum = |count: fn(&crate::machine::PortCounters) -> u64| -> u64 {
        counters.ports.iter().map(count).sum()
    };
    let made =
        sum(|p| p.frames.icmp_time_exceeded + p.frames.icmp_unreachable + p.frames.probes_sent);
    let came = made + sum(|p| p.frames.rx_frames + p.frames.copies);
    let went = sum(|p| p.frames.floods + p.frames.tx_frames + p.frames.probes_heard)
        + sum(|p| p.drops.values().sum::<u64>() + p.refused.values().sum::<u64>());
    prop_assert_eq!(came, went + counters.held, "{:?}", counters);
    let (into, out) = (
        sum(|p| p.decided.detours_in),
        sum(|p| p.decided.detours_out),
    );
    prop_assert_eq!(into, out);
    Ok(())
}

/// Frames between two checks of the counters in a run through all combinations: summing all counters takes
/// longer than a frame. Laws of one switch check after each frame.
const LOOK_EVERY: usize = 8;

/// All frames that left, in order: port, due time, bytes.
type Departures = Vec<(u16, Time, Vec<u8>)>;

fn run(
    machine: &mut Machine,
    traffic: &[(Input, u16, u64)],
    look_every: usize,
) -> Result<Departures, TestCaseError> {
    let mut now = Time::ZERO;
    let mut sent = Departures::new();
    for (n, (input, port, wait)) in traffic.iter().enumerate() {
        now += Time::from_ns(*wait);
        sent.extend(super::leaving(machine, now));
        machine.receive(now, PortId(*port), &input.bytes());
        if n % look_every == 0 {
            conserved(&machine.counters(now))?;
        }
    }
    sent.extend(super::leaving(machine, Time::from_s(1)));
    conserved(&machine.counters(Time::from_s(1)))?;
    prop_assert_eq!(machine.held(), 0);
    prop_assert_eq!(machine.next_departure(), None);
    Ok(sent)
}

/// Returns a buffer policy that fits into the memory.
fn named_buffer(name: &str) -> String {
    match buffer::nature(name).holds {
        Some(param) => format!("{{ kind = {name:?}, {param} = \"2 kB\" }}"),
        None => format!("{name:?}"),
    }
}

/// Returns a scheduler that counts flows, if it can.
fn named_sched(name: &str) -> String {
    match sched::nature(name).classes {
        true => format!("{{ kind = {name:?}, count = \"exact\", places = 2 }}"),
        false => format!("{name:?}"),
    }
}

/// Returns every buffer with every route and scheduler that works with it, and each kind of capacity.
fn combinations() -> Vec<Setup> {
    let mut all = Vec::new();
    for buffer in buffer::ENTRIES {
        for route in route::ENTRIES {
            for sched in sched::ENTRIES {
                if !buffer::nature(buffer.name).works_beside(sched.name) {
                    continue;
                }
                for capacity in [
                    "\"3 pkt\"",
                    "\"4 kB\"",
                    "\"shared\"\nmemory = \"8 kB\"",
                    "\"unlimited\"",
                ] {
                    let (buffer, sched) = (named_buffer(buffer.name), named_sched(sched.name));
                    let text = format!(
                        "capacity = {capacity}\nbuffer = {buffer}\nroute = {:?}\nsched = {sched}",
                        route.name
                    );
                    all.push(config(&text, "1 Gbps"));
                }
            }
        }
    }
    all
}

/// Checks that no port held more than its capacity. A trim may exceed it with headers: the capacity is meant
/// for data.
fn capacity_is_kept(setup: &Setup, counters: &Counters) -> Result<(), TestCaseError> {
    let Capacity::PerPort(size) = setup.decision.capacity else {
        return Ok(());
    };
    if setup.decision.buffer.name() == "trim" {
        return Ok(());
    }
    for port in &counters.ports {
        match size {
            Size::Packets(n) => prop_assert!(u64::from(port.peak_packets) <= n),
            Size::Bytes(b) => prop_assert!(u64::from(port.peak_bytes) <= b.0),
        }
    }
    Ok(())
}

proptest! {
    // Each case runs all combinations.
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn every_combination_conserves_frames_and_keeps_its_rate_and_capacity(traffic in traffic()) {
        for setup in combinations() {
            let mut machine = Machine::new(&setup).unwrap();
            let sent = run(&mut machine, &traffic, LOOK_EVERY)?;
            rate_is_kept(&sent)?;
            capacity_is_kept(&setup, &machine.counters(Time::from_s(1)))?;
        }
    }

    #[test]
    fn nothing_is_lost_count_of_while_rates_links_and_ways_change(
        traffic in traffic(),
        changes in proptest::collection::vec((0usize..300, change()), 1..20),
    ) {
        for setup in combinations().iter().step_by(5) {
            let mut machine = Machine::new(setup).unwrap();
            let mut now = Time::ZERO;
            for (n, (input, port, wait)) in traffic.iter().enumerate() {
                now += Time::from_ns(*wait);
                super::leaving(&mut machine, now);
                for (_, change) in changes.iter().filter(|(at, _)| at % traffic.len() == n) {
                    machine.change(now, change).unwrap();
                    conserved(&machine.counters(now))?;
                }
                machine.receive(now, PortId(*port), &input.bytes());
                if n % LOOK_EVERY == 0 {
                    conserved(&machine.counters(now))?;
                }
            }
            super::leaving(&mut machine, Time::from_s(100));
            let last = machine.counters(Time::from_s(100));
            conserved(&last)?;
            prop_assert_eq!((last.held, machine.next_departure()), (0, None));
            prop_assert!(last.ports.iter().all(|p| p.queued_packets == 0 && p.queued_bytes == 0));
        }
    }

    #[test]
    fn two_switches_stepped_in_turn_do_what_each_does_alone(traffic in traffic()) {
        for setup in combinations().iter().step_by(7) {
            let [mut alone, mut one, mut two] = [0; 3].map(|_| Machine::new(setup).unwrap());
            let expected = run(&mut alone, &traffic, LOOK_EVERY)?;
            let mut got = [Departures::new(), Departures::new()];
            let mut now = Time::ZERO;
            for (input, port, wait) in &traffic {
                now += Time::from_ns(*wait);
                for (machine, sent) in [&mut one, &mut two].into_iter().zip(&mut got) {
                    sent.extend(super::leaving(machine, now));
                    machine.receive(now, PortId(*port), &input.bytes());
                }
            }
            for (machine, sent) in [&mut one, &mut two].into_iter().zip(&mut got) {
                sent.extend(super::leaving(machine, Time::from_s(1)));
            }
            prop_assert_eq!(&got[0], &expected);
            prop_assert_eq!(&got[1], &expected);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_switch_that_learns_within_limits_conserves_frames(traffic in traffic()) {
        let mut setup = config("capacity = \"3 pkt\"\nforwarding = \"learning\"", "1 Gbps");
        setup.stations.clear();
        for port in &mut setup.ports {
            port.bridge.learn_limit = Some(1);
            let storms = &mut port.bridge.storms;
            storms.broadcast = Some(Pace::Frames(100_000_000_000));
            storms.unknown = Some(Pace::Bits(BitRate::mbps(200)));
            storms.burst = Time::from_us(20);
        }
        let mut machine = Machine::new(&setup).unwrap();
        let sent = run(&mut machine, &traffic, 1)?;
        rate_is_kept(&sent)?;
        let counters = machine.counters(Time::from_s(1));
        prop_assert!(counters.ports.iter().all(|port| port.learned <= 1));
    }

    #[test]
    fn a_switch_that_tells_senders_conserves_frames(traffic in traffic(), vlans in any::<bool>()) {
        let mut setup = match vlans {
            true => super::in_vlans("forwarding = \"learning\""),
            false => config("capacity = \"3 pkt\"", "1 Gbps"),
        };
        setup.router = Some(Router {
            mac: Mac([2, 0, 0, 0, 0, 5]),
            addresses: vec![[10, 77, 0, 5].into()],
            icmp: Some(Icmp { time_exceeded: true, unreachable: true, rate: 10_000_000_000 }),
        });
        let mut machine = Machine::new(&setup).unwrap();
        let sent = run(&mut machine, &traffic, 1)?;
        rate_is_kept(&sent)?;
    }

    #[test]
    fn under_fifo_frames_leave_a_port_in_the_order_they_came(traffic in traffic()) {
        let mut machine = Machine::new(&config("capacity = \"4 pkt\"", "1 Gbps")).unwrap();
        let mut now = Time::ZERO;
        let mut out = Departures::new();
        for (n, (input, port, wait)) in traffic.iter().enumerate() {
            now += Time::from_ns(*wait);
            let Input::Tcp { from, to, payload, .. } = input else { continue };
            let sample = Sample { seq: n as u32, ..Sample::tcp(*from, *to, *payload) };
            machine.receive(now, PortId(*port), &sample.bytes());
        }
        out.extend(super::leaving(&mut machine, Time::from_s(1)));
        for port in 0..5 {
            let of_port = out.iter().filter(|f| f.0 == port);
            let seqs: Vec<u32> = of_port.map(|f| u32::from_be_bytes(f.2[38..42].try_into().unwrap())).collect();
            prop_assert!(seqs.is_sorted(), "{seqs:?}");
        }
    }
}

/// Checks that two departures of a port are at least the later frame's time on the wire apart, so that no
/// window of any length holds more bits than the rate allows.
fn rate_is_kept(sent: &Departures) -> Result<(), TestCaseError> {
    let mut last = [Time::ZERO; 5];
    for (port, due, bytes) in sent {
        let wire = (bytes.len() as u64 + 24).max(84);
        let span = Time::from_ns(wire * 8);
        let before = &mut last[usize::from(*port)];
        prop_assert!(
            *due >= *before + span,
            "port {port}: {before} then {due} for {wire} B"
        );
        *before = *due;
    }
    Ok(())
}
