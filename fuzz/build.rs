//! Passes the switches of `conformance/scenarios/` to the target `machine`: a new policy is fuzzed as its
//! scenario configures it.

use std::{env, fs, path::Path};

/// Keys of `[switch]` that any switch can have; others need the scenario's hosts or tags.
const DECISION: [&str; 6] = ["capacity", "memory", "alpha", "route", "buffer", "sched"];

fn main() {
    let folder = Path::new("../conformance/scenarios");
    println!("cargo::rerun-if-changed={}", folder.display());
    let entries = fs::read_dir(folder).expect("the scenarios are in the repository");
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("a folder can be listed").path())
        .collect();
    paths.sort();
    let mut switches: Vec<String> = paths
        .iter()
        .map(|path| decision(&fs::read_to_string(path).expect("a scenario can be read")))
        .collect();
    switches.sort();
    switches.dedup();
    let text = format!("const CONFORMANCE: &[&str] = &{switches:?};\n");
    let out = env::var("OUT_DIR").expect("cargo says where");
    fs::write(Path::new(&out).join("switches.rs"), text)
        .expect("the build folder can be written to");
}

/// Returns the lines of `[switch]` in `scenario` that configure the decision.
fn decision(scenario: &str) -> String {
    let rest = scenario
        .split_once("[switch]\n")
        .expect("a switch is said")
        .1;
    let table = rest.lines().take_while(|line| !line.starts_with('['));
    let says = |line: &&str| {
        let key = line.split('=').next().unwrap_or_default().trim();
        DECISION.contains(&key)
    };
    table.filter(says).collect::<Vec<_>>().join("\n")
}
