//! What other threads ask of the loop, and the bell that says so.

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

/// Something to do between two batches of frames.
pub enum Order {
    /// Copy the counters.
    Counters(Sender<Snapshot>),
    /// Take the lateness from now on alone. Counts never go back.
    Reset(Sender<()>),
    /// Take a new config over.
    Reload(Box<Setup>, Sender<Result<(), String>>),
    /// Write frames and what becomes of them from now on, or no more. The answer is what was
    /// written before, and the thread that completes that file.
    Capture(Option<Capture>, Sender<(Counts, Option<JoinHandle<()>>)>),
    /// Note what becomes of segments from now on, or no more. The answer is what was noted before.
    Note(Option<Notes>, Sender<Option<Notes>>),
    /// Change the network around the switch. The answer is how many frames that dropped.
    Change(Change, Sender<Result<u64, String>>),
    /// Tell the shims of a port what its host will send.
    Announce(PortId, Vec<Announced>, Sender<Result<(), String>>),
    /// End.
    Stop,
}

/// The loop's end: orders, and a descriptor that becomes readable when there are some.
pub struct Orders {
    queue: Receiver<Order>,
    bell: Arc<Bell>,
}

/// Where orders are given; each thread has its own.
#[derive(Clone)]
pub struct OrderSender {
    queue: Sender<Order>,
    bell: Arc<Bell>,
}

struct Bell {
    fd: OwnedFd,
    rung: AtomicBool,
}

/// An order sender, and where its orders arrive.
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
    /// Gives an order. False when the loop has ended.
    pub fn give(&self, order: Order) -> bool {
        let given = self.queue.send(order).is_ok();
        self.bell.rung.store(true, Ordering::Release);
        let one = 1u64;
        // SAFETY: eight bytes of `one` are read. A full counter means that the bell has rung.
        unsafe { libc::write(self.bell.fd.as_raw_fd(), (&raw const one).cast(), 8) };
        given
    }

    /// Gives an order that is answered, and waits for the answer. `None` when the loop has ended.
    pub fn ask<T>(&self, order: impl FnOnce(Sender<T>) -> Order) -> Option<T> {
        let (sender, receiver) = channel();
        self.give(order(sender));
        receiver.recv().ok()
    }
}

impl Orders {
    /// The next order, if there is one. Costs a load when there is none.
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
        // One that came between the two would ring no more.
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
