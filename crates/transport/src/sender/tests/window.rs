use super::*;

#[test]
fn slow_start_sends_two_segments_for_each_acknowledged() {
    let mut tx = endless(window(2, tcp()));
    assert_eq!(tx.sends(0), [0, 1]);
    assert_eq!(tx.acked(100, 1), [2, 3]);
    assert_eq!(tx.acked(100, 2), [4, 5]);
    assert_eq!(tx.acked(200, 3), [6, 7]);
}

#[test]
fn congestion_avoidance_adds_one_segment_a_round_trip() {
    let mut tx = endless(tcp());
    tx.window.ssthresh = 4000;
    assert_eq!(tx.sends(0), [0, 1, 2, 3]);
    assert_eq!(tx.acked(100, 1), [4]);
    assert_eq!(tx.acked(100, 2), [5]);
    assert_eq!(tx.acked(100, 3), [6]);
    assert_eq!(tx.acked(100, 4), [7, 8]);
    assert_eq!(tx.acked(200, 8), [9, 10, 11, 12]);
    assert_eq!(tx.acked(200, 9), [13, 14]);
}

#[test]
fn the_receive_window_is_never_exceeded_and_stops_growth() {
    let mut tx = endless(window(
        10,
        TcpConfig {
            receive_window: 3500,
            ..tcp()
        },
    ));
    assert_eq!(tx.sends(0), [0, 1, 2]);
    assert_eq!(tx.acked(100, 1), [3]);
    assert_eq!(tx.acked(100, 2), [4]);
    assert_eq!(tx.cwnd(), 10_000);
}

#[test]
fn a_receive_window_below_a_segment_makes_small_segments() {
    let mut tx = flow(
        TcpConfig {
            receive_window: 600,
            ..tcp()
        },
        1000,
    );
    let lens = |s: Vec<Segment>| s.iter().map(|s| s.len).collect::<Vec<_>>();
    assert_eq!(lens(tx.segments(0)), [600]);
}

#[test]
fn the_last_segment_is_as_short_as_it_needs_to_be() {
    let mut tx = flow(tcp(), 2300);
    let lens: Vec<_> = tx.segments(0).iter().map(|s| s.len).collect();
    assert_eq!(lens, [1000, 1000, 300]);
    tx.on_ack(us(50), ack_bytes(2299));
    assert!(!tx.is_done());
    tx.on_ack(us(60), ack_bytes(2300));
    assert!(tx.is_done());
    assert_eq!(tx.deadline(), None);
    assert_eq!(tx.counters().segments, 3);
}

#[test]
fn an_empty_flow_is_done_before_it_begins() {
    let mut tx = flow(tcp(), 0);
    assert!(tx.is_done());
    assert_eq!(tx.sends(0), NOTHING);
    assert_eq!(tx.deadline(), None);
}

#[test]
fn acknowledgements_of_nothing_sent_or_long_since_acknowledged_are_ignored() {
    let mut tx = endless(tcp());
    assert_eq!(tx.sends(0), [0, 1, 2, 3]);
    assert_eq!(tx.acked(10, 5), NOTHING);
    assert_eq!(tx.acked(20, 2), [4, 5, 6]);
    let before = tx.deadline();
    assert_eq!(tx.acked(30, 1), NOTHING);
    assert_eq!(tx.deadline(), before);
    tx.on_timeout(us(30)); // early
    assert_eq!(tx.counters().timeouts, 0);
}

#[test]
fn after_a_silence_of_more_than_one_rto_the_window_is_the_initial_one() {
    for (idle_restart, pause, burst) in [(true, 301, 4), (true, 300, 6), (false, 301, 6)] {
        let mut config = TcpConfig {
            idle_restart,
            ..tcp()
        };
        config.rto.min = us(300);
        let mut tx = flow(config, 8000);
        assert_eq!(tx.sends(0), [0, 1, 2, 3]);
        assert_eq!(tx.acked(100, 1), [4, 5]);
        assert_eq!(tx.acked(100, 2), [6, 7]);
        assert_eq!(tx.acked(200, 8), NOTHING);
        assert!(tx.is_done());
        tx.push(50_000);
        assert!(!tx.is_done());
        assert_eq!(tx.rto(), us(300));
        assert_eq!(tx.sends(100 + pause).len(), burst); // the last one left at 100
    }
}

#[test]
fn another_message_is_numbered_from_0_and_keeps_what_the_connection_has_learnt() {
    let mut tx = flow(tcp(), 1500);
    assert_eq!(tx.sends(0), [0, 1]);
    tx.on_ack(us(90), ack_bytes(1500));
    assert_eq!((tx.rto(), tx.acknowledged()), (us(270), 1500));
    tx.push(2300);
    assert_eq!((tx.acknowledged(), tx.counters()), (0, Default::default()));
    let seqs: Vec<_> = tx.segments(100).iter().map(|s| (s.seq, s.len)).collect();
    assert_eq!(seqs, [(0, 1000), (1000, 1000), (2000, 300)]);
    assert_eq!(tx.deadline(), Some(us(370)));
    tx.on_timeout(us(370));
    let again: Vec<_> = tx.segments(370).iter().map(|s| (s.seq, s.len)).collect();
    assert_eq!(again, [(0, 1000)]);
    tx.on_ack(us(470), ack_bytes(2300));
    assert!(tx.is_done());
    assert_eq!((tx.counters().segments, tx.counters().timeouts), (4, 1));
    assert_eq!(tx.ssthresh(), 2000); // what the timeout left is there for the next
    tx.push(1);
    assert_eq!(tx.ssthresh(), 2000);
}

#[test]
#[should_panic(expected = "one message at a time")]
fn no_message_is_pushed_behind_one_under_way() {
    let mut tx = flow(tcp(), 1500);
    assert_eq!(tx.sends(0), [0, 1]);
    tx.push(2000);
}

fn ack_bytes(ack: u64) -> Ack {
    Ack {
        ack,
        ece: false,
        syn: false,
        sack: SackBlocks::NONE,
        cut: false,
        below: false,
        hops: 0,
    }
}
