//! Dialogues with a sender and a receiver of several subflows. Segments are 1000 bytes, times are
//! microseconds; `(subflow, number, data)` is a segment by its number on its subflow and in the message.

use super::*;
use crate::{Ack, AckRule, Arrival, Congestion, Receiver, Recovery, RtoConfig, Segment, Sender};
use sidestep_types::{SackBlocks, Value};

fn us(us: u64) -> Time {
    Time::from_us(us)
}

fn tcp() -> TcpConfig {
    TcpConfig {
        mss: 1000,
        initial_window: 2,
        receive_window: 1_000_000,
        recovery: Recovery::Sack,
        ack_rule: AckRule::Ns3,
        rto: RtoConfig {
            min: us(200),
            initial: us(200),
            max: Time::from_ms(100),
            granularity: Time::ZERO,
            ..TcpConfig::default().rto
        },
        ..TcpConfig::default()
    }
}

fn mptcp(subflows: u8, tcp: TcpConfig) -> MptcpConfig {
    MptcpConfig {
        subflows,
        ..MptcpConfig::from(tcp)
    }
}

fn sender(config: &MptcpConfig, size: Option<u64>) -> MptcpSender {
    MptcpSender::with_mss(config, config.mss(), size)
}

type SubflowSegment = (u8, u64, u64);

impl MptcpSender {
    fn segments(&mut self, at: u64) -> Vec<Segment> {
        std::iter::from_fn(|| self.poll_send(us(at))).collect()
    }

    /// Returns the segments sent now.
    fn sends(&mut self, at: u64) -> Vec<SubflowSegment> {
        let next = || {
            let segment = self.poll_send(us(at))?;
            let number = (segment.seq - Packet::first_of(segment.subflow())) / 1000;
            let data = self.data_seq().expect("it carries some");
            assert_eq!(data % 1000, 0, "full segments before it");
            Some((segment.subflow(), number, data / 1000))
        };
        std::iter::from_fn(next).collect()
    }

    /// Acknowledges `segments` of a subflow.
    fn hears(&mut self, at: u64, subflow: u8, segments: u64) {
        self.on_ack(us(at), acked(subflow, segments, &[]));
    }

    /// Acknowledges `segments` of a subflow; returns the segments sent.
    fn acked(&mut self, at: u64, subflow: u8, segments: u64) -> Vec<SubflowSegment> {
        self.hears(at, subflow, segments);
        self.sends(at)
    }

    fn windows(&self) -> Vec<u64> {
        self.subflows().map(|s| s.window).collect()
    }
}

fn acked(subflow: u8, segments: u64, blocks: &[(u32, u32)]) -> Ack {
    let mut sack = SackBlocks::NONE;
    for (from, to) in blocks {
        sack.push(
            (from - segments as u32) * 1000,
            (to - segments as u32) * 1000,
        );
    }
    Ack {
        ack: Packet::first_of(subflow) + segments * 1000,
        ece: false,
        syn: false,
        sack,
        below: false,
        cut: false,
        hops: 0,
    }
}

#[test]
fn subflows_fill_their_windows_in_turn_and_then_the_one_with_the_lowest_round_trip() {
    let mut tx = sender(&mptcp(3, tcp()), None);
    let first: Vec<SubflowSegment> = vec![
        (0, 0, 0),
        (0, 1, 1),
        (1, 0, 2),
        (1, 1, 3),
        (2, 0, 4),
        (2, 1, 5),
    ];
    assert_eq!(tx.sends(0), first);
    // Subflow 2 is acknowledged first; those without a round trip come before it, but have no room.
    assert_eq!(tx.acked(50, 2, 1), [(2, 2, 6), (2, 3, 7)]);
    assert_eq!(tx.acked(80, 0, 1), [(0, 2, 8), (0, 3, 9)]);
    // Both have room at once: 2, at 50 us, before 0 at 80.
    tx.hears(100, 0, 2);
    tx.hears(100, 2, 2);
    assert_eq!(
        tx.sends(100),
        [(2, 4, 10), (2, 5, 11), (0, 4, 12), (0, 5, 13)]
    );
}

