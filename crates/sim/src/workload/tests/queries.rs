//! Queries: their rate, their answers, and the hosts that answer.

use super::*;

#[test]
fn queries_come_at_their_rate_and_their_gaps_are_exponential() {
    let plan = planned(
        &made("query", 128, &[("rate", "2000 /s")]),
        Time::from_s(10),
        1,
    );
    let n = plan.queries.len() as f64;
    assert!(near(n, 20_000.0, 20_000f64.sqrt()), "{n}");
    assert_eq!(plan.flows.len(), plan.queries.len() * 40);
    let starts: Vec<f64> = plan.queries.iter().map(|q| q.start.as_s_f64()).collect();
    let gaps: Vec<f64> = starts.windows(2).map(|p| p[1] - p[0]).collect();
    assert!(gaps.iter().all(|g| *g >= 0.0));
    // Memoryless: a gap is above its mean with probability 1/e.
    let above = gaps.iter().filter(|g| **g > 1.0 / 2000.0).count() as f64 / gaps.len() as f64;
    assert!(near(above, libm::exp(-1.0), 0.0034), "{above}");
}

#[test]
fn a_query_has_one_target_and_as_many_different_responders_as_its_degree() {
    let plan = planned(&made("query", 128, &[]), SECOND, 1);
    let mut targets = [0u32; 128];
    let mut sources = [0u32; 128];
    for (i, query) in plan.queries.iter().enumerate() {
        let flows: Vec<_> = plan
            .flows
            .iter()
            .filter(|f| f.query == Some(i as u32))
            .collect();
        let different: BTreeSet<_> = flows.iter().map(|f| f.src).collect();
        assert_eq!(
            (flows.len(), different.len(), query.responses),
            (40, 40, 40)
        );
        assert!(
            flows
                .iter()
                .all(|f| f.dst == query.target && f.src != query.target)
        );
        assert!(
            flows
                .iter()
                .all(|f| at(f) == query.start && f.size == 20_000 && !f.request)
        );
        targets[query.target.0 as usize] += 1;
        flows.iter().for_each(|f| sources[f.src.0 as usize] += 1);
    }
    // About 300 queries: 2.3 per target, 94 per source with a standard deviation near 8.
    assert!(
        targets.iter().filter(|n| **n > 0).count() > 100,
        "{targets:?}"
    );
    assert!(sources.iter().all(|n| (50..150).contains(n)), "{sources:?}");
}

#[test]
fn a_degree_above_the_hosts_needs_connections_and_spreads_evenly() {
    let refused = said("query", 9, &[("degree", "20")]);
    assert_eq!(
        refused,
        "degree must be at most 8 (8 other hosts, connections = 1; set connections = 3), got 20"
    );
    let plan = planned(
        &made("query", 9, &[("degree", "20"), ("connections", "3")]),
        SECOND,
        1,
    );
    for q in 0..plan.queries.len() as u32 {
        let mut per_host = [0; 9];
        plan.flows
            .iter()
            .filter(|f| f.query == Some(q))
            .for_each(|f| per_host[f.src.0 as usize] += 1);
        per_host.sort_unstable();
        assert_eq!(per_host, [0, 2, 2, 2, 2, 3, 3, 3, 3]);
    }
}

#[test]
fn a_response_waits_for_its_request_and_for_thought() {
    let set = [("request", "250 B"), ("think", "20 us"), ("degree", "3")];
    let plan = planned(&made("query", 8, &set), SECOND, 1);
    assert_eq!(plan.flows.len(), plan.queries.len() * 6);
    for (i, flow) in plan.flows.iter().enumerate() {
        let query = plan.queries[flow.query.unwrap() as usize];
        if flow.request {
            assert_eq!(
                (flow.src, flow.size, at(flow)),
                (query.target, 250, query.start)
            );
            continue;
        }
        let asked = FlowId(i as u32 - 1);
        assert_eq!(
            flow.start,
            Start::After {
                flow: asked,
                wait: Time::from_us(20)
            }
        );
        // That flow ends where this one starts.
        assert_eq!(plan.flows[i - 1].dst, flow.src);
        assert_eq!((flow.dst, flow.size), (query.target, 20_000));
    }
}

