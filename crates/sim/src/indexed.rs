//! Arrays indexed by numbers that this crate hands out itself: links, parcels, slots, switches.
//!
//! A hop makes some thirty such look-ups, and their bounds checks were a fifth of all
//! instructions (docs/performance.md). Numbers that a policy of the caller's hands back (ports,
//! packets) are checked where they come in. The others never come from outside: a parcel's from
//! [`crate::pool::Pool::put`], a link's and a switch's from the layout in
//! [`crate::world::World::new`], hosts from the plan, which is checked there. A slot's come out of
//! the agenda, which returns what it was given: no code outside this crate can write one or make
//! one ([`crate::agenda::Slots`]). Debug builds, and so all tests, check every one.

use std::ops::{Deref, DerefMut, Index, IndexMut};

/// A vector whose indices are known to be in range.
pub(crate) struct Table<T>(Vec<T>);

impl<T> Table<T> {
    pub fn new(items: Vec<T>) -> Table<T> {
        Table(items)
    }

    pub fn push(&mut self, item: T) {
        self.0.push(item);
    }
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
