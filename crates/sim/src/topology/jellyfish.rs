//! Jellyfish: a random regular graph of switches, each with hosts.
//!
//! **Decision**     random pairs of switches that have ports left and no cable yet are cabled,
//!                  until there are none. Ports still left then take a random cable apart:
//!                  two ports of one switch, or one each of two, are put between its ends. A
//!                  network that falls apart is drawn again. Hosts are numbered switch by switch.
//! **State**        ports: each switch's hosts, then its neighbours, by number. The graph depends
//!                  on `graph` and the counts alone, so every seed of a scenario runs on one network.
//! **Units**        rates per direction.
//! **Errors**       a degree that is impossible in a simple connected graph of this many switches.
//! **Source**       Singla, Hong, Popa and Godfrey, NSDI 2012, section 3.
//! **Deviations**   an odd number of switch ports in all is refused; the paper leaves one unused.

use super::{Builder, EveryLink, Link, PORTS, Topology, at_most_hosts};
use crate::files::Files;
use crate::network::{Network, SwitchInfo};
use sidestep_types::settings::bounded;
use sidestep_types::{About, Refusal, Rng, Seed, Settings};

/// See the module.
#[derive(Settings)]
pub struct Jellyfish {
    /// number of switches; assumed: the hosts of a k = 8 fat-tree on four fifths of its switches
    #[setting(default = "64", range = 2..=16_384)]
    switches: u32,
    /// ports of each switch that lead to other switches; assumed
    #[setting(default = "6", range = 1..=PORTS - 1)]
    degree: u32,
    /// hosts on each switch; assumed
    #[setting(default = "2")]
    hosts_per_switch: u64,
    /// number of the random graph; the seed of a run does not change it
    #[setting(default = "1")]
    graph: u64,
    #[setting(flatten = EveryLink)]
    link: Link,
}

impl Topology for Jellyfish {
    const ABOUT: About = About {
        name: "jellyfish",
        summary: "a random regular graph of switches, each with hosts",
        source: "Singla et al., NSDI 2012",
    };

    fn build_network(self, _: &dyn Files) -> Result<Network, Refusal> {
        let (switches, degree, link) = (self.switches, self.degree, self.link);
        let most = PORTS - u64::from(degree);
        let hosts = bounded("hosts_per_switch", self.hosts_per_switch, 1..=most, "")? as u32;
        at_most_hosts(
            u64::from(switches) * u64::from(hosts),
            &["switches", "hosts_per_switch"],
        )?;
        possible(switches, degree)?;
        let seed = Seed(self.graph);
        let cables = (0..MOST_DRAWS)
            .map(|draw| Graph::draw(switches, degree, &mut seed.stream(("jellyfish", draw))))
            .find(|graph| graph.is_regular() && graph.is_connected())
            .ok_or_else(|| {
                let expected = format!(
                    "none of {MOST_DRAWS} random graphs of degree {degree} was connected; set a \
                     higher degree"
                );
                Refusal::about(&["degree", "switches"], expected)
            })?
            .cables();

        let mut net = Builder::default();
        let all: Vec<_> = (0..switches)
            .map(|i| net.switch(SwitchInfo::named(format!("switch {i}"))))
            .collect();
        for switch in &all {
            net.hosts(hosts, *switch, link);
        }
        for (a, b) in cables {
            net.cable(all[a as usize], all[b as usize], link);
        }
        net.done(&["hosts_per_switch", "degree"])
    }
}

/// Most graphs drawn: from degree 3 on a random regular graph is nearly always connected; below it seldom is.
const MOST_DRAWS: u64 = 100;

/// Returns an error if no connected graph of `switches` switches has this degree.
fn possible(switches: u32, degree: u32) -> Result<(), Refusal> {
    let refuse = |expected| Err(Refusal::about(&["degree", "switches"], expected).got(degree));
    if degree >= switches {
        return refuse(format!(
            "degree must be below the number of switches ({switches}), since two have one cable \
             at most"
        ));
    }
    if switches % 2 == 1 && degree % 2 == 1 {
        return refuse(format!(
            "degree must be even for an odd number of switches ({switches}), since a cable has \
             two ends"
        ));
    }
    if degree == 1 && switches > 2 {
        return refuse(format!(
            "degree must be 2 or more to connect {switches} switches"
        ));
    }
    Ok(())
}

