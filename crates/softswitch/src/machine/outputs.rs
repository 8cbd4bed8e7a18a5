//! Queues of a switch and the links they feed: `sidestep_switch::ports`, driven by a clock.
//!
//! **Decision**     none. Due frames are handed out when polled; ends of transmission come first, each at its
//!                  own time.
//! **State**        per port a queue, its wire and its scheduler; two agendas.
//! **Units**        picoseconds of the driver's clock, bytes on the wire.
//! **Errors**       none; [`Time::MAX`] means never.

use super::agenda::Agenda;
use super::departure::{Departure, Handle};
use super::slab::Slab;
use crate::setup::PortSetup;
use sidestep_switch::ports::{Due, Line, NONE, Ports, Ranked, Store, Wire, reschedule};
use sidestep_switch::{AnySched, Capacity, Depth};
use sidestep_types::{Framing, Packet, PortId, PortSet, Time};
use std::collections::VecDeque;

/// Bytes of a frame on the wire that occupy no buffer: preamble and gap.
pub(super) const UNBUFFERED: u32 = Framing::Ethernet.unbuffered();

/// Queue, wire and scheduler of one port.
pub(super) struct Port {
    pub line: Line,
    wire: Wire,
    ranked: Option<Ranked>,
}

impl Port {
    /// Returns port number `index`.
    pub fn new(index: usize, setup: &PortSetup, sched: AnySched) -> Port {
        Port {
            line: Line::default(),
            wire: Wire::new(setup.rate, setup.delay),
            ranked: Ranked::around(sched, index as u32),
        }
    }
}

/// All ports, their frames, and their agendas.
pub(super) struct Outputs {
    pub now: Time,
    pub ports: Vec<Port>,
    pub slab: Slab,
    pub capacity: Capacity,
    /// Ports that lead to switches.
    pub switches: PortSet,
    /// Ports to switches that take detours.
    pub to_switch: PortSet,
    /// Ports whose link is down: their queues are empty.
    pub down: PortSet,
    /// Frames that were enqueued at a port whose link is down, with that port: to be dropped.
    pub stranded: Vec<(u32, PortId)>,
    /// Frames that had left a link before it went down, and have not been polled yet.
    pub arrived: VecDeque<Departure>,
    /// Frames taken out of links and not yet reported, with their bytes, if there is a watcher: shims may
    /// change or drop the frames.
    pub taken: Option<Vec<(Departure, Box<[u8]>)>>,
    /// Time at which the first frame of each port is to be handed out.
    pub dues: Agenda,
    /// End of transmission at each port with a ranking scheduler, if frames wait behind it.
    pub ends: Agenda,
}

