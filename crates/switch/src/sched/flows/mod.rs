//! How many flows are in each class of a port: what `wps` weighs by and `mulbuff` sizes by.
//!
//! **Decision**     which packets count. Data and SYNs bring their flow in; acknowledgements bring none, whose flow is
//!                  that of the data that they answer, at another port. A packet that says so ([`Packet::ends`],
//!                  or the tag of a marking shim) ends it.
//! **State**        none here: [`exact`] has a table for each class, [`approximate`] two bitmaps.
//! **Units**        flows.
//! **Errors**       a table that finds no place for a flow leaves it out, and so counts as many as it has places.
//! **Source**       Mushtaq et al., SIGCOMM 2014 (MulBuff), which says that buffers follow flows that come and depart,
//!                  and not how a switch knows.
//! **Deviations**   all of this is *assumed*. A flow is its number and the hash of its 5-tuple; real frames have no
//!                  number, so two connections with one hash are one flow there.

pub(super) mod approximate;
pub(super) mod exact;

use approximate::Approximate;
use exact::Exact;
use sidestep_types::{Kind, Packet, Param, ParamUnit, Refusal, Time, Values};

const WORDS: ParamUnit = ParamUnit::Word(&["exact", "approximate"]);
const DOC: &str =
    "how flows are counted, for policies that go by their number; the paper does not say";

/// The count of a scheduler that does without one.
pub(super) const OFF: Param = Param::with_default("count", WORDS, "off", DOC).or_off("off");

/// The count of a scheduler that goes by it.
pub(super) const ON: Param = Param::with_default("count", WORDS, "exact", DOC).or_off("off");

/// The places of a table.
pub(super) const PLACES: Param = Param::with_default(
    "places",
    ParamUnit::Count,
    "4096",
    "flows that the table of a class holds, with count = \"exact\"; 48 B each; assumed",
)
.beside("count", &["exact"]);

/// How long a silent flow stays in a table.
pub(super) const SILENCE: Param = Param::with_default(
    "silence",
    ParamUnit::Time,
    "10 ms",
    "a flow of which nothing came for so long leaves, with count = \"exact\"; assumed",
)
.beside("count", &["exact"]);

/// The bits of a bitmap.
pub(super) const BITS: Param = Param::with_default(
    "bits",
    ParamUnit::Count,
    "1024",
    "bits of each of a class's two bitmaps, with count = \"approximate\"; assumed",
)
.beside("count", &["approximate"]);

/// How long a bitmap is filled.
pub(super) const WINDOW: Param = Param::with_default(
    "window",
    ParamUnit::Time,
    "2 ms",
    "a silent flow leaves after one to two of these, with count = \"approximate\"; 250 kB at 1 Gbps; assumed",
)
.beside("count", &["approximate"]);

/// What the table of a flow says of a packet that waits: its place there, or [`Seat::NONE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seat(u32);

impl Seat {
    /// It is of no flow that the table knows.
    pub const NONE: Seat = Seat(u32::MAX);
}

/// The flows of a port, class by class.
#[derive(Debug)]
pub(super) enum Flows {
    Off,
    Exact(Tables),
    Approximate(Box<[Approximate]>),
}

/// A table for each class.
#[derive(Debug)]
pub(super) struct Tables {
    of: Box<[Exact]>,
    /// In none of them has anybody been silent for too long before.
    due: Time,
}

impl Tables {
    /// What was silent for too long leaves, of all classes.
    #[inline]
    fn age(&mut self, now: Time) {
        if now >= self.due {
            self.leave_silent(now);
        }
    }

    #[cold]
    #[inline(never)]
    fn leave_silent(&mut self, now: Time) {
        self.of.iter_mut().for_each(|table| table.age(now));
        let due = self.of.iter().map(Exact::due).min();
        self.due = due.unwrap_or(Time::MAX);
    }

    /// A packet that brings its flow in has come. Says the flow's place, if there is one.
    #[inline(always)]
    fn see(&mut self, class: usize, pkt: &Packet, now: Time) -> Option<u32> {
        let (key, opens) = (key(pkt), pkt.kind() == Kind::Syn);
        match self.of[class].see_again(key, opens, now) {
            None => self.see_other(class, key, opens, now),
            place => place,
        }
    }

    #[inline(never)]
    fn see_other(&mut self, class: usize, key: u64, opens: bool, now: Time) -> Option<u32> {
        let table = &mut self.of[class];
        let place = table.see(key, opens, now);
        self.due = self.due.min(table.due());
        place
    }
}

impl Flows {
    /// For so many classes, of a scheduler with these parameters on a switch with `ports` ports.
    pub fn build(values: &Values, classes: usize, ports: u16) -> Result<Flows, Refusal> {
        Ok(match values.word_or_off("count").as_deref() {
            None => Flows::Off,
            Some("exact") => {
                let one = Exact::build(values, classes, ports)?;
                Flows::Exact(Tables {
                    of: vec![one; classes].into(),
                    due: Time::MAX,
                })
            }
            Some(_) => {
                let one = Approximate::build(values)?;
                Flows::Approximate(vec![one; classes].into())
            }
        })
    }

