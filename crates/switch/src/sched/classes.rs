//! Queues of a port's classes of service, each first in, first out: `strict`, `ps` and `wps` choose between
//! them. The host sets the class of a packet ([`Packet::service`]).

use super::flows::{Counting, Flows, Placed};
use crate::{Class, Depth, Nature};
use sidestep_types::{Packet, Refusal, Settings, Time};
use std::collections::VecDeque;

/// Most class queues: the number of Ethernet priorities.
pub(super) const MOST: usize = 8;

/// Setting of the number of class queues of a port.
#[derive(Clone, Settings)]
pub struct ClassCount {
    /// class queues per port, 1 to 8; packets of a higher class wait in the last; MulBuff has two, for short
    /// and long flows
    #[setting(default = "2", range = 1..=MOST as u64)]
    pub(super) classes: usize,
}

/// Nature of schedulers with [`Classes`].
pub(super) const NATURE: Nature = Nature {
    classes: true,
    remembers: true,
    ..Nature::PLAIN
};

/// Queue of handles, each with its bytes of link time and a value of the owner.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Queue<T = ()> {
    waiting: VecDeque<(u32, u16, T)>,
    bytes: u32,
}

impl<T> Default for Queue<T> {
    fn default() -> Queue<T> {
        Queue {
            waiting: VecDeque::new(),
            bytes: 0,
        }
    }
}

impl<T> Queue<T> {
    #[inline]
    pub fn push(&mut self, handle: u32, wire: u16, kept: T) {
        self.waiting.push_back((handle, wire, kept));
        self.bytes += u32::from(wire);
    }

    #[inline]
    pub fn pop(&mut self) -> Option<(u32, T)> {
        let (handle, wire, kept) = self.waiting.pop_front()?;
        self.bytes -= u32::from(wire);
        Some((handle, kept))
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Returns the bytes of link time of the packet that leaves next.
    pub fn head(&self) -> Option<u16> {
        self.waiting.front().map(|waiting| waiting.1)
    }

    pub fn depth(&self) -> Depth {
        Depth {
            packets: self.waiting.len() as u32,
            bytes: self.bytes,
        }
    }

    pub fn each(&self, with: &mut dyn FnMut(u32)) {
        self.waiting.iter().for_each(|waiting| with(waiting.0));
    }
}

/// Class of a packet that has arrived, and its flow if the packet counts for one.
pub(crate) struct ArrivedPacket {
    class: usize,
    flow: Option<Placed>,
}

impl ArrivedPacket {
    /// Returns the number of flows in the class, if the packet counts for a flow.
    #[inline(always)]
    pub fn flows(&self) -> Option<u32> {
        self.flow.as_ref().map(|flow| flow.flows)
    }
}

/// Packet that has left a queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Popped {
    pub handle: u32,
    /// True if nothing waits behind it.
    pub last: bool,
}

/// Class queues of one port, and the number of flows in each.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Classes {
    queues: Box<[Queue]>,
    /// Bitmap of the classes that wait, without packets in the port's line.
    waits: u32,
    flows: Flows,
    /// Class of the packets in the port's line, if any wait there.
    in_line: usize,
    /// Bytes of link time that have joined the line since no packet waited there.
    run: u64,
    /// Depth of the line, while queries must include it ([`Classes::show_line`]).
    line: Depth,
}

impl Classes {
    /// Creates the class queues of a port on a switch with `ports` ports; `counting` configures how flows are
    /// counted.
    pub fn build(classes: ClassCount, counting: Counting, ports: u16) -> Result<Classes, Refusal> {
        let classes = classes.classes;
        Ok(Classes {
            queues: (0..classes).map(|_| Queue::default()).collect(),
            waits: 0,
            flows: Flows::build(counting, classes, ports)?,
            in_line: 0,
            run: 0,
            line: Depth::default(),
        })
    }

    /// Returns the number of classes.
    pub fn len(&self) -> usize {
        self.queues.len()
    }

    /// Returns the class where packets of the class of service `service` wait.
    #[inline]
    pub fn of(&self, service: u8) -> usize {
        usize::from(service).min(self.queues.len() - 1)
    }

    /// Counts a packet that joins and leaves at once, while nothing waits.
    #[inline]
    pub fn pass(&mut self, pkt: &Packet, now: Time) {
        let class = self.of(pkt.service());
        if !self.flows.passes_unheard(class, pkt, now) {
            self.pass_unseen(class, pkt, now);
        }
    }

    #[inline(never)]
    fn pass_unseen(&mut self, class: usize, pkt: &Packet, now: Time) {
        self.left(Depth::default());
        self.flows.passes(class, pkt, now);
    }

    /// Returns true if a packet of the class `service` may join the line behind its `waiting` packets and keep
    /// the order.
    #[inline(always)]
    pub fn stays_in_order(&self, service: u8, waiting: u32) -> bool {
        waiting == 0 || self.of(service) == self.in_line
    }

