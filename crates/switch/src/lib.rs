//! The switch decision without I/O: which way, into which queue, or dropped and why.
//!
//! Three seams, one trait and one folder each: [`route`] picks a next hop, [`buffer`] keeps,
//! marks, detours or drops, [`sched`] says which packet leaves next. [`Decider`] puts them in
//! order and carries the verdict out; [`ports`] keeps the queues. The simulator and the software
//! switch drive this same code.

#![forbid(unsafe_code)]

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
mod sent;
pub mod testing;
pub mod why;

pub use buffer::{AnyBuffer, Buffer, DropReason, Verdict};
pub use decide::{Asked, ByOne, Carrier, Decider, InClass, Reasons, Streams, Witness};
pub use event::{Changes, Event, Joined, Sink};
pub use place::Place;
pub use queues::{Capacity, Class, Depth, NEVER, Queues, RankSum, Want};
pub use registry::{Make, Nature, Policy};
pub use route::{AnyRoute, Hops, Route};
pub use sched::{AnySched, Sched};
pub use sent::{PLACES as SENT_PLACES, Sent};