    #[inline]
    pub fn counts(&self) -> bool {
        !matches!(self, Flows::Off)
    }

    /// A packet of `class` has come; whether it joins is open. What has been silent for too long leaves, of all classes.
    /// Says how many flows are in `class` then.
    #[inline(always)]
    pub fn see(&mut self, class: usize, pkt: &Packet, now: Time) -> u32 {
        match self {
            Flows::Off => 0,
            Flows::Exact(tables) => {
                tables.age(now);
                if brings(pkt) {
                    tables.see(class, pkt, now);
                }
                tables.of[class].flows()
            }
            Flows::Approximate(maps) => {
                see_about(maps, class, pkt, now);
                maps[class].flows()
            }
        }
    }

    /// A packet joins `class`, which was seen right before, if at all.
    #[inline]
    pub fn joins_seen(&mut self, class: usize, pkt: &Packet) -> Seat {
        let Flows::Exact(tables) = self else {
            return Seat::NONE;
        };
        let table = &mut tables.of[class];
        if !brings(pkt) {
            table.hear(pkt);
            return Seat::NONE;
        }
        let place = table.find(key(pkt));
        place.map_or(Seat::NONE, |at| table.joins(at, ends(pkt)))
    }

    /// A packet comes and joins `class`.
    #[inline(always)]
    pub fn joins(&mut self, class: usize, pkt: &Packet, now: Time) -> Seat {
        match self {
            Flows::Off => Seat::NONE,
            Flows::Exact(tables) => {
                tables.age(now);
                if !brings(pkt) {
                    tables.of[class].hear(pkt);
                    return Seat::NONE;
                }
                match tables.see(class, pkt, now) {
                    Some(at) => tables.of[class].joins(at, ends(pkt)),
                    None => Seat::NONE,
                }
            }
            Flows::Approximate(maps) => {
                see_about(maps, class, pkt, now);
                Seat::NONE
            }
        }
    }

    /// Would [`Flows::passes`] do nothing, since the packet was seen right before and ends no flow?
    #[inline(always)]
    pub fn has_just_seen(&self, class: usize, pkt: &Packet, now: Time) -> bool {
        let Flows::Exact(tables) = self else {
            return false;
        };
        if now >= tables.due || pkt.ends() {
            return false;
        }
        if !brings(pkt) {
            return true;
        }
        let opens_or_ends = pkt.kind() == Kind::Syn || pkt.tag().last();
        !opens_or_ends && tables.of[class].is_last(key(pkt), now)
    }

    /// A packet comes, joins `class` where nothing waits, and leaves it at once.
    #[inline(always)]
    pub fn passes(&mut self, class: usize, pkt: &Packet, now: Time) {
        match self {
            Flows::Off => {}
            Flows::Exact(tables) => {
                tables.age(now);
                if !brings(pkt) {
                    tables.of[class].hear(pkt);
                } else if let Some(at) = tables.see(class, pkt, now) {
                    tables.of[class].passes(at, ends(pkt));
                }
            }
            Flows::Approximate(maps) => see_about(maps, class, pkt, now),
        }
    }

    /// The packet of this seat leaves `class`.
    #[inline]
    pub fn leaves(&mut self, class: usize, seat: Seat) {
        if let Flows::Exact(tables) = self
            && seat != Seat::NONE
        {
            tables.of[class].leaves(seat);
        }
    }

    /// How many flows are in `class`, as of the last packet that was seen.
    #[inline]
    pub fn of(&self, class: usize) -> u32 {
        match self {
            Flows::Off => 0,
            Flows::Exact(tables) => tables.of[class].flows(),
            Flows::Approximate(maps) => maps[class].flows(),
        }
    }
}

impl Exact {
    /// A packet joins that brings no flow in, and may end one.
    #[inline]
    fn hear(&mut self, pkt: &Packet) {
        if pkt.ends() {
            self.ends(key(pkt));
        }
    }
}

#[inline(never)]
fn see_about(maps: &mut [Approximate], class: usize, pkt: &Packet, now: Time) {
    maps.iter_mut().for_each(|map| map.age(now));
    if brings(pkt) {
        maps[class].see(key(pkt));
    }
}

/// Does the packet bring its flow in?
#[inline]
fn brings(pkt: &Packet) -> bool {
    // Of the two bits of a kind one says that it answers: without a jump by all four.
    let kind = pkt.kind() as u8;
    kind & Kind::Ack as u8 == 0 && (kind != Kind::Data as u8 || pkt.len > 0)
}

/// Does the packet end its flow?
#[inline]
fn ends(pkt: &Packet) -> bool {
    pkt.ends() || pkt.kind() == Kind::Data && pkt.len > 0 && pkt.tag().last()
}

#[inline]
fn key(pkt: &Packet) -> u64 {
    u64::from(pkt.flow.0) << 32 | u64::from(pkt.hash)
}

#[cfg(test)]
mod tests;
