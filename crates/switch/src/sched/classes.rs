//! The queues of a port's classes of service, each first in, first out: what `strict`, `ps` and `wps` choose
//! between. Who is in which class its host says ([`Packet::service`]).

use super::flows::{Counting, Flows, Placed};
use crate::{Class, Depth, Nature};
use sidestep_types::{Packet, Refusal, Settings, Time};
use std::collections::VecDeque;

/// As many classes as Ethernet has priorities.
pub(super) const MOST: usize = 8;

/// How many queues a port has.
#[derive(Clone, Settings)]
pub struct ClassCount {
    /// class queues of a port, 1 to 8; a packet of a higher class waits in the last; short and long flows in MulBuff
    #[setting(default = "2", range = 1..=MOST as u64)]
    pub(super) classes: usize,
}

/// What schedulers of [`Classes`] are.
pub(super) const NATURE: Nature = Nature {
    classes: true,
    remembers: true,
    ..Nature::PLAIN
};

/// One queue: handles, each with its bytes of link time and what its owner keeps of it.
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

    /// The bytes of link time of the packet that leaves next.
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

/// A packet that has come, its class and its flow, if it brings that in.
pub(crate) struct Came {
    class: usize,
    flow: Option<Placed>,
}

impl Came {
    /// How many flows are in its class, if it brings its own in.
    #[inline(always)]
    pub fn flows(&self) -> Option<u32> {
        self.flow.as_ref().map(|flow| flow.flows)
    }
}

/// What has left a queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Popped {
    pub handle: u32,
    /// Nothing waits behind it.
    pub last: bool,
}

/// The class queues of one port, and the count of the flows in each.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Classes {
    queues: Box<[Queue]>,
    /// Those of which something waits, a bit each; none of what waits in the port's line.
    waits: u32,
    flows: Flows,
    /// The class of all that waits in the port's line, if something does.
    in_line: usize,
    /// The bytes of link time that have joined the line since nothing waited there.
    run: u64,
    /// What waits in the line, while somebody looks at all ([`Classes::show_line`]).
    line: Depth,
}

impl Classes {
    /// So many, on a switch with `ports` ports, whose flows are counted as `counting` says.
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

    /// How many there are.
    pub fn len(&self) -> usize {
        self.queues.len()
    }

    /// Where a packet of the class `service` waits.
    #[inline]
    pub fn of(&self, service: u8) -> usize {
        usize::from(service).min(self.queues.len() - 1)
    }

    /// A packet comes, joins and leaves, and nothing waits.
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

    /// Would a packet of the class `service` wait behind all of the line, where so many wait?
    #[inline(always)]
    pub fn stays_in_order(&self, service: u8, waiting: u32) -> bool {
        waiting == 0 || self.of(service) == self.in_line
    }

    /// The part of `class` in what waits in the line.
    #[inline(always)]
    fn of_line(&self, class: usize, waiting: Depth) -> Depth {
        match class == self.in_line {
            true => waiting,
            false => Depth::default(),
        }
    }

    /// Has flows leave whose last packet has begun, where this waits in the line.
    #[inline(never)]
    fn left(&mut self, waiting: Depth) {
        for class in 0..self.queues.len() {
            let waiting = self.of_line(class, waiting).packets;
            self.flows.left(class, waiting);
        }
    }

    /// Does it matter to the count that the packet has come?
    #[inline(always)]
    pub fn heed(&self, pkt: &Packet, now: Time) -> bool {
        self.flows.heed(pkt, now)
    }

    /// A packet has come, while this waits in the line; whether it joins is open. Says what waits of its class, and how
    /// many flows are in that.
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

    /// What is of the class `service` in what waits in the line.
    pub fn queue_line(&mut self, service: u8, waiting: Depth) -> Class {
        let class = self.of(service);
        self.left(waiting);
        Class {
            depth: self.of_line(class, waiting),
            flows: self.flows(class),
        }
    }

    /// What waits in the line, in bytes of link time, counts as waiting in its queue for those who ask, until it is taken back.
    pub fn show_line(&mut self, waiting: Depth) {
        self.left(waiting);
        self.line = waiting;
    }

