//! Switch decisions without I/O: the port and the queue that a packet goes to, or the reason of its drop.
//!
//! The crate has three seams, each with one trait and one folder. [`route`] picks a next hop; [`buffer`] keeps,
//! marks, detours or drops; [`sched`] picks the packet that leaves next. [`Decider`] calls them in order and
//! carries the verdict out; [`ports`] keeps the queues. The simulator and the software switch run this same
//! code.

#![forbid(unsafe_code)]

mod attained_service;
pub mod buffer;
mod choices;
mod decide;
mod event;
mod least;
mod place;
pub mod ports;
mod queues;
mod registry;
pub mod route;
pub mod sched;
pub mod testing;
pub mod why;

pub use attained_service::{AttainedService, PLACES as ATTAINED_SERVICE_PLACES};
pub use buffer::{AnyBuffer, Buffer, DropReason, Verdict};
pub use decide::{
    Carrier, Decider, FastLimits, InClass, ReasonCollector, Reasons, Streams, Witness,
};
pub use event::{Changes, Event, Joined, Sink};
pub use place::Place;
pub use queues::{Capacity, Class, Depth, NEVER, Queues, RankSum, Want};
pub use registry::{Nature, Policy, PolicyFactory};
pub use route::{AnyRoute, Hops, Route};
pub use sched::{AnySched, Sched};
