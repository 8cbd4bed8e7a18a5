//! Packet marks by sent bytes: our BPF programs at both sides of every host's interface.
//!
//! **Decision**     that of `crates/testbed/bpf/sidestep_marks.bpf.c`, below unmodified sockets.
//! **State**        in the kernel, two programs and their maps for each host, made anew for each run.
//! **Errors**       name the Debian package of the tool that is missing.
//! **Source**       Mushtaq et al., SIGCOMM 2014 (MulBuff), section 2, footnote 1.

use super::blueprint::{Blueprint, Marks};
use super::{bpf, state};
use crate::error::Error;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Source of the program.
const SOURCE: &str = include_str!("../../bpf/sidestep_marks.bpf.c");

/// Name of the program's counter.
pub const COUNTED: &str = "MarksChanged";

/// Program at each side of an interface.
const SIDES: [(&str, &str); 2] = [("ingress", "sidestep_hears"), ("egress", "sidestep_sends")];

/// Returns the name of a testbed's pinned objects.
fn pins(testbed: &str) -> String {
    bpf::name_of(testbed, "marks")
}

/// Returns the marks, if a program sets them.
fn by_sent(print: &Blueprint) -> Option<&Marks> {
    print.settings.marks.as_ref().filter(|marks| marks.by_sent)
}

/// Refuses to begin if a program is needed and a tool to build or load it is missing.
pub fn need(print: &Blueprint) -> Result<(), Error> {
    match by_sent(print) {
        None => Ok(()),
        Some(_) => bpf::need(
            "host.marker = \"host\" with by-size.by = \"sent\" is a BPF program on the testbed; \
             building it",
        ),
    }
}

/// Builds the program into the testbed's folder, from which each run loads it.
pub fn build(print: &Blueprint) -> Result<(), Error> {
    match by_sent(print) {
        None => Ok(()),
        Some(marks) => bpf::build(&folder(print), SOURCE, &defines(marks)).map(drop),
    }
}

fn folder(print: &Blueprint) -> PathBuf {
    state::folder(&print.name).join("marks")
}

fn defines(marks: &Marks) -> Vec<String> {
    let ends: Vec<String> = marks.thresholds.iter().map(|b| format!("{b}ull")).collect();
    let codes: Vec<String> = marks.services.iter().map(u8::to_string).collect();
    vec![
        format!("SIDESTEP_ENDS={}", ends.join(",")),
        format!("SIDESTEP_CODES={}", codes.join(",")),
        format!("SIDESTEP_MIRROR={}", u8::from(marks.mirrors)),
    ]
}

/// Replaces the programs at every host by fresh ones with empty maps.
pub fn renew(print: &Blueprint) -> Result<(), Error> {
    match by_sent(print) {
        None => Ok(()),
        // Runs before other programs, and passes packets on to them.
        Some(_) => bpf::renew(print, &folder(print), &pins(&print.name), SIDES, 1),
    }
}

/// Returns the counter of a host's program since it was loaded; empty without a program.
pub fn counted(print: &Blueprint, host: usize) -> Result<BTreeMap<String, u64>, Error> {
    if by_sent(print).is_none() {
        return Ok(BTreeMap::new());
    }
    let numbers = bpf::counts::<1>(&pins(&print.name), host)?;
    Ok(BTreeMap::from([(COUNTED.to_string(), numbers[0])]))
}

/// Unpins the programs of a testbed.
pub fn unpin(testbed: &str) -> Result<(), Error> {
    bpf::unpin(&pins(testbed))
}

#[cfg(test)]
mod rows;
