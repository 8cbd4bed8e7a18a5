//! Tests of scenes: the parts of a scenario that real packets can show.

use super::*;
use crate::network::blueprint::tests::paper;
use crate::network::switches::{SWITCH, config};
use sidestep_softswitch::setup::{Rank, Setup};
use sidestep_types::Values;

#[test]
fn shims_stand_at_the_ports_to_hosts_and_wait_longer_here() {
    let scale = Scale {
        model: BitRate::gbps(1),
        bed: BitRate::mbps(100),
    };
    assert_eq!(shims(&[], scale), "");
    let order = &sidestep_transport::shim::ENTRIES[0];
    let defaults = Values::defaults(order.params);
    let mut print = paper();
    print.shims = shims(&[shim::choose(order.name, &defaults).unwrap()], scale);
    // Edge 0: two ports to hosts, then the uplinks.
    let setup = Setup::read("s.toml", &config(&print, 0, SWITCH)).unwrap();
    let waits = |port: usize| {
        setup.ports[port]
            .shims
            .first()
            .map(|s| s.values().time("timeout"))
    };
    let longer = Some(defaults.time("timeout") * 10);
    assert_eq!([0, 1, 2, 3].map(waits), [longer, longer, None, None]);
}
#[test]
fn switches_that_rank_by_what_was_sent_wait_longer_here() {
    let text = "duration = \"1 ms\"\nseeds = [1]\nschemes = [\"vertigo-switches\"]\n[topology]\n\
                kind = \"single_switch\"\nhosts = 2\n[workload.w]\nkind = \"permutation\"\n\
                [switch]\nrank = \"sent\"\nrank_gap = \"7 ms\"\n[transport]\nrank = \"none\"\n";
    let scenario = Scenario::read("a.toml", text, &[], &sidestep_sim::NoFiles);
    let scenario = scenario.unwrap_or_else(|why| panic!("{why:?}"));
    let setup = TestbedSetup::of(scenario, "100 Mbps", "t").unwrap();
    let lines = &setup.blueprint.switches[0].decision;
    assert!(
        lines.contains("rank = \"sent\"\nrank_gap = \"70 ms\""),
        "{lines}"
    );
    let said = setup.differences.join("\n");
    assert!(!said.contains("transport.rank"), "{said}");
}

/// Returns the settings of the hosts of a scheme, or the reason for its refusal.
fn hosts(scheme: &str, workload: &str) -> Result<HostSettings, String> {
    let text = format!(
        "duration = \"1 ms\"\nseeds = [1]\nschemes = [\"mine\"]\n[topology]\n\
         kind = \"single_switch\"\nhosts = 2\n[workload.w]\nkind = \"permutation\"\n{workload}\n\
         [scheme.mine]\n{scheme}\n"
    );
    let scenario = Scenario::read("a.toml", &text, &[], &sidestep_sim::NoFiles);
    let scenario = scenario.unwrap_or_else(|why| panic!("{why:?}"));
    let setup = TestbedSetup::of(scenario, "10 Mbps", "t");
    setup
        .map(|setup| setup.blueprint.settings)
        .map_err(|why| why.to_string())
}

#[test]
fn a_scheme_says_how_far_its_kernel_is_told() {
    let of = |words: &str| hosts(&format!("host = {{ {words} }}"), "").unwrap().kernel;
    assert_eq!(of(""), Kernel::Told);
    assert_eq!(of("kernel = \"plain\""), Kernel::Plain);
    assert_eq!(of("kernel = \"stock\""), Kernel::Stock);
}

#[test]
fn a_dctcp_that_no_kernel_has_is_refused() {
    let of = |more: &str| hosts(&format!("transport = {{ kind = \"dctcp\", {more} }}"), "");
    let usual = "dctcp_alpha_moves = \"windows\", dctcp_loss_leaves = \"1/2\"";
    assert!(of(usual).is_ok());
    for (more, why) in [
        (
            "dctcp_alpha_moves = \"echoes\"",
            "transport.dctcp_alpha_moves: expected \"windows\"",
        ),
        (
            "dctcp_loss_leaves = \"0.75\"",
            "transport.dctcp_loss_leaves: expected 0.5, as in the kernel, got 0.75",
        ),
    ] {
        let said = of(more).unwrap_err();
        assert!(said.contains(why), "{said}");
    }
}

