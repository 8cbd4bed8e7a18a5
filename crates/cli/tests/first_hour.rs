//! Tests of what a new user tries first: a folder for a file, schemes by an option, one seed for several, numbers for a
//! spreadsheet, the slowest flow, completions.

use crate::common;

use common::{Done, Room};
use serde_json::Value;
use std::fs;
use std::process::Command;

const SCENARIO: &str = r#"
duration = "1 ms"
drain = "1 s"
schemes = ["dctcp", "dibs", "infinite"]
topology = { kind = "fat_tree", k = 4 }
[workload.query]
kind = "incast"
degree = 15
size = "40 kB"
"#;

fn room() -> Room {
    let room = Room::new();
    fs::create_dir(room.path().join("mine")).unwrap();
    room.file("mine/scenario.toml", SCENARIO);
    room
}

fn run(room: &Room, more: &[&str]) -> Done {
    room.run(&[&["run", "mine", "--no-cache"][..], more].concat())
}

fn schemes(room: &Room, out: &str) -> Vec<String> {
    let text = fs::read_to_string(room.path().join(out).join("summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&text).unwrap();
    summary["schemes"]
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect()
}

#[test]
fn a_folder_is_read_as_the_scenario_in_it_and_a_shipped_name_stays_one() {
    let room = room();
    run(&room, &["--schemes", "dctcp", "--out", "one"]).with_status(0);
    room.run(&["check", "mine", "--brief"]).with_status(0);
    // A result holds its scenario; so does one of a sweep.
    room.run(&["run", "one", "--out", "two"]).with_status(0);
    let sweep = format!("{SCENARIO}[sweep]\n\"workload.query.degree\" = [3, 6]\n");
    room.file("sweep.toml", &sweep);
    let args = ["run", "sweep.toml", "--schemes", "dibs", "--out", "three"];
    room.run(&args).with_status(0);
    room.run(&["check", "three"]).with_status(0);
    // A result folder with the name of a shipped scenario does not replace it.
    room.run(&["run", "mine", "--schemes", "dibs", "--out", "quickstart"])
        .with_status(0);
    let checked = room.run(&["check", "quickstart"]).with_status(0).out;
    assert!(checked.contains("infinite"), "{checked}");
    let own = room.run(&["check", "./quickstart"]).with_status(0).out;
    assert!(!own.contains("infinite"), "{own}");
    fs::create_dir(room.path().join("empty")).unwrap();
    let refused = room.run(&["run", "empty"]).with_status(2).err;
    assert_eq!(
        refused,
        "sidestep: cannot read scenario \"empty\": expected a file, or a folder with scenario.toml or \
         experiment.toml, got a folder with neither\n"
    );
    let refused = room.run(&["show", "."]).with_status(2).err;
    assert!(
        refused.contains("without manifest.json; it has 4 of them, the last is ./two"),
        "{refused}"
    );
}

#[test]
fn a_scheme_or_a_policy_in_the_place_of_another_word_is_recognised() {
    let room = Room::new();
    let says = |args: &[&str]| room.run(args).with_status(2).err;
    let said = says(&["run", "dibs"]);
    assert!(said.ends_with("\"dibs\" is a scheme: `sidestep run quickstart --schemes dibs` runs a scenario with it\n"), "{said}");
    assert_eq!(
        says(&["list", "dibs"]),
        "sidestep: list: \"dibs\" is no kind; see `sidestep list schemes` and `sidestep list buffers`\n"
    );
    assert!(says(&["list", "dips"]).contains("is unknown; expected one of scenarios"));
}

#[test]
fn schemes_are_chosen_by_an_option_that_its_errors_name() {
    let room = room();
    run(&room, &["--schemes", "pfabric, dctcp", "--out", "r"]).with_status(0);
    assert_eq!(schemes(&room, "r"), ["pfabric", "dctcp"]);
    for (given, says) in [
        ("dibbs", "\"dibbs\""),
        ("dibs,dibs", "listed twice"),
        ("", "none given"),
    ] {
        let refused = run(&room, &["--schemes", given]).with_status(2).err;
        assert!(refused.starts_with("sidestep: --schemes"), "{refused}");
        assert!(
            refused.contains(says) && !refused.contains("--set"),
            "{refused}"
        );
    }
}

#[test]
fn a_number_of_seeds_is_said_to_be_one_seed() {
    let room = room();
    let one = run(
        &room,
        &["--schemes", "dctcp", "--seeds", "3", "--out", "one"],
    )
    .with_status(0);
    let says = "--seeds 3 is one seed, number 3; for 3 seeds write --seeds 1..3\n";
    assert!(one.err.contains(says), "{}", one.err);
    for (given, out) in [("1..3", "a"), ("1-3", "b"), ("1,2,3", "c")] {
        let three = run(
            &room,
            &["--schemes", "dctcp", "--seeds", given, "--out", out],
        )
        .with_status(0);
        assert!(!three.err.contains("one seed"), "{}", three.err);
        assert_eq!(
            room.result(out).0["seeds"],
            serde_json::json!([1, 2, 3]),
            "{given}"
        );
    }
    let single = run(&room, &["--schemes", "dctcp", "--seed", "3", "--out", "d"]).with_status(0);
    assert!(!single.err.contains("one seed"), "{}", single.err);
}

#[test]
fn numbers_are_printed_as_csv_with_their_metrics_names() {
    let room = room();
    let said = run(&room, &["--csv", "--seeds", "1..3", "--out", "r"]).with_status(0);
    let summary = room.result("r").0;
    let lines: Vec<&str> = said.out.lines().collect();
    assert_eq!(lines[0], "scheme,metric,value,ci_low,ci_high,bound,seeds");
    for scheme in ["dctcp", "dibs", "infinite"] {
        let times = &summary["schemes"][scheme]["qct_ms"];
        for (metric, key) in [
            ("qct_p50_ms", "p50"),
            ("qct_p95_ms", "p95"),
            ("qct_p99_ms", "p99"),
        ] {
            let row = lines
                .iter()
                .find(|line| line.starts_with(&format!("{scheme},{metric},")));
            let cells: Vec<&str> = row.expect(metric).split(',').collect();
            assert_eq!(
                cells[2].parse::<f64>().ok(),
                times[key].as_f64(),
                "{cells:?}"
            );
            assert_eq!((cells.len(), cells[6]), (7, "3"), "{cells:?}");
        }
    }
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("dctcp,fct_p95_ms:query,")),
        "{}",
        said.out
    );
    assert!(said.err.contains("result: r\n"), "{}", said.err);
    assert_eq!(
        room.run(&["show", "r", "--csv"]).with_status(0).out,
        said.out
    );
    let every = room
        .run(&["show", "r", "--csv", "--all"])
        .with_status(0)
        .out;
    assert!(
        every.contains("dibs,detours_p99,") && !said.out.contains("detours_p99"),
        "{every}"
    );
    let refused = run(&room, &["--csv", "--json"]).with_status(2).err;
    assert!(
        refused.contains("--csv") && refused.contains("cannot be used with"),
        "{refused}"
    );

    room.file(
        "sweep.toml",
        &format!("{SCENARIO}[sweep]\n\"workload.query.degree\" = [3, 6]\n"),
    );
    let swept = room
        .run(&[
            "run",
            "sweep.toml",
            "--csv",
            "--schemes",
            "dibs",
            "--out",
            "s",
        ])
        .with_status(0);
    let lines: Vec<&str> = swept.out.lines().collect();
    assert_eq!(
        lines[0],
        "workload.query.degree,scheme,metric,value,ci_low,ci_high,bound,seeds"
    );
    assert!(lines[1].starts_with("3,dibs,qct_p99_ms,"), "{}", swept.out);
}

