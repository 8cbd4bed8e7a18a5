//! Requirements of policies beside their parameters: the scheduler a policy needs, the warnings it causes.

use sidestep_lab::Scenario;
use sidestep_sim::NoFiles;
use sidestep_switch::{buffer, route, sched};

const SCENARIO: &str = r#"
duration = "1 ms"
profile = "none"
schemes = ["mine"]
[topology]
kind = "single_switch"
[workload.w]
kind = "permutation"
[scheme.mine]
[scheme.mine.switch]
buffer = "BUFFER"
sched = "SCHED"
"#;

fn read(buffer: &str, sched: &str, sets: &[&str]) -> Result<Scenario, String> {
    let text = SCENARIO.replace("BUFFER", buffer).replace("SCHED", sched);
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    Scenario::read("a.toml", &text, &sets, &NoFiles)
        .map_err(|problems| problems.iter().map(|p| format!("{p}\n")).collect())
}

#[test]
fn a_policy_is_refused_beside_any_scheduler_but_the_one_it_needs() {
    for policy in buffer::ENTRIES {
        let needs = buffer::nature(policy.name).sched;
        for order in sched::ENTRIES {
            let counts: &[&str] = match sched::nature(order.name).classes {
                true => &["switch.sched.count=exact"],
                false => &[],
            };
            let read = read(policy.name, order.name, counts);
            let fits = needs.is_empty() || needs.contains(&order.name);
            assert_eq!(read.is_ok(), fits, "{} {}", policy.name, order.name);
        }
        let known = |needs: &str| sched::ENTRIES.iter().any(|e| e.name == needs);
        assert!(
            needs.iter().all(|n| known(n)),
            "{} needs {needs:?}",
            policy.name
        );
    }
    let said = read("pfabric", "fifo", &[]).err().unwrap();
    let expected = "a.toml:11:10: switch.buffer: \"pfabric\" needs sched \"pfabric\" or \"srpt\", got \"fifo\"";
    assert!(said.contains(expected), "{said}");
}

#[test]
fn whatever_detours_is_warned_of_in_the_same_words() {
    let warnings = |name: &str, sets: &[&str]| read(name, "fifo", sets).unwrap().warnings();
    let has = |all: &[String], words: &str| all.iter().any(|w| w.contains(words));
    for policy in buffer::ENTRIES {
        let nature = buffer::nature(policy.name);
        if !nature.works_beside("fifo") {
            continue;
        }
        let plain = warnings(policy.name, &["switch.capacity=unlimited"]);
        for words in [
            "detours prevent losses",
            "fast_retransmit = 3 treats that as loss",
            "an unlimited queue is never full",
        ] {
            let name = policy.name;
            assert_eq!(has(&plain, words), nature.detours, "{name}: {plain:?}");
        }
        let swift = warnings(policy.name, &["transport.kind=swift"]);
        assert!(!has(&swift, "detours prevent losses"), "{swift:?}");
        let dctcp = warnings(policy.name, &["transport.kind=dctcp"]);
        let silent = has(&dctcp, "as set marks no packets");
        assert_eq!(silent, !nature.marks, "{}: {dctcp:?}", policy.name);
    }
    assert!(buffer::nature("dibs-flow").detours && !buffer::nature("droptail").marks);
}

#[test]
fn whatever_goes_by_ranks_is_warned_of_where_no_host_gives_any() {
    let told = |buffer: &str, sched: &str, sets: &[&str]| {
        let warnings = read(buffer, sched, sets).unwrap().warnings();
        let told = warnings
            .into_iter()
            .filter(|w| w.contains("transport.rank"));
        told.collect::<Vec<String>>()
    };
    for policy in buffer::ENTRIES {
        let nature = buffer::nature(policy.name);
        let order = nature.sched.first().copied().unwrap_or("fifo");
        for kind in ["transport.kind=dctcp", "transport.kind=pfabric"] {
            let none = told(policy.name, order, &[kind, "transport.rank=none"]);
            assert_eq!(none.len(), usize::from(nature.ranks), "{none:?}");
            assert_eq!(told(policy.name, order, &[kind]), [""; 0]);
        }
    }
    for order in sched::ENTRIES {
        let none = told("droptail", order.name, &["transport.rank=none"]);
        assert_eq!(none.len(), usize::from(sched::nature(order.name).ranks));
    }
    let both = told("pfabric", "pfabric", &["transport.rank=none"]);
    assert!(both[0].starts_with("scheme mine: buffer \"pfabric\" and sched \"pfabric\" with"));
}

#[test]
fn whatever_sprays_is_warned_of_beside_fast_retransmit_and_where_no_switch_has_a_choice() {
    let told = |route: &str, sets: &[&str]| {
        let route = format!("switch.route={route}");
        let sets = [&[&route[..]], sets].concat();
        read("droptail", "fifo", &sets).unwrap().warnings()
    };
    let has = |all: &[String], words: &str| all.iter().any(|w| w.contains(words));
    for policy in route::ENTRIES {
        let (name, sprays) = (policy.name, route::nature(policy.name).reorders);
        let choice = &["topology.kind=fat_tree", "topology.k=4"];
        let (one_hop, several) = (told(name, &[]), told(name, choice));
        assert_eq!(
            has(&one_hop, "has no choice: in this network"),
            sprays,
            "{name}"
        );
        assert!(!has(&several, "has no choice: in this network"), "{name}");
        let loss = format!("route {name:?} reorders packets, and fast_retransmit = 3");
        assert_eq!(has(&several, &loss), sprays, "{name}: {several:?}");
    }
    let sprays = ["spray-counter", "spray-rr", "flowlet"].map(|name| route::nature(name).reorders);
    assert_eq!(sprays, [true; 3]);
    let cores = &["topology.kind=fat_tree", "switch.at.core.route=spray-rr"];
    let said = told("ecmp", cores);
    let words = "at core: route \"spray-rr\" has no choice: in this network";
    assert!(has(&said, words), "{said:?}");
}