#[test]
fn in_turn_each_subflow_sends_one_segment() {
    let mut config = mptcp(3, tcp());
    config.scheduler = Scheduler::RoundRobin;
    let mut tx = sender(&config, Some(5000));
    let turns: Vec<SubflowSegment> = vec![(0, 0, 0), (1, 0, 1), (2, 0, 2), (0, 1, 3), (1, 1, 4)];
    assert_eq!(tx.sends(0), turns);
}

/// RFC 6356 section 3, by hand, with alpha = cwnd_total·max(cwnd/rtt²)/(Σ cwnd/rtt)². Two subflows with windows
/// of
/// 10 and 20 kB at 100 and 200 us: alpha = 30·(10/100²)/(10/100 + 20/200)² = 0.75, so on either, 1000 bytes
/// acknowledged add 0.75·1000·1000/30,000 = 25 bytes: a segment for each 40,000.
#[test]
fn after_slow_start_windows_grow_as_rfc_6356_says() {
    let in_avoidance = |coupling, window: u64, us: u64, other: (u64, u64)| {
        let mut config = mptcp(2, tcp());
        config.coupling = coupling;
        let mut tx = sender(&config, None);
        tx.stands(0, window, Time::from_us(us));
        tx.stands(1, other.0, Time::from_us(other.1));
        // Bytes of the first that must be acknowledged until it grows; its round trip stays constant.
        let mut at = 0;
        let mut acks = 0;
        while tx.windows()[0] == window {
            let sent = tx.sends(at);
            assert!(acks > 0 || sent.len() as u64 == (window + other.0) / 1000);
            at += us;
            let flying = window / 1000;
            for _ in 0..flying {
                acks += 1;
                tx.hears(at, 0, acks);
                if tx.windows()[0] > window {
                    break;
                }
            }
        }
        assert_eq!(tx.windows(), [window + 1000, other.0]);
        acks * 1000
    };
    use Coupling::{Lia, Uncoupled};
    assert_eq!(in_avoidance(Lia, 10_000, 100, (20_000, 200)), 40_000);
    assert_eq!(in_avoidance(Uncoupled, 10_000, 100, (20_000, 200)), 10_000);
    // alpha = 30·(20/100²)/(20/100 + 10/100)² = 2/3: a segment for each 45,000.
    assert_eq!(in_avoidance(Lia, 10_000, 100, (20_000, 100)), 45_000);
    assert_eq!(in_avoidance(Lia, 20_000, 100, (10_000, 100)), 45_000);
    // Far ahead of the other: alpha = 21·(20/100²)/(20/100 + 1/1000)² = 1.04, but it grows no faster than
    // alone.
    assert_eq!(in_avoidance(Lia, 20_000, 100, (1_000, 1_000)), 21_000);
    assert_eq!(in_avoidance(Lia, 1_000, 100, (1_000, 100_000)), 2_000);
}

