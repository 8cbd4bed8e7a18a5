//! What policies see of a driver's ports.

use super::{Line, Ranked, Store, Wire};
use crate::queues::could_fit;
use crate::{AnySched, Capacity, Class, Depth, Queues, RankSum, Sched, Want};
use sidestep_types::{Bytes, Packet, PortId, PortSet, Size, Time};

/// The ports of one switch at one instant, as a driver keeps them, with one packet at hand.
///
/// A driver says where its lines, wires and schedulers are; [`Live`] makes of that what policies
/// may ask. `crates/sim/src/switching.rs` and `crates/softswitch/src/machine/outputs.rs` are the
/// two drivers.
///
/// ```
/// use sidestep_switch::ports::{Line, Live, Ports, Ranked, Wire};
/// use sidestep_switch::testing::Shelf;
/// use sidestep_switch::Capacity;
/// use sidestep_types::{
///     BitRate, FlowId, HostId, Kind, Packet, PortId, PortSet, Size, Time,
/// };
///
/// struct OnePort {
///     line: Line,
///     wire: Wire,
///     shelf: Shelf,
/// }
///
/// impl Ports for &mut OnePort {
///     type Store = Shelf;
///     fn count(&self) -> u16 {
///         1
///     }
///     fn now(&self) -> Time {
///         Time::ZERO
///     }
///     fn capacity(&self) -> Capacity {
///         Capacity::PerPort(Size::Packets(1))
///     }
///     fn unbuffered(&self) -> u32 {
///         20
///     }
///     fn to_switch(&self) -> PortSet {
///         PortSet::default()
///     }
///     fn ingress(&self) -> Option<PortId> {
///         None
///     }
///     fn line(&mut self, _: PortId) -> (&mut Line, &Shelf) {
///         (&mut self.line, &self.shelf)
///     }
///     fn store(&self) -> &Shelf {
///         &self.shelf
///     }
///     fn line_as_it_is(&self, _: PortId) -> &Line {
///         &self.line
///     }
///     fn wire(&self, _: PortId) -> &Wire {
///         &self.wire
///     }
///     fn ranked(&self, _: PortId) -> Option<&Ranked> {
///         None
///     }
///     fn ranked_mut(&mut self, _: PortId) -> Option<&mut Ranked> {
///         None
///     }
/// }
///
/// let mut packet = Packet::new(Kind::Data, FlowId(0), HostId(0), 0);
/// packet.wire = 1538;
/// let mut port = OnePort {
///     line: Line::default(),
///     wire: Wire::new(BitRate::gbps(1), Time::from_us(1)),
///     shelf: Shelf::default(),
/// };
/// assert!(Live(&mut port).want(PortId(0), &packet).fits);
/// let at = port.shelf.put(packet);
/// port.line.grow(1518);
/// let departs = port.line.queue(&mut port.shelf, &port.wire, Time::ZERO, at);
/// assert_eq!(departs, Some(Time::from_ns(12_304)));
/// assert!(!Live(&mut port).want(PortId(0), &packet).fits);
/// ```
pub trait Ports {
    /// Where the driver keeps packets.
    type Store: Store;
    /// How many ports there are.
    fn count(&self) -> u16;
    /// Current simulation or clock time.
    fn now(&self) -> Time;
    /// How much the switch holds.
    fn capacity(&self) -> Capacity;
    /// Of a packet's bytes on the wire, those that take no buffer: preamble and gap.
    fn unbuffered(&self) -> u32;
    /// The ports that lead to another switch.
    fn to_switch(&self) -> PortSet;
    /// The port the packet at hand came in by; `None` for one that the switch itself made.
    fn ingress(&self) -> Option<PortId>;
    /// The line of a port that exists, and where its packets are.
    fn line(&mut self, port: PortId) -> (&mut Line, &Self::Store);
    /// Where the packets of all ports are.
    fn store(&self) -> &Self::Store;
    /// The line of a port that exists, not to be changed.
    fn line_as_it_is(&self, port: PortId) -> &Line;
    /// The link behind a port that exists.
    fn wire(&self, port: PortId) -> &Wire;
    /// The explicit queue of a port that exists; `None` when it is FIFO.
    fn ranked(&self, port: PortId) -> Option<&Ranked>;
    /// The same, to be changed.
    fn ranked_mut(&mut self, port: PortId) -> Option<&mut Ranked>;
}

/// The queues of a switch as policies see them: [`Queues`] over a driver's ports.
pub struct Live<P>(pub P);

impl<P: Ports> Live<P> {
    /// How deep the queue of a port that exists is now.
    #[inline]
    pub fn settle(&mut self, port: PortId) -> Depth {
        let (now, unbuffered) = (self.0.now(), self.0.unbuffered());
        let (line, store) = self.0.line(port);
        line.settle(store, now, unbuffered)
    }

    /// How the queue of a port that exists looks to `packet`.
    #[inline(always)]
    pub fn want(&mut self, port: PortId, packet: &Packet) -> Want {
        let depth = self.settle(port);
        let capacity = self.0.capacity();
        let used = if capacity.is_shared() { self.used() } else { 0 };
        Want {
            port,
            depth,
            fits: capacity.fits(depth, self.buffered(packet), used),
        }
    }

    /// Policies of the caller's may name any port; drivers do not check.
    fn check(&self, port: PortId) {
        check_port(port, self.0.count());
    }

    /// What waits at a port that exists behind the packet being sent, and stands in its line.
    #[inline(always)]
    fn waits(&mut self, port: PortId) -> Depth {
        let (now, unbuffered) = (self.0.now(), self.0.unbuffered());
        let (line, store) = self.0.line(port);
        line.settle(store, now, unbuffered);
        line.waits(store, unbuffered)
    }

