//! Real switches tried out, in network namespaces that vanish with the process that made them.
//!
//! For tests, the benchmark, the run of random frames and the soak; nothing here is needed to switch frames.

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
