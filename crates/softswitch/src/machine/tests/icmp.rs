//! Tests of ICMP messages to senders.

use super::{in_vlans, leaving, older};
use crate::frame::sample::Sample;
use crate::frame::{FrameContent, read};
use crate::machine::Machine;
use crate::setup::{Icmp, Mac, Router, Setup};
use etherparse::checksum::Sum16BitWords;
use sidestep_types::{PortId, Time};
use std::net::IpAddr;

const ROUTER: Mac = Mac([2, 0, 0, 0, 0xff, 1]);

fn router(icmp: Icmp) -> Router {
    Router {
        mac: ROUTER,
        addresses: vec!["10.77.0.254".parse().unwrap(), "fd77::fe".parse().unwrap()],
        icmp: Some(icmp),
    }
}

const ALL: Icmp = Icmp {
    time_exceeded: true,
    unreachable: true,
    rate: 1_000_000,
};

fn setup(icmp: Icmp) -> Setup {
    let mut setup = super::config("", "1 Gbps");
    setup.router = Some(router(icmp));
    let text = setup.to_toml();
    assert_eq!(Setup::read("s.toml", &text).as_ref(), Ok(&setup), "{text}");
    setup
}

fn told(machine: &mut Machine, now: Time, port: u16, bytes: &[u8]) -> Option<Vec<u8>> {
    machine.receive(now, PortId(port), bytes);
    let mut out = Vec::new();
    while let Some(due) = machine.next_departure() {
        out.extend(leaving(machine, due));
    }
    assert!(out.len() <= 1, "{out:?}");
    let (back, _, bytes) = out.pop()?;
    assert_eq!(back, port, "it goes back");
    Some(bytes)
}

fn dying(from: u8, to: u8, payload: usize) -> Sample {
    Sample {
        ttl: 1,
        ..Sample::tcp(from, to, payload)
    }
}

/// Returns the frame with the router's MAC as its destination.
fn to_router(sample: &Sample) -> Vec<u8> {
    let mut bytes = sample.bytes();
    bytes[..6].copy_from_slice(&ROUTER.0);
    bytes
}

/// Checks a message about `about`, from the router to its sender; returns type and code.
fn checked(message: &[u8], about: &[u8]) -> [u8; 2] {
    let frame = read(message).unwrap();
    assert_eq!(
        (frame.dst.0, frame.src),
        (about[6..12].try_into().unwrap(), ROUTER)
    );
    let FrameContent::Ip(ip) = frame.what else {
        panic!("a message is an IP packet");
    };
    let (head, from, sum) = match ip.v6 {
        true => {
            assert_eq!(message[14 + 6], 58);
            assert_eq!((message[14] & 15) << 4 | message[15] >> 4, 0xc0);
            let pseudo = Sum16BitWords::new()
                .add_slice(&message[14 + 8..14 + 40])
                .add_4bytes((message.len() as u32 - 54).to_be_bytes())
                .add_2bytes([0, 58]);
            (54, 14 + 8..14 + 24, pseudo)
        }
        false => {
            assert_eq!((message[14 + 1], message[14 + 9]), (0xc0, 1));
            (34, 14 + 12..14 + 16, Sum16BitWords::new())
        }
    };
    let me: IpAddr = if ip.v6 {
        "fd77::fe".parse().unwrap()
    } else {
        "10.77.0.254".parse().unwrap()
    };
    match me {
        IpAddr::V4(me) => assert_eq!(message[from], me.octets()),
        IpAddr::V6(me) => assert_eq!(message[from], me.octets()),
    }
    assert_eq!(
        sum.add_slice(&message[head..]).ones_complement(),
        0,
        "its checksum"
    );
    assert_eq!(message[head + 4..head + 8], [0; 4]);
    let quoted = &message[head + 8..];
    assert_eq!(
        quoted,
        &about[14..14 + quoted.len()],
        "the packet as it came"
    );
    let most = if ip.v6 { 1280 } else { 576 };
    let all = message.len() - 14;
    assert!(
        all == most || quoted.len() == about.len() - 14,
        "{all} B of at most {most}"
    );
    [message[head], message[head + 1]]
}

