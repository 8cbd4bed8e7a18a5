//! Laws of ordering, under a sender whose packets are lost, copied and late.

use super::*;
use proptest::prelude::*;
use sidestep_types::Tag;
use std::collections::BTreeMap;

/// How hosts tag their data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tags {
    None,
    Remaining,
    /// Sizes that are not known.
    Unknown,
    Packets,
    Bytes,
}

/// A packet that arrives.
#[derive(Clone, Copy, Debug)]
struct Copy {
    at: u64,
    /// Which of the packets that were sent it is.
    number: usize,
    /// How often it was sent again.
    again: u8,
}

impl Copy {
    /// As it arrives: what is sent again ranks higher.
    fn packet(&self, packets: &[Packet]) -> Packet {
        let mut packet = packets[self.number];
        let mut tag = packet.tag();
        if tag.tagged() {
            tag.set_rank(tag.rank() >> self.again);
            tag.set_retransmissions(self.again);
            packet.set_tag(tag);
        }
        packet
    }
}

/// The packets of these messages, one after the other on one connection.
fn sent(messages: &[Vec<u8>], tags: Tags) -> Vec<Packet> {
    let (mut packets, mut seq) = (Vec::new(), 0);
    for (message, lens) in messages.iter().enumerate() {
        let size: u32 = lens.iter().map(|len| u32::from(*len)).sum();
        let mut before = 0;
        for (number, len) in lens.iter().enumerate() {
            let mut packet = data(0);
            packet.set_seq(seq);
            packet.len = u16::from(*len);
            // Who it is.
            packet.hash = packets.len() as u32;
            let mut tag = Tag::NONE;
            let (rank, remaining) = match tags {
                Tags::Remaining => (size - before, size - before),
                Tags::Packets => (number as u32, u32::MAX),
                Tags::Bytes => (before, u32::MAX),
                Tags::None | Tags::Unknown => (u32::MAX, u32::MAX),
            };
            tag.set_rank(rank);
            match tags {
                Tags::Packets | Tags::Bytes => tag.set_sent(rank),
                _ => tag.set_remaining(remaining),
            }
            tag.set_flow_id((message % 8) as u8);
            tag.set_first(number == 0);
            tag.set_last(number + 1 == lens.len());
            packet.set_tag(if tags == Tags::None { Tag::NONE } else { tag });
            packets.push(packet);
            before += u32::from(*len);
            seq += u64::from(*len);
        }
    }
    packets
}

/// What a packet meets on its way: when its copies come after it was sent; those that are lost are not
/// here, and the last is the one that its sender sent until it came. `counts`: its sender made them, and not
/// the network.
fn arrivals(packets: usize, ways: &[Vec<u8>], counts: bool) -> Vec<Copy> {
    let mut all: Vec<Copy> = (0..packets)
        .flat_map(|number| {
            let way = &ways[number % ways.len()];
            let delays = way.iter().enumerate().map(move |(again, late)| Copy {
                at: number as u64 * 10 + u64::from(*late),
                number,
                again: if counts { again as u8 } else { 0 },
            });
            delays.collect::<Vec<_>>()
        })
        .collect();
    all.sort_by_key(|copy| copy.at);
    all
}

/// What the transport hears: the number of each packet, and when; copy number n comes at 2 n + 1, between
/// what timers let go before it and what it lets go.
struct Heard(Vec<(usize, usize)>);

impl Heard {
    fn poll(&mut self, stack: &mut Stack, now: Time, when: usize) {
        while let Some(packet) = stack.poll_up(now) {
            self.0.push((packet.hash as usize, when));
        }
    }
}

fn hear(stack: &mut Stack, packets: &[Packet], copies: &[Copy]) -> (Heard, Vec<usize>) {
    let (mut heard, mut dropped) = (Heard(Vec::new()), Vec::new());
    for (n, copy) in copies.iter().enumerate() {
        let now = us(copy.at);
        while let Some(due) = stack.deadline().filter(|due| *due <= now) {
            stack.on_timeout(due);
            heard.poll(stack, due, 2 * n);
            assert!(stack.deadline().is_none_or(|next| next > due));
        }
        match stack.up(now, &mut copy.packet(packets)) {
            Up::Pass => heard.0.push((copy.number, 2 * n + 1)),
            Up::Keep => {}
            Up::Drop => dropped.push(copy.number),
        }
        heard.poll(stack, now, 2 * n + 1);
        while stack.poll_drop().is_some() {}
        let latest = now + us(100);
        assert!(
            stack
                .deadline()
                .is_none_or(|due| due >= now && due <= latest)
        );
    }
    while let Some(due) = stack.deadline() {
        stack.on_timeout(due);
        heard.poll(stack, due, 2 * copies.len());
    }
    (heard, dropped)
}

