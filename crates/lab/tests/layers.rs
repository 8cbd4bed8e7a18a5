//! Layers of settings: which layer wins, and that every value names the layer it came from.

use sidestep_lab::{Scenario, Setting};
use sidestep_sim::{Files, NoFiles};

const BASE: &str = r#"
title = "layers"
duration = "10 ms"
schemes = ["dctcp", "dibs"]
[topology]
kind = "fat_tree"
k = 4
[switch]
capacity = "50 pkt"
[workload.query]
kind = "query"
degree = 8
[source]
"topology.k" = "DIBS section 5.3"
"switch.capacity" = "assumed: half of the paper's"
"#;

fn read(more: &str, sets: &[&str]) -> Scenario {
    read_with(&format!("{BASE}{more}"), sets, &NoFiles)
}

fn read_with(text: &str, sets: &[&str], files: &dyn Files) -> Scenario {
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    match Scenario::read("a.toml", text, &sets, files) {
        Ok(scenario) => scenario,
        Err(problems) => panic!("{problems:#?}"),
    }
}

/// Returns value and source of `key`, for `scheme`, or for all if it is empty.
fn said<'a>(scenario: &'a Scenario, scheme: &str, key: &str) -> (&'a str, &'a str) {
    let of = |s: &&Setting| s.scheme.as_deref().unwrap_or("") == scheme && s.key == key;
    let found = scenario.settings().iter().find(of);
    let found = found.unwrap_or_else(|| panic!("no {key} of {scheme:?}"));
    (&found.value, &found.source)
}

/// A parameter that replaces the default of another is enough alone, in a file or in a `--set`.
#[test]
fn a_load_alone_replaces_the_default_gap() {
    let file = "[workload.bg]\nkind = \"background\"\nload = \"50 %\"\n";
    let kind = "[workload.bg]\nkind = \"background\"\n";
    let off = ("off", "default: load is given");
    for (more, sets) in [
        (file, &[][..]),
        (kind, &["workload.bg.load=50%"][..]),
        (kind, &["workload.bg.load=0.5"]),
        (kind, &["workload.bg.load=50 %"]),
    ] {
        let scenario = read(more, sets);
        assert_eq!(said(&scenario, "", "workload.bg.inter_arrival"), off);
        let share = scenario.load().classes[1].payload_share;
        assert!((share - 0.5).abs() < 1e-9, "{share}");
        let again = read_with(&scenario.to_toml(), &[], &NoFiles);
        assert_eq!(again.load(), scenario.load());
        assert_eq!(again.settings(), scenario.settings());
    }
    // A load that is off replaces nothing.
    let without = read(kind, &["workload.bg.load=off"]);
    assert_eq!(said(&without, "", "workload.bg.inter_arrival").0, "120 ms");
    // The siblings: rate of queries, size of an incast, sizes of a closed loop.
    let query = read("", &["workload.query.load=5 %"]);
    assert_eq!(said(&query, "", "workload.query.rate"), off);
    let incast = "[workload.i]\nkind = \"incast\"\ndegree = 4\ntotal = \"1 MB\"\n";
    let total = ("off", "default: total is given");
    assert_eq!(said(&read(incast, &[]), "", "workload.i.size"), total);
    let lasting = "[workload.loop]\nkind = \"replace\"\nsize = \"9 kB\"\n";
    let size = ("off", "default: size is given");
    assert_eq!(said(&read(lasting, &[]), "", "workload.loop.cdf"), size);
    // What a file gives stays, and the two are refused together.
    let both = format!("{BASE}{kind}inter_arrival = \"1 ms\"\n");
    let sets = ["workload.bg.load=50 %".to_string()];
    let refused = Scenario::read("a.toml", &both, &sets, &NoFiles);
    let refused = refused.err().expect("both are given")[0].to_string();
    assert!(
        refused.contains("set one of inter_arrival and load"),
        "{refused}"
    );
}

#[test]
fn threads_may_share_a_scenario() {
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&read("", &[]));
}

