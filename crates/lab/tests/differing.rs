//! `[switch.at.NAME]`: the switches it selects, the precedence of values, and its effect everywhere.

use sidestep_lab::{Experiment, Scenario, Setting, Watch, run};
use sidestep_sim::{NoFiles, Outcome, SwitchConfig, TraceFilter};
use sidestep_switch::Capacity;
use sidestep_types::{Size, Value};

/// Scenario with four pods and two schemes, one of them defined in the scenario.
const BASE: &str = r#"
duration = "2 ms"
schemes = ["mine", "dctcp"]
[topology]
kind = "fat_tree"
k = 4
[workload.query]
kind = "incast"
degree = 12
size = "40 kB"
[scheme.mine]
[scheme.mine.switch]
capacity = "20 pkt"
buffer = { kind = "dibs", mark_at = "8 pkt" }
[scheme.mine.transport]
kind = "dctcp"
fast_retransmit = "off"
"#;

fn said(more: &str, sets: &[&str]) -> Result<Scenario, String> {
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    Scenario::read("a.toml", &format!("{BASE}{more}"), &sets, &NoFiles)
        .map_err(|problems| problems.iter().map(|p| format!("{p}\n")).collect())
}

fn read(more: &str, sets: &[&str]) -> Scenario {
    said(more, sets).unwrap_or_else(|problems| panic!("{problems}"))
}

/// Returns the configuration of the switch called `name` under a scheme.
fn switch<'a>(scenario: &'a Scenario, scheme: usize, name: &str) -> &'a SwitchConfig {
    let mut all = scenario.network.switches.iter();
    let number = all.position(|info| info.name == name).expect("a switch");
    let config = &scenario.schemes[scheme].config;
    config.others.kind(&config.switch, number)
}

fn packets(n: u64) -> Capacity {
    Capacity::PerPort(Size::Packets(n))
}

fn mark_at(switch: &SwitchConfig) -> Option<&Value> {
    switch.buffer.get("mark_at")
}

fn setting<'a>(scenario: &'a Scenario, scheme: &str, key: &str) -> Option<(&'a str, &'a str)> {
    let of = |s: &&Setting| s.scheme.as_deref() == Some(scheme) && s.key == key;
    let found = scenario.settings().iter().find(of)?;
    Some((&found.value, &found.source))
}

fn ran(scenario: &Scenario, scheme: usize) -> Outcome {
    let ran = run(scenario, scheme, 1, TraceFilter::None, &mut |_| Watch::Go);
    ran.expect("a run").outcome
}

#[test]
fn a_tier_or_a_switch_has_its_own_and_inherits_the_rest() {
    let more = "[scheme.mine.switch.at.core]\nbuffer = \"ecn\"\n\
                [scheme.mine.switch.at.agg]\nbuffer = \"dibs\"\n\
                [scheme.mine.switch.at.\"edge 0.1\"]\nbuffer = { mark_at = \"5 pkt\" }\ncapacity = \"30 pkt\"\n\
                [source]\n\"scheme.mine.switch.at.core.buffer\" = \"a paper\"\n";
    let scenario = read(more, &[]);
    let of = |name| {
        let switch = switch(&scenario, 0, name);
        (
            switch.buffer.name(),
            mark_at(switch).unwrap().clone(),
            switch.capacity,
        )
    };
    let mark = |n| Value::Size(Size::Packets(n));
    // Values of [switch]; a policy with its own defaults; a parameter of the policy of [switch].
    assert_eq!(of("edge 0.0"), ("dibs", mark(8), packets(20)));
    assert_eq!(of("agg 0.0"), ("dibs", mark(20), packets(20)));
    assert_eq!(of("core 3"), ("ecn", mark(20), packets(20)));
    assert_eq!(of("edge 0.1"), ("dibs", mark(5), packets(30)));
    assert_eq!(scenario.schemes[1].config.others.kinds, []);
    let said = |key| setting(&scenario, "mine", key);
    assert_eq!(
        said("switch.at.core.buffer"),
        Some(("ecn", "paper: a paper"))
    );
    assert!(
        said("switch.at.core.buffer.mark_at")
            .unwrap()
            .1
            .starts_with("default: ")
    );
    assert_eq!(said("switch.at.core.capacity"), None);
    assert_eq!(said("switch.at.\"edge 0.1\".buffer"), None);
    let own = said("switch.at.\"edge 0.1\".buffer.mark_at");
    assert_eq!(own, Some(("5 pkt", "scenario file")));
}

