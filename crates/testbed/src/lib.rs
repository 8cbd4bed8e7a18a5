//! The testbed: a scenario as namespaces, veth links, software switches and hosts with the kernel's TCP.
//!
//! [`network`] builds a blueprint and takes it away; [`traffic`] hands
//! flows to the kernels of its hosts; both know no scenario. What turns a scenario into those, and
//! what they saw into the simulator's tables, stands around them: an [`Order`](order::Order) is
//! read into a [`Scene`](scene::Scene), its seeds run one after the other, [`session`] writes a result
//! directory of them and [`beside`] a figure with the simulator's beside it. What happens when is in
//! `docs/testbed.md`.

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
pub mod scene;
mod seen;
pub mod session;
pub mod standing;
pub mod traffic;

pub use error::Error;

/// What a link is emulated at when nothing is said: small machines can pace it.
pub const RATE: &str = "100 Mbps";
