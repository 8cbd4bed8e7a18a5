//! Figures that run only when they are named.
//!
//! **Decision**     a figure whose runs make more than [`HOPS`] packet-hops by its estimate is left out where nobody
//!                  names it or its paper: `sidestep reproduce` alone stays within an hour on two cores.
//! **State**        none.
//! **Units**        packet-hops.
//! **Errors**       none.
//! **Source**       *assumed*: at 8 million a second this is an hour of one core. Of what is shipped the largest
//!                  figure below it makes 8.5 thousand million, the smallest above it 80 thousand million.
//! **Deviations**   none.

use sidestep_lab::Experiment;

/// Most packet-hops of a figure that runs unnamed.
const HOPS: f64 = 3e10;

/// Does it run only when it is named?
pub fn takes_hours(experiment: &Experiment) -> bool {
    experiment.estimate().all_hops > HOPS
}
