//! Summaries and verdicts by hand: every number below can be checked with a pencil.

use sidestep_lab::probe::Loops;
use sidestep_lab::stats::metric::{self, Reading};
use sidestep_lab::stats::{Summary, summarise};
use sidestep_lab::{Accept, Claim, Compare, Probed, Record, Run, Verdict, evaluate};
use sidestep_sim::network::{Cable, Network, SwitchInfo};
use sidestep_sim::{
    ClassOutcome, End, FlowOutcome, FlowPlan, Histogram, NReordering, Outcome, PortCounts,
    PortOutcome, QueryPlan, Start, Totals, TrafficPlan,
};
use sidestep_switch::DropReason;
use sidestep_types::{BitRate, FlowId, Framing, HostId, PortId, SwitchId, Time};
use std::sync::Arc;

#[path = "numbers/classes.rs"]
mod classes;

fn flow(size: u64, class: u8, query: Option<u32>) -> FlowPlan {
    FlowPlan {
        src: HostId(1),
        dst: HostId(0),
        size,
        start: Start::At(Time::ZERO),
        class,
        query,
        request: false,
        mss: None,
    }
}

fn took(from_ms: u64, to_ms: Option<u64>) -> FlowOutcome {
    FlowOutcome {
        started: Some(Time::from_ms(from_ms)),
        finished: to_ms.map(Time::from_ms),
        delivered_bytes: 1000,
        ..FlowOutcome::default()
    }
}

fn counts(of: &[(usize, u64)]) -> Histogram {
    let mut histogram = Histogram::default();
    for (value, count) in of {
        histogram.add(*value, *count);
    }
    histogram
}

/// Builds a link of 1 Gbps that carried `wire_bytes`.
fn port(from: End, wire_bytes: u64) -> PortOutcome {
    PortOutcome {
        from,
        port: PortId(0),
        to: End::Switch(SwitchId(1)),
        rate: BitRate::gbps(1),
        packets: 1,
        wire_bytes,
        counts: PortCounts::default(),
        peak_packets: 1,
        peak_bytes: 1538,
        pauses: 0,
        paused: Time::ZERO,
        input_peak_bytes: 0,
    }
}

/// Builds two hosts at a switch, with links of 1 Gbps.
fn one_switch() -> Network {
    let cable = |host| Cable {
        a: End::Host(HostId(host)),
        b: End::Switch(SwitchId(0)),
        rate: BitRate::gbps(1),
        delay: Time::from_us(1),
    };
    Network {
        hosts: 2,
        switches: vec![SwitchInfo::named("switch")],
        cables: vec![cable(0), cable(1)],
    }
}

/// Builds the counts of packets of each n.
fn reordered(counts: &[(usize, u64)]) -> NReordering {
    let mut all = NReordering::default();
    for &(n, count) in counts {
        all.counts[n.min(NReordering::BUCKETS) - 1] = count;
    }
    all
}

