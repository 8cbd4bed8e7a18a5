//! Recordings match their runs: queues at every instant, counts over a whole run, and a window as a part of it.

use sidestep_lab::recorded::{Event, EventKind, PacketFlags, Reader};
use sidestep_lab::{Packets, RecordSpec, Run, Sampled, Scenario, Session, run};
use sidestep_sim::{NoFiles, TraceFilter};
use sidestep_switch::DropReason;
use sidestep_types::Time;
use std::collections::BTreeMap;

const HEAD: &str =
    "duration = \"2 ms\"\ndrain = \"60 ms\"\n[topology]\nkind = \"fat_tree\"\nk = 4\n";
const BURSTS: &str =
    "[workload.query]\nkind = \"query\"\nrate = \"4 k/s\"\ndegree = 15\nsize = \"20 kB\"\n";

/// Cases that cover every way in which a switch or a host may hold, move or lose packets.
const CASES: &[(&str, &str, &str)] = &[
    ("dctcp", "", ""),
    ("dibs", "switch.capacity = \"10 pkt\"\n", ""),
    ("vertigo", "switch.capacity = \"10 pkt\"\n", ""),
    ("pfabric", "", ""),
    ("trim", "", ""),
    ("mulbuff", "", ""),
    ("pfc", "switch.pfc_xoff = \"20 kB\"\n", ""),
    (
        "dibs",
        "switch.capacity = \"10 pkt\"\nswitch.fabric = \"cioq\"\nswitch.speedup = \"1\"\n",
        "",
    ),
    (
        "dctcp",
        "host.capacity = \"8 pkt\"\nhost.buffer = \"droptail\"\n",
        "",
    ),
    (
        "dibs",
        "switch.capacity = \"10 pkt\"\n",
        "[[change]]\nat = \"600 us\"\nlink = \"agg 0.0 - core 1\"\ndown = true\nreroute = \"100 us\"\n\
         [[change]]\nat = \"1 ms\"\nlink = \"host 3 - edge 0.1\"\ndown = true\nreroute = \"never\"\n\
         [[change]]\nat = \"1500 us\"\nlink = \"host 3 - edge 0.1\"\nup = true\n\
         [[change]]\nat = \"800 us\"\nlink = \"host 0 - edge 0.0\"\nrate = \"300 Mbps\"\n",
    ),
    (
        "pfabric",
        "",
        "[[change]]\nat = \"1 ms\"\nlink = \"host 3 - edge 0.1\"\ndown = true\nreroute = \"never\"\n\
         [[change]]\nat = \"1500 us\"\nlink = \"host 3 - edge 0.1\"\nup = true\n",
    ),
];

fn scenario((scheme, more, changes): (&str, &str, &str)) -> Scenario {
    let text =
        format!("schemes = [\"{scheme}\"]\nprofile = \"none\"\n{more}{HEAD}{BURSTS}{changes}");
    let read = Scenario::read("t.toml", &text, &[], &NoFiles);
    read.unwrap_or_else(|problems| panic!("{scheme}: {problems:?}"))
}

fn whole() -> RecordSpec {
    RecordSpec {
        window: Some((Time::ZERO, Time::MAX)),
        ..RecordSpec::default()
    }
}

fn recorded(scenario: &Scenario, spec: &RecordSpec) -> Run {
    let mut session: Session = Session::new(scenario, 0, 1, TraceFilter::None).unwrap();
    session.record(scenario, spec);
    session.run_until(Time::MAX);
    session.finish()
}

fn events(bytes: &[u8]) -> Vec<Event> {
    let reader = Reader::open(bytes).unwrap();
    reader.verify().unwrap();
    reader.events((0, u64::MAX), usize::MAX, |_| true).unwrap()
}

