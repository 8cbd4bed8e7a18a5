//! Complete switch decision: it chooses a port, queries the buffer policy and executes its verdict.
//!
//! All drivers share this code. A driver passes one packet at a time as a [`Carrier`], which gives access to the
//! queues and implements enqueueing, trimming and eviction. The decision has two steps: [`Decider::route`]
//! chooses the port that the packet wants; [`Decider::admit`] queries the buffer policy, executes its verdict
//! and counts it. The driver receives every resulting event ([`Carrier::tell`]).

use crate::ports::{Counts, Live};
use crate::route::checked;
use crate::{
    AnyBuffer, AnyRoute, Buffer, Capacity, Changes, Depth, DropReason, Event, Hops, Joined, Queues,
    Route, Verdict, Want,
};
use sidestep_types::{Packet, PortId, Rng};
use std::fmt;

mod by_class;
mod carrier;
mod fast_limits;
mod reasons;
mod victims;

pub use carrier::Carrier;
pub use fast_limits::FastLimits;
pub use reasons::{InClass, ReasonCollector, Reasons, Witness};

/// Decision state of one switch: policies, random streams and counters.
#[repr(C)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Decider {
    route: AnyRoute,
    buffer: AnyBuffer,
    /// Random stream of the buffer policy.
    rng: Rng,
    /// Decisions counted by port.
    counts: Box<[Counts]>,
    /// Random stream of the route.
    route_rng: Rng,
    /// Packets evicted for the packet at hand, in order of eviction; empty between two packets.
    victims: Vec<u32>,
}

/// Random streams of the policies of a switch. Each policy has its own stream, so that another route does not
/// change the draws of a buffer policy.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Streams {
    /// Stream of the route.
    pub route: Rng,
    /// Stream of the buffer policy.
    pub buffer: Rng,
}

impl Streams {
    /// Creates the streams of one switch; `stream` returns the stream of a name.
    pub fn of(stream: impl Fn(&'static str) -> Rng) -> Streams {
        Streams {
            route: stream("route"),
            buffer: stream("switch"),
        }
    }
}

impl Decider {
    /// End, in bytes, of the fields that a packet needs which a [`FastLimits`] admits, as most packets. Drivers check that
    /// these fields lie in the cache lines that a hop reads.
    pub const FAST_PATH_END: usize = std::mem::offset_of!(Decider, buffer);

    /// Creates the decider of a switch with `ports` ports, drawing from `streams`.
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

    /// Checks that `other` has policies of the same names and as many ports. Errors name the difference.
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

    /// Returns `"route"` or `"buffer"` if that policy is a custom one.
    pub fn custom(&self) -> Option<&'static str> {
        match (&self.route, &self.buffer) {
            (AnyRoute::Custom(_), _) => Some("route"),
            (_, AnyBuffer::Custom(_)) => Some("buffer"),
            _ => None,
        }
    }

    /// Replaces the route. If a custom route later picks a port that the switch does not have, that decision
    /// panics.
    pub fn set_route(&mut self, route: AnyRoute) {
        self.route = checked(route, self.counts.len() as u16);
    }

    /// Replaces the buffer policy.
    pub fn set_buffer(&mut self, buffer: AnyBuffer) {
        self.buffer = buffer;
    }

    /// Replaces the random streams.
    pub fn set_streams(&mut self, streams: Streams) {
        (self.route_rng, self.rng) = (streams.route, streams.buffer);
    }

    /// Predicts the port that a packet will want, before it arrives; `None` if the route cannot tell.
    #[inline]
    pub fn predict_port(&self, packet: &Packet, hops: Hops<'_>) -> Option<PortId> {
        self.route.predict_port(packet, hops)
    }

    /// Counts a drop at the port `wanted`, by which the packet wanted to leave.
    pub fn count_drop(&mut self, wanted: PortId, reason: DropReason) {
        self.counts[wanted.index()].drops[reason as usize] += 1;
    }

    /// Returns the counters of `port`.
    pub fn counts(&self, port: PortId) -> &Counts {
        &self.counts[port.index()]
    }

    /// Returns the sum of the counters of all ports.
    pub fn total(&self) -> Counts {
        let mut total = Counts::default();
        self.counts.iter().for_each(|counts| total += counts);
        total
    }

    /// Chooses one of the next hops in `hops`: the port by which the packet at hand wants to leave.
    #[inline(always)]
    pub fn route<C: Carrier, W: Witness>(
        &mut self,
        carrier: &mut C,
        hops: Hops<'_>,
        witness: &mut W,
    ) -> PortId {
        // Fast path: a route that uses only the flow's hash needs no view of the ports, which costs about a
        // dozen stores per hop.
        let (packet, _) = carrier.at_hand();
        let wanted = match self.route.pick_by_hash(packet, hops) {
            Some(port) => port,
            None => {
                let (packet, ports) = carrier.at_hand();
                (self.route).pick_by(packet, hops, &mut Live(ports), &mut self.route_rng)
            }
        };
        if let Some(collector) = witness.reason_collector() {
            let (packet, ports) = carrier.at_hand();
            collector.routed(&self.route, packet, hops, &mut Live(ports), wanted);
        }
        wanted
    }

