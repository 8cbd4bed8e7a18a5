//! Rows of an agent: packets that pass below a sender, down and up, and their fate.

use super::cells::begin;
use crate::draw::chance;
use crate::row::Row;
use crate::settings::{Others, Setting, drawn_settings};
use sidestep_transport::shim::{AnyShim, Shim, Up, build};
use sidestep_types::{
    Entry, FlowId, HostId, Kind, Packet, Param, ParamUnit, Rng, SackBlocks, Seed, Time, Values,
};

/// Settings with every parameter drawn, if there are several parameters.
const DRAWN: usize = 12;

/// Returns the defaults, each parameter changed alone, and all of them drawn if there are several.
pub fn settings(entry: &'static Entry) -> Vec<Setting> {
    let others: Vec<Others> = entry.params.iter().map(others).collect();
    let drawn = if others.len() > 1 { DRAWN } else { 0 };
    // Changed beside a small share: in a short run, a small share shows that a run of duplicates is long.
    let share = entry
        .params
        .iter()
        .find(|param| param.unit == ParamUnit::Fraction);
    let mut rng = Seed(0).stream(("settings", entry.name));
    let defaults = Values::defaults(entry.params);
    drawn_settings(&defaults, &others, share, drawn, &mut rng, |values| {
        build(entry.name, values).is_ok()
    })
}

/// Returns values that short runs can tell apart.
fn others(param: &'static Param) -> Others {
    let texts: &[&str] = match param.unit {
        ParamUnit::Count => &["1", "5"],
        ParamUnit::Fraction => &["1/2", "3/4"],
        ParamUnit::Word(words) => words,
        other => unreachable!("{other:?} is of no agent"),
    };
    let other = |text: &&&str| param.default != Some(**text);
    (param, texts.iter().filter(other).copied().collect())
}

/// Returns the rows of one agent, and of the packets that pass through it.
pub fn sequence(entry: &'static Entry, setting: &Setting, number: u32, seed: Seed) -> Vec<Row> {
    const STEPS: u32 = 96;
    let mut rng = seed.stream(("shim", entry.name, u64::from(number)));
    let mut agent = build(entry.name, &setting.values).expect("it was built before");
    let mut hosts = Host::new();
    let row = |step| {
        let event = hosts.event(&mut rng, step);
        let mut row = begin(setting, (number, step, STEPS));
        event.put(&mut row);
        let found = agent.counters().duplicates;
        row.put("verdict", event.ask(&mut agent));
        row.put("duplicate", agent.counters().duplicates - found);
        row
    };
    (0..STEPS).map(row).collect()
}

/// Input of an agent.
#[derive(Clone, Copy)]
enum Event {
    Open(FlowId),
    Close(FlowId),
    Down(Packet),
    Up(Packet),
}

/// Host with two flows, the first of two subflows, and a third that is never opened.
struct Host {
    streams: [Stream; 3],
    /// True if the second flow is open.
    second: bool,
}

/// Subflow, as its sender and the network see it.
#[derive(Clone, Copy)]
struct Stream {
    flow: FlowId,
    subflow: u8,
    sent: u64,
    acked: u64,
    /// Duplicates still to come before the acknowledgement advances.
    left: u64,
}

impl Host {
    fn new() -> Host {
        let of = |(flow, subflow)| Stream::new(FlowId(flow), subflow);
        Host {
            streams: [(0, 0), (0, 1), (1, 0)].map(of),
            second: false,
        }
    }

    fn event(&mut self, rng: &mut Rng, step: u32) -> Event {
        if step == 0 {
            return Event::Open(FlowId(0));
        }
        if step == 1 || chance(rng, 32) {
            return self.turn_second();
        }
        let stream = &mut self.streams[[0, 0, 0, 0, 0, 1, 2, 2][rng.below(8) as usize]];
        let what = rng.below(16);
        if what == 0 {
            stream.odd(rng)
        } else if stream.acked == stream.sent || what <= 2 {
            Event::Down(stream.send(rng))
        } else if what == 3 {
            Event::Down(stream.send_again(rng))
        } else {
            Event::Up(stream.acknowledge(rng))
        }
    }

    fn turn_second(&mut self) -> Event {
        self.second = !self.second;
        // Sequence numbers continue, as those of a connection do.
        match self.second {
            true => Event::Open(FlowId(1)),
            false => Event::Close(FlowId(1)),
        }
    }
}

impl Stream {
    fn new(flow: FlowId, subflow: u8) -> Stream {
        Stream {
            flow,
            subflow,
            sent: 0,
            acked: 0,
            left: 0,
        }
    }

