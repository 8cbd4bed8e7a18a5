//! D-SACK: the examples of RFC 2883 section 4, by their numbers.

use super::*;

fn telling() -> TcpReceiver {
    let mut config = config();
    config.reordering.dsack = true;
    receiver(config)
}

/// Contents of an acknowledgement: the next byte, the duplicate, the blocks above in their order.
type AckReport = (u64, Option<(u64, u64)>, Vec<(u64, u64)>);

impl TcpReceiver {
    /// Hands over the bytes `from..=to`; returns the acknowledgement.
    fn bytes(&mut self, from: u64, to: u64) -> AckReport {
        self.on_segment(us(0), plain(from, to));
        let ack = self.poll_ack(us(0)).expect("it answers at once");
        assert_eq!(self.poll_ack(us(0)), None, "once");
        (ack.ack, ack.duplicate(), ack.arrived().collect())
    }
}

fn plain(from: u64, to: u64) -> Arrival {
    Arrival {
        seq: from,
        len: (to + 1 - from) as u32,
        syn: false,
        ce: false,
        cwr: false,
        trimmed: false,
        hops: 0,
    }
}

fn from_500(mut rx: TcpReceiver) -> TcpReceiver {
    rx.bytes(0, 499);
    rx.bytes(500, 999);
    rx
}

#[test]
fn example_4_1_1_a_segment_whose_acknowledgements_were_lost_is_told() {
    let mut rx = telling();
    rx.bytes(0, 3999);
    assert_eq!(rx.bytes(3000, 3499), (4000, Some((3000, 3500)), vec![]));
    assert_eq!(rx.bytes(4000, 4499), (4500, None, vec![]), "once");
}

#[test]
fn example_4_1_2_a_duplicate_stands_before_what_is_out_of_order() {
    let mut rx = telling();
    rx.bytes(0, 3999);
    assert_eq!(rx.bytes(4500, 4999), (4000, None, vec![(4500, 5000)]));
    let said = rx.bytes(3000, 3499);
    assert_eq!(said, (4000, Some((3000, 3500)), vec![(4500, 5000)]));
}

#[test]
fn example_4_1_3_a_duplicate_of_what_is_out_of_order_stands_before_its_block() {
    let mut rx = telling();
    rx.bytes(0, 3999);
    rx.bytes(4500, 4999);
    assert_eq!(rx.bytes(5000, 5499), (4000, None, vec![(4500, 5500)]));
    let said = rx.bytes(5000, 5499);
    let blocks = vec![(5000, 5500), (4500, 5500)];
    assert_eq!(said, (4000, Some((5000, 5500)), blocks));
}

#[test]
fn example_4_2_1_of_a_segment_that_is_partly_new_the_old_part_is_told() {
    let mut rx = from_500(telling());
    rx.bytes(2000, 2499);
    assert_eq!(rx.bytes(1000, 1499), (1500, None, vec![(2000, 2500)]));
    assert_eq!(rx.bytes(1000, 1999), (2500, Some((1000, 1500)), vec![]));
}

#[test]
fn example_4_2_2_of_two_old_parts_the_first_is_told() {
    let mut rx = from_500(telling());
    rx.bytes(3000, 3499);
    rx.bytes(1000, 1499);
    let said = rx.bytes(2000, 2499);
    assert_eq!(said, (1500, None, vec![(2000, 2500), (3000, 3500)]));
    let said = rx.bytes(1000, 2499);
    assert_eq!(said, (2500, Some((1000, 1500)), vec![(3000, 3500)]));
}

#[test]
fn a_duplicate_leaves_room_for_the_two_newest_of_four_blocks() {
    let mut rx = telling();
    rx.bytes(0, 999);
    for at in [2000, 4000, 6000, 8000] {
        rx.bytes(at, at + 499);
    }
    let said = rx.bytes(0, 499);
    let blocks = vec![(8000, 8500), (6000, 6500)];
    assert_eq!(said, (1000, Some((0, 500)), blocks));
}

#[test]
fn without_the_setting_nothing_is_told_of_a_duplicate() {
    let mut rx = receiver(config());
    rx.bytes(0, 3999);
    rx.bytes(4500, 4999);
    assert_eq!(rx.bytes(3000, 3499), (4000, None, vec![(4500, 5000)]));
    assert_eq!(rx.bytes(4500, 4999), (4000, None, vec![(4500, 5000)]));
}

#[test]
fn a_duplicate_is_told_after_a_change_of_marks_and_after_what_was_cut() {
    let mut config = delayed(dctcp());
    config.reordering.dsack = true;
    let mut rx = receiver(config);
    let mut hear = |arrival| rx.on_segment(us(0), arrival);
    hear(plain(0, 999)); // waits for a second one
    let trimmed = Arrival {
        trimmed: true,
        ..plain(1000, 1999)
    };
    hear(trimmed);
    let marked = Arrival {
        ce: true,
        ..plain(0, 999)
    };
    hear(marked);
    let acks: Vec<Ack> = std::iter::from_fn(|| rx.poll_ack(us(0))).collect();
    let said: Vec<_> = (acks.iter())
        .map(|a| (a.ack, a.ece, a.cut_off(), a.duplicate()))
        .collect();
    let expected = [
        (1000, false, None, None),
        (1000, true, Some((1000, 2000)), None),
        (1000, true, None, Some((0, 1000))),
    ];
    assert_eq!(said, expected);
}
