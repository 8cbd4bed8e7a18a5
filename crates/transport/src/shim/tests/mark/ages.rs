//! Tags where sizes are unknown: the amount sent of a message, and the start of the next one.

use super::*;

#[test]
fn where_sizes_are_unknown_the_number_is_what_was_sent() {
    let tags = |by: &str| {
        let mut stack = mark(&[("by", by)], Some(1_000));
        let sent = [(0, 0), (1, 10), (2, 370), (3, 731), (4, 731)];
        sent.map(|(n, at)| {
            let tag = leave(&mut stack, us(at), data(n)).tag();
            assert!((tag.remaining(), tag.last()) == (Tag::UNKNOWN, false));
            (tag.rank(), tag.flow_id(), tag.first())
        })
    };
    // 360 us after the third the message has not ended; 361 us after, it has.
    let bytes = [
        (0, 0, true),
        (100, 0, false),
        (200, 0, false),
        (0, 1, true),
        (100, 1, false),
    ];
    assert_eq!(tags("bytes"), bytes);
    let packets = [
        (0, 0, true),
        (1, 0, false),
        (2, 0, false),
        (0, 1, true),
        (1, 1, false),
    ];
    assert_eq!(tags("packets"), packets);
}

#[test]
fn a_repeat_keeps_the_number_of_its_first_sending_and_its_message() {
    let mut stack = mark(&[("by", "packets")], None);
    for n in 0..9 {
        leave(&mut stack, us(0), data(n));
    }
    let tag = leave(&mut stack, us(10_000), again(8)).tag();
    assert_eq!(
        (tag.rank(), tag.retransmissions(), tag.flow_id()),
        (4, 1, 0)
    );
    // The pause was due to a loss: the message goes on.
    let tag = leave(&mut stack, us(10_001), data(9)).tag();
    assert_eq!((tag.rank(), tag.flow_id(), tag.first()), (9, 0, false));
    // The next pause is the application's; a packet lost before it still belongs to the message before.
    let tag = leave(&mut stack, us(20_000), data(10)).tag();
    assert_eq!((tag.rank(), tag.flow_id(), tag.first()), (0, 1, true));
    let tag = leave(&mut stack, us(20_000), again(9)).tag();
    assert_eq!((tag.rank(), tag.flow_id(), tag.first()), (4, 0, false));
}

#[test]
fn what_follows_a_probe_is_of_the_packet_that_it_was_a_byte_of() {
    for (by, before, rest) in [
        ("remaining", 900, 899),
        ("packets", 1, 1),
        ("bytes", 100, 101),
    ] {
        let mut stack = mark(&[("by", by)], Some(1_000));
        let number = |packet: &Packet| match packet.tag().sent() {
            Some(sent) => sent,
            None => packet.tag().remaining(),
        };
        for n in 0..2 {
            leave(&mut stack, us(0), data(n));
        }
        let mut probe = again(1);
        probe.len = 1;
        let probe = leave(&mut stack, us(0), probe);
        assert_eq!((number(&probe), probe.tag().retransmissions()), (before, 1));
        let mut ack = Packet::new(Kind::Ack, FLOW, HostId(0), 9);
        ack.set_seq(101);
        stack.up(us(0), &mut ack);
        let mut packet = again(1);
        packet.set_seq(101);
        packet.len = 99;
        let packet = leave(&mut stack, us(0), packet);
        assert_eq!(
            (number(&packet), packet.tag().retransmissions()),
            (rest, 2),
            "{by}"
        );
        let count = [("remaining", 800), ("packets", 2), ("bytes", 200)];
        let next = count.iter().find(|(name, _)| *name == by).unwrap().1;
        assert_eq!(number(&leave(&mut stack, us(0), data(2))), next);
        assert_eq!(counted(&stack), [5, 2, 0, 0]);
    }
}

#[test]
fn messages_of_a_connection_are_counted_modulo_8() {
    let mut stack = Stack::of(vec![build("mark", &read(&[])).expect("good values")]);
    for number in 0..10 {
        let message = Message {
            connection: FlowId(100),
            number,
        };
        let flow = FlowId(100 + number);
        stack.open_message(flow, Some(300), Some(message));
        let mut packet = data(0);
        packet.flow = flow;
        let tag = leave(&mut stack, us(0), packet).tag();
        assert_eq!((tag.remaining(), tag.first()), (300, true));
        assert_eq!(u32::from(tag.flow_id()), number % 8);
        stack.close(flow);
    }
}

#[test]
fn by_age_the_messages_of_a_connection_are_told_by_gaps_alone() {
    let mut stack = Stack::of(vec![build("mark", &read(&[("by", "bytes")])).unwrap()]);
    let mut sends = |number: u32, at: u64| {
        let flow = FlowId(100 + number);
        let message = Message {
            connection: FlowId(100),
            number,
        };
        stack.open_message(flow, Some(100), Some(message));
        let mut packet = data(0);
        packet.flow = flow;
        let tag = leave(&mut stack, us(at), packet).tag();
        stack.close(flow);
        (tag.rank(), tag.flow_id())
    };
    assert_eq!(
        [sends(0, 0), sends(1, 50), sends(2, 900)],
        [(0, 0), (100, 0), (0, 1)]
    );
}
