//! Workloads with their own transports: precedence of values, warnings, and results of runs.

use sidestep_lab::cut::cut;
use sidestep_lab::run_cut;
use sidestep_lab::{Run, Scenario, Session, Setting, Watch, checkpoint, run};
use sidestep_sim::parts::SequentialCrew;
use sidestep_sim::{Files, TraceFilter};
use sidestep_types::Time;
use std::sync::Arc;

/// Lists of flows of two classes: three each to host 0, one each to the other leaf.
struct Lists;

impl Files for Lists {
    fn read(&self, path: &str) -> Result<String, String> {
        match path {
            "two.csv" => {
                Ok("start,src,dst,size,class\n0 us,1,0,300 kB,a\n0 us,2,0,300 kB,b\n".into())
            }
            _ => Err("no such file".into()),
        }
    }
}

/// Four long flows of each workload to one host behind a switch that marks.
const BESIDE: &str = r#"
duration = "100 ms"
schemes = ["dctcp"]
[topology]
kind = "single_switch"
hosts = 9
[workload.old]
kind = "long"
between = "to_host"
target = 0
flows = 4
[workload.new]
kind = "long"
between = "to_host"
target = 0
flows = 4
"#;

fn read(text: &str, sets: &[&str]) -> Scenario {
    let sets: Vec<String> = sets.iter().map(ToString::to_string).collect();
    let read = Scenario::read("a.toml", text, &sets, &Lists);
    read.unwrap_or_else(|problems| panic!("{problems:#?}"))
}

/// Reads [`BESIDE`] with `more` at its end.
fn beside(more: &str, sets: &[&str]) -> Scenario {
    read(&format!("{BESIDE}{more}"), sets)
}

/// Returns value and source of `key` under `scheme`.
fn said<'a>(scenario: &'a Scenario, scheme: &str, key: &str) -> (&'a str, &'a str) {
    let of = |s: &&Setting| s.scheme.as_deref() == Some(scheme) && s.key == key;
    let found = scenario.settings().iter().find(of);
    let found = found.unwrap_or_else(|| panic!("no {key} of {scheme:?}"));
    (&found.value, &found.source)
}

fn kinds(scenario: &Scenario, scheme: usize) -> Vec<&'static str> {
    let config = &scenario.schemes[scheme].config;
    [0, 1].map(|class| config.transport_of(class).name()).into()
}

fn whole(scenario: &Scenario) -> Run {
    run(scenario, 0, 1, TraceFilter::None, &mut |_| Watch::Go).expect("a run")
}

/// Returns the delivered bytes of workload number `class`, over those of all.
fn share(run: &Run, class: u8) -> f64 {
    let bytes = |flows: &dyn Fn(u8) -> bool| -> u64 {
        let all = run.plan.flows.iter().zip(&run.outcome.flows);
        let own = all.filter(|(flow, _)| flows(flow.class));
        own.map(|(_, seen)| seen.delivered_bytes).sum()
    };
    bytes(&|of| of == class) as f64 / bytes(&|_| true) as f64
}

#[test]
fn a_workload_s_own_keys_win_over_those_of_the_scheme_and_of_all() {
    let own = "transport = { kind = \"newreno\", rto_min = \"3 ms\" }\n[transport]\nrto_min = \"2 ms\"\n\
               rto_initial = \"7 ms\"\n[scheme.dctcp.transport]\ndelayed_ack = \"1 ms\"\n";
    let scenario = beside(own, &["transport.rto_min=1 ms"]);
    assert_eq!(kinds(&scenario, 0), ["dctcp", "newreno"]);
    let of = |key: &str| said(&scenario, "dctcp", key);
    assert_eq!(
        of("workload.new.transport.kind"),
        ("newreno", "scenario file")
    );
    assert_eq!(
        of("workload.new.transport.rto_min"),
        ("3 ms", "scenario file")
    );
    assert_eq!(
        of("workload.new.transport.rto_initial"),
        ("7 ms", "scenario file")
    );
    assert_eq!(
        of("workload.new.transport.delayed_ack"),
        ("1 ms", "scenario file")
    );
    assert_eq!(of("transport.rto_min"), ("1 ms", "user: --set"));
    // A key that the workload does not set comes from the scheme's [transport], although the kinds differ. A
    // key that the workload's kind does not use is no error.
    let (recovery, source) = of("workload.new.transport.recovery");
    assert_eq!((recovery, source), of("transport.recovery"));
    let config = &scenario.schemes[0].config;
    let rto = |class| config.transport_of(class).tcp().expect("TCP").rto.min;
    assert_eq!([0, 1].map(rto), [Time::from_ms(1), Time::from_ms(3)]);
}

