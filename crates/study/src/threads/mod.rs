//! One run on several threads, with the same results byte for byte.
//!
//! **Decision**     the number of threads of a run ([`Asked`], [`choose`]); [`sidestep_sim::parts`] decides
//!                  which thread serves which part.
//! **State**        one thread for each part while the run goes on.
//! **Units**        threads.
//! **Errors**       a request for a number of threads that a run cannot have is refused with the reason; `auto`
//!                  then uses one thread and reports the reason.

mod barrier;
mod choose;
mod crew;
mod shared;
mod sync;

pub use choose::{Asked, Chosen, choose, most_threads};
pub use crew::Threads;

use std::fmt;

/// Requested threads, and the receiver of remarks on a smaller choice.
#[derive(Clone, Copy)]
pub struct Threading<'a> {
    /// Requested number of threads.
    pub asked: Asked,
    /// Receives each scheme that has one thread, with the reason, with [`Asked::Auto`].
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
