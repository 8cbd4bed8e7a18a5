//! Probes see what happens and change nothing.

use sidestep_lab::probe::LoggedEvent;
use sidestep_lab::stats::metric::{self, Reading};
use sidestep_lab::stats::summarise;
use sidestep_lab::{Record, Run, Scenario, Watch};
use sidestep_sim::{End, NoFiles, TraceFilter};
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

/// An incast that overflows its last port, beside flows without an end.
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

/// Shims, a loop, and a cable that slows, dies and comes back, all beside [`BUSY`].
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
        // Bytes of 500 us: an eighth of a bit a nanosecond each.
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

/// Two flows into one host: its link is full, the other receivers' links are idle.
#[test]
fn the_spread_of_one_full_link_among_idle_ones_is_all_of_it() {
    let text = ALONE
        .replace("hosts = 2", "hosts = 4")
        .replace("degree = 1", "degree = 2");
    let sets = ["probe.spread=switch 0 > host", "probe.goodput=10 ms"];
    let scenario = read(&text, &sets).unwrap();
    let run = run(&scenario, 0);
    let samples = &run.probed.samples;
    let (spread, queues) = (&samples["use_spread"], &samples["queue_spread_bytes"]);
    assert_eq!((spread.len(), queues.len()), (5, 5));
    assert!(spread[1..].iter().all(|s| *s > 0.95), "{spread:?}");
    assert!(queues.iter().all(|bytes| *bytes > 1500.0), "{queues:?}");
    // 1460 B of 1538 B on the wire.
    let goodput = &samples["goodput_gbps.one"];
    assert!(
        goodput[1..].iter().all(|g| (0.93..0.951).contains(g)),
        "{goodput:?}"
    );
}

/// Two switches and the link between them.
#[test]
fn latency_is_what_a_packet_takes_from_its_first_switch_to_its_last() {
    let text = ALONE
        .replace(
            "kind = \"single_switch\"\nhosts = 2",
            "kind = \"linear\"\nswitches = 2\nhosts_per_switch = 1",
        )
        .replace("10 MB", "14600 B");
    let sets = ["probe.latency=one", "probe.latency_every=1"];
    let alone = run(&read(&text, &sets).unwrap(), 0);
    // Ten packets of 1538 B at 1 Gbps and 1 us of delay, each sent as soon as it has come.
    assert_eq!(alone.probed.samples["latency_us"], [13.304; 10]);
    assert_eq!(alone.probed.samples["latency_us.one"], [13.304; 10]);
    let some = run(
        &read(&text, &["probe.latency=one", "probe.latency_every=3"]).unwrap(),
        0,
    );
    assert_eq!(some.probed.samples["latency_us"].len(), 3);
    assert_eq!(some.outcome, alone.outcome);
    // Four of seven hosts send over the link between the switches, to one of the other three's rack.
    let two = text
        .replace("hosts_per_switch = 1", "hosts_per_switch = 4")
        .replace("degree = 1", "degree = 7");
    let two = run(&read(&two, &sets).unwrap(), 0);
    let delivered = two.outcome.classes[0].delivered;
    let taken = &two.probed.samples["latency_us"];
    assert!(
        10 <= taken.len() && (taken.len() as u64) < delivered,
        "some stay in their rack"
    );
    assert!(taken.iter().all(|us| *us >= 13.304));
    assert!(
        taken.iter().any(|us| *us > 2.0 * 13.304),
        "they wait for each other"
    );
}

/// A flow in slow start at first, of which only the part from 25 ms on counts.
#[test]
fn what_is_measured_may_begin_later() {
    let text = ALONE.replace(
        "kind = \"incast\"\ndegree = 1\nsize = \"10 MB\"",
        "kind = \"long\"",
    );
    // Slow start takes several round trips of 2 ms.
    let text = text.replace("1 us", "500 us");
    let sets = ["probe.spread=switch 0 > host", "probe.goodput=5 ms"];
    let whole = run(&read(&text, &sets).unwrap(), 0);
    let sets = [
        sets[0],
        sets[1],
        "probe.flows_from=25 ms",
        "probe.spread_from=25 ms",
    ];
    let later = run(&read(&text, &sets).unwrap(), 0);
    assert_eq!(later.outcome, whole.outcome);
    let goodput = |run: &Run| Record::of(run).endless[0] * 8.0 / 1e9;
    // The ten windows of 5 ms, and the last five of them; the run ends with a delivery just before 50 ms.
    let windows = &whole.probed.samples["goodput_gbps"];
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
    assert_eq!(windows.len(), 10);
    assert!((goodput(&whole) / mean(windows) - 1.0).abs() < 1e-3);
    assert!((goodput(&later) / mean(&windows[5..]) - 1.0).abs() < 1e-3);
    let (part, all) = (goodput(&later), goodput(&whole));
    assert!(
        part > 1.05 * all,
        "{part} without slow start, {all} with it"
    );
    // Windows of 10 ms: those that begin at 30 and 40 ms, and all five.
    let spread = |run: &Run| run.probed.samples["use_spread"].clone();
    assert_eq!(spread(&whole).len(), 5);
    assert_eq!(spread(&later), spread(&whole)[3..]);
    assert!(!later.probed.windows.contains_key("use_spread"));
}

