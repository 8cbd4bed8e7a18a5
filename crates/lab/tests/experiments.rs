//! Experiment files: their meaning, and the messages about wrong ones.

use sidestep_lab::{Experiment, PlotKind, PointCombination, Verdict};
use sidestep_sim::Files;

/// Files: a base, and no other.
struct Base;

const BASE: &str = r#"title = "base"
duration = "10 ms"
schemes = ["dctcp", "dibs"]
[topology]
kind = "fat_tree"
k = 4
[switch]
capacity = "80 pkt"
[workload.query]
kind = "query"
rate = "300 /s"
degree = 8
[source]
"topology.k" = "Table 1"
"switch.capacity" = "assumed: any"
"#;

impl Files for Base {
    fn read(&self, path: &str) -> Result<String, String> {
        match path {
            "base.toml" => Ok(BASE.into()),
            "late.csv" => {
                Ok("start,src,dst,size,class\n1 ms,0,3,1 kB,web\n1 s,1,3,1 kB,late\n".into())
            }
            "chain.toml" => Ok("extends = \"base.toml\"\n".into()),
            _ => Err("no such file".into()),
        }
    }
}

const GOOD: &str = r#"extends = "base.toml"
title = "own"
[switch]
capacity = "90 pkt"
[figure]
paper = "P"
number = 8
[sweep]
"workload.query.rate" = ["300 /s", "600 /s"]
rto = [{ is = "long" }, { is = "short", "transport.rto_min" = "1 ms" }]
[[plot]]
kind = "lines"
x = "workload.query.rate"
y = ["qct_p99_ms"]
log = "xy"
[quick]
seeds = "7"
"workload.query.rate" = ["200 /s"]
[[claim]]
says = "less"
metric = "qct_p99_ms"
compare = "dctcp - dibs"
at = { rto = "short" }
over = "each"
paper = 1
accept = "0.."
tolerance = "any"
"#;

fn read(text: &str, sets: &[&str], quick: bool) -> Result<Experiment, String> {
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    Experiment::read("a.toml", text, &sets, quick, &Base).map_err(|problems| {
        let lines: Vec<String> = problems.iter().map(|p| p.to_string()).collect();
        lines.join("\n")
    })
}

fn good(sets: &[&str], quick: bool) -> Experiment {
    read(GOOD, sets, quick).unwrap_or_else(|said| panic!("{said}"))
}

/// Returns value and source of a setting at a point.
fn setting(experiment: &Experiment, point: usize, key: &str) -> (String, String) {
    let all = experiment.points[point].scenario.settings();
    let found = all.iter().find(|s| s.key == key);
    let found = found.unwrap_or_else(|| panic!("{key}"));
    (found.value.clone(), found.source.clone())
}

fn at(experiment: &Experiment) -> Vec<String> {
    experiment.points.iter().map(|p| p.at.join(", ")).collect()
}

#[test]
fn points_are_all_combinations_and_the_last_axis_varies_fastest() {
    let e = good(&[], false);
    assert_eq!(
        at(&e),
        [
            "300 /s, long",
            "300 /s, short",
            "600 /s, long",
            "600 /s, short"
        ]
    );
    let rate = |point| setting(&e, point, "workload.query.rate");
    assert_eq!(rate(2), ("600 /s".into(), "sweep".into()));
    assert_eq!(setting(&e, 1, "transport.rto_min").0, "1 ms");
    assert_eq!(setting(&e, 0, "transport.rto_min").0, "10 ms");
    assert_eq!((e.title.as_str(), e.runs()), ("own", 8));
    let plot = &e.plots[0];
    assert_eq!(
        (plot.kind, plot.log_x, plot.log_y),
        (PlotKind::Lines, true, true)
    );
    let claim = &e.claims[0];
    assert_eq!(
        (claim.over, claim.expect),
        (Some(PointCombination::Each), Verdict::Reproduced)
    );
    assert!(!claim.own, "the figure is a paper's");
    assert_eq!(claim.meant, 2);
    assert_eq!(e.figure.unwrap().number, "8");
}

#[test]
fn a_base_holds_key_by_key_with_its_sources() {
    let e = good(&[], false);
    assert_eq!(
        setting(&e, 0, "topology.k"),
        ("4".into(), "paper: Table 1".into())
    );
    let capacity = setting(&e, 0, "switch.capacity");
    assert_eq!(capacity, ("90 pkt".into(), "scenario file".into()));
    assert_eq!(e.warnings(), [""; 0], "a base that is replaced is no slip");
}

