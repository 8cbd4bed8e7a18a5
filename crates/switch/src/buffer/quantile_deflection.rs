//! Quantile Preemptive Deflection: a packet that ranks worse than most recent packets is passed on before the
//! queue is full.
//!
//! **Decision**     R is the share of the last `window` sampled ranks of the queue that are smaller than the
//!                  packet's. The wanted port while its queue holds at most `(1 − alpha·R)` of its capacity. If
//!                  not, the shortest queue of `choices` randomly drawn ports to a switch, if that queue keeps
//!                  the packet by the same rule and its own window; else drop.
//! **State**        the last `window` sampled ranks of each queue: one of every `sample` packets for which the
//!                  queue is considered, kept or not. `choices` draws for each packet that is not kept.
//! **Units**        ranks ([`Packet::rank`]); occupancy in the unit of the capacity; `mark_at` in packets or
//!                  bytes.
//! **Errors**       `full` if the wanted queue had no room, else `early`; construction refuses an `alpha` above
//!                  1, and a `window`, `sample` or `choices` of 0 or too large.
//! **Source**       Abdous et al., PACMNET 2023 (Practical Packet Deflection in Datacenters), and its public
//!                  simulator.
//! **Deviations**   the simulator queries both drawn ports and takes the shorter of those that keep the packet;
//!                  a full queue samples here too. A packet is sampled after its own R is computed, as in the
//!                  simulator. The port that it came in by is among those drawn, as there; the wanted port too,
//!                  which never keeps it.

use super::preemptive::{self, Common, Preemptive};
use super::quantile::{MOST, WindowSize, Windows};
use super::{Buffer, Verdict};
use crate::why::SwitchSnapshot;
use crate::{Nature, Policy, Queues, Want};
use sidestep_types::{About, Packet, Refusal, Rng, Settings};

/// Policy that deflects by quantile.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct QuantileDeflection(Preemptive<Windows>);

/// Settings of [`QuantileDeflection`].
#[derive(Clone, Settings)]
pub struct QuantileSettings {
    #[setting(flatten)]
    common: Common,
    #[setting(flatten)]
    window: WindowSize,
    /// sampling interval: one of this many packets is sampled, 1 to 1000 (20 in the simulator of PACMNET 2023)
    #[setting(default = "20", range = 1..=MOST)]
    sample: u32,
}

impl Policy for QuantileDeflection {
    type Settings = QuantileSettings;
    const ABOUT: About = About {
        name: "quantile-deflection",
        summary: "deflects packets that rank worse than most recent ones before the queue is full; \
                  works with a plain FIFO",
        source: "Abdous et al., PACMNET 2023 (Practical Packet Deflection in Datacenters)",
    };
    const NATURE: Nature = preemptive::NATURE;

    fn build(
        settings: QuantileSettings,
        ports: u16,
        _: u64,
    ) -> Result<QuantileDeflection, Refusal> {
        let windows = Windows::new(settings.window, settings.sample, ports);
        Preemptive::build(settings.common, ports, windows).map(QuantileDeflection)
    }
}

impl Buffer for QuantileDeflection {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DropReason;
    use crate::buffer::detour::tests::made;
    use crate::testing::{StillQueues, data};
    use sidestep_types::PortId;

    const EARLY: Verdict = Verdict::Drop(DropReason::Early);
    const FULL: Verdict = Verdict::Drop(DropReason::Full);

    fn ranked(rank: u32) -> Packet {
        let mut packet = data();
        packet.set_rank(rank);
        packet
    }

    /// Creates a policy that samples every packet, with four places, and does not mark.
    fn policy(sets: &[(&str, &str)]) -> QuantileDeflection {
        let usual = [("window", "4"), ("sample", "1"), ("mark_at", "off")];
        made(&[&usual, sets].concat()).unwrap()
    }

    fn ask(policy: &mut QuantileDeflection, port: u16, rank: u32, q: &mut StillQueues) -> Verdict {
        let want = q.want(port);
        policy.admit(&ranked(rank), want, q, &mut Rng::from_seed(7))
    }

    /// Lets the queue of `port` sample these ranks while it is empty.
    fn sampled(policy: &mut QuantileDeflection, port: u16, ranks: [u32; 4]) {
        let mut empty = StillQueues::of(&[0; 6], 100, &[]);
        for rank in ranks {
            let kept = ask(policy, port, rank, &mut empty);
            assert_eq!(kept, Verdict::Enqueue { mark: false });
        }
    }

    #[test]
    fn what_ranks_worse_than_the_window_leaves_the_tenth_free_and_what_ranks_better_does_not() {
        // With four places and alpha 0.1 the thresholds are 100, 97.5, 95, 92.5 and 90 of 100.
        for (rank, most) in [(10, 100), (11, 97), (21, 95), (31, 92), (41, 90)] {
            for held in [89, 90, 91, 92, 93, 95, 96, 97, 98, 99, 100] {
                let mut policy = policy(&[]);
                sampled(&mut policy, 0, [10, 20, 30, 40]);
                let mut q = StillQueues::of(&[held, 0], 100, &[1]);
                let verdict = ask(&mut policy, 0, rank, &mut q);
                let expected = match held <= most && held < 100 {
                    true => Verdict::Enqueue { mark: false },
                    false => Verdict::Detour {
                        port: PortId(1),
                        mark: false,
                    },
                };
                assert_eq!(verdict, expected, "rank {rank} behind {held}");
            }
        }
    }

