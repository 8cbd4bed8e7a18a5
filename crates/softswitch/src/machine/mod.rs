//! The switch without I/O.
//!
//! **Decision**     that of `sidestep-switch`, on real frames: `docs/softswitch.md`.
//! **State**        the queues and their frames, what was learned, what is counted.
//! **Units**        picoseconds of whatever clock the driver has; bytes without FCS.
//! **Errors**       a frame that is not forwarded is a count with a reason.
//! **Source**       `docs/model.md`, rules 3 to 6 of the design.
//! **Deviations**   none known from the simulator's switch: `tests/conformance` holds both
//!                  against each other, packet by packet.

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
pub use watch::{FrameEvent, Happened, Watcher};

use self::core::{Core, Ranks};
use agenda::Agenda;
use counters::PortCounts;
use icmp::Teller;
use notices::Notices;
use outputs::{Outputs, Port};
use probes::Probes;
use shims::Shims;
use slab::Slab;
use storms::Storms;
use vlans::Vlans;

use crate::frame::{self, Carry, ETHERNET_BYTES, Frame, LONGEST_TAGGED, Refusal, What, WireTag};
use crate::setup::Setup;
use crate::table::{Learning, MOST_LEARNED, Stations};
use sidestep_switch::{AnyBuffer, AnyRoute, AnySched, Decider, Streams};
use sidestep_transport::shim::Stack;
use sidestep_types::{PortId, PortSet, Seed, Time};
use std::collections::VecDeque;

/// A switch: frames and the time go in, frames come out when their last bit would have left.
pub struct Machine {
    core: Core,
    stations: Stations,
    learning: Learning,
    storms: Storms,
    /// Tells senders of what goes no further, if anybody does.
    teller: Option<Box<Teller>>,
    probes: Probes,
    notices: Notices,
    /// What stands between the links and the hosts; most switches have none.
    shims: Option<Box<Shims>>,
    not_learned: u64,
    no_port: u64,
    /// How often something was changed.
    changes: u64,
    /// Frames handed out and not yet released.
    out: u32,
    identity: Identity,
    setup: Setup,
    /// Bytes of the longest frame, without tags.
    longest: usize,
    /// Room for a frame that shims have changed.
    changed: Vec<u8>,
    /// Room for a frame without the tag of its VLAN.
    untagged: Vec<u8>,
}

/// What a switch's chance is named after.
#[derive(Clone, Copy, Debug)]
enum Identity {
    /// Its name.
    Named,
    /// A number, as in the simulator.
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
    /// A switch, whose draws and hash salt are named after it. An error says what does not go
    /// together.
    pub fn new(setup: &Setup) -> Result<Machine, String> {
        Machine::with(setup, Identity::Named)
    }

    /// A switch that draws what the simulator's switch `id` draws from the same seed.
    pub fn numbered(setup: &Setup, id: u64) -> Result<Machine, String> {
        Machine::with(setup, Identity::Numbered(id))
    }

