//! Sampled recordings: events of some packets, and the length of every queue at every instant.

use crate::common;

use common::*;
use sidestep_recording::{Event, EventKind, Head, Link, Node, Reader, State, Tail};
use sidestep_sim::record::{Packets, Recording, Sampled};
use sidestep_sim::*;
use sidestep_types::*;
use std::collections::BTreeMap;

/// Returns the recording of an incast with detours and drops, from this instant on.
fn recorded(buffer: &str, packets: Packets, from: Time) -> Vec<u8> {
    let network = topology("fat_tree", &[("k", "4")]);
    let mut head = Head {
        measured: packets != Packets::All,
        from: from.ps(),
        ..Head::default()
    };
    head.network.nodes = vec![Node::default()];
    head.network.links = vec![Link::default(); 2 * network.cables.len()];
    let plan = incast(1..16, 40_000);
    let mut world: World = World::new(&network, plan, config(buffer, 10, 1)).unwrap();
    if from > Time::ZERO {
        world.run_until(from - Time::from_ps(1));
    }
    world.record(Recording {
        head,
        packets,
        flows: Sampled::Every(0),
        most_bytes: None,
    });
    let end = Time::from_ms(300);
    world.run_until(end);
    world.end_recording(end);
    world.recorded().unwrap().finish(Tail::default())
}

fn events(reader: &Reader<'_>) -> Vec<Event> {
    reader.verify().unwrap();
    reader.events((0, u64::MAX), usize::MAX, |_| true).unwrap()
}

fn all_depths(state: &State) -> Vec<(u32, u64)> {
    let ports = 0..state.ports() as u32;
    ports.map(|port| state.depth(port)).collect()
}

/// Returns the events of each packet sent, by host and number, without packet numbers.
fn journeys(events: &[Event], mut next: u32) -> BTreeMap<(u32, u64), (u32, Vec<String>)> {
    let (mut names, mut journeys) = (BTreeMap::new(), BTreeMap::new());
    for event in events {
        if let EventKind::Send {
            host, number, flow, ..
        } = event.what
        {
            names.insert(next, (host, number));
            journeys.insert((host, number), (flow, Vec::new()));
            next += 1;
        }
        let name = event.packet().and_then(|id| names.get(&id));
        let Some(journey) = name.and_then(|name| journeys.get_mut(name)) else {
            continue;
        };
        let mut event = *event;
        match &mut event.what {
            EventKind::Enqueue { packet, .. }
            | EventKind::Dequeue { packet, .. }
            | EventKind::Evict { packet, .. }
            | EventKind::Drop { packet, .. }
            | EventKind::Deliver { packet } => *packet = 0,
            _ => {}
        }
        journey.1.push(format!("{event:?}"));
    }
    journeys
}

#[test]
fn queues_are_as_long_as_with_all_packets_and_journeys_are_the_same() {
    for (buffer, from) in [("droptail", 0), ("dibs", 0), ("dibs", 400)] {
        let from = Time::from_us(from);
        let whole = recorded(buffer, Packets::All, from);
        let whole = Reader::open(&whole).unwrap();
        let (begins, all) = (whole.chunk(0).unwrap().state, events(&whole));
        let of_all = journeys(&all, begins.next());
        for packets in [
            Packets::Every(0),
            Packets::Every(5),
            Packets::Flows(Sampled::Every(4)),
        ] {
            let told = format!("{buffer}, {packets:?}, from {from}");
            let part = recorded(buffer, packets.clone(), from);
            let part = Reader::open(&part).unwrap();
            let (mut state, some) = (part.chunk(0).unwrap().state, events(&part));
            let of_some = journeys(&some, state.next());
            let mut same = begins.clone();
            assert_eq!(all_depths(&state), all_depths(&same), "{told}");
            let (mut got, mut expected) = (some.iter().peekable(), all.iter().peekable());
            let mut longest = 0;
            while let Some(at) = expected.peek().map(|event| event.at) {
                while let Some(event) = expected.next_if(|event| event.at == at) {
                    same.apply(event).unwrap();
                }
                while let Some(event) = got.next_if(|event| event.at <= at) {
                    assert_eq!(event.at, at, "{told}: nothing happens then");
                    state.apply(event).unwrap();
                }
                let depths = all_depths(&state);
                assert_eq!(depths, all_depths(&same), "{told} at {at}");
                longest = depths
                    .iter()
                    .map(|depth| depth.0)
                    .max()
                    .unwrap()
                    .max(longest);
            }
            assert!(longest >= 10 && got.next().is_none(), "{told}: {longest}");
            for ((host, number), (flow, journey)) in &of_all {
                let name = u64::from(*host) << 32 | number;
                let found = of_some.get(&(*host, *number)).map(|(_, journey)| journey);
                let wanted = packets.has(*flow, Some(name)).then_some(journey);
                assert_eq!(found, wanted, "{told}: packet {host}:{number}");
            }
            let (few, many) = (of_some.len(), of_all.len());
            match packets {
                Packets::Every(0) => assert_eq!(few, 0, "{told}"),
                _ => assert!(few > many / 10 && few < many / 2, "{told}: {few} of {many}"),
            }
        }
    }
}
