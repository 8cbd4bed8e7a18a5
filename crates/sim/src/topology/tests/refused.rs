//! Impossible networks.

use super::*;

#[test]
fn impossible_networks_are_refused_with_expected_and_got() {
    assert_eq!(said("fat_tree", &[("k", "7")]), "k must be even, got 7");
    assert_eq!(
        said("fat_tree", &[("k", "0")]),
        "k must be from 2 to 256, got 0"
    );
    assert_eq!(
        said("fat_tree", &[("k", "258")]),
        "k must be from 2 to 256, got 258"
    );
    assert_eq!(
        said("fat_tree", &[("k", "256")]),
        "expected at most 1048576 hosts, got 4194304"
    );
    assert_eq!(
        said("fat_tree", &[("k", "18446744073709551615")]),
        "k must be from 2 to 256, got 18446744073709551615"
    );
    assert_eq!(
        said(
            "fat_tree",
            &[("rate", "3 bps"), ("oversubscribe_links", "4")]
        ),
        "cable switch \"edge 0.0\" to switch \"agg 0.0\": expected a rate above 0, got 0 bps"
    );
    assert_eq!(
        said("fat_tree", &[("oversubscribe_links", "0")]),
        "oversubscribe_links must be from 1 to 1000000, got 0"
    );
    assert_eq!(
        said("single_switch", &[("hosts", "0")]),
        "hosts must be from 1 to 256, got 0"
    );
    assert_eq!(
        said("single_switch", &[("rate", "0 bps")]),
        "cable host 0 to switch \"switch 0\": expected a rate above 0, got 0 bps"
    );
    assert!(
        said("single_switch", &[("delay", "1001 s")])
            .contains("expected a delay of at most 1000 s, got 1001 s")
    );
    assert_eq!(
        said("dumbbell", &[("left", "256")]),
        "switch \"left\": expected at most 256 ports, got 257"
    );
    assert_eq!(
        build("ring", &Values::default(), &NoFiles)
            .unwrap_err()
            .to_string(),
        "topology \"ring\" is unknown"
    );
}

#[test]
fn a_refusal_names_the_parameters_that_made_it() {
    let params = |name, set: &[(&str, &str)]| with(name, set, &NoFiles).unwrap_err().params;
    assert_eq!(params("fat_tree", &[("k", "256")]), ["k"]);
    // The message mentions only the switches "left" and "right".
    let far = [("left", "4"), ("bottleneck_delay", "1001 s")];
    assert_eq!(params("dumbbell", &far), ["bottleneck_delay"]);
    assert_eq!(params("dumbbell", &[("left", "256")]), ["left"]);
    assert_eq!(params("dumbbell", &[("right", "256")]), ["right"]);
    let slow = [("rate", "3 bps"), ("oversubscribe_links", "4")];
    assert_eq!(params("fat_tree", &slow), ["oversubscribe_links", "rate"]);
    let wide = [("hosts_per_leaf", "200"), ("spines", "57")];
    assert_eq!(params("leaf_spine", &wide), ["hosts_per_leaf", "spines"]);
    let lonely = "a,b,rate,delay\nh0,s0,1 Gbps,1 us\nh1,s1,1 Gbps,1 us\n";
    assert_eq!(custom(lonely).unwrap_err().params, ["file"]);
}

#[test]
fn a_cable_to_nowhere_and_a_host_without_one_are_refused() {
    let mut net = made("single_switch", &[("hosts", "2")]);
    net.cables[1].b = End::Switch(SwitchId(1));
    assert_eq!(
        net.validate().unwrap_err(),
        "cable host 1 to switch 1: expected hosts and switches of this network, got switch 1"
    );
    net.cables.pop();
    assert_eq!(
        net.validate().unwrap_err(),
        "host 1: expected exactly one cable, got 0"
    );
}
