//! Golden table: the trajectory hash of every shipped scheme, and what it comes with.
//!
//! The hash is a digest of every delivery over every link. A line that changes says that the same
//! scenario and seed give another run: that is a commit of its own, with an entry under *Results
//! that moved* in the changelog.
//!
//! `UPDATE_GOLDEN=1 cargo test -p sidestep-lab --test policies hashes` writes the table anew.

use crate::common;

use common::{AROUND, Ring};
use sidestep_lab::{Scenario, Watch, run, shipped};
use sidestep_sim::TraceFilter;
use std::fmt::Write;

/// The scenarios: name, text, what is set, how many seeds.
fn scenarios() -> Vec<(&'static str, &'static str, Vec<String>, u64)> {
    let all: Vec<&str> = shipped::SCHEMES.iter().map(|(name, _)| *name).collect();
    let all = format!("schemes={}", all.join(","));
    let shipped = |name| shipped::scenario(name).unwrap();
    let cioq = r#"switch.fabric="cioq""#.to_string();
    let short = || r#"duration="20 ms""#.to_string();
    // The senders of RFC 5681, on which no profile has an effect.
    let none = |more: &[&str]| -> Vec<String> {
        let more = more.iter().map(ToString::to_string);
        more.chain(["profile=none".to_string()]).collect()
    };
    let few = ["workload.query.flows=1", "workload.query.size=40 kB"];
    vec![
        ("quickstart", shipped("quickstart"), vec![all.clone()], 2),
        (
            "few-answers",
            shipped("quickstart"),
            none(&[&few[..], &[all.as_str()]].concat()),
            2,
        ),
        (
            "crossbar",
            shipped("quickstart"),
            none(&[&few[..], &["schemes=dibs", &cioq]].concat()),
            1,
        ),
        ("trace", shipped("trace"), vec![], 1),
        ("trace-none", shipped("trace"), none(&[]), 1),
        ("dibs-testbed", shipped("dibs-testbed"), vec![], 1),
        ("dibs-demo", shipped("dibs-demo"), vec![short()], 1),
        ("flow-control", shipped("flow-control"), vec![short()], 1),
        (
            "flow-control-none",
            shipped("flow-control"),
            none(&[&short()]),
            1,
        ),
        ("ring", AROUND, vec![], 1),
        ("closed-loop", shipped("closed-loop"), vec![], 1),
        ("closed-loop-none", shipped("closed-loop"), none(&[]), 1),
    ]
}

fn table() -> String {
    let mut table =
        String::from("scenario scheme seed hash hops events drops timeouts spurious deadlocks\n");
    for (name, text, sets, seeds) in scenarios() {
        let read = Scenario::read(&format!("{name}.toml"), text, &sets, &Ring);
        let scenario = read.unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
        for (i, scheme) in scenario.schemes.iter().enumerate() {
            for seed in 1..=seeds {
                let ran = run(&scenario, i, seed, TraceFilter::None, &mut |_| Watch::Go);
                let outcome = ran.unwrap().outcome;
                let t = &outcome.totals;
                let stopped: Vec<String> =
                    outcome.deadlocks.iter().map(|d| d.at.to_string()).collect();
                let (drops, spurious) = (t.drops.iter().sum::<u64>(), t.spurious_retransmits);
                let (hash, hops, events) = (outcome.trajectory_hash, t.packet_hops, t.events);
                let (timeouts, stopped) = (t.timeouts, stopped.join(",").replace(' ', ""));
                writeln!(table, "{name} {} {seed} {hash:016x} {hops} {events} {drops} {timeouts} {spurious} [{stopped}]", scheme.name).unwrap();
            }
        }
    }
    table
}

#[test]
fn the_same_scenario_and_seed_give_the_same_run() {
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/hashes.txt");
    let table = table();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(golden, &table).unwrap();
    }
    let kept = std::fs::read_to_string(golden).unwrap_or_default();
    for (is, was) in table.lines().zip(kept.lines()) {
        assert_eq!(is, was);
    }
    assert_eq!(table.lines().count(), kept.lines().count());
}
