//! Tests of tags as bytes: computed by hand, inserted, read, damaged and removed.

use super::super::sample::{Sample, arp_request, solicitation};
use super::super::{LONGEST_FRAME, lower_ttl, mark_ce, segment, trim};
use super::*;
use proptest::prelude::*;

/// Tag of the tests. 0x5d is 0101 110 1: sent again five times, message 6, its first packet.
const SAID: WireTag = WireTag {
    number: 0x0102_0304,
    again: 5,
    id: 6,
    first: true,
};

fn ip(bytes: &[u8]) -> Ip {
    match read(bytes).unwrap().what {
        FrameContent::Ip(ip) => ip,
        other => panic!("{other:?}"),
    }
}

/// Returns the frame with a tag, if it has room for one.
fn tagged(bytes: &[u8], carry: Carry, tag: WireTag) -> Option<Vec<u8>> {
    let mut out = [0xee; LONGEST_TAGGED];
    let length = put_tag(bytes, &ip(bytes), carry, tag, &mut out)?;
    Some(out[..length].to_vec())
}

fn said(bytes: &[u8], carry: Carry) -> Result<Option<WireTag>, Refusal> {
    read_tagged(bytes, carry).map(|frame| frame.tag)
}

/// Returns the tag of a frame with one byte of payload, damaged by `change`.
fn spoiled(carry: Carry, change: impl FnOnce(&mut Vec<u8>)) -> Result<Option<WireTag>, Refusal> {
    let mut bytes = tagged(&Sample::tcp(1, 2, 1).bytes(), carry, SAID).unwrap();
    change(&mut bytes);
    said(&bytes, carry)
}

/// Corrects the checksum of the IPv4 header at 14.
fn sound(bytes: &mut [u8]) {
    let header = 4 * usize::from(bytes[14] & 15);
    bytes[24..26].fill(0);
    let sum = !ones_sum(&bytes[14..14 + header]);
    bytes[24..26].copy_from_slice(&sum.to_be_bytes());
}

#[test]
fn between_ethernet_and_ip_it_is_seven_bytes_before_a_packet_as_it_was() {
    let plain = Sample::tcp(1, 2, 1).bytes();
    let bytes = tagged(&plain, Carry::Ethertype, SAID).unwrap();
    let head: [u8; 21] = [
        2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, // to, from
        0x88, 0xb5, 1, 2, 3, 4, 0x5d, // the tag
        0x08, 0x00, // IPv4
    ];
    assert_eq!(bytes[..21], head);
    assert_eq!(bytes[21..], plain[14..]);
    let mut one = [0; LONGEST_TAGGED];
    let none = WireTag {
        again: 0,
        id: 0,
        first: false,
        number: u32::MAX,
    };
    put_tag(&plain, &ip(&plain), Carry::Ethertype, none, &mut one);
    assert_eq!(one[14..19], [0xff, 0xff, 0xff, 0xff, 0]);
}

#[test]
fn as_an_option_it_is_eight_bytes_of_the_header_which_says_so() {
    let plain = Sample::tcp(1, 2, 1).bytes();
    let bytes = tagged(&plain, Carry::Option, SAID).unwrap();
    let header: [u8; 28] = [
        0x47, 0, 0, 49, // 7 words of header, 49 B in all: 41 and 8
        0, 0, 0x40, 0, 64, 6, 0x25, 0x1c, // the sum of the other words is 0xdae3
        10, 77, 0, 1, 10, 77, 0, 2, //
        158, 7, 1, 2, 3, 4, 0x5d, 1, // the option, and a no-operation
    ];
    assert_eq!(bytes[..14], plain[..14]);
    assert_eq!(bytes[14..42], header);
    assert_eq!(bytes[42..], plain[34..]);
}

#[test]
fn a_switch_reads_the_same_packet_behind_either_tag() {
    for sample in [Sample::tcp(1, 2, 100), Sample::tcp(1, 2, 100).over_v6()] {
        let plain = sample.bytes();
        let frame = read(&plain).unwrap();
        for &carry in Carry::ALL {
            let Some(bytes) = tagged(&plain, carry, SAID) else {
                assert!(frame.ip_destination(&plain).unwrap().is_ipv6());
                continue;
            };
            let got = read_tagged(&bytes, carry).unwrap();
            assert_eq!(got.tag, Some(SAID));
            assert_eq!((got.hash, got.host), (frame.hash, frame.host));
            assert_eq!((got.dst, got.src), (frame.dst, frame.src));
            assert_eq!(got.ip_destination(&bytes), frame.ip_destination(&plain));
            assert_eq!(said(&plain, carry), Ok(None));
        }
    }
    // A switch without tags reads one kind as another protocol, and skips the other.
    let plain = Sample::tcp(1, 2, 100).bytes();
    let between = tagged(&plain, Carry::Ethertype, SAID).unwrap();
    assert_eq!(read_as(&between, None).unwrap().what, FrameContent::Other);
    let option = tagged(&plain, Carry::Option, SAID).unwrap();
    let got = read_as(&option, None).unwrap();
    assert_eq!((got.hash, got.tag), (read(&plain).unwrap().hash, None));
    assert_eq!(segment(&option), segment(&plain));
}