#[test]
fn who_sent_a_packet_whose_ttl_ends_is_told() {
    let mut machine = Machine::new(&setup(ALL)).unwrap();
    for (at, sample, code) in [
        (1, dying(1, 2, 30), [11, 0]),
        (2, dying(1, 2, 1400), [11, 0]),
        (3, dying(1, 2, 30).over_v6(), [3, 0]),
        (4, dying(1, 2, 1400).over_v6(), [3, 0]),
    ] {
        // One bridged, one routed.
        for about in [sample.bytes(), to_router(&sample)] {
            let message = told(&mut machine, Time::from_s(at), 0, &about).unwrap();
            assert_eq!(checked(&message, &about), code);
        }
    }
    let counters = machine.counters(Time::from_s(5));
    assert_eq!(counters.ports[0].frames.icmp_time_exceeded, 8);
    assert_eq!(counters.ports[1].drops["ttl"], 8);
    assert_eq!(counters.ports[0].frames.tx_frames, 8);
}

#[test]
fn who_sent_a_packet_that_leads_nowhere_is_told_why() {
    let mut machine = Machine::new(&setup(ALL)).unwrap();
    let to = |ip: &str, sample: Sample| {
        let addresses = (sample.addresses.0, ip.parse().unwrap());
        to_router(&Sample {
            addresses,
            ..sample
        })
    };
    let (tcp, udp) = (
        Sample::tcp(1, 2, 0),
        Sample {
            flags: None,
            ..Sample::tcp(1, 2, 9)
        },
    );
    for (at, about, code) in [
        (1, to("10.99.0.1", tcp.clone()), [3, 0]),
        (2, to("fd99::1", tcp.clone().over_v6()), [1, 0]),
        (3, to("10.77.0.254", udp), [3, 3]),
        (4, to("fd77::fe", tcp.over_v6()), [1, 4]),
        (
            5,
            protocol(&to("10.77.0.254", Sample::tcp(1, 2, 0)), 47),
            [3, 2],
        ),
    ] {
        let message = told(&mut machine, Time::from_s(at), 0, &about).unwrap();
        assert_eq!(checked(&message, &about), code);
    }
    let ping = protocol(&to("10.77.0.254", Sample::tcp(1, 2, 0)), 1);
    assert_eq!(
        told(&mut machine, Time::from_s(6), 0, &ping),
        None,
        "it is there"
    );
    let of = &machine.counters(Time::from_s(7)).ports[0];
    assert_eq!(
        (
            of.frames.icmp_unreachable,
            of.frames.icmp_withheld,
            of.refused["no_station"]
        ),
        (5, 1, 6)
    );
    // A bridge sends no message about an unknown station.
    let unknown = Sample::tcp(1, 9, 0).bytes();
    assert_eq!(told(&mut machine, Time::from_s(8), 0, &unknown), None);
}

/// Returns an IPv4 packet with these bytes of its header changed, and the right checksum.
fn header(bytes: &[u8], change: impl Fn(&mut [u8])) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    change(&mut bytes[14..]);
    bytes[24..26].fill(0);
    let sum = Sum16BitWords::new()
        .add_slice(&bytes[14..34])
        .ones_complement();
    bytes[24..26].copy_from_slice(&sum.to_ne_bytes());
    bytes
}

/// Returns the packet with another protocol.
fn protocol(bytes: &[u8], protocol: u8) -> Vec<u8> {
    header(bytes, |ip| ip[9] = protocol)
}

#[test]
fn nothing_is_said_of_errors_later_fragments_groups_and_nobody() {
    let sound = dying(1, 2, 30).bytes();
    let icmp = |kind: u8| {
        let mut bytes = protocol(&sound, 1);
        bytes[34] = kind;
        bytes
    };
    let v6 = dying(1, 2, 30).over_v6().bytes();
    let icmp6 = |kind: u8| {
        let mut bytes = v6.clone();
        (bytes[20], bytes[54]) = (58, kind);
        bytes
    };
    let from = |first: u8| header(&sound, |ip| ip[12] = first);
    let fragment =
        |offset: u16| header(&sound, |ip| ip[6..8].copy_from_slice(&offset.to_be_bytes()));
    let fragment6 = |offset: u16| {
        let mut bytes = v6.clone();
        bytes[20] = 44;
        let [a, b] = (offset << 3 | 1).to_be_bytes();
        bytes[54..62].copy_from_slice(&[6, 0, a, b, 0, 0, 0, 1]);
        bytes
    };
    for (what, bytes, says) in [
        ("a packet", sound.clone(), true),
        ("an echo", icmp(8), true),
        ("a time exceeded", icmp(11), false),
        ("an unreachable", icmp(3), false),
        ("a redirect", icmp(5), false),
        ("an unknown type", icmp(99), false),
        ("a first fragment", fragment(0x2000), true),
        ("a later fragment", fragment(0x2001), false),
        ("from nobody", from(0), false),
        ("from the loopback", from(127), false),
        ("from a group", from(224), false),
        ("to a group", header(&sound, |ip| ip[16] = 224), false),
        (
            "to everyone",
            header(&sound, |ip| ip[16..20].fill(255)),
            false,
        ),
        ("an echo over IPv6", icmp6(128), true),
        ("an error over IPv6", icmp6(1), false),
        ("a first fragment over IPv6", fragment6(0), true),
        ("a later fragment over IPv6", fragment6(9), false),
    ] {
        let mut fresh = Machine::new(&setup(ALL)).unwrap();
        let got = told(&mut fresh, Time::from_s(1), 0, &bytes);
        assert_eq!(got.is_some(), says, "{what}");
        let of = &fresh.counters(Time::from_s(2)).ports[0];
        assert_eq!(
            (of.frames.icmp_time_exceeded, of.frames.icmp_withheld),
            (u64::from(says), u64::from(!says)),
            "{what}"
        );
    }
}