#[test]
fn thought_is_normal_and_moves_nothing_else() {
    let set = [("request", "250 B"), ("think", "20 us"), ("degree", "30")];
    let plain = planned(&made("query", 64, &set), SECOND, 1);
    let spread = |deviation| {
        let more = [&set[..], &[("think_deviation", deviation)]].concat();
        planned(&made("query", 64, &more), SECOND, 1)
    };
    assert_eq!(plain.flows, spread("0 us").flows);
    let wait = |flow: &FlowPlan| match flow.start {
        Start::After { wait, .. } => wait.as_us_f64(),
        _ => panic!("{flow:?} waits for no request"),
    };
    let drawn = spread("3 us");
    assert_eq!(plain.queries, drawn.queries);
    let mut waits = Vec::new();
    for (plain, drawn) in plain.flows.iter().zip(&drawn.flows) {
        assert_eq!(
            (plain.src, plain.dst, plain.size),
            (drawn.src, drawn.dst, drawn.size)
        );
        match drawn.request {
            true => assert_eq!(plain, drawn),
            false => waits.push(wait(drawn)),
        }
    }
    let n = waits.len() as f64;
    let mean = waits.iter().sum::<f64>() / n;
    let variance = waits.iter().map(|w| (w - mean) * (w - mean)).sum::<f64>() / n;
    assert!(n > 8_000.0 && near(mean, 20.0, 3.0 / n.sqrt()), "{mean}");
    // A normal variance has the relative error sqrt(2 / n).
    assert!(near(variance, 9.0, 9.0 * (2.0 / n).sqrt()), "{variance}");
    let within = waits.iter().filter(|w| (**w - 20.0).abs() < 3.0).count() as f64 / n;
    assert!(near(within, 0.6827, 0.4654 / n.sqrt()), "{within}");
    // Negative think times become 0: with a mean of 0, half of them.
    let wide = planned(
        &made(
            "query",
            64,
            &[("request", "250 B"), ("think_deviation", "3 us")],
        ),
        SECOND,
        1,
    );
    let answers = wide.flows.iter().filter(|f| !f.request);
    let waits: Vec<f64> = answers.map(wait).collect();
    let none = waits.iter().filter(|w| **w == 0.0).count() as f64 / waits.len() as f64;
    assert!(near(none, 0.5, 0.5 / (waits.len() as f64).sqrt()), "{none}");
}

#[test]
fn responders_of_a_smaller_degree_think_as_long_as_of_a_larger_one() {
    let set = [
        ("request", "250 B"),
        ("think", "20 us"),
        ("think_deviation", "3 us"),
    ];
    let of = |degree| {
        let set = [&set[..], &[("degree", degree)]].concat();
        planned(&made("query", 64, &set), SECOND, 3)
    };
    let (few, many) = (of("5"), of("20"));
    let wait = |flow: &FlowPlan| match flow.start {
        Start::After { wait, .. } => Some(wait),
        _ => None,
    };
    for (few, many) in few.flows.chunks(10).zip(many.flows.chunks(40)) {
        assert!(few.iter().map(wait).eq(many[..10].iter().map(wait)));
    }
}

/// Returns the opener of the connection of each flow, if it is shared.
fn openers(plan: &TrafficPlan) -> Vec<u32> {
    let flows = plan.joint.iter().map(|joint| joint.flow.0);
    assert!(flows.eq(0..plan.joint.len() as u32));
    plan.joint.iter().map(|joint| joint.opener.0).collect()
}

