//! The samples that a `cdf` can be of: completion times, and what probes take.

use super::Population;
use super::entry::{SampleKind, Values};
use super::table::PROBED;
use crate::record::Record;

const TIMES: [SampleKind; 3] = [
    SampleKind {
        name: "qct_ms",
        axis: "from the query to its last response, ms",
        population: Population::Queries,
        values: Values::Times(|record| record.qct.clone()),
    },
    SampleKind {
        name: "fct_query_ms",
        axis: FLOW,
        population: Population::Responses,
        values: Values::Times(Record::responses),
    },
    SampleKind {
        name: "fct_short_ms",
        axis: FLOW,
        population: Population::ShortFlows,
        values: Values::Times(|record| record.fct_short.clone()),
    },
];

const FLOW: &str = "from the hand-over to the last byte in order, ms";

/// The names of all samples, in the order in which they are listed.
pub const SAMPLES: [&str; TIMES.len() + PROBED.len()] = {
    let mut names = [""; TIMES.len() + PROBED.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = if i < TIMES.len() {
            TIMES[i].name
        } else {
            PROBED[i - TIMES.len()].name
        };
        i += 1;
    }
    names
};

/// The sample called `name`.
pub fn sample(name: &str) -> Option<&'static SampleKind> {
    let mut all = TIMES.iter().chain(PROBED);
    all.find(|sample| sample.name == name)
}