#[test]
fn what_is_no_tag_as_it_should_be_is_refused_with_its_reason() {
    let between = |change: fn(&mut Vec<u8>)| spoiled(Carry::Ethertype, change);
    assert_eq!(between(|_| ()), Ok(Some(SAID)));
    for length in 14..21 {
        let cut = spoiled(Carry::Ethertype, |b| b.truncate(length));
        assert_eq!(cut, Err(Refusal::TagTruncated), "{length}");
    }
    assert_eq!(between(|b| b.truncate(40)), Err(Refusal::Truncated));
    assert_eq!(between(|b| b.truncate(42)), Err(Refusal::BadLength));
    let inner = |kind: u16| {
        spoiled(Carry::Ethertype, |b| {
            b[19..21].copy_from_slice(&kind.to_be_bytes())
        })
    };
    assert_eq!(inner(TAG), Err(Refusal::TagInTag));
    assert_eq!(inner(OTHER), Err(Refusal::TagInTag));
    assert_eq!(inner(0x8100), Err(Refusal::Vlan));
    assert_eq!(inner(0x0600), Err(Refusal::TagMisplaced));
    assert_eq!(inner(0x05ff), Err(Refusal::TagMisplaced), "a length");
    assert_eq!(inner(0x86dd), Err(Refusal::BadHeader), "IPv4 is no IPv6");
    assert_eq!(between(|b| b[13] = 0xb6), Err(Refusal::TagVersion));
    assert_eq!(between(|b| b.resize(1522, 0)), Err(Refusal::Oversized));
    assert_eq!(between(|b| b.resize(1521, 0)), Ok(Some(SAID)), "padding");
    assert_eq!(
        spoiled(Carry::Option, |b| b.resize(1515, 0)),
        Err(Refusal::Oversized)
    );
    for asks in [arp_request(1, [10, 77, 0, 2]), solicitation(1, 2)] {
        let mut bytes = asks[..12].to_vec();
        bytes.extend([0x88, 0xb5, 0, 0, 0, 0, 0]);
        bytes.extend(&asks[12..]);
        let got = said(&bytes, Carry::Ethertype);
        assert_eq!(got, Err(Refusal::TagMisplaced), "no host tags questions");
    }
}

#[test]
fn what_is_no_option_as_it_should_be_is_refused_with_its_reason() {
    let option = |change: fn(&mut Vec<u8>)| {
        spoiled(Carry::Option, |b| {
            change(b);
            sound(b);
        })
    };
    assert_eq!(option(|_| ()), Ok(Some(SAID)));
    assert_eq!(option(|b| b[35] = 9), Err(Refusal::TagTruncated));
    assert_eq!(option(|b| b[35] = 1), Err(Refusal::TagTruncated));
    assert_eq!(
        option(|b| b[34..42].copy_from_slice(&[1, 1, 1, 1, 1, 1, 1, 158])),
        Err(Refusal::TagTruncated)
    );
    for length in [2, 6, 8] {
        let other = |b: &mut Vec<u8>| {
            b[35] = length;
            sound(b);
        };
        assert_eq!(
            spoiled(Carry::Option, other),
            Err(Refusal::TagVersion),
            "{length}"
        );
    }
    assert_eq!(option(|b| b[41] = 0), Err(Refusal::TagVersion), "no filler");
    let second = option(|b| b[34..42].copy_from_slice(&[1, 158, 7, 1, 2, 3, 4, 5]));
    assert_eq!(second, Err(Refusal::TagVersion), "it is not the first");
    // Other options are not checked, whatever their content.
    assert_eq!(option(|b| b[34] = 7), Ok(None));
    assert_eq!(option(|b| b[34..36].copy_from_slice(&[7, 0])), Ok(None));
    assert_eq!(option(|b| b[34] = 0), Ok(None), "the end of options");
    assert_eq!(
        spoiled(Carry::Option, |b| b[40] ^= 1),
        Err(Refusal::BadChecksum)
    );
    // Two of them.
    let once = tagged(&Sample::tcp(1, 2, 1).bytes(), Carry::Option, SAID).unwrap();
    let twice = tagged(&once, Carry::Option, SAID).unwrap();
    assert_eq!(said(&twice, Carry::Option), Err(Refusal::TagInTag));
    let mut deep = once.clone();
    deep.splice(12..12, [0x88, 0xb5, 0, 0, 0, 0, 0]);
    deep.splice(12..12, [0x88, 0xb5, 0, 0, 0, 0, 0]);
    assert_eq!(said(&deep, Carry::Ethertype), Err(Refusal::TagInTag));
}