    #[test]
    fn the_drawn_queue_keeps_it_by_its_own_window_or_it_is_dropped() {
        let asked = |held: [u32; 2], there: [u32; 4]| {
            let mut policy = policy(&[]);
            sampled(&mut policy, 0, [10, 20, 30, 40]);
            sampled(&mut policy, 1, there);
            let mut q = StillQueues::of(&held, 100, &[1]);
            ask(&mut policy, 0, 50, &mut q)
        };
        let detour = Verdict::Detour {
            port: PortId(1),
            mark: false,
        };
        assert_eq!(asked([95, 95], [50, 60, 70, 80]), detour);
        assert_eq!(asked([95, 95], [49, 49, 70, 80]), detour);
        assert_eq!(asked([95, 95], [49, 49, 49, 80]), EARLY);
        assert_eq!(asked([95, 100], [50, 60, 70, 80]), EARLY);
        assert_eq!(asked([100, 95], [49, 49, 49, 80]), FULL);
        assert_eq!(asked([100, 90], [1, 1, 1, 1]), detour);
    }

    #[test]
    fn every_queue_that_is_asked_samples_whatever_becomes_of_the_packet() {
        let mut policy = policy(&[("alpha", "1")]);
        let mut q = StillQueues::of(&[100, 100], 100, &[1]);
        for rank in [5, 6, 7, 8] {
            assert_eq!(ask(&mut policy, 0, rank, &mut q), FULL);
        }
        // Both queues have sampled four ranks: with alpha 1 a packet behind them all needs an empty queue.
        let mut q = StillQueues::of(&[1, 1, 0], 100, &[1]);
        assert_eq!(ask(&mut policy, 0, 9, &mut q), EARLY);
        assert_eq!(
            ask(&mut policy, 2, 9, &mut q),
            Verdict::Enqueue { mark: false }
        );
    }

    #[test]
    fn without_a_port_to_a_switch_or_with_the_wanted_one_alone_it_is_dropped() {
        for to_switch in [&[][..], &[0]] {
            let mut policy = policy(&[("choices", "1")]);
            sampled(&mut policy, 0, [1, 1, 1, 1]);
            // A second query of the wanted queue, with this packet in the window, would keep it behind 92.
            let mut q = StillQueues::of(&[92, 0], 100, to_switch);
            assert_eq!(ask(&mut policy, 0, 9, &mut q), EARLY);
            assert_eq!(
                ask(&mut policy, 0, 9, &mut q),
                Verdict::Enqueue { mark: false }
            );
        }
    }

    #[test]
    fn in_bytes_bytes_are_held_against_the_capacity_and_without_a_limit_all_is_kept() {
        let mut policy = policy(&[]);
        sampled(&mut policy, 0, [1, 1, 1, 1]);
        let mut q = StillQueues::of(&[91, 0], 100, &[1]);
        q.capacity = crate::Capacity::PerPort("200 kB".parse_size());
        assert_eq!(
            ask(&mut policy, 0, 9, &mut q),
            Verdict::Enqueue { mark: false }
        );
        q.capacity = crate::Capacity::PerPort("147 kB".parse_size());
        assert!(matches!(
            ask(&mut policy, 0, 9, &mut q),
            Verdict::Detour { .. }
        ));
        q.capacity = crate::Capacity::Unlimited;
        assert_eq!(
            ask(&mut policy, 0, 9, &mut q),
            Verdict::Enqueue { mark: false }
        );
    }

    trait ParseSize {
        fn parse_size(&self) -> sidestep_types::Size;
    }

    impl ParseSize for str {
        fn parse_size(&self) -> sidestep_types::Size {
            sidestep_types::parse_size(self).unwrap()
        }
    }

    #[test]
    fn it_is_marked_by_the_queue_that_it_joins() {
        let mut policy = policy(&[("mark_at", "20 pkt")]);
        let mut q = StillQueues::of(&[100, 20, 19, 100], 100, &[1]);
        let detour = |port, mark| Verdict::Detour {
            port: PortId(port),
            mark,
        };
        assert_eq!(ask(&mut policy, 0, 9, &mut q), detour(1, true));
        let mut q = StillQueues::of(&[100, 20, 19, 100], 100, &[2]);
        assert_eq!(ask(&mut policy, 3, 9, &mut q), detour(2, false));
        assert_eq!(
            ask(&mut policy, 1, 9, &mut q),
            Verdict::Enqueue { mark: true }
        );
    }

    #[test]
    fn fractions_above_one_and_no_choices_are_refused() {
        let said = |set| made::<QuantileDeflection>(&[set]).unwrap_err().to_string();
        assert_eq!(said(("alpha", "1.5")), "alpha must be at most 1, got 15/10");
        assert!(
            said(("alpha", "1/5000000000"))
                .contains("two 32-bit numbers, or a decimal of at most 9 digits, got 1/5000000000")
        );
        assert!(said(("choices", "0")).contains("must be from 1 to 4, got 0"));
    }

    #[test]
    fn a_window_or_a_sample_of_none_or_of_too_many_is_refused() {
        let said = |set| made::<QuantileDeflection>(&[set]).unwrap_err().to_string();
        assert_eq!(
            said(("window", "0")),
            "window must be from 1 to 1000, got 0"
        );
        assert_eq!(
            said(("sample", "1001")),
            "sample must be from 1 to 1000, got 1001"
        );
    }
}
