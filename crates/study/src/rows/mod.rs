//! What a row of each table is, and where its values come from.

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

use sidestep_lab::Told;
use sidestep_sim::network::{End, Network};
use sidestep_sim::{Outcome, Plan};
use sidestep_types::Time;

/// One run's outcome with what is needed to read it: one scheme, one seed.
#[derive(Clone, Copy)]
pub struct Point<'a> {
    /// The scheme's name.
    pub scheme: &'a str,
    /// The seed.
    pub seed: u64,
    /// What was to happen.
    pub plan: &'a Plan,
    /// What happened.
    pub outcome: &'a Outcome,
    /// Who told it.
    pub told: &'a Told,
    /// The machine disturbed the run.
    pub disturbed: bool,
}

/// What a node is called in results: `host 7`, or the switch's name.
pub fn end_name(network: &Network, end: End) -> String {
    end.name(network)
}

fn span_us(from: Option<Time>, to: Option<Time>) -> Option<f64> {
    Some((to?.saturating_sub(from?)).as_us_f64())
}