#[test]
fn a_recorded_run_is_the_same_run_and_has_its_counts() {
    for case in CASES {
        let scenario = scenario(*case);
        let plain = run(&scenario, 0, 1, TraceFilter::None, &mut |_| {
            sidestep_lab::Watch::Go
        });
        let taped = recorded(&scenario, &whole());
        assert_eq!(plain.unwrap().outcome, taped.outcome, "{case:?}");
        let totals = &taped.outcome.totals;
        let bytes = taped.recording.as_deref().unwrap();
        let all = events(bytes);
        let count =
            |of: &dyn Fn(&EventKind) -> bool| all.iter().filter(|e| of(&e.what)).count() as u64;
        let mut drops = [0; DropReason::COUNT];
        for event in &all {
            if let EventKind::Drop { reason, .. } = event.what {
                drops[usize::from(reason)] += 1;
            }
        }
        assert_eq!(drops, totals.drops, "{case:?}");
        let sent = count(&|what| matches!(what, EventKind::Send { .. }));
        let delivered = count(&|what| matches!(what, EventKind::Deliver { .. }));
        let detours = count(
            &|what| matches!(what, EventKind::Enqueue { port, wanted, .. } if port != wanted),
        );
        let bit = |bit: u8| {
            count(
                &|what| matches!(what, EventKind::Enqueue { changes, .. } if changes >> bit & 1 == 1),
            )
        };
        assert_eq!(
            (sent, delivered, detours),
            (totals.sent, totals.delivered, totals.detours),
            "{case:?}"
        );
        // A packet that was changed and then dropped never joins a queue.
        assert!(bit(0) <= totals.marks && bit(1) <= totals.trims, "{case:?}");
        assert!(
            totals.drops.iter().sum::<u64>() > 0 || bit(0) == totals.marks,
            "{case:?}"
        );
        let reader = Reader::open(bytes).unwrap();
        let left = reader.state_at(u64::MAX).unwrap();
        let ports = 0..left.ports() as u32;
        let under_way: usize = ports
            .map(|port| left.queue(port).count() + left.link(port).count())
            .sum();
        assert_eq!(under_way as u64, totals.in_flight, "{case:?}");
        assert_eq!(reader.tail().to, taped.outcome.end.ps() + 1, "{case:?}");
    }
}

/// Each kind of event occurs in one of the cases: otherwise its recording is not tested.
#[test]
fn the_cases_have_evictions_deflections_trims_losses_and_timeouts() {
    let mut seen = std::collections::BTreeSet::new();
    for case in CASES {
        let taped = recorded(&scenario(*case), &whole());
        for event in events(taped.recording.as_deref().unwrap()) {
            seen.insert(match event.what {
                EventKind::Enqueue {
                    port,
                    wanted,
                    moved,
                    ..
                } if port != wanted => {
                    format!("enqueue detoured, moved {moved}")
                }
                EventKind::Enqueue { changes, .. } if changes > 0 => {
                    format!("enqueue changes {changes}")
                }
                EventKind::Drop { reason, waited, .. } => {
                    format!(
                        "drop {} waited {waited}",
                        DropReason::ALL[usize::from(reason)].name()
                    )
                }
                EventKind::Window { cause, .. } => format!("window {cause}"),
                what => what.kind().word().to_string(),
            });
        }
    }
    let words: Vec<&str> = seen.iter().map(String::as_str).collect();
    assert_eq!(
        words,
        [
            "deliver",
            "dequeue",
            "drop evicted waited 0",
            "drop full waited 0",
            "drop link_down waited 0",
            "drop link_down waited 1",
            "drop ttl waited 0",
            "enqueue",
            "enqueue changes 1",
            "enqueue changes 2",
            "enqueue detoured, moved 0",
            "enqueue detoured, moved 1",
            "evict",
            "link",
            "send",
            "window 0",
            "window 1",
            "window 2",
            "window 3",
        ]
    );
}

#[test]
fn queues_are_as_long_as_the_run_says_at_every_instant() {
    for case in CASES {
        let scenario = scenario(*case);
        let mut session: Session = Session::new(&scenario, 0, 1, TraceFilter::None).unwrap();
        let mut seen = Vec::new();
        let mut at = Time::ZERO;
        while !session.run_until(at) {
            let depths = session.queues().into_iter();
            seen.push((
                at,
                depths
                    .map(|d| (d.packets, u64::from(d.bytes)))
                    .collect::<Vec<_>>(),
            ));
            at += Time::from_ps(13_171_717);
        }
        let window = (Time::from_us(700), Time::from_us(1900));
        let part = RecordSpec {
            window: Some(window),
            ..whole()
        };
        for (spec, (from, to)) in [(whole(), (Time::ZERO, Time::MAX)), (part, window)] {
            let taped = recorded(&scenario, &spec);
            let reader = Reader::open(taped.recording.as_deref().unwrap()).unwrap();
            let within = seen.iter().filter(|(at, _)| (from..to).contains(at));
            // Seeking gives the same state: a law of `crates/recording`.
            let mut state = reader.chunk(0).unwrap().state;
            let chunks = (0..reader.chunks().len()).flat_map(|i| reader.chunk(i).unwrap().events);
            let mut events = chunks.peekable();
            let mut waited = 0;
            for (at, depths) in within {
                while let Some(event) = events.next_if(|event| event.at <= at.ps()) {
                    state.apply(&event).unwrap();
                }
                let ports = 0..state.ports() as u32;
                let recorded: Vec<(u32, u64)> = ports.map(|port| state.depth(port)).collect();
                assert_eq!(&recorded, depths, "{case:?} at {at}");
                waited += recorded.iter().map(|depth| depth.0).sum::<u32>();
            }
            assert!(waited > 500, "{case:?}: {waited}");
        }
    }
}

