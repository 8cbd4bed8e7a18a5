//! The same packets at the same times through the simulator's switches and the software switch:
//! the same order, drops, detours, marks, trims and times, packet by packet.
//!
//! Scenarios are data, in `conformance/scenarios/*.toml`. Both arms run the whole network: what
//! one switch sends is what the next receives. The simulator's packets have drawn hashes where
//! frames have addresses, so the software switch's policies are handed the drawn ones; nothing
//! else is shared but the config and the seed.

#![allow(missing_docs)]

mod machines;
mod scenario;
mod simulator;

use scenario::Scenario;
use sidestep_config::decision::Decision;
use sidestep_softswitch::ebpf;
use sidestep_switch::{DropReason, Event, Joined, buffer, route, sched};
use sidestep_transport::shim;
use sidestep_types::{Entry, PortId, Time, Values};
use std::collections::BTreeMap;
use std::io::Write;

/// One thing that happened to a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A switch queued it.
    Queued { switch: u32, joined: Joined },
    /// A switch dropped it.
    Dropped {
        switch: u32,
        wanted: PortId,
        reason: &'static str,
    },
    /// It reached its host.
    Delivered,
    /// A shim of its host dropped it.
    Withheld,
}

impl Step {
    /// Step that an event at a switch is.
    pub fn of(switch: u32, event: Event) -> Step {
        match event {
            Event::Enqueue(joined) | Event::Move(joined) => Step::Queued { switch, joined },
            Event::Drop { port, reason: why } | Event::Evict { port, reason: why } => {
                Step::Dropped {
                    switch,
                    wanted: port,
                    reason: reason(why),
                }
            }
        }
    }
}

/// When that is: a software switch says of each port how many there were.
pub const WITHHELD: Time = Time::MAX;

/// What happened to each packet, which is known by its flow and number, in order.
pub type Paths = BTreeMap<(u32, u64), Vec<(Time, Step)>>;

/// Counts of what happened, by the words that scenarios use.
fn counted(paths: &Paths) -> BTreeMap<&'static str, u64> {
    let mut counts = BTreeMap::new();
    let mut add = |word| *counts.entry(word).or_insert(0) += 1;
    for (_, step) in paths.values().flatten() {
        match step {
            Step::Dropped { reason, .. } => add(*reason),
            Step::Delivered => add("delivered"),
            Step::Withheld => add("withheld"),
            Step::Queued { joined, .. } => {
                joined.changes.words().for_each(&mut add);
                if joined.detoured() {
                    add("detoured");
                }
            }
        }
    }
    counts
}

/// The first packet that fares otherwise in the two arms, for a message.
fn difference(simulated: &Paths, switched: &Paths) -> Option<String> {
    for (packet, path) in simulated {
        let other = switched.get(packet);
        if other != Some(path) {
            return Some(format!("packet {packet:?}:\n  {path:?}\n  {other:?}"));
        }
    }
    let more = switched
        .keys()
        .find(|packet| !simulated.contains_key(packet));
    more.map(|packet| format!("packet {packet:?} is in the software switch alone"))
}

#[test]
fn the_simulator_and_the_software_switch_decide_alike() {
    let scenarios = Scenario::all();
    assert!(scenarios.len() >= 12, "only {} scenarios", scenarios.len());
    for scenario in scenarios {
        let simulated = simulator::run(&scenario);
        let switched = machines::run(&scenario, None);
        if let Some(difference) = difference(&simulated, &switched) {
            panic!("{}: {difference}", scenario.name);
        }
        let counts = counted(&simulated);
        println!(
            "{:<22} {} packets: {counts:?}",
            scenario.name,
            simulated.len()
        );
        for word in &scenario.shows {
            let seen = counts.get(word.as_str()).copied().unwrap_or(0);
            assert!(seen > 0, "{} shows no {word}: {counts:?}", scenario.name);
        }
    }
}

/// Where time is the same for both: the program is told it.
#[test]
fn the_program_in_the_kernel_decides_alike() {
    if let Err(why) = ebpf::need() {
        let _ = writeln!(std::io::stderr(), "skipped: {why}");
        assert!(std::env::var_os("SIDESTEP_MUST_RUN").is_none(), "{why}");
        return;
    }
    let mut seen = Vec::new();
    for scenario in Scenario::all() {
        match machines::beside(&scenario) {
            Ok(frames) => {
                println!("{:<22} {frames} frames in the kernel", scenario.name);
                seen.push(scenario.name);
            }
            Err(why) => assert!(why.contains("expected"), "{}: {why}", scenario.name),
        }
    }
    let known = [
        "droptail",
        "droptail-bytes",
        "ecn",
        "dibs",
        "dibs-first-open",
        "dibs-ingress",
        "ecmp",
        "spray-random",
        "spray-rr",
        "spray-rr-destination",
        "spray-rr-prefix",
        "spray-rr-switch",
        "spray-counter",
        "spray-counter-queued",
        "shared",
        "dibs-shared",
        "unlimited",
    ];
    for name in known {
        assert!(
            seen.iter().any(|seen| seen == name),
            "{name} is not among {seen:?}"
        );
    }
}

