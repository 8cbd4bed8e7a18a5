//! Ordering by the remaining size in tags, by hand.

use super::*;
use sidestep_types::Tag;

/// Bytes of a packet of a message.
const LEN: u64 = 100;

/// Returns packet `number` of `of` packets of a message; messages follow each other in one stream.
fn part(message: u64, number: u64, of: u64) -> Packet {
    let mut packet = data(message * 100 + number);
    let mut tag = Tag::NONE;
    let left = ((of - number) * LEN) as u32;
    tag.set_rank(left);
    tag.set_remaining(left);
    tag.set_flow_id((message % 8) as u8);
    tag.set_first(number == 0);
    tag.set_last(number + 1 == of);
    packet.set_tag(tag);
    packet
}

/// Returns packet `number` where sizes are unknown: its tag has the packets, or bytes, sent before.
fn numbered(message: u64, number: u64, unit: u64) -> Packet {
    let mut packet = part(message, number, u32::MAX as u64 / LEN);
    let mut tag = packet.tag();
    tag.set_rank((number * unit) as u32);
    tag.set_sent((number * unit) as u32);
    packet.set_tag(tag);
    packet
}

/// Returns the packet as a retransmission: its rank is halved.
fn again(mut packet: Packet) -> Packet {
    let mut tag = packet.tag();
    tag.set_rank(tag.rank() / 2);
    tag.set_retransmissions(1);
    packet.set_tag(tag);
    packet
}

fn by_remaining(release: &str) -> Stack {
    counting("remaining", release)
}

/// Returns a stack below which tags count `by`.
fn counting(by: &str, release: &str) -> Stack {
    let word = |word: &str| Value::Word(word.to_string());
    let set = values(&[("by", word("remaining")), ("release", word(release))]);
    let mut order = Order::build(sidestep_types::Settings::read(&set).expect("good values"))
        .expect("good values");
    order.count_by(by);
    let mut stack = Stack::of(vec![AnyShim::Order(order)]);
    stack.open(FLOW, None);
    stack
}

/// Hands over these packets of one message of ten; returns those that go on.
fn come(stack: &mut Stack, now: Time, numbers: &[u64]) -> Vec<u64> {
    let each = numbers.iter().map(|n| arrive(stack, now, part(0, *n, 10)));
    each.collect::<Vec<_>>().concat()
}

fn expire(stack: &mut Stack, now: Time) -> Vec<u64> {
    stack.on_timeout(now);
    polled(stack, now)
}

const BOTH: [&str; 2] = ["paper", "simulator"];

#[test]
fn every_order_of_a_message_goes_on_in_order() {
    for release in BOTH {
        let mut numbers = [0, 1, 2, 3, 4, 5];
        permute(&mut numbers, 0, &mut |arrivals| {
            let mut stack = by_remaining(release);
            let seen = arrivals
                .iter()
                .map(|n| arrive(&mut stack, us(0), part(0, *n, 6)));
            assert_eq!(seen.collect::<Vec<_>>().concat(), [0, 1, 2, 3, 4, 5]);
            let counted = stack.counters();
            assert_eq!((counted.held, counted.late), (counted.released, 0));
            assert_eq!((counted.expired, stack.deadline()), (0, None));
        });
    }
}

#[test]
fn the_first_packet_is_waited_for_by_all_that_overtake_it() {
    for release in BOTH {
        let mut stack = by_remaining(release);
        assert_eq!(come(&mut stack, us(0), &[1, 2]), []);
        assert_eq!(stack.deadline(), Some(us(100)));
        assert_eq!(come(&mut stack, us(99), &[0]), [0, 1, 2]);
        assert_eq!(stack.deadline(), None);
    }
}

