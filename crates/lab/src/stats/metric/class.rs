//! Metrics of one class: a workload, or a class of a flow list.
//!
//! **Decision**     `METRIC:CLASS` names such a metric. `CLASS` is the name of the class as in tables; for a
//!                  class of a flow list its word alone is enough, if no other class has it.
//! **Units**        those of [`super::METRICS`]. Packets are data packets.

use super::entry::{Kind, Metric, SampleKind, Values};
use super::reading::{count, known, mean, number, p50, p95, p99, p999};
use super::table::METRICS;
use super::{Population, Reading, Unit};
use crate::stats::Summary;
use std::ops::Deref;

/// Defines the table of metrics of a class.
macro_rules! of_class {
    ($($population:ident $kind:ident $name:literal $doc:literal => $read:expr;)*) => {
        /// All metrics of a class, in listing order.
        pub const CLASS_METRICS: &[Metric] = &[$(
            Metric::of_class($name, $doc, Population::$population, Kind::$kind, $read),
        )*];
    };
}

of_class! {
    Flows Ms "fct_p50_ms" "median completion time of its finite flows" => |c| p50(&c.fct_ms);
    Flows Ms "fct_p95_ms" "95th percentile of completion time of its finite flows" => |c| p95(&c.fct_ms);
    Flows Ms "fct_p99_ms" "99th percentile of completion time of its finite flows" => |c| p99(&c.fct_ms);
    Flows Ms "fct_p999_ms" "99.9th percentile of completion time of its finite flows" => |c| p999(&c.fct_ms);
    Flows Ms "fct_mean_ms" "mean completion time of its finite flows" => |c| mean(&c.fct_ms);
    Flows Share "fct_completed_share" "share of its finite flows that completed" => |c| known(c.fct_ms.completed_share);
    Flows Number "slowdown_p50" "median of its flows' completion times over those in an idle network" => |c| p50(&c.slowdown);
    Flows Number "slowdown_p95" "95th percentile of its flows' completion times over those in an idle network" => |c| p95(&c.slowdown);
    Flows Number "slowdown_p99" "99th percentile of its flows' completion times over those in an idle network" => |c| p99(&c.slowdown);
    Flows Number "slowdown_p999" "99.9th percentile of its flows' completion times over those in an idle network" => |c| p999(&c.slowdown);
    Flows Number "slowdown_mean" "mean of its flows' completion times over those in an idle network" => |c| mean(&c.slowdown);
    GroupsOfClass Ms "group_p50_ms" "median completion time of groups of its flows" => |c| p50(&c.group_ms);
    GroupsOfClass Ms "group_p95_ms" "95th percentile of completion time of groups of its flows" => |c| p95(&c.group_ms);
    GroupsOfClass Ms "group_p99_ms" "99th percentile of completion time of groups of its flows" => |c| p99(&c.group_ms);
    GroupsOfClass Ms "group_p999_ms" "99.9th percentile of completion time of groups of its flows" => |c| p999(&c.group_ms);
    GroupsOfClass Ms "group_mean_ms" "mean completion time of groups of its flows" => |c| mean(&c.group_ms);
    GroupsOfClass Share "group_completed_share" "share of groups of its flows that completed" => |c| known(c.group_ms.completed_share);
    DataPackets Count "drops" "data packets dropped, for any reason" => |c| count(c.dropped);
    DataPackets Count "detours" "detours of its delivered data packets" => |c| count(c.detours_delivered);
    Flows Count "delivered_bytes" "its payload bytes delivered in order" => |c| number(c.delivered_bytes);
}

/// Span of a flow's completion time, for [`super::SAMPLES`].
pub(super) const FLOW: &str = "from the hand-over to the last byte in order";

/// Samples of a class.
pub(super) const CLASS_SAMPLES: [SampleKind; 3] = [
    SampleKind {
        name: "fct_ms",
        axis: FLOW,
        unit: Unit::Ms,
        needs: None,
        each: None,
        population: Population::Flows,
        values: Values::OfClass(|class| &class.fct),
    },
    SampleKind {
        name: "slowdown",
        axis: "completion time over that in an idle network",
        unit: Unit::Number,
        needs: None,
        each: None,
        population: Population::Flows,
        values: Values::OfClass(|class| &class.slowdown),
    },
    SampleKind {
        name: "group_ms",
        axis: GROUP,
        unit: Unit::Ms,
        needs: None,
        each: None,
        population: Population::GroupsOfClass,
        values: Values::OfClass(|class| &class.groups),
    },
];

/// Span of a group's completion time.
pub(super) const GROUP: &str = "from a group's first flow to the last byte of all";

/// Metric by its full name: of all flows, or of one class.
#[derive(Clone, Copy, Debug)]
pub struct Named<'a> {
    metric: &'static Metric,
    /// Class, as written in the name.
    pub class: Option<&'a str>,
}

/// The metric called `name`, behind a colon of one class.
pub fn find(name: &str) -> Option<Named<'_>> {
    let (table, name, class) = match name.split_once(':') {
        None => (METRICS, name, None),
        Some((name, class)) => (CLASS_METRICS, name, Some(class)),
    };
    let metric = table.iter().find(|metric| metric.name == name)?;
    Some(Named { metric, class })
}

/// Is `name` a metric that counts things, so that it grows with the number of seeds?
pub fn is_count(name: &str) -> bool {
    find(name).is_some_and(|metric| metric.is_count)
}

impl Named<'_> {
    /// Reads the metric from a summary: nothing if it was not measured, or the class does not exist.
    pub fn read(&self, summary: &Summary) -> Reading {
        let Some(name) = self.class else {
            return self.metric.read(summary);
        };
        let class = summary.class(name);
        class.map_or(Reading::Nothing, |class| self.metric.read_class(class))
    }

    /// Returns a description that stands alone.
    pub fn heading(&self) -> String {
        match self.class {
            None => self.metric.heading.into(),
            Some(class) => format!("{class}: {}", self.metric.heading),
        }
    }
}

impl Deref for Named<'_> {
    type Target = Metric;

    fn deref(&self) -> &Metric {
        self.metric
    }
}