impl Outputs {
    /// Advances the clock; ends of transmission by then come first, each at its own time.
    #[inline]
    pub fn advance(&mut self, now: Time) {
        while self.ends.first() <= now {
            // `Time::MAX` means that nothing ends.
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
        let due = ranked.next(&mut p.line, &mut self.slab, &p.wire, (at, UNBUFFERED));
        self.ends.set(port, Time::MAX);
        self.plan(port, due);
    }

    /// Plans the events that a ranked port requires.
    fn plan(&mut self, port: usize, due: Due) {
        if due.ends {
            self.ends.set(port, due.departs);
        }
        if due.first {
            self.plan_first(port, due.departs);
        }
    }

    /// Plans the departure of the first frame of a port.
    fn plan_first(&mut self, port: usize, departs: Time) {
        let delay = self.ports[port].wire.delay;
        self.dues.set(port, departs.saturating_add(delay));
    }

    /// Enqueues a frame on `port` and counts it.
    #[inline]
    pub fn enqueue(&mut self, port: usize, handle: u32) {
        if self.down.has(PortId(port as u16)) {
            return self.stranded.push((handle, PortId(port as u16)));
        }
        self.wait(port, handle);
    }

    /// Enqueues a frame on `port`, whose link is up or about to be, and counts it.
    #[inline]
    fn wait(&mut self, port: usize, handle: u32) {
        let bytes = buffered(&self.slab.parcel(handle).packet);
        let p = &mut self.ports[port];
        let at = (self.now, UNBUFFERED);
        if let Some(ranked) = &mut p.ranked
            && !ranked.joins_line(&mut p.line, &self.slab, at, handle)
        {
            let due = ranked.queue(&mut p.line, &mut self.slab, &p.wire, at, handle);
            return self.plan(port, due);
        }
        p.line.grow(bytes);
        if let Some(departs) = (p.line).queue(&mut self.slab, &p.wire, self.now, handle) {
            self.plan_first(port, departs);
        }
    }

    /// Returns the next frame whose delay has passed by now.
    #[inline]
    pub fn take(&mut self) -> Option<Departure> {
        let departure = self.take_out()?;
        if let Some(taken) = &mut self.taken {
            taken.push((departure, self.slab.bytes(departure.handle.0).into()));
        }
        Some(departure)
    }

    #[inline]
    fn take_out(&mut self) -> Option<Departure> {
        let due = self.dues.first();
        if let Some(first) = self.arrived.front()
            && first.due <= due
        {
            return self.arrived.pop_front();
        }
        if due > self.now || due == Time::MAX {
            return None;
        }
        let port = self.dues.slot();
        let handle = self.ports[port].line.take(&self.slab, UNBUFFERED);
        self.plan_head(port);
        Some(Departure {
            port: PortId(port as u16),
            due,
            handle: Handle(handle),
        })
    }

    /// Returns the time at which the last bit of a frame, which is out of its link, left the queue.
    pub fn left(&self, departure: &Departure) -> Time {
        let delay = self.ports[departure.port.index()].wire.delay;
        departure.due.saturating_sub(delay)
    }

    /// Returns the time of the first due frame; [`Time::MAX`] if there is none.
    #[inline]
    pub fn first(&self) -> Time {
        let arrived = self.arrived.front().map_or(Time::MAX, |first| first.due);
        self.dues.first().min(arrived)
    }

    /// Plans when the first frame of `port` is to be handed out, if there is one.
    #[inline]
    fn plan_head(&mut self, port: usize) {
        let p = &self.ports[port];
        let departs = p.line.head_departs(&self.slab);
        let due = departs.map_or(Time::MAX, |at| at.saturating_add(p.wire.delay));
        self.dues.set(port, due);
    }

    /// Returns the present depth of the queue of `port`.
    pub fn depth(&mut self, port: PortId) -> Depth {
        let line = &mut self.ports[port.index()].line;
        line.settle(&self.slab, self.now, UNBUFFERED)
    }

    /// Evicts the worst frame from the queue of `port`; the caller frees it.
    pub fn evict(&mut self, port: PortId) -> u32 {
        let p = &mut self.ports[port.index()];
        let ranked = p.ranked.as_mut();
        let ranked =
            ranked.expect("a buffer policy evicted from a queue that has nothing to evict");
        ranked.evict(&mut p.line, &mut self.slab, &p.wire, UNBUFFERED)
    }

    /// Gives `port` another rate, delay and scheduler. Frames on the wire leave at the time planned before;
    /// queued frames are enqueued again in their order of arrival.
    pub fn requeue(&mut self, port: usize, setup: &PortSetup, sched: AnySched) {
        let p = &mut self.ports[port];
        let new = Ranked::around(sched, port as u32);
        let (slab, line) = (&mut self.slab, &mut p.line);
        let mut waiting = reschedule(&mut p.ranked, new, line, slab, self.now, UNBUFFERED);
        p.wire = Wire::new(setup.rate, setup.delay);
        self.ends.set(port, Time::MAX);
        self.plan_head(port);
        waiting.sort_by_key(|handle| self.slab.number(*handle));
        for handle in waiting {
            self.wait(port, handle);
        }
    }

    /// Takes every frame off `port`: on the wire, in transmission and queued. The caller frees them.
    pub fn empty(&mut self, port: usize, sched: AnySched) -> Vec<u32> {
        self.let_out(port);
        let p = &mut self.ports[port];
        let new = Ranked::around(sched, port as u32);
        let (slab, line) = (&mut self.slab, &mut p.line);
        let mut waiting = reschedule(&mut p.ranked, new, line, slab, self.now, UNBUFFERED);
        waiting.sort_by_key(|handle| slab.number(*handle));
        let mut all = Vec::new();
        while line.head() != NONE {
            all.push(line.take(slab, UNBUFFERED));
        }
        all.extend(waiting);
        line.free_at = self.now;
        self.ends.set(port, Time::MAX);
        self.dues.set(port, Time::MAX);
        all
    }

    /// Takes frames whose delay has passed by now out of the link of `port`.
    fn let_out(&mut self, port: usize) {
        let p = &mut self.ports[port];
        while let Some(departs) = p.line.head_departs(&self.slab)
            && let due = departs.saturating_add(p.wire.delay)
            && due <= self.now
        {
            let handle = Handle(p.line.take(&self.slab, UNBUFFERED));
            let port = PortId(port as u16);
            self.arrived.push_back(Departure { port, due, handle });
        }
        // Frames of several ports are handed out in the order of their due times.
        let arrived = self.arrived.make_contiguous();
        arrived.sort_by_key(|departure| departure.due);
    }

    /// Returns the ports, as seen by a frame that came in by `ingress`.
    #[inline]
    pub fn ports_from(&mut self, ingress: Option<PortId>) -> PortsView<'_> {
        PortsView {
            outputs: self,
            ingress,
        }
    }
}

fn buffered(packet: &Packet) -> u32 {
    u32::from(packet.wire) - UNBUFFERED
}

/// Present state of a switch's ports, with one current frame.
pub(super) struct PortsView<'a> {
    outputs: &'a mut Outputs,
    /// Ingress port of the frame; `None` for the switch's own answers.
    ingress: Option<PortId>,
}

impl Ports for PortsView<'_> {
    type Store = Slab;

    fn count(&self) -> u16 {
        self.outputs.ports.len() as u16
    }

    #[inline]
    fn now(&self) -> Time {
        self.outputs.now
    }

    #[inline]
    fn capacity(&self) -> Capacity {
        self.outputs.capacity
    }

    #[inline]
    fn unbuffered(&self) -> u32 {
        UNBUFFERED
    }

    fn to_switch(&self) -> PortSet {
        self.outputs.to_switch
    }

    fn ingress(&self) -> Option<PortId> {
        self.ingress
    }

    #[inline]
    fn line(&mut self, port: PortId) -> (&mut Line, &Slab) {
        let outputs = &mut *self.outputs;
        (&mut outputs.ports[port.index()].line, &outputs.slab)
    }

    fn store(&self) -> &Slab {
        &self.outputs.slab
    }

    fn line_as_it_is(&self, port: PortId) -> &Line {
        &self.outputs.ports[port.index()].line
    }

    fn wire(&self, port: PortId) -> &Wire {
        &self.outputs.ports[port.index()].wire
    }

    fn ranked(&self, port: PortId) -> Option<&Ranked> {
        self.outputs.ports[port.index()].ranked.as_ref()
    }

    fn ranked_mut(&mut self, port: PortId) -> Option<&mut Ranked> {
        self.outputs.ports[port.index()].ranked.as_mut()
    }
}
