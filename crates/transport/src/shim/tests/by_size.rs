//! Classes by size, by hand: the service of each packet.

use super::*;
use crate::shim::by_size::BySize;
use proptest::prelude::*;
use sidestep_types::Tag;

fn read(set: &[(&'static str, &str)]) -> Values {
    let params = BySize::ENTRY.params;
    let mut values = Values::defaults(params);
    for (name, text) in set {
        let param = params.iter().find(|p| p.name == *name).expect("its");
        values.set(name, Value::parse(text, param).expect("its unit"));
    }
    values
}

/// Returns a stack with a flow of `size` bytes, or an endless one.
fn by_size(set: &[(&'static str, &str)], size: Option<u64>) -> Stack {
    let mut stack = Stack::of(vec![build("by-size", &read(set)).expect("good values")]);
    stack.open(FLOW, size);
    stack
}

/// Returns the service of a packet that leaves; 63 where nothing sets it.
fn leaves(stack: &mut Stack, mut packet: Packet) -> u8 {
    packet.set_service(63);
    stack.down(us(0), &mut packet);
    packet.service()
}

fn of(kind: Kind) -> Packet {
    Packet::new(kind, FLOW, HostId(0), 9)
}

/// Hands over a packet that arrives with this service.
fn comes(stack: &mut Stack, mut packet: Packet, service: u8) {
    packet.set_service(service);
    assert_eq!(stack.up(us(0), &mut packet), Up::Pass);
    assert_eq!(packet.service(), service, "what comes stays as it is");
}

#[test]
fn all_of_a_flow_is_in_the_class_of_its_size() {
    let three = [("thresholds", "1000 B, 2000 B")];
    for (size, class) in [
        (Some(1), 0),
        (Some(1_000), 0),
        (Some(1_001), 1),
        (Some(2_000), 1),
        (Some(2_001), 2),
        (None, 2),
    ] {
        let mut stack = by_size(&three, size);
        for packet in [of(Kind::Syn), of(Kind::Data), data(0), data(9), data(3)] {
            assert_eq!(leaves(&mut stack, packet), class, "{size:?}: {packet:?}");
        }
    }
    // With a threshold of 0 the first class is empty.
    assert_eq!(
        leaves(&mut by_size(&[("thresholds", "0 B")], Some(1)), data(0)),
        1
    );
}

#[test]
fn a_flow_is_in_the_class_of_what_it_announces_and_ends_where_it_ends() {
    let tenth = [("announce", "0.1"), ("thresholds", "1000 B")];
    for (size, class) in [(Some(10_000), 0), (Some(10_001), 1), (None, 1)] {
        let mut stack = by_size(&tenth, size);
        for packet in [of(Kind::Syn), data(0), data(90), of(Kind::Data)] {
            assert_eq!(leaves(&mut stack, packet), class, "{size:?}: {packet:?}");
        }
    }
    // Beyond its announced size it stays in its class, and only its last byte is flagged as the end.
    let mut liar = by_size(&tenth, Some(10_000));
    for (number, ends) in [(9, false), (10, false), (98, false), (99, true)] {
        let mut packet = data(number);
        liar.down(us(0), &mut packet);
        assert_eq!((packet.service(), packet.ends()), (0, ends), "{number}");
    }
    let more = [("announce", "20"), ("thresholds", "1000 B")];
    assert_eq!(leaves(&mut by_size(&more, Some(50)), data(0)), 0);
    assert_eq!(leaves(&mut by_size(&more, Some(51)), data(0)), 1);
    // A flow outside the share announces its true size, and by bytes sent the announced size has no effect.
    let none = [
        ("announce", "0.1"),
        ("announce_share", "0"),
        ("thresholds", "1000 B"),
    ];
    assert_eq!(leaves(&mut by_size(&none, Some(10_000)), data(0)), 1);
    let sent = [
        ("by", "sent"),
        ("announce", "0.1"),
        ("thresholds", "1000 B"),
    ];
    assert_eq!(leaves(&mut by_size(&sent, Some(10_000)), data(10)), 1);
}

#[test]
fn announcing_nothing_and_more_than_all_that_do_are_refused() {
    let refused = |name, text| {
        build("by-size", &read(&[(name, text)]))
            .err()
            .unwrap()
            .to_string()
    };
    assert_eq!(refused("announce", "0"), "announce must be above 0, got 0");
    assert_eq!(
        refused("announce_share", "2"),
        "announce_share must be at most 1, got 2"
    );
}

#[test]
fn the_packet_with_the_last_byte_says_that_its_flow_ends_each_time() {
    let ends = |stack: &mut Stack, mut packet: Packet| {
        stack.down(us(0), &mut packet);
        packet.ends()
    };
    let mut stack = by_size(&[], Some(250));
    let mut last = data(2);
    last.len = 50;
    let all = [of(Kind::Syn), data(0), data(1), last, data(0), last];
    let said = all.map(|packet| ends(&mut stack, packet));
    assert_eq!(said, [false, false, false, true, false, true]);
    for (by, size) in [("size", None), ("sent", Some(250))] {
        let mut stack = by_size(&[("by", by)], size);
        assert!(!ends(&mut stack, last), "{by}: nobody says the size");
    }
}

#[test]
fn by_what_was_sent_a_flow_begins_in_the_first_class_and_does_not_go_back() {
    let set = [("by", "sent"), ("thresholds", "200 B, 500 B")];
    for size in [None, Some(100), Some(1_000_000)] {
        let mut stack = by_size(&set, size);
        assert_eq!(leaves(&mut stack, of(Kind::Syn)), 0);
        let classes = (0..7).map(|n| leaves(&mut stack, data(n)));
        assert_eq!(classes.collect::<Vec<_>>(), [0, 0, 1, 1, 1, 2, 2]);
        let mut again = data(0);
        again.set_retransmit(true);
        assert_eq!(leaves(&mut stack, again), 2, "what is sent again");
        assert_eq!(leaves(&mut stack, of(Kind::Data)), 2, "its end");
    }
}

#[test]
fn of_subflows_the_place_in_the_message_counts() {
    let mut stack = by_size(&[("by", "sent"), ("thresholds", "200 B")], None);
    let on = |subflow: u8, own: u64, whole: u64| {
        let mut packet = data(0);
        packet.set_seq(Packet::first_of(subflow) + own);
        let mut tag = Tag::NONE;
        tag.set_data_seq(whole);
        packet.set_tag(tag);
        packet
    };
    assert_eq!(leaves(&mut stack, on(3, 0, 0)), 0);
    assert_eq!(leaves(&mut stack, on(1, 0, 100)), 0);
    assert_eq!(leaves(&mut stack, on(1, 100, 200)), 1);
}

#[test]
fn acknowledgements_go_with_what_they_answer_or_all_in_the_first_class() {
    let mut flow = by_size(&[("dscp", "8, 10")], None);
    assert_eq!(leaves(&mut flow, of(Kind::SynAck)), 8, "nothing has come");
    comes(&mut flow, of(Kind::Syn), 10);
    assert_eq!(leaves(&mut flow, of(Kind::SynAck)), 10);
    comes(&mut flow, data(0), 8);
    assert_eq!(leaves(&mut flow, of(Kind::Ack)), 8);
    comes(&mut flow, of(Kind::Ack), 10);
    assert_eq!(leaves(&mut flow, of(Kind::Ack)), 8, "data alone counts");
    // Data as marked by a host without classes.
    comes(&mut flow, data(1), 46);
    assert_eq!(leaves(&mut flow, of(Kind::Ack)), 46);
    let mut first = by_size(&[("dscp", "8, 10"), ("acks", "first")], None);
    comes(&mut first, data(0), 10);
    assert_eq!(leaves(&mut first, of(Kind::Ack)), 8);
}

#[test]
fn a_flow_that_is_not_open_passes_as_it_is() {
    let mut stack = by_size(&[], Some(1));
    assert_eq!(leaves(&mut stack, data(0)), 0);
    stack.close(FLOW);
    comes(&mut stack, data(0), 1);
    for packet in [data(0), of(Kind::Ack), of(Kind::Syn), of(Kind::SynAck)] {
        assert_eq!(leaves(&mut stack, packet), 63);
    }
}

#[test]
fn what_cannot_be_is_refused_with_the_numbers() {
    let why = |set: &[(&'static str, &str)]| {
        build("by-size", &read(set))
            .err()
            .expect("refused")
            .to_string()
    };
    let eight = "1 B, 2 B, 3 B, 4 B, 5 B, 6 B, 7 B, 8 B";
    for (set, expected) in [
        (
            vec![("thresholds", "2 kB, 2 kB")],
            "thresholds must rise, got 2000 B before 2000 B",
        ),
        (
            vec![("thresholds", eight)],
            "thresholds must be at most 7, for 8 classes, got 8",
        ),
        (
            vec![("by", "sent"), ("thresholds", "0 B, 1 B")],
            "by = \"sent\" with a threshold of 0 leaves the first class empty: expected thresholds \
             above 0, got 0 B",
        ),
        (vec![("dscp", "0, 64")], "dscp must be from 0 to 63, got 64"),
        (
            vec![("dscp", "0, 1, 2")],
            "dscp must have one code point for each of 2 classes, got 3",
        ),
        (
            vec![("dscp", "7, 7")],
            "dscp must differ between classes, got 7 twice",
        ),
    ] {
        assert_eq!(why(&set), expected);
    }
    build("by-size", &read(&[("thresholds", &eight[..33])]))
        .expect("seven are as many as there may be");
}

proptest! {
    /// Checks, for packets in any order, that by bytes sent a class never falls, that by size it never changes,
    /// and that a byte sent in order has the class of a flow that ends with it.
    #[test]
    fn classes_rise_with_what_was_sent_and_both_ways_agree(
        steps in prop::collection::vec(1u64..400, 1..7),
        order in prop::collection::vec(0u64..60, 1..60),
        sent: bool,
    ) {
        let mut last = 0;
        let all: Vec<String> = steps.iter().map(|step| { last += step * 10; format!("{last} B") }).collect();
        let thresholds = all.join(", ");
        let by = if sent { "sent" } else { "size" };
        let set = [("by", by), ("thresholds", &thresholds[..])];
        let mut stack = by_size(&set, Some(order.len() as u64 * 100));
        let mut before = 0;
        for (n, number) in order.iter().enumerate() {
            let class = leaves(&mut stack, data(*number));
            prop_assert!(class >= before && usize::from(class) <= steps.len());
            prop_assert!(sent || n == 0 || class == before);
            before = class;
        }
        let mut turn = by_size(&[("by", "sent"), set[1]], None);
        for number in 0..60 {
            let one_byte_more = Some(number * 100 + 1);
            let whole = leaves(&mut by_size(&[set[1]], one_byte_more), data(0));
            prop_assert_eq!(leaves(&mut turn, data(number)), whole);
        }
    }
}
