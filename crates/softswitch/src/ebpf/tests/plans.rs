//! What the program refuses, and why.

use crate::ebpf::Plan;
use crate::setup::Setup;

fn plan(switch: &str, process: &str, port: &str, more: &str) -> Result<Plan, String> {
    let text = format!(
        "[switch]\n{switch}\n[process]\n{process}\n[[port]]\ninterface = \"p0\"\nrate = \"1 Gbps\"\n{port}\n\
         [[port]]\ninterface = \"p1\"\nrate = \"1 Gbps\"\nleads_to = \"switch\"\n{more}"
    );
    let setup = Setup::read("s", &text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    Plan::of(&setup)
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
            "switch.route: expected single, ecmp, spray-random, got \"flowlet\"",
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
            "switch.sched: expected \"fifo\": only of a FIFO port",
        ),
        (
            "capacity = \"unlimited\"",
            "",
            "",
            "",
            "switch.capacity: expected so many packets or bytes",
        ),
        ("capacity = \"shared\"", "", "", "", "got \"shared\""),
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
            "station.addresses: expected IPv4 addresses",
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