#[test]
fn latency_may_be_of_packets_sent_later() {
    let text = ALONE
        .replace(
            "kind = \"single_switch\"\nhosts = 2",
            "kind = \"linear\"\nswitches = 2\nhosts_per_switch = 1",
        )
        .replace("10 MB", "14600 B");
    let from = |at: &str| {
        let sets = [
            "probe.latency=one",
            "probe.latency_every=1",
            &format!("probe.latency_from={at}"),
        ];
        let sets: Vec<&str> = sets.iter().map(|set| &**set).collect();
        run(&read(&text, &sets).unwrap(), 0).probed.samples["latency_us"].len()
    };
    // The window of ten packets is handed to the NIC at once.
    assert_eq!(from("0 us"), 10);
    let text = format!("{text}\n[transport]\ninitial_window = 2\n");
    let scenario = read(&text, &["probe.latency=one", "probe.latency_every=1"]).unwrap();
    assert_eq!(run(&scenario, 0).probed.samples["latency_us"].len(), 10);
    let sets = [
        "probe.latency=one",
        "probe.latency_every=1",
        "probe.latency_from=10 us",
    ];
    let later = run(&read(&text, &sets).unwrap(), 0);
    assert_eq!(
        later.probed.samples["latency_us"].len(),
        8,
        "the first two left at 0"
    );
}

/// Shares are of the plan alone: no packet moves them, and every scheme that hashes has the same.
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
    let full = &summary.drops_at["full"];
    assert!(full["edge"] > 0);
    assert!(
        full.keys()
            .all(|tier| ["edge", "agg", "core"].contains(&tier.as_str())),
        "{full:?}"
    );
    assert_eq!(full.values().sum::<u64>(), summary.drops["full"]);
}

/// One long flow over one switch, host to host.
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

#[test]
fn a_saturated_link_is_hot_in_every_window() {
    let run = run(&read(ALONE, &["probe.links=10 ms"]).unwrap(), 0);
    let samples = &run.probed.samples;
    // Of the switch's two links one is full and one carries acknowledgements.
    assert_eq!(samples["hot_link_share"], [0.5; 5]);
    let most = &samples["busiest_link_use"];
    assert!(most.iter().all(|u| (0.99..1.001).contains(u)), "{most:?}");
    let summary = summarise(&[&Record::of(&run)]);
    assert!(
        (0.99..=1.0).contains(&summary.link_use.max.unwrap()),
        "{:?}",
        summary.link_use
    );
    let none = self::run(
        &read(ALONE, &["probe.links=10 ms", "probe.hot=1"]).unwrap(),
        0,
    );
    assert!(
        none.probed.samples["hot_link_share"][0] < 0.5,
        "the first window has a slow start"
    );
}

#[test]
fn queues_are_noted_as_they_are_at_the_instant() {
    // Four packets of 12.304 us each leave two hosts at once, 1 us from the switch.
    let text = ALONE
        .replace("hosts = 2", "hosts = 3")
        .replace("degree = 1", "degree = 2")
        .replace("10 MB", "5840 B");
    let set = "probe.occupancy=0 us, 12303 ns, 12304 ns, 14 us, 25607 ns, 25608 ns";
    let run = run(&read(&text, &[set]).unwrap(), 0);
    let seen: Vec<(u64, Vec<u32>)> = (run.probed.occupancy.iter())
        .map(|o| {
            let mut queues: Vec<u32> = o.packets.iter().copied().filter(|n| *n > 0).collect();
            queues.sort_unstable();
            (o.at_ps / 1000, queues)
        })
        .collect();
    let expected: [(u64, &[u32]); 6] = [
        (0, &[4, 4]),
        (12_303, &[4, 4]),
        (12_304, &[3, 3]),
        (14_000, &[2, 3, 3]),
        // The second packets leave the hosts at 24.608 us; the first leaves the switch a packet
        // after it came, at 25.608 us, when the next two arrive.
        (25_607, &[2, 2, 2]),
        (25_608, &[2, 2, 3]),
    ];
    let expected = expected.map(|(at, queues)| (at, queues.to_vec()));
    assert_eq!(seen, expected);
}

#[test]
fn a_probe_reads_back_as_itself() {
    let scenario = read(BUSY, &ALL).unwrap();
    let again = read(&scenario.to_toml(), &[]).unwrap();
    assert_eq!(again.probe, scenario.probe);
    assert_eq!(again.probe.occupancy.len(), 3);
    assert_eq!(again.probe.spread.len(), 2);
    assert_eq!(
        (again.probe.latency.len(), again.probe.latency_every),
        (2, 10)
    );
    let plain = read(BUSY, &[]).unwrap();
    assert!(!plain.to_toml().contains("[probe]"), "nobody asked");
}