/// Builds a run with a query of two responses that complete after `qct_ms`, and four background flows.
fn one_run(scheme: &str, seed: u64, qct_ms: Option<u64>) -> Run {
    let mut request = flow(100, 1, Some(0));
    request.request = true;
    let plan = TrafficPlan {
        classes: vec!["background".into(), "query".into()],
        flows: vec![
            flow(1_000, 0, None),
            flow(10_000, 0, None),
            flow(10_001, 0, None),
            flow(FlowPlan::ENDLESS, 0, None),
            request,
            flow(8_000, 1, Some(0)),
            flow(8_000, 1, Some(0)),
        ],
        queries: vec![QueryPlan {
            start: Time::from_ms(2),
            target: HostId(0),
            responses: 2,
            class: 1,
        }],
        ..TrafficPlan::default()
    };
    let mut drops = [0; DropReason::COUNT];
    drops[..6].copy_from_slice(&[7, 2, 1, 4, 5, 8]);
    let outcome = Outcome {
        subflows: Vec::new(),
        flows: vec![
            took(1, Some(4)),
            took(1, Some(6)),
            took(0, Some(90)),
            took(0, None),
            took(2, Some(95)),
            took(2, qct_ms.map(|ms| ms + 2)),
            took(2, Some(3)),
        ],
        // In 102 ms a link of 1 Gbps carries 12.75 MB.
        ports: vec![
            port(End::Switch(SwitchId(0)), 1_275_000),
            port(End::Switch(SwitchId(0)), 3_825_000),
            port(End::Host(HostId(0)), 12_750_000),
            port(End::Host(HostId(1)), 12_750_000),
        ],
        classes: vec![
            ClassOutcome {
                sent: 210,
                delivered: 200,
                detoured: 2,
                detours_each: counts(&[(0, 198), (1, 2)]),
                extra_hops: [vec![Histogram::default(); 5], vec![counts(&[(2, 2)])]].concat(),
                dropped: 10,
                trimmed: 4,
                reordered: 12,
                n_reordering: reordered(&[(1, 6), (3, 2)]),
                ..ClassOutcome::default()
            },
            ClassOutcome {
                sent: 100,
                delivered: 100,
                detoured: 18,
                detours_each: counts(&[(0, 82), (1, 16), (40, 2)]),
                extra_hops: [
                    vec![Histogram::default(); 3],
                    vec![counts(&[(0, 1), (6, 17)])],
                ]
                .concat(),
                reordered: 3,
                n_reordering: reordered(&[(2, 2), (1000, 1)]),
                ..ClassOutcome::default()
            },
        ],
        totals: Totals {
            packet_hops: 1000,
            drops,
            trims: 6,
            delivered: 500,
            detoured: 20,
            timeouts: 3,
            spurious_timeouts: 2,
            retransmits: 8,
            spurious_retransmits: 5,
            ..Totals::default()
        },
        deadlocks: Vec::new(),
        end: Time::from_ms(102),
        trajectory_hash: seed,
        traces: Vec::new(),
    };
    Run {
        scheme: scheme.into(),
        seed,
        plan: Arc::new(plan),
        outcome,
        network: Arc::new(one_switch()),
        framing: Framing::Ethernet,
        mss: 1460,
        probed: Probed::default(),
        recording: None,
        interrupted: false,
        told: Default::default(),
        warnings: Vec::new(),
        marks: Vec::new(),
    }
}

fn summary(scheme: &str, qcts_ms: &[Option<u64>]) -> Summary {
    let runs: Vec<Record> = qcts_ms
        .iter()
        .zip(1..)
        .map(|(qct, seed)| Record::of(&one_run(scheme, seed, *qct)))
        .collect();
    summarise(&runs.iter().collect::<Vec<_>>())
}