#[test]
fn workloads_with_transports_of_their_own_are_refused_by_the_first_key_that_differs() {
    let of = |workload: &str| hosts("transport = { kind = \"dctcp\" }", workload);
    assert!(of("transport = \"dctcp\"").is_ok(), "it is the scheme's");
    let because = ", the value of [transport], got ";
    assert_eq!(
        of("transport = \"newreno\"").unwrap_err(),
        format!(
            "scheme mine: workload.w.transport.kind: expected \"dctcp\"{because}\"newreno\": a \
             testbed host has one set of TCP settings for all its connections; only the simulator \
             has one per workload"
        )
    );
    let why = of("transport = { recovery = \"newreno\" }").unwrap_err();
    let key = "scheme mine: workload.w.transport.recovery: expected \"sack\"";
    assert!(why.starts_with(&format!("{key}{because}")), "{why}");
}

#[test]
fn mptcp_has_as_many_subflows_as_a_kernel_can() {
    let of = |subflows: u32, workload: &str| {
        let scheme = format!("transport = {{ kind = \"mptcp\", subflows = {subflows} }}");
        hosts(&scheme, workload)
    };
    assert_eq!(hosts("", "").unwrap().subflows, None);
    assert_eq!(of(4, "").unwrap().subflows, Some(4));
    assert_eq!(of(9, "").unwrap().subflows, Some(9));
    let why = of(10, "").unwrap_err();
    let expected = "scheme mine: transport.subflows: expected at most 9, the limit of the kernel's MPTCP, got \
         10";
    assert_eq!(why, expected);
    let why = of(4, "mss = \"100..200\"").unwrap_err();
    assert!(
        why.contains("workload.w: mss: expected transport.mss"),
        "{why}"
    );
}

#[test]
fn the_agent_is_the_hosts_own_and_at_no_port() {
    let of = |words: &str| {
        let scheme = format!("transport = {{ kind = \"newreno\" }}\nhost = {{ {words} }}");
        hosts(&scheme, "")
    };
    let agent = |words: &str| {
        let settings = of(&format!(
            "shims = [\"agent-droptail\"], agent-droptail = {{ {words} }}"
        ));
        settings.map(|settings| settings.agent.expect("there is one"))
    };
    let said = "pass = 1, share = 0.75, until = \"exceeded\", per = \"host\", first = 7, repaired = \"left_out\", \
                recovery = \"pass\", shortest = 4, longest = 1024";
    let all = Agent {
        pass: 1,
        share: agent(said).unwrap().share,
        exceed: true,
        per_host: true,
        first: 7,
        repaired: false,
        recovery: true,
        shortest: 4,
        longest: 1024,
    };
    assert_eq!(agent(said), Ok(all));
    assert_eq!(all.share.0 * 4, all.share.1 * 3);
    let usual = agent("").unwrap();
    assert!(!usual.exceed && !usual.per_host && usual.repaired && !usual.recovery);
    let why = agent("longest = 1025").unwrap_err();
    assert!(
        why.contains("host.agent-droptail.longest: expected at most 1024"),
        "{why}"
    );
    let why = of("shims = [\"order\", \"agent-droptail\"]").unwrap_err();
    assert!(why.contains("expected it first"), "{why}");
    let defaults = |name: &str| {
        let entry = sidestep_transport::shim::ENTRIES
            .iter()
            .find(|e| e.name == name);
        shim::choose(name, &Values::defaults(entry.unwrap().params)).unwrap()
    };
    let scale = Scale {
        model: BitRate::gbps(1),
        bed: BitRate::gbps(1),
    };
    let all = [defaults(AGENT), defaults(MARKS), defaults("order")];
    let ports = |marker| {
        let config = SchemeConfig {
            shims: all.to_vec(),
            marker,
            ..scheme_config()
        };
        super::shims(&at_ports(&config), scale)
    };
    assert_eq!(
        ports(sidestep_lab::Marker::Host),
        super::shims(&all[2..], scale)
    );
    assert_eq!(
        ports(sidestep_lab::Marker::Port),
        super::shims(&all[1..], scale)
    );
}

