//! Plug-ins: policies in Rust that are compiled separately and loaded by a run.
//!
//! **Decision**  a plug-in is a crate in a folder of the user's. The sources that it shares with this program
//!               are beside it. It is built with cargo, and opened if its stamp equals this program's
//!               ([`stamp`]).
//! **State**     an opened library stays open: its policies may be anywhere.
//! **Errors**    no crate, no compiler, a compiler error with its text, a stamp of another version or compiler.
//!               No code of a library runs before these checks.

mod asked;
mod build;
mod load;
mod open;
mod stamp;
mod write;

pub use load::load;
pub use write::{SEAMS, write};
