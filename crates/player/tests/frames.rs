//! Tests that a frame shows the recording at its instant, whatever was played before.

use crate::common::{CASES, Draws, recording};
use sidestep_player::{ACK, AGAIN, DETOURED, Frame, MARKED, Player, TRIMMED};
use sidestep_recording::{Event, EventKind, Reader, State};
use std::collections::BTreeMap;

fn events(file: &[u8]) -> Vec<Event> {
    let reader = Reader::open(file).unwrap();
    reader.events((0, u64::MAX), usize::MAX, |_| true).unwrap()
}

/// Draws instants over the recording, some of them instants of events.
fn instants(file: &[u8], count: usize) -> Vec<u64> {
    let events = events(file);
    let (first, last) = (events[0].at, events[events.len() - 1].at);
    let mut draws = Draws(7);
    (0..count)
        .map(|i| match i % 3 {
            0 => events[draws.below(events.len() as u64) as usize].at,
            _ => first + draws.below(last - first + 1_000_000),
        })
        .collect()
}

#[test]
fn the_queues_of_a_frame_are_those_of_the_state() {
    for (case, window) in
        (0..CASES.len()).flat_map(|case| [(case, None), (case, Some((400, 1300)))])
    {
        let file = recording(case, window);
        let reader = Reader::open(&file).unwrap();
        let mut player = Player::open(&file).unwrap();
        let mut waited = 0;
        for at in instants(&file, 40) {
            let state = reader.state_at(at).unwrap();
            let frame = player.frame(at, 1_000_000).unwrap();
            for port in 0..state.ports() as u32 {
                let (packets, bytes) = state.depth(port);
                let drawn = (frame.packets[port as usize], frame.bytes[port as usize]);
                assert_eq!(drawn, (packets, bytes as f64), "{case} at {at}");
                waited += packets;
            }
        }
        assert!(waited > 300, "{case}: {waited}");
    }
}

#[test]
fn frames_backwards_are_frames_forwards() {
    for (case, span) in
        (0..CASES.len()).map(|case| (case, [50_000, 40_000_000, 900_000_000][case % 3]))
    {
        let file = recording(case, None);
        let mut at = instants(&file, 60);
        at.sort_unstable();
        let mut forwards = Player::open(&file).unwrap();
        let frames: Vec<Frame> = at
            .iter()
            .map(|at| forwards.frame(*at, span).unwrap().clone())
            .collect();
        let mut backwards = Player::open(&file).unwrap();
        for (at, frame) in at.iter().zip(&frames).rev() {
            assert_eq!(backwards.frame(*at, span).unwrap(), frame, "{case} at {at}");
        }
        let mut draws = Draws(11);
        for _ in 0..60 {
            let i = draws.below(at.len() as u64) as usize;
            assert_eq!(
                backwards.frame(at[i], span).unwrap(),
                &frames[i],
                "{case} at {}",
                at[i]
            );
        }
    }
}

#[test]
fn flags_are_what_was_done_to_a_packet_before() {
    let mut seen = 0;
    for case in 0..CASES.len() {
        let file = recording(case, None);
        let all = events(&file);
        assert!(
            Reader::open(&file).unwrap().chunks().len() > 1,
            "one chunk tells nothing of the next"
        );
        let mut player = Player::open(&file).unwrap();
        for at in instants(&file, 30) {
            let mut flags: Vec<u8> = Vec::new();
            for event in all.iter().take_while(|event| event.at <= at) {
                match event.what {
                    EventKind::Send { says, .. } => {
                        flags.push(
                            if says & 1 == 1 { ACK } else { 0 }
                                | if says & 4 == 4 { AGAIN } else { 0 },
                        );
                    }
                    EventKind::Enqueue {
                        packet,
                        port,
                        wanted,
                        changes,
                        ..
                    } => {
                        let flags = &mut flags[packet as usize];
                        *flags &= !DETOURED;
                        *flags |= if port == wanted { 0 } else { DETOURED };
                        *flags |= if changes & 1 == 1 { MARKED } else { 0 };
                        *flags |= if changes & 2 == 2 { TRIMMED } else { 0 };
                    }
                    _ => {}
                }
            }
            let frame = player.frame(at, 1).unwrap().clone();
            for (packet, drawn) in frame.packet.iter().zip(&frame.flags) {
                assert_eq!(
                    *drawn, flags[*packet as usize],
                    "packet {packet} of case {case} at {at}"
                );
                seen |= drawn;
            }
            let busiest = (0..frame.packets.len())
                .max_by_key(|port| frame.packets[*port])
                .unwrap();
            for waiting in player.waiting(at, busiest as u32).unwrap() {
                assert_eq!(waiting.flags, flags[waiting.packet as usize]);
                seen |= waiting.flags;
            }
        }
    }
    assert_eq!(seen, ACK | AGAIN | MARKED | DETOURED | TRIMMED);
}

