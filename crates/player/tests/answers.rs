//! Tests of journeys, queues, flows and queries against the events.

use crate::common::{CASES, recording, run};
use sidestep_lab::ideal::Ideal;
use sidestep_player::{EventFilter, Player};
use sidestep_recording::{
    Event, EventKind, Head, Link, Network, Node, Reader, State, Tail, Writer,
};
use std::collections::{BTreeMap, BTreeSet};

fn events(file: &[u8]) -> Vec<Event> {
    let reader = Reader::open(file).unwrap();
    reader.events((0, u64::MAX), usize::MAX, |_| true).unwrap()
}

#[test]
fn a_journey_has_every_event_of_its_packet() {
    let mut ends = BTreeSet::new();
    for (case, window) in [(0, None), (1, None), (2, None), (1, Some((500, 1200)))] {
        let file = recording(case, window);
        let reader = Reader::open(&file).unwrap();
        let first = reader.chunk(0).unwrap().state.next();
        let mut own: BTreeMap<u32, Vec<Event>> = BTreeMap::new();
        let mut next = first;
        for event in events(&file) {
            let id = match event.what {
                EventKind::Send { .. } => {
                    next += 1;
                    Some(next - 1)
                }
                _ => event.packet(),
            };
            if let Some(id) = id {
                own.entry(id).or_default().push(event);
            }
        }
        let mut player = Player::open(&file).unwrap();
        for (id, own) in own.iter().step_by(97) {
            let journey = player.journey(*id).unwrap();
            let joined = |e: &&Event| matches!(e.what, EventKind::Enqueue { .. });
            let detoured = |e: &&Event| matches!(e.what, EventKind::Enqueue { port, wanted, .. } if port != wanted);
            let instants: Vec<u64> = journey.happenings.iter().map(|h| h.at).collect();
            assert_eq!(
                instants,
                own.iter().map(|e| e.at).collect::<Vec<_>>(),
                "packet {id}"
            );
            assert_eq!(
                journey.detours as usize,
                own.iter().filter(detoured).count()
            );
            let before = usize::from(journey.sent.is_none());
            let hops = own.iter().filter(joined).count();
            assert!(journey.path.len() == hops || before == 1 && journey.path.len() == hops + 1);
            assert!(
                journey
                    .path
                    .windows(2)
                    .all(|pair| pair[0].dequeued <= Some(pair[1].enqueued))
            );
            assert_eq!(journey.sent.is_some(), *id >= first);
            let last = match own.last().unwrap().what {
                EventKind::Deliver { .. } => "delivered",
                EventKind::Drop { .. } => "dropped",
                _ => "under way",
            };
            assert_eq!(journey.end, last);
            ends.insert(last);
        }
        assert!(player.journey(u32::MAX).is_err());
    }
    assert_eq!(
        ends.into_iter().collect::<Vec<_>>(),
        ["delivered", "dropped", "under way"]
    );
}

#[test]
fn a_sentence_names_the_queue_that_was_wanted_and_how_full_it_was() {
    let file = recording(1, None);
    let mut player = Player::open(&file).unwrap();
    let asked = |kind: &str| EventFilter {
        kinds: Some(vec![kind.into()]),
        ..EventFilter::default()
    };
    let detours = player
        .happenings((0, u64::MAX), 5, &asked("detour"))
        .unwrap();
    assert_eq!(detours.len(), 5);
    for told in &detours {
        assert!(
            told.says.ends_with(" holds 10 of 10 packets"),
            "{}",
            told.says
        );
        assert!(
            told.says.contains(" detours it to ") && told.says.contains(" instead of "),
            "{}",
            told.says
        );
        assert_eq!(told.kind, "detour");
    }
    let all = player
        .happenings((0, u64::MAX), usize::MAX, &EventFilter::default())
        .unwrap();
    assert_eq!(all.len(), events(&file).len());
    // A filter returns a part of all events, in their order.
    for only in [
        EventFilter {
            flow: Some(3),
            ..EventFilter::default()
        },
        EventFilter {
            port: Some(7),
            ..EventFilter::default()
        },
        EventFilter {
            packet: Some(100),
            ..EventFilter::default()
        },
        EventFilter {
            node: Some(20),
            ..EventFilter::default()
        },
        asked("window"),
        asked("mark"),
    ] {
        let some = player.happenings((0, u64::MAX), usize::MAX, &only).unwrap();
        assert!(
            !some.is_empty() && some.len() < all.len(),
            "{only:?}: {}",
            some.len()
        );
        let mut rest = all.iter();
        assert!(
            some.iter().all(|told| rest.any(|other| other == told)),
            "{only:?}"
        );
        assert!(
            only.flow
                .is_none_or(|flow| some.iter().all(|told| told.flow == Some(flow)))
        );
        assert!(
            only.packet
                .is_none_or(|id| some.iter().all(|told| told.packet == Some(id)))
        );
    }
}

