//! Hosts that tag their packets, and a path that loses, duplicates and delays some of them.

use crate::draw::chance;
use sidestep_types::{FlowId, HostId, Kind, Packet, Rng, Tag, Time};
use std::collections::BTreeMap;

/// Unit of all lengths, sizes and sequence numbers, bytes: each is a multiple of it.
const UNIT: u32 = 100;

pub struct Path {
    pub now: Time,
    /// Content of the hosts' tags: `remaining`, `packets` or `bytes`.
    counts: &'static str,
    streams: [Stream; 4],
    /// Packets in flight, by arrival, then by departure.
    flying: BTreeMap<(Time, u64), Packet>,
    departures: u64,
    /// Time of the senders' next packet.
    sends: Time,
}

/// Subflow, as its sender sees it.
struct Stream {
    flow: FlowId,
    subflow: u8,
    seq: u64,
    message: Message,
}

/// Message being sent.
#[derive(Clone, Copy)]
struct Message {
    id: u8,
    says: Says,
    /// Bytes of the message, bytes sent, and packets sent.
    size: u32,
    sent: u32,
    packets: u32,
    /// Start of the count: it may continue from an earlier flow.
    from: u32,
}

/// Content of the tags of a message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    Number,
    /// No size at its beginning, as in a message of 4 GiB and more.
    NumberAtLast,
    /// No size at its end, as in a message that is larger than announced.
    NumberAtFirst,
    /// No tag.
    Nothing,
}

impl Path {
    pub fn new(counts: &'static str) -> Path {
        let of = |(flow, subflow)| Stream::new(FlowId(flow), subflow);
        Path {
            now: Time::ZERO,
            counts,
            // The second flow opens and closes, the last is never opened.
            streams: [(0, 0), (0, 1), (1, 0), (2, 0)].map(of),
            flying: BTreeMap::new(),
            departures: 0,
            sends: Time::ZERO,
        }
    }

    /// Restarts a flow: removes its packets in flight.
    pub fn open(&mut self, flow: FlowId) -> FlowId {
        self.flying.retain(|_, packet| packet.flow != flow);
        let of = |stream: &&mut Stream| stream.flow == flow;
        for stream in self.streams.iter_mut().filter(of) {
            *stream = Stream::new(flow, stream.subflow);
        }
        flow
    }

    /// Advances time to the next arrival, or to `deadline` if that comes first; then returns `None`.
    pub fn next(&mut self, rng: &mut Rng, deadline: Option<Time>) -> Option<Packet> {
        while self.flying.len() < 12 {
            self.send(rng);
        }
        let ((at, _), _) = self.flying.first_key_value().expect("some are under way");
        let at = (*at).max(self.now);
        if let Some(due) = deadline.filter(|due| *due <= at) {
            self.now = due.max(self.now);
            return None;
        }
        self.now = at;
        self.flying.pop_first().map(|(_, packet)| packet)
    }

    /// Sends one packet, which arrives once, several times or never.
    fn send(&mut self, rng: &mut Rng) {
        // An occasional pause, in which packets held for long are released.
        let wait = if chance(rng, 40) { 1_500 } else { 10 };
        self.sends += Time::from_us(wait);
        let which = [0, 0, 0, 0, 1, 2, 2, 3][rng.below(8) as usize];
        let which = if chance(rng, 2) { 0 } else { which };
        let packet = self.streams[which].send(rng, self.counts);
        let late = |rng: &mut Rng| match rng.below(8) {
            0..=3 => 5,
            4 | 5 => 5 + rng.below(30),
            _ => 5 + rng.below(90),
        };
        let sends = match rng.below(16) {
            0 => 0,
            1..=4 => 2,
            5 => 3,
            _ => 1,
        };
        // Some packets are lost when first sent.
        let first = u8::from(sends > 0 && chance(rng, 6));
        let made = self.departures;
        let mut wait = 0;
        for again in first..first + sends {
            wait += late(rng);
            let mut copy = packet;
            let mut tag = copy.tag();
            // The network duplicates a packet, or the sender retransmits it and counts that.
            if again > 0 && !made.is_multiple_of(3) && tag.tagged() {
                tag.set_retransmissions(again);
                tag.set_rank(tag.rank() >> again);
                copy.set_tag(tag);
            }
            if again > 0 && chance(rng, 8) {
                // The retransmission includes data that follows.
                copy.len += UNIT as u16;
            }
            self.fly(wait, rng, copy);
        }
    }

