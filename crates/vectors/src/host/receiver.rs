//! Rows of a receiver that reports duplicates: the segments that arrive, and its answers.

use super::cells::{begin, range};
use super::tcp;
use crate::draw::chance;
use crate::row::Row;
use crate::settings::Setting;
use sidestep_transport::{Ack, Arrival, Receiver, TcpReceiver};
use sidestep_types::{Entry, Rng, Seed, Time};
use std::sync::Arc;

/// Entries of the table: a receiver has no registry.
pub const ENTRIES: &[Entry] = &[Entry {
    name: "dsack",
    summary: "reports duplicate segments by D-SACK",
    source: "RFC 2883",
    params: &[],
}];

/// Returns settings of a receiver that reports duplicates, and of one that does not.
pub fn settings(entry: &'static Entry) -> Vec<Setting> {
    const BASE: &[(&str, &str)] = &[
        ("recovery", "sack"),
        ("dsack", "true"),
        // Under Linux's rule, the first acknowledgements are never delayed.
        ("delayed_ack_rule", "ns3"),
    ];
    const OTHERS: &[(&str, &[&str])] = &[
        ("dsack", &["false"]),
        ("congestion", &["dctcp"]),
        ("ecn", &["true"]),
        ("delayed_ack", &["50 us"]),
        ("receive_window", &["3 kB"]),
    ];
    tcp::settings(entry.name, BASE, OTHERS, 6)
}

/// Returns the rows of one receiver, and of the segments that arrive at it.
pub fn sequence(entry: &'static Entry, setting: &Setting, number: u32, seed: Seed) -> Vec<Row> {
    const STEPS: u32 = 24;
    let mut rng = seed.stream(("receiver", entry.name, u64::from(number)));
    let mut receiver = TcpReceiver::new(Arc::new(tcp::config(setting)));
    let (mut now, mut past) = (Time::ZERO, Vec::new());
    let row = |step| {
        let mut row = begin(setting, (number, step, STEPS));
        let then = now + Time::from_us([0, 1, 20, 200][rng.below(4) as usize]);
        let due = receiver.deadline().filter(|due| *due <= then);
        now = due.unwrap_or(then);
        row.put("now_ps", now.ps());
        if due.is_some() {
            put(&mut row, "timeout", None);
            receiver.on_timeout(now);
        } else {
            let arrival = draw(&mut rng, receiver.delivered(), &past);
            past.push((arrival.seq, arrival.len));
            put(&mut row, "segment", Some(&arrival));
            receiver.on_segment(now, arrival);
        }
        let acks: Vec<Ack> = std::iter::from_fn(|| receiver.poll_ack(now)).collect();
        put_acks(&mut row, &acks);
        row.put_some("deadline_ps", receiver.deadline().map(|due| due.ps()));
        row
    };
    (0..STEPS).map(row).collect()
}

/// Draws a segment: the next in order, one ahead of it, an earlier one, or one that overlaps.
fn draw(rng: &mut Rng, next: u64, past: &[(u64, u32)]) -> Arrival {
    let bytes = |n: u64| 500 * n;
    let (seq, len) = match rng.below(8) {
        0..=2 => (next, bytes(1 + rng.below(3))),
        3 | 4 => (next + bytes(1 + rng.below(8)), bytes(1 + rng.below(2))),
        5 | 6 if !past.is_empty() => {
            let (seq, len) = past[rng.below(past.len() as u64) as usize];
            (seq, u64::from(len))
        }
        _ => {
            let before = bytes(rng.below(4)).min(next);
            (next - before, bytes(1 + rng.below(6)))
        }
    };
    Arrival {
        hops: 0,
        seq,
        len: len as u32,
        syn: false,
        ce: chance(rng, 6),
        cwr: chance(rng, 8),
        trimmed: chance(rng, 10),
    }
}

fn put(row: &mut Row, operation: &str, arrival: Option<&Arrival>) {
    row.put("operation", operation);
    row.put_some("seq_bytes", arrival.map(|a| a.seq));
    row.put_some("payload_bytes", arrival.map(|a| a.len));
    row.put_some("ce", arrival.map(|a| u8::from(a.ce)));
    row.put_some("cwr", arrival.map(|a| u8::from(a.cwr)));
    row.put_some("trimmed", arrival.map(|a| u8::from(a.trimmed)));
}

/// Adds all answers, in order.
fn put_acks(row: &mut Row, acks: &[Ack]) {
    row.put_list("ack_bytes", acks.iter().map(|ack| ack.ack));
    row.put_list("ece", acks.iter().map(|ack| u8::from(ack.ece)));
    row.put_list("cut", acks.iter().map(|ack| u8::from(ack.cut)));
    let told = |ack: &Ack| u8::from(ack.duplicate().is_some());
    row.put_list("duplicate", acks.iter().map(told));
    row.put_list("sack_bytes", acks.iter().map(said));
}

/// Formats the blocks of one acknowledgement; `-` if it has none.
fn said(ack: &Ack) -> String {
    let blocks: Vec<String> = tcp::blocks(ack).into_iter().map(range).collect();
    match blocks.is_empty() {
        true => "-".into(),
        false => blocks.join("/"),
    }
}
