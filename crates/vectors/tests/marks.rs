//! Rows of marks against a second implementation of `docs/reference/shims/mark.md`: lists that are searched from end to
//! end.

use crate::common::{Filter, announced, cell, mix64, number, setting, shipped};
use sidestep_vectors::Row;
use std::collections::{BTreeMap, BTreeSet};

/// Outstanding packet, and the content of its tag.
#[derive(Clone)]
struct OutstandingPacket {
    seq: u64,
    number: u64,
    id: u64,
    first: bool,
    again: u64,
    in_filter: bool,
}

/// Progress of the message being sent, if sizes are unknown.
#[derive(Clone, Copy, Default)]
struct Age {
    sent: u64,
    id: u64,
    left: Option<u64>,
}

/// Outstanding packets, and all bytes that left, as ranges.
type Subflow = (Vec<OutstandingPacket>, Vec<(u64, u64)>);

#[derive(Default)]
struct Flow {
    size: Option<u64>,
    message: Option<(u64, u64)>,
    age: Age,
    subflows: BTreeMap<u64, Subflow>,
    hashes: BTreeMap<u64, u64>,
}

/// Host of a sequence.
struct Host {
    flows: BTreeMap<u64, Flow>,
    ages: BTreeMap<u64, Age>,
    filter: Option<Filter>,
}

/// Output for a packet that leaves: rank, tag, bytes added, and true if it was found to be a repeat.
#[derive(Debug, PartialEq)]
struct Says {
    rank: u64,
    tag: Option<[Option<u64>; 6]>,
    adds: u64,
    repeat: bool,
}

/// Returns the filter's key of a packet, from its addresses and its first byte; subflows are 2^44 apart.
fn key(hash: u64, subflow: u64, seq: u64) -> u64 {
    mix64((subflow << 44 | seq) ^ mix64(hash))
}

fn microseconds(text: &str) -> u64 {
    let number = text.strip_suffix(" us").expect("microseconds");
    number.parse::<u64>().unwrap() * 1_000_000
}

/// Returns the bytes of a packet on the link: on Ethernet at least 46 bytes of IP, and 38 around them.
fn wire(framing: &str, ip: u64) -> u64 {
    match framing {
        "ethernet" => ip.max(46) + 38,
        "ppp" => ip + 2,
        _ => ip,
    }
}

/// Number carried for a message of unknown or too large size; with `unknown = "packets"`, counts begin at half
/// of it.
const UNKNOWN: u64 = u32::MAX as u64;
const HALF: u64 = 1 << 31;

/// Returns the unit of a flow's numbers: `by`, but for a flow without a size `unknown` (packets from 2^31 on)
/// or `unmarked` (no numbers).
fn counted(row: &Row, size: Option<u64>) -> &str {
    let by = setting(row, "by", "remaining");
    match setting(row, "unknown", "last") {
        _ if by != "remaining" || size.is_some() => by,
        "packets" => "unknown",
        "unmarked" => "unmarked",
        _ => by,
    }
}

/// Returns the number that a tag carries for `left` bytes left.
fn sayable(row: &Row, left: u64) -> u64 {
    let counts = setting(row, "unknown", "last") == "packets";
    let most = if counts { HALF } else { UNKNOWN };
    if left < most { left } else { UNKNOWN }
}

impl Host {
    fn new(row: &Row) -> Host {
        let count = |name, otherwise| setting(row, name, otherwise).parse().unwrap();
        let filter = || Filter::new(count("filter", "4096"), count("fingerprint", "12"));
        Host {
            flows: BTreeMap::new(),
            ages: BTreeMap::new(),
            filter: (setting(row, "repeats", "exact") == "cuckoo").then(filter),
        }
    }

