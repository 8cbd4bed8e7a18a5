//! What a config may say, section by section: the tables that it is read by, for whoever explains them.

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

/// One section.
#[derive(Clone, Copy)]
pub struct Known {
    /// Its name.
    pub name: &'static str,
    /// Does it stand once, or once for each port, station or prefix?
    pub once: bool,
    /// Its parameters.
    pub params: &'static [Param],
    /// What it chooses.
    pub choices: &'static [Choice],
    /// Its keys that hold a list of words.
    pub lists: &'static [&'static str],
}

/// All sections, in the order of the documents.
pub fn known() -> impl Iterator<Item = Known> {
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
        Known {
            name,
            once,
            params,
            choices,
            lists,
        }
    })
}
