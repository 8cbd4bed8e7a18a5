//! Links and the queues before them: the only way from one entity to another.
//!
//! A directed link belongs to the port that feeds it. Its packets form one line ([`sidestep_switch::ports`]
//! describes the queue). Since a FIFO port can compute a packet's departure when it is queued, the agenda holds
//! only the arrival of the line's head: one event a hop. Ports whose scheduler is not FIFO need a second event,
//! the end of a transmission, when something is queued behind it; with pauses they always do. This module holds
//! the clock, the agenda and the wires; `pauses` and `crossings` hold the events that only some networks have,
//! and `changes` the changes of a link between two events.

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
use crate::layout::{FarEnd, LinkEnds, LinkSpec};
use crate::pfc::Pfc;
use crate::pool::{NONE, Pool};
use sidestep_switch::ports::{Due, Ranked, Wire};
use sidestep_switch::sched::fifo::Fifo;
use sidestep_switch::{AnySched, Depth};
use sidestep_types::{Framing, HEADER_BYTES, Longest, Packet, PortId, Seed, Time};
use std::hint::cold_path;

/// Bit set in the tie of all events but ends of transmission and crossings, which come first.
const LATE: u32 = 1 << 31;

/// Tie of ends of transmission, which come before crossings as well: an end that is not scheduled is visible to
/// any event of the same instant.
const ENDS: u32 = 0;

/// Properties of the links that a switch reads only when a policy needs them.
#[derive(serde::Serialize, serde::Deserialize)]
pub(crate) struct Wiring {
    pub wires: Table<Wire>,
    /// Per link: the port where its packets come in at the far end; 0 at a host.
    #[serde(skip)]
    pub ingress: Table<PortId>,
    /// Per link; empty if every port is FIFO.
    queues: Table<Queue>,
}

/// Queue before a link, beside its line.
// Not boxed: every packet of a ranked port would pay one more load.
#[allow(clippy::large_enum_variant)]
#[derive(serde::Serialize, serde::Deserialize)]
enum Queue {
    /// No queue but the line.
    Fifo,
    /// Explicit queue.
    Ranked(Ranked),
    /// Link that is down.
    Down(Box<DownLink>),
}

/// State of a link that is down.
#[derive(serde::Serialize, serde::Deserialize)]
struct DownLink {
    /// Queue before the link when it is up; never [`Queue::Down`].
    #[serde(deserialize_with = "saved::alive")]
    live_queue: Queue,
    /// Packets sent to it at this instant.
    swallowed: Vec<u32>,
}

impl Wiring {
    /// Returns the explicit queue of `link`; `None` if it is FIFO.
    pub fn ranked(&self, link: u32) -> Option<&Ranked> {
        if self.queues.is_empty() {
            return None;
        }
        match &self.queues[link] {
            Queue::Ranked(ranked) => Some(ranked),
            Queue::Fifo | Queue::Down(_) => None,
        }
    }

    /// Returns the explicit queue of `link`, mutable; `None` if it is FIFO.
    pub fn ranked_mut(&mut self, link: u32) -> Option<&mut Ranked> {
        if self.queues.is_empty() {
            return None;
        }
        match &mut self.queues[link] {
            Queue::Ranked(ranked) => Some(ranked),
            Queue::Fifo | Queue::Down(_) => None,
        }
    }
}

/// All links, their packets and the agenda.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(bound(serialize = "", deserialize = "A: Agenda"))]
pub(crate) struct Fabric<A> {
    /// Not saved here: its pending events are saved beside the fabric.
    #[serde(skip, default = "no_agenda")]
    pub agenda: A,
    pub pool: Pool,
    pub links: Table<Link>,
    pub wiring: Wiring,
    /// Pauses between switches, and crossbars between the inputs and outputs of a switch, if any.
    pfc: Option<Box<Pfc>>,
    cioq: Option<Box<Cioq>>,
    pub switch_features: SwitchFeatures,
    /// True if ranked ports schedule every end of a transmission.
    every_end: bool,
    pub unbuffered: u32,
    pub now: Time,
    pub hash: u64,
    salt: u64,
    hosts: u32,
    /// Link time of a packet without payload, bytes.
    header_wire: u16,
}

/// Features of the switches, beyond first-in, first-out queues.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub(crate) enum SwitchFeatures {
    /// No features, or queues in the order of ranks.
    Plain,
    /// Class queues at some ports.
    Classes,
    /// Pauses, crossings, or ranks counted by the switch: incoming packets are watched.
    Watched,
}

impl SwitchFeatures {
    /// Adds a feature.
    pub fn require(&mut self, also: SwitchFeatures) {
        *self = (*self).max(also);
    }
}

fn no_agenda<A: Agenda>() -> A {
    A::new(Slots::new(0))
}

/// Meaning of an event from the agenda.
pub(crate) enum FabricEvent {
    /// A parcel reached the far end of a link.
    Arrival { link: u32, parcel: u32 },
    /// A host has something due.
    Wake { host: u32 },
    /// A transmission or a crossing ended, or a pause arrived; it is already handled. Or packets were sent to
    /// the link `lost`, which is down; otherwise `lost` is [`NONE`].
    Sent { lost: u32 },
}

