//! Minimal driver of the switch's decision, for a cell that sees each queue by its depth and its tail.
//!
//! The driver decides nothing: [`Decider`] queries the policy and carries out its verdict, and [`Deflection`]
//! counts the effects on the queues. Packets use no bytes, so a queue that one packet leaves and another joins
//! keeps its depth.

use sidestep_switch::ports::{Line, Ports, Ranked, Store, Wire};
use sidestep_switch::testing::Shelf;
use sidestep_switch::{AnyBuffer, AnyRoute, AnySched, Capacity, Carrier, Decider, Event, Streams};
use sidestep_types::{
    BitRate, FlowId, HostId, Kind, Packet, PortId, PortSet, Rng, Size, Time, Values,
};

/// Fate of a packet and effects on the queues: how often each occurs.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deflection {
    /// The packet joins the queue it wanted.
    pub enqueue: u32,
    /// The tail of the wanted queue is evicted.
    pub evict: u32,
    /// The victim (the packet, or the one evicted) joins the queue of `target`.
    pub moved: u32,
    /// Port to which the victim moves; 0 if it does not move.
    pub target: u32,
    /// The tail of the queue of `target` is dropped.
    pub squeeze: u32,
    /// The victim is dropped.
    pub lost: u32,
}

/// Queue as the cell sees it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Depth, in bytes.
    pub depth: u32,
    /// 1 if there is room for one more packet.
    pub fits: u32,
    /// Rank at the tail; used only if the queue is full.
    pub tail: u32,
}

/// Switch at which one packet arrives.
pub(crate) struct Driver {
    lines: Vec<Line>,
    ranked: Vec<Ranked>,
    wire: Wire,
    shelf: Shelf,
    to_switch: PortSet,
    wanted: PortId,
    seen: Deflection,
}

/// Packets in a full queue: its tail, and one that stands for all before it.
const PLACES: u64 = 2;

impl Driver {
    /// Creates a switch with queues as in `loads`.
    pub(crate) fn new(loads: &[Load], to_switch: PortSet) -> Driver {
        let sched = || AnySched::build("srpt", &Values::default(), 2, 0).expect("it is registered");
        let mut driver = Driver {
            lines: vec![Line::default(); loads.len()],
            ranked: (0..)
                .map(|p| Ranked::new(sched(), p))
                .take(loads.len())
                .collect(),
            wire: Wire::new(BitRate::gbps(1), Time::ZERO),
            shelf: Shelf::default(),
            to_switch,
            wanted: PortId(0),
            seen: Deflection::default(),
        };
        for (port, load) in (0..).map(PortId).zip(loads) {
            driver.lines[port.index()].grow(load.depth);
            if load.fits == 0 {
                let tail = driver.shelf.put(ranked(load.tail));
                driver.queue(port, tail);
            }
        }
        driver
    }

    /// Returns the effects of `policy` when a packet of `rank` arrives that wants `wanted`.
    pub(crate) fn arrive(
        mut self,
        policy: AnyBuffer,
        rank: u32,
        wanted: PortId,
        rng: Rng,
    ) -> Deflection {
        let ports = self.lines.len() as u16;
        let route = AnyRoute::build("single", &Values::default(), ports, 0);
        let streams = Streams {
            route: rng.clone(),
            buffer: rng,
        };
        let mut decider = Decider::new(route.expect("it is registered"), policy, streams, ports);
        self.wanted = wanted;
        let at_hand = AtHand {
            driver: &mut self,
            packet: ranked(rank),
        };
        decider.admit(at_hand, wanted, false, &mut ());
        self.seen
    }

    fn queue(&mut self, port: PortId, at: u32) {
        let line = &mut self.lines[port.index()];
        line.grow(0);
        self.ranked[port.index()].push(line, &mut self.shelf, &self.wire, Time::ZERO, at);
    }

    fn moved(&mut self, port: PortId) {
        self.seen.moved += 1;
        self.seen.target = u32::from(port.0);
    }
}

/// Creates a packet of no bytes.
fn ranked(rank: u32) -> Packet {
    let mut packet = Packet::new(Kind::Data, FlowId(0), HostId(0), 0);
    packet.set_rank(rank);
    packet
}

impl Ports for &mut Driver {
    type Store = Shelf;
    fn count(&self) -> u16 {
        self.lines.len() as u16
    }
    fn now(&self) -> Time {
        Time::ZERO
    }
    fn capacity(&self) -> Capacity {
        Capacity::PerPort(Size::Packets(PLACES))
    }
    fn unbuffered(&self) -> u32 {
        0
    }
    fn to_switch(&self) -> PortSet {
        self.to_switch
    }
    fn ingress(&self) -> Option<PortId> {
        None
    }
    fn line(&mut self, port: PortId) -> (&mut Line, &Shelf) {
        (&mut self.lines[port.index()], &self.shelf)
    }
    fn line_as_it_is(&self, port: PortId) -> &Line {
        &self.lines[port.index()]
    }
    fn store(&self) -> &Shelf {
        &self.shelf
    }
    fn wire(&self, _: PortId) -> &Wire {
        &self.wire
    }
    fn ranked(&self, port: PortId) -> Option<&Ranked> {
        self.ranked.get(port.index())
    }
    fn ranked_mut(&mut self, port: PortId) -> Option<&mut Ranked> {
        self.ranked.get_mut(port.index())
    }
}

struct AtHand<'a> {
    driver: &'a mut Driver,
    packet: Packet,
}

impl Carrier for AtHand<'_> {
    type Ports<'a>
        = &'a mut Driver
    where
        Self: 'a;
    fn at_hand(&mut self) -> (&Packet, &mut Driver) {
        (&self.packet, self.driver)
    }
    fn packet_mut(&mut self) -> &mut Packet {
        &mut self.packet
    }
    fn trim(&mut self) -> bool {
        false
    }
    fn enqueue(&mut self, port: PortId) -> bool {
        let driver = &mut *self.driver;
        if port == driver.wanted {
            driver.seen.enqueue += 1;
        } else {
            driver.moved(port);
        }
        let at = driver.shelf.put(self.packet);
        driver.queue(port, at);
        true
    }
    fn take(&mut self, port: PortId) -> u32 {
        let driver = &mut *self.driver;
        // The tail of the wanted queue makes room for the packet; the tail of another queue makes room for the
        // victim.
        if port == driver.wanted {
            driver.seen.evict += 1;
        } else {
            driver.seen.squeeze += 1;
        }
        let line = &mut driver.lines[port.index()];
        driver.ranked[port.index()].evict(line, &mut driver.shelf, &driver.wire, 0)
    }
    fn held(&mut self, held: u32) -> (Packet, &mut Driver) {
        (self.driver.shelf.parcel(held).packet, self.driver)
    }
    fn held_mut(&mut self, held: u32) -> &mut Packet {
        &mut self.driver.shelf.parcel_mut(held).packet
    }
    fn put(&mut self, held: u32, port: PortId) {
        self.driver.moved(port);
        self.driver.queue(port, held);
    }
    fn tell(&mut self, _: Option<u32>, event: Event) {
        let lost = event.dropped().is_some() && event.wanted() == self.driver.wanted;
        self.driver.seen.lost += u32::from(lost);
    }
}
