//! PLTS's agent for drop-tail queues at every host: our BPF programs at both sides of its interface.
//!
//! **Decision**     that of `crates/testbed/bpf/sidestep_agent.bpf.c`, below the kernel's unmodified TCP.
//! **State**        in the kernel, two programs and their maps for each host, pinned under [`bpf::PINS`] and
//!                  the testbed's name; made anew for each run, so that no state carries over from the run
//!                  before.
//! **Errors**       name the Debian package of the tool that is missing.
//! **Source**       Dixit et al., Purdue CS TR 11-011, section III-C2.

use super::blueprint::{Agent, Blueprint};
use super::{bpf, state};
use crate::error::Error;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Source of the program.
const SOURCE: &str = include_str!("../../bpf/sidestep_agent.bpf.c");

/// Names of the program's counters, in the order of its map.
pub const COUNTED: [&str; 5] = [
    "AgentAcks",
    "AgentDuplicates",
    "AgentDropped",
    "AgentThrough",
    "AgentRuns",
];

/// Refuses to begin if a tool to build or load the program is missing.
pub fn need() -> Result<(), Error> {
    bpf::need("host.shims: agent-droptail is a BPF program on the testbed; building it")
}

/// Builds the program into the testbed's folder, from which each run loads it.
pub fn build(print: &Blueprint) -> Result<(), Error> {
    match print.settings.agent {
        None => Ok(()),
        Some(agent) => bpf::build(&folder(print), SOURCE, &defines(agent)).map(drop),
    }
}

fn folder(print: &Blueprint) -> PathBuf {
    state::folder(&print.name).join("agent")
}

fn defines(agent: Agent) -> Vec<String> {
    let flag = |on: bool| u64::from(on);
    let each = [
        ("PASS", agent.pass),
        ("PART", agent.share.0),
        ("WHOLE", agent.share.1),
        ("EXCEED", flag(agent.exceed)),
        ("PER_HOST", flag(agent.per_host)),
        ("FIRST", agent.first),
        ("REPAIRED", flag(agent.repaired)),
        ("RECOVERY", flag(agent.recovery)),
        ("SHORTEST", agent.shortest),
        ("LONGEST", agent.longest),
    ];
    let define = |(name, value)| format!("SIDESTEP_{name}={value}");
    each.map(define).to_vec()
}

/// Replaces the programs at every host by fresh ones with empty maps.
pub fn renew(print: &Blueprint) -> Result<(), Error> {
    match print.settings.agent {
        None => Ok(()),
        Some(_) => bpf::renew(print, &folder(print), &print.name, SIDES, 2),
    }
}

/// Program at each side of an interface.
const SIDES: [(&str, &str); 2] = [("ingress", "sidestep_up"), ("egress", "sidestep_down")];

/// Returns the counters of a host's program since it was loaded; empty without an agent.
pub fn counted(print: &Blueprint, host: usize) -> Result<BTreeMap<String, u64>, Error> {
    if print.settings.agent.is_none() {
        return Ok(BTreeMap::new());
    }
    let numbers = bpf::counts::<{ COUNTED.len() }>(&print.name, host)?;
    let names = COUNTED.map(String::from);
    Ok(names.into_iter().zip(numbers).collect())
}

/// Unpins the programs of a testbed. Namespaces, which are removed first, hold the programs.
pub fn unpin(testbed: &str) -> Result<(), Error> {
    bpf::unpin(testbed)
}

#[cfg(test)]
mod rows;
