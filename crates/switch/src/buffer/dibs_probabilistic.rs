//! Probabilistic DIBS: the fuller the queue, the likelier a packet of a long flow is detoured.
//!
//! **Decision**     a packet that does not fit is detoured as by `dibs`, whatever its flow. A packet that
//!                  fits and is not favoured is detoured with a probability that rises with the
//!                  wanted queue, from 0 at `start` to 1 at `full`; it stays when no other port is open.
//! **State**        none. Up to two draws: one for the decision, one for the port.
//! **Units**        `start`, `full` both in packets or both in bytes, the packet on the wire
//!                  included; `favour` in bytes that the flow has left; `mark_at` in packets or bytes.
//! **Errors**       refusals are counted as `full`, or `detours` past `max_detours`; construction
//!                  refuses mixed units and a `start` that is not below `full`.
//! **Source**       Zarifis et al., EuroSys 2014, section 7, "Probabilistic detouring".
//! **Deviations**   the paper gives no numbers, and allows any number of priorities. *Assumed*: two
//!                  priorities, by what the packet's flow has left to send, which needs no settings at the
//!                  hosts; a linear rise; and that a favoured packet is never detoured early.

use super::detour::Detours;
use super::{Buffer, Verdict, dibs};
use crate::why::{SwitchSnapshot, bytes};
use crate::{Depth, Nature, Policy, Queues, Want};
use sidestep_types::{About, Bytes, Packet, Refusal, Rng, Settings, Size, scale};

/// Policy that detours by chance and rank.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DibsProbabilistic {
    common: Detours,
    favour: Bytes,
    line: Line,
}

/// Queue lengths at which early detours begin and at which they are certain.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Line {
    in_bytes: bool,
    start: u32,
    full: u32,
}

/// Settings of [`DibsProbabilistic`].
#[derive(Clone, Settings)]
pub struct ProbabilisticSettings {
    #[setting(flatten)]
    common: Detours,
    /// length of the wanted queue above which packets that are not favoured may be detoured; assumed: half the
    /// default capacity
    #[setting(default = "50 pkt")]
    start: Size,
    /// length of the wanted queue at which all of them are detoured; assumed: the default capacity
    #[setting(default = "100 pkt")]
    full: Size,
    /// packets of flows with at most this left to send, and acknowledgements, are favoured; assumed: the
    /// response of DIBS Table 1
    #[setting(default = "20 kB")]
    favour: Bytes,
}

impl Policy for DibsProbabilistic {
    type Settings = ProbabilisticSettings;
    const ABOUT: About = About {
        name: "dibs-probabilistic",
        summary: "detours packets of long flows early, more likely the fuller the queue",
        source: "Zarifis et al., EuroSys 2014 (DIBS), section 7",
    };
    const NATURE: Nature = Nature {
        ranks: true,
        draws: 2,
        ..Nature::DETOURS
    };

    fn build(
        settings: ProbabilisticSettings,
        _: u16,
        _: u64,
    ) -> Result<DibsProbabilistic, Refusal> {
        let (start, full, in_bytes) = match (settings.start, settings.full) {
            (Size::Packets(start), Size::Packets(full)) => (start, full, false),
            (Size::Bytes(start), Size::Bytes(full)) => (start.0, full.0, true),
            _ => {
                let both = "start and full must both be in packets or both in bytes";
                return Err(Refusal::about(&["start", "full"], both));
            }
        };
        if start >= full {
            let wrong = format!("start ({start}) must be below full ({full})");
            return Err(Refusal::about(&["start", "full"], wrong));
        }
        let narrow = |param, n: u64| {
            let wrong = || format!("{n} is more than a queue can hold");
            u32::try_from(n).map_err(|_| Refusal::about(&[param], wrong()))
        };
        Ok(DibsProbabilistic {
            common: settings.common,
            favour: settings.favour,
            line: Line {
                in_bytes,
                start: narrow("start", start)?,
                full: narrow("full", full)?,
            },
        })
    }
}

impl Buffer for DibsProbabilistic {
    #[inline(never)]
    fn admit(
        &mut self,
        pkt: &Packet,
        want: Want,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> Verdict {
        if !want.fits {
            return self.detour(pkt, queues, rng);
        }
        let favoured = u64::from(pkt.rank()) <= self.favour.0;
        if !favoured && self.line.begun(want.depth) && self.line.early(want.depth, rng.draw()) {
            return self.detour_early(pkt, want, queues, rng);
        }
        self.common.keep(want)
    }

    fn why(&self, snapshot: &mut SwitchSnapshot<'_>, want: Want, verdict: Verdict) -> String {
        let said = (self.common).why(snapshot, want, verdict, |_, open| dibs::drawn(open));
        if !want.fits {
            return said;
        }
        let Line { start, full, .. } = self.line;
        let held = self.line.of(want.depth);
        let left = u64::from(snapshot.packet.rank());
        let chance = match (left <= self.favour.0, self.line.begun(want.depth)) {
            (true, _) => format!(
                "it fits, and its flow has {} left, at most {} (favour): never detoured early",
                bytes(left),
                bytes(self.favour.0)
            ),
            (false, false) => format!("it fits, and {held} is not above start = {start}"),
            (false, true) => format!(
                "it fits, and is detoured early with probability ({held} - {start})/({full} - {start})"
            ),
        };
        format!("{chance}; {said}")
    }
}

impl DibsProbabilistic {
    #[inline(never)]
    fn detour(&self, pkt: &Packet, queues: &mut dyn Queues, rng: &mut Rng) -> Verdict {
        match self.common.open(pkt, queues) {
            Ok(open) => self.common.to(dibs::drawn_port(open, rng.draw()), queues),
            Err(reason) => Verdict::Drop(reason),
        }
    }

