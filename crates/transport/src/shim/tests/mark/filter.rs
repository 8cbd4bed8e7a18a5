//! Repeats that a filter finds, mistakes and misses.

use super::*;

const CUCKOO: (&str, &str) = ("repeats", "cuckoo");

#[test]
fn a_filter_finds_what_left_until_it_is_acknowledged_or_closed() {
    let mut stack = mark(&[CUCKOO], Some(1_000));
    (0..5).for_each(|n| assert_eq!(says(&mut stack, data(n)).2, 0));
    assert_eq!(says(&mut stack, again(1)), (450, 900, 1));
    ack(&mut stack, 3);
    // Below the acknowledgement no packet is known; above it all are.
    assert_eq!(says(&mut stack, again(2)), (800, 800, 0));
    assert_eq!(says(&mut stack, again(3)), (350, 700, 1));
    assert_eq!(counted(&stack), [8, 2, 0, 1]);
    stack.close(FLOW);
    stack.open(FLOW, Some(1_000));
    assert_eq!(says(&mut stack, data(4)), (600, 600, 0));
    assert_eq!(counted(&stack), [9, 2, 0, 1]);
}

#[test]
fn a_small_filter_makes_mistakes_and_counts_them() {
    let mut stack = mark(
        &[CUCKOO, ("filter", "400"), ("fingerprint", "6")],
        Some(1 << 30),
    );
    for n in 0..5_000 {
        leave(&mut stack, us(0), data(n));
        if n >= 300 {
            ack(&mut stack, n - 300);
        }
    }
    let [marked, repeats, mistaken, missed] = counted(&stack);
    assert_eq!((marked, repeats, missed), (5_000, mistaken, 0));
    // Two buckets of four, three quarters full, and 64 fingerprints: about one in eleven.
    assert!((300..700).contains(&mistaken), "{mistaken}");
    // In a filter that is too small most packets get no slot, and their repeats are missed.
    let mut stack = mark(
        &[CUCKOO, ("filter", "20"), ("fingerprint", "16")],
        Some(1 << 30),
    );
    for n in 0..200 {
        leave(&mut stack, us(0), data(n));
    }
    for n in 0..200 {
        leave(&mut stack, us(0), again(n));
    }
    let [_, repeats, mistaken, missed] = counted(&stack);
    assert_eq!((repeats + missed, mistaken), (200, 0));
    assert!((15..=20).contains(&repeats), "{repeats}");
}

#[test]
fn what_is_mistaken_has_no_place_and_is_missed_when_its_like_has_left() {
    let mut stack = mark(
        &[CUCKOO, ("filter", "64"), ("fingerprint", "4")],
        Some(1 << 30),
    );
    let mistaken = (0..).find(|n| says(&mut stack, data(*n)).2 == 1);
    let mistaken = mistaken.expect("of 16 fingerprints one comes twice");
    assert_eq!(counted(&stack), [mistaken + 1, 1, 1, 0]);
    assert_eq!(says(&mut stack, again(mistaken)).2, 2);
    ack(&mut stack, mistaken);
    assert_eq!(says(&mut stack, again(mistaken)).2, 0);
    assert_eq!(counted(&stack)[2..], [1, 1]);
}

proptest! {
    /// Checks that a filter with room for all and long fingerprints agrees with the list, except for its
    /// mistakes, and is empty when all is acknowledged.
    #[test]
    fn a_filter_with_room_misses_only_what_it_was_mistaken_about(steps in any_steps()) {
        let mut stack = mark(&[CUCKOO, ("fingerprint", "8")], Some(1 << 30));
        let (mut left, mut acknowledged) = (0, 0);
        for (what, n) in steps {
            if what == 0 {
                acknowledged = (acknowledged + n % 5).min(left);
                ack(&mut stack, acknowledged);
            } else if what < 4 && left > acknowledged {
                leave(&mut stack, us(0), again(acknowledged + n % (left - acknowledged)));
            } else {
                leave(&mut stack, us(0), data(left));
                left += 1;
            }
        }
        let [_, _, mistaken, missed] = counted(&stack);
        prop_assert!(missed == 0 || mistaken > 0, "{missed} missed, {mistaken} mistaken");
    }
}
