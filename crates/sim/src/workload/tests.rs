use super::*;
use crate::files::NoFiles;
use crate::topology;
use proptest::prelude::*;
use sidestep_types::Value;
use std::collections::BTreeSet;

const SECOND: Time = Time::from_s(1);

/// `hosts` hosts at 1 Gbps on one switch.
fn network(hosts: u32) -> Network {
    let entry = topology::ENTRIES
        .iter()
        .find(|e| e.name == "single_switch")
        .unwrap();
    let mut values = Values::defaults(entry.params);
    values.set("hosts", Value::Count(u64::from(hosts)));
    topology::build("single_switch", &values, &NoFiles).unwrap()
}

/// The values of `name`, with some set as a user would.
fn values(name: &str, set: &[(&str, &str)]) -> Values {
    let entry = ENTRIES.iter().find(|e| e.name == name).unwrap();
    let mut values = Values::default();
    for param in entry.params {
        let given = set.iter().find(|(n, _)| *n == param.name);
        let text = given.map_or(param.default, |(_, text)| Some(text)).unwrap();
        values.set(param.name, Value::parse(text, param).unwrap());
    }
    for (n, _) in set {
        assert!(
            entry.params.iter().any(|p| p.name == *n),
            "{n} is a parameter of {name}"
        );
    }
    values
}

fn try_made(name: &str, hosts: u32, set: &[(&str, &str)]) -> Result<AnyWorkload, Refusal> {
    build(name, &values(name, set), &NoFiles, &network(hosts))
}

fn made(name: &str, hosts: u32, set: &[(&str, &str)]) -> AnyWorkload {
    try_made(name, hosts, set).unwrap()
}

fn said(name: &str, hosts: u32, set: &[(&str, &str)]) -> String {
    try_made(name, hosts, set).unwrap_err().to_string()
}

fn planned(workload: &AnyWorkload, duration: Time, seed: u64) -> Plan {
    let mut plan = Plan::default();
    workload
        .plan(0, duration, Seed(seed), "w", &mut plan)
        .unwrap();
    plan
}

fn at(flow: &FlowPlan) -> Time {
    match flow.start {
        Start::At(time) => time,
        Start::After { .. } => panic!("{flow:?} waits for another"),
    }
}

