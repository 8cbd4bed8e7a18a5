//! Drop-tail: a packet that does not fit is dropped.
//!
//! **Decision**     the wanted port if the packet fits, else drop.
//! **State**        none.
//! **Units**        queue limits are the switch's own, in packets or bytes.
//! **Errors**       none; refusals are counted as `full`.
//! **Source**       the plain router; the baseline of every paper here.
//! **Deviations**   none.

use super::{Buffer, DropReason, Verdict};
use crate::{NEVER, Nature, Policy, Queues, Want};
use sidestep_types::{About, Packet, Refusal, Rng, Size};

/// Drop-tail policy.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DropTail;

impl Policy for DropTail {
    type Settings = ();
    const ABOUT: About = About {
        name: "droptail",
        summary: "enqueues packets that fit, drops the others, marks none",
        source: "the plain router",
    };
    const NATURE: Nature = Nature {
        marks: false,
        ..Nature::PLAIN
    };

    fn build(_: (), _: u16, _: u64) -> Result<DropTail, Refusal> {
        Ok(DropTail)
    }
}

impl Buffer for DropTail {
    #[inline]
    fn admit(&mut self, _: &Packet, want: Want, _: &mut dyn Queues, _: &mut Rng) -> Verdict {
        if want.fits {
            Verdict::Enqueue { mark: false }
        } else {
            Verdict::Drop(DropReason::Full)
        }
    }

    fn marks_at(&self) -> Option<Size> {
        Some(NEVER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{StillQueues, data};

    #[test]
    fn the_packet_past_the_limit_is_dropped() {
        let mut q = StillQueues::of(&[99, 100], 100, &[]);
        let mut rng = Rng::from_seed(0);
        let (room, full) = (q.want(0), q.want(1));
        let verdict = DropTail.admit(&data(), room, &mut q, &mut rng);
        assert_eq!(verdict, Verdict::Enqueue { mark: false });
        let verdict = DropTail.admit(&data(), full, &mut q, &mut rng);
        assert_eq!(verdict, Verdict::Drop(DropReason::Full));
    }
}