#[test]
fn a_value_says_which_layer_gave_it() {
    let scenario = read("", &[]);
    let table = [
        ("", "duration", ("10 ms", "scenario file")),
        ("", "topology.k", ("4", "paper: DIBS section 5.3")),
        (
            "",
            "ttl",
            (
                "255",
                "default: time to live of a new packet, 1 to 255 (DIBS Table 2)",
            ),
        ),
        (
            "dibs",
            "switch.capacity",
            ("50 pkt", "assumed: half of the paper's"),
        ),
        (
            "dibs",
            "switch.buffer",
            (
                "dibs",
                "scheme dibs: DIBS section 2: detour to a random port; section 5.3: detoured packets are marked",
            ),
        ),
        (
            "dibs",
            "transport.fast_retransmit",
            (
                "off",
                "scheme dibs: DIBS section 5.3: fast retransmit is disabled on TCP senders",
            ),
        ),
    ];
    for (scheme, key, expected) in table {
        assert_eq!(said(&scenario, scheme, key), expected, "{key}");
    }
    let assumed = said(&scenario, "dctcp", "transport.fast_retransmit");
    assert!(
        assumed.1.starts_with("assumed: on") && assumed.1.ends_with("(scheme dctcp)"),
        "{assumed:?}"
    );
    let delay = said(&scenario, "", "topology.delay");
    assert!(delay.1.starts_with("assumed: "), "{delay:?}");
}

#[test]
fn later_layers_win() {
    let both = "[transport]\nfast_retransmit = 9\nmss = \"1 kB\"\n";
    let one = "[scheme.dibs.transport]\nfast_retransmit = 5\n";
    let key = "transport.fast_retransmit";
    // The scheme's file over the scenario's section for all …
    assert_eq!(said(&read(both, &[]), "dibs", key).0, "off");
    assert_eq!(
        said(&read(both, &[]), "dibs", "transport.mss"),
        ("1 kB", "scenario file")
    );
    // … the scenario's section for one over the scheme's file …
    let scenario = read(&format!("{both}{one}"), &[]);
    assert_eq!(said(&scenario, "dibs", key), ("5", "scenario file"));
    assert_eq!(said(&scenario, "dctcp", key).0, "3");
    // … --set for all over everything, for one over that, the last over the first.
    let scenario = read(one, &["transport.fast_retransmit=7"]);
    assert_eq!(said(&scenario, "dibs", key), ("7", "user: --set"));
    assert_eq!(said(&scenario, "dctcp", key), ("7", "user: --set"));
    let scenario = read(
        one,
        &[
            "transport.fast_retransmit=7",
            "scheme.dctcp.transport.fast_retransmit=off",
        ],
    );
    assert_eq!(said(&scenario, "dibs", key).0, "7");
    assert_eq!(said(&scenario, "dctcp", key).0, "off");
    let scenario = read(
        "",
        &["workload.query.rate=600 /s", "workload.query.rate=900 /s"],
    );
    assert_eq!(said(&scenario, "", "workload.query.rate").0, "900 /s");
}

#[test]
fn another_kind_drops_the_parameters_given_beside_the_old_one() {
    let red = "[scheme.dibs.switch]\nbuffer = { kind = \"red\", min = \"30 pkt\" }\n";
    let scenario = read(red, &[]);
    assert_eq!(said(&scenario, "dibs", "switch.buffer.min").0, "30 pkt");
    let scenario = read(red, &["scheme.dibs.switch.buffer=ecn"]);
    assert!(
        !scenario
            .settings()
            .iter()
            .any(|s| s.key == "switch.buffer.min")
    );
    let scenario = read("", &["topology.kind=single_switch", "topology.hosts=9"]);
    assert!(!scenario.settings().iter().any(|s| s.key == "topology.k"));
    assert_eq!(scenario.network.hosts, 9);
}

#[test]
fn a_value_that_a_later_layer_replaces_reads_as_any_policy_of_the_section_would_read_it() {
    // ecn and dibs also have a threshold, which cannot be off.
    let sets = [
        "schemes=mulbuff",
        "scheme.mulbuff.switch.buffer.mark_at=5 pkt",
    ];
    let scenario = read("", &sets);
    let key = "switch.buffer.mark_at";
    assert_eq!(said(&scenario, "mulbuff", key).0, "5 pkt");
    // Other topologies have one rate.
    let rates = |rates: &str| format!("topology={{kind=\"tree\", rate=\"{rates}\"}}");
    let sets = [
        &rates("10 Gbps, 2 Gbps, 1 Gbps")[..],
        "topology.rate=1 Gbps",
    ];
    assert_eq!(said(&read("", &sets), "", "topology.rate").0, "1 Gbps");
    let wrong = [&rates("10 Gbps, fast")[..], "topology.rate=1 Gbps"].map(String::from);
    let problems = Scenario::read("a.toml", BASE, &wrong, &NoFiles)
        .err()
        .unwrap();
    assert!(
        problems[0].message.contains("expected a rate"),
        "{problems:?}"
    );
}