/// Is `got` within four standard errors of `expected`?
fn near(got: f64, expected: f64, error: f64) -> bool {
    (got - expected).abs() < 4.0 * error
}

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
        "degree must be at most 8 (8 other hosts, connections = 1), got 20"
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
    // And who asks says nothing about how late the first answer is.
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
    let who = |p: &Plan| {
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
    // And whom a flow goes to says nothing about its size.
    let low: Vec<_> = plan.flows.iter().filter(|f| f.dst.0 < 8).collect();
    let short = low.iter().filter(|f| f.size < 100_000).count() as f64 / low.len() as f64;
    assert!(near(short, 0.8236, 0.0014), "{short}");
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

#[test]
fn what_does_not_go_together_is_refused() {
    assert_eq!(said("query", 1, &[]), "expected at least two hosts, got 1");
    assert_eq!(
        said("query", 64, &[("rate", "0 /s")]),
        "rate must be above 0, got 0 /s"
    );
    assert_eq!(
        said("query", 64, &[("think", "1 us")]),
        "think (1 us) needs a request, got request = \"off\""
    );
    assert!(said("query", 64, &[("size", "0 B")]).starts_with("size must be from 1 B to"));
    assert!(said("query", 64, &[("request", "0 B")]).starts_with("request must be from 1 B to"));
    assert!(said("query", 64, &[("degree", "0")]).starts_with("degree must be from 1 to"));
    assert_eq!(
        said("background", 64, &[("load", "0.5")]),
        "expected exactly one of inter_arrival and load, the other \"off\"; got inter_arrival given, load given"
    );
    assert!(
        said("background", 64, &[("inter_arrival", "off")])
            .ends_with("inter_arrival off, load off")
    );
    assert_eq!(
        said("background", 64, &[("inter_arrival", "0 s")]),
        "inter_arrival must be above 0, got 0 ps"
    );
    assert!(
        said("background", 64, &[("inter_arrival", "off"), ("load", "0")])
            .contains("load must be above 0")
    );
    assert!(said("background", 64, &[("cdf", "nope")]).starts_with("\"nope\" is not a shipped"));
    assert_eq!(said("incast", 9, &[]), "degree must be from 1 to 8, got 40");
    assert_eq!(
        said("incast", 9, &[("degree", "8"), ("target", "9")]),
        "target must be a host from 0 to 8, got 9"
    );
    let unknown = build("ring", &Values::default(), &NoFiles, &network(2)).unwrap_err();
    assert_eq!(unknown.to_string(), "workload \"ring\" is unknown");
}

#[test]
fn what_cannot_be_planned_is_an_error_and_no_panic() {
    let fails = |name, set: &[(&str, &str)], duration| {
        let mut plan = Plan::default();
        let made = made(name, 64, set);
        let refused = made.plan(0, duration, Seed(1), "w", &mut plan);
        refused.unwrap_err().to_string()
    };
    let late = [
        ("at", "18446744 s"),
        ("jitter", "18446744 s"),
        ("degree", "8"),
    ];
    assert!(
        fails("incast", &late, Time::MAX)
            .starts_with("expected a start before the end of time, got 18446744 s +")
    );
    let late = [
        ("request", "1 B"),
        ("think", "18446744 s"),
        ("jitter", "18446744 s"),
    ];
    assert!(fails("query", &late, SECOND).contains("before the end of time"));
    let many = [("rate", "18446744073709 /s")];
    assert_eq!(
        fails("query", &many, SECOND),
        "expected at most 67108864 flows in a run, got about 737869762948360"
    );
    assert!(
        fails("background", &[("inter_arrival", "1 ps")], SECOND)
            .contains("got about 64000000000000")
    );
    assert_eq!(
        fails("incast", &[("at", "1 s")], SECOND),
        "at must be before the run's end at 1 s, got 1 s"
    );
    assert!(fails("long", &[("start", "1 s")], SECOND).contains("start must be before"));
    assert!(fails("permutation", &[("start", "2 s")], SECOND).contains("start must be before"));
}

#[test]
fn adding_a_workload_moves_no_flow_of_another() {
    let (query, background) = (made("query", 64, &[]), made("background", 64, &[]));
    let mut both = Plan::default();
    background
        .plan(0, SECOND, Seed(1), "noise", &mut both)
        .unwrap();
    let others = both.flows.len();
    query.plan(1, SECOND, Seed(1), "asking", &mut both).unwrap();
    let mut alone = Plan::default();
    query
        .plan(0, SECOND, Seed(1), "asking", &mut alone)
        .unwrap();
    let plain = |flows: &[FlowPlan]| {
        flows
            .iter()
            .map(|f| (f.src, f.dst, f.size, f.start, f.query))
            .collect::<Vec<_>>()
    };
    assert_eq!(plain(&both.flows[others..]), plain(&alone.flows));
    assert!(both.flows[others..].iter().all(|f| f.class == 1));
    // The same kind under another name draws otherwise.
    let mut renamed = Plan::default();
    query
        .plan(0, SECOND, Seed(1), "other", &mut renamed)
        .unwrap();
    assert_ne!(renamed.queries, alone.queries);
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

/// A file system of one file.
struct One(String);

impl Files for One {
    fn read(&self, _: &str) -> Result<String, String> {
        Ok(self.0.clone())
    }
}

fn listed(text: &str) -> Result<AnyWorkload, Refusal> {
    let files = One(text.to_string());
    build(
        "flow_list",
        &values("flow_list", &[("file", "f.csv")]),
        &files,
        &network(4),
    )
}

#[test]
fn a_flow_list_is_planned_as_it_stands_with_classes_of_its_own() {
    let rows = "1 ms,0,1,20 kB,web\n2 ms,1,2,endless,\n0 ms,2,3,1 B,dns\n3 ms,3,0,1 B,web\n1 s,0,1,1 B,late\n";
    let made = listed(&format!("start,src,dst,size,class\n{rows}")).unwrap();
    let mut plan = Plan {
        classes: vec!["query".into(), "trace".into()],
        ..Plan::default()
    };
    made.plan(1, SECOND, Seed(1), "trace", &mut plan).unwrap();
    assert_eq!(plan.classes, ["query", "trace", "trace/web", "trace/dns"]);
    let got: Vec<_> = plan
        .flows
        .iter()
        .map(|f| (at(f).as_ms_f64(), f.src.0, f.dst.0, f.class))
        .collect();
    assert_eq!(
        got,
        [
            (1.0, 0, 1, 2),
            (2.0, 1, 2, 1),
            (0.0, 2, 3, 3),
            (3.0, 3, 0, 2)
        ]
    );
    assert!(plan.flows[1].is_endless());
    let load = made.load(Cost::default(), SECOND);
    assert_eq!(
        (load.flows_per_s, load.endless, load.payload_bps),
        (4.0, 1, 160_016.0)
    );
    assert_eq!(
        load.notes[1],
        "1 more start after the run's end at 1 s: left out"
    );
}

#[test]
fn a_flow_list_is_refused_where_it_is_wrong() {
    let said = listed("start,src,dst,size\n1 ms,0,4,1 B\n").unwrap_err();
    assert_eq!(
        said.to_string(),
        "f.csv:2: expected a host from 0 to 3, got \"4\""
    );
    let rows: String = (0..300).map(|i| format!("1 ms,0,1,1 B,c{i}\n")).collect();
    let made = listed(&format!("start,src,dst,size,class\n{rows}")).unwrap();
    let mut plan = Plan::default();
    let said = made
        .plan(0, SECOND, Seed(1), "trace", &mut plan)
        .unwrap_err();
    assert_eq!(
        said.to_string(),
        "expected at most 256 classes in a run, got \"c256\" as one more"
    );
}

/// Any kind with values that may or may not go together, as a user would write them.
fn any_workload() -> impl Strategy<Value = (&'static str, Vec<(&'static str, String)>)> {
    let n = 0u64..12;
    prop_oneof![
        (n.clone(), n.clone(), prop::bool::ANY).prop_map(|(degree, connections, ask)| (
            "query",
            vec![
                ("degree", degree.to_string()),
                ("connections", connections.to_string()),
                ("request", if ask { "100 B".into() } else { "off".into() }),
                ("jitter", "3 us".into()),
            ]
        )),
        (1u64..100).prop_map(|ms| ("background", vec![("inter_arrival", format!("{ms} ms"))])),
        (
            n.clone(),
            prop::sample::select(vec!["random", "pairs", "neighbours"])
        )
            .prop_map(|(flows, b)| (
                "long",
                vec![("flows", flows.to_string()), ("between", b.into())]
            )),
        Just(("permutation", vec![("jitter", "1 ms".into())])),
        (
            n.clone(),
            n,
            prop::sample::select(vec!["random", "spread", "first"])
        )
            .prop_map(|(degree, target, senders)| (
                "incast",
                vec![
                    ("degree", degree.to_string()),
                    ("target", target.to_string()),
                    ("senders", senders.into())
                ]
            )),
    ]
}

proptest! {
    #[test]
    fn every_plan_is_sound_and_repeats(hosts in 1u32..12, seed: u64, (name, set) in any_workload()) {
        let set: Vec<(&str, &str)> = set.iter().map(|(n, v)| (*n, v.as_str())).collect();
        let Ok(made) = try_made(name, hosts, &set) else { return Ok(()) };
        let duration = Time::from_ms(200);
        let plan = planned(&made, duration, seed);
        prop_assert_eq!(&plan, &planned(&made, duration, seed));
        let mut answers = vec![0u32; plan.queries.len()];
        for (i, flow) in plan.flows.iter().enumerate() {
            prop_assert!(flow.src != flow.dst && flow.src.0 < hosts && flow.dst.0 < hosts && flow.size > 0);
            if let Start::After { flow: before, .. } = flow.start {
                prop_assert!((before.0 as usize) < i);
                prop_assert_eq!(plan.flows[before.0 as usize].dst, flow.src);
            }
            if let Some(q) = flow.query {
                let target = plan.queries[q as usize].target;
                prop_assert_eq!(if flow.request { flow.src } else { flow.dst }, target);
                answers[q as usize] += u32::from(!flow.request);
            }
        }
        for (query, answers) in plan.queries.iter().zip(answers) {
            prop_assert!(query.start < duration && query.responses == answers);
        }
        let load = made.load(Cost::default(), duration);
        prop_assert!(load.wire_bps >= load.payload_bps && load.flows_per_s > 0.0);
    }
}
