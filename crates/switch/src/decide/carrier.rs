//! Interface between the decider and a driver.

use crate::Event;
use crate::ports::Ports;
use sidestep_types::{Packet, PortId};

/// Driver with one packet at hand.
///
/// Example: one port in memory, with a clock that does not advance, so that no packet leaves.
///
/// ```
/// use sidestep_switch::ports::{Line, Live, Ports, Ranked, Wire};
/// use sidestep_switch::testing::Shelf;
/// use sidestep_switch::{
///     AnyBuffer, AnyRoute, Capacity, Carrier, Decider, DropReason, Event, Hops, Streams,
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
///     events: &'a mut Vec<Event>,
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
/// #   fn put(&mut self, _: u32, _: PortId) { unreachable!("nothing is held") }
///     fn tell(&mut self, _: Option<u32>, event: Event) {
///         self.events.push(event);
///     }
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
/// let mut events = Vec::new();
/// for _ in 0..2 {
///     let mut at_hand = AtHand { port: &mut port, packet, events: &mut events };
///     let wanted = decider.route(&mut at_hand, Hops::of(&[PortId(0)]), &mut ());
///     assert!(decider.admit(at_hand, wanted, false, &mut ()));
/// }
/// assert!(matches!(events[0], Event::Enqueue(joined) if joined.ahead.packets == 0));
/// assert_eq!(events[1], Event::Drop { port: PortId(0), reason: DropReason::Full });
/// assert_eq!(decider.counts(PortId(0)).drops.iter().sum::<u64>(), 1);
/// ```
pub trait Carrier {
    /// Ports of the driver.
    type Ports<'a>: Ports
    where
        Self: 'a;
    /// Returns the packet at hand and the ports.
    fn at_hand(&mut self) -> (&Packet, Self::Ports<'_>);
    /// Returns the packet at hand, for marks and counters.
    fn packet_mut(&mut self) -> &mut Packet;
    /// Returns true if the packet may leave by a port that it does not want.
    fn may_detour(&self) -> bool {
        true
    }
    /// Cuts the packet's payload off. Returns false if it cannot be cut.
    fn trim(&mut self) -> bool;
    /// Enqueues the packet on `port`. Returns false if the driver had no memory for it.
    fn enqueue(&mut self, port: PortId) -> bool;
    /// Takes the worst packet out of the queue of `port` and holds it until it joins another queue or is
    /// dropped. Returns a number of the driver's choice for it.
    ///
    /// Panics when no packet can be evicted: a buffer policy must check [`crate::Queues::worst`] first.
    fn take(&mut self, port: PortId) -> u32;
    /// Returns a held packet and the ports. The port by which the packet came in is no longer known.
    fn held(&mut self, held: u32) -> (Packet, Self::Ports<'_>);
    /// Returns a held packet, for marks and counters.
    fn held_mut(&mut self, held: u32) -> &mut Packet;
    /// Returns true if a held packet may leave by a port that it does not want.
    fn held_may_detour(&self, _held: u32) -> bool {
        true
    }
    /// Enqueues a held packet on `port`.
    fn put(&mut self, held: u32, port: PortId);
    /// Receives an event of a held packet, or of the packet at hand if `held` is `None`; that event is the last
    /// call about the packet at hand. The driver frees a dropped packet with this event.
    fn tell(&mut self, held: Option<u32>, event: Event);
}
