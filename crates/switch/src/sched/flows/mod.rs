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

use approximate::{Approximate, MOST_BITS};
use exact::{Exact, MOST_PLACES, Seen};
use sidestep_types::{Kind, Packet, Refusal, Settings, Time, Words};

/// How flows are counted, for a scheduler that does without.
#[derive(Clone, Settings)]
pub struct Counting {
    /// how flows are counted, for policies that go by their number; the paper does not say
    #[setting(default = "off", off = "off")]
    pub(super) count: Option<Count>,
    #[setting(flatten)]
    pub(super) by: CountBy,
}

/// The ways to count flows.
#[derive(Clone, Copy, Words)]
pub enum Count {
    /// A table.
    Exact,
    /// Two bitmaps.
    Approximate,
}

/// How large tables and bitmaps are, and how long they remember.
#[derive(Clone, Settings)]
pub struct CountBy {
    /// flows that the table of a class holds, with count = "exact"; 48 B each; assumed
    #[setting(default = "4096", range = 1..=MOST_PLACES, beside(count = "exact"))]
    places: u32,
    /// a flow of which nothing came for so long leaves, with count = "exact"; assumed
    #[setting(default = "10 ms", above = 0, beside(count = "exact"))]
    silence: Time,
    /// bits of each of a class's two bitmaps, with count = "approximate"; assumed
    #[setting(default = "1024", range = 1..=MOST_BITS, beside(count = "approximate"))]
    bits: u32,
    /// a silent flow leaves after one to two of these, with count = "approximate"; 250 kB at 1 Gbps; assumed
    #[setting(default = "2 ms", above = 0, beside(count = "approximate"))]
    window: Time,
}

/// The flows of a port, class by class.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Flows {
    Off,
    Exact(Tables),
    Approximate(Box<[Approximate]>),
}

/// A table for each class.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Tables {
    of: Box<[Exact]>,
    /// In none of them has anybody been silent for too long before.
    due: Time,
    shown: Shown,
}

/// The packet that was seen last, of those that bring their flow in, and the flow's place: so that it is not sought again
/// when that packet joins.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Shown {
    key: u64,
    at: Time,
    class: usize,
    place: Option<u32>,
    /// The flow's last packet has come before.
    ends: bool,
}

/// The flow of a packet with data that has come.
pub(super) struct Placed {
    place: u32,
    /// How many are in its class, its own among them.
    pub flows: u32,
    /// Its last packet has come before.
    ends: bool,
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

    /// A packet that brings its flow in has come, and so many of `class` wait, if that is not known already. Says how many
    /// flows are in `class` then.
    #[inline(always)]
    fn see(&mut self, class: usize, waiting: Option<u32>, pkt: &Packet, now: Time) -> u32 {
        let (key, opens) = (key(pkt), pkt.kind() == Kind::Syn);
        let table = &mut self.of[class];
        if let Some(waiting) = waiting {
            table.left(waiting);
        }
        let Seen { place, young, ends } = table.see(key, opens, now);
        if !young {
            self.due = self.due.min(table.due());
        }
        self.shown = Shown {
            key,
            at: now,
            class,
            place,
            ends,
        };
        table.flows()
    }

    /// Was a packet of the same flow the last that was seen, now?
    #[inline(always)]
    fn has_shown(&self, class: usize, pkt: &Packet, now: Time) -> bool {
        let Shown { key: shown, at, .. } = self.shown;
        shown == key(pkt) && at == now && self.shown.class == class
    }

