//! Dialogues with the queues of a switch, over ports in memory.

use super::*;
use crate::route::ecmp::Ecmp;
use crate::testing::{Shelf, data};
use crate::{
    AnyBuffer, AnyRoute, AnySched, Buffer, Capacity, Carrier, Changes, Decider, Depth, DropReason,
    Event, Joined, Policy, Queues, Sched, Streams, Verdict, Want,
};
use sidestep_types::{
    BitRate, Bytes, FlowId, Packet, PortId, PortSet, Rng, Seed, Size, Time, Values,
};

mod detours;
mod scheds;
mod sending;
mod victims;

/// Minimal driver, with a clock that is set by hand.
struct TestDriver {
    now: Time,
    lines: Vec<Line>,
    ranked: Vec<Option<Ranked>>,
    wire: Wire,
    shelf: Shelf,
    capacity: Capacity,
    unbuffered: u32,
    /// True if there is memory for packets to be enqueued.
    memory: bool,
    /// Event of the latest packet.
    came: Option<Event>,
    /// Packets evicted and dropped.
    evicted: Vec<u32>,
    /// Packets evicted and moved to another queue.
    moved: Vec<(u32, Joined)>,
    /// Packets that may not be detoured: held ones, and the packet at hand.
    homebound: Vec<u32>,
    homebound_at_hand: bool,
    /// Set while ranked ports may not start to send.
    paused: bool,
    /// Events that a ranked port requested at the last enqueue.
    due: Due,
}

impl TestDriver {
    /// Creates this many ports of 1 Gbps, of `limit` packets each. A full packet takes 12 us.
    fn new(ports: usize, limit: u64) -> TestDriver {
        TestDriver {
            now: Time::ZERO,
            lines: vec![Line::default(); ports],
            ranked: (0..ports).map(|_| None).collect(),
            wire: Wire::new(BitRate::gbps(1), Time::from_us(1)),
            shelf: Shelf::default(),
            capacity: Capacity::PerPort(Size::Packets(limit)),
            unbuffered: 0,
            memory: true,
            came: None,
            evicted: Vec::new(),
            moved: Vec::new(),
            homebound: Vec::new(),
            homebound_at_hand: false,
            paused: true,
            due: Due::default(),
        }
    }

    /// Counts a packet in at `port` and enqueues it there.
    fn queue(&mut self, port: PortId, at: u32) {
        let line = &mut self.lines[port.index()];
        let bytes = u32::from(self.shelf.parcel(at).packet.wire);
        match &mut self.ranked[port.index()] {
            Some(ranked) if self.paused => {
                line.grow(bytes);
                ranked.push(line, &mut self.shelf, &self.wire, self.now, at);
            }
            Some(ranked) => {
                self.due = ranked.queue(line, &mut self.shelf, &self.wire, (self.now, 0), at);
            }
            None => {
                line.grow(bytes);
                line.queue(&mut self.shelf, &self.wire, self.now, at);
            }
        }
    }

    fn ranked(mut self, port: usize, sched: AnySched) -> TestDriver {
        self.ranked[port] = Some(Ranked::new(sched, port as u32));
        self
    }

    fn depth(&mut self, port: usize) -> u32 {
        Live(&mut *self).settle(PortId(port as u16)).packets
    }

    /// Starts to send the packet that the scheduler of `port` picks, at the current time.
    fn start(&mut self, port: usize) -> Due {
        let ranked = self.ranked[port].as_mut().unwrap();
        ranked.start(&mut self.lines[port], &mut self.shelf, &self.wire, self.now)
    }

    fn ended(&mut self, port: usize) -> u32 {
        let ranked = self.ranked[port].as_mut().unwrap();
        ranked.ended(&mut self.lines[port], &self.shelf, (self.now, 0))
    }
}

impl Ports for &mut TestDriver {
    type Store = Shelf;
    fn count(&self) -> u16 {
        self.lines.len() as u16
    }
    fn now(&self) -> Time {
        self.now
    }
    fn capacity(&self) -> Capacity {
        self.capacity
    }
    fn unbuffered(&self) -> u32 {
        self.unbuffered
    }
    fn to_switch(&self) -> PortSet {
        (0..self.count()).map(PortId).collect()
    }
    fn ingress(&self) -> Option<PortId> {
        None
    }
    fn line(&mut self, port: PortId) -> (&mut Line, &Shelf) {
        (&mut self.lines[port.index()], &self.shelf)
    }
    fn store(&self) -> &Shelf {
        &self.shelf
    }
    fn line_as_it_is(&self, port: PortId) -> &Line {
        &self.lines[port.index()]
    }
    fn wire(&self, _: PortId) -> &Wire {
        &self.wire
    }
    fn ranked(&self, port: PortId) -> Option<&Ranked> {
        self.ranked[port.index()].as_ref()
    }
    fn ranked_mut(&mut self, port: PortId) -> Option<&mut Ranked> {
        self.ranked[port.index()].as_mut()
    }
}

