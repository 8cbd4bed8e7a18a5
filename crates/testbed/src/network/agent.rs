//! PLTS's agent for drop-tail queues at every host: our BPF programs at both sides of its interface.
//!
//! **Decision**     that of `crates/testbed/bpf/sidestep_agent.bpf.c`, below the kernel's own TCP, which knows nothing of it.
//! **State**        in the kernel, two programs and their maps for each host, pinned under [`PINS`] and the testbed's name;
//!                  made anew for each run, so that no run knows the one before.
//! **Errors**       name the Debian package of the tool that is missing.
//! **Source**       Dixit et al., Purdue CS TR 11-011, section III-C2.

use super::blueprint::{Agent, Blueprint};
use super::hosts::INTERFACE;
use super::{bpf, netns, state, tools};
use crate::error::{Error, failed};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The program.
const SOURCE: &str = include_str!("../../bpf/sidestep_agent.bpf.c");

/// Where the kernel keeps what is pinned; bpftool mounts it where nobody has.
const PINS: &str = "/sys/fs/bpf";

/// What the program counts, in the order of its map.
pub const COUNTED: [&str; 5] = [
    "AgentAcks",
    "AgentDuplicates",
    "AgentDropped",
    "AgentThrough",
    "AgentRuns",
];

/// The folder of what a testbed pins.
fn pins(testbed: &str) -> PathBuf {
    Path::new(PINS).join(format!("sidestep-{testbed}"))
}

/// Refuses to begin without what builds and loads the program.
pub fn need() -> Result<(), Error> {
    bpf::need("host.shims: agent-droptail is a BPF program on the testbed, and building it")
}

/// Builds the program, which waits in the testbed's folder for each run.
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

/// Puts fresh programs with empty maps in the place of what is there, at every host.
pub fn renew(print: &Blueprint) -> Result<(), Error> {
    if print.settings.agent.is_none() {
        return Ok(());
    }
    let object = folder(print).join("program.bpf.o").display().to_string();
    let pins = pins(&print.name);
    // bpftool mounts the file system where it is not; what is made below it before would be hidden.
    let trial = trial(&print.name);
    tools::run("bpftool", &["prog", "loadall", &object, &text(&trial)], "")?;
    for old in [&trial, &pins] {
        if old.exists() {
            fs::remove_dir_all(old).map_err(failed(format!("cannot remove {}", old.display())))?;
        }
    }
    fs::create_dir(&pins).map_err(failed(format!("cannot make {}", pins.display())))?;
    for h in 0..print.hosts {
        let (programs, maps) = (
            text(&pins.join(format!("h{h}"))),
            text(&maps(&print.name, h)),
        );
        let load = ["prog", "loadall", &object, &programs, "pinmaps", &maps];
        tools::run("bpftool", &load, "")?;
        // Not by `tc -n`: that has a /sys of its own, without what is pinned.
        netns::within(&print.host_space(h), || {
            tc(&format!("qdisc replace dev {INTERFACE} clsact"))?;
            for (side, program) in SIDES {
                tc(&format!(
                    "filter replace dev {INTERFACE} {side} prio 1 handle 1 bpf direct-action object-pinned \
                     {programs}/{program}"
                ))?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Which program is at which side of an interface.
const SIDES: [(&str, &str); 2] = [("ingress", "sidestep_up"), ("egress", "sidestep_down")];

fn tc(words: &str) -> Result<(), Error> {
    let words: Vec<&str> = words.split(' ').collect();
    tools::run("tc", &words, "").map(drop)
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

fn trial(testbed: &str) -> PathBuf {
    Path::new(PINS).join(format!("sidestep-{testbed}-trial"))
}

fn maps(testbed: &str, host: usize) -> PathBuf {
    pins(testbed).join(format!("m{host}"))
}

/// What the program of a host has counted since it was put there; nothing without one.
pub fn counted(print: &Blueprint, host: usize) -> Result<BTreeMap<String, u64>, Error> {
    if print.settings.agent.is_none() {
        return Ok(BTreeMap::new());
    }
    let map = maps(&print.name, host).join("counts").display().to_string();
    let said = tools::run("bpftool", &["-j", "map", "dump", "pinned", &map], "")?;
    read(&said).ok_or_else(|| {
        Error::Work(format!(
            "bpftool map dump pinned {map}: expected {} numbers, got {said:?}",
            COUNTED.len()
        ))
    })
}

/// The numbers of a map of 64 bits each, as bpftool says them.
fn read(said: &str) -> Option<BTreeMap<String, u64>> {
    let rows: Value = serde_json::from_str(said).ok()?;
    let number = |row: &Value| row["formatted"]["value"].as_u64();
    let numbers: Option<Vec<u64>> = rows.as_array()?.iter().map(number).collect();
    let numbers = numbers.filter(|all| all.len() == COUNTED.len())?;
    Some(COUNTED.map(String::from).into_iter().zip(numbers).collect())
}

/// Forgets what a testbed has pinned. The namespaces, which go first, hold the programs.
pub fn unpin(testbed: &str) -> Result<(), Error> {
    for pinned in [trial(testbed), pins(testbed)] {
        if pinned.exists() {
            let doing = format!("cannot remove {}", pinned.display());
            fs::remove_dir_all(&pinned).map_err(failed(doing))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod rows;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_in_the_order_of_the_map() {
        let row = |n: u64| {
            format!("{{\"key\":[],\"value\":[],\"formatted\":{{\"key\":0,\"value\":{n}}}}}")
        };
        let said = |n: u64| format!("[{}]", (0..n).map(row).collect::<Vec<_>>().join(","));
        let read_back = read(&said(5)).unwrap();
        assert_eq!((read_back["AgentAcks"], read_back["AgentDropped"]), (0, 2));
        assert_eq!(read_back["AgentRuns"], 4);
        assert_eq!(read(&said(4)), None);
        assert_eq!(read("[]x"), None);
    }
}
