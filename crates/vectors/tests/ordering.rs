//! Rows of ordering against a second implementation of `docs/reference/shims/order.md`: a stream is the set of all places
//! released, and a list of packets held.

use crate::common::{cell, number, setting, shipped};
use sidestep_vectors::Row;
use std::collections::{BTreeMap, BTreeSet};

/// Unit of lengths and numbers in the rows, bytes: each is a multiple of it.
const UNIT: u64 = 100;

/// Meaning of a place.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Axis {
    Sequence,
    Remaining,
    Packets,
    Bytes,
}

#[derive(Clone, Debug)]
struct Packet {
    step: u64,
    came: u64,
    /// First byte and end of the payload, in units.
    bytes: (u64, u64),
    ce: bool,
    /// Flow id, number and flag of the tag.
    tag: Option<(u64, Option<u64>, bool)>,
    place: u64,
    takes: u64,
}

struct Stream {
    axis: Axis,
    message: Option<u64>,
    /// Lowest place that the stream waits for.
    base: u64,
    /// Places released.
    gone: BTreeSet<u64>,
    held: Vec<Packet>,
    due: Option<u64>,
    /// End of the highest byte released, now and when the message began.
    highest: u64,
    start: u64,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Answer {
    verdict: &'static str,
    on: Vec<(u64, bool)>,
    /// Counts of held, released, expired, discarded, late, bypassed.
    counted: [u64; 6],
}

/// Names of the counts, in the order of the columns.
const COUNTS: [&str; 6] = [
    "held",
    "released",
    "expired",
    "discarded",
    "late",
    "bypassed",
];
const HELD: usize = 0;
const RELEASED: usize = 1;
const EXPIRED: usize = 2;
const DISCARDED: usize = 3;
const LATE: usize = 4;
const BYPASSED: usize = 5;

struct Host {
    by_tags: bool,
    simulator: bool,
    timeout: u64,
    flows: usize,
    /// Packets, and units of payload.
    capacity: (u64, u64),
    counts: Axis,
    /// Streams by flow and subflow; a flow that is open has subflow 0.
    streams: BTreeMap<(u64, u64), Stream>,
    answer: Answer,
}

impl Stream {
    fn new() -> Stream {
        Stream {
            axis: Axis::Sequence,
            message: None,
            base: 0,
            gone: BTreeSet::new(),
            held: vec![],
            due: None,
            highest: 0,
            start: 0,
        }
    }

    fn next(&self) -> u64 {
        let waits = |place: &u64| !self.gone.contains(place);
        (self.base..).find(waits).expect("there is an end")
    }

    fn goes(&mut self, packet: &Packet) {
        self.gone.extend(packet.place..packet.place + packet.takes);
        self.highest = self.highest.max(packet.bytes.1);
    }

    /// Returns the index of the first packet held: the lowest place, and of equal places the earliest arrival.
    fn first(&self) -> Option<usize> {
        let by = |i: &usize| (self.held[*i].place, self.held[*i].step);
        (0..self.held.len()).min_by_key(by)
    }

    fn begin(&mut self, axis: Axis, message: Option<u64>) {
        if self.axis == Axis::Sequence {
            self.highest = self.highest.max(self.next());
        }
        self.start = self.highest;
        self.base = if axis == Axis::Sequence {
            self.highest
        } else {
            0
        };
        self.gone.clear();
        (self.axis, self.message) = (axis, message);
    }

    fn set_place(&self, packet: &mut Packet) {
        let number = packet.tag.and_then(|(_, number, _)| number);
        let units = packet.bytes.1 - packet.bytes.0;
        (packet.place, packet.takes) = match self.axis {
            Axis::Sequence => (packet.bytes.0, units),
            // Sizes count down; place 0 is before all of them.
            Axis::Remaining => (u64::from(u32::MAX) / UNIT - number.unwrap() / UNIT, units),
            Axis::Packets => (number.unwrap(), 1),
            Axis::Bytes => (number.unwrap() / UNIT, units),
        };
    }
}

impl Host {
    fn new(row: &Row) -> Host {
        let by_tags = setting(row, "by", "sequence") == "remaining";
        let capacity = setting(row, "capacity", "unlimited").split_once(' ');
        let of = |unit: &str| {
            let found = capacity.filter(|(_, word)| *word == unit);
            found.map_or(u64::MAX, |(number, _)| number.parse().unwrap())
        };
        let timeout = match setting(row, "timeout", "1 ms") {
            "1 ms" => 1_000,
            text => text.strip_suffix(" us").unwrap().parse().unwrap(),
        };
        Host {
            by_tags,
            simulator: setting(row, "release", "paper") == "simulator",
            timeout: timeout * 1_000_000,
            flows: setting(row, "flows", "1000").parse().unwrap(),
            capacity: (of("pkt"), of("B") / UNIT),
            counts: match (by_tags, cell(row, "tags")) {
                (false, _) => Axis::Sequence,
                (true, "packets") => Axis::Packets,
                (true, "bytes") => Axis::Bytes,
                (true, _) => Axis::Remaining,
            },
            streams: BTreeMap::new(),
            answer: Answer::default(),
        }
    }

