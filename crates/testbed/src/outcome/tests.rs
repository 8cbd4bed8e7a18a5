//! What real packets do not tell is shown nowhere, and nothing else is held back.
//!
//! [`spoil`] goes over every field of a run: one that the testbed does not measure gets another value. A field
//! that is new does not compile there until somebody says which it is. What then differs in what
//! is written and shown is exactly what [`super::unmeasured`] must name, old columns and new ones alike.

use super::*;
use crate::traffic::{HostCounters, TcpInfo};
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::Value;
use sidestep_study::lab::stats::{metric, summarise};
use sidestep_study::lab::{Experiment, Record, Unmeasured, Verdict};
use sidestep_study::reproduce::Reproduction;
use sidestep_study::reproduce::arms::{Arm, side_by_side};
use sidestep_study::reproduce::run::publish;
use sidestep_study::sim::pfc::Deadlock;
use sidestep_study::sim::{FlowPlan, Histogram, NReordering, NoFiles, QueryPlan, Start};
use sidestep_study::switch::DropReason;
use sidestep_study::switch::ports::Counts;
use sidestep_study::types::HostId;
use sidestep_study::{Recorder, Report, Status};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;

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

/// What does not count everything that it could.
#[derive(Clone, Copy, Debug, Default)]
struct Without {
    switches: bool,
    timeouts: bool,
    data_out: bool,
    data_in: bool,
    marked: bool,
}

/// Every one alone, and all of them.
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
    let scene = scene();
    for without in WITHOUT {
        let [clean, spoiled] = runs(&scene, without).map(|runs| Shown::of(&scene, runs));
        assert_eq!(clean.differs_from(&spoiled), [""; 0], "{without:?}");
        assert_eq!(clean.text, spoiled.text, "{without:?}");
    }
}

#[test]
fn a_report_depends_on_nothing_that_was_not_measured() {
    let scene = scene();
    for without in WITHOUT {
        let [clean, spoiled] = runs(&scene, without).map(reported);
        let names: Vec<&String> = clean.keys().collect();
        assert!(names.contains(&&"report.html".to_string()), "{names:?}");
        for (name, text) in clean {
            assert!(text == spoiled[&name], "{name}, {without:?}");
        }
    }
}

#[test]
fn what_is_named_is_exactly_what_depends_on_it() {
    let scene = scene();
    for without in WITHOUT {
        let runs = runs(&scene, without);
        let named: Vec<String> = runs[0][0].unmeasured.names().map(String::from).collect();
        let unmasked = |mut runs: Vec<Run>| {
            runs.iter_mut()
                .for_each(|run| run.unmeasured = Unmeasured::default());
            Shown::of(&scene, runs)
        };
        let [clean, spoiled] = runs.map(unmasked);
        assert_eq!(clean.differs_from(&spoiled), named, "{without:?}");
    }
}

#[test]
fn what_is_named_is_null_everywhere_and_stays_so_when_it_is_read_again() {
    let scene = scene();
    for without in WITHOUT {
        let [runs, _] = runs(&scene, without);
        let named = runs[0].unmeasured.clone();
        let shown = Shown::of(&scene, runs);
        for name in named.names() {
            let values = &shown.values[name];
            let unknown = |value: &String| value == "null" || value == "Nothing";
            assert!(
                values.iter().all(unknown),
                "{name}: {values:?}, {without:?}"
            );
        }
        assert_eq!(
            Report::from_json(&shown.json).unwrap().to_json(),
            shown.json
        );
    }
}

#[test]
fn a_metric_over_an_unknown_count_is_unknown_and_a_claim_on_it_has_no_verdict() {
    let scene = scene();
    let claims = |without| {
        let [runs, _] = runs(&scene, without);
        let records: Vec<Record> = runs.iter().map(Record::of).collect();
        let summary = summarise(&records.iter().collect::<Vec<_>>());
        let results = sidestep_study::lab::evaluate(&scene.scenario.claims, &[summary]);
        let verdict = |name: &str| {
            let claim = results.iter().find(|claim| claim.id == name).unwrap();
            (claim.verdict, claim.ours)
        };
        [verdict("never"), verdict("by_switches")]
    };
    let unknown = (Verdict::CantTell, None);
    let [never, by_switches] = claims(WITHOUT[0]);
    assert_eq!(never, unknown);
    assert_eq!(by_switches.0, Verdict::Reproduced);
    assert_eq!(claims(WITHOUT[1]), [unknown; 2]);
}

fn scene() -> Scene {
    let scenario = experiment().points.remove(0).scenario;
    Scene::of(scenario, "10 Mbps", "t").unwrap()
}

fn experiment() -> Experiment {
    let read = Experiment::read("a.toml", SCENARIO, &[], false, &NoFiles);
    read.unwrap_or_else(|problems| panic!("{problems:#?}"))
}

