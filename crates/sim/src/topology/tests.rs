//! Laws of every topology, and the network that each lays; networks from files and refusals have separate files.

mod own;
mod paths;
mod refused;
mod tree;

use super::*;
use crate::files::NoFiles;
use sidestep_types::Value;

/// A file system of one file.
struct One<'a>(&'a str);

impl Files for One<'_> {
    fn read(&self, _: &str) -> Result<String, String> {
        Ok(self.0.to_string())
    }
}

fn with(name: &str, set: &[(&str, &str)], files: &dyn Files) -> Result<Network, Refusal> {
    let entry = ENTRIES.iter().find(|e| e.name == name).unwrap();
    let mut values = Values::default();
    for param in entry.params {
        let given = set.iter().find(|(n, _)| *n == param.name);
        let text = given.map_or(param.default, |(_, text)| Some(text));
        values.set(param.name, Value::parse(text.unwrap(), param).unwrap());
    }
    for (name, _) in set {
        assert!(
            entry.params.iter().any(|p| p.name == *name),
            "{name} is a parameter"
        );
    }
    build(name, &values, files)
}

fn made(name: &str, set: &[(&str, &str)]) -> Network {
    with(name, set, &NoFiles).unwrap()
}

fn said(name: &str, set: &[(&str, &str)]) -> String {
    with(name, set, &NoFiles).unwrap_err().to_string()
}

fn custom(text: &str) -> Result<Network, Refusal> {
    with("custom", &[("file", "net.csv")], &One(text))
}

/// Returns the number of cables of each switch, by name.
fn ports(net: &Network) -> Vec<(&str, usize)> {
    let mut ports: Vec<_> = net.switches.iter().map(|s| (s.name.as_str(), 0)).collect();
    for end in net.cables.iter().flat_map(|c| [c.a, c.b]) {
        if let End::Switch(s) = end {
            ports[s.0 as usize].1 += 1;
        }
    }
    ports
}

/// Returns the bits per second between switches whose names start with `a` and `b`.
fn capacity(net: &Network, a: &str, b: &str) -> u64 {
    let starts = |end, word| matches!(end, End::Switch(s) if net.switches[s.0 as usize].name.starts_with(word));
    let between = net
        .cables
        .iter()
        .filter(|c| starts(c.a, a) && starts(c.b, b));
    between.map(|c| c.rate.as_bps()).sum()
}

/// Returns the number of hosts reachable from host 0, and the longest shortest path from it, in cables.
fn reach(net: &Network) -> (usize, usize) {
    let mut far = vec![(End::Host(HostId(0)), 0)];
    let mut next = 0;
    while next < far.len() {
        let (at, hops) = far[next];
        next += 1;
        for c in &net.cables {
            let other = if c.a == at { c.b } else { c.a };
            if (c.a == at || c.b == at) && far.iter().all(|(e, _)| *e != other) {
                far.push((other, hops + 1));
            }
        }
    }
    let hosts: Vec<_> = far
        .iter()
        .filter(|(e, _)| matches!(e, End::Host(_)))
        .collect();
    (
        hosts.len(),
        hosts.iter().map(|(_, hops)| *hops).max().unwrap(),
    )
}

#[test]
fn a_fat_tree_has_its_closed_form_counts() {
    for k in [2u32, 4, 6, 8, 16] {
        let net = made("fat_tree", &[("k", &k.to_string())]);
        assert_eq!(net.hosts, k * k * k / 4);
        assert_eq!(net.switches.len() as u32, 5 * k * k / 4);
        assert!(ports(&net).iter().all(|(_, n)| *n as u32 == k), "k = {k}");
        // Full bisection: every tier carries what the hosts can send.
        let hosts = u64::from(net.hosts) * 1_000_000_000;
        assert_eq!(capacity(&net, "edge", "agg"), hosts);
        assert_eq!(capacity(&net, "agg", "core"), hosts);
    }
    let net = made("fat_tree", &[("k", "4")]);
    assert_eq!(reach(&net), (16, 6));
    assert_eq!(net.switches[0].name, "edge 0.0");
    assert_eq!(net.switches[19].name, "core 3");
}

#[test]
fn a_core_leads_once_to_every_pod() {
    let net = made("fat_tree", &[("k", "6")]);
    for (s, SwitchInfo { name, .. }) in net
        .switches
        .iter()
        .enumerate()
        .filter(|(_, s)| s.tier.as_deref() == Some("core"))
    {
        let core = End::Switch(SwitchId(s as u32));
        let up = net
            .cables
            .iter()
            .filter(|c| c.b == core)
            .map(|c| match c.a {
                End::Switch(agg) => net.switches[agg.0 as usize].name.as_str(),
                End::Host(_) => panic!("a host on {name}"),
            });
        let group: u32 = name[5..].parse::<u32>().unwrap() / 3;
        let expected: Vec<_> = (0..6).map(|pod| format!("agg {pod}.{group}")).collect();
        assert_eq!(up.collect::<Vec<_>>(), expected);
    }
}