#[test]
fn a_window_holds_what_the_whole_holds_in_that_time() {
    let nameless = |events: Vec<Event>| -> Vec<String> {
        let mut words: Vec<String> = events
            .into_iter()
            // Sender windows are recorded again when the window begins.
            .filter(|event| !matches!(event.what, EventKind::Window { .. }))
            .map(|event| {
                let mut event = event;
                unname(&mut event);
                format!("{event:?}")
            })
            .collect();
        words.sort();
        words
    };
    for case in CASES {
        let scenario = scenario(*case);
        let all = recorded(&scenario, &whole()).recording.unwrap();
        for (from, to) in [(300, 1100), (777, 1999), (0, 900)] {
            let window = (Time::from_us(from), Time::from_us(to));
            let spec = RecordSpec {
                window: Some(window),
                ..whole()
            };
            let part = events(&recorded(&scenario, &spec).recording.unwrap());
            let reader = Reader::open(&all).unwrap();
            let same = (window.0.ps(), window.1.ps() - 1);
            let same = reader.events(same, usize::MAX, |_| true).unwrap();
            assert!(part.len() > 1000, "{case:?}: {}", part.len());
            assert_eq!(nameless(part), nameless(same), "{case:?}, {from}..{to}");
        }
    }
}

#[test]
fn windows_are_of_the_flows_that_were_asked_for_and_end_with_all_acknowledged() {
    let scenario = scenario(CASES[0]);
    let of = |flows: Sampled| {
        let spec = RecordSpec { flows, ..whole() };
        let taped = recorded(&scenario, &spec).recording.unwrap();
        let windows = events(&taped)
            .into_iter()
            .filter_map(|event| match event.what {
                EventKind::Window {
                    flow, acked, cwnd, ..
                } => Some((flow, acked, cwnd)),
                _ => None,
            });
        windows.collect::<Vec<_>>()
    };
    let all = of(Sampled::All);
    let some = of(Sampled::These([3, 5].into()));
    assert!(some.iter().all(|(flow, ..)| [3, 5].contains(flow)));
    let same: Vec<_> = all
        .iter()
        .filter(|w| [3, 5].contains(&w.0))
        .copied()
        .collect();
    assert_eq!(some, same);
    assert_eq!(of(Sampled::Every(0)), []);
    assert!(all.iter().all(|(.., cwnd)| *cwnd >= 1460));
    // The last acknowledgement ends the sender, so the one before it is the last that is recorded.
    let last = all.iter().rev().find(|(flow, ..)| *flow == 3).unwrap();
    assert!((10_000..20_000).contains(&last.1), "{last:?}");
}

#[test]
fn without_a_window_it_begins_before_the_first_query() {
    let scenario = scenario(CASES[1]);
    let taped = recorded(&scenario, &RecordSpec::default());
    let reader = Reader::open(taped.recording.as_deref().unwrap()).unwrap();
    let first = taped
        .plan
        .queries
        .iter()
        .map(|query| query.start)
        .min()
        .unwrap();
    assert_eq!(
        reader.head().from,
        first.saturating_sub(Time::from_us(50)).ps()
    );
    assert!(
        reader.head().window.starts_with("chosen: from "),
        "{}",
        reader.head().window
    );
    assert_eq!(reader.tail().ended, "the run ends");
    assert_eq!(reader.tail().queries.len(), taped.plan.queries.len());
    assert_eq!(reader.tail().flows.len(), taped.plan.flows.len());
    let query = &reader.tail().queries[0];
    let flows = reader
        .tail()
        .flows
        .iter()
        .filter(|flow| flow.query == Some(0));
    assert_eq!(query.end, flows.filter_map(|flow| flow.end).max());
}

/// Queue lengths are the same, whichever packets are recorded.
#[test]
fn of_some_packets_it_has_what_the_whole_has_of_them_and_of_all_queues() {
    for case in CASES {
        let scenario = scenario(*case);
        let all = recorded(&scenario, &whole()).recording.unwrap();
        let all = Reader::open(&all).unwrap();
        let window = (Time::from_us(700), Time::from_us(1900));
        let flows = Packets::Flows(Sampled::Every(4));
        for (packets, (from, to)) in [
            (Packets::Every(0), (Time::ZERO, Time::MAX)),
            (Packets::Every(5), (Time::ZERO, Time::MAX)),
            (flows.clone(), (Time::ZERO, Time::MAX)),
            (Packets::Every(5), window),
            (flows, window),
        ] {
            let spec = RecordSpec {
                window: Some((from, to)),
                packets: packets.clone(),
                ..whole()
            };
            let part = recorded(&scenario, &spec).recording.unwrap();
            let part = Reader::open(&part).unwrap();
            part.verify().unwrap();
            assert!(part.head().measured && !part.head().packets.is_empty());
            let told = format!("{case:?}, {packets:?}, {from}..{to}");
            queues_are_those_of_the_whole(&told, &part, &all);
            journeys_are_those_of_the_whole(&told, &packets, &part, &all);
        }
    }
}

