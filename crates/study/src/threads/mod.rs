//! One run on several threads, with the same bytes.
//!
//! **Decision**     how many threads a run has ([`Asked`], [`choose`]); which of them serves which part is
//!                  [`sidestep_sim::parts`]'.
//! **State**        a thread for each part while the run goes on.
//! **Units**        threads.
//! **Errors**       who asks for so many is told why it cannot be; who leaves it to us gets one thread, and is told why.

mod barrier;
mod choose;
mod crew;
mod shared;
mod sync;

pub use choose::{Asked, Chosen, choose, most_threads};
pub use crew::Threads;

use std::fmt;

/// What is asked for, and who is told why it is less.
#[derive(Clone, Copy)]
pub struct Threading<'a> {
    /// How many threads.
    pub asked: Asked,
    /// Is told of each scheme that has one thread and why, with [`Asked::Auto`].
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
