//! Orders of other threads to the loop, and the event descriptor that signals them.

use super::capture::{Capture, Counts};
use super::notes::Notes;
use super::snapshot::Snapshot;
use crate::io::sys::{IoError, Tried, answer};
use crate::machine::{Announced, Change};
use crate::setup::Setup;
use sidestep_types::PortId;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

/// Order to be executed between two batches of frames.
pub enum Order {
    /// Copy the counters.
    Counters(Sender<Snapshot>),
    /// Restart lateness and peak queue lengths. Other counters never go back.
    Reset(Sender<()>),
    /// Apply a new config.
    Reload(Box<Setup>, Sender<Result<(), String>>),
    /// Start a capture of frames and their events, or end it. The answer is the counts of the capture before,
    /// and the thread that completes its file.
    Capture(Option<Capture>, Sender<(Counts, Option<JoinHandle<()>>)>),
    /// Start noting the events of segments, or stop. The answer is the notes taken before.
    Note(Option<Notes>, Sender<Option<Notes>>),
    /// Change the network around the switch. The answer is the number of frames dropped by it.
    Change(Change, Sender<Result<u64, String>>),
    /// Announce the messages of a port's host to the port's shims.
    Announce(PortId, Vec<Announced>, Sender<Result<(), String>>),
    /// End.
    Stop,
}

/// Receiving end, for the loop: orders, and a descriptor that becomes readable when there are some.
pub struct Orders {
    queue: Receiver<Order>,
    bell: Arc<Bell>,
}

/// Sending end; each thread has its own.
#[derive(Clone)]
pub struct OrderSender {
    queue: Sender<Order>,
    bell: Arc<Bell>,
}

struct Bell {
    fd: OwnedFd,
    rung: AtomicBool,
}

/// Returns both ends of a new queue of orders.
pub fn orders() -> Result<(OrderSender, Orders), IoError> {
    // SAFETY: no memory is passed, and a descriptor that is 0 or more is ours alone.
    let fd = unsafe {
        answer(libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK))
            .map(|fd| OwnedFd::from_raw_fd(fd))
    };
    let bell = Arc::new(Bell {
        fd: fd.tried(|| "make an event descriptor".into())?,
        rung: AtomicBool::new(false),
    });
    let (give, take) = channel();
    let sender = OrderSender {
        queue: give,
        bell: Arc::clone(&bell),
    };
    Ok((sender, Orders { queue: take, bell }))
}

impl OrderSender {
    /// Sends an order. Returns false if the loop has ended.
    pub fn give(&self, order: Order) -> bool {
        let given = self.queue.send(order).is_ok();
        self.bell.rung.store(true, Ordering::Release);
        let one = 1u64;
        // SAFETY: eight bytes of `one` are read. A full counter means that the bell has rung.
        unsafe { libc::write(self.bell.fd.as_raw_fd(), (&raw const one).cast(), 8) };
        given
    }

    /// Sends an order with an answer, and waits for the answer. Returns `None` if the loop has ended.
    pub fn ask<T>(&self, order: impl FnOnce(Sender<T>) -> Order) -> Option<T> {
        let (sender, receiver) = channel();
        self.give(order(sender));
        receiver.recv().ok()
    }
}

impl Orders {
    /// Returns the next order, if there is one. Costs one load if there is none.
    pub fn next(&self) -> Option<Order> {
        if !self.bell.rung.load(Ordering::Acquire) {
            return None;
        }
        if let Ok(order) = self.queue.try_recv() {
            return Some(order);
        }
        self.bell.rung.store(false, Ordering::Release);
        let mut count = 0u64;
        // SAFETY: eight bytes of `count` are written, or none.
        unsafe { libc::read(self.bell.fd.as_raw_fd(), (&raw mut count).cast(), 8) };
        // An order sent between the two would not signal again.
        self.queue.try_recv().ok()
    }
}

impl AsFd for Orders {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.bell.fd.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_found_and_answered() {
        let (sender, orders) = orders().unwrap();
        assert!(orders.next().is_none());
        let asking = std::thread::spawn(move || sender.ask(Order::Reset));
        let order = loop {
            if let Some(order) = orders.next() {
                break order;
            }
        };
        let Order::Reset(answer) = order else {
            panic!("a reset was ordered");
        };
        answer.send(()).unwrap();
        assert_eq!(asking.join().unwrap(), Some(()));
    }

    #[test]
    fn a_loop_that_has_ended_answers_nothing() {
        let (sender, orders) = orders().unwrap();
        drop(orders);
        assert_eq!(sender.ask(Order::Reset), None);
        assert!(!sender.give(Order::Stop));
    }
}