impl<A: Agenda> Fabric<A> {
    /// Returns the fabric of the links in `laid`, with a wake slot for each of the `hosts` hosts.
    pub fn new(
        laid: &[LinkSpec],
        ends: &[LinkEnds],
        hosts: u32,
        switch: &SwitchConfig,
        framing: Framing,
        longest: Longest,
        seed: Seed,
    ) -> Fabric<A> {
        let wires: Vec<Wire> = laid.iter().map(|l| Wire::new(l.0, l.1)).collect();
        let fars: Vec<FarEnd> = laid.iter().map(|l| l.2).collect();
        let mut kinds: Vec<Wire> = Vec::new();
        let link = |(wire, far): (&Wire, &FarEnd)| {
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
        // One slot for each link's arrivals, each host, each link's ends of transmission, and each link's
        // pauses or crossings where the network has them.
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
            switch_features: match inner {
                true => SwitchFeatures::Watched,
                false => SwitchFeatures::Plain,
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
            // NICs may be paused too.
            let nics = 0..hosts;
            nics.for_each(|nic| fabric.rank(nic, AnySched::Fifo(Fifo::default())));
        }
        fabric
    }

    /// Returns the rate and delay of a link.
    #[inline]
    pub fn wire(&self, link: u32) -> &Wire {
        &self.wiring.wires[self.links[link].wire]
    }

    /// Returns every packet before or on a link: its slot, the link, and the departure of its last bit, if that
    /// is known. Packets of a link come in their order; those held by a scheduler come last.
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

    /// Returns the present depth of the queue of `link`.
    #[inline]
    pub fn depth(&mut self, link: u32) -> Depth {
        self.depth_at(link, self.now)
    }

    /// Returns the depth of the queue of `link` at `at`, which no event precedes.
    #[inline]
    pub fn depth_at(&mut self, link: u32, at: Time) -> Depth {
        (self.links[link].line).settle(&self.pool, at, self.unbuffered)
    }

    /// Returns the bytes of buffer that a parcel occupies.
    #[inline]
    fn buffered(&self, parcel: u32) -> u32 {
        u32::from(self.pool.get(parcel).packet.wire) - self.unbuffered
    }

    /// Returns the tie of an entity's `count`-th event. Ties below 2³¹ are left to ends of transmission and
    /// crossings, which free room before anything arrives.
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

    /// Schedules the arrival of a parcel that leaves on an empty link. Not inlined: packets queued behind
    /// others skip it.
    #[inline(never)]
    fn plan_first(&mut self, link: u32, departs: Time) {
        if A::PART && self.agenda.border().leaves(link) {
            return;
        }
        let arrives = departs + self.wire(link).delay;
        let tie = self.tie(link, self.links[link].packets);
        self.agenda.schedule(link, arrives, tie);
    }

    /// Queues a parcel at a port with class queues: most packets join its line, as at a FIFO port.
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

    /// Starts the next transmission on the idle `link`, chosen by its scheduler, unless the link is paused or
    /// nothing is queued.
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

    /// Schedules the events that the ranked port of `link` needs.
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

    /// Returns the slot of a link's ends of transmission.
    fn ends_slot(&self, link: u32) -> u32 {
        self.links.len() as u32 + self.hosts + link
    }

    /// Handles the end of a transmission or crossing, or the arrival of a pause: `slot` counts from the first
    /// of these. Returns the link, if one that is down was sent something; otherwise [`NONE`].
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

    /// Returns the slot of a link's pauses or crossings.
    fn inner_slot(&self, link: u32) -> u32 {
        2 * self.links.len() as u32 + self.hosts + link
    }

    /// Returns true if there is room for `bytes` more where `ingress` ends.
    fn input_has_room(&self, ingress: u32, bytes: u32) -> bool {
        let pfc = self.pfc.as_ref();
        let cioq = self.cioq.as_ref();
        pfc.is_none_or(|pfc| pfc.has_room(ingress, bytes))
            && cioq.is_none_or(|cioq| cioq.has_room(self.input(ingress), bytes))
    }

    /// Returns true if the switch where `ingress` ends has room for `parcel`, which came in there. If not, the
    /// sender of the link may be paused.
    #[inline(never)]
    pub fn lets_in(&mut self, ingress: u32, parcel: u32) -> bool {
        let room = self.input_has_room(ingress, self.buffered(parcel));
        if !room {
            self.turned_away(ingress);
        }
        room
    }

    /// Returns the most bytes that the switch at the far end of `link` held of packets that came over it; 0 if
    /// that was not tracked.
    pub fn input_peak(&self, link: u32) -> u64 {
        match (&self.pfc, &self.cioq, self.links[link].far()) {
            (Some(pfc), _, FarEnd::Switch(_)) => pfc.peak(link),
            (_, Some(cioq), FarEnd::Switch(_)) => cioq.peak(self.input(link)),
            _ => 0,
        }
    }

    /// Accepts a parcel that came by `ingress` and will leave by `link`.
    #[inline(never)]
    pub fn take_in(&mut self, ingress: u32, link: u32, parcel: u32) {
        if self.cioq.is_some() {
            return self.enter(ingress, link, parcel);
        }
        self.hold(ingress, link, parcel);
        self.enqueue(link, parcel);
    }

    /// Evicts the worst packet from the queue of `link` and returns it. The caller frees it.
    ///
    /// Panics if the queue has nothing to evict: a buffer policy must first call
    /// [`sidestep_switch::Queues::worst`].
    #[inline(never)]
    pub fn evict(&mut self, link: u32) -> u32 {
        let l = &mut self.links[link];
        let Some(Queue::Ranked(ranked)) = self.wiring.queues.get_mut(link as usize) else {
            panic!("a buffer policy evicted from a queue that has nothing to evict");
        };
        let wire = &self.wiring.wires[l.wire];
        let parcel = ranked.evict(&mut l.line, &mut self.pool, wire, self.unbuffered);
        // Packets of a NIC came by no link.
        if self.pfc.is_some() && link >= self.hosts {
            self.release(link, parcel);
        }
        parcel
    }

    /// Trims a parcel that is in no queue: removes its payload.
    pub fn trim(&mut self, parcel: u32) {
        self.pool.get_mut(parcel).packet.trim(self.header_wire);
    }

    /// Turns `link` into a port with an explicit queue.
    pub fn rank(&mut self, link: u32, sched: AnySched) {
        let mut ranked = Ranked::new(sched, link);
        if self.every_end {
            ranked.plan_every_end();
        }
        // A packet that crosses to an output counts there, but is not in its queue.
        if self.cioq.is_some() {
            ranked.keep_apart();
        }
        if ranked.has_classes() {
            self.switch_features.require(SwitchFeatures::Classes);
        }
        *self.queue(link) = Queue::Ranked(ranked);
    }

    /// Returns the queue before `link`, mutable.
    fn queue(&mut self, link: u32) -> &mut Queue {
        let all = &mut self.wiring.queues;
        if all.is_empty() {
            *all = Table::new((0..self.links.len()).map(|_| Queue::Fifo).collect());
        }
        &mut all[link]
    }

    /// Makes ranked ports schedule every end of a transmission from now on.
    pub fn plan_every_end(&mut self) {
        self.every_end = true;
        for link in 0..self.links.len() as u32 {
            let ranked = self.wiring.ranked_mut(link);
            ranked.into_iter().for_each(Ranked::plan_every_end);
        }
    }

    /// Returns the time of the last happening up to `served`: an event, or an end of a transmission that was
    /// not scheduled.
    pub fn latest(&self, served: Time) -> Time {
        let sent = (0..self.wiring.queues.len() as u32).filter_map(|link| {
            self.wiring.ranked(link)?;
            self.links[link].line.left_last(&self.pool, served)
        });
        let sent = sent.max();
        self.now.max(sent.unwrap_or(self.now))
    }

    /// Advances the clock to the next event and returns its slot, unless it is later than `limit`.
    #[inline(always)]
    pub fn next(&mut self, limit: Time) -> Option<u32> {
        let (at, slot) = self.agenda.pop_until(limit)?;
        self.now = at;
        Some(slot)
    }

    /// Returns the meaning of the event of a slot.
    #[inline(always)]
    pub fn happens(&mut self, slot: u32) -> FabricEvent {
        let links = self.links.len() as u32;
        if slot < links {
            let parcel = self.take_head(slot);
            return FabricEvent::Arrival { link: slot, parcel };
        }
        if slot < links + self.hosts {
            cold_path();
            return FabricEvent::Wake { host: slot - links };
        }
        let lost = self.ended(slot - links - self.hosts);
        FabricEvent::Sent { lost }
    }

    /// Takes off the head of `link`, which has arrived, schedules the next arrival, and counts.
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

    /// Schedules the `count`-th wake of `host`, and cancels the one `planned` before, if any.
    pub fn wake(&mut self, host: u32, at: Time, count: u64, planned: bool) {
        let slot = self.links.len() as u32 + host;
        if planned {
            self.agenda.cancel(slot);
        }
        let tie = self.tie(slot, count);
        self.agenda.schedule(slot, at, tie);
    }
}

/// Returns one delivery's share of the trajectory hash. The shares are summed, so that the hash does not depend
/// on the order in which entities of the same instant are served.
#[inline]
fn digest(now: Time, link: u32, packet: &Packet) -> u64 {
    let a = now.ps() ^ 0x2d35_8dcc_aa6c_78a5;
    let b = (u64::from(link) << 32 | u64::from(packet.flow.0))
        ^ packet.seq().rotate_left(24)
        ^ 0x8bb8_4b93_962e_acc9;
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ (product >> 64) as u64
}
