//! `[[change]]`: reading, sources, writing back, and effect on runs.

use sidestep_lab::{Experiment, Scenario, Watch, run};
use sidestep_sim::{Becomes, Change, Files, NoFiles, TraceFilter};
use sidestep_switch::DropReason;
use sidestep_types::{BitRate, Time};

const GOOD: &str = r#"duration = "10 ms"
schemes = ["dctcp", "dibs"]
[topology]
kind = "fat_tree"
k = 4
[workload.query]
kind = "query"
rate = "2 k/s"
degree = 8
[[change]]
at = "2 ms"
link = "agg 0.0 - core 1"
rate = "100 Mbps"
[[change]]
at = "4 ms"
link = "core 1 - agg 0.0"
down = true
reroute = "500 us"
[[change]]
at = "5 ms"
switch = "core 1"
down = true
[[change]]
at = "6 ms"
switch = "core 1"
up = true
[[change]]
at = "8 ms"
link = "agg 0.0 - core 1"
up = true
[source]
"change.2.reroute" = "assumed: a guess"
"#;

fn read(text: &str, sets: &[&str]) -> Scenario {
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    Scenario::read("a.toml", text, &sets, &NoFiles)
        .unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// Lists the changes: instant in microseconds, the change, the time of the new routes, and the number of
/// cables.
fn told(scenario: &Scenario) -> Vec<(u64, Becomes, Option<u64>, usize)> {
    let changes = &scenario.schemes[0].config.changes;
    assert_eq!(*changes, scenario.schemes[1].config.changes);
    let alike = |a: &Change, b: &Change| (a.at, a.to, a.reroute) == (b.at, b.to, b.reroute);
    let us = |t: Time| t.ps() / 1_000_000;
    let told = |same: &[Change]| {
        let Change {
            at, to, reroute, ..
        } = same[0];
        (us(at), to, reroute.map(us), same.len())
    };
    changes.chunk_by(alike).map(told).collect()
}

#[test]
fn switches_become_their_cables_and_a_cable_is_up_while_nobody_took_it_down() {
    let scenario = read(GOOD, &[]);
    assert_eq!(
        told(&scenario),
        [
            (
                2_000,
                Becomes::Rate(BitRate::bps(100_000_000)),
                Some(1_000),
                1
            ),
            (4_000, Becomes::Down, Some(500), 1),
            (5_000, Becomes::Down, Some(1_000), 3),
            (6_000, Becomes::Up, Some(1_000), 3),
            (8_000, Becomes::Up, Some(1_000), 1),
        ]
    );
    assert_eq!(scenario.warnings(), Vec::<String>::new());
}

#[test]
fn every_value_has_its_source_and_decides_the_run() {
    let scenario = read(GOOD, &["change.1.rate=1 Mbps", "change.5.at=9 ms"]);
    let source = |key: &str| {
        let found = scenario.settings().iter().find(|s| s.key == key).unwrap();
        assert!(
            scenario
                .identity(0)
                .contains(&format!("{key} = {:?}\n", found.value))
        );
        (found.value.as_str(), found.source.as_str())
    };
    assert_eq!(source("change.1.at"), ("2 ms", "scenario file"));
    assert_eq!(source("change.1.rate"), ("1 Mbps", "user: --set"));
    assert_eq!(source("change.2.reroute"), ("500 us", "assumed: a guess"));
    let (value, from) = source("change.1.reroute");
    assert!(
        value == "1 ms" && from.starts_with("assumed: time until next hops follow"),
        "{from}"
    );
    assert_eq!(read(GOOD, &["change=[]"]).schemes[0].config.changes, []);
}

#[test]
fn what_is_written_reads_back() {
    let scenario = read(GOOD, &[]);
    let written = scenario.to_toml();
    assert!(
        written.contains("\n[change.2]\nat = \"4 ms\"\n"),
        "{written}"
    );
    let again = read(&written, &[]);
    assert_eq!(again.to_toml(), written);
    assert_eq!(told(&again), told(&scenario));
    assert_eq!(again.settings(), scenario.settings());
    // An axis may have a change at only some of its points.
    let sweep = GOOD.replace(
        "[source]",
        "[sweep]\nwhen = [{ is = \"once\" }, { is = \"twice\", \"change.6.at\" = \"9 ms\", \
         \"change.6.switch\" = \"core 0\", \"change.6.down\" = true }]\n[source]",
    );
    let both = sweep.replace("\"once\" }, {", "\"once\", \"change.5.up\" = true }, {");
    for text in [sweep, both] {
        let read = |text: &str| {
            let read = Experiment::read("a.toml", text, &[], false, &NoFiles);
            read.unwrap_or_else(|problems| panic!("{problems:?}\n{text}"))
        };
        let experiment = read(&text);
        let again = read(&experiment.to_toml());
        for (point, again) in experiment.points.iter().zip(&again.points) {
            assert_eq!(told(&again.scenario), told(&point.scenario));
            assert_eq!(again.scenario.identity(1), point.scenario.identity(1));
        }
        assert_eq!(told(&again.points[1].scenario).len(), 6);
    }
}

/// A file's changes replace those of the file that it extends.
#[test]
fn a_file_has_its_own_changes_or_those_that_it_extends() {
    struct Base;
    impl Files for Base {
        fn read(&self, _: &str) -> Result<String, String> {
            Ok(GOOD.into())
        }
    }
    let read = |text: &str| {
        let read = Scenario::read("b.toml", text, &[], &Base);
        told(&read.unwrap_or_else(|problems| panic!("{problems:?}"))).len()
    };
    assert_eq!(read("extends = \"a.toml\"\n"), 5);
    assert_eq!(
        read("extends = \"a.toml\"\n[change.1]\nrate = \"1 Gbps\"\n"),
        5
    );
    let own = "extends = \"a.toml\"\n[[change]]\nat = \"1 ms\"\nswitch = \"core 0\"\ndown = true\n";
    assert_eq!(read(own), 1);
}

#[test]
fn a_cut_that_is_meant_is_warned_of_and_so_is_what_has_no_effect() {
    let meant =
        "[[change]]\nat = \"2 ms\"\nswitch = \"edge 0.1\"\ndown = true\nreroute = \"never\"\n";
    let text = GOOD.split("[[change]]").next().unwrap().to_string() + meant;
    assert_eq!(
        read(&text, &[]).warnings(),
        [
            "change.1: this change disconnects host 0 from host 2 and has reroute = \"never\": \
             packets between them are lost"
        ]
    );
    let idle = read(GOOD, &["change.1.reroute=never"]);
    assert_eq!(
        idle.warnings(),
        ["change.1.reroute has no effect: next hops do not depend on rates"]
    );
    // A setting is not idle if another point of a sweep, or the file without this --set, uses it.
    let other = ["change.2.down=false", "change.2.rate=1 Gbps"];
    let up = ["change.5.up=false", "change.5.rate=1 Gbps"];
    let rates = [&other[..], &up].concat();
    assert!(read(GOOD, &rates).warnings().is_empty());
    let point = "{ is = \"whole\", \"change.2.down\" = false, \"change.2.rate\" = \"1 Gbps\", \
                 \"change.5.up\" = false, \"change.5.rate\" = \"1 Gbps\" }";
    let swept = |more: &str| {
        let sweep = format!("{GOOD}[sweep]\nlink = [{{ is = \"in turn\" }}, {point}]\n{more}");
        let read = Experiment::read("a.toml", &sweep, &[], false, &NoFiles);
        read.unwrap_or_else(|problems| panic!("{problems:?}"))
            .warnings()
    };
    assert!(swept("").is_empty());
    assert!(swept("\"change.2.reroute\" = [\"never\", \"2 ms\"]\n").is_empty());
    let both = [&rates[..], &["change.2.reroute=never"]].concat();
    assert_eq!(
        read(GOOD, &both).warnings(),
        ["change.2.reroute has no effect: next hops do not depend on rates"]
    );
}

#[test]
fn a_run_has_the_changes_and_counts_what_they_cost() {
    let lost = |sets: &[&str]| {
        let scenario = read(GOOD, sets);
        let ran = run(&scenario, 0, 1, TraceFilter::None, &mut |_| Watch::Go);
        ran.unwrap().outcome.totals.drops[DropReason::LinkDown as usize]
    };
    let (followed, never) = (
        lost(&[]),
        lost(&["change.2.reroute=never", "change.3.reroute=never"]),
    );
    assert!(followed > 0 && never > followed, "{followed} {never}");
    assert_eq!(lost(&["change=[]"]), 0);
}
