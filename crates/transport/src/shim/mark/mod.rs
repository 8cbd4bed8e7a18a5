//! Mark: tags each packet of data with the numbers that switches and the receiving host order by.
//!
//! **Decision**     a packet with payload of an open flow gets a tag: its number, its retransmissions, its
//!                  message, whether it is the first or the last of the message, and the rank that follows
//!                  ([`Boosting`]). By `remaining` the number is the bytes of the message still to be sent,
//!                  this packet's included; by `packets` or `bytes` the amount sent before it ([`Age`]). A
//!                  packet is a repeat when its first byte left before (`exact`), or when a filter contains its
//!                  addresses and sequence number (`cuckoo`). A repeat keeps its first number; a packet that
//!                  begins within an earlier one gets the number of its first byte. A packet without payload
//!                  gets no tag, and ranks first: as 0.
//! **State**        for each open flow its size, its age, and for each subflow the packets in flight, at most
//!                  [`MOST_REMEMBERED`] packets of a host; for each connection that carries several messages
//!                  its age; a filter for the host.
//! **Units**        bytes, or packets; the tag costs 7 or 8 B of each packet.
//! **Errors**       `boost` that is not 1, 2, 4 or 8; `gap` of 0; a `filter` of 0 or of more than
//!                  [`MOST_PLACES`] slots; a `fingerprint` out of [`FINGERPRINTS`]. A stack refuses `carry =
//!                  "option"` with segments that leave it no room.
//! **Source**       Abdous et al., CoNEXT 2021 (Vertigo), section 3.1 and figure 3.
//! **Deviations**   by default number and count travel, and switches shift; in the simulator the rank is
//!                  computed here, once, since all switches shift alike. The filter only tells repeats: numbers
//!                  and counts come from the list of packets in flight, which also decides when a key leaves
//!                  the filter; the paper is silent on that. A message's last packet has a flag. Unknown sizes
//!                  are [`Tag::UNKNOWN`] (4 GiB or more, endless, beyond the announced size), unless `unknown`
//!                  sets otherwise for messages without a size.

mod age;
mod boost;
mod in_flight;

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
use in_flight::{InFlightPacket, Outstanding};

/// Most packets in flight that a host remembers, 16 B each: 1.5 GB of full ones. Further data is tagged all the
/// same, and its retransmissions count as new.
pub const MOST_REMEMBERED: usize = 1 << 20;

/// Shim that tags packets that leave.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct Mark {
    settings: Settings,
    flows: BTreeMap<FlowId, Flow>,
    /// Age that the last message of a connection leaves to the next one.
    ages: BTreeMap<FlowId, Age>,
    filter: Option<Cuckoo>,
    /// Packets that can still be remembered.
    room: usize,
    /// Tag of the last packet that was not remembered.
    passing: Option<(FlowId, InFlightPacket)>,
    counters: Counters,
}

#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Settings {
    /// Unit of the count; `None` counts the bytes that remain.
    by: Option<Unit>,
    /// Tagging of messages of unknown size, where the number is the remaining size.
    unknown: Unknown,
    gap: Time,
    boosting: Boosting,
    /// Rule of the sizes that messages announce.
    announced: Announced,
    /// Bytes of a tag.
    adds: u32,
    framing: Framing,
}

/// Tagging by remaining size of messages whose size is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, Words)]
enum Unknown {
    /// Tagged with [`Tag::UNKNOWN`].
    Last,
    /// Tagged with the packets sent before, from [`COUNTED`] on.
    Packets,
    /// Not tagged.
    Unmarked,
}

/// First number that counts packets, with [`Unknown::Packets`]: sizes are below.
const COUNTED: u32 = 1 << 31;

/// State of an open flow.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
struct Flow {
    size: Option<u64>,
    /// Announced size.
    announced: Option<u64>,
    message: Option<Message>,
    age: Age,
    /// Packets in flight of each subflow, by its number.
    subflows: Vec<Outstanding>,
}