#[test]
fn layers_of_a_name_win_key_by_key_over_each_other_and_over_all_of_switch() {
    let more = "[switch.at.core]\ncapacity = \"50 pkt\"\nbuffer = \"red\"\n\
                [scheme.mine.switch.at.core]\nbuffer = \"droptail\"\n";
    let scenario = read(more, &["switch.capacity=60 pkt"]);
    let of = |scheme| {
        let switch = switch(&scenario, scheme, "core 0");
        (switch.buffer.name(), switch.capacity)
    };
    assert_eq!(of(0), ("droptail", packets(50)));
    assert_eq!(of(1), ("red", packets(50)));
    assert_eq!(switch(&scenario, 0, "agg 0.0").capacity, packets(60));
    let sets = [
        "switch.at.core.buffer=trim",
        "switch.at.core.sched=priority",
        "scheme.mine.switch.at.\"core 0\"={capacity=\"9 pkt\", buffer=\"trim\", sched=\"priority\"}",
        "scheme.mine.switch.at.core.capacity=9 pkt",
    ];
    let scenario = read(more, &sets);
    assert_eq!(switch(&scenario, 0, "core 0").capacity, packets(9));
    assert_eq!(switch(&scenario, 0, "core 0").sched.name(), "priority");
    assert_eq!(switch(&scenario, 1, "core 0").buffer.name(), "trim");
    assert_eq!(
        setting(&scenario, "mine", "switch.at.core.capacity"),
        Some(("9 pkt", "user: --set"))
    );
}

#[test]
fn a_switch_with_too_few_ports_is_named() {
    let text = BASE
        .replace(
            "kind = \"fat_tree\"\nk = 4",
            "kind = \"linear\"\nswitches = 5",
        )
        .replace("degree = 12", "degree = 3")
        + "[scheme.mine.switch.at.\"switch 4\"]\nroute = { kind = \"power-of-two\", choices = 4 }\n";
    let error = Scenario::read("a.toml", &text, &[], &NoFiles)
        .err()
        .expect("refused");
    let said: Vec<String> = error.iter().map(|p| p.to_string()).collect();
    let expected = "a.toml:19:44: switch.at.\"switch 4\".route: switch \"switch 4\": choices must \
                    be at most 3, the number of ports of the switch, got 4";
    assert_eq!(said, [expected]);
    let sets = [
        "switch.route=power-of-two".into(),
        "switch.route.choices=4".into(),
    ];
    let text = text.replace("[scheme.mine.switch.at.\"switch 4\"]\nroute", "# route");
    let error = Scenario::read("a.toml", &text, &sets, &NoFiles)
        .err()
        .expect("refused");
    let said = error[0].to_string();
    assert!(
        said.contains("switch.route: switch \"switch 0\": choices must be at most"),
        "{said}"
    );
}