#[test]
fn switches_sort_by_the_code_points_that_hosts_set() {
    let of = |codes: &str| {
        let text = format!(
            "duration = \"1 ms\"\nseeds = [1]\nschemes = [\"mulbuff\"]\n[topology]\n\
             kind = \"single_switch\"\nhosts = 2\n[workload.w]\nkind = \"permutation\"\n{codes}"
        );
        let scenario = Scenario::read("a.toml", &text, &[], &sidestep_sim::NoFiles);
        let setup = TestbedSetup::of(scenario.unwrap(), "100 Mbps", "t").unwrap();
        let text = config(&setup.blueprint, 0, SWITCH);
        Setup::read("s.toml", &text).unwrap();
        text
    };
    assert!(!of("").contains("dscp"));
    let codes = of("[host]\nby-size = { dscp = \"46, 10\" }\n");
    assert!(codes.contains("\ndscp = \"46, 10\"\n"), "{codes}");
}

/// Returns the configuration of some scheme.
fn scheme_config() -> SchemeConfig {
    let text = "duration = \"1 ms\"\nseeds = [1]\nschemes = [\"dctcp\"]\n[topology]\n\
                kind = \"single_switch\"\nhosts = 2\n[workload.w]\nkind = \"permutation\"\n";
    let scenario = Scenario::read("a.toml", text, &[], &sidestep_sim::NoFiles).unwrap();
    scenario.schemes[0].config.clone()
}

#[test]
fn sockets_have_the_code_point_of_their_flows_class() {
    let of = |host: &str| {
        let scheme = format!("transport = {{ kind = \"newreno\" }}\nhost = {{ {host} }}");
        hosts(&scheme, "").map(|settings| settings.marks)
    };
    assert_eq!(of(""), Ok(None));
    let three =
        "shims = [\"by-size\"], by-size = { thresholds = \"10 kB, 1 MB\", dscp = \"46, 10, 8\" }";
    let marks = of(three).unwrap().unwrap();
    for (bytes, dscp) in [
        (Some(10_000), 46),
        (Some(10_001), 10),
        (Some(1_000_001), 8),
        (None, 8),
    ] {
        assert_eq!(marks.of_sockets(bytes), Some((dscp, dscp)), "{bytes:?}");
    }
    let first = three.replace("8\" }", "8\", acks = \"first\" }");
    let marks = of(&first).unwrap().unwrap();
    assert_eq!(marks.of_sockets(None), Some((8, 46)));
    assert_eq!(of(&format!("{three}, marker = \"port\"")), Ok(None));
    let marks = of("shims = [\"by-size\"], by-size = { by = \"sent\" }");
    assert_eq!(marks.unwrap().unwrap().of_sockets(None), None);
    let why = of("shims = [\"order\", \"by-size\"]").unwrap_err();
    assert!(why.contains("by-size: expected it first"), "{why}");
}

#[test]
fn a_socket_that_marks_is_of_one_flow() {
    let of = |transport: &str, by: &str, connection: &str| {
        let scheme = format!(
            "transport = {{ {transport} }}\nhost = {{ shims = [\"by-size\"], by-size = {{ by = \"{by}\" }} }}"
        );
        hosts(&scheme, connection).map(|_| ())
    };
    assert!(of("", "size", "").is_ok());
    let why = of("kind = \"mptcp\"", "size", "").unwrap_err();
    assert!(why.contains("host.marker: expected \"port\""), "{why}");
}

