//! Background flows: gaps, sizes, destinations, load.

use super::*;
use sidestep_types::BitRate;

#[test]
fn background_has_its_gap_its_sizes_and_uniform_destinations() {
    let set = [("inter_arrival", "10 ms")];
    let plan = planned(&made("background", 16, &set), Time::from_s(100), 1);
    // 16 hosts × 100 s / 10 ms.
    let n = plan.flows.len() as f64;
    assert!(near(n, 160_000.0, 400.0), "{n}");
    let mut per_pair = [[0u32; 16]; 16];
    plan.flows
        .iter()
        .for_each(|f| per_pair[f.src.0 as usize][f.dst.0 as usize] += 1);
    for (src, row) in per_pair.iter().enumerate() {
        assert_eq!(row[src], 0);
        // 667 expected each, standard deviation 26.
        let others = row.iter().enumerate().filter(|(dst, _)| *dst != src);
        assert!(
            others.clone().all(|(_, n)| (540..800).contains(n)),
            "{row:?}"
        );
    }
    let sizes: Vec<f64> = plan.flows.iter().map(|f| f.size as f64).collect();
    let mean = sizes.iter().sum::<f64>() / n;
    let variance = sizes.iter().map(|s| (s - mean) * (s - mean)).sum::<f64>() / n;
    assert!(near(mean, 195_357.1, (variance / n).sqrt()), "{mean}");
    let short = sizes.iter().filter(|s| **s < 100_000.0).count() as f64 / n;
    assert!(near(short, 0.8236, 0.001), "{short}");
    // The destination of a flow must be independent of its size.
    let low: Vec<_> = plan.flows.iter().filter(|f| f.dst.0 < 8).collect();
    let short = low.iter().filter(|f| f.size < 100_000).count() as f64 / low.len() as f64;
    assert!(near(short, 0.8236, 0.0014), "{short}");
}

#[test]
fn with_a_target_all_flows_go_there_and_load_is_of_its_link() {
    let set = [("inter_arrival", "off"), ("load", "0.4"), ("target", "3")];
    let made = made("background", 16, &set);
    let load = made.load(Cost::default(), SECOND);
    assert!((load.payload_bps - 0.4e9).abs() < 1.0, "{load:?}");
    let plan = planned(&made, Time::from_s(200), 1);
    let expected = 0.4 * 1e9 / (195_357.1 * 8.0) * 200.0;
    let n = plan.flows.len() as f64;
    assert!(near(n, expected, expected.sqrt()), "{n} of {expected}");
    assert!(plan.flows.iter().all(|f| f.dst == HostId(3)));
    for src in 0..16 {
        let from = plan.flows.iter().filter(|f| f.src == HostId(src)).count() as f64;
        let each = if src == 3 { 0.0 } else { expected / 15.0 };
        assert!(near(from, each, each.sqrt() + 1.0), "{src}: {from}");
    }
}

#[test]
fn a_load_offers_that_share_of_each_hosts_link() {
    let entry = topology::ENTRIES
        .iter()
        .find(|e| e.name == "dumbbell")
        .unwrap();
    let mut net = topology::build("dumbbell", &Values::defaults(entry.params), &NoFiles).unwrap();
    net.cables[0].rate = BitRate::gbps(10);
    let set = [("inter_arrival", "off"), ("load", "0.4")];
    let made = build("background", &values("background", &set), &NoFiles, &net).unwrap();
    let load = made.load(Cost::default(), SECOND);
    // One host at 10 Gbps, fifteen at 1.
    assert!(
        (load.payload_bps - 0.4 * 25e9).abs() < 1.0,
        "{}",
        load.payload_bps
    );
    assert!(load.wire_bps > load.payload_bps * 1538.0 / 1460.0);
    let plan = planned(&made, Time::from_s(20), 1);
    let from = |h| plan.flows.iter().filter(|f| f.src == HostId(h)).count() as f64;
    let expected = 0.4 * 1e9 / (195_357.1 * 8.0) * 20.0;
    assert!(near(from(1), expected, expected.sqrt()), "{}", from(1));
    assert!(
        near(from(0), expected * 10.0, (expected * 10.0).sqrt()),
        "{}",
        from(0)
    );
}

