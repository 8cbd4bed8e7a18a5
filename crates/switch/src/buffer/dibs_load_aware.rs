//! Load-aware DIBS: detours go to the neighbour with the shortest queue.
//!
//! **Decision**     the wanted port if the packet fits, else the port with the fewest bytes queued among
//!                  those that lead to a switch and have room; a draw breaks ties. Else drop.
//! **State**        none. Reads the queues of the candidate ports; costs one draw per packet that does not fit.
//! **Units**        bytes of buffer, the packet on the wire included; `mark_at` in packets or bytes.
//! **Errors**       refusals are counted as `full`, or `detours` past `max_detours`.
//! **Source**       Zarifis et al., EuroSys 2014, section 7, "Load-aware detouring".
//! **Deviations**   the paper says "lowest current buffer usage" and nothing about ties: *assumed*
//!                  that bytes are meant, and that a draw decides.

use super::detour::Detours;
use super::{Buffer, Verdict};
use crate::why::SwitchSnapshot;
use crate::{NEVER, Nature, Policy, Queues, Want};
use sidestep_types::{About, Packet, PortId, PortSet, Refusal, Rng, Size, scale};

/// Policy that detours to the neighbour with the shortest queue.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DibsLoadAware(Detours);

impl Policy for DibsLoadAware {
    type Settings = Detours;
    const ABOUT: About = About {
        name: "dibs-load-aware",
        summary: "detours packets that do not fit to the switch-facing port with the shortest queue",
        source: "Zarifis et al., EuroSys 2014 (DIBS), section 7",
    };
    const NATURE: Nature = Nature {
        draws: 1,
        ..Nature::DETOURS
    };

    fn build(settings: Detours, _: u16, _: u64) -> Result<DibsLoadAware, Refusal> {
        Ok(DibsLoadAware(settings))
    }
}

impl Buffer for DibsLoadAware {
    #[inline(never)]
    fn admit(
        &mut self,
        pkt: &Packet,
        want: Want,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> Verdict {
        if want.fits {
            return self.0.keep(want);
        }
        self.detour(pkt, queues, rng)
    }

    fn marks_at(&self) -> Option<Size> {
        Some(self.0.step.mark_at.unwrap_or(NEVER))
    }

    fn why(&self, snapshot: &mut SwitchSnapshot<'_>, want: Want, verdict: Verdict) -> String {
        let how = |snapshot: &mut SwitchSnapshot<'_>, open: PortSet| {
            let depths = snapshot.depths(open.iter());
            format!("the shortest queue, ties broken by a draw: {depths}")
        };
        (self.0).why(snapshot, want, verdict, how)
    }
}

impl DibsLoadAware {
    #[inline(never)]
    fn detour(&self, pkt: &Packet, queues: &mut dyn Queues, rng: &mut Rng) -> Verdict {
        match self.0.open(pkt, queues) {
            Ok(open) => {
                let port = pick(open, |port| queues.depth(port).bytes, rng.draw());
                self.0.to(port, queues)
            }
            Err(reason) => Verdict::Drop(reason),
        }
    }
}

/// Returns the port of `open` with the fewest `bytes`; among several, the `scale(draw)`-th.
pub fn pick(open: PortSet, mut bytes: impl FnMut(PortId) -> u32, draw: u32) -> Option<PortId> {
    let mut least = u32::MAX;
    let mut emptiest = PortSet::EMPTY;
    for port in open.iter() {
        let here = bytes(port);
        if here < least {
            (least, emptiest) = (here, PortSet::EMPTY);
        }
        if here == least {
            emptiest.insert(port);
        }
    }
    emptiest.nth(scale(draw, emptiest.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::detour::tests::{made, obeys_the_common_rules, six_ports};
    use crate::testing::{StillQueues, data};

    #[test]
    fn it_obeys_the_rules_of_every_variant() {
        obeys_the_common_rules::<DibsLoadAware>();
    }

    #[test]
    fn the_emptiest_neighbour_takes_it_and_ties_are_fair() {
        let mut policy: DibsLoadAware = made(&[]).unwrap();
        let mut rng = Rng::from_seed(3);
        let mut q = six_ports();
        for _ in 0..50 {
            let want = q.want(0);
            let verdict = policy.admit(&data(), want, &mut q, &mut rng);
            assert_eq!(
                verdict,
                Verdict::Detour {
                    port: PortId(5),
                    mark: true
                },
                "port 1 is as empty, but leads to a host"
            );
        }
        let mut q = StillQueues::of(&[100, 0, 7, 100, 7, 8], 100, &[2, 3, 4, 5]);
        let mut seen = [0u32; 6];
        for _ in 0..2_000 {
            let want = q.want(0);
            match policy.admit(&data(), want, &mut q, &mut rng) {
                Verdict::Detour { port: p, .. } => seen[p.index()] += 1,
                other => panic!("{other:?}"),
            }
        }
        // Expected: 1000 each, with a standard deviation of 22.
        assert!(
            seen[2] + seen[4] == 2_000 && (890..1110).contains(&seen[2]),
            "{seen:?}"
        );
    }

    proptest::proptest! {
        #[test]
        fn no_open_port_holds_less_than_the_pick(
            open: u16, bytes in proptest::collection::vec(0u32..4, 16), draw: u32,
        ) {
            let open: PortSet = (0..16).filter(|p| open >> p & 1 == 1).map(PortId).collect();
            match pick(open, |p| bytes[p.index()], draw) {
                Some(p) => {
                    let least = open.iter().map(|p| bytes[p.index()]).min();
                    proptest::prop_assert!(open.has(p) && Some(bytes[p.index()]) == least);
                }
                None => proptest::prop_assert!(open.is_empty()),
            }
        }
    }
}
