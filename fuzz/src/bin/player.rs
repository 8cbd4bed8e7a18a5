//! Fuzzes the player with any bytes as a recording, and every question of the page. If the first byte is `c`,
//! or `m` for measured queues, the rest is an unpacked chunk of a network of eight ports, which is written as a
//! recording first.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sidestep_player::{EventFilter, Player};
use sidestep_recording::{Chunk, Flow, Head, Link, Query, Tail, Writer, fuzz_chunk};

/// Ports of a fuzzed chunk's network.
const PORTS: usize = 8;

fuzz_target!(|bytes: &[u8]| match bytes.split_first() {
    Some((first @ (b'c' | b'm'), raw)) => {
        let measured = *first == b'm';
        let chunk = fuzz_chunk(raw, PORTS, measured);
        if let Some(file) = chunk.and_then(|chunk| written(chunk, measured)) {
            ask(&file).expect("what is written is read");
        }
    }
    _ => {
        let _ = ask(bytes);
    }
});

/// Queries a recording; every question is answered or refused without a panic.
fn ask(file: &[u8]) -> Result<(), sidestep_player::Refused> {
    let mut player = Player::open(file)?;
    let last = player.previous(u64::MAX, None)?.unwrap_or(0);
    for at in [0, last / 2, last, u64::MAX, last / 3] {
        for span in [0, 1, last / 2, u64::MAX] {
            let _ = player.frame(at, span)?;
        }
        let _ = player.next(at, None)?;
        let _ = player.next(at, Some(3))?;
        let _ = player.previous(at, Some(1))?;
        let _ = player.waiting(at, 1);
        let _ = player.queues(0, (at / 2, at), 7);
    }
    let _ = player.queues(1, (0, u64::MAX), 50);
    let told = player.happenings((0, u64::MAX), 300, &EventFilter::default())?;
    for packet in told.iter().filter_map(|told| told.packet).take(20) {
        let _ = player.journey(packet);
    }
    let flows: Vec<u32> = player
        .tail()
        .flows
        .iter()
        .map(|flow| flow.id)
        .take(9)
        .collect();
    for flow in flows.into_iter().chain([0, u32::MAX]) {
        let _ = player.flow(flow);
    }
    let queries: Vec<u32> = player
        .tail()
        .queries
        .iter()
        .map(|query| query.id)
        .take(9)
        .collect();
    for query in queries.into_iter().chain([1]) {
        let _ = player.query(query);
    }
    let _ = player.completions();
    let _ = player.memory();
    Ok(())
}

/// Writes a chunk as a recording of a host and a switch, with a query whose answer is flow 0; `None` if the
/// chunk is impossible.
fn written(chunk: Chunk, measured: bool) -> Option<Vec<u8>> {
    let mut state = chunk.state.clone();
    if !chunk.events.iter().all(|event| state.apply(event).is_ok()) {
        return None;
    }
    let mut head = Head {
        measured,
        ..Head::default()
    };
    head.network.nodes = vec![Default::default(); 2];
    head.network.nodes[0].host = true;
    head.network.links = vec![
        Link {
            rate_bps: 1_000_000_000,
            delay_ps: 9,
            ..Link::default()
        };
        PORTS
    ];
    for (port, link) in head.network.links.iter_mut().enumerate() {
        (link.from, link.to) = (port as u32 % 2, (port as u32 + 1) % 2);
    }
    let last = chunk.events.last().map_or(0, |event| event.at);
    let mut writer = Writer::begin(&head, chunk.state);
    for event in &chunk.events {
        writer.push(*event);
    }
    let flow = |id, src, dst| Flow {
        id,
        src,
        dst,
        bytes: Some(3000),
        query: Some(1),
        end: Some(last),
        ..Flow::default()
    };
    Some(writer.finish(Tail {
        to: last,
        flows: vec![flow(0, 0, 1), flow(1, 1, 0)],
        queries: vec![Query {
            id: 1,
            target: 1,
            responses: 1,
            end: Some(last),
            ..Query::default()
        }],
        ..Tail::default()
    }))
}
