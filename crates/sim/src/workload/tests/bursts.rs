//! Flows at given times, not drawn ones: long flows, permutations, incasts.

use super::*;

#[test]
fn long_pairs_are_disjoint_and_run_both_ways() {
    let plan = planned(
        &made("long", 128, &[("between", "pairs"), ("flows", "3")]),
        SECOND,
        1,
    );
    assert_eq!(plan.flows.len(), 128 * 3);
    assert!(plan.flows.iter().all(FlowPlan::is_endless));
    let mut peer = [None; 128];
    for flow in &plan.flows {
        let known = peer[flow.src.0 as usize].get_or_insert(flow.dst);
        assert_eq!(*known, flow.dst);
    }
    for (src, dst) in peer.iter().enumerate() {
        assert_eq!(peer[dst.unwrap().0 as usize], Some(HostId(src as u32)));
    }
    let sends = |h| plan.flows.iter().filter(|f| f.src == HostId(h)).count();
    assert!((0..128).all(|h| sends(h) == 3));
    assert_eq!(
        said("long", 7, &[("between", "pairs")]),
        "pairs need an even number of hosts, got 7"
    );
    let beside = planned(
        &made("long", 128, &[("between", "neighbours"), ("flows", "3")]),
        SECOND,
        1,
    );
    assert_eq!(beside.flows.len(), 128 * 3);
    assert!(beside.flows.iter().all(|f| f.dst.0 == f.src.0 ^ 1));
    let random = planned(
        &made("long", 8, &[("flows", "50"), ("size", "1 MB")]),
        SECOND,
        1,
    );
    assert_eq!((random.flows.len(), random.flows[0].size), (50, 1_000_000));
}

#[test]
fn a_permutation_gives_everyone_one_flow_each_way() {
    for hosts in [2, 3, 16, 128] {
        let plan = planned(&made("permutation", hosts, &[]), SECOND, 5);
        let ends = |end: fn(&FlowPlan) -> u32| plan.flows.iter().map(end).collect::<BTreeSet<_>>();
        let all: BTreeSet<u32> = (0..hosts).collect();
        assert_eq!(
            (ends(|f| f.src.0), ends(|f| f.dst.0), plan.flows.len()),
            (all.clone(), all, hosts as usize)
        );
    }
}

#[test]
fn derangements_are_equally_likely() {
    let made = made("permutation", 4, &[]);
    let mut seen = std::collections::BTreeMap::new();
    for seed in 0..9_000 {
        let who: Vec<u32> = planned(&made, SECOND, seed)
            .flows
            .iter()
            .map(|f| f.dst.0)
            .collect();
        *seen.entry(who).or_insert(0u32) += 1;
    }
    // Nine derangements of four; 1000 each, standard deviation 30.
    assert_eq!(seen.len(), 9);
    assert!(seen.values().all(|n| (870..1_130).contains(n)), "{seen:?}");
}

#[test]
fn the_incast_of_the_testbed_is_the_papers() {
    let set = [
        ("degree", "5"),
        ("flows", "10"),
        ("size", "32 kB"),
        ("target", "5"),
        ("senders", "first"),
        ("at", "1 ms"),
    ];
    let made = made("incast", 6, &set);
    let plan = planned(&made, SECOND, 1);
    let query = QueryPlan {
        start: Time::from_ms(1),
        target: HostId(5),
        responses: 50,
        class: 0,
    };
    assert_eq!(plan.queries, [query]);
    let who: Vec<u32> = plan.flows.iter().map(|f| f.src.0).collect();
    assert_eq!(who, (0..50).map(|i| i / 10).collect::<Vec<_>>());
    assert!(
        plan.flows
            .iter()
            .all(|f| f.size == 32_000 && f.dst == HostId(5) && at(f) == Time::from_ms(1))
    );
    let load = made.load(Cost::default(), Time::from_ms(500));
    assert_eq!(
        (load.queries_per_s, load.flows_per_s, load.payload_bps),
        (2.0, 100.0, 25.6e6)
    );
}

#[test]
fn senders_share_a_total_equally_and_no_byte_is_lost() {
    for (degree, flows, total) in [(40, 1, 1_000_000u64), (7, 3, 1_000), (8, 1, 8), (3, 2, 11)] {
        let (degree_text, flows_text) = (degree.to_string(), flows.to_string());
        let total_text = format!("{total} B");
        let set = [
            ("degree", &degree_text[..]),
            ("flows", &flows_text),
            ("size", "off"),
            ("total", &total_text),
        ];
        let made = made("incast", 64, &set);
        let plan = planned(&made, SECOND, 1);
        let sizes: Vec<u64> = plan.flows.iter().map(|f| f.size).collect();
        assert_eq!(sizes.len() as u64, degree * flows);
        assert_eq!(sizes.iter().sum::<u64>(), total);
        let (most, least) = (sizes[0], sizes[sizes.len() - 1]);
        assert!(
            most - least <= 1 && sizes.is_sorted_by(|a, b| a >= b),
            "{sizes:?}"
        );
        let load = made.load(Cost::default(), SECOND);
        assert_eq!(load.flows_per_s, sizes.len() as f64);
        assert!((load.payload_bps - total as f64 * 8.0).abs() < 1e-6);
        let all: f64 = sizes.iter().map(|size| size.div_ceil(1460) as f64).sum();
        assert_eq!(load.packets_per_s, all);
        assert!(load.notes[0].contains(&format!("{total} B in all")));
    }
}

#[test]
fn incast_senders_are_spread_or_drawn() {
    let who = |set: &[(&str, &str)]| -> Vec<u32> {
        planned(&made("incast", 9, set), SECOND, 1)
            .flows
            .iter()
            .map(|f| f.src.0)
            .collect()
    };
    assert_eq!(
        who(&[("degree", "4"), ("target", "0"), ("senders", "spread")]),
        [1, 3, 5, 7]
    );
    assert_eq!(
        who(&[("degree", "8"), ("target", "4"), ("senders", "spread")]),
        [0, 1, 2, 3, 5, 6, 7, 8]
    );
    let mut drawn = who(&[("degree", "8"), ("target", "4")]);
    drawn.sort_unstable();
    assert_eq!(drawn, [0, 1, 2, 3, 5, 6, 7, 8]);
}
