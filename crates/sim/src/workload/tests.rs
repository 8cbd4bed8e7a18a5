//! Laws of every workload; each kind has its own file.

mod apart;
mod background;
mod bursts;
mod flow_list;
mod mss;
mod queries;
mod replace;
mod share;

use super::*;
use crate::files::NoFiles;
use crate::topology;
use proptest::prelude::*;
use sidestep_types::Value;
use std::collections::{BTreeMap, BTreeSet};

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

fn planned(workload: &AnyWorkload, duration: Time, seed: u64) -> TrafficPlan {
    let mut plan = TrafficPlan::default();
    workload
        .plan(0, duration, Seed(seed), "w", &mut plan)
        .unwrap();
    plan
}

fn at(flow: &FlowPlan) -> Time {
    match flow.start {
        Start::At(time) => time,
        _ => panic!("{flow:?} waits for another"),
    }
}

/// Returns true if `got` is within four standard errors of `expected`.
fn near(got: f64, expected: f64, error: f64) -> bool {
    (got - expected).abs() < 4.0 * error
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
    assert_eq!(
        said("query", 64, &[("connection", "persistent")]),
        "connection = \"persistent\" needs a request, whose connection it shares, got request = \"off\""
    );
    assert_eq!(
        said("background", 64, &[("think", "1 us")]),
        "think (1 us) needs a request, got request = \"off\""
    );
    assert!(said("query", 64, &[("size", "0 B")]).starts_with("size must be from 1 B to"));
    assert_eq!(
        said("query", 64, &[("size", "17592186044416 B")]),
        "size must be from 1 B to 17592186044415 B, got 17592186044416 B"
    );
    assert_eq!(
        said("query", 64, &[("think_deviation", "3 us")]),
        "think_deviation (3 us) needs a request, got request = \"off\""
    );
    assert!(said("query", 64, &[("request", "0 B")]).starts_with("request must be from 1 B to"));
    assert!(said("query", 64, &[("degree", "0")]).starts_with("degree must be from 1 to"));
    assert_eq!(
        said("background", 64, &[("load", "0.5")]),
        "set one of inter_arrival and load, and the other to \"off\", got both"
    );
    assert!(said("background", 64, &[("inter_arrival", "off")]).ends_with("got neither"));
    assert_eq!(
        said("background", 64, &[("inter_arrival", "0 s")]),
        "inter_arrival must be above 0, got 0 ps"
    );
    assert!(
        said("background", 64, &[("inter_arrival", "off"), ("load", "0")])
            .contains("load must be above 0")
    );
    let over = |load, more: &[(&'static str, &'static str)]| {
        let sets = [&[("inter_arrival", "off"), ("load", load)], more].concat();
        try_made("background", 64, &sets)
            .err()
            .map(|refusal| refusal.to_string())
    };
    let most = "load must be at most 1 (a percentage needs its sign: \"50 %\"; overload = true allows more), got ";
    assert_eq!(over("1.2", &[]), Some(format!("{most}1.2")));
    assert_eq!(over("1.000001", &[]), Some(format!("{most}1.000001")));
    assert_eq!(over("101 %", &[]), Some(format!("{most}1.01")));
    assert_eq!(
        over("50", &[("load_of", "fabric")]),
        Some(format!("{most}50"))
    );
    for (load, overload) in [
        ("1", "false"),
        ("100 %", "false"),
        ("1.2", "true"),
        ("7", "true"),
    ] {
        assert_eq!(over(load, &[("overload", overload)]), None, "{load}");
    }
    assert!(
        said("background", 64, &[("cdf", "nope")]).starts_with("\"nope\" is neither a shipped")
    );
    assert_eq!(said("incast", 9, &[]), "degree must be from 1 to 8, got 40");
    assert_eq!(
        said("incast", 9, &[("degree", "8"), ("target", "9")]),
        "target must be a host from 0 to 8, got 9"
    );
    let both = "set one of size and total, and the other to \"off\"; got size 20 kB, total 1 MB";
    assert_eq!(said("incast", 64, &[("total", "1 MB")]), both);
    assert!(said("incast", 64, &[("size", "off")]).ends_with("got size off, total off"));
    assert_eq!(
        said("incast", 64, &[("size", "off"), ("total", "39 B")]),
        "total must be at least 40 B, one byte for each flow, got 39 B"
    );
    assert!(
        said("incast", 64, &[("size", "off"), ("total", "0 B")])
            .starts_with("total must be from 1 B")
    );
    assert_eq!(
        said(
            "background",
            64,
            &[("cdf", "uniform 1 B..9 B"), ("interpolation", "step")]
        ),
        "expected interpolation = \"linear\" with cdf = \"uniform …\", which spreads sizes between \
         its ends, got \"step\""
    );
    assert_eq!(
        said("long", 9, &[("between", "to_host"), ("target", "9")]),
        "target must be a host from 0 to 8, got 9"
    );
    assert_eq!(
        said("long", 9, &[("between", "to_rack")]),
        "between = \"to_rack\" needs hosts in other racks: expected \"to_host\", got one rack"
    );
    assert_eq!(
        said("long", 9, &[("target", "8")]),
        "target needs between = \"to_host\" or \"to_rack\", got between = \"random\""
    );
    let unknown = build("ring", &Values::default(), &NoFiles, &network(2)).unwrap_err();
    assert_eq!(unknown.to_string(), "workload \"ring\" is unknown");
}