#[test]
fn what_a_subflow_has_in_flight_when_it_times_out_goes_by_another_as_well() {
    for reinject in [true, false] {
        let mut config = mptcp(2, tcp());
        config.reinject = reinject;
        let mut tx = sender(&config, Some(9000));
        assert_eq!(tx.sends(0), [(0, 0, 0), (0, 1, 1), (1, 0, 2), (1, 1, 3)]);
        assert_eq!(tx.acked(100, 1, 2), [(1, 2, 4), (1, 3, 5), (1, 4, 6)]);
        // Subflow 0 gets no acknowledgement. At 200 us its timer expires, and it retransmits its first segment.
        assert_eq!(tx.deadline(), Some(us(200)));
        assert_eq!(tx.head(), Head::Byte(0));
        tx.on_timeout(us(200));
        assert_eq!(tx.sends(200), [(0, 0, 0)]);
        // As 1 has room, it carries the data of 0 first, then new data; 0 repeats none of that.
        let by_other = tx.acked(210, 1, 5);
        let expected: &[SubflowSegment] = match reinject {
            true => &[(1, 5, 0), (1, 6, 1), (1, 7, 7), (1, 8, 8)],
            false => &[(1, 5, 7), (1, 6, 8)],
        };
        assert_eq!(by_other, expected);
        assert_eq!(tx.counters().timeouts, 1);
        let reinjections: u32 = tx.subflows().map(|s| s.reinjections).sum();
        assert_eq!(reinjections, if reinject { 2 } else { 0 });
        tx.hears(300, 1, if reinject { 9 } else { 7 });
        assert!(!tx.is_done(), "0 repairs what it sent all the same");
        // Subflow 0 got no acknowledgement: its timeout is doubled. When nothing is left, a retransmission
        // ranks at its own length.
        tx.on_timeout(us(600));
        let again = tx.segments(600);
        let rank = if reinject { 1000 } else { 9000 };
        assert_eq!(
            (again[0].seq, again[0].rank, again.len()),
            (0, Some(rank), 1)
        );
        assert_eq!(tx.acked(650, 0, 1), [(0, 1, 1)]);
        tx.hears(700, 0, 2);
        assert!(tx.is_done() && tx.deadline().is_none());
        let bytes: Vec<u64> = tx.subflows().map(|s| s.bytes).collect();
        assert_eq!(bytes, if reinject { [2000, 9000] } else { [2000, 7000] });
        tx.push(1000);
        assert!(tx.subflows().all(|s| s.reinjections == 0), "counted anew");
    }
}

/// Checks acknowledgements that arrive after their subflow's timer has expired.
#[test]
fn what_was_late_and_not_lost_goes_by_no_other_subflow() {
    let begun = |other: u8| {
        let mut tx = sender(&mptcp(2, tcp()), None);
        tx.sends(0);
        // An alarm that is too early has no effect.
        tx.on_timeout(us(99));
        tx.hears(100, other, 1);
        let news = tx.sends(100);
        assert!(
            news.iter().all(|sent| sent.0 == other && sent.2 > 3),
            "{news:?}"
        );
        assert_eq!(tx.counters().timeouts, 0);
        tx.on_timeout(us(200));
        tx
    };
    // Subflow 0 was late: the first bytes of the message arrive.
    let mut tx = begun(1);
    assert_eq!(tx.sends(200), [(0, 0, 0)]);
    tx.hears(210, 0, 2);
    let late: Vec<SubflowSegment> = tx.acked(220, 1, 2);
    assert!(
        late.len() > 1 && late.iter().all(|sent| sent.2 > 5),
        "{late:?}"
    );
    // Subflow 1 was late: its bytes arrive beyond bytes of 0 that are missing.
    let mut tx = begun(0);
    assert_eq!(tx.sends(200), [(1, 0, 2)]);
    tx.hears(210, 1, 2);
    let late: Vec<SubflowSegment> = tx.acked(220, 0, 2);
    assert!(
        late.len() > 1 && late.iter().all(|sent| sent.2 > 5),
        "{late:?}"
    );
}

#[test]
fn a_subflow_that_has_timed_out_gets_nothing_new_that_it_may_have_lost_itself() {
    let mut tx = sender(&mptcp(2, tcp()), None);
    tx.sends(0);
    tx.acked(100, 1, 1);
    tx.on_timeout(us(200));
    assert_eq!(tx.sends(200), [(0, 0, 0)]);
    // 1 has no room; 0 retransmits its second segment, and then sends data new to both.
    assert_eq!(tx.acked(210, 0, 1), [(0, 1, 1), (0, 2, 6)]);
}

#[test]
fn a_repair_does_not_take_a_turn() {
    let mut config = mptcp(2, tcp());
    config.scheduler = Scheduler::RoundRobin;
    let mut tx = sender(&config, None);
    assert_eq!(tx.sends(0).last(), Some(&(1, 1, 3)));
    tx.on_timeout(us(200));
    assert_eq!(tx.sends(200), [(0, 0, 0)]);
    tx.hears(210, 0, 2);
    tx.hears(210, 1, 2);
    assert_eq!(tx.sends(210)[0].0, 0, "its turn is still to come");
}

