//! The vocabulary of claims: numbers that a summary can be asked for by name.

use super::{Percentiles, Summary};
use crate::probe::Loops;

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

    /// The sum, with its bound.
    pub fn plus(self, other: Reading) -> Reading {
        self.minus(other.times(-1.0))
    }

    /// The multiple, with its bound.
    pub fn times(self, by: f64) -> Reading {
        use Reading::{AtLeast, AtMost, Exactly, Nothing};
        match self {
            Exactly(v) => Exactly(v * by),
            AtLeast(v) if by < 0.0 => AtMost(v * by),
            AtMost(v) if by < 0.0 => AtLeast(v * by),
            AtLeast(v) => AtLeast(v * by),
            AtMost(v) => AtMost(v * by),
            Nothing => Nothing,
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
    (
        $($name:literal $doc:literal $read:expr;)*
        samples { $($sample:literal $of:literal;)* }
    ) => {
        /// All metrics, in the order in which they are listed: those of samples last, five each.
        pub const METRICS: &[Metric] = &[
            $(Metric { name: $name, doc: $doc, read: |s| measured($name, s, $read) },)*
            $(
                sampled!($sample "_mean" "mean of " $of, |s| s.mean),
                sampled!($sample "_p10" "10th percentile of " $of, |s| s.p10),
                sampled!($sample "_p50" "median of " $of, |s| s.p50),
                sampled!($sample "_p90" "90th percentile of " $of, |s| s.p90),
                sampled!($sample "_max" "largest of " $of, |s| s.max),
            )*
        ];
    };
}

/// One number of one sample.
macro_rules! sampled {
    ($sample:literal $suffix:literal $what:literal $of:literal, $read:expr) => {
        Metric {
            name: concat!($sample, $suffix),
            doc: concat!($what, $of),
            read: |s| known(s.samples.get($sample).map($read)),
        }
    };
}

metrics! {
    "qct_p50_ms" "median query completion time" |s| p50(&s.qct_ms);
    "qct_p99_ms" "99th percentile of query completion time" |s| p99(&s.qct_ms);
    "qct_min_ms" "the shortest query completion time" |s| known(s.qct_ms.min);
    "qct_max_ms" "the longest query completion time" |s| bounded(s.qct_ms.max, s.qct_ms.max_at_least);
    "qct_completed_share" "share of queries that completed" |s| known(s.qct_ms.completed_share);
    "fct_short_p50_ms" "median completion time of background flows of 1 to 10 kB" |s| p50(&s.fct_short_ms);
    "fct_short_p99_ms" "99th percentile of the same" |s| p99(&s.fct_short_ms);
    "fct_short_completed_share" "share of those flows that completed" |s| known(s.fct_short_ms.completed_share);
    "fct_query_p50_ms" "median completion time of the flows of queries" |s| p50(&s.fct_query_ms);
    "fct_query_p99_ms" "99th percentile of the same" |s| p99(&s.fct_query_ms);
    "fct_background_p50_ms" "median completion time of all background flows that end" |s| p50(&s.fct_background_ms);
    "fct_background_p99_ms" "99th percentile of the same" |s| p99(&s.fct_background_ms);
    "fct_long_p50_ms" "median completion time of background flows of more than 1 MB" |s| p50(&s.fct_long_ms);
    "fct_long_p99_ms" "99th percentile of the same" |s| p99(&s.fct_long_ms);
    "query_timeout_share" "share of the queries with a response that ran into a timeout" |s| known(s.query_timeout_share);
    "response_timeout_share" "share of the responses that ran into a timeout" |s| known(s.response_timeout_share);
    "drops" "packets dropped, for any reason" |s| number(s.drops.values().sum());
    "drops_full" "packets dropped because no queue would take them" |s| drops(s, "full");
    "drops_ttl" "packets dropped because their time to live ran out" |s| drops(s, "ttl");
    "drops_early" "packets dropped early by an active queue manager" |s| drops(s, "early");
    "drops_evicted" "packets dropped from a queue to make room for better ones" |s| drops(s, "evicted");
    "drops_detours" "packets dropped because they had been detoured as often as is allowed" |s| drops(s, "detours");
    "trims" "packets that lost their payload in a switch" |s| number(s.trims);
    "detours" "detours of all packets" |s| number(s.detours);
    "detoured_share" "share of all packets delivered, acknowledgements included, that were detoured" |s| known(s.detoured_share);
    "detoured_data_share" "share of the data packets delivered that were detoured at least once" |s| known(s.detoured_data_share);
    "detoured_query_share" "share of the detoured data packets that belong to queries" |s| known(s.detoured_query_share);
    "detoured_background_share" "share of the background data packets delivered that were detoured" |s| known(s.detoured_background_share);
    "detours_per_packet" "mean detours of a data packet delivered, those without any included" |s| known(s.detours_per_packet);
    "detours_p99" "99th percentile of the detours of a query's data packet delivered" |s| whole(s.detours_p99);
    "detours_max" "the most detours of a data packet delivered" |s| whole(s.detours_max);
    "stretch_mean" "mean over the data packets delivered of switches crossed over those of a shortest path" |s| known(s.stretch_mean);
    "extra_hops_p99" "99th percentile of the switches that a data packet delivered crossed beyond a shortest path" |s| whole(s.extra_hops_p99);
    "link_use_mean" "mean share of the run that a link out of a switch was busy" |s| known(s.link_use.mean);
    "link_use_max" "the same of the busiest link out of a switch" |s| known(s.link_use.max);
    "marks" "packets marked" |s| number(s.marks);
    "timeouts" "retransmission timeouts" |s| number(s.timeouts);
    "retransmits" "data segments sent again" |s| number(s.retransmits);
    "spurious_retransmits" "data segments sent again of which the network had lost nothing since they were last sent" |s| number(s.spurious_retransmits);
    "spurious_timeouts" "retransmission timeouts at which the network had not lost the oldest byte waited for" |s| number(s.spurious_timeouts);
    "reordered_share" "share of the data packets delivered that arrived after one sent later (RFC 4737)" |s| known(s.reordered_share);
    "reordering_p99" "n-reordering (RFC 4737 section 5.4) that 99 % of the reordered data packets do not exceed" reordering;
    "pauses" "pauses that switches sent" |s| number(s.pauses);
    "deadlocks" "cycles of ports that came to wait for each other for ever" |s| number(s.deadlocks);
    "jain" "Jain's index of the goodputs of endless flows" |s| known(s.jain);
    "looped_share" "share of the detoured data packets that crossed a switch twice" looped_share;
    "loops_per_packet" "mean loops of a data packet, those without any included" loops_per_packet;
    "loop_length_mean" "mean length of a loop, in links" loop_length_mean;
    samples {
        "hot_link_share" "the share of links that are hot, over windows";
        "busiest_link_use" "the busiest link's use, over windows";
        "neighbour_free_1hop" "the free share of buffers one hop from a hot link";
        "neighbour_free_2hop" "the free share of buffers two hops from a hot link";
    }
}

/// What `read` finds, unless the metric called `name` was not measured.
fn measured(name: &str, summary: &Summary, read: fn(&Summary) -> Reading) -> Reading {
    match summary.unmeasured.has(name) {
        true => Reading::Nothing,
        false => read(summary),
    }
}

/// Does the metric count things, so that it grows with the number of seeds?
pub fn is_count(name: &str) -> bool {
    name.starts_with("drops")
        || name.starts_with("spurious_")
        || matches!(
            name,
            "trims" | "detours" | "marks" | "timeouts" | "retransmits" | "pauses" | "deadlocks"
        )
}

/// The key of `[probe]` without which the metric has no value, if it needs one.
pub fn probe_of(name: &str) -> Option<&'static str> {
    if name.starts_with("hot_link_share") || name.starts_with("busiest_link_use") {
        Some("links")
    } else if name.starts_with("neighbour_free") {
        Some("neighbours")
    } else if name.starts_with("loop") {
        Some("loops")
    } else {
        None
    }
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

fn reordering(summary: &Summary) -> Reading {
    let n = summary.reordering_p99.map(|n| n as f64);
    bounded(n, summary.reordering_p99_at_least)
}

fn known(value: Option<f64>) -> Reading {
    value.map_or(Reading::Nothing, Reading::Exactly)
}

fn looped_share(summary: &Summary) -> Reading {
    let share = |l: &Loops| (l.detoured > 0).then(|| l.looped as f64 / l.detoured as f64);
    known(summary.loops.as_ref().and_then(share))
}

fn loops_per_packet(summary: &Summary) -> Reading {
    let mean = |l: &Loops| (l.packets > 0).then(|| l.count() as f64 / l.packets as f64);
    known(summary.loops.as_ref().and_then(mean))
}

fn loop_length_mean(summary: &Summary) -> Reading {
    let mean = |l: &Loops| (l.count() > 0).then(|| l.links() as f64 / l.count() as f64);
    known(summary.loops.as_ref().and_then(mean))
}

fn whole(value: Option<u64>) -> Reading {
    value.map_or(Reading::Nothing, number)
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
        assert_eq!(Exactly(5.0).plus(AtLeast(2.0)), AtLeast(7.0));
        assert_eq!(AtMost(5.0).plus(AtLeast(2.0)), Nothing);
        assert_eq!(AtLeast(5.0).times(-2.0), AtMost(-10.0));
        assert_eq!(Exactly(6.0).over(AtLeast(2.0)), AtMost(3.0));
        assert_eq!(Exactly(6.0).over(Exactly(0.0)), Nothing);
    }

    #[test]
    fn what_a_probe_samples_can_be_drawn() {
        for metric in METRICS.iter().filter(|m| m.name.ends_with("_p90")) {
            let sample = metric.name.trim_end_matches("_p90");
            assert!(crate::SAMPLES.contains(&sample), "{sample}");
        }
    }

    #[test]
    fn what_only_a_probe_sees_says_which() {
        assert_eq!(probe_of("neighbour_free_1hop_p50"), Some("neighbours"));
        assert_eq!(probe_of("qct_p99_ms"), None);
    }

    #[test]
    fn names_are_unique() {
        for (i, metric) in METRICS.iter().enumerate() {
            assert!(METRICS[..i].iter().all(|before| before.name != metric.name));
        }
    }
}
