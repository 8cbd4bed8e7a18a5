//! Shims at the ports that lead to hosts: what a hypervisor or a smart NIC does there.
//!
//! **Decision**     that of the shims. They stand behind the link: a frame to the host goes up through them
//!                  when the delay of its port has passed, a frame from the host down before anything
//!                  else. They see TCP segments in one piece; everything else goes on at once.
//! **State**        per port a stack of shims, its connections, and the frames that it keeps.
//! **Units**        picoseconds: a frame that is kept leaves at the very instant that its shim says,
//!                  however late it is asked for.
//! **Errors**       a shim that returns a packet that it does not keep panics. What is kept of a flow that
//!                  is closed goes on: a switch does not know what its host wants no more.
//! **Deviations**   an end of a connection is data of one byte, so that it waits for what is before it. A
//!                  shim may mark a packet, drop it or keep it; other changes are not written into frames.

mod connections;

use super::agenda::Agenda;
use super::core::mark_kept;
use super::counters::ShimCounters;
use super::departure::{Departure, Handle};
use super::outputs::Outputs;
use super::slab::Slab;
use crate::frame::{Segment, segment};
use crate::setup::{PortSetup, Setup};
use connections::{Connections, Way};
use sidestep_switch::ports::Store;
use sidestep_transport::shim::{Stack, Up};
use sidestep_types::{FlowId, HostId, Kind, Packet, PortId, Time};
use std::collections::{BTreeMap, VecDeque};

/// The shims of all ports.
pub(super) struct Shims {
    ports: Vec<Option<Edge>>,
    /// Per port, when its shims want to be woken.
    dues: Agenda,
    /// Frames that go on.
    ready: VecDeque<Departure>,
}

/// The shims of one port.
pub(super) struct Edge {
    stack: Stack,
    connections: Connections,
    /// What is kept of each flow, in the order in which it came.
    kept: BTreeMap<FlowId, Vec<u32>>,
    /// The latest instant that its shims know of.
    now: Time,
    dropped: u64,
}

impl Shims {
    /// Those of `setup`; `None` when no port has any.
    pub fn new(setup: &Setup) -> Result<Option<Box<Shims>>, String> {
        let ports = edges(setup)?;
        let some = ports.iter().any(Option::is_some);
        Ok(some.then(|| Box::new(Shims::of(ports))))
    }

    /// For so many ports, none of which has any.
    pub fn none(ports: usize) -> Shims {
        Shims::of((0..ports).map(|_| None).collect())
    }

    fn of(ports: Vec<Option<Edge>>) -> Shims {
        Shims {
            dues: Agenda::new(ports.len()),
            ready: VecDeque::new(),
            ports,
        }
    }

    /// Puts a stack of the caller's on a port that keeps nothing.
    pub fn put(&mut self, port: PortId, stack: Stack) {
        self.ports[port.index()] = Some(Edge::new(stack));
    }

    /// Takes the shims of another config over, `new` as [`edges`] made them. What a port keeps whose shims
    /// are others now goes on.
    pub fn reload(
        &mut self,
        outputs: &mut Outputs,
        (before, after): (&Setup, &Setup),
        new: Vec<Option<Edge>>,
    ) {
        // What was due by now is before what goes on now.
        while self.step(outputs).is_some() {}
        for (index, new) in new.into_iter().enumerate() {
            if before.ports[index].shims == after.ports[index].shims {
                continue;
            }
            let old = std::mem::replace(&mut self.ports[index], new);
            let mut kept: Vec<u32> = (old.into_iter())
                .flat_map(|edge| edge.kept.into_values().flatten())
                .collect();
            kept.sort_by_key(|handle| outputs.slab.number(*handle));
            self.dues.set(index, Time::MAX);
            self.hand_out(index, outputs.now, kept);
        }
    }

    /// When something is to do next; [`Time::MAX`] when nothing is.
    pub fn next(&self) -> Time {
        let ready = self.ready.front().map_or(Time::MAX, |first| first.due);
        self.dues.first().min(ready)
    }

