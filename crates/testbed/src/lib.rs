//! The testbed: a scenario built from namespaces, veth links, software switches and hosts with the kernel's
//! TCP.
//!
//! [`network`] builds the network of a blueprint and removes it; [`traffic`] hands flows to the kernels of its
//! hosts. Neither depends on scenarios. The other modules translate a scenario into a blueprint and flows, and
//! the measurements into the simulator's tables: an [`Order`](order::Order) names a scheme of a scenario, and is
//! read into a [`TestbedSetup`](setup::TestbedSetup). Its seeds run one after the other, [`session`] writes their result
//! directory, and [`beside`] compares a figure with the simulator. `docs/how-to/testbed.md` describes a run.

pub mod attempt;
pub mod beside;
mod counted;
mod error;
mod job;
mod kernel;
mod log;
pub mod network;
pub mod order;
mod outcome;
pub mod overview;
mod progress;
mod recording;
pub mod run;
mod scale;
mod seen;
pub mod session;
pub mod setup;
pub mod standing;
pub mod traffic;

pub use error::Error;

/// Default emulated rate of a link, slow enough for small machines to pace.
pub const RATE: &str = "100 Mbps";