    /// Detours a packet that fits. A packet that may not be detoured, or for which no port is open, stays.
    #[inline(never)]
    fn detour_early(
        &self,
        pkt: &Packet,
        want: Want,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> Verdict {
        let Ok(mut open) = self.common.open(pkt, queues) else {
            return self.common.keep(want);
        };
        open.remove(want.port);
        match dibs::drawn_port(open, rng.draw()) {
            Some(port) => self.common.to(Some(port), queues),
            None => self.common.keep(want),
        }
    }
}

impl Line {
    fn of(self, depth: Depth) -> u32 {
        if self.in_bytes {
            depth.bytes
        } else {
            depth.packets
        }
    }

    /// Returns true if a packet is detoured early with a probability above 0. Otherwise no draw is needed.
    fn begun(self, depth: Depth) -> bool {
        self.of(depth) > self.start
    }

    /// Returns true with the probability `(depth - start) / (full - start)`, by one draw: pure and in integers.
    fn early(self, depth: Depth, draw: u32) -> bool {
        scale(draw, self.full - self.start) < self.of(depth) - self.start
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DropReason;
    use crate::buffer::detour::tests::{made, obeys_the_common_rules};
    use crate::testing::{StillQueues, data};

    #[test]
    fn it_obeys_the_rules_of_every_variant() {
        obeys_the_common_rules::<DibsProbabilistic>();
    }

    /// Returns how many of 10,000 packets of a flow with `left` bytes to send leave a queue of `packets`.
    fn detoured(packets: u32, left: u32) -> u32 {
        let mut policy: DibsProbabilistic = made(&[]).unwrap();
        let mut q = StillQueues::of(&[0, 0, 0, packets, 0, 0], 100, &[2, 3, 4, 5]);
        let mut rng = Rng::from_seed(11);
        let mut pkt = data();
        pkt.set_rank(left);
        let mut count = 0;
        for _ in 0..10_000 {
            let want = q.want(3);
            match policy.admit(&pkt, want, &mut q, &mut rng) {
                Verdict::Detour { port, .. } => {
                    assert!([2, 4, 5].contains(&port.0));
                    count += 1;
                }
                Verdict::Enqueue { .. } => {}
                other => panic!("{other:?}"),
            }
        }
        count
    }

    #[test]
    fn the_share_of_early_detours_rises_on_a_line_and_the_favoured_stay() {
        assert_eq!((detoured(50, 1_000_000), detoured(49, 1_000_000)), (0, 0));
        // Standard deviations: 30 and 50.
        assert!((880..1_120).contains(&detoured(55, 20_001)));
        assert!((4_800..5_200).contains(&detoured(75, 20_001)));
        assert_eq!((detoured(99, 20_000), detoured(99, 0)), (0, 0));
        assert_eq!((detoured(100, 0), detoured(100, 20_001)), (10_000, 10_000));
    }

    #[test]
    fn a_packet_that_fits_stays_where_nothing_else_is_open_or_allowed() {
        let mut policy: DibsProbabilistic =
            made(&[("max_detours", "2"), ("full", "60 pkt")]).unwrap();
        let mut rng = Rng::from_seed(1);
        let mut q = StillQueues::of(&[0, 0, 100, 80, 100, 100], 100, &[2, 3, 4, 5]);
        let mut pkt = data();
        pkt.set_rank(1_000_000);
        let want = q.want(3);
        assert_eq!(
            policy.admit(&pkt, want, &mut q, &mut rng),
            Verdict::Enqueue { mark: true }
        );
        let mut q = StillQueues::of(&[0, 0, 0, 80, 0, 100], 100, &[2, 3, 4, 5]);
        assert!(matches!(
            policy.admit(&pkt, want, &mut q, &mut rng),
            Verdict::Detour { .. }
        ));
        pkt.detours = 2;
        assert_eq!(
            policy.admit(&pkt, want, &mut q, &mut rng),
            Verdict::Enqueue { mark: true }
        );
        let want = q.want(5);
        assert_eq!(
            policy.admit(&pkt, want, &mut q, &mut rng),
            Verdict::Drop(DropReason::Detours)
        );
    }

    #[test]
    fn values_that_do_not_go_together_are_refused() {
        let said = |sets| made::<DibsProbabilistic>(sets).unwrap_err().to_string();
        assert!(said(&[("start", "30 kB")]).contains("both be in packets or both in bytes"));
        assert!(said(&[("start", "100 pkt")]).contains("start (100) must be below full (100)"));
    }
}