#[test]
fn quick_changes_axes_and_keys_and_a_set_wins_over_both() {
    let e = good(&[], true);
    assert_eq!(at(&e), ["200 /s, long", "200 /s, short"]);
    assert_eq!(setting(&e, 0, "seeds"), ("7".into(), "quick".into()));
    let e = good(&["seeds=9", "workload.query.rate=50 /s", "rto=short"], true);
    assert_eq!(at(&e), ["50 /s, short"]);
    assert_eq!(setting(&e, 0, "seeds").0, "9");
    assert_eq!(setting(&e, 0, "transport.rto_min").0, "1 ms");
    assert_eq!(e.notes.len(), 2, "{:?}", e.notes);
    let e = good(&["transport.rto_min=5 ms"], false);
    assert_eq!(setting(&e, 1, "transport.rto_min").0, "5 ms");
    assert!(
        e.notes[0].contains("overrides the values that axis rto"),
        "{:?}",
        e.notes
    );
}

/// Files: the base, a scheme with the name of a shipped one, and a shipped one unchanged.
struct FileLocation;

impl Files for FileLocation {
    fn read(&self, path: &str) -> Result<String, String> {
        match path {
            "schemes/dibs.toml" => Ok("switch.buffer = \"droptail\"\n".into()),
            "schemes/dctcp.toml" => Ok(sidestep_lab::shipped::scheme("dctcp").unwrap().into()),
            _ => Base.read(path),
        }
    }
}

#[test]
fn what_has_no_effect_is_noted() {
    let notes = |text: &str, quick, files: &dyn Files| {
        let read = Experiment::read("a.toml", text, &[], quick, files);
        read.unwrap_or_else(|problems| panic!("{problems:#?}"))
            .notes
    };
    let without = GOOD.split("[quick]").next().unwrap();
    let none: [String; 0] = [];
    assert_eq!(notes(GOOD, true, &Base), none);
    assert_eq!(notes(without, false, &Base), none);
    assert_eq!(
        notes(without, true, &Base),
        ["--quick: the file has no [quick], so nothing is shortened"]
    );
    assert_eq!(
        notes(GOOD, false, &FileLocation),
        [
            "schemes/dibs.toml is not read, because \"dibs\" is a shipped scheme; schemes = \
             [\"./schemes/dibs.toml\"] reads the file"
        ]
    );
    for empty in ["[sweep]\n", "[sweep]\n[sweep.switch]\n"] {
        let text = format!("extends = \"base.toml\"\n{empty}");
        let problems = Experiment::read("a.toml", &text, &[], false, &Base).err();
        let problems = problems.unwrap_or_default();
        let said: Vec<String> = problems.iter().map(|p| p.to_string()).collect();
        assert_eq!(
            said,
            [
                "a.toml:2:2: sweep: expected an axis, like switch.capacity = [\"50 pkt\", \"100 pkt\"], got none"
            ]
        );
    }
    // A plain scenario has both as warnings: it shows no notes.
    let alone = Experiment::read("a.toml", BASE, &[], true, &FileLocation);
    let alone = alone.unwrap_or_else(|problems| panic!("{problems:#?}"));
    let warnings = alone.warnings();
    assert_eq!((alone.notes.len(), warnings.len()), (0, 2), "{warnings:?}");
}

#[test]
fn what_is_written_reads_back_as_the_same_points() {
    let e = good(&[], false);
    let again = Experiment::read("again.toml", &e.to_toml(), &[], false, &Base);
    let again = again.unwrap_or_else(|problems| panic!("{problems:#?}\n{}", e.to_toml()));
    assert_eq!((&again.axes, &again.claims), (&e.axes, &e.claims));
    assert_eq!((&again.plots, &again.figure), (&e.plots, &e.figure));
    for (one, two) in e.points.iter().zip(&again.points) {
        assert_eq!(one.at, two.at);
        for scheme in 0..2 {
            assert_eq!(one.scenario.identity(scheme), two.scenario.identity(scheme));
        }
    }
}