    fn open(&mut self, row: &Row) {
        let size = |column| (!cell(row, column).is_empty()).then(|| number(row, column));
        let message = size("connection").map(|connection| (connection, number(row, "message")));
        let age = message.and_then(|(connection, _)| self.ages.get(&connection));
        let flow = Flow {
            size: size("size_bytes"),
            message,
            age: age.copied().unwrap_or_default(),
            ..Flow::default()
        };
        self.flows.insert(number(row, "flow"), flow);
    }

    fn close(&mut self, row: &Row) {
        let name = number(row, "flow");
        let subflows: Vec<u64> =
            (self.flows.get(&name)).map_or(vec![], |flow| flow.subflows.keys().copied().collect());
        for subflow in subflows {
            self.forget(name, subflow, u64::MAX);
        }
        let flow = self.flows.remove(&name);
        let age = flow.and_then(|flow| Some((flow.message?.0, flow.age)));
        let ages = setting(row, "by", "remaining") != "remaining";
        if ages || setting(row, "unknown", "last") == "packets" {
            self.ages.extend(age);
        }
    }

    /// Removes outstanding packets that end at `ack` or before.
    fn forget(&mut self, flow: u64, subflow: u64, ack: u64) {
        let Some(flow) = self.flows.get_mut(&flow) else {
            return;
        };
        let Some((sent, left)) = flow.subflows.get_mut(&subflow) else {
            return;
        };
        sent.sort_by_key(|sent| sent.seq);
        let ends = sent.iter().skip(1).map(|next| next.seq);
        let ends: Vec<u64> = ends.chain(left.iter().map(|(_, to)| *to).max()).collect();
        let gone = ends.iter().take_while(|end| **end <= ack).count();
        for sent in sent.drain(..gone.min(sent.len())) {
            if let (Some(filter), true) = (&mut self.filter, sent.in_filter) {
                filter.take_out(key(flow.hashes[&subflow], subflow, sent.seq));
            }
        }
    }