#[test]
fn a_summary_by_hand() {
    let s = summary("dibs", &[Some(10), Some(20), Some(30)]);
    assert_eq!(
        (s.qct_ms.p50, s.qct_ms.p99, s.qct_ms.n),
        (Some(20.0), Some(30.0), 3)
    );
    // By logarithms around 30: the seeds' 10, 20 and 30 are 1/3, 2/3 and all of it; t is 4.302653. The interval
    // of seeds that lie so far apart is extended to their range.
    let (third, two_thirds) = ((1.0f64 / 3.0).ln(), (2.0f64 / 3.0).ln());
    let spread = ((third * third + two_thirds * two_thirds) / 2.0).sqrt();
    let times = (4.302653 * spread / 3.0f64.sqrt()).exp();
    let [low, high] = s.qct_ms.ci.unwrap();
    assert!(
        (low / (30.0 / times) - 1.0).abs() < 1e-6 && (high / (30.0 * times) - 1.0).abs() < 1e-6
    );
    assert_eq!(metric(&s, "qct_mean_ms"), Reading::Exactly(20.0));
    assert_eq!(metric(&s, "qct_p999_ms"), Reading::Exactly(30.0));
    assert_eq!(metric(&s, "qct_done_mean_ms"), Reading::Exactly(20.0));
    // Responses take as long as the query, or 1 ms; the request that takes 93 ms does not count.
    let responses = (10.0 + 20.0 + 30.0 + 3.0) / 6.0;
    assert_eq!(
        metric(&s, "fct_response_mean_ms"),
        Reading::Exactly(responses)
    );
    assert_eq!(
        metric(&s, "fct_response_done_p99_ms"),
        Reading::Exactly(30.0)
    );
    let all = (63.0 + 3.0 * (3.0 + 5.0 + 90.0)) / 15.0;
    let Reading::Exactly(ours) = metric(&s, "fct_all_done_mean_ms") else {
        panic!("all are complete");
    };
    assert!((ours - all).abs() < 1e-9, "{ours} {all}");
    assert_eq!(s.fct_all_ms.n, 15);
    // 81 packets were dropped; the hand-made runs count no packet as sent.
    assert_eq!(metric(&s, "drop_share"), Reading::Nothing);
    let sent = Summary {
        sent: 810,
        ..s.clone()
    };
    assert_eq!(metric(&sent, "drop_share"), Reading::Exactly(0.1));
    // By size: those two, and the flow of 90 ms.
    assert_eq!(metric(&s, "fct_upto_10kb_mean_ms"), Reading::Exactly(4.0));
    assert_eq!(metric(&s, "fct_upto_10kb_p99_ms"), Reading::Exactly(5.0));
    assert_eq!(metric(&s, "fct_10kb_100kb_p50_ms"), Reading::Exactly(90.0));
    assert_eq!(metric(&s, "fct_over_10mb_mean_ms"), Reading::Nothing);
    assert_eq!(s.fct_by_size_ms.iter().map(|of| of.n).sum::<u64>(), 9);
    // 3, 5 and 90 ms in each run.
    let mean = (3.0 + 5.0 + 90.0) / 3.0;
    let Reading::Exactly(ours) = metric(&s, "fct_background_mean_ms") else {
        panic!("all are complete");
    };
    assert!((ours - mean).abs() < 1e-9, "{ours}");
    assert_eq!(
        metric(&s, "fct_background_completed_share"),
        Reading::Exactly(1.0)
    );
    assert_eq!(
        metric(&s, "delivered_bytes"),
        Reading::Exactly(3.0 * 7.0 * 1000.0)
    );
    // One endless flow a run: 1000 B in 102 ms, as a share of 1 Gbps; 1460 of 1538 bytes are payload.
    let goodput = 8000.0 / 0.102 / 1e9;
    for (name, expected) in [
        ("flow_goodput_gbps_mean", goodput),
        ("flow_link_share_p50", goodput),
        ("flow_payload_share_max", goodput * 1538.0 / 1460.0),
    ] {
        let Reading::Exactly(ours) = metric(&s, name) else {
            panic!("{name} has no value");
        };
        assert!((ours - expected).abs() < 1e-12, "{name}: {ours} {expected}");
    }
    assert_eq!(s.samples["flow_link_share"].n, 3);
    // 3 ms and 5 ms in each run: the third is too long, the fourth is endless, the rest are a query's.
    assert_eq!(
        (s.fct_short_ms.p50, s.fct_short_ms.p99, s.fct_short_ms.n),
        (Some(3.0), Some(5.0), 6)
    );
    let drops = s.drops.as_ref().unwrap();
    assert_eq!((drops["full"], drops["ttl"], drops["early"]), (21, 6, 3));
    assert_eq!((drops["evicted"], drops["detours"]), (12, 15));
    assert_eq!((s.signals.trims, drops["link_down"]), (Some(18), 24));
    assert_eq!(s.detoured_data_share, Some(20.0 / 300.0));
    assert_eq!(s.detoured_share, Some(20.0 / 500.0));
    assert_eq!(s.detoured_query_share, Some(0.9));
    assert_eq!(s.detoured_background_share, Some(0.01));
    // The 99th of 100 data packets of queries was detoured 40 times.
    assert_eq!(s.detours_per_packet, Some((2.0 + 16.0 + 80.0) / 300.0));
    assert_eq!((s.detours_p99, s.detours_max), (Some(40), Some(40)));
    // 2 packets crossed 7 switches instead of 5, 17 crossed 9 instead of 3, and 281 took a shortest path.
    let stretch = (2.0 * 7.0 / 5.0 + 17.0 * 9.0 / 3.0 + 281.0) / 300.0;
    assert!((s.stretch_mean.unwrap() - stretch).abs() < 1e-12);
    assert_eq!(s.extra_hops_p99, Some(6));
    let extra_hops = s.classes[1].extra_hops.as_deref();
    assert_eq!(extra_hops, Some(&[3 * 83, 0, 0, 0, 0, 0, 3 * 17][..]));
    let detours_each = s.classes[0].detours_each.as_deref();
    assert_eq!(detours_each, Some(&[3 * 198, 3 * 2][..]));
    // A host's own link does not count.
    let link_use = s.link_use.as_ref().unwrap();
    assert!((link_use.mean.unwrap() - 0.2).abs() < 1e-12);
    assert_eq!(link_use.max, Some(0.3));
    assert_eq!(
        (
            s.packet_hops,
            s.signals.timeouts,
            s.seeds.len(),
            s.per_seed.len()
        ),
        (Some(3000), Some(9), 3, 3)
    );
    assert_eq!(
        (s.signals.spurious_retransmits, s.signals.spurious_timeouts),
        (Some(15), Some(6))
    );
    // 15 of 300 in each run; the 45th of 45 is above 64, where values are not distinguished.
    assert_eq!(s.reordered_share, Some(0.05));
    assert_eq!(
        (s.reordering_p99, s.reordering_p99_at_least),
        (Some(65), Some(true))
    );
    let n_reordering = s.classes[0].n_reordering.as_deref();
    assert_eq!(n_reordering, Some(&[18, 0, 6][..]));
    let [first, second] = [&s.classes[0], &s.classes[1]];
    assert_eq!((first.trimmed, second.reordered), (Some(12), Some(9)));
    assert_eq!(s.jain, Some(1.0));
    assert_eq!((s.classes[0].fct_ms.n, s.classes[1].fct_ms.n), (9, 9));
    assert!(!s.classes[0].query && s.classes[1].query);
}

