//! Ablations of Vertigo: each named scheme without a part equals Vertigo with that one setting. The named
//! schemes and the settings written out give the same runs, by their hashes.

use crate::common;

use common::Ring;
use sidestep_lab::{Scenario, Watch, run, shipped};
use sidestep_sim::TraceFilter;

/// Named schemes, and the settings of `vertigo` that are equal to each.
const ABLATIONS: [(&str, &[&str]); 5] = [
    (
        "vertigo-no-deflection",
        &["scheme.vertigo.switch.buffer.deflect=false"],
    ),
    (
        "vertigo-no-scheduling",
        &["scheme.vertigo.switch.sched=fifo"],
    ),
    (
        "vertigo-no-ordering",
        &["scheme.vertigo.host.shims=[\"mark\"]"],
    ),
    ("vertigo-no-boosting", &["scheme.vertigo.host.mark.boost=1"]),
    ("vertigo-las", &["scheme.vertigo.host.mark.by=packets"]),
];

/// Incasts that overflow small buffers, so that each part has an effect.
const BURSTS: &str = r#"duration = "20 ms"
drain = "1 s"
seeds = "1..2"
schemes = ["vertigo"]
[topology]
kind = "leaf_spine"
leaves = 3
spines = 2
hosts_per_leaf = 4
host_rate = "1 Gbps"
fabric_rate = "2 Gbps"
[switch]
capacity = "20 kB"
buffer = { mark_at = "8 kB" }
[workload.background]
kind = "background"
inter_arrival = "2 ms"
[workload.query]
kind = "query"
rate = "2000 /s"
degree = 9
size = "20 kB"
request = "250 B"
connection = "shared"
"#;

/// Counts fast retransmits, and retransmitted packets, of 15 answers of 40 kB as in docs/papers/vertigo.md. No packet
/// is ever lost there.
fn needless(sets: &[&str]) -> (u64, u64) {
    let few = [
        "profile=none",
        "workload.query.flows=1",
        "workload.query.size=40 kB",
    ];
    let sets: Vec<String> = [&["schemes=vertigo"], &few[..], sets]
        .concat()
        .iter()
        .map(|set| set.to_string())
        .collect();
    let text = shipped::scenario("quickstart").unwrap();
    let scenario = Scenario::read("quickstart.toml", text, &sets, &Ring).unwrap();
    let ran = run(&scenario, 0, 1, TraceFilter::None, &mut |_| Watch::Go);
    let totals = ran.unwrap().outcome.totals;
    assert_eq!(totals.spurious_retransmits, totals.retransmits);
    (totals.fast_retransmits, totals.retransmits)
}

/// Section *Needless repairs* of docs/papers/vertigo.md.
#[test]
fn ordering_begins_needless_repairs_and_boosting_goes_on_with_them() {
    let flows = 15;
    let (begun, sent) = needless(&[]);
    assert!(begun <= flows && sent > 5 * flows, "{begun}, {sent}");
    let (begun, sent) = needless(&["scheme.vertigo.host.mark.boost=1"]);
    assert!(0 < begun && begun == sent, "{begun}, {sent}");
    // A timeout as long as the burst.
    let patient = ["scheme.vertigo.host.order.timeout=5 ms"];
    assert_eq!(needless(&patient), (0, 0));
}

/// Returns the trajectory hash of each seed.
fn hashes(sets: &[&str]) -> Vec<u64> {
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    let read = Scenario::read("bursts.toml", BURSTS, &sets, &Ring);
    let scenario = read.unwrap_or_else(|problems| panic!("{sets:?}: {problems:?}"));
    let hash = |seed: u64| {
        let ran = run(&scenario, 0, seed, TraceFilter::None, &mut |_| Watch::Go);
        ran.expect("it runs").outcome.trajectory_hash
    };
    (1..=2).map(hash).collect()
}

#[test]
fn a_part_taken_away_is_one_setting_and_nothing_else() {
    let whole = hashes(&[]);
    let mut seen = vec![whole];
    for (name, sets) in ABLATIONS {
        let named = hashes(&[&format!("schemes={name}")]);
        assert_eq!(named, hashes(sets), "{name} and {sets:?}");
        assert!(!seen.contains(&named), "{name} changes nothing here");
        seen.push(named);
    }
}

#[test]
fn switches_alone_are_the_whole_without_its_hosts() {
    for whole in ["quantile-deflection", "distribution-deflection"] {
        let all = format!("schemes={whole}");
        let of_hosts = [
            format!("scheme.{whole}.host.shims=[]"),
            format!("scheme.{whole}.transport.fast_retransmit=off"),
        ];
        let bare = hashes(&[&all, &of_hosts[0], &of_hosts[1]]);
        let named = hashes(&[&format!("schemes={whole}-switches")]);
        assert_eq!(named, bare, "{whole}");
        assert_ne!(named, hashes(&[&all]), "{whole}: its hosts do nothing here");
    }
}

#[test]
fn every_shipped_variant_of_vertigo_is_one_of_them() {
    let own = |name: &&str| name.starts_with("vertigo-") && *name != "vertigo-switches";
    let mut shipped: Vec<&str> = shipped::SCHEMES
        .iter()
        .map(|(name, _)| *name)
        .filter(own)
        .collect();
    let mut known: Vec<&str> = ABLATIONS.iter().map(|(name, _)| *name).collect();
    shipped.sort_unstable();
    known.sort_unstable();
    assert_eq!(shipped, known);
}
