//! Links and the queues before them: the only way from one entity to another.
//!
//! A directed link belongs to the port that feeds it. Its packets form one line
//! ([`sidestep_switch::ports`] says how a queue behaves). Since a FIFO port knows a packet's
//! departure when it is queued, the agenda holds only the arrival of the line's head: one
//! event a hop. Ports whose scheduler is not FIFO take a second event, the end of a
//! transmission, when something waits behind it; with pauses they always do. Here are the clock,
//! the agenda and the wires; `pauses` and `crossings` are the events that only some networks have, and
//! `changes` is what happens to a link between two events.

mod border;
mod by_class;
mod changes;
mod crossings;
mod link;
mod pauses;
mod saved;

pub(crate) use link::Link;
pub(crate) use saved::Pending;

use crate::agenda::{Agenda, Slots};
use crate::cioq::Cioq;
use crate::config::SwitchConfig;
use crate::indexed::Table;
use crate::layout::{Far, Laid, LinkEnds};
use crate::pfc::Pfc;
use crate::pool::{NONE, Pool};
use sidestep_switch::ports::{Due, Ranked, Wire};
use sidestep_switch::sched::fifo::Fifo;
use sidestep_switch::{AnySched, Depth};
use sidestep_types::{Framing, HEADER_BYTES, Longest, Packet, PortId, Seed, Time};
use std::hint::cold_path;

/// Set in the tie of everything but ends of transmission and crossings, which come first.
const LATE: u32 = 1 << 31;

/// The tie of ends of transmission, which come before crossings as well: an end that is not planned
/// is seen by whatever comes at the same instant.
const ENDS: u32 = 0;

/// What of the links a switch looks at only when a policy asks.
#[derive(serde::Serialize, serde::Deserialize)]
pub(crate) struct Wiring {
    pub wires: Table<Wire>,
    /// Per link: the port by which its packets come in at the far end; 0 at a host.
    #[serde(skip)]
    pub ingress: Table<PortId>,
    /// Per link; empty when every port is FIFO.
    queues: Table<Queue>,
}

/// What is before a link, beside its line.
// In a box what every packet of a ranked port looks at would be one load farther.
#[allow(clippy::large_enum_variant)]
#[derive(serde::Serialize, serde::Deserialize)]
enum Queue {
    /// Nothing.
    Fifo,
    /// An explicit queue.
    Ranked(Ranked),
    /// The link is down.
    Dead(Box<Dead>),
}

/// A link that is down.
#[derive(serde::Serialize, serde::Deserialize)]
struct Dead {
    /// What is before it when it is up; never [`Queue::Dead`].
    #[serde(deserialize_with = "saved::alive")]
    else_: Queue,
    /// What was sent to it at this instant.
    swallowed: Vec<u32>,
}

impl Wiring {
    /// The explicit queue of `link`; `None` when it is FIFO.
    pub fn ranked(&self, link: u32) -> Option<&Ranked> {
        if self.queues.is_empty() {
            return None;
        }
        match &self.queues[link] {
            Queue::Ranked(ranked) => Some(ranked),
            Queue::Fifo | Queue::Dead(_) => None,
        }
    }

    /// The same, to be changed.
    pub fn ranked_mut(&mut self, link: u32) -> Option<&mut Ranked> {
        if self.queues.is_empty() {
            return None;
        }
        match &mut self.queues[link] {
            Queue::Ranked(ranked) => Some(ranked),
            Queue::Fifo | Queue::Dead(_) => None,
        }
    }
}

/// All links, their packets and the agenda.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(bound(serialize = "", deserialize = "A: Agenda"))]
pub(crate) struct Fabric<A> {
    /// Kept as what is pending, beside it.
    #[serde(skip, default = "no_agenda")]
    pub agenda: A,
    pub pool: Pool,
    pub links: Table<Link>,
    pub wiring: Wiring,
    /// Pauses between switches, and what is between the inputs and outputs of one, if anything.
    pfc: Option<Box<Pfc>>,
    cioq: Option<Box<Cioq>>,
    pub inside: Inside,
    /// Ranked ports plan every end of a transmission.
    every_end: bool,
    pub unbuffered: u32,
    pub now: Time,
    pub hash: u64,
    salt: u64,
    hosts: u32,
    /// What a packet without payload costs on a link.
    header_wire: u16,
}

