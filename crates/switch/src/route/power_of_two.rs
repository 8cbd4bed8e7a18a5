//! Power of two choices: every packet takes the shortest of a few queues drawn at random, and of those that
//! were shortest before.
//!
//! **Decision**     the port with the fewest bytes waiting, among `choices` different next hops drawn at random
//!                  and then the `memory` best of the last packet with the same next hops; the first of equal
//!                  ones. With one next hop nothing is drawn; with no more than `choices`, all are compared.
//! **State**        with `memory`, the best ports of each set of next hops. As many draws as `choices`, fewer
//!                  if there are fewer next hops.
//! **Units**        bytes of queue, the packet on the wire included.
//! **Errors**       refuses `choices` of 0, of more than 4, or of more than the switch has ports, and a
//!                  `memory` of more than 4.
//! **Source**       Abdous et al., CoNEXT 2021 (Vertigo), section 3.2, with two choices and no memory;
//!                  Ghorbani et al., SIGCOMM 2017 (DRILL), section 3: DRILL(d, m).
//! **Deviations**   in a tie, the port that was drawn first, a fair coin between two; a remembered port only
//!                  if it is shorter; assumed.

use super::{Hops, Route};
use crate::choices::{CHOICES, MOST, draw_different, draw_two, of_ports};
use crate::why::SwitchSnapshot;
use crate::{Nature, Policy, Queues};
use sidestep_types::{About, Packet, PortId, Refusal, Rng, Settings};

/// Route that takes the shortest of some queues drawn at random.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PowerOfTwo {
    choices: u8,
    memory: Option<Box<Memory>>,
}

/// Best ports of each set of next hops, the best first.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Memory {
    most: usize,
    best: Vec<Vec<PortId>>,
}

/// Settings of [`PowerOfTwo`].
#[derive(Clone, Settings)]
pub struct PowerOfTwoSettings {
    /// next hops drawn for each packet, 1 to 4
    #[setting(default = "2", range = CHOICES)]
    choices: u8,
    /// best ports remembered for each set of next hops, 0 to 4
    #[setting(default = "0", range = 0..=MOST as u64)]
    memory: usize,
}

impl Policy for PowerOfTwo {
    type Settings = PowerOfTwoSettings;
    const ABOUT: About = About {
        name: "power-of-two",
        summary: "per packet the shortest of a few random next hops",
        source: "Vertigo section 3.2; DRILL, SIGCOMM 2017",
    };
    const NATURE: Nature = Nature {
        reorders: true,
        remembers: true,
        draws: MOST as u32,
        ..Nature::PLAIN
    };

    fn build(settings: PowerOfTwoSettings, ports: u16, _: u64) -> Result<PowerOfTwo, Refusal> {
        let memory = (settings.memory > 0).then(|| Memory {
            most: settings.memory,
            best: Vec::new(),
        });
        Ok(PowerOfTwo {
            choices: of_ports(settings.choices, ports)?,
            memory: memory.map(Box::new),
        })
    }
}

/// Ports sorted by their queues: the shortest first, and the first added among equal ones.
#[derive(Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Ranking {
    ports: [(u32, PortId); 2 * MOST],
    many: usize,
}

impl Ranking {
    fn add(&mut self, port: PortId, bytes: u32) {
        let mut at = self.many;
        while at > 0 && self.ports[at - 1].0 > bytes {
            self.ports[at] = self.ports[at - 1];
            at -= 1;
        }
        self.ports[at] = (bytes, port);
        self.many += 1;
    }

    fn in_order(&self) -> impl Iterator<Item = PortId> {
        self.ports[..self.many].iter().map(|(_, port)| *port)
    }
}

impl Route for PowerOfTwo {
    fn pick(
        &mut self,
        _: &Packet,
        hops: Hops<'_>,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> PortId {
        self.choose(hops, queues, rng)
    }

    #[inline(never)]
    fn pick_by<Q: Queues>(
        &mut self,
        _: &Packet,
        hops: Hops<'_>,
        queues: &mut Q,
        rng: &mut Rng,
    ) -> PortId {
        self.choose(hops, queues, rng)
    }

    fn why(&self, snapshot: &mut SwitchSnapshot<'_>, hops: Hops<'_>, _: PortId) -> String {
        let drawn = hops.ports.len().min(usize::from(self.choices));
        let kept = self.memory.as_ref().map_or(String::new(), |memory| {
            format!(" and the {} remembered", memory.most)
        });
        let depths = snapshot.depths(hops.ports.iter().copied());
        format!("the shortest queue among {drawn} drawn{kept}; {depths}")
    }
}

impl PowerOfTwo {
    #[inline(always)]
    fn choose<Q: Queues + ?Sized>(
        &mut self,
        hops: Hops<'_>,
        queues: &mut Q,
        rng: &mut Rng,
    ) -> PortId {
        let ports = hops.ports;
        if let [only] = ports {
            return *only;
        }
        if self.choices != 2 || self.memory.is_some() {
            return self.choose_of_several(hops, queues, rng);
        }
        let [first, second] = draw_two(rng, ports.len()).map(|at| ports[at]);
        match queues.depth(second).bytes < queues.depth(first).bytes {
            true => second,
            false => first,
        }
    }

