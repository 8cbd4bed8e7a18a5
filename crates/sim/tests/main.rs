//! All tests of this crate that share one program: each further program would link the whole crate again.

mod changes;
mod classes;
mod closed_forms;
mod closing;
mod coexistence;
mod common;
mod connections;
mod crossbar;
mod differing;
mod fates;
mod kept;
mod loops;
mod mptcp;
mod nics;
mod own_policies;
mod parts;
mod pauses;
mod reordering;
mod sampled;
mod sent;
mod services;
mod sprays;
mod subflows;
mod swift;
mod transports;
mod victims;
