//! A switch of the simulator: drives the decision of `sidestep-switch` over its ports' links.

use crate::agenda::Agenda;
use crate::config::SwitchConfig;
use crate::counts::PortCounts;
use crate::fabric::{Fabric, Link, Wiring};
use crate::fib::{Attachment, Fib};
use crate::indexed::Table;
use crate::pool::Pool;
use sidestep_switch::{
    AnyBuffer, AnyRoute, AnySched, Capacity, Decider, Depth, DropReason, Evicts, Queues, Room,
    Route, Sched, Verdict, Want,
};
use sidestep_types::{Bytes, Packet, PortId, PortSet, Rng, Seed, Time};

/// One switch. What a hop touches comes first, in two cache lines: with the fields in the
/// compiler's order it was four or five, of which few stay in the first-level cache.
#[repr(C, align(64))]
pub(crate) struct Switch {
    frame: Frame,
    fib: Fib,
    decider: Decider,
    /// Per port, what its link's line has no room for.
    pub counts: Vec<PortCounts>,
    /// Parcels that [`Switch::forward`] has just evicted: the caller's to count and to free.
    pub evicted: Vec<u32>,
}

/// What of a switch does not change, and its policies see by way of [`View`].
struct Frame {
    capacity: Capacity,
    /// The link of port 0; the others follow.
    first_link: u32,
    me: u32,
    ports: Box<PortsOf>,
}

/// Of its ports, what only policies ask for.
struct PortsOf {
    count: u32,
    to_switch: PortSet,
}

impl Frame {
    #[inline]
    fn link(&self, port: PortId) -> u32 {
        self.first_link + u32::from(port.0)
    }
}

/// What a switch did with a packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Done {
    pub wanted: PortId,
    pub action: Action,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Action {
    Queued {
        port: PortId,
        ahead: Depth,
        marked: bool,
    },
    Dropped(DropReason),
    /// Nothing yet: this verdict is rare, and [`Switch::squeeze`] sees to it.
    Pending(Verdict),
}

impl Switch {
    /// Switch `me`, whose ports feed the links from `first_link` on.
    pub fn new(
        config: &SwitchConfig,
        me: u32,
        first_link: u32,
        to_switch: &[bool],
        fib: Fib,
        seed: Seed,
    ) -> Result<Switch, String> {
        let ports = to_switch.len() as u16;
        let salt = seed.salt(("ecmp", u64::from(me)));
        let (route, buffer) = (&config.route, &config.buffer);
        Ok(Switch {
            decider: Decider {
                route: AnyRoute::build(&route.0, &route.1, ports, salt)
                    .map_err(|e| format!("route {}: {e}", route.0))?,
                buffer: AnyBuffer::build(&buffer.0, &buffer.1, ports, salt)
                    .map_err(|e| format!("buffer {}: {e}", buffer.0))?,
                rng: seed.stream(("switch", u64::from(me))),
            },
            fib,
            frame: Frame {
                capacity: config.capacity,
                first_link,
                me,
                ports: Box::new(PortsOf {
                    count: u32::from(ports),
                    to_switch: (0..ports)
                        .filter(|&p| to_switch[usize::from(p)])
                        .map(PortId)
                        .collect(),
                }),
            },
            counts: vec![PortCounts::default(); to_switch.len()],
            evicted: Vec::new(),
        })
    }

    /// The links that its ports feed, in the order of the ports.
    pub fn links(&self) -> std::ops::Range<u32> {
        self.frame.first_link..self.frame.first_link + self.frame.ports.count
    }

    /// The link of a shortest path from here to the other switch `to`, which hosts hang off.
    pub fn toward(&self, to: u32) -> u32 {
        self.frame.link(self.fib.hops(to)[0])
    }

    /// Puts a policy of the caller's in the place of the configured buffer.
    pub fn set_buffer(&mut self, buffer: AnyBuffer) {
        self.decider.buffer = buffer;
    }

    /// Puts a route of the caller's in the place of the configured one.
    pub fn set_route(&mut self, route: AnyRoute) {
        self.decider.route = match route {
            AnyRoute::Custom(route) => AnyRoute::Custom(Box::new(Checked {
                route,
                ports: self.frame.ports.count,
            })),
            known => known,
        };
    }