/// What is inside switches, beside queues that are first in, first out.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub(crate) enum Inside {
    /// Nothing, or queues in the order of ranks.
    Plain,
    /// Queues by class, at some ports.
    Classes,
    /// Pauses, crossings, or ranks of their own: what comes in is watched.
    Watched,
}

impl Inside {
    /// This is there as well.
    pub fn has(&mut self, also: Inside) {
        *self = (*self).max(also);
    }
}

fn no_agenda<A: Agenda>() -> A {
    A::new(Slots::new(0))
}

/// What came out of the agenda.
pub(crate) enum Happening {
    /// A parcel reached the far end of a link.
    Arrival { link: u32, parcel: u32 },
    /// A host has something due.
    Wake { host: u32 },
    /// A transmission or a crossing ended, or a pause arrived; it is dealt with already. Or packets
    /// were sent to the link `lost`, which is down; otherwise that is [`NONE`].
    Sent { lost: u32 },
}

impl<A: Agenda> Fabric<A> {
    /// Links as they are laid, and `hosts` hosts with a slot of their own.
    pub fn new(
        laid: &[Laid],
        ends: &[LinkEnds],
        hosts: u32,
        switch: &SwitchConfig,
        framing: Framing,
        longest: Longest,
        seed: Seed,
    ) -> Fabric<A> {
        let wires: Vec<Wire> = laid.iter().map(|l| Wire::new(l.0, l.1)).collect();
        let fars: Vec<Far> = laid.iter().map(|l| l.2).collect();
        let mut kinds: Vec<Wire> = Vec::new();
        let link = |(wire, far): (&Wire, &Far)| {
            let known = kinds.iter().position(|w| w == wire);
            let index = known.unwrap_or_else(|| {
                kinds.push(*wire);
                kinds.len() - 1
            });
            Link::new(*far, index as u32)
        };
        let links: Vec<Link> = wires.iter().zip(&fars).map(link).collect();
        let pfc = (switch.pfc).map(|pfc| Pfc::new(pfc, &wires, &fars, ends, framing, longest));
        let cioq = (switch.cioq).map(|cioq| Cioq::new(cioq, &wires, ends));
        let inner = pfc.is_some() || cioq.is_some();
        // One for each link's arrivals, each host, each link's ends of transmission, and where
        // there are any each link's pauses or crossings.
        let slots = links.len() * (2 + usize::from(inner)) + hosts as usize;
        let mut fabric = Fabric {
            agenda: A::new(Slots::new(slots)),
            pool: Pool::new(),
            links: Table::new(links),
            wiring: Wiring {
                wires: Table::new(kinds),
                ingress: Table::new(laid.iter().map(|l| l.3).collect()),
                queues: Table::new(Vec::new()),
            },
            pfc: pfc.map(Box::new),
            cioq: cioq.map(Box::new),
            inside: match inner {
                true => Inside::Watched,
                false => Inside::Plain,
            },
            every_end: switch.pfc.is_some(),
            unbuffered: framing.unbuffered(),
            header_wire: framing.wire(HEADER_BYTES + longest.adds) as u16,
            now: Time::ZERO,
            hash: 0,
            salt: seed.salt("ties"),
            hosts,
        };
        if fabric.pfc.is_some() {
            // A NIC that may be paused.
            let nics = 0..hosts;
            nics.for_each(|nic| fabric.rank(nic, AnySched::Fifo(Fifo::default())));
        }
        fabric
    }

    /// The rate and delay of a link.
    #[inline]
    pub fn wire(&self, link: u32) -> &Wire {
        &self.wiring.wires[self.links[link].wire]
    }

    /// Every packet before or on a link: its slot, the link, and when its last bit leaves or left, if that is known.
    /// Those of a link come in their order; what a scheduler holds comes last.
    pub fn parcels(&self) -> Vec<(u32, u32, Option<Time>)> {
        let mut found = Vec::new();
        for link in 0..self.links.len() as u32 {
            let mut next = self.links[link].line.head();
            while next != NONE {
                let parcel = self.pool.get(next);
                found.push((next, link, Some(parcel.departs)));
                next = parcel.next;
            }
        }
        for at in self.pool.taken() {
            let parcel = self.pool.get(at);
            if parcel.departs == Time::MAX {
                found.push((at, parcel.next, None));
            }
        }
        let crossing = self.cioq.iter().flat_map(|cioq| cioq.parcels());
        found.extend(crossing.map(|(parcel, link)| (parcel, link, None)));
        found
    }

