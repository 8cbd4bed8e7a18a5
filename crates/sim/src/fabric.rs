//! Links and the queues before them: the only way from one entity to another.
//!
//! A directed link belongs to the port that feeds it. Its packets form one list: first those
//! on the wire, then those whose last bit has not left. Since a FIFO port knows a packet's
//! departure when it is queued, the agenda holds only the arrival of the list's head: one
//! event a hop. The queue's depth is brought up to date when somebody asks (`settle`).
//!
//! Ports whose scheduler is not FIFO keep an explicit queue and take a second event, the end
//! of a transmission.

use crate::agenda::{Agenda, Slots};
use crate::cioq::Cioq;
use crate::indexed::Table;
use crate::pfc::Pfc;
use crate::pool::{NONE, Pool};
use sidestep_switch::{AnySched, Depth, Sched};
use sidestep_types::{BitRate, Bytes, Framing, HEADER_BYTES, Packet, PortId, Seed, Time, mix64};

/// Where a link leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Far {
    Host(u32),
    Switch(u32),
}

pub(crate) const HOST_BIT: u32 = 1 << 31;

/// Rate and delay; many links share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wire {
    pub rate: BitRate,
    pub delay: Time,
    ps_per_byte: u64,
}

impl Wire {
    pub fn new(rate: BitRate, delay: Time) -> Wire {
        Wire {
            rate,
            delay,
            ps_per_byte: rate.whole_ps_per_byte().unwrap_or(0),
        }
    }

    #[inline]
    pub fn time_to_send(&self, bytes: u32) -> Time {
        if self.ps_per_byte != 0 {
            Time::from_ps(u64::from(bytes) * self.ps_per_byte)
        } else {
            self.rate.time_to_send(Bytes(u64::from(bytes)))
        }
    }
}

/// What a hop touches of a link: one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Link {
    /// When the last bit of the queue leaves, or left.
    pub free_at: Time,
    /// Packets delivered.
    pub packets: u64,
    /// Their bytes of link time.
    pub wire_bytes: u64,
    /// First and last parcel on the wire or in the queue.
    head: u32,
    tail: u32,
    /// The first parcel whose last bit had not left when somebody looked last.
    waiting: u32,
    /// The queue at that time.
    depth: Depth,
    pub peak: Depth,
    far: u32,
    wire: u32,
}

impl Link {
    /// Where it leads.
    #[inline]
    pub fn far(&self) -> Far {
        if self.far & HOST_BIT != 0 {
            Far::Host(self.far & !HOST_BIT)
        } else {
            Far::Switch(self.far)
        }
    }

    /// Counts out the packets whose last bit has left by `now`.
    #[inline]
    pub fn settle(&mut self, pool: &Pool, now: Time, unbuffered: u32) -> Depth {
        while self.waiting != NONE {
            let parcel = pool.get(self.waiting);
            if parcel.departs > now {
                break;
            }
            self.depth.packets -= 1;
            self.depth.bytes -= u32::from(parcel.packet.wire) - unbuffered;
            self.waiting = parcel.next;
        }
        self.depth
    }

    /// The queue as it was when it was settled last.
    #[inline]
    pub fn queued(&self) -> Depth {
        self.depth
    }

    /// Its rate and delay, among the fabric's.
    #[inline]
    pub fn wire<'a>(&self, wires: &'a Table<Wire>) -> &'a Wire {
        &wires[self.wire]
    }

    #[inline]
    pub fn grow(&mut self, bytes: u32) {
        self.depth.packets += 1;
        self.depth.bytes += bytes;
        self.peak.packets = self.peak.packets.max(self.depth.packets);
        self.peak.bytes = self.peak.bytes.max(self.depth.bytes);
    }

    /// Puts a parcel whose departure is known behind the others; says which is before it, if any.
    #[inline]
    fn join(&mut self, parcel: u32) -> Option<u32> {
        let before = std::mem::replace(&mut self.tail, parcel);
        if self.head != NONE {
            return Some(before);
        }
        self.head = parcel;
        None
    }

    pub fn shrink(&mut self, bytes: u32) {
        self.depth.packets -= 1;
        self.depth.bytes -= bytes;
    }
}

/// The explicit queue of a port whose scheduler is not FIFO.
pub(crate) struct Ranked {
    pub sched: AnySched,
    /// The parcel being sent, if any.
    pub sending: u32,
}

