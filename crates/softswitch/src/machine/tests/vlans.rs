//! Tests of frames with VLAN tags, and of long frames.

use super::{config, in_vlans, leaving, older};
use crate::frame::sample::{Sample, arp_request};
use crate::machine::Machine;
use crate::setup::{Mac, PortVlan, Router, Setup, Station};
use sidestep_types::{PortId, Time};

/// Returns a frame from host to host with this tag.
fn tagged(sample: &Sample, tag: u16) -> Vec<u8> {
    with_tag(&sample.bytes(), tag)
}

fn with_tag(bytes: &[u8], tag: u16) -> Vec<u8> {
    let [a, b] = tag.to_be_bytes();
    [&bytes[..12], &[0x81, 0, a, b], &bytes[12..]].concat()
}

fn learning() -> Machine {
    Machine::new(&in_vlans("forwarding = \"learning\"")).unwrap()
}

/// Returns the frames that leave when `bytes` come in by `port`, in the order of ports.
fn sent(machine: &mut Machine, ms: u64, port: u16, bytes: &[u8]) -> Vec<(u16, Vec<u8>)> {
    machine.receive(Time::from_ms(ms), PortId(port), bytes);
    let all = leaving(machine, Time::from_ms(ms + 1));
    let mut all: Vec<_> = all
        .into_iter()
        .map(|(port, _, bytes)| (port, bytes))
        .collect();
    all.sort();
    all
}

#[test]
fn a_flood_stays_in_its_vlan_with_a_tag_where_there_are_several() {
    let mut machine = learning();
    let sample = Sample::tcp(1, 2, 30);
    let plain = older(&sample);
    let in_10 = with_tag(&plain, 10);
    assert_eq!(
        sent(&mut machine, 1, 0, &sample.bytes()),
        [(2, plain.clone()), (3, in_10.clone()), (4, in_10)]
    );
    // A priority is kept from trunk to trunk.
    assert_eq!(
        sent(&mut machine, 3, 4, &tagged(&sample, 5 << 13 | 20)),
        [(1, plain.clone()), (3, with_tag(&plain, 5 << 13 | 20))]
    );
    // A frame of the native VLAN has no tag, and no other port carries that VLAN.
    assert_eq!(sent(&mut machine, 5, 3, &sample.bytes()), []);
    assert_eq!(machine.counters(Time::from_ms(6)).ports[3].frames.floods, 1);
    assert_eq!(sent(&mut machine, 7, 3, &tagged(&sample, 30)), []);
    let counters = machine.counters(Time::from_ms(9));
    assert!(
        counters
            .ports
            .iter()
            .all(|port| port.refused.values().all(|n| *n == 0))
    );
}

#[test]
fn an_address_is_learned_in_its_vlan_alone() {
    let mut machine = learning();
    sent(&mut machine, 1, 0, &Sample::tcp(1, 2, 0).bytes());
    let to_1 = Sample::tcp(2, 1, 0);
    assert_eq!(
        sent(&mut machine, 3, 4, &tagged(&to_1, 10)),
        [(0, older(&to_1))]
    );
    let ports: Vec<u16> = sent(&mut machine, 5, 4, &tagged(&to_1, 20))
        .iter()
        .map(|f| f.0)
        .collect();
    assert_eq!(ports, [1, 3], "nobody knows it there");
}

#[test]
fn what_a_port_does_not_carry_is_refused_with_the_reason() {
    let mut machine = learning();
    let sample = Sample::tcp(1, 2, 30);
    let twice = with_tag(&tagged(&sample, 10), 10);
    let cut = &tagged(&sample, 10)[..15];
    for (port, bytes, reason) in [
        (0, &tagged(&sample, 10)[..], "vlan_tagged"),
        (4, &sample.bytes(), "vlan_untagged"),
        (4, &tagged(&sample, 3 << 13), "vlan_untagged"),
        (4, &tagged(&sample, 30), "vlan_other"),
        (3, &tagged(&sample, 4095), "vlan_other"),
        (3, &twice, "vlan"),
        (3, cut, "truncated"),
    ] {
        let before = machine.counters(Time::ZERO).ports[usize::from(port)].refused[reason];
        machine.receive(Time::ZERO, PortId(port), bytes);
        let after = machine.counters(Time::ZERO).ports[usize::from(port)].refused[reason];
        assert_eq!(after, before + 1, "{reason}");
    }
    assert_eq!(machine.held(), 0);
}

#[test]
fn a_tag_that_says_a_priority_alone_is_none() {
    let mut machine = learning();
    let sample = Sample::tcp(1, 2, 30);
    let plain = older(&sample);
    let kept = with_tag(&plain, 6 << 13 | 10);
    assert_eq!(
        sent(&mut machine, 1, 0, &tagged(&sample, 6 << 13)),
        [(2, plain), (3, kept.clone()), (4, kept)]
    );
}