#[test]
fn why_lists_the_slowest_flow_of_a_class_and_the_drops_of_one() {
    let room = room();
    let more = "[workload.others]\nkind = \"incast\"\ndegree = 15\nsize = \"40 kB\"\n";
    room.file("mine/scenario.toml", &format!("{SCENARIO}{more}"));
    run(&room, &["--schemes", "dctcp", "--out", "r"]).with_status(0);
    let why = |more: &[&str]| room.run(&[&["why", "r", "--json"][..], more].concat());
    let read =
        |more: &[&str]| -> Value { serde_json::from_str(&why(more).with_status(0).out).unwrap() };
    let slow = read(&["--class", "others"])["slowest"].clone();
    // The worst of the class is the maximum of its completion times.
    let summary = room.result("r").0;
    let most = summary["schemes"]["dctcp"]["classes"]["others"]["fct_ms"]["max"]
        .as_f64()
        .unwrap();
    let took = slow["took_ps"].as_f64().unwrap() / 1e9;
    assert!((took - most).abs() < 1e-9, "{took} {most}");
    let text = room
        .run(&["why", "r", "--class", "others"])
        .with_status(0)
        .out;
    let says = format!(
        "The slowest flow of class others is flow {}: it took ",
        slow["flow"]
    );
    assert!(text.starts_with(&says), "{text}");
    // Each dropped packet belongs to one of the classes.
    let count = |more: &[&str]| read(more)["packets"].as_array().unwrap().len();
    let both = ["query", "others"].map(|class| count(&["--dropped", "--class", class]));
    assert!(both.iter().all(|n| *n > 0), "{both:?}");
    assert_eq!(both[0] + both[1], count(&["--dropped"]));
    for (args, says) in [
        (
            &["--class", "web"][..],
            "class \"web\": expected one of query, others",
        ),
        (
            &["--class", "query", "--detoured"],
            "no packet of class query was detoured",
        ),
        (&["--class", "query", "--flow", "1"], "cannot be used with"),
    ] {
        let refused = why(args).with_status(2).err;
        assert!(refused.contains(says), "{refused}");
    }
}

