//! Tests of a bridge's limits for its neighbours: learned addresses, flooded frames.

use super::{config, leaving};
use crate::frame::sample::{Sample, arp_request};
use crate::machine::{Machine, Noticed};
use crate::setup::{Mac, Pace, Setup};
use sidestep_types::{BitRate, PortId, Time};

fn learning() -> Setup {
    config("forwarding = \"learning\"", "1 Gbps")
}

fn mac(host: u8) -> Mac {
    Mac([2, 0, 0, 0, 0, host])
}

/// Returns a frame of 84 bytes on the wire from `from` to this address.
fn to(from: u8, dst: Mac) -> Vec<u8> {
    let mut bytes = Sample::tcp(from, 2, 0).bytes();
    bytes[..6].copy_from_slice(&dst.0);
    bytes
}

/// Returns the ports that a frame from station 2 to this host leaves by.
fn reached(machine: &mut Machine, now: Time, host: u8) -> Vec<u16> {
    machine.receive(now, PortId(1), &to(2, mac(host)));
    let mut ports: Vec<u16> = leaving(machine, now + Time::from_ms(1))
        .iter()
        .map(|f| f.0)
        .collect();
    ports.sort_unstable();
    ports
}

#[test]
fn a_port_teaches_as_many_addresses_as_it_may_and_the_rest_is_flooded_to() {
    let mut setup = learning();
    setup.ports[0].bridge.learn_limit = Some(2);
    let mut machine = Machine::new(&setup).unwrap();
    for host in [11, 12, 13, 14, 11] {
        machine.receive(Time::ZERO, PortId(0), &to(host, mac(2)));
    }
    assert_eq!(machine.held(), 5, "all are forwarded");
    leaving(&mut machine, Time::from_ms(1));
    let now = Time::from_ms(1);
    assert_eq!(reached(&mut machine, now, 12), [0]);
    let now = Time::from_ms(5);
    assert_eq!(reached(&mut machine, now, 13), [0, 2, 3, 4]);
    let counters = machine.counters(now);
    let of = &counters.ports[0];
    assert_eq!(
        (of.learned, of.frames.learn_limited, of.frames.moves),
        (2, 2, 0)
    );
    // Station 2 is learned as well, at its configured port.
    assert_eq!((counters.learned, counters.not_learned), (3, 0));
    let notice = machine.poll_notice().unwrap();
    assert_eq!(
        (notice.port, notice.what, notice.times),
        (PortId(0), Noticed::LearnLimit(mac(13), 2), 1)
    );
    assert_eq!(machine.poll_notice(), None, "a line a minute");
}

#[test]
fn who_comes_by_another_port_has_moved() {
    let mut machine = Machine::new(&learning()).unwrap();
    for port in [0, 2, 2, 0] {
        machine.receive(Time::ZERO, PortId(port), &to(11, mac(2)));
    }
    let counters = machine.counters(Time::ZERO);
    let moves: Vec<u64> = counters.ports.iter().map(|p| p.frames.moves).collect();
    assert_eq!(moves, [1, 0, 1, 0, 0]);
    assert_eq!(
        (counters.ports[0].learned, counters.ports[2].learned),
        (1, 0)
    );
}

#[test]
fn another_limit_holds_from_a_reload_on() {
    let mut setup = learning();
    let mut machine = Machine::new(&setup).unwrap();
    machine.receive(Time::ZERO, PortId(0), &to(11, mac(2)));
    setup.ports[0].bridge.learn_limit = Some(1);
    machine.reload(Time::ZERO, &setup).unwrap();
    machine.receive(Time::ZERO, PortId(0), &to(12, mac(2)));
    let of = &machine.counters(Time::ZERO).ports[0];
    assert_eq!((of.learned, of.frames.learn_limited), (1, 1));
}