#[test]
fn the_longest_queue_of_all_parts_is_the_longest_of_the_recording() {
    for (case, window) in [(0, None), (1, Some((400, 1500))), (2, None)] {
        let file = recording(case, window);
        let reader = Reader::open(&file).unwrap();
        let all = events(&file);
        let (from, to) = (all[0].at, all[all.len() - 1].at + 1);
        let mut state: State = reader.chunk(0).unwrap().state;
        let ports = state.ports();
        let mut longest: Vec<(u32, u64)> =
            (0..ports as u32).map(|port| state.depth(port)).collect();
        let (mut detours, mut drops) = (vec![0.0; ports], vec![0.0; ports]);
        for event in &all {
            state.apply(event).unwrap();
            if let Some(port) = event.port() {
                let (packets, bytes) = state.depth(port);
                let most = &mut longest[port as usize];
                *most = (most.0.max(packets), most.1.max(bytes));
            }
            match event.what {
                EventKind::Enqueue { port, wanted, .. } if port != wanted => {
                    detours[port as usize] += 1.0
                }
                EventKind::Drop { port, .. } => drops[port as usize] += 1.0,
                _ => {}
            }
        }
        let mut player = Player::open(&file).unwrap();
        let mut seen = 0;
        for node in 0..reader.head().network.nodes.len() as u32 {
            for buckets in [1, 37] {
                let series = player.queues(node, (from, to), buckets).unwrap();
                for port in &series.ports {
                    let most = |column: &[f64]| column.iter().copied().fold(0.0, f64::max);
                    let (packets, bytes) = longest[port.port as usize];
                    assert_eq!(
                        most(&port.packets),
                        f64::from(packets),
                        "port {} of case {case}",
                        port.port
                    );
                    assert_eq!(most(&port.bytes), bytes as f64);
                    assert_eq!(
                        port.detours.iter().sum::<f64>(),
                        detours[port.port as usize]
                    );
                    assert_eq!(port.drops.iter().sum::<f64>(), drops[port.port as usize]);
                    seen += 1;
                }
            }
        }
        assert_eq!(seen, 2 * ports);
    }
}

#[test]
fn a_flow_has_all_that_it_sent_and_how_its_sender_stood() {
    let taped = run(0, None);
    let file = taped.recording.unwrap();
    let all = events(&file);
    let mut player = Player::open(&file).unwrap();
    let mut again = 0;
    for id in (0..90).step_by(7) {
        let series = player.flow(id).unwrap();
        let sent = all.iter().filter(|event| matches!(event.what, EventKind::Send { flow, says, .. } if flow == id && says & 1 == 0));
        assert_eq!(series.sent.at.len(), sent.count());
        let windows = all
            .iter()
            .filter(|event| matches!(event.what, EventKind::Window { flow, .. } if flow == id));
        assert_eq!(series.windows.at.len(), windows.count());
        assert_eq!(series.sent.at.len(), series.sent.packet.len());
        again += series
            .sent
            .again
            .iter()
            .map(|again| usize::from(*again))
            .sum::<usize>();
        let flow = series.flow.unwrap();
        assert_eq!(
            series.acked.seq.iter().copied().fold(0.0, f64::max),
            flow.bytes.unwrap() as f64
        );
        assert!(series.windows.timeouts.is_sorted());
    }
    assert!(again > 0, "nothing was sent again");
}