    /// Returns the queue lengths up to which [`Decider::admit_fast`] can admit, at ports with this `capacity`.
    /// Valid until the buffer policy is replaced.
    pub fn fast_limits(&self, capacity: Capacity) -> FastLimits {
        FastLimits::of(&self.buffer, capacity)
    }

    /// Fast path of [`Decider::admit`]: enqueues the packet at hand on the wanted port if the length of that queue
    /// alone allows it. Returns false otherwise; the caller must then call [`Decider::admit`]. Reports no event.
    /// Requires a driver whose [`Carrier::enqueue`] never fails.
    #[inline(always)]
    pub fn admit_fast<C: Carrier>(
        &mut self,
        carrier: &mut C,
        fast_limits: &FastLimits,
        wanted: PortId,
    ) -> bool {
        let depth = {
            let (packet, ports) = carrier.at_hand();
            let mut queues = Live(ports);
            let depth = queues.settle(wanted);
            if !fast_limits.admits(depth, queues.buffered(packet)) || packet.ttl == 0 {
                return false;
            }
            depth
        };
        if fast_limits.marks(depth) && carrier.packet_mut().mark() {
            self.counts[wanted.index()].marks += 1;
        }
        let queued = carrier.enqueue(wanted);
        debug_assert!(queued, "a driver that has memory");
        true
    }

    /// Decides about the packet at hand, which wants to leave by `wanted` and whose TTL has already been
    /// lowered for this switch. Executes the verdict, counts it and reports it. If `crowded`, the input of the
    /// packet has no room, and the packet is dropped whatever port it wants. Returns false if the driver had no
    /// memory for the packet; nothing is counted or reported then.
    ///
    /// Takes the carrier by value, so that only rare paths move it out of registers.
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

    /// Returns the state of the wanted queue, and the verdict of the buffer policy about the packet at hand.
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
        if let Some(collector) = witness.reason_collector() {
            collector.decided(&self.buffer, packet, (want, verdict), crowded, &mut queues);
        }
        (want, verdict)
    }

    /// Enqueues the packet on `port`, whose queue has the depth `ahead` before it. Returns `None` if the driver had
    /// no memory for the packet.
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
        // First, before any change: panics if a custom policy names a port that does not exist.
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

    /// Evicts packets from the queue of the wanted port, enqueues the packet there, and then re-queues or drops
    /// the victims.
    #[cold]
    #[inline(never)]
    fn evict<C: Carrier>(&mut self, mut carrier: C, want: Want, mark: bool) -> bool {
        // Not empty if a policy panicked and the caller caught the panic.
        self.victims.clear();
        let port = want.port;
        let event = match self.make_room(&mut carrier, port, mark) {
            Ok(mark) => self
                .enqueue_despite_full(&mut carrier, want, port, mark)
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

    /// Drops packets that wait at `port` and rank strictly worse, until the packet at hand fits, and enqueues it
    /// there. If it still does not fit, drops the packet itself.
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
        if !allowed || !self.drop_worse_ranked(&mut carrier, None, port) {
            return self.drop(&mut carrier, wanted, DropReason::Full);
        }
        if port != wanted {
            let packet = carrier.packet_mut();
            packet.detours = packet.detours.saturating_add(1);
        }
        let joined = self.enqueue_despite_full(&mut carrier, want, port, mark);
        if joined.is_some() {
            self.count_detour(wanted, port);
        }
        told(&mut carrier, joined)
    }

    /// Trims the packet and enqueues it on the wanted port, even if its queue is full.
    #[cold]
    #[inline(never)]
    fn trim<C: Carrier>(&mut self, mut carrier: C, want: Want) -> bool {
        let wanted = want.port;
        if !carrier.trim() {
            return self.drop(&mut carrier, wanted, DropReason::Full);
        }
        let mut joined = self.enqueue_despite_full(&mut carrier, want, wanted, false);
        if let Some(joined) = &mut joined {
            joined.changes = Changes::TRIMMED;
            self.counts[wanted.index()].trims += 1;
        }
        told(&mut carrier, joined)
    }

    /// Enqueues the packet on `port`, even if its queue is full.
    fn enqueue_despite_full<C: Carrier>(
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

    /// Counts a detour if `port`, which the packet joined, is not the wanted port.
    fn count_detour(&mut self, wanted: PortId, port: PortId) {
        if port != wanted {
            self.counts[wanted.index()].detours_out += 1;
            self.counts[port.index()].detours_in += 1;
        }
    }
}

/// Reports that the packet at hand joined a queue. Returns false, without a report, if `joined` is `None`.
#[inline(always)]
fn told<C: Carrier>(carrier: &mut C, joined: Option<Joined>) -> bool {
    match joined {
        Some(joined) => carrier.tell(None, Event::Enqueue(joined)),
        None => return false,
    }
    true
}
