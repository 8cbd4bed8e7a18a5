//! Vertigo's queue and its deflection, as plainly as they can be said.
//!
//! **Source**       Abdous et al., CoNEXT 2021, section 3.2.
//! **Deviations**   room is counted in packets, since a queue in hardware has so many places. The
//!                  paper leaves open what becomes of equal ranks and of equal loads: *assumed* that
//!                  equal ranks leave in the order they came, that only a larger rank is evicted, and that
//!                  of two equally loaded ports the first drawn is taken, which is a fair coin.

use sidestep_types::{PortId, PortSet, scale};

/// A packet in a queue: its rank (the smallest leaves first) and what is kept of it.
pub type Waiting = (u32, u32);

/// Which end of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The smallest rank, and of equal ones the earliest.
    Smallest,
    /// The largest rank, and of equal ones the latest.
    Largest,
}

/// A queue of limited length, in the order of arrival.
#[derive(Clone, Debug)]
pub struct RankQueue {
    capacity: usize,
    waiting: Vec<Waiting>,
}

impl RankQueue {
    /// An empty one.
    pub fn new(capacity: usize) -> RankQueue {
        RankQueue {
            capacity,
            waiting: Vec::new(),
        }
    }

    /// What stands at `end`.
    pub fn look(&self, end: End) -> Option<Waiting> {
        self.place(end).map(|place| self.waiting[place])
    }

    fn place(&self, end: End) -> Option<usize> {
        let ranks = || self.waiting.iter().map(|waiting| waiting.0);
        match end {
            End::Smallest => ranks().position(|rank| Some(rank) == ranks().min()),
            End::Largest => ranks().rposition_of(ranks().max()),
        }
    }

    /// One cycle: takes out what stands at an end, then puts one in where there is room.
    pub fn step(&mut self, pop: Option<End>, push: Option<Waiting>) -> Option<Waiting> {
        let out = pop
            .and_then(|end| self.place(end))
            .map(|place| self.waiting.remove(place));
        if self.waiting.len() < self.capacity {
            self.waiting.extend(push);
        }
        out
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Does none wait?
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

trait LastPlace {
    fn rposition_of(self, rank: Option<u32>) -> Option<usize>;
}

impl<I: Iterator<Item = u32>> LastPlace for I {
    fn rposition_of(self, rank: Option<u32>) -> Option<usize> {
        let same = self.enumerate().filter(|(_, r)| Some(*r) == rank);
        same.map(|(place, _)| place).last()
    }
}

/// What becomes of a packet and of the queues it meets.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deflection {
    /// It joins the queue it wanted.
    pub enqueue: u32,
    /// The largest rank of that queue leaves it.
    pub evict: u32,
    /// The victim, the packet or the one evicted, joins the queue of `target`.
    pub moved: u32,
    /// The port of the victim; 0 where there is none to go to.
    pub target: u32,
    /// The largest rank of that queue is dropped.
    pub squeeze: u32,
    /// The victim is dropped.
    pub lost: u32,
}

/// One queue as the decision sees it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Load {
    /// How much waits.
    pub depth: u32,
    /// Is there room for one more?
    pub fits: u32,
    /// The rank at its tail; matters of a full queue.
    pub tail: u32,
}

/// A packet of `rank` wants to leave by `want`; the victim may go to one of `candidates`.
pub fn deflect(
    rank: u32,
    want: PortId,
    loads: &[Load],
    candidates: PortSet,
    draws: [u32; 2],
) -> Deflection {
    let wanted = loads[want.index()];
    if wanted.fits == 1 {
        return Deflection {
            enqueue: 1,
            ..Deflection::default()
        };
    }
    // The larger rank is the victim; of equal ones, the one that is not in the queue yet.
    let evict = wanted.tail > rank;
    let victim = if evict { wanted.tail } else { rank };
    let mut answer = Deflection {
        enqueue: u32::from(evict),
        evict: u32::from(evict),
        ..Deflection::default()
    };
    let Some(target) = two_choices(loads, candidates, draws) else {
        answer.lost = 1;
        return answer;
    };
    answer.target = u32::from(target.0);
    let there = loads[target.index()];
    if there.fits == 1 {
        answer.moved = 1;
    } else if there.tail > victim {
        (answer.moved, answer.squeeze) = (1, 1);
    } else {
        answer.lost = 1;
    }
    answer
}

/// Of two different ports drawn from `candidates` the less loaded one.
fn two_choices(loads: &[Load], candidates: PortSet, draws: [u32; 2]) -> Option<PortId> {
    let first = candidates.nth(scale(draws[0], candidates.len()))?;
    let mut others = candidates;
    others.remove(first);
    let Some(second) = others.nth(scale(draws[1], others.len())) else {
        return Some(first);
    };
    let less = loads[second.index()].depth < loads[first.index()].depth;
    Some(if less { second } else { first })
}

/// What hardware shows of a queue.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// How many wait.
    pub count: u32,
    /// Head: the rank, and what is kept of the packet. 0 when none waits.
    pub head: [u32; 2],
    /// Tail: the same.
    pub tail: [u32; 2],
}

/// A new queue of `capacity` packets.
#[unsafe(no_mangle)]
pub extern "C" fn sidestep_queue_open(capacity: u32) -> *mut RankQueue {
    Box::into_raw(Box::new(RankQueue::new(capacity as usize)))
}

