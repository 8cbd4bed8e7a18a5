//! Schedulers that return any number, that count, and that take over waiting packets.

use super::*;
use std::sync::{Arc, Mutex};

/// Scheduler that returns these numbers.
struct Names(Vec<u32>);

impl Sched for Names {
    fn push(&mut self, _: &Packet, _: u32) {}
    fn pop(&mut self) -> Option<u32> {
        self.0.pop()
    }
    fn evict(&mut self) -> Option<u32> {
        self.0.pop()
    }
}

fn names(numbers: &[u32]) -> AnySched {
    AnySched::Custom(Box::new(Names(numbers.to_vec())))
}

/// Checks four wrong numbers: of no packet, of one being sent, of one on the wire, and of one that waits at
/// another port.
#[test]
fn a_scheduler_may_name_only_what_waits_at_its_port() {
    let refused = |named: &[u32], evicts: bool| {
        let mut desk = TestDriver::new(2, 9)
            .ranked(0, names(named))
            .ranked(1, names(&[]));
        let mut decider = decider(2, &[KEEP]);
        for port in [0, 0, 1] {
            forward(&mut desk, &mut decider, port, 0);
        }
        for sent in 1..named.len() {
            desk.start(0);
            assert_ne!(desk.lines[0].sending(), NONE, "0 and 1 wait at port 0");
            if !evicts || sent < named.len() - 1 {
                desk.now += Time::from_us(12);
                desk.ended(0);
            }
        }
        let sending = desk.lines[0].sending();
        let again = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| match evicts {
            false => {
                desk.start(0);
            }
            true => {
                let ranked = desk.ranked[0].as_mut().unwrap();
                ranked.evict(&mut desk.lines[0], &mut desk.shelf, &desk.wire, 0);
            }
        }));
        let kept = desk.lines[0].sending() == sending;
        again.is_err() && kept
    };
    for evicts in [false, true] {
        assert!(refused(&[77, 0], evicts), "77 is no packet");
        assert!(
            refused(&[0, 0], evicts),
            "0 is being sent, or is on the wire"
        );
        // After 1 comes 0, which is also the number of the port.
        assert!(refused(&[1, 0, 1], evicts), "1 is on the wire");
        assert!(refused(&[2, 0], evicts), "2 waits at port 1");
        assert!(!refused(&[1, 0], evicts), "1 waits at port 0");
    }
}

/// Scheduler that only counts the packets that bypass it.
struct Passed(Arc<Mutex<u32>>);

impl Sched for Passed {
    fn passes(&self) -> bool {
        true
    }
    fn pass(&mut self, _: &Packet, _: Time) {
        *self.0.lock().unwrap() += 1;
    }
    fn push(&mut self, _: &Packet, _: u32) {}
    fn pop(&mut self) -> Option<u32> {
        None
    }
}

/// Checks that a custom scheduler is told of packets that bypass it, although it does not count flows: its
/// needs are unknown.
#[test]
fn a_scheduler_of_the_callers_hears_of_what_passes_it_by() {
    let passed = Arc::new(Mutex::new(0));
    let sched = AnySched::Custom(Box::new(Passed(passed.clone())));
    let mut desk = TestDriver::new(1, 9).ranked(0, sched);
    desk.paused = false;
    for sent in 1..4 {
        forward(&mut desk, &mut decider(1, &[KEEP]), 0, 0);
        assert_eq!(*passed.lock().unwrap(), sent);
        desk.now += Time::from_us(12);
    }
}

/// Scheduler that records the rank and the time of packets shown to it, and the packets that joined.
struct Notes {
    notes: Arc<Mutex<Vec<String>>>,
    counts: bool,
}

impl Sched for Notes {
    fn counts(&self) -> bool {
        self.counts
    }
    fn see(&mut self, packet: &Packet, now: Time) {
        let note = format!("{} us: {}", now.ps() / 1_000_000, packet.rank());
        self.notes.lock().unwrap().push(note);
    }
    fn push(&mut self, packet: &Packet, _: u32) {
        let note = format!("joins: {}", packet.rank());
        self.notes.lock().unwrap().push(note);
    }
    fn pop(&mut self) -> Option<u32> {
        None
    }
}

#[test]
fn a_scheduler_that_counts_is_shown_what_joins_with_the_time_and_no_other_is() {
    for counts in [true, false] {
        let notes = Arc::new(Mutex::new(Vec::new()));
        let sched = Notes {
            notes: notes.clone(),
            counts,
        };
        let mut desk = TestDriver::new(1, 9).ranked(0, AnySched::Custom(Box::new(sched)));
        let mut decider = decider(1, &[KEEP, Verdict::Drop(DropReason::Full), KEEP]);
        for rank in [5, 6, 7] {
            forward(&mut desk, &mut decider, 0, rank);
            desk.now += Time::from_us(3);
        }
        let expected: &[&str] = match counts {
            true => &["0 us: 5", "joins: 5", "6 us: 7", "joins: 7"],
            false => &["joins: 5", "joins: 7"],
        };
        assert_eq!(*notes.lock().unwrap(), expected);
    }
}

#[test]
fn a_new_scheduler_takes_over_what_waits() {
    let mut desk = TestDriver::new(1, 9);
    let mut decider = decider(1, &[KEEP]);
    for rank in [5, 9, 7] {
        forward(&mut desk, &mut decider, 0, rank);
    }
    desk.now = Time::from_us(3);
    let new = Ranked::around(pfabric(), 0);
    let line = &mut desk.lines[0];
    let done = reschedule(&mut desk.ranked[0], new, line, &mut desk.shelf, desk.now, 0);
    assert_eq!(done, [1, 2]);
    assert_eq!(desk.depth(0), 1, "what waits is counted out");
    let (ranked, line) = (desk.ranked[0].as_mut().unwrap(), &mut desk.lines[0]);
    let at = (desk.now, 0);
    let due = [done[0], done[1]]
        .map(|handle| asks(ranked.queue(line, &mut desk.shelf, &desk.wire, at, handle)).1);
    assert_eq!(due, [Some(12), None], "behind what is being sent");
    assert_eq!(desk.depth(0), 3, "and in again");
    let (ranked, line) = (&mut desk.ranked[0], &mut desk.lines[0]);
    let done = reschedule(ranked, None, line, &mut desk.shelf, desk.now, 0);
    assert_eq!(done, [2, 1], "by rank");
    assert_eq!(desk.depth(0), 1);
    desk.now = Time::from_us(12);
    assert_eq!(desk.depth(0), 0, "what was being sent has left");
}
