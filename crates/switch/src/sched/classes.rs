//! The queues of a port's classes of service, each first in, first out: what `strict`, `ps` and `wps` choose
//! between. Who is in which class its host says ([`Packet::service`]).

use super::flows::{Flows, Seat};
use crate::{Class, Depth, Nature};
use sidestep_types::{Packet, Param, ParamUnit, Refusal, Time, Values};
use std::collections::VecDeque;

/// As many classes as Ethernet has priorities.
pub(super) const MOST: usize = 8;

/// How many classes.
pub(super) const CLASSES: Param = Param::with_default(
    "classes",
    ParamUnit::Count,
    "2",
    "class queues of a port, 1 to 8; a packet of a higher class waits in the last; short and long flows in MulBuff",
);

/// What schedulers of [`Classes`] are.
pub(super) const NATURE: Nature = Nature {
    classes: true,
    remembers: true,
    ..Nature::PLAIN
};

/// One queue: handles, each with its bytes of link time and what its owner keeps of it.
#[derive(Debug)]
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
    pub fn push(&mut self, handle: u32, wire: u16, kept: T) {
        self.waiting.push_back((handle, wire, kept));
        self.bytes += u32::from(wire);
    }

    pub fn pop(&mut self) -> Option<(u32, T)> {
        let (handle, wire, kept) = self.waiting.pop_front()?;
        self.bytes -= u32::from(wire);
        Some((handle, kept))
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

/// The class queues of one port, and the count of the flows in each.
#[derive(Debug)]
pub(super) struct Classes {
    queues: Box<[Queue<Seat>]>,
    flows: Flows,
}

impl Classes {
    /// Those of a scheduler with [`CLASSES`] and the parameters of [`super::flows`], on a switch with `ports` ports.
    pub fn build(values: &Values, ports: u16) -> Result<Classes, Refusal> {
        let classes = values.count("classes");
        if !(1..=MOST as u64).contains(&classes) {
            let expected = format!("must be from 1 to {MOST}");
            return Err(Refusal::of("classes", expected).got(classes));
        }
        let classes = classes as usize;
        Ok(Classes {
            queues: (0..classes).map(|_| Queue::default()).collect(),
            flows: Flows::build(values, classes, ports)?,
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

    /// A packet joins and leaves, and nothing waits.
    #[inline]
    pub fn pass(&mut self, pkt: &Packet) {
        let class = self.of(pkt.service());
        self.flows.passes(class, pkt);
    }

    pub fn push(&mut self, pkt: &Packet, handle: u32) {
        let class = self.of(pkt.service());
        let seat = self.flows.joins(class, pkt);
        self.queues[class].push(handle, pkt.wire, seat);
    }

    pub fn pop(&mut self, class: usize) -> Option<u32> {
        let (handle, seat) = self.queues[class].pop()?;
        self.flows.leaves(class, seat);
        Some(handle)
    }

    /// The bytes of link time of the packet that would leave `class` next.
    #[inline]
    pub fn head(&self, class: usize) -> Option<u16> {
        self.queues[class].head()
    }

    /// The classes of which something waits.
    pub fn waiting(&self) -> impl Iterator<Item = usize> {
        (0..self.len()).filter(|class| self.head(*class).is_some())
    }

    pub fn counts(&self) -> bool {
        self.flows.counts()
    }

    pub fn see(&mut self, pkt: &Packet, now: Time) {
        let class = self.of(pkt.service());
        self.flows.see(class, pkt, now);
    }

    /// The flows in `class`.
    pub fn flows(&self, class: usize) -> u32 {
        self.flows.of(class)
    }

    /// The queue of packets of the class `service`.
    pub fn queue(&self, service: u8) -> Class {
        let class = self.of(service);
        Class {
            depth: self.queues[class].depth(),
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
        fn pass(&mut self, pkt: &Packet) {
            self.classes.pass(pkt);
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
    };
}

pub(super) use of_classes;
