//! Real switches tried out, in network namespaces that vanish with the process that made them.
//!
//! For tests, the benchmark and the run of random frames; nothing here is needed to switch frames.

pub mod flood;
pub mod garbage;
pub mod itself;
pub mod latency;
pub mod namespace;
pub mod still;
pub mod throughput;
pub mod wiring;
