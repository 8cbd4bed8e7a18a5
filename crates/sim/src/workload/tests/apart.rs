//! Partners in another rack, or in another pod.

use super::super::apart::{ApartBy, Group, HostGroups};
use super::*;
use std::collections::BTreeMap;

fn topology(name: &str, sets: &[(&str, u64)]) -> Network {
    let entry = topology::ENTRIES.iter().find(|e| e.name == name).unwrap();
    let mut values = Values::defaults(entry.params);
    for (key, count) in sets {
        let param = entry.params.iter().find(|p| p.name == *key).unwrap();
        values.set(param.name, Value::Count(*count));
    }
    topology::build(name, &values, &NoFiles).unwrap()
}

fn on(network: &Network, name: &str, set: &[(&str, &str)]) -> Result<AnyWorkload, Refusal> {
    build(name, &values(name, set), &NoFiles, network)
}

fn ends(plan: &TrafficPlan) -> Vec<(u32, u32)> {
    plan.flows.iter().map(|f| (f.src.0, f.dst.0)).collect()
}

/// A fat tree of k = 8: 4 hosts at an edge switch, 16 in a pod, 128 in all.
#[test]
fn both_ends_of_a_flow_are_apart() {
    let network = topology("fat_tree", &[("k", 8)]);
    for (word, together) in [("rack", 4), ("pod", 16)] {
        for seed in 0..20 {
            let draw = |name, set: &[(&str, &str)]| {
                let set: Vec<_> = set.iter().copied().chain([("apart", word)]).collect();
                ends(&planned(&on(&network, name, &set).unwrap(), SECOND, seed))
            };
            let all = draw("permutation", &[]);
            let receivers: BTreeSet<u32> = all.iter().map(|(_, dst)| *dst).collect();
            assert_eq!((all.len(), receivers.len()), (128, 128));
            let pairs = draw("long", &[("between", "pairs")]);
            assert_eq!(pairs.len(), 128);
            let one_way = draw("long", &[("between", "one_way"), ("flows", "2")]);
            assert_eq!(one_way.len(), 128);
            let hosts: BTreeSet<u32> = one_way.iter().flat_map(|(a, b)| [*a, *b]).collect();
            let senders: BTreeSet<u32> = one_way.iter().map(|(src, _)| *src).collect();
            assert_eq!((hosts.len(), senders.len()), (128, 64));
            let random = draw("long", &[("flows", "300")]);
            for (src, dst) in [all, pairs, one_way, random].concat() {
                assert_ne!(src / together, dst / together, "{word}");
            }
        }
    }
}

/// With two racks, the number of flows between racks is fixed: every allowed draw is equally likely.
#[test]
fn between_two_racks_every_draw_is_equally_likely() {
    let network = topology("leaf_spine", &[("leaves", 2), ("hosts_per_leaf", 2)]);
    let count = |name, set: &[(&str, &str)]| {
        let made = on(&network, name, set).unwrap();
        let mut seen: BTreeMap<Vec<(u32, u32)>, u32> = BTreeMap::new();
        for seed in 0..4_000 {
            let mut drawn = ends(&planned(&made, SECOND, seed));
            drawn.sort_unstable();
            *seen.entry(drawn).or_default() += 1;
        }
        seen.into_values().collect::<Vec<u32>>()
    };
    // Hosts 0 and 1 send to 2 and 3 in two ways, and 2 and 3 to 0 and 1 in two: 1000 each, deviation 27.
    let seen = count("permutation", &[("apart", "rack")]);
    assert!(
        seen.len() == 4 && seen.iter().all(|n| (890..1_110).contains(n)),
        "{seen:?}"
    );
    // Two pairings, and each pair either way: 500 each, deviation 21.
    let seen = count("long", &[("apart", "rack"), ("between", "one_way")]);
    assert!(
        seen.len() == 8 && seen.iter().all(|n| (415..585).contains(n)),
        "{seen:?}"
    );
}

/// Three racks of two hosts: all pairs of hosts in different racks are equally likely.
#[test]
fn between_three_racks_all_hosts_are_alike() {
    let network = topology("leaf_spine", &[("leaves", 3), ("hosts_per_leaf", 2)]);
    let made = on(&network, "permutation", &[("apart", "rack")]).unwrap();
    let mut per_pair = [[0u32; 6]; 6];
    for seed in 0..8_000 {
        for (src, dst) in ends(&planned(&made, SECOND, seed)) {
            per_pair[src as usize][dst as usize] += 1;
        }
    }
    for (src, row) in per_pair.iter().enumerate() {
        for (dst, n) in row.iter().enumerate() {
            match src / 2 == dst / 2 {
                true => assert_eq!(*n, 0),
                // 2000 each, deviation 39.
                false => assert!((1_840..2_160).contains(n), "{per_pair:?}"),
            }
        }
    }
}

