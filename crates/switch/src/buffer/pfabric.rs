//! pFabric's buffer: a full queue drops the packet whose flow has the most left to send.
//!
//! **Decision**     the wanted port if the packet fits. If not, the packet with the most remaining bytes
//!                  is dropped, among those waiting and the one at hand; among equals the most recent.
//! **State**        none. Reads the worst rank of one queue; no draws.
//! **Units**        remaining bytes of the flow ([`Packet::rank`]).
//! **Errors**       `full` for the packet at hand, `evicted` for one that waited.
//! **Source**       Alizadeh et al., SIGCOMM 2013, section 4.2.
//! **Deviations**   the packet being sent is never dropped. No marks.

use super::{Buffer, DropReason, Verdict};
use crate::why::{self, SwitchSnapshot, count};
use crate::{NEVER, Nature, Policy, Queues, Want};
use sidestep_types::{About, Packet, Refusal, Rng, Size};

/// Policy that drops by remaining size.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PFabric;

impl Policy for PFabric {
    type Settings = ();
    const ABOUT: About = About {
        name: "pfabric",
        summary: "drops the packet whose flow has the most left to send; needs sched pfabric or srpt",
        source: "Alizadeh et al., SIGCOMM 2013 (pFabric)",
    };
    const NATURE: Nature = Nature {
        marks: false,
        sched: &["pfabric", "srpt"],
        ranks: true,
        answers: &["enqueue", "evict", "full"],
        ..Nature::PLAIN
    };

    fn build(_: (), _: u16, _: u64) -> Result<PFabric, Refusal> {
        Ok(PFabric)
    }
}

impl Buffer for PFabric {
    #[inline(never)]
    fn admit(&mut self, pkt: &Packet, want: Want, queues: &mut dyn Queues, _: &mut Rng) -> Verdict {
        if want.fits {
            return Verdict::Enqueue { mark: false };
        }
        decide(pkt.rank(), queues.worst(want.port))
    }

    fn marks_at(&self) -> Option<Size> {
        Some(NEVER)
    }

    fn why(&self, snapshot: &mut SwitchSnapshot<'_>, want: Want, verdict: Verdict) -> String {
        let (rank, worst) = (
            count(snapshot.packet.rank()),
            snapshot.queues.worst(want.port),
        );
        match (verdict, worst) {
            (Verdict::Evict { .. }, Some(worst)) => {
                format!(
                    "its rank {rank} is better than {}, the worst that waits",
                    count(worst)
                )
            }
            (Verdict::Drop(_), Some(worst)) => {
                format!(
                    "its rank {rank} is not better than {}, the worst that waits",
                    count(worst)
                )
            }
            (other, _) => why::verdict(other),
        }
    }
}

/// Decides between a packet of `rank` and the `worst` rank that waits. In a tie the packet at hand is dropped,
/// as the more recent.
pub fn decide(rank: u32, worst: Option<u32>) -> Verdict {
    if worst.is_some_and(|worst| rank < worst) {
        Verdict::Evict { mark: false }
    } else {
        Verdict::Drop(DropReason::Full)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{StillQueues, data};

    #[test]
    fn of_a_full_queue_and_the_packet_at_hand_the_one_with_most_left_goes() {
        let mut q = StillQueues::of(&[23, 24], 24, &[]);
        let mut rng = Rng::from_seed(0);
        let mut said = |port, rank, worst| {
            let mut pkt = data();
            pkt.set_rank(rank);
            q.worst[usize::from(port)] = worst;
            let want = q.want(port);
            PFabric.admit(&pkt, want, &mut q, &mut rng)
        };
        assert_eq!(said(0, 9_000, Some(5)), Verdict::Enqueue { mark: false });
        assert_eq!(said(1, 9_000, Some(9_001)), Verdict::Evict { mark: false });
        assert_eq!(said(1, 9_000, Some(9_000)), Verdict::Drop(DropReason::Full));
        assert_eq!(said(1, 9_000, None), Verdict::Drop(DropReason::Full));
    }
}
