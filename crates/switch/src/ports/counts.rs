//! What a switch counts of its decisions, port by port.

use crate::DropReason;
use std::ops::AddAssign;

/// The decisions about one port. A new count is a field here and a line in `add_assign`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Packets marked when they were queued here.
    pub marks: u64,
    /// Packets that wanted another port and were queued here.
    pub detours_in: u64,
    /// Packets that wanted this port and were queued elsewhere.
    pub detours_out: u64,
    /// Packets that wanted this port and lost their payload.
    pub trims: u64,
    /// Packets that wanted this port, or waited here, and were dropped, by [`DropReason`].
    pub drops: [u64; DropReason::COUNT],
}

impl AddAssign<&Counts> for Counts {
    fn add_assign(&mut self, other: &Counts) {
        self.marks += other.marks;
        self.detours_in += other.detours_in;
        self.detours_out += other.detours_out;
        self.trims += other.trims;
        for (sum, more) in self.drops.iter_mut().zip(other.drops) {
            *sum += more;
        }
    }
}
