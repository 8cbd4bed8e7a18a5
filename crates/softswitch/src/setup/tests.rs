//! Tests of valid configs, and of the messages about invalid ones.

use super::{Forwarding, Mac, Rank, RunAs, Setup, Tags};
use sidestep_types::{BitRate, PortId, Time};

/// Line that begins a switch config in the documentation.
const FENCE: &str = "```toml config\n";

/// Returns the first config of the documentation.
fn documented() -> String {
    let docs = include_str!("../../../../docs/how-to/softswitch.md");
    let start = docs.find(FENCE).expect("an example") + FENCE.len();
    let end = docs[start..].find("```").expect("its end");
    docs[start..start + end].to_string()
}

#[test]
fn the_documented_service_reads() {
    let docs = include_str!("../../../../docs/how-to/softswitch-security.md");
    let fence = "```toml\n";
    let start = docs.find(fence).expect("an example") + fence.len();
    let end = docs[start..].find("```").expect("its end");
    let text = format!("{PLAIN}{}", &docs[start..start + end]);
    let setup = Setup::read("edge0.toml", &text).unwrap();
    // Folders that the systemd unit creates for the config.
    let unit = include_str!("../../../../docs/service/sidestep-switch@.service");
    assert!(unit.contains(
        "\nRuntimeDirectory=sidestep/%i\nRuntimeDirectoryMode=0700\nLogsDirectory=sidestep/%i\n"
    ));
    let (run, log) = ("/run/sidestep/edge0", "/var/log/sidestep/edge0");
    assert!(setup.process.control.unwrap().starts_with(run));
    assert!(setup.process.capture.unwrap().starts_with(log));
    assert_eq!(setup.process.user, RunAs::Auto);
}

/// Valid config with two ports.
const PLAIN: &str = r#"
[switch]
capacity = "100 pkt"
buffer = "dibs"

[[port]]
name = "h0"
interface = "e0-h0"
rate = "100 Mbps"

[[port]]
interface = "e0-up"
rate = "1 Gbps"
leads_to = "switch"

[[station]]
mac = "02:00:00:00:00:01"
addresses = ["10.77.0.1"]
ports = ["h0"]
"#;

