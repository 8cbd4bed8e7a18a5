//! Rows of classes by size: packets that leave a host or arrive at it, and the service of each.

use super::cells::begin;
use crate::draw::chance;
use crate::row::Row;
use crate::settings::{Setting, listed_settings};
use sidestep_transport::shim::{AnyShim, Shim, Up, build};
use sidestep_types::{Entry, FlowId, HostId, Kind, Packet, Rng, Seed, Time};

/// Returns settings with every pair of words, and every pair of numbers: two to eight classes.
pub fn settings(entry: &'static Entry) -> Vec<Setting> {
    const LISTS: &[&str] = &[
        "",
        "by=sent",
        "acks=first",
        "dscp=46, 10",
        "thresholds=0 B",
        "thresholds=0 B, 1000 B",
        "thresholds=1000 B",
        "thresholds=1000 B; acks=first",
        "thresholds=1000 B, 3000 B",
        "thresholds=1000 B, 3000 B; dscp=46, 10, 8",
        "thresholds=1000 B, 3000 B; dscp=46, 10, 8; acks=first",
        "thresholds=1 B, 2 B, 500 B, 1000 B, 1460 B, 3000 B, 100001 B",
        "by=sent; thresholds=1000 B",
        "by=sent; thresholds=1000 B; acks=first",
        "by=sent; thresholds=1000 B; dscp=0, 63",
        "by=sent; thresholds=1000 B, 3000 B",
        "by=sent; thresholds=1000 B, 3000 B; dscp=46, 10, 8",
        "by=sent; thresholds=1000 B, 3000 B; dscp=46, 10, 8; acks=first",
        "by=sent; thresholds=500 B, 1000 B, 1500 B, 2000 B",
        "by=sent; thresholds=1 B, 2 B, 500 B, 1000 B, 1460 B, 3000 B, 5000 B",
        "thresholds=1000 B; announce=1/3",
        "thresholds=1000 B, 3000 B; announce=2",
        "thresholds=1000 B; announce=1/3; announce_share=1/2",
    ];
    listed_settings(entry, LISTS, |values| build(entry.name, values).is_ok())
}

/// Rows of a sequence.
pub const STEPS: u32 = 64;

/// Returns the rows of one host's classes, and of the packets that pass through them.
pub fn sequence(entry: &'static Entry, setting: &Setting, number: u32, seed: Seed) -> Vec<Row> {
    let mut rng = seed.stream(("shim", entry.name, u64::from(number)));
    let mut shim = build(entry.name, &setting.values).expect("it was built before");
    let mut host = Host::default();
    let row = |step| {
        let event = host.event(&mut rng, step);
        let mut row = begin(setting, (number, step, STEPS));
        event.put(&mut row);
        let after = event.ask(&mut shim);
        row.put_some("service_after", after.map(|p| p.service()));
        row.put_some("ends_after", after.map(|p| u8::from(p.ends())));
        row
    };
    (0..STEPS).map(row).collect()
}

/// Input of the shim.
#[derive(Clone, Copy)]
enum Event {
    Open(FlowId, Option<u64>),
    Close(FlowId),
    Down(Packet),
    Up(Packet),
}

/// First byte, bytes, and first byte in the message, of a packet that was sent.
type SentRange = (u64, u64, u64);

/// Flow, as its host sees it.
#[derive(Default)]
struct Flow {
    open: bool,
    size: Option<u64>,
    /// Bytes given to the subflows.
    given: u64,
    /// Packets sent by each subflow.
    sent: [Vec<SentRange>; 2],
}

/// Host with a flow of two subflows, a flow of one, a flow without an end, and a flow that is never opened.
#[derive(Default)]
struct Host {
    flows: [Flow; 4],
}

/// Flow with two subflows.
const TWO: usize = 0;
/// Flow without an end.
const ENDLESS: usize = 2;

/// Sizes of flows: thresholds of the settings, and one byte more.
const SIZES: [u64; 12] = [
    1, 2, 3, 500, 1_000, 1_001, 1_460, 3_000, 3_001, 100_000, 100_001, 100_002,
];

impl Host {
    fn event(&mut self, rng: &mut Rng, step: u32) -> Event {
        match step {
            0..=2 => return self.open(rng, step as usize),
            _ if chance(rng, 10) => return self.turn(rng),
            _ => {}
        }
        let at = [0, 0, 1, 1, 2, 2, 2, 3][rng.below(8) as usize];
        let subflow = if at == TWO { rng.below(2) } else { 0 } as u8;
        let of = |kind| packet(at, subflow, kind, 0);
        let flow = &mut self.flows[at];
        let down = match rng.below(16) {
            0..=6 => flow.send(rng, at, subflow),
            7..=8 => flow.send_again(rng, at, subflow),
            9 => flow.end(at, subflow),
            10 => of(Kind::Syn),
            11..=12 => of([Kind::Ack, Kind::Ack, Kind::SynAck][rng.below(3) as usize]),
            _ => {
                let kinds = [Kind::Data, Kind::Data, Kind::Syn, Kind::Ack, Kind::SynAck];
                let mut up = of(kinds[rng.below(5) as usize]);
                up.len = if up.kind() == Kind::Data { 1_000 } else { 0 };
                return Event::Up(served(rng, up));
            }
        };
        Event::Down(served(rng, down))
    }

