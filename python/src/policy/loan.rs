//! Loan of a switch's queues to Python, for one call.
//!
//! A Python object cannot borrow. It holds a ticket instead, which is valid on this thread during the call for
//! which it was made. Afterwards the ticket no longer leads to the queues.
//!
//! The tests are in `crates/plugin/tests/loan.rs`, so that a sanitizer and Miri can run them: they cannot load
//! a Python module.
//!
//! **State**     for each thread, the loan of the call under way; a count of tickets, each of which is used
//!               once.

// The only file of this crate with unsafe code.
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

/// Guard that restores the previous loan, even if a policy unwinds.
struct Back(Option<Lent>);

impl Drop for Back {
    fn drop(&mut self) {
        LENT.set(self.0);
    }
}

/// Lends `queues` to everything that `call` does on this thread, under a new ticket.
pub fn lend<R>(queues: &mut dyn Lendable, call: impl FnOnce(u64) -> R) -> R {
    let ticket = TICKETS.fetch_add(1, Ordering::Relaxed);
    let short: NonNull<dyn Lendable + '_> = NonNull::from(queues);
    // SAFETY: only the lifetime changes, which the type of a thread's cell cannot name. `back` takes the
    // pointer out of the cell before this function returns or unwinds, and `queues` is borrowed until then.
    let queues = unsafe {
        std::mem::transmute::<NonNull<dyn Lendable + '_>, NonNull<dyn Lendable + 'static>>(short)
    };
    let back = Back(LENT.replace(Some(Lent { ticket, queues })));
    let said = call(ticket);
    drop(back);
    said
}

/// Queries the queues lent under `ticket`; `None` if the loan has ended, or belongs to another thread.
pub fn ask<R>(ticket: u64, question: impl FnOnce(&mut dyn Lendable) -> R) -> Option<R> {
    let mut lent = LENT.get().filter(|lent| lent.ticket == ticket)?;
    let back = Back(LENT.replace(None));
    // SAFETY: the loan is in this thread's cell, so `lend`, which borrows the queues, has not returned. The
    // loan stays out of the cell while this borrow lasts, so there is no other borrow.
    let said = question(unsafe { lent.queues.as_mut() });
    drop(back);
    Some(said)
}

/// Returns true if anything is lent on this thread. `crates/plugin/tests/loan.rs`, which includes this file as
/// a module, uses it.
#[cfg(test)]
#[allow(dead_code)]
pub fn lent() -> bool {
    LENT.get().is_some()
}
