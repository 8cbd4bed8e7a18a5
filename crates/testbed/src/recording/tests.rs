//! Tests with hand-written notes of two switches, and the recordings they give.

use super::*;
use sidestep_lab::recorded::{Link, Network, Node, PacketFlags, Reader};
use std::net::{Ipv4Addr, SocketAddrV4};

/// Head for two hosts with a switch each: cables from host 0 to switch 0, switch 0 to switch 1, switch 1 to
/// host 1.
fn head() -> Head {
    let node = |at| Node {
        host: at < 2,
        ..Node::default()
    };
    let link = |(from, port, to)| Link {
        from,
        port,
        to,
        ..Link::default()
    };
    let links = [
        (0, 0, 2),
        (2, 0, 0),
        (2, 1, 3),
        (3, 0, 2),
        (3, 1, 1),
        (1, 0, 3),
    ];
    Head {
        network: Network {
            kind: String::new(),
            nodes: (0..4).map(node).collect(),
            links: links.map(link).to_vec(),
        },
        ..Head::default()
    }
}

fn end(host: u8) -> SocketAddrV4 {
    SocketAddrV4::new(Ipv4Addr::new(10, 77, 0, host), 7000)
}

fn data(id: u16, seq: u32, payload: u16) -> SegmentHeader {
    SegmentHeader {
        from: end(1),
        to: end(2),
        id,
        seq,
        ack: 1,
        payload,
        syn: false,
        acks: true,
        ece: false,
        bytes: 1518,
    }
}

fn told(at: u64, switch: u32, what: NoteKind, segment: SegmentHeader) -> TimedNote {
    let out = match what {
        NoteKind::Left { out_ps, .. } => Some(out_ps),
        _ => None,
    };
    let note = Note {
        at_ps: at,
        what,
        segment,
    };
    TimedNote {
        at: Some(at),
        out,
        switch,
        note,
    }
}

fn queued(from: u16, port: u16) -> NoteKind {
    NoteKind::Queued {
        from: Some(from),
        wanted: 1,
        port,
        changes: 0,
    }
}

fn left(port: u16, out_ps: u64) -> NoteKind {
    NoteKind::Left { port, out_ps }
}

/// Returns the events of these notes as text, and the numbers left out.
fn played(told: Vec<TimedNote>) -> (Vec<String>, LeftOut) {
    let mut ends = vec![None; 7];
    ends.push(Some((end(1), end(2))));
    let mut film = RecordingBuilder::new(&head(), Segments::of(&ends));
    let out = film.play(told, u64::MAX);
    let bytes = film.writer.finish(Tail::default());
    let reader = Reader::open(&bytes).unwrap();
    reader.verify().unwrap();
    let all = reader.events((0, u64::MAX), usize::MAX, |_| true).unwrap();
    let words = all.iter().map(|event| {
        let mut values = Vec::new();
        event.what.each(|value| values.push(value.to_string()));
        format!(
            "{} {} {}",
            event.at,
            event.what.kind().word(),
            values.join(" ")
        )
    });
    (words.collect(), out)
}

#[test]
fn a_segment_goes_from_host_to_host() {
    let seen = data(5, 1000, 1460);
    let (events, out) = played(vec![
        told(10, 0, queued(0, 1), seen),
        told(30, 0, left(1, 40), seen),
        // The next switch cut the payload off, so the segment has fewer bytes.
        told(
            41,
            1,
            queued(0, 1),
            SegmentHeader {
                bytes: 64,
                payload: 0,
                ..seen
            },
        ),
        told(50, 1, left(1, 60), SegmentHeader { payload: 0, ..seen }),
    ]);
    let expected = [
        "10 send 7 0 1460 0 0 0",
        "10 enqueue 2 0 1518 2 0 0",
        "30 dequeue 2 0",
        "41 enqueue 4 0 64 4 0 0",
        "50 dequeue 4 0",
        "60 deliver 0",
    ];
    assert_eq!(events, expected);
    assert_eq!(out, LeftOut::default());
}

#[test]
fn ends_of_transmission_come_first_and_notes_are_put_in_order() {
    let (one, two) = (data(1, 0, 100), data(2, 100, 100));
    let (events, out) = played(vec![
        told(20, 0, queued(0, 1), two),
        told(20, 0, left(1, 90), one),
        told(10, 0, queued(0, 1), one),
    ]);
    let expected = [
        "10 send 7 0 100 0 0 0",
        "10 enqueue 2 0 1518 2 0 0",
        "20 dequeue 2 0",
        "20 send 7 100 100 0 0 1",
        "20 enqueue 2 1 1518 2 0 0",
    ];
    assert_eq!(events, expected);
    assert_eq!(out, LeftOut::default());
}

