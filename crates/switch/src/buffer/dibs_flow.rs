//! Flow-based DIBS: all detours of a flow at a switch take the same port, as long as it has room.
//!
//! **Decision**     the wanted port if the packet fits, else the first port with room in an order of
//!                  the switch-facing ports that is fixed by the flow's hash; else drop.
//! **State**        a salt per switch. No draws.
//! **Units**        queue limits are the switch's own; `mark_at` in packets or bytes.
//! **Errors**       refusals are counted as `full`, or `detours` past `max_detours`.
//! **Source**       Zarifis et al., EuroSys 2014, section 7, "Flow-based detouring".
//! **Deviations**   the paper does not say what happens when the flow's port is full: *assumed*
//!                  that the flow goes on to its next one. The paper suggests that the set of detoured
//!                  flows could be configurable; it is not here.

use super::detour::Detours;
use super::{Buffer, Verdict};
use crate::why::SwitchSnapshot;
use crate::{NEVER, Nature, Policy, Queues, Want};
use sidestep_types::{About, Packet, PortId, PortSet, Refusal, Rng, Size, mix64, scale};

/// Policy that detours each flow to a fixed port.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DibsFlow {
    common: Detours,
    salt: u64,
}

impl Policy for DibsFlow {
    type Settings = Detours;
    const ABOUT: About = About {
        name: "dibs-flow",
        summary: "detours packets that do not fit to a switch-facing port chosen by the flow's hash",
        source: "Zarifis et al., EuroSys 2014 (DIBS), section 7",
    };
    const NATURE: Nature = Nature::DETOURS;

    fn build(common: Detours, _: u16, salt: u64) -> Result<DibsFlow, Refusal> {
        // ECMP mixes the same hash with the same salt; the complement keeps the two choices independent.
        Ok(DibsFlow {
            common,
            salt: !salt,
        })
    }
}

impl Buffer for DibsFlow {
    #[inline(never)]
    fn admit(&mut self, pkt: &Packet, want: Want, queues: &mut dyn Queues, _: &mut Rng) -> Verdict {
        if want.fits {
            return self.common.keep(want);
        }
        self.detour(pkt, queues)
    }

    fn marks_at(&self) -> Option<Size> {
        Some(self.common.step.mark_at.unwrap_or(NEVER))
    }

    fn why(&self, snapshot: &mut SwitchSnapshot<'_>, want: Want, verdict: Verdict) -> String {
        let how = |snapshot: &mut SwitchSnapshot<'_>, _| {
            let hash = snapshot.packet.hash;
            format!(
                "the first with room in the order of ports given here by its flow hash, \
                 {hash:#010x}"
            )
        };
        self.common.why(snapshot, want, verdict, how)
    }
}

impl DibsFlow {
    #[inline(never)]
    fn detour(&self, pkt: &Packet, queues: &mut dyn Queues) -> Verdict {
        let mixed = mix64(self.salt ^ u64::from(pkt.hash));
        match self.common.open(pkt, queues) {
            // The order covers all switch-facing ports, so that it stays the same for a flow that comes in by
            // two of them or finds one full for a while.
            Ok(open) => self
                .common
                .to(pick(queues.to_switch(), open, mixed), queues),
            Err(reason) => Verdict::Drop(reason),
        }
    }
}

/// Returns the first `open` port in the order that `mixed` gives to `ports`: a shuffle whose steps each take
/// the `scale(high half)`-th of the remaining ports and then mix again.
pub fn pick(ports: PortSet, open: PortSet, mixed: u64) -> Option<PortId> {
    let (mut left, mut mixed) = (ports, mixed);
    loop {
        let port = left.nth(scale((mixed >> 32) as u32, left.len()))?;
        if open.has(port) {
            return Some(port);
        }
        left.remove(port);
        mixed = mix64(mixed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::detour::tests::obeys_the_common_rules;
    use crate::testing::{StillQueues, data};
    use sidestep_types::Values;

    #[test]
    fn it_obeys_the_rules_of_every_variant() {
        obeys_the_common_rules::<DibsFlow>();
    }

    fn detoured(hash: u32, salt: u64, q: &mut StillQueues) -> u16 {
        let mut values = Values::defaults(DibsFlow::ENTRY.params);
        values.set("mark_at", sidestep_types::Value::Off);
        let mut policy = DibsFlow::from_values(&values, 6, salt).unwrap();
        let mut pkt = data();
        pkt.hash = hash;
        let want = q.want(0);
        match policy.admit(&pkt, want, q, &mut Rng::from_seed(1)) {
            Verdict::Detour { port, .. } => port.0,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn flows_spread_evenly_each_keeps_its_port_and_switches_differ() {
        let mut open = StillQueues::of(&[100, 0, 5, 3, 99, 0], 100, &[2, 3, 4, 5]);
        let mut seen = [0u32; 6];
        let mut same = 0;
        for hash in 0..8_000 {
            let port = detoured(hash, 7, &mut open);
            seen[usize::from(port)] += 1;
            assert_eq!(port, detoured(hash, 7, &mut open));
            same += u32::from(port == detoured(hash, 8, &mut open));
        }
        // Expected: 2000 each, with a standard deviation of 39.
        assert!(
            seen[2..].iter().all(|n| (1_800..2_200).contains(n)),
            "{seen:?}"
        );
        assert!(
            (1_800..2_200).contains(&same),
            "another switch agrees by chance: {same}"
        );
    }

    #[test]
    fn only_the_flows_of_a_port_that_fills_up_move_and_they_spread() {
        let mut open = StillQueues::of(&[100, 0, 5, 3, 99, 0], 100, &[2, 3, 4, 5]);
        let mut full = StillQueues::of(&[100, 0, 100, 3, 99, 0], 100, &[2, 3, 4, 5]);
        let mut moved = [0u32; 6];
        for hash in 0..8_000 {
            let (before, after) = (detoured(hash, 7, &mut open), detoured(hash, 7, &mut full));
            if before == 2 {
                moved[usize::from(after)] += 1;
            } else {
                assert_eq!(before, after);
            }
        }
        // Expected: about 667 each, with a standard deviation of 21.
        assert!(
            moved[3..].iter().all(|n| (560..780).contains(n)),
            "{moved:?}"
        );
    }

    #[test]
    fn which_way_ecmp_sends_a_flow_says_nothing_about_its_detours() {
        let mut open = StillQueues::of(&[100, 0, 5, 3, 99, 0], 100, &[2, 3, 4, 5]);
        let way = |hash: u32| scale((mix64(7 ^ u64::from(hash)) >> 32) as u32, 4);
        let first_way: Vec<u32> = (0..8_000).filter(|&hash| way(hash) == 0).collect();
        let to_first = first_way
            .iter()
            .filter(|&&hash| detoured(hash, 7, &mut open) == 2)
            .count();
        // Expected: a quarter of about 2000, with a standard deviation of 19.
        assert!(
            (400..600).contains(&to_first),
            "{to_first} of {}",
            first_way.len()
        );
    }

    proptest::proptest! {
        #[test]
        fn the_pick_is_open_and_there_is_one_whenever_a_port_is(ports: u16, open: u16, mixed: u64) {
            let set = |bits: u16| -> PortSet { (0..16).filter(|p| bits >> p & 1 == 1).map(PortId).collect() };
            let (ports, open) = (set(ports), set(open & ports));
            match pick(ports, open, mixed) {
                Some(p) => proptest::prop_assert!(open.has(p)),
                None => proptest::prop_assert!(open.is_empty()),
            }
        }
    }
}