/// Which message packet `number` is of, and its first packet.
fn of(messages: &[Vec<u8>], number: usize) -> (usize, usize) {
    let mut first = 0;
    for (message, lens) in messages.iter().enumerate() {
        if number < first + lens.len() {
            return (message, first);
        }
        first += lens.len();
    }
    panic!("a packet of no message");
}

/// By how many messages the latest of all packets is behind the newest before it.
fn behind(messages: &[Vec<u8>], copies: &[Copy]) -> usize {
    let mut highest = 0;
    let each = copies.iter().map(|copy| {
        let (message, _) = of(messages, copy.number);
        highest = highest.max(message);
        highest - message
    });
    each.max().unwrap_or(0)
}

fn words(by: &str, release: &str) -> Values {
    let word = |word: &str| Value::Word(word.to_string());
    values(&[("by", word(by)), ("release", word(release))])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    /// What arrives goes on once, but for copies of what is held. So the transport hears every byte, and
    /// hears one again only if it came again after it had gone on. It hears them in order unless a timer
    /// ran out, or a message overtook the one before it.
    #[test]
    fn the_transport_hears_every_byte_once_and_in_order_as_far_as_it_is_waited_for(
        messages in prop::collection::vec(prop::collection::vec(1u8..=200, 1..12), 1..12),
        ways in prop::collection::vec(prop::collection::vec(
            prop_oneof![4 => 0u8..5, 3 => 0u8..60, 1 => any::<u8>()], 1..4), 1..40),
        tags in prop_oneof![
            1 => Just(Tags::None), 1 => Just(Tags::Unknown),
            4 => Just(Tags::Remaining), 2 => Just(Tags::Packets), 2 => Just(Tags::Bytes),
        ],
        by in prop_oneof![1 => Just("sequence"), 4 => Just("remaining")],
        release in prop_oneof![Just("paper"), Just("simulator")],
        counts: bool,
    ) {
        let settings = sidestep_types::Settings::read(&words(by, release)).expect("good values");
        let mut order = Order::build(settings).expect("good values");
        order.count_by(match tags {
            Tags::Packets => "packets",
            Tags::Bytes => "bytes",
            _ => "remaining",
        });
        let mut stack = Stack::of(vec![AnyShim::Order(order)]);
        stack.open(FLOW, None);
        let packets = sent(&messages, tags);
        let copies = arrivals(packets.len(), &ways, counts);
        let (heard, dropped) = hear(&mut stack, &packets, &copies);

        let counted = stack.counters();
        prop_assert_eq!(counted.held, counted.released + counted.expired);
        prop_assert_eq!(counted.dropped, dropped.len() as u64);
        prop_assert_eq!(heard.0.len() + dropped.len(), copies.len());
        prop_assert!(by == "remaining" || dropped.is_empty());

        // Three bits do not say which message it is of.
        let lost = behind(&messages, &copies) >= 4;
        let mut first: BTreeMap<usize, usize> = BTreeMap::new();
        let mut order_of_first = Vec::new();
        for (number, when) in heard.0 {
            if let Some(went) = first.get(&number) {
                let again = |(n, copy): (usize, &Copy)| 2 * n + 1 > *went && copy.number == number;
                let came = copies.iter().enumerate().any(again);
                prop_assert!(by == "sequence" || came || lost, "packet {} was held twice", number);
            } else {
                first.insert(number, when);
                order_of_first.push(number);
            }
        }
        prop_assert_eq!(first.len(), packets.len(), "every packet is heard");
        let tagged = by == "remaining" && tags != Tags::None;
        let overtaken = tagged && behind(&messages, &copies) > 0;
        if counted.expired == 0 && !overtaken {
            prop_assert!(order_of_first.is_sorted(), "{:?}", order_of_first);
        }
        stack.close(FLOW);
        prop_assert_eq!(stack.counters().discarded, 0, "nothing is held at the end");
    }
}
