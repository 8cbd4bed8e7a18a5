use super::step::Story;
use super::*;
use sidestep_lab::Scenario;
use sidestep_sim::why::{Explained, Met};
use sidestep_sim::{NoFiles, Outcome};
use sidestep_switch::{buffer, route, sched};

/// Fifteen hosts answer one over ports of eight packets: they overflow.
const BURST: &str = "duration = \"1 ms\"\ndrain = \"400 ms\"\nseeds = 3\nschemes = [\"dctcp\"]\n\
    [topology]\nkind = \"fat_tree\"\nk = 4\n\
    [switch]\ncapacity = \"8 pkt\"\n[transport]\nrto_min = \"1 ms\"\n\
    [workload.query]\nkind = \"incast\"\ndegree = 15\nsize = \"20 kB\"\n";

fn scenario(text: &str, sets: &[String]) -> Scenario {
    Scenario::read("t.toml", text, sets, &NoFiles).unwrap_or_else(|why| panic!("{why:?}"))
}

fn session(scenario: &Scenario, trace: TraceFilter) -> Session {
    Session::new(scenario, 0, scenario.seeds[0], trace).unwrap()
}

/// The run, and the account of packet `number` of it.
fn explained(scenario: &Scenario, number: u64) -> (Run, Explained) {
    let mut session = session(scenario, TraceFilter::Ids(vec![number]));
    session.explain(number);
    session.run_until(Time::MAX);
    let explained = session.explained().expect("it was asked for");
    (session.finish(), explained)
}

fn without_paths(outcome: &Outcome) -> Outcome {
    Outcome {
        traces: Vec::new(),
        ..outcome.clone()
    }
}

/// Explains the packets of a run with the longest ways, and some that were dropped: the run stays as it is, and the account
/// has the steps of the path. Gives all sentences.
fn explain_some(what: &str, scenario: &Scenario) -> Vec<String> {
    let plain = run_to_end(session(scenario, TraceFilter::None));
    let traced = run_to_end(session(scenario, TraceFilter::Detoured(0)));
    let mut traces: Vec<&PacketTrace> = traced.outcome.traces.iter().collect();
    traces.sort_by_key(|trace| std::cmp::Reverse(trace.steps.len()));
    let dropped = traces.iter().filter(|trace| trace.was_dropped()).take(2);
    let again: Vec<&PacketTrace> = traces.iter().take(2).chain(dropped).copied().collect();
    let mut says = Vec::new();
    for trace in again {
        let (run, explained) = explained(scenario, trace.id);
        assert_eq!(
            without_paths(&run.outcome),
            without_paths(&plain.outcome),
            "{what}"
        );
        let of_path = |told: &&sidestep_sim::why::Told| !matches!(told.what, Met::Handed(_));
        let steps: Vec<Time> = explained
            .steps
            .iter()
            .filter(of_path)
            .map(|told| told.at)
            .collect();
        let path: Vec<Time> = trace.steps.iter().map(|step| step.at).collect();
        assert_eq!(steps, path, "{what}: packet {}", packet_id(trace.id));
        let json = Story::of(scenario, 0, &run).tell(trace.id, &explained.steps, None);
        for step in json["steps"].as_array().unwrap() {
            let sentences = step["says"].as_array().unwrap().iter();
            says.extend(sentences.map(|s| s.as_str().unwrap().to_string()));
        }
    }
    for sentence in &says {
        let whole =
            sentence.ends_with('.') && !sentence.contains(": :") && !sentence.contains("..");
        assert!(whole, "{what}: {sentence:?}");
    }
    says
}

#[test]
fn every_registered_policy_is_explained_and_no_run_changes() {
    let set = |key: &str, value: &str| format!("{key}={value}");
    for entry in route::ENTRIES {
        let says = explain_some(
            entry.name,
            &scenario(BURST, &[set("switch.route", entry.name)]),
        );
        let begin = format!("Route {}: ", entry.name);
        assert!(
            says.iter().any(|s| s.starts_with(&begin)),
            "{begin}: {says:?}"
        );
    }
    for entry in buffer::ENTRIES {
        let sched = buffer::nature(entry.name)
            .sched
            .first()
            .copied()
            .unwrap_or("fifo");
        let sets = [set("switch.buffer", entry.name), set("switch.sched", sched)];
        let says = explain_some(entry.name, &scenario(BURST, &sets));
        let begin = format!("Buffer {}: ", entry.name);
        assert!(
            says.iter().any(|s| s.starts_with(&begin)),
            "{begin}: {says:?}"
        );
        let scheduled = format!("Scheduler {sched}: ");
        assert!(
            says.iter().any(|s| s.starts_with(&scheduled)),
            "{scheduled}: {says:?}"
        );
    }
    for entry in sched::ENTRIES {
        let says = explain_some(
            entry.name,
            &scenario(BURST, &[set("switch.sched", entry.name)]),
        );
        let begin = format!("Scheduler {}: ", entry.name);
        assert!(
            says.iter().any(|s| s.starts_with(&begin)),
            "{begin}: {says:?}"
        );
    }
}

#[test]
fn pauses_crossings_shims_and_changes_are_told() {
    let sets = [
        "switch.capacity=unlimited",
        "switch.pfc=true",
        "switch.pfc_xoff=6 kB",
    ];
    let says = explain_some("pfc", &scenario(BURST, &sets.map(String::from)));
    assert!(
        says.iter()
            .any(|s| s.contains("pauses stopped that port for")),
        "{says:?}"
    );
    let order = scenario(
        BURST,
        &[
            "switch.buffer=dibs".into(),
            "host.shims=[\"order\"]".into(),
            "host.order.timeout=300 us".into(),
        ],
    );
    let says = explain_some("order", &order);
    assert!(
        says.iter().any(|s| s.contains("went up through its shims")),
        "{says:?}"
    );
    let star = BURST.replace("\"fat_tree\"\nk = 4", "\"single_switch\"\nhosts = 16");
    let change = "[[change]]\nat = \"40 us\"\nswitch = \"switch 0\"\nrate = \"500 Mbps\"\n";
    let says = explain_some("change", &scenario(&format!("{star}{change}"), &[]));
    assert!(
        says.iter().any(|s| s.contains("has 500 Mbps from now on")),
        "{says:?}"
    );
}

/// A retransmission after a timeout says so, and how often its flow had one.
#[test]
fn what_is_sent_again_says_why() {
    let scenario = scenario(BURST, &["switch.buffer=droptail".into()]);
    let traced = run_to_end(session(&scenario, TraceFilter::Dropped));
    let lost = traced
        .outcome
        .traces
        .iter()
        .find(|trace| !trace.ack)
        .expect("it overflows");
    let all = run_to_end(session(&scenario, TraceFilter::Flows(vec![lost.flow.0])));
    let again = |trace: &&PacketTrace| !trace.ack && trace.seq == lost.seq && trace.id > lost.id;
    let again = all
        .outcome
        .traces
        .iter()
        .find(again)
        .expect("it is sent again");
    let (run, explained) = explained(&scenario, again.id);
    let json = Story::of(&scenario, 0, &run).tell(again.id, &explained.steps, Some("Earlier."));
    let says = json["steps"][0]["says"][0].as_str().unwrap();
    let why = says.starts_with("Sent again, since the retransmission timer ran out at ")
        || says.starts_with("Sent again, in the fast retransmit");
    assert!(why && says.ends_with("of its flow). Earlier."), "{says}");
}
