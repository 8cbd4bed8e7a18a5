//! What the policies have in common that deflect packets before a queue is full: when, and where to.
//!
//! They differ in how they tell where a packet stands among others ([`Standings`]).

use super::detour::Step;
use super::standing::{Share, Standings};
use super::threshold::{Judged, Threshold};
use super::{DropReason, Verdict};
use crate::choices::{CHOICES, MOST, of_ports, shortest_drawn};
use crate::why::{Scene, both};
use crate::{Nature, Queues, Want};
use sidestep_types::{Packet, Refusal, Rng, Settings};

/// What can be set about all of them.
#[derive(Clone, Settings)]
pub struct Common {
    #[setting(flatten)]
    step: Step,
    /// share of a queue that the least urgent packets leave free (0.1 in the simulator of PACMNET 2023)
    #[setting(default = "0.1")]
    alpha: Share,
    /// ports drawn for each packet that is deflected, 1 to 4 (two in PACMNET 2023)
    #[setting(default = "2", range = CHOICES)]
    choices: u8,
}

/// What holds for all of them.
pub(super) const NATURE: Nature = Nature {
    detours: true,
    reorders: true,
    ranks: true,
    draws: MOST as u32,
    remembers: true,
    answers: &["enqueue", "detour", "full", "early"],
    ..Nature::PLAIN
};

/// A policy that deflects by where packets stand.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Preemptive<S> {
    step: Step,
    choices: u8,
    threshold: Threshold<S>,
    /// What the wanted queue and the drawn one said last: for [`Preemptive::why`] alone.
    said: Option<(Judged, Option<Judged>)>,
}

impl<S: Standings> Preemptive<S> {
    /// For a switch with `ports` ports.
    pub fn build(settings: Common, ports: u16, standings: S) -> Result<Preemptive<S>, Refusal> {
        let Share { above, below } = settings.alpha;
        Ok(Preemptive {
            step: settings.step,
            choices: of_ports(settings.choices, ports)?,
            threshold: Threshold::new((above, below), standings),
            said: None,
        })
    }

    /// The verdict on a packet.
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

    /// What the shorter of the drawn queues says. The one that has just refused the packet is not asked again.
    fn ask_another(
        &mut self,
        pkt: &Packet,
        want: Want,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> Option<Judged> {
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

    /// Why the last packet got its verdict.
    pub fn why(&self, scene: &mut Scene<'_>, verdict: Verdict) -> String {
        let (wanted, drawn) = self.said.expect("a packet was decided about");
        let there = self.threshold.why(wanted);
        if wanted.kept {
            return format!("{there}; {}", scene.step(wanted.depth, self.step.mark_at));
        }
        let ports = scene.queues.to_switch().len();
        if ports == 0 {
            return format!("{there}, and no port leads to a switch");
        }
        let of = format!(
            "{there}; of {} of the {ports} ports to a switch, drawn,",
            ports.min(u32::from(self.choices))
        );
        let Some(drawn) = drawn else {
            return format!("{of} that is the shorter queue");
        };
        let mark = match verdict {
            Verdict::Detour { .. } => format!("; {}", scene.step(drawn.depth, self.step.mark_at)),
            _ => String::new(),
        };
        format!(
            "{of} {} has the shorter queue, with {}: {}{mark}",
            (scene.name)(drawn.port),
            both(drawn.depth),
            self.threshold.why(drawn)
        )
    }
}