/// Packet at hand, before it is on the shelf.
struct AtHand<'a> {
    desk: &'a mut TestDriver,
    packet: Packet,
}

impl Carrier for AtHand<'_> {
    type Ports<'a>
        = &'a mut TestDriver
    where
        Self: 'a;
    fn at_hand(&mut self) -> (&Packet, &mut TestDriver) {
        (&self.packet, self.desk)
    }
    fn packet_mut(&mut self) -> &mut Packet {
        &mut self.packet
    }
    fn may_detour(&self) -> bool {
        !self.desk.homebound_at_hand
    }
    fn trim(&mut self) -> bool {
        self.packet.trim(84);
        true
    }
    fn enqueue(&mut self, port: PortId) -> bool {
        let desk = &mut *self.desk;
        if !desk.memory {
            return false;
        }
        let at = desk.shelf.put(self.packet);
        desk.queue(port, at);
        true
    }
    fn take(&mut self, port: PortId) -> u32 {
        let desk = &mut *self.desk;
        let ranked = desk.ranked[port.index()].as_mut().unwrap();
        let line = &mut desk.lines[port.index()];
        ranked.evict(line, &mut desk.shelf, &desk.wire, 0)
    }
    fn held(&mut self, held: u32) -> (Packet, &mut TestDriver) {
        (self.desk.shelf.parcel(held).packet, self.desk)
    }
    fn held_mut(&mut self, held: u32) -> &mut Packet {
        &mut self.desk.shelf.parcel_mut(held).packet
    }
    fn held_may_detour(&self, held: u32) -> bool {
        !self.desk.homebound.contains(&held)
    }
    fn put(&mut self, held: u32, port: PortId) {
        self.desk.queue(port, held);
    }
    fn tell(&mut self, held: Option<u32>, event: Event) {
        match (held, event) {
            (Some(held), Event::Move(joined)) => self.desk.moved.push((held, joined)),
            (Some(held), _) => self.desk.evicted.push(held),
            (None, event) => self.desk.came = Some(event),
        }
    }
}

/// Policy that returns these verdicts in turn, and then repeats the last one.
struct Says(Vec<Verdict>);

impl Buffer for Says {
    fn admit(&mut self, _: &Packet, _: Want, _: &mut dyn Queues, _: &mut Rng) -> Verdict {
        match self.0.len() {
            1 => self.0[0],
            _ => self.0.remove(0),
        }
    }
}

fn decider(ports: u16, says: &[Verdict]) -> Decider {
    let ecmp = Values::defaults(Ecmp::ENTRY.params);
    let route = AnyRoute::build("ecmp", &ecmp, 2, 0).unwrap();
    let buffer = AnyBuffer::Custom(Box::new(Says(says.to_vec())));
    Decider::new(
        route,
        buffer,
        Streams::of(|what| Seed(1).stream(what)),
        ports,
    )
}

/// Forwards a packet and returns its event; `None` without memory for it.
fn forward(desk: &mut TestDriver, decider: &mut Decider, wanted: u16, rank: u32) -> Option<Event> {
    let mut packet = data();
    // A separate flow for each rank: pFabric keeps the packets of one flow in order.
    packet.flow = FlowId(rank);
    packet.set_rank(rank);
    admit(desk, decider, packet, wanted)
}

/// Admits this packet and returns its event; `None` without memory for it.
fn admit(
    desk: &mut TestDriver,
    decider: &mut Decider,
    packet: Packet,
    wanted: u16,
) -> Option<Event> {
    desk.came = None;
    let at_hand = AtHand { desk, packet };
    let kept = decider.admit(at_hand, PortId(wanted), false, &mut ());
    assert_eq!(kept, desk.came.is_some());
    desk.came
}

fn dropped(port: u16, reason: DropReason) -> Option<Event> {
    let port = PortId(port);
    Some(Event::Drop { port, reason })
}