#[test]
fn a_first_packet_that_is_lost_is_waited_for_until_the_timer_runs_out() {
    let mut stack = by_remaining("paper");
    assert_eq!(come(&mut stack, us(0), &[2, 4]), []);
    assert_eq!(come(&mut stack, us(40), &[1]), []);
    // All up to the next gap go on; 4 is behind it, and has waited as long.
    assert_eq!(expire(&mut stack, us(100)), [1, 2, 4]);
    assert_eq!(come(&mut stack, us(101), &[0, 3, 5, 7]), [0, 3, 5]);
    assert_eq!(stack.counters().late, 2);
    let mut stack = by_remaining("simulator");
    assert_eq!(come(&mut stack, us(0), &[2]), []);
    assert_eq!(come(&mut stack, us(40), &[1, 3, 4]), []);
    // The packet that timed out and those before it go on; the next place is still unknown.
    assert_eq!(expire(&mut stack, us(100)), [1, 2]);
    assert_eq!(stack.deadline(), Some(us(140)));
    assert_eq!(come(&mut stack, us(120), &[0, 5]), [0, 3, 4, 5]);
    assert_eq!(stack.deadline(), None);
}

#[test]
fn larger_than_expected_is_late() {
    for release in BOTH {
        let mut stack = by_remaining(release);
        assert_eq!(come(&mut stack, us(0), &[0, 1, 2, 1, 0]), [0, 1, 2, 1, 0]);
        assert_eq!(come(&mut stack, us(0), &[4, 2, 3]), [2, 3, 4]);
        let counted = stack.counters();
        assert_eq!((counted.late, counted.dropped, counted.held), (3, 0, 1));
    }
}

#[test]
fn by_the_papers_rule_the_next_timer_counts_from_what_waits_behind_the_next_gap() {
    let mut stack = by_remaining("paper");
    assert_eq!(come(&mut stack, us(0), &[0]), [0]);
    // Waiting for 1: 8 arrived first, 2 last of the held packets.
    assert_eq!(come(&mut stack, us(10), &[8]), []);
    assert_eq!(come(&mut stack, us(20), &[5]), []);
    assert_eq!(come(&mut stack, us(50), &[2]), []);
    assert_eq!(stack.deadline(), Some(us(110)));
    // The gap closes. 5 is behind the next one, and has waited for 40 us.
    assert_eq!(come(&mut stack, us(60), &[1]), [1, 2]);
    assert_eq!(stack.deadline(), Some(us(120)));
    // The timer of 5 expires and its gap is given up; 8 has waited longer.
    assert_eq!(expire(&mut stack, us(120)), [5, 8]);
    assert_eq!(stack.deadline(), None);
    assert_eq!(come(&mut stack, us(121), &[3, 4, 9]), [3, 4, 9]);
    let counted = stack.counters();
    assert_eq!((counted.held, counted.released, counted.expired), (3, 1, 2));
    assert_eq!(counted.late, 2);
}

#[test]
fn by_the_papers_rule_one_timer_runs_out_for_one_gap() {
    let mut stack = by_remaining("paper");
    assert_eq!(come(&mut stack, us(0), &[0, 4]), [0]);
    assert_eq!(come(&mut stack, us(30), &[2]), []);
    assert_eq!(come(&mut stack, us(70), &[6]), []);
    assert_eq!(expire(&mut stack, us(99)), []);
    // The timer of 4, which opened the gap, expires; then 4 has waited as long itself.
    assert_eq!(expire(&mut stack, us(100)), [2, 4]);
    assert_eq!(stack.deadline(), Some(us(170)));
    assert_eq!(expire(&mut stack, us(170)), [6]);
}

