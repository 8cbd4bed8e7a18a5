//! Software switch without I/O.
//!
//! **Decision**     decisions of the simulator's switches (`sidestep-switch`), about real frames:
//!                  `docs/how-to/softswitch.md`.
//! **State**        queues and their frames, learned addresses, counters.
//! **Units**        picoseconds of the driver's clock, with any origin; bytes without FCS.
//! **Errors**       none; frames that are not forwarded are counted by reason.
//! **Source**       `docs/explanation/model.md`.
//! **Deviations**   no difference from the simulator's switch is known: `tests/conformance` compares both,
//!                  packet by packet.

mod agenda;
mod bucket;
mod change;
mod core;
mod counters;
mod departure;
mod icmp;
mod notices;
mod outputs;
mod packet;
mod place;
mod probes;
mod reload;
mod shims;
mod slab;
mod storms;
#[cfg(test)]
mod tests;
mod vlans;
mod watch;

pub use change::Change;
pub use counters::{Counters, Depths, FrameCounts, PortCounters, ShimCounters};
pub use departure::{Departure, Handle};
pub use notices::{EVERY, Notice, Noticed};
pub use shims::Announced;
pub use watch::{FrameAction, FrameEvent, Watcher};

use self::core::{Core, Ranks};
use agenda::Agenda;
use counters::PortCounts;
use icmp::IcmpSender;
use notices::Notices;
use outputs::{Outputs, Port};
use probes::Probes;
use shims::Shims;
use slab::Slab;
use storms::Storms;
use vlans::Vlans;

use crate::frame::{
    self, Carry, ETHERNET_BYTES, Frame, FrameContent, LONGEST_TAGGED, Refusal, WireTag,
};
use crate::setup::Setup;
use crate::table::{Learning, MOST_LEARNED, Stations};
use sidestep_switch::{AnyBuffer, AnyRoute, AnySched, Decider, Streams};
use sidestep_transport::shim::Stack;
use sidestep_types::{PortId, PortSet, Seed, Time};
use std::collections::VecDeque;

/// Software switch without I/O. Frames and the time go in; a frame comes out at the time at which its last bit
/// leaves the port.
pub struct Machine {
    core: Core,
    stations: Stations,
    learning: Learning,
    storms: Storms,
    /// Sender of ICMP messages, if configured.
    teller: Option<Box<IcmpSender>>,
    probes: Probes,
    notices: Notices,
    /// Shims between the links and the hosts; most switches have none.
    shims: Option<Box<Shims>>,
    /// Source addresses not learned, since the table was full.
    not_learned: u64,
    /// Frames received by a port that the switch does not have.
    no_port: u64,
    /// Number of changes of rates, links and next hops applied ([`Change`]).
    changes: u64,
    /// Frames that the driver has taken and not yet released.
    out: u32,
    identity: Identity,
    setup: Setup,
    /// Bytes of the longest frame, without tags.
    longest: usize,
    /// Buffer for a frame that shims have changed.
    changed: Vec<u8>,
    /// Buffer for a frame without its VLAN tag.
    untagged: Vec<u8>,
}

/// Identity of a switch, which distinguishes its random numbers from those of switches with the same seed.
#[derive(Clone, Copy, Debug)]
enum Identity {
    /// Name of the switch.
    Named,
    /// Number, as in the simulator.
    Numbered(u64),
}

impl Identity {
    fn salt(self, setup: &Setup) -> u64 {
        let seed = Seed(setup.seed);
        match self {
            Identity::Named => seed.salt(("ecmp", setup.name.as_str())),
            Identity::Numbered(id) => seed.salt(("ecmp", id)),
        }
    }

    fn streams(self, setup: &Setup) -> Streams {
        let seed = Seed(setup.seed);
        match self {
            Identity::Named => Streams::of(|what| seed.stream((what, setup.name.as_str()))),
            Identity::Numbered(id) => Streams::of(|what| seed.stream((what, id))),
        }
    }
}

impl Machine {
    /// Returns a switch whose random draws and hash salt depend on its name. An error names the settings that
    /// contradict each other.
    pub fn new(setup: &Setup) -> Result<Machine, String> {
        Machine::with(setup, Identity::Named)
    }

    /// Returns a switch that draws the same random numbers as the simulator's switch `id` from the same seed.
    pub fn numbered(setup: &Setup, id: u64) -> Result<Machine, String> {
        Machine::with(setup, Identity::Numbered(id))
    }

