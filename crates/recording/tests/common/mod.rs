//! Random networks and events that a run could have.
#![allow(dead_code)]

use sidestep_recording::{
    Event, EventKind, Head, Link, MOST_EVENTS, Network, Node, Place, State, Tail, Writer,
};

/// Number of ports of the networks here.
pub const PORTS: u32 = 8;

/// Returns the head of a ring of two hosts and two switches.
pub fn head() -> Head {
    let node = |at: u32| Node {
        name: format!("node {at}"),
        host: at < 2,
        ..Node::default()
    };
    let links = (0..PORTS).map(|port| Link {
        from: port / 2,
        port: (port % 2) as u16,
        to: (port / 2 + 1) % 4,
        rate_bps: 1_000_000_000,
        delay_ps: 1_000_000,
        queue_packets: Some(100),
        ..Link::default()
    });
    Head {
        source: "simulator".into(),
        time_unit: "ps".into(),
        scenario: "sample".into(),
        scheme: "dibs".into(),
        seed: "1".into(),
        reasons: ["full".into(), "ttl".into()].into(),
        network: Network {
            kind: "ring".into(),
            nodes: (0..4).map(node).collect(),
            links: links.collect(),
        },
        ..Head::default()
    }
}

/// Records these events.
pub fn written(events: &[Event]) -> Vec<u8> {
    let mut writer = Writer::begin(&head(), State::default());
    events.iter().for_each(|event| writer.push(*event));
    writer.finish(Tail::default())
}

/// Returns `n` events of every kind, the same at every call.
pub fn sample(n: usize) -> Vec<Event> {
    drawn(n, 1)
}

/// Returns `n` events that a run could have, drawn from `seed`.
pub fn drawn(n: usize, seed: u64) -> Vec<Event> {
    let mut chance = Chance(seed);
    let mut state = State::new(PORTS as usize);
    let mut events = Vec::new();
    let mut at = 0;
    while events.len() < n {
        at += chance.below(3) * chance.below(1_300_000);
        let what = draw(&mut chance, &state);
        let event = Event { at, what };
        if state.apply(&event).is_ok() {
            events.push(event);
            if events.len() % MOST_EVENTS == 0 {
                state.compact();
            }
        }
    }
    events
}

fn draw(chance: &mut Chance, state: &State) -> EventKind {
    let port = chance.below(PORTS.into()) as u32;
    let small = |chance: &mut Chance| chance.below(3) as u8;
    // One of the last packets, so that most of them are under way.
    let packet = state.next().saturating_sub(1 + chance.below(20) as u32);
    let place = state.packet(packet).map(|packet| packet.place);
    match chance.below(14) {
        0..=2 => EventKind::Send {
            flow: chance.below(40) as u32,
            seq: chance.next() >> chance.below(64),
            bytes: 1460,
            says: small(chance),
            host: chance.below(2) as u32,
            number: chance.below(1000),
        },
        3..=6 => EventKind::Enqueue {
            port,
            packet,
            bytes: 40 + chance.below(1500) as u32,
            wanted: (port + chance.below(2) as u32) % PORTS,
            changes: small(chance),
            moved: chance.below(2) as u8,
        },
        7..=8 => match place {
            Some(Place::Queue(port)) => EventKind::Dequeue { port, packet },
            _ => EventKind::Deliver { packet },
        },
        9 => match place {
            Some(Place::Queue(port)) => EventKind::Evict { port, packet },
            _ => EventKind::Deliver { packet },
        },
        10 => {
            let (port, waited) = match place {
                Some(Place::Queue(port)) => (port, 1),
                _ => (port, 0),
            };
            let reason = small(chance);
            EventKind::Drop {
                port,
                packet,
                reason,
                waited,
            }
        }
        11 => EventKind::Window {
            flow: chance.below(40) as u32,
            cwnd: chance.next() >> chance.below(64),
            ssthresh: u64::MAX >> chance.below(64),
            acked: chance.next() >> chance.below(64),
            retransmits: chance.below(5) as u32,
            timeouts: chance.below(5) as u32,
            cause: small(chance),
        },
        12 => EventKind::Depth {
            port,
            packets: chance.below(100) as u32,
            bytes: chance.next() >> chance.below(64),
        },
        _ => EventKind::Link {
            port,
            rate_bps: chance.below(2) * 1_000_000_000,
        },
    }
}

/// SplitMix64: a test must draw the same numbers everywhere.
pub struct Chance(pub u64);

impl Chance {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}