#[test]
fn warnings_say_at_which_switches() {
    let warned = |more: &str, sets: &[&str], words: &str| -> Vec<String> {
        let all = read(more, sets).warnings();
        all.into_iter().filter(|w| w.contains(words)).collect()
    };
    let core = "[scheme.mine.switch.at.core]\n";
    let edges = "[scheme.mine.switch.at.edge]\nbuffer = \"droptail\"\n\
                 [scheme.mine.switch.at.agg]\nbuffer = \"droptail\"\n";
    let sets = [
        "scheme.mine.transport.kind=newreno",
        "scheme.mine.transport.fast_retransmit=3",
    ];
    let starts = |words: &str, all: &[String]| {
        assert_eq!(all.len(), 1, "{all:?}");
        assert!(
            all[0].starts_with(&format!("scheme mine: {words}")),
            "{all:?}"
        );
    };
    starts(
        "at core: the transport reacts",
        &warned(
            &format!("{core}buffer = \"droptail\"\n"),
            &[],
            "marks no packets",
        ),
    );
    starts(
        "at core: mark_at",
        &warned(
            &format!("{core}capacity = \"8 pkt\"\n"),
            &[],
            "is not below",
        ),
    );
    starts(
        "at core: an unlimited",
        &warned(
            &format!("{core}capacity = \"unlimited\"\n"),
            &[],
            "is ever detoured",
        ),
    );
    starts(
        "detours prevent",
        &warned(
            &format!("{core}buffer = \"droptail\"\n"),
            &sets,
            "prevent losses",
        ),
    );
    let there = format!("{edges}{core}buffer = \"dibs\"\n");
    starts(
        "at core: detours prevent",
        &warned(&there, &sets, "prevent losses"),
    );
    starts(
        "at core: detours reorder",
        &warned(&there, &sets, "treats packets later than"),
    );
    starts(
        "switch.buffer has no effect",
        &warned(&there, &[], "for every switch of the network"),
    );
    let some = format!("{edges}{core}buffer = {{ mark_at = \"9 pkt\" }}\n");
    assert_eq!(warned(&some, &[], "no effect"), [""; 0]);
    // A core has one path to each pod: a route there has no choice.
    let route = "[scheme.mine.switch.at.edge]\nroute = \"spray-random\"\n";
    starts(
        "at edge: route",
        &warned(
            route,
            &["scheme.mine.switch.buffer=ecn", sets[1]],
            "reorders packets",
        ),
    );
}

#[test]
fn what_says_the_same_runs_the_same_and_what_differs_differs() {
    let plain = read("", &[]);
    let same = "[scheme.mine.switch.at.core]\ncapacity = \"20 pkt\"\nbuffer = { kind = \"dibs\", mark_at = \"8 pkt\" }\n\
                [scheme.mine.switch.at.\"edge 0.0\"]\nsched = \"fifo\"\n";
    let same = read(same, &[]);
    assert_eq!(same.schemes[0].config.others.kinds.len(), 2);
    let hash = |scenario| ran(scenario, 0).trajectory_hash;
    assert_eq!(hash(&same), hash(&plain));
    let other = read("[scheme.mine.switch.at.edge]\nbuffer = \"ecn\"\n", &[]);
    assert_ne!(hash(&other), hash(&plain));
    // The counts show the effect of the edge switch: it no longer detours.
    let (outcome, detours) = (ran(&other, 0), ran(&plain, 0).totals.detours);
    assert!(outcome.totals.detours < detours && detours > 0);
    assert_ne!(plain.identity(0), same.identity(0));
    assert_eq!(plain.identity(1), same.identity(1));
}

#[test]
fn it_reads_back_as_itself() {
    let more = "[switch.at.core]\ncapacity = \"shared\"\nmemory = \"1 MB\"\n\
                [scheme.mine.switch.at.\"edge 0.1\"]\nbuffer = { mark_at = \"5 pkt\" }\n\
                [scheme.dctcp.switch.at.agg]\nbuffer = { kind = \"red\", min = \"9 pkt\" }\nroute = \"single\"\n";
    let scenario = read(more, &[]);
    let again = Scenario::read("b.toml", &scenario.to_toml(), &[], &NoFiles);
    let again = again.unwrap_or_else(|problems| panic!("{problems:#?}\n{}", scenario.to_toml()));
    assert_eq!(again.settings(), scenario.settings());
    for (one, two) in again.schemes.iter().zip(scenario.schemes.iter()) {
        assert_eq!(one.config, two.config);
    }
}