#[test]
fn the_parts_of_a_query_fill_its_time() {
    let mut kinds = BTreeSet::new();
    for case in 0..CASES.len() {
        let file = recording(case, None);
        let mut player = Player::open(&file).unwrap();
        let tail = player.tail().clone();
        assert!(tail.queries.len() > 3);
        for query in &tail.queries {
            let told = player.query(query.id).unwrap();
            let end = query.end.unwrap_or(tail.to);
            let mut at = query.start;
            for part in &told.parts {
                assert_eq!(part.from, at, "query {} of case {case}", query.id);
                assert!(part.to > part.from);
                at = part.to;
            }
            assert_eq!(at, end);
            assert_eq!(
                told.sums.iter().map(|sum| sum.ps).sum::<u64>(),
                end - query.start
            );
            let queued = told
                .sums
                .iter()
                .find(|sum| sum.kind == "queue")
                .map_or(0, |sum| sum.ps);
            assert_eq!(told.hops.iter().map(|hop| hop.ps).sum::<u64>(), queued);
            if query.end.is_some() {
                // A complete recording leaves no part unknown.
                assert!(
                    told.parts.iter().all(|part| part.kind != "unknown"),
                    "{:?}",
                    told.parts
                );
                let last = tail
                    .flows
                    .iter()
                    .find(|flow| Some(flow.id) == told.last)
                    .unwrap();
                assert_eq!(last.end, query.end);
            }
            kinds.extend(told.parts.iter().map(|part| part.kind));
            if told
                .sums
                .iter()
                .max_by_key(|sum| sum.ps)
                .is_some_and(|sum| sum.kind == "timeout")
            {
                assert!(
                    told.says.contains("for its retransmission timer because "),
                    "{}",
                    told.says
                );
            }
        }
    }
    for kind in ["host", "timeout", "queue", "detour", "link"] {
        assert!(kinds.contains(kind), "no part is {kind}: {kinds:?}");
    }
}

#[test]
fn what_ended_after_the_recording_counts_with_its_end_and_what_never_ended_is_counted() {
    let (mut later, mut never) = (0, 0);
    for (case, window) in [(0, None), (1, Some((600, 1300))), (0, Some((600, 1300)))] {
        let file = recording(case, window);
        let mut whole = Reader::open(&file).unwrap().tail().clone();
        // As if the run had been cut off before these ended.
        for flow in whole.flows.iter_mut().step_by(5) {
            flow.end = None;
        }
        for query in whole.queries.iter_mut().step_by(3) {
            query.end = None;
        }
        let reader = Reader::open(&file).unwrap();
        let state = reader.chunk(0).unwrap().state;
        let mut writer = Writer::begin(reader.head(), state);
        events(&file)
            .into_iter()
            .for_each(|event| writer.push(event));
        let tail = whole.clone();
        let cut = writer.finish(whole);
        let done = Player::open(&cut).unwrap().completions();
        let flows: Vec<(u32, u64)> = done.flows.iter().map(|flow| (flow.id, flow.fct)).collect();
        let wanted: Vec<(u32, u64)> = tail
            .flows
            .iter()
            .filter_map(|flow| Some((flow.id, flow.end? - flow.start)))
            .collect();
        assert_eq!(flows, wanted, "case {case} in {window:?}");
        let queries: Vec<(u32, u64)> = done.queries.iter().map(|one| (one.id, one.qct)).collect();
        let wanted: Vec<(u32, u64)> = tail
            .queries
            .iter()
            .filter_map(|query| Some((query.id, query.end? - query.start)))
            .collect();
        assert_eq!(queries, wanted, "case {case} in {window:?}");
        assert_eq!(
            done.unfinished.flows as usize,
            tail.flows.len() - flows.len()
        );
        assert_eq!(
            done.unfinished.queries as usize,
            tail.queries.len() - queries.len()
        );
        let ends = tail.queries.iter().filter_map(|query| query.end);
        later += ends.filter(|end| *end > tail.to).count();
        never += done.unfinished.queries;
    }
    assert!(later > 2 && never > 2, "{later} after, {never} never");
}

#[test]
fn a_window_says_what_it_does_not_know() {
    let file = recording(1, Some((600, 1300)));
    let mut player = Player::open(&file).unwrap();
    let tail = player.tail().clone();
    let mut unknown = 0;
    for query in &tail.queries {
        let told = player.query(query.id).unwrap();
        let sum: u64 = told.parts.iter().map(|part| part.to - part.from).sum();
        assert_eq!(sum, query.end.unwrap_or(tail.to) - query.start);
        unknown += usize::from(told.parts.iter().any(|part| part.kind == "unknown"));
    }
    assert!(unknown > 0);
}

