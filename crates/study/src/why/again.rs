//! Repetition of a recorded run from its result directory.

use super::recorded_policies;
use crate::caller::CallerScheme;
use crate::format::seeds;
use crate::manifest::RunOrigin;
use crate::result::ResultDir;
use crate::{Error, files};
use serde_json::{Value, json};
use sidestep_lab::caller::Failure;
use sidestep_lab::{Run, Scenario, Session};
use sidestep_sim::TraceFilter;
use sidestep_types::Time;
use std::path::{Path, PathBuf};

/// Choice of a run of a result directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunSelector {
    /// Scheme; required if there are several.
    pub scheme: Option<String>,
    /// Seed; required if there are several.
    pub seed: Option<u64>,
}

/// Runs of a result directory.
pub struct Recorded {
    dir: PathBuf,
    /// Folders of the files that the scenario refers to.
    beside: Vec<PathBuf>,
    version: String,
    runs: Vec<Value>,
    /// Policies of the caller's code that the runs had.
    had: Vec<recorded_policies::RecordedPolicy>,
    /// Schemes with these policies, supplied again by the caller.
    own: Vec<CallerScheme>,
}

/// Run to be repeated.
pub(super) struct Chosen {
    pub scenario: Scenario,
    pub scheme: usize,
    pub seed: u64,
    dir: PathBuf,
    version: String,
    recorded: Value,
}

/// Comparison of a repeated run with the recorded one.
pub(super) struct Check {
    pub same: bool,
    pub json: Value,
}

impl Recorded {
    /// Opens the runs of `dir`. Files that the scenario refers to are searched for in `beside`, or without it
    /// in the directory and its parent, then in the current folder. Errors explain why none of the runs can be
    /// repeated.
    pub fn open(dir: &Path, beside: Option<&Path>) -> Result<Recorded, Error> {
        let result = ResultDir::open(dir)?;
        let refuse = |why: &str| {
            Err(Error::Input(format!(
                "cannot explain {}: {why}",
                dir.display()
            )))
        };
        if result.sweep()?.is_some() {
            return refuse(
                "it is a sweep, which stores no single runs; run one of its points with `sidestep \
                 run`, with --set for each axis",
            );
        }
        let manifest = result.json("manifest.json")?;
        let runs: Vec<Value> = manifest["runs"].as_array().cloned().unwrap_or_default();
        let made = |run: &&Value| run["status"] != "not run";
        if !runs.is_empty()
            && runs
                .iter()
                .filter(made)
                .all(|run| run["trajectory_hash"].is_null())
        {
            return refuse("its runs were on a testbed and cannot be repeated");
        }
        Ok(Recorded {
            dir: dir.to_path_buf(),
            beside: match beside {
                Some(folder) => vec![folder.to_path_buf()],
                None => vec![dir.to_path_buf(), dir.join("..")],
            },
            version: manifest["sidestep"]["version"]
                .as_str()
                .unwrap_or("?")
                .into(),
            had: recorded_policies::had(&manifest),
            own: Vec::new(),
            runs,
        })
    }

    /// Adds schemes with the policies that the runs had: no directory contains the code of a caller's policy.
    pub fn with_caller_schemes(mut self, own: Vec<CallerScheme>) -> Recorded {
        self.own = own;
        self
    }

    /// Explains how to find the number of a packet.
    pub fn how_to_find(&self) -> String {
        format!(
            "`sidestep why {} --flow 12` lists the packets of a flow, --dropped and --detoured those of a run, --class those of the slowest flow of a class",
            self.dir.display()
        )
    }