    fn with(setup: &Setup, identity: Identity) -> Result<Machine, String> {
        let many = setup.ports.len();
        if many > PortSet::CAPACITY {
            let most = PortSet::CAPACITY;
            return Err(format!("{many} ports are too many: at most {most}"));
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
            teller: Teller::of(setup),
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

    /// A frame came in by `port`, from its destination address to before its FCS. The time does
    /// not go back: an earlier `now` than the last one counts as that.
    #[inline]
    pub fn receive(&mut self, now: Time, port: PortId, bytes: &[u8]) {
        self.core.outputs.advance(now);
        let Some(counts) = self.core.counts.get_mut(port.index()) else {
            self.no_port += 1;
            self.core
                .tell(None, bytes, Happened::Refused(Refusal::NoPort));
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

    /// A frame that stands in the tag of its VLAN: what decides sees it without.
    fn admit_tagged(&mut self, port: PortId, bytes: &[u8]) {
        let mut untagged = std::mem::take(&mut self.untagged);
        vlans::without_tag(bytes, &mut untagged);
        self.admit(port, &untagged);
        self.untagged = untagged;
    }

    /// A frame came in that its port takes.
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

    /// A frame that gets another code point before anything else is done with it.
    #[cold]
    fn serve(&mut self, port: PortId, bytes: &[u8], dscp: u8) {
        let mut changed = std::mem::take(&mut self.changed);
        changed.clear();
        changed.extend_from_slice(bytes);
        frame::set_dscp(&mut changed, dscp);
        self.read(port, &changed);
        self.changed = changed;
    }

    #[inline]
    fn read(&mut self, port: PortId, bytes: &[u8]) {
        match frame::read_within(bytes, self.longest) {
            Err(why) => self.core.refuse(port, bytes, why),
            Ok(frame) => self.place(port, &frame, bytes),
        }
    }

    /// A frame came in where switches carry tags: from a switch it may have one, from a host it has none
    /// and is given what the shims there say.
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
        let shims = self.shims.as_mut().expect("they take tags off");
        let said = shims.down(self.core.outputs.now, port, bytes, Some(&frame));
        let Some(dscp) = said.dscp else {
            return self.place_tagged(port, &frame, bytes, carry, said.tag);
        };
        let mut changed = std::mem::take(&mut self.changed);
        changed.clear();
        changed.extend_from_slice(bytes);
        frame::set_dscp(&mut changed, dscp);
        let frame = frame::read_tagged(&changed, carry).expect("a sound frame, of another service");
        self.place_tagged(port, &frame, &changed, carry, said.tag);
        self.changed = changed;
    }

    /// Gives a frame from a host the tag that its shims say, if there is room for it.
    fn place_tagged(
        &mut self,
        port: PortId,
        frame: &Frame,
        bytes: &[u8],
        carry: Carry,
        tag: Option<WireTag>,
    ) {
        let (Some(tag), What::Ip(ip)) = (tag, frame.what) else {
            return self.place(port, frame, bytes);
        };
        let mut out = [0; LONGEST_TAGGED];
        let Some(length) = frame::put_tag(bytes, &ip, carry, tag, &mut out) else {
            let shims = self.shims.as_mut().expect("they said the tag");
            shims.without_room(port);
            return self.place(port, frame, bytes);
        };
        let tagged = frame::read_tagged(&out[..length], carry).expect("a sound frame with a tag");
        self.place(port, &tagged, &out[..length]);
    }

    /// The next frame that is due by `now`, in the order in which they are due; of those due at
    /// once, that of the first port.
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

    /// What the shims let go on by now. Where they wake and a frame comes out of a link at one instant, the
    /// frame is first: it may be what they wait for.
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

    /// When [`Machine::poll_send`] has something to do next.
    #[inline]
    pub fn next_departure(&self) -> Option<Time> {
        let shims = self.shims.as_ref().map_or(Time::MAX, |shims| shims.next());
        let first = self.core.outputs.first().min(shims).min(self.probes.next());
        (first != Time::MAX).then_some(first)
    }

    /// The next thing that an operator should hear of, if there is one.
    #[inline]
    pub fn poll_notice(&mut self) -> Option<Notice> {
        self.notices.poll()
    }

    /// The bytes of a departed frame.
    #[inline]
    pub fn frame(&self, handle: Handle) -> &[u8] {
        self.core.outputs.slab.bytes(handle.0)
    }

    /// Gives the room of a departed frame back. Panics when it was given back already.
    #[inline]
    pub fn release(&mut self, handle: Handle) {
        self.core.outputs.slab.free(handle.0);
        self.out -= 1;
    }

    /// Frames queued, or whose port's delay is passing.
    pub fn held(&self) -> u64 {
        u64::from(self.core.outputs.slab.live() - self.out)
    }

    /// The longest queues are those from `now` on. Other counts only ever grow.
    pub fn forget_peaks(&mut self, now: Time) {
        self.core.outputs.advance(now);
        for index in 0..self.setup.ports.len() {
            self.core.outputs.depth(PortId(index as u16));
            self.core.outputs.ports[index].line.forget_peak();
        }
    }

    /// Has everything that happens to a frame told to `watcher`, or to nobody.
    pub fn watch(&mut self, watcher: Option<Watcher>) {
        self.core.outputs.taken = watcher.is_some().then(Vec::new);
        self.core.watcher = watcher;
    }

    /// Puts a policy of the caller's in the place of the configured buffer, until a reload
    /// changes that.
    pub fn set_buffer(&mut self, buffer: AnyBuffer) {
        self.core.decider.set_buffer(buffer);
    }

    /// Puts a route of the caller's in the place of the configured one.
    pub fn set_route(&mut self, route: AnyRoute) {
        self.core.decider.set_route(route);
    }

    /// Puts shims of the caller's on a port, until a reload changes what it has. It must keep nothing.
    pub fn set_shims(&mut self, port: PortId, stack: Stack) {
        let none = || Box::new(Shims::none(&self.setup));
        self.shims.get_or_insert_with(none).put(port, stack);
    }

    /// The config that holds now.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// A copy of all counts, with the queues as they are at `now`.
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

/// Bytes of buffer that a frame of so many takes, without FCS.
pub fn buffered(length: usize) -> u32 {
    u32::from(packet::wire(length)) - outputs::UNBUFFERED
}

/// The ports that lead to switches.
fn switches(setup: &Setup) -> PortSet {
    let ports = setup.ports.iter().enumerate();
    let to_switch = ports.filter(|(_, port)| port.to_switch);
    to_switch.map(|(index, _)| PortId(index as u16)).collect()
}

/// Bytes of the longest frame, without tags.
fn longest(setup: &Setup) -> usize {
    ETHERNET_BYTES + setup.mtu as usize
}

/// How many addresses each port may teach.
fn limits(setup: &Setup) -> impl Iterator<Item = Option<u32>> {
    setup.ports.iter().map(|port| port.bridge.learn_limit)
}

/// The scheduler of one port.
fn make_sched(setup: &Setup, salt: u64) -> Result<AnySched, String> {
    let sched = setup.decision.sched.build(setup.ports.len() as u16, salt);
    sched.map_err(String::from)
}

/// Does anyone ask for ranks? Keeping them costs a look at a table for each packet.
fn needs_ranks(setup: &Setup) -> bool {
    let decision = &setup.decision;
    decision.buffer.nature().ranks || decision.sched.nature().ranks
}
