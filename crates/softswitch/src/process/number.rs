//! A number that no other switch has, to know its probes by.

use std::hash::{BuildHasher, Hasher, RandomState};

/// A number that the system draws. It decides nothing about frames.
pub fn number_of_its_own() -> u64 {
    // Its keys are drawn at the start of each process.
    RandomState::new().build_hasher().finish()
}
