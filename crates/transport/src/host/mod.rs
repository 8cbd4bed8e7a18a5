//! What a flow has at a host: an endpoint, which is a machine and what goes with it.
//!
//! A driver (the simulator, a test) has one [`Endpoint`] where a flow's data starts and one where
//! it ends. It hands arrivals over, polls until there is nothing more to send, and then asks for
//! the next alarm; when that goes off it calls [`Endpoint::on_alarm`], polls and asks again.
//!
//! **Decision**     when to look at a timer, when a flow is complete, and what is answered once
//!                  nothing is left of its receiver.
//! **State**        one machine, its flow hash, the earliest alarm that was asked for.
//! **Units**        bytes and picoseconds.
//! **Errors**       none: an alarm that another has replaced does nothing.

mod endpoint;

pub use endpoint::{Endpoint, Machine, answer_late, path_hash};
