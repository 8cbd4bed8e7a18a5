//! Policies that are written in Python.
//!
//! **Decision**  a policy of Python's is asked where one of Rust's would be, with views of the same packet, hops,
//!               queues and random stream, which hold for the one call.
//! **State**     an object of Python's for each switch, or for each port where it is a scheduler.
//! **Units**     picoseconds, packets, bytes; names say which.
//! **Errors**    an exception, or an answer that cannot be, ends the run: `run` and `sweep` raise `PolicyError`.
//! **Cost**      the interpreter's: runs on several threads take turns.

mod asked;
mod loan;
mod made;
mod plugin;
mod schemes;
mod vectors;
mod verdict;
mod view;

// What `loan` lends: its tests bring it by this name, without Python.
use sidestep_switch::Queues as Lendable;

pub use plugin::{Plugin, load_plugin, new_policy};
pub use schemes::Schemes;
pub use vectors::policy_vectors;
pub use verdict::{Verdict, detour, drop, enqueue, evict, squeeze, trim};
pub use view::{Class, Depth, Hops, Packet, Queues, RandomStream, Switch, Want};