#[test]
fn what_speaks_of_values_that_are_left_out_is_not_written() {
    let e = good(&["rto=long"], true);
    assert_eq!(e.claims.len(), 1, "it has no answer, and says so");
    let again = Experiment::read("again.toml", &e.to_toml(), &[], false, &Base);
    let again = again.unwrap_or_else(|problems| panic!("{problems:#?}\n{}", e.to_toml()));
    assert_eq!((again.claims.len(), again.plots.len()), (0, 1));
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let cases = [
        (
            "extends = \"base.toml\"",
            "extends = \"bass.toml\"",
            "a.toml:1:11: extends: \"bass.toml\" cannot be read: no such file",
        ),
        (
            "extends = \"base.toml\"",
            "extends = \"chain.toml\"",
            "chain.toml:1:1: extends: another file extends this one, so this one cannot extend a third",
        ),
        (
            "\"workload.query.rate\" = [\"300",
            "\"workload.query.rat\" = [\"300",
            "a.toml:9:1: unknown key \"rat\" in workload \"query\"; did you mean \"rate\"?\n\
             a.toml:13:5: plot.x: \"workload.query.rate\" is not swept; did you mean \"workload.query.rat\"?\n\
             a.toml:18:25: workload.query.rate: expected a frequency like \"300 /s\", got a list",
        ),
        (
            "[\"300 /s\", \"600 /s\"]",
            "[\"300 /s\", \"600\"]",
            "a.toml:9:36: workload.query.rate: expected a frequency like \"300 /s\" (/s, k/s, M/s) or \"off\", got \"600\" without a unit",
        ),
        (
            "[\"300 /s\", \"600 /s\"]",
            "[\"300 /s\", \"300 /s\"]",
            "a.toml:9:36: sweep: \"workload.query.rate\" has \"300 /s\" twice",
        ),
        (
            "[\"300 /s\", \"600 /s\"]",
            "[]",
            "a.toml:9:25: sweep: \"workload.query.rate\" has no values, so nothing would run",
        ),
        (
            "[\"300 /s\", \"600 /s\"]",
            "\"300 /s\"",
            "a.toml:9:25: sweep: \"workload.query.rate\": expected a list of values, got a value",
        ),
        (
            "rto = [",
            "seeds = [1, 2]\nrto = [",
            "a.toml:10:1: sweep: \"seeds\" must be the same at every point",
        ),
        (
            "{ is = \"long\" }",
            "{ iss = \"long\" }",
            "a.toml:10:8: sweep: \"rto\": `is` is missing: the name of this value",
        ),
        (
            "{ is = \"long\" }",
            "{ is = \"long\", \"workload.query.rate\" = \"1 /s\" }",
            "a.toml:10:1: sweep: \"workload.query.rate\" already sets \"workload.query.rate\"",
        ),
        (
            "rto = [",
            "duration = [",
            "a.toml:10:1: sweep: an axis of tables cannot be called \"duration\": it is a key of a scenario",
        ),
        (
            "number = 8",
            "numbre = 8",
            "a.toml:5:2: figure.number is missing: number of the figure in the paper; a table or \
             section by its name\na.toml:7:1: unknown key \"numbre\" in [figure]; did you mean \
             \"number\"?",
        ),
        (
            "kind = \"lines\"",
            "kind = \"line\"",
            "a.toml:12:8: plot \"line\" is unknown; did you mean \"lines\"?",
        ),
        (
            "y = [\"qct_p99_ms\"]",
            "y = [\"qct_p99\"]",
            "a.toml:14:6: metric \"qct_p99\" is unknown; did you mean \"qct_p99_ms\"?",
        ),
        (
            "x = \"workload.query.rate\"",
            "x = \"rate\"",
            "a.toml:13:5: plot.x: \"rate\" is not swept; known: workload.query.rate, rto",
        ),
        (
            "log = \"xy\"",
            "log = \"z\"",
            "a.toml:15:7: plot.log: \"z\" is unknown; known: x, y, xy",
        ),
        (
            "log = \"xy\"",
            "of = \"qct\"",
            "a.toml:15:1: plot: kind \"lines\" has no \"of\"",
        ),
        (
            "seeds = \"7\"",
            "sedes = \"7\"",
            "a.toml:17:1: unknown key \"sedes\"; did you mean \"seeds\"?",
        ),
        (
            "[\"200 /s\"]",
            "[\"200\"]",
            "a.toml:18:26: workload.query.rate: expected a frequency like \"300 /s\" (/s, k/s, M/s) or \"off\", got \"200\" without a unit",
        ),
        (
            "at = { rto = \"short\" }",
            "at = { rto = \"shrot\" }",
            "a.toml:23:14: claim.at: no point has rto = \"shrot\"; did you mean \"short\"?",
        ),
        (
            "at = { rto = \"short\" }",
            "at = { tro = \"short\" }",
            "a.toml:23:8: claim.at: \"tro\" is not swept; did you mean \"rto\"?",
        ),
        (
            "over = \"each\"",
            "over = \"eech\"",
            "a.toml:24:8: over: \"eech\" is unknown; did you mean \"each\"?",
        ),
        (
            "over = \"each\"\n",
            "",
            "a.toml:19:1: claim.over is missing: expected max, min, mean or each; the claim covers \
             3 points",
        ),
        (
            "over = \"each\"",
            "over = \"each\"\nexpect = \"maybe\"",
            "a.toml:25:10: expect: \"maybe\" is unknown; known: reproduced, not reproduced, can't tell",
        ),
    ];
    let mut wrong = String::new();
    for (line, instead, expected) in cases {
        assert!(GOOD.contains(line), "{line}");
        let said = read(&GOOD.replacen(line, instead, 1), &[], false);
        let said = said.err().unwrap_or_default();
        if said != expected {
            wrong.push_str(&format!("{instead}\n{said}\nexpected\n{expected}\n\n"));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    let said = read(GOOD, &["rto=shrt"], false).err().unwrap();
    assert_eq!(
        said,
        "--set rto=shrt: axis \"rto\" has no value \"shrt\"; did you mean \"short\"?"
    );
}

#[test]
fn too_many_points_are_refused() {
    let many: Vec<String> = (1..=4_000).map(|i| format!("\"{i} /s\"")).collect();
    let many = many.join(", ");
    let text = GOOD.replacen("\"300 /s\", \"600 /s\"", &many, 1);
    let text = text.replacen(
        "rto = [",
        "\"workload.query.degree\" = [1,2,3,4,5,6,7,8,9,10,11,12,13]\nrto = [",
        1,
    );
    let said = read(&text, &[], false).err().unwrap();
    assert_eq!(
        said,
        "a.toml:8:2: sweep: expected at most 100000 points, which take about 1 GB, got 104000"
    );
}

#[test]
fn a_metric_that_no_probe_measures_is_warned_about() {
    let mut text = GOOD.to_string();
    text.push_str(
        "[[plot]]\nkind = \"lines\"\nx = \"workload.query.rate\"\ny = [\"looped_share\"]\n",
    );
    let read = read(&text, &[], false).unwrap();
    let warned = "looped_share has no value without loops in [probe]";
    assert!(
        read.warnings().iter().any(|w| w == warned),
        "{:?}",
        read.warnings()
    );
}

#[test]
fn claims_are_judged_only_for_the_settings_that_they_were_made_for() {
    let made_for = |sets: &[&str], quick| good(sets, quick).claims[0].not_judged.clone();
    for sets in [
        &[][..],
        &["seeds=1..3"],
        &["schemes=dibs"],
        &["switch.capacity=90 pkt"],
    ] {
        assert_eq!(made_for(sets, false), None, "{sets:?}");
        assert_eq!(made_for(sets, true), None, "{sets:?}");
    }
    let said = |sets: &[&str]| made_for(sets, false).unwrap();
    assert_eq!(
        said(&["switch.capacity=80 pkt"]),
        "made for switch.capacity = 90 pkt"
    );
    let more = [
        "workload.more.kind=query",
        "workload.more.rate=9 /s",
        "workload.more.degree=3",
    ];
    assert_eq!(said(&more), "made for no workload.more");
    let probed = ["probe.loops=true"];
    assert_eq!(made_for(&probed, false), None, "to look changes nothing");
    // A value of an axis in the file is one that the claim is about; another value is not.
    assert_eq!(made_for(&["workload.query.rate=600 /s"], false), None);
    assert_eq!(
        said(&["workload.query.rate=700 /s"]),
        "made for workload.query.rate = 300 /s, 600 /s, 200 /s"
    );
}

#[test]
fn a_class_that_sends_nothing_and_groups_that_nobody_names_are_warned_about() {
    let text = format!(
        "{GOOD}[[plot]]\nkind = \"lines\"\nx = \"workload.query.rate\"\n\
         y = [\"fct_p99_ms:late\", \"fct_p99_ms:web\", \"group_p50_ms\"]\n\
         [workload.own]\nkind = \"flow_list\"\nfile = \"late.csv\"\n"
    );
    let warnings = read(&text, &[], false).unwrap().warnings();
    let said = |start: &str| warnings.iter().filter(|w| w.starts_with(start)).count();
    let late =
        "fct_p99_ms:late has no value: no flow of the class starts before duration ends at 10 ms";
    let groups = "group_p50_ms has no value: no flow of a flow list has a group";
    assert_eq!(
        (said(late), said(groups), said("fct_p99_ms:web")),
        (1, 1, 0),
        "{warnings:?}"
    );
}