    /// Chooses among any number of drawn ports and the remembered ones.
    #[inline(never)]
    fn choose_of_several<Q: Queues + ?Sized>(
        &mut self,
        hops: Hops<'_>,
        queues: &mut Q,
        rng: &mut Rng,
    ) -> PortId {
        let ports = hops.ports;
        let mut ranking = Ranking::default();
        draw_different(rng, usize::from(self.choices), ports.len(), |at| {
            ranking.add(ports[at], queues.depth(ports[at]).bytes);
        });
        if let Some(memory) = &mut self.memory {
            memory.look(hops.set, &mut ranking, |port| queues.depth(port).bytes);
        }
        ranking.ports[0].1
    }
}

impl Memory {
    /// Adds the remembered ports of `set` to the ranking, and remembers the best of the result.
    #[cold]
    fn look(&mut self, set: u32, ranking: &mut Ranking, mut bytes: impl FnMut(PortId) -> u32) {
        let set = set as usize;
        if self.best.len() <= set {
            self.best.resize_with(set + 1, Vec::new);
        }
        let best = &mut self.best[set];
        for &port in &*best {
            if ranking.in_order().all(|drawn| drawn != port) {
                ranking.add(port, bytes(port));
            }
        }
        best.clear();
        best.extend(ranking.in_order().take(self.most));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{StillQueues, data};
    use sidestep_types::{Value, Values};

    fn route(choices: u64, memory: u64) -> Result<PowerOfTwo, Refusal> {
        let mut values = Values::defaults(PowerOfTwo::ENTRY.params);
        values.set("choices", Value::Count(choices));
        values.set("memory", Value::Count(memory));
        PowerOfTwo::from_values(&values, 4, 0)
    }

    /// Returns how often each of four ports is taken in 40,000 picks, while `packets` wait there.
    fn taken(choices: u64, packets: &[u32; 4]) -> [u32; 4] {
        let (mut route, mut rng) = (route(choices, 0).unwrap(), Rng::from_seed(3));
        let mut queues = StillQueues::of(packets, 100, &[]);
        let ports = [0, 1, 2, 3].map(PortId);
        let mut taken = [0; 4];
        for _ in 0..40_000 {
            let port = route.pick(&data(), Hops::of(&ports), &mut queues, &mut rng);
            taken[port.index()] += 1;
        }
        taken
    }

    #[test]
    fn the_shortest_of_those_drawn_is_taken() {
        // Of the six pairs, three contain port 0, two more port 1, and the last is ports 2 and 3.
        let shares = taken(2, &[0, 1, 2, 3]);
        for (share, expected) in shares.into_iter().zip([20_000, 13_333, 6_667, 0]) {
            // Standard deviation: at most 100.
            assert!(share.abs_diff(expected) < 400, "{shares:?}");
        }
        assert_eq!(taken(4, &[3, 2, 0, 1]), [0, 0, 40_000, 0]);
    }

    #[test]
    fn between_equal_queues_a_fair_coin_decides() {
        for choices in [1, 2, 4] {
            let shares = taken(choices, &[5; 4]);
            let fair = shares.iter().all(|share| share.abs_diff(10_000) < 350);
            assert!(fair, "{choices} choices: {shares:?}");
        }
    }

    #[test]
    fn what_was_shortest_is_remembered_for_its_set_alone() {
        let ports = [0, 1, 2, 3].map(PortId);
        let mut route = route(1, 1).unwrap();
        let mut rng = Rng::from_seed(3);
        let hops = |set| Hops {
            ports: &ports,
            set,
            prefix: 0,
        };
        let mut queues = StillQueues::of(&[1, 0, 1, 1], 100, &[]);
        let mut pick =
            |queues: &mut StillQueues, set| route.pick(&data(), hops(set), queues, &mut rng).0;
        // Once port 1 is drawn it stays.
        while pick(&mut queues, 7) != 1 {}
        assert!((0..50).all(|_| pick(&mut queues, 7) == 1));
        let others = (0..50).filter(|_| pick(&mut queues, 8) != 1).count();
        assert!(others > 0, "another set has a memory of its own");
        // Port 1 stays until another is shorter.
        queues = StillQueues::of(&[0, 1, 1, 1], 100, &[]);
        while pick(&mut queues, 7) != 0 {}
        assert!((0..50).all(|_| pick(&mut queues, 7) == 0));
    }

    #[test]
    fn a_remembered_port_goes_behind_an_equal_one() {
        let ports = [0, 1].map(PortId);
        let (mut route, mut rng) = (route(1, 1).unwrap(), Rng::from_seed(3));
        let mut queues = StillQueues::of(&[4, 4], 100, &[]);
        let mut pick = || {
            route
                .pick(&data(), Hops::of(&ports), &mut queues, &mut rng)
                .0
        };
        let first = pick();
        assert!((0..50).any(|_| pick() != first));
    }

    #[test]
    fn too_many_or_no_choices_and_too_long_a_memory_are_refused() {
        let said = |choices, memory| route(choices, memory).unwrap_err().to_string();
        assert_eq!(said(0, 0), "choices must be from 1 to 4, got 0");
        assert_eq!(said(5, 0), "choices must be from 1 to 4, got 5");
        assert_eq!(said(2, 5), "memory must be from 0 to 4, got 5");
        let values = Values::defaults(PowerOfTwo::ENTRY.params);
        let narrow = PowerOfTwo::from_values(&values, 1, 0)
            .unwrap_err()
            .to_string();
        assert_eq!(
            narrow,
            "choices must be at most 1, the number of ports of the switch, got 2"
        );
    }
}
