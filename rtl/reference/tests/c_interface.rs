//! Tests of the C interface as a bench uses it: opened, queried, closed. scripts/test-all.sh runs them under
//! Miri and a sanitizer.

use sidestep_rtl_reference::classes::{
    ClassStep, SEE, class_steps, sidestep_class_steps_close, sidestep_class_steps_next,
    sidestep_class_steps_open, sidestep_classed_close, sidestep_classed_open,
    sidestep_classed_step,
};
use sidestep_rtl_reference::deflect::{
    Deflected, Deflection, Load, deflections, sidestep_deflect, sidestep_deflections_close,
    sidestep_deflections_next, sidestep_deflections_open,
};
use sidestep_rtl_reference::limits::{
    Limited, limited, sidestep_limited_close, sidestep_limited_next, sidestep_limited_open,
    sidestep_limits_ask, sidestep_limits_close, sidestep_limits_open,
};
use sidestep_rtl_reference::pick::sidestep_pick_load_aware;
use sidestep_rtl_reference::queue::{
    EVICT, NONE, Operation, POP, PUSH, View, operations, sidestep_operations_close,
    sidestep_operations_next, sidestep_operations_open, sidestep_queue_close, sidestep_queue_open,
    sidestep_queue_step,
};
use sidestep_rtl_reference::spray::{
    Hop, hops, sidestep_hops_close, sidestep_hops_next, sidestep_hops_open, sidestep_spray_close,
    sidestep_spray_open, sidestep_spray_step,
};
use sidestep_rtl_reference::vectors::{
    Vector, sidestep_vectors_close, sidestep_vectors_next, sidestep_vectors_open, vectors,
};
use sidestep_types::{Rng, Seed};
use std::ptr::null_mut;

#[test]
fn rows_are_read_until_the_reading_is_closed() {
    let mut row = Vector::default();
    // SAFETY: the names are zero-terminated, the reading is closed once after its last use, and `row` is room
    // for one row.
    unsafe {
        assert_eq!(sidestep_vectors_open(c"dips".as_ptr(), 1), null_mut());
        let reading = sidestep_vectors_open(c"dibs".as_ptr(), 1);
        for expected in vectors("dibs", Seed(1)).unwrap().take(3) {
            sidestep_vectors_next(reading, &raw mut row);
            assert_eq!(row, expected);
        }
        sidestep_vectors_close(reading);
    }
}

#[test]
fn operations_are_read_until_the_reading_is_closed() {
    let mut row = Operation::default();
    let reading = sidestep_operations_open(1);
    // SAFETY: the reading is closed once after its last use, and `row` is room for one row.
    unsafe {
        for expected in operations(Seed(1)).take(20) {
            sidestep_operations_next(reading, &raw mut row);
            assert_eq!(row, expected);
        }
        sidestep_operations_close(reading);
    }
}

#[test]
fn deflections_are_read_until_the_reading_is_closed() {
    let mut row = Deflected::default();
    let reading = sidestep_deflections_open(1);
    // SAFETY: the reading is closed once after its last use, and `row` is room for one row.
    unsafe {
        for expected in deflections(Seed(1)).take(20) {
            sidestep_deflections_next(reading, &raw mut row);
            assert_eq!(row, expected);
        }
        sidestep_deflections_close(reading);
    }
}

#[test]
fn hops_are_read_until_the_reading_is_closed() {
    let mut row = Hop::default();
    // SAFETY: the names are zero-terminated, the reading is closed once after its last use, and `row` is room
    // for one row.
    unsafe {
        assert_eq!(sidestep_hops_open(c"ecmp".as_ptr(), 1), null_mut());
        let reading = sidestep_hops_open(c"spray-rr".as_ptr(), 1);
        for expected in hops("spray-rr", Seed(1)).unwrap().take(20) {
            sidestep_hops_next(reading, &raw mut row);
            assert_eq!(row, expected);
        }
        sidestep_hops_close(reading);
    }
}

#[test]
fn a_route_is_stepped_until_it_is_closed() {
    let (name, words) = (
        c"spray-counter".as_ptr(),
        c"ties=first; limit=3 kB".as_ptr(),
    );
    let mut hop = Hop {
        hops: 0b1010,
        bytes: 1538,
        ..Hop::default()
    };
    let mut taken = Vec::new();
    // SAFETY: the names are zero-terminated, the route is closed once after its last use, and `hop` is a `Hop`.
    unsafe {
        assert_eq!(
            sidestep_spray_open(name, c"limit=0 B".as_ptr(), 1, 1),
            null_mut()
        );
        let spray = sidestep_spray_open(name, words, 1, 1);
        for _ in 0..3 {
            sidestep_spray_step(spray, &raw mut hop);
            taken.push(hop.port);
        }
        sidestep_spray_close(spray);
    }
    assert_eq!((taken, hop.settings.limit), (vec![1, 3, 1], 3_000));
}