/// Checks a gain of 1/8, from the newest of the segments that an acknowledgement covers.
#[test]
fn the_round_trip_is_that_of_the_newest_segment_and_of_none_that_was_sent_again() {
    let mut tx = sender(&mptcp(1, tcp()), None);
    let round_trip = |tx: &MptcpSender| tx.subflows().next().and_then(|s| s.round_trip);
    assert_eq!(tx.sends(0).len(), 2);
    assert_eq!(round_trip(&tx), None);
    assert_eq!(tx.acked(10, 0, 1).len(), 2);
    assert_eq!(round_trip(&tx), Some(us(10)));
    tx.hears(30, 0, 4);
    // The last two left at 10: (7 * 10 + 20) / 8.
    assert_eq!(round_trip(&tx), Some(Time::from_ns(11_250)));
    let mut tx = sender(&mptcp(1, tcp()), Some(2000));
    tx.sends(0);
    tx.on_timeout(us(200));
    assert_eq!(tx.sends(200), [(0, 0, 0)]);
    tx.hears(210, 0, 1);
    assert_eq!(round_trip(&tx), None, "of either of the two");
}

#[test]
fn a_window_below_a_segment_makes_segments_of_its_size_and_no_other_subflow_is_heard() {
    let config = TcpConfig {
        receive_window: 500,
        ..tcp()
    };
    let mut tx = sender(&mptcp(1, config), Some(1200));
    tx.on_ack(us(0), acked(2, 1, &[]));
    let lens =
        |tx: &mut MptcpSender, at| -> Vec<u32> { tx.segments(at).iter().map(|s| s.len).collect() };
    assert_eq!(lens(&mut tx, 0), [500]);
    let half = |of: u64| Ack {
        ack: of * 500,
        ..acked(0, 0, &[])
    };
    tx.on_ack(us(10), half(1));
    assert_eq!(lens(&mut tx, 10), [500]);
    tx.on_ack(us(20), half(2));
    assert_eq!(lens(&mut tx, 20), [200]);
}

/// Checks that an unanswered SYN is retransmitted while data is left to carry, even on other subflows.
#[test]
fn a_subflow_knocks_until_all_has_arrived_and_one_that_carried_nothing_is_not_closed() {
    for late in [false, true] {
        let config = TcpConfig {
            handshake: true,
            fin: true,
            ..tcp()
        };
        let mut tx = sender(&mptcp(2, config), Some(3000));
        tx.segments(0);
        tx.on_ack(
            us(40),
            Ack {
                syn: true,
                ..acked(0, 0, &[])
            },
        );
        let opened: Vec<bool> = tx.segments(40).iter().map(|s| s.syn).collect();
        assert_eq!(opened, [false, false, false, true]);
        assert_eq!(tx.acked(100, 0, 1), [(0, 2, 2)], "the last of it");
        assert_eq!((tx.deadline(), tx.head()), (Some(us(240)), Head::Answer(1)));
        tx.on_timeout(us(240));
        if !late {
            let again = tx.segments(240);
            let syn = (again[0].subflow(), again[0].syn, again.len());
            assert_eq!(syn, (1, true, 1));
        }
        tx.hears(250, 0, 3);
        let fin: Vec<(u8, u64, u32)> = tx
            .segments(250)
            .iter()
            .map(|s| (s.subflow(), s.seq, s.len))
            .collect();
        assert_eq!(fin, [(0, 3000, 0)], "its end alone, and no SYN");
        assert_eq!(tx.head(), Head::Answer(0));
        tx.on_ack(
            us(290),
            Ack {
                ack: 3001,
                ..acked(0, 0, &[])
            },
        );
        tx.segments(290);
        assert_eq!(tx.deadline(), None, "nothing is left to knock for");
    }
}

