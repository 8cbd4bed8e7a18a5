//! Tests of reading, refusing and changing frames.

use super::bytes::ones_sum;
use super::sample::{Sample, arp_request, solicitation};
use super::{
    ANSWER_BYTES, Frame, FrameContent, Ip, Refusal, answer_to, lower_ttl, mark_ce, read, segment,
    set_dscp, trim,
};
use crate::setup::Mac;
use proptest::prelude::*;
use sidestep_types::Kind;

fn ip(frame: &Frame) -> Ip {
    match frame.what {
        FrameContent::Ip(ip) => ip,
        other => panic!("{other:?}"),
    }
}

/// Reads a valid frame with `change` applied to it.
fn spoiled(change: impl FnOnce(&mut Vec<u8>)) -> Result<Frame, Refusal> {
    let mut bytes = Sample::tcp(1, 2, 100).bytes();
    change(&mut bytes);
    read(&bytes)
}

#[test]
fn a_segment_is_read_in_either_family() {
    let sample = Sample {
        tos: 0b1011_1010,
        ..Sample::tcp(1, 2, 100)
    };
    for (sample, end) in [(sample.clone(), 154), (sample.over_v6(), 174)] {
        let bytes = sample.bytes();
        let frame = read(&bytes).unwrap();
        let ip = ip(&frame);
        assert_eq!((ip.ttl, ip.dscp, ip.ecn), (64, 0b10_1110, 2));
        assert_eq!((ip.kind, ip.payload, ip.end), (Kind::Data, 100, end));
        assert_eq!(usize::from(ip.tcp_at.unwrap()), bytes.len() - 120);
        assert_eq!(frame.ip_destination(&bytes), Some(sample.addresses.1));
        assert_eq!((frame.dst, frame.src), sample.macs);
    }
}

#[test]
fn kinds_follow_tcps_flags() {
    let kind = |flags: Option<u8>, payload| {
        let sample = Sample {
            flags,
            ..Sample::tcp(1, 2, payload)
        };
        let frame = read(&sample.bytes()).unwrap();
        (ip(&frame).kind, ip(&frame).tcp_at.is_some())
    };
    assert_eq!(kind(Some(0x10), 0), (Kind::Ack, false));
    assert_eq!(kind(Some(0x02), 0), (Kind::Syn, false));
    assert_eq!(
        kind(Some(0x02), 10),
        (Kind::Syn, false),
        "not to be trimmed"
    );
    assert_eq!(kind(Some(0x12), 0), (Kind::SynAck, false));
    assert_eq!(kind(Some(0x18), 10), (Kind::Data, true));
    assert_eq!(
        kind(None, 10),
        (Kind::Data, false),
        "a cut datagram would be a lie"
    );
}

#[test]
fn what_a_wire_spoils_is_refused_with_its_reason() {
    let short = |n: usize| spoiled(move |b| b.truncate(n)).unwrap_err();
    assert_eq!(short(0), Refusal::Truncated);
    assert_eq!(short(13), Refusal::Truncated);
    assert_eq!(short(14 + 19), Refusal::Truncated);
    assert_eq!(short(14 + 30), Refusal::BadLength);
    assert_eq!(spoiled(|b| b.resize(1515, 0)), Err(Refusal::Oversized));
    assert!(spoiled(|b| b.resize(1514, 0)).is_ok(), "padding is no harm");
    let kind = |kind: u16| spoiled(move |b| b[12..14].copy_from_slice(&kind.to_be_bytes()));
    assert_eq!(kind(0x8100), Err(Refusal::Vlan));
    assert_eq!(kind(0x88a8), Err(Refusal::Vlan));
    assert_eq!(kind(0x0026), Err(Refusal::Llc));
    assert_eq!(
        kind(0x86dd),
        Err(Refusal::BadHeader),
        "IPv4 that says it is IPv6"
    );
    assert_eq!(kind(0x88b5).unwrap().what, FrameContent::Other);
    assert_eq!(spoiled(|b| b[6] |= 1), Err(Refusal::GroupSource));
    assert_eq!(
        spoiled(|b| b[..6].copy_from_slice(&[1, 0x80, 0xc2, 0, 0, 0])),
        Err(Refusal::Reserved)
    );
    assert_eq!(spoiled(|b| b[15] ^= 4), Err(Refusal::BadChecksum));
    assert_eq!(
        spoiled(|b| b[14] = 0x44),
        Err(Refusal::BadHeader),
        "a header of 16 bytes"
    );
    let v6 = |change: fn(&mut Vec<u8>)| {
        let mut bytes = Sample::tcp(1, 2, 100).over_v6().bytes();
        change(&mut bytes);
        read(&bytes)
    };
    assert_eq!(v6(|b| b[19] += 1), Err(Refusal::BadLength));
    assert_eq!(v6(|b| b.truncate(50)), Err(Refusal::Truncated));
}

