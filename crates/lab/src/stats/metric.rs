//! The vocabulary of claims: numbers that a summary can be asked for by name.

use super::{Percentiles, Summary};

/// A number a summary can be asked for.
#[derive(Debug)]
pub struct Metric {
    /// Its name in `[[claim]]`.
    pub name: &'static str,
    /// What it is, in one line, with its unit.
    pub doc: &'static str,
    /// Reads it.
    pub read: fn(&Summary) -> Reading,
}

/// A number, or what is known of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reading {
    /// This.
    Exactly(f64),
    /// This or more.
    AtLeast(f64),
    /// This or less.
    AtMost(f64),
    /// Not known: nothing was measured, or the bounds cancel.
    Nothing,
}

impl Reading {
    /// The difference, with its bound.
    pub fn minus(self, other: Reading) -> Reading {
        use Reading::{AtLeast, AtMost, Exactly, Nothing};
        match (self, other) {
            (Exactly(a), Exactly(b)) => Exactly(a - b),
            (AtLeast(a), Exactly(b) | AtMost(b)) | (Exactly(a), AtMost(b)) => AtLeast(a - b),
            (AtMost(a), Exactly(b) | AtLeast(b)) | (Exactly(a), AtLeast(b)) => AtMost(a - b),
            _ => Nothing,
        }
    }

    /// The ratio of two numbers that are not negative, with its bound.
    pub fn over(self, other: Reading) -> Reading {
        use Reading::{AtLeast, AtMost, Exactly, Nothing};
        match (self, other) {
            (_, Exactly(b) | AtLeast(b) | AtMost(b)) if b <= 0.0 => Nothing,
            (Exactly(a), Exactly(b)) => Exactly(a / b),
            (AtLeast(a), Exactly(b) | AtMost(b)) | (Exactly(a), AtMost(b)) => AtLeast(a / b),
            (AtMost(a), Exactly(b) | AtLeast(b)) | (Exactly(a), AtLeast(b)) => AtMost(a / b),
            _ => Nothing,
        }
    }
}

/// Writes the table.
macro_rules! metrics {
    ($($name:literal $doc:literal $read:expr;)*) => {
        /// All metrics, in the order in which they are listed.
        pub const METRICS: &[Metric] = &[$(Metric { name: $name, doc: $doc, read: $read },)*];
    };
}

metrics! {
    "qct_p50_ms" "median query completion time" |s| p50(&s.qct_ms);
    "qct_p99_ms" "99th percentile of query completion time" |s| p99(&s.qct_ms);
    "qct_completed_share" "share of queries that completed" |s| known(s.qct_ms.completed_share);
    "fct_short_p50_ms" "median completion time of background flows of 1 to 10 kB" |s| p50(&s.fct_short_ms);
    "fct_short_p99_ms" "99th percentile of the same" |s| p99(&s.fct_short_ms);
    "fct_short_completed_share" "share of those flows that completed" |s| known(s.fct_short_ms.completed_share);
    "drops" "packets dropped, for any reason" |s| number(s.drops.values().sum());
    "drops_full" "packets dropped because no queue would take them" |s| drops(s, "full");
    "drops_ttl" "packets dropped because their time to live ran out" |s| drops(s, "ttl");
    "drops_early" "packets dropped early by an active queue manager" |s| drops(s, "early");
    "detours" "detours of all packets" |s| number(s.detours);
    "detoured_share" "share of all packets delivered, acknowledgements included, that were detoured" |s| known(s.detoured_share);
    "detoured_data_share" "share of the data packets delivered that were detoured at least once" |s| known(s.detoured_data_share);
    "detoured_query_share" "share of the detoured data packets that belong to queries" |s| known(s.detoured_query_share);
    "detoured_background_share" "share of the background data packets delivered that were detoured" |s| known(s.detoured_background_share);
    "marks" "packets marked" |s| number(s.marks);
    "timeouts" "retransmission timeouts" |s| number(s.timeouts);
    "retransmits" "data segments sent again" |s| number(s.retransmits);
    "pauses" "pauses that switches sent" |s| number(s.pauses);
    "deadlocks" "cycles of ports that came to wait for each other for ever" |s| number(s.deadlocks);
    "jain" "Jain's index of the bytes that endless flows delivered" |s| known(s.jain);
}

/// Does the metric count things, so that it grows with the number of seeds?
pub fn is_count(name: &str) -> bool {
    name.starts_with("drops") || matches!(name, "detours" | "marks" | "timeouts" | "retransmits")
}

/// The metric called `name`.
pub fn find(name: &str) -> Option<&'static Metric> {
    METRICS.iter().find(|metric| metric.name == name)
}

fn p50(of: &Percentiles) -> Reading {
    bounded(of.p50, of.p50_at_least)
}

fn p99(of: &Percentiles) -> Reading {
    bounded(of.p99, of.p99_at_least)
}

fn bounded(value: Option<f64>, at_least: bool) -> Reading {
    match value {
        Some(v) if at_least => Reading::AtLeast(v),
        value => known(value),
    }
}

fn known(value: Option<f64>) -> Reading {
    value.map_or(Reading::Nothing, Reading::Exactly)
}

fn number(count: u64) -> Reading {
    Reading::Exactly(count as f64)
}

fn drops(summary: &Summary, reason: &str) -> Reading {
    number(summary.drops.get(reason).copied().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::Reading::{AtLeast, AtMost, Exactly, Nothing};
    use super::*;

    #[test]
    fn a_bound_stays_a_bound() {
        assert_eq!(Exactly(5.0).minus(Exactly(2.0)), Exactly(3.0));
        assert_eq!(AtLeast(5.0).minus(Exactly(2.0)), AtLeast(3.0));
        assert_eq!(Exactly(5.0).minus(AtLeast(2.0)), AtMost(3.0));
        assert_eq!(AtLeast(5.0).minus(AtLeast(2.0)), Nothing);
        assert_eq!(Exactly(6.0).over(AtLeast(2.0)), AtMost(3.0));
        assert_eq!(Exactly(6.0).over(Exactly(0.0)), Nothing);
    }

    #[test]
    fn names_are_unique() {
        for (i, metric) in METRICS.iter().enumerate() {
            assert!(METRICS[..i].iter().all(|before| before.name != metric.name));
        }
    }
}