#[test]
fn switches_that_count_flows_remember_them_for_longer_here() {
    let of = |sched: &str| {
        let text = format!(
            "duration = \"1 ms\"\nseeds = [1]\nschemes = [\"dctcp\"]\n[topology]\nkind = \"single_switch\"\n\
             hosts = 2\n[workload.w]\nkind = \"permutation\"\n[scheme.dctcp]\nswitch = {{ sched = {{ {sched} }} }}\n"
        );
        let scenario = Scenario::read("a.toml", &text, &[], &sidestep_sim::NoFiles);
        let scenario = scenario.unwrap_or_else(|why| panic!("{why:?}"));
        let print = TestbedSetup::of(scenario, "100 Mbps", "t")
            .unwrap()
            .blueprint;
        (print.settle_ns, print.switches[0].decision.clone())
    };
    let (settle, lines) = of("kind = \"wps\", silence = \"3 ms\"");
    assert_eq!(settle, 30_000_000);
    assert!(lines.contains("silence = \"30 ms\""), "{lines}");
    let (settle, lines) = of("kind = \"ps\", count = \"approximate\", window = \"1 ms\"");
    assert_eq!(settle, 20_000_000);
    assert!(lines.contains("window = \"10 ms\""), "{lines}");
    assert_eq!(of("kind = \"fifo\"").0, 0);
    assert_eq!(of("kind = \"strict\"").0, 0);
}

#[test]
fn tags_lengthen_links_between_switches_and_ask_for_sizes() {
    let of = |host: &str, transport: &str| {
        let text = format!(
            "duration = \"1 ms\"\nseeds = [1]\nschemes = [\"vertigo-switches\"]\n[topology]\n\
             kind = \"single_switch\"\nhosts = 2\n[workload.w]\nkind = \"permutation\"\n\
             [scheme.vertigo-switches]\nhost = {{ {host} }}\ntransport = {{ {transport} }}\n"
        );
        let scenario = Scenario::read("a.toml", &text, &[], &sidestep_sim::NoFiles);
        let scenario = scenario.unwrap_or_else(|why| panic!("{why:?}"));
        let setup = TestbedSetup::of(scenario, "10 Mbps", "t");
        setup.map(|setup| {
            let print = setup.blueprint;
            // The switch reads the written configuration.
            let setup = Setup::read("s.toml", &config(&print, 0, SWITCH)).unwrap();
            let by_tags = setup.tags.is_some() && setup.rank == Rank::Tag;
            assert_eq!(by_tags, print.fabric_mtu > 0);
            (print.fabric_mtu, print.announces)
        })
    };
    assert_eq!(of("", "").unwrap(), (0, false));
    let mark = |with: &str| format!("shims = [\"mark\"], mark = {{ {with} }}");
    assert_eq!(of(&mark(""), "").unwrap(), (1507, true));
    assert_eq!(of(&mark("by = \"packets\""), "").unwrap(), (1507, false));
    assert_eq!(of(&mark(""), "mss = \"1000 B\"").unwrap(), (1507, true));
    let option = of(&mark("carry = \"option\""), "mss = \"1452 B\"");
    assert_eq!(option.unwrap(), (1500, true));
    let why = of(&mark(""), "kind = \"mptcp\"").unwrap_err().to_string();
    assert!(
        why.contains("host.mark.by: expected \"packets\" or \"bytes\""),
        "{why}"
    );
}

#[test]
fn segments_that_the_kernel_cannot_have_are_refused_whichever_seed_draws_them() {
    let read = |seeds: &[u64]| {
        let text = format!(
            "duration = \"1 ms\"\nseeds = {seeds:?}\nschemes = [\"dctcp\"]\n[topology]\n\
             kind = \"single_switch\"\nhosts = 2\n[workload.w]\nkind = \"incast\"\n\
             degree = 1\nmss = \"80..160\"\n"
        );
        Scenario::read("a.toml", &text, &[], &sidestep_sim::NoFiles).unwrap()
    };
    let of = |seeds: &[u64]| TestbedSetup::of(read(seeds), "10 Mbps", "t").map(|_| ());
    let drawn = |seed: &u64| read(&[*seed]).plan(*seed).unwrap().flows[0].mss_or(0);
    let (small, large): (Vec<u64>, Vec<u64>) = (1..60).partition(|s| drawn(s) < LEAST_MSS);
    let why = |seeds: &[u64]| format!("{:?}", of(seeds).unwrap_err());
    assert!(of(&large).is_ok());
    let expected = "workload.w: mss: expected at least 88 B";
    assert!(why(&[small[0]]).contains(expected));
    assert!(why(&[large[0], small[0]]).contains(expected));
}
