//! `sidestep run --executor`: hands the sweep over to the Python package, which supports Dask, Ray and Slurm.
//!
//! **Decision**   queries `$SIDESTEP_PYTHON`, or `python3` on the path, for the code version of its package. If
//!                it is this command's, the process becomes `python3 -m sidestep run …` with the same
//!                arguments.
//! **Errors**     an unknown executor, before anything has to be installed for it; a missing Python or package,
//!                or a package of another code version: each with the command to install it.

use crate::args::RunArgs;
use crate::failure::{Failure, Outcome};
use serde_json::Value;
use sidestep_lab::suggest;
use sidestep_study::sweep::CODE;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// Environment variable with the Python to use.
const PYTHON: &str = "SIDESTEP_PYTHON";

/// Script that prints the code version of the package.
const ASK: &str = "import json, sidestep; print(json.dumps(sidestep.build_info()))";

/// Names of executors, before the colon. The package has the same list (`_registry.py`), and a test there
/// compares the two: an unknown name is refused even if there is no package yet.
const NAMES: [&str; 4] = ["local", "dask", "ray", "slurm"];

/// Becomes the Python package's command; returns only if that fails.
pub fn hand_over(args: &RunArgs) -> Outcome {
    let asked = args.executor.as_deref().unwrap_or_default();
    let name = asked.split(':').next().unwrap_or_default();
    if !NAMES.contains(&name) {
        let (names, hint) = (NAMES.join(", "), suggest(name, NAMES));
        return Err(Failure::input(format!(
            "--executor: expected one of {names}, optionally with :ADDRESS, got {asked:?}{hint}"
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
        let last = said.trim().lines().last().unwrap_or("it printed nothing");
        return Err(install(format!(
            "{named} does not have the package sidestep: {last}"
        )));
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
        "--executor: {why}; run `pip install ./python` in the sources of this version, or set \
         {PYTHON} to a Python with the package"
    ))
}

/// Returns the arguments for `python3`.
fn words(args: &RunArgs) -> Vec<OsString> {
    let mut words: Vec<OsString> = ["-m", "sidestep", "run"].map(OsString::from).into();
    let mut put = |name: &str, value: &dyn AsRef<std::ffi::OsStr>| {
        // One argument, so that no value is parsed as an option.
        let mut word = OsString::from(format!("--{name}="));
        word.push(value.as_ref());
        words.push(word);
    };
    if let Some(executor) = &args.executor {
        put("executor", executor);
    }
    args.sets.iter().for_each(|set| put("set", set));
    if let Some(schemes) = &args.schemes {
        put("set", &format!("schemes={schemes}"));
    }
    // A single seed is a list of one.
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
        ("--all", args.all),
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
