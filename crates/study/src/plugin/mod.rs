//! Plug-ins: policies in Rust that are compiled apart and loaded by a run.
//!
//! **Decision**  a plug-in is a crate in a folder of the user's, with the sources of what it shares with this program
//!               beside it. It is built with cargo, and opened when its stamp is this program's ([`stamp`]).
//! **State**     a library that was opened stays open: policies of it may be anywhere.
//! **Errors**    no crate, no compiler, an error of the compiler with its words, a stamp of another version or
//!               compiler. Nothing of a library runs before that.

mod asked;
mod build;
mod load;
mod open;
mod stamp;
mod write;

pub use load::load;
pub use write::{SEAMS, write};
