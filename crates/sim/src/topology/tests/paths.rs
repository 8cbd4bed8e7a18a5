//! Next hops against the search from every switch with hosts.

use super::made;
use crate::fib::{Fib, Ports};
use crate::network::{Cable, End, Network, SwitchInfo};
use proptest::prelude::*;
use sidestep_types::{BitRate, HostId, SwitchId, Time};

/// Returns the tables when every destination is searched by itself and every switch learns one after the other.
fn searched(ports: &Ports) -> Vec<Fib> {
    let n = ports.of_switch.len();
    let (mut fibs, mut sets) = (vec![Fib::new(n); n], vec![Vec::new(); n]);
    ports.each_way(&|_| false, |to, s, way| {
        fibs[s].learn(&mut sets[s], to, way)
    });
    fibs
}

/// Checks that the network's tables are those, with the same numbers of sets; returns the number of different
/// tables.
fn tables(network: &Network) -> usize {
    let ports = Ports::number(network).unwrap();
    let (fibs, expected) = (
        ports.shortest_paths(&network.switches).unwrap(),
        searched(&ports),
    );
    let to_all = ports.attachments.iter().map(|at| at.switch);
    for to in to_all {
        for (s, (fib, expected)) in fibs.iter().zip(&expected).enumerate() {
            let (got, expected) = (fib.hops(to), expected.hops(to));
            let other = s != to as usize;
            assert!(
                !other || (got.ports, got.set) == (expected.ports, expected.set),
                "{} to {}: {:?}, expected {:?}",
                network.switches[s],
                network.switches[to as usize],
                (got.ports, got.set),
                (expected.ports, expected.set)
            );
        }
    }
    let is_first = |(s, fib): &(usize, &Fib)| !fibs[..*s].iter().any(|before| before.is(fib));
    fibs.iter().enumerate().filter(is_first).count()
}

#[test]
fn regular_networks_have_the_tables_of_a_search_from_everywhere_and_share_them() {
    for (name, set, expected) in [
        // All edges share one table, those of a pod's aggregations differ from the next pod's, and all cores
        // share one.
        ("fat_tree", &[("k", "4")][..], 1 + 4 + 1),
        ("fat_tree", &[("k", "8")], 1 + 8 + 1),
        ("fat_tree", &[("k", "8"), ("cores", "4")], 1 + 8 + 1),
        ("leaf_spine", &[], 1 + 1),
        // No two switches are alike; the core shares the table of one aggregation.
        ("fat_tree", &[("k", "2")], 2 + 2),
    ] {
        assert_eq!(tables(&made(name, set)), expected, "{name} {set:?}");
    }
    for entry in super::ENTRIES {
        if entry.name != "custom" {
            tables(&made(entry.name, &[]));
        }
    }
}

#[test]
fn a_switch_that_nobody_reaches_is_named() {
    let mut network = made("leaf_spine", &[]);
    let lonely = network.switches.len() as u32;
    network.switches.push(SwitchInfo::of_tier("lonely", 0));
    network
        .cables
        .retain(|cable| cable.a != End::Host(HostId(0)) && cable.b != End::Host(HostId(0)));
    let (rate, delay) = (network.cables[0].rate, network.cables[0].delay);
    network.cables.push(Cable {
        a: End::Host(HostId(0)),
        b: End::Switch(SwitchId(lonely)),
        rate,
        delay,
    });
    let ports = Ports::number(&network).unwrap();
    let said = ports.shortest_paths(&network.switches).unwrap_err();
    assert_eq!(said, "switch lonely 0 cannot reach switch leaf 0");
}

proptest! {
    /// Any graph, with several cables between two switches, switches without hosts, and many that are alike.
    #[test]
    fn any_network_has_the_tables_of_a_search_from_everywhere(
        switches in 1u32..10,
        chosen in proptest::collection::vec((0u32..10, 0u32..10), 0..30),
        hosts in proptest::collection::vec(0u32..10, 1..12),
    ) {
        let end = |s: u32| End::Switch(SwitchId(s % switches));
        let cable = |a, b| Cable { a, b, rate: BitRate::gbps(1), delay: Time::from_us(1) };
        let mut cables: Vec<Cable> = (1..switches)
            .map(|s| cable(end(s), end(chosen.get(s as usize).map_or(0, |c| c.0) % s)))
            .collect();
        let more = chosen.iter().filter(|(a, b)| a % switches != b % switches);
        cables.extend(more.map(|(a, b)| cable(end(*a), end(*b))));
        let nics = (0..).zip(&hosts);
        cables.extend(nics.map(|(h, s)| cable(End::Host(HostId(h)), end(*s))));
        tables(&Network {
            hosts: hosts.len() as u32,
            switches: (0..switches).map(|s| SwitchInfo::of_tier("s", s)).collect(),
            cables,
        });
    }
}
