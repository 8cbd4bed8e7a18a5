//! Cuckoo filter: an approximate set, which may report keys that were never inserted.
//!
//! **Decision**     whether a key is in the set. Each key is a fingerprint in one of two buckets of four slots.
//!                  A key that finds both buckets full displaces another, which moves to its other bucket, and
//!                  so on, at most [`MOST_KICKS`] times; if that fails, all displaced keys return to their
//!                  slots, and the new key is not inserted.
//! **State**        the slots, 16 bits each; a counter that selects which of four is displaced next.
//! **Units**        slots; bits of a fingerprint.
//! **Errors**       none here: the caller checks [`MOST_PLACES`] and [`FINGERPRINTS`].
//! **Source**       Fan et al., CoNEXT 2014 (cuckoo filter), algorithms 1 to 3: 4 slots a bucket, 500 kicks.
//! **Deviations**   the paper draws the slot to displace at random, and drops the last displaced key if no slot
//!                  is found. Here a counter cycles through the slots, so that nothing is random, and no
//!                  inserted key is lost. The other bucket is a difference modulo the number of buckets, not an
//!                  exclusive or, so that this number need not be a power of two.

use std::ops::RangeInclusive;

use sidestep_types::mix64;

/// Cuckoo filter: see the module's documentation.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Cuckoo {
    /// Buckets; a slot of 0 is free.
    buckets: Vec<[u16; PLACES]>,
    /// Mask of the bits of a fingerprint.
    mask: u16,
    /// Keys displaced so far.
    kicks: u64,
    /// Slots displaced for the current key.
    path: Vec<(u32, u8)>,
}

/// Slots of a bucket.
const PLACES: usize = 4;

/// Most displacements before an insertion fails.
pub const MOST_KICKS: usize = 500;

/// Most slots of a filter: 32 MiB.
pub const MOST_PLACES: u64 = 1 << 24;

/// Range of the bits of a fingerprint.
pub const FINGERPRINTS: RangeInclusive<u64> = 4..=16;

impl Cuckoo {
    /// Creates an empty filter of `places` slots, rounded up to whole buckets, with fingerprints of `bits`
    /// bits.
    pub fn new(places: u64, bits: u64) -> Cuckoo {
        assert!((1..=MOST_PLACES).contains(&places) && FINGERPRINTS.contains(&bits));
        Cuckoo {
            buckets: vec![[0; PLACES]; places.div_ceil(PLACES as u64) as usize],
            mask: ((1u32 << bits) - 1) as u16,
            kicks: 0,
            path: Vec::with_capacity(MOST_KICKS),
        }
    }

    /// Returns the bytes of a filter of `places` slots.
    pub fn bytes(places: u64) -> u64 {
        places.next_multiple_of(PLACES as u64) * 2
    }

    /// Returns true if the filter contains the key, or one with the same fingerprint and buckets. Keys are
    /// hashes already.
    pub fn has(&self, key: u64) -> bool {
        let (print, one, two) = self.at(key);
        self.buckets[one].contains(&print) || self.buckets[two].contains(&print)
    }

    /// Inserts a key; returns false if no slot was found.
    pub fn insert(&mut self, key: u64) -> bool {
        let (print, one, two) = self.at(key);
        self.put(one, print) || self.put(two, print) || self.kick(one, print)
    }

    /// Removes a key that was inserted; returns true if it, or one with the same fingerprint and buckets, was
    /// found.
    pub fn remove(&mut self, key: u64) -> bool {
        let (print, one, two) = self.at(key);
        for bucket in [one, two] {
            if let Some(place) = self.buckets[bucket].iter_mut().find(|p| **p == print) {
                *place = 0;
                return true;
            }
        }
        false
    }

    /// Returns the fingerprint of a key and its two buckets.
    fn at(&self, key: u64) -> (u16, usize, usize) {
        let print = (key as u16 & self.mask).max(1);
        let one = (((key >> 32) * self.buckets.len() as u64) >> 32) as usize;
        (print, one, self.other(one, print))
    }

    /// Returns the other bucket of a fingerprint; applied twice, it returns `bucket`.
    fn other(&self, bucket: usize, print: u16) -> usize {
        let n = self.buckets.len() as u64;
        ((mix64(u64::from(print)) % n + n - bucket as u64) % n) as usize
    }

    fn put(&mut self, bucket: usize, print: u16) -> bool {
        let free = self.buckets[bucket].iter_mut().find(|place| **place == 0);
        free.map(|place| *place = print).is_some()
    }

