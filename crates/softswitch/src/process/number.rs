//! Unique number of a switch, by which it recognizes its own probes.

use std::hash::{BuildHasher, Hasher, RandomState};

/// Draws a random number. No forwarding decision depends on it.
pub fn number_of_its_own() -> u64 {
    // The keys of `RandomState` are drawn at the start of each process.
    RandomState::new().build_hasher().finish()
}