#[test]
fn a_name_and_a_table_with_a_kind_are_the_same_and_may_be_cited() {
    let name = beside(
        "transport = \"newreno\"\n[source]\n\"workload.new.transport\" = \"RFC 6582\"\n",
        &[],
    );
    let table = "transport = { kind = \"newreno\" }\n[source]\n\"workload.new.transport.kind\" = \"RFC 6582\"\n";
    let table = beside(table, &[]);
    let set = beside("", &["workload.new.transport=newreno"]);
    let whole = beside("", &["workload.new.transport.kind=newreno"]);
    let key = "workload.new.transport.kind";
    for scenario in [&name, &table] {
        assert_eq!(said(scenario, "dctcp", key), ("newreno", "paper: RFC 6582"));
    }
    for scenario in [&set, &whole] {
        assert_eq!(said(scenario, "dctcp", key), ("newreno", "user: --set"));
    }
    for scenario in [&table, &set, &whole] {
        assert_eq!(scenario.schemes[0].config, name.schemes[0].config);
        assert_eq!(scenario.identity(0), name.identity(0));
    }
}

#[test]
fn a_scheme_may_say_it_of_a_workload_otherwise() {
    let more = "transport = \"newreno\"\n[scheme.swift]\ntransport = { kind = \"swift\" }\n\
                [scheme.swift.workload.new]\ntransport = { ecn = true }\n[scheme.swift.workload.old]\n\
                transport = \"dctcp\"\n";
    let scenario = beside(more, &["schemes=dctcp, swift"]);
    assert_eq!(kinds(&scenario, 0), ["dctcp", "newreno"]);
    assert_eq!(kinds(&scenario, 1), ["dctcp", "newreno"]);
    assert_eq!(scenario.schemes[1].config.transport.name(), "swift");
    let ecn = |scheme| said(&scenario, scheme, "workload.new.transport.ecn").0;
    assert_eq!(["dctcp", "swift"].map(ecn), ["false", "true"]);
}

#[test]
fn a_parameter_of_all_reaches_a_workload_whose_kind_alone_takes_it() {
    let scenario = beside("transport = \"mptcp\"\n[transport]\nsubflows = 3\n", &[]);
    assert_eq!(
        said(&scenario, "dctcp", "workload.new.transport.subflows").0,
        "3"
    );
    let without = Scenario::read(
        "a.toml",
        &format!("{BESIDE}[transport]\nsubflows = 3\n"),
        &[],
        &Lists,
    );
    let why = without
        .err()
        .expect("no scheme and no workload has subflows");
    assert!(
        why[0].to_string().contains("has no setting \"subflows\""),
        "{why:?}"
    );
}

#[test]
fn what_is_resolved_reads_back_as_the_same() {
    let more = "transport = { kind = \"newreno\", rto_min = \"3 ms\" }\n[transport]\ndctcp_gain = \"1/8\"\n\
                [scheme.reno.switch]\nbuffer = \"ecn\"\n[scheme.reno.transport]\nkind = \"newreno\"\n\
                [scheme.reno.workload.old]\ntransport = \"dctcp\"\n[source]\n\"workload.new.transport.rto_min\" = \"a paper\"\n";
    let scenario = beside(more, &["schemes=dctcp, reno"]);
    assert_eq!(
        said(&scenario, "reno", "workload.old.transport.dctcp_gain").0,
        "1/8"
    );
    let text = scenario.to_toml();
    let again = read(&text, &[]);
    for scheme in 0..2 {
        assert_eq!(
            again.schemes[scheme].config,
            scenario.schemes[scheme].config
        );
        assert_eq!(again.identity(scheme), scenario.identity(scheme), "{text}");
    }
    assert_eq!(again.settings(), scenario.settings(), "{text}");
    assert_eq!(again.to_toml(), text);
}

#[test]
fn a_scenario_that_names_none_has_no_setting_of_it() {
    let scenario = beside("", &[]);
    let said = scenario
        .settings()
        .iter()
        .any(|s| s.key.contains("new.transport"));
    assert!(!said);
    assert!(scenario.schemes[0].config.transports.own.is_empty());
}

