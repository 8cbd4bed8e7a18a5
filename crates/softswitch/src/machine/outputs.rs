//! The queues of a switch and the links they feed.
//!
//! A port's frames form one list: first those whose last bit has left and whose delay is passing,
//! then those that are sent or wait. A FIFO port knows a frame's departure when it is queued, and
//! its depth is brought up to date when somebody asks. A port whose scheduler is not FIFO keeps
//! what waits in the scheduler, and chooses at the end of each transmission. Just as the
//! simulator's links do (`crates/sim/src/fabric.rs`), so that both give the same times.

use super::agenda::Agenda;
use super::slab::{NONE, Slab};
use super::{Departure, Handle};
use crate::setup::PortSetup;
use sidestep_switch::{AnySched, Capacity, Depth, Evicts, Queues, Room, Sched, Want};
use sidestep_types::{BitRate, Bytes, Framing, Packet, PortId, PortSet, Time};

/// Of a frame's bytes on the wire, those that take no buffer: preamble and gap.
pub(super) const UNBUFFERED: u32 = Framing::Ethernet.unbuffered();

/// One port.
pub(super) struct Port {
    rate: BitRate,
    /// The rate again, where a byte takes whole picoseconds; else 0.
    ps_per_byte: u64,
    pub delay: Time,
    /// When the last bit of the queue leaves, or left.
    pub free_at: Time,
    pub head: u32,
    pub tail: u32,
    /// Of a FIFO port, the first whose last bit had not left when somebody looked last.
    pub waiting: u32,
    depth: Depth,
    pub peak: Depth,
    pub ranked: Option<Ranked>,
}

/// The queue of a port whose scheduler is not FIFO.
pub(super) struct Ranked {
    pub sched: AnySched,
    /// The frame being sent, if any.
    pub sending: u32,
}

impl Ranked {
    /// Around a scheduler that ranks; `None` around FIFO, whose order needs nobody.
    pub fn around(sched: AnySched) -> Option<Ranked> {
        (!sched.is_fifo()).then_some(Ranked {
            sched,
            sending: NONE,
        })
    }
}

impl Port {
    pub fn new(setup: &PortSetup, sched: AnySched) -> Port {
        let mut port = Port {
            rate: setup.rate,
            ps_per_byte: 0,
            delay: setup.delay,
            free_at: Time::ZERO,
            head: NONE,
            tail: NONE,
            waiting: NONE,
            depth: Depth::default(),
            peak: Depth::default(),
            ranked: Ranked::around(sched),
        };
        port.set_wire(setup);
        port
    }

    /// Takes over the rate and delay of `setup`.
    pub fn set_wire(&mut self, setup: &PortSetup) {
        self.rate = setup.rate;
        self.ps_per_byte = setup.rate.whole_ps_per_byte().unwrap_or(0);
        self.delay = setup.delay;
    }

    /// How long `wire` bytes take, preamble and gap included.
    #[inline]
    pub fn time_to_send(&self, wire: u32) -> Time {
        match self.ps_per_byte {
            0 => self.rate.time_to_send(Bytes(u64::from(wire))),
            ps => Time::from_ps(ps * u64::from(wire)),
        }
    }

    /// Counts out the frames whose last bit has left by `now`.
    #[inline]
    pub fn settle(&mut self, slab: &Slab, now: Time) -> Depth {
        while self.waiting != NONE {
            let parcel = slab.parcel(self.waiting);
            if parcel.departs > now {
                break;
            }
            self.waiting = parcel.next;
            self.shrink(&parcel.packet);
        }
        self.depth
    }

    fn grow(&mut self, packet: &Packet) {
        self.depth.packets += 1;
        self.depth.bytes += u32::from(packet.wire) - UNBUFFERED;
        self.peak.packets = self.peak.packets.max(self.depth.packets);
        self.peak.bytes = self.peak.bytes.max(self.depth.bytes);
    }

    pub fn shrink(&mut self, packet: &Packet) {
        self.depth.packets -= 1;
        self.depth.bytes -= u32::from(packet.wire) - UNBUFFERED;
    }
}