/// Checks that each queue has the same length in both recordings after every instant with an event.
fn queues_are_those_of_the_whole(told: &str, part: &Reader<'_>, whole: &Reader<'_>) {
    let window = part.head().from..part.tail().to;
    let all = |reader: &Reader<'_>| reader.events((0, u64::MAX), usize::MAX, |_| true).unwrap();
    let (mut state, mut same) = (part.chunk(0).unwrap().state, whole.chunk(0).unwrap().state);
    let (mut got, mut expected) = (
        all(part).into_iter().peekable(),
        all(whole).into_iter().peekable(),
    );
    let mut compared = 0;
    while let Some(at) = expected.peek().map(|event| event.at) {
        while let Some(event) = expected.next_if(|event| event.at == at) {
            same.apply(&event).unwrap();
        }
        while let Some(event) = got.next_if(|event| event.at <= at) {
            state.apply(&event).unwrap();
        }
        if !window.contains(&at) {
            continue;
        }
        compared += 1;
        for port in 0..state.ports() as u32 {
            let (is, was) = (state.depth(port), same.depth(port));
            assert_eq!(is, was, "{told}: port {port} at {at}");
        }
    }
    assert!(compared > 1000, "{told}: {compared}");
}

/// Checks that each packet sent in the recording does the same as in the whole.
fn journeys_are_those_of_the_whole(
    told: &str,
    packets: &Packets,
    part: &Reader<'_>,
    whole: &Reader<'_>,
) {
    let window = (part.head().from, part.tail().to);
    let (of_part, of_whole) = (journeys(part, window), journeys(whole, window));
    for (id, (flow, journey)) in &of_whole {
        match packets.has(*flow, Some(*id)) {
            true => assert_eq!(&of_part[id].1, journey, "{told}: packet {id:x}"),
            false => assert!(!of_part.contains_key(id), "{told}: packet {id:x}"),
        }
    }
    let (few, many) = (of_part.len(), of_whole.len());
    match packets {
        Packets::Every(0) => assert_eq!(few, 0, "{told}"),
        _ => assert!(few > many / 8 && few < many / 2, "{told}: {few} of {many}"),
    }
}

/// Returns, by host and number, each packet sent between these instants: its flow, and its events until then.
fn journeys(reader: &Reader<'_>, (from, to): (u64, u64)) -> BTreeMap<u64, (u32, Vec<String>)> {
    let mut journeys: BTreeMap<u64, (u32, Vec<String>)> = BTreeMap::new();
    let mut names = BTreeMap::new();
    let mut next = reader.chunk(0).unwrap().state.next();
    let until = to - 1;
    for mut event in reader.events((0, until), usize::MAX, |_| true).unwrap() {
        if let EventKind::Send {
            host, number, flow, ..
        } = event.what
        {
            let name = u64::from(host) << 32 | number;
            names.insert(next, name);
            next += 1;
            if event.at >= from {
                journeys.insert(name, (flow, Vec::new()));
            }
            continue;
        }
        let name = event.packet().and_then(|id| names.get(&id));
        let Some(journey) = name.and_then(|name| journeys.get_mut(name)) else {
            continue;
        };
        unname(&mut event);
        journey.1.push(format!("{event:?}"));
    }
    journeys
}

/// Clears the packet number of an event: other recordings give other numbers.
fn unname(event: &mut Event) {
    match &mut event.what {
        EventKind::Enqueue { packet, .. }
        | EventKind::Dequeue { packet, .. }
        | EventKind::Evict { packet, .. }
        | EventKind::Drop { packet, .. }
        | EventKind::Deliver { packet } => *packet = 0,
        _ => {}
    }
}

