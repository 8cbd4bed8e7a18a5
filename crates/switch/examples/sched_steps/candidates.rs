//! Alternatives to `srpt`: the same order on other data structures.
//!
//! Equal ranks leave in order of arrival. A structure that does not keep that order by itself numbers arrivals
//! with 64 bits: 32 would wrap after 71 minutes at a million packets a second.

use sidestep_switch::Sched;
use sidestep_types::Packet;
use std::collections::{BTreeMap, VecDeque};

#[derive(Clone, Copy)]
struct Waiting {
    rank: u32,
    handle: u32,
    #[allow(
        dead_code,
        reason = "what `each_worst` names: its room is part of the cost"
    )]
    wire: u16,
}

impl Waiting {
    fn new(packet: &Packet, handle: u32) -> Waiting {
        Waiting {
            rank: packet.rank(),
            handle,
            wire: packet.wire,
        }
    }
}

/// Sorted ring: a binary search, then the nearer side is moved.
#[derive(Default)]
pub struct Ring(VecDeque<Waiting>);

impl Sched for Ring {
    fn push(&mut self, packet: &Packet, handle: u32) {
        let new = Waiting::new(packet, handle);
        if self.0.back().is_none_or(|last| last.rank <= new.rank) {
            self.0.push_back(new);
        } else if new.rank < self.0[0].rank {
            self.0.push_front(new);
        } else {
            let at = self.0.partition_point(|waiting| waiting.rank <= new.rank);
            self.0.insert(at, new);
        }
    }
    fn pop(&mut self) -> Option<u32> {
        Some(self.0.pop_front()?.handle)
    }
    fn worst(&self) -> Option<u32> {
        Some(self.0.back()?.rank)
    }
    fn evict(&mut self) -> Option<u32> {
        Some(self.0.pop_back()?.handle)
    }
}

/// Tree of the standard library.
#[derive(Default)]
pub struct Tree {
    waiting: BTreeMap<(u32, u64), (u32, u16)>,
    arrivals: u64,
}

impl Sched for Tree {
    fn push(&mut self, packet: &Packet, handle: u32) {
        self.arrivals += 1;
        let key = (packet.rank(), self.arrivals);
        self.waiting.insert(key, (handle, packet.wire));
    }
    fn pop(&mut self) -> Option<u32> {
        Some(self.waiting.pop_first()?.1.0)
    }
    fn worst(&self) -> Option<u32> {
        Some(self.waiting.last_key_value()?.0.0)
    }
    fn evict(&mut self) -> Option<u32> {
        Some(self.waiting.pop_last()?.1.0)
    }
}

/// Min-max heap: on even levels a node is before all nodes below it, on odd levels behind them.
///
/// Atkinson et al., Communications of the ACM 29(10), 1986.
#[derive(Default)]
pub struct Heap {
    nodes: Vec<Node>,
    arrivals: u64,
}

#[derive(Clone, Copy)]
struct Node {
    arrival: u64,
    waiting: Waiting,
}

impl Node {
    fn before(&self, other: &Node) -> bool {
        (self.waiting.rank, self.arrival) < (other.waiting.rank, other.arrival)
    }
}

/// Returns true if node `at` is on a level where the first is on top.
fn even(at: usize) -> bool {
    (at + 1).ilog2().is_multiple_of(2)
}

impl Heap {
    /// Returns true if node `a` must be above node `b`, on an even or an odd level.
    fn above(&self, on_even: bool, a: usize, b: usize) -> bool {
        match on_even {
            true => self.nodes[a].before(&self.nodes[b]),
            false => self.nodes[b].before(&self.nodes[a]),
        }
    }

    fn rise(&mut self, mut at: usize) {
        if at == 0 {
            return;
        }
        let mut level = even(at);
        let parent = (at - 1) / 2;
        if self.above(!level, at, parent) {
            self.nodes.swap(at, parent);
            (at, level) = (parent, !level);
        }
        while at > 2 {
            let grandparent = ((at - 1) / 2 - 1) / 2;
            if !self.above(level, at, grandparent) {
                return;
            }
            self.nodes.swap(at, grandparent);
            at = grandparent;
        }
    }

    fn sink(&mut self, mut at: usize) {
        let level = even(at);
        loop {
            let child = 2 * at + 1;
            let grandchild = 2 * child + 1;
            let end = self.nodes.len();
            let below = (child..(child + 2).min(end)).chain(grandchild..(grandchild + 4).min(end));
            let top = below.reduce(|a, b| if self.above(level, b, a) { b } else { a });
            let Some(top) = top.filter(|top| self.above(level, *top, at)) else {
                return;
            };
            self.nodes.swap(top, at);
            if top < grandchild {
                return;
            }
            let parent = (top - 1) / 2;
            if self.above(!level, top, parent) {
                self.nodes.swap(top, parent);
            }
            at = top;
        }
    }

    fn last(&self) -> Option<usize> {
        match self.nodes.len() {
            0 => None,
            1 => Some(0),
            2 => Some(1),
            _ if self.above(false, 1, 2) => Some(1),
            _ => Some(2),
        }
    }

    fn remove(&mut self, at: usize) -> u32 {
        let gone = self.nodes.swap_remove(at);
        if at < self.nodes.len() {
            self.sink(at);
        }
        gone.waiting.handle
    }
}

impl Sched for Heap {
    fn push(&mut self, packet: &Packet, handle: u32) {
        self.arrivals += 1;
        self.nodes.push(Node {
            arrival: self.arrivals,
            waiting: Waiting::new(packet, handle),
        });
        self.rise(self.nodes.len() - 1);
    }
    fn pop(&mut self) -> Option<u32> {
        (!self.nodes.is_empty()).then(|| self.remove(0))
    }
    fn worst(&self) -> Option<u32> {
        Some(self.nodes[self.last()?].waiting.rank)
    }
    fn evict(&mut self) -> Option<u32> {
        self.last().map(|at| self.remove(at))
    }
}
