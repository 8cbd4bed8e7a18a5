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
    Exact(Box<[Exact]>),
    Approximate(Box<[Approximate]>),
}

impl Flows {
    /// For so many classes, of a scheduler with these parameters on a switch with `ports` ports.
    pub fn build(values: &Values, classes: usize, ports: u16) -> Result<Flows, Refusal> {
        Ok(match values.word_or_off("count").as_deref() {
            None => Flows::Off,
            Some("exact") => {
                let one = Exact::build(values, classes, ports)?;
                Flows::Exact(vec![one; classes].into())
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
    pub fn see(&mut self, class: usize, pkt: &Packet, now: Time) {
        match self {
            Flows::Off => {}
            Flows::Exact(tables) => {
                tables.iter_mut().for_each(|table| table.age(now));
                if brings(pkt) {
                    tables[class].see(key(pkt), pkt.kind() == Kind::Syn, now);
                }
            }
            Flows::Approximate(maps) => {
                maps.iter_mut().for_each(|map| map.age(now));
                if brings(pkt) {
                    maps[class].see(key(pkt));
                }
            }
        }
    }

    /// A packet joins `class`, which was seen right before.
    #[inline]
    pub fn joins(&mut self, class: usize, pkt: &Packet) -> Seat {
        match self {
            Flows::Exact(tables) if brings(pkt) || ends(pkt) => {
                tables[class].joins(key(pkt), brings(pkt), ends(pkt))
            }
            _ => Seat::NONE,
        }
    }

    /// A packet joins `class`, which was seen right before, and leaves it at once.
    #[inline]
    pub fn passes(&mut self, class: usize, pkt: &Packet) {
        match self {
            Flows::Exact(tables) if ends(pkt) || brings(pkt) => {
                tables[class].passes(key(pkt), ends(pkt));
            }
            _ => {}
        }
    }

    /// The packet of this seat leaves `class`.
    #[inline]
    pub fn leaves(&mut self, class: usize, seat: Seat) {
        if let Flows::Exact(tables) = self
            && seat != Seat::NONE
        {
            tables[class].leaves(seat);
        }
    }

    /// How many flows are in `class`, as of the last packet that was seen.
    #[inline]
    pub fn of(&self, class: usize) -> u32 {
        match self {
            Flows::Off => 0,
            Flows::Exact(tables) => tables[class].flows(),
            Flows::Approximate(maps) => maps[class].flows(),
        }
    }
}

/// Does the packet bring its flow in?
#[inline]
fn brings(pkt: &Packet) -> bool {
    match pkt.kind() {
        Kind::Data => pkt.len > 0,
        Kind::Syn => true,
        Kind::Ack | Kind::SynAck => false,
    }
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
