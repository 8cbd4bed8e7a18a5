//! Arrays indexed by numbers that this crate issues itself: links, parcels, slots, switches.
//!
//! A hop makes some thirty such look-ups, and their bounds checks were a fifth of all instructions
//! (docs/explanation/performance.md). Numbers returned by a policy of the caller (ports, packets) are checked where they
//! come in. The others never come from outside: a parcel's from [`crate::pool::Pool::put`], a link's and a
//! switch's from the layout in [`crate::world::World::new`], hosts from the plan, which is checked there. A
//! slot's come from the agenda, which returns only slots that it was given: no code outside this crate can
//! implement or make an agenda ([`crate::agenda::Slots`]). For a run that continues from a saved state,
//! `fabric/saved.rs` checks them all. Debug builds, and so all tests, check every index.

use std::ops::{Deref, DerefMut, Index, IndexMut};

/// Vector whose indices are known to be in range.
#[derive(Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Table<T>(Vec<T>);

impl<T> Table<T> {
    pub fn new(items: Vec<T>) -> Table<T> {
        Table(items)
    }

    pub fn into_items(self) -> Vec<T> {
        self.0
    }

    pub fn push(&mut self, item: T) {
        self.0.push(item);
    }

    /// Prefetches the cache line in which an item begins. Only a hint: any number may be passed.
    #[inline(always)]
    pub fn fetch(&self, i: u32) {
        fetch(self.0.as_ptr().wrapping_add(i as usize).cast());
    }
}

/// Prefetches the cache line of an address, on processors that can.
#[inline(always)]
pub(crate) fn fetch(at: *const u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: the instruction reads nothing that a program could see, and does not fault at any address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(at.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = at;
}

/// Returns an item of a list whose indices are known to be in range.
#[inline(always)]
pub(crate) fn at<T: Copy>(items: &[T], i: u32) -> T {
    debug_assert!((i as usize) < items.len(), "index {i} of {}", items.len());
    // SAFETY: for next hops, the index is the switch of an attachment, and the network's search makes an entry
    // for each.
    unsafe { *items.get_unchecked(i as usize) }
}

/// Returns a part of such a list.
#[inline(always)]
pub(crate) fn part<T>(items: &[T], from: u32, count: u32) -> &[T] {
    let (from, to) = (from as usize, from as usize + count as usize);
    debug_assert!(to <= items.len(), "{from}..{to} of {}", items.len());
    // SAFETY: for next hops, both numbers are those of a set that was appended to this very list, which never
    // shrinks.
    unsafe { items.get_unchecked(from..to) }
}

impl<T> Index<u32> for Table<T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, i: u32) -> &T {
        debug_assert!((i as usize) < self.0.len(), "index {i} of {}", self.0.len());
        // SAFETY: every index is one that this crate issued for this table, or checked where a
        // policy named it, and tables never shrink; see the module's comment.
        unsafe { self.0.get_unchecked(i as usize) }
    }
}

impl<T> IndexMut<u32> for Table<T> {
    #[inline(always)]
    fn index_mut(&mut self, i: u32) -> &mut T {
        debug_assert!((i as usize) < self.0.len(), "index {i} of {}", self.0.len());
        // SAFETY: as above.
        unsafe { self.0.get_unchecked_mut(i as usize) }
    }
}

impl<T> Deref for Table<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> DerefMut for Table<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}