#[test]
fn what_is_overdue_as_a_gap_closes_is_due_at_once() {
    let mut stack = by_remaining("paper");
    assert_eq!(come(&mut stack, us(0), &[0, 8]), [0]);
    assert_eq!(come(&mut stack, us(90), &[3]), []);
    assert_eq!(come(&mut stack, us(95), &[1]), [1]);
    // The gap before 3 is given up at 100 us, and 8 has waited since 0: both go on at one instant.
    assert_eq!(expire(&mut stack, us(100)), [3, 8]);
    // Here the gap before 3 closes, and the timer of the gap before 5 counts from then.
    let mut stack = by_remaining("paper");
    assert_eq!(come(&mut stack, us(0), &[0, 8]), [0]);
    assert_eq!(come(&mut stack, us(80), &[4, 2]), []);
    assert_eq!(come(&mut stack, us(90), &[1]), [1, 2]);
    assert_eq!(stack.deadline(), Some(us(180)));
    assert_eq!(come(&mut stack, us(120), &[3]), [3, 4]);
    assert_eq!(stack.deadline(), Some(us(120)));
    assert_eq!(expire(&mut stack, us(120)), [8]);
}

#[test]
fn by_the_simulators_rule_the_gap_stays_until_it_closes() {
    let mut stack = by_remaining("simulator");
    assert_eq!(come(&mut stack, us(0), &[0, 4]), [0]);
    assert_eq!(come(&mut stack, us(10), &[2, 5]), []);
    assert_eq!(expire(&mut stack, us(100)), [2, 4]);
    assert_eq!(stack.deadline(), Some(us(110)));
    assert_eq!(expire(&mut stack, us(110)), [5]);
    // 1 is still expected: 6 waits though it follows 5, and a copy of 4 does not.
    assert_eq!(come(&mut stack, us(120), &[6, 4]), [4]);
    assert_eq!(come(&mut stack, us(130), &[3]), [], "1 is missing");
    // 1 closes the gap, and the packets that went on before are skipped.
    assert_eq!(come(&mut stack, us(140), &[1]), [1, 3, 6]);
    assert_eq!(stack.deadline(), None);
    assert_eq!(come(&mut stack, us(140), &[7, 8]), [7, 8]);
    let counted = stack.counters();
    assert_eq!((counted.held, counted.expired, counted.released), (5, 3, 2));
    assert_eq!(counted.late, 1);
}

#[test]
fn by_the_simulators_rule_sequence_numbers_stay_as_well() {
    let mut stack = order(&[("release", Value::Word("simulator".into()))]);
    assert_eq!(see(&mut stack, us(0), &[0, 2]), [0]);
    assert_eq!(expire(&mut stack, us(100)), [2]);
    assert_eq!(see(&mut stack, us(101), &[3, 2]), [2]);
    assert_eq!(see(&mut stack, us(102), &[1]), [1, 3]);
}

#[test]
fn a_copy_of_what_is_held_is_dropped_and_leaves_its_mark() {
    for release in BOTH {
        let mut stack = by_remaining(release);
        assert_eq!(come(&mut stack, us(0), &[2, 3]), []);
        let mut copy = part(0, 2, 10);
        copy.set_ect(true);
        copy.set_ce(true);
        assert_eq!(stack.up(us(1), &mut copy), Up::Drop);
        assert_eq!(stack.poll_drop().map(|p| p.seq()), Some(200));
        for number in 0..2 {
            stack.up(us(2), &mut part(0, number, 10));
        }
        let mut next = || stack.poll_up(us(2)).map(|p| (p.seq() / 100, p.ce()));
        let seen = [next(), next(), next(), next()];
        let expected = [(0, false), (1, false), (2, true), (3, false)];
        assert_eq!(seen, expected.map(Some));
        assert_eq!((stack.counters().dropped, stack.counters().held), (1, 2));
        // A copy of a packet that went on goes on: its acknowledgement may be lost.
        assert_eq!(come(&mut stack, us(3), &[2]), [2]);
    }
}

#[test]
fn a_longer_copy_of_what_is_held_is_none() {
    let mut stack = by_remaining("paper");
    assert_eq!(come(&mut stack, us(0), &[0, 2]), [0]);
    let mut longer = part(0, 2, 10);
    longer.len = 200;
    assert_eq!(arrive(&mut stack, us(0), longer), []);
    assert_eq!(come(&mut stack, us(0), &[1]), [1, 2, 2]);
    assert_eq!(come(&mut stack, us(0), &[4]), [4], "the longer one had 3");
}

