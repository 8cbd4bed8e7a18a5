//! Profiles: the profile of a scheme, values of it that give way, and refusals.

use sidestep_lab::{Experiment, PROFILE_NAMES, Scenario, Setting, shipped};
use sidestep_sim::{Files, NoFiles};

const TEXT: &str = r#"
duration = "1 ms"
schemes = ["dctcp", "own"]
[topology]
kind = "single_switch"
hosts = 4
[workload.query]
kind = "incast"
degree = 3
size = "20 kB"
[scheme.own]
summary = "of the scenario alone"
"#;

fn read(text: &str, sets: &[&str]) -> Result<Scenario, Vec<String>> {
    let sets: Vec<String> = sets.iter().map(ToString::to_string).collect();
    let read = Scenario::read("a.toml", text, &sets, &NoFiles);
    read.map_err(|problems| problems.iter().map(ToString::to_string).collect())
}

/// Returns value and source of `key` under `scheme`.
fn said(scenario: &Scenario, scheme: &str, key: &str) -> (String, String) {
    let of = |s: &&Setting| s.scheme.as_deref() == Some(scheme) && s.key == key;
    let found = scenario.settings().iter().find(of);
    let found = found.unwrap_or_else(|| panic!("no {key} of {scheme:?}"));
    (found.value.clone(), found.source.clone())
}

/// Returns the values of `keys` of `[transport]` under the scheme `dctcp`.
fn of_dctcp<const N: usize>(text: &str, sets: &[&str], keys: [&str; N]) -> [String; N] {
    let scenario = read(text, sets).unwrap_or_else(|problems| panic!("{problems:#?}"));
    keys.map(|key| said(&scenario, "dctcp", &format!("transport.{key}")).0)
}

const LOSSES: [&str; 3] = ["recovery", "loss_detection", "tail_loss_probe"];

#[test]
fn a_scheme_has_the_senders_of_linux_unless_something_names_another() {
    let scenario = read(TEXT, &[]).expect("it reads");
    for scheme in ["dctcp", "own"] {
        let of = |key| said(&scenario, scheme, key);
        let default = "default: senders of today".to_string();
        assert_eq!(of("profile"), ("linux".into(), default));
        let (value, source) = of("transport.loss_detection");
        assert_eq!(value, "rack");
        assert!(
            source.starts_with("profile linux: Linux since 6.17"),
            "{source}"
        );
    }
}

#[test]
fn each_layer_names_another_profile() {
    let none = ["newreno", "duplicates", "false"].map(String::from);
    let linux = ["sack", "rack", "true"].map(String::from);
    let of_all = format!("profile = \"none\"\n{TEXT}");
    let of_one = format!("{of_all}[scheme.dctcp]\nprofile = \"linux\"\n");
    assert_eq!(of_dctcp(TEXT, &[], LOSSES), linux);
    assert_eq!(of_dctcp(&of_all, &[], LOSSES), none);
    assert_eq!(of_dctcp(&of_one, &[], LOSSES), linux);
    assert_eq!(of_dctcp(&of_one, &["profile=none"], LOSSES), none);
    let one = "scheme.dctcp.profile=linux";
    assert_eq!(of_dctcp(&of_all, &[one], LOSSES), linux);
    assert_eq!(of_dctcp(&of_all, &["profile=linux"], LOSSES), linux);
    assert_eq!(of_dctcp(&of_all, &[one, "profile=none"], LOSSES), none);
}

/// The file of a scheme may choose a profile as well, which wins over the scenario's.
#[test]
fn the_file_of_a_scheme_may_name_its_profile() {
    struct Old;
    impl Files for Old {
        fn read(&self, path: &str) -> Result<String, String> {
            match path {
                "./old.toml" => Ok("profile = \"none\"\n[transport]\nkind = \"dctcp\"\n".into()),
                _ => Err("no such file".into()),
            }
        }
    }
    let text = TEXT.replace("\"dctcp\", \"own\"", "\"dctcp\", \"./old.toml\"");
    let text = text.split("[scheme.own]").next().expect("a first part");
    let text = format!("profile = \"linux\"\n{text}");
    let read = Scenario::read("a.toml", &text, &[], &Old);
    let scenario = read.unwrap_or_else(|problems| panic!("{problems:#?}"));
    let old = said(&scenario, "old", "profile");
    assert_eq!(old, ("none".into(), "scheme old".into()));
    assert_eq!(said(&scenario, "old", "transport.recovery").0, "newreno");
    assert_eq!(said(&scenario, "dctcp", "transport.recovery").0, "sack");
}