/// Returns how many of these frames were flooded, and how many were refused for `reason`.
fn storm(machine: &mut Machine, now: Time, dst: Mac, frames: u64, reason: &str) -> (u64, u64) {
    let counts = |machine: &mut Machine| {
        let port = machine.counters(now).ports.remove(0);
        (port.frames.floods, port.refused[reason])
    };
    let before = counts(machine);
    for _ in 0..frames {
        machine.receive(now, PortId(0), &to(11, dst));
    }
    let after = counts(machine);
    (after.0 - before.0, after.1 - before.1)
}

const GROUP: Mac = Mac([0x01, 0, 0x5e, 0, 0, 1]);

#[test]
fn what_is_flooded_is_limited_by_kind_and_refused_with_its_reason() {
    let mut setup = learning();
    let storms = &mut setup.ports[0].bridge.storms;
    storms.broadcast = Some(Pace::Frames(2_000_000));
    // Two frames of 84 bytes a second.
    storms.unknown = Some(Pace::Bits(BitRate::bps(84 * 8 * 2)));
    storms.burst = Time::from_s(1);
    let mut machine = Machine::new(&setup).unwrap();
    for (at, dst, reason, flooded) in [
        (5, Mac::BROADCAST, "storm_broadcast", 2),
        (10, mac(99), "storm_unknown", 2),
        (15, GROUP, "storm_multicast", 5),
    ] {
        let at = Time::from_s(at);
        let mut storm = |now, frames| storm(&mut machine, now, dst, frames, reason);
        assert_eq!(storm(at, 5), (flooded, 5 - flooded), "{reason}");
        let early = storm(at + Time::from_ms(499), 1);
        assert_eq!(early.0, flooded / 5, "{reason}: before the next token");
        let later = storm(at + Time::from_ms(500), 1);
        assert_eq!(later.0, 1, "{reason}: with the next token");
    }
    let all = std::iter::from_fn(|| machine.poll_notice());
    let told: Vec<Noticed> = all.map(|notice| notice.what).collect();
    assert_eq!(told, [Noticed::StormBroadcast, Noticed::StormUnknown]);
}

#[test]
fn a_storm_stops_nothing_else() {
    let mut setup = learning();
    let pace = Some(Pace::Frames(1));
    for port in [0, 2] {
        let storms = &mut setup.ports[port].bridge.storms;
        (storms.broadcast, storms.unknown) = (pace, pace);
    }
    let mut machine = Machine::new(&setup).unwrap();
    storm(
        &mut machine,
        Time::ZERO,
        Mac::BROADCAST,
        3,
        "storm_broadcast",
    );
    storm(&mut machine, Time::ZERO, mac(99), 3, "storm_unknown");
    let before = machine.held();
    // A known station, an answer, and another port's flood.
    machine.receive(Time::ZERO, PortId(0), &to(11, mac(2)));
    machine.receive(Time::ZERO, PortId(0), &arp_request(11, [10, 77, 0, 2]));
    machine.receive(Time::ZERO, PortId(2), &to(3, Mac::BROADCAST));
    assert_eq!(machine.held() - before, 2 + 4);
    assert_eq!(machine.counters(Time::ZERO).ports[0].frames.answered, 1);
}

#[test]
fn a_reload_gives_a_storm_no_new_burst() {
    let mut setup = learning();
    let storms = &mut setup.ports[0].bridge.storms;
    storms.broadcast = Some(Pace::Frames(1_000_000));
    let mut machine = Machine::new(&setup).unwrap();
    let once = |machine: &mut Machine| {
        storm(
            machine,
            Time::from_s(9),
            Mac::BROADCAST,
            1,
            "storm_broadcast",
        )
        .0
    };
    assert_eq!(once(&mut machine), 1);
    machine.reload(Time::from_s(9), &setup).unwrap();
    assert_eq!(once(&mut machine), 0);
    setup.ports[0].bridge.storms.broadcast = None;
    machine.reload(Time::from_s(9), &setup).unwrap();
    assert_eq!(once(&mut machine), 1, "without a limit");
}
