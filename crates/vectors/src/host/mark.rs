//! Rows of marks: packets that leave a host, acknowledgements that arrive, and the tags on the packets.

use super::cells::begin;
use crate::draw::chance;
use crate::row::Row;
use crate::settings::{Setting, listed_settings};
use sidestep_transport::shim::{AnyShim, Counters, Message, Shim, build};
use sidestep_types::{
    Entry, FlowId, Framing, HEADER_BYTES, HostId, Kind, Packet, Rng, Seed, Tag, Time,
};

/// Returns settings with each word and number, beside others that make it show: repeats with a full filter,
/// messages that end by a gap.
pub fn settings(entry: &'static Entry) -> Vec<Setting> {
    const LISTS: &[&str] = &[
        "",
        "by=packets",
        "by=bytes",
        "by=packets; gap=50 us",
        "by=bytes; gap=50 us",
        "carry=option",
        "boost=1",
        "boost=4",
        "boost=8",
        "boosting=rotate",
        "boost=8; boosting=rotate",
        "by=bytes; boost=4; boosting=rotate",
        "repeats=cuckoo",
        "repeats=cuckoo; filter=8; fingerprint=4",
        "repeats=cuckoo; filter=8; fingerprint=5",
        "repeats=cuckoo; filter=24; fingerprint=4",
        "repeats=cuckoo; filter=10; fingerprint=16",
        "repeats=cuckoo; filter=12; fingerprint=16",
        "repeats=cuckoo; filter=16; fingerprint=12",
        "by=packets; repeats=cuckoo; filter=16; fingerprint=4; gap=50 us",
        "by=bytes; repeats=cuckoo; filter=12; fingerprint=6",
        "announce=1/2",
        "announce=3",
        "announce=1/2; announce_share=1/2",
        "announce=3; announce_share=1/2; boosting=rotate",
        "announce=1/3; boost=8; repeats=cuckoo; filter=16; fingerprint=4",
        "unknown=packets",
        "unknown=packets; gap=50 us",
        "unknown=packets; boosting=rotate",
        "unknown=packets; repeats=cuckoo; filter=16; fingerprint=4",
        "unknown=unmarked",
        "unknown=unmarked; repeats=cuckoo; filter=16; fingerprint=4",
        // Half of 4 GiB and some: the announced size changes from too large to known.
        "unknown=packets; announce=1/2",
        "unknown=packets; announce=1/2; boost=1",
    ];
    listed_settings(entry, LISTS, |values| build(entry.name, values).is_ok())
}

/// Rows of a sequence.
pub const STEPS: u32 = 96;

/// Returns the rows of one host's marks, and of the packets that pass through them.
pub fn sequence(entry: &'static Entry, setting: &Setting, number: u32, seed: Seed) -> Vec<Row> {
    let mut rng = seed.stream(("shim", entry.name, u64::from(number)));
    let mut mark = build(entry.name, &setting.values).expect("it was built before");
    let framing = [
        Framing::Ethernet,
        Framing::Ethernet,
        Framing::Ip,
        Framing::Ppp,
    ];
    let framing = framing[rng.below(4) as usize];
    mark.framed(framing);
    let unknown = setting.values.word("unknown") != "last";
    let mut host = Host::new(&mut rng, unknown);
    let row = |step| {
        host.now += Time::from_us([0, 0, 0, 1, 49, 50, 51, 360, 361][rng.below(9) as usize]);
        let event = host.event(&mut rng, step);
        let mut row = begin(setting, (number, step, STEPS));
        row.put("now_ps", host.now.ps());
        row.put("framing", word_of_framing(framing));
        event.put(&mut row);
        put_answer(&mut row, event.ask(host.now, framing, &mut mark));
        row
    };
    (0..STEPS).map(row).collect()
}

/// Input of marks.
#[derive(Clone, Copy)]
enum Event {
    Open(FlowId, Option<u64>, Option<Message>),
    Close(FlowId),
    Down(Packet),
    Up(Packet),
}

