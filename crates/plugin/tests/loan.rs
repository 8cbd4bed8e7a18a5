//! The loan of a switch's queues to Python (`python/src/policy/loan.rs`), tested without Python: the only file
//! of that crate with unsafe code, run here under a sanitizer and Miri.

#[path = "../../../python/src/policy/loan.rs"]
mod loan;

use loan::{ask, lend, lent};
use sidestep_plugin::switch::Queues as Lendable;
use sidestep_plugin::switch::testing::{StillQueues, data};
use sidestep_plugin::types::PortId;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;

fn queues(packets: &[u32]) -> StillQueues {
    StillQueues::of(packets, 100, &[])
}

fn packets(ticket: u64, port: u16) -> Option<u32> {
    ask(ticket, |queues| queues.depth(PortId(port)).packets)
}

#[test]
fn a_ticket_is_good_while_the_call_lasts_that_it_was_made_for() {
    let mut queues = queues(&[3, 7]);
    let kept = lend(&mut queues, |ticket| {
        assert_eq!((packets(ticket, 0), packets(ticket, 1)), (Some(3), Some(7)));
        ticket
    });
    assert_eq!(packets(kept, 0), None);
    // After the loan the owner has its queues back, and the next loan gets another ticket.
    queues.depths[0].packets = 4;
    lend(&mut queues, |ticket| {
        assert_ne!(ticket, kept);
        assert_eq!((packets(ticket, 0), packets(kept, 0)), (Some(4), None));
    });
    drop(queues);
    assert_eq!(packets(kept, 0), None);
}

#[test]
fn a_loan_within_a_loan_hides_the_outer_one_until_it_is_over() {
    let (mut outer, mut inner) = (queues(&[1]), queues(&[2]));
    lend(&mut outer, |first| {
        lend(&mut inner, |second| {
            assert_eq!((packets(first, 0), packets(second, 0)), (None, Some(2)));
        });
        assert_eq!(packets(first, 0), Some(1));
    });
    assert!(!lent());
}

#[test]
fn whoever_asks_while_a_question_is_under_way_is_told_that_nothing_is_lent() {
    let mut queues = queues(&[1]);
    lend(&mut queues, |ticket| {
        let asked = ask(ticket, |queues| {
            // Two borrows of the same queues at once would be unsound.
            let second = packets(ticket, 0);
            (queues.depth(PortId(0)).packets, second)
        });
        assert_eq!(asked, Some((1, None)));
        assert_eq!(packets(ticket, 0), Some(1));
    });
}

#[test]
fn what_is_changed_through_a_ticket_is_changed() {
    let mut queues = queues(&[1]);
    lend(&mut queues, |ticket| {
        ask(ticket, |queues| queues.see(PortId(0), &data()));
    });
    assert_eq!(queues.seen.len(), 1);
}

#[test]
fn a_call_or_a_question_that_unwinds_ends_its_loan() {
    let mut queues = queues(&[1]);
    let mut kept = 0;
    let unwound = catch_unwind(AssertUnwindSafe(|| {
        lend(&mut queues, |ticket| {
            kept = ticket;
            resume_unwind(Box::new("a policy stops its run"))
        })
    }));
    assert!(unwound.is_err() && !lent());
    assert_eq!(packets(kept, 0), None);
    lend(&mut queues, |ticket| {
        let asked = catch_unwind(|| {
            ask(ticket, |_| {
                resume_unwind(Box::new("a scheduler stops its run"))
            })
        });
        assert!(asked.is_err());
        assert_eq!(packets(ticket, 0), Some(1), "the loan goes on");
    });
    assert!(!lent());
}

#[test]
fn a_ticket_of_another_thread_is_good_for_nothing() {
    let mut queues = queues(&[1]);
    lend(&mut queues, |ticket| {
        let elsewhere = thread::scope(|scope| scope.spawn(|| packets(ticket, 0)).join());
        assert_eq!(elsewhere.unwrap(), None);
        assert_eq!(packets(ticket, 0), Some(1));
    });
}
