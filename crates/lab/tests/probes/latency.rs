//! Latencies, splits and later starts of measurement, for data packets that are followed.

use super::*;

/// Four hosts of pod 0 send to other pods, over four links to the cores.
#[test]
fn packets_are_split_evenly_by_round_robin_and_all_are_counted() {
    let text = "duration = \"1 ms\"\nschemes = [\"dctcp\"]\n[topology]\nkind = \"fat_tree\"\nk = 4\n\
        [workload.one]\nkind = \"permutation\"\napart = \"pod\"\nsize = \"292 kB\"\n";
    let split = |route: &str| {
        let sets = [
            "probe.spread=agg 0 > core",
            "probe.spread_window=100 us",
            "probe.latency=one",
            "probe.latency_every=1",
            &format!("switch.route={route}"),
        ];
        let run = run(&read(text, &sets).unwrap(), 0);
        let samples = &run.probed.samples;
        assert_eq!(samples["split_share"], samples["split_share.one"]);
        samples["split_share"].clone()
    };
    let even = split("spray-rr");
    assert_eq!(even.len(), 4);
    assert!(
        even.iter().all(|share| (share - 0.25).abs() < 0.02),
        "{even:?}"
    );
    assert!((even.iter().sum::<f64>() - 1.0).abs() < 1e-6, "{even:?}");
    assert_eq!(
        split("single"),
        [1.0, 0.0, 0.0, 0.0],
        "the first of both next hops, twice"
    );
    let alone = read(text, &["probe.latency=one"]).unwrap();
    assert!(!run(&alone, 0).probed.samples.contains_key("split_share"));
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
    // Ten packets of 1538 B at 1 Gbps and 1 us of delay, each sent as soon as it arrives.
    assert_eq!(alone.probed.samples["latency_us"], [13.304; 10]);
    assert_eq!(alone.probed.samples["latency_us.one"], [13.304; 10]);
    // At the rate of the link no packet waits; the flow is a mouse.
    for name in ["queueing_us", "queueing_upto_100kb_us.one"] {
        assert_eq!(alone.probed.samples[name], [0.0; 10], "{name}");
    }
    let some = run(
        &read(&text, &["probe.latency=one", "probe.latency_every=3"]).unwrap(),
        0,
    );
    assert_eq!(some.probed.samples["latency_us"].len(), 3);
    assert_eq!(some.outcome, alone.outcome);
    // Seven hosts send to one; the four in the other rack use the link between the switches.
    let two = text
        .replace("hosts_per_switch = 1", "hosts_per_switch = 4")
        .replace("degree = 1", "degree = 7");
    let two = run(&read(&two, &sets).unwrap(), 0);
    let delivered = two.outcome.classes[0].delivered;
    let taken = &two.probed.samples["latency_us"];
    let waits = &two.probed.samples["queueing_us"];
    assert_eq!(waits.len() as u64, delivered, "in one rack as well");
    assert!(waits.iter().any(|us| *us > 12.0) && waits.iter().all(|us| *us >= 0.0));
    let longest = two.outcome.flows.iter().filter_map(|flow| flow.finished);
    let longest = longest.max().expect("they end").as_ms_f64() * 1e3;
    assert!(waits.iter().all(|us| *us < longest));
    let large = text.replace("14600 B", "146000 B");
    let large = run(&read(&large, &sets).unwrap(), 0);
    assert_eq!(large.probed.samples["queueing_us"].len(), 100);
    assert!(!large.probed.samples.contains_key("queueing_upto_100kb_us"));
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

/// A flow starts in slow start; only the part from 25 ms on counts.
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

/// A list with flows of several classes is one workload all the same.
#[test]
fn latency_of_a_flow_list_is_that_of_all_its_classes() {
    struct List(&'static str);
    impl Files for List {
        fn read(&self, _: &str) -> Result<String, String> {
            Ok(self.0.into())
        }
    }
    let text = r#"duration = "1 ms"
drain = "10 ms"
seeds = [1]
schemes = ["dctcp"]
[topology]
kind = "linear"
switches = 2
hosts_per_switch = 1
[workload.list]
kind = "flow_list"
file = "list.csv"
[probe]
latency = ["list"]
latency_every = 1
"#;
    let taken = |list| {
        let read = Scenario::read("t.toml", text, &[], &List(list));
        let scenario = read.unwrap_or_else(|problems| panic!("{problems:?}"));
        let mut probed = run(&scenario, 0).probed;
        let all = probed.samples.remove("latency_us");
        assert_eq!(all, probed.samples.remove("latency_us.list"));
        all.map_or(0, |all| all.len())
    };
    let classed = "start,src,dst,size,class\n0 s,0,1,14600 B,web\n0.5 ms,0,1,7300 B,\n0.7 ms,1,0,1460 B,bulk\n";
    assert_eq!(taken(classed), 10 + 5 + 1);
    assert_eq!(taken("start,src,dst,size\n0 s,0,1,14600 B\n"), 10);
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
