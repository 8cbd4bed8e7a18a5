//! What is not cut yet.

use crate::config::{TraceFilter, WorldConfig};

/// Why a run with these settings is in one piece, if it is: what is named here is one to a world still.
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