/// Returns the queue that the packet joined.
fn joined(event: Option<Event>) -> Joined {
    let joined = event.and_then(Event::joined);
    joined.unwrap_or_else(|| panic!("it joined no queue: {event:?}"))
}

const KEEP: Verdict = Verdict::Enqueue { mark: false };
const EVICT: Verdict = Verdict::Evict { mark: false };

fn pfabric() -> AnySched {
    AnySched::PFabric(Default::default())
}

/// Returns the times that `due` requests, in microseconds: the departure of the first packet on the wire, and
/// the end at which to come back.
fn asks(due: Due) -> (Option<u64>, Option<u64>) {
    let at = due.departs.as_ns() / 1000;
    (due.first.then_some(at), due.ends.then_some(at))
}

#[test]
fn each_verdict_is_carried_out_and_counted_where_it_belongs() {
    let mut desk = TestDriver::new(2, 9);
    let says = [
        Verdict::Enqueue { mark: true },
        Verdict::Detour {
            port: PortId(1),
            mark: true,
        },
        Verdict::Trim,
        Verdict::Drop(DropReason::Early),
    ];
    let mut decider = decider(2, &says);
    let one = Depth {
        packets: 1,
        bytes: 1500,
    };
    let joins = |port, wanted_queue, ahead, changes| {
        let (wanted, port) = (PortId(0), PortId(port));
        let joined = Joined {
            wanted,
            wanted_queue,
            port,
            ahead,
            changes,
        };
        Some(Event::Enqueue(joined))
    };
    let none = Depth::default();
    let events = [
        joins(0, 0, none, Changes::MARKED),
        joins(1, 1, none, Changes::MARKED),
        joins(0, 1, one, Changes::TRIMMED),
        dropped(0, DropReason::Early),
    ];
    for event in events {
        assert_eq!(forward(&mut desk, &mut decider, 0, 0), event);
    }
    let early = DropReason::Early as usize;
    let (at, beside) = (*decider.counts(PortId(0)), *decider.counts(PortId(1)));
    assert_eq!((at.marks, at.detours_out, at.trims), (1, 1, 1));
    assert_eq!(at.drops[early], 1);
    assert_eq!((beside.marks, beside.detours_in, beside.trims), (1, 1, 0));
    let total = decider.total();
    assert_eq!((total.marks, total.drops[early]), (2, 1));
    assert_eq!(desk.shelf.0[1].packet.detours, 1);
    assert_eq!(desk.shelf.0[2].packet.wire, 84);
}

/// Checks three queues of 0, 1 and 2 packets: which have room, which of a subset have room, and which after one
/// packet of each has left.
#[test]
fn open_ports_are_those_with_room_of_all_or_of_some() {
    let full = u64::from(data().wire);
    let shared = |packets| Capacity::Shared {
        memory: Bytes(packets * full),
        alpha: (1, 1),
    };
    let own = Capacity::PerPort;
    // With shared memory for five packets, two are free at first: a queue of two is at its threshold.
    let cases: [(Capacity, &[u16], &[u16]); 9] = [
        (own(Size::Packets(2)), &[0, 1], &[0, 1, 2]),
        (own(Size::Packets(1)), &[0], &[0, 1]),
        (own(Size::Packets(0)), &[], &[]),
        (own(Size::Bytes(Bytes(2 * full))), &[0, 1], &[0, 1, 2]),
        (own(Size::Bytes(Bytes(2 * full - 1))), &[0], &[0, 1]),
        (own(Size::Packets(u64::MAX)), &[0, 1, 2], &[0, 1, 2]),
        (Capacity::Unlimited, &[0, 1, 2], &[0, 1, 2]),
        (shared(5), &[0, 1], &[0, 1, 2]),
        (shared(3), &[], &[0, 1, 2]),
    ];
    for (capacity, at_first, later) in cases {
        let full_desk = |now| {
            let mut desk = TestDriver::new(3, 9);
            for port in [1, 2, 2] {
                let at = desk.shelf.put(data());
                desk.queue(PortId(port), at);
            }
            (desk.capacity, desk.now) = (capacity, now);
            desk
        };
        for (now, expected) in [(Time::ZERO, at_first), (Time::from_us(12), later)] {
            let open = Live(&mut full_desk(now)).open(&data());
            let names: Vec<u16> = open.iter().map(|port| port.0).collect();
            assert_eq!(names, expected, "{capacity:?} at {now}");
            for some in 0..8u16 {
                let of = |port: &PortId| some >> port.0 & 1 == 1;
                let among: PortSet = (0..3).map(PortId).filter(of).collect();
                let found = Live(&mut full_desk(now)).open_among(&data(), among);
                assert_eq!(found, open & among, "{capacity:?} {among:?} at {now}");
            }
        }
    }
}

