//! Vocabulary of claims and plots: numbers of a summary by name.
//!
//! **Decision**     all facts about a number are in [`METRICS`], once: its unit, its population, whether it is
//!                  a count, and the probe without which it is missing. Metrics of one class are in
//!                  [`CLASS_METRICS`]. Reports, plots, tables and claims read these entries; none parses the
//!                  name.
//! **Units**        milliseconds, shares from 0 to 1, or the unit in the description.

mod class;
mod entry;
mod needs;
mod population;
mod reading;
mod samples;
mod table;

pub use class::{CLASS_METRICS, Named, find, is_count};
pub use entry::{Each, Metric, OfFlows, SampleKind, Unit, Values};
pub use needs::Needs;
pub use population::Population;
pub use reading::Reading;
pub(crate) use samples::of_flows;
pub use samples::{SAMPLES, class_samples, sample};
pub use table::METRICS;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Signals;
    use sidestep_switch::DropReason;

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
        }
        for metric in METRICS.iter().chain(CLASS_METRICS) {
            let ms = metric.unit == Unit::Ms;
            assert_eq!(metric.name.ends_with("_ms"), ms, "{}", metric.name);
        }
    }

    #[test]
    fn a_class_is_named_behind_a_colon() {
        let found = find("fct_p99_ms:storage").unwrap();
        assert_eq!((found.name, found.class), ("fct_p99_ms", Some("storage")));
        assert_eq!(find("drops").unwrap().class, None);
        assert!(is_count("drops:web") && !is_count("slowdown_p99:web"));
        for unknown in ["fct_p99_ms", "qct_p99_ms:web", "fct_p98_ms:web", ":"] {
            assert!(find(unknown).is_none(), "{unknown}");
        }
        assert!(sample("fct_ms:web").is_some() && sample("group_ms").is_some());
        assert!(sample("fct_ms").is_none() && sample("qct_ms:web").is_none());
        assert_eq!(
            sample("slowdown:web").unwrap().label("slowdown:web"),
            "web: completion time over that in an idle network"
        );
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
