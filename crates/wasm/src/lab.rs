//! Calls behind the interface `Lab` of `web/src/engine/api.ts`: the choices available, the problems of a
//! scenario, and one run at a time, which the caller steps.
//!
//! **Decision**     none: scenarios, runs and statistics are those of `sidestep_lab`, as for the command.
//! **State**        the run under way.
//! **Units**        picoseconds of simulated time; bytes.
//! **Errors**       a [`Refusal`]: a message for people, and each problem with its place and its parts.

use crate::calls::{Answer, Family, Outcome, Refusal, arguments, unknown};
use serde::Deserialize;
use serde_json::{Value, json};
use sidestep_lab::stats::summarise;
use sidestep_lab::{
    Problem, Progress, Record, RecordSpec, Scenario, Session, catalog, network_of, shipped,
};
use sidestep_sim::{Files, TraceFilter};
use sidestep_types::Time;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Name of the scenario in messages and results.
const NAME: &str = "scenario.toml";

/// Memory that a page may use before its browser ends it, bytes; assumed. The module itself could use 4 GB.
const MOST_MEMORY: f64 = 2e9;

/// Questions of the lab.
pub const FAMILY: Family = Family {
    name: "lab",
    answer: |question, arguments, _| LAB.with_borrow_mut(|lab| lab.answer(question, arguments)),
};

thread_local! {
    static LAB: RefCell<Lab> = RefCell::default();
}

/// Simulator of a page.
#[derive(Default)]
struct Lab {
    run: Option<ActiveRun>,
}

/// Run under way.
struct ActiveRun {
    session: Session,
    /// Warnings about the scenario that do not depend on the run.
    warnings: Vec<String>,
}

/// Scenario as a page sends it.
#[derive(Deserialize)]
struct Written {
    toml: String,
    /// Contents of the files it names, by path.
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// Changes to the scenario, each `key=value`.
    #[serde(default)]
    sets: Vec<String>,
}

#[derive(Deserialize)]
struct Begin {
    #[serde(flatten)]
    written: Written,
    scheme: String,
    seed: String,
    record: bool,
}

#[derive(Deserialize)]
struct Step {
    /// Length of the step, ps.
    span: u64,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

impl Lab {
    fn answer(&mut self, question: &str, json: &str) -> Outcome {
        match question {
            "lists" => Answer::of(&lists()),
            "shipped" => shipped_text(&arguments::<Named>(json)?.name),
            "check" => check(&arguments(json)?),
            "begin" => self.begin(&arguments(json)?),
            "step" => self.step(arguments::<Step>(json)?.span),
            "depths" => self.depths(),
            "finish" => self.finish(),
            _ => unknown(question),
        }
    }

    /// Creates a run without starting it, and drops a run under way.
    fn begin(&mut self, begin: &Begin) -> Outcome {
        self.run = None;
        let seed: u64 = begin.seed.trim().parse().map_err(|_| {
            let got = &begin.seed;
            let most = u64::MAX;
            Refusal::new(format!(
                "seed: expected a whole number from 0 to {most}, got {got:?}"
            ))
        })?;
        let scenario = scenario(&begin.written)?;
        fits(&scenario)?;
        let names: Vec<&str> = scenario.schemes.iter().map(|s| s.name.as_str()).collect();
        let scheme = names.iter().position(|name| *name == begin.scheme);
        let scheme = scheme.ok_or_else(|| {
            let hint = sidestep_lab::suggest(&begin.scheme, names.iter().copied());
            Refusal::new(format!(
                "scheme {:?} is not in the scenario{hint}",
                begin.scheme
            ))
        })?;
        let mut session =
            Session::new(&scenario, scheme, seed, TraceFilter::None).map_err(Refusal::new)?;
        if begin.record {
            session.record(&scenario, &RecordSpec::default());
        }
        let answer = Answer::of(&progress(&session));
        let warnings = scenario.warnings();
        self.run = Some(ActiveRun { session, warnings });
        answer
    }

