//! The smallest driver of the switch's decision, for a cell that sees each queue by its depth and its tail.
//!
//! Nothing is decided here: [`Decider`] asks the policy and carries out what it says, and [`Deflection`] notes what
//! that did to the queues. Packets take no bytes, so a queue that one packet leaves and another joins stays as deep.

use sidestep_switch::ports::{Line, Ports, Ranked, Store, Wire};
use sidestep_switch::testing::Shelf;
use sidestep_switch::{AnyBuffer, AnyRoute, AnySched, Capacity, Carrier, Decider, Event, Streams};
use sidestep_types::{
    BitRate, FlowId, HostId, Kind, Packet, PortId, PortSet, Rng, Size, Time, Values,
};

/// What becomes of a packet and of the queues it meets: how often each happens.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deflection {
    /// It joins the queue it wanted.
    pub enqueue: u32,
    /// The tail of that queue leaves it.
    pub evict: u32,
    /// The victim, the packet or the one evicted, joins the queue of `target`.
    pub moved: u32,
    /// Where to; 0 when it does not move.
    pub target: u32,
    /// The tail of that queue is dropped.
    pub squeeze: u32,
    /// The victim is dropped.
    pub lost: u32,
}

/// One queue as the cell sees it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// How much waits, in bytes.
    pub depth: u32,
    /// Is there room for one more packet?
    pub fits: u32,
    /// The rank at its tail; matters of a full queue.
    pub tail: u32,
}

/// One switch, to which one packet comes.
pub(crate) struct Driver {
    lines: Vec<Line>,
    ranked: Vec<Ranked>,
    wire: Wire,
    shelf: Shelf,
    to_switch: PortSet,
    wanted: PortId,
    seen: Deflection,
}

/// A full queue holds two packets: its tail, and one that stands for all that is before it.
const PLACES: u64 = 2;

impl Driver {
    /// Queues like `loads`.
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

    /// What `policy` does when a packet of `rank` comes that wants `wanted`.
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

/// A packet of no bytes.
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
        // Of the wanted queue the tail leaves for the packet, of another one for who moves there.
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
