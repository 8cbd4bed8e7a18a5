//! The switch decision without I/O: which way, into which queue, or dropped and why.
//!
//! Three seams, one trait and one folder each: [`route`] picks a next hop, [`buffer`] keeps,
//! marks, detours or drops, [`sched`] says which packet leaves next. [`Decider`] puts them in
//! order. The simulator and the software switch drive this same code.

#![forbid(unsafe_code)]

pub mod buffer;
mod decide;
mod queues;
mod registry;
pub mod route;
pub mod sched;
#[cfg(test)]
mod testing;

pub use buffer::{AnyBuffer, Buffer, DropReason, Verdict};
pub use decide::{Decider, Evicts, Room};
pub use queues::{Capacity, Depth, Queues, Want};
pub use registry::{Nature, Policy, UnknownPolicy};
pub use route::{AnyRoute, Route};
pub use sched::{AnySched, Sched};
