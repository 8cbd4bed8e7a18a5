//! Which links a flow uses, and how much of it is on each.
//!
//! **Decision**     from the sender's switch on towards the receiver, hop by hop along shortest paths. A switch
//!                  whose route reorders sends an equal part by each next hop, `single` all by the first,
//!                  any other all by one that is drawn, ECMP without a salt by one number at all tiers.
//! **State**        the next hops of every switch, once for a network.
//! **Errors**       none: a network that was read has a way between any two hosts.

use crate::scheme::SchemeConfig;
use sidestep_sim::{End, Network};
use sidestep_types::{HostId, PortId, Rng, scale};

/// What a switch does with the packets of a flow that has several next hops.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Splits {
    First,
    Drawn,
    /// By the hash of the flow alone, the same at all tiers.
    Hashed,
    Equally,
}

/// The ways between the hosts of a network.
pub struct Ways {
    /// By switch and host: the ports on shortest paths.
    hops: Vec<Vec<Vec<PortId>>>,
    /// By switch and port: the directed link that it feeds, and where that ends.
    ports: Vec<Vec<(usize, End)>>,
    /// By host: the directed link that it feeds, and the switch there.
    nics: Vec<(usize, usize)>,
    splits: Vec<Splits>,
    /// Does a switch draw?
    pub draws: bool,
    /// Does one go by the hash of the flow alone?
    hashes: bool,
}

impl Ways {
    pub fn new(network: &Network, config: &SchemeConfig) -> Ways {
        let mut ports = vec![Vec::new(); network.switches.len()];
        let mut nics = vec![(0, 0); network.hosts as usize];
        for (cable, c) in network.cables.iter().enumerate() {
            for (near, far, link) in [(c.a, c.b, 2 * cable), (c.b, c.a, 2 * cable + 1)] {
                match (near, far) {
                    (End::Switch(s), _) => ports[s.0 as usize].push((link, far)),
                    (End::Host(h), End::Switch(s)) => nics[h.0 as usize] = (link, s.0 as usize),
                    (End::Host(_), End::Host(_)) => unreachable!("a host is cabled to a switch"),
                }
            }
        }
        let splits = |number| {
            let route = &config.others.kind(&config.switch, number).route;
            match route.name() {
                "single" => Splits::First,
                "ecmp" if route.values().word("salt") == "none" => Splits::Hashed,
                _ if route.nature().reorders => Splits::Equally,
                _ => Splits::Drawn,
            }
        };
        let splits: Vec<Splits> = (0..network.switches.len()).map(splits).collect();
        Ways {
            hops: network.next_hops().expect("a network that was read"),
            ports,
            nics,
            hashes: splits.contains(&Splits::Hashed),
            draws: splits.contains(&Splits::Drawn) || splits.contains(&Splits::Hashed),
            splits,
        }
    }

    /// The directed link that `host` feeds.
    pub fn nic(&self, host: HostId) -> usize {
        self.nics[host.0 as usize].0
    }

    /// Calls `each` with every directed link on the way from `src` to `dst`, and the part of the flow on it.
    pub fn walk(&self, src: HostId, dst: HostId, rng: &mut Rng, mut each: impl FnMut(usize, f64)) {
        let (nic, first) = self.nics[src.0 as usize];
        each(nic, 1.0);
        // One number for a flow and direction, of which a tier without a salt takes the same part.
        let hash = if self.hashes { rng.draw() } else { 0 };
        // All switches of a round are equally far from the receiver, since every hop is on a shortest path.
        let mut round: Vec<(usize, f64)> = vec![(first, 1.0)];
        while !round.is_empty() {
            let mut next: Vec<(usize, f64)> = Vec::new();
            for (switch, part) in round {
                let hops = &self.hops[switch][dst.0 as usize];
                let hops = match self.splits[switch] {
                    Splits::Equally => &hops[..],
                    Splits::First => &hops[..1],
                    Splits::Drawn | Splits::Hashed if hops.len() == 1 => &hops[..],
                    Splits::Hashed => {
                        let named = scale(hash, hops.len() as u32) as usize;
                        &hops[named..=named]
                    }
                    Splits::Drawn => {
                        let drawn = rng.below(hops.len() as u64) as usize;
                        &hops[drawn..=drawn]
                    }
                };
                let part = part / hops.len() as f64;
                for port in hops {
                    let (link, far) = self.ports[switch][usize::from(port.0)];
                    each(link, part);
                    let End::Switch(far) = far else { continue };
                    match next.iter_mut().find(|(at, _)| *at == far.0 as usize) {
                        Some((_, sum)) => *sum += part,
                        None => next.push((far.0 as usize, part)),
                    }
                }
            }
            round = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scenario;
    use std::collections::BTreeMap;

    /// The links from the cores' side of a fat tree with k = 4, from host 0 to host 15: by name, and how much.
    fn walked(route: &str) -> BTreeMap<String, f64> {
        let text = format!(
            "duration = \"1 ms\"\nschemes = [\"one\"]\n[topology]\nkind = \"fat_tree\"\nk = 4\n\
             [workload.all]\nkind = \"permutation\"\n[scheme.one.switch]\n{route}\n"
        );
        let read = Scenario::read("t.toml", &text, &[], &sidestep_sim::NoFiles);
        let scenario = read.unwrap_or_else(|problems| panic!("{problems:?}"));
        let network = &scenario.network;
        let ways = Ways::new(network, &scenario.schemes[0].config);
        let mut found = BTreeMap::new();
        let mut rng = Rng::from_seed(3);
        ways.walk(HostId(0), HostId(15), &mut rng, |link, part| {
            let cable = &network.cables[link / 2];
            let (from, to) = match link % 2 {
                0 => (cable.a, cable.b),
                _ => (cable.b, cable.a),
            };
            let name = format!("{} > {}", from.name(network), to.name(network));
            *found.entry(name).or_default() += part;
        });
        found
    }

    #[test]
    fn what_is_sprayed_is_in_equal_parts_on_every_shortest_path() {
        let found = walked("route = \"spray-random\"");
        let with = |part: f64| found.values().filter(|p| **p == part).count();
        // Both hosts' links; two to and from aggregation; four to and from cores.
        assert_eq!((with(1.0), with(0.5), with(0.25)), (2, 4, 8));
        assert_eq!(found.len(), 14);
        assert_eq!(found["host 0 > edge 0.0"], 1.0);
        assert_eq!(found["agg 0.1 > core 3"], 0.25);
        assert_eq!(found["edge 3.1 > host 15"], 1.0);
    }

    #[test]
    fn what_is_hashed_or_has_one_way_is_whole_on_six_links() {
        for route in ["route = \"ecmp\"", "route = \"single\""] {
            let found = walked(route);
            assert_eq!(found.len(), 6, "{found:?}");
            assert!(found.values().all(|part| *part == 1.0), "{found:?}");
        }
        assert!(walked("route = \"single\"").contains_key("agg 0.0 > core 0"));
    }

    #[test]
    fn each_switch_does_as_it_is_told() {
        let found = walked("route = \"single\"\nat = { agg = { route = \"spray-random\" } }");
        assert_eq!(found["edge 0.0 > agg 0.0"], 1.0);
        assert_eq!(found["agg 0.0 > core 0"], 0.5);
        assert_eq!(found["core 1 > agg 3.0"], 0.5);
        assert_eq!(found["agg 3.0 > edge 3.1"], 1.0);
    }
}