#[test]
fn the_load_of_dibs_is_what_its_docs_say() {
    let load = |set: &[(&str, &str)]| made("background", 128, set).load(Cost::default(), SECOND);
    let per_host = |set: &[(&str, &str)]| load(set).payload_bps / 128.0 / 1e6;
    assert_eq!(per_host(&[]).round(), 13.0);
    assert_eq!(per_host(&[("inter_arrival", "10 ms")]).round(), 156.0);
    let web = [("inter_arrival", "10 ms"), ("cdf", "websearch_dctcp_bytes")];
    assert_eq!(per_host(&web).round(), 1369.0);
    assert_eq!(
        load(&[]).notes[0],
        "imc10_aditya_packets_ns2, linear between points: mean flow 195357 B, 82.4 % of flows below 100 kB"
    );
    let queries = made("query", 128, &[]).load(Cost::default(), SECOND);
    assert_eq!(
        (queries.queries_per_s, queries.flows_per_s),
        (300.0, 12_000.0)
    );
    assert_eq!(queries.payload_bps, 1.92e9);
}

#[test]
fn a_faster_background_keeps_destinations_and_sizes() {
    let of_host_3 = |gap| -> Vec<(HostId, u64)> {
        let plan = planned(
            &made("background", 16, &[("inter_arrival", gap)]),
            SECOND,
            1,
        );
        plan.flows
            .iter()
            .filter(|f| f.src == HostId(3))
            .map(|f| (f.dst, f.size))
            .collect()
    };
    let (slow, fast) = (of_host_3("100 ms"), of_host_3("10 ms"));
    assert!(slow.len() > 3 && fast.len() > slow.len());
    assert_eq!(slow, fast[..slow.len()]);
}

#[test]
fn a_request_comes_first_and_moves_no_draw() {
    let set = [("inter_arrival", "1 ms")];
    let plain = planned(&made("background", 16, &set), SECOND, 1);
    let with = |more: &[(&'static str, &'static str)]| {
        let set = [&set[..], &[("request", "250 B"), ("think", "20 us")], more].concat();
        planned(&made("background", 16, &set), SECOND, 1)
    };
    let asked = with(&[("connection", "shared"), ("think_deviation", "3 us")]);
    assert!(plain.flows.len() > 10_000);
    assert_eq!(asked.flows.len(), 2 * plain.flows.len());
    let mut thoughts = Vec::new();
    for (number, (plain, pair)) in (0u32..).zip(plain.flows.iter().zip(asked.flows.chunks(2))) {
        let (request, answer) = (pair[0], pair[1]);
        assert!(request.request && !answer.request && request.query.is_none());
        assert_eq!((request.src, request.dst), (plain.dst, plain.src));
        assert_eq!((request.size, request.start), (250, plain.start));
        assert_eq!((answer.src, answer.dst), (plain.src, plain.dst));
        assert_eq!(answer.size, plain.size);
        let Start::After { flow, wait } = answer.start else {
            panic!("{answer:?} waits for no request");
        };
        assert_eq!(flow.0, 2 * number);
        thoughts.push(wait.as_us_f64());
    }
    let mean = thoughts.iter().sum::<f64>() / thoughts.len() as f64;
    assert!(near(mean, 20.0, 0.2), "{mean}");
    assert!(thoughts.iter().any(|thought| *thought > 25.0));
    let joint = |plan: &TrafficPlan| plan.joint.iter().map(|j| (j.flow.0, j.opener.0)).collect();
    let joined: Vec<(u32, u32)> = joint(&asked);
    let expected = (0..asked.flows.len() as u32).map(|flow| (flow, flow - flow % 2));
    assert!(joined.into_iter().eq(expected));
    assert_eq!(with(&[]).joint, []);
    // One connection for all requests of one host to another: 16 hosts ask 15 each.
    let lasting: Vec<(u32, u32)> = joint(&with(&[("connection", "persistent")]));
    let openers: std::collections::BTreeSet<u32> = lasting.iter().map(|(_, o)| *o).collect();
    assert_eq!(openers.len(), 16 * 15);
}
