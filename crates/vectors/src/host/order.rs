//! Rows of the shims that restore the order of data: packets that arrive, and when each is released.

mod path;

use super::cells::begin;
use crate::draw::chance;
use crate::row::Row;
use crate::settings::{Setting, listed_settings};
use path::Path;
use sidestep_transport::shim::{AnyShim, Chosen, Counters, ENTRIES, Shim, Up, build, choose};
use sidestep_types::{Entry, FlowId, Kind, Packet, Seed, Tag, Time, Value, Values};

/// Returns settings in which timers expire and buffers fill within a few steps.
pub fn settings(entry: &'static Entry) -> Vec<Setting> {
    const LISTS: &[&str] = &[
        "",
        "release=simulator",
        "timeout=30 us",
        "timeout=30 us; release=simulator",
        "timeout=30 us; flows=1",
        "timeout=30 us; capacity=3 pkt",
        "timeout=30 us; capacity=500 B",
        "release=simulator; capacity=3 pkt",
        "by=remaining",
        "by=remaining; release=simulator",
        "by=remaining; timeout=30 us",
        "by=remaining; timeout=30 us; release=simulator",
        "by=remaining; timeout=80 us",
        "by=remaining; timeout=80 us; release=simulator",
        "by=remaining; timeout=30 us; flows=1",
        "by=remaining; timeout=30 us; capacity=3 pkt",
        "by=remaining; timeout=30 us; capacity=500 B",
        "by=remaining; release=simulator; capacity=3 pkt",
    ];
    listed_settings(entry, LISTS, |values| build(entry.name, values).is_ok())
}

/// Rows of a sequence.
pub const STEPS: u32 = 64;
/// Sequences of the shipped table: for each setting, some with tags that count down and some that count up.
pub const SEQUENCES: u32 = 54;

/// Returns the rows of one host, and of the packets that arrive at it.
pub fn sequence(entry: &'static Entry, setting: &Setting, number: u32, seed: Seed) -> Vec<Row> {
    let mut rng = seed.stream(("shim", entry.name, u64::from(number)));
    let mut order = build(entry.name, &setting.values).expect("it was built before");
    let counts = ["remaining", "remaining", "packets", "bytes"][rng.below(4) as usize];
    order.configure_for_stack(&[marks_by(counts)]);
    let mut path = Path::new(counts);
    let mut second = false;
    let row = |step| {
        let mut row = begin(setting, (number, step, STEPS));
        let event = match step {
            0 => Event::Open(FlowId(0)),
            _ if step == 1 || chance(&mut rng, 32) => {
                second = !second;
                match second {
                    true => Event::Open(path.open(FlowId(1))),
                    false => Event::Close(FlowId(1)),
                }
            }
            _ => match path.next(&mut rng, order.deadline()) {
                Some(mut packet) => {
                    packet.hash = step;
                    Event::Up(packet)
                }
                None => Event::Timeout,
            },
        };
        row.put("now_ps", path.now.ps());
        row.put("tags", counts);
        event.put(&mut row);
        event.ask(path.now, &mut order).put(&mut row, step);
        row.put_some("deadline_ps", order.deadline().map(|due| due.ps()));
        row
    };
    (0..STEPS).map(row).collect()
}

/// Marks that count so.
fn marks_by(word: &str) -> Chosen {
    let mark = ENTRIES.iter().find(|entry| entry.name == "mark");
    let mut values = Values::defaults(mark.expect("it is listed").params);
    values.set("by", Value::Word(word.to_string()));
    choose("mark", &values).expect("good values")
}

/// Input of the shim.
#[derive(Clone, Copy)]
enum Event {
    Open(FlowId),
    Close(FlowId),
    /// Packet that arrives; its hash is the step of its arrival.
    Up(Packet),
    Timeout,
}

/// Output of the shim.
struct Answer {
    /// Packets released, in order.
    on: Vec<Packet>,
    dropped: bool,
    counted: [u64; 6],
}

impl Event {
    fn put(self, row: &mut Row) {
        let (word, flow, packet) = match self {
            Event::Open(flow) => ("open", Some(flow), None),
            Event::Close(flow) => ("close", Some(flow), None),
            Event::Up(packet) => ("up", Some(packet.flow), Some(packet)),
            Event::Timeout => ("timeout", None, None),
        };
        let data = packet.filter(|p| p.kind() == Kind::Data);
        let told: Option<Tag> = data.map(|p| p.tag()).filter(Tag::tagged);
        let size = |tag: Tag| Some(tag.remaining()).filter(|left| *left != Tag::UNKNOWN);
        row.put("operation", word);
        row.put_some("flow", flow.map(|flow| flow.0));
        row.put_some("kind", packet.map(word_of));
        row.put_some("subflow", packet.map(|p| p.subflow()));
        row.put_some(
            "seq_bytes",
            packet.map(|p| p.seq() - Packet::first_of(p.subflow())),
        );
        row.put_some("payload_bytes", data.map(|p| p.len));
        row.put_some("ce", data.map(|p| u8::from(p.ce())));
        row.put_some("rank", told.map(|tag| tag.rank()));
        row.put_some("remaining_bytes", told.and_then(size));
        row.put_some("sent_before", told.and_then(|tag| tag.sent()));
        row.put_some("retransmissions", told.map(|tag| tag.retransmissions()));
        row.put_some("flow_id", told.map(|tag| tag.flow_id()));
        row.put_some("first", told.map(|tag| u8::from(tag.first())));
    }

    fn ask(self, now: Time, order: &mut AnyShim) -> Answer {
        let before = order.counters();
        let (mut on, mut dropped) = (Vec::new(), false);
        match self {
            Event::Open(flow) => order.open(flow, None),
            Event::Close(flow) => order.close(flow),
            Event::Timeout => order.on_timeout(now),
            Event::Up(mut packet) => match order.up(now, &mut packet) {
                Up::Pass => on.push(packet),
                Up::Drop => dropped = true,
                Up::Keep => {}
            },
        }
        on.extend(std::iter::from_fn(|| order.poll_up(now)));
        let each = |of: Counters| {
            let Counters {
                held,
                released,
                expired,
                ..
            } = of;
            [held, released, expired, of.discarded, of.late, of.bypassed]
        };
        let (before, after) = (each(before), each(order.counters()));
        let counted = std::array::from_fn(|i| after[i] - before[i]);
        Answer {
            on,
            dropped,
            counted,
        }
    }
}

fn word_of(packet: Packet) -> &'static str {
    match packet.kind() {
        Kind::Data if packet.is_trimmed_data() => "trimmed",
        Kind::Data => "data",
        Kind::Ack => "ack",
        Kind::Syn | Kind::SynAck => "syn",
    }
}

impl Answer {
    fn put(self, row: &mut Row, step: u32) {
        let goes_on = self.on.iter().any(|packet| packet.hash == step);
        let came = row.cell("operation") == Some("up");
        let verdict = match (self.dropped, goes_on) {
            (true, _) => "drop",
            (false, true) => "pass",
            (false, false) => "hold",
        };
        row.put_some("verdict", came.then_some(verdict));
        row.put_list("goes_on_steps", self.on.iter().map(|packet| packet.hash));
        row.put_list(
            "goes_on_ce",
            self.on.iter().map(|packet| u8::from(packet.ce())),
        );
        let names = [
            "held",
            "released",
            "expired",
            "discarded",
            "late",
            "bypassed",
        ];
        for (name, counted) in names.into_iter().zip(self.counted) {
            row.put(name, counted);
        }
    }
}