    /// Finds a slot by displacing other keys, or restores all.
    #[cold]
    fn kick(&mut self, mut bucket: usize, mut print: u16) -> bool {
        self.path.clear();
        for _ in 0..MOST_KICKS {
            let place = self.kicks as usize % PLACES;
            self.kicks += 1;
            std::mem::swap(&mut self.buckets[bucket][place], &mut print);
            self.path.push((bucket as u32, place as u8));
            bucket = self.other(bucket, print);
            if self.put(bucket, print) {
                return true;
            }
        }
        while let Some((bucket, place)) = self.path.pop() {
            let place = &mut self.buckets[bucket as usize][usize::from(place)];
            std::mem::swap(place, &mut print);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn key(n: u64) -> u64 {
        mix64(n)
    }

    impl Cuckoo {
        /// Returns the number of used slots.
        fn used(&self) -> u64 {
            self.buckets.iter().flatten().filter(|p| **p > 0).count() as u64
        }
    }

    #[test]
    fn the_other_bucket_of_the_other_is_the_first() {
        for places in [1, 4, 5, 12, 4096, 4100] {
            let filter = Cuckoo::new(places, 12);
            for n in 0..500 {
                let (print, one, two) = filter.at(key(n));
                assert_eq!(filter.other(two, print), one, "{places} places, key {n}");
            }
        }
    }

    #[test]
    fn what_is_put_in_is_there_until_it_is_taken_out() {
        let mut filter = Cuckoo::new(8, 16);
        assert!(!filter.has(key(1)) && filter.insert(key(1)) && filter.has(key(1)));
        assert!(!filter.has(key(2)) && !filter.remove(key(2)));
        assert!(filter.remove(key(1)) && !filter.has(key(1)));
        assert_eq!(filter.used(), 0);
    }

    #[test]
    fn without_a_place_everything_stays_as_it_was() {
        let mut filter = Cuckoo::new(8, 16);
        let refused = (0..).find(|n| !filter.insert(key(*n))).expect("full");
        let before = (filter.buckets.clone(), filter.used());
        assert_eq!(before.1, refused);
        assert!(
            (refused..refused + 9)
                .filter(|n| filter.insert(key(*n)))
                .count()
                < 9
        );
        assert!((0..refused).all(|n| filter.has(key(n))));
        assert!(!filter.insert(key(refused)));
    }

    /// Fan et al., section 4: with buckets of four, 95 % of the slots can be used.
    #[test]
    fn nineteen_of_twenty_places_can_be_had() {
        for places in [4096, 5000] {
            let mut filter = Cuckoo::new(places, 12);
            let all = places * 19 / 20;
            assert!((0..all).all(|n| filter.insert(key(n))), "{places}");
        }
    }

    /// Fan et al., section 5.1: in a full filter, at most 2b / 2^f of the keys never inserted are reported.
    #[test]
    fn what_was_never_put_in_is_taken_for_it_as_often_as_the_paper_says() {
        for bits in [8, 12, 16] {
            let mut filter = Cuckoo::new(4096, bits);
            (0..3891).for_each(|n| assert!(filter.insert(key(n))));
            let asked = 1_000_000;
            let wrong = (0..asked).filter(|n| filter.has(key(1 << 32 | n))).count();
            let expected = 0.95 * 8.0 * asked as f64 / (1u64 << bits) as f64;
            let off = wrong as f64 / expected - 1.0;
            assert!(off.abs() < 0.3, "{bits} bits: {wrong}, expected {expected}");
        }
    }

    proptest! {
        /// Checks that every inserted key is found, however full the filter is and whatever was removed, unless
        /// an equal fingerprint was there before.
        #[test]
        fn it_misses_nothing_that_it_said_has_a_place(
            places in 1u64..40, bits in FINGERPRINTS,
            steps in proptest::collection::vec((any::<bool>(), 0u64..60), 0..300),
        ) {
            let mut filter = Cuckoo::new(places, bits);
            let mut inside = BTreeSet::new();
            for (goes, n) in steps {
                if goes {
                    if inside.remove(&n) {
                        prop_assert!(filter.remove(key(n)));
                    }
                } else if !filter.has(key(n)) && filter.insert(key(n)) {
                    inside.insert(n);
                }
                prop_assert_eq!(filter.used(), inside.len() as u64);
                prop_assert!(inside.iter().all(|n| filter.has(key(*n))));
            }
        }
    }
}
