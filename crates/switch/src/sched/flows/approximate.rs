//! Approximate number of flows in a class, by linear counting.
//!
//! **Decision**     a flow sets the bit selected by its hash. With `u` of `m` bits set in the bitmap of this
//!                  window or the previous one, there are about `m/m + m/(m−1) + … + m/(m−u+1)` flows: the
//!                  average number that sets `u` bits. A flow counts until one to two windows after its last
//!                  packet; the end of a flow is not noticed earlier.
//! **State**        two bitmaps of `bits`, 256 B with 1024.
//! **Units**        2⁻¹⁶ flows; `window` in time.
//! **Errors**       with `t` flows per bit the relative standard error is `√((eᵗ − t − 1)/m)/t`: with 1024 bits
//!                  2.2 % at 100 flows, 2.6 % at 1024, 5.5 % at 4096. When all bits are set, at about `m·ln m`
//!                  flows, the count stops rising.
//! **Source**       Whang, Vander-Zanden and Taylor, TODS 1990, for the count and its error; Estan, Varghese
//!                  and Fisk, IMC 2003, for bitmaps in switches.
//! **Deviations**   uses the sum in place of `−m·ln(1 − u/m)`. The sum is smaller by `u/2(m − u)` flows, one in
//!                  a thousand with one flow per bit. It needs no logarithm, and each new bit adds one term.

use sidestep_types::{Time, mix64};

/// Most bits: the sum of all their terms still has 16 bits of fraction in 64.
pub(super) const MOST_BITS: u64 = 1 << 20;

#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(in super::super) struct Approximate {
    bits: u32,
    window: Time,
    /// Start of the current window.
    begun: Time,
    now: Box<[u64]>,
    before: Box<[u64]>,
    /// Number of bits set in either bitmap.
    set: u32,
    /// Number of flows estimated from `set`, in 2⁻¹⁶ flows.
    about: u64,
}

impl Approximate {
    pub fn new(bits: u32, window: Time) -> Approximate {
        let map: Box<[u64]> = vec![0; bits.div_ceil(64) as usize].into();
        Approximate {
            bits,
            window,
            begun: Time::ZERO,
            now: map.clone(),
            before: map,
            set: 0,
            about: 0,
        }
    }

    #[inline]
    pub fn flows(&self) -> u32 {
        ((self.about + (1 << 15)) >> 16) as u32
    }

    /// Begins a new window if it is time.
    #[inline]
    pub fn age(&mut self, now: Time) {
        if now.saturating_sub(self.begun) >= self.window {
            self.turn(now);
        }
    }

    /// Counts the flow `key` of a packet that has arrived.
    #[inline]
    pub fn see(&mut self, key: u64) {
        let bit = (mix64(key) % u64::from(self.bits)) as usize;
        let (word, mask) = (bit / 64, 1 << (bit % 64));
        if self.now[word] & mask == 0 {
            self.now[word] |= mask;
            if self.before[word] & mask == 0 {
                self.more();
            }
        }
    }

    /// Updates the estimate for one more bit.
    fn more(&mut self) {
        self.about += (u64::from(self.bits) << 16) / u64::from(self.bits - self.set);
        self.set += 1;
    }

    /// Begins the window of `now`. Windows begin at multiples of their length.
    #[cold]
    fn turn(&mut self, now: Time) {
        let past = (now - self.begun).ps() / self.window.ps();
        self.begun += Time::from_ps(past * self.window.ps());
        std::mem::swap(&mut self.now, &mut self.before);
        self.now.fill(0);
        if past > 1 {
            self.before.fill(0);
        }
        (self.set, self.about) = (0, 0);
        let set: u32 = self.before.iter().map(|word| word.count_ones()).sum();
        (0..set).for_each(|_| self.more());
    }
}
