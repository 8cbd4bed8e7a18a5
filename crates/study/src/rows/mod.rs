//! Rows of each table, and the source of their values.

mod counts;
mod flows;
mod groups;
mod kernel;
mod ports;
mod queries;
mod samples;
mod subflows;

pub use counts::{count_columns, count_rows};
pub use flows::{flow_columns, flow_rows};
pub use groups::{group_columns, group_rows};
pub use kernel::{KernelRow, kernel_columns};
pub use ports::{port_columns, port_rows};
pub use queries::{query_columns, query_rows};
pub use samples::{sample_columns, sample_rows};
pub use subflows::{subflow_columns, subflow_rows};

use sidestep_lab::CountSources;
use sidestep_sim::network::{End, Network};
use sidestep_sim::{Outcome, TrafficPlan};
use sidestep_types::Time;

/// Outcome of one run (one scheme, one seed), with what is needed to interpret it.
#[derive(Clone, Copy)]
pub struct Point<'a> {
    /// Name of the scheme.
    pub scheme: &'a str,
    /// Seed.
    pub seed: u64,
    /// Plan of the run.
    pub plan: &'a TrafficPlan,
    /// Outcome of the run.
    pub outcome: &'a Outcome,
    /// Sources that measured the run.
    pub told: &'a CountSources,
    /// True if the machine disturbed the run.
    pub disturbed: bool,
}

/// Returns the name of a node in results: `host 7`, or the switch's name.
pub fn end_name(network: &Network, end: End) -> String {
    end.name(network)
}

fn span_us(from: Option<Time>, to: Option<Time>) -> Option<f64> {
    Some((to?.saturating_sub(from?)).as_us_f64())
}