#[test]
fn the_transport_of_a_workload_is_an_axis_of_a_sweep() {
    let axis = "[sweep]\n\"workload.new.transport\" = [\"dctcp\", \"newreno\"]\n";
    let more = "[sweep]\nmix = [{ is = \"alone\" }, { is = \"beside\", \"workload.new.transport\" = \"newreno\" }]\n";
    // A resolved sweep writes its first point in full: keys that other points lack must not be in it.
    let first = "[sweep]\nmix = [{ is = \"beside\", \"workload.new.transport\" = \"newreno\" }, { is = \"alone\" }]\n";
    let apart = ["dctcp", "newreno"];
    let alike = ["dctcp", "dctcp"];
    for (text, expected) in [
        (axis, [alike, apart]),
        (more, [alike, apart]),
        (first, [apart, alike]),
    ] {
        let text = format!("{BESIDE}{text}");
        let read = |text: &str| {
            let read = sidestep_lab::Experiment::read("a.toml", text, &[], false, &Lists);
            read.unwrap_or_else(|problems| panic!("{problems:#?}"))
        };
        let experiment = read(&text);
        let kinds = |experiment: &sidestep_lab::Experiment| -> Vec<_> {
            let points = experiment.points.iter();
            points.map(|point| kinds(&point.scenario, 0)).collect()
        };
        assert_eq!(kinds(&experiment), expected);
        let again = read(&experiment.to_toml());
        assert_eq!(kinds(&again), expected, "{}", experiment.to_toml());
        for (point, other) in experiment.points.iter().zip(&again.points) {
            let configs = [point, other].map(|point| &point.scenario.schemes[0].config);
            assert_eq!(configs[0], configs[1]);
        }
    }
}

/// Returns the warnings about transports.
fn warned(scenario: &Scenario) -> Vec<String> {
    scenario
        .warnings()
        .into_iter()
        .filter(|w| !w.contains("in the sender's own NIC"))
        .collect()
}

#[test]
fn warnings_ask_the_transport_of_each_workload() {
    let one = beside("transport = \"pfabric\"\n", &[]);
    assert_eq!(
        warned(&one),
        [
            "scheme dctcp: workload new: transport pfabric sends at line rate until a timeout and \
             relies on switches that drop the packets with the most bytes left to send; buffer \
             \"ecn\" does not (SIGCOMM 2013)"
        ]
    );
    let silent = beside("transport = \"newreno\"\n", &["switch.buffer=droptail"]);
    assert_eq!(
        warned(&silent),
        [
            "scheme dctcp: workload old: the transport reacts to marks, but buffer \"droptail\" as \
             set marks no packets"
        ]
    );
    // A warning that holds for all workloads is given once, without names.
    let both = beside(
        "transport = { rto_min = \"3 ms\" }\n",
        &["switch.buffer=droptail"],
    );
    assert_eq!(
        warned(&both),
        [
            "scheme dctcp: the transport reacts to marks, but buffer \"droptail\" as set marks no \
             packets"
        ]
    );
    // If no workload uses the scheme's own transport, no warning is about it.
    let named = "transport = \"newreno\"\n[workload.old.transport]\nkind = \"newreno\"\n";
    assert_eq!(
        warned(&beside(named, &["switch.buffer=droptail"])),
        Vec::<String>::new()
    );
    assert_eq!(
        warned(&beside(named, &["transport.kind=swift"])),
        [
            "scheme dctcp: transport.kind = \"swift\" (user: --set) has no effect: every workload \
             sets its own transport; change workload.NAME.transport instead"
        ]
    );
    let idle = beside(
        "transport = { kind = \"pfabric\", rto_min = \"3 ms\" }\n",
        &["transport.rto_max=1 s"],
    );
    let idle: Vec<String> = warned(&idle)
        .into_iter()
        .filter(|w| w.contains("no effect"))
        .collect();
    assert_eq!(
        idle,
        [
            "scheme dctcp: workload new: rto_min: no effect on transport pfabric, which has its \
             own window, timeout and recovery, and no connections"
        ]
    );
}

#[test]
fn tcp_that_hears_no_marks_takes_a_marking_switch_from_dctcp() {
    let alike = share(&whole(&beside("", &[])), 1);
    assert!((0.35..0.65).contains(&alike), "{alike}");
    let tcp = share(&whole(&beside("transport = \"newreno\"\n", &[])), 1);
    assert!(tcp > 0.8, "{tcp}");
    // TCP with ECN halves at each mark, and DCTCP by the share of marks.
    let one = ["workload.old.flows=1", "workload.new.flows=1"];
    let ecn = beside("transport = { kind = \"newreno\", ecn = true }\n", &one);
    let ecn = share(&whole(&ecn), 1);
    assert!((0.1..0.4).contains(&ecn), "{ecn}");
}