#[test]
fn every_value_of_a_profile_has_a_source_and_reaches_a_scheme() {
    assert_eq!(PROFILE_NAMES, ["linux", "none"]);
    let text = shipped::profile("linux").expect("it is shipped");
    let (values, sources) = text.split_once("[source]").expect("it has sources");
    let (_, values) = values.split_once("[transport]").expect("it has values");
    let scenario = read(TEXT, &[]).expect("it reads");
    let mut reached = 0;
    for line in values.lines().filter(|line| !line.is_empty()) {
        let (key, value) = line.split_once(" = ").expect("a value");
        assert!(
            sources.contains(&format!("\"transport.{key}\" = ")),
            "{key}"
        );
        // RACK leaves limited transmit without an effect.
        if key != "limited_transmit" {
            let got = said(&scenario, "dctcp", &format!("transport.{key}")).0;
            assert_eq!(got, value.trim_matches('"'), "{key}");
            reached += 1;
        }
    }
    assert!(reached >= 12, "{reached}");
}

#[test]
fn a_value_gives_way_where_it_would_be_refused_or_have_no_effect() {
    let recovery = format!("{TEXT}[transport]\nrecovery = \"newreno\"\n");
    let keys = [
        "loss_detection",
        "tail_loss_probe",
        "frto",
        "dsack",
        "undo",
        "rto_estimator",
    ];
    let left = ["duplicates", "false", "false", "false", "false", "linux"];
    assert_eq!(of_dctcp(&recovery, &[], keys), left);
    let stands = of_dctcp(TEXT, &["transport.measured_round_trip=off"], LOSSES);
    assert_eq!(
        stands,
        ["sack", "rack", "false"],
        "no round trip, so no probe"
    );
    let off = of_dctcp(TEXT, &["transport.fast_retransmit=off"], LOSSES);
    assert_eq!(off, ["sack", "duplicates", "false"]);
    // The same holds for a workload that sets its own transport.
    let swift = read(TEXT, &["workload.query.transport=swift"]).expect("it reads");
    let own = |key| said(&swift, "dctcp", &format!("workload.query.transport.{key}")).0;
    assert_eq!(
        [own("recovery"), own("loss_detection")],
        ["sack", "duplicates"]
    );
    assert_eq!(said(&swift, "dctcp", "transport.loss_detection").0, "rack");
    // An agent below the sender counts duplicates, which SACK replaces.
    let agent = of_dctcp(TEXT, &["host.shims=agent-droptail"], LOSSES);
    assert_eq!(agent, ["newreno", "duplicates", "false"]);
    // A transport that uses no value of the profile warns only of values that a user gives.
    let pfabric = read(&TEXT.replace("dctcp", "pfabric"), &[]).expect("it reads");
    let idle = pfabric
        .warnings()
        .into_iter()
        .filter(|w| w.contains("no effect"));
    assert_eq!(idle.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn what_a_user_says_is_refused_and_gives_no_way() {
    let rack = read(
        TEXT,
        &[
            "transport.loss_detection=rack",
            "transport.recovery=newreno",
        ],
    );
    let problems = rack.err().expect("RACK needs SACK").join("\n");
    assert!(problems.contains("needs recovery = \"sack\""), "{problems}");
}

#[test]
fn an_unknown_profile_is_refused_where_it_stands() {
    for (text, sets, place) in [
        (
            format!("profile = \"linus\"\n{TEXT}"),
            &[][..],
            "a.toml:1:11: ",
        ),
        (
            TEXT.to_string(),
            &["scheme.dctcp.profile=linus"][..],
            "scheme.dctcp.profile=linus",
        ),
    ] {
        let problems = read(&text, sets).err().expect("it is unknown").join("\n");
        assert!(problems.contains(place), "{problems}");
        assert!(problems.contains("did you mean \"linux\"?"), "{problems}");
    }
}

#[test]
fn a_claim_names_the_profile_that_it_was_made_for_in_place_of_all_its_values() {
    let claim = "[[claim]]\nid = \"a\"\nsays = \"b\"\nmetric = \"qct_p99_ms\"\ncompare = \"dctcp\"\n\
                 paper = \"no number\"\naccept = \"..1\"\ntolerance = \"c\"\ngap = \"none\"\n";
    let text = format!("{TEXT}{claim}");
    let made = |sets: &[&str]| {
        let sets: Vec<String> = sets.iter().map(ToString::to_string).collect();
        let read = Experiment::read("a.toml", &text, &sets, false, &NoFiles);
        let read = read.unwrap_or_else(|problems| panic!("{problems:#?}"));
        read.points[0].scenario.claims[0].not_judged.clone()
    };
    assert_eq!(made(&[]), None);
    assert_eq!(made(&["profile=linux"]), None);
    let linux = Some("made for profile = linux".to_string());
    assert_eq!(made(&["profile=none"]), linux);
    assert_eq!(made(&["scheme.dctcp.profile=none"]), linux);
    let both = made(&[
        "scheme.own.profile=none",
        "scheme.dctcp.transport.dsack=false",
    ]);
    let both = both.expect("two things are others");
    assert!(
        both.contains("transport.dsack = true") && both.contains("profile = linux"),
        "{both}"
    );
    assert!(!both.contains("recovery"), "{both}");
}