    /// How deep the queue of `link` is now.
    #[inline]
    pub fn depth(&mut self, link: u32) -> Depth {
        self.depth_at(link, self.now)
    }

    /// The same at `at`, which no event lies before.
    #[inline]
    pub fn depth_at(&mut self, link: u32, at: Time) -> Depth {
        (self.links[link].line).settle(&self.pool, at, self.unbuffered)
    }

    /// Bytes of buffer that a parcel takes.
    #[inline]
    fn buffered(&self, parcel: u32) -> u32 {
        u32::from(self.pool.get(parcel).packet.wire) - self.unbuffered
    }

    /// The order of an entity's `count`-th event among others of the same instant: below
    /// 2³¹ are left to ends of transmission, which free room before anything arrives.
    #[inline]
    fn tie(&self, entity: u32, count: u64) -> u32 {
        let mixed =
            (self.salt ^ count ^ (u64::from(entity) << 40)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 33) as u32 | LATE
    }

    /// Queues a parcel on `link`.
    #[inline(always)]
    pub fn enqueue(&mut self, link: u32, parcel: u32) {
        if A::PART && self.agenda.border().leaves(link) {
            return self.enqueue_leaving(link, parcel);
        }
        let queues = &self.wiring.queues;
        if !queues.is_empty() {
            match &queues[link] {
                Queue::Fifo => {}
                Queue::Ranked(ranked) if ranked.is_in_line() => {
                    return self.enqueue_in_line(link, parcel);
                }
                _ => return self.enqueue_ranked(link, parcel),
            }
        }
        let bytes = self.buffered(parcel);
        let l = &mut self.links[link];
        let wire = &self.wiring.wires[l.wire];
        l.line.grow(bytes);
        if let Some(departs) = l.line.queue(&mut self.pool, wire, self.now, parcel) {
            self.plan_first(link, departs);
        }
    }

    /// Plans the arrival of a parcel that leaves an empty link. Out of line, so that the packets
    /// that queue behind others pass it by.
    #[inline(never)]
    fn plan_first(&mut self, link: u32, departs: Time) {
        if A::PART && self.agenda.border().leaves(link) {
            return;
        }
        let arrives = departs + self.wire(link).delay;
        let tie = self.tie(link, self.links[link].packets);
        self.agenda.schedule(link, arrives, tie);
    }

    /// Most packets wait in the line of a port with class queues, as at a FIFO one.
    #[inline(never)]
    fn enqueue_in_line(&mut self, link: u32, parcel: u32) {
        let at = (self.now, self.unbuffered);
        if let Queue::Ranked(ranked) = &mut self.wiring.queues[link] {
            let l = &mut self.links[link];
            if ranked.joins_line(&mut l.line, &self.pool, at, parcel) {
                let wire = &self.wiring.wires[l.wire];
                let packet = &self.pool.get(parcel).packet;
                l.line.grow(u32::from(packet.wire) - self.unbuffered);
                if let Some(departs) = l.line.queue(&mut self.pool, wire, self.now, parcel) {
                    self.plan_first(link, departs);
                }
                return;
            }
        }
        self.enqueue_ranked(link, parcel);
    }

    #[inline(never)]
    fn enqueue_ranked(&mut self, link: u32, parcel: u32) {
        let Queue::Ranked(ranked) = &mut self.wiring.queues[link] else {
            return self.swallow(link, parcel);
        };
        let l = &mut self.links[link];
        let wire = &self.wiring.wires[l.wire];
        if let Some(pfc) = &self.pfc
            && pfc.paused(link)
        {
            let packet = &self.pool.get(parcel).packet;
            l.line.grow(u32::from(packet.wire) - self.unbuffered);
            return ranked.push(&mut l.line, &mut self.pool, wire, self.now, parcel);
        }
        let at = (self.now, self.unbuffered);
        let due = ranked.queue(&mut l.line, &mut self.pool, wire, at, parcel);
        self.plan(link, due);
    }

    /// Starts the transmission of the packet that the scheduler of the idle `link` names, if any
    /// and not paused.
    fn send_next(&mut self, link: u32) {
        if self.pfc.as_ref().is_some_and(|pfc| pfc.paused(link)) {
            return;
        }
        let Queue::Ranked(ranked) = &mut self.wiring.queues[link] else {
            return;
        };
        let l = &mut self.links[link];
        let wire = &self.wiring.wires[l.wire];
        let due = ranked.start(&mut l.line, &mut self.pool, wire, self.now);
        self.plan(link, due);
    }

