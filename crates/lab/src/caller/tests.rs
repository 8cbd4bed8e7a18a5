use super::*;
use crate::{Scenario, Watch, run};
use sidestep_sim::{NoFiles, TraceFilter};
use sidestep_switch::{Hops, Queues, Verdict, Want};
use sidestep_types::{Rng, Values};
use std::sync::Mutex;

const INCAST: &str = "duration = \"1 ms\"\nschemes = [\"dctcp\", \"dibs\"]\n\
    [topology]\nkind = \"fat_tree\"\nk = 4\n\
    [workload.query]\nkind = \"incast\"\ndegree = 15\nsize = \"40 kB\"\n";

fn scenario() -> Scenario {
    let read = Scenario::read("t.toml", INCAST, &[], &NoFiles);
    read.unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn go(scenario: &Scenario, scheme: usize) -> Result<crate::Run, String> {
    run(scenario, scheme, 1, TraceFilter::None, &mut |_| Watch::Go)
}

fn with(own: CallerPolicies) -> Scenario {
    let mut scenario = scenario();
    scenario.add_caller_scheme("mine", "dctcp", own).unwrap();
    scenario
}

fn buffer(
    make: impl Fn(&PolicySite) -> Box<dyn Buffer + Send> + Send + Sync + 'static,
) -> CallerPolicies {
    CallerPolicies {
        buffer: Some(Part {
            name: "test:mine".into(),
            make: Arc::new(move |who| Ok(make(who))),
        }),
        ..CallerPolicies::default()
    }
}

/// Builds the DIBS of the registry, with its defaults.
fn dibs(who: &PolicySite) -> Box<dyn Buffer + Send> {
    let entries = sidestep_switch::buffer::ENTRIES.iter();
    let entry = { entries }.find(|entry| entry.name == "dibs").unwrap();
    let values = Values::defaults(entry.params);
    Box::new(AnyBuffer::build("dibs", &values, who.place.ports, who.place.salt).unwrap())
}

/// Buffer that gives this verdict from its hundredth packet on.
struct Wrong(Verdict, u32);

impl Buffer for Wrong {
    fn admit(&mut self, _: &Packet, _: Want, _: &mut dyn Queues, _: &mut Rng) -> Verdict {
        self.1 += 1;
        match self.1 {
            0..100 => Verdict::Enqueue { mark: false },
            _ => self.0,
        }
    }
}

#[test]
fn a_scheme_with_a_policy_of_the_callers_runs_as_the_shipped_one_that_says_the_same() {
    let scenario = with(buffer(dibs));
    let [shipped, mine] = [1, 2].map(|scheme| go(&scenario, scheme).unwrap());
    assert_eq!(mine.scheme, "mine");
    assert!(shipped.outcome.totals.detours > 0);
    // Compared with DCTCP plus the buffer: the DIBS scheme has another transport.
    let sets = ["scheme.dctcp.switch.buffer=dibs".to_string()];
    let known =
        Scenario::read("t.toml", INCAST, &sets, &NoFiles).unwrap_or_else(|p| panic!("{p:?}"));
    let known = go(&known, 0).unwrap();
    assert_eq!(mine.outcome.trajectory_hash, known.outcome.trajectory_hash);
}

#[test]
fn a_value_that_only_the_replaced_policy_reads_is_named_in_a_warning() {
    let sets = ["scheme.dibs.switch.buffer={ kind = \"dibs\", mark_at = \"65 pkt\" }".to_string()];
    let mut scenario =
        Scenario::read("t.toml", INCAST, &sets, &NoFiles).unwrap_or_else(|p| panic!("{p:?}"));
    scenario
        .add_caller_scheme("mine", "dibs", buffer(dibs))
        .unwrap();
    let said = scenario.warnings();
    let says = "scheme mine: test:mine does not receive mark_at = \"65 pkt\", which scheme dibs sets for its buffer dibs: \
                give it to the policy as a parameter";
    assert!(said.iter().any(|warning| warning == says), "{said:?}");
    assert!(
        !with(buffer(dibs))
            .warnings()
            .iter()
            .any(|warning| warning.contains("does not receive"))
    );
}

#[test]
fn every_switch_has_a_policy_of_its_own_that_knows_where_it_is() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let own = buffer({
        let seen = Arc::clone(&seen);
        move |who| {
            seen.lock().unwrap().push(who.place.clone());
            dibs(who)
        }
    });
    go(&with(own), 2).unwrap();
    let seen = seen.lock().unwrap();
    let numbers: Vec<u32> = seen.iter().map(|place| place.switch).collect();
    assert_eq!(numbers, (0..20).collect::<Vec<u32>>());
    assert!(
        seen.iter()
            .all(|place| place.ports == 4 && place.seed == 1 && place.scheme == "mine")
    );
}

#[test]
fn a_port_that_is_not_there_ends_the_run_with_policy_switch_packet_and_time() {
    let port = PortId(99);
    let heard = Arc::new(Mutex::new(Vec::new()));
    for slow in [false, true] {
        let mut own = buffer(move |_| Box::new(Wrong(Verdict::Detour { port, mark: false }, 0)));
        own.slow = slow;
        own.heard = Some(Arc::new({
            let heard = Arc::clone(&heard);
            move |failure: &Failure| heard.lock().unwrap().push(failure.clone())
        }));
        let words = go(&with(own), 2).unwrap_err();
        let end = ": expected a port from 0 to 3, got 99";
        assert!(
            words.starts_with("policy test:mine at switch ") && words.ends_with(end),
            "{words}"
        );
    }
    let heard = heard.lock().unwrap();
    assert_eq!(heard.len(), 2);
    assert_eq!(
        heard[0], heard[1],
        "made again, or remembered from the start"
    );
    assert!(heard[0].at > Time::ZERO && heard[0].packet.is_some() && heard[0].flow.is_some());
}