    fn ask(&mut self, row: &Row) -> Answer {
        self.answer = Answer::default();
        match cell(row, "operation") {
            "open" => {
                let open = self
                    .streams
                    .keys()
                    .filter(|(_, subflow)| *subflow == 0)
                    .count();
                if open < self.flows {
                    self.streams.insert((number(row, "flow"), 0), Stream::new());
                }
            }
            "close" => {
                let flow = number(row, "flow");
                let closed = self.streams.iter().filter(|((of, _), _)| *of == flow);
                let held: usize = closed.map(|(_, stream)| stream.held.len()).sum();
                self.answer.counted[DISCARDED] = held as u64;
                self.streams.retain(|(of, _), _| *of != flow);
            }
            "timeout" => self.expire(number(row, "now_ps")),
            _ => self.arrive(row),
        }
        self.answer.clone()
    }

    fn on(&mut self, packet: &Packet) {
        self.answer.on.push((packet.step, packet.ce));
    }

    fn passes(&mut self, packet: &Packet, count: Option<usize>) {
        self.answer.verdict = "pass";
        self.on(packet);
        if let Some(count) = count {
            self.answer.counted[count] += 1;
        }
    }

    fn arrive(&mut self, row: &Row) {
        let at = |column: &str| number(row, column) / UNIT;
        let is_data = cell(row, "kind") == "data" && number(row, "payload_bytes") > 0;
        let bytes = match is_data {
            true => (at("seq_bytes"), at("seq_bytes") + at("payload_bytes")),
            false => (0, 0),
        };
        let said = ["remaining_bytes", "sent_before"].map(|column| cell(row, column).parse().ok());
        let tagged = !cell(row, "rank").is_empty();
        let mut packet = Packet {
            step: number(row, "step"),
            came: number(row, "now_ps"),
            bytes,
            ce: cell(row, "ce") == "1",
            tag: tagged.then(|| {
                let [remaining, sent] = said;
                (
                    number(row, "flow_id"),
                    remaining.or(sent),
                    cell(row, "first") == "1",
                )
            }),
            place: 0,
            takes: 0,
        };
        let key = (number(row, "flow"), number(row, "subflow"));
        if !is_data {
            return self.passes(&packet, None);
        }
        if !self.streams.contains_key(&(key.0, 0)) {
            return self.passes(&packet, Some(BYPASSED));
        }
        let stream = self.streams.entry(key).or_insert_with(Stream::new);
        if self.by_tags {
            let says = packet.tag.is_some_and(|(_, number, _)| number.is_some());
            let axis = if says { self.counts } else { Axis::Sequence };
            let id = packet.tag.map(|(id, ..)| id);
            let begins = match (stream.message, id) {
                (None, None) => false,
                (Some(mine), Some(its)) => match (its + 8 - mine) % 8 {
                    0 => axis != stream.axis && stream.axis != Axis::Sequence,
                    1..=4 => true,
                    _ => return self.passes(&packet, Some(LATE)),
                },
                _ => true,
            };
            if begins {
                stream.due = None;
                while let Some(held) = self.streams.get_mut(&key).and_then(take_first) {
                    self.answer.counted[EXPIRED] += 1;
                    let stream = self.streams.get_mut(&key).unwrap();
                    stream.highest = stream.highest.max(held.bytes.1);
                    self.on(&held);
                }
                self.streams.get_mut(&key).unwrap().begin(axis, id);
            }
            let stream = self.streams.get_mut(&key).unwrap();
            stream.set_place(&mut packet);
            let flagged = packet.tag.is_some_and(|(_, _, first)| first);
            let begins = match stream.axis {
                Axis::Sequence => false,
                Axis::Remaining => flagged,
                Axis::Packets | Axis::Bytes => packet.bytes.0 == stream.start,
            };
            if begins {
                stream.base = stream.next().max(packet.place);
            }
        } else {
            stream.set_place(&mut packet);
        }
        self.place(key, packet);
    }