/// What of the links a switch looks at only when a policy asks.
pub(crate) struct Wiring {
    pub wires: Table<Wire>,
    /// Per link: the port by which its packets come in at the far end; 0 at a host.
    pub ingress: Table<PortId>,
    /// Per link; empty when every port is FIFO.
    ranked: Vec<Option<Ranked>>,
}

impl Wiring {
    /// The scheduler of `link`; `None` when it is FIFO.
    pub fn sched(&self, link: u32) -> Option<&AnySched> {
        let ranked = self.ranked.get(link as usize)?.as_ref()?;
        Some(&ranked.sched)
    }

    /// The parcel that `link` is sending; [`NONE`] when it is idle or FIFO.
    pub fn sending(&self, link: u32) -> u32 {
        let ranked = self.ranked.get(link as usize).and_then(Option::as_ref);
        ranked.map_or(NONE, |ranked| ranked.sending)
    }

    fn ranked(&mut self, link: u32) -> &mut Ranked {
        self.ranked[link as usize].as_mut().expect("a ranked port")
    }
}

/// All links, their packets and the agenda.
pub(crate) struct Fabric<A> {
    pub agenda: A,
    pub pool: Pool,
    pub links: Table<Link>,
    pub wiring: Wiring,
    /// Pauses between switches, and what is between the inputs and outputs of one, if anything.
    pub pfc: Option<Box<Pfc>>,
    pub cioq: Option<Box<Cioq>>,
    /// Is there either? Then what comes in is watched.
    pub inner: bool,
    pub unbuffered: u32,
    pub now: Time,
    pub hash: u64,
    salt: u64,
    hosts: u32,
    /// What a packet without payload costs on a link.
    header_wire: u16,
}

/// What came out of the agenda.
pub(crate) enum Happening {
    /// A parcel reached the far end of a link.
    Arrival { link: u32, parcel: u32 },
    /// A host has something due.
    Wake { host: u32 },
    /// A transmission or a crossing ended, or a pause arrived; it is dealt with already.
    Sent,
}

impl<A: Agenda> Fabric<A> {
    /// Links `(rate, delay, where they lead, the port there)` in order, and `hosts` hosts with a
    /// slot of their own; with `inner`, each link has one more, for its pauses or crossings.
    pub fn new(
        links: &[(BitRate, Time, Far, PortId)],
        hosts: u32,
        framing: Framing,
        seed: Seed,
        inner: bool,
    ) -> Fabric<A> {
        let mut wires: Vec<Wire> = Vec::new();
        let ingress = links.iter().map(|link| link.3).collect();
        let links: Vec<Link> = links
            .iter()
            .map(|&(rate, delay, far, _)| {
                let wire = Wire::new(rate, delay);
                let known = wires.iter().position(|w| *w == wire);
                let index = known.unwrap_or_else(|| {
                    wires.push(wire);
                    wires.len() - 1
                });
                Link {
                    free_at: Time::ZERO,
                    packets: 0,
                    wire_bytes: 0,
                    head: NONE,
                    tail: NONE,
                    waiting: NONE,
                    depth: Depth::default(),
                    peak: Depth::default(),
                    far: match far {
                        Far::Host(h) => h | HOST_BIT,
                        Far::Switch(s) => s,
                    },
                    wire: index as u32,
                }
            })
            .collect();
        // A slot for each link's arrivals, each host, each link's ends of transmission.
        let slots = links.len() * (2 + usize::from(inner)) + hosts as usize;
        Fabric {
            agenda: A::new(Slots::new(slots)),
            pool: Pool::new(),
            links: Table::new(links),
            wiring: Wiring {
                wires: Table::new(wires),
                ingress: Table::new(ingress),
                ranked: Vec::new(),
            },
            pfc: None,
            cioq: None,
            inner,
            unbuffered: framing.unbuffered(),
            header_wire: framing.wire(HEADER_BYTES) as u16,
            now: Time::ZERO,
            hash: 0,
            salt: seed.salt("ties"),
            hosts,
        }
    }

    /// The rate and delay of a link.
    #[inline]
    pub fn wire(&self, link: u32) -> &Wire {
        &self.wiring.wires[self.links[link].wire]
    }

    /// How deep the queue of `link` is now.
    #[inline]
    pub fn depth(&mut self, link: u32) -> Depth {
        self.links[link].settle(&self.pool, self.now, self.unbuffered)
    }

    /// The same at `at`, which no event lies before.
    pub fn depth_at(&mut self, link: u32, at: Time) -> Depth {
        self.links[link].settle(&self.pool, at, self.unbuffered)
    }