    /// Returns the part of `class` in the line, whose depth is `waiting`.
    #[inline(always)]
    fn of_line(&self, class: usize, waiting: Depth) -> Depth {
        match class == self.in_line {
            true => waiting,
            false => Depth::default(),
        }
    }

    /// Updates the flow counts of all classes for packets that have left: a flow ends when its last packet has
    /// begun to be sent. `waiting` is the depth of the line.
    #[inline(never)]
    fn left(&mut self, waiting: Depth) {
        for class in 0..self.queues.len() {
            let waiting = self.of_line(class, waiting).packets;
            self.flows.left(class, waiting);
        }
    }

    /// Returns true if the arrival of the packet matters to the count of flows.
    #[inline(always)]
    pub fn must_see(&self, pkt: &Packet, now: Time) -> bool {
        self.flows.must_see(pkt, now)
    }

    /// Counts the flow of a packet that has arrived and may or may not join. Returns the queue of its class
    /// afterwards, with the number of flows. `waiting` is the depth of the line.
    #[inline(always)]
    pub fn see_line(&mut self, pkt: &Packet, now: Time, waiting: Depth) -> Class {
        let class = self.of(pkt.service());
        let depth = self.of_line(class, waiting);
        if self.flows.is_due(now) {
            self.left(waiting);
        }
        let flows = self.flows.see_behind(class, depth.packets, pkt, now);
        Class { depth, flows }
    }

    /// Returns the queue of the class `service`. `waiting` is the depth of the line.
    pub fn queue_line(&mut self, service: u8, waiting: Depth) -> Class {
        let class = self.of(service);
        self.left(waiting);
        Class {
            depth: self.of_line(class, waiting),
            flows: self.flows(class),
        }
    }

    /// Makes queries include the packets in the line until [`Classes::hide_line`]. `waiting` is the depth of
    /// the line, in bytes of link time.
    pub fn show_line(&mut self, waiting: Depth) {
        self.left(waiting);
        self.line = waiting;
    }

    pub fn hide_line(&mut self) {
        self.line = Depth::default();
    }

    /// Counts a packet that arrives and joins the line behind `waiting` of its class.
    #[inline]
    pub fn join_line(&mut self, pkt: &Packet, now: Time, waiting: Depth) {
        let class = self.of(pkt.service());
        if waiting.packets == 0 {
            (self.in_line, self.run) = (class, 0);
        }
        self.run += u64::from(pkt.wire);
        // The end or the silence of a flow depends on the packets that wait.
        if self.flows.is_due(now) || pkt.ends() {
            self.left(waiting);
        }
        self.flows.joins(class, pkt, now);
    }

    /// Counts the flow of a packet that has arrived and may or may not join. Does the same as
    /// [`Classes::see_line`], but keeps the place of the flow. Only a packet with `data` counts for its flow;
    /// `waiting` is the depth of the line. Returns `None` if the packet cannot stay in order in the line or
    /// needs the slow path; the caller then calls [`Classes::see_line`], which repeats the steps done here.
    #[inline(always)]
    pub fn see_in_order(
        &mut self,
        pkt: &Packet,
        data: bool,
        now: Time,
        waiting: Depth,
    ) -> Option<ArrivedPacket> {
        let class = self.of(pkt.service());
        if waiting.packets != 0 && class != self.in_line {
            return None;
        }
        if self.flows.is_due(now) {
            self.age_line(now, waiting);
        }
        let flow = match data {
            true => Some(self.flows.see_data(class, waiting.packets, pkt, now)?),
            false if self.flows.ignores(pkt) => None,
            false => return None,
        };
        Some(ArrivedPacket { class, flow })
    }

    /// Removes flows that were silent for too long. `waiting` is the depth of the line.
    #[cold]
    #[inline(never)]
    fn age_line(&mut self, now: Time, waiting: Depth) {
        self.left(waiting);
        self.flows.age(now);
    }

    /// Counts a packet that joins the line behind `waiting`, or passes if nothing is before it (`alone`). Does
    /// the same as [`Classes::join_line`] and [`Classes::pass`].
    #[inline(always)]
    pub fn join_in_order(
        &mut self,
        came: ArrivedPacket,
        pkt: &Packet,
        (waiting, alone): (Depth, bool),
    ) {
        let ArrivedPacket { class, flow } = came;
        match flow {
            Some(flow) => self.flows.join_placed(class, flow, alone, pkt),
            None => self.flows.join_ignored(class, u32::from(!alone)),
        }
        if !alone {
            if waiting.packets == 0 {
                (self.in_line, self.run) = (class, 0);
            }
            self.run += u64::from(pkt.wire);
        }
    }

    /// Moves the packets of the line to their class queue. Returns their class, and the bytes of link time of
    /// this class that have been sent since no packet waited in the line.
    #[cold]
    pub fn leave_line<'a>(
        &mut self,
        waiting: impl ExactSizeIterator<Item = (&'a Packet, u32)>,
    ) -> (usize, u64) {
        let class = self.in_line;
        let packets = waiting.len() as u32;
        self.left(Depth { packets, bytes: 0 });
        for (pkt, handle) in waiting {
            self.queue_up(class, pkt, handle);
        }
        (class, self.run - u64::from(self.queues[class].bytes))
    }

