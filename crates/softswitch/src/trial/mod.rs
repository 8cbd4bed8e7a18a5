//! Trials of real switches, in network namespaces that vanish with the process that made them.
//!
//! Tests, the benchmark, the run of random frames and the soak use this module; switching does not.

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
