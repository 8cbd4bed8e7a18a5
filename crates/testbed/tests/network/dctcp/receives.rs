//! Tests of a receiver's echoes (RFC 8257, section 3.2): the marked bytes, byte for byte.

use super::bed::{Room, called, shown};
use crate::needs_namespaces;
use crate::wire::{ACK, CE, ECE, ECT, NOT_ECT, SYN, Wire};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::fd::AsRawFd;

/// Payload of a segment; `BURST` segments fit any initial window.
const BYTES: u32 = 700;
const BURST: usize = 20;

/// Makes acknowledgements wait for a second segment from now on.
fn delays(stream: &TcpStream) {
    let off: libc::c_int = 0;
    // SAFETY: the kernel reads the number.
    let set = unsafe {
        libc::setsockopt(
            stream.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_QUICKACK,
            (&raw const off).cast(),
            size_of_val(&off) as libc::socklen_t,
        )
    };
    assert_eq!(set, 0);
}

/// Sends a burst with these marks; returns the segments that each acknowledgement covers, and whether it
/// echoes.
fn echoed(wire: &mut Wire, marks: &[bool]) -> Vec<(usize, usize, bool)> {
    let first = wire.seq;
    let fields: Vec<u8> = marks.iter().map(|m| if *m { CE } else { ECT }).collect();
    wire.send(BYTES as usize, &fields);
    let (mut upto, mut said) = (0, Vec::new());
    while upto < marks.len() {
        let ack = wire.frame(|f| f.has(ACK) && !f.has(SYN));
        let bytes = ack.ack.wrapping_sub(first);
        assert_eq!((bytes % BYTES, ack.bytes), (0, 0), "{ack:?}");
        let next = (bytes / BYTES) as usize;
        assert!((upto..=marks.len()).contains(&next), "{ack:?}");
        if next > upto {
            said.push((upto, next, ack.has(ECE)));
        }
        upto = next;
    }
    said
}

#[test]
fn every_byte_is_echoed_as_it_came_though_acknowledgements_are_delayed() {
    needs_namespaces!();
    Room::each("echo", |room| {
        let (mut wire, stream) = room.answered(true);
        assert_eq!(called(&stream), room.control());
        delays(&stream);
        // Cases seen, unmarked and marked: two segments with one acknowledgement; a change of mark while one
        // segment waited.
        let (mut waited, mut changed) = ([false; 2], [false; 2]);
        let mut draws = 0x1234_5678u32;
        for burst in 0.. {
            let marks: Vec<bool> = (0..BURST)
                .map(|_| {
                    draws = draws.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    draws >> 31 == 1
                })
                .collect();
            let said = echoed(&mut wire, &marks);
            // Read, so that there is always room for the next burst.
            (&stream)
                .read_exact(&mut [0; BURST * BYTES as usize])
                .unwrap();
            for &(from, to, echo) in &said {
                assert_eq!(
                    marks[from..to],
                    vec![echo; to - from],
                    "burst {burst}, segments {from} to {to} of {marks:?}: {said:?}"
                );
                waited[usize::from(echo)] |= to - from == 2;
            }
            // A segment acknowledged alone because the next one has another mark.
            for two in said.windows(2) {
                let ((from, to, echo), next) = (two[0], two[1]);
                changed[usize::from(echo)] |= to - from == 1 && next.2 != echo;
            }
            // If the machine pauses between two segments of each burst, every delayed acknowledgement expires.
            assert!(
                burst < 200,
                "not seen: an acknowledgement of two {waited:?}, or one before a change {changed:?}"
            );
            if burst >= 20 && waited == [true; 2] && changed == [true; 2] {
                break;
            }
        }
    });
}

#[test]
fn a_mark_that_changes_is_acknowledged_at_once() {
    needs_namespaces!();
    Room::each("once", |room| {
        let (mut wire, stream) = room.answered(true);
        delays(&stream);
        let before = room.counted("DelayedACKs");
        // Each mark differs from the one before, and the first from none: each segment is acknowledged at once.
        let marks: Vec<bool> = (0..BURST).map(|i| i % 2 == 0).collect();
        for _ in 0..10 {
            let said = echoed(&mut wire, &marks);
            assert_eq!(said.len(), BURST, "{said:?}");
            for (i, &each) in said.iter().enumerate() {
                assert_eq!(each, (i, i + 1, marks[i]), "{said:?}");
            }
        }
        assert_eq!(room.counted("DelayedACKs"), before);
    });
}

#[test]
fn a_peer_that_refuses_ecn_gets_no_frame_that_could_be_marked_and_no_echo() {
    needs_namespaces!();
    Room::each("refuse", |room| {
        for opens in [true, false] {
            let connect = |ecn| match opens {
                true => room.asked(ecn),
                false => room.answered(ecn),
            };
            for (ecn, field) in [(false, NOT_ECT), (true, ECT)] {
                let (mut wire, stream) = connect(ecn);
                let name = match ecn {
                    true => room.control(),
                    false => room.fallback().to_string(),
                };
                assert_eq!(called(&stream), name);
                let alpha = ecn.then_some(room.whose.initial_alpha());
                assert_eq!(shown(&stream), alpha, "opens: {opens}, ECN: {ecn}");
                (&stream).write_all(&[7; 20_000]).unwrap();
                let mut left = 20_000;
                while left > 0 {
                    let frame = wire.frame(|f| !f.has(SYN));
                    let expected = if frame.bytes > 0 { field } else { frame.ecn };
                    assert_eq!(frame.ecn, expected, "opens: {opens}, ECN: {ecn}: {frame:?}");
                    // After ECN was refused, packets without data are Not-ECT as well.
                    assert!(ecn || frame.ecn == NOT_ECT, "{frame:?}");
                    if frame.seq == wire.next {
                        left -= frame.bytes;
                        wire.acknowledge(frame.seq.wrapping_add(frame.bytes), 0, &[]);
                    }
                }
                // Marks that arrive nevertheless are echoed only to a peer that agreed to ECN.
                let said = echoed(&mut wire, &[true; BURST]);
                assert!(said.iter().all(|(_, _, echo)| *echo == ecn), "{said:?}");
            }
        }
    });
}
