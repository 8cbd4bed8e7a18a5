//! Arrays indexed by numbers that this crate hands out itself: links, parcels, slots, switches.
//!
//! A hop makes some thirty such look-ups, and their bounds checks were a fifth of all
//! instructions (docs/performance.md). Numbers that a policy of the caller's hands back (ports,
//! packets) are checked where they come in. The others never come from outside: a parcel's from
//! [`crate::pool::Pool::put`], a link's and a switch's from the layout in
//! [`crate::world::World::new`], hosts from the plan, which is checked there. A slot's come out of
//! the agenda, which returns what it was given: no code outside this crate can write one or make
//! one ([`crate::agenda::Slots`]). Of a run that goes on from what was kept, `fabric/saved.rs` checks them all. Debug builds, and so all tests, check every one.

use std::ops::{Deref, DerefMut, Index, IndexMut};

/// A vector whose indices are known to be in range.
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

    /// Asks for the cache line in which an item begins, which will be wanted soon. Only a hint: any number may
    /// be asked for.
    #[inline(always)]
    pub fn fetch(&self, i: u32) {
        fetch(self.0.as_ptr().wrapping_add(i as usize).cast());
    }
}

/// Asks for the cache line of an address, on processors that can be asked.
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

/// An item of a list whose indices are known to be in range as well.
#[inline(always)]
pub(crate) fn at<T: Copy>(items: &[T], i: u32) -> T {
    debug_assert!((i as usize) < items.len(), "index {i} of {}", items.len());
    // SAFETY: of next hops, the index is the switch of an attachment, for each of which the network's search made one.
    unsafe { *items.get_unchecked(i as usize) }
}

/// A part of such a list.
#[inline(always)]
pub(crate) fn part<T>(items: &[T], from: u32, count: u32) -> &[T] {
    let (from, to) = (from as usize, from as usize + count as usize);
    debug_assert!(to <= items.len(), "{from}..{to} of {}", items.len());
    // SAFETY: of next hops, both numbers are of a set that was put behind the others of this very list, which never shrinks.
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