/// Returns the messages about [`PLAIN`] with `from` replaced by `to`, a line each.
fn said(from: &str, to: &str) -> String {
    assert!(PLAIN.contains(from), "{from}");
    let problems = Setup::read("s.toml", &PLAIN.replacen(from, to, 1)).unwrap_err();
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

#[test]
fn the_documented_config_reads() {
    let setup = Setup::read("edge.toml", &documented()).unwrap();
    assert_eq!(setup.name, "edge0");
    assert_eq!(setup.ports[0].delay, Time::from_us(10));
    assert_eq!(setup.networks[0].ports, [PortId(1), PortId(2)]);
    assert_eq!(setup.process.metrics.unwrap().port(), 9470);
    assert_eq!(setup.router.unwrap().addresses.len(), 2);
}

#[test]
fn manners_vlans_and_messages_go_together_and_read_back() {
    let text = include_str!("../../../../fuzz/seeds/switch_config/manners.toml");
    let setup = Setup::read("s.toml", text).unwrap_or_else(|all| panic!("{all:?}"));
    assert_eq!((setup.mtu, setup.networks[0].vlan), (9000, 10));
    assert_eq!(Setup::read("s.toml", &setup.to_toml()), Ok(setup));
}

#[test]
fn shims_are_names_or_tables_and_stand_at_ports_to_hosts() {
    let at_h0 = |shims: &str| format!("rate = \"100 Mbps\"\n{shims}");
    let with = |shims: &str| PLAIN.replacen("rate = \"100 Mbps\"", &at_h0(shims), 1);
    let setup = Setup::read("s.toml", &with("shims = [\"order\"]")).unwrap();
    let order = &setup.ports[0].shims[0];
    assert_eq!(
        (order.name(), order.values().time("timeout")),
        ("order", Time::from_ms(1))
    );
    assert!(setup.ports[1].shims.is_empty());
    assert_eq!(Setup::read("s.toml", &setup.to_toml()), Ok(setup));
    let two = "shims = [\"order\"]\norder = { timeout = \"2 ms\" }";
    let setup = Setup::read("s.toml", &with(two)).unwrap();
    let order = setup.ports[0].shims[0].values();
    assert_eq!(order.time("timeout"), Time::from_ms(2));
    let of = |order: &str| format!("order = {{ {order} }}\nshims = [\"order\"]");
    for (shims, expected) in [
        (
            "shims = \"order\"".into(),
            "shims: expected a list, got a value",
        ),
        ("shims = [\"odrer\"]".into(), "did you mean \"order\"?"),
        ("shims = [[]]".into(), "shims: expected a word, got a list"),
        (
            "shims = [\"order\", \"order\"]".into(),
            "port.shims: \"order\" is listed twice",
        ),
        (
            "order = { timeout = \"2 ms\" }".into(),
            "port.order.timeout has no effect: expected \"order\" in shims",
        ),
        (of("timout = \"1 ms\""), "did you mean \"timeout\"?"),
        (of("timeout = \"0 s\""), "timeout must be above 0"),
        (
            of("capacity = \"shared\""),
            "or bytes like \"150 kB\" or \"unlimited\", got \"shared\"",
        ),
        (
            of("by = \"remaining\""),
            "reads tags, but no shim tags data",
        ),
        (
            "shims = [\"by-size\"]\nby-size = { thresholds = \"1 MB\" }".into(),
            "port.by-size.by: \"size\" needs message sizes from applications, which frames do not \
             carry: expected \"sent\"",
        ),
        (
            "shims = [\"by-size\"]\nby-size = { by = \"sent\", dscp = \"0, 64\" }".into(),
            "dscp must be from 0 to 63, got 64",
        ),
        (
            of("timeout = \"10 s\""),
            "expected less than 10 s, after which",
        ),
    ] {
        let got = said("rate = \"100 Mbps\"", &at_h0(&shims));
        assert!(got.contains(expected), "{shims}: {got}");
        let place = got.starts_with("s.toml:10:") || got.starts_with("s.toml:11:");
        assert!(place, "{shims}: {got}");
    }
    let got = said(
        "rate = \"1 Gbps\"",
        "rate = \"1 Gbps\"\nshims = [\"order\"]",
    );
    let expected = "expected a port that leads to a host, this one leads to a switch";
    assert!(got.contains(expected), "{got}");
}

#[test]
fn tags_are_carried_as_the_shims_of_ports_tag() {
    let with = |switch: &str, shims: &str| {
        let text = PLAIN.replacen("buffer = \"dibs\"", switch, 1);
        text.replacen(
            "rate = \"100 Mbps\"",
            &format!("rate = \"100 Mbps\"\n{shims}"),
            1,
        )
    };
    let marks = |set: &str| {
        format!(
            "shims = [\"order\", \"mark\"]\norder = {{ by = \"remaining\" }}\nmark = {{ {set} }}"
        )
    };
    for (switch, set) in [
        ("tags = \"ethertype\"", ""),
        ("tags = \"option\"\nrank = \"tag\"", "carry = \"option\""),
        (
            "tags = \"option\"\nboost = 8\nboosting = \"rotate\"\nrank = \"dscp\"",
            "carry = \"option\", boost = 8, boosting = \"rotate\"",
        ),
    ] {
        let setup = Setup::read("s.toml", &with(switch, &marks(set))).unwrap();
        assert_eq!(setup.tags, Tags::of(setup.ports[0].shims[1].values()).ok());
        assert_eq!(Setup::read("s.toml", &setup.to_toml()), Ok(setup));
    }
    let without = Setup::read("s.toml", &with("tags = \"option\"", "")).unwrap();
    assert_eq!(without.tags.unwrap().words()[1].1, "2");
    for (switch, set, expected) in [
        (
            "",
            Some(""),
            "port \"h0\": shim \"mark\" needs switch.tags = \"ethertype\", got \"none\"",
        ),
        (
            "tags = \"option\"",
            Some(""),
            "mark.carry and switch.tags must be the same: got ethertype and option",
        ),
        (
            "tags = \"ethertype\"\nboost = 4",
            Some(""),
            "mark.boost and switch.boost must be the same: got 2 and 4",
        ),
        (
            "tags = \"ethertype\"",
            Some("boosting = \"rotate\""),
            "mark.boosting and switch.boosting must be the same: got rotate and shift",
        ),
        (
            "boost = 4",
            None,
            "s.toml:4:9: switch.boost has no effect: expected tags =",
        ),
        (
            "boosting = \"shift\"",
            None,
            "s.toml:4:12: switch.boosting has no effect",
        ),
        (
            "rank = \"tag\"",
            None,
            "s.toml:4:8: switch.rank = \"tag\": expected switch.tags = \"ethertype\" or \
             \"option\", got \"none\"",
        ),
        (
            "tags = \"option\"\nboost = 3",
            None,
            "s.toml:5:9: switch: boost must be 1, 2, 4 or 8, got 3",
        ),
        ("tags = \"vlan\"", None, "tags"),
    ] {
        let shims = set.map_or(String::new(), marks);
        let problems = Setup::read("s.toml", &with(switch, &shims)).unwrap_err();
        let said: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert!(said.iter().any(|line| line.contains(expected)), "{said:?}");
        assert_eq!(said.len(), 1, "{said:?}");
    }
}

#[test]
fn defaults_are_those_of_the_documentation() {
    let setup = Setup::read("some/where/s.toml", PLAIN).unwrap();
    assert_eq!((setup.name.as_str(), setup.seed), ("s", 1));
    assert_eq!(setup.ports[1].name, "e0-up");
    assert_eq!(setup.ports[0].rate, BitRate::mbps(100));
    assert!(setup.ports[1].to_switch && !setup.ports[0].to_switch);
    assert_eq!(setup.forwarding, Forwarding::Static);
    assert_eq!((setup.rank, setup.tags), (Rank::Sent, None));
    assert_eq!(setup.stations[0].mac, Mac([2, 0, 0, 0, 0, 1]));
    assert_eq!(setup.decision.route.name(), "ecmp");
    assert_eq!(
        (setup.process.user, setup.process.seccomp),
        (RunAs::Auto, true)
    );
    assert_eq!(setup.process.poll, Time::from_us(50));
}

#[test]
fn polling_before_sleep_is_for_a_loop_that_sleeps() {
    let with =
        |lines: &str| PLAIN.replacen("[switch]", &format!("[process]\n{lines}\n[switch]"), 1);
    let polls = |lines: &str| Setup::read("s.toml", &with(lines)).map(|setup| setup.process.poll);
    assert_eq!(polls("poll = \"0 s\""), Ok(Time::ZERO));
    assert_eq!(
        polls("wait = \"sleep\"\npoll = \"1 ms\""),
        Ok(Time::from_ms(1))
    );
    assert_eq!(polls("wait = \"busy\""), Ok(Time::ZERO));
    for lines in ["poll = \"20 us\"", "wait = \"busy\"", "poll = \"0 s\""] {
        let setup = Setup::read("s.toml", &with(lines)).unwrap();
        assert_eq!(Setup::read("s.toml", &setup.to_toml()), Ok(setup));
    }
}

#[test]
fn what_is_written_reads_back_as_the_same() {
    let shared = PLAIN.replace(
        "capacity = \"100 pkt\"",
        "capacity = \"shared\"\nmemory = \"1 MB\"\nalpha = \"0.5\"",
    );
    let odd = PLAIN.replace("name = \"h0\"", r#"name = "h\"0\\\u0007""#);
    let odd = odd.replace("[\"h0\"]", r#"["h\"0\\\u0007"]"#);
    for text in [
        PLAIN.to_string(),
        shared,
        odd,
        PLAIN.replace("100 pkt", "unlimited").replace("dibs", "red"),
        documented(),
    ] {
        let setup = Setup::read("s.toml", &text).unwrap();
        let written = setup.to_toml();
        match Setup::read("written.toml", &written) {
            Ok(again) => assert_eq!(again, setup, "{written}"),
            Err(problems) => panic!("{written}\n{problems:?}"),
        }
    }
}

#[test]
fn an_unknown_key_is_placed_and_corrected() {
    assert_eq!(
        said("buffer =", "bufer ="),
        "s.toml:4:1: unknown key \"bufer\" in [switch]; did you mean \"buffer\"?"
    );
    assert!(
        said("\"dibs\"", "\"dips\"")
            .contains("s.toml:4:10: buffer \"dips\" is unknown; did you mean \"dibs\"?")
    );
    assert!(
        said("[[station]]", "[[stations]]")
            .contains("unknown key \"stations\"; did you mean \"station\"?")
    );
    assert!(said("rate = \"100 Mbps\"", "rat = \"100 Mbps\"").contains("did you mean \"rate\"?"));
    assert!(said("[\"h0\"]", "[\"h1\"]").contains(
        "s.toml:19:10: station 02:00:00:00:00:01: port \"h1\" is unknown; did you mean \"h0\"?"
    ));
}

#[test]
fn all_that_is_wrong_is_said_at_once() {
    let text = PLAIN
        .replace("dibs", "dips")
        .replace("100 Mbps", "fast")
        .replace("10.77.0.1", "10.77.0");
    let problems = Setup::read("s.toml", &text).unwrap_err();
    let lines: Vec<u32> = problems.iter().map(|p| p.line).collect();
    assert_eq!(
        lines,
        [4, 9],
        "a station is read when all ports are: {problems:?}"
    );
}

#[test]
fn what_makes_no_sense_is_refused_with_the_reason() {
    let cases = [
        (
            "buffer = \"dibs\"",
            "buffer = \"dibs\"\nforwarding = \"learning\"",
            "would learn wrong ports",
        ),
        (
            "buffer = \"dibs\"",
            "buffer = \"dibs\"\npfc = true",
            "only the simulator has pauses",
        ),
        (
            "buffer = \"dibs\"",
            "buffer = \"dibs\"\nspeedup = \"2\"",
            "only the simulator has crossbars",
        ),
        (
            "buffer = \"dibs\"",
            "buffer = \"dibs\"\nat.core.buffer = \"ecn\"",
            "a config describes one switch",
        ),
        (
            "buffer = \"dibs\"",
            "buffer = { kind = \"dibs\", max_detours = 3 }",
            "a real frame does not count its detours",
        ),
        (
            "buffer = \"dibs\"",
            "buffer = \"pfabric\"",
            "needs sched \"pfabric\" or \"srpt\", got \"fifo\"",
        ),
        (
            "\"100 pkt\"",
            "\"1000 B\"",
            "must hold a full packet, 1518 B",
        ),
        ("\"100 pkt\"", "\"0 pkt\"", "at least 1 pkt"),
        (
            "buffer = \"dibs\"",
            "buffer = \"dibs\"\nrank_gap = \"0 s\"",
            "rank_gap must be above 0",
        ),
        (
            "[switch]",
            "[process]\nmetrics = \"0.0.0.0:9470\"\n[switch]",
            "of the loopback, got 0.0.0.0",
        ),
        (
            "[switch]",
            "[process]\nmetrics = \"localhost\"\n[switch]",
            "an address and a port",
        ),
        (
            "[switch]",
            "[process]\nwait = \"busy\"\npoll = \"0 s\"\n[switch]",
            "process.poll has no effect: wait = \"busy\" polls all the time",
        ),
        (
            "[switch]",
            "[process]\npoll = \"1001 us\"\n[switch]",
            "process.poll: expected at most 1 ms, got 1.001 ms",
        ),
        (
            "interface = \"e0-up\"",
            "interface = \"e0-h0\"",
            "\"e0-h0\" already belongs to port \"h0\"",
        ),
        (
            "interface = \"e0-up\"",
            "name = \"h0\"\ninterface = \"x\"",
            "port \"h0\" is listed twice",
        ),
        (
            "interface = \"e0-up\"",
            "interface = \"a name too long\"",
            "1 to 15 characters",
        ),
        ("rate = \"1 Gbps\"", "rate = \"0 bps\"", "above 0"),
        (
            "rate = \"1 Gbps\"",
            "rate = \"999 bps\"",
            "expected at least 1 kbps, got 999 bps",
        ),
        (
            "ports = [\"h0\"]",
            "ports = []",
            "expected at least one port toward it",
        ),
        (
            "ports = [\"h0\"]",
            "ports = [\"h0\", \"h0\"]",
            "port \"h0\" twice",
        ),
        (
            "02:00:00:00:00:01",
            "03:00:00:00:00:01",
            "expected the MAC of one station, got the group address 03:00:00:00:00:01",
        ),
        ("02:00:00:00:00:01", "02:00:00", "expected a MAC like"),
        (
            "10.77.0.1",
            "224.0.0.1",
            "expected a unicast address, got 224.0.0.1",
        ),
        (
            "[[station]]",
            "[[network]]\nprefix = \"10.0.0.0/8\"\nports = [\"h0\"]\nnext_hop = \"02:00:00:00:00:09\"\n[[station]]",
            "needs a [router]",
        ),
        (
            "[[station]]",
            "[router]\nmac = \"02:00:00:00:00:01\"\n[[station]]",
            "already belongs to a station",
        ),
        (
            "[[station]]",
            "[[station]]\nmac = \"02:00:00:00:00:01\"\nports = [\"h0\"]\n[[station]]",
            "is listed twice",
        ),
        (
            "[[station]]",
            "[[station]]\nmac = \"02:00:00:00:00:07\"\naddresses = [\"10.77.0.1\"]\nports = [\"h0\"]\n[[station]]",
            "address 10.77.0.1 already belongs to station 02:00:00:00:00:07",
        ),
    ];
    for (from, to, expected) in cases {
        let said = said(from, to);
        assert!(said.contains(expected), "{to}: {said}");
    }
    for (prefix, expected) in [
        (
            "10.1.2.0/16",
            "bits set beyond its length of 16: write 10.1.0.0/16",
        ),
        ("10.0.0.0/33", "at most 32"),
        ("10.0.0.0", "expected a prefix like"),
        ("fd77::/129", "at most 128"),
    ] {
        let network = format!(
            "[router]\nmac = \"02:00:00:00:ff:01\"\n[[network]]\nprefix = \"{prefix}\"\nports = [\"h0\"]\nnext_hop = \"02:00:00:00:00:09\"\n[[station]]"
        );
        let said = said("[[station]]", &network);
        assert!(said.contains(expected), "{prefix}: {said}");
    }
}

#[test]
fn a_switch_has_between_one_port_and_256() {
    let none = Setup::read("s.toml", "[switch]\n").unwrap_err();
    assert!(none[0].to_string().contains("no [[port]]"));
    let ports: String = (0..257)
        .map(|n| format!("[[port]]\ninterface = \"p{n}\"\nrate = \"1 Gbps\"\n"))
        .collect();
    let many = Setup::read("s.toml", &ports).unwrap_err();
    assert!(
        many[0]
            .to_string()
            .contains("expected at most 256 ports, got 257")
    );
}

proptest::proptest! {
    #[test]
    fn any_text_is_answered_without_a_panic(text in "\\PC{0,200}") {
        let _ = Setup::read("any.toml", &text);
    }
}
