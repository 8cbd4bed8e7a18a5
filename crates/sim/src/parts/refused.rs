//! Settings that cannot be split yet.

use crate::config::{TraceFilter, WorldConfig};

/// Returns the reason why a run with these settings cannot be split, if there is one: some state still exists
/// once per world.
pub fn refused(config: &WorldConfig) -> Option<String> {
    let why = if config.switch.pfc.is_some() {
        "pauses (`pfc`) are not supported with several threads yet"
    } else if !config.changes.is_empty() {
        "`change` is not supported with several threads yet"
    } else if config.trace != TraceFilter::None {
        "paths of packets are not supported with several threads yet"
    } else {
        return None;
    };
    Some(why.to_string())
}