/// Returns the far ends of the ports of the switch called `name`, in order.
fn peers(net: &Network, name: &str) -> Vec<String> {
    let me = net.switches.iter().position(|s| s.name == name).unwrap();
    let me = End::Switch(SwitchId(me as u32));
    let ends = net.cables.iter().filter(|c| c.a == me || c.b == me);
    let name = |end| match end {
        End::Host(h) => format!("h{}", h.0),
        End::Switch(s) => net.switches[s.0 as usize].to_string(),
    };
    ends.map(|c| name(if c.a == me { c.b } else { c.a }))
        .collect()
}

#[test]
fn ports_follow_the_documented_order() {
    let net = made("fat_tree", &[("k", "4")]);
    assert_eq!(peers(&net, "edge 1.0"), ["h4", "h5", "agg 1.0", "agg 1.1"]);
    assert_eq!(
        peers(&net, "agg 1.1"),
        ["edge 1.0", "edge 1.1", "core 2", "core 3"]
    );
    assert_eq!(
        peers(&net, "core 2"),
        ["agg 0.1", "agg 1.1", "agg 2.1", "agg 3.1"]
    );
    let net = made("linear", &[]);
    assert_eq!(
        peers(&net, "switch 1"),
        ["h2", "h3", "switch 0", "switch 2"]
    );
    let net = made(
        "leaf_spine",
        &[("leaves", "2"), ("spines", "2"), ("hosts_per_leaf", "1")],
    );
    assert_eq!(peers(&net, "leaf 1"), ["h1", "spine 0", "spine 1"]);
    assert_eq!(peers(&net, "spine 1"), ["leaf 0", "leaf 1"]);
    let net = made("testbed", &[]);
    assert_eq!(peers(&net, "edge 2"), ["h4", "h5", "agg 0", "agg 1"]);
    assert_eq!(peers(&net, "agg 1"), ["edge 0", "edge 1", "edge 2"]);
    let net = made("dumbbell", &[("left", "1"), ("right", "2")]);
    assert_eq!(peers(&net, "right"), ["h1", "h2", "left"]);
}

#[test]
fn oversubscription_divides_the_links_between_switches_and_no_other() {
    let net = made("fat_tree", &[("oversubscribe_links", "2")]);
    let access: u64 = (net.cables.iter())
        .filter(|c| matches!(c.a, End::Host(_)))
        .map(|c| c.rate.as_bps())
        .sum();
    assert_eq!(access, 128_000_000_000);
    assert_eq!(access / capacity(&net, "edge", "agg"), 2);
    assert_eq!(access / capacity(&net, "agg", "core"), 2);
    let both = [("oversubscribe_links", "4"), ("oversubscribe_core", "4")];
    let net = made("fat_tree", &both);
    assert_eq!(access / capacity(&net, "edge", "agg"), 4);
    assert_eq!(access / capacity(&net, "agg", "core"), 16);
}

#[test]
fn cores_are_kept_evenly_per_group_under_their_own_numbers() {
    let net = made("fat_tree", &[("k", "8"), ("cores", "8")]);
    let kept: Vec<_> = net
        .switches
        .iter()
        .map(|s| s.name.as_str())
        .filter(|n| n.starts_with("core"))
        .collect();
    assert_eq!(
        kept,
        [
            "core 0", "core 1", "core 4", "core 5", "core 8", "core 9", "core 12", "core 13"
        ]
    );
    assert!(
        ports(&net)
            .iter()
            .all(|(n, p)| *p == if n.starts_with("agg") { 6 } else { 8 })
    );
    for cores in ["0", "6", "20"] {
        let said = said("fat_tree", &[("cores", cores)]);
        assert!(
            said.starts_with("cores must be a multiple of k/2 = 4 from 4 to 16"),
            "{said}"
        );
        assert!(said.ends_with(&format!("got {cores}")), "{said}");
    }
}