#[test]
fn nothing_goes_by_another_that_is_known_to_have_arrived() {
    let mut tx = sender(&mptcp(2, tcp()), Some(20_000));
    tx.sends(0);
    // The second segment of 0 has arrived, the first has not.
    tx.on_ack(us(50), acked(0, 0, &[(1, 2)]));
    tx.sends(50);
    tx.hears(60, 1, 2);
    tx.sends(60);
    tx.on_timeout(us(200));
    tx.sends(200);
    let again = tx.acked(210, 1, 4);
    let old: Vec<u64> = again
        .iter()
        .map(|sent| sent.2)
        .filter(|data| *data < 2)
        .collect();
    assert_eq!(old, [0], "{again:?}");
    // Data that has arrived on 1 is not offered again when 0 times out once more.
    tx.hears(260, 1, 8);
    tx.on_timeout(us(600));
    assert!(
        tx.sends(600)
            .iter()
            .all(|(subflow, _, data)| *subflow == 0 || *data > 3)
    );
}

#[test]
fn all_subflows_together_keep_to_one_receive_window() {
    let config = TcpConfig {
        receive_window: 5000,
        initial_window: 4,
        ..tcp()
    };
    let mut tx = sender(&mptcp(2, config), None);
    assert_eq!(tx.sends(0).len(), 5);
    // The first of 1 arrives, which is the fifth of the message: the window opens at its other end.
    assert_eq!(tx.acked(50, 1, 1), []);
    assert_eq!(tx.acked(60, 0, 2), [(1, 1, 5), (1, 2, 6)]);
    // Four, and five with the one that arrived on 1: up to the tenth.
    assert_eq!(tx.acked(70, 0, 4).len(), 3);
}

#[test]
fn a_short_last_segment_waits_for_nothing_and_nothing_follows_it_before_it_has_arrived() {
    let mut tx = sender(&mptcp(2, tcp()), Some(3500));
    let lens: Vec<u32> = tx.segments(0).iter().map(|s| s.len).collect();
    assert_eq!(lens, [1000, 1000, 1000, 500]);
    tx.on_timeout(us(200));
    tx.sends(200);
    // 0 has timed out, and 1 has room, but the short segment is in flight there.
    assert_eq!(tx.acked(210, 1, 1), []);
    tx.on_ack(
        us(220),
        Ack {
            ack: Packet::first_of(1) + 1500,
            ..acked(1, 0, &[])
        },
    );
    let segments = tx.segments(220);
    assert_eq!(
        segments.iter().map(|s| s.subflow()).collect::<Vec<_>>(),
        [1, 1]
    );
    assert_eq!(segments[0].seq - Packet::first_of(1), 1500);
}

#[test]
fn subflows_open_when_the_first_has_and_each_is_closed() {
    let config = TcpConfig {
        handshake: true,
        fin: true,
        ..tcp()
    };
    let config = mptcp(2, config);
    let mut tx = sender(&config, Some(3000));
    let kinds = |segments: Vec<Segment>| -> Vec<(u8, bool, u64, u32)> {
        let of = |s: &Segment| {
            let seq = s.seq - Packet::first_of(s.subflow());
            (s.subflow(), s.syn, seq, s.len)
        };
        segments.iter().map(of).collect()
    };
    assert_eq!(kinds(tx.segments(0)), [(0, true, 0, 0)]);
    assert_eq!(tx.head(), Head::Answer(0));
    let welcome = |subflow| Ack {
        syn: true,
        ..acked(subflow, 0, &[])
    };
    tx.on_ack(us(40), welcome(0));
    assert_eq!(
        kinds(tx.segments(40)),
        [
            (0, false, 0, 0),
            (0, false, 0, 1000),
            (0, false, 1000, 1000),
            (1, true, 0, 0)
        ]
    );
    tx.on_ack(us(80), welcome(1));
    assert_eq!(
        kinds(tx.segments(80)),
        [(1, false, 0, 0), (1, false, 0, 1000)]
    );
    tx.hears(120, 0, 2);
    assert_eq!(tx.segments(120), [], "a part is missing");
    tx.hears(130, 1, 1);
    assert_eq!(
        kinds(tx.segments(130)),
        [(1, false, 1000, 0), (0, false, 2000, 0)]
    );
    for (subflow, bytes) in [(1, 1000), (0, 2000)] {
        assert!(!tx.is_done());
        let fin = Packet::first_of(subflow) + bytes + 1;
        tx.on_ack(
            us(170),
            Ack {
                ack: fin,
                ..acked(0, 0, &[])
            },
        );
        assert_eq!(kinds(tx.segments(170)), [(subflow, false, bytes + 1, 0)]);
    }
    assert!(tx.is_done());
    // The next message finds both open.
    assert!(tx.subflows().all(|s| s.counters.segments > 0));
}

