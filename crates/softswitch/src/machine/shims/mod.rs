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
//!                  Where switches carry tags, a frame from the host gets the one that its shims say, and one to
//!                  any host loses it when it comes out of the link.
//! **Deviations**   no frame says that its packet was sent before: what shims count of that is not told. An
//!                  end of a connection is data of one byte, so that it waits for what is before it. A shim may
//!                  mark a packet that arrives, drop it or keep it, and tag one that leaves or set its service;
//!                  other changes are not written into frames.

mod announce;
mod connections;

pub use announce::Announced;

use super::agenda::Agenda;
use super::core::mark_kept;
use super::counters::ShimCounters;
use super::departure::{Departure, Handle};
use super::outputs::Outputs;
use super::slab::Slab;
use crate::frame::{Carry, Frame, Segment, WireTag, segment};
use crate::setup::{PortSetup, Setup};
use connections::{Connections, Way};
use sidestep_switch::ports::Store;
use sidestep_transport::shim::{Stack, Up};
use sidestep_types::{FlowId, HostId, Kind, Packet, PortId, Time};
use std::collections::{BTreeMap, VecDeque};

/// What the shims of a host say of a frame from it.
#[derive(Clone, Copy, Default)]
pub(super) struct Said {
    /// The code point that it is to have, if another one.
    pub dscp: Option<u8>,
    /// The tag that it gets.
    pub tag: Option<WireTag>,
}

/// The shims of all ports.
pub(super) struct Shims {
    ports: Vec<Option<Edge>>,
    /// Per port, what shims have counted that a reload has replaced, if it ever had any.
    past: Vec<Option<ShimCounters>>,
    /// Per port, when its shims want to be woken.
    dues: Agenda,
    /// Frames that go on.
    ready: VecDeque<Departure>,
    /// Room for those that one frame or instant lets go on; empty between them.
    on: Vec<u32>,
    /// Where frames carry tags, if they do.
    carry: Option<Carry>,
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
    /// Data that had no room for its tag.
    untagged: u64,
}

impl Shims {
    /// Those of `setup`; `None` when no port has any, and no frame a tag.
    pub fn new(setup: &Setup) -> Result<Option<Box<Shims>>, String> {
        let ports = edges(setup)?;
        let some = ports.iter().any(Option::is_some) || setup.tags.is_some();
        Ok(some.then(|| Box::new(Shims::of(ports, setup))))
    }

    /// For the ports of `setup`, as if none had any.
    pub fn none(setup: &Setup) -> Shims {
        Shims::of(setup.ports.iter().map(|_| None).collect(), setup)
    }

    fn of(ports: Vec<Option<Edge>>, setup: &Setup) -> Shims {
        Shims {
            past: vec![None; ports.len()],
            dues: Agenda::new(ports.len()),
            ready: VecDeque::new(),
            on: Vec::new(),
            carry: setup.tags.map(|tags| tags.carry),
            ports,
        }
    }

    /// Puts a stack of the caller's on a port that keeps nothing.
    pub fn put(&mut self, port: PortId, stack: Stack) {
        self.ports[port.index()] = Some(Edge::new(stack, self.carry.is_some()));
    }

    /// Takes the shims of another config over, `new` as [`edges`] made them. What a port keeps whose shims
    /// are others now goes on, and what those have counted stays counted.
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
            self.past[index] = self.counters(PortId(index as u16));
            let old = std::mem::replace(&mut self.ports[index], new);
            let mut kept: Vec<u32> = (old.into_iter())
                .flat_map(|edge| edge.kept.into_values().flatten())
                .collect();
            kept.sort_by_key(|handle| outputs.slab.number(*handle));
            self.dues.set(index, Time::MAX);
            self.hand_out(index, outputs.now, &kept);
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
            self.up(outputs, departure);
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
    fn up(&mut self, outputs: &mut Outputs, departure: Departure) {
        let (index, handle) = (departure.port.index(), departure.handle.0);
        let (to_host, slab) = (!outputs.switches.has(departure.port), &mut outputs.slab);
        let carry = self.carry.filter(|_| to_host);
        let tag = carry.and_then(|carry| slab.take_tag(handle, carry));
        let Some(edge) = &mut self.ports[index] else {
            return self.ready.push_back(departure);
        };
        // A reload may have shortened the delay.
        let at = departure.due.max(edge.now);
        edge.up(at, handle, tag, slab, &mut self.on);
        self.settle(index, at);
    }