#[test]
fn leaf_spine_and_the_small_ones_have_their_counts() {
    let net = made("leaf_spine", &[]);
    assert_eq!(
        (net.hosts, net.switches.len(), net.cables.len()),
        (320, 12, 320 + 32)
    );
    assert!(
        ports(&net)
            .iter()
            .all(|(n, p)| *p == if n.starts_with("leaf") { 44 } else { 8 })
    );
    assert_eq!(capacity(&net, "leaf", "spine"), 32 * 40_000_000_000);

    let net = made("single_switch", &[("hosts", "40")]);
    assert_eq!(
        (net.hosts, net.switches.len(), reach(&net)),
        (40, 1, (40, 2))
    );

    let net = made(
        "dumbbell",
        &[
            ("left", "3"),
            ("right", "5"),
            ("bottleneck_rate", "100 Mbps"),
        ],
    );
    assert_eq!(
        (net.hosts, ports(&net)),
        (8, vec![("left", 4), ("right", 6)])
    );
    assert_eq!(capacity(&net, "left", "right"), 100_000_000);

    let net = made("linear", &[("switches", "5")]);
    assert_eq!((net.hosts, reach(&net)), (10, (10, 6)));

    let net = made("testbed", &[]);
    assert_eq!((net.hosts, reach(&net)), (6, (6, 4)));
    let p = ports(&net);
    assert_eq!(
        p,
        [
            ("edge 0", 4),
            ("edge 1", 4),
            ("edge 2", 4),
            ("agg 0", 3),
            ("agg 1", 3)
        ]
    );
}

/// The neighbours of each switch among switches.
fn graph(net: &Network) -> Vec<Vec<u32>> {
    let mut graph = vec![Vec::new(); net.switches.len()];
    for cable in &net.cables {
        if let (End::Switch(a), End::Switch(b)) = (cable.a, cable.b) {
            graph[a.0 as usize].push(b.0);
            graph[b.0 as usize].push(a.0);
        }
    }
    graph
}

#[test]
fn jellyfish_is_a_simple_regular_connected_graph() {
    let cases = [
        (20, 4),
        (2, 1),
        (9, 2),
        (16, 15),
        (15, 14),
        (64, 6),
        (40, 3),
        (33, 32),
        (12, 10),
    ];
    for ((switches, degree), draw) in cases.into_iter().zip(1u32..) {
        let set = [switches.to_string(), degree.to_string(), draw.to_string()];
        let set = [
            ("switches", &*set[0]),
            ("degree", &*set[1]),
            ("graph", &*set[2]),
        ];
        let net = made("jellyfish", &set);
        assert_eq!(
            (net.hosts, net.switches.len()),
            (2 * switches, switches as usize)
        );
        for (s, mut far) in graph(&net).into_iter().enumerate() {
            assert_eq!(far.len(), degree, "switch {s} of {set:?}");
            assert!(far.is_sorted(), "ports follow the neighbours' numbers");
            far.dedup();
            assert_eq!(far.len(), degree, "two cables from switch {s} of {set:?}");
        }
        assert_eq!(reach(&net).0, net.hosts as usize, "{set:?}");
    }
}

#[test]
fn jellyfish_ports_left_over_split_a_cable() {
    // So close to a full mesh, the pairs often run out before the ports do.
    for draw in 0..200 {
        let net = made(
            "jellyfish",
            &[
                ("switches", "8"),
                ("degree", "6"),
                ("graph", &draw.to_string()),
            ],
        );
        assert!(graph(&net).iter().all(|far| far.len() == 6), "graph {draw}");
    }
}

#[test]
fn a_jellyfish_is_the_same_graph_for_the_same_number_and_no_other() {
    let drawn = |number| made("jellyfish", &[("graph", number)]);
    assert_eq!(drawn("3"), drawn("3"));
    assert_ne!(graph(&drawn("3")), graph(&drawn("4")));
    // The graph does not depend on hosts and rates.
    let other = made(
        "jellyfish",
        &[
            ("graph", "3"),
            ("hosts_per_switch", "1"),
            ("rate", "10 Gbps"),
        ],
    );
    assert_eq!(graph(&other), graph(&drawn("3")));
}

#[test]
fn a_jellyfish_of_impossible_degree_is_refused_with_the_reason() {
    let said = |switches, degree| said("jellyfish", &[("switches", switches), ("degree", degree)]);
    assert_eq!(
        said("6", "6"),
        "degree must be below the number of switches (6), since two have one cable at most, got 6"
    );
    assert_eq!(
        said("7", "3"),
        "degree must be even for an odd number of switches (7), since a cable has two ends, got 3"
    );
    assert_eq!(
        said("4", "1"),
        "degree must be 2 or more to connect 4 switches, got 1"
    );
}

