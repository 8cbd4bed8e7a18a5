//! Mark: says of each packet of data what switches order by, and what puts it back into order.
//!
//! **Decision**     what carries payload of an open flow gets a tag: its number, how often it was sent
//!                  again, its message, whether it is the first or the last of that, and the rank that
//!                  follows ([`Boosting`]). By `remaining` the number is the bytes of the message still
//!                  to be sent, this packet's included; by `packets` or `bytes` what was sent before it
//!                  ([`Age`]). A packet is a repeat when its first byte left before (`exact`), or when a
//!                  filter has its addresses and sequence number (`cuckoo`); it keeps the number that it
//!                  left with first, and one that begins within a packet has that of its first byte. What carries no payload gets no tag, and ranks first: as 0.
//! **State**        of each open flow its size, its age, and of each subflow what is outstanding, at most
//!                  [`MOST_REMEMBERED`] packets of a host; of each connection that carries several messages
//!                  its age; a filter for the host.
//! **Units**        bytes, or packets; the tag costs 7 or 8 B of each packet.
//! **Errors**       `boost` that is not 1, 2, 4 or 8; `gap` of 0; a `filter` of 0 or of more than
//!                  [`MOST_PLACES`] places; a `fingerprint` out of [`FINGERPRINTS`]. A stack refuses
//!                  `carry = "option"` with segments that leave it no room.
//! **Source**       Abdous et al., CoNEXT 2021 (Vertigo), section 3.1 and figure 3.
//! **Deviations**   by default number and count travel, and switches shift; in the simulator the rank is
//!                  worked out here, once, since all switches shift alike. The filter tells repeats, and
//!                  nothing else: numbers and counts come from the list of what is outstanding, which
//!                  also says what leaves the filter; the paper is silent on that. A message's last
//!                  packet has a flag. Unknown: [`Tag::UNKNOWN`] (4 GiB or more, endless, beyond what was announced),
//!                  unless `unknown` says otherwise of what has no size.

mod age;
mod boost;
mod sent;

pub use age::{Age, Unit};
pub use boost::{Boosting, MOST_COUNTED, Rule};

use std::collections::BTreeMap;

use sidestep_types::{
    About, FlowId, Fraction, Framing, HEADER_BYTES, Kind, Packet, Refusal, Tag, Time, Words, mix64,
};

use super::announced::Announced;
use super::cuckoo::{Cuckoo, FINGERPRINTS, MOST_PLACES};
use super::registry::Registered;
use super::{Counters, Message, Nature, Shim, Up};
use sent::{Outstanding, Sent};

/// Packets outstanding that a host remembers, 16 B each: 1.5 GB of full ones. Beyond them data is marked all the
/// same, and what is sent again of it counts as new.
pub const MOST_REMEMBERED: usize = 1 << 20;

/// Marks what leaves.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct Mark {
    settings: Settings,
    flows: BTreeMap<FlowId, Flow>,
    /// What the last message of a connection has left to the next one.
    ages: BTreeMap<FlowId, Age>,
    filter: Option<Cuckoo>,
    /// How many packets more are remembered.
    room: usize,
    /// What was said of the last packet that found no room.
    passing: Option<(FlowId, Sent)>,
    counters: Counters,
}

#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Settings {
    /// What is counted; `None` for what remains.
    by: Option<Unit>,
    /// What remains of a message whose size nobody knows.
    unknown: Unknown,
    gap: Time,
    boosting: Boosting,
    /// What messages announce.
    announced: Announced,
    /// Bytes of a tag.
    adds: u32,
    framing: Framing,
}

/// How data is marked whose message has a size that nobody knows, by what remains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, Words)]
enum Unknown {
    /// As [`Tag::UNKNOWN`].
    Last,
    /// Packets sent before it, from [`COUNTED`] on.
    Packets,
    /// Not at all.
    Unmarked,
}

/// Where numbers begin that count packets, with [`Unknown::Packets`]: sizes are below.
const COUNTED: u32 = 1 << 31;

/// What is known of an open flow.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
struct Flow {
    size: Option<u64>,
    /// What it announces.
    announced: Option<u64>,
    message: Option<Message>,
    age: Age,
    /// By their number.
    subflows: Vec<Outstanding>,
}