    fn leave(&mut self, row: &Row) -> Says {
        let rank = cell(row, "transport_rank");
        let untagged = |rank| Says {
            rank,
            tag: None,
            adds: 0,
            repeat: false,
        };
        let (name, subflow) = (number(row, "flow"), number(row, "subflow"));
        if cell(row, "kind") != "data" {
            return untagged(0);
        }
        let Some(flow) = self.flows.get_mut(&name) else {
            return untagged(rank.parse().unwrap_or(u64::from(u32::MAX)));
        };
        let (seq, len) = (number(row, "seq_bytes"), number(row, "payload_bytes"));
        if len == 0 {
            return untagged(0);
        }
        if counted(row, flow.size) == "unmarked" {
            return untagged(UNKNOWN);
        }
        let hash = u64::from_str_radix(cell(row, "hash_hex"), 16).unwrap();
        flow.hashes.insert(subflow, hash);
        let key = key(hash, subflow, seq);
        let (outstanding, left) = flow.subflows.entry(subflow).or_default();
        let was_left = left.iter().any(|(from, to)| (*from..*to).contains(&seq));
        let repeat = match &self.filter {
            None => was_left,
            Some(filter) => filter.holds(key),
        };
        left.push((seq, seq + len));
        let from = match cell(row, "data_seq_bytes") {
            "" => seq,
            mapped => mapped.parse().unwrap(),
        };
        let by = counted(row, flow.size);
        let now = number(row, "now_ps");
        let known = outstanding.iter().position(|sent| sent.seq == seq);
        let within = outstanding.iter().filter(|sent| sent.seq < seq);
        let within = within.max_by_key(|sent| sent.seq).cloned();
        let sent = match known.filter(|_| repeat) {
            Some(at) => {
                flow.age.left = Some(now);
                outstanding[at].again = 15.min(outstanding[at].again + 1);
                outstanding[at].clone()
            }
            None if repeat && known.is_none() && was_left && within.is_some() => {
                // The part continues the packet's numbers, offset by the bytes skipped.
                let whole = within.unwrap();
                let on = seq - whole.seq;
                let number = match by {
                    "packets" | "unknown" => whole.number,
                    "bytes" => whole.number + on,
                    _ => {
                        let size = flow.size.map(|size| announced(row, name, size));
                        let left = size.map_or(u64::MAX, |size| size.saturating_sub(from));
                        sayable(row, left)
                    }
                };
                flow.age.left = Some(now);
                let part = OutstandingPacket {
                    seq,
                    number,
                    id: whole.id,
                    first: whole.first && by != "bytes" && by != "remaining",
                    again: 15.min(whole.again + 1),
                    in_filter: false,
                };
                outstanding.push(part.clone());
                part
            }
            None => {
                let (number, id) = if by == "remaining" {
                    let left = flow.size.map(|size| announced(row, name, size));
                    let left = left.map_or(u64::MAX, |size| size.saturating_sub(from));
                    let message = flow.message.map_or(0, |(_, number)| number);
                    (sayable(row, left), message % 8)
                } else {
                    let gap = microseconds(setting(row, "gap", "360 us"));
                    let age = &mut flow.age;
                    if age.left.is_some_and(|left| now > left + gap) {
                        (age.sent, age.id) = (0, (age.id + 1) % 8);
                    }
                    age.left = Some(now);
                    let adds = if by == "bytes" { len } else { 1 };
                    let before = age.sent;
                    age.sent += adds;
                    let most = if by == "unknown" { HALF } else { 0 };
                    (most + before, age.id)
                };
                let in_filter = match &mut self.filter {
                    Some(filter) if !repeat => filter.put_in(key),
                    _ => false,
                };
                let first = match by {
                    "remaining" => from == 0,
                    "unknown" => number == HALF,
                    _ => number == 0,
                };
                let again = u64::from(repeat);
                let sent = OutstandingPacket {
                    seq,
                    number,
                    id,
                    first,
                    again,
                    in_filter,
                };
                match known {
                    Some(at) => outstanding[at] = sent.clone(),
                    None => outstanding.push(sent.clone()),
                }
                sent
            }
        };
        let last = by == "remaining" && flow.size == Some(from + len);
        let unknown = [0, UNKNOWN].contains(&sent.number) || by == "unknown";
        let says = |number: u64, is: bool| is.then_some(number);
        let tag = [
            says(sent.number, by == "remaining" && !unknown),
            says(sent.number, by == "packets" || by == "bytes"),
            Some(sent.again),
            Some(sent.id),
            Some(u64::from(sent.first)),
            Some(u64::from(last)),
        ];
        let option = setting(row, "carry", "ethertype") == "option";
        let (framing, ip) = (cell(row, "framing"), 40 + len);
        Says {
            rank: boosted(row, sent.number, sent.again),
            tag: Some(tag),
            adds: wire(framing, ip + if option { 8 } else { 7 }) - wire(framing, ip),
            repeat,
        }
    }
}

/// Divides or rotates the number once for each retransmission, one bit at a time.
fn boosted(row: &Row, number: u64, again: u64) -> u64 {
    let bits = match setting(row, "boost", "2") {
        "1" => 0,
        "2" => 1,
        "4" => 2,
        _ => 3,
    };
    let rotate = setting(row, "boosting", "shift") == "rotate";
    (0..again * bits).fold(number, |number, _| {
        let out = if rotate { number % 2 } else { 0 };
        number / 2 + out * (1 << 31)
    })
}

