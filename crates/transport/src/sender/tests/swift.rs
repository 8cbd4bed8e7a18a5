//! Windows that follow delays. `fs_alpha` of the defaults is 97.966 us, `fs_beta` -9.797 us: over no switch the
//! target is 148.170 us for a window of 1, 119.476 for 2, 99.186 for 4, 360 for 0.1 and less.

use super::*;
use crate::{Arrival, DelayedAck, Receiver, SwiftConfig, TcpReceiver, TransportConfig};

/// Returns the default settings.
fn settings() -> SwiftConfig {
    let swift = TransportConfig::from_name("swift").expect("it is listed");
    match swift.tcp().expect("it is TCP").congestion {
        Congestion::Swift { settings } => settings,
        other => panic!("{other:?}"),
    }
}

fn with(settings: SwiftConfig, segments: u32) -> TcpConfig {
    TcpConfig {
        congestion: Congestion::Swift { settings },
        rto: RtoConfig {
            min: Time::from_ms(50),
            initial: Time::from_ms(50),
            max: Time::from_s(10),
            ..tcp().rto
        },
        ..window(segments, tcp())
    }
}

fn swift(segments: u32) -> TcpConfig {
    with(settings(), segments)
}

impl TcpSender {
    /// Acknowledges `segments`, the last of them over `hops` switches; returns the segments sent.
    fn over(&mut self, at: u64, segments: u64, hops: u8) -> Vec<u64> {
        let ack = Ack {
            ack: segments * 1000,
            ece: false,
            syn: false,
            sack: SackBlocks::NONE,
            cut: false,
            below: false,
            hops,
        };
        self.on_ack(us(at), ack);
        self.sends(at)
    }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-3
}

/// Returns true if the window is `segments`, to a thousandth.
fn at(tx: &TcpSender, segments: f64) -> bool {
    close(tx.window_in_segments(), segments)
}

#[test]
fn delays_below_the_target_add_a_packet_a_round_trip() {
    let mut tx = endless(swift(1));
    assert_eq!(tx.sends(0), [0]);
    assert_eq!(tx.acked(100, 1), [1, 2]);
    assert!(at(&tx, 2.0));
    // 2 + 1/2 segments, of which the whole ones are sent.
    assert_eq!(tx.acked(200, 2), [3]);
    assert!(at(&tx, 2.5));
    assert_eq!(tx.acked(200, 3), [4]);
    assert!(at(&tx, 2.9));
    assert_eq!(tx.acked(300, 4), [5, 6]);
    assert!(at(&tx, 2.9 + 1.0 / 2.9));
}

#[test]
fn acknowledged_bytes_count_not_acknowledgements() {
    let mut tx = endless(swift(4));
    assert_eq!(tx.sends(0), [0, 1, 2, 3]);
    tx.acked(50, 4);
    assert!(at(&tx, 5.0));
}

#[test]
fn a_delay_above_the_target_cuts_by_a_share_of_the_excess_and_by_half_at_most() {
    let mut tx = endless(swift(4));
    assert_eq!(tx.sends(0), [0, 1, 2, 3]);
    // 1 - 0.8·(120 - 99.186)/120 = 0.8612.
    assert_eq!(tx.acked(120, 1), NOTHING);
    assert!(at(&tx, 4.0 * 0.86124));
    let mut tx = endless(swift(4));
    assert_eq!(tx.sends(0), [0, 1, 2, 3]);
    // 1 - 0.8·(300 - 99.186)/300 = 0.4645 is below 1 - 0.5.
    assert_eq!(tx.acked(300, 1), NOTHING);
    assert!(at(&tx, 2.0));
}

#[test]
fn it_cuts_at_most_once_a_round_trip() {
    let mut tx = endless(swift(4));
    assert_eq!(tx.sends(0), [0, 1, 2, 3]);
    assert_eq!(tx.acked(300, 1), NOTHING);
    assert_eq!(tx.acked(310, 2), NOTHING);
    assert_eq!(tx.acked(310, 3), [4]);
    assert_eq!(tx.acked(599, 4), [5]);
    assert!(at(&tx, 2.0));
}

