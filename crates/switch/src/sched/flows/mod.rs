//! Number of flows in each class of a port: `wps` derives weights from it, `mulbuff` queue sizes.
//!
//! **Decision**     which packets count. Data and SYNs count for their flow. Acknowledgements do not: their
//!                  flow is that of the data they acknowledge, at another port. A flow ends with a packet
//!                  marked as its last ([`Packet::ends`], or the tag of a marking shim).
//! **State**        none here: [`exact`] has a table per class, [`approximate`] two bitmaps.
//! **Units**        flows.
//! **Errors**       a flow for which a table has no place is not counted: the count stops at the number of
//!                  places.
//! **Source**       Mushtaq et al., SIGCOMM 2014 (MulBuff): buffers follow flows that come and depart. The
//!                  paper does not say how a switch detects flows.
//! **Deviations**   all of this is *assumed*. A flow is identified by its number and the hash of its 5-tuple.
//!                  Real frames have no number, so two connections with one hash are one flow there.

pub(super) mod approximate;
pub(super) mod exact;

use approximate::{Approximate, MOST_BITS};
use exact::{Exact, FlowLookup, MOST_PLACES};
use sidestep_types::{Kind, Packet, Refusal, Settings, Time, Words};

/// Settings of the flow count, for a scheduler that does not need it.
#[derive(Clone, Settings)]
pub struct Counting {
    /// method of counting flows, for policies that use their number; the paper does not say
    #[setting(default = "off", off = "off")]
    pub(super) count: Option<Count>,
    #[setting(flatten)]
    pub(super) by: CountBy,
}

/// Method of counting flows.
#[derive(Clone, Copy, Words)]
pub enum Count {
    /// A table.
    Exact,
    /// Two bitmaps.
    Approximate,
}

/// Sizes of tables and bitmaps, and the times for which they remember flows.
#[derive(Clone, Settings)]
pub struct CountBy {
    /// flows that the table of a class can hold, with count = "exact"; 48 B each; assumed
    #[setting(default = "4096", range = 1..=MOST_PLACES, beside(count = "exact"))]
    places: u32,
    /// time without packets after which a flow no longer counts, with count = "exact"; assumed
    #[setting(default = "10 ms", above = 0, beside(count = "exact"))]
    silence: Time,
    /// bits in each of the two bitmaps of a class, with count = "approximate"; assumed
    #[setting(default = "1024", range = 1..=MOST_BITS, beside(count = "approximate"))]
    bits: u32,
    /// window; a flow without packets no longer counts after one to two, with count = "approximate"; 250 kB at
    /// 1 Gbps; assumed
    #[setting(default = "2 ms", above = 0, beside(count = "approximate"))]
    window: Time,
}

/// Flow counts of a port, per class.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Flows {
    Off,
    Exact(Tables),
    Approximate(Box<[Approximate]>),
}

/// Flow tables of a port, one per class.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Tables {
    of: Box<[Exact]>,
    /// Time before which no flow of any table can have been silent for too long.
    due: Time,
    shown: LastCounted,
}

/// Latest packet that counted for its flow, and the place of that flow, which need not be searched again when
/// the packet joins.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct LastCounted {
    key: u64,
    at: Time,
    class: usize,
    place: Option<u32>,
    /// True if the last packet of the flow came before.
    ends: bool,
}

/// Flow of a data packet that has arrived.
pub(super) struct Placed {
    place: u32,
    /// Number of flows in the class, including this one.
    pub flows: u32,
    /// True if the last packet of the flow came before.
    ends: bool,
}

impl Tables {
    /// Removes flows that were silent for too long, in all classes.
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

    /// Counts the flow of a packet that has arrived. `waiting` is the number of packets of `class` that wait,
    /// if the table does not know it yet. Returns the number of flows in `class` afterwards.
    #[inline(always)]
    fn see(&mut self, class: usize, waiting: Option<u32>, pkt: &Packet, now: Time) -> u32 {
        let (key, opens) = (key(pkt), pkt.kind() == Kind::Syn);
        let table = &mut self.of[class];
        if let Some(waiting) = waiting {
            table.left(waiting);
        }
        let FlowLookup { place, young, ends } = table.see(key, opens, now);
        if !young {
            self.due = self.due.min(table.due());
        }
        self.shown = LastCounted {
            key,
            at: now,
            class,
            place,
            ends,
        };
        table.flows()
    }