#[test]
fn hyperx_has_its_closed_form_counts_and_diameter() {
    for shape in [
        &[1][..],
        &[5],
        &[4, 4],
        &[2, 3, 4],
        &[2, 2, 2, 2],
        &[3, 1, 2],
    ] {
        let text: Vec<_> = shape.iter().map(u32::to_string).collect();
        let net = made(
            "hyperx",
            &[("shape", &text.join("x")), ("hosts_per_switch", "3")],
        );
        let switches: u32 = shape.iter().product();
        let degree: u32 = shape.iter().map(|n| n - 1).sum();
        assert_eq!(
            (net.hosts, net.switches.len() as u32),
            (3 * switches, switches)
        );
        assert_eq!(
            net.cables.len() as u32,
            3 * switches + switches * degree / 2
        );
        assert!(
            ports(&net).iter().all(|(_, n)| *n as u32 == 3 + degree),
            "{shape:?}"
        );
        // Host to switch, a cable for each coordinate that differs, switch to host.
        let dimensions = shape.iter().filter(|n| **n > 1).count();
        assert_eq!(
            reach(&net),
            (net.hosts as usize, 2 + dimensions),
            "{shape:?}"
        );
    }
    let net = made("hyperx", &[("shape", "2x3"), ("hosts_per_switch", "1")]);
    assert_eq!(
        peers(&net, "switch 1.1"),
        ["h4", "switch 0.1", "switch 1.0", "switch 1.2"]
    );
    assert_eq!(
        said("hyperx", &[("shape", "4y4")]),
        "shape: expected 1 to 8 numbers from 1 to 256 like \"4x4\", got \"4y4\""
    );
    assert_eq!(
        said("hyperx", &[("shape", "200x100"), ("hosts_per_switch", "1")]),
        "hosts_per_switch and shape: expected at most 256 ports per switch, got 299"
    );
    assert_eq!(
        said("hyperx", &[("shape", "256x256x256x256x256x256x256x256")]),
        "hosts_per_switch and shape: expected at most 256 ports per switch, got 2044"
    );
    assert_eq!(
        said("hyperx", &[("shape", "30x30x30x30x30x30x30")]),
        "expected at most 1048576 hosts, got 87480000000"
    );
}

/// Returns the tier and the pod of the switch called `name`.
fn said_of(net: &Network, name: &str) -> (Option<String>, Option<String>) {
    let found = net.switches.iter().find(|s| s.name == name);
    let SwitchInfo { tier, pod, .. } = found.unwrap_or_else(|| panic!("no {name}")).clone();
    (tier, pod)
}

#[test]
fn every_topology_says_tiers_and_pods() {
    let some = |tier: &str, pod: &str| {
        let known = |word: &str| (!word.is_empty()).then(|| word.to_string());
        (known(tier), known(pod))
    };
    let tree = made("fat_tree", &[("k", "4")]);
    assert_eq!(said_of(&tree, "edge 3.1"), some("edge", "3"));
    assert_eq!(said_of(&tree, "agg 2.0"), some("agg", "2"));
    assert_eq!(said_of(&tree, "core 3"), some("core", ""));
    assert_eq!(
        said_of(&made("leaf_spine", &[]), "spine 1"),
        some("spine", "")
    );
    assert_eq!(said_of(&made("testbed", &[]), "edge 2"), some("edge", ""));
    assert_eq!(said_of(&made("linear", &[]), "switch 1"), some("", ""));
    assert_eq!(said_of(&made("dumbbell", &[]), "right"), some("", ""));
    let grid = made("hyperx", &[("shape", "2x3")]);
    assert_eq!(said_of(&grid, "switch 1.2"), some("", "1"));
    assert_eq!(grid.switches[5].tier_or_name(), "switch 1.2");
    let text = "a,b,rate,delay\nh0,tor7,1 Gbps,1 us\ntor7,leaf 1.0,1 Gbps,1 us\n\
                leaf 1.0,spine 4,1 Gbps,1 us\nspine 4,switch 3,1 Gbps,1 us\n";
    let own = custom(text).unwrap();
    assert_eq!(said_of(&own, "tor7"), some("", ""));
    assert_eq!(said_of(&own, "leaf 1.0"), some("leaf", "1"));
    assert_eq!(said_of(&own, "spine 4"), some("spine", ""));
    assert_eq!(said_of(&own, "switch 3"), some("", ""));
}

#[test]
fn every_default_builds_a_network_whose_hosts_all_reach_each_other() {
    for entry in ENTRIES
        .iter()
        .filter(|e| e.params.iter().all(|p| p.default.is_some()))
    {
        let net = made(entry.name, &[]);
        assert_eq!(reach(&net).0, net.hosts as usize, "{}", entry.name);
    }
}