/// Settings of [`Mark`].
#[derive(Clone, sidestep_types::Settings)]
#[settings(check)]
pub struct MarkSettings {
    /// the number: bytes of the message still to be sent, or, where sizes are unknown, packets or bytes sent before
    /// (Vertigo)
    #[setting(default = "remaining")]
    by: By,
    /// by packets or bytes: a message ends when nothing has left for longer (Vertigo's simulator)
    #[setting(default = "360 us", above = 0)]
    gap: Time,
    /// by remaining, data of a message whose size nobody knows: behind all others, behind all others by packets sent
    /// before, or without a tag; assumed
    #[setting(default = "last")]
    unknown: Unknown,
    /// where the tag is: between Ethernet and IP, 7 B, or an option of IP, 8 B, with segments of at most 1452 B (Vertigo)
    #[setting(default = "ethertype")]
    carry: Carry,
    /// by how much a number is divided each time its packet is sent again: 1, 2, 4 or 8 (Vertigo)
    #[setting(default = "2")]
    boost: u64,
    /// number and count travel and each switch shifts (Vertigo's simulator), or the host rotates the number (Vertigo),
    /// which makes an odd one the largest
    #[setting(default = "shift")]
    boosting: Rule,
    /// how repeats are found: by what is outstanding (as Vertigo's host), or by a cuckoo filter (Vertigo)
    #[setting(default = "exact")]
    repeats: Repeats,
    /// places of the filter of a host, at most 16777216; assumed
    #[setting(default = "4096", above = 0)]
    filter: u64,
    /// by remaining: what a message announces over what it has; a host that tells the truth has 1
    #[setting(default = "1", above = 0)]
    announce: Fraction,
    /// share of the messages that announce so, chosen by their number; the others tell the truth
    #[setting(default = "1", range = ..=Fraction::ONE)]
    announce_share: Fraction,
    /// bits of a place of the filter, 4 to 16; assumed
    #[setting(default = "12", range = FINGERPRINTS)]
    fingerprint: u64,
}

/// What is counted.
#[derive(Clone, Copy, Words)]
enum By {
    Remaining,
    Packets,
    Bytes,
}

/// Where the tag is.
#[derive(Clone, Copy, PartialEq, Words)]
enum Carry {
    Ethertype,
    Option,
}

/// How repeats are found.
#[derive(Clone, Copy, PartialEq, Words)]
enum Repeats {
    Exact,
    Cuckoo,
}

impl MarkSettings {
    fn check(&self) -> Result<(), Refusal> {
        if self.filter > MOST_PLACES {
            let expected = format!("must be at most {MOST_PLACES} places, 32 MiB of each host");
            return Err(Refusal::of("filter", expected).got(self.filter));
        }
        self.boosting().map(|_| ())
    }

    fn boosting(&self) -> Result<Boosting, Refusal> {
        let refused = || Refusal::of("boost", "must be 1, 2, 4 or 8").got(self.boost);
        Boosting::new(self.boosting, self.boost).ok_or_else(refused)
    }
}

/// Bytes of a tag between Ethernet and IP: 5, and the Ethertype of what follows.
const BETWEEN: u32 = 7;
/// The same as an option of IP: with its type, its length and the end of options.
const OPTION: u32 = 8;
/// Bytes of an IP packet that Ethernet carries.
const MTU: u32 = 1500;

impl Registered for Mark {
    type Settings = MarkSettings;
    const ABOUT: About = About {
        name: "mark",
        summary: "marks data with what is left of its message, and how often it was sent",
        source: "Vertigo section 3.1",
    };
    const NATURE: Nature = Nature {
        adds: OPTION,
        tags: true,
        ..Nature::PLAIN
    };

    fn build(settings: MarkSettings) -> Result<Mark, Refusal> {
        let cuckoo = settings.repeats == Repeats::Cuckoo;
        Ok(Mark {
            settings: Settings {
                by: match settings.by {
                    By::Packets => Some(Unit::Packets),
                    By::Bytes => Some(Unit::Bytes),
                    By::Remaining => None,
                },
                unknown: settings.unknown,
                gap: settings.gap,
                boosting: settings.boosting()?,
                announced: Announced {
                    factor: settings.announce,
                    share: settings.announce_share,
                },
                adds: Mark::adds(&settings),
                framing: Framing::default(),
            },
            flows: BTreeMap::new(),
            ages: BTreeMap::new(),
            filter: cuckoo.then(|| Cuckoo::new(settings.filter, settings.fingerprint)),
            room: MOST_REMEMBERED,
            passing: None,
            counters: Counters::default(),
        })
    }