#[test]
fn a_request_and_its_response_share_a_connection_or_all_of_two_hosts_do() {
    let with = |connection| {
        let set = [
            ("request", "250 B"),
            ("connections", "3"),
            ("degree", "5"),
            ("connection", connection),
        ];
        planned(&made("query", 4, &set), SECOND, 1)
    };
    let (own, shared, lasting) = (with("own"), with("shared"), with("persistent"));
    assert_eq!(own.joint, []);
    assert!(own.flows.len() > 1000 && own.flows == shared.flows && own.flows == lasting.flows);
    let pairs = |f: u32| f - f % 2;
    let flows = own.flows.len() as u32;
    assert_eq!(openers(&shared), (0..flows).map(pairs).collect::<Vec<_>>());

    // Five responses of three hosts: two answer twice, on a connection each.
    let mut seen = BTreeMap::new();
    for (f, opener) in openers(&lasting).into_iter().enumerate() {
        let (flow, request) = (own.flows[f], own.flows[f - f % 2]);
        assert_eq!(own.flows[opener as usize].src, request.src);
        let pair = (request.src.0, request.dst.0, f % 10 >= 6);
        assert_eq!(*seen.entry(pair).or_insert(pairs(f as u32)), opener);
        assert!(
            flow.request
                || flow.start
                    == Start::After {
                        flow: FlowId(f as u32 - 1),
                        wait: Time::ZERO
                    }
        );
    }
    assert_eq!(seen.len(), 4 * 3 * 2);
}

#[test]
fn a_connection_has_one_mss() {
    let set = [
        ("request", "250 B"),
        ("degree", "3"),
        ("connection", "persistent"),
        ("mss", "64..1500"),
    ];
    let plan = planned(&made("query", 4, &set), SECOND, 1);
    let mss = |flow: u32| plan.flows[flow as usize].mss;
    let openers = openers(&plan);
    for (f, opener) in openers.iter().enumerate() {
        assert!(mss(f as u32).is_some() && mss(f as u32) == mss(*opener));
    }
    let different: BTreeSet<_> = openers.iter().map(|opener| mss(*opener)).collect();
    assert!(different.len() > 8, "{different:?}");
}

#[test]
fn jitter_delays_within_its_bound_and_moves_nobody() {
    let still = planned(&made("query", 64, &[]), SECOND, 3);
    let moved = planned(&made("query", 64, &[("jitter", "100 us")]), SECOND, 3);
    let pairs = still.flows.iter().zip(&moved.flows);
    let late = |(a, b): (&FlowPlan, &FlowPlan)| {
        assert_eq!((a.src, a.dst), (b.src, b.dst));
        at(b) - at(a)
    };
    let late: Vec<Time> = pairs.map(late).collect();
    assert!(late.iter().all(|t| *t < Time::from_us(100)));
    let mean = late.iter().map(|t| t.as_us_f64()).sum::<f64>() / late.len() as f64;
    assert!(
        near(mean, 50.0, 28.9 / (late.len() as f64).sqrt()),
        "{mean}"
    );
    // The asking host must be independent of the delay of the first answer.
    let low = (0..still.queries.len()).filter(|q| still.queries[*q].target.0 < 16);
    let first: Vec<f64> = low.map(|q| late[40 * q].as_us_f64()).collect();
    let mean = first.iter().sum::<f64>() / first.len() as f64;
    let error = 28.9 / (first.len() as f64).sqrt();
    assert!(near(mean, 50.0, error), "{mean}");
}

#[test]
fn a_larger_degree_keeps_the_queries_and_their_first_responders() {
    let few = planned(&made("query", 64, &[("degree", "5")]), SECOND, 3);
    let many = planned(&made("query", 64, &[("degree", "20")]), SECOND, 3);
    let who = |p: &TrafficPlan| {
        p.queries
            .iter()
            .map(|q| (q.start, q.target))
            .collect::<Vec<_>>()
    };
    assert_eq!(who(&few), who(&many));
    for (few, many) in few.flows.chunks(5).zip(many.flows.chunks(20)) {
        assert_eq!(few, &many[..5]);
    }
}
