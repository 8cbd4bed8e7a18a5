//! Hosts that mark what they send by what they have sent: our BPF programs at both sides of their interfaces.
//!
//! **Decision**     that of `crates/testbed/bpf/sidestep_marks.bpf.c`, below sockets that know nothing of it.
//! **State**        in the kernel, two programs and their maps for each host, made anew for each run.
//! **Errors**       name the Debian package of the tool that is missing.
//! **Source**       Mushtaq et al., SIGCOMM 2014 (MulBuff), section 2, footnote 1.

use super::blueprint::{Blueprint, Marks};
use super::{bpf, state};
use crate::error::Error;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The program.
const SOURCE: &str = include_str!("../../bpf/sidestep_marks.bpf.c");

/// What the program counts.
pub const COUNTED: &str = "MarksChanged";

/// Which program is at which side of an interface.
const SIDES: [(&str, &str); 2] = [("ingress", "sidestep_hears"), ("egress", "sidestep_sends")];

/// What its pins are called after the testbed.
fn pins(testbed: &str) -> String {
    bpf::name_of(testbed, "marks")
}

/// The marks that a program sets.
fn by_sent(print: &Blueprint) -> Option<&Marks> {
    print.settings.marks.as_ref().filter(|marks| marks.by_sent)
}

/// Refuses to begin without what builds and loads the program, if there is to be one.
pub fn need(print: &Blueprint) -> Result<(), Error> {
    match by_sent(print) {
        None => Ok(()),
        Some(_) => bpf::need(
            "host.marker = \"host\": by-size by \"sent\" is a BPF program on the testbed, and building it",
        ),
    }
}

/// Builds the program, which waits in the testbed's folder for each run.
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

/// Puts fresh programs with empty maps in the place of what is there, at every host.
pub fn renew(print: &Blueprint) -> Result<(), Error> {
    match by_sent(print) {
        None => Ok(()),
        // Before others: it lets them look as well.
        Some(_) => bpf::renew(print, &folder(print), &pins(&print.name), SIDES, 1),
    }
}

/// What the program of a host has counted since it was put there; nothing without one.
pub fn counted(print: &Blueprint, host: usize) -> Result<BTreeMap<String, u64>, Error> {
    if by_sent(print).is_none() {
        return Ok(BTreeMap::new());
    }
    let numbers = bpf::counts::<1>(&pins(&print.name), host)?;
    Ok(BTreeMap::from([(COUNTED.to_string(), numbers[0])]))
}

/// Forgets what a testbed has pinned.
pub fn unpin(testbed: &str) -> Result<(), Error> {
    bpf::unpin(&pins(testbed))
}

#[cfg(test)]
mod rows;
