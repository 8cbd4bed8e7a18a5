//! Distribution Preemptive Deflection: like deflection by quantile, but assumes that ranks are exponentially
//! distributed, so that the mean determines the quantile.
//!
//! **Decision**     R is `1 − e^(−rank/M)`. M is the mean rank at the queue: of the packets that wait there
//!                  now, or a moving mean. The wanted port while its queue holds at most `(1 − alpha·R)` of its
//!                  capacity. If not, the shortest queue of `choices` randomly drawn ports to a switch, if that
//!                  queue keeps the packet by the same rule and its own mean; else drop.
//! **State**        with `mean = "moving"` one number per queue, else none: reads the ranks of all packets that
//!                  wait there, when the standing matters. `choices` draws for each packet that is not kept.
//! **Units**        ranks ([`Packet::rank`]), M in whole ones; R in 2⁻¹⁶, from a table in steps of 1/64;
//!                  occupancy in the unit of the capacity; `mark_at` in packets or bytes.
//! **Errors**       `full` if the wanted queue had no room, else `early`; construction refuses an `alpha` above
//!                  1 and `choices` of 0, of more than 4, or of more than the switch has ports.
//! **Source**       Abdous et al., PACMNET 2023 (Practical Packet Deflection in Datacenters); `queue` is the
//!                  rule of its public simulator, `moving` (weight 1/50) that of its P4 program.
//! **Deviations**   a table in place of the exponential: the P4 program has one of 25 entries, the simulator
//!                  floating point. The simulator queries both drawn ports and takes the shorter of those that
//!                  keep the packet. The moving mean begins with the first rank and takes in a packet after its
//!                  own R is computed: assumed.

use super::exponential::one_less_exp;
use super::preemptive::{self, Common, Preemptive};
use super::relative_rank::{RankEstimator, RelativeRank};
use super::{Buffer, Verdict};
use crate::why::SwitchSnapshot;
use crate::{Nature, Policy, Queues, RankSum, Want};
use sidestep_types::{About, Packet, PortId, Refusal, Rng, Settings, Words};

/// Policy that deflects by the mean rank.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DistributionDeflection(Preemptive<Mean>);

/// Source of the mean rank.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Mean {
    /// Packets that wait at the port.
    Queue,
    /// Moving mean per port of all packets for which it was considered; `None` before the first.
    Moving(Vec<Option<u32>>),
}

/// Settings of [`DistributionDeflection`].
#[derive(Clone, Settings)]
pub struct DistributionSettings {
    #[setting(flatten)]
    common: Common,
    /// mean rank of the waiting packets (the simulator of PACMNET 2023), or a mean that each packet moves by
    /// 1/50 (its P4 program)
    #[setting(default = "queue")]
    mean: MeanOf,
}

/// Packets of which the mean is taken.
#[derive(Clone, Copy, Words)]
enum MeanOf {
    Queue,
    Moving,
}

impl Policy for DistributionDeflection {
    type Settings = DistributionSettings;
    const ABOUT: About = About {
        name: "distribution-deflection",
        summary: "deflects packets that rank badly against the mean rank before the queue is full; \
                  works with a plain FIFO",
        source: "Abdous et al., PACMNET 2023 (Practical Packet Deflection in Datacenters)",
    };
    const NATURE: Nature = Nature {
        sums: true,
        ..preemptive::NATURE
    };

    fn build(
        settings: DistributionSettings,
        ports: u16,
        _: u64,
    ) -> Result<DistributionDeflection, Refusal> {
        let mean = match settings.mean {
            MeanOf::Queue => Mean::Queue,
            MeanOf::Moving => Mean::Moving(vec![None; usize::from(ports)]),
        };
        Preemptive::build(settings.common, ports, mean).map(DistributionDeflection)
    }
}

impl Buffer for DistributionDeflection {
    #[inline(never)]
    fn admit(
        &mut self,
        pkt: &Packet,
        want: Want,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> Verdict {
        self.0.admit(pkt, want, queues, rng)
    }

    fn why(&self, snapshot: &mut SwitchSnapshot<'_>, _: Want, verdict: Verdict) -> String {
        self.0.why(snapshot, verdict)
    }
}

impl RankEstimator for Mean {
    fn of(&self, pkt: &Packet, port: PortId, queues: &mut dyn Queues) -> RelativeRank {
        let ranks = match self {
            Mean::Queue => queues.ranks(port),
            Mean::Moving(means) => {
                let mut one = RankSum::default();
                means[port.index()]
                    .into_iter()
                    .for_each(|mean| one.add(mean));
                one
            }
        };
        standing(pkt.rank(), ranks)
    }

    fn see(&mut self, pkt: &Packet, port: PortId) {
        if let Mean::Moving(means) = self {
            let mean = &mut means[port.index()];
            *mean = Some(moved(*mean, pkt.rank()));
        }
    }