#[test]
fn it_cuts_again_when_a_round_trip_has_passed() {
    let mut tx = endless(swift(4));
    assert_eq!(tx.sends(0), [0, 1, 2, 3]);
    assert_eq!(tx.acked(300, 1), NOTHING);
    assert_eq!(tx.acked(301, 3), [4]);
    // The round trip is 600 us now: the 300 us since the cut are less.
    assert_eq!(tx.acked(600, 4), [5]);
    assert!(at(&tx, 2.0));
    // The round trip is still 600 us: 601 us are enough.
    assert_eq!(tx.acked(901, 5), NOTHING);
    assert!(at(&tx, 1.0));
}

#[test]
fn the_target_rises_by_each_switch_that_the_data_has_crossed() {
    // 150 us are above 99.186 and 129.186, not above 159.186.
    for (hops, left) in [(0, 0.7290), (1, 0.8890), (2, 1.0)] {
        let mut tx = endless(swift(4));
        tx.sends(0);
        tx.over(150, 1, hops);
        let expected = if hops == 2 { 4.25 } else { 4.0 * left };
        assert!(
            close(tx.window_in_segments(), expected),
            "{hops}: {}",
            tx.window_in_segments()
        );
    }
}

#[test]
fn a_receiver_echoes_the_hops_of_the_segment_that_came_last() {
    let data = |seq, hops, trimmed| Arrival {
        seq,
        len: 1000,
        syn: false,
        ce: false,
        cwr: false,
        trimmed,
        hops,
    };
    let mut rx = TcpReceiver::new(Arc::new(swift(4)));
    let mut hops_of = |arrival| {
        rx.on_segment(us(0), arrival);
        rx.poll_ack(us(0)).expect("it is answered").hops
    };
    assert_eq!(hops_of(data(0, 5, false)), 5);
    assert_eq!(hops_of(data(2000, 9, false)), 9);
    assert_eq!(hops_of(data(3000, 7, true)), 7);
    assert_eq!(hops_of(data(1000, 3, false)), 3);
    let mut rx = TcpReceiver::new(Arc::new(TcpConfig {
        delayed_ack: Some(DelayedAck {
            segments: 2,
            timeout: us(40),
        }),
        ack_rule: crate::AckRule::Ns3,
        ..swift(4)
    }));
    rx.on_segment(us(0), data(0, 5, false));
    assert_eq!(rx.poll_ack(us(0)), None);
    rx.on_timeout(us(40));
    assert_eq!(rx.poll_ack(us(40)).expect("it waited").hops, 5);
}

#[test]
fn below_one_packet_each_waits_a_round_trip_over_the_window() {
    let mut tx = endless(swift(1));
    assert_eq!(tx.sends(0), [0]);
    // Half a packet: one in 1000/0.5 us.
    assert_eq!(tx.acked(1000, 1), NOTHING);
    assert!(at(&tx, 0.5));
    assert_eq!(tx.pace(), us(2000));
    assert_eq!(tx.deadline(), Some(us(2000)));
    assert_eq!(tx.sends(1999), NOTHING);
    assert_eq!(tx.sends(2000), [1]);
    // A quarter of a packet, at 800 us.
    assert_eq!(tx.acked(2800, 2), NOTHING);
    assert!(at(&tx, 0.25));
    assert_eq!(tx.deadline(), Some(us(2000 + 3200)));
    tx.on_timeout(us(5200));
    assert_eq!((tx.sends(5200), tx.counters().timeouts), (vec![2], 0));
    // In time: below one packet, each acknowledged packet adds a whole one.
    assert_eq!(tx.acked(5300, 3), [3]);
    assert!(at(&tx, 1.25));
    assert_eq!(tx.pace(), Time::ZERO);
}

#[test]
fn a_paced_sender_waits_for_nothing_when_it_has_nothing_to_send() {
    let mut tx = flow(swift(1), 1000);
    assert_eq!(tx.sends(0), [0]);
    assert_eq!(tx.acked(1000, 1), NOTHING);
    assert!(tx.is_done());
    assert_eq!(tx.deadline(), None);
    tx.push(1000);
    assert_eq!(tx.sends(1500), NOTHING);
    assert_eq!(tx.deadline(), Some(us(2000)));
    assert_eq!(tx.sends(2000), [0]);
}