    /// Forwards, detours, trims or drops a parcel that has just come over the link `from` for
    /// `dst`. A dropped one is the caller's to free, and so are those [`Switch::evicted`] for it.
    /// `INNER`: there are pauses, or something is between inputs and outputs.
    #[inline]
    pub fn forward<A: Agenda, const INNER: bool>(
        &mut self,
        fabric: &mut Fabric<A>,
        from: u32,
        parcel: u32,
        dst: Attachment,
    ) -> Done {
        let ttl = &mut fabric.pool.get_mut(parcel).packet.ttl;
        *ttl = ttl.saturating_sub(1);
        let packet = &fabric.pool.get(parcel).packet;
        let bytes = u32::from(packet.wire) - fabric.unbuffered;
        let crowded = INNER && !fabric.input_has_room(from, bytes);
        if crowded {
            fabric.turned_away(from);
        }
        let packet = &fabric.pool.get(parcel).packet;
        let mut view = view!(self.frame, fabric, from);
        let wanted = if dst.switch == self.frame.me {
            dst.port
        } else {
            let hops = self.fib.hops(dst.switch);
            self.decider.pick(packet, hops, &mut view)
        };
        let (want, verdict) = self.decider.decide(packet, wanted, crowded, &mut view);
        let (port, ahead, mark) = match verdict {
            Verdict::Enqueue { mark } => (wanted, want.depth, mark),
            Verdict::Evict { .. } | Verdict::Trim => {
                let action = Action::Pending(verdict);
                return Done { wanted, action };
            }
            Verdict::Detour(port) => {
                self.counts[wanted.index()].detours_out += 1;
                self.counts[port.index()].detours_in += 1;
                let detours = &mut fabric.pool.get_mut(parcel).packet.detours;
                *detours = detours.saturating_add(1);
                let link = self.frame.link(port);
                (port, fabric.depth(link), true)
            }
            Verdict::Drop(reason) => {
                self.counts[wanted.index()].drops[reason as usize] += 1;
                let action = Action::Dropped(reason);
                return Done { wanted, action };
            }
        };
        let link = self.frame.link(port);
        let marked = mark && fabric.pool.get_mut(parcel).packet.mark();
        if marked {
            self.counts[port.index()].marks += 1;
        }
        if INNER {
            fabric.take_in(from, link, parcel);
        } else {
            fabric.enqueue(link, parcel);
        }
        let action = Action::Queued {
            port,
            ahead,
            marked,
        };
        Done { wanted, action }
    }

    /// Queues a parcel on `wanted` although there is no room, as the pending `verdict` says.
    /// What goes for it stands in [`Switch::evicted`] afterwards.
    pub fn squeeze<A: Agenda>(
        &mut self,
        fabric: &mut Fabric<A>,
        from: u32,
        parcel: u32,
        wanted: PortId,
        verdict: Verdict,
    ) -> Action {
        let link = self.frame.link(wanted);
        let mark = match verdict {
            Verdict::Trim => {
                self.counts[wanted.index()].trims += 1;
                fabric.trim(parcel);
                false
            }
            Verdict::Evict { mark } => match self.make_room(fabric, from, parcel, wanted, mark) {
                Ok(mark) => mark,
                Err(reason) => {
                    self.counts[wanted.index()].drops[reason as usize] += 1;
                    return Action::Dropped(reason);
                }
            },
            other => unreachable!("{other:?} is never pending"),
        };
        let ahead = fabric.depth(link);
        let marked = mark && fabric.pool.get_mut(parcel).packet.mark();
        self.counts[wanted.index()].marks += u64::from(marked);
        if fabric.inner {
            // What a trim has left of it is what is counted in, and out again.
            fabric.take_in(from, link, parcel);
        } else {
            fabric.enqueue(link, parcel);
        }
        Action::Queued {
            port: wanted,
            ahead,
            marked,
        }
    }

    /// Evicts what the policy gives up for `parcel`. Says whether the parcel is marked when it
    /// joins, or why it does not.
    fn make_room<A: Agenda>(
        &mut self,
        fabric: &mut Fabric<A>,
        from: u32,
        parcel: u32,
        wanted: PortId,
        mark: bool,
    ) -> Result<bool, DropReason> {
        let packet = fabric.pool.get(parcel).packet;
        let mut making = MakingRoom {
            fabric,
            frame: &self.frame,
            from,
            counts: &mut self.counts,
            evicted: &mut self.evicted,
        };
        self.decider.make_room(&mut making, &packet, wanted, mark)
    }
}

/// A switch that evicts.
struct MakingRoom<'a, A> {
    fabric: &'a mut Fabric<A>,
    frame: &'a Frame,
    from: u32,
    counts: &'a mut [PortCounts],
    evicted: &'a mut Vec<u32>,
}

impl<A: Agenda> Evicts for MakingRoom<'_, A> {
    type Queues<'a>
        = View<'a>
    where
        Self: 'a;

    fn evict(&mut self, port: PortId) {
        self.evicted.push(self.fabric.evict(self.frame.link(port)));
        self.counts[port.index()].drops[DropReason::Evicted as usize] += 1;
    }

    fn queues(&mut self) -> View<'_> {
        view!(self.frame, self.fabric, self.from)
    }
}

