//! Timers of streams, by time of expiry.

use std::collections::VecDeque;

use sidestep_types::Time;

use super::Key;

/// Running timers, earliest first: one for each stream that holds packets.
///
/// A list and not a tree: a new timer is nearly always the last, and a list that has grown once takes no
/// more memory.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Timers(VecDeque<(Time, Key)>);

impl Timers {
    /// Moves the timer of a stream from `was` to `due`.
    pub fn reset(&mut self, key: Key, was: Option<Time>, due: Option<Time>) {
        if was == due {
            return;
        }
        if let Some(was) = was {
            let at = self.0.binary_search(&(was, key)).expect("its timer runs");
            self.0.remove(at);
        }
        if let Some(due) = due {
            let at = self.0.partition_point(|timer| *timer < (due, key));
            self.0.insert(at, (due, key));
        }
    }

    /// Returns the first timer to expire.
    #[inline]
    pub fn first(&self) -> Option<(Time, Key)> {
        self.0.front().copied()
    }
}