/// Transmission of a packet by a link: its start and its end.
struct Transmission {
    port: u32,
    packet: u32,
    began: u64,
    ended: u64,
}

/// Returns a transmission for every dequeue.
fn transmissions(file: &[u8]) -> Vec<Transmission> {
    let reader = Reader::open(file).unwrap();
    let mut state: State = reader.chunk(0).unwrap().state;
    let mut rates: Vec<u64> = reader
        .head()
        .network
        .links
        .iter()
        .map(|l| l.rate_bps)
        .collect();
    let mut sent = Vec::new();
    for event in events(file) {
        match event.what {
            EventKind::Dequeue { port, packet } => {
                // Preamble and gap take link time and no buffer.
                let bytes = u128::from(state.packet(packet).unwrap().buffer + 20);
                let bytes = bytes * 8_000_000_000_000;
                let took = bytes.div_ceil(u128::from(rates[port as usize].max(1))) as u64;
                let took = if rates[port as usize] == 0 { 0 } else { took };
                sent.push(Transmission {
                    port,
                    packet,
                    began: event.at.saturating_sub(took),
                    ended: event.at,
                });
            }
            EventKind::Link { port, rate_bps } => rates[port as usize] = rate_bps,
            _ => {}
        }
        state.apply(&event).unwrap();
    }
    sent
}

/// Returns the packets that move over the link that `port` feeds, given its transmissions: number, start and
/// end of the transmission.
fn moving(state: &State, link: (u32, u64), sent: &[Transmission], at: u64) -> Vec<(u32, u64, u64)> {
    let (port, rate) = link;
    let on_link = state.link(port).map(|packet| {
        let own = |one: &&Transmission| (one.packet, one.ended) == (packet.id, packet.since);
        let began = sent.iter().find(own).map_or_else(
            || {
                let bits = u128::from(packet.buffer + 20) * 8_000_000_000_000;
                packet.since - bits.div_ceil(rate.into()) as u64
            },
            |one| one.began,
        );
        (packet.id, began, packet.since)
    });
    let coming = sent
        .iter()
        .find(|one| one.ended > at)
        .filter(|one| one.began < at)
        .map(|one| (one.packet, one.began, one.ended));
    on_link.chain(coming).collect()
}

#[test]
fn packets_move_from_their_first_bit_until_their_last_one_arrives() {
    let (mut before, mut most_on_a_link) = (0, 0);
    for (case, window) in
        (0..CASES.len()).flat_map(|case| [(case, None), (case, Some((400, 1300)))])
    {
        let file = recording(case, window);
        let reader = Reader::open(&file).unwrap();
        let links = &reader.head().network.links;
        let mut sent: Vec<Vec<Transmission>> = links.iter().map(|_| Vec::new()).collect();
        for one in transmissions(&file) {
            sent[one.port as usize].push(one);
        }
        let mut player = Player::open(&file).unwrap();
        let (mut on_links, mut sending) = (0, 0);
        // The first instant finds packets on links that left before the recording.
        let first = events(&file)[0].at;
        for at in [first].into_iter().chain(instants(&file, 40)) {
            let state = reader.state_at(at).unwrap();
            let frame = player.frame(at, 1_000_000).unwrap();
            let mut drawn = 0;
            for ((port, link), sent) in (0..).zip(links).zip(&sent) {
                let wanted = moving(&state, (port, link.rate_bps), sent, at);
                for (id, began, ended) in &wanted {
                    let packet = state.packet(*id).unwrap();
                    assert_eq!((frame.packet[drawn], frame.port[drawn]), (*id, port));
                    assert_eq!(frame.flow[drawn], packet.flow);
                    let progress = (at - began) as f64 / (ended - began + link.delay_ps) as f64;
                    // A packet due after the recording's end has no delivery event: its progress stays at 1.
                    let progress = progress.min(1.0);
                    assert!(
                        (f64::from(frame.progress[drawn]) - progress).abs() < 1e-6,
                        "packet {id} of case {case} at {at}: {}, not {progress}",
                        frame.progress[drawn]
                    );
                    if *ended > at {
                        assert!(state.queue(port).any(|waiting| waiting.id == *id));
                        sending += 1;
                    } else {
                        on_links += 1;
                        let known = sent
                            .iter()
                            .any(|one| (one.packet, one.ended) == (*id, *ended));
                        before += usize::from(!known);
                    }
                    drawn += 1;
                }
                most_on_a_link = most_on_a_link.max(wanted.len());
            }
            assert_eq!(frame.packet.len(), drawn, "case {case} at {at}");
        }
        assert!(
            on_links > 30 && sending > 5 * on_links,
            "{case}: {on_links} on links, {sending} in transmission"
        );
    }
    assert!(
        before > 0 && most_on_a_link > 1,
        "{before} {most_on_a_link}"
    );
}