/// Settings of [`Mark`].
#[derive(Clone, sidestep_types::Settings)]
#[settings(check)]
pub struct MarkSettings {
    /// number in the tag: bytes of the message still to be sent or, where sizes are unknown, packets or bytes
    /// sent before (Vertigo)
    #[setting(default = "remaining")]
    by: By,
    /// by packets or bytes: longest pause within a message; after a longer one the next message begins
    /// (Vertigo's simulator)
    #[setting(default = "360 us", above = 0)]
    gap: Time,
    /// by remaining: rank of data of a message of unknown size: behind all others, behind all others by packets
    /// sent before, or without a tag; assumed
    #[setting(default = "last")]
    unknown: Unknown,
    /// place of the tag: between Ethernet and IP, 7 B, or in an option of IP, 8 B, with segments of at most
    /// 1452 B (Vertigo)
    #[setting(default = "ethertype")]
    carry: Carry,
    /// divisor of a number each time its packet is retransmitted: 1, 2, 4 or 8 (Vertigo)
    #[setting(default = "2")]
    boost: u64,
    /// method of division: number and count travel and each switch shifts (Vertigo's simulator), or the host
    /// rotates the number (Vertigo), which makes an odd one the largest
    #[setting(default = "shift")]
    boosting: Rule,
    /// detection of repeats: by the list of packets in flight (as Vertigo's host), or by a cuckoo filter
    /// (Vertigo)
    #[setting(default = "exact")]
    repeats: Repeats,
    /// slots of the filter of a host, at most 16777216; assumed
    #[setting(default = "4096", above = 0)]
    filter: u64,
    /// by remaining: ratio of a message's announced size to its true size; 1 on a host that tells the truth
    #[setting(default = "1", above = 0)]
    announce: Fraction,
    /// share of the messages that announce so, chosen by their number; the others tell the truth
    #[setting(default = "1", range = ..=Fraction::ONE)]
    announce_share: Fraction,
    /// bits of a slot of the filter, 4 to 16; assumed
    #[setting(default = "12", range = FINGERPRINTS)]
    fingerprint: u64,
}

/// Quantity that the number counts.
#[derive(Clone, Copy, Words)]
enum By {
    Remaining,
    Packets,
    Bytes,
}

/// Place of the tag.
#[derive(Clone, Copy, PartialEq, Words)]
enum Carry {
    Ethertype,
    Option,
}

/// Detection of repeats.
#[derive(Clone, Copy, PartialEq, Words)]
enum Repeats {
    Exact,
    Cuckoo,
}

impl MarkSettings {
    fn check(&self) -> Result<(), Refusal> {
        if self.filter > MOST_PLACES {
            let expected = format!("must be at most {MOST_PLACES} slots (32 MiB per host)");
            return Err(Refusal::of("filter", expected).got(self.filter));
        }
        self.boosting().map(|_| ())
    }

    fn boosting(&self) -> Result<Boosting, Refusal> {
        let refused = || Refusal::of("boost", "must be 1, 2, 4 or 8").got(self.boost);
        Boosting::new(self.boosting, self.boost).ok_or_else(refused)
    }
}

/// Bytes of a tag between Ethernet and IP: 5, and the Ethertype of the following header.
const BETWEEN: u32 = 7;
/// Bytes of a tag as an option of IP: with its type, its length and the end of options.
const OPTION: u32 = 8;
/// Bytes of an IP packet that Ethernet carries.
const MTU: u32 = 1500;

impl Registered for Mark {
    type Settings = MarkSettings;
    const ABOUT: About = About {
        name: "mark",
        summary: "tags data with the bytes left of its message and the number of retransmissions",
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
            "carry = \"option\" takes {OPTION} B of each IP packet of {MTU} B, besides \
             {HEADER_BYTES} B of headers: expected an mss of at most {most} B"
        );
        Err(Refusal::about(&["carry"], expected).got(format!("{mss} B")))
    }
}