    /// Calls `with` for the scheduler of a port that exists; `None` of a FIFO port.
    #[cold]
    pub fn look<T>(&mut self, port: PortId, with: impl FnOnce(&AnySched) -> T) -> Option<T> {
        let (waiting, unbuffered) = (self.waits(port), self.0.unbuffered());
        let ranked = self.0.ranked_mut(port)?;
        Some(ranked.look(waiting, unbuffered, with))
    }

    #[inline(never)]
    fn see_apart(&mut self, port: PortId, packet: &Packet) {
        self.seen(port, packet);
    }

    fn sched(&self, port: PortId) -> Option<&AnySched> {
        self.check(port);
        self.0.ranked(port).map(Ranked::sched)
    }

    /// Bytes that the whole switch holds.
    #[inline(never)]
    fn used(&mut self) -> u64 {
        let ports = 0..self.0.count();
        let held = |port| u64::from(self.settle(PortId(port)).bytes);
        ports.map(held).sum()
    }
}

/// Panics when a switch with `ports` ports has no such port.
pub(crate) fn check_port(port: PortId, ports: u16) {
    assert!(port.0 < ports, "port {} of a switch with {ports}", port.0);
}

impl<P: Ports> Queues for Live<P> {
    fn now(&self) -> Time {
        self.0.now()
    }

    #[inline]
    fn depth(&mut self, port: PortId) -> Depth {
        self.check(port);
        self.settle(port)
    }

    fn open(&mut self, packet: &Packet) -> PortSet {
        let all = (0..self.0.count()).map(PortId).collect();
        self.open_among(packet, all)
    }

    fn open_among(&mut self, packet: &Packet, among: PortSet) -> PortSet {
        let (capacity, bytes) = (self.0.capacity(), self.buffered(packet));
        let ports = self.0.count();
        if let Some(room) = capacity.own_room() {
            return among.filter(|port| {
                check_port(port, ports);
                room.fits(self.settle(port), bytes)
            });
        }
        let used = self.used();
        // Just settled, all of them.
        among.filter(|port| {
            check_port(port, ports);
            let depth = self.0.line_as_it_is(port).settled();
            capacity.fits(depth, bytes, used)
        })
    }

    #[inline]
    fn buffered(&self, packet: &Packet) -> u32 {
        u32::from(packet.wire) - self.0.unbuffered()
    }

    fn would_fit(&mut self, packet: &Packet, depth: Depth) -> bool {
        let (capacity, bytes) = (self.0.capacity(), self.buffered(packet));
        let used = if capacity.is_shared() { self.used() } else { 0 };
        capacity.fits(depth, bytes, used)
    }

    fn limit(&mut self) -> Option<Size> {
        let capacity = self.0.capacity();
        let used = if capacity.is_shared() { self.used() } else { 0 };
        capacity.limit(used)
    }

    fn to_switch(&self) -> PortSet {
        self.0.to_switch()
    }

    fn ingress(&self) -> Option<PortId> {
        self.0.ingress()
    }

    fn worst(&self, port: PortId) -> Option<u32> {
        self.sched(port)?.worst()
    }

    fn each_worst(&self, port: PortId, with: &mut dyn FnMut(u32, u32) -> bool) {
        let unbuffered = self.0.unbuffered();
        if let Some(sched) = self.sched(port) {
            sched.each_worst(&mut |rank, wire| with(rank, wire - unbuffered));
        }
    }

    fn could_fit(&mut self, packet: &Packet, port: PortId) -> bool {
        let depth = self.depth(port);
        let capacity = self.0.capacity();
        let used = if capacity.is_shared() { self.used() } else { 0 };
        let asks = (packet.rank(), self.buffered(packet));
        could_fit(capacity, asks, depth, used, |with| {
            self.each_worst(port, with)
        })
    }

    fn ranks(&mut self, port: PortId) -> RankSum {
        self.settle(port);
        let mut ranks = RankSum::default();
        let (line, store) = self.0.line(port);
        // What waits at a FIFO port, and of class queues while one class alone waits.
        line.each_behind(store, |packet| ranks.add(packet.rank()));
        let Some(sched) = self.sched(port) else {
            return ranks;
        };
        let store = self.0.store();
        sched.each_held(&mut |handle| {
            assert!(
                store.has(handle),
                "a scheduler named packet {handle}, which is nowhere"
            );
            ranks.add(store.parcel(handle).packet.rank());
        });
        ranks
    }

    #[inline]
    fn queue(&mut self, port: PortId, service: u8) -> Class {
        self.check(port);
        let (waiting, unbuffered) = (self.waits(port), self.0.unbuffered());
        match self.0.ranked_mut(port) {
            Some(ranked) => ranked.class(service, waiting, unbuffered),
            None => Class::default(),
        }
    }

    #[inline(always)]
    fn see(&mut self, port: PortId, packet: &Packet) {
        self.check(port);
        let now = self.0.now();
        let ranked = self.0.ranked_mut(port);
        if ranked.is_some_and(|ranked| ranked.heeds(packet, now)) {
            self.see_apart(port, packet);
        }
    }

    #[inline(always)]
    fn seen(&mut self, port: PortId, packet: &Packet) -> Class {
        self.check(port);
        let waiting = self.waits(port);
        let (now, unbuffered) = (self.0.now(), self.0.unbuffered());
        match self.0.ranked_mut(port) {
            Some(ranked) => ranked.seen(packet, now, waiting, unbuffered),
            None => Class::default(),
        }
    }

    fn empty_at(&self, port: PortId) -> Time {
        self.check(port);
        self.0.line_as_it_is(port).free_at
    }

    fn time_to_send(&self, port: PortId, bytes: Bytes) -> Time {
        self.check(port);
        self.0.wire(port).rate.time_to_send(bytes)
    }
}
