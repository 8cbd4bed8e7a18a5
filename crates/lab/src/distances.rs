//! Distances between the hosts of a network.
//!
//! **Units**        switches on a shortest path; a path has one link more.
//! **Deviations**   in a network of more than 2²⁴ switch–cable pairs, 64 evenly spread switches with hosts
//!                  stand for all: the real maximum may be larger, and the mean is approximate.

use sidestep_sim::{End, Network};
use sidestep_types::HostId;
use std::collections::VecDeque;

/// Distances between hosts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Distances {
    /// Largest number of switches between two hosts, and those two hosts.
    pub farthest: (u32, HostId, HostId),
    /// Mean links from one host to another.
    pub mean_links: f64,
}

impl Distances {
    /// Measures the hosts of `network`; all zero if no host reaches another.
    pub fn of(network: &Network) -> Distances {
        let Graph { neighbours, hosts } = Graph::of(network);
        let edges: Vec<usize> = (0..hosts.len()).filter(|s| !hosts[*s].is_empty()).collect();
        let all = edges.len().saturating_mul(network.cables.len()) <= 1 << 24;
        let step = if all { 1 } else { edges.len().div_ceil(64) };
        let mut found = Distances::default();
        let (mut links, mut pairs) = (0.0, 0.0);
        for &from in edges.iter().step_by(step.max(1)) {
            let far = search(&neighbours, from);
            for &to in &edges {
                let Some(crossed) = far[to] else { continue };
                let own = usize::from(from == to);
                let ways = (hosts[from].len() * (hosts[to].len() - own)) as f64;
                links += ways * f64::from(crossed + 1);
                pairs += ways;
                if ways > 0.0 && crossed > found.farthest.0 {
                    let last = hosts[to][hosts[to].len() - 1];
                    found.farthest = (crossed, hosts[from][0], last);
                }
            }
        }
        if pairs > 0.0 {
            found.mean_links = links / pairs;
        }
        found
    }
}

/// Returns an upper bound on the switches between any two hosts of `network`: twice the distance of the switch
/// farthest from one of them. Uses one search, where [`Distances::of`] makes hundreds in a large network.
/// `None` if some hosts cannot reach each other.
pub(crate) fn most_switches(network: &Network) -> Option<u32> {
    let Graph { neighbours, hosts } = Graph::of(network);
    let from = hosts.iter().position(|hosts| !hosts.is_empty())?;
    let far = search(&neighbours, from);
    let with_hosts = far
        .iter()
        .zip(&hosts)
        .filter(|(_, hosts)| !hosts.is_empty());
    let crossed: Option<Vec<u32>> = with_hosts.map(|(crossed, _)| *crossed).collect();
    // Both halves of the path cross the first switch: count it once.
    crossed?.into_iter().max().map(|crossed| 2 * crossed - 1)
}

/// Switches of a network: the neighbours of each, and the hosts attached to it.
struct Graph {
    neighbours: Vec<Vec<usize>>,
    hosts: Vec<Vec<HostId>>,
}

impl Graph {
    fn of(network: &Network) -> Graph {
        let switches = network.switches.len();
        let mut graph = Graph {
            neighbours: vec![Vec::new(); switches],
            hosts: vec![Vec::new(); switches],
        };
        for cable in &network.cables {
            match (cable.a, cable.b) {
                (End::Switch(a), End::Switch(b)) => {
                    graph.neighbours[a.0 as usize].push(b.0 as usize);
                    graph.neighbours[b.0 as usize].push(a.0 as usize);
                }
                (End::Host(h), End::Switch(s)) | (End::Switch(s), End::Host(h)) => {
                    graph.hosts[s.0 as usize].push(h);
                }
                (End::Host(_), End::Host(_)) => {}
            }
        }
        graph
    }
}

/// Returns, for each switch, the number of switches on a path from the hosts of `from` to its own hosts.
fn search(neighbours: &[Vec<usize>], from: usize) -> Vec<Option<u32>> {
    let mut far = vec![None; neighbours.len()];
    far[from] = Some(1);
    let mut queue = VecDeque::from([(from, 1)]);
    while let Some((at, crossed)) = queue.pop_front() {
        for &next in &neighbours[at] {
            if far[next].is_none() {
                far[next] = Some(crossed + 1);
                queue.push_back((next, crossed + 1));
            }
        }
    }
    far
}

#[cfg(test)]
mod tests {
    use super::*;
    use sidestep_sim::{NoFiles, topology};
    use sidestep_types::Values;

    fn network(kind: &str) -> Result<Network, String> {
        let mut entries = topology::ENTRIES.iter();
        let entry = entries.find(|entry| entry.name == kind).unwrap();
        topology::build(kind, &Values::defaults(entry.params), &NoFiles)
            .map_err(|e| format!("{e:?}"))
    }

    fn distances(kind: &str) -> Distances {
        Distances::of(&network(kind).unwrap())
    }

    #[test]
    fn one_search_bounds_the_switches_between_any_two_hosts() {
        for kind in [
            "fat_tree",
            "leaf_spine",
            "single_switch",
            "jellyfish",
            "hyperx",
            "linear",
            "dumbbell",
            "tree",
        ] {
            let network = &network(kind).unwrap();
            let most = most_switches(network).unwrap();
            let farthest = Distances::of(network).farthest.0;
            assert!(
                (farthest..2 * farthest).contains(&most),
                "{most} for {farthest}"
            );
        }
        // Without cables between switches, hosts reach only the hosts of their own switch.
        let mut cut = network("fat_tree").unwrap();
        cut.cables
            .retain(|cable| matches!((cable.a, cable.b), (End::Host(_), _) | (_, End::Host(_))));
        assert_eq!(most_switches(&cut), None);
    }

    #[test]
    fn a_fat_tree_is_five_switches_across_and_one_switch_is_one() {
        let tree = distances("fat_tree");
        assert_eq!(tree.farthest.0, 5);
        // k = 8: of the 127 other hosts 3 share the edge switch, 12 more share the pod, 112 are elsewhere.
        let mean = (3.0 * 2.0 + 12.0 * 4.0 + 112.0 * 6.0) / 127.0;
        assert!((tree.mean_links - mean).abs() < 1e-9, "{tree:?}");
        let one = distances("single_switch");
        assert_eq!((one.farthest.0, one.mean_links), (1, 2.0));
    }
}
