//! Loads as shares: of hosts' links, and of the links above their switches.

use super::*;
use crate::network::End;

fn laid(topology: &str, set: &[(&'static str, Value)]) -> Network {
    let entry = topology::ENTRIES
        .iter()
        .find(|e| e.name == topology)
        .unwrap();
    let mut values = Values::defaults(entry.params);
    set.iter()
        .for_each(|(name, value)| values.set(name, value.clone()));
    topology::build(topology, &values, &NoFiles).unwrap()
}

fn on(net: &Network, name: &str, set: &[(&str, &str)]) -> Result<AnyWorkload, Refusal> {
    build(name, &values(name, set), &NoFiles, net)
}

/// Returns the payload that `name` offers to `net`, in Gbps.
fn gbps(net: &Network, name: &str, set: &[(&str, &str)]) -> f64 {
    let made = on(net, name, set).unwrap();
    made.load(Cost::default(), SECOND).payload_bps / 1e9
}

#[test]
fn vertigos_loads_are_shares_of_the_leaf_spine_links() {
    let net = laid("leaf_spine", &[]);
    let fabric = Site::of(&net).fabric.unwrap();
    assert_eq!(
        (fabric.bps, &*fabric.name),
        (1_280_000_000_000, "leaf to spine")
    );
    let asked = |more: &[(&'static str, &'static str)]| {
        let set = [("degree", "100"), ("size", "40 kB")];
        gbps(&net, "query", &[&set[..], more].concat())
    };
    // 4,000 queries a second of 100 answers of 40 kB are 10 % of 8 * 4 * 40 Gbps, and vice versa.
    assert_eq!(asked(&[("rate", "4000 /s")]), 0.1 * 8.0 * 4.0 * 40.0);
    let load = [("rate", "off"), ("load", "0.1"), ("load_of", "fabric")];
    assert_eq!(asked(&load), 128.0);
    assert_eq!(asked(&[("rate", "off"), ("load", "0.1")]), 320.0);
    let set = [
        ("inter_arrival", "off"),
        ("load", "0.5"),
        ("load_of", "fabric"),
    ];
    assert!((gbps(&net, "background", &set) - 640.0).abs() < 1e-6);
    let set = [("inter_arrival", "off"), ("load", "0.5")];
    assert!((gbps(&net, "background", &set) - 1600.0).abs() < 1e-6);
}

#[test]
fn a_share_of_the_fabric_draws_what_the_same_share_of_the_links_does() {
    let net = laid("leaf_spine", &[]);
    let plan = |set: &[(&str, &str)]| {
        let set = [&[("inter_arrival", "off")][..], set].concat();
        planned(&on(&net, "background", &set).unwrap(), Time::from_ms(2), 1)
    };
    // 1.28 of 3.2 Tbps: 0.5 of the fabric is 0.2 of the links.
    let (a, b) = (
        plan(&[("load", "0.5"), ("load_of", "fabric")]),
        plan(&[("load", "0.2")]),
    );
    assert!(a.flows.len() > 100);
    assert_eq!(a.flows, b.flows);
}

#[test]
fn a_fat_trees_fabric_is_from_its_edge_whatever_its_core_is() {
    let narrow = [
        ("k", Value::Count(8)),
        ("oversubscribe_core", Value::Count(4)),
    ];
    for set in [&narrow[..1], &narrow] {
        let fabric = Site::of(&laid("fat_tree", set)).fabric.unwrap();
        assert_eq!(
            (fabric.bps, &*fabric.name),
            (128_000_000_000, "edge to agg")
        );
    }
}

#[test]
fn a_slower_hosts_link_offers_less_of_the_fabrics_load() {
    let mut net = laid("leaf_spine", &[]);
    let first = net.cables.iter_mut().find(|c| c.a == End::Host(HostId(0)));
    first.unwrap().rate = sidestep_types::BitRate::gbps(1);
    let set = [
        ("inter_arrival", "off"),
        ("load", "0.9"),
        ("load_of", "fabric"),
    ];
    assert!((gbps(&net, "background", &set) - 0.9 * 1280.0).abs() < 1e-6);
    let plan = planned(
        &on(&net, "background", &set).unwrap(),
        Time::from_ms(500),
        1,
    );
    let from = |h| plan.flows.iter().filter(|f| f.src == HostId(h)).count() as f64;
    let others = (1..20).map(from).sum::<f64>() / 19.0;
    assert!(
        near(from(0), others / 10.0, (others / 10.0).sqrt()),
        "{} {others}",
        from(0)
    );
}

#[test]
fn where_every_switch_has_hosts_there_is_no_fabric() {
    for topology in ["single_switch", "dumbbell", "linear", "jellyfish", "hyperx"] {
        let net = laid(topology, &[]);
        assert_eq!(Site::of(&net).fabric, None, "{topology}");
        for (name, off) in [("query", "rate"), ("background", "inter_arrival")] {
            let set = [(off, "off"), ("load", "0.1"), ("load_of", "fabric")];
            let set = match name {
                "query" => [&set[..], &[("degree", "1")]].concat(),
                _ => set.to_vec(),
            };
            assert_eq!(
                on(&net, name, &set).unwrap_err().to_string(),
                "load_of = \"fabric\" needs switches that connect the racks, got a topology \
                 without any"
            );
        }
    }
}

#[test]
fn a_load_and_what_it_stands_for_do_not_go_together() {
    assert_eq!(
        said("query", 64, &[("load", "0.1")]),
        "set one of rate and load, and the other to \"off\", got both"
    );
    assert!(said("query", 64, &[("rate", "off")]).ends_with("got neither"));
    assert_eq!(
        said("query", 64, &[("rate", "off"), ("load", "0")]),
        "load must be above 0, got 0"
    );
    assert_eq!(
        said("query", 64, &[("load_of", "fabric")]),
        "load_of = \"fabric\" needs a load, got load = \"off\""
    );
    let tiny = [
        ("rate", "off"),
        ("load", "0.000000000001"),
        ("size", "100 GB"),
    ];
    assert_eq!(
        said("query", 64, &tiny),
        "load must give at least one query in 1,000,000 s, got fewer"
    );
}