#[test]
fn fairness_is_that_of_goodputs_while_each_flow_lasts() {
    let mut run = one_run("dctcp", 1, Some(10));
    let mut plan = (*run.plan).clone();
    // The other endless flow has 1000 B in 102 ms; these have 3000 B in 102 ms and 500 B in 51 ms.
    plan.flows.extend([flow(FlowPlan::ENDLESS, 0, None); 2]);
    run.plan = Arc::new(plan);
    let more = [(0, 3000), (51, 500)].map(|(from, bytes)| FlowOutcome {
        delivered_bytes: bytes,
        ..took(from, None)
    });
    run.outcome.flows.extend(more);
    let summary = summarise(&[&Record::of(&run)]);
    // 3000 B in 102 ms over 500 B in 51 ms.
    let ratio = metric(&summary, "flow_goodput_max_over_min");
    assert!(matches!(ratio, Reading::Exactly(ratio) if (ratio - 3.0).abs() < 1e-12));
    let jain = summary.jain.unwrap();
    assert!((jain - 25.0 / (3.0 * 11.0)).abs() < 1e-12, "{jain}");
}

fn metric(summary: &Summary, name: &str) -> Reading {
    metric::find(name).unwrap().read(summary)
}

#[test]
fn probes_add_up_over_seeds() {
    let probed = |samples: &[f64], lengths: &[u64], edge: u64| Probed {
        drops_at: [("full".to_string(), [("edge".to_string(), edge)].into())].into(),
        samples: [("hot_link_share".to_string(), samples.to_vec())].into(),
        loops: Some(Loops {
            packets: 50,
            detoured: 10,
            looped: 4,
            lengths: lengths.to_vec(),
        }),
        ..Probed::default()
    };
    let (mut one, mut two) = (one_run("dibs", 1, Some(10)), one_run("dibs", 2, Some(20)));
    let none = summarise(&[&Record::of(&one)]);
    assert_eq!(metric(&none, "hot_link_share_p90"), Reading::Nothing);
    assert_eq!(metric(&none, "looped_share"), Reading::Nothing);
    one.probed = probed(&[0.9, 0.1, 0.2, 0.3, 0.0], &[0, 0, 3, 0, 1], 7);
    two.probed = probed(&[0.4, 0.5, 0.6, 0.7, 0.8], &[0, 0, 1], 2);
    let s = summarise(&[&Record::of(&one), &Record::of(&two)]);
    let numbers = ["mean", "p10", "p50", "p90", "p99", "max"].map(|of| {
        match metric(&s, &format!("hot_link_share_{of}")) {
            Reading::Exactly(v) => (v * 100.0).round() / 100.0,
            other => panic!("{of}: {other:?}"),
        }
    });
    assert_eq!(numbers, [0.45, 0.0, 0.4, 0.8, 0.9, 0.9]);
    assert_eq!(metric(&s, "looped_share"), Reading::Exactly(0.4));
    assert_eq!(metric(&s, "loops_per_packet"), Reading::Exactly(0.05));
    assert_eq!(metric(&s, "loop_length_mean"), Reading::Exactly(12.0 / 5.0));
    assert_eq!(s.drops_at.as_ref().unwrap()["full"]["edge"], 9);
    assert_eq!(s.per_seed[1].samples["hot_link_share"].n, 5);
    let text = serde_json::to_string(&s).unwrap();
    assert_eq!(serde_json::from_str::<Summary>(&text).unwrap(), s);
}

