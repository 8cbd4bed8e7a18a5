//! Probes observe a run and do not change it.

#[path = "probes/latency.rs"]
mod latency;
#[path = "probes/links.rs"]
mod links;
#[path = "probes/read.rs"]
mod spec;

use sidestep_lab::probe::LoggedEvent;
use sidestep_lab::stats::metric::{self, Reading};
use sidestep_lab::stats::summarise;
use sidestep_lab::{Record, Run, Scenario, Watch};
use sidestep_sim::{End, Files, NoFiles, TraceFilter};
use std::collections::BTreeMap;

fn read(text: &str, sets: &[&str]) -> Result<Scenario, String> {
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    Scenario::read("t.toml", text, &sets, &NoFiles).map_err(|problems| {
        let texts: Vec<String> = problems.iter().map(|p| p.to_string()).collect();
        texts.join("\n")
    })
}

fn run(scenario: &Scenario, scheme: usize) -> Run {
    let trace = TraceFilter::None;
    sidestep_lab::run(scenario, scheme, 1, trace, &mut |_| Watch::Go).expect("a run")
}

/// Incast that overflows its last port, beside endless flows.
const BUSY: &str = r#"
duration = "8 ms"
schemes = ["dctcp", "dibs"]
[topology]
kind = "fat_tree"
k = 4
[switch]
capacity = "20 pkt"
buffer = { mark_at = "10 pkt" }
[workload.query]
kind = "incast"
degree = 15
size = "40 kB"
[workload.background]
kind = "permutation"
"#;

const ALL: [&str; 15] = [
    "probe.flows_from=3 ms",
    "probe.spread_from=1 ms",
    "probe.latency_from=200 us",
    "probe.latency=query, background",
    "probe.latency_every=10",
    "probe.goodput=110 us",
    "probe.drops=250 us",
    "probe.spread=core > agg 0, edge > agg",
    "probe.spread_window=130 us",
    "probe.links=300 us",
    "probe.neighbours=70 us",
    "probe.occupancy=[\"100 us\", \"1 ms\", \"1 s\"]",
    "probe.detours=true",
    "probe.paths=3",
    "probe.loops=true",
];

/// Shims, a closed loop, and a cable that slows, goes down and comes back, beside [`BUSY`].
const BUSIER: &str = r#"
[workload.loop]
kind = "replace"
active = 10
cdf = "off"
size = "30 kB"
[host]
shims = ["order"]
[[change]]
at = "1 ms"
link = "agg 0.0 - core 0"
rate = "100 Mbps"
[[change]]
at = "2 ms"
link = "agg 0.0 - core 0"
down = true
reroute = "700 us"
[[change]]
at = "5 ms"
link = "agg 0.0 - core 0"
up = true
"#;

#[test]
fn a_run_with_probes_is_the_run_without_them() {
    for text in [
        BUSY.to_string(),
        BUSY.replace("\"permutation\"", "\"permutation\"\nsize = \"200 kB\""),
        format!("{BUSY}{BUSIER}"),
    ] {
        let (plain, probed) = (read(&text, &[]).unwrap(), read(&text, &ALL).unwrap());
        for scheme in 0..2 {
            let (without, with) = (run(&plain, scheme), run(&probed, scheme));
            assert_eq!(with.outcome, without.outcome);
            assert!(with.probed.samples["hot_link_share"].len() > 1);
            assert!(!with.probed.samples["neighbour_free_2hop"].is_empty());
            assert!(with.probed.samples["use_spread.core > agg 0"].len() > 1);
            assert!(with.probed.samples["latency_us.query"].len() > 10);
            assert_eq!(without.probed.samples, BTreeMap::new());
            assert_eq!(with.probed.drops_at, without.probed.drops_at);
        }
    }
}

#[test]
fn the_window_that_ends_with_the_run_counts() {
    let text = BUSY.replace("40 kB", "1 kB");
    let run = run(
        &read(&text, &["probe.links=2 ms", "probe.occupancy=8 ms"]).unwrap(),
        1,
    );
    assert!(
        run.outcome.end.as_ms_f64() <= 8.0,
        "endless flows alone are left"
    );
    assert_eq!(run.probed.samples["hot_link_share"].len(), 4);
    assert_eq!(run.probed.occupancy.len(), 1);
}

#[test]
fn the_logs_agree_with_the_counts() {
    let scenario = read(BUSY, &ALL).unwrap();
    let run = run(&scenario, 1);
    let (outcome, probed) = (&run.outcome, &run.probed);
    assert!(outcome.totals.detours > 100, "{:?}", outcome.totals);
    assert_eq!(probed.detours.len() as u64, outcome.totals.detours);
    assert!(probed.detours.is_sorted_by_key(|d| d.at_ps));
    for port in outcome
        .ports
        .iter()
        .filter(|port| port.counts.detours_in + port.counts.detours_out > 0)
    {
        let End::Switch(switch) = port.from else {
            panic!("a host's port detours nothing");
        };
        let own = || probed.detours.iter().filter(|d| d.switch == switch.0);
        assert_eq!(
            own().filter(|d| d.taken == port.port.0).count() as u64,
            port.counts.detours_in
        );
        assert_eq!(
            own().filter(|d| d.wanted == port.port.0).count() as u64,
            port.counts.detours_out
        );
    }
    let most = outcome
        .flows
        .iter()
        .map(|flow| u32::from(flow.max_detours))
        .max();
    let paths = &probed.paths;
    assert_eq!((paths.len(), Some(paths[0].detours)), (3, most));
    assert!(paths.is_sorted_by_key(|path| std::cmp::Reverse(path.detours)));
    for path in paths {
        assert_eq!(path.steps.last().unwrap().what, LoggedEvent::Delivered);
        let detour = |what: &LoggedEvent| matches!(what, LoggedEvent::Queued { port, wanted, .. } if port != wanted);
        let detours = path.steps.iter().filter(|step| detour(&step.what)).count();
        assert_eq!(detours as u32, path.detours);
    }
    let loops = probed.loops.as_ref().unwrap();
    assert!(loops.looped > 0 && loops.looped <= loops.detoured && loops.detoured < loops.packets);
    assert!(loops.count() >= loops.looped && loops.links() >= 2 * loops.count());
    // The run is over long before 1 s.
    assert_eq!(probed.occupancy.len(), 2);
    let text = serde_json::to_string(probed).unwrap();
    let again: sidestep_lab::Probed = serde_json::from_str(&text).unwrap();
    assert!(again == *probed, "what was probed reads back as itself");
}

