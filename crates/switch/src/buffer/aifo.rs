//! AIFO: a FIFO queue drops packets early that rank worse than most of the latest packets.
//!
//! **Decision**     the wanted port while the share of the last `window` sampled ranks that are smaller than
//!                  the packet's is at most `1/(1 − k)` times the free share of the queue; else drop.
//! **State**        the last `window` sampled ranks of each queue: one of every `sample` packets that want it,
//!                  kept or not.
//! **Units**        ranks ([`Packet::rank`]); occupancy in the unit of the capacity; `mark_at` in packets or
//!                  bytes.
//! **Errors**       `full` for packets that do not fit, else `early`; construction refuses a `k` of 1 or more,
//!                  and a `window` or `sample` of 0 or above 1000.
//! **Source**       Yu et al., SIGCOMM 2021 (Programmable Packet Scheduling with a Single Queue), with the
//!                  numbers of the simulator of Abdous et al., PACMNET 2023, for which it is a baseline.
//! **Deviations**   a packet is sampled after its own share is computed, and an empty place counts as no
//!                  better, as in that simulator.

use super::detour::Step;
use super::quantile::{MOST, WindowSize, Windows};
use super::relative_rank::Share;
use super::threshold::{Threshold, ThresholdDecision};
use super::{Buffer, DropReason, Verdict};
use crate::why::SwitchSnapshot;
use crate::{Nature, Policy, Queues, Want};
use sidestep_types::{About, Packet, Refusal, Rng, Settings};

/// Policy that admits by quantile.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Aifo {
    step: Step,
    threshold: Threshold<Windows>,
    /// Last decision of the queue, only for [`Buffer::why`].
    said: Option<ThresholdDecision>,
}

/// Settings of [`Aifo`].
#[derive(Clone, Settings)]
pub struct AifoSettings {
    #[setting(flatten)]
    step: Step,
    /// share of the queue up to which every packet is admitted (PACMNET 2023)
    #[setting(default = "0.1")]
    k: Share,
    #[setting(flatten)]
    window: WindowSize,
    /// sampling interval: one of this many packets is sampled, 1 to 1000 (15 in the simulator of PACMNET 2023)
    #[setting(default = "15", range = 1..=MOST)]
    sample: u32,
}

impl Policy for Aifo {
    type Settings = AifoSettings;
    const ABOUT: About = About {
        name: "aifo",
        summary: "drops packets early that rank worse than most recent ones; works with a plain \
                  FIFO",
        source: "Yu et al., SIGCOMM 2021 (AIFO)",
    };
    const NATURE: Nature = Nature {
        ranks: true,
        remembers: true,
        answers: &["enqueue", "full", "early"],
        ..Nature::PLAIN
    };

    fn build(settings: AifoSettings, ports: u16, _: u64) -> Result<Aifo, Refusal> {
        let Share { above, below } = settings.k;
        if above == below {
            let refusal = Refusal::of("k", "must be below 1: at 1 no packet is ever dropped early");
            return Err(refusal.got(format!("{above}/{below}")));
        }
        let windows = Windows::new(settings.window, settings.sample, ports);
        Ok(Aifo {
            step: settings.step,
            threshold: Threshold::new((below - above, below), windows),
            said: None,
        })
    }
}

impl Buffer for Aifo {
    #[inline(never)]
    fn admit(&mut self, pkt: &Packet, want: Want, queues: &mut dyn Queues, _: &mut Rng) -> Verdict {
        let judged = self.threshold.judge(pkt, want, queues);
        self.said = Some(judged);
        if judged.kept {
            let mark = self.step.marks(want.depth);
            return Verdict::Enqueue { mark };
        }
        Verdict::Drop(match want.fits {
            true => DropReason::Early,
            false => DropReason::Full,
        })
    }

    fn why(&self, snapshot: &mut SwitchSnapshot<'_>, want: Want, verdict: Verdict) -> String {
        let judged = self.said.expect("a packet was decided about");
        let there = self.threshold.why(judged);
        match verdict {
            Verdict::Enqueue { .. } => {
                format!("{there}; {}", snapshot.step(want.depth, self.step.mark_at))
            }
            _ => there,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::detour::tests::made;
    use crate::testing::{StillQueues, data};

    /// Returns the verdict on a packet at a queue of at most 100 packets.
    fn ask(policy: &mut Aifo, rank: u32, held: u32) -> Verdict {
        let mut packet = data();
        packet.set_rank(rank);
        let mut q = StillQueues::of(&[held], 100, &[]);
        let want = q.want(0);
        policy.admit(&packet, want, &mut q, &mut Rng::from_seed(1))
    }

    fn policy(sets: &[(&str, &str)]) -> Aifo {
        let usual = [("window", "4"), ("sample", "1"), ("mark_at", "off")];
        let mut policy = made(&[&usual, sets].concat()).unwrap();
        for rank in [10, 20, 30, 40] {
            ask(&mut policy, rank, 0);
        }
        policy
    }

    #[test]
    fn the_worse_a_packet_ranks_the_more_of_the_queue_must_be_free() {
        // A packet ranked behind a share q of the window is admitted while at least 0.9·q of the queue is free:
        // up to 100, 77.5, 55, 32.5 and 10 of 100 held.
        for (rank, most) in [(10, 99), (11, 77), (21, 55), (31, 32), (41, 10)] {
            for held in [0, 9, 10, 11, 32, 33, 55, 56, 77, 78, 99] {
                let expected = match held <= most {
                    true => Verdict::Enqueue { mark: false },
                    false => Verdict::Drop(DropReason::Early),
                };
                let verdict = ask(&mut policy(&[]), rank, held);
                assert_eq!(verdict, expected, "rank {rank} behind {held}");
            }
        }
        let full = ask(&mut policy(&[]), 0, 100);
        assert_eq!(full, Verdict::Drop(DropReason::Full));
    }

    #[test]
    fn what_is_dropped_is_sampled_too() {
        let mut policy = policy(&[]);
        for _ in 0..2 {
            let dropped = ask(&mut policy, 50, 100);
            assert_eq!(dropped, Verdict::Drop(DropReason::Full));
        }
        // Window 30, 40, 50, 50: half of it is smaller.
        let join = Verdict::Enqueue { mark: false };
        assert_eq!(ask(&mut policy, 50, 55), join);
        // Window 40, 50, 50, 50.
        assert_eq!(ask(&mut policy, 50, 56), join);
    }

    #[test]
    fn it_marks_as_its_neighbours_do() {
        let mut marking = policy(&[("mark_at", "5 pkt")]);
        let said = [4, 5].map(|held| ask(&mut marking, 0, held));
        assert_eq!(said, [false, true].map(|mark| Verdict::Enqueue { mark }));
    }

    #[test]
    fn a_k_that_lets_everything_in_is_refused() {
        for (k, words) in [("1", "k must be below 1"), ("1.5", "k must be at most 1")] {
            let refused = made::<Aifo>(&[("k", k)]).unwrap_err().to_string();
            assert!(refused.contains(words), "{refused}");
        }
    }
}