/// Returns what bash completes for the last of these words.
fn completed(room: &Room, words: &[&str]) -> Vec<String> {
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let last = words.len() - 1;
    let ask = format!(
        "compopt() {{ :; }}; source complete.bash; COMP_WORDS=({}); COMP_CWORD={last}; \
         _sidestep sidestep {} {}; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        quoted.join(" "),
        quoted[last],
        quoted[last - 1],
    );
    let mut bash = Command::new("bash");
    bash.args(["-c", &ask]).current_dir(room.path());
    let done = Done::of(bash.output().unwrap()).with_status(0);
    done.out.lines().map(str::to_string).collect()
}

#[test]
fn bash_completes_scenarios_figures_kinds_schemes_and_keys() {
    if Command::new("bash").arg("--version").output().is_err() {
        return common::skip("skipped: no bash");
    }
    let room = Room::new();
    room.file(
        "complete.bash",
        &room.run(&["completions", "bash"]).with_status(0).out,
    );
    let of = |words: &[&str]| completed(&room, &[&["sidestep"][..], words].concat());
    assert_eq!(of(&["run", "quick"]), ["quickstart"]);
    assert_eq!(of(&["check", "quick"]), ["quickstart"]);
    assert!(of(&["run", "dibs/fig0"]).contains(&"dibs/fig08".to_string()));
    assert_eq!(of(&["run", "--schemes", "vertigo-s"]), ["vertigo-switches"]);
    assert_eq!(
        of(&["run", "--schemes", "dctcp,tcp,vertigo-s"]),
        ["dctcp,tcp,vertigo-switches"]
    );
    assert!(of(&["run", "--schemes", "dctcp,"]).contains(&"dctcp,dibs".to_string()));
    assert_eq!(of(&["list", "topo"]), ["topologies"]);
    assert!(of(&["reproduce", "dibs"]).contains(&"dibs/fig08".to_string()));
    assert_eq!(
        of(&["run", "quickstart", "--set", "transport.rto_mi"]),
        ["transport.rto_min="]
    );
    assert_eq!(
        of(&["run", "quickstart", "--set", "workload.query.deg"]),
        ["workload.query.degree="]
    );
    // A path is left to bash.
    assert_eq!(of(&["run", "mine/"]), [""]);
}

#[test]
fn zsh_and_fish_complete_names_beside_files() {
    let script = |shell| Room::new().run(&["completions", shell]).with_status(0).out;
    let zsh = script("zsh");
    assert!(
        zsh.contains("{_alternative \"names:name:(quickstart "),
        "{zsh}"
    );
    assert!(zsh.contains("{compadd -S \"\" -- "), "{zsh}");
    let fish = script("fish");
    let run = "complete -c sidestep -n \"__fish_sidestep_using_subcommand run\" -a \"quickstart ";
    let up = "complete -c sidestep -n \"__fish_sidestep_using_subcommand testbed; and __fish_seen_subcommand_from up\" -a \"";
    assert!(fish.contains(run) && fish.contains(up), "{fish}");
}