#[test]
fn use_detours_and_drops_are_those_of_the_span() {
    let (mut most, mut detoured, mut dropped) = (0.0_f32, 0, 0);
    for case in [0, 1, 2, 6] {
        let file = recording(case, None);
        let sent = transmissions(&file);
        let all = events(&file);
        let mut player = Player::open(&file).unwrap();
        let mut draws = Draws(3);
        for at in instants(&file, 30) {
            let span = [1, 30_000, 5_000_000, 100_000_000, 3_000_000_000][draws.below(5) as usize];
            let from = at.saturating_sub(span);
            let frame = player.frame(at, span).unwrap();
            let mut busy: BTreeMap<u32, u64> = BTreeMap::new();
            for one in &sent {
                *busy.entry(one.port).or_default() +=
                    one.ended.min(at).saturating_sub(one.began.max(from));
            }
            let (mut detours, mut drops) =
                (vec![0; frame.packets.len()], vec![0; frame.packets.len()]);
            for event in all.iter().filter(|event| event.at > from && event.at <= at) {
                match event.what {
                    EventKind::Enqueue { port, wanted, .. } if port != wanted => {
                        detours[port as usize] += 1
                    }
                    EventKind::Drop { port, .. } => drops[port as usize] += 1,
                    _ => {}
                }
            }
            detoured += detours.iter().sum::<u32>();
            dropped += drops.iter().sum::<u32>();
            assert_eq!((&frame.detours, &frame.drops), (&detours, &drops));
            for (port, used) in frame.used.iter().enumerate() {
                let busy = *busy.get(&(port as u32)).unwrap_or(&0) as f64;
                let wanted = (busy / (at - from) as f64).min(1.0) as f32;
                assert!(
                    (used - wanted).abs() < 1e-3,
                    "port {port} at {at} over {span}: {used}, not {wanted}"
                );
                most = most.max(*used);
            }
        }
    }
    assert!(
        most > 0.9 && detoured > 100 && dropped > 10,
        "{most} {detoured} {dropped}"
    );
}

#[test]
fn events_are_found_forwards_and_backwards() {
    let file = recording(1, Some((300, 1500)));
    let all = events(&file);
    let mut player = Player::open(&file).unwrap();
    let mut draws = Draws(5);
    let ports = Reader::open(&file).unwrap().head().network.links.len() as u64;
    for at in instants(&file, 40).into_iter().chain([0, u64::MAX]) {
        for port in [None, Some(draws.below(ports) as u32)] {
            let at_port = |event: &&Event| port.is_none() || event.port() == port;
            let next = all.iter().filter(at_port).find(|event| event.at > at);
            let previous = all.iter().filter(at_port).rev().find(|event| event.at < at);
            assert_eq!(player.next(at, port).unwrap(), next.map(|event| event.at));
            assert_eq!(
                player.previous(at, port).unwrap(),
                previous.map(|event| event.at)
            );
        }
    }
}

#[test]
fn memory_stays_within_what_is_said() {
    let file = recording(0, None);
    let mut player = Player::open(&file).unwrap();
    for at in instants(&file, 30) {
        player.frame(at, 1_000_000_000).unwrap();
    }
    let more = player.memory() - player.bytes();
    assert!(
        more > 1 << 20 && more < sidestep_player::MOST_BYTES + (4 << 20),
        "{more}"
    );
}
