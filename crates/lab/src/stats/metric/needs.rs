//! Which probe a number needs.

use crate::probe::Probe;

/// A key of `[probe]` without which some metrics have no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// The window over which the use of links is taken.
    Links,
    /// The window around hot links.
    Neighbours,
    /// The count of loops.
    Loops,
}

impl Needs {
    /// The key.
    pub const fn key(self) -> &'static str {
        match self {
            Needs::Links => "links",
            Needs::Neighbours => "neighbours",
            Needs::Loops => "loops",
        }
    }

    /// Does a run with this probe have it?
    pub fn is_met(self, probe: &Probe) -> bool {
        match self {
            Needs::Links => probe.links.is_some(),
            Needs::Neighbours => probe.neighbours.is_some(),
            Needs::Loops => probe.loops,
        }
    }
}