/// A route of the caller's, which may name any port; the tables do not check.
struct Checked {
    route: Box<dyn Route + Send>,
    ports: u32,
}

impl Route for Checked {
    fn pick(
        &mut self,
        packet: &Packet,
        hops: &[PortId],
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> PortId {
        let port = self.route.pick(packet, hops, queues, rng);
        check_port(port, self.ports);
        port
    }
}

fn check_port(port: PortId, ports: u32) {
    let there = u32::from(port.0) < ports;
    assert!(there, "port {} of a switch with {ports}", port.0);
}

/// A switch's queues at the present, as policies see them.
struct View<'a> {
    now: Time,
    links: &'a mut Table<Link>,
    wiring: &'a Wiring,
    pool: &'a Pool,
    unbuffered: u32,
    frame: &'a Frame,
    /// The link that the packet came over.
    from: u32,
}

/// The queues of a switch, of which only route, buffer and rng stay free to be used beside it.
macro_rules! view {
    ($frame:expr, $fabric:expr, $from:expr) => {
        View {
            now: $fabric.now,
            links: &mut $fabric.links,
            wiring: &$fabric.wiring,
            pool: &$fabric.pool,
            unbuffered: $fabric.unbuffered,
            frame: &$frame,
            from: $from,
        }
    };
}
use view;

impl View<'_> {
    #[inline]
    fn settle(&mut self, port: PortId) -> Depth {
        self.links[self.frame.link(port)].settle(self.pool, self.now, self.unbuffered)
    }

    /// Policies of the caller's may name any port; the tables do not check.
    fn check(&self, port: PortId) {
        check_port(port, self.frame.ports.count);
    }

    fn sched(&self, port: PortId) -> Option<&AnySched> {
        self.check(port);
        self.wiring.sched(self.frame.link(port))
    }

    /// Bytes that the whole switch holds.
    #[inline(never)]
    fn used(&mut self) -> u64 {
        let ports = 0..self.frame.ports.count as u16;
        let held = |port| u64::from(self.settle(PortId(port)).bytes);
        ports.map(held).sum()
    }
}

impl Room for View<'_> {
    #[inline(always)]
    fn want(&mut self, port: PortId, packet: &Packet) -> Want {
        let depth = self.settle(port);
        let used = if self.frame.capacity.is_shared() {
            self.used()
        } else {
            0
        };
        let bytes = u32::from(packet.wire) - self.unbuffered;
        Want {
            port,
            depth,
            fits: self.frame.capacity.fits(depth, bytes, used),
        }
    }
}

impl Queues for View<'_> {
    fn now(&self) -> Time {
        self.now
    }

    fn depth(&mut self, port: PortId) -> Depth {
        self.check(port);
        self.settle(port)
    }

    fn open(&mut self, packet: &Packet) -> PortSet {
        let used = self.used();
        let bytes = u32::from(packet.wire) - self.unbuffered;
        let fits = |port: &PortId| {
            let depth = self.links[self.frame.link(*port)].queued();
            self.frame.capacity.fits(depth, bytes, used)
        };
        (0..self.frame.ports.count as u16)
            .map(PortId)
            .filter(fits)
            .collect()
    }

    fn would_fit(&mut self, packet: &Packet, depth: Depth) -> bool {
        let used = self.used();
        let bytes = u32::from(packet.wire) - self.unbuffered;
        self.frame.capacity.fits(depth, bytes, used)
    }

    fn to_switch(&self) -> PortSet {
        self.frame.ports.to_switch
    }

    fn ingress(&self) -> Option<PortId> {
        Some(self.wiring.ingress[self.from])
    }

    fn worst(&self, port: PortId) -> Option<u32> {
        self.sched(port)?.worst()
    }

    fn urgent(&self, port: PortId) -> Depth {
        let Some(sched) = self.sched(port) else {
            return Depth::default();
        };
        let urgent = sched.urgent();
        Depth {
            bytes: urgent.bytes - urgent.packets * self.unbuffered,
            ..urgent
        }
    }

    fn empty_at(&self, port: PortId) -> Time {
        self.check(port);
        self.links[self.frame.link(port)].free_at
    }

    fn time_to_send(&self, port: PortId, bytes: Bytes) -> Time {
        self.check(port);
        self.links[self.frame.link(port)]
            .wire(&self.wiring.wires)
            .rate
            .time_to_send(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;

    #[test]
    fn a_hop_touches_two_cache_lines_of_a_switch() {
        let tag_and_threshold = 24;
        assert!(offset_of!(Switch, decider.buffer) + tag_and_threshold <= 128);
    }
}