    /// Advances the run by `span` picoseconds. The outcome does not depend on the length of the steps.
    fn step(&mut self, span: u64) -> Outcome {
        let session = &mut self.run.as_mut().ok_or_else(no_run)?.session;
        let now = session.progress().now;
        session.run_until(now.saturating_add(Time::from_ps(span.max(1))));
        Answer::of(&progress(session))
    }

    /// Returns the packets waiting at each port, four bytes each, little-endian.
    fn depths(&mut self) -> Outcome {
        let queues = self.run.as_mut().ok_or_else(no_run)?.session.queues();
        let bytes = queues.iter().flat_map(|depth| depth.packets.to_le_bytes());
        Ok(Answer {
            json: Value::Null,
            bytes: bytes.collect(),
        })
    }

    /// Ends the run at its current time. The bytes are its recording, if it was recorded.
    fn finish(&mut self) -> Outcome {
        let ActiveRun { session, warnings } = self.run.take().ok_or_else(no_run)?;
        let mut run = session.finish();
        let record = Record::of(&run);
        let bytes = run.recording.take().unwrap_or_default();
        let warnings: Vec<String> = warnings.into_iter().chain(run.warnings).collect();
        let json = json!({
            "scheme": run.scheme,
            "seed": run.seed.to_string(),
            "hash": format!("{:016x}", record.trajectory_hash),
            "summary": summarise(&[&record]),
            "warnings": warnings,
        });
        Ok(Answer { json, bytes })
    }
}

/// Returns the available choices, as `sidestep list --json` does without the figures of papers, and then the
/// sections outside the registries.
fn lists() -> Value {
    let kinds = catalog::KINDS.iter().filter_map(|kind| catalog::kind(kind));
    let kinds: Vec<_> = kinds.chain([catalog::sections()]).collect();
    json!({ "kinds": kinds })
}

fn shipped_text(name: &str) -> Outcome {
    let text = shipped::scenario(name).ok_or_else(|| {
        let hint = sidestep_lab::suggest(name, shipped::SCENARIOS.iter().map(|(name, _)| *name));
        Refusal::new(format!("scenario {name:?} is unknown{hint}"))
    })?;
    Answer::of(&json!({ "toml": text }))
}

fn check(written: &Written) -> Outcome {
    let scenario = scenario(written)?;
    let estimate = scenario.estimate();
    let schemes: Vec<&str> = scenario.schemes.iter().map(|s| s.name.as_str()).collect();
    Answer::of(&json!({
        "schemes": schemes,
        "network": network_of(&scenario, 0),
        "warnings": scenario.warnings(),
        "estimate": {
            "flows": estimate.flows.round(),
            "packet_hops": estimate.hops.round(),
            "peak_bytes": estimate.bytes(1).round(),
        },
    }))
}

fn scenario(written: &Written) -> Result<Scenario, Refusal> {
    let files = Given(&written.files);
    Scenario::read(NAME, &written.toml, &written.sets, &files).map_err(|problems| {
        let lines: Vec<String> = problems.iter().map(Problem::to_string).collect();
        let told = problems.iter().map(|problem| told(problem, written));
        Refusal {
            message: lines.join("\n"),
            details: told.collect(),
        }
    })
}

/// Converts a problem to JSON, with its parts.
fn told(problem: &Problem, written: &Written) -> Value {
    let text = match problem.file == NAME {
        true => Some(&written.toml),
        false => None,
    };
    let key = problem.key(text.map_or("", String::as_str));
    let parts = problem.parts();
    let place = |number: u32| (number > 0).then_some(number);
    let all = [
        ("message", json!(problem.message)),
        ("file", json!(problem.file)),
        ("line", json!(place(problem.line))),
        ("column", json!(place(problem.column))),
        ("key", json!(key)),
        ("expected", json!(parts.expected)),
        ("got", json!(parts.got)),
        ("suggestion", json!(parts.suggestion)),
    ];
    let there = all.into_iter().filter(|(_, value)| !value.is_null());
    there
        .map(|(part, value)| (part.to_string(), value))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

/// Refuses a run that would not fit into memory, before anything is planned.
fn fits(scenario: &Scenario) -> Result<(), Refusal> {
    let needs = scenario.estimate().bytes(1);
    if needs <= MOST_MEMORY {
        return Ok(());
    }
    Err(Refusal::new(format!(
        "the run takes about {:.1} GB of memory, expected at most {:.0} GB in a page: make the network or the traffic \
         smaller, or run it with the command",
        needs / 1e9,
        MOST_MEMORY / 1e9
    )))
}

fn progress(session: &Session) -> Value {
    let Progress {
        now,
        horizon,
        flows_done,
        flows_total,
        packet_hops,
    } = session.progress();
    json!({
        "now": now.ps(),
        "horizon": horizon.ps(),
        "flows_done": flows_done,
        "flows_total": flows_total,
        "packet_hops": packet_hops,
        "over": session.is_over(),
    })
}

fn no_run() -> Refusal {
    Refusal::new("no run is under way: start one first")
}

/// Files that the page has.
struct Given<'a>(&'a BTreeMap<String, String>);

impl Files for Given<'_> {
    fn read(&self, path: &str) -> Result<String, String> {
        let found = self
            .0
            .get(path)
            .or_else(|| self.0.get(path.trim_start_matches("./")));
        found.cloned().ok_or_else(|| match self.0.is_empty() {
            true => "the page can read only files that you give it, and none was given".into(),
            false => {
                let names: Vec<&str> = self.0.keys().map(String::as_str).collect();
                format!(
                    "the file is not among those given to the page: {}",
                    names.join(", ")
                )
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INCAST: &str = "duration = \"1 ms\"\nseeds = \"1..2\"\nschemes = [\"dctcp\", \"dibs\"]\n\
        [topology]\nkind = \"fat_tree\"\nk = 4\n\
        [workload.query]\nkind = \"incast\"\ndegree = 12\nsize = \"60 kB\"\n";

    fn call(lab: &mut Lab, question: &str, args: Value) -> Result<Value, Refusal> {
        Ok(lab.answer(question, &args.to_string())?.json)
    }

    fn begin(lab: &mut Lab, scheme: &str, seed: &str) -> Result<Value, Refusal> {
        let args = json!({"toml": INCAST, "scheme": scheme, "seed": seed, "record": true});
        call(lab, "begin", args)
    }

    /// Checks for the hash of `conformance/snippets/table.toml`, whatever the length of the steps.
    #[test]
    fn a_stepped_run_comes_to_the_hash_of_the_command() {
        for span in [1_000_000_u64, 333_333_333, 1 << 60] {
            let mut lab = Lab::default();
            let checked = call(&mut lab, "check", json!({ "toml": INCAST })).unwrap();
            begin(&mut lab, "dibs", "2").unwrap();
            let links = checked["network"]["links"].as_array().unwrap().len();
            assert_eq!(checked["network"]["kind"], "fat_tree");
            let mut most = 0;
            loop {
                let told = call(&mut lab, "step", json!({ "span": span })).unwrap();
                let depths = lab.answer("depths", "").unwrap().bytes;
                assert_eq!(depths.len(), 4 * links);
                let depths = depths
                    .chunks_exact(4)
                    .map(|b| u32::from_le_bytes(b.try_into().unwrap()));
                most = most.max(depths.max().unwrap());
                if told["over"] == true {
                    assert_eq!(
                        (&told["flows_done"], &told["flows_total"]),
                        (&json!(12), &json!(12))
                    );
                    break;
                }
            }
            assert!(span > 1_000_000 || most == 100, "{most}");
            let done = lab.answer("finish", "").unwrap();
            assert_eq!(done.json["hash"], "00e95a648dbe43dc");
            assert_eq!(done.json["summary"]["interrupted"], false);
            assert!(sidestep_lab::recorded::Reader::open(&done.bytes).is_ok());
        }
    }

    #[test]
    fn a_run_that_is_ended_early_says_so_and_leaves_a_recording() {
        let mut lab = Lab::default();
        begin(&mut lab, "dctcp", "1").unwrap();
        call(&mut lab, "step", json!({"span": 200_000_000})).unwrap();
        let done = lab.answer("finish", "").unwrap();
        assert_eq!(done.json["summary"]["interrupted"], true);
        assert!(!done.bytes.is_empty());
        let none = call(&mut lab, "step", json!({"span": 1})).unwrap_err();
        assert_eq!(none.message, "no run is under way: start one first");
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place_and_its_parts() {
        let toml = INCAST.replace("fat_tree", "fat_tre");
        let refused = call(&mut Lab::default(), "check", json!({ "toml": toml })).unwrap_err();
        let problem = &refused.details[0];
        assert_eq!(
            (&problem["line"], &problem["column"]),
            (&json!(5), &json!(8))
        );
        assert_eq!(problem["key"], "topology.kind");
        assert_eq!(
            (&problem["got"], &problem["suggestion"]),
            (&json!("fat_tre"), &json!("fat_tree"))
        );
        let right = call(&mut Lab::default(), "check", json!({ "toml": INCAST })).unwrap();
        assert_eq!(right["schemes"], json!(["dctcp", "dibs"]));
        assert!(right["estimate"]["packet_hops"].as_f64().unwrap() > 1000.0);
    }

    #[test]
    fn seeds_schemes_and_runs_that_do_not_fit_are_refused() {
        let mut lab = Lab::default();
        let said = |refused: Result<Value, Refusal>| refused.unwrap_err().message;
        assert!(said(begin(&mut lab, "dips", "1")).ends_with("did you mean \"dibs\"?"));
        assert!(said(begin(&mut lab, "dibs", "-1")).contains("got \"-1\""));
        let background =
            "[workload.all]\nkind = \"background\"\ninter_arrival = \"1000 us\"\n[workload.query]";
        let huge = INCAST
            .replace("1 ms", "600 s")
            .replace("[workload.query]", background);
        let args = json!({"toml": huge, "scheme": "dibs", "seed": "1", "record": false});
        let why = said(call(&mut lab, "begin", args));
        assert!(why.contains("GB of memory, expected at most 2 GB"), "{why}");
        assert!(said(call(&mut lab, "gadgets", Value::Null)).contains("unknown call"));
    }

    #[test]
    fn files_are_those_that_are_given_or_shipped() {
        let toml = "duration = \"1 ms\"\nschemes = [\"dibs\"]\n[topology]\nkind = \"fat_tree\"\nk = 4\n\
            [workload.w]\nkind = \"flow_list\"\nfile = \"flows.csv\"\n";
        let rows = "start_us,src,dst,size_bytes\n1,0,3,1000\n2,0,0,1000\n";
        let mut lab = Lab::default();
        let none = call(&mut lab, "check", json!({ "toml": toml })).unwrap_err();
        assert!(none.message.contains("none was given"), "{}", none.message);
        let args = json!({"toml": toml, "files": {"flows.csv": rows}});
        let wrong = call(&mut lab, "check", args).unwrap_err();
        assert!(wrong.message.contains("flows.csv:3"), "{}", wrong.message);
        let shipped = call(&mut lab, "shipped", json!({"name": "own-traffic"})).unwrap();
        let right = call(&mut lab, "check", shipped);
        assert!(right.is_ok(), "{:?}", right.err());
    }

    #[test]
    fn the_lists_have_the_commands_kinds_and_the_sections() {
        let lists = call(&mut Lab::default(), "lists", Value::Null).unwrap();
        let kinds = lists["kinds"].as_array().unwrap();
        let names: Vec<&str> = kinds
            .iter()
            .filter_map(|kind| kind["kind"].as_str())
            .collect();
        assert_eq!(names.last(), Some(&"sections"));
        for name in ["schemes", "topologies", "workloads", "cdfs", "buffers"] {
            assert!(names.contains(&name), "{name}");
        }
    }
}