/// The proof that the comparison sees: one verdict of hundreds is turned around.
#[test]
fn one_other_verdict_is_seen() {
    for scenario in Scenario::all() {
        let simulated = simulator::run(&scenario);
        let switched = machines::run(&scenario, Some(40));
        let difference = difference(&simulated, &switched);
        assert!(
            difference.is_some(),
            "{}: a turned verdict went unseen",
            scenario.name
        );
    }
}

/// The proof that scenarios of a scheduler need its order: first in, first out is seen.
#[test]
fn another_order_is_seen() {
    let ordered = Scenario::all().into_iter().filter(|scenario| {
        let mut decisions = scenario.decisions.iter();
        decisions.all(|d| d.sched.name() != "fifo" && d.buffer.nature().works_beside("fifo"))
    });
    let mut seen = 0;
    for scenario in ordered {
        let simulated = simulator::run(&scenario);
        let mut unordered = scenario.clone();
        for decision in &mut unordered.decisions {
            decision.sched = sched::choose("fifo", &Values::default()).unwrap();
        }
        let switched = machines::run(&unordered, None);
        let difference = difference(&simulated, &switched);
        assert!(
            difference.is_some(),
            "{}: order is for nothing",
            scenario.name
        );
        seen += 1;
    }
    assert!(seen >= 3, "only {seen} scenarios have an order");
}

/// The proof that each switch decides by its own: were all like the first, that would be seen.
#[test]
fn switches_that_differ_are_seen() {
    let all = Scenario::all();
    let differ = all
        .iter()
        .filter(|s| s.decisions.iter().any(|d| *d != s.decisions[0]));
    let mut seen = 0;
    for scenario in differ {
        let simulated = simulator::run(scenario);
        for switch in 1..scenario.decisions.len() {
            let mut alike = scenario.clone();
            alike.decisions[switch] = alike.decisions[0].clone();
            if alike.decisions == scenario.decisions {
                continue;
            }
            let difference = difference(&simulated, &machines::run(&alike, None));
            assert!(difference.is_some(), "{}: switch {switch}", scenario.name);
            seen += 1;
        }
    }
    assert!(seen >= 3, "only {seen} switches differ");
}

#[test]
fn every_registered_policy_is_in_a_scenario() {
    let all = Scenario::all();
    let missing = |what: &str, entries: &[Entry], name: fn(&Decision) -> &str| {
        for entry in entries {
            let mut decisions = all.iter().flat_map(|scenario| &scenario.decisions);
            let found = decisions.any(|decision| name(decision) == entry.name);
            assert!(
                found,
                "no scenario of conformance/scenarios has {what} {:?}",
                entry.name
            );
        }
    };
    missing("buffer", buffer::ENTRIES, |d| d.buffer.name());
    missing("route", route::ENTRIES, |d| d.route.name());
    missing("sched", sched::ENTRIES, |d| d.sched.name());
}

/// The proof that scenarios with shims need them, and as they are set.
#[test]
fn other_shims_are_seen() {
    let mut seen = Vec::new();
    for scenario in Scenario::all() {
        let simulated = simulator::run(&scenario);
        let differs = |shims: Vec<shim::Chosen>, what: &str| {
            let other = Scenario {
                shims,
                ..scenario.clone()
            };
            let difference = difference(&simulated, &machines::run(&other, None));
            assert!(
                difference.is_some(),
                "{}: {what} is not seen",
                scenario.name
            );
        };
        for (at, shim) in scenario.shims.iter().enumerate() {
            let mut without = scenario.shims.clone();
            without.remove(at);
            differs(without, shim.name());
            let defaults = Values::defaults(shim.params());
            for param in shim.params() {
                let default = defaults.get(param.name);
                if shim.get(param.name) != Some(default) {
                    let (mut turned, mut values) = (scenario.shims.clone(), shim.values().clone());
                    values.set(param.name, default.clone());
                    turned[at] = shim::choose(shim.name(), &values).unwrap();
                    differs(turned, param.name);
                }
            }
            seen.push(shim.name());
        }
    }
    for entry in shim::ENTRIES
        .iter()
        .filter(|entry| shim::nature(entry.name).duplicates)
    {
        assert!(seen.contains(&entry.name), "no scenario has {}", entry.name);
    }
}

/// Chance is compared too: with another seed, detours go elsewhere.
#[test]
fn another_seed_is_seen_where_chance_decides() {
    let all = Scenario::all();
    let scenario = all
        .iter()
        .find(|scenario| scenario.name == "dibs")
        .expect("dibs.toml");
    let simulated = simulator::run(scenario);
    let other = Scenario {
        seed: scenario.seed + 1,
        ..scenario.clone()
    };
    // The hashes stay those of the first seed: the draws alone differ.
    let switched = machines::run_with(&other, scenario, None);
    assert!(difference(&simulated, &switched).is_some());
}

/// The words of all reasons, so that none is compared by number.
pub fn reason(reason: DropReason) -> &'static str {
    reason.name()
}