/// Subflow, as its sender sees it.
#[derive(Default)]
struct Stream {
    flow: u32,
    subflow: u8,
    /// Size, bytes; two subflows of one flow share it.
    size: u64,
    sent: u64,
    acked: u64,
    /// Unacknowledged packets: first byte, bytes, and first byte in the message.
    out: Vec<(u64, u16, u64)>,
}

/// Host with a flow of two subflows, a flow of a little more than 4 GiB, a flow of unknown size, a flow that is
/// never opened, and the messages of a connection, one after the other.
struct Host {
    now: Time,
    streams: Vec<Stream>,
    /// Bytes that the first flow has given to its subflows.
    given: u64,
    /// True if every other message of the connection has an unknown size.
    unknown: bool,
    /// Messages that the connection has had.
    messages: u32,
    /// Stream of the last event.
    last: usize,
}

/// Flow that opened the connection: the first of its messages.
const CONNECTION: u32 = 10;
/// Stream of the connection's messages.
const MESSAGES: usize = 4;

impl Host {
    fn new(rng: &mut Rng, unknown: bool) -> Host {
        let of = |flow, subflow, size| Stream {
            flow,
            subflow,
            size,
            ..Stream::default()
        };
        // Odd and even sizes; the large one exceeds 32 bits by a random amount.
        let whole = 8_000 + rng.below(3_000);
        let large = u64::from(u32::MAX) + rng.below(20_000);
        Host {
            now: Time::ZERO,
            streams: vec![
                of(0, 0, whole),
                of(0, 1, whole),
                of(1, 0, large),
                of(2, 0, u64::MAX),
                of(CONNECTION, 0, 0),
                of(3, 0, u64::MAX),
            ],
            given: 0,
            unknown,
            messages: rng.below(8) as u32,
            last: 0,
        }
    }

    fn event(&mut self, rng: &mut Rng, step: u32) -> Event {
        let size = |stream: &Stream| (stream.size < u64::MAX).then_some(stream.size);
        match step {
            0 => return Event::Open(FlowId(0), size(&self.streams[0]), None),
            1 => return Event::Open(FlowId(1), size(&self.streams[2]), None),
            2 => return Event::Open(FlowId(2), None, None),
            _ => {}
        }
        if step >= STEPS / 2 && chance(rng, 2) {
            self.last = 0;
        } else if !chance(rng, 2) {
            self.last = [0, 0, 1, 2, 2, 3, 3, 4, 4, 4, 4, 5][rng.below(12) as usize];
        }
        // Sometimes the message is closed before all of it is acknowledged.
        let aborts = self.last == MESSAGES && chance(rng, 12);
        if self.last == MESSAGES && (aborts || self.is_between()) {
            return self.next_message(rng);
        }
        let stream = &mut self.streams[self.last];
        let outstanding = !stream.out.is_empty();
        if outstanding && step >= STEPS / 2 && self.last == 0 {
            // Retransmits one packet repeatedly, to reach the limit of the count.
            return Event::Down(stream.send_again(rng, true));
        }
        match rng.below(16) {
            0 => Event::Down(stream.without_payload(rng)),
            1..=4 if outstanding => Event::Up(stream.acknowledge(rng)),
            5..=9 if outstanding => Event::Down(stream.send_again(rng, false)),
            _ => self.send(rng),
        }
    }

    /// Returns true if the message of the connection is fully acknowledged or not open.
    fn is_between(&self) -> bool {
        let stream = &self.streams[MESSAGES];
        stream.acked == stream.size
    }

    /// Closes the message; the next call opens the next one.
    fn next_message(&mut self, rng: &mut Rng) -> Event {
        let stream = &mut self.streams[MESSAGES];
        let flow = CONNECTION + self.messages;
        if stream.size > 0 {
            self.messages += 1;
            *stream = Stream {
                flow: flow + 1,
                ..Stream::default()
            };
            return Event::Close(FlowId(flow));
        }
        let most = [6, 600, 2_000][rng.below(3) as usize];
        let size = 1 + rng.below(most);
        *stream = Stream {
            flow,
            size,
            ..Stream::default()
        };
        let message = Message {
            connection: FlowId(CONNECTION),
            number: self.messages,
        };
        let known = !self.unknown || self.messages.is_multiple_of(2);
        let size = known.then_some(stream.size);
        Event::Open(FlowId(flow), size, Some(message))
    }

