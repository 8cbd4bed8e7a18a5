//! Tests of configs that the program refuses, and of the reasons.

use crate::ebpf::ProgramConfig;
use crate::setup::Setup;

fn plan(switch: &str, process: &str, port: &str, more: &str) -> Result<ProgramConfig, String> {
    let text = format!(
        "[switch]\n{switch}\n[process]\n{process}\n[[port]]\ninterface = \"p0\"\nrate = \"1 Gbps\"\n{port}\n\
         [[port]]\ninterface = \"p1\"\nrate = \"1 Gbps\"\nleads_to = \"switch\"\n{more}"
    );
    let setup = Setup::read("s", &text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    ProgramConfig::of(&setup)
}

#[test]
fn what_the_program_has_is_planned_with_its_parameters() {
    let plan = plan(
        "capacity = \"50 kB\"\nroute = \"ecmp\"\nbuffer = { kind = \"dibs\", mark_at = \"7 pkt\" }",
        "",
        "",
        "[[station]]\nmac = \"02:00:00:00:00:01\"\naddresses = [\"10.0.0.1\"]\nports = [\"p0\", \"p1\"]\n",
    )
    .unwrap();
    let rule = &plan.rule;
    assert_eq!((rule.bytes, rule.mark_packets), (50_000, 7));
    assert_eq!((rule.max_detours, rule.to_switch, rule.ports), (0, 2, 2));
    // 50 kB are 781 frames of 64 bytes.
    assert_eq!((plan.sizes.ring_bits, plan.sizes.ports), (10, 8));
    assert_eq!((plan.stations.len(), plan.answers.len()), (1, 1));
}

#[test]
fn a_capacity_of_no_port_alone_ends_with_the_ring() {
    let of = |switch: &str| plan(switch, "", "", "").unwrap();
    let unlimited = of("capacity = \"unlimited\"");
    assert_eq!(
        (unlimited.rule.packets, unlimited.sizes.ring_bits),
        (32_767, 15)
    );
    assert!(!unlimited.rule.way.shared);
    let shared = of("capacity = \"shared\"\nmemory = \"50 kB\"\nalpha = \"3/2\"");
    assert_eq!((shared.rule.memory, shared.rule.alpha), (50_000, (3, 2)));
    assert!(shared.rule.way.shared);
    // 781 frames of 64 bytes.
    assert_eq!(shared.sizes.ring_bits, 10);
}

#[test]
fn a_route_has_as_many_places_as_it_can_name() {
    let station = "[[station]]\nmac = \"02:00:00:00:00:01\"\nports = [\"p0\", \"p1\"]\n";
    let of = |route: &str| plan(&format!("route = {route}"), "", "", station).unwrap();
    for (route, places) in [
        ("\"ecmp\"", 1),
        ("\"spray-rr\"", 1024),
        ("{ kind = \"spray-rr\", table = 64 }", 64),
        ("{ kind = \"spray-rr\", per = \"prefix\" }", 4),
        ("\"spray-counter\"", 4),
    ] {
        assert_eq!(of(route).sizes.places, places, "{route}");
    }
}

#[test]
fn a_switch_that_looks_at_every_queue_twice_has_fewer_ports() {
    let more: String = (2..33)
        .map(|port| format!("[[port]]\ninterface = \"p{port}\"\nrate = \"1 Gbps\"\n"))
        .collect();
    let of = |buffer: &str| {
        let switch = format!("capacity = \"shared\"\nbuffer = \"{buffer}\"");
        plan(&switch, "", "", &more).err()
    };
    assert_eq!(of("droptail"), None);
    let why = of("dibs").expect("33 ports");
    assert!(
        why.contains("port: expected at most 32 with 2 of dibs"),
        "{why}"
    );
}

#[test]
fn what_it_cannot_do_is_refused_by_its_key_with_the_reason() {
    let station = |address| {
        format!(
            "[[station]]\nmac = \"02:00:00:00:00:01\"\naddresses = [\"{address}\"]\nports = [\"p0\"]\n"
        )
    };
    let router = "[router]\nmac = \"02:00:00:00:ff:01\"\naddresses = [\"10.0.0.254\"]\n";
    let cases = [
        (
            "route = \"flowlet\"",
            "",
            "",
            "",
            "switch.route: expected single, ecmp, spray-random, spray-rr, spray-counter, got \"flowlet\"",
        ),
        (
            "buffer = \"pfabric\"\nsched = \"pfabric\"",
            "",
            "",
            "",
            "switch.buffer: expected droptail, ecn, dibs",
        ),
        (
            "sched = \"priority\"",
            "",
            "",
            "",
            "switch.sched: expected \"fifo\": the program must know each departure",
        ),
        (
            "capacity = \"shared\"\nmemory = \"4 GB\"",
            "",
            "",
            "",
            "switch.memory, switch.alpha: expected a memory and both parts of alpha of at most 2147483648",
        ),
        (
            "capacity = \"32768 pkt\"",
            "",
            "",
            "",
            "room for less than 32768 packets; got 32768",
        ),
        (
            "forwarding = \"learning\"",
            "",
            "",
            "",
            "switch.forwarding: expected \"static\"",
        ),
        (
            "",
            "capture = \"x.pcapng\"",
            "",
            "",
            "process.capture: expected \"none\"",
        ),
        (
            "",
            "wait = \"busy\"",
            "",
            "",
            "process.wait: expected \"sleep\"",
        ),
        (
            "",
            "",
            "io = \"xdp\"",
            "",
            "port p0: io: expected \"packet\"",
        ),
        (
            "",
            "",
            "shims = [\"order\"]",
            "",
            "port p0: shims: expected none",
        ),
        (
            "",
            "",
            "delay = \"1 us\"",
            "",
            "port p0: delay: expected 0 s",
        ),
        (
            "",
            "",
            "",
            &station("fd77::1"),
            "station.addresses: expected only IPv4 addresses",
        ),
        ("", "", "", router, "router: expected none"),
        (
            "tags = \"option\"",
            "",
            "",
            "",
            "switch.tags: expected \"none\"",
        ),
    ];
    for (switch, process, port, more, said) in cases {
        let error = plan(switch, process, port, more).unwrap_err();
        assert!(error.contains(said), "{said}: {error}");
    }
    let both = plan(
        "sched = \"priority\"\nforwarding = \"learning\"",
        "",
        "",
        "",
    )
    .unwrap_err();
    assert_eq!(both.lines().count(), 2, "{both}");
}