    /// The order of an entity's `count`-th event among others of the same instant: below
    /// 2³¹ are left to ends of transmission, which free room before anything arrives.
    #[inline]
    pub fn tie(&self, entity: u32, count: u64) -> u32 {
        let mixed =
            (self.salt ^ count ^ (u64::from(entity) << 40)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 33) as u32 | HOST_BIT
    }

    /// Queues a parcel on `link`.
    #[inline(always)]
    pub fn enqueue(&mut self, link: u32, parcel: u32) {
        let ranked = &self.wiring.ranked;
        if !ranked.is_empty() && ranked[link as usize].is_some() {
            return self.enqueue_ranked(link, parcel);
        }
        let l = &mut self.links[link];
        let wire = &self.wiring.wires[l.wire];
        let p = self.pool.get_mut(parcel);
        let bytes = u32::from(p.packet.wire);
        let departs = l.free_at.max(self.now) + wire.time_to_send(bytes);
        l.free_at = departs;
        p.departs = departs;
        p.next = NONE;
        l.grow(bytes - self.unbuffered);
        // Without a branch: it would be mispredicted every third time.
        l.waiting = if l.waiting == NONE { parcel } else { l.waiting };
        if let Some(before) = l.join(parcel) {
            self.pool.get_mut(before).next = parcel;
        } else {
            self.plan_first(link, departs);
        }
    }

    /// Plans the arrival of a parcel that leaves an empty link. Out of line, so that the packets
    /// that queue behind others pass it by.
    #[inline(never)]
    fn plan_first(&mut self, link: u32, departs: Time) {
        let l = &self.links[link];
        let arrives = departs + l.wire(&self.wiring.wires).delay;
        let tie = self.tie(link, l.packets);
        self.agenda.schedule(link, arrives, tie);
    }

    #[inline(never)]
    fn enqueue_ranked(&mut self, link: u32, parcel: u32) {
        let ranked = self.wiring.ranked(link);
        let waits = self.pool.get_mut(parcel);
        (waits.departs, waits.next) = (Time::MAX, link);
        let packet = waits.packet;
        let bytes = u32::from(packet.wire);
        ranked.sched.push(&packet, parcel);
        let idle = ranked.sending == NONE;
        let span = self.wire(link).time_to_send(bytes);
        let l = &mut self.links[link];
        l.free_at = l.free_at.max(self.now) + span;
        l.grow(bytes - self.unbuffered);
        if idle {
            self.send_next(link);
        }
    }

    /// Starts the transmission of the packet that the scheduler of `link` names, if any and not paused.
    pub fn send_next(&mut self, link: u32) {
        let paused = self.pfc.as_ref().is_some_and(|pfc| pfc.paused(link));
        let ranked = self.wiring.ranked(link);
        let Some(parcel) = (if paused { None } else { ranked.sched.pop() }) else {
            ranked.sending = NONE;
            return;
        };
        self.check(link, parcel);
        self.wiring.ranked(link).sending = parcel;
        let wire = self.wiring.wires[self.links[link].wire];
        let p = self.pool.get_mut(parcel);
        let departs = self.now + wire.time_to_send(u32::from(p.packet.wire));
        p.departs = departs;
        p.next = NONE;
        if let Some(before) = self.links[link].join(parcel) {
            self.pool.get_mut(before).next = parcel;
        } else {
            self.plan_first(link, departs);
        }
        let slot = self.links.len() as u32 + self.hosts + link;
        self.agenda.schedule(slot, departs, link);
    }

    /// A transmission or a crossing ended, or a pause arrived: `slot` counts from the first of these.
    #[inline(never)]
    fn ended(&mut self, slot: u32) {
        let links = self.links.len() as u32;
        if slot < links {
            self.sent(slot);
        } else if self.pfc.is_some() {
            self.frame_arrived(slot - links);
        } else {
            self.crossed(slot - links);
        }
    }

    fn sent(&mut self, link: u32) {
        let gone = self.wiring.sending(link);
        let bytes = u32::from(self.pool.get(gone).packet.wire) - self.unbuffered;
        self.links[link].shrink(bytes);
        if self.pfc.is_none() {
            return self.send_next(link);
        }
        let l = &mut self.links[link];
        if l.depth.packets == 0 {
            // Pauses made it later than was foreseen.
            l.free_at = self.now;
        }
        if link >= self.hosts {
            self.release(link, gone);
        }
        self.send_next(link);
        self.look_for_a_cycle(link);
    }