    /// Sends new data, or an acknowledgement if no data is left.
    fn send(&mut self, rng: &mut Rng) -> Event {
        let stream = &mut self.streams[self.last];
        let mapped = stream.flow == 0;
        // Sometimes sends again what the other subflow has carried.
        let again = mapped && self.given > 2_000 && chance(rng, 6);
        let from = match (mapped, again) {
            (false, _) => stream.sent,
            (true, false) => self.given,
            (true, true) => self.given - 2_000,
        };
        let len = [1, 5, 6, 536, 1_000, 1_460][rng.below(6) as usize].min(stream.size - from);
        if len == 0 {
            return Event::Down(stream.packet(Kind::Ack, 0));
        }
        if mapped && !again {
            self.given += len;
        }
        Event::Down(stream.send(len as u16, from, rng))
    }
}

impl Stream {
    fn packet(&self, kind: Kind, at: u64) -> Packet {
        // The hash depends on the addresses and ports of the connection.
        let connection = 16 * self.flow.min(CONNECTION) + u32::from(self.subflow);
        let hash = 0x9e37_79b9u32.wrapping_mul(connection + 1);
        let mut packet = Packet::new(kind, FlowId(self.flow), HostId(0), hash);
        packet.set_seq(Packet::first_of(self.subflow) + at);
        packet
    }

    fn data(&self, (at, len, from): (u64, u16, u64)) -> Packet {
        let mut packet = self.packet(Kind::Data, at);
        packet.len = len;
        if self.flow == 0 {
            let mut tag = packet.tag();
            tag.set_data_seq(from);
            packet.set_tag(tag);
        }
        packet
    }

    fn send(&mut self, len: u16, from: u64, rng: &mut Rng) -> Packet {
        let sent = (self.sent, len, from);
        self.out.push(sent);
        self.sent += u64::from(len);
        let mut packet = self.data(sent);
        // Some transports set ranks themselves.
        if chance(rng, 4) {
            packet.set_rank(rng.below(100_000) as u32);
        }
        packet
    }

    /// Retransmits outstanding data; sometimes begins within a packet.
    fn send_again(&mut self, rng: &mut Rng, stubborn: bool) -> Packet {
        let which = if stubborn {
            0
        } else {
            rng.below(self.out.len() as u64) as usize
        };
        let (at, len, from) = self.out[which];
        let skip = if len > 1 && chance(rng, 12) {
            len / 2
        } else {
            0
        };
        let mut packet = self.data((at + u64::from(skip), len - skip, from + u64::from(skip)));
        packet.set_retransmit(true);
        packet
    }

    /// Acknowledges the first of the outstanding packets, sometimes the last of these only in part.
    fn acknowledge(&mut self, rng: &mut Rng) -> Packet {
        let (at, len, _) = self.out[rng.below(self.out.len() as u64) as usize];
        let part = chance(rng, 12);
        self.acked = at + u64::from(if part { len / 2 } else { len });
        let acked = self.acked;
        self.out.retain(|(at, len, _)| at + u64::from(*len) > acked);
        self.packet(Kind::Ack, acked)
    }

    /// Creates a packet without payload: one that opens a flow, or ends its handshake or the flow.
    fn without_payload(&self, rng: &mut Rng) -> Packet {
        let kind = [Kind::Data, Kind::Data, Kind::Syn, Kind::Ack][rng.below(4) as usize];
        let mut packet = self.packet(kind, self.sent);
        if kind == Kind::Data {
            packet.set_rank(rng.below(100_000) as u32);
        }
        packet
    }
}

