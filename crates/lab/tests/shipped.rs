//! Shipped files can be read, name all their sources, and cause no warning.

use sidestep_lab::ideal::Ideal;
use sidestep_lab::stats::summarise;
use sidestep_lab::{Record, Run, Scenario, Setting, Verdict, Watch, evaluate, run, shipped, stats};
use sidestep_sim::{End, NoFiles, TraceFilter};
use sidestep_types::Time;

fn read(name: &str, sets: &[&str]) -> Scenario {
    let text = shipped::scenario(name).expect("a shipped scenario");
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    let read = Scenario::read(&format!("{name}.toml"), text, &sets, &NoFiles);
    read.unwrap_or_else(|problems| panic!("{problems:#?}"))
}

fn records(scenario: &Scenario, scheme: usize) -> Vec<Record> {
    runs(scenario, scheme).iter().map(Record::of).collect()
}

fn runs(scenario: &Scenario, scheme: usize) -> Vec<Run> {
    let one = |seed: &u64| {
        run(scenario, scheme, *seed, TraceFilter::None, &mut |_| {
            Watch::Go
        })
    };
    scenario
        .seeds
        .iter()
        .map(|seed| one(seed).expect("a run"))
        .collect()
}

/// True if the warning is intended. A paper may do what a warning is about: DIBS ran its testbed without marks
/// (section 5.2). In the flow list for users to replace, a host sends a backup and a burst: the warning shows
/// there on purpose.
fn meant(name: &str, warning: &str) -> bool {
    name == "dibs-testbed" && warning.contains("slows down only on losses")
        || name == "trace" && warning.contains("in the sender's own NIC")
}

#[test]
fn every_shipped_scenario_reads_warns_of_nothing_and_reads_back() {
    for (name, _) in shipped::SCENARIOS {
        let scenario = read(name, &[]);
        let warnings = scenario.warnings();
        let unmeant = warnings.iter().filter(|w| !meant(name, w));
        assert_eq!(unmeant.collect::<Vec<_>>(), [""; 0], "{name}");
        assert!(!scenario.title.is_empty(), "{name}");
        let again = Scenario::read("again.toml", &scenario.to_toml(), &[], &NoFiles);
        let again = again.unwrap_or_else(|problems| panic!("{name}: {problems:#?}"));
        assert_eq!(again.settings(), scenario.settings(), "{name}");
    }
}

#[test]
fn every_file_of_the_shipped_folders_is_there_by_its_rank() {
    let rank = |text: &str| {
        let said = text
            .lines()
            .find_map(|line| line.strip_prefix("# listed: "));
        said.map_or(u32::MAX, |rank| rank.parse().expect("a whole number"))
    };
    for (folder, shipped) in [
        ("schemes", shipped::SCHEMES),
        ("scenarios", shipped::SCENARIOS),
    ] {
        let place = format!("{}/../../{folder}", env!("CARGO_MANIFEST_DIR"));
        let files = std::fs::read_dir(place).expect("the folder is there");
        let stem = |file: std::fs::DirEntry| file.path().file_stem().map(|stem| stem.to_owned());
        let mut files: Vec<_> = files.map(|file| stem(file.expect("a file"))).collect();
        files.sort();
        let mut names: Vec<_> = shipped
            .iter()
            .map(|(name, _)| Some((*name).into()))
            .collect();
        names.sort();
        assert_eq!(names, files, "{folder}");
        let by_rank = shipped.is_sorted_by_key(|(name, text)| (rank(text), *name));
        assert!(
            by_rank,
            "{folder}: {:?}",
            shipped.iter().map(|(name, _)| name).collect::<Vec<_>>()
        );
    }
}

#[test]
fn every_shipped_scheme_says_what_it_is_and_runs() {
    let names: Vec<&str> = shipped::SCHEMES.iter().map(|(name, _)| *name).collect();
    let scenario = read(
        "quickstart",
        &[&format!("schemes={}", names.join(",")), "seeds=1"],
    );
    for (i, scheme) in scenario.schemes.iter().enumerate() {
        assert!(
            !scheme.summary.is_empty() && !scheme.source.is_empty(),
            "{}",
            scheme.name
        );
        let run = &runs(&scenario, i)[0];
        assert!(
            run.outcome.flows.iter().all(|flow| flow.finished.is_some()),
            "{}",
            scheme.name
        );
    }
}