#[test]
fn an_older_message_goes_on_at_once_and_a_newer_one_before_what_was_held() {
    for release in BOTH {
        let mut stack = by_remaining(release);
        let of = |message, number| part(message, number, 4);
        assert_eq!(arrive(&mut stack, us(0), of(7, 0)), [700]);
        assert_eq!(arrive(&mut stack, us(0), of(7, 3)), []);
        assert_eq!(arrive(&mut stack, us(0), of(7, 2)), []);
        // The next number of three bits is 0.
        assert_eq!(arrive(&mut stack, us(1), of(8, 0)), [702, 703, 800]);
        assert_eq!(stack.deadline(), None);
        assert_eq!(arrive(&mut stack, us(1), of(8, 2)), []);
        assert_eq!(arrive(&mut stack, us(2), of(7, 1)), [701]);
        assert_eq!(arrive(&mut stack, us(2), of(8, 1)), [801, 802]);
        // The first packet of the message is overtaken.
        assert_eq!(arrive(&mut stack, us(3), of(9, 1)), []);
        assert_eq!(arrive(&mut stack, us(3), of(8, 3)), [803]);
        assert_eq!(arrive(&mut stack, us(3), of(9, 0)), [900, 901]);
        let counted = stack.counters();
        assert_eq!((counted.expired, counted.released, counted.late), (2, 2, 2));
    }
}

#[test]
fn flow_ids_up_to_four_ahead_are_newer() {
    for (ahead, newer) in [(1, true), (3, true), (4, true), (5, false), (7, false)] {
        let mut stack = by_remaining("paper");
        assert_eq!(arrive(&mut stack, us(0), part(16, 0, 4)), [1600]);
        let second = arrive(&mut stack, us(0), part(16 + ahead, 1, 4));
        assert_eq!(second.is_empty(), newer, "{ahead}: held, or on at once");
        assert_eq!(stack.counters().late, u64::from(!newer));
    }
}

#[test]
fn what_counts_up_is_ordered_upwards() {
    for (by, unit) in [("packets", 1), ("bytes", LEN)] {
        for release in BOTH {
            let mut stack = counting(by, release);
            let of = |message, number| numbered(message, number, unit);
            let mut hear = |message, number, now| arrive(&mut stack, us(now), of(message, number));
            // The count begins at 0: the first packet needs no flag.
            assert_eq!(hear(0, 1, 0), []);
            assert_eq!(hear(0, 2, 0), []);
            assert_eq!(hear(0, 0, 0), [0, 1, 2]);
            assert_eq!(hear(0, 4, 0), []);
            assert_eq!(hear(0, 1, 0), [1], "late");
            // After a gap the count restarts.
            assert_eq!(hear(1, 1, 0), [4]);
            assert_eq!(hear(1, 0, 0), [100, 101]);
            assert_eq!(hear(0, 3, 0), [3], "older");
        }
    }
}

#[test]
fn where_counts_go_up_what_is_sent_again_is_placed_by_its_count_and_not_by_its_rank() {
    for (by, unit) in [("packets", 1), ("bytes", LEN)] {
        for release in BOTH {
            let mut stack = counting(by, release);
            let of = |number| numbered(0, number, unit);
            let mut hear = |packet, now| arrive(&mut stack, us(now), packet);
            assert_eq!(hear(of(0), 0), [0]);
            assert_eq!(hear(of(1), 0), [1]);
            assert_eq!(hear(of(4), 0), []);
            assert_eq!(hear(of(6), 0), []);
            assert_eq!(hear(again(of(1)), 0), [1], "late");
            assert_eq!(hear(again(of(4)), 0), [], "a copy");
            assert_eq!(hear(again(of(2)), 0), [2]);
            assert_eq!(hear(again(of(5)), 0), []);
            assert_eq!(hear(again(of(3)), 0), [3, 4, 5, 6]);
            let counted = stack.counters();
            assert_eq!((counted.dropped, counted.expired), (1, 0), "{by} {release}");
        }
    }
}