#[test]
fn what_cannot_be_planned_is_an_error_and_no_panic() {
    let fails = |name, set: &[(&str, &str)], duration| {
        let mut plan = TrafficPlan::default();
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
        "at must be before duration ends at 1 s, got 1 s"
    );
    assert!(fails("long", &[("start", "1 s")], SECOND).contains("start must be before"));
    assert!(fails("permutation", &[("start", "2 s")], SECOND).contains("start must be before"));
}

#[test]
fn adding_a_workload_moves_no_flow_of_another() {
    let (query, background) = (made("query", 64, &[]), made("background", 64, &[]));
    let mut both = TrafficPlan::default();
    background
        .plan(0, SECOND, Seed(1), "noise", &mut both)
        .unwrap();
    let others = both.flows.len();
    query.plan(1, SECOND, Seed(1), "asking", &mut both).unwrap();
    let mut alone = TrafficPlan::default();
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
    // The same kind under another name draws differently.
    let mut renamed = TrafficPlan::default();
    query
        .plan(0, SECOND, Seed(1), "other", &mut renamed)
        .unwrap();
    assert_ne!(renamed.queries, alone.queries);
}

/// Draws any kind with values that may or may not go together, as a user would write them.
fn any_workload() -> impl Strategy<Value = (&'static str, Vec<(&'static str, String)>)> {
    let n = 0u64..12;
    prop_oneof![
        (
            n.clone(),
            n.clone(),
            prop::sample::select(vec!["", "own", "shared", "persistent"])
        )
            .prop_map(|(degree, connections, ask)| (
                "query",
                vec![
                    ("degree", degree.to_string()),
                    ("connections", connections.to_string()),
                    (
                        "request",
                        if ask.is_empty() { "off" } else { "100 B" }.into()
                    ),
                    (
                        "connection",
                        if ask.is_empty() { "own" } else { ask }.into()
                    ),
                    (
                        "mss",
                        if ask.len() > 3 {
                            "64..1500"
                        } else {
                            "transport"
                        }
                        .into()
                    ),
                    ("jitter", "3 us".into()),
                    (
                        "think_deviation",
                        if ask.is_empty() { "0 us" } else { "2 us" }.into()
                    ),
                ]
            )),
        (1u64..100, any::<bool>()).prop_map(|(percent, asks)| {
            let load = ("load", format!("{}", percent as f64 / 100.0));
            match asks {
                true => (
                    "query",
                    vec![load, ("rate", "off".into()), ("degree", "3".into())],
                ),
                false => ("background", vec![load, ("inter_arrival", "off".into())]),
            }
        }),
        (1u64..100).prop_map(|ms| ("background", vec![("inter_arrival", format!("{ms} ms"))])),
        (
            n.clone(),
            prop::sample::select(vec!["random", "pairs", "one_way", "neighbours", "to_host"])
        )
            .prop_map(|(flows, b)| (
                "long",
                vec![("flows", flows.to_string()), ("between", b.into())]
            )),
        Just(("permutation", vec![("jitter", "1 ms".into())])),
        (n.clone(), 1u64..1_000).prop_map(|(active, kb)| (
            "replace",
            vec![
                ("active", active.to_string()),
                ("cdf", "off".into()),
                ("size", format!("{kb} kB")),
                ("jitter", "1 ms".into()),
            ]
        )),
        (n.clone(), 1u64..1_000).prop_map(|(degree, total)| (
            "incast",
            vec![
                ("degree", degree.to_string()),
                ("flows", "3".into()),
                ("size", "off".into()),
                ("total", format!("{total} B")),
            ]
        )),
        (1u64..50, 1u64..50).prop_map(|(least, more)| (
            "background",
            vec![("cdf", format!("uniform {least} B..{} kB", least + more))]
        )),
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
        let mut plan = planned(&made, duration, seed);
        prop_assert_eq!(&plan, &planned(&made, duration, seed));
        plan.classes.push("w".into());
        prop_assert_eq!(crate::checks::check_plan(&network(hosts), &plan), Ok(()));
        let mut answers = vec![0u32; plan.queries.len()];
        for (i, flow) in plan.flows.iter().enumerate() {
            prop_assert!(flow.src != flow.dst && flow.src.0 < hosts && flow.dst.0 < hosts && flow.size > 0);
            if let Some(before) = flow.start.follows() {
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
        prop_assert!(load.wire_bps >= load.payload_bps && (load.flows_per_s > 0.0) != (name == "replace"));
    }
}
