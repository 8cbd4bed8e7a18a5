//! SRPT: the packet with the smallest rank leaves first, the one with the largest is evicted.
//!
//! **Decision**     by rank alone. Among equal ranks the first to arrive leaves first, and the last
//!                  to arrive is evicted.
//! **State**        the waiting packets, sorted, in rings of at most 256 packets. A packet joins at an
//!                  end or by binary search; then the nearer side of one ring moves.
//! **Units**        remaining bytes of the flow ([`Packet::rank`]); acknowledgements rank first.
//! **Errors**       none.
//! **Source**       Abdous et al., CoNEXT 2021 (Vertigo), section 3.2. Queues that accept packets at
//!                  any place are known as PIFO (Sivaraman et al., SIGCOMM 2016), rows of short sorted
//!                  lists as PIEO (Shrivastav, SIGCOMM 2019).
//! **Deviations**   PIEO's lists pass packets to their neighbours; these split in two when they are
//!                  full. Instructions for one packet in and one out with 24, 200 and 5,000
//!                  waiting, random ranks: these rings 163, 187, 383; one ring 139, 164, 3,423;
//!                  B-tree 438, 492, 614; min-max heap 539, 924, 1,434; pFabric's search 403,
//!                  2,075, 83,238 (docs/reference/scheds/srpt.md).

use super::Sched;
use crate::{Nature, Policy};
use sidestep_types::{About, Packet, Refusal};
use std::collections::VecDeque;

/// Queue sorted by rank: the smallest leaves first, the largest is evicted.
#[derive(Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Srpt {
    /// Best packets, the best first; empty only if nothing waits.
    first: Ring,
    /// Rings behind the first, none of them empty.
    rest: Vec<Ring>,
}

type Ring = VecDeque<Waiting>;

/// Most packets in a ring. 300 kB of full packets are 200, and fit in one ring.
const RING: usize = 256;

#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Waiting {
    rank: u32,
    handle: u32,
    wire: u16,
}

impl Policy for Srpt {
    type Settings = ();
    const ABOUT: About = About {
        name: "srpt",
        summary: "the smallest rank first, whatever its flow; the largest is evicted",
        source: "Abdous et al., CoNEXT 2021 (Vertigo)",
    };

    // Later packets of a flow rank better and overtake earlier ones.
    const NATURE: Nature = Nature {
        reorders: true,
        ranks: true,
        ..Nature::PLAIN
    };

    fn build(_: (), _: u16, _: u64) -> Result<Srpt, Refusal> {
        Ok(Srpt::default())
    }
}

impl Sched for Srpt {
    fn passes(&self) -> bool {
        true
    }

    fn push(&mut self, pkt: &Packet, handle: u32) {
        let (rank, wire) = (pkt.rank(), pkt.wire);
        // Joins the last ring that begins with a rank no larger, behind all equal ranks there.
        let rings = self.rest.partition_point(|ring| ring[0].rank <= rank);
        let ring = match rings {
            0 => &mut self.first,
            n => &mut self.rest[n - 1],
        };
        let waiting = Waiting { rank, handle, wire };
        if ring.back().is_none_or(|last| last.rank <= rank) {
            ring.push_back(waiting);
        } else if rank < ring[0].rank {
            ring.push_front(waiting);
        } else {
            let at = ring.partition_point(|waiting| waiting.rank <= rank);
            ring.insert(at, waiting);
        }
        if ring.len() > RING {
            let worse = ring.split_off(RING / 2);
            self.rest.insert(rings, worse);
        }
    }

    fn pop(&mut self) -> Option<u32> {
        let best = self.first.pop_front()?;
        if self.first.is_empty() && !self.rest.is_empty() {
            self.first = self.rest.remove(0);
        }
        Some(best.handle)
    }

    fn worst(&self) -> Option<u32> {
        let last = self.rest.last().unwrap_or(&self.first);
        Some(last.back()?.rank)
    }

    fn evict(&mut self) -> Option<u32> {
        let Some(last) = self.rest.last_mut() else {
            return Some(self.first.pop_back()?.handle);
        };
        let worst = last.pop_back()?;
        if last.is_empty() {
            self.rest.pop();
        }
        Some(worst.handle)
    }

    fn each_held(&self, with: &mut dyn FnMut(u32)) {
        let rings = self.rest.iter().chain([&self.first]);
        rings.flatten().for_each(|waiting| with(waiting.handle));
    }