/// Returns the key of a packet in the filter: a hash of its addresses and its first byte.
fn key(hash: u32, seq: u64) -> u64 {
    mix64(seq ^ mix64(u64::from(hash)))
}

impl Settings {
    /// Returns the unit counted for a message of this size, or of unknown size; `None` if its number is the
    /// bytes left.
    fn counts(&self, size: Option<u64>) -> Option<Unit> {
        let by_age = size.is_none() && self.unknown == Unknown::Packets;
        self.by.or(by_age.then_some(Unit::Packets))
    }

    /// Returns the number for the bytes left of a message.
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

    /// Returns true if `number` is the bytes left. It is not for a message that has sent all of its announced
    /// size.
    fn says_what_is_left(&self, number: u32) -> bool {
        let counted = self.unknown == Unknown::Packets && number >= COUNTED;
        self.by.is_none() && number > 0 && !counted
    }
}

impl Flow {
    /// Returns the packets in flight of a subflow.
    fn subflow(&mut self, subflow: u8) -> &mut Outstanding {
        let at = usize::from(subflow);
        if self.subflows.len() <= at {
            self.subflows.resize_with(at + 1, Outstanding::default);
        }
        &mut self.subflows[at]
    }

    /// Returns the number for the bytes left of its message from byte `from` on.
    fn left(&self, from: u64, settings: &Settings) -> u32 {
        let left = self.announced;
        settings.sayable(left.map_or(u64::MAX, |size| size.saturating_sub(from)))
    }

    /// Returns the record of a packet that leaves for the first time; `from` is its position in its message.
    fn first_sending(
        &mut self,
        now: Time,
        packet: &Packet,
        from: u64,
        settings: &Settings,
    ) -> InFlightPacket {
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
        InFlightPacket {
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
    /// Limits the packets remembered to `room`.
    #[cfg(test)]
    pub(super) fn with_room(self, room: usize) -> Mark {
        Mark { room, ..self }
    }

    /// Returns the record of `packet`, which leaves now; `from` is its position in its message.
    fn says(&mut self, now: Time, packet: &Packet, from: u64) -> Option<InFlightPacket> {
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

    /// Stores the record of a packet, in its place or, without room, as the last one.
    fn remember(&mut self, packet: &Packet, place: Result<usize, usize>, sent: InFlightPacket) {
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

    /// Returns true if the flow's size is unknown, and data of unknown size gets no tag.
    fn leaves_unmarked(&self, flow: FlowId) -> bool {
        let Settings { by, unknown, .. } = self.settings;
        let flow = self.flows.get(&flow);
        by.is_none() && unknown == Unknown::Unmarked && flow.is_some_and(|flow| flow.size.is_none())
    }

    /// Writes the record of a packet into its tag.
    fn tag(&self, mut tag: Tag, sent: &InFlightPacket, last: bool) -> Tag {
        self.set_number(&mut tag, sent.number, sent.again);
        tag.set_retransmissions(sent.again);
        tag.set_flow_id(sent.id);
        tag.set_first(sent.first);
        tag.set_last(last);
        tag
    }

    /// Sets the fields that follow from a number and its packet's retransmissions.
    fn set_number(&self, tag: &mut Tag, number: u32, again: u8) {
        tag.set_rank(self.settings.boosting.rank(number, again));
        match self.settings.by {
            Some(_) => tag.set_sent(number),
            None if self.settings.says_what_is_left(number) => tag.set_remaining(number),
            None => tag.set_remaining(Tag::UNKNOWN),
        }
    }

    /// Returns the bytes of link time that the tag costs: on Ethernet, bytes that replace padding are free.
    fn costs(&self, packet: &Packet) -> u16 {
        let Settings { framing, adds, .. } = self.settings;
        let ip = HEADER_BYTES + u32::from(packet.len);
        (framing.wire(ip + adds) - framing.wire(ip)) as u16
    }
}

/// Removes the packets acknowledged by `ack` from their list and from the filter, which makes room.
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
            // End of a handshake, or a FIN.
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