impl Event {
    fn put(self, row: &mut Row) {
        let (word, flow, packet) = match self {
            Event::Open(flow, ..) => ("open", flow, None),
            Event::Close(flow) => ("close", flow, None),
            Event::Down(packet) => ("down", packet.flow, Some(packet)),
            Event::Up(packet) => ("up", packet.flow, Some(packet)),
        };
        let (size, message) = match self {
            Event::Open(_, size, message) => (size, message),
            _ => (None, None),
        };
        let data = packet.filter(|p| p.kind() == Kind::Data);
        row.put("operation", word);
        row.put("flow", flow.0);
        row.put_some("size_bytes", size);
        row.put_some("connection", message.map(|m| m.connection.0));
        row.put_some("message", message.map(|m| m.number));
        row.put_some("kind", packet.map(|p| word_of(p.kind())));
        row.put_some("subflow", packet.map(|p| p.subflow()));
        row.put_some("hash_hex", packet.map(|p| format!("{:08x}", p.hash)));
        row.put_some(
            "seq_bytes",
            packet.map(|p| p.seq() - Packet::first_of(p.subflow())),
        );
        row.put_some("payload_bytes", data.map(|p| p.len));
        row.put_some("data_seq_bytes", data.and_then(|p| p.tag().mapped()));
        row.put_some("again", data.map(|p| u8::from(p.retransmit())));
        let rank = data.filter(|p| p.tag().tagged()).map(|p| p.rank());
        row.put_some("transport_rank", rank);
    }

    /// Applies the event. Returns the packet that leaves, and the changes of the counters.
    fn ask(
        self,
        now: Time,
        framing: Framing,
        mark: &mut AnyShim,
    ) -> (Option<(Packet, u16)>, Counters) {
        let before = mark.counters();
        let mut leaves = None;
        match self {
            Event::Open(flow, size, message) => mark.open_message(flow, size, message),
            Event::Close(flow) => mark.close(flow),
            Event::Up(mut packet) => {
                mark.up(now, &mut packet);
            }
            Event::Down(mut packet) => {
                packet.wire = framing.wire(HEADER_BYTES + u32::from(packet.len)) as u16;
                let wire = packet.wire;
                mark.down(now, &mut packet);
                leaves = Some((packet, packet.wire - wire));
            }
        }
        let after = mark.counters();
        let counted = Counters {
            repeats: after.repeats - before.repeats,
            mistaken: after.mistaken - before.mistaken,
            missed: after.missed - before.missed,
            ..Counters::default()
        };
        (leaves, counted)
    }
}

fn word_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Data => "data",
        Kind::Ack => "ack",
        Kind::Syn | Kind::SynAck => "syn",
    }
}

fn word_of_framing(framing: Framing) -> &'static str {
    match framing {
        Framing::Ethernet => "ethernet",
        Framing::Ip => "ip",
        Framing::Ppp => "ppp",
    }
}

fn put_answer(row: &mut Row, (leaves, counted): (Option<(Packet, u16)>, Counters)) {
    let data = leaves.filter(|(packet, _)| packet.kind() == Kind::Data);
    let tag = data.map(|(packet, _)| packet.tag());
    let told: Option<Tag> = tag.filter(Tag::tagged);
    let size = |tag: Tag| Some(tag.remaining()).filter(|left| *left != Tag::UNKNOWN);
    row.put_some("rank", leaves.map(|(packet, _)| packet.rank()));
    row.put_some("tagged", tag.map(|tag| u8::from(tag.tagged())));
    row.put_some("remaining_bytes", told.and_then(size));
    row.put_some("sent_before", told.and_then(|tag| tag.sent()));
    row.put_some("retransmissions", told.map(|tag| tag.retransmissions()));
    row.put_some("flow_id", told.map(|tag| tag.flow_id()));
    row.put_some("first", told.map(|tag| u8::from(tag.first())));
    row.put_some("last", told.map(|tag| u8::from(tag.last())));
    row.put_some("adds_bytes", leaves.map(|(_, adds)| adds));
    row.put("repeat", counted.repeats);
    row.put("mistaken", counted.mistaken);
    row.put("missed", counted.missed);
}
