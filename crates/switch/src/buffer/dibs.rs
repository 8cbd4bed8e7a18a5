//! DIBS: a packet that finds its queue full leaves by another port.
//!
//! **Decision**     the wanted port if the packet fits, else a detour to a port drawn uniformly
//!                  from those that lead to a switch and have room, else drop.
//! **State**        none. Reads one set of ports; costs one draw per packet that does not fit.
//! **Units**        queue limits are the switch's own; `mark_at` in packets or bytes.
//! **Errors**       refusals are counted as `full`, or `detours` past `max_detours`; construction
//!                  refuses a `max_detours` that a packet cannot count.
//! **Source**       Zarifis et al., EuroSys 2014, section 2; detoured packets are marked (section 5.3).
//! **Deviations**   none known. The text of the paper does not say whether a packet may go back by the port
//!                  it came in by; its Figure 1 shows that it may. `ingress` and `max_detours` are not in
//!                  the paper.

use super::detour::Detours;
use super::{Buffer, Verdict};
use crate::why::SwitchSnapshot;
use crate::{NEVER, Nature, Policy, Queues, Want};
use sidestep_types::{About, Packet, PortId, PortSet, Refusal, Rng, Size, scale};

/// DIBS: detours a packet that does not fit to a random open port.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Dibs(Detours);

impl Policy for Dibs {
    type Settings = Detours;
    const ABOUT: About = About {
        name: "dibs",
        summary: "detours packets that do not fit to a random switch-facing port with room",
        source: "Zarifis et al., EuroSys 2014 (DIBS)",
    };
    const NATURE: Nature = Nature {
        draws: 1,
        ..Nature::DETOURS
    };

    fn build(settings: Detours, _: u16, _: u64) -> Result<Dibs, Refusal> {
        Ok(Dibs(settings))
    }
}

impl Buffer for Dibs {
    #[inline]
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
        (self.0).why(snapshot, want, verdict, |_, open| drawn(open))
    }
}

impl Dibs {
    /// Decides about a packet that does not fit. Not inlined, so that packets that fit do not pay for it.
    #[inline(never)]
    fn detour(&self, pkt: &Packet, queues: &mut dyn Queues, rng: &mut Rng) -> Verdict {
        match self.0.open(pkt, queues) {
            Ok(open) => self.0.to(drawn_port(open, rng.draw()), queues),
            Err(reason) => Verdict::Drop(reason),
        }
    }
}

/// Explains in words how one of the `open` ports was chosen.
pub(super) fn drawn(open: PortSet) -> String {
    match open.len() {
        1 => "the only one".into(),
        n => format!("one is drawn, each with probability 1/{n}"),
    }
}

/// Reference model of the complete choice, as the RTL makes it: `want` if the packet fits there, else one of the
/// ports that fit it and lead to a switch, the one whose index is the scaled `draw`; `None` drops the packet.
///
/// [`Dibs`] does not call it: the policy knows by then that the packet does not fit, and calls [`drawn_port`]
/// with the open ports.
pub fn pick(want: PortId, fits: PortSet, to_switch: PortSet, draw: u32) -> Option<PortId> {
    if fits.has(want) {
        return Some(want);
    }
    drawn_port(fits & to_switch, draw)
}

/// Returns the port whose index among the `open` ports is the scaled `draw`; `None` if no port is open.
#[inline]
pub(super) fn drawn_port(open: PortSet, draw: u32) -> Option<PortId> {
    open.nth(scale(draw, open.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DropReason;
    use crate::buffer::detour::tests::{made, obeys_the_common_rules};
    use crate::testing::{StillQueues, data};

    fn dibs() -> Dibs {
        made(&[]).unwrap()
    }

    #[test]
    fn it_obeys_the_rules_of_every_variant() {
        obeys_the_common_rules::<Dibs>();
    }

    #[test]
    fn a_full_queue_sends_the_packet_elsewhere_but_never_to_a_host_or_a_full_port() {
        // Ports 0 and 1 lead to hosts; 2 to 5 to switches; 3 is full.
        let mut q = StillQueues::of(&[100, 0, 5, 100, 99, 0], 100, &[2, 3, 4, 5]);
        let mut rng = Rng::from_seed(1);
        let mut seen = [0u32; 6];
        for _ in 0..3_000 {
            let want = q.want(0);
            match dibs().admit(&data(), want, &mut q, &mut rng) {
                Verdict::Detour { port: p, .. } => seen[p.index()] += 1,
                other => panic!("{other:?}"),
            }
        }
        assert_eq!((seen[0], seen[1], seen[3]), (0, 0, 0));
        // Expected: 1000 each, with a standard deviation of 26.
        assert!(
            [2, 4, 5].iter().all(|&p| (880..1120).contains(&seen[p])),
            "{seen:?}"
        );
    }

    #[test]
    fn with_no_open_port_it_drops_and_with_room_it_does_nothing() {
        let mut rng = Rng::from_seed(1);
        let before = rng.clone();
        let mut q = StillQueues::of(&[19, 20, 100], 100, &[1, 2]);
        let (low, marked) = (q.want(0), q.want(1));
        assert_eq!(
            dibs().admit(&data(), low, &mut q, &mut rng),
            Verdict::Enqueue { mark: false }
        );
        assert_eq!(
            dibs().admit(&data(), marked, &mut q, &mut rng),
            Verdict::Enqueue { mark: true }
        );
        assert_eq!(rng, before, "no congestion, no draw");
        let mut q = StillQueues::of(&[3, 100, 100], 100, &[1, 2]);
        let want = q.want(1);
        let verdict = dibs().admit(&data(), want, &mut q, &mut rng);
        assert_eq!(
            verdict,
            Verdict::Drop(DropReason::Full),
            "port 0 leads to a host"
        );
    }

    proptest::proptest! {
        #[test]
        fn the_pick_is_the_wanted_port_or_an_open_one_that_leads_to_a_switch(
            want in 0u16..16, fits: u16, to_switch: u16, draw: u32,
        ) {
            let set = |bits: u16| (0..16).filter(|p| bits >> p & 1 == 1).map(PortId).collect();
            let (fits, to_switch): (PortSet, PortSet) = (set(fits), set(to_switch));
            match pick(PortId(want), fits, to_switch, draw) {
                Some(p) if p == PortId(want) => proptest::prop_assert!(fits.has(p)),
                Some(p) => proptest::prop_assert!(!fits.has(PortId(want)) && fits.has(p) && to_switch.has(p)),
                None => proptest::prop_assert!((fits & to_switch).is_empty() && !fits.has(PortId(want))),
            }
        }
    }
}