/// One cycle: `pop` is 0 for none, 1 for the smallest, 2 for the largest; `push` is 0 or 1. Writes what is
/// then to be seen.
///
/// # Safety
///
/// `queue` is open, and `view` points to room for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_queue_step(
    queue: *mut RankQueue,
    pop: u32,
    push: u32,
    rank: u32,
    data: u32,
    view: *mut View,
) {
    // SAFETY: the caller's promise.
    let (queue, view) = unsafe { (&mut *queue, &mut *view) };
    let end = [None, Some(End::Smallest), Some(End::Largest)][pop as usize];
    queue.step(end, (push == 1).then_some((rank, data)));
    let at = |end| queue.look(end).map_or([0, 0], |(rank, data)| [rank, data]);
    *view = View {
        count: queue.len() as u32,
        head: at(End::Smallest),
        tail: at(End::Largest),
    };
}

/// Ends a queue.
///
/// # Safety
///
/// `queue` is open, and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_queue_close(queue: *mut RankQueue) {
    // SAFETY: the caller's promise.
    drop(unsafe { Box::from_raw(queue) });
}

/// See [`deflect`].
///
/// # Safety
///
/// `loads` points to `n` queues, `draws` to two draws, and `answer` to room for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sidestep_deflect(
    rank: u32,
    want: u16,
    loads: *const Load,
    n: u16,
    candidates: u64,
    draws: *const [u32; 2],
    answer: *mut Deflection,
) {
    // SAFETY: the caller's promise.
    let (loads, draws) = unsafe { (std::slice::from_raw_parts(loads, usize::from(n)), *draws) };
    let candidates = crate::pick::ports(candidates);
    // SAFETY: the caller's promise.
    unsafe { *answer = deflect(rank, PortId(want), loads, candidates, draws) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use sidestep_switch::{AnySched, Sched};
    use sidestep_types::{FlowId, HostId, Kind, Packet, Rng, Values};

    /// pFabric's scheduler sends the earliest packet of the best flow. Where every packet is a flow of
    /// its own it is this queue.
    #[test]
    fn the_queue_is_that_of_pfabric_where_each_packet_is_a_flow() {
        let mut sched = AnySched::build("pfabric", &Values::default(), 2, 0).unwrap();
        let mut queue = RankQueue::new(usize::MAX);
        let mut rng = Rng::from_seed(4);
        for data in 0..20_000 {
            let end = match rng.below(4) {
                0 => Some(End::Smallest),
                1 => Some(End::Largest),
                _ => None,
            };
            let theirs = match end {
                Some(End::Smallest) => sched.pop(),
                Some(End::Largest) => sched.evict(),
                None => None,
            };
            let mut packet = Packet::new(Kind::Data, FlowId(data), HostId(0), 0);
            let push = (queue.len() < 60).then(|| (rng.below(9) as u32, data));
            if let Some((rank, data)) = push {
                packet.set_rank(rank);
                sched.push(&packet, data);
            }
            assert_eq!(queue.step(end, push).map(|waiting| waiting.1), theirs);
            assert_eq!(
                queue.look(End::Largest).map(|waiting| waiting.0),
                sched.worst()
            );
        }
    }

    #[test]
    fn a_full_queue_takes_one_only_in_the_place_of_another() {
        let mut queue = RankQueue::new(2);
        assert_eq!(queue.step(Some(End::Largest), Some((5, 1))), None);
        queue.step(None, Some((5, 2)));
        queue.step(None, Some((1, 3)));
        assert_eq!((queue.len(), queue.look(End::Smallest)), (2, Some((5, 1))));
        assert_eq!(queue.step(Some(End::Largest), Some((1, 3))), Some((5, 2)));
        assert_eq!(queue.step(Some(End::Smallest), None), Some((1, 3)));
        assert_eq!(queue.step(Some(End::Smallest), None), Some((5, 1)));
        assert!(queue.is_empty());
    }

    fn load(depth: u32, tail: u32) -> Load {
        Load {
            depth,
            fits: u32::from(depth < 64),
            tail,
        }
    }

    #[test]
    fn the_larger_rank_is_the_victim_and_goes_to_the_less_loaded_of_two() {
        let loads = [load(64, 500), load(10, 0), load(9, 0), load(64, 700)];
        let all = |mask| crate::pick::ports(mask);
        let ask = |rank, mask, draws| deflect(rank, PortId(0), &loads, all(mask), draws);
        let evicts = Deflection {
            enqueue: 1,
            evict: 1,
            moved: 1,
            target: 2,
            ..Deflection::default()
        };
        assert_eq!(ask(499, 0b0110, [0, 0]), evicts);
        let itself = Deflection {
            moved: 1,
            target: 2,
            ..Deflection::default()
        };
        assert_eq!(
            ask(500, 0b0110, [0, 0]),
            itself,
            "of equal ranks the newcomer"
        );
        assert_eq!(ask(500, 0b0110, [u32::MAX, 0]), itself);
        // Both choices full: port 3 is larger at its tail, the wanted port is not.
        let squeezes = Deflection {
            moved: 1,
            target: 3,
            squeeze: 1,
            ..Deflection::default()
        };
        assert_eq!(ask(600, 0b1001, [u32::MAX, 0]), squeezes);
        let lost = Deflection {
            lost: 1,
            ..Deflection::default()
        };
        assert_eq!(ask(600, 0b1001, [0, 0]), lost);
        assert_eq!(ask(600, 0, [0, 0]), lost);
        let goes = Deflection {
            moved: 1,
            target: 1,
            ..Deflection::default()
        };
        assert_eq!(ask(600, 0b0010, [7, 7]), goes, "one port is choice enough");
        let fits = Deflection {
            enqueue: 1,
            ..Deflection::default()
        };
        assert_eq!(deflect(9, PortId(1), &loads, all(0b1111), [0, 0]), fits);
    }
}
