//! The queues of a switch, lent to Python for one call.
//!
//! An object of Python's cannot borrow. It holds a ticket instead, which is good on this thread while the call lasts
//! that it was made for; afterwards nobody finds the queues by it.
//!
//! `crates/plugin/tests/loan.rs` has its tests, which a sanitizer and Miri run as well: a module of Python's they cannot load.
//!
//! **State**     per thread, the loan of the call under way; a count of tickets, none of which is given twice.

// The one file of this crate with unsafe code.
#![allow(unsafe_code)]

use super::Lendable;
use std::cell::Cell;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Clone, Copy)]
struct Lent {
    ticket: u64,
    queues: NonNull<dyn Lendable + 'static>,
}

thread_local! {
    static LENT: Cell<Option<Lent>> = const { Cell::new(None) };
}

static TICKETS: AtomicU64 = AtomicU64::new(0);

/// Puts back what was lent before, also when a policy unwinds.
struct Back(Option<Lent>);

impl Drop for Back {
    fn drop(&mut self) {
        LENT.set(self.0);
    }
}

/// Lends `queues` to whatever `call` does on this thread, under a new ticket.
pub fn lend<R>(queues: &mut dyn Lendable, call: impl FnOnce(u64) -> R) -> R {
    let ticket = TICKETS.fetch_add(1, Ordering::Relaxed);
    let short: NonNull<dyn Lendable + '_> = NonNull::from(queues);
    // SAFETY: nothing but the lifetime changes, which the type of a thread's cell cannot name. `back` takes the
    // pointer out of the cell before this function returns or unwinds, and `queues` is borrowed until then.
    let queues = unsafe {
        std::mem::transmute::<NonNull<dyn Lendable + '_>, NonNull<dyn Lendable + 'static>>(short)
    };
    let back = Back(LENT.replace(Some(Lent { ticket, queues })));
    let said = call(ticket);
    drop(back);
    said
}

/// Asks the queues that were lent under `ticket`; `None` when that is over, or on another thread.
pub fn ask<R>(ticket: u64, question: impl FnOnce(&mut dyn Lendable) -> R) -> Option<R> {
    let mut lent = LENT.get().filter(|lent| lent.ticket == ticket)?;
    let back = Back(LENT.replace(None));
    // SAFETY: the loan is in this thread's cell, so `lend`, which borrows the queues, has not returned; and it has
    // been taken out of the cell for as long as this borrow lasts, so there is no other.
    let said = question(unsafe { lent.queues.as_mut() });
    drop(back);
    Some(said)
}

/// Is anything lent on this thread? `crates/plugin/tests/loan.rs` asks, which has this file as a module of its own.
#[cfg(test)]
#[allow(dead_code)]
pub fn lent() -> bool {
    LENT.get().is_some()
}
