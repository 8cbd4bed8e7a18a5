//! Queues of a switch: one implementation for every driver.
//!
//! **Decision**     none; the queues carry out what the [`crate::Decider`] has decided. A FIFO port
//!                  knows a packet's departure when it is enqueued. A port whose scheduler ranks
//!                  chooses at the end of each transmission behind which a packet waits.
//! **State**        a [`Line`] per port, and a [`Ranked`] if the scheduler is not FIFO. The driver
//!                  keeps the packets in a [`Store`].
//! **Units**        picoseconds; bytes on the wire for time, bytes of buffer for depth.
//! **Errors**       panics when a scheduler names a packet that it does not hold, before anything is
//!                  stored under that name.
//! **Source**       `docs/explanation/model.md`: a queue counts every packet from its arrival until its last
//!                  bit has left.
//!
//! The simulator's fabric and the software switch's outputs drive these queues. A driver has clocks, links and
//! an agenda. The queues tell it when a packet departs and when a transmission ends, and it calls them again at
//! that time.

mod counts;
mod line;
mod ranked;
mod store;
#[cfg(test)]
mod tests;
mod view;
mod wire;

pub use counts::{Count, Counts};
pub use line::Line;
pub use ranked::{Due, Ranked, reschedule};
pub use store::{NONE, Parcel, Store};
pub(crate) use view::check_port;
pub use view::{Live, Ports};
pub use wire::Wire;