/// The report of `sidestep reproduce --testbed`, file by file.
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

/// Two runs of everything that is measured, and the same with other values where nothing is.
fn runs(scene: &Scene, without: Without) -> [Vec<Run>; 2] {
    let runs: Vec<Run> = [1, 2].map(|seed| measured(scene, seed, without)).into();
    let mut spoiled = runs.clone();
    spoiled.iter_mut().for_each(|run| spoil(run, without));
    [runs, spoiled]
}

/// A query, and background of all kinds.
fn plan() -> Plan {
    let flow = |src: u32, size, class| FlowPlan {
        src: HostId(src),
        dst: HostId(0),
        size,
        start: Start::At(Time::ZERO),
        class,
        query: (class == 0).then_some(0),
        request: false,
    };
    Plan {
        classes: vec!["query".into(), "background".into()],
        flows: vec![
            flow(1, 20_000, 0),
            flow(5, 5_000, 1),
            flow(6, 2_000_000, 1),
            flow(7, FlowPlan::ENDLESS, 1),
        ],
        queries: vec![QueryPlan {
            start: Time::ZERO,
            target: HostId(0),
            responses: 1,
            class: 0,
        }],
    }
}

fn measured(scene: &Scene, seed: u64, without: Without) -> Run {
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
        due_ns: Some(0),
        started_ns: Some(10),
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
        hosts: vec![host; scene.blueprint.hosts],
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
    let ports = |switch| vec![port.clone(); scene.blueprint.ports(switch).len()];
    let switches = 0..scene.blueprint.switches.len();
    let seen: Vec<_> = match without.switches {
        true => Vec::new(),
        false => switches.map(ports).collect(),
    };
    run(scene, seed, plan, &ran, &seen)
}

/// Gives every field that was not measured another value. Of a field that is new the compiler asks here:
/// is it measured on real packets (`_`, and somewhere in `measured` it gets a value), or is it not?
fn spoil(run: &mut Run, without: Without) {
    let Run {
        scheme: _,
        seed: _,
        plan: _,
        outcome,
        probed,
        interrupted: _,
        unmeasured: _,
        warnings: _,
    } = run;
    let Outcome {
        flows,
        ports,
        classes,
        totals,
        deadlocks,
        end: _,
        trajectory_hash,
        // Its file is there only when packets were traced, which a testbed does not.
        traces: _,
    } = outcome;
    flows.iter_mut().for_each(|flow| spoil_flow(flow, without));
    ports.iter_mut().for_each(|port| spoil_port(port, without));
    classes
        .iter_mut()
        .for_each(|class| spoil_class(class, without));
    spoil_totals(totals, without);
    *trajectory_hash = 7;
    deadlocks.push(Deadlock {
        at: Time::ZERO,
        ports: vec![0, 1],
    });
    let Probed {
        drops_at,
        // Nothing is sampled or logged of real packets: there is none, not one of 0.
        samples: _,
        detours: _,
        detours_missed: _,
        occupancy: _,
        paths: _,
        loops: _,
    } = probed;
    if without.switches {
        drops_at.insert("full".into(), [("edge".into(), 7)].into());
    }
}

fn spoil_flow(flow: &mut FlowOutcome, without: Without) {
    let FlowOutcome {
        started: _,
        finished: _,
        delivered_bytes: _,
        segments,
        retransmits: _,
        timeouts,
        spurious_retransmits,
        spurious_timeouts,
        fast_retransmits,
        reordered,
        reordering_extent,
        n_reordering,
        marks,
        detours,
        max_detours,
        drops,
    } = flow;
    let never = [
        spurious_retransmits,
        spurious_timeouts,
        fast_retransmits,
        reordered,
        reordering_extent,
        n_reordering,
        detours,
        drops,
    ];
    never.into_iter().for_each(|count| *count += 7);
    *max_detours += 7;
    *segments += 7 * u32::from(without.data_out);
    *timeouts += 7 * u32::from(without.timeouts);
    *marks += 7 * u32::from(without.marked);
}

fn spoil_port(port: &mut PortOutcome, without: Without) {
    let PortOutcome {
        from,
        port: _,
        to: _,
        rate: _,
        packets,
        wire_bytes,
        counts,
        peak_packets,
        peak_bytes,
        pauses,
        paused,
        input_peak_bytes,
    } = port;
    *pauses += 7;
    *paused += Time::from_us(7);
    *input_peak_bytes += 7;
    let at_host = matches!(from, End::Host(_));
    if at_host || without.switches {
        *counts = Counts::read::<()>(|_| Ok(77), |_| Ok(77)).unwrap();
        *peak_packets += 7;
        *peak_bytes += 7;
    }
    if !at_host && without.switches {
        *packets += 7;
        *wire_bytes += 7_000;
    }
}

