//! Base of a load: the links of hosts, or the links above the switches with hosts.
//!
//! **Decision**     `load` of `host` is a share of each host's own link. `load` of `fabric` is a share of the
//!                  capacity, one way,
//!                  of the links from switches with hosts to switches without: leaf to spine, edge to
//!                  aggregation. All hosts
//!                  then offer the same share of their own links, so that together they offer that load.
//! **Units**        payload bits, headers and framing not counted, over bits per second.
//! **Errors**       a share of a fabric where every switch has hosts, or none; a share of 0; a share above 1
//!                  without `overload`; both a load and the parameter that it replaces, or neither.
//! **Source**       Abdous et al., CoNEXT 2021 (Vertigo) count load so: 4,000 queries a second of 100 × 40 kB
//!                  are 10 % of
//!                  8 × 4 × 40 Gbps.
//! **Deviations**   flows between hosts of one switch count as well, as they do there.

use super::Site;
use sidestep_types::{Refusal, Settings, Words};

/// Parameter for the base of `load`.
#[derive(Clone, Copy, Settings)]
pub(super) struct LoadOf {
    /// links that load is a share of: those of hosts, or those above the switches with hosts
    #[setting(default = "host")]
    pub load_of: Links,
    /// allow a load above 1, which the links cannot carry: queues and completion times then grow with duration
    #[setting(default = "false")]
    pub overload: bool,
}

#[derive(Clone, Copy, PartialEq, Words)]
pub(super) enum Links {
    Host,
    Fabric,
}

/// The share of its own link that each host offers, of `load`. `per` is what says so where that is off.
///
/// `None` where `per` is given, which `given` says; errors unless exactly one of both is.
pub(super) fn of_links(
    load: Option<f64>,
    LoadOf { load_of, overload }: LoadOf,
    site: &Site,
    per: &'static str,
    given: bool,
) -> Result<Option<f64>, Refusal> {
    match load {
        None if given && load_of == Links::Fabric => {
            let expected = "load_of = \"fabric\" needs a load";
            Err(Refusal::about(&["load_of", "load"], expected).got("load = \"off\""))
        }
        None if given => Ok(None),
        Some(share) if !given && share > 1.0 && !overload => {
            let expected = "load must be at most 1 (a percentage needs its sign: \"50 %\"; overload = true allows more)";
            Err(Refusal::about(&["load"], expected).got(share))
        }
        Some(share) if !given => match load_of {
            Links::Host => Ok(Some(share)),
            Links::Fabric => Ok(Some(share * of_fabric_to_links(site)?)),
        },
        load => {
            let got = if load.is_some() { "both" } else { "neither" };
            let expected = format!("set one of {per} and load, and the other to \"off\"");
            Err(Refusal::about(&[per, "load"], expected).got(got))
        }
    }
}

/// Returns the ratio of the fabric's capacity to that of the links of all hosts.
fn of_fabric_to_links(site: &Site) -> Result<f64, Refusal> {
    match &site.fabric {
        Some(fabric) => Ok(fabric.bps as f64 / site.access_bps()),
        None => {
            let expected = "load_of = \"fabric\" needs switches that connect the racks";
            let got = "a topology without any";
            Err(Refusal::about(&["load_of"], expected).got(got))
        }
    }
}