    fn adds(settings: &MarkSettings) -> u32 {
        match settings.carry {
            Carry::Option => OPTION,
            Carry::Ethertype => BETWEEN,
        }
    }

    fn bytes(settings: &MarkSettings) -> u64 {
        match settings.repeats {
            Repeats::Cuckoo => Cuckoo::bytes(settings.filter),
            Repeats::Exact => 0,
        }
    }

    fn fits_mss(settings: &MarkSettings, mss: u32) -> Result<(), Refusal> {
        let most = MTU - HEADER_BYTES - OPTION;
        if settings.carry != Carry::Option || mss <= most {
            return Ok(());
        }
        let expected = format!(
            "carry = \"option\" needs {OPTION} B of an IP packet of {MTU} B, beside {HEADER_BYTES} B of \
             headers: expected an mss of at most {most} B"
        );
        Err(Refusal::about(&["carry"], expected).got(format!("{mss} B")))
    }
}

/// What a filter keeps of a packet: of its addresses and its first byte.
fn key(hash: u32, seq: u64) -> u64 {
    mix64(seq ^ mix64(u64::from(hash)))
}

impl Settings {
    /// What is counted of a message of this size, or of one that nobody knows: nothing where it is told what is left.
    fn counts(&self, size: Option<u64>) -> Option<Unit> {
        let by_age = size.is_none() && self.unknown == Unknown::Packets;
        self.by.or(by_age.then_some(Unit::Packets))
    }

    /// The number of what is left of a message.
    fn sayable(&self, left: u64) -> u32 {
        let most = match self.unknown {
            Unknown::Packets => COUNTED,
            _ => Tag::UNKNOWN,
        };
        u32::try_from(left)
            .ok()
            .filter(|left| *left < most)
            .unwrap_or(Tag::UNKNOWN)
    }

    /// Does `number` say how much is left? One that has sent what it announced knows nothing more.
    fn says_what_is_left(&self, number: u32) -> bool {
        let counted = self.unknown == Unknown::Packets && number >= COUNTED;
        self.by.is_none() && number > 0 && !counted
    }
}

impl Flow {
    /// What is outstanding of a subflow.
    fn subflow(&mut self, subflow: u8) -> &mut Outstanding {
        let at = usize::from(subflow);
        if self.subflows.len() <= at {
            self.subflows.resize_with(at + 1, Outstanding::default);
        }
        &mut self.subflows[at]
    }

    /// What is left of its message with the byte that stands there.
    fn left(&self, from: u64, settings: &Settings) -> u32 {
        let left = self.announced;
        settings.sayable(left.map_or(u64::MAX, |size| size.saturating_sub(from)))
    }

    /// What is said of a packet that leaves for the first time; `from` is where it stands in its message.
    fn first_sending(
        &mut self,
        now: Time,
        packet: &Packet,
        from: u64,
        settings: &Settings,
    ) -> Sent {
        let (number, id, first) = match settings.by {
            None if self.size.is_none() && settings.unknown == Unknown::Packets => {
                let age = &mut self.age;
                let count = age.first_sending(now, settings.gap, Unit::Packets, packet.len);
                let number = COUNTED + count.0.min(Tag::UNKNOWN - COUNTED - 1);
                (number, count.1, count.0 == 0)
            }
            None => {
                let number = self.left(from, settings);
                let messages = self.message.map_or(0, |message| message.number);
                (number, (messages % 8) as u8, from == 0)
            }
            Some(unit) => {
                let age = &mut self.age;
                let (number, id) = age.first_sending(now, settings.gap, unit, packet.len);
                (number, id, number == 0)
            }
        };
        Sent {
            seq: packet.seq(),
            number,
            id,
            again: 0,
            first,
            filed: false,
        }
    }
}

impl Mark {
    /// One that remembers so many packets.
    #[cfg(test)]
    pub(super) fn with_room(self, room: usize) -> Mark {
        Mark { room, ..self }
    }

