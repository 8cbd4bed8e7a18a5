//! The queues of a switch, one machine for every driver.
//!
//! **Decision**     none: what a queue does once the [`crate::Decider`] has decided. A FIFO port
//!                  knows a packet's departure when it is queued; a port whose scheduler ranks
//!                  chooses at the end of each transmission behind which something waits.
//! **State**        per port a [`Line`], and a [`Ranked`] where the scheduler is not FIFO. The
//!                  packets stand in a [`Store`] of the driver's.
//! **Units**        picoseconds; bytes on the wire for time, bytes of buffer for depth.
//! **Errors**       a scheduler that names a packet it does not hold panics, before anything is
//!                  stored under that name.
//! **Source**       `docs/model.md`: a queue counts every packet from its arrival until its last
//!                  bit has left.
//!
//! The simulator's fabric and the software switch's outputs drive these machines. A driver has
//! clocks, links and an agenda: it is told when something departs and when a transmission ends,
//! and it comes back at that time.

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
