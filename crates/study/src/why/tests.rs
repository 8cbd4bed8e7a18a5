use super::step::AccountContext;
use super::*;
use sidestep_lab::{Scenario, Session};
use sidestep_sim::why::{AccountEvent, Explained};
use sidestep_sim::{End, NoFiles, Outcome, TraceStep};
use sidestep_switch::{Changes, Event, buffer, route, sched};

/// Fifteen hosts answer one host through ports of eight packets, which overflow.
const BURST: &str = "duration = \"1 ms\"\ndrain = \"400 ms\"\nseeds = 3\nprofile = \"none\"\nschemes = [\"dctcp\"]\n\
    [topology]\nkind = \"fat_tree\"\nk = 4\n\
    [switch]\ncapacity = \"8 pkt\"\n[transport]\nrto_min = \"1 ms\"\n\
    [workload.query]\nkind = \"incast\"\ndegree = 15\nsize = \"20 kB\"\n";

fn scenario(text: &str, sets: &[String]) -> Scenario {
    Scenario::read("t.toml", text, sets, &NoFiles).unwrap_or_else(|why| panic!("{why:?}"))
}

fn session(scenario: &Scenario, trace: TraceFilter) -> Session {
    Session::new(scenario, 0, scenario.seeds[0], trace).unwrap()
}

fn run_to_end(mut session: Session) -> Run {
    session.run_until(Time::MAX);
    session.finish()
}

/// Returns the run, and the account of its packet `number`.
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

/// Explains the packets with the longest paths of a run, and some dropped ones. Checks that the run does not
/// change and that the account has the steps of the path. Returns all sentences.
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
        let of_path = |told: &&sidestep_sim::why::AccountStep| {
            !matches!(
                told.what,
                AccountEvent::Handed { .. } | AccountEvent::Withheld { .. }
            )
        };
        let steps: Vec<Time> = explained
            .steps
            .iter()
            .filter(of_path)
            .map(|told| told.at)
            .collect();
        let path: Vec<Time> = trace.steps.iter().map(|step| step.at).collect();
        assert_eq!(steps, path, "{what}: packet {}", packet_id(trace.id));
        let json = AccountContext::of(scenario, 0, &run).tell(trace.id, &explained.steps, None);
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
        let mut sets = vec![set("switch.buffer", entry.name), set("switch.sched", sched)];
        // The limit is below eight packets.
        let holds = buffer::nature(entry.name).holds;
        sets.extend(holds.map(|param| format!("switch.buffer.{param}=6 kB")));
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
        says.iter().any(|s| s.contains("the port was paused for")),
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
        says.iter().any(|s| s.contains("then passed to the shims")),
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

/// Checks that a retransmission after a timeout states its cause, and the number of timeouts of its flow.
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
    let json =
        AccountContext::of(&scenario, 0, &run).tell(again.id, &explained.steps, Some("Earlier."));
    let says = json["steps"][0]["says"][0].as_str().unwrap();
    let why = says.starts_with("Sent again, since the retransmission timer ran out at ")
        || says.starts_with("Sent again, in the fast retransmit");
    assert!(why && says.ends_with("of its flow). Earlier."), "{says}");
}

/// Returns the account of the first packet whose path satisfies `such`.
fn first_told(
    scenario: &Scenario,
    filter: TraceFilter,
    such: impl Fn(&PacketTrace) -> bool,
) -> Value {
    let traced = run_to_end(session(scenario, filter));
    let mut traces = traced.outcome.traces.iter();
    let trace = traces.find(|trace| such(trace)).expect("there is one");
    let (run, explained) = explained(scenario, trace.id);
    AccountContext::of(scenario, 0, &run).tell(trace.id, &explained.steps, None)
}

/// Returns all sentences of an account.
fn sentences(json: &Value) -> Vec<&str> {
    let steps = json["steps"].as_array().unwrap().iter();
    let says = steps.flat_map(|step| step["says"].as_array().unwrap());
    says.map(|s| s.as_str().unwrap()).collect()
}

fn has(json: &Value, begin: &str) {
    let all = sentences(json);
    assert!(
        all.iter().any(|s| s.starts_with(begin)),
        "{begin}: {all:#?}"
    );
}

