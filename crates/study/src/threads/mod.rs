//! Threads of a single run: the results are the same, byte for byte, as on one thread.
//!
//! **Decision**     the number of threads of a run ([`ThreadChoice`], [`choose`]); [`sidestep_sim::parts`] decides
//!                  which thread serves which part.
//! **State**        one thread for each part while the run goes on.
//! **Units**        threads.
//! **Errors**       if a run cannot have the requested number of threads, the request is refused with the
//!                  reason. With `auto` such a run has one thread, and the reason is reported.

mod barrier;
mod choose;
mod crew;
mod shared;
mod sync;

pub use choose::{Chosen, ThreadChoice, choose, most_threads};
pub use crew::Threads;

use std::fmt;

/// Requested threads, and the receiver of remarks on a smaller choice.
#[derive(Clone, Copy)]
pub struct Threading<'a> {
    /// Requested number of threads.
    pub asked: ThreadChoice,
    /// Receives, with [`ThreadChoice::Auto`], the name of each scheme with one thread, and the reason.
    pub remark: &'a (dyn Fn(&str) + Sync),
}

impl fmt::Debug for Threading<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut says = f.debug_struct("Threading");
        says.field("asked", &self.asked).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