#[test]
fn hosts_that_cannot_be_apart_are_refused() {
    let said = |network: &Network, name, set: &[(&str, &str)]| {
        on(network, name, set).unwrap_err().to_string()
    };
    let leaves = topology("leaf_spine", &[("leaves", 2), ("hosts_per_leaf", 2)]);
    assert_eq!(
        said(&leaves, "permutation", &[("apart", "pod")]),
        "apart needs every host in a pod, but some hosts of this topology are in none, got \"pod\""
    );
    let one = network(8);
    assert_eq!(
        said(&one, "permutation", &[("apart", "rack")]),
        "apart needs at most 4 of the 8 hosts in one rack for a permutation, got 8"
    );
    assert!(said(&one, "long", &[("apart", "rack")]).ends_with("in one rack for a flow, got 8"));
    let uneven = |left, right| topology("dumbbell", &[("left", left), ("right", right)]);
    let pairs = [("apart", "rack"), ("between", "one_way")];
    assert!(said(&uneven(5, 3), "long", &pairs).ends_with("for a pairing, got 5"));
    assert!(on(&uneven(4, 4), "long", &pairs).is_ok());
    // With racks of three, each host can only exchange with hosts of the other rack.
    let crowded = on(&uneven(3, 3), "permutation", &[("apart", "rack")]).unwrap();
    assert!(
        ends(&planned(&crowded, SECOND, 1))
            .iter()
            .all(|(a, b)| (*a < 3) != (*b < 3))
    );
    assert!(
        on(
            &uneven(7, 1),
            "long",
            &[("apart", "rack"), ("flows", "100")]
        )
        .is_ok()
    );
    assert_eq!(
        said(
            &uneven(4, 4),
            "long",
            &[("apart", "rack"), ("between", "neighbours")]
        ),
        "apart cannot be combined with between = \"neighbours\", whose pairs are fixed"
    );
}

proptest! {
    #[test]
    fn any_hosts_that_can_be_apart_are(racks in prop::collection::vec(0u32..5, 2..24), seed: u64) {
        let site = Site {
            access: vec![sidestep_types::BitRate::gbps(1); racks.len()],
            pods: vec![None; racks.len()],
            racks: racks.clone(),
            ..Site::default()
        };
        let hosts = site.hosts();
        let largest = (0..5).map(|r| racks.iter().filter(|rack| **rack == r).count() as u32).max();
        let by = ApartBy { apart: Some(Group::Rack) };
        let made = HostGroups::build(by, &site, hosts / 2, "permutation");
        prop_assert_eq!(made.is_ok(), largest <= Some(hosts / 2));
        let Ok(Some(apart)) = made else { return Ok(()) };
        let (mut deck, mut rng) = (deck::Deck::new(hosts), sidestep_types::Rng::from_seed(seed));
        let near = |a: u32, b: u32| racks[a as usize] == racks[b as usize];
        let to = apart.permutation(&mut deck, &mut rng);
        let all: BTreeSet<u32> = to.iter().copied().collect();
        prop_assert_eq!(all.len(), racks.len());
        prop_assert!(!(0..).zip(&to).any(|(src, dst)| near(src, *dst)), "{to:?}");
        if hosts.is_multiple_of(2) {
            let dealt = apart.pairs(&mut deck, &mut rng);
            let all: BTreeSet<u32> = dealt.iter().copied().collect();
            prop_assert_eq!(all.len(), racks.len());
            prop_assert!(!dealt.chunks(2).any(|pair| near(pair[0], pair[1])), "{dealt:?}");
        }
    }
}

/// Each sender and receiver comes once before any comes twice; hosts 4 to 7 are the second of four racks.
#[test]
fn long_flows_go_to_one_host_or_to_its_rack() {
    let network = topology("leaf_spine", &[("leaves", 4), ("hosts_per_leaf", 4)]);
    for seed in 0..20 {
        let draw = |set: &[(&str, &str)]| {
            let plan = planned(&on(&network, "long", set).unwrap(), SECOND, seed);
            assert!(plan.flows.iter().all(FlowPlan::is_endless));
            ends(&plan)
        };
        let different = |who: &[u32]| who.iter().collect::<BTreeSet<_>>().len();
        let of = |ends: &[(u32, u32)]| -> (Vec<u32>, Vec<u32>) { ends.iter().copied().unzip() };
        let set = [("between", "to_host"), ("flows", "15"), ("target", "5")];
        let (senders, receivers) = of(&draw(&set));
        assert!(receivers.iter().all(|host| *host == 5) && !senders.contains(&5));
        assert_eq!(different(&senders), 15);
        let set = [("between", "to_rack"), ("flows", "14"), ("target", "5")];
        let all = draw(&set);
        let (senders, receivers) = of(&all);
        assert_eq!((receivers[0], different(&receivers[..4])), (5, 4));
        assert!(receivers.iter().all(|host| host / 4 == 1));
        assert_eq!(different(&senders[..12]), 12);
        assert!(senders.iter().all(|host| host / 4 != 1));
        // A smaller number of flows gives the first of a larger number.
        let set = [("between", "to_rack"), ("flows", "2"), ("target", "5")];
        assert_eq!(draw(&set), all[..2]);
        let set = [
            ("between", "to_host"),
            ("flows", "9"),
            ("target", "5"),
            ("apart", "rack"),
        ];
        assert!(draw(&set).iter().all(|(src, _)| src / 4 != 1));
        // Without a `target`, one is drawn.
        let (_, receivers) = of(&draw(&[("between", "to_rack"), ("flows", "4")]));
        assert_eq!(different(&receivers), 4);
        assert!(receivers.iter().all(|host| host / 4 == receivers[0] / 4));
    }
    let tree = topology("tree", &[]);
    let set = [
        ("between", "to_rack"),
        ("flows", "40"),
        ("target", "10"),
        ("apart", "pod"),
    ];
    let plan = planned(&on(&tree, "long", &set).unwrap(), SECOND, 1);
    let crosses = |(src, dst): &(u32, u32)| (10..20).contains(dst) && *src >= 20;
    assert!(ends(&plan).iter().all(crosses), "racks of 10, pods of 20");
}
