//! Statistics people can trust: exact percentiles, censoring, intervals over seeds.

mod by_name;
mod fairness;
mod interval;
pub mod metric;
mod reordering;
mod sample;
pub mod slowdown;
mod summarise;
mod summary;
mod ways;

pub use fairness::jain;
pub use interval::{Interval, t_975, t_interval, t_interval_of};
pub use sample::{Percentile, Sample};
pub use summarise::summarise;
pub use summary::{ClassSummary, LinkUse, Percentiles, Sampled, Summary, place};
