//! Tests of places after events, and of impossible events.

use super::*;
use crate::columns::Cursor;

fn at(at: u64, what: EventKind) -> Event {
    Event { at, what }
}

fn send() -> EventKind {
    EventKind::Send {
        flow: 1,
        seq: 0,
        bytes: 1460,
        says: 0,
        host: 0,
        number: 0,
    }
}

fn enqueue(port: u32, packet: u32) -> EventKind {
    EventKind::Enqueue {
        port,
        packet,
        bytes: 1500,
        wanted: port,
        changes: 0,
        moved: 0,
    }
}

#[test]
fn a_packet_waits_is_sent_and_arrives() {
    let mut state = State::new(2);
    let steps = [
        send(),
        enqueue(0, 0),
        EventKind::Dequeue { port: 0, packet: 0 },
        enqueue(1, 0),
        EventKind::Dequeue { port: 1, packet: 0 },
        EventKind::Deliver { packet: 0 },
    ];
    let mut depths = Vec::new();
    for (time, what) in (0..).zip(steps) {
        state.apply(&at(time, what)).unwrap();
        depths.push((state.depth(0).0, state.depth(1).0, state.link(0).count()));
    }
    assert_eq!(
        depths,
        [
            (0, 0, 0),
            (1, 0, 0),
            (0, 0, 1),
            (0, 1, 0),
            (0, 0, 0),
            (0, 0, 0)
        ]
    );
    state.compact();
    assert_eq!((state.next(), state.packet(0)), (1, None));
}

#[test]
fn what_cannot_be_is_told() {
    let mut state = State::new(2);
    state.apply(&at(0, send())).unwrap();
    state.apply(&at(0, enqueue(0, 0))).unwrap();
    let drop = |port, waited| EventKind::Drop {
        port,
        packet: 0,
        reason: 0,
        waited,
    };
    let wrong = [
        (
            enqueue(1, 0),
            "packet 0 joins the queue of port 1 although it waits at port 0",
        ),
        (
            EventKind::Dequeue { port: 1, packet: 0 },
            "packet 0 leaves Queue(1) although its place is Queue(0)",
        ),
        (enqueue(1, 7), "packet 7 was not sent"),
        (
            enqueue(2, 0),
            "unknown port 2: there are 2 ports, numbered from 0",
        ),
        (
            drop(0, 0),
            "packet 0 is dropped at port 0 (waited: 0) although its place is Queue(0)",
        ),
        (
            EventKind::Deliver { packet: 0 },
            "packet 0 is delivered although it waits at port 0",
        ),
    ];
    for (what, says) in wrong {
        assert_eq!(
            state.clone().apply(&at(1, what)),
            Err(says.into()),
            "{what:?}"
        );
    }
    state.apply(&at(1, drop(0, 1))).unwrap();
    let gone = state.apply(&at(2, enqueue(0, 0)));
    assert_eq!(gone, Err("packet 0 was dropped or delivered before".into()));
}

#[test]
fn what_is_under_way_comes_back_in_its_order() {
    let mut state = State::new(2);
    for packet in 0..5 {
        state.apply(&at(packet, send())).unwrap();
    }
    for packet in [3, 1, 2] {
        state.apply(&at(9, enqueue(1, packet))).unwrap();
    }
    state
        .apply(&at(10, EventKind::Dequeue { port: 1, packet: 1 }))
        .unwrap();
    state
        .apply(&at(10, EventKind::Deliver { packet: 0 }))
        .unwrap();
    state.compact();
    let mut out = Vec::new();
    state.write(&mut out);
    let mut cursor = Cursor::new(&out);
    let read = State::read(&mut cursor, 2, false).unwrap();
    assert_eq!((&read, cursor.left()), (&state, 0));
    let waiting: Vec<u32> = read.queue(1).map(|packet| packet.id).collect();
    assert_eq!(
        (waiting, read.depth(1), read.next()),
        (vec![3, 2], (2, 3000), 5)
    );
    assert!(
        State::read(&mut Cursor::new(&out), 1, false).is_err(),
        "no port 1"
    );
    for end in 0..out.len() {
        assert!(State::read(&mut Cursor::new(&out[..end]), 2, false).is_err());
    }
}
