//! The process around the switch: the loop, and everything that must not disturb it.
//!
//! One thread moves frames ([`engine`]). Signals, the control socket, metrics and captures have their own
//! threads, which talk to it through [`orders`].

pub mod arrivals;
pub mod capture;
pub mod clock;
pub mod control;
pub mod engine;
pub mod files;
pub mod lateness;
pub mod log;
pub mod metrics;
pub mod notes;
mod notices;
mod number;
pub mod orders;
pub mod polling;
pub mod priority;
pub mod privileges;
pub mod question;
pub mod report;
pub mod signals;
pub mod snapshot;
pub(crate) mod start;
pub mod syscalls;
pub mod user;

pub use start::run;