    pub fn hide_line(&mut self) {
        self.line = Depth::default();
    }

    /// A packet comes and joins the line behind so many of its class.
    #[inline]
    pub fn join_line(&mut self, pkt: &Packet, now: Time, waiting: Depth) {
        let class = self.of(pkt.service());
        if waiting.packets == 0 {
            (self.in_line, self.run) = (class, 0);
        }
        self.run += u64::from(pkt.wire);
        // Who ends, or was silent, goes by who waits.
        if self.flows.is_due(now) || pkt.ends() {
            self.left(waiting);
        }
        self.flows.joins(class, pkt, now);
    }

    /// A packet has come, while this waits in the line; whether it joins is open, and it would stay in order there. One
    /// with `data` brings its flow in. It is what [`Classes::see_line`] does, with the flow's place kept; `None` where it
    /// takes longer to tell: then that is to be asked, and nothing was done that it would not do again.
    #[inline(always)]
    pub fn see_in_order(
        &mut self,
        pkt: &Packet,
        data: bool,
        now: Time,
        waiting: Depth,
    ) -> Option<Came> {
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
        Some(Came { class, flow })
    }

    /// Has those leave who were silent for too long, while this waits in the line.
    #[cold]
    #[inline(never)]
    fn age_line(&mut self, now: Time, waiting: Depth) {
        self.left(waiting);
        self.flows.age(now);
    }

    /// It joins the line behind what waits there, or passes where nothing is before it (`alone`): what
    /// [`Classes::join_line`] and [`Classes::pass`] do.
    #[inline(always)]
    pub fn join_in_order(&mut self, came: Came, pkt: &Packet, (waiting, alone): (Depth, bool)) {
        let Came { class, flow } = came;
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

    /// What waited in the line waits in its queue from now on. Says of which class it is, and how many bytes of link
    /// time of that have been sent since nothing waited.
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

    /// A packet joins that was seen right before.
    pub fn push(&mut self, pkt: &Packet, handle: u32) {
        let class = self.of(pkt.service());
        self.flows.joins_seen(class, pkt);
        self.queue_up(class, pkt, handle);
    }

    /// A packet comes and joins.
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

    /// Takes out what leaves `class` next, if anything waits there.
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

    /// The bytes of link time of the packet that would leave `class` next.
    #[inline]
    pub fn head(&self, class: usize) -> Option<u16> {
        self.queues[class].head()
    }

    /// The classes of which something waits.
    #[inline]
    pub fn waiting(&self) -> impl Iterator<Item = usize> + use<> {
        let mut left = self.waits;
        std::iter::from_fn(move || {
            let class = (left != 0).then(|| left.trailing_zeros() as usize);
            left &= left.wrapping_sub(1);
            class
        })
    }

    /// The first class from `class` on, at most [`MOST`], of which something waits.
    #[inline]
    pub fn waiting_from(&self, class: usize) -> Option<usize> {
        let left = self.waits >> class;
        (left != 0).then(|| class + left.trailing_zeros() as usize)
    }

    /// The class of all that waits, if that is of one class.
    #[inline]
    pub fn only(&self) -> Option<usize> {
        (self.waits.count_ones() == 1).then(|| self.waits.trailing_zeros() as usize)
    }

    /// Does nothing wait?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.waits == 0
    }

    pub fn counts(&self) -> bool {
        self.flows.counts()
    }

    /// A packet has come; whether it joins is open. Says what its queue is then.
    #[inline(always)]
    pub fn see(&mut self, pkt: &Packet, now: Time) -> Class {
        let class = self.of(pkt.service());
        let flows = self.flows.see(class, pkt, now);
        Class {
            depth: self.queues[class].depth(),
            flows,
        }
    }

    /// The flows in `class`.
    #[inline]
    pub fn flows(&self, class: usize) -> u32 {
        self.flows.of(class)
    }

    /// The queue of packets of the class `service`.
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

/// What a scheduler of [`Classes`] leaves to them.
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
