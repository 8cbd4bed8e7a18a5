//! The switch decision, whole: route, room, verdict; and the verdict carried out.
//!
//! Written once for every driver. A driver brings one packet at a time as a [`Carrier`]: it
//! shows the queues, and knows how a packet is queued, cut or taken out of a queue. What becomes of
//! the packet, in which order, and what is counted is decided here, in two steps: [`Decider::route`] chooses the port
//! that the packet wants, [`Decider::admit`] asks the buffer policy and carries its verdict out. Each event of that is
//! told to the driver ([`Carrier::tell`]).

use crate::ports::{Counts, Live};
use crate::route::checked;
use crate::{
    AnyBuffer, AnyRoute, Buffer, Capacity, Changes, Depth, DropReason, Event, Hops, Joined, Queues,
    Route, Verdict, Want,
};
use sidestep_types::{Packet, PortId, Rng};
use std::fmt;

mod by_class;
mod by_one;
mod carrier;
mod reasons;
mod victims;

pub use by_one::ByOne;
pub use carrier::Carrier;
pub use reasons::{Asked, InClass, Reasons, Witness};

/// What decides in one switch.
#[repr(C)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Decider {
    route: AnyRoute,
    buffer: AnyBuffer,
    /// What the buffer policy draws from.
    rng: Rng,
    /// What was decided, by port.
    counts: Box<[Counts]>,
    /// What the route draws from.
    route_rng: Rng,
    /// What was evicted for the packet at hand, in that order; none between two packets.
    victims: Vec<u32>,
}

/// What the policies of a switch draw from. Each has a stream of its own, so that another route
/// leaves the draws of a buffer policy where they were.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Streams {
    /// The route's.
    pub route: Rng,
    /// The buffer policy's.
    pub buffer: Rng,
}

impl Streams {
    /// Those of one switch, of which `stream` makes each by its name.
    pub fn of(stream: impl Fn(&'static str) -> Rng) -> Streams {
        Streams {
            route: stream("route"),
            buffer: stream("switch"),
        }
    }
}

impl Decider {
    /// Where in it ends what most packets need beside a [`ByOne`], for drivers that watch their cache lines.
    pub const MOST_END: usize = std::mem::offset_of!(Decider, buffer);

    /// Decides for a switch with `ports` ports, drawing from `streams`.
    pub fn new(route: AnyRoute, buffer: AnyBuffer, streams: Streams, ports: u16) -> Decider {
        Decider {
            route: checked(route, ports),
            buffer,
            rng: streams.buffer,
            counts: vec![Counts::default(); usize::from(ports)].into(),
            route_rng: streams.route,
            victims: Vec::new(),
        }
    }

    /// Has it the policies and the ports of `other`? If not, says what differs.
    pub fn is_like(&self, other: &Decider) -> Result<(), String> {
        let differs = |what, expected: &dyn fmt::Display, got: &dyn fmt::Display| {
            Err(format!("{what}: expected {expected}, got {got}"))
        };
        if self.route.name() != other.route.name() {
            return differs("route", &other.route.name(), &self.route.name());
        }
        if self.buffer.name() != other.buffer.name() {
            return differs("buffer", &other.buffer.name(), &self.buffer.name());
        }
        if self.counts.len() != other.counts.len() {
            return differs("ports", &other.counts.len(), &self.counts.len());
        }
        Ok(())
    }

    /// The kind of policy here that is somebody's own, if any is.
    pub fn custom(&self) -> Option<&'static str> {
        match (&self.route, &self.buffer) {
            (AnyRoute::Custom(_), _) => Some("route"),
            (_, AnyBuffer::Custom(_)) => Some("buffer"),
            _ => None,
        }
    }

    /// Puts another route in the place of the one there is. One of the caller's is checked: a
    /// port that the switch does not have panics.
    pub fn set_route(&mut self, route: AnyRoute) {
        self.route = checked(route, self.counts.len() as u16);
    }

    /// Puts another buffer policy in the place of the one there is.
    pub fn set_buffer(&mut self, buffer: AnyBuffer) {
        self.buffer = buffer;
    }

    /// Draws from `streams` from now on.
    pub fn set_streams(&mut self, streams: Streams) {
        (self.route_rng, self.rng) = (streams.route, streams.buffer);
    }

    /// The port that a packet will want, where that is known before it is there.
    #[inline]
    pub fn foresee(&self, packet: &Packet, hops: Hops<'_>) -> Option<PortId> {
        self.route.foresee(packet, hops)
    }

    /// Counts a packet that wanted `wanted` and was dropped.
    pub fn count_drop(&mut self, wanted: PortId, reason: DropReason) {
        self.counts[wanted.index()].drops[reason as usize] += 1;
    }

    /// What was decided about `port`.
    pub fn counts(&self, port: PortId) -> &Counts {
        &self.counts[port.index()]
    }