#[test]
fn a_verdict_that_cannot_be_carried_out_is_told_and_not_a_panic_of_the_simulator() {
    let verdicts = [
        (Verdict::Evict { mark: false }, "the verdict evict needs"),
        (
            Verdict::Squeeze {
                port: PortId(4),
                mark: false,
            },
            "expected a port from 0 to 3, got 4",
        ),
    ];
    for (verdict, says) in verdicts {
        let words = go(&with(buffer(move |_| Box::new(Wrong(verdict, 0)))), 2).unwrap_err();
        assert!(words.contains(says), "{words}");
    }
}

struct Away;

impl Route for Away {
    fn pick(&mut self, _: &Packet, _: Hops<'_>, _: &mut dyn Queues, _: &mut Rng) -> PortId {
        PortId(7)
    }
}

/// Scheduler that never pops (false), or pops a handle it does not hold (true).
struct Keeps(bool);

impl Sched for Keeps {
    fn push(&mut self, _: &Packet, _: u32) {}
    fn pop(&mut self) -> Option<u32> {
        self.0.then_some(77_777)
    }
}

#[test]
fn routes_and_schedulers_are_looked_at_as_well() {
    let route: Arc<MakeRoute> = Arc::new(|_| Ok(Box::new(Away)));
    let name = "test:away".to_string();
    let own = CallerPolicies {
        route: Some(Part { name, make: route }),
        ..CallerPolicies::default()
    };
    let words = go(&with(own), 2).unwrap_err();
    assert!(
        words.contains("policy test:away") && words.contains("got 7"),
        "{words}"
    );
    for (names, says) in [(false, "popped nothing"), (true, "popped packet 77777")] {
        let make: Arc<MakeSched> = Arc::new(move |_, _| Ok(Box::new(Keeps(names))));
        let name = "test:keeps".to_string();
        let own = CallerPolicies {
            sched: Some(Part { name, make }),
            ..CallerPolicies::default()
        };
        let words = go(&with(own), 2).unwrap_err();
        assert!(
            words.contains("the scheduler of port ") && words.contains(says),
            "{words}"
        );
    }
}

#[test]
fn a_policy_that_cannot_be_made_ends_the_run_before_it_begins() {
    let make: Arc<MakeBuffer> = Arc::new(|_| Err("out of memory".into()));
    let name = "test:mine".to_string();
    let own = CallerPolicies {
        buffer: Some(Part { name, make }),
        ..CallerPolicies::default()
    };
    let words = go(&with(own), 2).unwrap_err();
    assert!(words.ends_with(": out of memory"), "{words}");
}

#[test]
fn names_that_are_taken_or_unknown_are_refused() {
    let mut scenario = scenario();
    let taken = scenario
        .add_caller_scheme("dibs", "dctcp", CallerPolicies::default())
        .unwrap_err();
    assert!(taken.contains("already"), "{taken}");
    let unknown = scenario
        .add_caller_scheme("mine", "dcctp", CallerPolicies::default())
        .unwrap_err();
    assert!(unknown.contains("expected one of dctcp, dibs"), "{unknown}");
}

/// A name is a part of file names and a key of TOML.
#[test]
fn a_name_that_is_no_part_of_a_path_or_of_a_key_is_refused() {
    let long = "a".repeat(65);
    for name in [
        "", ".", "..", ".mine", "../mine", "a/b", "a\\b", "a b", "a.b", "a+b", "a\n", "\0", "é",
        &long,
    ] {
        let why = scenario().add_caller_scheme(name, "dctcp", CallerPolicies::default());
        let why = why.expect_err(name);
        assert!(
            why.contains("expected a name of at most 64 letters"),
            "{why}"
        );
    }
    for name in ["mine", "Mine-2_b", &long[..64]] {
        scenario()
            .add_caller_scheme(name, "dctcp", CallerPolicies::default())
            .unwrap();
    }
}

#[test]
fn what_decides_is_in_the_identity_and_without_a_key_nothing_is_kept() {
    let key = |key: Option<&str>| {
        let mut own = buffer(dibs);
        own.key = key.map(str::to_string);
        let scenario = with(own);
        (scenario.identity(2), scenario.may_be_kept(2))
    };
    let (one, two, none) = (key(Some("1")), key(Some("2")), key(None));
    assert!(one.1 && two.1 && !none.1);
    assert_ne!(one.0, two.0);
    assert_eq!(one, key(Some("1")));
    let plain = with(buffer(dibs));
    assert_eq!(
        plain.identity(0),
        scenario().identity(0),
        "others are what they were"
    );
    assert!(plain.may_be_kept(0));
}

#[test]
fn what_is_written_names_the_policy_and_does_not_read_as_another() {
    let mut scenario = with(buffer(dibs));
    let written = scenario.to_toml();
    assert!(
        written.contains("schemes = \"dctcp, dibs, mine\""),
        "{written}"
    );
    assert!(
        written.contains("[scheme.mine.switch]") && written.contains("\"test:mine\""),
        "{written}"
    );
    let own = written.replace("test:mine", "python:Mine");
    let Err(problems) = Scenario::read("t.toml", &own, &[], &NoFiles) else {
        panic!("it reads");
    };
    let says = "buffer \"python:Mine\" is unknown; such a policy comes from the calling program";
    assert!(problems[0].to_string().contains(says), "{problems:?}");
    scenario.keep_schemes(&["mine".into()]);
    let written = scenario.to_toml();
    assert!(
        written.contains("schemes = \"mine\"") && !written.contains("[scheme.dibs"),
        "{written}"
    );
}