#[test]
fn where_counts_go_up_what_was_given_up_or_went_ahead_is_waited_for_no_more() {
    for (by, unit) in [("packets", 1), ("bytes", LEN)] {
        let mut stack = counting(by, "paper");
        let of = |number| numbered(0, number, unit);
        for number in [0, 2, 4] {
            arrive(&mut stack, us(0), of(number));
        }
        assert_eq!(expire(&mut stack, us(100)), [2, 4]);
        assert_eq!(arrive(&mut stack, us(101), of(6)), []);
        assert_eq!(arrive(&mut stack, us(102), again(of(5))), [5, 6]);
        let mut stack = counting(by, "simulator");
        for number in [0, 2, 3] {
            arrive(&mut stack, us(0), of(number));
        }
        assert_eq!(expire(&mut stack, us(100)), [2, 3]);
        assert_eq!(arrive(&mut stack, us(101), of(5)), []);
        assert_eq!(arrive(&mut stack, us(102), of(1)), [1]);
        assert_eq!(arrive(&mut stack, us(103), again(of(4))), [4, 5]);
    }
}

#[test]
fn what_is_sent_again_of_a_message_that_has_not_begun_waits_for_its_first_packet() {
    for (by, unit) in [("packets", 1), ("bytes", LEN)] {
        let mut stack = counting(by, "paper");
        let of = |message, number| numbered(message, number, unit);
        assert_eq!(arrive(&mut stack, us(0), of(0, 0)), [0]);
        // The end of the message before is missing: the first byte of this one is unknown.
        assert_eq!(arrive(&mut stack, us(0), again(of(1, 1))), []);
        assert_eq!(arrive(&mut stack, us(0), of(1, 2)), []);
        assert_eq!(arrive(&mut stack, us(0), of(1, 0)), [100, 101, 102]);
    }
}

#[test]
fn a_count_may_go_on_from_the_flow_before() {
    for (by, unit) in [("packets", 1), ("bytes", LEN)] {
        let mut stack = counting(by, "paper");
        let of = |number| {
            let mut packet = numbered(0, number, unit);
            let mut tag = packet.tag();
            tag.set_sent(tag.rank() + 4000);
            tag.set_rank(tag.rank() + 4000);
            tag.set_first(false);
            packet.set_tag(tag);
            packet
        };
        assert_eq!(arrive(&mut stack, us(0), of(1)), []);
        assert_eq!(arrive(&mut stack, us(0), of(0)), [0, 1]);
        assert_eq!(arrive(&mut stack, us(0), of(3)), []);
        assert_eq!(arrive(&mut stack, us(0), of(2)), [2, 3]);
    }
}

#[test]
fn data_that_says_no_size_is_ordered_by_its_number() {
    for release in BOTH {
        let mut stack = by_remaining(release);
        // Data without a tag.
        assert_eq!(see(&mut stack, us(0), &[1, 0]), [0, 1]);
        // Data with a tag whose size is too large, or unknown; the rest of the message is treated alike.
        let unknown = |number| {
            let mut packet = part(0, number, 10);
            let mut tag = packet.tag();
            tag.set_remaining(u32::MAX);
            packet.set_tag(tag);
            packet
        };
        assert_eq!(arrive(&mut stack, us(0), unknown(3)), []);
        assert_eq!(arrive(&mut stack, us(0), unknown(2)), [2, 3]);
        assert_eq!(come(&mut stack, us(0), &[5]), []);
        assert_eq!(arrive(&mut stack, us(0), unknown(4)), [4, 5]);
        // The next message carries its size, and the one after it again does not.
        assert_eq!(arrive(&mut stack, us(0), part(1, 1, 3)), []);
        assert_eq!(arrive(&mut stack, us(0), part(1, 0, 3)), [100, 101]);
        assert_eq!(see(&mut stack, us(0), &[103]), []);
        assert_eq!(see(&mut stack, us(0), &[102]), [102, 103]);
        assert_eq!(stack.counters().late, 0);
        assert_eq!(stack.deadline(), None);
    }
}

