//! Checks that exactly the values that real packets do not measure are hidden.
//!
//! [`spoil()`] visits every field of a run and changes those that the testbed does not measure. A new field
//! does not compile there until it is assigned to one of the two kinds. The differences between the written and
//! shown results are then exactly the values that must be unknown, in old columns and new ones alike.

mod shown;
mod spoil;

use super::*;
use crate::traffic::{HostCounters, TcpInfo};
use serde_json::Value;
use shown::ShownResults;
use sidestep_lab::stats::summarise;
use sidestep_lab::{CountSources, Experiment, Record, Verdict};
use sidestep_sim::{FlowPlan, NoFiles, QueryPlan, Start};
use sidestep_study::reproduce::Reproduction;
use sidestep_study::reproduce::arms::{Arm, side_by_side};
use sidestep_study::reproduce::run::publish;
use sidestep_study::{Report, Status};
use sidestep_switch::ports::Counts;
use sidestep_types::HostId;
use spoil::spoil;
use std::collections::BTreeMap;

const SCENARIO: &str = r#"
duration = "1 ms"
seeds = [1, 2]
schemes = ["dibs"]
topology = { kind = "fat_tree", k = 4 }
workload.all = { kind = "permutation" }

[[claim]]
id = "never"
says = "no packet is reordered"
metric = "reordered_share"
compare = "dibs"
paper = "no number"
accept = "0..1"
tolerance = "any"
gap = "none"

[[claim]]
id = "by_switches"
says = "some are detoured"
metric = "detours"
compare = "dibs"
paper = "no number"
accept = "0.."
tolerance = "any"
gap = "none"
"#;

/// Sources that lack some of their counters.
#[derive(Clone, Copy, Debug, Default)]
struct Without {
    switches: bool,
    timeouts: bool,
    data_out: bool,
    data_in: bool,
    marked: bool,
}

/// No source missing, each alone, and all of them.
const WITHOUT: [Without; 7] = {
    const NOTHING: Without = Without {
        switches: false,
        timeouts: false,
        data_out: false,
        data_in: false,
        marked: false,
    };
    [
        NOTHING,
        Without {
            switches: true,
            ..NOTHING
        },
        Without {
            timeouts: true,
            ..NOTHING
        },
        Without {
            data_out: true,
            ..NOTHING
        },
        Without {
            data_in: true,
            ..NOTHING
        },
        Without {
            marked: true,
            ..NOTHING
        },
        Without {
            switches: true,
            timeouts: true,
            data_out: true,
            data_in: true,
            marked: true,
        },
    ]
};

#[test]
fn what_is_shown_depends_on_nothing_that_was_not_measured() {
    let setup = setup();
    for without in WITHOUT {
        let [clean, spoiled] = runs(&setup, without).map(|runs| ShownResults::of(&setup, runs));
        assert_eq!(clean.differs_from(&spoiled), [""; 0], "{without:?}");
        assert_eq!(clean.text, spoiled.text, "{without:?}");
    }
}

#[test]
fn a_report_depends_on_nothing_that_was_not_measured() {
    let setup = setup();
    for without in WITHOUT {
        let [clean, spoiled] = runs(&setup, without).map(reported);
        let names: Vec<&String> = clean.keys().collect();
        assert!(names.contains(&&"report.html".to_string()), "{names:?}");
        for (name, text) in clean {
            assert!(text == spoiled[&name], "{name}, {without:?}");
        }
    }
}

#[test]
fn what_is_unknown_is_exactly_what_depends_on_what_nobody_told() {
    let setup = setup();
    for without in WITHOUT {
        let runs = runs(&setup, without);
        let shown = ShownResults::of(&setup, runs[0].clone());
        let as_if_told = |mut runs: Vec<Run>| {
            runs.iter_mut()
                .for_each(|run| run.told = CountSources::default());
            ShownResults::of(&setup, runs)
        };
        let [clean, spoiled] = runs.map(as_if_told);
        let depends = clean.differs_from(&spoiled);
        for name in &depends {
            let values = &shown.values[name];
            let unknown = |value: &String| value == "null" || value == "Nothing";
            assert!(
                values.iter().all(unknown),
                "{name}: {values:?}, {without:?}"
            );
        }
        let held_back = shown.differs_from(&clean);
        assert!(held_back.len() > 30, "{held_back:?}");
        for name in held_back {
            assert!(depends.contains(&name), "{name} is known, {without:?}");
        }
    }
}

