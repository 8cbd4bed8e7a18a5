//! Entries of the tables of metrics and of samples.

use super::{Needs, Population, Reading};
use crate::record::{ClassRecord, Record};
use crate::stats::{ClassSummary, Sample, Summary};
use serde::Serialize;
use sidestep_switch::DropReason;
use std::collections::BTreeMap;

/// Number of a summary, known by name.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// Name in `[[claim]]` and `[[plot]]`, and column in `points.parquet`.
    pub name: &'static str,
    /// Description in one line. Lines of the table may refer to the line before: `the same`.
    pub doc: &'static str,
    /// Description that stands alone.
    pub heading: &'static str,
    /// Unit of the number.
    pub unit: Unit,
    /// True for a count summed over the seeds, which grows with their number.
    pub is_count: bool,
    /// Population it is taken over.
    pub population: Population,
    /// Probe without which it has no value, if it needs one.
    pub needs: Option<Needs>,
    /// Row in the report of a run, if it has one.
    pub row: Option<&'static str>,
    read: Read,
}

/// Unit of a number.
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
    /// Share of a whole, from 0 to 1.
    Share,
    /// Count of the items that [`Metric::doc`] names, or their mean or percentile.
    Number,
}

impl Unit {
    /// Returns the unit as written after a number; empty for a plain number.
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

/// Function that reads a number from a summary.
#[derive(Clone, Copy, Debug)]
enum Read {
    By(fn(&Summary) -> Reading),
    OfClass(fn(&ClassSummary) -> Reading),
    Dropped(DropReason),
}

impl Metric {
    /// True if it is the largest or the smallest of all values. Such a number is a fact of the runs that were
    /// made, not an estimate: more runs move it on, and no interval surrounds it.
    pub fn is_extreme(&self) -> bool {
        let name = self.name.strip_suffix("_ms").unwrap_or(self.name);
        // A ratio of maximum to minimum is computed for each run, and averaged.
        (name.ends_with("_max") || name.ends_with("_min")) && !name.ends_with("_max_over_min")
    }

    /// Reads the metric from a summary: nothing if it was not measured, or is a metric of one class.
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
    /// Reads the metric from a class of a summary.
    pub(super) fn read_class(&self, class: &ClassSummary) -> Reading {
        match self.read {
            Read::OfClass(read) => read(class),
            Read::By(_) | Read::Dropped(_) => Reading::Nothing,
        }
    }
}

/// Kind of a number, as a line of the table gives it.
pub(super) enum Kind {
    Ms,
    Us,
    Bytes,
    Gbps,
    Share,
    Number,
    /// Number that is summed over the seeds.
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

/// Sample of a run.
#[derive(Clone, Copy, Debug)]
pub struct SampleKind {
    /// Name in `[[plot]]`.
    pub name: &'static str,
    /// Description of a value.
    pub axis: &'static str,
    /// Unit of the values.
    pub unit: Unit,
    /// Probe without which it has no values, if it needs one.
    pub needs: Option<Needs>,
    /// Parts with separate samples, each under its name behind a dot: `goodput_gbps.query`.
    pub each: Option<Each>,
    /// Population with one value each.
    pub population: Population,
    /// Place of the values.
    pub values: Values,
}

impl SampleKind {
    /// Returns the label of an axis, with the unit; `name` may be that of one workload alone.
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

    /// True if a run has one value for each window.
    pub fn has_windows(&self) -> bool {
        self.population == Population::Windows
    }
}

/// Parts that a sample is also taken of, each by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Each {
    /// Each workload.
    Workload,
    /// Each reason of a drop.
    Reason,
    /// Each selection of links.
    Links,
}

/// Place of the values of a sample.
#[derive(Clone, Copy, Debug)]
pub enum Values {
    /// Completion times, including unfinished ones.
    Times(fn(&Record) -> Sample),
    /// Values of the class at the end of the sample's name: completion times, or slowdowns if there is
    /// no unit.
    OfClass(fn(&ClassRecord) -> &Sample),
    /// Value of each flow.
    Flows(OfFlows),
    /// Values in [`crate::Probed::samples`], under the name.
    Probed,
}

/// Function that returns the values of a run's flows.
pub type OfFlows = fn(&Record) -> Vec<f64>;

impl Values {
    pub(super) const fn probed_or(of: &[OfFlows]) -> Values {
        match of {
            [of, ..] => Values::Flows(*of),
            [] => Values::Probed,
        }
    }
}
