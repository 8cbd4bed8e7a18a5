//! Statistics people can trust: exact percentiles, censoring, intervals over seeds.

mod fairness;
mod interval;
pub mod metric;
mod sample;
mod summary;
mod ways;

pub use fairness::jain;
pub use interval::{Interval, t_975, t_interval};
pub use sample::{Percentile, Sample};
pub use summary::{
    ClassSummary, LinkUse, Percentiles, Sampled, Summary, query_times, short_flow_times, summarise,
};
pub(crate) use ways::add;
pub use ways::{Busy, Ways};
