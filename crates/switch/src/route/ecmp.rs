//! ECMP: every packet of a flow takes the same one of the equal-cost next hops.
//!
//! **Decision**     `scale(mix(hash of the 5-tuple, salt of the switch), number of hops)`.
//! **State**        the salt; 0 if `salt` is `none`. No draws.
//! **Units**        none.
//! **Errors**       none.
//! **Source**       RFC 2992, RFC 2991; flow-level ECMP in DIBS section 3.
//! **Deviations**   the salt: without one, the same hash at every tier sends all flows that
//!                  meet at a switch the same way (polarisation). `salt = "none"` selects that.

use super::{Hops, Route};
use crate::why::SwitchSnapshot;
use crate::{Policy, Queues};
use sidestep_types::{About, Packet, PortId, Refusal, Rng, Settings, Words, mix64, scale};

/// Route by salted flow hash.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ecmp {
    salt: u64,
}

/// Settings of [`Ecmp`].
#[derive(Clone, Settings)]
pub struct EcmpSettings {
    /// salt of the flow hash: a different one per switch, or none, which gives the same hash at all tiers
    #[setting(default = "switch")]
    salt: Salt,
}

/// Salt of the flow hash.
#[derive(Clone, Copy, Words)]
enum Salt {
    Switch,
    None,
}

impl Policy for Ecmp {
    type Settings = EcmpSettings;
    const ABOUT: About = About {
        name: "ecmp",
        summary: "one of the equal-cost next hops per flow, by a hash salted per switch",
        source: "RFC 2992; DIBS section 3",
    };

    fn build(settings: EcmpSettings, _: u16, salt: u64) -> Result<Ecmp, Refusal> {
        Ok(Ecmp {
            salt: match settings.salt {
                Salt::Switch => salt,
                Salt::None => 0,
            },
        })
    }
}

/// Returns the hop that ECMP takes for a flow of this hash: mixes hash and salt into 64 bits and scales the
/// upper half to the number of hops.
#[inline]
pub(super) fn hop_of(ports: &[PortId], hash: u32, salt: u64) -> PortId {
    let mixed = mix64(salt ^ u64::from(hash));
    ports[scale((mixed >> 32) as u32, ports.len() as u32) as usize]
}

impl Ecmp {
    /// Returns the port that packets of this hash take.
    #[inline]
    pub(super) fn pick_of(&self, hash: u32, ports: &[PortId]) -> PortId {
        hop_of(ports, hash, self.salt)
    }
}

impl Route for Ecmp {
    #[inline]
    fn pick(&mut self, pkt: &Packet, hops: Hops<'_>, _: &mut dyn Queues, _: &mut Rng) -> PortId {
        // No special case for a single hop: the branch would be mispredicted more often than a hash costs.
        self.pick_of(pkt.hash, hops.ports)
    }

    fn why(&self, snapshot: &mut SwitchSnapshot<'_>, hops: Hops<'_>, taken: PortId) -> String {
        let with = match self.salt {
            0 => "without a salt",
            _ => "with the salt of this switch",
        };
        named(snapshot, hops, taken, with)
    }
}

/// Describes which of the hops the flow hash of the packet selected.
pub(super) fn named(
    snapshot: &SwitchSnapshot<'_>,
    hops: Hops<'_>,
    taken: PortId,
    with: &str,
) -> String {
    let place = hops.ports.iter().position(|port| *port == taken);
    format!(
        "its flow hash, {:#010x}, {with} selects next hop {} of {} for every packet of the flow",
        snapshot.packet.hash,
        place.map_or(0, |place| place + 1),
        hops.ports.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{StillQueues, data};
    use sidestep_types::{Value, Values};

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
        // Expected: 10,000 each, with a standard deviation of 87.
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
        // Expected: about 2,500 each, with a standard deviation of 43: no polarisation.
        assert!(
            count.iter().all(|c| (2_300..2_700).contains(c)),
            "{count:?}"
        );
    }

    #[test]
    fn without_a_salt_every_switch_sends_the_flow_the_same_way() {
        let built = |word: &str, salt| {
            let mut values = Values::defaults(Ecmp::ENTRY.params);
            values.set("salt", Value::Word(word.into()));
            Ecmp::from_values(&values, 4, salt).unwrap().salt
        };
        assert_eq!([built("switch", 1), built("switch", 2)], [1, 2]);
        let [first, second] = [1, 2].map(|salt| choices(built("none", salt), 0..1000));
        assert_eq!(first, second);
        // Polarisation: all flows that arrive by the first way leave the second switch by it.
        assert!(first.contains(&0) && first.contains(&3));
    }
}
