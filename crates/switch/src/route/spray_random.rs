//! Random spraying: every packet takes a random one of the equal-cost next hops, whatever its flow.
//!
//! **Decision**     `scale(draw, number of hops)`; with one next hop nothing is drawn.
//! **State**        none. One draw if there is a choice.
//! **Units**        none.
//! **Errors**       none.
//! **Source**       Dixit, Prakash, Kompella, Purdue technical report 2011 (PLTS), section III: RND.
//! **Deviations**   none; acknowledgements are sprayed like data, or with `acks = "ecmp"` go as in
//!                  [`super::ecmp`].

use super::acks::{Acks, AcksSettings};
use super::{Hops, Route};
use crate::why::SwitchSnapshot;
use crate::{Nature, Policy, Queues};
use sidestep_types::{About, Packet, PortId, Refusal, Rng, scale};

/// Route with a random next hop per packet.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SprayRandom {
    acks: Acks,
}

impl Policy for SprayRandom {
    type Settings = AcksSettings;
    const ABOUT: About = About {
        name: "spray-random",
        summary: "one of the equal-cost next hops per packet, at random",
        source: "PLTS section III: RND",
    };
    const NATURE: Nature = Nature {
        reorders: true,
        draws: 1,
        ..Nature::PLAIN
    };

    fn build(acks: AcksSettings, _: u16, salt: u64) -> Result<SprayRandom, Refusal> {
        Ok(SprayRandom {
            acks: Acks::new(acks, salt),
        })
    }
}

impl Route for SprayRandom {
    #[inline]
    fn pick(&mut self, pkt: &Packet, hops: Hops<'_>, _: &mut dyn Queues, rng: &mut Rng) -> PortId {
        let ports = hops.ports;
        if let [only] = ports {
            return *only;
        }
        if let Some(port) = self.acks.hop(pkt, ports) {
            return port;
        }
        ports[scale(rng.draw(), ports.len() as u32) as usize]
    }

    fn why(&self, snapshot: &mut SwitchSnapshot<'_>, hops: Hops<'_>, taken: PortId) -> String {
        if let Some(why) = self.acks.why(snapshot, hops, taken) {
            return why;
        }
        let many = hops.ports.len();
        format!("drawn for this packet, each with probability 1/{many}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{StillQueues, data};
    use sidestep_types::{FlowId, HostId, Kind, Value, Values};

    fn route(acks: &str, salt: u64) -> SprayRandom {
        let mut values = Values::defaults(SprayRandom::ENTRY.params);
        values.set("acks", Value::Word(acks.into()));
        SprayRandom::from_values(&values, 9, salt).unwrap()
    }

    fn taken(ports: &[u16], packets: usize) -> (Vec<u16>, Rng) {
        let mut route = route("spray", 7);
        let ports: Vec<PortId> = ports.iter().map(|&p| PortId(p)).collect();
        let (mut q, mut rng) = (StillQueues::of(&[0; 9], 100, &[]), Rng::from_seed(5));
        let mut pick = || route.pick(&data(), Hops::of(&ports), &mut q, &mut rng).0;
        let taken = (0..packets).map(|_| pick()).collect();
        (taken, rng)
    }

    #[test]
    fn packets_of_one_flow_spread_evenly_and_in_no_order() {
        let (taken, _) = taken(&[1, 4, 8], 30_000);
        for port in [1, 4, 8] {
            let count = taken.iter().filter(|p| **p == port).count();
            // Expected: 10,000, with a standard deviation of 82.
            assert!((9_700..10_300).contains(&count), "{port}: {count}");
        }
        let again = taken.windows(2).filter(|pair| pair[0] == pair[1]).count();
        // Expected: a third of the pairs, with a standard deviation of 82.
        assert!((9_700..10_300).contains(&again), "{again}");
    }

    #[test]
    fn where_there_is_no_choice_nothing_is_drawn() {
        let (taken, rng) = taken(&[6], 10);
        assert_eq!(taken, [6; 10]);
        assert_eq!(rng, Rng::from_seed(5));
    }

    #[test]
    fn what_carries_no_data_goes_by_its_flows_hash_where_acks_do() {
        let ports = [0, 1, 2, 3].map(PortId);
        let (mut queues, mut rng) = (StillQueues::of(&[0; 9], 100, &[]), Rng::from_seed(5));
        let packet = |kind, len, trimmed| {
            let mut packet = Packet::new(kind, FlowId(0), HostId(0), 0x1234_5678);
            (packet.len, packet.wire) = (len, 84);
            packet.set_trimmed(trimmed);
            packet
        };
        let ecmp = super::super::ecmp::hop_of(&ports, 0x1234_5678, 7);
        let mut all = |acks, packet| {
            let mut route = route(acks, 7);
            let mut pick = || route.pick(&packet, Hops::of(&ports), &mut queues, &mut rng);
            (0..40).all(|_| pick() == ecmp)
        };
        for (packet, sprayed) in [
            (packet(Kind::Ack, 0, false), false),
            (packet(Kind::Syn, 0, false), false),
            (packet(Kind::SynAck, 0, false), false),
            (packet(Kind::Data, 0, false), false),
            (packet(Kind::Data, 1460, true), false),
            (packet(Kind::Data, 1460, false), true),
        ] {
            assert_eq!(all("ecmp", packet), !sprayed, "{packet:?}");
            assert!(!all("spray", packet), "{packet:?}");
        }
    }
}