    /// The instant has come that shims want to be woken at.
    fn wake(&mut self, slab: &mut Slab) {
        let (index, at) = (self.dues.slot(), self.dues.first());
        let edge = self.ports[index].as_mut().expect("it wants to be woken");
        let at = at.max(edge.now);
        edge.wake(at, slab, &mut self.on);
        self.settle(index, at);
    }

    /// A frame came from the host, `read` where it may get a tag; says what is to be written into it.
    pub fn down(&mut self, now: Time, port: PortId, bytes: &[u8], read: Option<&Frame>) -> Said {
        let Some(edge) = &mut self.ports[port.index()] else {
            return Said::default();
        };
        let said = edge.down(now, bytes, read, &mut self.on);
        self.settle(port.index(), now);
        said
    }

    /// A frame from the host at `port` had no room for its tag.
    pub fn without_room(&mut self, port: PortId) {
        let edge = self.ports[port.index()].as_mut();
        edge.expect("its shims said a tag").untagged += 1;
    }

    /// Hands out what goes on, and sees when the shims of the port want to be woken.
    fn settle(&mut self, index: usize, at: Time) {
        let edge = self.ports[index].as_ref().expect("a port with shims");
        self.dues
            .set(index, edge.stack.deadline().unwrap_or(Time::MAX));
        if self.on.is_empty() {
            return;
        }
        let mut on = std::mem::take(&mut self.on);
        self.hand_out(index, at, &on);
        on.clear();
        self.on = on;
    }

    fn hand_out(&mut self, index: usize, due: Time, on: &[u32]) {
        let port = PortId(index as u16);
        for handle in on {
            self.ready.push_back(Departure {
                port,
                due,
                handle: Handle(*handle),
            });
        }
    }

    /// What the shims of `port` counted, if it has any or had some before a reload.
    pub fn counters(&self, port: PortId) -> Option<ShimCounters> {
        let (edge, past) = (&self.ports[port.index()], self.past[port.index()]);
        if edge.is_none() && past.is_none() {
            return None;
        }
        let mut all = edge.as_ref().map(Edge::counters).unwrap_or_default();
        all.add_past(&past.unwrap_or_default());
        Some(all)
    }
}

/// The shims of each port.
pub(super) fn edges(setup: &Setup) -> Result<Vec<Option<Edge>>, String> {
    let one = |port: &PortSetup| match port.shims.is_empty() {
        true => Ok(None),
        false => Ok(Some(Edge::new(
            Stack::build(&port.shims)?,
            setup.tags.is_some(),
        ))),
    };
    setup.ports.iter().map(one).collect()
}

impl Edge {
    fn new(stack: Stack, tags: bool) -> Edge {
        Edge {
            stack,
            connections: Connections::new(tags),
            kept: BTreeMap::new(),
            now: Time::ZERO,
            dropped: 0,
            untagged: 0,
        }
    }

    /// What its shims counted.
    fn counters(&self) -> ShimCounters {
        let counted = self.stack.counters();
        ShimCounters {
            keeping: self.kept.values().map(|kept| kept.len() as u64).sum(),
            connections: self.connections.len() as u64,
            no_place: self.connections.no_place,
            held: counted.held,
            released: counted.released,
            expired: counted.expired,
            discarded: counted.discarded,
            late: counted.late,
            bypassed: counted.bypassed,
            dropped: self.dropped,
            duplicates: counted.duplicates,
            marked: counted.marked,
            repeats: counted.repeats,
            untagged: self.untagged,
            unremembered: counted.unremembered,
        }
    }