    fn with(setup: &Setup, identity: Identity) -> Result<Machine, String> {
        let many = setup.ports.len();
        if many > PortSet::CAPACITY {
            let most = PortSet::CAPACITY;
            return Err(format!("expected at most {most} ports, got {many}"));
        }
        let salt = identity.salt(setup);
        let decision = &setup.decision;
        let (route, buffer) = (&decision.route, &decision.buffer);
        let mut ports = Vec::new();
        for (index, port) in setup.ports.iter().enumerate() {
            ports.push(Port::new(index, port, make_sched(setup, salt)?));
        }
        let route = route.build(many as u16, salt)?;
        let buffer = buffer.build(many as u16, salt)?;
        let decider = Decider::new(route, buffer, identity.streams(setup), many as u16);
        let seed = Seed(setup.seed);
        Ok(Machine {
            shims: Shims::new(setup)?,
            core: Core {
                outputs: Outputs {
                    now: Time::ZERO,
                    slab: Slab::new(setup.mtu),
                    capacity: decision.capacity,
                    switches: switches(setup),
                    to_switch: switches(setup),
                    down: PortSet::EMPTY,
                    stranded: Vec::new(),
                    arrived: VecDeque::new(),
                    taken: None,
                    dues: Agenda::new(many),
                    ends: Agenda::new(many),
                    ports,
                },
                decider,
                counts: vec![PortCounts::new(); many],
                ranks: Ranks::of(setup),
                services: setup.services.clone(),
                carry: setup.tags.map(|tags| tags.carry),
                vlans: Vlans::of(setup),
                tag: 0,
                blocked: PortSet::EMPTY,
                expired: false,
                watcher: None,
            },
            stations: Stations::new(setup, seed.salt("stations")),
            learning: Learning::new(MOST_LEARNED, limits(setup), seed.salt("learning")),
            storms: Storms::new(setup),
            teller: IcmpSender::of(setup),
            probes: Probes::new(setup, salt),
            notices: Notices::new(many),
            not_learned: 0,
            no_port: 0,
            changes: 0,
            out: 0,
            identity,
            longest: longest(setup),
            setup: setup.clone(),
            changed: Vec::new(),
            untagged: Vec::new(),
        })
    }

    /// Receives the frame `bytes` by `port`. `bytes` begin with the destination address and do not contain the FCS.
    /// The time never goes back: a `now` before the last one counts as the last one.
    #[inline]
    pub fn receive(&mut self, now: Time, port: PortId, bytes: &[u8]) {
        self.core.outputs.advance(now);
        let Some(counts) = self.core.counts.get_mut(port.index()) else {
            self.no_port += 1;
            self.core
                .tell(None, bytes, FrameAction::Refused(Refusal::NoPort));
            return;
        };
        counts.frames.rx_frames += 1;
        counts.frames.rx_bytes += bytes.len() as u64;
        if self.core.outputs.down.has(port) {
            return self.core.refuse(port, bytes, Refusal::LinkDown);
        }
        match &self.core.vlans {
            None => self.admit(port, bytes),
            Some(vlans) => match vlans.came(port, bytes) {
                Err(why) => self.core.refuse(port, bytes, why),
                Ok(came) => {
                    self.core.tag = came.tag;
                    match came.tagged {
                        true => self.admit_tagged(port, bytes),
                        false => self.admit(port, bytes),
                    }
                }
            },
        }
    }

    /// Passes a frame with a VLAN tag to [`Machine::admit`], without the tag.
    fn admit_tagged(&mut self, port: PortId, bytes: &[u8]) {
        let mut untagged = std::mem::take(&mut self.untagged);
        vlans::without_tag(bytes, &mut untagged);
        self.admit(port, &untagged);
        self.untagged = untagged;
    }

    /// Passes a frame that its port accepts through the shims, if there are any, and on to the decision.
    #[inline]
    fn admit(&mut self, port: PortId, bytes: &[u8]) {
        if let Some(shims) = &mut self.shims {
            if let Some(carry) = self.core.carry {
                return self.receive_tagged(port, bytes, carry);
            }
            if let Some(dscp) = shims.down(self.core.outputs.now, port, bytes, None).dscp {
                return self.serve(port, bytes, dscp);
            }
        }
        self.read(port, bytes);
    }

    /// Sets the DSCP that the shims chose for a frame, then reads the frame.
    #[cold]
    fn serve(&mut self, port: PortId, bytes: &[u8], dscp: u8) {
        let mut changed = std::mem::take(&mut self.changed);
        changed.clear();
        changed.extend_from_slice(bytes);
        frame::set_dscp(&mut changed, dscp);
        self.read(port, &changed);
        self.changed = changed;
    }