#[test]
fn what_cannot_be_probed_is_refused_where_it_stands() {
    let cases = [
        (
            "probe.links=9 ms",
            "--set probe.links=9 ms: probe.links: no window of 9 ms ends within 8 ms",
        ),
        (
            "probe.links=0 us",
            "--set probe.links=0 us: probe.links: a window must be above 0",
        ),
        (
            "probe.neighbours=1 ns",
            "--set probe.neighbours=1 ns: probe.neighbours: more than 1000000 windows of 1 ns in 8 ms",
        ),
        (
            "probe.hot=0",
            "--set probe.hot=0: probe.hot: expected a share above 0, at most 1",
        ),
        (
            "probe.hot=11/10",
            "--set probe.hot=11/10: probe.hot: expected a share above 0, at most 1",
        ),
        (
            "probe.paths=1001",
            "--set probe.paths=1001: probe.paths: at most 1000, got 1001",
        ),
        (
            "probe.path=1",
            "--set probe.path=1: unknown key \"path\" in [probe]; did you mean \"paths\"?",
        ),
        (
            "probe.occupancy=1 ms, 3",
            "--set probe.occupancy=1 ms, 3: probe.occupancy: expected times like [\"1 ms\", \"3 ms\"], got \"3\"",
        ),
        (
            "probe.goodput=9 ms",
            "--set probe.goodput=9 ms: probe.goodput: no window of 9 ms ends within 8 ms",
        ),
        (
            "probe.goodput=10 ns",
            "--set probe.goodput=10 ns: probe.goodput: 800000 windows of 2 workloads are more than \
             1000000 values",
        ),
        (
            "probe.drops=10 ns",
            "--set probe.drops=10 ns: probe.drops: more than 100000 windows of 10 ns in 8 ms",
        ),
        (
            "probe.spread=core > agg 4",
            "--set probe.spread=core > agg 4: probe.spread: \"core > agg 4\": no tier, pod or switch \
             is called \"agg 4\"; did you mean \"agg\"?",
        ),
        (
            "probe.spread=core 1 > agg 1",
            "--set probe.spread=core 1 > agg 1: probe.spread: \"core 1 > agg 1\": that is one link \
             alone, of which the largest is the smallest",
        ),
        (
            "probe.latency=quary",
            "--set probe.latency=quary: probe.latency: no workload is called \"quary\"; did you \
             mean \"query\"?",
        ),
        (
            "probe.latency_every=0",
            "--set probe.latency_every=0: probe.latency_every: expected 1 or more, got 0",
        ),
        (
            "probe.flows_from=8 ms",
            "--set probe.flows_from=8 ms: probe.flows_from: must be before the end of the window at \
             8 ms, got 8 ms",
        ),
        (
            "probe.fair=1001",
            "--set probe.fair=1001: probe.fair: at most 1000, got 1001",
        ),
        (
            "probe.occupancy=2 s",
            "--set probe.occupancy=2 s: probe.occupancy: 2 s is after the end of every run, 1.008 s",
        ),
    ];
    for (set, said) in cases {
        assert_eq!(read(BUSY, &[set]).err().as_deref(), Some(said));
    }
    // All hosts of one switch.
    let said = read(ALONE, &["probe.latency=one"]).err();
    assert_eq!(
        said.as_deref(),
        Some(
            "--set probe.latency=one: probe.latency: all flows of workload \"one\" stay within one \
             rack, so that the first switch of its packets is their last"
        )
    );
    let said = read(BUSY, &["probe.spread=core > agg 1"]).err();
    let expected =
        "--set probe.spread=core > agg 1: probe.spread_window: no window of 10 ms ends within 8 ms";
    assert_eq!(said.as_deref(), Some(expected));
    let said = read(ALONE, &["probe.fair=1"]).err();
    let expected = "--set probe.fair=1: probe.fair: no flow is without an end and none is in a closed \
                    loop, so that nobody shares anything all the time";
    assert_eq!(said.as_deref(), Some(expected));
    let sets = [
        "probe.spread=core > agg 1",
        "probe.spread_window=1 ms",
        "probe.spread_from=7100 us",
    ];
    let expected = "--set probe.spread_from=7100 us: probe.spread_from: no window of 1 ms begins at \
                    7.1 ms or later and ends within 8 ms";
    assert_eq!(read(BUSY, &sets).err().as_deref(), Some(expected));
    let sets = ["probe.latency=query", "probe.latency_from=9 ms"];
    let expected = "--set probe.latency_from=9 ms: probe.latency_from: must be before the end of the \
                    window at 8 ms, got 9 ms";
    assert_eq!(read(BUSY, &sets).err().as_deref(), Some(expected));
    let said = read(BUSY, &["schemes=dctcp,infinite", "probe.neighbours=1 ms"]).err();
    assert_eq!(
        said.as_deref(),
        Some(
            "--set probe.neighbours=1 ms: probe.neighbours: scheme \"infinite\" has unlimited buffers, of which no share is free"
        )
    );
}