    fn each_worst(&self, with: &mut dyn FnMut(u32, u32) -> bool) {
        let rings = self.rest.iter().rev().chain([&self.first]);
        for waiting in rings.flat_map(|ring| ring.iter().rev()) {
            if !with(waiting.rank, u32::from(waiting.wire)) {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::data;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn push(sched: &mut Srpt, rank: u32, handle: u32) {
        let mut pkt = data();
        pkt.set_rank(rank);
        sched.push(&pkt, handle);
    }

    /// Creates a queue of packets with these ranks, numbered in order of arrival.
    fn queue(ranks: &[u32]) -> Srpt {
        let mut sched = Srpt::default();
        for (handle, rank) in (0..).zip(ranks) {
            push(&mut sched, *rank, handle);
        }
        sched
    }

    #[test]
    fn the_smallest_rank_leaves_first_and_of_equals_the_first_that_came() {
        let mut sched = queue(&[500, 300, 500, 300, 900]);
        assert_eq!((sched.pop(), sched.pop()), (Some(1), Some(3)));
        push(&mut sched, 100, 5);
        push(&mut sched, 500, 6);
        let order: Vec<u32> = std::iter::from_fn(|| sched.pop()).collect();
        assert_eq!(order, [5, 0, 2, 6, 4]);
    }

    #[test]
    fn all_that_is_held_is_named_whichever_ring_it_is_in() {
        let ranks: Vec<u32> = (0..3 * RING as u32).map(|n| n * 7 % 1000).collect();
        let sched = queue(&ranks);
        assert!(!sched.rest.is_empty());
        let mut held = Vec::new();
        sched.each_held(&mut |handle| held.push(handle));
        held.sort_unstable();
        assert!(held.into_iter().eq(0..3 * RING as u32));
    }

    #[test]
    fn the_largest_rank_is_evicted_and_of_equals_the_last_that_came() {
        let mut sched = queue(&[500, 900, 900, 300]);
        assert_eq!((sched.worst(), sched.evict()), (Some(900), Some(2)));
        push(&mut sched, 500, 4);
        assert_eq!((sched.worst(), sched.evict()), (Some(900), Some(1)));
        assert_eq!((sched.worst(), sched.evict()), (Some(500), Some(4)));
        assert_eq!((sched.pop(), sched.evict()), (Some(3), Some(0)));
        assert_eq!(
            (sched.pop(), sched.worst(), sched.evict()),
            (None, None, None)
        );
    }

    /// Checks that packets of equal rank, which fill several rings, stay in order.
    #[test]
    fn a_thousand_equals_leave_in_the_order_they_came() {
        let mut sched = queue(&[7; 4 * RING]);
        push(&mut sched, 9, 5_000);
        push(&mut sched, 7, 5_001);
        assert_eq!((sched.evict(), sched.evict()), (Some(5_000), Some(5_001)));
        let order: Vec<u32> = std::iter::from_fn(|| sched.pop()).collect();
        assert_eq!(order, (0..4 * RING as u32).collect::<Vec<_>>());
        assert!(sched.rest.is_empty());
    }

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Push(u32),
        Pop,
        Evict,
    }

    /// Generates steps with up to 400 of a kind in a row, so that rings fill and run empty.
    fn any_steps() -> impl Strategy<Value = Vec<Step>> {
        let step = (
            prop_oneof![
                3 => (0u32..20).prop_map(Step::Push),
                1 => any::<u32>().prop_map(Step::Push),
                1 => Just(Step::Pop),
                1 => Just(Step::Evict),
            ],
            1usize..400,
        );
        vec(step, 1..24).prop_map(|runs| {
            let run = |(step, n)| std::iter::repeat_n(step, n);
            runs.into_iter().flat_map(run).collect()
        })
    }

    proptest! {
        #[test]
        fn it_does_what_a_sorted_list_does_and_loses_nothing(steps in any_steps()) {
            let mut sched = Srpt::default();
            // Pairs of rank and handle; handles rise in order of arrival.
            let mut model: Vec<(u32, u32)> = Vec::new();
            for (handle, step) in (0..).zip(steps) {
                match step {
                    Step::Push(rank) => {
                        push(&mut sched, rank, handle);
                        let at = model.partition_point(|other| *other < (rank, handle));
                        model.insert(at, (rank, handle));
                    }
                    Step::Pop => {
                        let best = (!model.is_empty()).then(|| model.remove(0).1);
                        prop_assert_eq!(sched.pop(), best);
                    }
                    Step::Evict => prop_assert_eq!(sched.evict(), model.pop().map(|w| w.1)),
                }
                prop_assert_eq!(sched.worst(), model.last().map(|w| w.0));
            }
            let mut named = Vec::new();
            sched.each_worst(&mut |rank, _| {
                named.push(rank);
                true
            });
            prop_assert!(named.iter().eq(model.iter().rev().map(|(rank, _)| rank)));
            for (_, handle) in model {
                prop_assert_eq!(sched.pop(), Some(handle));
            }
            prop_assert_eq!(sched.pop(), None);
        }
    }
}