#[test]
fn the_tag_of_a_packet_is_told() {
    let told = |by: &str| {
        let sets = ["host.shims=mark".to_string(), format!("host.mark.by={by}")];
        let data = |trace: &PacketTrace| !trace.ack;
        first_told(&scenario(BURST, &sets), TraceFilter::Dropped, data)
    };
    let has_words = |json: &Value, words: &str| {
        let all = sentences(json);
        assert!(all[1].contains(words), "{words}: {all:#?}");
    };
    let known = told("remaining");
    let tag = &known["steps"][0]["tag"];
    let number = |key: &str| tag[key].as_u64().expect("a number");
    assert_eq!(
        number("rank"),
        number("remaining_bytes") >> number("retransmissions")
    );
    assert!((1..=20_000).contains(&number("remaining_bytes")));
    has_words(&known, " bytes remaining, ");
    has_words(&known, "flow id 0");
    let counted = told("bytes");
    let tag = &counted["steps"][0]["tag"];
    assert!(tag["remaining_bytes"].is_null() && tag["sent_before"].is_u64());
    has_words(&counted, ", a count of ");
    let bare = first_told(&scenario(BURST, &[]), TraceFilter::Dropped, |_| true);
    assert!(bare["steps"][0]["tag"].is_null());
}

/// Returns a scenario in which switches have room and NICs do not, so that NICs decide. With pFabric, long
/// flows are queued before the burst.
fn with_nics(scheme: &str, buffer: &str, sched: &str) -> Scenario {
    let before = match scheme {
        "pfabric" => "at = \"5 us\"\n[workload.long]\nkind = \"permutation\"\nsize = \"40 kB\"\n",
        _ => "",
    };
    let sets = [
        "switch.capacity=unlimited".to_string(),
        "host.capacity=4 pkt".into(),
        format!("host.buffer={buffer}"),
        format!("host.sched={sched}"),
    ];
    let burst = BURST.replace("dctcp", scheme);
    scenario(&format!("{burst}{before}"), &sets)
}

#[test]
fn what_a_nic_decides_is_told() {
    for (scheme, buffer, sched) in [
        ("dctcp", "droptail", "fifo"),
        ("dctcp", "{ kind = \"ecn\", mark_at = \"2 pkt\" }", "fifo"),
        ("pfabric", "pfabric", "pfabric"),
        ("dctcp", "trim", "priority"),
    ] {
        let says = explain_some(buffer, &with_nics(scheme, buffer, sched));
        let queue = says.iter().any(|s| s.starts_with("Queue: its NIC holds "));
        assert!(queue, "{buffer}: {says:?}");
    }
    let dropped = with_nics("dctcp", "droptail", "fifo");
    let told = first_told(&dropped, TraceFilter::Dropped, |_| true);
    has(&told, "Buffer droptail: dropped (full)");
    let fate = told["fate"].as_str().unwrap();
    assert!(fate.contains("dropped (full) after"), "{fate}");

    let marking = with_nics("dctcp", "{ kind = \"ecn\", mark_at = \"2 pkt\" }", "fifo");
    let marked = |trace: &PacketTrace| {
        let step = trace.steps.get(1).map(|step| step.what);
        matches!(step, Some(TraceEvent::At(End::Host(_), Event::Enqueue(joined))) if joined.changes.has(Changes::MARKED))
    };
    let told = first_told(&marking, TraceFilter::Detoured(0), marked);
    has(&told, "Buffer ecn: enqueued: marked, because 2 packets");
    has(&told, "Scheduler fifo: at its NIC 2 packets");
    assert_eq!(told["steps"][1]["joined"]["marked"], true);

    let ranked = with_nics("pfabric", "pfabric", "pfabric");
    let waited = |trace: &PacketTrace| trace.steps.len() > 2;
    let told = first_told(&ranked, TraceFilter::Dropped, waited);
    has(&told, "Evicted from the queue of its NIC, with rank");
    has(&told, "Dropped (evicted).");
    let fate = told["fate"].as_str().unwrap();
    assert!(fate.contains("dropped (evicted) after"), "{fate}");
}

