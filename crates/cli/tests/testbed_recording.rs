//! Tests of `sidestep testbed run --record`: real packets as a recording. Skipped, with the reason, if the
//! kernel forbids namespaces.
//!
//! The checks hold however busy the machine is: order, counts, reasons.

mod common;

use common::bed::{Bed, json, table};
use serde_json::Value;
use sidestep_lab::recorded::{Event, EventKind, PacketFlags, Reader, State};
use std::collections::BTreeMap;
use std::fs;

/// Records a query of the paper's testbed with this scheme; returns the summary of the scheme, and the
/// recording.
fn record(bed: &Bed, scheme: &str) -> (Value, Vec<u8>) {
    let up = [
        "up",
        "dibs-testbed",
        "--scheme",
        scheme,
        "--rate",
        "20 Mbps",
    ];
    bed.testbed(&up).with_status(0);
    let run = [
        "run",
        "--queries",
        "1",
        "--record",
        "--json",
        "--out",
        scheme,
    ];
    let done = bed.testbed(&run).with_status(0);
    let result: Value = serde_json::from_str(&done.out).unwrap();
    let file = result["recordings"][0]["file"].as_str().unwrap();
    let dir = bed.room.path().join(scheme);
    let manifest = json(&dir.join("manifest.json"));
    assert_eq!(manifest["recordings"], result["recordings"]);
    let bytes = fs::read(dir.join(file)).unwrap();
    (result["schemes"][scheme].clone(), bytes)
}

fn events(reader: &Reader<'_>) -> Vec<Event> {
    reader.verify().unwrap();
    assert_eq!(reader.head().source, "testbed");
    let ended = &reader.tail().ended;
    assert!(
        ended == "the run ends"
            || ended.contains("left out: 0 notes that contradict others, 0 of segments"),
        "{ended}"
    );
    reader.events((0, u64::MAX), usize::MAX, |_| true).unwrap()
}

/// Checks that no queue exceeds its capacity; returns the longest length.
fn queues_fit(reader: &Reader<'_>, events: &[Event]) -> u32 {
    let links = &reader.head().network.links;
    let mut state = State::new(links.len());
    let mut longest = 0;
    for event in events {
        state.apply(event).unwrap();
        if let EventKind::Enqueue { port, .. } = event.what {
            let (packets, _) = state.depth(port);
            let most = links[port as usize].queue_packets.unwrap();
            assert!(
                u64::from(packets) <= most,
                "{packets} of {most} at {}",
                event.at
            );
            longest = longest.max(packets);
        }
    }
    longest
}

/// Returns the drops by reason.
fn drops(reader: &Reader<'_>, events: &[Event]) -> BTreeMap<String, u64> {
    let reasons = &reader.head().reasons;
    let mut drops: BTreeMap<String, u64> = reasons.iter().map(|why| (why.clone(), 0)).collect();
    for event in events {
        if let EventKind::Drop { reason, .. } = event.what {
            *drops.get_mut(&reasons[usize::from(reason)]).unwrap() += 1;
        }
    }
    drops
}

/// Checks that flows begin, end and are as long as in the tables, and that every byte of finished flows was
/// delivered.
fn flows_are_those_of_the_tables(bed: &Bed, scheme: &str, reader: &Reader<'_>, events: &[Event]) {
    let mut sent = Vec::new();
    let mut got: BTreeMap<u32, Vec<(u64, u64)>> = BTreeMap::new();
    for event in events {
        match event.what {
            EventKind::Send {
                flow,
                seq,
                bytes,
                says,
                ..
            } => sent.push((flow, seq, bytes, says)),
            EventKind::Deliver { packet } => {
                let (flow, seq, bytes, says) = sent[packet as usize];
                if PacketFlags(says).kind() == "data" {
                    got.entry(flow)
                        .or_default()
                        .push((seq, seq + u64::from(bytes)));
                }
            }
            _ => {}
        }
    }
    let rows = table(&bed.room.path().join(scheme).join("flows.parquet"));
    assert_eq!(reader.tail().flows.len(), rows.len());
    for (flow, row) in reader.tail().flows.iter().zip(&rows) {
        assert_eq!(
            flow.end.is_some(),
            row["finished"] == Some(1),
            "{flow:?}, {row:?}"
        );
        assert!(flow.tuple.as_ref().unwrap().starts_with("tcp 10.77.0."));
        let spans = got.get_mut(&flow.id).unwrap();
        spans.sort_unstable();
        let upto = spans
            .iter()
            .fold(0, |upto, (from, to)| match *from <= upto {
                true => upto.max(*to),
                false => upto,
            });
        if flow.end.is_some() {
            assert_eq!(Some(upto), flow.bytes, "{flow:?}");
        }
    }
}

#[test]
fn a_recording_of_drop_tail_has_every_drop_with_its_reason_and_every_flow() {
    let Some(bed) = Bed::new("rt") else { return };
    let (summary, bytes) = record(&bed, "droptail");
    let reader = Reader::open(&bytes).unwrap();
    let events = events(&reader);
    let longest = queues_fit(&reader, &events);
    assert!(longest > 50, "{longest}");
    let drops = drops(&reader, &events);
    assert!(drops["full"] > 0, "{drops:?}");
    for (reason, count) in &drops {
        assert_eq!(summary["drops"][reason], *count, "{reason}");
    }
    flows_are_those_of_the_tables(&bed, "droptail", &reader, &events);
    let shown = bed.room.run(&["show", "droptail", "--recording"]);
    let shown = shown.with_status(0).out;
    assert!(
        shown.contains("by the testbed, scheme droptail, seed 1"),
        "{shown}"
    );
}

#[test]
fn a_recording_of_dibs_has_every_detour_and_what_cannot_be_recorded_is_refused() {
    let Some(bed) = Bed::new("rd") else { return };
    let (summary, bytes) = record(&bed, "dibs");
    let reader = Reader::open(&bytes).unwrap();
    let events = events(&reader);
    assert_eq!(queues_fit(&reader, &events), 100);
    let detoured = |event: &&Event| matches!(event.what, EventKind::Enqueue { port, wanted, .. } if port != wanted);
    let detours = events.iter().filter(detoured).count();
    assert!(detours > 0);
    assert_eq!(summary["detours"], detours);
    flows_are_those_of_the_tables(&bed, "dibs", &reader, &events);
    bed.testbed(&["down"]).with_status(0);
    bed.room.file(
        "star.toml",
        "duration = \"1 ms\"\nschemes = [\"dctcp\"]\n[topology]\nkind = \"single_switch\"\nhosts = 3\n\
         [workload.a]\nkind = \"incast\"\ndegree = 2\nsize = \"2 kB\"\n",
    );
    bed.testbed(&["up", "star.toml", "--bridge"]).with_status(0);
    let done = bed.testbed(&["run", "--record"]).with_status(2);
    let says = "--record: expected software switches, got Linux bridges (--bridge)";
    assert!(done.err.contains(says), "{}", done.err);
}