    /// Does what is to do first, if that is by now.
    pub fn step(&mut self, outputs: &mut Outputs) -> Option<()> {
        let wakes = self.dues.first();
        if wakes >= outputs.first() {
            let departure = outputs.take()?;
            self.up(&mut outputs.slab, departure);
        } else if wakes <= outputs.now {
            self.wake(&mut outputs.slab);
        } else {
            return None;
        }
        Some(())
    }

    /// The next frame that goes on.
    pub fn poll(&mut self) -> Option<Departure> {
        self.ready.pop_front()
    }

    /// A frame has come out of its port's link.
    fn up(&mut self, slab: &mut Slab, departure: Departure) {
        let index = departure.port.index();
        let Some(edge) = &mut self.ports[index] else {
            return self.ready.push_back(departure);
        };
        // A reload may have shortened the delay.
        let at = departure.due.max(edge.now);
        let on = edge.up(at, departure.handle.0, slab);
        self.settle(index, at, on);
    }

    /// The instant has come that shims want to be woken at.
    fn wake(&mut self, slab: &mut Slab) {
        let (index, at) = (self.dues.slot(), self.dues.first());
        let edge = self.ports[index].as_mut().expect("it wants to be woken");
        let at = at.max(edge.now);
        let on = edge.wake(at, slab);
        self.settle(index, at, on);
    }

    /// A frame came from the host.
    pub fn down(&mut self, now: Time, port: PortId, bytes: &[u8]) {
        if let Some(edge) = &mut self.ports[port.index()] {
            let on = edge.down(now, bytes);
            self.settle(port.index(), now, on);
        }
    }

    fn settle(&mut self, index: usize, at: Time, on: Vec<u32>) {
        let edge = self.ports[index].as_ref().expect("a port with shims");
        self.dues
            .set(index, edge.stack.deadline().unwrap_or(Time::MAX));
        self.hand_out(index, at, on);
    }

    fn hand_out(&mut self, index: usize, due: Time, on: Vec<u32>) {
        let port = PortId(index as u16);
        let each = on.into_iter().map(|handle| Departure {
            port,
            due,
            handle: Handle(handle),
        });
        self.ready.extend(each);
    }

    /// What the shims of `port` counted, if it has any.
    pub fn counters(&self, port: PortId) -> Option<ShimCounters> {
        let edge = self.ports[port.index()].as_ref()?;
        let counted = edge.stack.counters();
        Some(ShimCounters {
            keeping: edge.kept.values().map(|kept| kept.len() as u64).sum(),
            connections: edge.connections.len() as u64,
            no_place: edge.connections.no_place,
            held: counted.held,
            released: counted.released,
            expired: counted.expired,
            discarded: counted.discarded,
            late: counted.late,
            bypassed: counted.bypassed,
            dropped: edge.dropped,
            duplicates: counted.duplicates,
        })
    }
}

/// The shims of each port.
pub(super) fn edges(setup: &Setup) -> Result<Vec<Option<Edge>>, String> {
    let one = |port: &PortSetup| match port.shims.is_empty() {
        true => Ok(None),
        false => Ok(Some(Edge::new(Stack::build(&port.shims)?))),
    };
    setup.ports.iter().map(one).collect()
}

impl Edge {
    fn new(stack: Stack) -> Edge {
        Edge {
            stack,
            connections: Connections::default(),
            kept: BTreeMap::new(),
            now: Time::ZERO,
            dropped: 0,
        }
    }

    /// A frame goes to the host; says which go on.
    fn up(&mut self, at: Time, handle: u32, slab: &mut Slab) -> Vec<u32> {
        self.now = at;
        let mut on = Vec::new();
        let segment = segment(slab.bytes(handle));
        let seen = segment.and_then(|segment| {
            let seen = (self.connections).see(at, &segment, Way::Up, &mut self.stack);
            seen.map(|(flow, seq)| (segment, flow, seq))
        });
        self.let_go(&mut on);
        let Some((segment, flow, seq)) = seen else {
            self.go_on(handle, slab, &mut on);
            return on;
        };
        let mut packet = shown(&segment, (flow, seq), handle, &slab.parcel(handle).packet);
        let up = self.stack.up(at, &mut packet);
        if up == Up::Keep {
            self.kept.entry(flow).or_default().push(handle);
        }
        let passed = (up == Up::Pass).then_some(packet);
        self.collect(at, passed, slab, &mut on);
        on
    }