#[test]
fn a_tag_takes_its_time_on_the_link_and_its_room_in_the_queue() {
    let mut machine = Machine::new(&in_vlans(
        "forwarding = \"learning\"\ncapacity = \"1522 B\"",
    ))
    .unwrap();
    let full = Sample::tcp(1, 2, 1460);
    machine.receive(Time::ZERO, PortId(0), &full.bytes());
    let counters = machine.counters(Time::ZERO);
    assert_eq!(
        (
            counters.ports[2].queued_bytes,
            counters.ports[4].queued_bytes
        ),
        (1518, 1522)
    );
    let due: Vec<(u16, Time)> = leaving(&mut machine, Time::from_ms(1))
        .iter()
        .map(|f| (f.0, f.1))
        .collect();
    let (without, with) = (Time::from_ns(1538 * 8), Time::from_ns(1542 * 8));
    assert_eq!(due, [(2, without), (3, with), (4, with)]);
    let tx: Vec<u64> = machine
        .counters(Time::ZERO)
        .ports
        .iter()
        .map(|p| p.frames.tx_bytes)
        .collect();
    assert_eq!(tx, [0, 0, 1514, 1518, 1518]);
}

#[test]
fn a_trimmed_frame_keeps_its_tag() {
    let mut setup = in_vlans("capacity = \"1 pkt\"\nbuffer = \"trim\"\nsched = \"priority\"");
    setup.stations.push(station(2, &[4], 10));
    let mut machine = Machine::new(&setup).unwrap();
    for _ in 0..3 {
        machine.receive(Time::ZERO, PortId(0), &Sample::tcp(1, 2, 1460).bytes());
    }
    let out = leaving(&mut machine, Time::from_ms(1));
    let lengths: Vec<usize> = out.iter().map(|f| f.2.len()).collect();
    assert_eq!(lengths, [1518, 58, 58]);
    assert!(out.iter().all(|f| f.2[12..16] == [0x81, 0, 0, 10]));
    // The shortest frame occupies the link for 84 bytes, with or without its tag.
    assert_eq!(out[2].1 - out[1].1, Time::from_ns(84 * 8));
}

fn station(host: u8, ports: &[u16], vlan: u16) -> Station {
    Station {
        mac: Mac([2, 0, 0, 0, 0, host]),
        addresses: vec![[10, 77, 0, host].into()],
        ports: ports.iter().map(|port| PortId(*port)).collect(),
        vlan,
    }
}

#[test]
fn a_station_is_known_and_answered_for_in_its_vlan_alone() {
    let mut setup = in_vlans("");
    setup.stations.push(station(2, &[3, 4], 20));
    let mut machine = Machine::new(&setup).unwrap();
    let sample = Sample::tcp(1, 2, 30);
    let out = sent(&mut machine, 1, 1, &sample.bytes());
    assert_eq!(out.len(), 1);
    assert_eq!(out[0].1, with_tag(&older(&sample), 20));
    machine.receive(Time::from_ms(3), PortId(0), &sample.bytes());
    let asked = arp_request(1, [10, 77, 0, 2]);
    assert_eq!(sent(&mut machine, 3, 1, &asked).len(), 1, "answered");
    assert_eq!(
        sent(&mut machine, 5, 0, &asked).len(),
        3,
        "asked on in its own VLAN"
    );
    let counters = machine.counters(Time::from_ms(7));
    let answered: Vec<u64> = counters.ports.iter().map(|p| p.frames.answered).collect();
    assert_eq!(answered, [0, 1, 0, 0, 0]);
    assert_eq!(counters.ports[0].refused["no_station"], 1);
}

#[test]
fn a_router_leads_from_one_vlan_into_another_by_the_same_trunk_too() {
    let mut setup = in_vlans("");
    setup.stations = vec![
        station(1, &[4], 10),
        station(2, &[4], 20),
        station(3, &[2], 10),
    ];
    let mac = Mac([2, 0, 0, 0, 0xff, 1]);
    setup.router = Some(Router {
        mac,
        addresses: vec![[10, 77, 0, 254].into()],
        icmp: None,
    });
    let mut machine = Machine::new(&setup).unwrap();
    let routed = |from, to| {
        let mut bytes = Sample::tcp(from, to, 30).bytes();
        bytes[..6].copy_from_slice(&mac.0);
        bytes
    };
    let came = |from, to| {
        let mut bytes = older(&Sample::tcp(from, to, 30));
        bytes[6..12].copy_from_slice(&mac.0);
        bytes
    };
    let back = sent(&mut machine, 1, 4, &with_tag(&routed(1, 2), 2 << 13 | 10));
    assert_eq!(back, [(4, with_tag(&came(1, 2), 2 << 13 | 20))]);
    let out = sent(&mut machine, 3, 4, &with_tag(&routed(2, 3), 20));
    assert_eq!(out, [(2, came(2, 3))]);
    for (ms, port, asked) in [
        (5, 1, arp_request(9, [10, 77, 0, 254])),
        (7, 0, arp_request(8, [10, 77, 0, 254])),
    ] {
        assert_eq!(
            sent(&mut machine, ms, port, &asked).len(),
            1,
            "it is in every VLAN"
        );
    }
}

