//! The vocabulary of claims and plots: numbers that a summary can be asked for by name.
//!
//! **Decision**     what is known of a number is said once, in [`METRICS`]: its unit, what it is
//!                  taken over, whether it is a count, and the probe without which it is missing.
//!                  Reports, plots, tables and claims read it there; none looks at the name.
//! **Units**        milliseconds, shares from 0 to 1, or what the sentence says.

mod needs;
mod population;
mod reading;
mod samples;
mod table;

pub use needs::Needs;
pub use population::Population;
pub use reading::Reading;
pub use samples::{SAMPLES, SampleKind, Values, sample};
pub use table::METRICS;

use super::Summary;
use sidestep_switch::DropReason;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Milliseconds.
    Ms,
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
            Unit::Share | Unit::Number => "",
        }
    }
}

/// How a number is read from a summary.
#[derive(Clone, Copy, Debug)]
enum Read {
    By(fn(&Summary) -> Reading),
    Dropped(DropReason),
}

impl Metric {
    /// Reads it from a summary.
    pub fn read(&self, summary: &Summary) -> Reading {
        match self.read {
            Read::By(read) => read(summary),
            Read::Dropped(reason) => {
                let count = summary.drops.get(reason.name()).copied();
                Reading::Exactly(count.unwrap_or(0) as f64)
            }
        }
    }
}

/// The metric called `name`.
pub fn find(name: &str) -> Option<&'static Metric> {
    METRICS.iter().find(|metric| metric.name == name)
}

/// Is `name` a metric that counts things, so that it grows with the number of seeds?
pub fn is_count(name: &str) -> bool {
    find(name).is_some_and(|metric| metric.is_count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Signals;

    #[test]
    fn what_a_probe_samples_can_be_drawn() {
        for metric in METRICS.iter().filter(|m| m.name.ends_with("_p90")) {
            let sample = metric.name.trim_end_matches("_p90");
            assert!(SAMPLES.contains(&sample), "{sample}");
        }
    }

    #[test]
    fn what_only_a_probe_sees_says_which() {
        let needs = |name| find(name).unwrap().needs;
        assert_eq!(needs("neighbour_free_1hop_p50"), Some(Needs::Neighbours));
        assert_eq!(needs("busiest_link_use_max"), Some(Needs::Links));
        assert_eq!(needs("loop_length_mean"), Some(Needs::Loops));
        assert_eq!(needs("qct_p99_ms"), None);
    }

    #[test]
    fn names_are_unique_and_end_in_their_unit() {
        for (i, metric) in METRICS.iter().enumerate() {
            assert!(METRICS[..i].iter().all(|before| before.name != metric.name));
            let ms = metric.unit == Unit::Ms;
            assert_eq!(metric.name.ends_with("_ms"), ms, "{}", metric.name);
        }
    }

    #[test]
    fn headings_stand_alone() {
        for metric in METRICS {
            assert!(!metric.heading.contains("of the same"), "{}", metric.name);
        }
    }

    #[test]
    fn every_signal_and_every_reason_of_a_drop_is_a_count() {
        let reasons = DropReason::ALL.map(DropReason::counted_as);
        for name in Signals::NAMES.iter().chain(&reasons) {
            assert!(is_count(name), "the table of metrics lacks {name}");
        }
    }
}
