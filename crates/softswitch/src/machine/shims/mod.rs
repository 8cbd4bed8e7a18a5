//! Shims at the ports that lead to hosts, as in a hypervisor or a smart NIC.
//!
//! **Decision**     that of the shims. They are behind the link: a frame to the host passes them when the delay
//!                  of its port has passed, a frame from the host before anything else. They see unfragmented
//!                  TCP segments; everything else goes on at once. Where switches carry tags, a frame from the
//!                  host gets the tag of its shims, and a frame to any host loses its tag when it leaves the
//!                  link.
//! **State**        per port a stack of shims, its connections, and the frames that it keeps.
//! **Units**        picoseconds: a kept frame leaves at the exact instant that its shim sets, however late the
//!                  machine is polled.
//! **Errors**       a shim that returns a packet that it does not keep causes a panic. Frames kept of a closed
//!                  flow go on: a switch cannot tell what its host no longer needs.
//! **Deviations**   no frame says whether its packet was sent before; counters of shims that depend on this are
//!                  not reported. An end of a connection counts as data of one byte, so that it waits for the
//!                  data before it. A shim may mark, drop or keep an arriving packet, and tag a departing one
//!                  or set its service; other changes are not written into frames.

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

/// Changes that the shims of a host make to a frame from it.
#[derive(Clone, Copy, Default)]
pub(super) struct FrameChanges {
    /// New code point, if it changes.
    pub dscp: Option<u8>,
    /// Tag to add.
    pub tag: Option<WireTag>,
}

/// Shims of all ports.
pub(super) struct Shims {
    ports: Vec<Option<Edge>>,
    /// Counters of shims that a reload has replaced, for each port that ever had any.
    past: Vec<Option<ShimCounters>>,
    /// Time of the next deadline of each port's shims.
    dues: Agenda,
    /// Queue of frames that go on.
    ready: VecDeque<Departure>,
    /// Buffer for frames released by one frame or instant; empty between them.
    on: Vec<u32>,
    /// Position of tags in frames, if frames have tags.
    carry: Option<Carry>,
}

/// Shims of one port.
pub(super) struct Edge {
    stack: Stack,
    connections: Connections,
    /// Frames kept of each flow, in order of arrival.
    kept: BTreeMap<FlowId, Vec<u32>>,
    /// Latest instant that the shims have seen.
    now: Time,
    dropped: u64,
    /// Data that had no room for its tag.
    untagged: u64,
}

impl Shims {
    /// Returns the shims that `setup` configures; `None` if no port has any and frames have no tags.
    pub fn new(setup: &Setup) -> Result<Option<Box<Shims>>, String> {
        let ports = edges(setup)?;
        let some = ports.iter().any(Option::is_some) || setup.tags.is_some();
        Ok(some.then(|| Box::new(Shims::of(ports, setup))))
    }

    /// Returns an object without shims for the ports of `setup`.
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

    /// Puts a stack of the caller's on a port that keeps no frames.
    pub fn put(&mut self, port: PortId, stack: Stack) {
        self.ports[port.index()] = Some(Edge::new(stack, self.carry.is_some()));
    }

