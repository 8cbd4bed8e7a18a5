//! Settings that cannot be split yet.

use crate::config::{TraceFilter, WorldConfig};

/// Returns the reason why a run with these settings cannot be split, if there is one: some state still exists
/// once per world.
pub fn refused(config: &WorldConfig) -> Option<String> {
    let why = if config.switch.pfc.is_some() {
        "pauses (`pfc`) are exchanged between switches at once"
    } else if !config.changes.is_empty() {
        "`change` happens to both ends of a link at once"
    } else if config.trace != TraceFilter::None {
        "the paths of packets are kept in one place"
    } else {
        return None;
    };
    Some(why.to_string())
}
