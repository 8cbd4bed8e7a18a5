//! Statistics people can trust: exact percentiles (for very many values to 0.05 %), censoring, intervals over
//! seeds.

mod by_name;
mod fairness;
mod interval;
pub mod metric;
mod reordering;
mod sample;
mod sections;
pub mod slowdown;
mod stored;
mod summarise;
mod summary;
mod times;
mod ways;

pub use fairness::{jain, max_over_min};
pub use interval::{Interval, t_975, t_interval, t_interval_of};
pub use sample::{Percentile, Sample};
pub use sections::{LEAST_SEEDS, are_apart, more_seeds, sectioned};
pub use stored::StoredSummary;
pub use summarise::summarise;
pub use summary::{ClassSummary, LinkUse, Percentiles, Sampled, Summary, place};
