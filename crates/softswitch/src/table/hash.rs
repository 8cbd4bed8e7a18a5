//! Hasher for tables of addresses: fast, and salted so that nobody can choose colliding addresses.

use sidestep_types::mix64;
use std::hash::{BuildHasher, Hasher};

/// Builder of hashers with one salt.
#[derive(Clone, Copy, Debug)]
pub struct Mixed {
    salt: u64,
}

impl Mixed {
    /// Returns a builder with this salt.
    pub const fn new(salt: u64) -> Mixed {
        Mixed { salt }
    }
}

impl BuildHasher for Mixed {
    type Hasher = Mixing;
    #[inline]
    fn build_hasher(&self) -> Mixing {
        Mixing(self.salt)
    }
}

/// Hasher that folds words with [`mix64`].
#[derive(Debug)]
pub struct Mixing(u64);

impl Hasher for Mixing {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }
    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.0 = mix64(self.0 ^ word);
    }
    #[inline]
    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }
    #[inline]
    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }
    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}