#[test]
fn a_slowdown_divides_by_the_ideal_of_the_lab() {
    let taped = run(1, None);
    let network = sidestep_lab::Scenario::read(
        "t.toml",
        "schemes = [\"dibs\"]\nduration = \"1 ms\"\n[topology]\nkind = \"fat_tree\"\nk = 4\n[workload.query]\nkind = \"incast\"\ndegree = 3\nsize = \"1 kB\"\n",
        &[],
        &sidestep_sim::NoFiles,
    )
    .unwrap()
    .network;
    let mut ideal = Ideal::new(&network, sidestep_types::Framing::Ethernet, 1460);
    let file = taped.recording.unwrap();
    let done = Player::open(&file).unwrap().completions();
    assert!(done.flows.len() > 50 && done.queries.len() > 3);
    for flow in &done.flows {
        let plan = &taped.plan.flows[flow.id as usize];
        let alone = ideal.of(plan).unwrap().ps();
        let wanted = flow.fct as f64 / alone as f64;
        assert!(
            (flow.slowdown / wanted - 1.0).abs() < 1e-9,
            "flow {}: {} and not {wanted}",
            flow.id,
            flow.slowdown
        );
    }
    let detours: u64 = done.flows.iter().map(|flow| u64::from(flow.detours)).sum();
    assert_eq!(detours, taped.outcome.totals.detours);
}

/// Returns a network of a host and a switch, with one port each.
fn testbed() -> Head {
    let node = |name: &str, host| Node {
        name: name.into(),
        host,
        ..Node::default()
    };
    let link = |from, to| Link {
        from,
        to,
        rate_bps: 100_000_000,
        delay_ps: 1_000_000,
        queue_packets: Some(100),
        ..Link::default()
    };
    Head {
        source: "testbed".into(),
        network: Network {
            nodes: vec![node("a", true), node("s", false)],
            links: vec![link(0, 1), link(1, 0)],
            ..Network::default()
        },
        ..Head::default()
    }
}

#[test]
fn a_recording_of_measured_queues_alone_is_answered() {
    let mut writer = Writer::begin(&testbed(), State::default());
    let depth = |at, packets| Event {
        at,
        what: EventKind::Depth {
            port: 1,
            packets,
            bytes: u64::from(packets) * 1500,
        },
    };
    // Two chunks: the second begins with the lengths measured in the first.
    for i in 0..40_000_u32 {
        writer.push(depth(
            u64::from(i) * 10,
            if i < 29_000 { i % 90 } else { 7 },
        ));
    }
    let file = writer.finish(Tail {
        to: 400_000,
        flows: vec![],
        ..Tail::default()
    });
    let mut player = Player::open(&file).unwrap();
    for (at, packets) in [(399_990, 7), (50, 5), (895, 89), (329_990, 7)] {
        let frame = player.frame(at, 1000).unwrap();
        assert_eq!(
            (frame.packets[1], frame.bytes[1]),
            (packets, f64::from(packets) * 1500.0)
        );
        assert_eq!((frame.packets[0], frame.packet.len()), (0, 0));
    }
    let series = player.queues(1, (0, 400_000), 4).unwrap();
    assert_eq!(series.ports[0].packets, [89.0, 89.0, 89.0, 7.0]);
    assert_eq!(player.next(95, Some(1)).unwrap(), Some(100));
    assert_eq!(player.next(95, Some(0)).unwrap(), None);
    let told = player
        .happenings((0, 10), 9, &EventFilter::default())
        .unwrap();
    assert_eq!(
        told[1].says,
        "the queue from s to a is measured: it holds 1 of 100 packets, 1.5 kB"
    );
    assert_eq!(player.waiting(500, 1).unwrap(), []);
    assert!(player.journey(0).is_err() && player.query(0).is_err());
    assert_eq!(player.flow(3).unwrap(), Default::default());
    assert_eq!(player.completions(), Default::default());
}

#[test]
fn a_recording_of_nothing_is_answered() {
    let file = Writer::begin(&testbed(), State::default()).finish(Tail::default());
    let mut player = Player::open(&file).unwrap();
    assert_eq!(player.frame(5, 5).unwrap().packets, [0, 0]);
    assert_eq!(
        (
            player.next(0, None).unwrap(),
            player.previous(9, None).unwrap()
        ),
        (None, None)
    );
    assert_eq!(
        player.queues(1, (0, 10), 2).unwrap().ports[0].packets,
        [0.0, 0.0]
    );
    assert!(player.journey(0).is_err());
}

#[test]
fn damage_anywhere_is_told_when_it_is_opened() {
    let file = recording(0, Some((700, 900)));
    let mut told = 0;
    for at in (20..file.len() - 16).step_by(file.len() / 60) {
        let mut damaged = file.clone();
        damaged[at] ^= 0x10;
        told += usize::from(Player::open(&damaged).is_err());
    }
    assert!(told > 50, "{told}");
    for end in [0, 5, 30, file.len() / 2, file.len() - 1] {
        assert!(Player::open(&file[..end]).is_err());
    }
}