#[test]
fn what_is_not_named_is_not_always_0() {
    let setup = setup();
    let [runs, _] = runs(&setup, WITHOUT[0]);
    let shown = ShownResults::of(&setup, runs);
    let nothing = |value: &String| ["0", "0.0", "Exactly(0.0)", "[]", "{}"].contains(&&**value);
    let forgotten = shown
        .values
        .iter()
        .filter(|(_, all)| all.iter().all(nothing));
    let forgotten: Vec<&String> = forgotten.map(|(name, _)| name).collect();
    // Hosts have port 0 only, and there is one query.
    assert_eq!(forgotten, ["ports.host.port", "queries.query_id"]);
}

#[test]
fn what_is_unknown_stays_so_when_it_is_read_again() {
    let setup = setup();
    for without in WITHOUT {
        let [runs, _] = runs(&setup, without);
        let json = ShownResults::of(&setup, runs).json;
        assert_eq!(Report::from_json(&json).unwrap().to_json(), json);
    }
}

#[test]
fn a_metric_over_an_unknown_count_is_unknown_and_a_claim_on_it_has_no_verdict() {
    let setup = setup();
    let claims = |without| {
        let [runs, _] = runs(&setup, without);
        let records: Vec<Record> = runs.iter().map(Record::of).collect();
        let summary = summarise(&records.iter().collect::<Vec<_>>());
        let results = sidestep_lab::evaluate(&setup.scenario.claims, &[summary]);
        let verdict = |name: &str| {
            let claim = results.iter().find(|claim| claim.id == name).unwrap();
            (claim.verdict, claim.ours)
        };
        [verdict("never"), verdict("by_switches")]
    };
    let unknown = (Verdict::CantTell, None);
    let [never, by_switches] = claims(WITHOUT[0]);
    assert_eq!(never, unknown);
    // One seed is not enough for a verdict, but there is a number.
    assert!(by_switches.1.is_some());
    assert_eq!(claims(WITHOUT[1]), [unknown; 2]);
}

#[test]
fn rows_and_numbers_of_marked_runs_are_told_apart_and_none_is_left_out() {
    let setup = setup();
    let [mut runs, _] = runs(&setup, Without::default());
    runs[1].marks = vec!["a flow was handed over 7.1 ms late".into()];
    let shown = ShownResults::of(&setup, runs.clone());
    for table in ["flows", "queries", "ports.host", "ports.switch"] {
        let column = |name: &str| &shown.values[&format!("{table}.{name}")];
        let seeds = column("seed").iter().zip(column("disturbed"));
        let told: std::collections::BTreeSet<_> = seeds
            .map(|(seed, disturbed)| (seed.as_str(), disturbed.as_str()))
            .collect();
        let expected = [("1", "false"), ("2", "true")];
        assert!(told.into_iter().eq(expected), "{table}");
    }
    let seeds = |part: &Value| part["schemes"]["dibs"]["seeds"].clone();
    let json = &shown.json;
    let parts = [json, &json["unmarked"], &json["disturbed"]].map(seeds);
    assert_eq!(parts, [[1, 2].into(), [1].into(), [2].into()] as [Value; 3]);
    assert!(
        shown
            .text
            .contains("dibs, all 2  dibs, unmarked 1  dibs, marked 1"),
        "{}",
        shown.text
    );
    // Without a mark there is no distinction.
    runs[1].marks.clear();
    let shown = ShownResults::of(&setup, runs);
    assert!(
        shown.values["flows.disturbed"]
            .iter()
            .all(|flag| flag == "false")
    );
    assert_eq!(shown.json.get("disturbed"), None);
    assert!(!shown.text.contains("unmarked"), "{}", shown.text);
}