#[test]
fn the_hash_is_of_the_five_tuple_alone() {
    let sample = Sample::tcp(1, 2, 100);
    for sample in [sample.clone(), sample.over_v6()] {
        let hash = |s: &Sample| read(&s.bytes()).unwrap().hash;
        let same = Sample {
            ttl: 3,
            seq: 77,
            tos: 3,
            payload: vec![1; 7],
            ..sample.clone()
        };
        assert_eq!(hash(&same), hash(&sample));
        let back = Sample {
            addresses: (sample.addresses.1, sample.addresses.0),
            ports: (sample.ports.1, sample.ports.0),
            ..sample.clone()
        };
        assert_ne!(hash(&back), hash(&sample), "each way is a flow of its own");
        for other in [
            Sample {
                ports: (40_001, 80),
                ..sample.clone()
            },
            Sample {
                ports: (40_000, 81),
                ..sample.clone()
            },
            Sample {
                flags: None,
                ..sample.clone()
            },
            Sample {
                addresses: (sample.addresses.0, sample.addresses.0),
                ..sample.clone()
            },
        ] {
            assert_ne!(hash(&other), hash(&sample), "{other:?}");
        }
    }
}

#[test]
fn the_host_is_that_of_the_destination_alone() {
    let sample = Sample::tcp(1, 2, 100);
    for sample in [sample.clone(), sample.over_v6()] {
        let host = |s: &Sample| read(&s.bytes()).unwrap().host;
        let (from, to) = sample.addresses;
        let between = |from, to| Sample {
            addresses: (from, to),
            ports: (7, 9),
            ..sample.clone()
        };
        assert_eq!(host(&between(to, to)), host(&sample));
        assert_ne!(host(&between(to, from)), host(&sample));
    }
    let other = [[4; 6], [2; 6]].map(|to| {
        let bytes = [&to[..], &[6; 6], &[0x88, 0xb5], &[0; 50]].concat();
        read(&bytes).unwrap().host
    });
    assert_ne!(other[0], other[1], "a MAC where it is not IP");
}

#[test]
fn fragments_of_a_packet_hash_alike_and_are_not_trimmed() {
    let fragment = |offset: u8| {
        let mut bytes = Sample::tcp(1, 2, 100).bytes();
        bytes[20..22].copy_from_slice(&[if offset == 0 { 0x20 } else { 0 }, offset]);
        bytes[24..26].copy_from_slice(&[0, 0]);
        let sum = !ones_sum(&bytes[14..34]);
        bytes[24..26].copy_from_slice(&sum.to_be_bytes());
        // The second fragment has payload where the first has ports.
        bytes[35] ^= offset;
        read(&bytes).unwrap()
    };
    assert_eq!(fragment(0).hash, fragment(9).hash);
    assert_eq!(ip(&fragment(0)).tcp_at, None);
}

