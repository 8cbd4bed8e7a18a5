//! What a host remembers of what is outstanding, and what becomes of the rest.

use super::*;
use crate::shim::mark::MOST_REMEMBERED;

/// A flow of so many bytes, if its size is known, at a host that remembers so many packets.
fn forgetful(set: &[(&'static str, &str)], size: Option<u64>, room: usize) -> Stack {
    let mark = Mark::build(sidestep_types::Settings::read(&read(set)).expect("good values"))
        .expect("good values");
    let mut stack = Stack::of(vec![AnyShim::Custom(Box::new(mark.with_room(room)))]);
    stack.open(FLOW, size);
    stack
}

/// How many packets found no room.
fn unremembered(stack: &Stack) -> u64 {
    stack.counters().unremembered
}

#[test]
fn what_finds_no_room_is_marked_and_its_repeats_count_as_new() {
    for repeats in ["exact", "cuckoo"] {
        let mut stack = forgetful(&[("repeats", repeats)], Some(1_000), 3);
        let sent = [0, 1, 2, 3, 4].map(|n| frame(&mut stack, data(n)).expect("a tag").0);
        assert_eq!(sent, [1_000, 900, 800, 700, 600], "{repeats}");
        assert_eq!(unremembered(&stack), 2);
        assert_eq!(says(&mut stack, again(2)), (400, 800, 1), "remembered");
        assert_eq!(says(&mut stack, again(4)), (600, 600, 0), "{repeats}");
        assert_eq!((unremembered(&stack), counted(&stack)), (3, [7, 1, 0, 1]));
        // What is acknowledged makes room, and so does what is closed.
        ack(&mut stack, 2);
        assert_eq!(says(&mut stack, again(3)), (700, 700, 0));
        assert_eq!(says(&mut stack, again(3)), (350, 700, 1));
        assert_eq!(unremembered(&stack), 3, "{repeats}");
        stack.close(FLOW);
        stack.open(FLOW, Some(1_000));
        for n in 0..3 {
            leave(&mut stack, us(0), data(n));
        }
        assert_eq!(unremembered(&stack), 3, "{repeats}");
        leave(&mut stack, us(0), data(3));
        assert_eq!(unremembered(&stack), 4, "{repeats}");
    }
}

#[test]
fn the_flows_of_a_host_share_its_room() {
    let other = FlowId(4);
    let mut stack = forgetful(&[], Some(1_000), 3);
    stack.open(other, Some(500));
    let of_other = |n: u64| {
        let mut packet = data(n);
        packet.flow = other;
        packet
    };
    for n in 0..2 {
        leave(&mut stack, us(0), data(n));
        assert!(frame(&mut stack, of_other(n)).is_some());
    }
    assert_eq!(unremembered(&stack), 1);
    stack.close(FLOW);
    assert_eq!(says(&mut stack, of_other(1)).1, 400);
    assert_eq!(says(&mut stack, of_other(0)).2, 1);
    assert_eq!(unremembered(&stack), 1);
}

#[test]
fn a_host_whose_data_is_never_acknowledged_has_an_end() {
    let mut stack = mark(&[("by", "packets")], None);
    let most = MOST_REMEMBERED as u64;
    for n in 0..most + 7 {
        assert_eq!(says(&mut stack, data(n)).0, n as u32);
    }
    assert_eq!(unremembered(&stack), 7);
    assert_eq!(says(&mut stack, again(most - 1)).2, 1, "remembered");
    assert_eq!(says(&mut stack, again(most + 6)).2, 0);
}

/// With any room: what is known of the size is right, and what travels is what was said.
#[test]
fn however_little_it_remembers_sizes_are_right() {
    for room in 0..6 {
        let mut stack = forgetful(&[("boost", "1")], Some(2_000), room);
        for (n, acked) in [
            (0, 0),
            (1, 0),
            (2, 0),
            (3, 1),
            (1, 1),
            (4, 3),
            (5, 3),
            (3, 4),
            (4, 4),
        ] {
            assert_eq!(
                frame(&mut stack, data(n)).expect("a tag").0,
                2_000 - 100 * n as u32
            );
            ack(&mut stack, acked);
        }
    }
}