    fn place(&mut self, key: (u64, u64), packet: Packet) {
        let stream = self.streams.get_mut(&key).unwrap();
        let (next, end) = (stream.next(), packet.place + packet.takes);
        let all_gone = (packet.place..end).all(|place| stream.gone.contains(&place));
        if end <= next || packet.place > next && all_gone {
            return self.passes(&packet, Some(LATE));
        }
        if packet.place <= next {
            stream.goes(&packet);
            self.passes(&packet, None);
            return self.let_go(key, packet.came, RELEASED, |_| false);
        }
        let (by_tags, timeout) = (self.by_tags, self.timeout);
        let covers = |held: &&mut Packet| {
            held.place == packet.place
                && held.bytes.0 <= packet.bytes.0
                && packet.bytes.1 <= held.bytes.1
        };
        // The earliest of several such packets gets the mark.
        stream.held.sort_by_key(|held| held.step);
        if let Some(held) = stream.held.iter_mut().find(|held| by_tags && covers(held)) {
            held.ce |= packet.ce;
            self.answer.verdict = "drop";
            return;
        }
        let all = self.streams.values().flat_map(|stream| &stream.held);
        let (packets, units) = all.fold((0, 0), |(packets, units), held| {
            (packets + 1, units + held.bytes.1 - held.bytes.0)
        });
        let fits =
            packets < self.capacity.0 && units + packet.bytes.1 - packet.bytes.0 <= self.capacity.1;
        if !fits {
            return self.has_no_room(key, packet);
        }
        self.answer.verdict = "hold";
        self.answer.counted[HELD] += 1;
        let stream = self.streams.get_mut(&key).unwrap();
        stream.due = stream.due.or(Some(packet.came + timeout));
        stream.held.push(packet);
    }

    fn has_no_room(&mut self, key: (u64, u64), packet: Packet) {
        let now = packet.came;
        if self.simulator {
            self.let_go_upto(key, now, packet.place);
            self.streams.get_mut(&key).unwrap().goes(&packet);
            return self.passes(&packet, Some(BYPASSED));
        }
        let below = packet.place;
        self.let_go(key, now, EXPIRED, |stream| {
            stream
                .first()
                .is_some_and(|first| stream.held[first].place <= below)
        });
        let stream = self.streams.get_mut(&key).unwrap();
        stream.base = stream.next().max(below);
        stream.goes(&packet);
        self.passes(&packet, Some(BYPASSED));
        self.let_go(key, now, RELEASED, |_| false);
    }

    /// Releases the packets that are next, and abandons gaps while `give_up` returns true.
    fn let_go(
        &mut self,
        key: (u64, u64),
        now: u64,
        count: usize,
        give_up: impl Fn(&Stream) -> bool,
    ) {
        let mut went = false;
        loop {
            let stream = self.streams.get_mut(&key).unwrap();
            let Some(first) = stream.first() else { break };
            if stream.held[first].place <= stream.next() {
                let packet = stream.held.remove(first);
                stream.goes(&packet);
                self.on(&packet);
                self.answer.counted[count] += 1;
                went = true;
            } else if give_up(stream) {
                stream.base = stream.held[first].place;
            } else {
                break;
            }
        }
        if went {
            self.set_timer(key, now);
        }
    }

    /// Releases the packets held at place `most` or below; the gaps remain.
    fn let_go_upto(&mut self, key: (u64, u64), now: u64, most: u64) {
        loop {
            let stream = self.streams.get_mut(&key).unwrap();
            let first = stream
                .first()
                .filter(|first| stream.held[*first].place <= most);
            let Some(first) = first else { break };
            let packet = stream.held.remove(first);
            stream.goes(&packet);
            self.on(&packet);
            self.answer.counted[EXPIRED] += 1;
        }
        self.set_timer(key, now);
    }

    fn set_timer(&mut self, key: (u64, u64), now: u64) {
        let from_first = self.simulator || !self.by_tags;
        let timeout = self.timeout;
        let stream = self.streams.get_mut(&key).unwrap();
        let came = match from_first {
            true => stream.held.iter().map(|held| held.came).min(),
            false => stream.first().map(|first| stream.held[first].came),
        };
        stream.due = came.map(|came| now.max(came + timeout));
    }

