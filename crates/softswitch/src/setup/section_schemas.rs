//! Schema of a config, section by section: the tables that the reader uses, for programs that explain them.

use super::hosts::{NETWORK, ROUTER, STATION};
use super::ports::PORT;
use super::process::PROCESS;
use super::read::SECTIONS;
use super::settings::SWITCH;
use super::shims::SHIMS;
use sidestep_config::decision::POLICIES;
use sidestep_config::spec::Choice;
use sidestep_types::Param;

pub use super::read::TOP;

/// Section of a config.
#[derive(Clone, Copy)]
pub struct SectionSchema {
    /// Name of the section.
    pub name: &'static str,
    /// True if it occurs once; false if once for each port, station or prefix.
    pub once: bool,
    /// Parameters of the section.
    pub params: &'static [Param],
    /// Policies or shims that the section can choose.
    pub choices: &'static [Choice],
    /// Keys that hold a list of words.
    pub lists: &'static [&'static str],
}

/// Returns all sections, in the order of the documents.
pub fn section_schemas() -> impl Iterator<Item = SectionSchema> {
    SECTIONS.into_iter().map(|name| {
        let (once, params, choices, lists): (bool, _, &[Choice], &[&str]) = match name {
            "switch" => (true, SWITCH, POLICIES, &[]),
            "process" => (true, PROCESS, &[], &[]),
            "port" => (false, PORT, SHIMS, &["shims"]),
            "station" => (false, STATION, &[], &["addresses", "ports"]),
            "router" => (true, ROUTER, &[], &["addresses"]),
            "network" => (false, NETWORK, &[], &["ports"]),
            other => unreachable!("the section {other:?} has no table"),
        };
        SectionSchema {
            name,
            once,
            params,
            choices,
            lists,
        }
    })
}
