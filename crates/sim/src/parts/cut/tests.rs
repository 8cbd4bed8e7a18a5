use super::*;
use crate::files::NoFiles;
use crate::topology;
use sidestep_types::{Value, Values};

fn network(name: &str, sets: &[(&str, &str)]) -> Network {
    let entry = topology::ENTRIES.iter().find(|e| e.name == name).unwrap();
    let mut values = Values::default();
    for param in entry.params {
        let set = sets.iter().find(|(n, _)| *n == param.name);
        if let Some(text) = set.map(|s| s.1).or(param.default) {
            values.set(param.name, Value::parse(text, param).unwrap());
        }
    }
    topology::build(name, &values, &NoFiles).unwrap()
}

fn cut(network: &Network, parts: usize) -> Result<Cut, CutError> {
    Cut::of(network, parts, Framing::Ethernet)
}

/// Number of hosts of each part.
fn hosts(cut: &Cut) -> Vec<usize> {
    let of = |part: u16| cut.of_host.iter().filter(|own| **own == part).count();
    (0..cut.parts() as u16).map(of).collect()
}

#[test]
fn pods_stay_whole_and_cores_are_shared_out() {
    for (k, parts) in [("4", 2), ("8", 2), ("8", 4)] {
        let tree = network("fat_tree", &[("k", k)]);
        let cut = cut(&tree, parts).unwrap();
        let k: usize = k.parse().unwrap();
        assert_eq!(hosts(&cut), vec![k * k * k / 4 / parts; parts]);
        // Only the cables of a core to pods of other parts.
        let cores = k * k / 4;
        assert_eq!(cut.cables(), cores * (k - k / parts), "k = {k}");
        for part in 0..parts as u16 {
            let own = cut.of_switch.iter().filter(|of| **of == part).count();
            assert_eq!(own, cut.of_switch.len() / parts);
        }
    }
}

#[test]
fn the_lookahead_is_the_delay_and_the_shortest_packet() {
    let tree = network("fat_tree", &[("k", "4"), ("delay", "5 us")]);
    // 84 bytes at 1 Gbps.
    let expected = Time::from_ns(5_000 + 672);
    assert_eq!(cut(&tree, 2).unwrap().lookahead(), expected);
}

#[test]
fn every_host_is_with_its_switch_and_every_part_has_some() {
    let networks = [
        network("fat_tree", &[("k", "4")]),
        network(
            "leaf_spine",
            &[("leaves", "5"), ("spines", "3"), ("hosts_per_leaf", "4")],
        ),
        network("linear", &[("switches", "7"), ("hosts_per_switch", "2")]),
        network(
            "jellyfish",
            &[
                ("switches", "12"),
                ("degree", "4"),
                ("hosts_per_switch", "2"),
            ],
        ),
        network(
            "tree",
            &[("levels", "2"), ("fan_out", "4"), ("rate", "1 Gbps")],
        ),
    ];
    for network in &networks {
        for parts in 1..=Cut::most(network) {
            let cut = cut(network, parts).unwrap();
            assert!(hosts(&cut).iter().all(|hosts| *hosts > 0), "{cut:?}");
            for cable in &network.cables {
                if let (End::Host(_), to) | (to, End::Host(_)) = (cable.a, cable.b) {
                    let host = if to == cable.a { cable.b } else { cable.a };
                    assert_eq!(cut.of_end(host), cut.of_end(to));
                }
            }
        }
    }
}

#[test]
fn a_row_of_switches_is_cut_once() {
    let row = network("linear", &[("switches", "8"), ("hosts_per_switch", "2")]);
    let cut = cut(&row, 2).unwrap();
    assert_eq!((cut.cables(), hosts(&cut)), (1, vec![8, 8]));
}

#[test]
fn what_cannot_be_cut_says_why() {
    let star = network("single_switch", &[("hosts", "16")]);
    assert_eq!(cut(&star, 2), Err(CutError::OneSwitch));
    assert!(cut(&star, 1).is_ok());
    let tree = network("fat_tree", &[("k", "4")]);
    assert_eq!(cut(&tree, 9), Err(CutError::TooMany { useful: 8 }));
    let close = network("fat_tree", &[("k", "4"), ("delay", "0 us")]);
    assert_eq!(cut(&close, 2), Err(CutError::NoDelay));
}