    /// Parses a frame and places it in a queue, or refuses it.
    #[inline]
    fn read(&mut self, port: PortId, bytes: &[u8]) {
        match frame::read_within(bytes, self.longest) {
            Err(why) => self.core.refuse(port, bytes, why),
            Ok(frame) => self.place(port, &frame, bytes),
        }
    }

    /// Receives a frame in a network whose switches carry tags. A frame from another switch may have a tag. A frame
    /// from a host must not have one, and gets the tag that the shims of its port choose.
    #[inline(never)]
    fn receive_tagged(&mut self, port: PortId, bytes: &[u8], carry: Carry) {
        let switches = self.core.outputs.switches.has(port);
        let frame = match frame::read_tagged(bytes, carry) {
            Ok(frame) => frame,
            Err(why) if why.is_of_tag() && !switches => {
                return self.core.refuse(port, bytes, Refusal::TagFromHost);
            }
            Err(why) => return self.core.refuse(port, bytes, why),
        };
        if switches {
            return self.place(port, &frame, bytes);
        }
        if frame.tag.is_some() {
            return self.core.refuse(port, bytes, Refusal::TagFromHost);
        }
        let shims = self.shims.as_mut().expect("tags need shims");
        let said = shims.down(self.core.outputs.now, port, bytes, Some(&frame));
        let Some(dscp) = said.dscp else {
            return self.place_tagged(port, &frame, bytes, carry, said.tag);
        };
        let mut changed = std::mem::take(&mut self.changed);
        changed.clear();
        changed.extend_from_slice(bytes);
        frame::set_dscp(&mut changed, dscp);
        let frame = frame::read_tagged(&changed, carry).expect("a valid frame with another DSCP");
        self.place_tagged(port, &frame, &changed, carry, said.tag);
        self.changed = changed;
    }

    /// Writes the tag chosen by the shims into a frame from a host, if there is room for it.
    fn place_tagged(
        &mut self,
        port: PortId,
        frame: &Frame,
        bytes: &[u8],
        carry: Carry,
        tag: Option<WireTag>,
    ) {
        let (Some(tag), FrameContent::Ip(ip)) = (tag, frame.what) else {
            return self.place(port, frame, bytes);
        };
        let mut out = [0; LONGEST_TAGGED];
        let Some(length) = frame::put_tag(bytes, &ip, carry, tag, &mut out) else {
            let shims = self.shims.as_mut().expect("tags need shims");
            shims.without_room(port);
            return self.place(port, frame, bytes);
        };
        let tagged = frame::read_tagged(&out[..length], carry).expect("a valid frame with a tag");
        self.place(port, &tagged, &out[..length]);
    }

    /// Returns the next frame due by `now`, in the order of their due times; at a tie, the frame of the first
    /// port.
    #[inline]
    pub fn poll_send(&mut self, now: Time) -> Option<Departure> {
        self.core.outputs.advance(now);
        if self.probes.next() <= self.core.outputs.now && self.probes.next() != Time::MAX {
            self.probe();
        }
        let departure = match self.shims {
            None => self.core.outputs.take(),
            Some(_) => self.poll_shims(),
        };
        if self.core.outputs.taken.is_some() {
            self.core.tell_left();
        }
        let departure = departure?;
        if self.core.vlans.is_some() {
            self.core.outputs.slab.put_tag(departure.handle.0);
        }
        let counts = &mut self.core.counts[departure.port.index()];
        counts.frames.tx_frames += 1;
        counts.frames.tx_bytes += self.core.outputs.slab.bytes(departure.handle.0).len() as u64;
        self.out += 1;
        Some(departure)
    }

    /// Returns the next frame that the shims release by now. If shims wake and a frame leaves a link at the
    /// same instant, the frame is handled first: the shims may be waiting for it.
    #[cold]
    fn poll_shims(&mut self) -> Option<Departure> {
        let (shims, outputs) = (self.shims.as_mut()?, &mut self.core.outputs);
        loop {
            if let Some(departure) = shims.poll() {
                return Some(departure);
            }
            shims.step(outputs)?;
        }
    }

    /// Returns the time at which [`Machine::poll_send`] next has something to do.
    #[inline]
    pub fn next_departure(&self) -> Option<Time> {
        let shims = self.shims.as_ref().map_or(Time::MAX, |shims| shims.next());
        let first = self.core.outputs.first().min(shims).min(self.probes.next());
        (first != Time::MAX).then_some(first)
    }

    /// Returns the next notice for an operator, if there is one.
    #[inline]
    pub fn poll_notice(&mut self) -> Option<Notice> {
        self.notices.poll()
    }

