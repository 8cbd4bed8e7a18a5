//! A flow's end at a host: an endpoint, which is a machine with its timer and flow hash.
//!
//! A driver (the simulator, a test) has one [`Endpoint`] where a flow's data starts and one where
//! it ends. The driver passes arrivals in, polls until there is nothing more to send, and then requests
//! the next alarm. When the alarm goes off, it calls [`Endpoint::on_alarm`], polls and requests the next.
//!
//! **Decision**     when to look at a timer, when a flow is complete, and how to answer a segment
//!                  after its receiver has been removed.
//! **State**        one machine, its flow hash, the earliest alarm requested.
//! **Units**        bytes and picoseconds.
//! **Errors**       none: an alarm replaced by another does nothing.

mod endpoint;

pub use endpoint::{Endpoint, Machine, answer_late, path_hash};