/// All ports, their frames, and what is due when.
pub(super) struct Outputs {
    pub now: Time,
    pub ports: Vec<Port>,
    pub slab: Slab,
    pub capacity: Capacity,
    pub to_switch: PortSet,
    /// Per port, when its first frame is to be handed out.
    pub dues: Agenda,
    /// Per port that ranks, when its transmission ends.
    pub ends: Agenda,
}

impl Outputs {
    /// Moves the time on; ends of transmission by then come first, each at its own time.
    #[inline]
    pub fn advance(&mut self, now: Time) {
        while self.ends.first() <= now {
            // Nothing ends at the end of time.
            if self.ends.first() == Time::MAX {
                break;
            }
            let port = self.ends.slot();
            self.sent(port, self.ends.first());
        }
        self.now = self.now.max(now);
    }

    fn sent(&mut self, port: usize, at: Time) {
        let p = &mut self.ports[port];
        let ranked = p.ranked.as_mut().expect("only a ranked port ends");
        let gone = std::mem::replace(&mut ranked.sending, NONE);
        p.shrink(&self.slab.parcel(gone).packet);
        self.send_next(port, at);
    }

    /// Starts, at `at`, the transmission of what the scheduler of `port` names, if anything.
    pub fn send_next(&mut self, port: usize, at: Time) {
        let p = &mut self.ports[port];
        let ranked = p.ranked.as_mut().expect("only a ranked port chooses");
        let Some(next) = ranked.sched.pop() else {
            self.ends.set(port, Time::MAX);
            return;
        };
        ranked.sending = next;
        let wire = u32::from(self.slab.parcel(next).packet.wire);
        let departs = at.saturating_add(p.time_to_send(wire));
        self.ends.set(port, departs);
        self.join(port, next, departs);
    }

    /// Puts a frame whose departure is known behind the others of its port.
    #[inline]
    fn join(&mut self, port: usize, handle: u32, departs: Time) {
        let p = &mut self.ports[port];
        let parcel = self.slab.parcel_mut(handle);
        parcel.departs = departs;
        parcel.next = NONE;
        let before = std::mem::replace(&mut p.tail, handle);
        if p.head == NONE {
            p.head = handle;
            self.dues.set(port, departs.saturating_add(p.delay));
        } else {
            self.slab.parcel_mut(before).next = handle;
        }
    }

    /// Queues a frame on `port` and counts it in.
    #[inline]
    pub fn enqueue(&mut self, port: usize, handle: u32) {
        self.ports[port].grow(&self.slab.parcel(handle).packet);
        self.wait(port, handle);
    }

    /// Queues a frame on `port` that is counted already.
    #[inline]
    pub fn wait(&mut self, port: usize, handle: u32) {
        let p = &mut self.ports[port];
        let packet = &self.slab.parcel(handle).packet;
        let span = p.time_to_send(u32::from(packet.wire));
        p.free_at = p.free_at.max(self.now).saturating_add(span);
        if let Some(ranked) = &mut p.ranked {
            ranked.sched.push(packet, handle);
            if ranked.sending == NONE {
                self.send_next(port, self.now);
            }
            return;
        }
        if p.waiting == NONE {
            p.waiting = handle;
        }
        let departs = p.free_at;
        self.join(port, handle, departs);
    }

    /// The next frame whose delay has passed by now.
    #[inline]
    pub fn take(&mut self) -> Option<Departure> {
        let due = self.dues.first();
        if due > self.now || due == Time::MAX {
            return None;
        }
        let port = self.dues.slot();
        let p = &mut self.ports[port];
        let handle = p.head;
        let parcel = *self.slab.parcel(handle);
        if p.waiting == handle {
            p.waiting = parcel.next;
            p.shrink(&parcel.packet);
        }
        p.head = parcel.next;
        let next = match parcel.next {
            NONE => Time::MAX,
            next => self.slab.parcel(next).departs.saturating_add(p.delay),
        };
        self.dues.set(port, next);
        Some(Departure {
            port: PortId(port as u16),
            due,
            handle: Handle(handle),
        })
    }

    pub fn depth(&mut self, port: PortId) -> Depth {
        self.ports[port.index()].settle(&self.slab, self.now)
    }