#[test]
fn ipv6_extension_headers_are_looked_past() {
    let plain = Sample::tcp(1, 2, 100).over_v6().bytes();
    let mut bytes = plain.clone();
    bytes[19] += 8;
    bytes[20] = 60;
    let options = [6, 0, 1, 4, 0, 0, 0, 0];
    bytes.splice(54..54, options);
    let (with, without) = (read(&bytes).unwrap(), read(&plain).unwrap());
    assert_eq!(with.hash, without.hash);
    assert_eq!(ip(&with).tcp_at, Some(62));
    // A header whose length exceeds the packet: forwarded, without ports.
    bytes[55] = 200;
    assert_eq!(ip(&read(&bytes).unwrap()).tcp_at, None);
}

#[test]
fn an_arp_request_is_answered_to_who_asked() {
    let asked = arp_request(1, [10, 77, 0, 2]);
    let target = "10.77.0.2".parse().unwrap();
    assert_eq!(read(&asked).unwrap().what, FrameContent::Asks(target));
    let mut out = [0; ANSWER_BYTES];
    let mac = Mac([2, 0, 0, 0, 0, 2]);
    let length = answer_to(&asked, target, mac, false, &mut out);
    assert_eq!(length, 42);
    let reply = &out[..length];
    assert_eq!(
        read(reply).unwrap().what,
        FrameContent::Other,
        "a reply asks nothing"
    );
    assert_eq!(reply[..14], [2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 6]);
    assert_eq!(reply[14..22], [0, 1, 8, 0, 6, 4, 0, 2]);
    assert_eq!(reply[22..32], [2, 0, 0, 0, 0, 2, 10, 77, 0, 2]);
    assert_eq!(reply[32..42], [2, 0, 0, 0, 0, 1, 10, 77, 0, 1]);
}

#[test]
fn a_neighbour_solicitation_is_answered_with_a_right_checksum() {
    let asked = solicitation(1, 2);
    let target = "fd77::2".parse().unwrap();
    assert_eq!(read(&asked).unwrap().what, FrameContent::Asks(target));
    let mac = Mac([2, 0, 0, 0, 0, 2]);
    for (router, flags) in [(false, 0x60), (true, 0xe0)] {
        let mut out = [0; ANSWER_BYTES];
        assert_eq!(answer_to(&asked, target, mac, router, &mut out), 86);
        assert_eq!(out[54], 136);
        assert_eq!(out[58], flags);
        assert_eq!(out[78..86], [2, 1, 2, 0, 0, 0, 0, 2]);
        let mut pseudo = out[22..54].to_vec();
        pseudo.extend([0, 0, 0, 32, 0, 0, 0, 58]);
        pseudo.extend(&out[54..]);
        assert_eq!(ones_sum(&pseudo), 0xffff);
        assert_eq!(read(&out).unwrap().what, FrameContent::Other);
    }
    let mut spoiled = asked.clone();
    spoiled[60] ^= 1;
    assert_eq!(
        read(&spoiled).unwrap().what,
        FrameContent::Other,
        "a wrong checksum asks nothing"
    );
    let mut nameless = asked;
    nameless[22..38].fill(0);
    // The checksum of a solicitation from no address.
    nameless[56..58].fill(0);
    let mut pseudo = nameless[22..54].to_vec();
    pseudo.extend([0, 0, 0, 32, 0, 0, 0, 58]);
    pseudo.extend(&nameless[54..]);
    let sum = !ones_sum(&pseudo);
    nameless[56..58].copy_from_slice(&sum.to_be_bytes());
    assert_eq!(read(&nameless).unwrap().what, FrameContent::Asks(target));
    let mut out = [0; ANSWER_BYTES];
    answer_to(&nameless, target, mac, false, &mut out);
    assert_eq!(
        (out[38], out[39], out[53], out[58]),
        (0xff, 2, 1, 0x20),
        "to all nodes"
    );
    assert_eq!(out[..6], [0x33, 0x33, 0, 0, 0, 1]);
}