/// Returns the switches at every point of an experiment as read, and as read back after writing.
fn points(sweep: &str, sets: &[&str]) -> Vec<Vec<SwitchConfig>> {
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    let read = |text: &str, sets: &[String]| {
        let read = Experiment::read("a.toml", text, sets, false, &NoFiles);
        read.unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"))
    };
    let switches = |experiment: &Experiment| -> Vec<Vec<SwitchConfig>> {
        let of = |scenario: &Scenario| {
            let config = &scenario.schemes[0].config;
            let all = 0..scenario.network.switches.len();
            all.map(|s| config.others.kind(&config.switch, s).clone())
                .collect()
        };
        experiment.points.iter().map(|p| of(&p.scenario)).collect()
    };
    let experiment = read(&format!("{BASE}{sweep}"), &sets);
    let again = read(&experiment.to_toml(), &[]);
    assert_eq!(
        switches(&experiment),
        switches(&again),
        "{}",
        experiment.to_toml()
    );
    switches(&experiment)
}

#[test]
fn it_is_swept_by_its_key_and_by_a_word() {
    let of = |point: &[SwitchConfig]| {
        let core = point.last().expect("a core");
        (
            core.buffer.name().to_string(),
            mark_at(core).cloned(),
            point[0].capacity,
        )
    };
    let keys = points(
        "[sweep]\n\"switch.at.core.buffer\" = [\"ecn\", \"droptail\"]\n'switch.at.\"edge 0.0\".capacity' = [\"30 pkt\"]\n",
        &[],
    );
    let mark = Some(Value::Size(Size::Packets(20)));
    assert_eq!(of(&keys[0]), ("ecn".into(), mark.clone(), packets(30)));
    assert_eq!(of(&keys[1]), ("droptail".into(), None, packets(30)));
    // A key axis as tables, and one value that is set.
    let tables = points(
        "[sweep.switch.at.\"edge 0.0\"]\ncapacity = [\"30 pkt\", \"40 pkt\"]\n",
        &["switch.at.\"edge 0.0\".capacity=40 pkt"],
    );
    assert_eq!(tables.len(), 1);
    assert_eq!(of(&tables[0]).2, packets(40));
    // A setting that some points lack must not be left over at them.
    for order in [["mixed", "plain"], ["plain", "mixed"]] {
        let value = |word| match word {
            "mixed" => {
                "{ is = \"mixed\", \"switch.at.core\" = { buffer = \"ecn\" }, 'switch.at.\"edge 0.0\".capacity' = \"7 pkt\" }"
            }
            _ => "{ is = \"plain\" }",
        };
        let sweep = format!(
            "[sweep]\ncore = [{}, {}]\n",
            value(order[0]),
            value(order[1])
        );
        let all = points(&sweep, &[]);
        let mixed = usize::from(order[1] == "mixed");
        assert_eq!(of(&all[mixed]), ("ecn".into(), mark.clone(), packets(7)));
        assert_eq!(of(&all[1 - mixed]).0, "dibs");
        assert_eq!(of(&all[1 - mixed]).2, packets(20));
    }
    // A policy at one point, parameters alone at the other.
    let all = points(
        "[sweep]\ncore = [{ is = \"a\", \"switch.at.core.buffer\" = \"ecn\" }, { is = \"b\", \"switch.at.core.buffer.mark_at\" = \"3 pkt\" }]\n",
        &[],
    );
    assert_eq!(of(&all[0]).0, "ecn");
    assert_eq!(
        (of(&all[1]).0.as_str(), of(&all[1]).1),
        ("dibs", Some(Value::Size(Size::Packets(3))))
    );
}

#[test]
fn each_switch_of_a_testbed_gets_its_own_lines() {
    let scenario = read("[scheme.mine.switch.at.core]\nbuffer = \"ecn\"\n", &[]);
    let core = scenario.network.switches.len() - 1;
    let (edge, core) = (
        scenario.decision_toml(0, 0),
        scenario.decision_toml(0, core),
    );
    assert!(edge.contains("buffer = { kind = \"dibs\", "), "{edge}");
    assert!(
        core.contains("buffer = { kind = \"ecn\", mark_at = \"20 pkt\" }"),
        "{core}"
    );
    assert!(core.contains("capacity = \"20 pkt\""), "{core}");
}
