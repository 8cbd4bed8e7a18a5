//! pFabric: the flow with the least left to send goes first, its own packets in order.
//!
//! **Decision**     finds the packet with the fewest remaining bytes, then sends the earliest
//!                  packet of the same flow, which a retransmission may have overtaken.
//! **State**        the queue, in order of arrival. Searched from end to end, as in hardware:
//!                  it is meant for about two dozen packets.
//! **Units**        remaining bytes of the flow ([`Packet::rank`]); acknowledgements rank first.
//! **Errors**       none.
//! **Source**       Alizadeh et al., SIGCOMM 2013, section 4.2.
//! **Deviations**   none known. Among equal ranks the earliest goes first and the latest is evicted.

use super::Sched;
use crate::why::ranked;
use crate::{Nature, Policy};
use sidestep_types::{About, FlowId, Packet, Refusal};
use std::cmp::Reverse;

/// Queue that serves the flow with the fewest remaining bytes first.
#[derive(Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PFabric(Vec<Waiting>);

#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Waiting {
    rank: u32,
    flow: FlowId,
    handle: u32,
    wire: u16,
}

impl Policy for PFabric {
    type Settings = ();
    const ABOUT: About = About {
        name: "pfabric",
        summary: "the flow with the least left to send goes first, its earliest packet first",
        source: "Alizadeh et al., SIGCOMM 2013 (pFabric)",
    };

    const NATURE: Nature = Nature {
        ranks: true,
        ..Nature::PLAIN
    };

    fn build(_: (), _: u16, _: u64) -> Result<PFabric, Refusal> {
        Ok(PFabric::default())
    }
}

impl Sched for PFabric {
    fn passes(&self) -> bool {
        true
    }

    fn push(&mut self, pkt: &Packet, handle: u32) {
        self.0.push(Waiting {
            rank: pkt.rank(),
            flow: pkt.flow,
            handle,
            wire: pkt.wire,
        });
    }

    fn pop(&mut self) -> Option<u32> {
        let flow = self.0.iter().min_by_key(|waiting| waiting.rank)?.flow;
        let earliest = self.0.iter().position(|waiting| waiting.flow == flow)?;
        Some(self.0.remove(earliest).handle)
    }

    fn why(&self, pkt: &Packet) -> String {
        let own = self
            .0
            .iter()
            .filter(|waiting| waiting.flow == pkt.flow)
            .count();
        let ranked = ranked(pkt.rank(), |with| self.each_worst(with));
        match own {
            0 => ranked,
            own => format!(
                "{ranked}; earlier packets of its flow ({own}) leave before it, whatever their rank"
            ),
        }
    }
    fn worst(&self) -> Option<u32> {
        self.0.iter().map(|waiting| waiting.rank).max()
    }

    fn evict(&mut self) -> Option<u32> {
        let worst = self.worst()?;
        let latest = self.0.iter().rposition(|waiting| waiting.rank == worst)?;
        Some(self.0.remove(latest).handle)
    }

    fn each_held(&self, with: &mut dyn FnMut(u32)) {
        self.0.iter().for_each(|waiting| with(waiting.handle));
    }

    fn each_worst(&self, with: &mut dyn FnMut(u32, u32) -> bool) {
        let mut worst: Vec<&Waiting> = self.0.iter().rev().collect();
        worst.sort_by_key(|waiting| Reverse(waiting.rank));
        for waiting in worst {
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

    /// Creates a queue of packets `(flow, rank)`, numbered in order of arrival.
    fn queue(packets: &[(u32, u32)]) -> PFabric {
        let mut sched = PFabric::default();
        for (handle, &(flow, rank)) in packets.iter().enumerate() {
            let mut pkt = data();
            pkt.flow = FlowId(flow);
            pkt.set_rank(rank);
            sched.push(&pkt, handle as u32);
        }
        sched
    }

    fn drain(mut sched: PFabric) -> Vec<u32> {
        std::iter::from_fn(|| sched.pop()).collect()
    }

    #[test]
    fn the_flow_with_the_least_left_goes_first_and_in_its_own_order() {
        // Flow 2 has the packet with the least left, which arrived after another packet of flow 2.
        assert_eq!(
            drain(queue(&[(1, 500), (2, 900), (3, 300), (2, 200)])),
            [1, 3, 2, 0]
        );
        assert_eq!(drain(queue(&[(1, 500), (2, 500), (1, 400)])), [0, 2, 1]);
        assert_eq!(drain(queue(&[(1, 500), (2, 500), (3, 500)])), [0, 1, 2]);
    }

    #[test]
    fn the_latest_of_those_with_the_most_left_is_evicted() {
        let mut sched = queue(&[(1, 500), (2, 900), (3, 900), (4, 300)]);
        assert_eq!((sched.worst(), sched.evict()), (Some(900), Some(2)));
        assert_eq!((sched.worst(), sched.evict()), (Some(900), Some(1)));
        assert_eq!((sched.worst(), sched.evict()), (Some(500), Some(0)));
        assert_eq!(sched.pop(), Some(3));
        assert_eq!((sched.worst(), sched.evict()), (None, None));
    }

    proptest::proptest! {
        #[test]
        fn what_leaves_is_of_a_flow_that_none_outranks_and_every_flow_keeps_its_order(
            packets in proptest::collection::vec((0u32..4, 0u32..6), 1..24),
        ) {
            let mut waiting: Vec<usize> = (0..packets.len()).collect();
            for handle in drain(queue(&packets)) {
                let (flow, least) = (packets[handle as usize].0, waiting.iter().map(|&i| packets[i].1).min());
                let of_flow: Vec<usize> = waiting.iter().copied().filter(|&i| packets[i].0 == flow).collect();
                proptest::prop_assert_eq!(of_flow[0], handle as usize);
                proptest::prop_assert_eq!(of_flow.iter().map(|&i| packets[i].1).min(), least);
                waiting.retain(|&i| i != handle as usize);
            }
            proptest::prop_assert!(waiting.is_empty());
        }
    }
}
