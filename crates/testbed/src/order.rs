//! Order of a testbed: stored by `up`, read again by `run`.

use crate::error::Error;
use crate::network::changes::check_engine;
use crate::network::state::State;
use crate::network::switches::{Engine, check_ebpf};
use crate::network::up::{TestbedPlan, up};
use crate::setup::TestbedSetup;
use serde_json::{Value, json};
use sidestep_lab::Scenario;
use sidestep_softswitch::ebpf;
use sidestep_study::files;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Scheme of a scenario, and how to build it.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// Path of a scenario file, or name of a shipped scenario.
    pub scenario: String,
    /// Name of the scheme.
    pub scheme: String,
    /// Settings that the user changed.
    pub sets: Vec<String>,
    /// True if the scenario's `[quick]` applies.
    pub quick: bool,
    /// Emulated rate of the first host's link.
    pub rate: String,
    /// Name of the testbed.
    pub name: String,
}

impl Order {
    /// Returns the order as stored in the testbed's state.
    pub fn to_json(&self) -> Value {
        json!({
            "scenario": self.scenario,
            "scheme": self.scheme,
            "sets": self.sets,
            "quick": self.quick,
            "rate": self.rate,
        })
    }

    /// Reads an order from the testbed's state.
    pub fn from_json(name: &str, value: &Value) -> Result<Order, Error> {
        let text = |key: &str| value[key].as_str().map(String::from);
        let sets = value["sets"].as_array().into_iter().flatten();
        let read = || {
            Some(Order {
                scenario: text("scenario")?,
                scheme: text("scheme")?,
                quick: value["quick"].as_bool()?,
                rate: text("rate")?,
                name: name.to_string(),
                sets: sets
                    .map(|s| s.as_str().map(String::from))
                    .collect::<Option<_>>()?,
            })
        };
        read().ok_or_else(|| {
            Error::Input(format!(
                "testbed {name}: expected a scenario in its state, got {value}; another version \
                 built it: remove it with `sidestep testbed down --name {name}` and build it again"
            ))
        })
    }

    /// Reads the scenario with this scheme alone, and with `seeds` if given.
    pub fn read(&self, seeds: Option<&str>) -> Result<TestbedSetup, Error> {
        let mut sets = self.sets.clone();
        sets.push(format!("schemes={}", self.scheme));
        sets.extend(seeds.map(|seeds| format!("seeds={seeds}")));
        let scenario = scenario(&self.scenario, &sets, self.quick)?;
        TestbedSetup::of(scenario, &self.rate, &self.name)
    }

    /// Builds the testbed; leaves nothing behind if that fails or `stop` becomes true.
    pub fn build(
        &self,
        engine: &Engine,
        stop: &AtomicBool,
    ) -> Result<(State, TestbedSetup), Error> {
        let setup = self.read(None)?;
        check_engine(engine.name(), &setup.changes)?;
        check_kernel(engine, [&setup])?;
        let plan = TestbedPlan {
            blueprint: &setup.blueprint,
            engine,
            note: self.to_json(),
        };
        let state = up(&plan, stop)?;
        Ok((state, setup))
    }
}

/// Refuses scenes that switches in the kernel cannot run, or this machine lacks support for; accepts all with
/// another engine.
pub fn check_kernel<'a>(
    engine: &Engine,
    scenes: impl IntoIterator<Item = &'a TestbedSetup>,
) -> Result<(), Error> {
    let Engine::Ebpf(..) = engine else {
        return Ok(());
    };
    for setup in scenes {
        check_ebpf(&setup.blueprint)?;
    }
    ebpf::need().map_err(Error::Input)
}

/// Returns the requested scheme, or the only one of the scenario.
pub fn choose(which: &str, sets: &[String], scheme: &Option<String>) -> Result<String, Error> {
    if let Some(scheme) = scheme {
        return Ok(scheme.clone());
    }
    let scenario = scenario(which, sets, false)?;
    let names: Vec<&str> = scenario.schemes.iter().map(|s| s.name.as_str()).collect();
    match names[..] {
        [only] => Ok(only.to_string()),
        _ => Err(Error::Input(format!(
            "expected --scheme with one of {}: a testbed has the switches and hosts of one scheme",
            names.join(", ")
        ))),
    }
}

fn scenario(which: &str, sets: &[String], quick: bool) -> Result<Scenario, Error> {
    let mut experiment = files::experiment(which, sets, quick)?;
    if experiment.is_sweep() {
        return Err(Error::Input(format!(
            "{which}: expected a scenario without [sweep]; use --set to give each axis a single \
             value"
        )));
    }
    Ok(experiment.points.pop().expect("there is a point").scenario)
}

/// Returns the absolute path of a file, so that it is found from another folder; a shipped name is returned
/// unchanged.
pub fn absolute(which: &str) -> String {
    match Path::new(which).canonicalize() {
        Ok(path) => path.display().to_string(),
        Err(_) => which.to_string(),
    }
}