#[test]
fn a_drop_a_deflection_and_an_eviction_say_their_reasons() {
    let seen = |id| data(id, 0, 100);
    let moved = NoteKind::Queued {
        from: None,
        wanted: 1,
        port: 0,
        changes: 1,
    };
    let full = NoteKind::Dropped {
        from: Some(0),
        wanted: 1,
        reason: DropReason::Full as u8,
    };
    let evicted = NoteKind::Evicted {
        port: 1,
        reason: DropReason::Evicted as u8,
    };
    let (events, out) = played(vec![
        told(1, 0, full, seen(1)),
        told(2, 0, queued(0, 1), seen(2)),
        told(3, 0, queued(0, 1), seen(3)),
        told(4, 0, moved, seen(2)),
        told(5, 0, evicted, seen(3)),
    ]);
    let again = PacketFlags::AGAIN;
    let expected = [
        "1 send 7 0 100 0 0 0".to_string(),
        format!("1 drop 2 0 {} 0", DropReason::Full as u8),
        format!("2 send 7 0 100 {again} 0 1"),
        "2 enqueue 2 1 1518 2 0 0".into(),
        format!("3 send 7 0 100 {again} 0 2"),
        "3 enqueue 2 2 1518 2 0 0".into(),
        "4 evict 2 1".into(),
        "4 enqueue 1 1 1518 2 1 1".into(),
        "5 evict 2 2".into(),
        format!("5 drop 2 2 {} 0", DropReason::Evicted as u8),
    ];
    assert_eq!(events, expected);
    assert_eq!(out, LeftOut::default());
}

#[test]
fn segments_with_the_same_numbers_are_told_apart_by_where_they_are() {
    let seen = data(0, 0, 0);
    let full = NoteKind::Dropped {
        from: Some(0),
        wanted: 1,
        reason: DropReason::Full as u8,
    };
    let (events, out) = played(vec![
        told(10, 0, queued(0, 1), seen),
        told(20, 0, left(1, 30), seen),
        // The second arrives while the first is in flight, and the third while both are.
        told(25, 0, queued(0, 1), seen),
        told(31, 1, queued(0, 1), seen),
        told(35, 0, left(1, 45), seen),
        told(36, 0, queued(0, 1), seen),
        told(40, 1, left(1, 50), seen),
        told(46, 1, full, seen),
        told(55, 0, left(1, 65), seen),
        told(66, 1, queued(0, 1), seen),
        told(67, 1, left(1, 70), seen),
    ]);
    let reason = DropReason::Full as u8;
    let mut ends = events.iter().filter(|event| {
        let word = event.split(' ').nth(1);
        word == Some("deliver") || word == Some("drop")
    });
    assert_eq!(ends.next().unwrap(), &format!("46 drop 4 1 {reason} 0"));
    assert_eq!(ends.next().unwrap(), "50 deliver 0");
    assert_eq!(ends.next().unwrap(), "70 deliver 2");
    assert_eq!(ends.next(), None);
    assert_eq!(out, LeftOut::default());
}

#[test]
fn what_contradicts_is_left_out_and_counted() {
    let seen = data(5, 0, 100);
    let stranger = SegmentHeader {
        from: end(9),
        ..seen
    };
    let (events, out) = played(vec![
        told(10, 0, queued(0, 1), seen),
        // It has not left the switch before.
        told(20, 1, queued(0, 1), seen),
        // Belongs to no flow, and was not seen before.
        told(21, 0, queued(0, 1), stranger),
        told(22, 1, left(1, 23), data(6, 0, 100)),
        // A port that does not exist.
        told(24, 0, left(9, 25), seen),
        told(30, 0, left(1, 40), seen),
    ]);
    assert_eq!(events.len(), 3, "{events:?}");
    assert_eq!(events[2], "30 dequeue 2 0");
    // Each note counts once, also if it is two steps.
    let expected = LeftOut {
        contradicts: 2,
        strangers: 2,
    };
    assert_eq!(out, expected);
}

#[test]
fn numbers_begin_where_a_handshake_says_and_acknowledgements_are_of_the_other_way() {
    let syn = SegmentHeader {
        syn: true,
        ..data(1, u32::MAX - 9, 0)
    };
    let before = |segment| TimedNote {
        at: None,
        ..told(0, 0, queued(0, 1), segment)
    };
    let ack = SegmentHeader {
        from: end(2),
        to: end(1),
        // 1460 bytes after the first, past the wrap of sequence numbers.
        ack: (u32::MAX - 8).wrapping_add(1460),
        ece: true,
        ..data(1, 70, 0)
    };
    let back = NoteKind::Queued {
        from: Some(1),
        wanted: 0,
        port: 0,
        changes: 0,
    };
    let (events, out) = played(vec![
        before(syn),
        told(10, 0, queued(0, 1), data(2, u32::MAX - 8, 1460)),
        told(20, 1, back, ack),
    ]);
    assert_eq!(events[0], "10 send 7 0 1460 0 0 0");
    let says = 1 | PacketFlags::ECHO;
    assert_eq!(events[2], format!("20 send 7 1460 0 {says} 1 0"));
    assert_eq!(out, LeftOut::default());
}