#[test]
fn windows_add_up_to_the_run() {
    let sets = [
        "probe.goodput=500 us",
        "probe.drops=500 us",
        "probe.spread=edge > host",
    ];
    // Long enough for all queries: no window lies in the drain.
    let text = BUSY.replace("8 ms", "60 ms");
    let scenario = read(
        &text,
        &[&sets[..], &["probe.spread_window=500 us"]].concat(),
    )
    .unwrap();
    for scheme in 0..2 {
        let run = run(&scenario, scheme);
        let samples = &run.probed.samples;
        let windows = samples["goodput_gbps"].len();
        assert!(run.probed.windows.values().all(|ps| *ps == 500_000_000));
        assert_eq!(windows, 120, "endless flows last to the end");
        // Bytes in 500 us: 1 Gbps is an eighth of a byte a nanosecond.
        let bytes = |name: &str| samples[name].iter().sum::<f64>() * 500_000.0 / 8.0;
        for class in ["query", "background"] {
            let flows = run.plan.flows.iter().zip(&run.outcome.flows);
            let number = run
                .plan
                .classes
                .iter()
                .position(|name| name == class)
                .unwrap();
            let own = flows.filter(|(flow, _)| usize::from(flow.class) == number);
            let delivered: u64 = own.map(|(_, seen)| seen.delivered_bytes).sum();
            let seen = bytes(&format!("goodput_gbps.{class}"));
            assert!(
                (seen - delivered as f64).abs() < 10.0,
                "{class}: {seen} {delivered}"
            );
        }
        let sum = bytes("goodput_gbps.query") + bytes("goodput_gbps.background");
        assert!((bytes("goodput_gbps") - sum).abs() < 20.0);
        let drops: f64 = samples["window_drops"].iter().sum();
        assert_eq!(drops, run.outcome.totals.drops.iter().sum::<u64>() as f64);
        assert_eq!(samples.contains_key("window_drops.full"), drops > 0.0);
        let spread = &samples["use_spread"];
        assert!(
            spread.iter().all(|share| (0.0..=1.01).contains(share)),
            "{spread:?}"
        );
        assert_eq!(spread, &samples["use_spread.edge > host"]);
        let queues = samples["queue_spread_bytes"].iter();
        assert!(queues.fold(0.0, |a: f64, b| a.max(*b)) > 1500.0);
    }
}

/// Shares depend on the plan alone: no packet changes them, and every scheme that hashes has the same.
#[test]
fn fair_shares_stand_beside_what_was_delivered() {
    let sets = ["schemes=dctcp, dibs, spray", "probe.fair=20"];
    let text = format!("{BUSY}[scheme.spray.switch]\nroute = \"spray-random\"\n");
    let scenario = read(&text, &sets).unwrap();
    let plain = read(&text, &["schemes=dctcp, dibs, spray"]).unwrap();
    assert_eq!(run(&scenario, 2).outcome, run(&plain, 2).outcome);
    let samples = |scheme| run(&scenario, scheme).probed.samples;
    let (one, other, spray) = (samples(0), samples(1), samples(2));
    assert_eq!(one["fair_share"].len(), 20 * 16);
    assert_eq!(
        (one["fair_jain"].len(), one["fair_max_over_min"].len()),
        (20, 20)
    );
    assert_eq!(one["fair_share"], other["fair_share"]);
    // 16 flows of a permutation in equal parts: nothing is drawn.
    assert_eq!(spray["fair_share"].len(), 16);
    assert_eq!(spray["fair_jain"].len(), 1);
    let summary = |scheme| summarise(&[&Record::of(&run(&scenario, scheme))]);
    let of = |name: &str, scheme| match metric::find(name).unwrap().read(&summary(scheme)) {
        Reading::Exactly(value) => value,
        other => panic!("{name}: {other:?}"),
    };
    assert!(of("fair_share_mean", 2) > 1.1 * of("fair_share_mean", 0));
    assert!(of("fair_jain_mean", 2) > of("fair_jain_mean", 0));
    assert!(of("fair_max_over_min_mean", 0) > 2.0);
    assert!(of("flow_goodput_max_over_min", 0) > 1.0);
}

#[test]
fn drops_are_told_by_reason_and_tier() {
    let run = run(&read(BUSY, &[]).unwrap(), 0);
    let summary = summarise(&[&Record::of(&run)]);
    let full = &summary.drops_at.unwrap()["full"];
    assert!(full["edge"] > 0);
    assert!(
        full.keys()
            .all(|tier| ["edge", "agg", "core"].contains(&tier.as_str())),
        "{full:?}"
    );
    assert_eq!(full.values().sum::<u64>(), summary.drops.unwrap()["full"]);
}

/// Single long flow over one switch, host to host.
const ALONE: &str = r#"
duration = "50 ms"
schemes = ["dctcp"]
[topology]
kind = "single_switch"
hosts = 2
rate = "1 Gbps"
delay = "1 us"
[workload.one]
kind = "incast"
degree = 1
size = "10 MB"
"#;