/// TCP on one of two paths beside MPTCP on both.
#[test]
fn coupled_subflows_leave_tcp_more_of_its_way_than_uncoupled_ones() {
    let text = |coupled: &str| {
        format!(
            "duration = \"200 ms\"\nschemes = [\"tcp\"]\nprofile = \"none\"\n[topology]\nkind = \"leaf_spine\"\nleaves = 2\nspines = 2\n\
             hosts_per_leaf = 2\nhost_rate = \"10 Gbps\"\nfabric_rate = \"1 Gbps\"\n[scheme.tcp.transport]\n\
             kind = \"newreno\"\n[workload.tcp]\nkind = \"flow_list\"\nfile = \"tcp.csv\"\n[workload.mptcp]\n\
             kind = \"flow_list\"\nfile = \"mptcp.csv\"\n\
             transport = {{ kind = \"mptcp\", subflows = 4, coupled = \"{coupled}\" }}\n"
        )
    };
    struct One;
    impl Files for One {
        fn read(&self, path: &str) -> Result<String, String> {
            match path {
                "tcp.csv" => Ok("start,src,dst,size\n0 us,0,2,endless\n".into()),
                "mptcp.csv" => Ok("start,src,dst,size\n0 us,1,3,endless\n".into()),
                _ => Err("no such file".into()),
            }
        }
    }
    let [lia, none] = ["lia", "none"].map(|coupled| {
        let read = Scenario::read("a.toml", &text(coupled), &[], &One);
        let run = whole(&read.unwrap_or_else(|problems| panic!("{problems:#?}")));
        assert!(run.outcome.subflows.iter().all(|row| row.flow.0 == 1));
        assert_eq!(run.outcome.subflows.len(), 4);
        share(&run, 0)
    });
    // A fair share of two paths is a half, and TCP gets at most as much from its one path.
    assert!(lia > 1.5 * none, "{lia} {none}");
    assert!((0.2..=0.5).contains(&lia), "{lia}");
    assert!(none < 0.25, "{none}");
}

/// Four flows of TCP beside four of MPTCP across a tree of four pods.
const TREE: &str = r#"
duration = "1 ms"
drain = "30 ms"
schemes = ["dctcp", "dibs"]
[topology]
kind = "fat_tree"
k = 4
[workload.query]
kind = "query"
rate = "3 k/s"
degree = 8
connection = "persistent"
request = "1 kB"
transport = { kind = "newreno", ecn = true, handshake = true }
[workload.all]
kind = "permutation"
size = "40 kB"
transport = { kind = "mptcp", mss = "700 B" }
[workload.burst]
kind = "incast"
degree = 12
size = "20 kB"
"#;

#[test]
fn several_transports_in_parts_and_gone_on_from_are_the_run_in_one_piece() {
    let scenario = read(TREE, &[]);
    for scheme in 0..2 {
        let whole =
            run(&scenario, scheme, 1, TraceFilter::None, &mut |_| Watch::Go).expect("a run");
        assert!(
            whole
                .outcome
                .flows
                .iter()
                .all(|flow| flow.finished.is_some())
        );
        for count in [2, 3] {
            let cut = Arc::new(cut(&scenario, scheme, count).expect("a cut"));
            let go = &mut |_: &_| Watch::Go;
            let parts =
                run_cut(&scenario, (scheme, 1), &cut, Box::new(SequentialCrew), go).expect("a run");
            assert!(parts.outcome == whole.outcome, "{count} parts");
            assert!(
                parts.plan == whole.plan,
                "{count} parts: a flow has other segments"
            );
        }
        let begin = || Session::new(&scenario, scheme, 1, TraceFilter::None).expect("a session");
        let mut session: Session = begin();
        for stop in [200, 500, 900, 2000].map(Time::from_us) {
            session.run_until(stop);
            let body = checkpoint::body_of(&session).expect("it can be kept");
            session = checkpoint::go_on(begin(), &body).expect("it goes on");
        }
        while !session.step() {}
        assert!(session.finish().outcome == whole.outcome);
    }
}

#[test]
fn flows_are_as_long_as_the_segments_of_their_workload_say() {
    let scenario = read(TREE, &[]);
    let run = run(&scenario, 0, 1, TraceFilter::None, &mut |_| Watch::Go).expect("a run");
    let all = run.plan.classes.iter().position(|name| name == "all");
    for flow in &run.plan.flows {
        let expected = if Some(usize::from(flow.class)) == all {
            700
        } else {
            1460
        };
        assert_eq!(flow.mss_or(run.mss), expected);
    }
}

#[test]
fn a_class_of_a_flow_list_has_the_transport_of_its_workload() {
    let text = "duration = \"20 ms\"\nschemes = [\"dctcp\"]\n[topology]\nkind = \"single_switch\"\nhosts = 9\n\
                [workload.none]\nkind = \"incast\"\ndegree = 3\nsize = \"300 kB\"\ntarget = 0\n\
                [workload.list]\nkind = \"flow_list\"\nfile = \"two.csv\"\ntransport = \"newreno\"\n";
    let run = whole(&read(text, &[]));
    assert_eq!(run.plan.classes, ["none", "list", "list/a", "list/b"]);
    for (flow, seen) in run.plan.flows.iter().zip(&run.outcome.flows) {
        assert_eq!(seen.marks > 0, flow.class == 0, "{flow:?} {seen:?}");
    }
}
