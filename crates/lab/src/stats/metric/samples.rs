//! The samples that a `cdf` can be of: completion times, and what probes take.

use super::entry::{SampleKind, Values};
use super::table::PROBED;
use super::{Population, Unit};
use crate::record::Record;

const TIMES: [SampleKind; 3] = [
    SampleKind {
        name: "qct_ms",
        axis: "from the query to its last response",
        unit: Unit::Ms,
        needs: None,
        each: &[],
        population: Population::Queries,
        values: Values::Times(|record| record.qct.clone()),
    },
    SampleKind {
        name: "fct_query_ms",
        axis: FLOW,
        unit: Unit::Ms,
        needs: None,
        each: &[],
        population: Population::Responses,
        values: Values::Times(Record::responses),
    },
    SampleKind {
        name: "fct_short_ms",
        axis: FLOW,
        unit: Unit::Ms,
        needs: None,
        each: &[],
        population: Population::ShortFlows,
        values: Values::Times(|record| record.fct_short.clone()),
    },
];

const FLOW: &str = "from the hand-over to the last byte in order";

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

/// The sample called `name`; of `goodput_gbps.query` that is `goodput_gbps`.
pub fn sample(name: &str) -> Option<&'static SampleKind> {
    let (name, own) = match name.split_once('.') {
        Some((name, _)) => (name, true),
        None => (name, false),
    };
    let mut all = TIMES.iter().chain(PROBED);
    all.find(|sample| sample.name == name && (!sample.each.is_empty() || !own))
}