#[test]
fn a_parameter_without_a_kind_reaches_the_policies_that_have_it() {
    // Drop-tail of tcp has no threshold; that is no error as long as another scheme's policy has one.
    let sets = ["schemes=tcp,dctcp,dibs", "switch.buffer.mark_at=30 pkt"];
    let scenario = read("", &sets);
    assert_eq!(
        said(&scenario, "dctcp", "switch.buffer.mark_at"),
        ("30 pkt", "user: --set")
    );
    assert_eq!(said(&scenario, "dibs", "switch.buffer.mark_at").0, "30 pkt");
    assert_eq!(scenario.seeds, [1]);
}

#[test]
fn seeds_and_schemes_can_be_set() {
    let scenario = read("", &["seeds=1..3", "schemes=dibs"]);
    assert_eq!(scenario.seeds, [1, 2, 3]);
    assert_eq!(scenario.schemes.len(), 1);
    assert_eq!(said(&scenario, "", "seeds"), ("1..3", "user: --set"));
    assert_eq!(read("", &["seeds=[4, 9]"]).seeds, [4, 9]);
}

#[test]
fn a_claim_is_ones_own_where_nothing_names_a_paper() {
    let own = |keys: &str| {
        let claim = "[[claim]]\nsays = \"less\"\nmetric = \"qct_p99_ms\"\ncompare = \"dctcp\"\n\
                     accept = \"10..\"\ntolerance = \"half\"\n";
        let first = read(&format!("{claim}{keys}"), &[]);
        let again = read_with(&first.to_toml(), &[], &NoFiles);
        assert_eq!(again.claims, first.claims);
        first.claims[0].own
    };
    assert!(own("paper = \"no number\""));
    assert!(own("paper = 20\nown = true"));
    assert!(!own("paper = 20"));
    assert!(!own("paper = \"no number\"\nfigure = \"7\""));
    assert!(!own("paper = \"no number\"\nown = false"));
}

#[test]
fn a_resolved_scenario_reads_back_as_itself() {
    let sets = [
        "schemes=tcp,dctcp,dibs,infinite,tcp-ecn",
        "switch.buffer.mark_at=30 pkt",
        "seeds=1..3,9",
    ];
    let claim = "[[claim]]\nsays = \"a \\\"b\\\"\"\nmetric = \"qct_p99_ms\"\ncompare = \"dctcp - dibs\"\n\
                 paper = 20.5\naccept = \"10..\"\ntolerance = \"half\"\n";
    let more = format!("[workload.bulk]\nkind = \"permutation\"\n{claim}");
    let first = read(&more, &sets);
    let text = first.to_toml();
    let again = read_with(&text, &[], &NoFiles);
    let differs = again
        .settings()
        .iter()
        .zip(first.settings())
        .find(|(a, b)| a != b);
    assert_eq!(differs, None);
    assert_eq!(again.claims, first.claims);
    assert_eq!(again.to_toml(), text);
    assert_eq!(again.plan(3), first.plan(3));
    assert_eq!(again.network, first.network);
    for (a, b) in again.schemes.iter().zip(first.schemes.iter()) {
        assert_eq!(
            (&a.name, &a.summary, &a.source, &a.config),
            (&b.name, &b.summary, &b.source, &b.config)
        );
    }
}

/// Files: one scheme file of the user.
struct Mine;

impl Files for Mine {
    fn read(&self, path: &str) -> Result<String, String> {
        match path {
            "lab/mine.toml" | "schemes/mine.toml" => {
                Ok("paper = \"none\"\n[switch]\nbuffer = \"dibs\"\n".into())
            }
            _ => Err("no such file".into()),
        }
    }
}

#[test]
fn a_scheme_is_shipped_or_a_file_or_a_section() {
    for word in ["lab/mine.toml", "mine"] {
        let scenario = read_with(BASE, &[&format!("schemes={word}")], &Mine);
        assert_eq!(scenario.schemes[0].name, "mine");
        assert_eq!(scenario.schemes[0].config.switch.buffer.name(), "dibs");
        // Without the file the resolved scenario still has all settings.
        let again = read_with(&scenario.to_toml(), &[], &NoFiles);
        assert_eq!(again.settings(), scenario.settings());
        assert_eq!(again.schemes[0].source, "none");
    }
    let text = BASE.replace("[\"dctcp\", \"dibs\"]", "[\"own\"]")
        + "[scheme.own.switch]\nbuffer = \"red\"\n";
    let scenario = read_with(&text, &[], &NoFiles);
    assert_eq!(scenario.schemes[0].config.switch.buffer.name(), "red");
}

