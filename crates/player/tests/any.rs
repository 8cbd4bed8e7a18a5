//! Tests that any recording that can be written is answered without a panic, however odd its times, rates and
//! flows.

use crate::common::Draws;
use sidestep_player::{EventFilter, Player};
use sidestep_recording::{
    Event, EventKind, Flow, Head, Link, Network, Node, Query, State, Tail, Writer,
};

const PORTS: u64 = 6;

/// Draws any event; few of them are possible.
fn any_event(draws: &mut Draws, sent: u32) -> EventKind {
    let port = draws.below(PORTS) as u32;
    let packet = draws.below(u64::from(sent) + 1) as u32;
    let flow = draws.below(3) as u32;
    let large =
        |draws: &mut Draws| [0, 1, 1460, u64::from(u32::MAX), u64::MAX][draws.below(5) as usize];
    match draws.below(12) {
        0 | 1 => EventKind::Send {
            flow,
            seq: large(draws),
            bytes: draws.below(3000) as u32,
            says: draws.below(16) as u8,
            host: draws.below(4) as u32,
            number: draws.below(9),
        },
        2..=4 => EventKind::Enqueue {
            port,
            packet,
            bytes: [0, 64, 1518, u32::MAX][draws.below(4) as usize],
            wanted: draws.below(PORTS) as u32,
            changes: draws.below(4) as u8,
            moved: draws.below(2) as u8,
        },
        5 | 6 => EventKind::Dequeue { port, packet },
        7 => EventKind::Evict { port, packet },
        8 => EventKind::Drop {
            port,
            packet,
            reason: draws.below(4) as u8,
            waited: draws.below(2) as u8,
        },
        9 => EventKind::Deliver { packet },
        10 => EventKind::Window {
            flow,
            cwnd: large(draws),
            ssthresh: large(draws),
            acked: large(draws),
            retransmits: 1,
            timeouts: draws.below(5) as u32,
            cause: draws.below(6) as u8,
        },
        _ if draws.below(2) == 0 => EventKind::Depth {
            port,
            packets: draws.below(9) as u32,
            bytes: large(draws),
        },
        _ => EventKind::Link {
            port,
            rate_bps: large(draws),
        },
    }
}

fn any_recording(seed: u64) -> Vec<u8> {
    let mut draws = Draws(seed);
    let node = |host| Node {
        name: "n".into(),
        host,
        ..Node::default()
    };
    let links = (0..PORTS).map(|_| Link {
        from: draws.below(4) as u32,
        to: draws.below(4) as u32,
        rate_bps: [0, 1, 1_000_000_000, u64::MAX][draws.below(4) as usize],
        delay_ps: [0, 7, u64::MAX][draws.below(3) as usize],
        ..Link::default()
    });
    let head = Head {
        reasons: vec!["full".into(), "odd_one".into()],
        network: Network {
            links: links.collect(),
            nodes: vec![node(true), node(true), node(false), node(false)],
            ..Network::default()
        },
        ..Head::default()
    };
    let mut state = State::new(PORTS as usize);
    let mut writer = Writer::begin(&head, State::default());
    let mut at = 0_u64;
    for _ in 0..600 {
        let what = any_event(&mut draws, state.next());
        if draws.below(3) == 0 {
            at = at.saturating_add([1, 1000, 1 << 40, u64::MAX / 300][draws.below(4) as usize]);
        }
        let event = Event { at, what };
        if state.clone().apply(&event).is_ok() {
            state.apply(&event).unwrap();
            writer.push(event);
        }
    }
    let mut time = || [0, at / 2, at, u64::MAX, 5000][draws.below(5) as usize];
    let flow = |id, start, end| Flow {
        id,
        src: id % 2,
        dst: (id + 1) % 2,
        bytes: Some([0, 3000, u64::MAX][id as usize % 3]),
        query: Some(id),
        start,
        end: Some(end),
        ..Flow::default()
    };
    let flows = (0..3).map(|id| flow(id, time(), time())).collect();
    let query = |id, start, end| Query {
        id,
        target: (id + 1) % 2,
        start,
        end,
        responses: 1,
        ..Query::default()
    };
    let queries = (0..3)
        .map(|id| query(id, time(), (id > 0).then(&mut time)))
        .collect();
    writer.finish(Tail {
        to: time(),
        flows,
        queries,
        ..Tail::default()
    })
}

#[test]
fn what_can_be_said_is_answered() {
    let (mut events, mut journeys, mut parts) = (0, 0, 0);
    for seed in 0..300 {
        let file = any_recording(seed);
        let mut player = Player::open(&file).unwrap();
        let last = player.previous(u64::MAX, None).unwrap().unwrap_or(0);
        for at in [0, last / 2, last, u64::MAX, last / 3, 1000] {
            for span in [0, 1, 1000, last / 2, u64::MAX] {
                let frame = player.frame(at, span).unwrap();
                assert!(frame.used.iter().all(|used| (0.0..=1.0).contains(used)));
                assert!(frame.progress.iter().all(|part| (0.0..=1.0).contains(part)));
            }
            player.next(at, Some(3)).unwrap();
            player.previous(at, Some(1)).unwrap();
            player.waiting(at, 1).unwrap();
            if at > 0 {
                player.queues(2, (at / 2, at), 7).unwrap();
            }
        }
        let told = player
            .happenings((0, u64::MAX), 1000, &EventFilter::default())
            .unwrap();
        events += told.len();
        for packet in told.iter().filter_map(|told| told.packet).take(50) {
            journeys += player.journey(packet).unwrap().path.len();
        }
        for id in 0..3 {
            player.flow(id).unwrap();
            parts += player.query(id).unwrap().parts.len();
        }
        assert!(
            player
                .completions()
                .flows
                .iter()
                .all(|flow| flow.slowdown.is_finite())
        );
        player.memory();
    }
    assert!(
        events > 30_000 && journeys > 3000 && parts > 500,
        "{events} {journeys} {parts}"
    );
}