#[test]
fn tags_say_what_the_page_says() {
    let (mut host, mut seen) = (None, BTreeSet::new());
    for row in shipped("shim/mark") {
        if number(&row, "step") == 0 {
            host = Some(Host::new(&row));
        }
        let host: &mut Host = host.as_mut().expect("a sequence begins at step 0");
        let counted = ["repeat", "mistaken", "missed"].map(|column| number(&row, column));
        let says = match cell(&row, "operation") {
            "down" => host.leave(&row),
            operation => {
                match operation {
                    "open" => host.open(&row),
                    "close" => host.close(&row),
                    _ => host.forget(
                        number(&row, "flow"),
                        number(&row, "subflow"),
                        number(&row, "seq_bytes"),
                    ),
                }
                assert_eq!((cell(&row, "rank"), counted), ("", [0; 3]), "{row:?}");
                continue;
            }
        };
        let columns = [
            "remaining_bytes",
            "sent_before",
            "retransmissions",
            "flow_id",
            "first",
            "last",
        ];
        let told = columns.map(|column| cell(&row, column).parse().ok());
        let tagged = cell(&row, "tagged") == "1";
        let given = says.tag.is_none() && cell(&row, "kind") == "data" && says.rank > 0;
        assert_eq!(
            says.tag,
            tagged.then_some(told).filter(|_| !given),
            "{row:?}"
        );
        let answers = (number(&row, "rank"), number(&row, "adds_bytes"));
        assert_eq!(answers, (says.rank, says.adds), "{row:?}");
        let again = cell(&row, "again") == "1" && says.tag.is_some();
        let errors = [says.repeat, says.repeat && !again, !says.repeat && again];
        assert_eq!(counted, errors.map(u64::from), "{row:?}");
        note(&mut seen, &row, &says, counted);
    }
    for shows in [
        "mistaken",
        "missed",
        "15 times",
        "no size",
        "a size after none",
        "first by count",
        "message 7",
        "message 0 after 7",
        "last",
        "padding",
        "beyond what was announced",
        "odd, rotated",
        "unmarked",
        "unmarked where a size is unknown",
        "a count behind all sizes",
        "a count behind all sizes, again",
        "too large beside counts",
        "mapped",
        "no payload",
    ] {
        assert!(seen.contains(shows), "no row shows {shows}: {seen:?}");
    }
}

/// Notes the cases that a row shows: a table without a case would not test it.
fn note(seen: &mut BTreeSet<&'static str>, row: &Row, says: &Says, counted: [u64; 3]) {
    let large = u64::from(u32::MAX);
    let Some([remaining, sent, again, id, first, last]) = says.tag else {
        let unmarked = cell(row, "kind") == "data" && says.rank == large;
        seen.insert(match (unmarked, number(row, "flow")) {
            (true, 2) => "unmarked where a size is unknown",
            (true, _) => "unmarked",
            _ => "no payload",
        });
        return;
    };
    let rotated = setting(row, "boosting", "shift") == "rotate";
    let counts = setting(row, "unknown", "last") == "packets" && number(row, "flow") == 2;
    let large_one = number(row, "flow") == 1 && setting(row, "unknown", "last") == "packets";
    let large_one = large_one && setting(row, "announce", "1") == "1/2" && says.rank == large;
    let behind = counts && remaining.is_none() && sent.is_none();
    for (shows, what) in [
        (counted[1] == 1, "mistaken"),
        (counted[2] == 1, "missed"),
        (again == Some(15), "15 times"),
        (remaining.is_none() && sent.is_none(), "no size"),
        (
            remaining.is_some_and(|left| left > 1 << 31),
            "a size after none",
        ),
        (sent == Some(0) && first == Some(1), "first by count"),
        (id == Some(7), "message 7"),
        (
            id == Some(0) && seen.contains("message 7"),
            "message 0 after 7",
        ),
        (last == Some(1), "last"),
        (large_one, "too large beside counts"),
        (behind && again == Some(0), "a count behind all sizes"),
        (behind && again > Some(0), "a count behind all sizes, again"),
        (says.adds < 7, "padding"),
        (
            says.rank == 0 && again == Some(0) && sent.is_none(),
            "beyond what was announced",
        ),
        (
            rotated && says.rank > 1 << 31 && again > Some(0),
            "odd, rotated",
        ),
        (!cell(row, "data_seq_bytes").is_empty(), "mapped"),
    ] {
        if shows {
            seen.insert(what);
        }
    }
}