/// Checks that a packet that evicts others is marked by the queue it finds, and an evicted packet by the queue
/// it moves to.
#[test]
fn marks_of_what_makes_room_and_of_what_takes_it_are_told() {
    let sets = [
        "switch.buffer={ kind = \"vertigo\", mark_at = \"2 pkt\" }",
        "switch.sched=srpt",
    ];
    let vertigo = scenario(BURST, &sets.map(String::from));
    let moved = |trace: &PacketTrace| {
        let here = |two: &[TraceStep]| match (two[0].what.queued(), two[1].what.queued()) {
            (Some((a, _)), Some((b, joined))) => a == b && joined.changes.has(Changes::MARKED),
            _ => false,
        };
        trace.steps.windows(2).any(here)
    };
    let told = first_told(&vertigo, TraceFilter::Detoured(1), moved);
    let all = sentences(&told);
    let says =
        |s: &&str| s.starts_with("It joins the queue of ") && s.ends_with(", and is marked.");
    assert!(all.iter().any(says), "{all:#?}");
    let steps = told["steps"].as_array().unwrap();
    let evicted = |step: &Value| step["event"] == "evicted" && step["joined"]["marked"] == true;
    assert!(steps.iter().any(evicted), "{told:#}");

    // Retransmissions rank before first windows.
    let again = |trace: &PacketTrace| {
        let late = trace.steps[0].at > Time::from_ms(1);
        !trace.ack && trace.flow.0 == 1 && trace.seq == 1460 && late
    };
    let told = first_told(&vertigo, TraceFilter::Detoured(0), again);
    has(
        &told,
        "Buffer vertigo: enqueued after evicting others: its rank is ",
    );
    let all = sentences(&told);
    let marked = all
        .iter()
        .any(|s| s.contains("others: its") && s.contains("; marked, because 8 "));
    assert!(marked, "{all:#?}");
}

/// Checks that a packet trimmed at the NIC is described as trimmed at the receiver, whatever queues it passed
/// later.
#[test]
fn what_was_cut_early_arrives_cut() {
    let cutting = with_nics("dctcp", "trim", "priority");
    let cut = |trace: &PacketTrace| {
        let step = trace.steps.get(1).map(|step| step.what);
        matches!(step, Some(TraceEvent::At(End::Host(_), Event::Enqueue(joined))) if joined.changes.has(Changes::TRIMMED))
    };
    let told = first_told(&cutting, TraceFilter::Detoured(0), cut);
    has(&told, "Buffer trim: its payload is cut off");
    has(&told, "It arrived without its payload");
    let all = sentences(&told);
    assert!(all.iter().all(|s| !s.starts_with("Delivered")), "{all:?}");
}

#[test]
fn the_end_of_a_connection_is_told() {
    let sets = ["transport.fin=true", "switch.capacity=unlimited"];
    let closing = scenario(BURST, &sets.map(String::from));
    for (ack, seq, headline, arrives) in [
        (
            false,
            20_000,
            "the FIN that closes its connection",
            "Delivered: its sender has closed the connection.",
        ),
        (
            true,
            20_001,
            "the answer to a FIN",
            "Delivered: it acknowledges the FIN.",
        ),
        (
            false,
            20_001,
            "the acknowledgement of the answer to a FIN",
            "Delivered: it completes the teardown of the connection.",
        ),
    ] {
        // The run does not wait for the last acknowledgement of the last flow.
        let such = |trace: &PacketTrace| {
            let arrived = trace.steps.last().map(|step| step.what) == Some(TraceEvent::Delivered);
            arrived && (trace.ack, trace.seq) == (ack, seq)
        };
        let told = first_told(&closing, TraceFilter::Flows((0..15).collect()), such);
        let said = told["headline"].as_str().unwrap();
        assert!(said.ends_with(&format!(", {headline}")), "{said}");
        has(&told, arrives);
    }
}

/// Returns the accounts of all duplicate acknowledgements of a run.
fn duplicates(scenario: &Scenario) -> impl Iterator<Item = Value> + '_ {
    let traced = run_to_end(session(scenario, TraceFilter::Detoured(0)));
    let mut traces = traced.outcome.traces;
    traces.retain(|trace| trace.ack);
    traces.sort_by_key(|trace| trace.steps.last().map(|step| step.at));
    let mut seen = std::collections::BTreeSet::new();
    traces.retain(|trace| !seen.insert((trace.flow, trace.seq)));
    traces.into_iter().map(|trace| {
        let (run, explained) = explained(scenario, trace.id);
        AccountContext::of(scenario, 0, &run).tell(trace.id, &explained.steps, None)
    })
}