#[test]
fn a_message_after_another_has_numbers_and_counts_of_its_own() {
    let mut tx = sender(&mptcp(2, tcp()), Some(4000));
    tx.sends(0);
    tx.hears(50, 0, 2);
    tx.hears(50, 1, 2);
    assert!(tx.is_done());
    tx.push(5000);
    assert!(!tx.is_done());
    assert_eq!(tx.sends(1000), [(0, 0, 0), (0, 1, 1), (1, 0, 2), (1, 1, 3)]);
    assert_eq!(tx.counters().segments, 4);
}

#[test]
fn ranks_are_of_the_whole_message() {
    let mut tx = sender(&mptcp(2, tcp()), Some(6000));
    let ranks = |tx: &mut MptcpSender, at| -> Vec<Option<u32>> {
        tx.segments(at).iter().map(|s| s.rank).collect()
    };
    assert_eq!(ranks(&mut tx, 0), [Some(6000); 4]);
    tx.hears(50, 1, 1);
    assert_eq!(ranks(&mut tx, 50), [Some(6000); 2], "the first is missing");
    tx.hears(60, 0, 1);
    tx.hears(60, 0, 2);
    assert_eq!(ranks(&mut tx, 60), []);
    tx.on_timeout(us(260));
    assert_eq!(ranks(&mut tx, 260)[0], Some(3000));
}

fn arrives(subflow: u8, number: u64) -> Arrival {
    Arrival {
        seq: Packet::first_of(subflow) + number * 1000,
        len: 1000,
        syn: false,
        ce: false,
        cwr: false,
        trimmed: false,
        hops: 0,
    }
}

#[test]
fn bytes_are_delivered_in_the_order_of_the_message_and_acknowledged_in_that_of_their_subflow() {
    let mut rx = MptcpReceiver::new(&mptcp(2, tcp()));
    let mut hear = |subflow, number, data: u64| {
        rx.on_mapped_segment(us(0), arrives(subflow, number), data * 1000);
        let ack = rx.poll_ack(us(0)).expect("answered at once");
        assert_eq!(rx.poll_ack(us(0)), None);
        let next = (ack.ack - Packet::first_of(ack.subflow())) / 1000;
        let held: Vec<_> = ack.sack.iter().collect();
        (ack.subflow(), next, held, rx.delivered() / 1000)
    };
    assert_eq!(hear(1, 0, 2), (1, 1, vec![], 0));
    assert_eq!(hear(0, 0, 0), (0, 1, vec![], 1));
    // A segment beyond a hole of its subflow, but next in the message.
    assert_eq!(hear(1, 2, 1), (1, 1, vec![(1000, 2000)], 3));
    // The same bytes on another subflow: acknowledged there, delivered once.
    assert_eq!(hear(0, 1, 2), (0, 2, vec![], 3));
    assert_eq!(hear(1, 1, 3), (1, 3, vec![], 4));
    // Bytes delivered long ago arrive on another subflow: nothing changes.
    assert_eq!(hear(0, 2, 0), (0, 3, vec![], 4));
    assert_eq!(
        [rx.expected(0), rx.expected(1)],
        [3000, Packet::first_of(1) + 3000]
    );
}