    /// Bytes that the whole switch holds.
    fn used(&mut self) -> u64 {
        let (slab, now) = (&self.slab, self.now);
        let held = |port: &mut Port| u64::from(port.settle(slab, now).bytes);
        self.ports.iter_mut().map(held).sum()
    }

    /// Takes the worst frame out of the queue of `port`; it is the caller's to free.
    pub fn evict(&mut self, port: PortId) -> u32 {
        let p = &mut self.ports[port.index()];
        let worst = p.ranked.as_mut().and_then(|ranked| ranked.sched.evict());
        let worst = worst.expect("a buffer policy evicted from a queue that has nothing to evict");
        let packet = &self.slab.parcel(worst).packet;
        p.free_at = p.free_at - p.time_to_send(u32::from(packet.wire));
        p.shrink(packet);
        worst
    }
}

/// The queues of a switch at the present, as policies see them.
pub(super) struct View<'a> {
    pub outputs: &'a mut Outputs,
    /// The port the frame came in by; `None` of the switch's own answers.
    pub ingress: Option<PortId>,
}

impl View<'_> {
    fn sched(&self, port: PortId) -> Option<&AnySched> {
        let ranked = self.outputs.ports[port.index()].ranked.as_ref()?;
        Some(&ranked.sched)
    }
}

fn buffered(packet: &Packet) -> u32 {
    u32::from(packet.wire) - UNBUFFERED
}

impl Room for View<'_> {
    #[inline]
    fn want(&mut self, port: PortId, packet: &Packet) -> Want {
        let depth = self.outputs.depth(port);
        let capacity = self.outputs.capacity;
        let used = match capacity.is_shared() {
            true => self.outputs.used(),
            false => 0,
        };
        Want {
            port,
            depth,
            fits: capacity.fits(depth, buffered(packet), used),
        }
    }
}

impl Queues for View<'_> {
    fn now(&self) -> Time {
        self.outputs.now
    }

    fn depth(&mut self, port: PortId) -> Depth {
        self.outputs.depth(port)
    }

    fn open(&mut self, packet: &Packet) -> PortSet {
        let used = self.outputs.used();
        let (capacity, bytes) = (self.outputs.capacity, buffered(packet));
        let ports = self.outputs.ports.iter().enumerate();
        let open = ports.filter(|(_, port)| capacity.fits(port.depth, bytes, used));
        open.map(|(index, _)| PortId(index as u16)).collect()
    }

    fn would_fit(&mut self, packet: &Packet, depth: Depth) -> bool {
        let used = self.outputs.used();
        self.outputs.capacity.fits(depth, buffered(packet), used)
    }

    fn to_switch(&self) -> PortSet {
        self.outputs.to_switch
    }

    fn ingress(&self) -> Option<PortId> {
        self.ingress
    }

    fn worst(&self, port: PortId) -> Option<u32> {
        self.sched(port)?.worst()
    }

    fn urgent(&self, port: PortId) -> Depth {
        let urgent = self.sched(port).map(Sched::urgent).unwrap_or_default();
        Depth {
            bytes: urgent.bytes - urgent.packets * UNBUFFERED,
            ..urgent
        }
    }

    fn empty_at(&self, port: PortId) -> Time {
        self.outputs.ports[port.index()].free_at
    }

    fn time_to_send(&self, port: PortId, bytes: Bytes) -> Time {
        self.outputs.ports[port.index()].rate.time_to_send(bytes)
    }
}

/// A switch that evicts; what goes is listed.
pub(super) struct MakingRoom<'a> {
    pub outputs: &'a mut Outputs,
    pub ingress: Option<PortId>,
    pub evicted: &'a mut Vec<u32>,
}

impl Evicts for MakingRoom<'_> {
    type Queues<'a>
        = View<'a>
    where
        Self: 'a;

    fn evict(&mut self, port: PortId) {
        self.evicted.push(self.outputs.evict(port));
    }

    fn queues(&mut self) -> View<'_> {
        View {
            outputs: self.outputs,
            ingress: self.ingress,
        }
    }
}
