//! Trees: counts, names, and the only path between two hosts.

use super::*;

/// Returns the tiers of the switches on the path from one host to another, in order.
fn way(net: &Network, src: u32, dst: u32) -> Vec<String> {
    let hops = net.next_hops().unwrap();
    let host = |number: u32| format!("h{number}");
    let rack = (net.switches.iter()).position(|s| peers(net, &s.name).contains(&host(src)));
    let mut at = rack.expect("a switch has the host");
    let mut way = Vec::new();
    loop {
        let info = &net.switches[at];
        way.push(info.tier.clone().expect("a tree has tiers"));
        let [port] = hops[at][dst as usize][..] else {
            panic!("{info}: {:?}", hops[at][dst as usize]);
        };
        let next = &peers(net, &info.name)[usize::from(port.0)];
        if *next == host(dst) {
            return way;
        }
        at = (net.switches.iter())
            .position(|s| s.name == *next)
            .expect("a switch");
    }
}

#[test]
fn a_tree_has_its_closed_form_counts() {
    for (levels, fan_outs) in [
        (1, vec![4]),
        (2, vec![3, 2]),
        (3, vec![2, 3, 4]),
        (4, vec![1, 2, 3, 2]),
    ] {
        let text: Vec<String> = fan_outs.iter().map(u32::to_string).collect();
        let levels = levels.to_string();
        let net = made(
            "tree",
            &[
                ("levels", &levels),
                ("fan_out", &text.join(", ")),
                ("rate", "1 Gbps"),
            ],
        );
        assert_eq!(net.hosts, fan_outs.iter().product::<u32>());
        let mut many = 1;
        let mut switches = 0;
        for fan_out in &fan_outs {
            switches += many;
            many *= fan_out;
        }
        assert_eq!(net.switches.len() as u32, switches);
        assert_eq!(net.cables.len() as u32, switches - 1 + net.hosts);
        assert_eq!(reach(&net).0 as u32, net.hosts);
    }
}

#[test]
fn the_default_has_three_levels_with_hosts_at_1_gbps() {
    let net = made("tree", &[]);
    assert_eq!((net.hosts, net.switches.len()), (40, 7));
    assert_eq!(capacity(&net, "agg", "root"), 20_000_000_000);
    assert_eq!(capacity(&net, "rack", "agg"), 40_000_000_000);
    let access = net.cables.iter().filter(|c| matches!(c.a, End::Host(_)));
    assert!(access.clone().all(|c| c.rate == BitRate::gbps(1)));
    assert!(net.cables.iter().all(|c| c.delay == Time::from_us(8)));
    assert_eq!(reach(&net), (40, 6));
}

#[test]
fn levels_have_names_rates_delays_and_pods_of_their_own() {
    let set = [
        ("fan_out", "2, 3, 2"),
        ("rate", "4 Gbps, 3 Gbps, 2 Gbps"),
        ("delay", "3 us, 2 us, 1 us"),
    ];
    let net = made("tree", &set);
    assert_eq!(peers(&net, "root 0"), ["agg 0", "agg 1"]);
    assert_eq!(
        peers(&net, "agg 1"),
        ["rack 3", "rack 4", "rack 5", "root 0"]
    );
    assert_eq!(peers(&net, "rack 4"), ["h8", "h9", "agg 1"]);
    for cable in &net.cables {
        let (rate, us) = match (cable.a, cable.b) {
            (End::Host(_), _) => (2, 1),
            (_, End::Switch(SwitchId(0))) => (4, 3),
            _ => (3, 2),
        };
        assert_eq!(
            (cable.rate, cable.delay),
            (BitRate::gbps(rate), Time::from_us(us))
        );
    }
    let pods: Vec<_> = net.switches.iter().map(|s| s.pod.as_deref()).collect();
    let (one, two) = (Some("0"), Some("1"));
    assert_eq!(pods, [None, one, two, one, one, one, two, two, two]);
    let deep = made(
        "tree",
        &[("levels", "4"), ("fan_out", "2"), ("rate", "1 Gbps")],
    );
    let tiers: Vec<_> = deep
        .switches
        .iter()
        .filter_map(|s| s.tier.as_deref())
        .collect();
    assert_eq!(tiers[..4], ["root", "agg1", "agg1", "agg2"]);
    let flat = made(
        "tree",
        &[("levels", "1"), ("fan_out", "3"), ("rate", "1 Gbps")],
    );
    assert_eq!(
        (flat.switches[0].name.as_str(), &flat.switches[0].pod),
        ("rack 0", &None)
    );
    let two = made(
        "tree",
        &[("levels", "2"), ("fan_out", "3"), ("rate", "1 Gbps")],
    );
    assert!(
        two.switches.iter().all(|s| s.pod.is_none()),
        "a pod would be a rack"
    );
}

#[test]
fn a_way_goes_up_to_the_switch_that_both_share_and_down() {
    let net = made("tree", &[("fan_out", "2, 2, 2")]);
    assert_eq!(way(&net, 0, 1), ["rack"]);
    assert_eq!(way(&net, 0, 2), ["rack", "agg", "rack"]);
    assert_eq!(way(&net, 3, 0), ["rack", "agg", "rack"]);
    assert_eq!(way(&net, 1, 7), ["rack", "agg", "root", "agg", "rack"]);
    assert_eq!(way(&net, 6, 2), ["rack", "agg", "root", "agg", "rack"]);
}

#[test]
fn trees_that_cannot_be_are_refused() {
    assert_eq!(
        said("tree", &[("fan_out", "2, 2, 0")]),
        "fan_out must be above 0 at every level, since otherwise there are no hosts, got 0"
    );
    assert_eq!(
        said("tree", &[("levels", "0")]),
        "levels must be from 1 to 8, got 0"
    );
    assert_eq!(
        said("tree", &[("levels", "9")]),
        "levels must be from 1 to 8, got 9"
    );
    assert_eq!(
        said("tree", &[("fan_out", "2, 2")]),
        "fan_out must have 1 or 3 entries, for levels = 3, got 2"
    );
    assert_eq!(
        said("tree", &[("levels", "1"), ("fan_out", "4")]),
        "rate must have one entry, for levels = 1, got 3"
    );
    assert_eq!(
        said("tree", &[("delay", "1 us, 1 us")]),
        "delay must have 1 or 3 entries, for levels = 3, got 2"
    );
    assert_eq!(
        said("tree", &[("fan_out", "257")]),
        "fan_out must be from 1 to 256 at every level, got 257"
    );
    assert_eq!(
        said("tree", &[("fan_out", "200")]),
        "expected at most 1048576 hosts, got 8000000"
    );
    assert_eq!(
        said("tree", &[("fan_out", "2, 2, 256")]),
        "switch \"rack 0\": expected at most 256 ports, got 257"
    );
    assert!(
        said("tree", &[("delay", "1 us, 1001 s, 1 us")])
            .contains("expected a delay of at most 1000 s")
    );
}
