//! View of a driver's ports for policies.

use super::{Line, Ranked, Store, Wire};
use crate::queues::could_fit;
use crate::{AnySched, Capacity, Class, Depth, Queues, RankSum, Sched, Want};
use sidestep_types::{Bytes, Packet, PortId, PortSet, Size, Time};

/// Ports of one switch at one instant, as a driver keeps them, with one packet at hand.
///
/// A driver gives access to its lines, wires and schedulers; [`Live`] answers the queries of policies
/// from them. `crates/sim/src/switching.rs` and `crates/softswitch/src/machine/outputs.rs` are the
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
    /// Packet storage of the driver.
    type Store: Store;
    /// Returns the number of ports.
    fn count(&self) -> u16;
    /// Returns the current simulation or clock time.
    fn now(&self) -> Time;
    /// Returns the buffer capacity of the switch.
    fn capacity(&self) -> Capacity;
    /// Returns the bytes of a packet on the wire that take no buffer: preamble and gap.
    fn unbuffered(&self) -> u32;
    /// Returns the ports that lead to another switch.
    fn to_switch(&self) -> PortSet;
    /// Returns the port by which the packet at hand came in; `None` for a packet that the switch itself made.
    fn ingress(&self) -> Option<PortId>;
    /// Returns the line of an existing port, and the store of its packets.
    fn line(&mut self, port: PortId) -> (&mut Line, &Self::Store);
    /// Returns the store of the packets of all ports.
    fn store(&self) -> &Self::Store;
    /// Returns the line of an existing port, read-only.
    fn line_as_it_is(&self, port: PortId) -> &Line;
    /// Returns the link behind an existing port.
    fn wire(&self, port: PortId) -> &Wire;
    /// Returns the explicit queue of an existing port; `None` if it is FIFO.
    fn ranked(&self, port: PortId) -> Option<&Ranked>;
    /// Returns the explicit queue of an existing port, for changes; `None` if it is FIFO.
    fn ranked_mut(&mut self, port: PortId) -> Option<&mut Ranked>;
}

/// Queues of a switch as policies see them: implements [`Queues`] over a driver's ports.
pub struct Live<P>(pub P);

impl<P: Ports> Live<P> {
    /// Returns the current depth of the queue of an existing port.
    #[inline]
    pub fn settle(&mut self, port: PortId) -> Depth {
        let (now, unbuffered) = (self.0.now(), self.0.unbuffered());
        let (line, store) = self.0.line(port);
        line.settle(store, now, unbuffered)
    }

    /// Returns the queue of an existing port as `packet` finds it.
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

    /// Panics if the port does not exist. Custom policies may name any port, and drivers do not check.
    fn check(&self, port: PortId) {
        check_port(port, self.0.count());
    }

    /// Returns the packets in the line of an existing port that wait behind the packet being sent.
    #[inline(always)]
    fn waits(&mut self, port: PortId) -> Depth {
        let (now, unbuffered) = (self.0.now(), self.0.unbuffered());
        let (line, store) = self.0.line(port);
        line.settle(store, now, unbuffered);
        line.waits(store, unbuffered)
    }

    /// Calls `with` on the scheduler of an existing port. Returns `None` for a FIFO port.
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

    /// Returns the bytes that the whole switch holds.
    #[inline(never)]
    fn used(&mut self) -> u64 {
        let ports = 0..self.0.count();
        let held = |port| u64::from(self.settle(PortId(port)).bytes);
        ports.map(held).sum()
    }
}

/// Panics if a switch with `ports` ports has no such port.
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
        // `used` has settled all ports.
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
        // Waiting packets of a FIFO port, or of class queues while only one class waits.
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
        if ranked.is_some_and(|ranked| ranked.must_see(packet, now)) {
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
