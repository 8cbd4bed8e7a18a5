//! Checkpoints of every shipped scheme, every transport and every probe: a run written, read and continued
//! equals the run in one piece.

use crate::common;

use common::{AROUND, Ring};
use sidestep_lab::{Run, Scenario, Session, checkpoint, shipped};
use sidestep_sim::TraceFilter;
use sidestep_types::{Rng, Time};

/// Returns the scenarios: name, text, settings.
fn scenarios() -> Vec<(&'static str, &'static str, Vec<String>)> {
    let all: Vec<&str> = shipped::SCHEMES.iter().map(|(name, _)| *name).collect();
    let all = format!("schemes={}", all.join(","));
    let shipped = |name| shipped::scenario(name).unwrap();
    let set = |sets: &[&str]| sets.iter().map(ToString::to_string).collect::<Vec<_>>();
    let short = r#"duration="8 ms""#;
    vec![
        ("quickstart", shipped("quickstart"), vec![all]),
        (
            "crossbar",
            shipped("quickstart"),
            set(&["schemes=dibs", r#"switch.fabric="cioq""#]),
        ),
        ("probed", PROBED, vec![]),
        ("dibs-demo", shipped("dibs-demo"), set(&[short])),
        ("flow-control", shipped("flow-control"), set(&[short])),
        ("legacy-core", shipped("legacy-core"), set(&[short])),
        ("vertigo-demo", shipped("vertigo-demo"), set(&[short])),
        ("ring", AROUND, vec![]),
        ("closed-loop", shipped("closed-loop"), vec![]),
    ]
}

/// Scenario with every probe, changing links, and finite and endless flows.
const PROBED: &str = r#"
duration = "3 ms"
drain = "20 ms"
schemes = ["dibs", "vertigo", "mulbuff-dctcp"]
[topology]
kind = "fat_tree"
k = 4
[probe]
links = "130 us"
neighbours = "170 us"
goodput = "210 us"
drops = "190 us"
occupancy = ["1 ms", "2 ms"]
detours = true
paths = 3
loops = true
latency = ["all", "query"]
[workload.all]
kind = "permutation"
[workload.query]
kind = "incast"
degree = 15
size = "20 kB"
"#;

fn begin(scenario: &Scenario, scheme: usize, trace: &TraceFilter) -> Session {
    Session::new(scenario, scheme, 1, trace.clone()).expect("a session")
}

/// Runs in one piece, and again with a checkpoint at each of `stops`.
fn both(scenario: &Scenario, scheme: usize, trace: &TraceFilter, stops: &[Time]) -> [Run; 2] {
    let mut whole = begin(scenario, scheme, trace);
    while !whole.step() {}
    let mut parts = begin(scenario, scheme, trace);
    for stop in stops {
        parts.run_until(*stop);
        let body = checkpoint::body_of(&parts).expect("it can be kept");
        let fresh = begin(scenario, scheme, trace);
        parts = checkpoint::go_on(fresh, &body).expect("it goes on");
        assert_eq!(
            checkpoint::body_of(&parts),
            Ok(body),
            "what is read is what was written"
        );
    }
    while !parts.step() {}
    [whole.finish(), parts.finish()]
}

#[test]
fn every_shipped_scheme_goes_on_as_if_it_had_not_stopped() {
    let mut rng = Rng::from_seed(7);
    for (name, text, sets) in scenarios() {
        let read = Scenario::read(&format!("{name}.toml"), text, &sets, &Ring);
        let scenario = read.unwrap_or_else(|problems| panic!("{name}: {problems:#?}"));
        for (i, scheme) in scenario.schemes.iter().enumerate() {
            let span = scenario.duration.ps();
            let mut stops = [0; 3].map(|_| Time::from_ps(rng.below(span)));
            stops.sort();
            let trace = match i % 2 {
                0 => TraceFilter::None,
                _ => TraceFilter::Flows(vec![0, 2]),
            };
            let [whole, parts] = both(&scenario, i, &trace, &stops);
            let of = &scheme.name;
            assert_eq!(
                parts.outcome, whole.outcome,
                "{name}, {of}, stopped at {stops:?}"
            );
            assert_eq!(
                parts.probed, whole.probed,
                "{name}, {of}, stopped at {stops:?}"
            );
            assert_eq!(parts.warnings, whole.warnings, "{name}, {of}");
            assert!(whole.outcome.totals.packet_hops > 100, "{name}, {of}");
        }
    }
}

#[test]
fn a_run_that_is_over_can_be_kept_as_well_and_a_state_with_more_behind_it_is_refused() {
    let read = Scenario::read("t.toml", PROBED, &[], &Ring);
    let scenario = read.unwrap_or_else(|problems| panic!("{problems:#?}"));
    let mut over = begin(&scenario, 0, &TraceFilter::None);
    while !over.step() {}
    let mut body = checkpoint::body_of(&over).expect("it can be kept");
    let again = checkpoint::go_on(begin(&scenario, 0, &TraceFilter::None), &body);
    let again = again.expect("it goes on");
    assert!(again.is_over());
    assert_eq!(again.finish().outcome, over.finish().outcome);
    body.push(0);
    let said = checkpoint::go_on(begin(&scenario, 0, &TraceFilter::None), &body);
    assert_eq!(
        said.err().as_deref(),
        Some("its state has 1 bytes too many")
    );
}