#[test]
fn a_window_stays_between_its_least_and_its_largest() {
    let bounds = SwiftConfig {
        min_cwnd: 0.5,
        max_cwnd: 5.0,
        ..settings()
    };
    let mut tx = endless(with(bounds, 4));
    tx.sends(0);
    tx.acked(50, 4);
    assert_eq!(tx.window_in_segments(), 5.0);
    tx.acked(60, 5);
    assert_eq!(tx.window_in_segments(), 5.0);
    let mut tx = endless(with(bounds, 1));
    for sent in 0..4 {
        let at = sent * 10_000;
        assert_eq!(tx.sends(at), [sent]);
        tx.acked(at + 3000, sent + 1);
    }
    assert_eq!(tx.window_in_segments(), 0.5);
}

#[test]
fn a_loss_cuts_by_half_at_most_once_a_round_trip() {
    let mut tx = endless(swift(8));
    assert_eq!(tx.sends(0), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(tx.dups(50, 2, 0), [NOTHING, NOTHING]);
    assert_eq!(tx.acked(50, 0), [0]);
    assert!(at(&tx, 4.0));
    assert_eq!((tx.counters().fast_retransmits, tx.ssthresh()), (1, 4000));
    // If the window was cut already, the loss cuts no more.
    let mut tx = endless(swift(8));
    tx.sends(0);
    tx.acked(300, 1);
    assert!(at(&tx, 4.0));
    for _ in 0..3 {
        tx.acked(310, 1);
    }
    assert_eq!(tx.counters().fast_retransmits, 1);
    assert!(at(&tx, 4.0));
}

#[test]
fn a_recovery_ends_at_the_window_that_delays_have_made_meanwhile() {
    for config in [
        swift(8),
        TcpConfig {
            recovery: Recovery::Sack,
            ..swift(8)
        },
    ] {
        for reduction in [Reduction::AtOnce, Reduction::Prr] {
            let mut tx = endless(TcpConfig {
                reduction,
                ..config.clone()
            });
            assert_eq!(tx.sends(0).len(), 8);
            let acks: Vec<_> = (2..5).map(|to| tx.sacked(50, 0, &[(1, to)])).collect();
            assert_eq!(acks[2].first(), Some(&0), "{acks:?}");
            assert!(at(&tx, 4.0));
            // The retransmission has arrived, and all the rest.
            tx.acked(400, 8);
            assert_eq!((tx.ssthresh(), tx.window_in_segments()), (4000, 4.0));
            assert!(tx.cwnd() <= 4000, "{}", tx.cwnd());
        }
    }
}

#[test]
fn a_timeout_halves_and_so_many_in_a_row_leave_the_least() {
    let short = SwiftConfig {
        retransmit_reset: 3,
        ..settings()
    };
    let mut tx = endless(with(short, 4));
    tx.sends(0);
    assert_eq!(tx.times_out(50_000), [0, 1]);
    assert!(at(&tx, 2.0));
    assert_eq!(tx.times_out(150_000), [0]);
    assert!(at(&tx, 1.0));
    assert_eq!(tx.times_out(350_000), [0]);
    assert!(at(&tx, 0.001));
    // Without a round trip, only the timer paces.
    assert_eq!(tx.pace(), Time::ZERO);
}

#[test]
fn an_acknowledgement_between_them_begins_a_new_row_of_timeouts() {
    let short = SwiftConfig {
        retransmit_reset: 2,
        ..settings()
    };
    let mut tx = endless(with(short, 4));
    tx.sends(0);
    assert_eq!(tx.times_out(50_000), [0, 1]);
    // A segment sent twice gives no delay, and leaves the window unchanged.
    assert_eq!(tx.acked(50_050, 1), [2]);
    assert!(at(&tx, 2.0));
    let due = tx.deadline().expect("something is out");
    tx.on_timeout(due);
    assert!(at(&tx, 1.0));
}

#[test]
fn a_repair_waits_for_its_turn_and_its_timeout_begins_there() {
    let slow = SwiftConfig {
        min_cwnd: 0.01,
        ..settings()
    };
    let mut tx = endless(with(slow, 1));
    // Seven delays of 3 ms: half each time, down to a hundredth, one packet in 300 ms.
    let mut now = 0;
    for sent in 0..8 {
        assert_eq!(tx.sends(now), [sent]);
        assert_eq!(tx.acked(now + 3000, sent + 1), NOTHING);
        now = tx.deadline().expect("it is paced").ps() / 1_000_000;
    }
    assert!(at(&tx, 0.01));
    assert_eq!(tx.pace(), us(300_000));
    assert_eq!(tx.sends(now), [8]);
    let out = tx.deadline().expect("it is out").ps() / 1_000_000;
    assert!(out < now + 300_000, "the timer is sooner than the pace");
    tx.on_timeout(us(out));
    assert_eq!(tx.sends(out), NOTHING);
    assert_eq!(tx.counters().timeouts, 1);
    assert_eq!(tx.deadline(), Some(us(now + 300_000)));
    tx.on_timeout(us(now + 300_000));
    assert_eq!(tx.sends(now + 300_000), [8]);
    assert_eq!(tx.counters().timeouts, 1);
}

#[test]
fn no_packet_is_ecn_capable_and_echoes_mean_nothing() {
    let mut tx = endless(swift(4));
    assert!(tx.segments(0).iter().all(|s| !s.ect && !s.cwr));
    tx.echoed(50, 1);
    assert!(at(&tx, 4.25));
}

#[test]
fn a_window_grows_only_while_it_holds_the_sender_back() {
    let mut tx = flow(swift(4), 3000);
    assert_eq!(tx.sends(0), [0, 1, 2]);
    tx.acked(50, 1);
    assert!(at(&tx, 4.0));
}

#[test]
fn a_needless_recovery_gives_the_window_back_unless_a_delay_has_cut_it_since() {
    let config = TcpConfig {
        recovery: Recovery::Sack,
        reordering: crate::ReorderingConfig {
            dsack: true,
            undo: true,
            ..tcp().reordering
        },
        ..swift(8)
    };
    for (delay, window) in [(80, 8.0), (400, 2.0)] {
        let mut tx = endless(config.clone());
        assert_eq!(tx.sends(0).len(), 8);
        let sent = (2..9).map(|to| tx.sacked(50, 0, &[(1, to)]));
        let sent: Vec<u64> = sent.flatten().collect();
        assert_eq!(sent, [0, 8, 9, 10]);
        assert!(at(&tx, 4.0));
        tx.acked(55, 8);
        // The new data sent in the recovery gives a delay; then the duplicate is reported.
        tx.acked(50 + delay, 9);
        let told = Ack {
            ack: 9000,
            ece: false,
            syn: false,
            sack: below(9000, 0, 1000),
            cut: false,
            below: true,
            hops: 0,
        };
        tx.on_ack(us(50 + delay), told);
        assert_eq!(tx.counters().dsacks, 1);
        assert!(at(&tx, window), "{}", tx.window_in_segments());
    }
}

/// Returns `[from, to)` as a first block below `ack`.
fn below(ack: u32, from: u32, to: u32) -> SackBlocks {
    let mut sack = SackBlocks::NONE;
    sack.push(ack - to, ack - from);
    sack
}

#[test]
fn a_handshake_tells_the_first_round_trip() {
    let mut tx = endless(TcpConfig {
        handshake: true,
        ..swift(1)
    });
    assert!(tx.poll_send(us(0)).expect("a SYN").syn);
    let accept = Ack {
        ack: 0,
        ece: false,
        syn: true,
        sack: SackBlocks::NONE,
        cut: false,
        below: false,
        hops: 0,
    };
    tx.on_ack(us(100), accept);
    assert_eq!(
        tx.segments(100).len(),
        2,
        "its answer, and the first segment"
    );
    // The segment is lost; then half a packet may leave, one in 100/0.5 us: the timer is far later.
    let due = tx.deadline().expect("it is out");
    tx.on_timeout(due);
    assert!(at(&tx, 0.5));
    assert_eq!(tx.pace(), us(200));
    assert_eq!(tx.segments(due.ps() / 1_000_000).len(), 1);
}

#[test]
fn after_a_silence_the_window_is_the_initial_one_at_most() {
    let mut tx = flow(
        TcpConfig {
            idle_restart: true,
            ..swift(2)
        },
        4000,
    );
    assert_eq!(tx.sends(0), [0, 1]);
    assert_eq!(tx.acked(50, 2), [2, 3]);
    assert!(at(&tx, 3.0));
    tx.acked(90, 4);
    let window = tx.window_in_segments();
    assert!(window >= 3.0);
    tx.push(9000);
    assert_eq!(tx.sends(1_000_000), [0, 1]);
    assert!(at(&tx, 2.0));
}
