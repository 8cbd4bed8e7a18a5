//! Marks, by hand: what the tags of packets say.

mod ages;
mod filter;
mod frames;
mod memory;

use super::*;
use crate::shim::mark::{Boosting, Mark, Rule};
use proptest::prelude::*;
use sidestep_types::{Framing, Tag};

fn read(set: &[(&'static str, &str)]) -> Values {
    let params = Mark::ENTRY.params;
    let mut values = Values::defaults(params);
    for (name, text) in set {
        let param = params.iter().find(|p| p.name == *name).expect("its");
        values.set(name, Value::parse(text, param).expect("its unit"));
    }
    values
}

/// A flow of so many bytes, if its size is known.
fn mark(set: &[(&'static str, &str)], size: Option<u64>) -> Stack {
    let mut stack = Stack::of(vec![build("mark", &read(set)).expect("good values")]);
    stack.open(FLOW, size);
    stack
}

fn leave(stack: &mut Stack, now: Time, mut packet: Packet) -> Packet {
    stack.down(now, &mut packet);
    packet
}

fn again(number: u64) -> Packet {
    let mut packet = data(number);
    packet.set_retransmit(true);
    packet
}

fn ack(stack: &mut Stack, number: u64) {
    let mut packet = Packet::new(Kind::Ack, FLOW, HostId(0), 9);
    packet.set_seq(number * 100);
    assert_eq!(stack.up(us(0), &mut packet), Up::Pass);
}

/// Rank, remaining and retransmissions of a packet that leaves.
fn says(stack: &mut Stack, packet: Packet) -> (u32, u32, u8) {
    let tag = leave(stack, us(0), packet).tag();
    assert!(tag.tagged());
    (tag.rank(), tag.remaining(), tag.retransmissions())
}

/// What travels of a packet that leaves: the number, and its tag as a frame brings it.
fn frame(stack: &mut Stack, packet: Packet) -> Option<(u32, Tag)> {
    let packet = leave(stack, us(0), packet);
    let number = stack.carried(&packet)?;
    let (says, mut tag) = (packet.tag(), Tag::NONE);
    tag.set_retransmissions(says.retransmissions());
    tag.set_flow_id(says.flow_id());
    tag.set_first(says.first());
    Some((number, tag))
}

/// Marked, repeats, mistaken and missed.
fn counted(stack: &Stack) -> [u64; 4] {
    let of = stack.counters();
    [of.marked, of.repeats, of.mistaken, of.missed]
}

#[test]
fn each_packet_says_what_is_left_with_it() {
    let mut stack = mark(&[], Some(350));
    let tags: Vec<Tag> = (0..4)
        .map(|n| {
            let mut packet = data(n);
            packet.len = if n == 3 { 50 } else { 100 };
            leave(&mut stack, us(0), packet).tag()
        })
        .collect();
    let remaining: Vec<u32> = tags.iter().map(Tag::remaining).collect();
    assert_eq!(remaining, [350, 250, 150, 50]);
    assert!(tags.iter().all(|tag| tag.rank() == tag.remaining()));
    let ends: Vec<_> = tags.iter().map(|tag| (tag.first(), tag.last())).collect();
    assert_eq!(
        ends,
        [(true, false), (false, false), (false, false), (false, true)]
    );
    assert!(
        tags.iter()
            .all(|tag| (tag.retransmissions(), tag.flow_id()) == (0, 0))
    );
    assert_eq!(counted(&stack), [4, 0, 0, 0]);
}

#[test]
fn a_message_that_goes_on_beyond_what_it_announced_ranks_first_and_says_no_size() {
    let mut half = mark(&[("announce", "0.5")], Some(300));
    assert_eq!(says(&mut half, data(0)), (150, 150, 0));
    assert_eq!(says(&mut half, data(1)), (50, 50, 0));
    let last = leave(&mut half, us(0), data(2)).tag();
    assert_eq!((last.rank(), last.remaining()), (0, Tag::UNKNOWN));
    assert!(last.last(), "that it is the last is the truth");
    let mut thrice = mark(&[("announce", "3")], Some(300));
    for (number, left) in [(0, 900), (1, 800), (2, 700)] {
        let tag = leave(&mut thrice, us(0), data(number)).tag();
        assert_eq!((tag.rank(), tag.remaining()), (left, left));
        assert_eq!(tag.last(), number == 2);
    }
    // Whoever tells the truth is not one of them.
    let none = [("announce", "0.5"), ("announce_share", "0")];
    assert_eq!(says(&mut mark(&none, Some(300)), data(0)), (300, 300, 0));
}

#[test]
fn a_repeat_says_the_same_and_ranks_by_its_share() {
    for (boost, ranks) in [
        ("1", [300, 300]),
        ("2", [150, 75]),
        ("4", [75, 18]),
        ("8", [37, 4]),
    ] {
        let mut stack = mark(&[("boost", boost)], Some(300));
        assert_eq!(says(&mut stack, data(0)), (300, 300, 0));
        assert_eq!(says(&mut stack, data(1)), (200, 200, 0));
        assert_eq!(says(&mut stack, again(0)), (ranks[0], 300, 1));
        assert_eq!(says(&mut stack, again(0)), (ranks[1], 300, 2));
        assert_eq!(says(&mut stack, data(2)), (100, 100, 0));
        assert_eq!(counted(&stack), [5, 2, 0, 0]);
    }
}

#[test]
fn the_count_ends_at_15() {
    let mut stack = mark(&[], Some(100_000_000));
    says(&mut stack, data(0));
    for count in 1..40 {
        let counts = u8::min(count, 15);
        let rank = 100_000_000 >> counts;
        assert_eq!(says(&mut stack, again(0)), (rank, 100_000_000, counts));
    }
}

#[test]
fn rotated_an_odd_size_ranks_behind_everything() {
    let mut stack = mark(&[("boosting", "rotate")], Some(301));
    assert_eq!(says(&mut stack, data(0)), (301, 301, 0));
    let (rank, remaining, count) = says(&mut stack, again(0));
    assert_eq!((rank, remaining, count), ((1 << 31) + 150, 301, 1));
    // Its receiver has the number back.
    let by = Boosting::new(Rule::Rotate, 2).expect("a factor");
    assert_eq!(by.restored(rank, count), 301);
    // An even one is halved.
    let mut stack = mark(&[("boosting", "rotate")], Some(300));
    says(&mut stack, data(0));
    assert_eq!(says(&mut stack, again(0)), (150, 300, 1));
}

#[test]
fn the_tag_is_paid_for_but_for_padding() {
    let paid = |carry: &str, framing: Framing, len: u16| {
        let mut stack = mark(&[("carry", carry)], Some(100_000));
        stack.framed(framing);
        let mut packet = data(0);
        packet.len = len;
        packet.wire = framing.wire(40 + u32::from(len)) as u16;
        let before = packet.wire;
        let after = leave(&mut stack, us(0), packet).wire;
        (before, after - before)
    };
    use Framing::{Ethernet, Ip, Ppp};
    assert_eq!(paid("ethertype", Ethernet, 1460), (1538, 7));
    assert_eq!(paid("option", Ethernet, 1452), (1530, 8));
    assert_eq!(
        [paid("ethertype", Ip, 1460).1, paid("ethertype", Ppp, 1).1],
        [7, 7]
    );
    // 41 bytes of IP have five of padding behind them.
    assert_eq!(
        [1, 6, 7].map(|len| paid("ethertype", Ethernet, len).1),
        [2, 7, 7]
    );
    assert_eq!(paid("option", Ethernet, 1), (84, 3));
}

#[test]
fn what_carries_no_payload_has_no_tag_and_ranks_first() {
    let mut stack = mark(&[], Some(300));
    // A FIN, to which the transport has given a rank.
    let mut fin = data(3);
    fin.len = 0;
    fin.set_rank(300);
    fin.wire = 84;
    let fin = leave(&mut stack, us(0), fin);
    assert_eq!((fin.tag().tagged(), fin.rank(), fin.wire), (false, 0, 84));
    for kind in [Kind::Ack, Kind::Syn, Kind::SynAck] {
        let packet = leave(&mut stack, us(0), Packet::new(kind, FLOW, HostId(0), 7));
        assert_eq!((packet.rank(), packet.wire), (0, 0));
    }
    assert_eq!(counted(&stack), [0; 4]);
}

#[test]
fn data_of_a_flow_that_is_not_open_stays_unmarked() {
    let mut stack = mark(&[], Some(300));
    let mut other = data(0);
    other.flow = FlowId(4);
    let other = leave(&mut stack, us(0), other);
    assert_eq!((other.tag(), other.rank()), (Tag::NONE, u32::MAX));
    stack.close(FLOW);
    assert_eq!(leave(&mut stack, us(0), data(0)).tag(), Tag::NONE);
}

#[test]
fn a_rank_of_the_transport_is_replaced() {
    let mut stack = mark(&[], Some(300));
    let mut packet = data(1);
    packet.set_rank(7);
    assert_eq!(leave(&mut stack, us(0), packet).rank(), 200);
}

#[test]
fn sizes_that_32_bits_do_not_hold_are_unknown_until_less_is_left() {
    let gib4 = u64::from(u32::MAX) + 100;
    let mut stack = mark(&[], Some(gib4));
    assert_eq!(says(&mut stack, data(0)), (u32::MAX, Tag::UNKNOWN, 0));
    assert_eq!(says(&mut stack, data(1)), (u32::MAX, Tag::UNKNOWN, 0));
    assert_eq!(
        says(&mut stack, data(2)),
        (u32::MAX - 100, u32::MAX - 100, 0)
    );
    // Without an end nothing is known for ever, and it is sent again as all else.
    let mut stack = mark(&[], None);
    let first = leave(&mut stack, us(0), data(0)).tag();
    assert_eq!((first.rank(), first.remaining()), (u32::MAX, Tag::UNKNOWN));
    assert!(first.first() && !first.last());
    assert_eq!(says(&mut stack, again(0)), (u32::MAX >> 1, Tag::UNKNOWN, 1));
}

#[test]
fn what_nobody_announced_is_counted_behind_all_that_was_if_so_said() {
    let by_packets = [("unknown", "packets"), ("boost", "2")];
    let mut stack = mark(&by_packets, None);
    let behind = 1 << 31;
    for n in 0..3 {
        let said = says(&mut stack, data(n));
        assert_eq!(said, (behind + n as u32, Tag::UNKNOWN, 0));
    }
    // Sent again it is boosted as anything else.
    assert_eq!(
        says(&mut stack, again(1)),
        ((behind + 1) >> 1, Tag::UNKNOWN, 1)
    );
    // A size that is known and reaches there says no more than that it is large.
    let mut large = mark(&by_packets, Some(behind.into()));
    assert_eq!(says(&mut large, data(0)), (u32::MAX, Tag::UNKNOWN, 0));
    let less = behind - 100;
    assert_eq!(says(&mut large, data(1)), (less, less, 0));
}

#[test]
fn what_nobody_announced_leaves_without_a_tag_if_so_said() {
    let mut stack = mark(&[("unknown", "unmarked")], None);
    let mut packet = data(0);
    packet.set_rank(7);
    let wire = packet.wire;
    let left = leave(&mut stack, us(0), packet);
    assert_eq!((left.tag().tagged(), left.rank()), (false, u32::MAX));
    assert_eq!((left.wire, counted(&stack)), (wire, [0; 4]));
    // It is announced after all.
    stack.open(FLOW, Some(350));
    assert_eq!(says(&mut stack, data(1)), (250, 250, 0));
}

#[test]
fn subflows_count_by_data_and_repeat_each_for_itself() {
    let mut stack = mark(&[], Some(1_000));
    let of = |subflow: u8, number: u64, at: u64| {
        let mut packet = data(0);
        packet.set_seq(Packet::first_of(subflow) + number * 100);
        packet.hash = u32::from(subflow);
        let mut tag = packet.tag();
        tag.set_data_seq(at * 100);
        packet.set_tag(tag);
        packet
    };
    assert_eq!(says(&mut stack, of(0, 0, 0)), (1_000, 1_000, 0));
    assert_eq!(says(&mut stack, of(1, 0, 1)), (900, 900, 0));
    assert_eq!(says(&mut stack, of(0, 1, 2)), (800, 800, 0));
    let tag = leave(&mut stack, us(0), of(1, 1, 9)).tag();
    assert_eq!(
        (tag.remaining(), tag.last(), tag.data_seq()),
        (100, true, 900)
    );
    // What subflow 1 has carried goes by subflow 0 as well: sent for the first time there.
    assert_eq!(says(&mut stack, of(0, 2, 1)), (900, 900, 0));
    assert_eq!(says(&mut stack, of(0, 2, 1)), (450, 900, 1));
}

#[test]
fn values_that_cannot_be_had_are_refused() {
    for (name, value, says) in [
        ("boost", "0", "boost must be 1, 2, 4 or 8, got 0"),
        ("boost", "3", "boost must be 1, 2, 4 or 8, got 3"),
        ("boost", "16", "boost must be 1, 2, 4 or 8, got 16"),
        ("gap", "0 s", "gap must be above 0, got 0 ps"),
        ("filter", "0", "filter must be above 0, got 0"),
        (
            "filter",
            "16777217",
            "filter must be at most 16777216 places, 32 MiB of each host, got 16777217",
        ),
        (
            "fingerprint",
            "3",
            "fingerprint must be from 4 to 16, got 3",
        ),
        (
            "fingerprint",
            "17",
            "fingerprint must be from 4 to 16, got 17",
        ),
    ] {
        let refused = build("mark", &read(&[(name, value)]))
            .err()
            .expect("refused");
        assert_eq!(
            (refused.to_string().as_str(), refused.params),
            (says, vec![name])
        );
    }
}

#[test]
fn an_option_is_refused_where_segments_leave_it_no_room() {
    let with = |carry: &str, mss: u32| {
        let shims = [choose("mark", &read(&[("carry", carry)])).expect("good values")];
        check_mss(&shims, mss).map_err(|(name, why)| (name.to_string(), why.to_string()))
    };
    assert_eq!(with("option", 1452), Ok(()));
    let why = "carry = \"option\" needs 8 B of an IP packet of 1500 B, beside 40 B of headers: expected \
               an mss of at most 1452 B, got 1453 B";
    assert_eq!(
        with("option", 1453),
        Err(("mark".to_string(), why.to_string()))
    );
    assert_eq!(with("ethertype", 9000), Ok(()));
    let shims = [choose("mark", &read(&[("carry", "option")])).expect("good values")];
    let dctcp = TransportConfig::from_name("dctcp").expect("listed");
    assert_eq!(check(&shims, &dctcp).expect_err("mss 1460").0, "mark");
    let longest = longest(&shims, 1452);
    assert_eq!([longest.adds, longest.ip()], [8, 1500]);
}

/// Sends or acknowledges: a number of the next packets, again or for the first time.
fn any_steps() -> impl Strategy<Value = Vec<(u8, u64)>> {
    proptest::collection::vec((0u8..8, 0u64..1_000), 1..400)
}

proptest! {
    /// Of every packet of a message what remains and where it begins make its size; each repeat counts one
    /// more; a packet never ranks behind what it was before.
    #[test]
    fn what_is_said_of_a_packet_stays_true(
        steps in any_steps(), packets in 1u64..200, tail in 1u16..=100,
        boost in proptest::sample::select(vec!["1", "2", "4", "8"]),
    ) {
        let size = (packets - 1) * 100 + u64::from(tail);
        let mut stack = mark(&[("boost", boost)], Some(size));
        let mut sent: Vec<(u8, u32)> = Vec::new();
        let mut acknowledged = 0;
        for (what, n) in steps {
            let left = sent.len() as u64;
            if what == 0 && left > 0 {
                acknowledged = (acknowledged + n % 5).min(left);
                ack(&mut stack, acknowledged);
                continue;
            }
            let number = match (what < 4 && left > acknowledged, left < packets) {
                (true, _) => acknowledged + n % (left - acknowledged),
                (false, true) => left,
                (false, false) => continue,
            };
            let mut packet = data(number);
            packet.len = if number + 1 == packets { tail } else { 100 };
            packet.set_retransmit(number < left);
            let packet = leave(&mut stack, us(0), packet);
            let tag = packet.tag();
            prop_assert_eq!(u64::from(tag.remaining()) + packet.seq(), size);
            prop_assert_eq!((tag.first(), tag.last()), (number == 0, number + 1 == packets));
            match sent.get_mut(number as usize) {
                None => {
                    prop_assert_eq!(tag.retransmissions(), 0);
                    sent.push((0, tag.rank()));
                }
                Some((count, rank)) => {
                    *count = (*count + 1).min(15);
                    prop_assert_eq!(tag.retransmissions(), *count);
                    prop_assert!(tag.rank() <= *rank);
                    *rank = tag.rank();
                }
            }
        }
        let [_, _, mistaken, missed] = counted(&stack);
        prop_assert_eq!((mistaken, missed), (0, 0));
    }
}