#[test]
fn what_is_cut_or_of_no_subflow_or_beyond_the_window_is_delivered_to_nobody() {
    let config = TcpConfig {
        receive_window: 3000,
        ..tcp()
    };
    let mut rx = MptcpReceiver::new(&mptcp(2, config));
    rx.on_mapped_segment(us(0), arrives(2, 0), 0);
    rx.on_mapped_segment(us(0), arrives(1, 0), 3000);
    assert_eq!(
        (rx.poll_ack(us(0)), rx.delivered(), rx.expected(1)),
        (None, 0, Packet::first_of(1))
    );
    let cut = Arrival {
        trimmed: true,
        ..arrives(1, 0)
    };
    rx.on_mapped_segment(us(0), cut, 0);
    let ack = rx.poll_ack(us(0)).expect("the sender is told");
    let block = (Packet::first_of(1), Packet::first_of(1) + 1000);
    assert_eq!((ack.cut_off(), rx.delivered()), (Some(block), 0));
    rx.on_mapped_segment(us(0), arrives(1, 0), 0);
    assert_eq!(rx.delivered(), 1000);
    // The last segment within the window.
    rx.on_mapped_segment(us(0), arrives(0, 0), 3000);
    rx.on_mapped_segment(us(0), arrives(1, 1), 1000);
    rx.on_mapped_segment(us(0), arrives(1, 2), 2000);
    assert_eq!(rx.delivered(), 4000);
}

/// Checks that a single subflow behaves as a TCP receiver: the sender learns that its window was too large.
#[test]
fn one_subflow_alone_answers_what_is_beyond_the_window_and_takes_what_is_within() {
    let config = TcpConfig {
        receive_window: 3000,
        ..tcp()
    };
    let mut rx = MptcpReceiver::new(&mptcp(1, config));
    rx.on_segment(us(0), arrives(0, 3));
    let ack = rx.poll_ack(us(0)).map(|ack| ack.ack);
    assert_eq!((ack, rx.delivered()), (Some(0), 0));
    let across = Arrival {
        seq: 2500,
        ..arrives(0, 0)
    };
    rx.on_segment(us(0), across);
    for number in 0..3 {
        rx.on_segment(us(0), arrives(0, number));
    }
    assert_eq!((rx.delivered(), rx.expected(0)), (3000, 3000));
}

#[test]
fn the_first_acknowledgement_that_a_subflow_owes_is_due_first() {
    let config = TcpConfig {
        delayed_ack: Some(crate::DelayedAck {
            segments: 2,
            timeout: us(40),
        }),
        ..tcp()
    };
    let mut rx = MptcpReceiver::new(&mptcp(2, config));
    rx.on_mapped_segment(us(0), arrives(1, 0), 0);
    rx.on_mapped_segment(us(10), arrives(0, 0), 1000);
    assert_eq!((rx.poll_ack(us(10)), rx.deadline()), (None, Some(us(40))));
}

#[test]
fn settings_are_read_and_refused() {
    let mut values = Values::defaults(crate::PARAMS);
    for param in MptcpConfig::PARAMS {
        values.set(
            param.name,
            Values::defaults(MptcpConfig::PARAMS)
                .get(param.name)
                .clone(),
        );
    }
    let read = |values: &Values| MptcpConfig::read(values);
    assert_eq!(read(&values), Ok(MptcpConfig::from(TcpConfig::default())));
    assert_eq!(CONGESTIONS, ["newreno", "dctcp", "swift"]);
    values.set("congestion", Value::Word("swift".into()));
    let refusal = read(&values).expect_err("no subflow can have it");
    assert_eq!(refusal.params, ["congestion"]);
    assert!(
        MptcpConfig::PARAMS
            .iter()
            .all(|param| !param.name.starts_with("swift_"))
    );
    values.set("congestion", Value::Word("dctcp".into()));
    let dctcp = read(&values).expect("good values");
    assert!(matches!(dctcp.tcp.congestion, Congestion::Dctcp { .. }) && dctcp.nature().marks);
    for (n, good) in [(0, false), (1, true), (16, true), (17, false)] {
        values.set("subflows", Value::Count(n));
        let got = read(&values);
        assert_eq!(got.is_ok(), good, "{n}");
        if let Err(refusal) = got {
            let said = refusal.to_string();
            assert!(
                said.contains("4 of the 48 bits of a sequence number"),
                "{said}"
            );
            assert_eq!(refusal.params, ["subflows"]);
        }
    }
}