    /// The slot of a link's pauses or crossings.
    pub fn inner_slot(&self, link: u32) -> u32 {
        2 * self.links.len() as u32 + self.hosts + link
    }

    /// The switch where `link` ends, and the port its packets come in by there.
    pub fn input(&self, link: u32) -> (usize, usize) {
        let Far::Switch(switch) = self.links[link].far() else {
            panic!("link {link} ends at a host, which has no input");
        };
        (switch as usize, self.wiring.ingress[link].index())
    }

    /// Is there room for `bytes` more where `ingress` ends?
    #[inline(never)]
    pub fn input_has_room(&self, ingress: u32, bytes: u32) -> bool {
        let pfc = self.pfc.as_ref();
        let cioq = self.cioq.as_ref();
        pfc.is_none_or(|pfc| pfc.has_room(ingress, bytes))
            && cioq.is_none_or(|cioq| cioq.has_room(self.input(ingress), bytes))
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
        let ranked = self.wiring.ranked.get_mut(link as usize);
        let ranked = ranked.and_then(Option::as_mut);
        let worst = ranked.and_then(|ranked| ranked.sched.evict());
        let parcel = worst.expect("a buffer policy evicted from a queue that has nothing to evict");
        self.check(link, parcel);
        self.pool.get_mut(parcel).departs = self.now;
        let bytes = u32::from(self.pool.get(parcel).packet.wire);
        let span = self.wire(link).time_to_send(bytes);
        let l = &mut self.links[link];
        // Of a ranked port, `free_at` is the end of the transmission under way and the time
        // that each waiting packet takes: a sum, from which one can be taken again.
        l.free_at = l.free_at - span;
        l.shrink(bytes - self.unbuffered);
        self.release(link, parcel);
        parcel
    }

    /// Cuts the payload off a parcel that is in no queue.
    pub fn trim(&mut self, parcel: u32) {
        self.pool.get_mut(parcel).packet.trim(self.header_wire);
    }

    /// Schedulers of the caller's may name any packet; the pool does not check. One that waits in
    /// the explicit queue of a link has no departure, and the link where another has its follower.
    fn check(&self, link: u32, parcel: u32) {
        let waits = self.pool.has(parcel) && {
            let parcel = self.pool.get(parcel);
            parcel.departs == Time::MAX && parcel.next == link
        };
        assert!(
            waits,
            "a scheduler named packet {parcel}, which does not wait there"
        );
    }

    /// Turns `link` into a port with an explicit queue.
    pub fn rank(&mut self, link: u32, sched: AnySched) {
        let all = &mut self.wiring.ranked;
        if all.is_empty() {
            *all = (0..self.links.len()).map(|_| None).collect();
        }
        all[link as usize] = Some(Ranked {
            sched,
            sending: NONE,
        });
    }

    /// What happens next, unless it is later than `limit`; the time moves there.
    #[inline]
    pub fn next(&mut self, limit: Time) -> Option<Happening> {
        let (at, slot) = self.agenda.pop_until(limit)?;
        self.now = at;
        let links = self.links.len() as u32;
        if slot < links {
            let parcel = self.take_head(slot);
            return Some(Happening::Arrival { link: slot, parcel });
        }
        if slot < links + self.hosts {
            return Some(Happening::Wake { host: slot - links });
        }
        self.ended(slot - links - self.hosts);
        Some(Happening::Sent)
    }

    /// The head of `link` has arrived: takes it off, plans the next arrival, keeps count.
    #[inline]
    fn take_head(&mut self, link: u32) -> u32 {
        let now = self.now;
        let l = &mut self.links[link];
        let parcel = l.head;
        let p = self.pool.get(parcel);
        debug_assert!(p.departs + self.wiring.wires[l.wire].delay == now);
        if l.waiting == parcel {
            l.depth.packets -= 1;
            l.depth.bytes -= u32::from(p.packet.wire) - self.unbuffered;
            l.waiting = p.next;
        }
        l.head = p.next;
        l.packets += 1;
        l.wire_bytes += u64::from(p.packet.wire);
        self.hash = self.hash.wrapping_add(digest(now, link, &p.packet));
        if l.head != NONE {
            let departs = self.pool.get(l.head).departs;
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

/// The salt of a flow's two 5-tuple hashes, forward and back.
pub(crate) fn flow_hashes(salt: u64, flow: u32) -> (u32, u32) {
    let mixed = mix64(salt ^ u64::from(flow));
    (mixed as u32, (mixed >> 32) as u32)
}
