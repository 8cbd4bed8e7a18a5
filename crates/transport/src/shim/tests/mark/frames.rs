//! Tags in real frames.

use super::*;

#[test]
fn a_frame_says_the_number_and_switches_boost_or_the_host_has_rotated_it() {
    let numbers = |boosting, size| {
        let mut stack = mark(&[("boosting", boosting), ("boost", "4")], size);
        [data(0), data(1), again(0), again(0)].map(|p| frame(&mut stack, p).expect("a tag").0)
    };
    assert_eq!(numbers("shift", Some(300)), [300, 200, 300, 300]);
    // 300 = 75 x 4, and 75 is odd.
    let twice = 300u32.rotate_right(4);
    assert_eq!(numbers("rotate", Some(300)), [300, 200, 75, twice]);
    assert_eq!(numbers("shift", None), [Tag::UNKNOWN; 4]);
    let mut stack = mark(&[], Some(300));
    let mut bare = data(0);
    bare.len = 0;
    assert!(frame(&mut stack, bare).is_none(), "no data, no tag");
    assert_eq!(stack.carried(&data(2)), None, "it has not left");
}

#[test]
fn what_was_acknowledged_in_passing_is_forgotten() {
    for repeats in ["exact", "cuckoo"] {
        let mut stack = mark(&[("repeats", repeats)], Some(300));
        for n in 0..3 {
            leave(&mut stack, us(0), data(n));
        }
        stack.acknowledged(FLOW, 200);
        assert_eq!(stack.carried(&data(1)), None, "{repeats}");
        assert_eq!(stack.carried(&data(2)), Some(100), "{repeats}");
        stack.acknowledged(FlowId(77), 200);
    }
}

proptest! {
    /// Checks, for any count, boost and number of repeats, that the host that reads a frame restores the tag
    /// that its sender gave the packet, except for the flag of the last one, which does not travel.
    #[test]
    fn who_reads_a_frame_knows_what_its_sender_said(
        by in proptest::sample::select(&["remaining", "packets", "bytes"][..]),
        boosting in proptest::sample::select(&["shift", "rotate"][..]),
        boost in proptest::sample::select(&["1", "2", "4", "8"][..]),
        size in proptest::option::of(1u64..5_000),
        sends in proptest::collection::vec(0u64..12, 1..60),
    ) {
        let set = [("by", by), ("boosting", boosting), ("boost", boost)];
        let (mut stack, reader) = (mark(&set, size), mark(&set, None));
        for number in sends {
            let packet = leave(&mut stack, us(0), data(number));
            let mut expected = packet.tag();
            expected.set_last(false);
            let carried = stack.carried(&packet).expect("a tag");
            let mut read = Tag::NONE;
            read.set_retransmissions(expected.retransmissions());
            read.set_flow_id(expected.flow_id());
            read.set_first(expected.first());
            reader.restore(&mut read, carried);
            prop_assert_eq!(read, expected);
        }
    }
}
