//! Figures that run only if they are named.
//!
//! **Decision**     a figure whose estimate exceeds [`HOPS`] packet-hops runs only if it or its paper is named:
//!                  `sidestep reproduce` alone stays within an hour on two cores.
//! **State**        none.
//! **Units**        packet-hops.
//! **Errors**       none.
//! **Source**       *assumed*: at 8 million a second this is an hour of one core. The largest shipped figure
//!                  below it makes 8.5 thousand million packet-hops, the smallest above it 80 thousand million.
//! **Deviations**   none.

use sidestep_lab::Experiment;

/// Maximum packet-hops of a figure that runs without being named.
const HOPS: f64 = 3e10;

/// Returns true if the experiment runs only if it is named.
pub fn takes_hours(experiment: &Experiment) -> bool {
    experiment.estimate().all_hops > HOPS
}