    fn why(&self, _: RelativeRank) -> String {
        match self {
            Mean::Queue => "from its rank and the mean rank of the packets that wait there",
            Mean::Moving(_) => "from its rank and the moving mean of the ranks there",
        }
        .into()
    }
}

/// Computes `1 − e^(−rank/mean)`. Rank 0 is most urgent, and so is any packet if no other is there.
fn standing(rank: u32, others: RankSum) -> RelativeRank {
    if rank == 0 || others.packets == 0 {
        return RelativeRank::FIRST;
    }
    if others.sum == 0 {
        return RelativeRank::LAST;
    }
    let above = u128::from(rank) * u128::from(others.packets);
    one_less_exp(above, u128::from(others.sum))
}

/// Returns the moving mean after a packet of `rank`.
fn moved(mean: Option<u32>, rank: u32) -> u32 {
    match mean {
        None => rank,
        Some(mean) => ((49 * u64::from(mean) + u64::from(rank)) / 50) as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DropReason;
    use crate::buffer::detour::tests::made;
    use crate::testing::{StillQueues, data};

    const ENQUEUE: Verdict = Verdict::Enqueue { mark: false };
    const EARLY: Verdict = Verdict::Drop(DropReason::Early);

    fn ranked(rank: u32) -> Packet {
        let mut packet = data();
        packet.set_rank(rank);
        packet
    }

    fn ask(
        policy: &mut DistributionDeflection,
        port: u16,
        packet: &Packet,
        q: &mut StillQueues,
    ) -> Verdict {
        let want = q.want(port);
        policy.admit(packet, want, q, &mut Rng::from_seed(7))
    }

    fn mean(packets: u32, mean: u64) -> RankSum {
        RankSum {
            packets,
            sum: u64::from(packets) * mean,
        }
    }

    #[test]
    fn a_packet_of_the_mean_rank_may_use_all_but_the_tenth_of_0_632_and_one_of_three_times_that_of_0_95()
     {
        // 1 − 0.1·0.632 = 0.9368 and 1 − 0.1·0.950 = 0.9050 of 1000 packets.
        let sets = [("mark_at", "off")];
        for (rank, most) in [(0, 999), (10_000, 936), (30_000, 904), (u32::MAX, 900)] {
            for (held, verdict) in [(most, ENQUEUE), (most + 1, EARLY)] {
                let mut q = StillQueues::of(&[held.min(999)], 1000, &[]);
                q.ranks[0] = mean(held, 10_000);
                let expected = if rank == 0 { ENQUEUE } else { verdict };
                let said = ask(&mut made(&sets).unwrap(), 0, &ranked(rank), &mut q);
                assert_eq!(said, expected, "rank {rank} behind {held}");
            }
        }
    }

    #[test]
    fn the_drawn_queue_keeps_it_by_its_own_mean() {
        let mut q = StillQueues::of(&[950, 940], 1000, &[1]);
        (q.ranks[0], q.ranks[1]) = (mean(900, 10_000), mean(900, 10_000));
        let mut policy = made(&[("mark_at", "945 pkt")]).unwrap();
        assert_eq!(ask(&mut policy, 0, &ranked(10_000), &mut q), EARLY);
        q.ranks[1] = mean(900, 20_000);
        let detour = Verdict::Detour {
            port: PortId(1),
            mark: false,
        };
        assert_eq!(ask(&mut policy, 0, &ranked(10_000), &mut q), detour);
    }

    #[test]
    fn nothing_else_or_only_acknowledgements_there_have_a_mean_too() {
        assert_eq!(standing(5, RankSum::default()), RelativeRank::FIRST);
        assert_eq!(standing(0, mean(9, 5)), RelativeRank::FIRST);
        assert_eq!(standing(5, mean(9, 0)), RelativeRank::LAST);
        let unmarked = standing(u32::MAX, mean(9, u64::from(u32::MAX)));
        assert_eq!(unmarked.words(), "0.632");
    }

    #[test]
    fn the_moving_mean_begins_with_the_first_and_goes_on_by_a_fiftieth_at_each_port() {
        assert_eq!(moved(None, 700), 700);
        assert_eq!(moved(Some(1_000), 6_000), 1_100);
        assert_eq!(moved(Some(u32::MAX), u32::MAX), u32::MAX);
        let sets = [("mark_at", "off"), ("mean", "moving")];
        let mut policy: DistributionDeflection = made(&sets).unwrap();
        let mut q = StillQueues::of(&[95, 0, 95, 0, 0, 0], 100, &[]);
        // The first packet is kept: there is no rank to compare with.
        let said = [10, 10, 9_000].map(|rank| ask(&mut policy, 0, &ranked(rank), &mut q));
        assert_eq!(said, [ENQUEUE, EARLY, EARLY]);
        assert_eq!(ask(&mut policy, 2, &ranked(9_000), &mut q), ENQUEUE);
    }

    #[test]
    fn a_port_has_a_moving_mean_of_its_own() {
        let mut mean = Mean::Moving(vec![None; 2]);
        for rank in [10, 10, 9_000] {
            mean.see(&ranked(rank), PortId(0));
        }
        let of = |port| {
            mean.of(
                &ranked(189),
                PortId(port),
                &mut StillQueues::of(&[], 9, &[]),
            )
        };
        // (49·10 + 9000)/50 = 189
        assert_eq!(
            (of(0).words().as_str(), of(1)),
            ("0.632", RelativeRank::FIRST)
        );
    }
}