#[test]
fn the_demo_has_the_bold_values_of_the_paper_and_a_source_for_each_value() {
    let demo = read("dibs-demo", &[]);
    let said = |scheme: &str, key: &str| {
        let of = |s: &&Setting| s.scheme.as_deref().unwrap_or("") == scheme && s.key == key;
        demo.settings().iter().find(of).expect(key).value.as_str()
    };
    let table = [
        ("", "ttl", "255"),
        ("", "topology.k", "8"),
        ("", "topology.rate", "1 Gbps"),
        ("", "workload.background.inter_arrival", "120 ms"),
        ("", "workload.query.rate", "300 /s"),
        ("", "workload.query.degree", "40"),
        ("", "workload.query.size", "20 kB"),
        ("dibs", "switch.capacity", "100 pkt"),
        ("dibs", "switch.buffer", "dibs"),
        ("dibs", "switch.buffer.mark_at", "20 pkt"),
        ("dibs", "transport.fast_retransmit", "off"),
        ("dibs", "transport.rto_min", "10 ms"),
        ("dibs", "transport.initial_window", "10"),
        ("dctcp", "switch.buffer", "ecn"),
        ("dctcp", "switch.buffer.mark_at", "20 pkt"),
        ("dctcp", "transport.fast_retransmit", "3"),
    ];
    for (scheme, key, value) in table {
        assert_eq!(said(scheme, key), value, "{key}");
    }
    // Only the title and self-explanatory registry values may lack a source.
    let bare = demo
        .settings()
        .iter()
        .filter(|s| s.source == "scenario file");
    let bare: Vec<&str> = bare.map(|s| s.key.as_str()).collect();
    assert!(
        bare.iter().all(|key| ["title", "schemes"].contains(key)
            || key.ends_with(".kind")
            || key.starts_with("transport.")),
        "{bare:?}"
    );
    let load = demo.load();
    assert_eq!(load.classes.len(), 2);
    assert_eq!(load.capacity_bps, 128e9);
    assert!((0.02..0.05).contains(&load.sum.share), "{load:?}");
}

#[test]
fn detouring_ends_the_demo_s_losses_and_shortens_its_tail() {
    let scenario = read("dibs-demo", &["seeds=1..2", "duration=200 ms"]);
    let summaries: Vec<stats::Summary> = (0..2)
        .map(|scheme| summarise(&records(&scenario, scheme).iter().collect::<Vec<_>>()))
        .collect();
    let drops = |i: usize| summaries[i].drops.as_ref().unwrap()["full"];
    assert!(drops(0) > 0 && drops(1) == 0, "{} {}", drops(0), drops(1));
    // The demo's claims are about 2 s.
    for result in evaluate(&scenario.claims, &summaries) {
        assert_eq!(result.verdict, Verdict::NotJudged);
        let why = result.undecided.as_deref();
        assert_eq!(why, Some("made for duration = 2 s"), "{}", result.id);
    }
    let p99 = |i: usize| summaries[i].qct_ms.p99.expect("queries");
    assert!(p99(0) > p99(1) + 5.0, "{} {}", p99(0), p99(1));
}

#[test]
fn the_more_tiers_detour_the_fewer_packets_are_lost() {
    let scenario = read("legacy-core", &["seeds=1", "duration=20 ms"]);
    let outcome = |scheme| runs(&scenario, scheme).remove(0).outcome;
    let outcomes: Vec<_> = (0..scenario.schemes.len()).map(outcome).collect();
    let dropped: Vec<u64> = (outcomes.iter())
        .map(|outcome| outcome.totals.drops.iter().sum())
        .collect();
    assert!(
        dropped.is_sorted_by(|before, after| before > after),
        "{dropped:?}"
    );
    // Each scheme detours at the tiers of its name and nowhere else.
    let detouring = |scheme: usize| {
        let mut tiers: Vec<&str> = Vec::new();
        for port in &outcomes[scheme].ports {
            let End::Switch(switch) = port.from else {
                continue;
            };
            let tier = scenario.network.switches[switch.0 as usize].tier_or_name();
            if port.counts.detours_out > 0 && !tiers.contains(&tier) {
                tiers.push(tier);
            }
        }
        tiers.sort_unstable();
        tiers
    };
    let all: Vec<Vec<&str>> = (0..4).map(detouring).collect();
    let expected: [&[&str]; 4] = [&[], &["edge"], &["agg", "edge"], &["agg", "core", "edge"]];
    assert_eq!(all, expected);
}

#[test]
fn a_flow_within_its_first_window_takes_its_ideal_time() {
    let text = "duration = \"1 ms\"\nschemes = [\"dctcp\"]\n[topology]\nkind = \"fat_tree\"\nk = 4\n\
                [workload.one]\nkind = \"incast\"\ndegree = 1\nsize = \"14 kB\"\n";
    for seed in 1..=10 {
        let scenario = Scenario::read("t.toml", text, &[format!("seeds={seed}")], &NoFiles);
        let scenario = scenario.unwrap_or_else(|problems| panic!("{problems:?}"));
        let run = &runs(&scenario, 0)[0];
        let (flow, seen) = (run.plan.flows[0], run.outcome.flows[0]);
        let config = &scenario.schemes[0].config;
        let mut ideal = Ideal::new(&scenario.network, config.framing, config.transport.mss());
        let expected = ideal.of(&flow);
        assert_eq!(seen.finished, expected, "{flow:?}");
        assert!(expected > Some(Time::from_us(100)));
    }
}