    /// What is said of `packet`, which leaves now. `from` is where it stands in its message.
    fn says(&mut self, now: Time, packet: &Packet, from: u64) -> Option<Sent> {
        let flow = self.flows.get_mut(&packet.flow)?;
        let (seq, end) = (packet.seq(), packet.seq() + u64::from(packet.len));
        let subflow = flow.subflow(packet.subflow());
        let key = key(packet.hash, seq);
        let left = subflow.left_before(seq);
        let repeat = match &self.filter {
            None => left,
            Some(filter) => filter.has(key),
        };
        let place = subflow.find(seq);
        let remembers = place.is_ok() || self.room > 0;
        subflow.hash = packet.hash;
        if remembers {
            subflow.leaves(end);
        }
        let counters = &mut self.counters;
        counters.marked += 1;
        counters.repeats += u64::from(repeat);
        counters.mistaken += u64::from(repeat && !packet.retransmit());
        counters.missed += u64::from(!repeat && packet.retransmit());
        if let (true, Ok(at)) = (repeat, place) {
            let sent = subflow.at(at);
            sent.again = (sent.again + 1).min(MOST_COUNTED);
            let sent = *sent;
            flow.age.repeat(now);
            return Some(sent);
        }
        if let (true, true, Err(at @ 1..)) = (repeat, left, place) {
            let whole = *subflow.at(at - 1);
            let counts = self.settings.counts(flow.size);
            let number = match counts {
                None => flow.left(from, &self.settings),
                Some(Unit::Packets) => whole.number,
                Some(Unit::Bytes) => whole.number.saturating_add((seq - whole.seq) as u32),
            };
            let rest = whole.rest(seq, number, counts == Some(Unit::Packets));
            flow.age.repeat(now);
            self.remember(packet, Err(at), rest);
            return Some(rest);
        }
        let mut sent = flow.first_sending(now, packet, from, &self.settings);
        sent.again = u8::from(repeat);
        if let (Some(filter), false, true) = (&mut self.filter, repeat, remembers) {
            sent.filed = filter.insert(key);
        }
        self.remember(packet, place, sent);
        Some(sent)
    }

    /// Keeps what was said of a packet, at its place or in passing.
    fn remember(&mut self, packet: &Packet, place: Result<usize, usize>, sent: Sent) {
        let flow = self.flows.get_mut(&packet.flow).expect("it is open");
        let subflow = flow.subflow(packet.subflow());
        match place {
            Ok(at) => *subflow.at(at) = sent,
            Err(at) if self.room > 0 => {
                self.room -= 1;
                subflow.insert(at, sent);
            }
            Err(_) => {
                self.counters.unremembered += 1;
                self.passing = Some((packet.flow, sent));
            }
        }
    }

    /// Is its size one that nobody knows, and does data without a size get no tag?
    fn leaves_unmarked(&self, flow: FlowId) -> bool {
        let Settings { by, unknown, .. } = self.settings;
        let flow = self.flows.get(&flow);
        by.is_none() && unknown == Unknown::Unmarked && flow.is_some_and(|flow| flow.size.is_none())
    }

    /// What was said, as a tag.
    fn tag(&self, mut tag: Tag, sent: &Sent, last: bool) -> Tag {
        self.set_number(&mut tag, sent.number, sent.again);
        tag.set_retransmissions(sent.again);
        tag.set_flow_id(sent.id);
        tag.set_first(sent.first);
        tag.set_last(last);
        tag
    }

    /// Sets what follows from a number, and how often its packet was sent again.
    fn set_number(&self, tag: &mut Tag, number: u32, again: u8) {
        tag.set_rank(self.settings.boosting.rank(number, again));
        match self.settings.by {
            Some(_) => tag.set_sent(number),
            None if self.settings.says_what_is_left(number) => tag.set_remaining(number),
            None => tag.set_remaining(Tag::UNKNOWN),
        }
    }

    /// Bytes of link time that the tag costs: on Ethernet none that was padding before.
    fn costs(&self, packet: &Packet) -> u16 {
        let Settings { framing, adds, .. } = self.settings;
        let ip = HEADER_BYTES + u32::from(packet.len);
        (framing.wire(ip + adds) - framing.wire(ip)) as u16
    }
}