    /// What was decided about all ports together.
    pub fn total(&self) -> Counts {
        let mut total = Counts::default();
        self.counts.iter().for_each(|counts| total += counts);
        total
    }

    /// Chooses the port by which the packet at hand leaves, of the next hops toward where it goes.
    #[inline(always)]
    pub fn route<C: Carrier, W: Witness>(
        &mut self,
        carrier: &mut C,
        hops: Hops<'_>,
        witness: &mut W,
    ) -> PortId {
        // Apart: a route that looks at the flow's hash alone does without the ports in memory, which takes a hop a
        // dozen stores.
        let (packet, _) = carrier.at_hand();
        let wanted = match self.route.pick_by_hash(packet, hops) {
            Some(port) => port,
            None => {
                let (packet, ports) = carrier.at_hand();
                (self.route).pick_by(packet, hops, &mut Live(ports), &mut self.route_rng)
            }
        };
        if let Some(asked) = witness.asked() {
            let (packet, ports) = carrier.at_hand();
            asked.routed(&self.route, packet, hops, &mut Live(ports), wanted);
        }
        wanted
    }

    /// What is decided by one look where a queue holds `capacity`, until another policy is put in the place of this one.
    pub fn by_one(&self, capacity: Capacity) -> ByOne {
        ByOne::of(&self.buffer, capacity)
    }

    /// Admits the packet at hand to the queue of the port that it wants, if one look is enough; says whether it was.
    /// Nothing is told then. Else [`Decider::admit`] has to decide. For drivers that always have memory.
    #[inline(always)]
    pub fn admit_by_one<C: Carrier>(
        &mut self,
        carrier: &mut C,
        by_one: &ByOne,
        wanted: PortId,
    ) -> bool {
        let depth = {
            let (packet, ports) = carrier.at_hand();
            let mut queues = Live(ports);
            let depth = queues.settle(wanted);
            if !by_one.lets_in(depth, queues.buffered(packet)) || packet.ttl == 0 {
                return false;
            }
            depth
        };
        if by_one.marks(depth) && carrier.packet_mut().mark() {
            self.counts[wanted.index()].marks += 1;
        }
        let queued = carrier.enqueue(wanted);
        debug_assert!(queued, "a driver that has memory");
        true
    }

    /// Decides about the packet at hand, which wants to leave by `wanted` and whose TTL has been lowered for this switch
    /// already; carries the verdict out, counts it and tells of it. A packet that is `crowded` out finds no room where
    /// it came in, whatever it wants. Says whether the driver had memory for the packet: else nothing is counted or told.
    ///
    /// The carrier comes by value: what is rare then moves it out of registers by itself.
    #[inline(always)]
    pub fn admit<C: Carrier, W: Witness>(
        &mut self,
        mut carrier: C,
        wanted: PortId,
        crowded: bool,
        witness: &mut W,
    ) -> bool {
        let (want, verdict) = self.decide(&mut carrier, wanted, crowded, witness);
        match verdict {
            Verdict::Enqueue { mark } => {
                let joined = self.enqueue(&mut carrier, want, (wanted, want.depth), mark);
                told(&mut carrier, joined)
            }
            Verdict::Detour { port, mark } if carrier.may_detour() => {
                let joined = self.detour(&mut carrier, want, port, mark);
                told(&mut carrier, joined)
            }
            Verdict::Detour { .. } => self.drop(&mut carrier, wanted, DropReason::Full),
            Verdict::Drop(reason) => self.drop(&mut carrier, wanted, reason),
            Verdict::Evict { mark } => self.evict(carrier, want, mark),
            Verdict::Squeeze { port, mark } => self.squeeze(carrier, want, port, mark),
            Verdict::Trim => self.trim(carrier, want),
        }
    }

    /// Looks at the queue of the wanted port, and asks the buffer policy for the verdict.
    #[inline(always)]
    fn decide<C: Carrier, W: Witness>(
        &mut self,
        carrier: &mut C,
        wanted: PortId,
        crowded: bool,
        witness: &mut W,
    ) -> (Want, Verdict) {
        let (packet, ports) = carrier.at_hand();
        let mut queues = Live(ports);
        let want = queues.want(wanted, packet);
        let verdict = if packet.ttl == 0 {
            Verdict::Drop(DropReason::Ttl)
        } else if crowded {
            Verdict::Drop(DropReason::Full)
        } else {
            (self.buffer).admit_to(packet, want, &mut queues, &mut self.rng)
        };
        if let Some(asked) = witness.asked() {
            asked.decided(&self.buffer, packet, (want, verdict), crowded, &mut queues);
        }
        (want, verdict)
    }