#[test]
fn other_vlans_hold_from_a_reload_on_and_frames_that_wait_keep_theirs() {
    let setup = in_vlans("forwarding = \"learning\"");
    let mut machine = Machine::new(&setup).unwrap();
    let sample = Sample::tcp(1, 2, 1460);
    machine.receive(Time::ZERO, PortId(0), &sample.bytes());
    let mut other = setup.clone();
    other.ports[4].vlan = Some(PortVlan::Access(20));
    machine.reload(Time::ZERO, &other).unwrap();
    assert_eq!(machine.counters(Time::ZERO).learned, 0);
    let out = leaving(&mut machine, Time::from_ms(1));
    assert_eq!(
        out.iter().map(|f| (f.0, f.2.len())).collect::<Vec<_>>(),
        [(2, 1514), (3, 1518), (4, 1518)]
    );
    let ports: Vec<u16> = sent(&mut machine, 3, 4, &sample.bytes())
        .iter()
        .map(|f| f.0)
        .collect();
    assert_eq!(ports, [1, 3]);
    // Without any VLAN it is a bridge.
    for port in &mut other.ports {
        port.vlan = None;
    }
    machine.reload(Time::from_ms(5), &other).unwrap();
    assert_eq!(sent(&mut machine, 6, 4, &sample.bytes()).len(), 4);
    let short = tagged(&Sample::tcp(1, 2, 0), 10);
    machine.receive(Time::from_ms(8), PortId(4), &short);
    assert_eq!(
        machine.counters(Time::from_ms(8)).ports[4].refused["vlan"],
        1
    );
}

fn jumbo() -> Setup {
    let mut setup = config(
        "mtu = 9000\nbuffer = { kind = \"ecn\", mark_at = \"1 pkt\" }",
        "1 Gbps",
    );
    setup.name = "jumbo".into();
    setup
}

#[test]
fn a_jumbo_frame_is_one_frame_and_one_byte_more_is_too_long() {
    let mut machine = Machine::new(&jumbo()).unwrap();
    let sample = Sample {
        tos: 2,
        ..Sample::tcp(1, 2, 8960)
    };
    for _ in 0..2 {
        machine.receive(Time::ZERO, PortId(0), &sample.bytes());
    }
    let longer = Sample::tcp(1, 2, 8961).bytes();
    assert_eq!((sample.bytes().len(), longer.len()), (9014, 9015));
    machine.receive(Time::ZERO, PortId(0), &longer);
    let marked = Sample {
        tos: 3,
        ..sample.clone()
    };
    let full = Time::from_ns(9038 * 8);
    let out = leaving(&mut machine, Time::from_ms(1));
    assert_eq!(
        out,
        [(1, full, older(&sample)), (1, full * 2, older(&marked))]
    );
    assert_eq!(machine.counters(full).ports[0].refused["oversized"], 1);
}

#[test]
fn a_jumbo_frame_has_room_for_its_tag() {
    let mut machine = Machine::new(&in_vlans("forwarding = \"learning\"\nmtu = 9000")).unwrap();
    let sample = Sample::tcp(1, 2, 8960);
    let plain = older(&sample);
    let in_10 = with_tag(&plain, 10);
    assert_eq!(in_10.len(), 9018);
    assert_eq!(
        sent(&mut machine, 1, 4, &tagged(&sample, 10)),
        [(0, plain.clone()), (2, plain), (3, in_10)]
    );
    machine.receive(
        Time::from_ms(3),
        PortId(4),
        &tagged(&Sample::tcp(1, 2, 8961), 10),
    );
    assert_eq!(
        machine.counters(Time::from_ms(3)).ports[4].refused["oversized"],
        1
    );
}

#[test]
fn another_mtu_needs_another_start() {
    let mut setup = jumbo();
    let mut machine = Machine::new(&setup).unwrap();
    setup.mtu = 1500;
    let why = machine.reload(Time::ZERO, &setup).unwrap_err();
    assert!(why.contains("expected 9000, got 1500"), "{why}");
}