    /// Returns the chosen run.
    pub(super) fn choose(&self, which: &RunSelector) -> Result<Chosen, Error> {
        let scheme_of = |run: &Value| run["scheme"].as_str().unwrap_or("?").to_string();
        let mut schemes: Vec<String> = Vec::new();
        for run in &self.runs {
            let scheme = scheme_of(run);
            if !schemes.contains(&scheme) {
                schemes.push(scheme);
            }
        }
        let dir = self.dir.display();
        let scheme = match &which.scheme {
            Some(scheme) if schemes.contains(scheme) => scheme.clone(),
            Some(scheme) => {
                return Err(Error::Input(format!(
                    "--scheme {scheme:?} is not in {dir}, which has runs of {}",
                    schemes.join(", ")
                )));
            }
            None if schemes.len() == 1 => schemes[0].clone(),
            None => {
                return Err(Error::Input(format!(
                    "{dir} has the schemes {}; choose one with --scheme",
                    schemes.join(", ")
                )));
            }
        };
        let own = self.runs.iter().filter(|run| scheme_of(run) == scheme);
        let with: Vec<u64> = own.clone().filter_map(|run| run["seed"].as_u64()).collect();
        let seed = match which.seed {
            Some(seed) if with.contains(&seed) => seed,
            Some(seed) => {
                return Err(Error::Input(format!(
                    "--seed {seed} is not in {dir}, which has seed {}",
                    seeds(&with)
                )));
            }
            None if with.len() == 1 => with[0],
            None => {
                return Err(Error::Input(format!(
                    "{dir} has the seeds {}; choose one with --seed",
                    seeds(&with)
                )));
            }
        };
        let recorded = own.clone().find(|run| run["seed"] == seed).cloned();
        let file = self.dir.join("scenario.toml");
        let text = files::recorded_text(&file)?;
        let read = |text: &str, sets: &[String]| files::recorded(&file, text, sets, &self.beside);
        let scenario = recorded_policies::read(&text, &scheme, &self.had, &self.own, &read)?;
        let place = scenario.schemes.iter().position(|s| s.name == scheme);
        let place = place.ok_or_else(|| {
            Error::Input(format!("{dir}: its scenario.toml has no scheme {scheme:?}"))
        })?;
        Ok(Chosen {
            scenario,
            scheme: place,
            seed,
            dir: self.dir.clone(),
            version: self.version.clone(),
            recorded: recorded.unwrap_or_default(),
        })
    }
}

impl Chosen {
    /// Returns the name of the run: `dibs, seed 1`.
    pub fn name(&self) -> String {
        format!(
            "{}, seed {}",
            self.scenario.schemes[self.scheme].name, self.seed
        )
    }

    /// Prepares the run, before its first event.
    pub fn session(&self, trace: TraceFilter) -> Result<Session, Error> {
        let session = Session::new(&self.scenario, self.scheme, self.seed, trace);
        session.map_err(|e| Error::Run(format!("{}: {e}", self.name())))
    }

    /// Runs the session until `until`. Errors state how a caller's policy ended it.
    pub fn run(&self, session: &mut Session, until: Time) -> Result<(), Error> {
        let Some(own) = &self.scenario.schemes[self.scheme].own else {
            session.run_until(until);
            return Ok(());
        };
        let ended = |failure: Box<Failure>| {
            if let Some(heard) = &own.heard {
                heard(&failure);
            }
            Error::Run(failure.to_string())
        };
        session
            .run_with_policies_until(own, until)
            .map(|_| ())
            .map_err(ended)
    }

    /// Runs the session to its end.
    pub fn run_to_end(&self, mut session: Session) -> Result<Run, Error> {
        self.run(&mut session, Time::MAX)?;
        Ok(session.finish())
    }

    /// Compares the run with the recorded one.
    pub fn check(&self, run: &Run) -> Check {
        let dir = self.dir.display();
        let hash = format!("{:016x}", run.outcome.trajectory_hash);
        let recorded = self.recorded["trajectory_hash"].as_str();
        let this = env!("CARGO_PKG_VERSION");
        // The status of a cached run begins with this word as well.
        let status = self.recorded["status"].as_str().unwrap_or("");
        let ended = status.starts_with(RunOrigin::Ran.word());
        let (same, says) = match recorded.filter(|_| ended) {
            Some(known) if known == hash => (
                true,
                format!(
                    "The run was repeated, with the trajectory hash {hash} that {dir} records."
                ),
            ),
            Some(known) => (
                false,
                format!(
                    "The repeated run differs from the recorded one: its trajectory hash is \
                     {hash}, {dir} records {known} (written by version {}, this is version \
                     {this}). The account above may not apply to the recorded run.",
                    self.version
                ),
            ),
            None => (
                true,
                format!(
                    "The run in {dir} was interrupted or never begun. The repeated run went to its \
                     end, so its trajectory hash {hash} cannot be compared."
                ),
            ),
        };
        Check {
            same,
            json: json!({
                "trajectory_hash": hash,
                "recorded": recorded,
                "same": recorded.map(|known| known == hash),
                "says": says,
            }),
        }
    }
}
