//! Trials of real switches, in network namespaces that vanish with the process that made them.
//!
//! Used by tests, the benchmark, the run of random frames and the soak; switching itself needs nothing of it.

mod account;
pub mod flood;
pub mod garbage;
pub mod itself;
pub mod latency;
pub mod namespace;
pub mod soak;
pub mod still;
pub mod throughput;
pub mod wiring;