#[test]
fn what_must_be_read_before_trusting_a_number_is_a_warning() {
    let warned = |more: &str, sets: &[&str]| read(more, sets).warnings().join("\n");
    assert_eq!(warned("", &[]), "");
    let table = [
        (
            vec!["scheme.dctcp.switch.buffer=droptail"],
            "scheme dctcp: the transport reacts to marks",
        ),
        (
            vec!["scheme.dibs.switch.buffer.mark_at=off"],
            "scheme dibs: the transport reacts to marks",
        ),
        (
            vec!["scheme.dibs.transport.kind=newreno"],
            "scheme dibs: detours prevent losses",
        ),
        (
            vec!["scheme.dibs.transport.fast_retransmit=3"],
            "scheme dibs: detours reorder packets",
        ),
        (
            vec!["scheme.dctcp.switch.sched=srpt"],
            "scheme dctcp: scheduler \"srpt\" reorders packets",
        ),
        (
            vec!["scheme.dctcp.switch.sched=srpt", "transport.rank=none"],
            "scheme dctcp: sched \"srpt\" with transport.rank = \"none\" (user: --set): expected \
             \"unacknowledged\"; hosts mark no ranks",
        ),
        (
            vec![
                "scheme.dctcp.host.shims=agent-ecn",
                "scheme.dctcp.transport.recovery=newreno",
                "scheme.dctcp.switch.buffer=droptail",
            ],
            "scheme dctcp: agent-ecn passes only duplicate acknowledgements that echo a mark, but \
             buffer \"droptail\" as set marks nothing: each loss there costs a timeout",
        ),
        (
            vec![
                "scheme.dctcp.host.shims=agent-ecn",
                "scheme.dctcp.transport.recovery=newreno",
                "scheme.dctcp.transport.kind=newreno",
            ],
            "scheme dctcp: agent-ecn passes only duplicate acknowledgements that echo a mark, but \
             transport newreno has no ECN echo: all of them are dropped",
        ),
        (
            vec![
                "scheme.dctcp.host.shims=agent-droptail",
                "scheme.dctcp.transport.recovery=newreno",
                "scheme.dctcp.host.agent-droptail.pass=3",
            ],
            "scheme dctcp: agent-droptail passes the first 3 duplicate acknowledgements of a run, \
             so fast_retransmit = 3 starts all the same; set pass below 3",
        ),
        (
            vec!["scheme.dctcp.host.shims=mark"],
            "scheme dctcp: mark adds a rank (and bytes) to data packets, but no route, buffer or \
             scheduler here uses ranks",
        ),
        (
            vec![
                "scheme.dctcp.host.shims=mark",
                "scheme.dctcp.switch.sched=srpt",
                "workload.w.kind=permutation",
            ],
            "scheme dctcp: mark by = \"remaining\" cannot rank endless flows",
        ),
        (
            vec![
                "scheme.dctcp.host.shims=mark",
                "scheme.dctcp.switch.sched=srpt",
                "workload.w.kind=permutation",
                "workload.w.size=5 GB",
            ],
            "scheme dctcp: mark by = \"remaining\" stores sizes in 32 bits: flows of 4 GiB or more \
             (",
        ),
        (
            vec!["scheme.dibs.host.shims=order", "host.order.timeout=10 ms"],
            "scheme dibs: host.order.timeout (10 ms) is not below the shortest timeout of dctcp, \
             10 ms: held packets may be retransmitted although none was lost",
        ),
        (
            vec![
                "scheme.dctcp.transport.kind=pfabric",
                "scheme.dctcp.host.shims=order",
            ],
            "scheme dctcp: host.order.timeout (1 ms) is not below the shortest timeout of pfabric, 350 us",
        ),
        (
            vec!["switch.capacity=20 pkt"],
            "mark_at (20 pkt) is not below capacity (20 pkt)",
        ),
        (
            vec!["switch.capacity=unlimited"],
            "no packet is ever detoured",
        ),
        (
            vec!["transport.idle_restart=true"],
            "scheme dctcp: idle_restart has no effect: no connection carries a second message",
        ),
        (
            vec![
                "workload.query.request=1 kB",
                "workload.query.connection=shared",
            ],
            "scheme dctcp: handshake = false: a request and its response share a connection",
        ),
        (
            vec![
                "workload.query.request=1 kB",
                "workload.query.connection=shared",
                "scheme.dctcp.transport.kind=pfabric",
            ],
            "scheme dctcp: transport pfabric has no connections",
        ),
        (
            vec!["scheme.dctcp.transport.kind=pfabric"],
            "scheme dctcp: transport pfabric sends at line rate",
        ),
        (
            vec![
                "scheme.dctcp.transport.kind=pfabric",
                "scheme.dctcp.transport.rto_min=1 ms",
            ],
            "rto_min: no effect on transport pfabric",
        ),
        (
            vec![
                "scheme.dctcp.transport.kind=swift",
                "scheme.dctcp.transport.initial_window=4",
            ],
            "scheme dctcp: initial_window: no effect on transport swift, which has its own initial \
             window",
        ),
        (
            vec![
                "scheme.dctcp.transport.kind=swift",
                "scheme.dctcp.switch.buffer=pfabric",
                "scheme.dctcp.switch.sched=pfabric",
            ],
            "scheme dctcp: transport swift reads delay as queue length, but under buffer \
             \"pfabric\" delay depends on the rank",
        ),
        (
            vec![
                "scheme.dctcp.transport.kind=swift",
                "scheme.dctcp.transport.delayed_ack=40 us",
            ],
            "scheme dctcp: delayed_ack = \"40 us\": transport swift counts the delay of \
             acknowledgements as network delay",
        ),
        (
            vec!["workload.query.rate=9000 /s", "workload.query.size=200 kB"],
            "the offered load is",
        ),
        (
            vec![
                "scheme.dctcp.switch.pfc=true",
                "scheme.dctcp.switch.capacity=unlimited",
                "switch.pfc_headroom=4 kB",
            ],
            "scheme dctcp: pfc_headroom (4 kB) is below the 4.948 kB that can still arrive after a \
             pause",
        ),
        (
            vec![
                "scheme.dctcp.switch.pfc=true",
                "scheme.dctcp.switch.capacity=unlimited",
                "switch.pfc_headroom=4 kB",
                "scheme.dctcp.host.shims=mark",
            ],
            "scheme dctcp: pfc_headroom (4 kB) is below the 4.969 kB that can still arrive after a \
             pause",
        ),
        (
            vec!["scheme.dctcp.switch.pfc=true"],
            "scheme dctcp: pfc limits the bytes held from each input port (up to 579.792 kB over 4 \
             ports)",
        ),
        (
            vec!["switch.pfc_xoff=30 kB"],
            "switch.pfc_xoff has no effect: no scheme has pfc = true",
        ),
        (
            vec!["switch.speedup=3/2"],
            "switch.speedup has no effect: no scheme has fabric = \"cioq\"",
        ),
        (
            vec!["workload.query.rate=1 /s"],
            "seed 1 draws no flow within 10 ms",
        ),
    ];
    for (sets, expected) in table {
        let got = warned("", &sets);
        assert!(got.contains(expected), "{sets:?}: {got}");
    }
    // Vertigo without deflection detours nothing, and beside FIFO it reads no rank.
    let vertigo = |set| [set, "scheme.dctcp.switch.buffer.kind=vertigo"];
    let got = warned("", &vertigo("scheme.dctcp.transport.fast_retransmit=3"));
    assert!(
        got.contains("scheme dctcp: detours reorder packets"),
        "{got}"
    );
    let off = "scheme.dctcp.switch.buffer.deflect=false";
    let more = "[scheme.dctcp.transport]\nkind = \"newreno\"\nfast_retransmit = 3\n\
                [scheme.dctcp.switch]\ncapacity = \"unlimited\"\n";
    assert_eq!(warned(more, &vertigo(off)), "");
    let marks = "scheme.dctcp.transport.fast_retransmit=off";
    let fifo = [&vertigo(marks)[..], &["transport.rank=none"]].concat();
    assert_eq!(warned("", &fifo), "");
    let srpt = [&fifo[..], &["scheme.dctcp.switch.sched=srpt"]].concat();
    let both = "buffer \"vertigo\" and sched \"srpt\" with transport.rank";
    assert!(warned("", &srpt).contains(both), "{}", warned("", &srpt));
    // Queries that share a connection, and a connection that may be idle.
    let asks = |more: &[&'static str]| {
        let asks = ["workload.query.request=1 kB", "workload.query.rate=9 k/s"];
        let all = [&asks, more].concat();
        warned("", &all)
    };
    let shared = [
        "workload.query.connection=shared",
        "transport.handshake=true",
    ];
    assert_eq!(asks(&shared), "");
    let lasting = [
        "workload.query.connection=persistent",
        "transport.idle_restart=true",
    ];
    assert_eq!(asks(&lasting), "");
    let overridden = warned("[transport]\nfast_retransmit = 9\n", &[]);
    assert!(
        overridden.contains("a.toml:17:1: transport.fast_retransmit has no effect"),
        "{overridden}"
    );
}