    fn deadline(&self) -> Option<(u64, (u64, u64))> {
        let due = self
            .streams
            .iter()
            .filter_map(|(key, stream)| Some((stream.due?, *key)));
        due.min()
    }

    fn expire(&mut self, now: u64) {
        let timeout = self.timeout;
        let over = |packet: &Packet| packet.came + timeout <= now;
        while let Some((_, key)) = self.deadline().filter(|(due, _)| *due <= now) {
            let stream = self.streams.get_mut(&key).unwrap();
            if self.simulator {
                let overdue = stream.held.iter().filter(|held| over(held));
                let most = overdue.map(|held| held.place).max().unwrap();
                self.let_go_upto(key, now, most);
            } else if self.by_tags {
                // The current gap, whichever packet started the timer.
                let first = stream.first().unwrap();
                stream.base = stream.held[first].place;
                self.let_go(key, now, EXPIRED, |stream| {
                    stream
                        .first()
                        .is_some_and(|first| over(&stream.held[first]))
                });
            } else {
                self.let_go(key, now, EXPIRED, |stream| stream.held.iter().any(over));
            }
        }
    }
}

fn take_first(stream: &mut Stream) -> Option<Packet> {
    let first = stream.first()?;
    Some(stream.held.remove(first))
}

#[test]
fn what_goes_on_and_when_is_what_the_page_says() {
    let (mut host, mut seen) = (None, BTreeSet::new());
    for row in shipped("shim/order") {
        if number(&row, "step") == 0 {
            host = Some(Host::new(&row));
        }
        let host = host.as_mut().expect("a sequence begins at step 0");
        let answer = host.ask(&row);
        assert_eq!(cell(&row, "verdict"), answer.verdict, "{row:?}");
        let words = |of: &dyn Fn(&(u64, bool)) -> u64| -> String {
            let words: Vec<String> = answer.on.iter().map(|on| of(on).to_string()).collect();
            words.join(" ")
        };
        assert_eq!(cell(&row, "goes_on_steps"), words(&|on| on.0), "{row:?}");
        assert_eq!(
            cell(&row, "goes_on_ce"),
            words(&|on| u64::from(on.1)),
            "{row:?}"
        );
        assert_eq!(
            COUNTS.map(|column| number(&row, column)),
            answer.counted,
            "{row:?}"
        );
        let due = host.deadline().map(|(due, _)| due.to_string());
        assert_eq!(
            cell(&row, "deadline_ps"),
            due.unwrap_or_default(),
            "{row:?}"
        );
        note(&mut seen, &row, &answer);
    }
    let ways = ["sequence", "remaining", "packets", "bytes"];
    let rules = ["paper", "simulator"];
    let ways = ways
        .into_iter()
        .flat_map(|by| rules.map(|rule| format!("{by} {rule}")));
    for way in ways {
        for shows in ["hold", "released", "expired", "late", "bypassed"] {
            assert!(
                seen.contains(&format!("{way} {shows}")),
                "no row shows {way} {shows}"
            );
        }
    }
    for shows in ["drop", "discarded", "first lost", "again, held"] {
        assert!(seen.contains(shows), "no row shows {shows}");
    }
}

/// Notes the cases that a row shows: a table without a case would not test it.
fn note(seen: &mut BTreeSet<String>, row: &Row, answer: &Answer) {
    let by = match setting(row, "by", "sequence") {
        "remaining" => cell(row, "tags"),
        by => by,
    };
    let way = format!("{by} {}", setting(row, "release", "paper"));
    for (count, name) in answer.counted.iter().zip(COUNTS) {
        if *count > 0 {
            seen.insert(format!("{way} {name}"));
            seen.insert(name.into());
        }
    }
    if answer.verdict == "hold" {
        seen.insert(format!("{way} hold"));
    }
    let again = !["", "0"].contains(&cell(row, "retransmissions"));
    let first = cell(row, "first") == "1";
    for (shows, what) in [
        (answer.verdict == "drop", "drop"),
        (answer.counted[RELEASED] > 0 && first && again, "first lost"),
        (answer.verdict == "hold" && again, "again, held"),
    ] {
        if shows {
            seen.insert(what.into());
        }
    }
}