/// A simple graph under construction.
struct Graph {
    degree: usize,
    /// Per switch, in no order.
    neighbours: Vec<Vec<u32>>,
    /// Switches with ports left.
    open: Vec<u32>,
}

impl Graph {
    fn draw(switches: u32, degree: u32, rng: &mut Rng) -> Graph {
        let mut graph = Graph {
            degree: degree as usize,
            neighbours: vec![Vec::new(); switches as usize],
            open: (0..switches).collect(),
        };
        while let Some((a, b)) = graph.pair(rng) {
            graph.join(a, b);
        }
        // Every step takes two ports from `open`.
        while let Some((p, q)) = graph.left_over() {
            let Some((x, y)) = graph.cable_to_split(p, q, rng) else {
                break;
            };
            graph.part(x, y);
            graph.join(p, x);
            graph.join(q, y);
        }
        graph
    }

    /// Returns a random pair with ports left and no cable between them.
    fn pair(&self, rng: &mut Rng) -> Option<(u32, u32)> {
        const TRIES: u32 = 64;
        let n = self.open.len() as u64;
        if n < 2 {
            return None;
        }
        for _ in 0..TRIES {
            let a = self.open[rng.below(n) as usize];
            let b = self.open[rng.below(n) as usize];
            if self.may_join(a, b) {
                return Some((a, b));
            }
        }
        // Few are left: choose among all.
        let firsts = self.open.iter().enumerate();
        let all = firsts.flat_map(|(i, a)| self.open[i + 1..].iter().map(|b| (*a, *b)));
        let pairs: Vec<_> = all.filter(|(a, b)| self.may_join(*a, *b)).collect();
        pick(&pairs, rng)
    }

    /// Returns two ports that found no pair: of one switch, or of two that are neighbours.
    fn left_over(&self) -> Option<(u32, u32)> {
        let free = |s: u32| self.degree - self.neighbours[s as usize].len();
        match self.open[..] {
            [] => None,
            [first, ..] if free(first) >= 2 => Some((first, first)),
            [_] => None,
            [first, second, ..] => Some((first, second)),
        }
    }

    /// Returns a random cable `(x, y)` that can be replaced by `(p, x)` and `(q, y)`.
    fn cable_to_split(&self, p: u32, q: u32, rng: &mut Rng) -> Option<(u32, u32)> {
        let ends = |(a, b): (u32, u32)| [(a, b), (b, a)];
        let fits = |(x, y): &(u32, u32)| self.may_join(p, *x) && self.may_join(q, *y);
        let fitting: Vec<_> = (self.cables().into_iter())
            .flat_map(ends)
            .filter(fits)
            .collect();
        pick(&fitting, rng)
    }

    fn may_join(&self, a: u32, b: u32) -> bool {
        a != b && !self.neighbours[a as usize].contains(&b)
    }

    fn join(&mut self, a: u32, b: u32) {
        for (near, far) in [(a, b), (b, a)] {
            let neighbours = &mut self.neighbours[near as usize];
            neighbours.push(far);
            if neighbours.len() == self.degree {
                self.open.retain(|s| *s != near);
            }
        }
    }

    /// Removes a cable, to be put elsewhere: its ends do not count as open meanwhile.
    fn part(&mut self, a: u32, b: u32) {
        for (near, far) in [(a, b), (b, a)] {
            self.neighbours[near as usize].retain(|s| *s != far);
        }
    }

    fn is_regular(&self) -> bool {
        self.open.is_empty()
    }

    fn is_connected(&self) -> bool {
        let mut seen = vec![false; self.neighbours.len()];
        seen[0] = true;
        let mut next = vec![0u32];
        while let Some(s) = next.pop() {
            for far in &self.neighbours[s as usize] {
                if !std::mem::replace(&mut seen[*far as usize], true) {
                    next.push(*far);
                }
            }
        }
        seen.into_iter().all(|s| s)
    }

    /// Returns every cable once, lower end first, in order.
    fn cables(&self) -> Vec<(u32, u32)> {
        let firsts = self.neighbours.iter().zip(0u32..);
        let all = firsts.flat_map(|(far, a)| far.iter().map(move |b| (a, *b)));
        let mut cables: Vec<_> = all.filter(|(a, b)| a < b).collect();
        cables.sort_unstable();
        cables
    }
}

fn pick(from: &[(u32, u32)], rng: &mut Rng) -> Option<(u32, u32)> {
    from.get(rng.below(from.len() as u64) as usize).copied()
}