    /// Plans what the ranked port of `link` asks for.
    #[inline(always)]
    fn plan(&mut self, link: u32, due: Due) {
        if due.first {
            self.plan_first(link, due.departs);
        }
        if due.ends {
            let slot = self.ends_slot(link);
            self.agenda.schedule(slot, due.departs, ENDS);
        }
    }

    /// The slot of a link's ends of transmission.
    fn ends_slot(&self, link: u32) -> u32 {
        self.links.len() as u32 + self.hosts + link
    }

    /// A transmission or a crossing ended, or a pause arrived: `slot` counts from the first of these.
    /// Says to which link that is down something was sent, or [`NONE`].
    #[inline(never)]
    fn ended(&mut self, slot: u32) -> u32 {
        let links = self.links.len() as u32;
        if slot < links {
            return self.sent(slot);
        }
        if self.pfc.is_some() {
            self.frame_arrived(slot - links);
        } else {
            self.crossed(slot - links);
        }
        NONE
    }

    fn sent(&mut self, link: u32) -> u32 {
        let Queue::Ranked(ranked) = &mut self.wiring.queues[link] else {
            return link;
        };
        let l = &mut self.links[link];
        let at = (self.now, self.unbuffered);
        if self.pfc.is_some() {
            let gone = ranked.ended(&mut l.line, &self.pool, at);
            self.left(link, gone);
            self.send_next(link);
            return NONE;
        }
        let wire = &self.wiring.wires[l.wire];
        let due = ranked.next(&mut l.line, &mut self.pool, wire, at);
        self.plan(link, due);
        if A::PART && self.agenda.border().leaves(link) {
            self.mail(link, self.now);
        }
        NONE
    }

    /// The slot of a link's pauses or crossings.
    fn inner_slot(&self, link: u32) -> u32 {
        2 * self.links.len() as u32 + self.hosts + link
    }

    /// Is there room for `bytes` more where `ingress` ends?
    fn input_has_room(&self, ingress: u32, bytes: u32) -> bool {
        let pfc = self.pfc.as_ref();
        let cioq = self.cioq.as_ref();
        pfc.is_none_or(|pfc| pfc.has_room(ingress, bytes))
            && cioq.is_none_or(|cioq| cioq.has_room(self.input(ingress), bytes))
    }

    /// Does the switch where `ingress` ends have room where `parcel` came in? If not, whoever sends
    /// there may be paused.
    #[inline(never)]
    pub fn lets_in(&mut self, ingress: u32, parcel: u32) -> bool {
        let room = self.input_has_room(ingress, self.buffered(parcel));
        if !room {
            self.turned_away(ingress);
        }
        room
    }

    /// The most that the switch at the far end of `link` held of what came over it, if it was watched.
    pub fn input_peak(&self, link: u32) -> u64 {
        match (&self.pfc, &self.cioq, self.links[link].far()) {
            (Some(pfc), _, Far::Switch(_)) => pfc.peak(link),
            (_, Some(cioq), Far::Switch(_)) => cioq.peak(self.input(link)),
            _ => 0,
        }
    }

    /// Takes in a parcel that came by `ingress` and is to leave by `link`.
    #[inline(never)]
    pub fn take_in(&mut self, ingress: u32, link: u32, parcel: u32) {
        if self.cioq.is_some() {
            return self.enter(ingress, link, parcel);
        }
        self.hold(ingress, link, parcel);
        self.enqueue(link, parcel);
    }

    /// Takes the worst packet out of the queue of `link`; says which. It is the caller's to free.
    ///
    /// Panics when there is none: a buffer policy must have asked [`sidestep_switch::Queues::worst`].
    #[inline(never)]
    pub fn evict(&mut self, link: u32) -> u32 {
        let l = &mut self.links[link];
        let Some(Queue::Ranked(ranked)) = self.wiring.queues.get_mut(link as usize) else {
            panic!("a buffer policy evicted from a queue that has nothing to evict");
        };
        let wire = &self.wiring.wires[l.wire];
        let parcel = ranked.evict(&mut l.line, &mut self.pool, wire, self.unbuffered);
        // A NIC's packets came by no link.
        if self.pfc.is_some() && link >= self.hosts {
            self.release(link, parcel);
        }
        parcel
    }