    /// Queues the packet on `port`, behind `ahead`; `None` without memory for it.
    #[inline(always)]
    fn enqueue<C: Carrier>(
        &mut self,
        carrier: &mut C,
        want: Want,
        (port, ahead): (PortId, Depth),
        mark: bool,
    ) -> Option<Joined> {
        let marked = mark && carrier.packet_mut().mark();
        if !carrier.enqueue(port) {
            return None;
        }
        if marked {
            self.counts[port.index()].marks += 1;
        }
        Some(Joined {
            wanted: want.port,
            wanted_queue: want.depth.packets,
            port,
            ahead,
            changes: Changes::MARKED.when(marked),
        })
    }

    #[inline(always)]
    fn detour<C: Carrier>(
        &mut self,
        carrier: &mut C,
        want: Want,
        port: PortId,
        mark: bool,
    ) -> Option<Joined> {
        // Before anything else: a policy of the caller's may name any port.
        let ahead = {
            let (_, ports) = carrier.at_hand();
            Live(ports).depth(port)
        };
        let packet = carrier.packet_mut();
        packet.detours = packet.detours.saturating_add(1);
        let joined = self.enqueue(carrier, want, (port, ahead), mark)?;
        self.counts[want.port.index()].detours_out += 1;
        self.counts[port.index()].detours_in += 1;
        Some(joined)
    }

    fn drop<C: Carrier>(&mut self, carrier: &mut C, port: PortId, reason: DropReason) -> bool {
        self.count_drop(port, reason);
        carrier.tell(None, Event::Drop { port, reason });
        true
    }

    /// Queues the packet on the wanted port in the place of others, and then sees to those.
    #[cold]
    #[inline(never)]
    fn evict<C: Carrier>(&mut self, mut carrier: C, want: Want, mark: bool) -> bool {
        // A policy that panicked may have left some.
        self.victims.clear();
        let port = want.port;
        let event = match self.make_room(&mut carrier, port, mark) {
            Ok(mark) => self
                .queue_anyway(&mut carrier, want, port, mark)
                .map(Event::Enqueue),
            Err(reason) => {
                self.count_drop(port, reason);
                Some(Event::Drop { port, reason })
            }
        };
        let mut victims = std::mem::take(&mut self.victims);
        for victim in victims.drain(..) {
            self.displace(&mut carrier, victim, port);
        }
        self.victims = victims;
        event.map(|event| carrier.tell(None, event)).is_some()
    }

    /// Queues the packet on `port`: what waits there and ranks strictly worse goes until there is room, or else it is
    /// dropped itself.
    #[cold]
    #[inline(never)]
    fn squeeze<C: Carrier>(
        &mut self,
        mut carrier: C,
        want: Want,
        port: PortId,
        mark: bool,
    ) -> bool {
        let wanted = want.port;
        let allowed = port == wanted || carrier.may_detour();
        if !allowed || !self.press_aside(&mut carrier, None, port) {
            return self.drop(&mut carrier, wanted, DropReason::Full);
        }
        if port != wanted {
            let packet = carrier.packet_mut();
            packet.detours = packet.detours.saturating_add(1);
        }
        let joined = self.queue_anyway(&mut carrier, want, port, mark);
        if joined.is_some() {
            self.count_detour(wanted, port);
        }
        told(&mut carrier, joined)
    }

    /// Queues what a cut leaves of the packet on the wanted port, room or not.
    #[cold]
    #[inline(never)]
    fn trim<C: Carrier>(&mut self, mut carrier: C, want: Want) -> bool {
        let wanted = want.port;
        if !carrier.trim() {
            return self.drop(&mut carrier, wanted, DropReason::Full);
        }
        let mut joined = self.queue_anyway(&mut carrier, want, wanted, false);
        if let Some(joined) = &mut joined {
            joined.changes = Changes::TRIMMED;
            self.counts[wanted.index()].trims += 1;
        }
        told(&mut carrier, joined)
    }

    /// Queues the packet on `port`, room or not.
    fn queue_anyway<C: Carrier>(
        &mut self,
        carrier: &mut C,
        want: Want,
        port: PortId,
        mark: bool,
    ) -> Option<Joined> {
        let ahead = {
            let (_, ports) = carrier.at_hand();
            Live(ports).settle(port)
        };
        self.enqueue(carrier, want, (port, ahead), mark)
    }

    /// Counts a packet that wanted `wanted` and joined `port`.
    fn count_detour(&mut self, wanted: PortId, port: PortId) {
        if port != wanted {
            self.counts[wanted.index()].detours_out += 1;
            self.counts[port.index()].detours_in += 1;
        }
    }
}

/// Tells how the packet at hand joined a queue, unless there was no memory for it; says whether there was.
#[inline(always)]
fn told<C: Carrier>(carrier: &mut C, joined: Option<Joined>) -> bool {
    match joined {
        Some(joined) => carrier.tell(None, Event::Enqueue(joined)),
        None => return false,
    }
    true
}