#[test]
fn no_more_is_said_than_may_be() {
    let mut machine = Machine::new(&setup(ALL)).unwrap();
    let about = dying(1, 2, 0).bytes();
    let mut said = |s: u64, frames: usize| {
        (0..frames)
            .filter(|_| told(&mut machine, Time::from_s(s), 0, &about).is_some())
            .count()
    };
    assert_eq!(said(100, 15), 10, "ten at once");
    assert_eq!(said(103, 5), 3, "one a second");
    let of = &machine.counters(Time::from_s(104)).ports[0];
    assert_eq!(
        (of.frames.icmp_time_exceeded, of.frames.icmp_limited),
        (13, 7)
    );
    // A reload does not refill the bucket.
    machine.reload(Time::from_s(104), &setup(ALL)).unwrap();
    assert!(told(&mut machine, Time::from_s(104), 0, &about).is_some());
    assert!(told(&mut machine, Time::from_s(104), 0, &about).is_none());
}

#[test]
fn each_is_said_only_if_it_is_asked_for() {
    let nothing = Setup {
        router: Some(Router {
            icmp: None,
            ..router(ALL)
        }),
        ..setup(ALL)
    };
    let of = |time_exceeded, unreachable| {
        setup(Icmp {
            time_exceeded,
            unreachable,
            ..ALL
        })
    };
    let mut lost = Sample::tcp(1, 2, 0);
    lost.addresses.1 = [10, 99, 0, 1].into();
    for (setup, says) in [
        (nothing, (false, false)),
        (of(true, false), (true, false)),
        (of(false, true), (false, true)),
    ] {
        let mut machine = Machine::new(&setup).unwrap();
        let dying = told(&mut machine, Time::from_s(1), 0, &dying(1, 2, 0).bytes());
        let lost = told(&mut machine, Time::from_s(2), 0, &to_router(&lost));
        assert_eq!((dying.is_some(), lost.is_some()), says);
    }
}

#[test]
fn what_is_said_goes_back_in_the_vlan_of_the_packet() {
    let mut setup = in_vlans("");
    setup.router = Some(router(ALL));
    setup.stations = vec![crate::setup::Station {
        mac: Mac([2, 0, 0, 0, 0, 2]),
        addresses: vec![[10, 77, 0, 2].into()],
        ports: vec![PortId(1)],
        vlan: 20,
    }];
    let mut machine = Machine::new(&setup).unwrap();
    let plain = to_router(&dying(1, 2, 30));
    let tagged = [&plain[..12], &[0x81, 0, 0, 10], &plain[12..]].concat();
    let message = told(&mut machine, Time::from_s(1), 4, &tagged).unwrap();
    assert_eq!(message[12..16], [0x81, 0, 0, 10]);
    let untagged = [&message[..12], &message[16..]].concat();
    assert_eq!(checked(&untagged, &plain), [11, 0]);
    // With a TTL of 2 it is routed into the other.
    let alive = Sample {
        ttl: 2,
        ..dying(1, 2, 30)
    };
    let mut on = older(&alive);
    on[6..12].copy_from_slice(&ROUTER.0);
    machine.receive(Time::from_s(2), PortId(0), &to_router(&alive));
    assert_eq!(leaving(&mut machine, Time::from_s(3))[0].2, on);
}