    /// Cuts the payload off a parcel that is in no queue.
    pub fn trim(&mut self, parcel: u32) {
        self.pool.get_mut(parcel).packet.trim(self.header_wire);
    }

    /// Turns `link` into a port with an explicit queue.
    pub fn rank(&mut self, link: u32, sched: AnySched) {
        let mut ranked = Ranked::new(sched, link);
        if self.every_end {
            ranked.plan_every_end();
        }
        // What crosses to an output counts there, and is not in its queue.
        if self.cioq.is_some() {
            ranked.keep_apart();
        }
        if ranked.has_classes() {
            self.inside.has(Inside::Classes);
        }
        *self.queue(link) = Queue::Ranked(ranked);
    }

    /// What is before `link`, to be changed.
    fn queue(&mut self, link: u32) -> &mut Queue {
        let all = &mut self.wiring.queues;
        if all.is_empty() {
            *all = Table::new((0..self.links.len()).map(|_| Queue::Fifo).collect());
        }
        &mut all[link]
    }

    /// Ranked ports plan every end of a transmission from now on.
    pub fn plan_every_end(&mut self) {
        self.every_end = true;
        for link in 0..self.links.len() as u32 {
            let ranked = self.wiring.ranked_mut(link);
            ranked.into_iter().for_each(Ranked::plan_every_end);
        }
    }

    /// When something last happened, of what is served up to `served`: an event, or an end of a
    /// transmission that was not planned.
    pub fn latest(&self, served: Time) -> Time {
        let sent = (0..self.wiring.queues.len() as u32).filter_map(|link| {
            self.wiring.ranked(link)?;
            self.links[link].line.left_last(&self.pool, served)
        });
        let sent = sent.max();
        self.now.max(sent.unwrap_or(self.now))
    }

    /// The slot of what happens next, unless it is later than `limit`; the time moves there.
    #[inline(always)]
    pub fn next(&mut self, limit: Time) -> Option<u32> {
        let (at, slot) = self.agenda.pop_until(limit)?;
        self.now = at;
        Some(slot)
    }

    /// What the event of a slot means.
    #[inline(always)]
    pub fn happens(&mut self, slot: u32) -> Happening {
        let links = self.links.len() as u32;
        if slot < links {
            let parcel = self.take_head(slot);
            return Happening::Arrival { link: slot, parcel };
        }
        if slot < links + self.hosts {
            cold_path();
            return Happening::Wake { host: slot - links };
        }
        let lost = self.ended(slot - links - self.hosts);
        Happening::Sent { lost }
    }

    /// The head of `link` has arrived: takes it off, plans the next arrival, keeps count.
    #[inline]
    fn take_head(&mut self, link: u32) -> u32 {
        let now = self.now;
        let l = &mut self.links[link];
        let parcel = l.line.take(&self.pool, self.unbuffered);
        let p = self.pool.get(parcel);
        debug_assert!(p.departs + self.wiring.wires[l.wire].delay == now);
        l.packets += 1;
        l.wire_bytes += u64::from(p.packet.wire);
        self.hash = self.hash.wrapping_add(digest(now, link, &p.packet));
        if let Some(departs) = l.line.head_departs(&self.pool) {
            let arrives = departs + self.wiring.wires[l.wire].delay;
            let count = l.packets;
            let tie = self.tie(link, count);
            self.agenda.schedule(link, arrives, tie);
        }
        parcel
    }

    /// Plans the `count`-th wake of `host`, taking an earlier plan back when there is one.
    pub fn wake(&mut self, host: u32, at: Time, count: u64, planned: bool) {
        let slot = self.links.len() as u32 + host;
        if planned {
            self.agenda.cancel(slot);
        }
        let tie = self.tie(slot, count);
        self.agenda.schedule(slot, at, tie);
    }
}

/// One delivery's share of the trajectory hash. The shares are summed, so that the hash does
/// not depend on the order in which entities of the same instant are served.
#[inline]
fn digest(now: Time, link: u32, packet: &Packet) -> u64 {
    let a = now.ps() ^ 0x2d35_8dcc_aa6c_78a5;
    let b = (u64::from(link) << 32 | u64::from(packet.flow.0))
        ^ packet.seq().rotate_left(24)
        ^ 0x8bb8_4b93_962e_acc9;
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ (product >> 64) as u64
}