    fn fly(&mut self, wait: u64, rng: &mut Rng, mut packet: Packet) {
        packet.set_ect(true);
        packet.set_ce(chance(rng, 5));
        match rng.below(40) {
            0 => packet.trim(84),
            1 => packet = Packet::new(Kind::Ack, packet.flow, HostId(0), 0),
            2 => packet = Packet::new(Kind::Syn, packet.flow, HostId(0), 0),
            3 => packet.len = 0,
            _ => {}
        }
        let at = self.sends + Time::from_us(wait);
        self.flying.insert((at, self.departures), packet);
        self.departures += 1;
    }
}

impl Stream {
    fn new(flow: FlowId, subflow: u8) -> Stream {
        let none = Message {
            id: 0,
            says: Says::Number,
            size: 0,
            sent: 0,
            packets: 0,
            from: 0,
        };
        Stream {
            flow,
            subflow,
            seq: 0,
            message: none,
        }
    }

    fn send(&mut self, rng: &mut Rng, counts: &str) -> Packet {
        if self.message.sent == self.message.size {
            self.begin(rng);
        }
        let message = self.message;
        let len = (UNIT * (1 + rng.below(3) as u32)).min(message.size - message.sent);
        let mut packet = Packet::new(Kind::Data, self.flow, HostId(0), 0);
        packet.set_seq(Packet::first_of(self.subflow) + self.seq);
        packet.len = len as u16;
        packet.set_tag(message.tag(counts));
        self.seq += u64::from(len);
        self.message.sent += len;
        self.message.packets += 1;
        packet
    }

    /// Begins the next message, with the next flow id or one farther ahead.
    fn begin(&mut self, rng: &mut Rng) {
        let id = match (self.seq, rng.below(6)) {
            (0, _) => 0,
            (_, 0) => self.message.id + 2 + rng.below(4) as u8,
            _ => self.message.id + 1,
        };
        let says = match rng.below(12) {
            0 => Says::NumberAtLast,
            1 => Says::NumberAtFirst,
            2 => Says::Nothing,
            _ => Says::Number,
        };
        // First message of its flow, after others on its connection.
        let goes_on = self.seq == 0 && chance(rng, 2);
        self.message = Message {
            id: id % 8,
            says,
            size: UNIT * (1 + rng.below(24) as u32),
            sent: 0,
            packets: 0,
            from: if goes_on { 40 } else { 0 },
        };
    }
}

impl Message {
    fn tag(self, counts: &str) -> Tag {
        let mut tag = Tag::NONE;
        let knows = match self.says {
            Says::Nothing => return tag,
            Says::Number => true,
            Says::NumberAtLast => self.sent * 2 >= self.size,
            Says::NumberAtFirst => self.sent * 2 < self.size,
        };
        let (remaining, first) = (self.size - self.sent, self.sent == 0);
        let sent = match counts {
            "packets" => self.from + self.packets,
            _ => UNIT * self.from + self.sent,
        };
        tag.set_first(match counts {
            "remaining" => first,
            _ => sent == 0,
        });
        tag.set_flow_id(self.id);
        match (knows, counts) {
            (true, "remaining") => {
                tag.set_rank(remaining);
                tag.set_remaining(remaining);
            }
            (true, _) => {
                tag.set_rank(sent);
                tag.set_sent(sent);
            }
            (false, _) => {
                tag.set_rank(Tag::UNKNOWN);
                tag.set_remaining(Tag::UNKNOWN);
            }
        }
        tag
    }
}
