//! First-open DIBS: the cheapest detour in hardware, one rotating priority encoder.
//!
//! **Decision**     the wanted port if the packet fits, else the first port that leads to a switch
//!                  and has room, counting upwards cyclically from a drawn port; else drop.
//! **State**        the number of ports. One draw per packet that does not fit.
//! **Units**        queue limits are the switch's own; `mark_at` in packets or bytes.
//! **Errors**       refusals are counted as `full`, or `detours` past `max_detours`.
//! **Source**       a cheaper form of Zarifis et al., EuroSys 2014, section 2; *assumed*. Simple Deflection of
//!                  Abdous et al., PACMNET 2023, which marks by queues alone (`mark_detours = false`).
//! **Deviations**   not uniform: an open port behind closed ports, or behind ports to hosts, is found from
//!                  each of them, and so gets their share as well.

use super::detour::Detours;
use super::{Buffer, Verdict};
use crate::why::SwitchSnapshot;
use crate::{NEVER, Nature, Policy, Queues, Want};
use sidestep_types::{About, Packet, PortId, PortSet, Refusal, Rng, Size, scale};

/// Policy that detours to the next open port.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DibsFirstOpen {
    common: Detours,
    ports: u16,
}

impl Policy for DibsFirstOpen {
    type Settings = Detours;
    const ABOUT: About = About {
        name: "dibs-first-open",
        summary: "detours packets that do not fit to the next switch-facing port with room, from a \
                  random one on",
        source: "a cheaper form of Zarifis et al., EuroSys 2014 (DIBS)",
    };
    const NATURE: Nature = Nature {
        draws: 1,
        ..Nature::DETOURS
    };

    fn build(common: Detours, ports: u16, _: u64) -> Result<DibsFirstOpen, Refusal> {
        Ok(DibsFirstOpen { common, ports })
    }
}

impl Buffer for DibsFirstOpen {
    #[inline(never)]
    fn admit(
        &mut self,
        pkt: &Packet,
        want: Want,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> Verdict {
        if want.fits {
            return self.common.keep(want);
        }
        self.detour(pkt, queues, rng)
    }

    fn marks_at(&self) -> Option<Size> {
        Some(self.common.step.mark_at.unwrap_or(NEVER))
    }

    fn why(&self, snapshot: &mut SwitchSnapshot<'_>, want: Want, verdict: Verdict) -> String {
        let ports = self.ports;
        let how = |_: &mut SwitchSnapshot<'_>, _| {
            format!(
                "the first with room, counting up cyclically from a port drawn among all {ports}"
            )
        };
        self.common.why(snapshot, want, verdict, how)
    }
}

impl DibsFirstOpen {
    #[inline(never)]
    fn detour(&self, pkt: &Packet, queues: &mut dyn Queues, rng: &mut Rng) -> Verdict {
        match self.common.open(pkt, queues) {
            Ok(open) => self.common.to(pick(open, self.ports, rng.draw()), queues),
            Err(reason) => Verdict::Drop(reason),
        }
    }
}

/// Returns the first port of `open` from the `scale(draw)`-th of all `ports` on, cyclically.
pub fn pick(open: PortSet, ports: u16, draw: u32) -> Option<PortId> {
    let start = PortId(scale(draw, u32::from(ports)) as u16);
    open.iter()
        .find(|port| *port >= start)
        .or_else(|| open.nth(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::detour::tests::{made, obeys_the_common_rules, six_ports};
    use crate::testing::data;

    #[test]
    fn it_obeys_the_rules_of_every_variant() {
        obeys_the_common_rules::<DibsFirstOpen>();
    }

    #[test]
    fn a_port_after_closed_ones_takes_their_share_too() {
        // Ports 2, 4 and 5 are open. Port 2 is found from 0, 1 and 2; port 4 from 3 and 4; port 5 from itself.
        let mut policy: DibsFirstOpen = made(&[]).unwrap();
        let mut rng = Rng::from_seed(5);
        let mut q = six_ports();
        let mut seen = [0u32; 6];
        for _ in 0..6_000 {
            let want = q.want(0);
            match policy.admit(&data(), want, &mut q, &mut rng) {
                Verdict::Detour { port: p, .. } => seen[p.index()] += 1,
                other => panic!("{other:?}"),
            }
        }
        // Standard deviations: 39, 37 and 29.
        assert!((2_850..3_150).contains(&seen[2]), "{seen:?}");
        assert!((1_850..2_150).contains(&seen[4]), "{seen:?}");
        assert!((880..1_120).contains(&seen[5]), "{seen:?}");
    }

    proptest::proptest! {
        #[test]
        fn no_open_port_stands_between_the_start_and_the_pick(open: u16, draw: u32) {
            let open: PortSet = (0..16).filter(|p| open >> p & 1 == 1).map(PortId).collect();
            let start = scale(draw, 16) as u16;
            let around = (0..16).map(|i| PortId((start + i) % 16));
            proptest::prop_assert_eq!(pick(open, 16, draw), around.into_iter().find(|p| open.has(*p)));
        }
    }
}