#[test]
fn a_message_just_too_large_is_ordered_by_numbers_from_the_packet_that_says_so() {
    let mut stack = by_remaining("paper");
    let mut first = part(0, 0, 10);
    let mut tag = first.tag();
    tag.set_remaining(u32::MAX);
    first.set_tag(tag);
    // The second packet carries a size, and overtook the first.
    assert_eq!(come(&mut stack, us(0), &[2, 1]), []);
    assert_eq!(arrive(&mut stack, us(0), first), [1, 2, 0]);
    assert_eq!(come(&mut stack, us(0), &[4]), []);
    assert_eq!(come(&mut stack, us(0), &[3]), [3, 4]);
}

#[test]
fn what_carries_no_whole_data_passes_by_its_tag() {
    for release in BOTH {
        passes_what_carries_no_whole_data(&mut by_remaining(release), part(0, 5, 10));
    }
}

#[test]
fn a_flow_that_closes_drops_what_is_held_and_a_new_one_begins_anew() {
    for release in BOTH {
        let mut stack = by_remaining(release);
        assert_eq!(come(&mut stack, us(0), &[0, 2, 4]), [0]);
        stack.close(FLOW);
        assert_eq!((stack.deadline(), stack.counters().discarded), (None, 2));
        assert_eq!(come(&mut stack, us(1), &[4]), [4], "nobody opened it");
        stack.open(FLOW, None);
        assert_eq!(come(&mut stack, us(2), &[1, 0]), [0, 1]);
    }
}

#[test]
fn without_room_the_gaps_are_given_up_or_stay() {
    let of = |release: &str| {
        let word = |word: &str| Value::Word(word.to_string());
        order(&[
            ("by", word("remaining")),
            ("release", word(release)),
            ("capacity", Value::Size(Size::Packets(2))),
        ])
    };
    let mut stack = of("paper");
    assert_eq!(come(&mut stack, us(0), &[0, 2, 6]), [0]);
    assert_eq!(come(&mut stack, us(1), &[4]), [2, 4]);
    assert_eq!(come(&mut stack, us(2), &[1, 5]), [1, 5, 6]);
    let mut stack = of("simulator");
    assert_eq!(come(&mut stack, us(0), &[0, 2, 6]), [0]);
    assert_eq!(come(&mut stack, us(1), &[4]), [2, 4]);
    assert_eq!(come(&mut stack, us(2), &[5, 1, 3]), [1, 3, 5, 6]);
    for mut stack in BOTH.map(of) {
        come(&mut stack, us(0), &[0, 2, 6, 4]);
        assert_eq!(stack.counters().bypassed, 1);
    }
}

#[test]
fn ordering_by_tags_is_refused_without_tags_and_above_subflows() {
    let transport = |name| TransportConfig::from_name(name).expect("listed");
    let set = values(&[("by", Value::Word("remaining".into()))]);
    let stack = [choose("order", &set).expect("good values")];
    let said = |name| {
        let (at, why) = check(&stack, &transport(name)).expect_err("refused");
        assert_eq!((at, &why.params[..]), ("order", &["by"][..]));
        why.to_string()
    };
    assert_eq!(
        said("dctcp"),
        "by = \"remaining\" reads tags, but no shim tags data; add \"mark\" after \"order\" in shims"
    );
    assert!(said("mptcp").contains("the remaining sizes on it have gaps"));
    // Ordering by sequence number needs neither.
    let plain = [choose("order", &values(&[])).expect("its defaults")];
    assert_eq!(check(&plain, &transport("mptcp")), Ok(()));
}