    /// Returns true if the latest packet that counted was of the same flow and arrived now.
    #[inline(always)]
    fn has_shown(&self, class: usize, pkt: &Packet, now: Time) -> bool {
        let LastCounted { key: shown, at, .. } = self.shown;
        shown == key(pkt) && at == now && self.shown.class == class
    }

    /// Returns the place of the flow of a packet that counts, and counts the packet if that has not been done.
    #[inline(always)]
    fn place(&mut self, class: usize, pkt: &Packet, now: Time) -> Option<u32> {
        if !self.has_shown(class, pkt, now) {
            self.see_late(class, pkt, now);
        }
        self.shown.place
    }

    #[inline(never)]
    fn see_late(&mut self, class: usize, pkt: &Packet, now: Time) {
        self.see(class, None, pkt, now);
    }
}

impl Flows {
    /// Creates the counts for `classes` classes of a port, on a switch with `ports` ports.
    pub fn build(counting: Counting, classes: usize, ports: u16) -> Result<Flows, Refusal> {
        let Counting { count, by } = counting;
        Ok(match count {
            None => Flows::Off,
            Some(Count::Exact) => {
                let one = Exact::build(by.places, by.silence, classes, ports)?;
                Flows::Exact(Tables {
                    of: vec![one; classes].into(),
                    due: Time::MAX,
                    shown: LastCounted {
                        key: 0,
                        at: Time::MAX,
                        class: 0,
                        place: None,
                        ends: false,
                    },
                })
            }
            Some(Count::Approximate) => {
                let one = Approximate::new(by.bits, by.window);
                Flows::Approximate(vec![one; classes].into())
            }
        })
    }

    #[inline]
    pub fn counts(&self) -> bool {
        !matches!(self, Flows::Off)
    }

    /// Counts the flow of a packet of `class` that has arrived, and may join or not. Removes flows that were
    /// silent for too long, in all classes. Returns the number of flows in `class` afterwards.
    #[inline(always)]
    pub fn see(&mut self, class: usize, pkt: &Packet, now: Time) -> u32 {
        match self {
            Flows::Off => 0,
            Flows::Exact(tables) => {
                tables.age(now);
                match brings(pkt) {
                    true => tables.see(class, None, pkt, now),
                    false => tables.of[class].flows(),
                }
            }
            Flows::Approximate(maps) => {
                see_about(maps, class, pkt, now);
                maps[class].flows()
            }
        }
    }

    /// Counts a packet like [`Flows::see`], while `waiting` packets of `class` wait. If [`Flows::is_due`], the
    /// caller must call `left` first.
    #[inline(always)]
    pub fn see_behind(&mut self, class: usize, waiting: u32, pkt: &Packet, now: Time) -> u32 {
        match self {
            Flows::Exact(tables) if now < tables.due && brings(pkt) => {
                tables.see(class, Some(waiting), pkt, now)
            }
            _ => self.see_behind_others(class, waiting, pkt, now),
        }
    }

    #[inline(never)]
    fn see_behind_others(&mut self, class: usize, waiting: u32, pkt: &Packet, now: Time) -> u32 {
        self.left(class, waiting);
        self.see(class, pkt, now)
    }

    /// Records that a packet joins `class`; it was shown right before, if at all.
    #[inline]
    pub fn joins_seen(&mut self, class: usize, pkt: &Packet) {
        let Flows::Exact(tables) = self else {
            return;
        };
        let table = &mut tables.of[class];
        table.some_join(1);
        if !brings(pkt) {
            table.on_arrival(pkt);
        } else if let Some(at) = table.find(key(pkt)) {
            table.joins(at, ends(pkt));
        }
    }

    /// Counts a packet that arrives now and joins `class`.
    #[inline(always)]
    pub fn joins(&mut self, class: usize, pkt: &Packet, now: Time) {
        match self {
            Flows::Off => {}
            Flows::Exact(tables) => {
                tables.age(now);
                tables.of[class].some_join(1);
                if !brings(pkt) {
                    tables.of[class].on_arrival(pkt);
                } else if let Some(at) = tables.place(class, pkt, now) {
                    tables.of[class].joins(at, ends(pkt));
                }
            }
            Flows::Approximate(maps) => see_about(maps, class, pkt, now),
        }
    }

    /// Returns true if [`Flows::passes`] would do nothing: the packet was shown right before and ends no flow,
    /// or counts for none.
    #[inline(always)]
    pub fn passes_unheard(&self, class: usize, pkt: &Packet, now: Time) -> bool {
        let tables = match self {
            Flows::Off => return true,
            Flows::Exact(tables) => tables,
            Flows::Approximate(_) => return false,
        };
        if now >= tables.due || pkt.ends() {
            return false;
        }
        !brings(pkt) || tables.has_shown(class, pkt, now) && !tables.shown.ends && !ends(pkt)
    }

