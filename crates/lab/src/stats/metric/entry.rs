//! What the tables of metrics and of samples say of each.

use super::{Needs, Population, Reading};
use crate::record::{ClassRecord, Record};
use crate::stats::{ClassSummary, Sample, Summary};
use serde::Serialize;
use sidestep_switch::DropReason;
use std::collections::BTreeMap;

/// A number a summary can be asked for.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// Its name in `[[claim]]` and `[[plot]]`, and its column in `points.parquet`.
    pub name: &'static str,
    /// What it is, in one line. Lines of the table may refer to the line before: `the same`.
    pub doc: &'static str,
    /// What it is, in words that stand alone.
    pub heading: &'static str,
    /// Its unit.
    pub unit: Unit,
    /// It counts things, summed over the seeds, so it grows with their number.
    pub is_count: bool,
    /// What it is taken over.
    pub population: Population,
    /// The probe without which it has no value, if it needs one.
    pub needs: Option<Needs>,
    /// Its row in the report of a run, if it has one.
    pub row: Option<&'static str>,
    read: Read,
}

/// What a number is measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Milliseconds.
    Ms,
    /// Microseconds.
    Us,
    /// Bytes.
    Bytes,
    /// 10⁹ bits a second.
    Gbps,
    /// A share of a whole, from 0 to 1.
    Share,
    /// Things of the kind that [`Metric::doc`] names, or their mean or percentile.
    Number,
}

impl Unit {
    /// As it stands after a number; empty where a number stands alone.
    pub const fn suffix(self) -> &'static str {
        match self {
            Unit::Ms => "ms",
            Unit::Us => "us",
            Unit::Bytes => "B",
            Unit::Gbps => "Gbps",
            Unit::Share | Unit::Number => "",
        }
    }
}

/// How a number is read from a summary.
#[derive(Clone, Copy, Debug)]
enum Read {
    By(fn(&Summary) -> Reading),
    OfClass(fn(&ClassSummary) -> Reading),
    Dropped(DropReason),
}

impl Metric {
    /// Is it the largest or the smallest of all that happened? Such a number is a fact of the runs that were made and
    /// no estimate: with more of them it moves on, and no interval surrounds it.
    pub fn is_extreme(&self) -> bool {
        let name = self.name.strip_suffix("_ms").unwrap_or(self.name);
        // A ratio of both is taken of each run, and averaged.
        (name.ends_with("_max") || name.ends_with("_min")) && !name.ends_with("_max_over_min")
    }

    /// Reads it from a summary: nothing where it was not measured, or is a number of one class.
    pub fn read(&self, summary: &Summary) -> Reading {
        match self.read {
            Read::By(read) => read(summary),
            Read::OfClass(_) => Reading::Nothing,
            Read::Dropped(reason) => {
                let count = |drops: &BTreeMap<String, u64>| drops.get(reason.name()).copied();
                match summary.drops.as_ref().map(count) {
                    Some(count) => Reading::Exactly(count.unwrap_or(0) as f64),
                    None => Reading::Nothing,
                }
            }
        }
    }
}

impl Metric {
    /// Reads it from a class of a summary.
    pub(super) fn read_class(&self, class: &ClassSummary) -> Reading {
        match self.read {
            Read::OfClass(read) => read(class),
            Read::By(_) | Read::Dropped(_) => Reading::Nothing,
        }
    }
}

/// What a line of the table says a number is.
pub(super) enum Kind {
    Ms,
    Us,
    Bytes,
    Gbps,
    Share,
    Number,
    /// A number that is summed over the seeds.
    Count,
}

impl Kind {
    pub(super) const fn unit(&self) -> Unit {
        match self {
            Kind::Ms => Unit::Ms,
            Kind::Us => Unit::Us,
            Kind::Bytes => Unit::Bytes,
            Kind::Gbps => Unit::Gbps,
            Kind::Share => Unit::Share,
            Kind::Number | Kind::Count => Unit::Number,
        }
    }
}

impl Metric {
    pub(super) const fn line(
        name: &'static str,
        doc: &'static str,
        population: Population,
        kind: Kind,
        read: fn(&Summary) -> Reading,
    ) -> Metric {
        Metric {
            name,
            doc,
            heading: doc,
            unit: kind.unit(),
            is_count: matches!(kind, Kind::Count),
            population,
            needs: None,
            row: None,
            read: Read::By(read),
        }
    }

    pub(super) const fn of_class(
        name: &'static str,
        doc: &'static str,
        population: Population,
        kind: Kind,
        read: fn(&ClassSummary) -> Reading,
    ) -> Metric {
        let line = Metric::line(name, doc, population, kind, |_| Reading::Nothing);
        let read = Read::OfClass(read);
        Metric { read, ..line }
    }

    pub(super) const fn dropped(reason: DropReason) -> Metric {
        Metric {
            name: reason.counted_as(),
            doc: reason.metric_doc(),
            heading: reason.metric_doc(),
            unit: Unit::Number,
            is_count: true,
            population: Population::Packets,
            needs: None,
            row: Some(reason.row()),
            read: Read::Dropped(reason),
        }
    }

    pub(super) const fn heading(mut self, heading: &'static str) -> Metric {
        self.heading = heading;
        self
    }

    pub(super) const fn needs(mut self, needs: Needs) -> Metric {
        self.needs = Some(needs);
        self
    }

    pub(super) const fn row(mut self, row: &'static str) -> Metric {
        self.row = Some(row);
        self
    }
}

/// A sample that a run leaves.
#[derive(Clone, Copy, Debug)]
pub struct SampleKind {
    /// Its name in `[[plot]]`.
    pub name: &'static str,
    /// What a value of it is.
    pub axis: &'static str,
    /// Its unit.
    pub unit: Unit,
    /// The probe without which it has no values, if it needs one.
    pub needs: Option<Needs>,
    /// What it has a sample for as well, each under its own name behind a dot: `goodput_gbps.query`.
    pub each: Option<Each>,
    /// What has a value each.
    pub population: Population,
    /// Where its values are.
    pub values: Values,
}

impl SampleKind {
    /// What stands on an axis of it, with its unit; `name` may be that of one workload alone.
    pub fn label(&self, name: &str) -> String {
        let unit = match self.unit.suffix() {
            "" => String::new(),
            unit => format!(", {unit}"),
        };
        let own = name
            .split_once(['.', ':'])
            .map_or(String::new(), |(_, own)| format!("{own}: "));
        format!("{own}{}{unit}", self.axis)
    }

    /// Does a run have one value of it for each window?
    pub fn has_windows(&self) -> bool {
        self.population == Population::Windows
    }
}

/// What a sample is also taken of by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Each {
    /// Each workload.
    Workload,
    /// Each reason of a drop.
    Reason,
    /// Each selection of links.
    Links,
}

/// Where the values of a sample are.
#[derive(Clone, Copy, Debug)]
pub enum Values {
    /// Completion times, those of the unfinished included.
    Times(fn(&Record) -> Sample),
    /// Likewise of a class, which the name of the sample ends in: completion times, or slowdowns where the
    /// unit is none.
    OfClass(fn(&ClassRecord) -> &Sample),
    /// One for each flow.
    Flows(OfFlows),
    /// In [`crate::Probed::samples`], under the name.
    Probed,
}

/// The values of a run's flows.
pub type OfFlows = fn(&Record) -> Vec<f64>;

impl Values {
    pub(super) const fn probed_or(of: &[OfFlows]) -> Values {
        match of {
            [of, ..] => Values::Flows(*of),
            [] => Values::Probed,
        }
    }
}