fn setup() -> TestbedSetup {
    let scenario = experiment().points.remove(0).scenario;
    TestbedSetup::of(scenario, "10 Mbps", "t").unwrap()
}

fn experiment() -> Experiment {
    let read = Experiment::read("a.toml", SCENARIO, &[], false, &NoFiles);
    read.unwrap_or_else(|problems| panic!("{problems:#?}"))
}

/// Returns the report of `sidestep reproduce --testbed`, file by file.
fn reported(runs: Vec<Run>) -> BTreeMap<String, Vec<u8>> {
    let arm = Arm {
        name: "testbed".into(),
        says: "real packets".into(),
        experiment: experiment(),
        records: runs.iter().map(Record::of).collect(),
        status: Status::Complete,
    };
    let reproduction = Reproduction {
        asked: "a".into(),
        quick: false,
        figures: vec![side_by_side("paper", vec![arm], Vec::new())],
    };
    let room = tempfile::tempdir().unwrap();
    let mut folders = vec![room.path().join("r")];
    publish(reproduction, &Value::Null, &folders[0]).unwrap();
    let mut files = BTreeMap::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                files.insert(name, std::fs::read(path).unwrap());
            }
        }
    }
    files
}

/// Returns two measured runs, and the same with other values in all fields that are not measured.
fn runs(setup: &TestbedSetup, without: Without) -> [Vec<Run>; 2] {
    let runs: Vec<Run> = [1, 2].map(|seed| measured(setup, seed, without)).into();
    let mut spoiled = runs.clone();
    spoiled.iter_mut().for_each(|run| spoil(run, without));
    [runs, spoiled]
}

/// Plan with a query and all kinds of background flows.
fn plan() -> TrafficPlan {
    let flow = |src: u32, size, class| FlowPlan {
        src: HostId(src),
        dst: HostId(15),
        size,
        start: Start::At(Time::from_us(1)),
        class,
        query: (class == 0).then_some(0),
        request: false,
        mss: None,
    };
    TrafficPlan {
        classes: vec!["query".into(), "background".into()],
        flows: vec![
            flow(1, 20_000, 0),
            flow(5, 5_000, 1),
            flow(6, 2_000_000, 1),
            flow(7, FlowPlan::ENDLESS, 1),
        ],
        queries: vec![QueryPlan {
            start: Time::from_us(1),
            target: HostId(15),
            responses: 1,
            class: 0,
        }],
        ..TrafficPlan::default()
    }
}

fn measured(setup: &TestbedSetup, seed: u64, without: Without) -> Run {
    let known = |not: bool, count: u32| (!not).then_some(count);
    let tcp = TcpInfo {
        retransmits: 3,
        data_segments_out: known(without.data_out, 103),
        data_segments_in: known(without.data_in, 100),
        delivered_marked: known(without.marked, 9),
        total_rto: known(without.timeouts, 1),
        ..TcpInfo::default()
    };
    let flow = |_| FlowRan {
        due_ns: Some(1_000),
        started_ns: Some(1_010),
        finished_ns: Some(5_000_000),
        delivered: 5_000,
        sender: tcp,
        receiver: tcp,
    };
    let plan = plan();
    let host = HostCounters {
        sent: 60,
        sent_bytes: 60_000,
        received: 55,
        ..HostCounters::default()
    };
    let ran = Ran {
        flows: plan.flows.iter().map(flow).collect(),
        hosts: vec![host; setup.blueprint.hosts],
        end_ns: 50_000_000,
        ..Ran::default()
    };
    let port = PortSeen {
        packets: 70,
        bytes: 70_000,
        counts: Counts::read::<()>(|_| Ok(4), |_| Ok(2)).unwrap(),
        peak_packets: 20,
        peak_bytes: 20_000,
        lost: 0,
    };
    let ports = |switch| vec![port.clone(); setup.blueprint.ports(switch).len()];
    let switches = 0..setup.blueprint.switches.len();
    let seen: Vec<_> = match without.switches {
        true => Vec::new(),
        false => switches.map(ports).collect(),
    };
    run(setup, seed, plan, &ran, &seen)
}
