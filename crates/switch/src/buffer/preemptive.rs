//! Common part of the policies that deflect packets before a queue is full: the condition and the choice of the
//! port.
//!
//! The policies differ in how they estimate the standing of a packet among others ([`RankEstimator`]).

use super::detour::Step;
use super::relative_rank::{RankEstimator, Share};
use super::threshold::{Threshold, ThresholdDecision};
use super::{DropReason, Verdict};
use crate::choices::{CHOICES, MOST, of_ports, shortest_drawn};
use crate::why::{SwitchSnapshot, both};
use crate::{Nature, Queues, Want};
use sidestep_types::{Packet, Refusal, Rng, Settings};

/// Settings of all these policies.
#[derive(Clone, Settings)]
pub struct Common {
    #[setting(flatten)]
    step: Step,
    /// share of a queue that the least urgent packets leave free (0.1 in the simulator of PACMNET 2023)
    #[setting(default = "0.1")]
    alpha: Share,
    /// ports drawn for each deflected packet, 1 to 4 (two in PACMNET 2023)
    #[setting(default = "2", range = CHOICES)]
    choices: u8,
}

/// Nature of all these policies.
pub(super) const NATURE: Nature = Nature {
    detours: true,
    reorders: true,
    ranks: true,
    draws: MOST as u32,
    remembers: true,
    answers: &["enqueue", "detour", "full", "early"],
    ..Nature::PLAIN
};

/// Policy that deflects packets by their standing.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Preemptive<S> {
    step: Step,
    choices: u8,
    threshold: Threshold<S>,
    /// Last decisions of the wanted queue and of the drawn one, only for [`Preemptive::why`].
    said: Option<(ThresholdDecision, Option<ThresholdDecision>)>,
}

impl<S: RankEstimator> Preemptive<S> {
    /// Creates the policy for a switch with `ports` ports.
    pub fn build(settings: Common, ports: u16, standings: S) -> Result<Preemptive<S>, Refusal> {
        let Share { above, below } = settings.alpha;
        Ok(Preemptive {
            step: settings.step,
            choices: of_ports(settings.choices, ports)?,
            threshold: Threshold::new((above, below), standings),
            said: None,
        })
    }

    /// Returns the verdict on a packet.
    pub fn admit(
        &mut self,
        pkt: &Packet,
        want: Want,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> Verdict {
        let wanted = self.threshold.judge(pkt, want, queues);
        self.said = Some((wanted, None));
        if wanted.kept {
            let mark = self.step.marks(want.depth);
            return Verdict::Enqueue { mark };
        }
        let drawn = self.ask_another(pkt, want, queues, rng);
        self.said = Some((wanted, drawn));
        match drawn {
            Some(drawn) if drawn.kept => Verdict::Detour {
                port: drawn.port,
                mark: self.step.marks(drawn.depth),
            },
            _ if want.fits => Verdict::Drop(DropReason::Early),
            _ => Verdict::Drop(DropReason::Full),
        }
    }

    /// Returns the decision of the shortest drawn queue. Skips the wanted queue, which has just refused the
    /// packet.
    fn ask_another(
        &mut self,
        pkt: &Packet,
        want: Want,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> Option<ThresholdDecision> {
        let (port, depth) = shortest_drawn(rng, self.choices, queues.to_switch(), queues)?;
        if port == want.port {
            return None;
        }
        let fits = queues.would_fit(pkt, depth);
        Some(
            self.threshold
                .judge(pkt, Want { port, depth, fits }, queues),
        )
    }

    /// Explains the verdict on the last packet.
    pub fn why(&self, snapshot: &mut SwitchSnapshot<'_>, verdict: Verdict) -> String {
        let (wanted, drawn) = self.said.expect("a packet was decided about");
        let there = self.threshold.why(wanted);
        if wanted.kept {
            return format!(
                "{there}; {}",
                snapshot.step(wanted.depth, self.step.mark_at)
            );
        }
        let ports = snapshot.queues.to_switch().len();
        if ports == 0 {
            return format!("{there}, and no port leads to a switch");
        }
        let of = format!(
            "{there}; among {} drawn of the {ports} ports to a switch,",
            ports.min(u32::from(self.choices))
        );
        let Some(drawn) = drawn else {
            return format!("{of} the wanted port has the shortest queue");
        };
        let mark = match verdict {
            Verdict::Detour { .. } => {
                format!("; {}", snapshot.step(drawn.depth, self.step.mark_at))
            }
            _ => String::new(),
        };
        format!(
            "{of} {} has the shortest queue, with {}: {}{mark}",
            (snapshot.name)(drawn.port),
            both(drawn.depth),
            self.threshold.why(drawn)
        )
    }
}
