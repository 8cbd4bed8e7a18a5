//! Random spraying: every packet takes one of the equal-cost next hops by chance, whatever its flow.
//!
//! **Decision**     `scale(draw, number of hops)`; with one next hop nothing is drawn.
//! **State**        none. One draw where there is a choice.
//! **Units**        none.
//! **Errors**       none.
//! **Source**       Dixit, Prakash, Kompella, Purdue technical report 2011 (PLTS), section III: RND.
//! **Deviations**   none; acknowledgements are sprayed as data is.

use super::{Hops, Route};
use crate::why::Scene;
use crate::{Nature, Policy, Queues};
use sidestep_types::{Entry, Packet, PortId, Refusal, Rng, Values, scale};

/// A random next hop per packet.
#[derive(Debug)]
pub struct SprayRandom;

impl Policy for SprayRandom {
    const ENTRY: Entry = Entry {
        name: "spray-random",
        summary: "one of the equal-cost next hops per packet, at random",
        source: "PLTS section III: RND",
        params: &[],
    };
    const NATURE: Nature = Nature {
        reorders: true,
        draws: 1,
        ..Nature::PLAIN
    };

    fn build(_: &Values, _: u16, _: u64) -> Result<SprayRandom, Refusal> {
        Ok(SprayRandom)
    }
}

impl Route for SprayRandom {
    #[inline]
    fn pick(&mut self, _: &Packet, hops: Hops<'_>, _: &mut dyn Queues, rng: &mut Rng) -> PortId {
        match hops.ports {
            [only] => *only,
            ports => ports[scale(rng.draw(), ports.len() as u32) as usize],
        }
    }

    fn why(&self, _: &mut Scene<'_>, hops: Hops<'_>, _: PortId) -> String {
        let many = hops.ports.len();
        format!("drawn for this packet, each with probability 1/{many}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{StillQueues, data};

    fn taken(ports: &[u16], packets: usize) -> (Vec<u16>, Rng) {
        let ports: Vec<PortId> = ports.iter().map(|&p| PortId(p)).collect();
        let (mut q, mut rng) = (StillQueues::of(&[0; 9], 100, &[]), Rng::from_seed(5));
        let mut pick = || {
            SprayRandom
                .pick(&data(), Hops::of(&ports), &mut q, &mut rng)
                .0
        };
        let taken = (0..packets).map(|_| pick()).collect();
        (taken, rng)
    }

    #[test]
    fn packets_of_one_flow_spread_evenly_and_in_no_order() {
        let (taken, _) = taken(&[1, 4, 8], 30_000);
        for port in [1, 4, 8] {
            let count = taken.iter().filter(|p| **p == port).count();
            // 10,000 expected, standard deviation 82.
            assert!((9_700..10_300).contains(&count), "{port}: {count}");
        }
        let again = taken.windows(2).filter(|pair| pair[0] == pair[1]).count();
        // A third of the pairs, standard deviation 82.
        assert!((9_700..10_300).contains(&again), "{again}");
    }

    #[test]
    fn where_there_is_no_choice_nothing_is_drawn() {
        let (taken, rng) = taken(&[6], 10);
        assert_eq!(taken, [6; 10]);
        assert_eq!(rng, Rng::from_seed(5));
    }
}