    fn packet(&self, kind: Kind, at: u64) -> Packet {
        let mut packet = Packet::new(kind, self.flow, HostId(0), 0);
        packet.set_seq(Packet::first_of(self.subflow) + at);
        packet
    }

    /// Sends new data. If nothing is outstanding, data sometimes follows a gap that the receiver does not wait
    /// for.
    fn send(&mut self, rng: &mut Rng) -> Packet {
        if self.acked == self.sent && chance(rng, 4) {
            self.sent += 100;
            self.acked = self.sent;
        }
        let mut packet = self.packet(Kind::Data, self.sent);
        packet.len = [536, 1_460, 8_960][rng.below(3) as usize];
        self.sent += u64::from(packet.len);
        packet
    }

    /// Retransmits outstanding data.
    fn send_again(&mut self, rng: &mut Rng) -> Packet {
        let mut packet = self.packet(Kind::Data, self.acked);
        packet.len = 1 + rng.below((self.sent - self.acked).min(1_460)) as u16;
        packet
    }

    /// Returns the next of a run of duplicates, or the acknowledgement that ends the run.
    fn acknowledge(&mut self, rng: &mut Rng) -> Packet {
        if self.left > 0 {
            self.left -= 1;
        } else {
            let most = self.sent - self.acked;
            self.acked += [most, most.min(536), 1 + rng.below(most)][rng.below(3) as usize];
            self.left = [0, 1, 2, 3, 3, 3, 3, 4, 5, 6, 8, 12][rng.below(12) as usize];
        }
        let mut ack = self.packet(Kind::Ack, self.acked);
        ack.set_ece(chance(rng, 4));
        ack
    }

    /// Returns a packet that resembles a new duplicate but is none.
    fn odd(&mut self, rng: &mut Rng) -> Event {
        let mut ack = self.packet(Kind::Ack, self.acked);
        match rng.below(6) {
            0 => ack = self.packet(Kind::Ack, self.acked - rng.below(self.acked.min(3_000) + 1)),
            1 => {
                let mut data = self.packet(Kind::Data, 0);
                data.len = 1_460;
                return Event::Up(data);
            }
            2 => {
                let mut sack = SackBlocks::NONE;
                sack.push(1_460, 2_920);
                ack.set_sack(sack);
            }
            3 => ack.set_cut(true),
            4 => ack = Stream::new(FlowId(2), 0).packet(Kind::Ack, 0),
            _ => {
                // The acknowledgement advances, so it is no duplicate whatever its blocks are.
                let mut sack = SackBlocks::NONE;
                sack.push(8_960, 10_420);
                self.acked = self.sent;
                ack = self.packet(Kind::Ack, self.acked);
                ack.set_sack(sack);
            }
        }
        Event::Up(ack)
    }
}

impl Event {
    fn put(self, row: &mut Row) {
        let (word, flow, packet) = match self {
            Event::Open(flow) => ("open", flow, None),
            Event::Close(flow) => ("close", flow, None),
            Event::Down(packet) => ("down", packet.flow, Some(packet)),
            Event::Up(packet) => ("up", packet.flow, Some(packet)),
        };
        let at = packet.map(|p| p.seq() - Packet::first_of(p.subflow()));
        let ack = packet.filter(|p| p.kind() == Kind::Ack);
        let data = packet.filter(|p| p.kind() == Kind::Data);
        row.put("operation", word);
        row.put("flow", flow.0);
        row.put_some("subflow", packet.map(|p| p.subflow()));
        row.put_some("seq_bytes", at.filter(|_| data.is_some()));
        row.put_some("payload_bytes", data.map(|p| p.len));
        row.put_some("ack_bytes", at.filter(|_| ack.is_some()));
        row.put_some("ece", ack.map(|p| u8::from(p.ece())));
        row.put_some("sack_blocks", ack.map(|p| p.sack().len()));
        row.put_some("cut", ack.map(|p| u8::from(p.cut())));
    }

    /// Applies the event. Returns the fate of the packet, empty for other events.
    fn ask(self, agent: &mut AnyShim) -> &'static str {
        match self {
            Event::Open(flow) => agent.open(flow, None),
            Event::Close(flow) => agent.close(flow),
            Event::Down(mut packet) => agent.down(Time::ZERO, &mut packet),
            Event::Up(mut packet) => {
                return match agent.up(Time::ZERO, &mut packet) {
                    Up::Pass => "pass",
                    Up::Drop => "drop",
                    Up::Keep => "keep",
                };
            }
        }
        ""
    }
}