#[test]
fn a_tag_needs_room() {
    let full = |payload| Sample::tcp(1, 2, payload).bytes();
    let long = tagged(&full(1460), Carry::Ethertype, SAID).unwrap();
    assert_eq!(
        (full(1460).len(), long.len()),
        (LONGEST_FRAME, LONGEST_TAGGED)
    );
    assert_eq!(said(&long, Carry::Ethertype), Ok(Some(SAID)));
    let long = tagged(&full(1452), Carry::Option, SAID).unwrap();
    assert_eq!(long.len(), LONGEST_FRAME);
    assert_eq!(tagged(&full(1453), Carry::Option, SAID), None);
    // A header holds 40 B of options.
    let mut bytes = full(1);
    for room in [true, true, true, true, true, false] {
        let next = tagged(&bytes, Carry::Option, SAID);
        assert_eq!(next.is_some(), room);
        bytes = next.unwrap_or(bytes);
    }
    // Padding of a short frame is dropped.
    let mut padded = full(1);
    padded.resize(60, 0);
    let bytes = tagged(&padded, Carry::Ethertype, SAID).unwrap();
    assert_eq!(bytes.len(), 55 + 7);
}

#[test]
fn a_trimmed_segment_keeps_its_tag() {
    let segment = Sample::tcp(1, 2, 100);
    let over_v6 = (segment.clone().over_v6(), Carry::Ethertype);
    let over_v4 = Carry::ALL.iter().map(|carry| (segment.clone(), *carry));
    for (sample, carry) in over_v4.into_iter().chain([over_v6]) {
        let plain = sample.bytes();
        let mut bytes = tagged(&plain, carry, SAID).unwrap();
        let mut frame = read_tagged(&bytes, carry).unwrap();
        let length = trim(&mut bytes, &mut frame).unwrap();
        bytes.truncate(length);
        assert_eq!(bytes.len(), plain.len() - 100 + carry.adds());
        assert_eq!(said(&bytes, carry), Ok(Some(SAID)));
        let (tag, length) = take_tag(&mut bytes, carry).unwrap();
        assert_eq!((tag, length), (SAID, plain.len() - 100));
    }
}

fn any_tag() -> impl Strategy<Value = WireTag> {
    (any::<u32>(), 0u8..16, 0u8..8, any::<bool>()).prop_map(|(number, again, id, first)| WireTag {
        number,
        again,
        id,
        first,
    })
}

/// Generates segments and datagrams with options of TCP, of either family.
fn any_sample() -> impl Strategy<Value = Sample> {
    let flags = prop_oneof![Just(None), any::<u8>().prop_map(Some)];
    let sizes = (0usize..1400, 0usize..5, any::<bool>());
    (any::<[u8; 3]>(), flags, sizes).prop_map(|([tos, ttl, to], flags, (payload, words, v6))| {
        let sample = Sample {
            tos,
            ttl,
            flags,
            options: vec![1; 4 * words],
            ..Sample::tcp(1, to, payload)
        };
        if v6 { sample.over_v6() } else { sample }
    })
}

proptest! {
    #[test]
    fn a_tag_put_in_and_taken_out_leaves_the_frame_as_it_was(
        sample in any_sample(), tag in any_tag(), option: bool, ages in 0usize..3,
    ) {
        let carry = Carry::ALL[usize::from(option)];
        let mut plain = sample.bytes();
        let Some(mut bytes) = tagged(&plain, carry, tag) else {
            prop_assert!(option && matches!(sample.addresses.0, std::net::IpAddr::V6(_)));
            return Ok(());
        };
        prop_assert_eq!(bytes.len(), plain.len() + carry.adds());
        // Changes by switches are the same in both.
        for bytes in [&mut plain, &mut bytes] {
            let FrameContent::Ip(mut ip) = read_as(bytes, Some(carry)).unwrap().what else {
                panic!("an IP packet");
            };
            (0..ages).for_each(|_| lower_ttl(bytes, &mut ip));
            if ip.ecn != 0 {
                mark_ce(bytes, &mut ip);
            }
        }
        prop_assert_eq!(said(&bytes, carry), Ok(Some(tag)));
        let (read, length) = take_tag(&mut bytes, carry).unwrap();
        prop_assert_eq!((read, &bytes[..length]), (tag, &plain[..]));
        prop_assert_eq!(take_tag(&mut bytes[..length], carry), None);
    }

    #[test]
    fn any_bytes_behind_a_tag_are_read_without_a_panic(
        mut bytes in proptest::collection::vec(any::<u8>(), 0..120), option: bool, words in 5u8..16,
    ) {
        let carry = Carry::ALL[usize::from(option)];
        bytes.splice(..bytes.len().min(12), [2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2]);
        match carry {
            Carry::Ethertype => drop(bytes.splice(12..12, TAG.to_be_bytes())),
            Carry::Option => {
                bytes.splice(12..12, [8, 0, 0x40 | words]);
                bytes.resize(bytes.len().max(34 + 40), 158);
                let total = bytes.len() as u16 - 14;
                bytes[16..18].copy_from_slice(&total.to_be_bytes());
                sound(&mut bytes);
            }
        }
        if said(&bytes, carry).is_ok_and(|tag| tag.is_some()) {
            let before = bytes.len();
            let (_, length) = take_tag(&mut bytes, carry).expect("it was read");
            prop_assert_eq!(length, before - carry.adds());
            prop_assert!(read(&bytes[..length]).is_ok());
        }
    }
}