    /// Applies the shims of another config, `new` as [`edges`] made them. Where the shims of a port change, its
    /// kept frames go on, and its counters are kept.
    pub fn reload(
        &mut self,
        outputs: &mut Outputs,
        (before, after): (&Setup, &Setup),
        new: Vec<Option<Edge>>,
    ) {
        // Events due by now come before the frames released now.
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

    /// Returns the time of the next event; [`Time::MAX`] if there is none.
    pub fn next(&self) -> Time {
        let ready = self.ready.front().map_or(Time::MAX, |first| first.due);
        self.dues.first().min(ready)
    }

    /// Handles the first event, if it is due by now.
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

    /// Returns the next frame that goes on.
    pub fn poll(&mut self) -> Option<Departure> {
        self.ready.pop_front()
    }

    /// Handles a frame that has left its port's link.
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

    /// Handles the first deadline of shims.
    fn wake(&mut self, slab: &mut Slab) {
        let (index, at) = (self.dues.slot(), self.dues.first());
        let edge = self.ports[index].as_mut().expect("it wants to be woken");
        let at = at.max(edge.now);
        edge.wake(at, slab, &mut self.on);
        self.settle(index, at);
    }

    /// Handles a frame from the host, with `read` where it may get a tag; returns the changes to be written
    /// into it.
    pub fn down(
        &mut self,
        now: Time,
        port: PortId,
        bytes: &[u8],
        read: Option<&Frame>,
    ) -> FrameChanges {
        let Some(edge) = &mut self.ports[port.index()] else {
            return FrameChanges::default();
        };
        let said = edge.down(now, bytes, read, &mut self.on);
        self.settle(port.index(), now);
        said
    }

    /// Counts a frame from the host at `port` that had no room for its tag.
    pub fn without_room(&mut self, port: PortId) {
        let edge = self.ports[port.index()].as_mut();
        edge.expect("its shims said a tag").untagged += 1;
    }

    /// Hands out the released frames, and updates the deadline of the port's shims.
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

    /// Returns the counters of the shims of `port`, if it has any or had some before a reload.
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

/// Builds the shims of each port.
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

    /// Returns the counters of its shims.
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

    /// Handles a frame to the host, which came with this tag; puts released frames into `on`.
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
            // The shims release nothing else with it.
            Up::Pass => {
                write_mark(&packet, slab);
                return self.go_on(handle, Some(&segment), on);
            }
            Up::Keep => self.kept.entry(flow).or_default().push(handle),
            Up::Drop => {}
        }
        self.collect(at, slab, on);
    }

    /// Handles the deadline of its shims.
    fn wake(&mut self, at: Time, slab: &mut Slab, on: &mut Vec<u32>) {
        self.now = at;
        self.stack.on_timeout(at);
        self.collect(at, slab, on);
    }

    /// Handles a frame from the host; returns the changes to be written into it, and puts released frames to
    /// the host into `on`.
    fn down(
        &mut self,
        now: Time,
        bytes: &[u8],
        read: Option<&Frame>,
        on: &mut Vec<u32>,
    ) -> FrameChanges {
        let Some(segment) = segment(bytes) else {
            return FrameChanges::default();
        };
        let mut said = FrameChanges::default();
        let seen = (self.connections).see(now, &segment, Way::Down, &mut self.stack);
        if let Some(seen) = seen {
            let mut blank = super::packet::blank();
            blank.hash = read.map_or(0, |frame| frame.hash);
            blank.set_service(segment.dscp);
            let mut packet = shown(&segment, seen, u32::MAX, &blank);
            if read.is_some() && packet.kind() == Kind::Data {
                // A FIN or RST is no byte of the message.
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

    /// Takes all packets that its shims released or dropped.
    fn collect(&mut self, at: Time, slab: &mut Slab, on: &mut Vec<u32>) {
        // All packets first: one of them may close a flow that others belong to.
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

    /// Passes a frame on to the host, and closes the flow that its segment ends.
    fn go_on(&mut self, handle: u32, segment: Option<&Segment>, on: &mut Vec<u32>) {
        on.push(handle);
        if let Some(segment) = segment {
            self.connections.gone(segment, Way::Up, &mut self.stack);
            self.let_go(on);
        }
    }

    /// Releases the frames kept of closed flows.
    #[inline]
    fn let_go(&mut self, on: &mut Vec<u32>) {
        while let Some(flow) = self.connections.poll_closed() {
            on.extend(self.kept.remove(&flow).unwrap_or_default());
        }
    }

    /// Removes a packet from the kept frames; returns true if it was there.
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

/// Writes a mark set by shims on a packet into its frame, if the frame has none yet.
fn write_mark(packet: &Packet, slab: &mut Slab) {
    let handle = packet.dst.0;
    if packet.ce() && !slab.parcel(handle).packet.ce() {
        // The frame has lost its tag.
        mark_kept(slab.bytes_mut(handle), None);
    }
}

/// Builds the packet of a segment that shims see. Its destination is the handle of its frame.
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
    // In data this bit means a trimmed payload, and in a SYN an ECN-capable sender.
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