    /// Counts a packet that arrives now, joins `class` while nothing waits there, and leaves at once.
    #[inline(always)]
    pub fn passes(&mut self, class: usize, pkt: &Packet, now: Time) {
        match self {
            Flows::Off => {}
            Flows::Exact(tables) => {
                tables.age(now);
                if !brings(pkt) {
                    tables.of[class].on_arrival(pkt);
                } else if let Some(at) = tables.place(class, pkt, now) {
                    tables.of[class].passes(at, ends(pkt));
                }
            }
            Flows::Approximate(maps) => see_about(maps, class, pkt, now),
        }
    }

    /// Counts the flow of a data packet of `class` that has arrived, while `waiting` packets of it wait and
    /// [`Flows::is_due`] is false. Returns `None` if the flow has no place or flows are not counted in a table;
    /// [`Flows::see`] repeats whatever was done then.
    #[inline(always)]
    pub fn see_data(
        &mut self,
        class: usize,
        waiting: u32,
        pkt: &Packet,
        now: Time,
    ) -> Option<Placed> {
        debug_assert!(pkt.carries_data());
        let Flows::Exact(tables) = self else {
            return None;
        };
        let table = &mut tables.of[class];
        table.left(waiting);
        let FlowLookup { place, young, ends } = table.see(key(pkt), false, now);
        if !young {
            tables.due = tables.due.min(table.due());
        }
        tables.shown.at = Time::MAX;
        Some(Placed {
            place: place?,
            flows: table.flows(),
            ends,
        })
    }

    /// Records that the packet joins, or passes if nothing is before it (`alone`).
    #[inline(always)]
    pub fn join_placed(&mut self, class: usize, came: Placed, alone: bool, pkt: &Packet) {
        let Flows::Exact(tables) = self else {
            return;
        };
        let table = &mut tables.of[class];
        let last = pkt.ends() || pkt.tag().last();
        if !alone {
            table.some_join(1);
            table.joins(came.place, last);
        } else if came.ends || last {
            table.passes(came.place, last);
        }
    }

    /// Returns true if flows are counted in a table and the packet, which has no data, counts for no flow and
    /// ends none.
    #[inline(always)]
    pub fn ignores(&self, pkt: &Packet) -> bool {
        matches!(self, Flows::Exact(_)) && !brings(pkt) && !pkt.ends()
    }

    /// Records that `packets` packets join `class` that count for no flow and end none.
    #[inline(always)]
    pub fn join_ignored(&mut self, class: usize, packets: u32) {
        if let Flows::Exact(tables) = self {
            tables.of[class].some_join(packets);
        }
    }

    /// Removes flows that were silent for too long.
    pub fn age(&mut self, now: Time) {
        if let Flows::Exact(tables) = self {
            tables.age(now);
        }
    }

    /// Records that, of the packets that joined `class`, only the last `waiting` still wait.
    #[inline(always)]
    pub fn left(&mut self, class: usize, waiting: u32) {
        if let Flows::Exact(tables) = self {
            tables.of[class].left(waiting);
        }
    }

    /// Returns true if [`Flows::see`] may do anything. Bitmaps may begin a new window at any packet.
    #[inline(always)]
    pub fn must_see(&self, pkt: &Packet, now: Time) -> bool {
        match self {
            Flows::Off => false,
            Flows::Exact(tables) => now >= tables.due || brings(pkt),
            Flows::Approximate(_) => true,
        }
    }

    /// Returns true if a flow may have been silent for too long. [`Flows::see`] then depends on the packets
    /// that wait, in all classes.
    #[inline(always)]
    pub fn is_due(&self, now: Time) -> bool {
        matches!(self, Flows::Exact(tables) if now >= tables.due)
    }

    /// Returns the number of flows in `class`, as of the latest packet shown.
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
    /// Records that a packet joins that counts for no flow; it may end one.
    #[inline]
    fn on_arrival(&mut self, pkt: &Packet) {
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

/// Returns true if the packet counts for its flow.
#[inline]
fn brings(pkt: &Packet) -> bool {
    // One of the two bits of a kind marks an answer: a test of this bit avoids a jump by all four kinds.
    let kind = pkt.kind() as u8;
    kind & Kind::Ack as u8 == 0 && (kind != Kind::Data as u8 || pkt.len > 0)
}

/// Returns true if the packet ends its flow.
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