    fn open(&mut self, rng: &mut Rng, at: usize) -> Event {
        let size = SIZES[rng.below(SIZES.len() as u64) as usize];
        self.flows[at] = Flow {
            open: true,
            size: (at != ENDLESS).then_some(size),
            ..Flow::default()
        };
        Event::Open(FlowId(at as u32), self.flows[at].size)
    }

    /// Closes an open flow, or opens a closed flow, which begins anew.
    fn turn(&mut self, rng: &mut Rng) -> Event {
        let at = rng.below(3) as usize;
        if !self.flows[at].open {
            return self.open(rng, at);
        }
        self.flows[at].open = false;
        Event::Close(FlowId(at as u32))
    }
}

impl Flow {
    /// Sends new data, or data that the other subflow has carried, or the flow's end if no data is left.
    fn send(&mut self, rng: &mut Rng, at: usize, subflow: u8) -> Packet {
        let again = at == TWO && self.given > 1_000 && chance(rng, 4);
        let from = self.given - if again { 1_000 } else { 0 };
        let most = self.size.map_or(u64::MAX, |size| size - from);
        let len = [1, 499, 500, 1_000, 1_460][rng.below(5) as usize].min(most);
        if len == 0 {
            return self.end(at, subflow);
        }
        self.given = self.given.max(from + len);
        let sent = (self.sent_by(subflow), len, from);
        self.sent[usize::from(subflow)].push(sent);
        data(at, subflow, sent)
    }

    /// Retransmits any of the packets sent.
    fn send_again(&mut self, rng: &mut Rng, at: usize, subflow: u8) -> Packet {
        let all = &self.sent[usize::from(subflow)];
        if all.is_empty() {
            return self.send(rng, at, subflow);
        }
        let mut packet = data(at, subflow, all[rng.below(all.len() as u64) as usize]);
        packet.set_retransmit(true);
        packet
    }

    fn end(&self, at: usize, subflow: u8) -> Packet {
        let mut fin = packet(at, subflow, Kind::Data, self.sent_by(subflow));
        fin.set_ends(true);
        fin
    }

    fn sent_by(&self, subflow: u8) -> u64 {
        let last = self.sent[usize::from(subflow)].last();
        last.map_or(0, |(own, len, _)| own + len)
    }
}

fn packet(at: usize, subflow: u8, kind: Kind, own: u64) -> Packet {
    let mut packet = Packet::new(kind, FlowId(at as u32), HostId(0), 0);
    packet.set_seq(Packet::first_of(subflow) + own);
    packet
}

fn data(at: usize, subflow: u8, (own, len, from): SentRange) -> Packet {
    let mut packet = packet(at, subflow, Kind::Data, own);
    packet.len = len as u16;
    if at == TWO {
        let mut tag = packet.tag();
        tag.set_data_seq(from);
        packet.set_tag(tag);
    }
    packet
}

/// Sets a service that the settings of this host need not contain.
fn served(rng: &mut Rng, mut packet: Packet) -> Packet {
    packet.set_service([0, 1, 2, 5, 10, 46, 62][rng.below(7) as usize]);
    packet
}

impl Event {
    fn put(self, row: &mut Row) {
        let (word, flow, packet) = match self {
            Event::Open(flow, _) => ("open", flow, None),
            Event::Close(flow) => ("close", flow, None),
            Event::Down(packet) => ("down", packet.flow, Some(packet)),
            Event::Up(packet) => ("up", packet.flow, Some(packet)),
        };
        let size = match self {
            Event::Open(_, size) => size,
            _ => None,
        };
        let data = packet.filter(|p| p.kind() == Kind::Data);
        let own = packet.map(|p| p.seq() - Packet::first_of(p.subflow()));
        row.put("operation", word);
        row.put("flow", flow.0);
        row.put_some("size_bytes", size);
        row.put_some("kind", packet.map(|p| word_of(p.kind())));
        row.put_some("subflow", packet.map(|p| p.subflow()));
        row.put_some("seq_bytes", own);
        row.put_some("payload_bytes", data.map(|p| p.len));
        row.put_some("data_seq_bytes", data.and_then(|p| p.tag().mapped()));
        row.put_some("service_before", packet.map(|p| p.service()));
        row.put_some("ends_before", packet.map(|p| u8::from(p.ends())));
    }

    /// Applies the event. Returns the packet after the shim.
    fn ask(self, shim: &mut AnyShim) -> Option<Packet> {
        match self {
            Event::Open(flow, size) => shim.open(flow, size),
            Event::Close(flow) => shim.close(flow),
            Event::Down(mut packet) => {
                shim.down(Time::ZERO, &mut packet);
                return Some(packet);
            }
            Event::Up(mut packet) => {
                assert_eq!(shim.up(Time::ZERO, &mut packet), Up::Pass);
                return Some(packet);
            }
        }
        None
    }
}

fn word_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Data => "data",
        Kind::Ack => "ack",
        Kind::Syn => "syn",
        Kind::SynAck => "syn-ack",
    }
}