fn spoil_class(class: &mut ClassOutcome, without: Without) {
    let ClassOutcome {
        sent,
        delivered,
        detoured,
        detours,
        dropped,
        marked,
        detours_each,
        extra_hops,
        trimmed,
        reordered,
        n_reordering,
    } = class;
    *sent += 7 * u64::from(without.data_out);
    // More than were detoured or reordered.
    *delivered += 70 * u64::from(without.data_in);
    *marked += 7 * u64::from(without.marked);
    [detoured, detours, dropped, trimmed, reordered]
        .into_iter()
        .for_each(|count| *count += 7);
    detours_each.add(3, 7);
    extra_hops.resize(3, Histogram::default());
    extra_hops[2].add(4, 7);
    n_reordering.counts[NReordering::BUCKETS - 1] += 7;
}

fn spoil_totals(totals: &mut Totals, without: Without) {
    let Totals {
        packet_hops,
        events,
        sent: _,
        delivered: _,
        in_flight,
        detours,
        detoured,
        pauses,
        marks,
        trims,
        timeouts,
        retransmits: _,
        spurious_retransmits,
        spurious_timeouts,
        drops,
    } = totals;
    let never = [
        events,
        in_flight,
        detoured,
        pauses,
        spurious_retransmits,
        spurious_timeouts,
    ];
    never.into_iter().for_each(|count| *count += 7);
    *timeouts += 7 * u64::from(without.timeouts);
    if without.switches {
        let decided = [packet_hops, detours, marks, trims];
        decided.into_iter().for_each(|count| *count += 7);
        *drops = [7; DropReason::COUNT];
    }
}

/// All that is written and shown of some runs.
struct Shown {
    /// Values by the name under which [`Unmeasured`] knows them.
    values: BTreeMap<String, Vec<String>>,
    /// The table that people read.
    text: String,
    json: Value,
}

impl Shown {
    /// By way of a result directory.
    fn of(scene: &Scene, mut runs: Vec<Run>) -> Shown {
        let room = tempfile::tempdir().unwrap();
        let out = room.path().join("r");
        let mut recorder = Recorder::begin(&scene.scenario, &out, 1, false).unwrap();
        for run in &mut runs {
            recorder.add(0, run, None, 1.0).unwrap();
        }
        let report = recorder.finish().unwrap().report;
        let mut shown = Shown {
            values: BTreeMap::new(),
            text: report.to_text(),
            json: report.to_json(),
        };
        for metric in metric::METRICS {
            let reading = metric.read(&report.summaries[0]);
            shown.put(metric.name, format!("{reading:?}"));
        }
        for table in ["flows", "queries", "ports"] {
            shown.table(table, &out.join(format!("{table}.parquet")));
        }
        let read = |name: &str| -> Value {
            serde_json::from_str(&std::fs::read_to_string(out.join(name)).unwrap()).unwrap()
        };
        let summary = read("summary.json");
        assert_eq!(summary, shown.json);
        shown.summary(&summary["schemes"]["dibs"]);
        let manifest = read("manifest.json");
        for run in manifest["runs"].as_array().unwrap() {
            shown.keys("", run);
        }
        shown.put("events", manifest["events"].to_string());
        shown.put("packet_hops", manifest["packet_hops"].to_string());
        shown
    }

    fn put(&mut self, name: &str, value: String) {
        self.values.entry(name.into()).or_default().push(value);
    }

    fn table(&mut self, table: &str, path: &std::path::Path) {
        let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
        for row in reader.get_row_iter(None).unwrap() {
            let row = row.unwrap();
            let cells: Vec<_> = row.get_column_iter().collect();
            let from = cells.iter().find(|(name, _)| *name == "from");
            let end = match from.map(|(_, from)| from.to_string().contains("host ")) {
                Some(true) => ".host",
                Some(false) => ".switch",
                None => "",
            };
            for (name, value) in cells {
                self.put(&format!("{table}{end}.{name}"), value.to_string());
            }
        }
    }

    fn summary(&mut self, summary: &Value) {
        self.keys("", summary);
        for class in summary["classes"].as_array().unwrap() {
            self.keys("classes.", class);
        }
        for seed in summary["per_seed"].as_array().into_iter().flatten() {
            self.summary(seed);
        }
    }

    fn keys(&mut self, before: &str, object: &Value) {
        let whole = ["classes", "per_seed", "unmeasured", "wall_s"];
        for (key, value) in object.as_object().unwrap() {
            if !whole.contains(&key.as_str()) {
                self.put(&format!("{before}{key}"), value.to_string());
            }
        }
    }

    /// The names whose values are not the same.
    fn differs_from(&self, other: &Shown) -> Vec<String> {
        let names: BTreeSet<&String> = self.values.keys().chain(other.values.keys()).collect();
        let differs = |name: &&&String| self.values.get(**name) != other.values.get(**name);
        names
            .iter()
            .filter(differs)
            .map(|name| name.to_string())
            .collect()
    }
}