/// Nearest ranks of 21 queries of 1 to 21 ms: 11, 20 (19.95) and 21 (20.79). With two of them open, the 95th
/// percentile is the first of these, a bound.
#[test]
fn the_95th_percentile_is_the_twentieth_of_twenty_one() {
    let mut qcts: Vec<Option<u64>> = (1..=21).map(Some).collect();
    let s = summary("dibs", &qcts);
    for (name, value) in [
        ("qct_p50_ms", 11.0),
        ("qct_p95_ms", 20.0),
        ("qct_p99_ms", 21.0),
    ] {
        assert_eq!(metric(&s, name), Reading::Exactly(value), "{name}");
    }
    (qcts[19], qcts[20]) = (None, None);
    let s = summary("dibs", &qcts);
    assert_eq!((s.qct_ms.p95, s.qct_ms.p95_at_least), (Some(100.0), true));
    assert_eq!(metric(&s, "qct_p95_ms"), Reading::AtLeast(100.0));
}

#[test]
fn an_unfinished_query_makes_its_percentile_a_lower_bound_and_leaves_no_interval() {
    let s = summary("dctcp", &[Some(10), None]);
    assert_eq!((s.qct_ms.p50, s.qct_ms.p50_at_least), (Some(10.0), false));
    // The query began at 2 ms, and was not complete when the run ended at 102 ms.
    assert_eq!((s.qct_ms.p99, s.qct_ms.p99_at_least), (Some(100.0), true));
    assert_eq!((s.qct_ms.completed_share, s.qct_ms.ci), (Some(0.5), None));
    assert_eq!(metric(&s, "qct_mean_ms"), Reading::AtLeast(55.0));
    assert_eq!(metric(&s, "qct_p999_ms"), Reading::AtLeast(100.0));
    // Completed ones alone have exact numbers, whatever the others do.
    assert!(matches!(metric(&s, "qct_done_p99_ms"), Reading::Exactly(_)));
    assert!(matches!(
        metric(&s, "qct_done_mean_ms"),
        Reading::Exactly(_)
    ));
}

#[test]
fn what_an_interrupted_run_never_came_to_ask_is_not_unfinished() {
    let mut run = one_run("dctcp", 1, Some(10));
    let mut plan = (*run.plan).clone();
    let late = Time::from_ms(200);
    plan.queries.push(QueryPlan {
        start: late,
        ..plan.queries[0]
    });
    plan.flows.push(FlowPlan {
        start: Start::At(late),
        ..flow(1_000, 0, None)
    });
    run.plan = Arc::new(plan);
    run.outcome.flows.push(FlowOutcome::default());
    run.interrupted = true;
    let s = summarise(&[&Record::of(&run)]);
    assert_eq!((s.qct_ms.n, s.qct_ms.completed_share), (1, Some(1.0)));
    assert_eq!(
        (s.fct_short_ms.n, s.fct_short_ms.completed_share),
        (2, Some(1.0))
    );
}

/// A flow in progress when the run ended is unfinished; the flow that would have followed it does not count.
#[test]
fn what_a_closed_loop_never_came_to_start_is_not_unfinished() {
    let mut run = one_run("dctcp", 1, Some(10));
    let (before, seen) = (summarise(&[&Record::of(&run)]), Record::of(&run).flows);
    let mut plan = (*run.plan).clone();
    let mut add = |started| {
        plan.flows.push(FlowPlan {
            start: Start::Replace {
                flow: FlowId(0),
                until: Time::from_s(1),
            },
            ..flow(1_000, 0, None)
        });
        run.outcome.flows.push(FlowOutcome {
            started,
            ..FlowOutcome::default()
        });
    };
    add(None);
    add(None);
    add(Some(Time::from_ms(2)));
    run.plan = Arc::new(plan);
    let record = Record::of(&run);
    assert_eq!(record.flows, seen + 1);
    let s = summarise(&[&record]);
    assert_eq!(s.fct_short_ms.n, before.fct_short_ms.n + 1);
    assert!(s.fct_short_ms.completed_share < before.fct_short_ms.completed_share);
}

#[test]
fn who_asks_for_a_background_flow_is_in_no_completion_time() {
    let mut run = one_run("dctcp", 1, Some(10));
    let before = summarise(&[&Record::of(&run)]);
    let mut plan = (*run.plan).clone();
    plan.flows.push(FlowPlan {
        request: true,
        ..flow(1_000, 0, None)
    });
    run.outcome.flows.push(took(0, Some(99)));
    run.plan = Arc::new(plan);
    let after = summarise(&[&Record::of(&run)]);
    assert_eq!(after.fct_all_ms, before.fct_all_ms);
    assert_eq!(after.fct_short_ms, before.fct_short_ms);
    assert_eq!(after.fct_response_ms, before.fct_response_ms);
    assert_eq!(after.fct_by_size_ms, before.fct_by_size_ms);
}