    /// Adds a packet that was shown right before.
    pub fn push(&mut self, pkt: &Packet, handle: u32) {
        let class = self.of(pkt.service());
        self.flows.joins_seen(class, pkt);
        self.queue_up(class, pkt, handle);
    }

    /// Counts and adds a packet that arrives now.
    #[inline]
    pub fn join(&mut self, pkt: &Packet, handle: u32, now: Time) {
        let class = self.of(pkt.service());
        self.flows.joins(class, pkt, now);
        self.queue_up(class, pkt, handle);
    }

    #[inline]
    fn queue_up(&mut self, class: usize, pkt: &Packet, handle: u32) {
        self.queues[class].push(handle, pkt.wire, ());
        self.waits |= 1 << class;
    }

    /// Removes the packet that leaves `class` next, if any waits there.
    #[inline(always)]
    pub fn pop(&mut self, class: usize) -> Option<Popped> {
        let queue = &mut self.queues[class];
        let (handle, ()) = queue.pop()?;
        let (last, waiting) = (queue.is_empty(), queue.depth().packets);
        if last {
            self.waits &= !(1 << class);
        }
        self.flows.left(class, waiting);
        Some(Popped { handle, last })
    }

    /// Returns the bytes of link time of the packet that leaves `class` next.
    #[inline]
    pub fn head(&self, class: usize) -> Option<u16> {
        self.queues[class].head()
    }

    /// Iterates over the classes in which packets wait.
    #[inline]
    pub fn waiting(&self) -> impl Iterator<Item = usize> + use<> {
        let mut left = self.waits;
        std::iter::from_fn(move || {
            let class = (left != 0).then(|| left.trailing_zeros() as usize);
            left &= left.wrapping_sub(1);
            class
        })
    }

    /// Returns the first class at or after `class`, at most [`MOST`], in which a packet waits.
    #[inline]
    pub fn waiting_from(&self, class: usize) -> Option<usize> {
        let left = self.waits >> class;
        (left != 0).then(|| class + left.trailing_zeros() as usize)
    }

    /// Returns the class of all waiting packets, if there is only one such class.
    #[inline]
    pub fn only(&self) -> Option<usize> {
        (self.waits.count_ones() == 1).then(|| self.waits.trailing_zeros() as usize)
    }

    /// Returns true if no packet waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.waits == 0
    }

    pub fn counts(&self) -> bool {
        self.flows.counts()
    }

    /// Counts the flow of a packet that has arrived, and may join or not. Returns its queue afterwards.
    #[inline(always)]
    pub fn see(&mut self, pkt: &Packet, now: Time) -> Class {
        let class = self.of(pkt.service());
        let flows = self.flows.see(class, pkt, now);
        Class {
            depth: self.queues[class].depth(),
            flows,
        }
    }

    /// Returns the number of flows in `class`.
    #[inline]
    pub fn flows(&self, class: usize) -> u32 {
        self.flows.of(class)
    }

    /// Returns the queue of packets of the class `service`.
    pub fn queue(&self, service: u8) -> Class {
        self.class(self.of(service))
    }

    #[inline]
    fn class(&self, class: usize) -> Class {
        let (queue, line) = (self.queues[class].depth(), self.of_line(class, self.line));
        let depth = Depth {
            packets: queue.packets + line.packets,
            bytes: queue.bytes + line.bytes,
        };
        Class {
            depth,
            flows: self.flows(class),
        }
    }

    pub fn each_held(&self, with: &mut dyn FnMut(u32)) {
        self.queues.iter().for_each(|queue| queue.each(with));
    }
}

/// Implements the [`super::Sched`] methods that are the same for all schedulers with [`Classes`].
macro_rules! of_classes {
    () => {
        #[inline]
        fn passes(&self) -> bool {
            true
        }
        #[inline]
        fn pass(&mut self, pkt: &Packet, now: Time) {
            self.classes.pass(pkt, now);
        }
        #[inline]
        fn join(&mut self, pkt: &Packet, handle: u32, now: Time) {
            self.classes.join(pkt, handle, now);
        }
        fn push(&mut self, pkt: &Packet, handle: u32) {
            self.classes.push(pkt, handle);
        }
        fn each_held(&self, with: &mut dyn FnMut(u32)) {
            self.classes.each_held(with);
        }
        fn queue(&self, service: u8) -> Class {
            self.classes.queue(service)
        }
        fn class_of(&self, service: u8) -> Option<u8> {
            Some(self.classes.of(service) as u8)
        }
        fn counts(&self) -> bool {
            self.classes.counts()
        }
        fn see(&mut self, pkt: &Packet, now: Time) {
            self.classes.see(pkt, now);
        }
        #[inline]
        fn seen(&mut self, pkt: &Packet, now: Time) -> Class {
            self.classes.see(pkt, now)
        }
    };
}

pub(super) use of_classes;
