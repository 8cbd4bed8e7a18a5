//! Fuzzes the reader of frames with any bytes, with and without tags: a frame is refused with a reason, or
//! still reads after changes. A tag put in and taken out leaves the frame unchanged.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sidestep_softswitch::frame::{
    ANSWER_BYTES, Carry, Frame, FrameContent, ICMP_BYTES, IcmpReason, LONGEST_FRAME,
    LONGEST_TAGGED, Probe, WireTag, answer_to, lower_ttl, mark_ce, may_tell, put_tag, read,
    read_as, read_tagged, take_tag, tell, trim,
};
use sidestep_softswitch::setup::Mac;
use sidestep_types::Words;
use std::net::IpAddr;

fuzz_target!(|bytes: &[u8]| {
    for &carry in Carry::ALL {
        tags(bytes, carry);
    }
    let Ok(frame) = read(bytes) else {
        return;
    };
    assert!(bytes.len() <= LONGEST_FRAME);
    if let Some(probe) = Probe::of(&frame, bytes) {
        assert_eq!(Probe::of(&frame, &probe.bytes()), Some(probe));
    }
    told(bytes, &frame);
    match frame.what {
        FrameContent::Ip(_) => changes(bytes, None),
        FrameContent::Asks(ip) => {
            let mut out = [0; ANSWER_BYTES];
            let length = answer_to(bytes, ip, Mac([2; 6]), true, &mut out);
            let answer = read(&out[..length]);
            assert!(
                matches!(answer, Ok(frame) if frame.what == FrameContent::Other),
                "{answer:?}"
            );
        }
        FrameContent::Other => {}
    }
});

/// Checks that the ICMP message about a packet is sound, and that it causes no further message.
fn told(bytes: &[u8], frame: &Frame) {
    let FrameContent::Ip(ip) = frame.what else {
        return assert!(!may_tell(bytes, frame));
    };
    let of_own = IcmpReason::of_own(bytes, &ip);
    if !may_tell(bytes, frame) {
        return;
    }
    let me: IpAddr = match ip.v6 {
        true => [0xfd77u16, 0, 0, 0, 0, 0, 0, 0xfe].into(),
        false => [10, 77, 0, 254].into(),
    };
    for what in [
        Some(IcmpReason::TimeExceeded),
        Some(IcmpReason::NoRoute),
        of_own,
    ]
    .into_iter()
    .flatten()
    {
        let mut out = [0xee; ICMP_BYTES];
        let Some(length) = tell(bytes, &ip, what, me, Mac([2; 6]), &mut out) else {
            assert!(ip.v6 && what == IcmpReason::NoProtocol, "{what:?}");
            continue;
        };
        let message = read(&out[..length]).expect("a message is a sound frame");
        assert!(matches!(message.what, FrameContent::Ip(of) if of.v6 == ip.v6));
        assert!(
            !may_tell(&out[..length], &message),
            "of an error nothing is told"
        );
    }
}

/// Removes the tag of a frame that has one; adds and removes a tag otherwise.
fn tags(bytes: &[u8], carry: Carry) {
    let Ok(frame) = read_tagged(bytes, carry) else {
        return;
    };
    assert!(bytes.len() <= LONGEST_TAGGED);
    let FrameContent::Ip(ip) = frame.what else {
        return assert_eq!(frame.tag, None, "on an IP packet alone");
    };
    if frame.tag.is_some() {
        changes(bytes, Some(carry));
        let mut taken = bytes.to_vec();
        let (tag, length) = take_tag(&mut taken, carry).expect("it was read");
        assert_eq!((Some(tag), length), (frame.tag, bytes.len() - carry.adds()));
        let plain = read(&taken[..length]).expect("a frame without its tag reads");
        assert_eq!((plain.hash, plain.dst), (frame.hash, frame.dst));
        return;
    }
    let tag = WireTag {
        number: frame.hash,
        again: ip.ttl & 15,
        id: ip.dscp & 7,
        first: ip.v6,
    };
    let mut out = [0xee; LONGEST_TAGGED];
    let Some(length) = put_tag(bytes, &ip, carry, tag, &mut out) else {
        return assert_eq!(carry, Carry::Option, "there is room before IP");
    };
    let mut tagged = out[..length].to_vec();
    let read = read_tagged(&tagged, carry).expect("a frame with its tag reads");
    assert_eq!((read.tag, read.hash), (Some(tag), frame.hash));
    changes(&tagged, Some(carry));
    let (taken, length) = take_tag(&mut tagged, carry).expect("it was put in");
    assert_eq!(taken, tag);
    // A checksum of zero has two encodings.
    let (mut before, after) = (bytes[..usize::from(ip.end)].to_vec(), &mut tagged[..length]);
    if !ip.v6 {
        let sum = usize::from(ip.at) + 10;
        for frame in [&mut before[..], after] {
            frame[sum..sum + 2].fill(0);
        }
    }
    assert_eq!(before, tagged[..length]);
}

fn changes(bytes: &[u8], carry: Option<Carry>) {
    let read = |bytes: &[u8]| read_as(bytes, carry);
    let mut changed = bytes.to_vec();
    let mut frame = read(bytes).expect("read before");
    let FrameContent::Ip(mut ip) = frame.what else {
        panic!("an IP packet before");
    };
    let ttl = ip.ttl;
    lower_ttl(&mut changed, &mut ip);
    mark_ce(&mut changed, &mut ip);
    let again = read(&changed).expect("a changed frame reads");
    assert_eq!(again.what, FrameContent::Ip(ip));
    assert_eq!((ip.ttl, ip.ecn), (ttl.saturating_sub(1), 3));
    assert_eq!((again.hash, again.tag), (frame.hash, frame.tag));
    let mut cut = bytes.to_vec();
    if let Some(length) = trim(&mut cut, &mut frame) {
        assert!(length < bytes.len());
        cut.truncate(length);
        let again = read(&cut).expect("a cut frame reads");
        assert_eq!(
            (again.hash, again.what),
            (frame.hash, kind_aside(&again, &frame))
        );
    }
}

/// Returns the expected frame after trimming, with the kind of `again`: without payload, TCP reads as an
/// acknowledgement.
fn kind_aside(
    again: &sidestep_softswitch::frame::Frame,
    frame: &sidestep_softswitch::frame::Frame,
) -> FrameContent {
    match (again.what, frame.what) {
        (FrameContent::Ip(again), FrameContent::Ip(mut ip)) => {
            ip.kind = again.kind;
            FrameContent::Ip(ip)
        }
        (_, what) => what,
    }
}