fn any_sample() -> impl Strategy<Value = Sample> {
    let v6 = any::<bool>();
    let payload = proptest::collection::vec(any::<u8>(), 1..1400);
    (v6, payload, any::<(u16, u16)>(), any::<(u32, u8, u8, u8)>()).prop_map(
        |(v6, payload, ports, (seq, ttl, tos, flags))| {
            let sample = Sample {
                payload,
                ports,
                seq,
                ttl,
                tos,
                flags: Some(flags & !2),
                ..Sample::tcp(1, 2, 0)
            };
            if v6 { sample.over_v6() } else { sample }
        },
    )
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), kind in 0usize..4) {
        let mut bytes = bytes;
        if let (Some(kind), true) = ([0x0800u16, 0x86dd, 0x0806].get(kind), bytes.len() > 20) {
            bytes[12..14].copy_from_slice(&kind.to_be_bytes());
            bytes[14] = if *kind == 0x0800 { 0x45 } else { 0x60 };
        }
        let _ = read(&bytes);
    }

    #[test]
    fn a_lower_ttl_and_a_mark_leave_the_frame_as_if_made_so(sample in any_sample()) {
        let mut bytes = sample.bytes();
        let mut at = ip(&read(&bytes).unwrap());
        lower_ttl(&mut bytes, &mut at);
        let lower = Sample { ttl: sample.ttl.saturating_sub(1), ..sample.clone() };
        prop_assert_eq!(&bytes, &lower.bytes());
        mark_ce(&mut bytes, &mut at);
        let marked = Sample { tos: sample.tos | 3, ..lower };
        prop_assert_eq!(&bytes, &marked.bytes());
        prop_assert_eq!(at, ip(&read(&bytes).unwrap()));
    }

    #[test]
    fn another_code_point_leaves_the_frame_as_if_made_so(sample in any_sample(), dscp in 0u8..64) {
        let mut bytes = sample.bytes();
        set_dscp(&mut bytes, dscp);
        let marked = Sample { tos: sample.tos & 3 | dscp << 2, ..sample };
        prop_assert_eq!(&bytes, &marked.bytes());
        let at = ip(&read(&bytes).unwrap());
        prop_assert_eq!((at.dscp, at.ecn), (dscp, marked.tos & 3));
        if let Some(segment) = segment(&bytes) {
            prop_assert_eq!(segment.dscp, dscp);
        }
    }

    #[test]
    fn a_trimmed_segment_is_as_if_made_without_payload(sample in any_sample()) {
        let mut bytes = sample.bytes();
        // Padding must go with the payload.
        bytes.extend([7; 9]);
        let mut frame = read(&bytes).unwrap();
        let length = trim(&mut bytes, &mut frame).unwrap();
        bytes.truncate(length);
        let flags = sample.flags.map(|flags| flags & !(0x01 | 0x08 | 0x20));
        let cut = Sample { payload: Vec::new(), flags, ..sample.clone() };
        let fresh = cut.bytes();
        // A sum of zero has two encodings: compare the sum that a receiver computes.
        let tcp = fresh.len() - 20;
        prop_assert_eq!(&bytes[..tcp + 16], &fresh[..tcp + 16]);
        prop_assert_eq!(&bytes[tcp + 18..], &fresh[tcp + 18..]);
        prop_assert_eq!(cut.transport_sum(&bytes[tcp..]), 0xffff);
        let again = ip(&read(&bytes).unwrap());
        prop_assert_eq!((again.ends, again.payload), (ip(&frame).ends, 0));
    }

    #[test]
    fn a_wrong_checksum_stays_wrong_when_the_payload_is_cut(sample in any_sample(), flip in 0usize..1400) {
        let mut bytes = sample.bytes();
        let mut frame = read(&bytes).unwrap();
        let at = bytes.len() - 1 - flip % sample.payload.len();
        bytes[at] ^= 0x10;
        let length = trim(&mut bytes, &mut frame).unwrap();
        let tcp = length - 20;
        let cut = Sample { payload: Vec::new(), ..sample.clone() };
        prop_assert_ne!(cut.transport_sum(&bytes[tcp..length]), 0xffff);
    }
}