/// Takes what is outstanding before `ack` out of its list and of the filter, which makes room.
fn forget(subflow: &mut Outstanding, ack: u64, filter: &mut Option<Cuckoo>, room: &mut usize) {
    let hash = subflow.hash;
    while let Some(sent) = subflow.acknowledged(ack) {
        *room += 1;
        if let (Some(filter), true) = (&mut *filter, sent.filed) {
            filter.remove(key(hash, sent.seq));
        }
    }
}

impl Shim for Mark {
    fn framed(&mut self, framing: Framing) {
        self.settings.framing = framing;
    }

    fn open(&mut self, flow: FlowId, size: Option<u64>) {
        self.open_message(flow, size, None);
    }

    fn open_message(&mut self, flow: FlowId, size: Option<u64>, message: Option<Message>) {
        let age = message.and_then(|message| self.ages.get(&message.connection));
        let age = age.copied().unwrap_or_default();
        let known = self.flows.entry(flow).or_insert(Flow {
            size,
            announced: None,
            message,
            age,
            subflows: Vec::new(),
        });
        known.size = known.size.or(size);
        let announced = &self.settings.announced;
        known.announced = known.size.map(|size| announced.of(flow, size));
    }

    fn close(&mut self, flow: FlowId) {
        let Some(mut flow) = self.flows.remove(&flow) else {
            return;
        };
        for subflow in &mut flow.subflows {
            forget(subflow, u64::MAX, &mut self.filter, &mut self.room);
        }
        let unknown = (self.settings.unknown == Unknown::Packets).then_some(Unit::Packets);
        if let (Some(message), Some(_)) = (flow.message, self.settings.by.or(unknown)) {
            self.ages.insert(message.connection, flow.age);
        }
    }

    fn down(&mut self, now: Time, packet: &mut Packet) {
        if packet.kind() != Kind::Data {
            return;
        }
        let mut tag = packet.tag();
        if !packet.carries_data() {
            // The end of a handshake, a FIN.
            if self.flows.contains_key(&packet.flow) {
                tag.clear_rank();
                packet.set_tag(tag);
            }
            return;
        }
        if self.leaves_unmarked(packet.flow) {
            tag.clear_rank();
            packet.set_tag(tag);
            return;
        }
        let own = packet.seq() - Packet::first_of(packet.subflow());
        let from = tag.mapped().unwrap_or(own);
        let Some(sent) = self.says(now, packet, from) else {
            return;
        };
        let whole = self.flows.get(&packet.flow).and_then(|flow| flow.size);
        let last = self.settings.by.is_none() && whole == Some(from + u64::from(packet.len));
        tag = self.tag(tag, &sent, last);
        packet.set_tag(tag);
        packet.wire = packet.wire.saturating_add(self.costs(packet));
    }

    #[inline]
    fn up(&mut self, _now: Time, packet: &mut Packet) -> Up {
        if packet.kind() == Kind::Ack
            && let Some(flow) = self.flows.get_mut(&packet.flow)
            && let Some(subflow) = flow.subflows.get_mut(usize::from(packet.subflow()))
        {
            forget(subflow, packet.seq(), &mut self.filter, &mut self.room);
        }
        Up::Pass
    }

    fn carried(&mut self, packet: &Packet) -> Option<u32> {
        if !packet.carries_data() {
            return None;
        }
        let subflow = self.flows.get_mut(&packet.flow)?.subflow(packet.subflow());
        let sent = match subflow.find(packet.seq()) {
            Ok(at) => *subflow.at(at),
            Err(_) => {
                let passing = self.passing.filter(|(flow, _)| *flow == packet.flow);
                passing
                    .map(|(_, sent)| sent)
                    .filter(|sent| sent.seq == packet.seq())?
            }
        };
        Some(self.settings.boosting.carried(sent.number, sent.again))
    }

    fn restore(&self, tag: &mut Tag, number: u32) {
        let count = tag.retransmissions();
        let number = self.settings.boosting.restored(number, count);
        self.set_number(tag, number, count);
    }

    fn acknowledged(&mut self, flow: FlowId, upto: u64) {
        if let Some(flow) = self.flows.get_mut(&flow) {
            for subflow in &mut flow.subflows {
                forget(subflow, upto, &mut self.filter, &mut self.room);
            }
        }
    }

    fn counters(&self) -> Counters {
        self.counters
    }
}