    /// A frame goes to the host, which came with this tag; puts those that go on into `on`.
    fn up(
        &mut self,
        at: Time,
        handle: u32,
        tag: Option<WireTag>,
        slab: &mut Slab,
        on: &mut Vec<u32>,
    ) {
        self.now = at;
        let segment = segment(slab.bytes(handle));
        let seen = segment.and_then(|segment| {
            let seen = (self.connections).see(at, &segment, Way::Up, &mut self.stack);
            seen.map(|(flow, seq)| (segment, flow, seq))
        });
        self.let_go(on);
        if let Some(segment) = segment
            && let Some((flow, upto)) = self.connections.acknowledged(&segment, Way::Up)
        {
            self.stack.acknowledged(flow, upto);
        }
        let Some((segment, flow, seq)) = seen else {
            return self.go_on(handle, segment.as_ref(), on);
        };
        let mut packet = shown(&segment, (flow, seq), handle, &slab.parcel(handle).packet);
        if let (Some(tag), true) = (tag, segment.payload > 0) {
            let mut says = tag.unread();
            self.stack.restore(&mut says, tag.number);
            packet.set_tag(says);
        }
        match self.stack.up(at, &mut packet) {
            // Nothing else goes on with it.
            Up::Pass => {
                write_mark(&packet, slab);
                return self.go_on(handle, Some(&segment), on);
            }
            Up::Keep => self.kept.entry(flow).or_default().push(handle),
            Up::Drop => {}
        }
        self.collect(at, slab, on);
    }

    /// The deadline of its shims has come.
    fn wake(&mut self, at: Time, slab: &mut Slab, on: &mut Vec<u32>) {
        self.now = at;
        self.stack.on_timeout(at);
        self.collect(at, slab, on);
    }

    /// A frame comes from the host; says what is to be written into it, and puts those to the host that go on into `on`.
    fn down(&mut self, now: Time, bytes: &[u8], read: Option<&Frame>, on: &mut Vec<u32>) -> Said {
        let Some(segment) = segment(bytes) else {
            return Said::default();
        };
        let mut said = Said::default();
        let seen = (self.connections).see(now, &segment, Way::Down, &mut self.stack);
        if let Some(seen) = seen {
            let mut blank = super::packet::blank();
            blank.hash = read.map_or(0, |frame| frame.hash);
            blank.set_service(segment.dscp);
            let mut packet = shown(&segment, seen, u32::MAX, &blank);
            if read.is_some() && packet.kind() == Kind::Data {
                // An end has no byte of its message.
                packet.len = segment.payload;
            }
            self.stack.down(now, &mut packet);
            said.dscp = Some(packet.service()).filter(|service| *service != segment.dscp);
            if read.is_some() && packet.carries_data() {
                let number = self.stack.carried(&packet);
                said.tag = number.map(|number| WireTag::of(number, &packet.tag()));
            }
        }
        (self.connections).gone(&segment, Way::Down, &mut self.stack);
        self.let_go(on);
        said
    }

    /// Takes all that its shims let go on or dropped.
    fn collect(&mut self, at: Time, slab: &mut Slab, on: &mut Vec<u32>) {
        // All of them first: what one of them closes may be among the others.
        let mut packets = Vec::new();
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
            write_mark(&packet, slab);
            self.go_on(handle, segment(slab.bytes(handle)).as_ref(), on);
        }
    }

    /// A frame goes on to the host; what its segment ends is closed.
    fn go_on(&mut self, handle: u32, segment: Option<&Segment>, on: &mut Vec<u32>) {
        on.push(handle);
        if let Some(segment) = segment {
            self.connections.gone(segment, Way::Up, &mut self.stack);
            self.let_go(on);
        }
    }

    /// What is kept of flows that are closed goes on.
    #[inline]
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

/// Writes the mark that shims have put on a packet into its frame, if it has none yet.
fn write_mark(packet: &Packet, slab: &mut Slab) {
    let handle = packet.dst.0;
    if packet.ce() && !slab.parcel(handle).packet.ce() {
        // It has lost its tag.
        mark_kept(slab.bytes_mut(handle), None);
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