    /// Returns the bytes of a departed frame.
    #[inline]
    pub fn frame(&self, handle: Handle) -> &[u8] {
        self.core.outputs.slab.bytes(handle.0)
    }

    /// Frees the slot of a departed frame. Panics if it is free already.
    #[inline]
    pub fn release(&mut self, handle: Handle) {
        self.core.outputs.slab.free(handle.0);
        self.out -= 1;
    }

    /// Returns the number of frames inside the switch: queued, or delayed by their port.
    pub fn held(&self) -> u64 {
        u64::from(self.core.outputs.slab.live() - self.out)
    }

    /// Restarts the peak queue lengths at `now`. Other counters only ever grow.
    pub fn forget_peaks(&mut self, now: Time) {
        self.core.outputs.advance(now);
        for index in 0..self.setup.ports.len() {
            self.core.outputs.depth(PortId(index as u16));
            self.core.outputs.ports[index].line.forget_peak();
        }
    }

    /// Reports all events of frames to `watcher` from now on; `None` stops the reports.
    pub fn watch(&mut self, watcher: Option<Watcher>) {
        self.core.outputs.taken = watcher.is_some().then(Vec::new);
        self.core.watcher = watcher;
    }

    /// Replaces the configured buffer policy by `buffer`, until a reload configures another policy.
    pub fn set_buffer(&mut self, buffer: AnyBuffer) {
        self.core.decider.set_buffer(buffer);
    }

    /// Replaces the configured route by `route`.
    pub fn set_route(&mut self, route: AnyRoute) {
        self.core.decider.set_route(route);
    }

    /// Replaces the shims of a port by `stack`, until a reload configures others. The old shims must not hold any
    /// frames.
    pub fn set_shims(&mut self, port: PortId, stack: Stack) {
        let none = || Box::new(Shims::none(&self.setup));
        self.shims.get_or_insert_with(none).put(port, stack);
    }

    /// Returns the current config.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Returns a snapshot of all counters, with the queues as they are at `now`.
    pub fn counters(&mut self, now: Time) -> Counters {
        self.core.outputs.advance(now);
        let mut ports = Vec::new();
        for (index, port) in self.setup.ports.iter().enumerate() {
            let at = PortId(index as u16);
            let depth = self.core.outputs.depth(at);
            let peak = self.core.outputs.ports[index].line.peak();
            let decided = self.core.decider.counts(at);
            ports.push(PortCounters {
                queued_packets: depth.packets,
                queued_bytes: depth.bytes,
                peak_packets: peak.packets,
                peak_bytes: peak.bytes,
                rate_bps: port.rate.as_bps(),
                link_up: !self.core.outputs.down.has(at),
                learned: u64::from(self.learning.len_at(at)),
                looped: self.probes.looped(self.core.outputs.now, at),
                blocked: self.core.blocked.has(at),
                shims: self.shims.as_ref().and_then(|shims| shims.counters(at)),
                ..self.core.counts[index].copy(&port.name, &port.interface, decided)
            });
        }
        Counters {
            name: self.setup.name.clone(),
            at_ps: self.core.outputs.now.ps(),
            held: self.held(),
            learned: self.learning.len() as u64,
            not_learned: self.not_learned,
            no_port: self.no_port,
            changes: self.changes,
            ports,
        }
    }
}

/// Returns the bytes of buffer that a frame of `length` bytes without FCS occupies.
pub fn buffered(length: usize) -> u32 {
    u32::from(packet::wire(length)) - outputs::UNBUFFERED
}

/// Returns the ports that lead to switches.
fn switches(setup: &Setup) -> PortSet {
    let ports = setup.ports.iter().enumerate();
    let to_switch = ports.filter(|(_, port)| port.to_switch);
    to_switch.map(|(index, _)| PortId(index as u16)).collect()
}

/// Returns the bytes of the longest frame, without tags.
fn longest(setup: &Setup) -> usize {
    ETHERNET_BYTES + setup.mtu as usize
}

/// Returns the limit of learned addresses of each port.
fn limits(setup: &Setup) -> impl Iterator<Item = Option<u32>> {
    setup.ports.iter().map(|port| port.bridge.learn_limit)
}

/// Builds the scheduler of one port.
fn make_sched(setup: &Setup, salt: u64) -> Result<AnySched, String> {
    let sched = setup.decision.sched.build(setup.ports.len() as u16, salt);
    sched.map_err(String::from)
}

/// Returns true if the buffer policy or the scheduler needs ranks, which cost a table look-up for each packet.
fn needs_ranks(setup: &Setup) -> bool {
    let decision = &setup.decision;
    decision.buffer.nature().ranks || decision.sched.nature().ranks
}
