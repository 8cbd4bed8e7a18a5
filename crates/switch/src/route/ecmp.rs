//! ECMP: every packet of a flow takes the same one of the equal-cost next hops.
//!
//! **Decision**     `scale(mix(hash of the 5-tuple, salt of the switch), number of hops)`.
//! **State**        the salt. No draws.
//! **Units**        none.
//! **Errors**       none.
//! **Source**       RFC 2992, RFC 2991; flow-level ECMP in DIBS section 3.
//! **Deviations**   the salt: without one, the same hash at every tier sends all flows that
//!                  meet at a switch the same way (polarisation).

use super::{Hops, Route};
use crate::why::Scene;
use crate::{Policy, Queues};
use sidestep_types::{Entry, Packet, PortId, Refusal, Rng, Values, mix64, scale};

/// Salted flow-hash ECMP.
#[derive(Debug)]
pub struct Ecmp {
    salt: u64,
}

impl Policy for Ecmp {
    const ENTRY: Entry = Entry {
        name: "ecmp",
        summary: "one of the equal-cost next hops per flow, by a hash salted per switch",
        source: "RFC 2992; DIBS section 3",
        params: &[],
    };

    fn build(_: &Values, _: u16, salt: u64) -> Result<Ecmp, Refusal> {
        Ok(Ecmp { salt })
    }
}

impl Route for Ecmp {
    #[inline]
    fn pick(&mut self, pkt: &Packet, hops: Hops<'_>, _: &mut dyn Queues, _: &mut Rng) -> PortId {
        let ports = hops.ports;
        if let [only] = ports {
            return *only;
        }
        let mixed = mix64(self.salt ^ u64::from(pkt.hash));
        ports[scale((mixed >> 32) as u32, ports.len() as u32) as usize]
    }

    fn why(&self, scene: &mut Scene<'_>, hops: Hops<'_>, taken: PortId) -> String {
        let place = hops.ports.iter().position(|port| *port == taken);
        format!(
            "the hash of its flow, {:#010x}, with the salt of this switch names number {} of {}, for \
             every packet of the flow",
            scene.packet.hash,
            place.map_or(0, |place| place + 1),
            hops.ports.len()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{StillQueues, data};

    fn choices(salt: u64, hashes: impl Iterator<Item = u32>) -> Vec<u16> {
        let hops = [0, 1, 2, 3].map(PortId);
        let mut q = StillQueues::of(&[0; 4], 100, &[]);
        let mut rng = Rng::from_seed(0);
        let pick = |hash| {
            let mut pkt = data();
            pkt.hash = hash;
            let hops = Hops::of(&hops);
            Ecmp { salt }.pick(&pkt, hops, &mut q, &mut rng).0
        };
        hashes.map(pick).collect()
    }

    #[test]
    fn flows_spread_evenly() {
        let mut count = [0u32; 4];
        for port in choices(7, (0..40_000).map(|i: u32| i.wrapping_mul(0x9e37_79b9))) {
            count[usize::from(port)] += 1;
        }
        // 10,000 expected each, standard deviation 87.
        assert!(
            count.iter().all(|c| (9_600..10_400).contains(c)),
            "{count:?}"
        );
    }

    #[test]
    fn a_second_switch_splits_what_the_first_sent_one_way() {
        let hashes: Vec<u32> = (0..40_000).collect();
        let first = choices(1, hashes.iter().copied());
        let same_way = hashes
            .iter()
            .zip(&first)
            .filter(|(_, p)| **p == 0)
            .map(|(h, _)| *h);
        let mut count = [0u32; 4];
        for port in choices(2, same_way) {
            count[usize::from(port)] += 1;
        }
        // About 2,500 expected each, standard deviation 43: no polarisation.
        assert!(
            count.iter().all(|c| (2_300..2_700).contains(c)),
            "{count:?}"
        );
    }
}
