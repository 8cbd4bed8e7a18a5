//! The switch decision, whole: route, room, verdict; and the verdict carried out.
//!
//! Written once for every driver. A driver brings one packet at a time as a [`Carrier`]: it
//! shows the queues, and knows how a packet is queued, cut or taken out of a queue. What becomes of
//! the packet, in which order, and what is counted is decided here.

use crate::ports::{Counts, Live, Ports};
use crate::route::checked;
use crate::why::Scene;
use crate::{
    Action, AnyBuffer, AnyRoute, Buffer, Capacity, Changes, Depth, DropReason, Hops, Joined,
    Queues, Route, Verdict, Want,
};
use sidestep_types::{Packet, PortId, Rng};
use std::fmt;

mod by_class;
mod by_one;

pub use by_one::ByOne;

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

/// A driver with one packet at hand.
///
/// One port in memory, whose clock stands still and which nothing leaves:
///
/// ```
/// use sidestep_switch::ports::{Line, Live, Ports, Ranked, Wire};
/// use sidestep_switch::testing::Shelf;
/// use sidestep_switch::{
///     Action, AnyBuffer, AnyRoute, Capacity, Carrier, Decider, DropReason, Hops, Joined, Streams,
/// };
/// use sidestep_types::{
///     BitRate, FlowId, HostId, Kind, Packet, PortId, PortSet, Seed, Size, Time, Values,
/// };
///
/// struct OnePort {
///     line: Line,
///     wire: Wire,
///     shelf: Shelf,
/// }
/// # impl Ports for &mut OnePort {
/// #     type Store = Shelf;
/// #     fn count(&self) -> u16 { 1 }
/// #     fn now(&self) -> Time { Time::ZERO }
/// #     fn capacity(&self) -> Capacity { Capacity::PerPort(Size::Packets(1)) }
/// #     fn unbuffered(&self) -> u32 { 20 }
/// #     fn to_switch(&self) -> PortSet { PortSet::default() }
/// #     fn ingress(&self) -> Option<PortId> { None }
/// #     fn line(&mut self, _: PortId) -> (&mut Line, &Shelf) { (&mut self.line, &self.shelf) }
/// #     fn store(&self) -> &Shelf { &self.shelf }
/// #     fn line_as_it_is(&self, _: PortId) -> &Line { &self.line }
/// #     fn wire(&self, _: PortId) -> &Wire { &self.wire }
/// #     fn ranked(&self, _: PortId) -> Option<&Ranked> { None }
/// #     fn ranked_mut(&mut self, _: PortId) -> Option<&mut Ranked> { None }
/// # }
///
/// struct AtHand<'a> {
///     port: &'a mut OnePort,
///     packet: Packet,
/// }
///
/// impl Carrier for AtHand<'_> {
///     type Ports<'a>
///         = &'a mut OnePort
///     where
///         Self: 'a;
///     fn at_hand(&mut self) -> (&Packet, &mut OnePort) {
///         (&self.packet, self.port)
///     }
///     fn packet_mut(&mut self) -> &mut Packet {
///         &mut self.packet
///     }
///     fn trim(&mut self) -> bool {
///         false
///     }
///     fn enqueue(&mut self, _: PortId) -> bool {
///         let at = self.port.shelf.put(self.packet);
///         self.port.line.grow(u32::from(self.packet.wire) - 20);
///         let wire = self.port.wire;
///         self.port.line.queue(&mut self.port.shelf, &wire, Time::ZERO, at);
///         true
///     }
/// #   fn take(&mut self, _: PortId) -> u32 { unreachable!("a FIFO port has nothing to evict") }
/// #   fn held(&mut self, _: u32) -> (Packet, &mut OnePort) { unreachable!("nothing is held") }
/// #   fn held_mut(&mut self, _: u32) -> &mut Packet { unreachable!("nothing is held") }
/// #   fn put(&mut self, _: u32, _: Joined) { unreachable!("nothing is held") }
/// #   fn lose(&mut self, _: u32, _: PortId, _: DropReason) { unreachable!("nothing is held") }
/// }
///
/// let none = Values::defaults(&[]);
/// let route = AnyRoute::build("single", &none, 1, 0).unwrap();
/// let buffer = AnyBuffer::build("droptail", &none, 1, 0).unwrap();
/// let mut decider = Decider::new(route, buffer, Streams::of(|what| Seed(1).stream(what)), 1);
/// let (line, wire) = (Line::default(), Wire::new(BitRate::gbps(1), Time::from_us(1)));
/// let mut port = OnePort { line, wire, shelf: Shelf::default() };
/// let mut packet = Packet::new(Kind::Data, FlowId(0), HostId(0), 0);
/// packet.wire = 1538;
/// let mut arrives = || {
///     let mut at_hand = AtHand { port: &mut port, packet };
///     let (packet, ports) = at_hand.at_hand();
///     let mut queues = Live(ports);
///     let wanted = decider.pick(packet, Hops::of(&[PortId(0)]), &mut queues);
///     let (want, verdict) = decider.decide(packet, wanted, false, &mut queues);
///     decider.carry_out(at_hand, want, verdict)
/// };
/// assert!(matches!(arrives(), Action::Queued { .. }));
/// assert!(matches!(arrives(), Action::Dropped(_)));
/// assert_eq!(decider.counts(PortId(0)).drops.iter().sum::<u64>(), 1);
/// ```
pub trait Carrier {
    /// Its ports.
    type Ports<'a>: Ports
    where
        Self: 'a;
    /// The packet, and the ports beside it.
    fn at_hand(&mut self) -> (&Packet, Self::Ports<'_>);
    /// The packet, to be marked and counted.
    fn packet_mut(&mut self) -> &mut Packet;
    /// May the packet leave by a port that it does not want?
    fn may_detour(&self) -> bool {
        true
    }
    /// Cuts the packet's payload off. Says whether it can be cut.
    fn trim(&mut self) -> bool;
    /// Puts the packet into the queue of `port`. Says whether the driver had memory for it.
    fn enqueue(&mut self, port: PortId) -> bool;
    /// Takes the worst packet out of the queue of `port` and holds it, under a number of the
    /// driver's, until it is put into another queue or lost.
    ///
    /// Panics when there is none: a buffer policy must have asked [`Queues::worst`].
    fn take(&mut self, port: PortId) -> u32;
    /// A held packet, and the ports beside it. Nobody knows any more by which of them it came.
    fn held(&mut self, held: u32) -> (Packet, Self::Ports<'_>);
    /// A held packet, to be marked and counted.
    fn held_mut(&mut self, held: u32) -> &mut Packet;
    /// May a held packet leave by a port that it does not want?
    fn held_may_detour(&self, _held: u32) -> bool {
        true
    }
    /// Puts a held packet, which waited at the port that it wanted, into another queue.
    fn put(&mut self, held: u32, joined: Joined);
    /// Drops a held packet, which waited at `from`.
    fn lose(&mut self, held: u32, from: PortId, reason: DropReason);
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

    /// Counts a packet that wanted `wanted` and was dropped by the driver itself.
    pub fn count_drop(&mut self, wanted: PortId, reason: DropReason) {
        self.drop(wanted, reason);
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

    /// The port that `packet` wants, of the next hops toward where it goes.
    #[inline(always)]
    pub fn pick<P: Ports>(
        &mut self,
        packet: &Packet,
        hops: Hops<'_>,
        queues: &mut Live<P>,
    ) -> PortId {
        (self.route).pick_by(packet, hops, queues, &mut self.route_rng)
    }

    /// The same, where the route looks at nothing but the hash of the packet's flow. Who asks this first need not have
    /// the ports at hand in memory for the others, which takes a hop a dozen stores.
    #[inline(always)]
    pub fn pick_by_hash(&self, packet: &Packet, hops: Hops<'_>) -> Option<PortId> {
        self.route.pick_by_hash(packet, hops)
    }

    /// What is decided by one look where a queue holds `capacity`, until another policy is put in the place of this one.
    pub fn by_one(&self, capacity: Capacity) -> ByOne {
        ByOne::of(&self.buffer, capacity)
    }

    /// How the queue of the port that `packet` wants looks, and the verdict. The packet's TTL has
    /// been lowered for this switch already. A packet that is `crowded` out finds no room where
    /// it came in, whatever it wants.
    #[inline(always)]
    pub fn decide<P: Ports>(
        &mut self,
        packet: &Packet,
        wanted: PortId,
        crowded: bool,
        queues: &mut Live<P>,
    ) -> (Want, Verdict) {
        let want = queues.want(wanted, packet);
        let verdict = if packet.ttl == 0 {
            Verdict::Drop(DropReason::Ttl)
        } else if crowded {
            Verdict::Drop(DropReason::Full)
        } else {
            self.buffer.admit_to(packet, want, queues, &mut self.rng)
        };
        (want, verdict)
    }

    /// Why the route took `wanted` of `hops`, and its name.
    #[cold]
    #[inline(never)]
    pub fn why_route(
        &self,
        scene: &mut Scene<'_>,
        hops: Hops<'_>,
        wanted: PortId,
    ) -> (&'static str, String) {
        let why = match hops.ports.len() {
            1 => "the only next hop of a shortest path".into(),
            _ => self.route.why(scene, hops, wanted),
        };
        (self.route.name(), why)
    }

    /// Why the buffer policy said `verdict`, before it is carried out, and its name.
    #[cold]
    #[inline(never)]
    pub fn why_buffer(
        &self,
        scene: &mut Scene<'_>,
        want: Want,
        verdict: Verdict,
    ) -> (&'static str, String) {
        (self.buffer.name(), self.buffer.why(scene, want, verdict))
    }

    /// Carries out the verdict if it is to queue the packet where it wants to go, as nearly every one is; says
    /// whether it was. Else [`Decider::carry_out`] has to. For drivers that always have memory.
    ///
    /// What was done is not told: to put an [`Action`] together takes a hop as long as to miss a cache twice.
    #[inline(always)]
    pub fn queue_as_wanted<C: Carrier>(
        &mut self,
        carrier: &mut C,
        want: Want,
        verdict: Verdict,
    ) -> bool {
        let Verdict::Enqueue { mark } = verdict else {
            return false;
        };
        if mark && carrier.packet_mut().mark() {
            self.counts[want.port.index()].marks += 1;
        }
        let queued = carrier.enqueue(want.port);
        debug_assert!(queued, "a driver that has memory");
        true
    }

    /// Carries out the verdict on the packet at hand, and counts it. The carrier comes by value: what
    /// is rare then moves it out of registers by itself.
    #[inline(always)]
    pub fn carry_out<C: Carrier>(
        &mut self,
        mut carrier: C,
        want: Want,
        verdict: Verdict,
    ) -> Action {
        let wanted = want.port;
        match verdict {
            Verdict::Enqueue { mark } => self.enqueue(&mut carrier, wanted, want.depth, mark),
            Verdict::Detour { port, mark } if carrier.may_detour() => {
                self.detour(&mut carrier, wanted, port, mark)
            }
            Verdict::Detour { .. } => self.drop(wanted, DropReason::Full),
            Verdict::Drop(reason) => self.drop(wanted, reason),
            Verdict::Evict { mark } => self.evict(carrier, wanted, mark),
            Verdict::Squeeze { port, mark } => self.squeeze(carrier, wanted, port, mark),
            Verdict::Trim => self.trim(carrier, wanted),
        }
    }

    /// Queues the packet on `port`, behind `ahead`.
    #[inline(always)]
    fn enqueue<C: Carrier>(
        &mut self,
        carrier: &mut C,
        port: PortId,
        ahead: Depth,
        mark: bool,
    ) -> Action {
        let marked = mark && carrier.packet_mut().mark();
        if !carrier.enqueue(port) {
            return Action::NoMemory;
        }
        if marked {
            self.counts[port.index()].marks += 1;
        }
        Action::Queued {
            port,
            ahead,
            changes: Changes::MARKED.when(marked),
        }
    }

    #[inline(always)]
    fn detour<C: Carrier>(
        &mut self,
        carrier: &mut C,
        wanted: PortId,
        port: PortId,
        mark: bool,
    ) -> Action {
        // Before anything else: a policy of the caller's may name any port.
        let ahead = {
            let (_, ports) = carrier.at_hand();
            Live(ports).depth(port)
        };
        let packet = carrier.packet_mut();
        packet.detours = packet.detours.saturating_add(1);
        let action = self.enqueue(carrier, port, ahead, mark);
        if action != Action::NoMemory {
            self.counts[wanted.index()].detours_out += 1;
            self.counts[port.index()].detours_in += 1;
        }
        action
    }

    fn drop(&mut self, wanted: PortId, reason: DropReason) -> Action {
        self.counts[wanted.index()].drops[reason as usize] += 1;
        Action::Dropped(reason)
    }

    /// Queues the packet on `wanted` in the place of others, and then sees to those.
    #[cold]
    #[inline(never)]
    fn evict<C: Carrier>(&mut self, mut carrier: C, wanted: PortId, mark: bool) -> Action {
        // A policy that panicked may have left some.
        self.victims.clear();
        let action = match self.make_room(&mut carrier, wanted, mark) {
            Ok(mark) => self.queue_anyway(&mut carrier, wanted, mark, Changes::default()),
            Err(reason) => self.drop(wanted, reason),
        };
        let mut victims = std::mem::take(&mut self.victims);
        for victim in victims.drain(..) {
            self.displace(&mut carrier, victim, wanted);
        }
        self.victims = victims;
        action
    }

    /// Queues the packet, which wants `wanted`, on `port`: what waits there and ranks strictly worse
    /// goes until there is room, or else it is dropped itself.
    #[cold]
    #[inline(never)]
    fn squeeze<C: Carrier>(
        &mut self,
        mut carrier: C,
        wanted: PortId,
        port: PortId,
        mark: bool,
    ) -> Action {
        if port != wanted && !carrier.may_detour() {
            return self.drop(wanted, DropReason::Full);
        }
        if !self.press_aside(&mut carrier, None, port) {
            return self.drop(wanted, DropReason::Full);
        }
        if port != wanted {
            let packet = carrier.packet_mut();
            packet.detours = packet.detours.saturating_add(1);
        }
        let action = self.queue_anyway(&mut carrier, port, mark, Changes::default());
        if action != Action::NoMemory {
            self.count_detour(wanted, port);
        }
        action
    }

    /// Queues what a cut leaves of the packet on `wanted`, room or not.
    #[cold]
    #[inline(never)]
    fn trim<C: Carrier>(&mut self, mut carrier: C, wanted: PortId) -> Action {
        if !carrier.trim() {
            return self.drop(wanted, DropReason::Full);
        }
        let action = self.queue_anyway(&mut carrier, wanted, false, Changes::TRIMMED);
        if action != Action::NoMemory {
            self.counts[wanted.index()].trims += 1;
        }
        action
    }

    /// Queues the packet on `port`, room or not, where `changes` were made to it.
    fn queue_anyway<C: Carrier>(
        &mut self,
        carrier: &mut C,
        port: PortId,
        mark: bool,
        changes: Changes,
    ) -> Action {
        let ahead = {
            let (_, ports) = carrier.at_hand();
            Live(ports).settle(port)
        };
        match self.enqueue(carrier, port, ahead, mark) {
            Action::Queued {
                ahead,
                changes: marked,
                ..
            } => Action::Squeezed {
                port,
                ahead,
                changes: changes.and(marked),
            },
            other => other,
        }
    }

    /// Takes out of the queue of `wanted` what the policy gives up for the packet at hand: one
    /// packet, and where that leaves too few bytes, as many as it goes on to name. Says whether
    /// the packet is marked when it joins (`mark` was said with the first verdict), or why it does
    /// not.
    fn make_room<C: Carrier>(
        &mut self,
        carrier: &mut C,
        wanted: PortId,
        mut mark: bool,
    ) -> Result<bool, DropReason> {
        loop {
            self.victims.push(carrier.take(wanted));
            let (packet, ports) = carrier.at_hand();
            let mut queues = Live(ports);
            let want = queues.want(wanted, packet);
            if want.fits {
                return Ok(mark);
            }
            match self.buffer.admit(packet, want, &mut queues, &mut self.rng) {
                Verdict::Evict { mark: again } => mark = again,
                Verdict::Enqueue { mark } => return Ok(mark),
                Verdict::Drop(reason) => return Err(reason),
                other => panic!("a buffer policy said {other:?} after it had evicted"),
            }
        }
    }

    /// Sees to a packet that waited at `from` and has been evicted. It evicts nobody in turn, so the
    /// packets of one arrival come to an end.
    fn displace<C: Carrier>(&mut self, carrier: &mut C, victim: u32, from: PortId) {
        let verdict = match carrier.held_may_detour(victim) {
            true => {
                let (packet, ports) = carrier.held(victim);
                (self.buffer).displaced(&packet, from, &mut Live(ports), &mut self.rng)
            }
            false => Verdict::Drop(DropReason::Evicted),
        };
        match verdict {
            Verdict::Drop(reason) => self.lose(carrier, victim, from, reason),
            Verdict::Detour { port, mark } => self.move_to(carrier, victim, from, port, mark),
            Verdict::Squeeze { port, mark } => {
                match self.press_aside(carrier, Some(victim), port) {
                    true => self.move_to(carrier, victim, from, port, mark),
                    false => self.lose(carrier, victim, from, DropReason::Evicted),
                }
            }
            other => panic!("a buffer policy said {other:?} of a packet that it had evicted"),
        }
    }

    /// Puts a held packet, which waited at `from`, into the queue of `port`.
    fn move_to<C: Carrier>(
        &mut self,
        carrier: &mut C,
        victim: u32,
        from: PortId,
        port: PortId,
        mark: bool,
    ) {
        let ahead = {
            let (_, ports) = carrier.held(victim);
            Live(ports).depth(port)
        };
        let packet = carrier.held_mut(victim);
        packet.detours = packet.detours.saturating_add(u8::from(port != from));
        let marked = mark && packet.mark();
        self.counts[port.index()].marks += u64::from(marked);
        self.count_detour(from, port);
        carrier.put(
            victim,
            Joined {
                wanted: from,
                port,
                ahead,
                changes: Changes::MARKED.when(marked),
            },
        );
    }

    /// Drops the worst that wait at `port` until the packet, at hand or held, has room there. Says
    /// whether it has: only what ranks strictly worse makes room.
    fn press_aside<C: Carrier>(
        &mut self,
        carrier: &mut C,
        held: Option<u32>,
        port: PortId,
    ) -> bool {
        loop {
            let (fits, better) = {
                let (packet, ports) = match held {
                    Some(held) => carrier.held(held),
                    None => {
                        let (packet, ports) = carrier.at_hand();
                        (*packet, ports)
                    }
                };
                let mut queues = Live(ports);
                // Before anything else: a policy of the caller's may name any port.
                let worst = queues.worst(port);
                let better = worst.is_some_and(|worst| packet.rank() < worst);
                (queues.want(port, &packet).fits, better)
            };
            if fits || !better {
                return fits;
            }
            let worst = carrier.take(port);
            self.lose(carrier, worst, port, DropReason::Evicted);
        }
    }

    fn lose<C: Carrier>(&mut self, carrier: &mut C, held: u32, from: PortId, reason: DropReason) {
        self.counts[from.index()].drops[reason as usize] += 1;
        carrier.lose(held, from, reason);
    }

    /// Counts a packet that wanted `wanted` and joined `port`.
    fn count_detour(&mut self, wanted: PortId, port: PortId) {
        if port != wanted {
            self.counts[wanted.index()].detours_out += 1;
            self.counts[port.index()].detours_in += 1;
        }
    }
}