    /// The place of the flow of a packet that brings it in: seen already, or now.
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
    /// For so many classes of a port, on a switch with `ports` ports.
    pub fn build(counting: Counting, classes: usize, ports: u16) -> Result<Flows, Refusal> {
        let Counting { count, by } = counting;
        Ok(match count {
            None => Flows::Off,
            Some(Count::Exact) => {
                let one = Exact::build(by.places, by.silence, classes, ports)?;
                Flows::Exact(Tables {
                    of: vec![one; classes].into(),
                    due: Time::MAX,
                    shown: Shown {
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

    /// A packet of `class` has come; whether it joins is open. What has been silent for too long leaves, of all classes.
    /// Says how many flows are in `class` then.
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

    /// The same, where so many of `class` wait. Where somebody may have been silent for too long, `left` is called first.
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

    /// A packet joins `class`, which was seen right before, if at all.
    #[inline]
    pub fn joins_seen(&mut self, class: usize, pkt: &Packet) {
        let Flows::Exact(tables) = self else {
            return;
        };
        let table = &mut tables.of[class];
        table.some_join(1);
        if !brings(pkt) {
            table.hear(pkt);
        } else if let Some(at) = table.find(key(pkt)) {
            table.joins(at, ends(pkt));
        }
    }

    /// A packet comes and joins `class`.
    #[inline(always)]
    pub fn joins(&mut self, class: usize, pkt: &Packet, now: Time) {
        match self {
            Flows::Off => {}
            Flows::Exact(tables) => {
                tables.age(now);
                tables.of[class].some_join(1);
                if !brings(pkt) {
                    tables.of[class].hear(pkt);
                } else if let Some(at) = tables.place(class, pkt, now) {
                    tables.of[class].joins(at, ends(pkt));
                }
            }
            Flows::Approximate(maps) => see_about(maps, class, pkt, now),
        }
    }

    /// Would [`Flows::passes`] do nothing, since the packet was seen right before and ends no flow, or brings none?
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

    /// A packet comes, joins `class` where nothing waits, and leaves it at once.
    #[inline(always)]
    pub fn passes(&mut self, class: usize, pkt: &Packet, now: Time) {
        match self {
            Flows::Off => {}
            Flows::Exact(tables) => {
                tables.age(now);
                if !brings(pkt) {
                    tables.of[class].hear(pkt);
                } else if let Some(at) = tables.place(class, pkt, now) {
                    tables.of[class].passes(at, ends(pkt));
                }
            }
            Flows::Approximate(maps) => see_about(maps, class, pkt, now),
        }
    }

    /// A packet with data of `class` has come, while so many of that wait and nobody [`is due`](Flows::is_due): its flow
    /// is in. `None` where it takes longer to tell; nothing was done then that [`Flows::see`] would not do again.
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
        let Seen { place, young, ends } = table.see(key(pkt), false, now);
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

    /// It joins, or passes where nothing is before it (`alone`).
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

    /// Does a packet without data bring no flow in and end none, in a table?
    #[inline(always)]
    pub fn ignores(&self, pkt: &Packet) -> bool {
        matches!(self, Flows::Exact(_)) && !brings(pkt) && !pkt.ends()
    }

    /// So many packets join `class` that bring no flow in and end none.
    #[inline(always)]
    pub fn join_ignored(&mut self, class: usize, packets: u32) {
        if let Flows::Exact(tables) = self {
            tables.of[class].some_join(packets);
        }
    }

    /// What was silent for too long leaves.
    pub fn age(&mut self, now: Time) {
        if let Flows::Exact(tables) = self {
            tables.age(now);
        }
    }

    /// Of the packets that joined `class` so many still wait, those that came last.
    #[inline(always)]
    pub fn left(&mut self, class: usize, waiting: u32) {
        if let Flows::Exact(tables) = self {
            tables.of[class].left(waiting);
        }
    }

    /// Does [`Flows::see`] do anything? Bitmaps may begin another window.
    #[inline(always)]
    pub fn heed(&self, pkt: &Packet, now: Time) -> bool {
        match self {
            Flows::Off => false,
            Flows::Exact(tables) => now >= tables.due || brings(pkt),
            Flows::Approximate(_) => true,
        }
    }

    /// Might somebody have been silent for too long? Then [`Flows::see`] goes by who waits, of all classes.
    #[inline(always)]
    pub fn is_due(&self, now: Time) -> bool {
        matches!(self, Flows::Exact(tables) if now >= tables.due)
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
