//! Policies written in Python.
//!
//! **Decision**  a Python policy is called where a Rust policy would be, with views of the same packet, hops,
//!               queues and random stream, which are valid during the call.
//! **State**     a Python object for each switch; for each port if it is a scheduler.
//! **Units**     picoseconds, packets, bytes; names state the unit.
//! **Errors**    an exception or an invalid answer ends the run: `run` and `sweep` raise `PolicyError`.
//! **Cost**      the interpreter's: runs on several threads take turns.

mod callable;
mod loan;
mod made;
mod plugin;
mod schemes;
mod vectors;
mod verdict;
mod view;

// Trait that `loan` lends: its tests import it under this name, without Python.
use sidestep_switch::Queues as Lendable;

pub use plugin::{Plugin, load_plugin, new_policy};
pub use schemes::Schemes;
pub use vectors::policy_vectors;
pub use verdict::{Verdict, detour, drop, enqueue, evict, squeeze, trim};
pub use view::{Class, Depth, Hops, Packet, Queues, RandomStream, Switch, Want};