#[test]
fn what_has_no_memory_is_counted_nowhere() {
    let mut desk = TestDriver::new(2, 9);
    desk.memory = false;
    let says = [
        Verdict::Enqueue { mark: true },
        Verdict::Detour {
            port: PortId(1),
            mark: true,
        },
        Verdict::Squeeze {
            port: PortId(1),
            mark: true,
        },
        Verdict::Trim,
    ];
    let mut decider = decider(2, &says);
    for _ in says {
        assert_eq!(forward(&mut desk, &mut decider, 0, 0), None);
    }
    assert_eq!(decider.total(), Counts::default());
}

#[test]
fn a_packet_is_squeezed_in_where_others_are_evicted() {
    let mut desk = TestDriver::new(1, 2).ranked(0, pfabric());
    let mut decider = decider(1, &[KEEP, KEEP, EVICT]);
    forward(&mut desk, &mut decider, 0, 900);
    forward(&mut desk, &mut decider, 0, 500);
    let joined = joined(forward(&mut desk, &mut decider, 0, 100));
    let (ahead, wanted_queue) = (joined.ahead.packets, joined.wanted_queue);
    assert_eq!(
        (ahead, wanted_queue, joined.changes),
        (1, 2, Changes::default())
    );
    // The evicted packet's sending time was subtracted from the sum.
    assert_eq!(desk.lines[0].free_at, Time::from_us(24));
    assert_eq!((desk.depth(0), desk.evicted), (2, vec![0]));
    assert_eq!(decider.total().drops[DropReason::Evicted as usize], 1);
}

#[test]
fn evictions_in_vain_are_counted_and_the_packet_dropped() {
    let mut desk = TestDriver::new(1, 0).ranked(0, pfabric());
    let full = Verdict::Drop(DropReason::Full);
    let mut decider = decider(1, &[KEEP, KEEP, EVICT, EVICT, full]);
    forward(&mut desk, &mut decider, 0, 900);
    forward(&mut desk, &mut decider, 0, 500);
    let event = forward(&mut desk, &mut decider, 0, 100);
    assert_eq!(event, dropped(0, DropReason::Full));
    assert_eq!((desk.depth(0), desk.evicted), (0, vec![0, 1]));
    let drops = decider.total().drops;
    assert_eq!(drops[DropReason::Evicted as usize], 2);
    assert_eq!(drops[DropReason::Full as usize], 1);
}

#[test]
fn what_waits_is_named_worst_first_in_bytes_of_buffer_until_the_policy_has_enough() {
    let mut desk = TestDriver::new(2, 9).ranked(0, pfabric());
    let mut decider = decider(2, &[KEEP]);
    forward(&mut desk, &mut decider, 0, 950);
    desk.start(0);
    for rank in [500, 900, 100] {
        forward(&mut desk, &mut decider, 0, rank);
        forward(&mut desk, &mut decider, 1, rank);
    }
    desk.unbuffered = 20;
    let named = |desk: &mut TestDriver, port, most| {
        let mut seen = Vec::new();
        Live(desk).each_worst(PortId(port), &mut |rank, bytes| {
            seen.push((rank, bytes));
            seen.len() < most
        });
        seen
    };
    // The worst packet of all is already on the wire.
    let all = [(900, 1480), (500, 1480), (100, 1480)];
    assert_eq!(named(&mut desk, 0, 9), all);
    assert_eq!(named(&mut desk, 0, 2), all[..2]);
    assert_eq!(named(&mut desk, 1, 9), [], "a FIFO port does not rank");
}

#[test]
#[should_panic(expected = "port 7 of a switch with 2")]
fn a_detour_to_a_port_that_is_not_there_panics() {
    let mut desk = TestDriver::new(2, 9);
    forward(
        &mut desk,
        &mut decider(
            2,
            &[Verdict::Detour {
                port: PortId(7),
                mark: true,
            }],
        ),
        0,
        0,
    );
}