#[test]
fn what_an_agent_drops_is_told_with_the_numbers_of_its_run() {
    for (agent, told) in [
        (
            "agent-droptail",
            "of its run; the first 2 go on, and those from number 9 on (first = 9: no run of this \
             flow was counted yet).",
        ),
        (
            "agent-ecn",
            "of its run and echoes no mark (ECE); only duplicates that echo a mark go on.",
        ),
    ] {
        let sets = [
            format!("host.shims=[\"{agent}\"]"),
            "switch.buffer={ kind = \"ecn\", mark_at = \"7 pkt\" }".into(),
            "transport.recovery=newreno".into(),
            "host.agent-droptail.first=9".into(),
        ];
        let sets = if agent == "agent-ecn" {
            &sets[..3]
        } else {
            &sets
        };
        let scenario = scenario(BURST, sets);
        let withheld = |json: &Value| {
            let steps = json["steps"].as_array().unwrap();
            steps.iter().any(|step| step["event"] == "withheld")
        };
        let json = duplicates(&scenario).take(60).find(withheld);
        let json = json.unwrap_or_else(|| panic!("{agent} drops one of the first 60"));
        has(
            &json,
            "It reached the NIC of its host, then passed to the shims.",
        );
        has(
            &json,
            &format!("Dropped by its shim {agent}: it is duplicate "),
        );
        let all = sentences(&json);
        assert!(all.iter().any(|s| s.ends_with(told)), "{all:#?}");
        assert!(all.iter().all(|s| !s.contains("held it")), "{all:#?}");
        let fate = json["fate"].as_str().unwrap();
        let ends = format!("where its shim {agent} dropped it");
        assert!(
            fate.contains("at its host after") && fate.ends_with(&ends),
            "{fate}"
        );
    }
}

#[test]
fn bytes_are_told_by_subflow_of_the_workload_that_has_some_and_of_no_other() {
    let text = format!(
        "{BURST}transport = {{ kind = \"mptcp\", subflows = 4 }}\n[workload.tcp]\nkind = \"incast\"\ndegree = 15\n\
         size = \"20 kB\"\n"
    );
    let scenario = scenario(&text, &[]);
    let of = |flows: std::ops::Range<u32>| {
        let filter = TraceFilter::Flows(flows.collect());
        first_told(&scenario, filter, |trace| {
            !trace.ack && trace.seq % (1 << 44) > 2000
        })
    };
    let [mptcp, tcp] = [0..15, 15..30].map(of);
    let headline = |json: &Value| json["headline"].as_str().unwrap().to_string();
    assert!(headline(&mptcp).contains(" of subflow "), "{mptcp:#}");
    assert!(mptcp["subflow"].is_u64() && mptcp["data_seq"].is_u64());
    assert!(!headline(&tcp).contains("subflow"), "{tcp:#}");
    assert!(tcp["subflow"].is_null() && tcp["data_seq"].is_null());
}

#[test]
fn bytes_of_a_flow_with_subflows_are_told_by_subflow() {
    let sets = ["transport.kind=mptcp", "transport.subflows=4"].map(String::from);
    let scenario = scenario(&BURST.replace("20 kB", "200 kB"), &sets);
    let third = |ack: bool| {
        move |trace: &PacketTrace| {
            trace.ack == ack && Packet::subflow_of(trace.seq) == 3 && trace.seq % (1 << 44) > 2000
        }
    };
    let filter = || TraceFilter::Flows((0..15).collect());
    let data = first_told(&scenario, filter(), third(false));
    let said = data["headline"].as_str().unwrap();
    assert!(
        said.contains(", data, bytes ") && said.contains(" of subflow 3, which are bytes "),
        "{said}"
    );
    assert!(data["data_seq"].is_u64(), "{data:#}");
    assert_eq!(
        (&data["subflow"], &data["byte"]),
        (&json!(3), &json!(data["seq"].as_u64().unwrap() % (1 << 44)))
    );
    let ack = first_told(&scenario, filter(), third(true));
    let said = ack["headline"].as_str().unwrap();
    let of_ack = said.contains(", an acknowledgement of all bytes before ");
    assert!(of_ack && said.ends_with(" of subflow 3"), "{said}");
    let delivered = sentences(&ack);
    let own = |s: &&str| s.starts_with("Delivered") && s.contains(" of subflow 3");
    assert!(delivered.iter().any(own), "{delivered:#?}");
    for json in [&data, &ack] {
        let raw = sentences(json)
            .into_iter()
            .filter(|s| s.contains("52,776,55"));
        assert_eq!(raw.collect::<Vec<_>>(), [""; 0]);
    }
}
