//! Samples that a `cdf` can draw: completion times, and samples of probes.

use super::class::{CLASS_SAMPLES, FLOW, GROUP};
use super::entry::{OfFlows, SampleKind, Values};
use super::table::KINDS;
use super::{Population, Unit};
use crate::record::Record;

const TIMES: [SampleKind; 4] = [
    SampleKind {
        name: "qct_ms",
        axis: "from the query to its last response",
        unit: Unit::Ms,
        needs: None,
        each: None,
        population: Population::Queries,
        values: Values::Times(|record| record.qct.clone()),
    },
    SampleKind {
        name: "fct_query_ms",
        axis: FLOW,
        unit: Unit::Ms,
        needs: None,
        each: None,
        population: Population::Responses,
        values: Values::Times(Record::responses),
    },
    SampleKind {
        name: "fct_short_ms",
        axis: FLOW,
        unit: Unit::Ms,
        needs: None,
        each: None,
        population: Population::ShortFlows,
        values: Values::Times(|record| record.fct_short.clone()),
    },
    SampleKind {
        name: "group_ms",
        axis: GROUP,
        unit: Unit::Ms,
        needs: None,
        each: None,
        population: Population::Groups,
        values: Values::Times(Record::groups),
    },
];

const COUNT: usize = {
    let (mut count, mut part) = (TIMES.len(), 0);
    while part < KINDS.len() {
        count += KINDS[part].len();
        part += 1;
    }
    count
};

/// Names of all samples, in listing order.
pub const SAMPLES: [&str; COUNT] = {
    let mut names = [""; COUNT];
    let mut n = 0;
    while n < TIMES.len() {
        names[n] = TIMES[n].name;
        n += 1;
    }
    let mut part = 0;
    while part < KINDS.len() {
        let mut i = 0;
        while i < KINDS[part].len() {
            names[n] = KINDS[part][i].name;
            n += 1;
            i += 1;
        }
        part += 1;
    }
    names
};

fn all() -> impl Iterator<Item = &'static SampleKind> {
    TIMES.iter().chain(KINDS.iter().copied().flatten())
}

/// Iterates over the names of the samples of a class, without the colon and class.
pub fn class_samples() -> impl Iterator<Item = &'static str> {
    CLASS_SAMPLES.iter().map(|sample| sample.name)
}

/// Returns the sample called `name`: `goodput_gbps` for `goodput_gbps.query`, the `fct_ms` of a class for
/// `fct_ms:web`.
pub fn sample(name: &str) -> Option<&'static SampleKind> {
    if let Some((name, _)) = name.split_once(':') {
        return CLASS_SAMPLES.iter().find(|sample| sample.name == name);
    }
    let (name, own) = match name.split_once('.') {
        Some((name, _)) => (name, true),
        None => (name, false),
    };
    all().find(|sample| sample.name == name && (sample.each.is_some() || !own))
}

/// Iterates over the samples with a value for each flow of some kind, with the functions that read them.
pub fn of_flows() -> impl Iterator<Item = (&'static str, OfFlows)> {
    all().filter_map(|sample| match sample.values {
        Values::Flows(values) => Some((sample.name, values)),
        Values::Times(_) | Values::OfClass(_) | Values::Probed => None,
    })
}