    /// The deadline of its shims has come.
    fn wake(&mut self, at: Time, slab: &mut Slab) -> Vec<u32> {
        self.now = at;
        self.stack.on_timeout(at);
        let mut on = Vec::new();
        self.collect(at, None, slab, &mut on);
        on
    }

    /// A frame comes from the host; says which of those to it go on.
    fn down(&mut self, now: Time, bytes: &[u8]) -> Vec<u32> {
        let mut on = Vec::new();
        let Some(segment) = segment(bytes) else {
            return on;
        };
        let seen = (self.connections).see(now, &segment, Way::Down, &mut self.stack);
        if let Some(seen) = seen {
            let blank = super::packet::blank();
            self.stack
                .down(now, &mut shown(&segment, seen, u32::MAX, &blank));
        }
        (self.connections).gone(&segment, Way::Down, &mut self.stack);
        self.let_go(&mut on);
        on
    }

    /// Takes all that its shims let go on or dropped, behind what has `passed` them.
    fn collect(&mut self, at: Time, passed: Option<Packet>, slab: &mut Slab, on: &mut Vec<u32>) {
        // All of them first: what one of them closes may be among the others.
        let mut packets: Vec<Packet> = passed.into_iter().collect();
        while let Some(packet) = self.stack.poll_up(at) {
            assert!(
                self.unkeep(&packet),
                "a shim returned a packet that it does not keep"
            );
            packets.push(packet);
        }
        while let Some(packet) = self.stack.poll_drop() {
            self.unkeep(&packet);
            self.dropped += 1;
            slab.free(packet.dst.0);
        }
        for packet in packets {
            let handle = packet.dst.0;
            if packet.ce() && !slab.parcel(handle).packet.ce() {
                mark_kept(slab.bytes_mut(handle));
            }
            self.go_on(handle, slab, on);
        }
    }

    /// A frame goes on to the host; what it ends is closed.
    fn go_on(&mut self, handle: u32, slab: &Slab, on: &mut Vec<u32>) {
        on.push(handle);
        if let Some(segment) = segment(slab.bytes(handle)) {
            self.connections.gone(&segment, Way::Up, &mut self.stack);
            self.let_go(on);
        }
    }

    /// What is kept of flows that are closed goes on.
    fn let_go(&mut self, on: &mut Vec<u32>) {
        while let Some(flow) = self.connections.poll_closed() {
            on.extend(self.kept.remove(&flow).unwrap_or_default());
        }
    }

    /// Takes a packet out of what is kept; says whether it was there.
    fn unkeep(&mut self, packet: &Packet) -> bool {
        let Some(kept) = self.kept.get_mut(&packet.flow) else {
            return false;
        };
        let Some(at) = kept.iter().position(|handle| *handle == packet.dst.0) else {
            return false;
        };
        kept.remove(at);
        if kept.is_empty() {
            self.kept.remove(&packet.flow);
        }
        true
    }
}

/// A segment as shims see it. Where it goes is who it is: the number of its frame.
fn shown(segment: &Segment, (flow, seq): (FlowId, u64), handle: u32, frame: &Packet) -> Packet {
    let kind = match (segment.syn, segment.acks, segment.takes()) {
        (true, false, _) => Kind::Syn,
        (true, true, _) => Kind::SynAck,
        (false, _, 0) => Kind::Ack,
        (false, _, _) => Kind::Data,
    };
    let mut packet = Packet::new(kind, flow, HostId(handle), frame.hash);
    packet.set_seq(seq);
    packet.set_service(frame.service());
    packet.set_ect(frame.ect());
    packet.set_ce(frame.ce());
    // Of data this bit says that its payload was cut off, and of a SYN that its sender knows ECN.
    packet.set_ece(kind == Kind::Ack && segment.ece);
    packet.wire = frame.wire;
    packet.ttl = frame.ttl;
    packet.len = if kind == Kind::Data {
        segment.takes()
    } else {
        0
    };
    packet
}