#[test]
fn classes_are_read_until_the_reading_is_closed() {
    let mut row = ClassStep::default();
    // SAFETY: the names are zero-terminated, the reading is closed once after its last use, and `row` is room
    // for one row.
    unsafe {
        assert_eq!(sidestep_class_steps_open(c"fifo".as_ptr(), 1), null_mut());
        let reading = sidestep_class_steps_open(c"wps".as_ptr(), 1);
        for expected in class_steps("wps", Seed(1)).unwrap().take(20) {
            sidestep_class_steps_next(reading, &raw mut row);
            assert_eq!(row, expected);
        }
        sidestep_class_steps_close(reading);
    }
}

#[test]
fn a_scheduler_of_classes_is_stepped_until_it_is_closed() {
    let name = c"wps".as_ptr();
    let mut step = ClassStep {
        wire: 1538,
        step: 7,
        ends: 1,
        ..ClassStep::default()
    };
    let mut flows = Vec::new();
    // SAFETY: the names are zero-terminated, the scheduler is closed once after its last use, and `step` is a
    // `ClassStep`.
    unsafe {
        assert_eq!(
            sidestep_classed_open(name, c"count=off".as_ptr()),
            null_mut()
        );
        let classed = sidestep_classed_open(name, c"places=2".as_ptr());
        for operation in [SEE, PUSH, POP] {
            step.operation = operation;
            sidestep_classed_step(classed, &raw mut step);
            flows.push(step.flows[0]);
        }
        sidestep_classed_close(classed);
    }
    assert_eq!((flows, step.answer), (vec![1, 1, 0], 7));
}

#[test]
fn limits_are_read_and_asked_until_they_are_closed() {
    let mut row = Limited::default();
    // SAFETY: the settings are zero-terminated, reading and policy are closed once after their last use, and
    // `row` is room for one row.
    unsafe {
        let reading = sidestep_limited_open(1);
        for expected in limited(Seed(1)).take(20) {
            sidestep_limited_next(reading, &raw mut row);
            assert_eq!(row, expected);
        }
        sidestep_limited_close(reading);
        assert_eq!(sidestep_limits_open(c"product=1 kB".as_ptr()), null_mut());
        let limits = sidestep_limits_open(c"mark_at=2 pkt".as_ptr());
        row = Limited {
            data: 1,
            room: 1,
            flows: 1,
            packets: 2,
            ..Limited::default()
        };
        sidestep_limits_ask(limits, &raw mut row);
        sidestep_limits_close(limits);
    }
    assert_eq!((row.join, row.mark, row.settings.cap), (1, 1, 225_000));
}

#[test]
fn a_queue_is_stepped_until_it_is_closed() {
    let mut view = View::default();
    let queue = sidestep_queue_open(2);
    // SAFETY: the queue is closed once after its last use, and `view` is room for one.
    unsafe {
        sidestep_queue_step(queue, NONE, 1, 9, 1, &raw mut view);
        sidestep_queue_step(queue, NONE, 1, 4, 2, &raw mut view);
        assert_eq!((view.out, view.waiting, view.worst), (NONE, 2, 9));
        sidestep_queue_step(queue, EVICT, 0, 0, 0, &raw mut view);
        assert_eq!((view.out, view.waiting, view.worst), (1, 1, 4));
        sidestep_queue_close(queue);
    }
}

#[test]
fn as_many_ports_are_read_as_are_passed() {
    let full = Load {
        depth: 8,
        fits: 0,
        tail: 3,
    };
    let free = Load { fits: 1, ..full };
    let loads = [free, full];
    let (mut answer, mut draws) = (Deflection::default(), [0; 2]);
    // SAFETY: two loads, and room for one answer and two draws.
    unsafe {
        sidestep_deflect(
            1,
            0,
            loads.as_ptr(),
            2,
            0b10,
            7,
            &raw mut answer,
            &raw mut draws,
        )
    };
    let mut rng = Rng::from_seed(7);
    assert_eq!((answer.enqueue, draws), (1, [rng.draw(), rng.draw()]));
    let bytes = [1500, 0, 3000];
    // SAFETY: three numbers.
    let picked = unsafe { sidestep_pick_load_aware(0b101, bytes.as_ptr(), 3, 0) };
    assert!(picked == 0 || picked == 2, "{picked}");
}
