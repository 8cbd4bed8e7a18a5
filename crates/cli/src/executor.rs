//! `sidestep run --executor`: the Python package makes the sweep, since that is where Dask, Ray and Slurm are.
//!
//! **Decision**   `$SIDESTEP_PYTHON`, or `python3` on the path, is asked for the code that its package was built from. When it
//!                is this command's, the process becomes `python3 -m sidestep run …` with the same words.
//! **Errors**     a name that is none, before anything is asked to be installed for it; no Python, no package, a package of
//!                other code: each with what to install.

use crate::args::RunArgs;
use crate::failure::{Failure, Outcome};
use serde_json::Value;
use sidestep_lab::suggest;
use sidestep_study::sweep::CODE;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// Where the package is looked for.
const PYTHON: &str = "SIDESTEP_PYTHON";

/// Asks the package what it was built from.
const ASK: &str = "import json, sidestep; print(json.dumps(sidestep.build_info()))";

/// What stands before the colon of an executor. The package has the list (`_registry.py`), which a test of it holds against this
/// one: it takes a name that is none for what it is where there is no package yet.
const NAMES: [&str; 4] = ["local", "dask", "ray", "slurm"];

/// Becomes the Python package's command; comes back only when that cannot be.
pub fn hand_over(args: &RunArgs) -> Outcome {
    let asked = args.executor.as_deref().unwrap_or_default();
    let name = asked.split(':').next().unwrap_or_default();
    if !NAMES.contains(&name) {
        let (names, hint) = (NAMES.join(", "), suggest(name, NAMES));
        return Err(Failure::input(format!(
            "--executor: expected one of {names}, and behind a colon where it is, got {asked:?}{hint}"
        )));
    }
    let python = std::env::var_os(PYTHON).unwrap_or_else(|| "python3".into());
    let named = python.to_string_lossy().into_owned();
    check(&python, &named)?;
    let refused = Command::new(&python).args(words(args)).exec();
    Err(Failure::work(format!("cannot run {named}: {refused}")))
}

fn check(python: &OsString, named: &str) -> Result<(), Failure> {
    let asked = Command::new(python)
        .args(["-c", ASK])
        .stdin(Stdio::null())
        .output();
    let asked = asked.map_err(|e| install(format!("cannot run {named}: {e}")))?;
    if !asked.status.success() {
        let said = String::from_utf8_lossy(&asked.stderr);
        let last = said.trim().lines().last().unwrap_or("it said nothing");
        return Err(install(format!("{named} has no package sidestep: {last}")));
    }
    let info: Value = serde_json::from_slice(&asked.stdout).unwrap_or_default();
    match info["code"].as_str() {
        Some(CODE) => Ok(()),
        got => Err(install(format!(
            "the package sidestep of {named} is another version: expected {CODE}, got {}",
            got.unwrap_or("none")
        ))),
    }
}

fn install(why: String) -> Failure {
    Failure::input(format!(
        "--executor: {why}; pip install ./python in the sources of this version, or set {PYTHON} to the Python that has it"
    ))
}

/// The words for `python3`.
fn words(args: &RunArgs) -> Vec<OsString> {
    let mut words: Vec<OsString> = ["-m", "sidestep", "run"].map(OsString::from).into();
    let mut put = |name: &str, value: &dyn AsRef<std::ffi::OsStr>| {
        // In one word, so that no value is taken for an option.
        let mut word = OsString::from(format!("--{name}="));
        word.push(value.as_ref());
        words.push(word);
    };
    if let Some(executor) = &args.executor {
        put("executor", executor);
    }
    args.sets.iter().for_each(|set| put("set", set));
    // One seed is a list of one.
    let seeds = args.seed.map(|seed| seed.to_string());
    if let Some(seeds) = seeds.as_ref().or(args.seeds.as_ref()) {
        put("seeds", seeds);
    }
    if let Some(jobs) = args.jobs {
        put("jobs", &jobs.to_string());
    }
    if let Some(out) = &args.out {
        put("out", out);
    }
    if let Some(cache) = &args.cache {
        put("cache", cache);
    }
    let flags = [
        ("--json", args.json),
        ("--quick", args.quick),
        ("--no-cache", args.no_cache),
        ("--progress", args.progress),
    ];
    words.extend(
        flags
            .iter()
            .filter(|(_, set)| *set)
            .map(|(flag, _)| OsString::from(flag)),
    );
    words.extend(["--".into(), args.scenario.clone().into()]);
    words
}
