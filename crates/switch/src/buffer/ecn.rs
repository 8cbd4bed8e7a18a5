//! ECN step marking: marks from a fixed queue length, drops packets that do not fit.
//!
//! **Decision**     enqueue if the packet fits, marked if the queue already holds `mark_at`; else drop.
//! **State**        none.
//! **Units**        `mark_at` in packets or bytes of the instantaneous queue.
//! **Errors**       none; refusals are counted as `full`.
//! **Source**       DCTCP (Alizadeh et al., SIGCOMM 2010, section 3.1).
//! **Deviations**   none known.

use super::{Buffer, DropReason, Verdict};
use crate::queues::reaches;
use crate::why::{self, SwitchSnapshot};
use crate::{Policy, Queues, Want};
use sidestep_types::{About, Packet, Refusal, Rng, Settings, Size};

/// Drop-tail policy with step marking.
#[derive(Clone, Debug, Settings)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ecn {
    /// mark when the queue already holds this much; 20 packets at 1 Gbps (DIBS section 5.3)
    #[setting(default = "20 pkt")]
    mark_at: Size,
}

impl Policy for Ecn {
    type Settings = Ecn;
    const ABOUT: About = About {
        name: "ecn",
        summary: "drop-tail with marking from a fixed queue length",
        source: "Alizadeh et al., SIGCOMM 2010 (DCTCP)",
    };

    fn build(settings: Ecn, _: u16, _: u64) -> Result<Ecn, Refusal> {
        Ok(settings)
    }
}

impl Buffer for Ecn {
    #[inline]
    fn admit(&mut self, _: &Packet, want: Want, _: &mut dyn Queues, _: &mut Rng) -> Verdict {
        if want.fits {
            let mark = reaches(want.depth, self.mark_at);
            Verdict::Enqueue { mark }
        } else {
            Verdict::Drop(DropReason::Full)
        }
    }

    fn marks_at(&self) -> Option<Size> {
        Some(self.mark_at)
    }

    fn why(&self, snapshot: &mut SwitchSnapshot<'_>, want: Want, verdict: Verdict) -> String {
        match verdict {
            Verdict::Enqueue { .. } => snapshot.step(want.depth, Some(self.mark_at)),
            other => why::verdict(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{StillQueues, data};

    #[test]
    fn the_mark_begins_when_the_queue_already_holds_the_threshold() {
        let mut ecn = Ecn {
            mark_at: Size::Packets(20),
        };
        let mut q = StillQueues::of(&[19, 20, 100], 100, &[]);
        let mut rng = Rng::from_seed(0);
        let mut said = |port| {
            let want = q.want(port);
            ecn.admit(&data(), want, &mut q, &mut rng)
        };
        assert_eq!(said(0), Verdict::Enqueue { mark: false });
        assert_eq!(said(1), Verdict::Enqueue { mark: true });
        assert_eq!(said(2), Verdict::Drop(DropReason::Full));
    }
}
