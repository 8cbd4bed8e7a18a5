//! `[host]` about the queue of a NIC: read, layered, swept, told, warned of.

use sidestep_lab::{Experiment, Scenario};
use sidestep_sim::NoFiles;
use sidestep_switch::Capacity;
use sidestep_types::Size;

const GOOD: &str = r#"
duration = "1 ms"
schemes = ["dctcp", "dibs"]
[topology]
kind = "fat_tree"
k = 4
[workload.w]
kind = "incast"
degree = 4
senders = "spread"
size = "20 kB"
"#;

fn read(more: &str, sets: &[&str]) -> Scenario {
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    let read = Scenario::read("a.toml", &format!("{GOOD}{more}"), &sets, &NoFiles);
    read.unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn told(scenario: &Scenario, scheme: &str, key: &str) -> (String, String) {
    let own = |s: &&sidestep_lab::Setting| s.scheme.as_deref() == Some(scheme) && s.key == key;
    let settings = scenario.settings();
    let found = settings.iter().find(own).unwrap_or_else(|| panic!("{key}"));
    (found.value.clone(), found.source.clone())
}

#[test]
fn a_nic_that_nobody_speaks_of_does_not_decide_and_check_says_what_it_is() {
    let scenario = read("", &[]);
    for scheme in scenario.schemes.iter() {
        assert_eq!(scheme.config.nic, None);
        let (value, source) = told(&scenario, &scheme.name, "host.capacity");
        assert_eq!(value, "unlimited");
        assert!(source.starts_with("assumed: "), "{source}");
        assert_eq!(told(&scenario, &scheme.name, "host.buffer").0, "droptail");
        assert_eq!(told(&scenario, &scheme.name, "host.sched").0, "fifo");
    }
}

#[test]
fn a_nic_is_layered_as_a_switch_is() {
    let more = "[host]\ncapacity = \"50 pkt\"\n[scheme.dibs.host]\nbuffer = { kind = \"ecn\", mark_at = \"9 pkt\" }\n";
    let scenario = read(
        more,
        &["host.buffer.mark_at=7 pkt", "scheme.dctcp.host.sched=srpt"],
    );
    let nic = |i: usize| scenario.schemes[i].config.nic.clone().unwrap();
    let (dctcp, dibs) = (nic(0), nic(1));
    let fifty = Capacity::PerPort(Size::Packets(50));
    assert_eq!(
        (dctcp.buffer.name(), dctcp.sched.name()),
        ("droptail", "srpt")
    );
    assert_eq!((dibs.buffer.name(), dibs.sched.name()), ("ecn", "fifo"));
    assert_eq!((dctcp.capacity, dibs.capacity), (fifty, fifty));
    assert_eq!(dibs.buffer.values().size("mark_at"), Size::Packets(7));
    let source = |key: &str| told(&scenario, "dibs", key);
    assert_eq!(
        source("host.capacity"),
        ("50 pkt".into(), "scenario file".into())
    );
    assert_eq!(
        source("host.buffer.mark_at"),
        ("7 pkt".into(), "user: --set".into())
    );
    // Written out and read again, it is the same.
    let again = Scenario::read("b.toml", &scenario.to_toml(), &[], &NoFiles);
    let again = again.unwrap_or_else(|problems| panic!("{problems:?}"));
    let configs = |scenario: &Scenario| -> Vec<_> {
        scenario
            .schemes
            .iter()
            .map(|scheme| scheme.config.clone())
            .collect()
    };
    assert_eq!(configs(&again), configs(&scenario));
}

#[test]
fn a_sweep_goes_over_capacities_of_nics() {
    let text = format!("{GOOD}[sweep]\n\"host.capacity\" = [\"10 pkt\", \"unlimited\"]\n");
    let read = Experiment::read("a.toml", &text, &[], false, &NoFiles);
    let read = read.unwrap_or_else(|problems| panic!("{problems:?}"));
    let nics = read
        .points
        .iter()
        .map(|point| point.scenario.schemes[0].config.nic.is_some());
    assert!(nics.eq([true, false]));
}

/// 1 MB in slow start: half of it may be under way, and the shortest of the paths, of two links, holds three packets.
#[test]
fn what_waits_unmarked_at_its_own_nic_is_warned_of() {
    let long = "[workload.f]\nkind = \"incast\"\ndegree = 2\nflows = 2\ntarget = 0\nsenders = \"spread\"\nsize = \"1 MB\"\n";
    let warned = |more: &str, sets: &[&str]| {
        let all = read(more, sets).warnings();
        let about = all.into_iter().filter(|w| w.contains("NIC"));
        about.collect::<Vec<_>>()
    };
    let words = "scheme dctcp: 50.00 % of the flows may keep more than 100 packets waiting at their own NIC, up to 339, \
                 which marks none of them: receive_window (1.048576 MB) alone bounds that";
    let said = warned(long, &[]);
    assert!(said.len() == 2 && said[0].starts_with(words), "{said:#?}");
    assert_eq!(warned("", &[]), [""; 0]);
    for set in [
        "host.buffer=ecn",
        "host.capacity=100 pkt",
        "host.capacity=unlimited",
        "transport.receive_window=65535 B",
        "workload.f.size=200 kB",
        "workload.f.flows=1",
        "transport.kind=newreno",
    ] {
        assert_eq!(warned(long, &[set, "schemes=dctcp"]), [""; 0], "{set}");
    }
    let late = warned(
        "",
        &["host.buffer=ecn", "host.capacity=20 pkt", "schemes=dctcp"],
    );
    let expected = "scheme dctcp: at NICs: mark_at (20 pkt) is not below capacity (20 pkt): a queue is full before it marks";
    assert_eq!(late, [expected]);
}