#[test]
fn a_summary_survives_json_and_its_hash_tells_runs_apart() {
    let mut s = summary("dibs", &[Some(10), Some(20)]);
    s.set_cpu(0.5);
    assert_eq!(s.hops_per_cpu_s, Some(4000.0));
    let text = serde_json::to_string(&s).unwrap();
    assert_eq!(serde_json::from_str::<Summary>(&text).unwrap(), s);
    for name in [
        "qct_ms",
        "fct_short_ms",
        "drops",
        "detours",
        "detoured_share",
        "marks",
        "timeouts",
        "packet_hops",
        "events",
        "cpu_s",
        "hops_per_cpu_s",
        "trajectory_hash",
        "seeds",
    ] {
        assert!(
            text.contains(&format!("\"{name}\":")),
            "{name} of design.md section 5"
        );
    }
    let [one, two] = [2, 1].map(|seed| Record::of(&one_run("dibs", seed, Some(10))));
    let other = summarise(&[&one, &two]);
    assert_ne!(other.trajectory_hash, s.trajectory_hash);
}

fn claim(compare: &str, accept: &str) -> Claim {
    Claim {
        id: "c".into(),
        figure: "1".into(),
        says: "less".into(),
        metric: "qct_p99_ms".into(),
        compare: Compare::parse(compare),
        paper: Some(20.0),
        own: false,
        meant: 1,
        accept: Accept::parse(accept).unwrap(),
        tolerance: "half".into(),
        gap: "none".into(),
        at: Vec::new(),
        over: None,
        less: Vec::new(),
        per: Vec::new(),
        expect: Verdict::Reproduced,
        testbed_expect: Verdict::Reproduced,
        testbed_gap: String::new(),
        gap_sweep: String::new(),
        expect_between: None,
        not_judged: None,
    }
}

#[test]
fn a_verdict_needs_a_whole_interval_or_a_bound_that_decides() {
    let clear = [
        summary("a", &[Some(40), Some(41), Some(40)]),
        summary("b", &[Some(20), Some(21), Some(20)]),
    ];
    let loose = [
        summary("a", &[Some(40), Some(80), Some(60)]),
        summary("b", &[Some(20), Some(20), Some(20)]),
    ];
    let open = [
        summary("a", &[None, None, None]),
        summary("b", &[Some(20), Some(20), Some(20)]),
    ];
    let two = [
        summary("a", &[Some(40), Some(41)]),
        summary("b", &[Some(20), Some(21)]),
    ];
    use Verdict::{CantTell, NotReproduced, Reproduced};
    let table = [
        // 41 - 21, and 20 in each seed.
        (&clear, "a - b", "10..30", Reproduced),
        (&clear, "a - b", "20", Reproduced),
        (&clear, "a - b", "30..", NotReproduced),
        (&clear, "a - b", ">20", NotReproduced),
        (&clear, "a / b", "1.8..2.1", Reproduced),
        (&clear, "b", "..21", CantTell),
        (&clear, "b", "..24", Reproduced),
        // One seed with another number refutes a statement about every run.
        (&clear, "b", "21", NotReproduced),
        // 80 - 20 = 60; the seeds' 20, 40 and 60 leave an interval that reaches below 30.
        (&loose, "a - b", "10..30", CantTell),
        // At least 100 - 20 in each seed.
        (&open, "a - b", "10..", Reproduced),
        (&open, "a - b", "10..30", NotReproduced),
        (&open, "a - b", "10..90", CantTell),
        (&open, "b - a", "..0", Reproduced),
        // Two seeds have no useful interval.
        (&two, "a - b", "10..30", CantTell),
        // Scheme c did not run.
        (&clear, "a - c", "10..30", CantTell),
    ];
    for (summaries, compare, accept, expected) in table {
        let result = &evaluate(&[claim(compare, accept)], summaries)[0];
        assert_eq!(
            result.verdict, expected,
            "{compare} in {accept}: {result:?}"
        );
    }
    let text = serde_json::to_string(&evaluate(&[claim("a - c", "1")], &clear)[0]).unwrap();
    assert!(
        text.contains("\"verdict\":\"can't tell\"") && text.contains("\"ours\":null"),
        "{text}"
    );
}