#[test]
fn a_recording_that_is_as_large_as_it_may_be_ends_and_has_all_until_then() {
    let scenario = scenario(CASES[1]);
    let all = recorded(&scenario, &whole()).recording.unwrap();
    let most = 300_000;
    let spec = RecordSpec {
        most_bytes: Some(most),
        ..RecordSpec::default()
    };
    let taped = recorded(&scenario, &spec);
    let part = taped.recording.unwrap();
    let (part, all) = (Reader::open(&part).unwrap(), Reader::open(&all).unwrap());
    part.verify().unwrap();
    let (from, to) = (part.head().from, part.tail().to);
    assert_eq!(part.tail().ended, "the recording reaches 300000 B");
    let window = &part.head().window;
    assert!(
        window.ends_with("until the recording reaches 300000 B or the run ends"),
        "{window}"
    );
    assert!(to < taped.outcome.end.ps());
    // A chunk has some 300 kB, and is full before the size is checked; then the tail follows.
    let bytes = part.bytes();
    assert!((most..3 * most).contains(&bytes), "{bytes}");
    let count = |reader: &Reader<'_>, to: u64| {
        let of_packets = |event: &Event| !matches!(event.what, EventKind::Window { .. });
        let events = reader.events((from, to - 1), usize::MAX, of_packets);
        events.unwrap().len()
    };
    assert_eq!(count(&part, u64::MAX), count(&all, to));
    assert!(count(&all, to) + 1000 < count(&all, u64::MAX));
}

/// The burst of the paper at its largest, 100 responses of 20 kB, and one of ten times as many bytes, among
/// background flows: recorded whole, from before the query until the last answer, it stays below 20 MB.
#[test]
fn a_burst_on_a_fat_tree_of_k_8_stays_below_20_mb() {
    let bursts = [
        ("dibs", 100, "20 kB"),
        ("dctcp", 100, "20 kB"),
        ("dibs", 120, "160 kB"),
    ];
    for (scheme, degree, size) in bursts {
        let text = format!(
            "schemes = [\"{scheme}\"]\nduration = \"3 ms\"\ndrain = \"400 ms\"\n[topology]\nkind = \"fat_tree\"\nk = 8\n\
             [workload.query]\nkind = \"incast\"\ndegree = {degree}\nsize = \"{size}\"\n\
             [workload.background]\nkind = \"background\"\ncdf = \"imc10_aditya_packets_ns2\"\n\
             inter_arrival = \"10 ms\"\n"
        );
        let read = Scenario::read("burst.toml", &text, &[], &NoFiles);
        let scenario = read.unwrap_or_else(|problems| panic!("{problems:?}"));
        let taped = recorded(&scenario, &RecordSpec::default());
        let bytes = taped.recording.unwrap();
        let reader = Reader::open(&bytes).unwrap();
        reader.verify().unwrap();
        let events: u64 = reader.tail().counts.iter().map(|crowd| crowd.events).sum();
        let (length, each) = (bytes.len(), bytes.len() as f64 / events as f64);
        println!("{scheme}, {degree} of {size}: {length} bytes, {events} events, {each:.2} each");
        assert!(length < 20_000_000 && each < 12.0, "{length} bytes, {each}");
        assert_eq!(reader.tail().ended, "the run ends");
        let ended = reader.tail().flows.iter().filter(|flow| flow.end.is_some());
        assert!(ended.count() >= degree);
    }
}

#[test]
fn a_window_after_the_end_records_nothing_and_says_so() {
    let scenario = scenario(CASES[0]);
    let window = Some((Time::from_ms(500), Time::from_ms(600)));
    let taped = recorded(&scenario, &RecordSpec { window, ..whole() });
    assert_eq!(taped.recording, None);
    let end = taped.outcome.end;
    let said = format!(
        "scheme dctcp, seed 1: record: nothing was recorded, since the window begins at 500 ms and \
         the run ended at {end}"
    );
    assert!(taped.warnings.contains(&said), "{:?}", taped.warnings);
}

#[test]
fn the_bytes_are_the_same_however_a_run_is_stepped() {
    let scenario = scenario(CASES[2]);
    let once = recorded(&scenario, &whole()).recording;
    let mut odd: Session = Session::new(&scenario, 0, 1, TraceFilter::None).unwrap();
    odd.record(&scenario, &whole());
    let mut at = Time::ZERO;
    while !odd.run_until(at) {
        at += Time::from_ps(17_171_717);
        odd.queues();
    }
    assert!(once.is_some() && odd.finish().recording == once);
}

#[test]
fn a_packet_that_is_sent_again_says_so() {
    let taped = recorded(&scenario(CASES[0]), &whole());
    let again = events(taped.recording.as_deref().unwrap());
    let again = again.iter().filter(|event| match event.what {
        EventKind::Send { says, .. } => PacketFlags(says).again(),
        _ => false,
    });
    assert_eq!(again.count() as u64, taped.outcome.totals.retransmits);
    assert!(taped.outcome.totals.retransmits > 0);
}
