use super::*;

#[test]
fn every_hole_is_repaired_within_one_round_trip() {
    let mut tx = endless(window(10, sack()));
    tx.sends(0); // 0, 2 and 4 are lost
    assert_eq!(tx.sacked(100, 0, &[(1, 2)]), NOTHING);
    assert_eq!(tx.sacked(101, 0, &[(3, 4), (1, 2)]), NOTHING);
    assert_eq!(tx.sacked(102, 0, &[(5, 6), (3, 4), (1, 2)]), [0]);
    assert_eq!((tx.ssthresh(), tx.cwnd()), (5000, 5000));
    // Three are SACKed above 2: it is lost. The retransmitted 0, 4, 7, 8 and 9 are in the network: no room.
    assert_eq!(tx.sacked(103, 0, &[(5, 7), (3, 4), (1, 2)]), NOTHING);
    // Three are SACKed above 4 as well: 0 again, 8 and 9 leave room for two.
    assert_eq!(tx.sacked(104, 0, &[(5, 8), (3, 4), (1, 2)]), [2, 4]);
    // No hole is left: new data.
    assert_eq!(tx.sacked(105, 0, &[(5, 9), (3, 4), (1, 2)]), [10]);
    assert_eq!(tx.sacked(106, 0, &[(5, 10), (3, 4), (1, 2)]), [11]);
    assert_eq!(tx.sacked(200, 2, &[(5, 10), (3, 4)]), [12]);
    assert_eq!(tx.counters().retransmits, 3);
    assert_eq!(tx.acked(210, 10), [13, 14]);
    assert_eq!(tx.cwnd(), 5000);
}

#[test]
fn one_acknowledgement_may_show_that_three_segments_came_after_the_hole() {
    let mut tx = endless(window(6, sack()));
    tx.sends(0);
    assert_eq!(tx.sacked(100, 0, &[(1, 4)]), [0]);
    assert_eq!(tx.counters().fast_retransmits, 1);
}

#[test]
fn duplicates_without_news_are_not_counted() {
    let mut tx = endless(window(6, sack()));
    tx.sends(0);
    for _ in 0..9 {
        assert_eq!(tx.sacked(100, 0, &[(1, 2)]), NOTHING);
    }
    assert_eq!(tx.dups(100, 9, 0), vec![vec![]; 9]);
}

#[test]
fn blocks_of_what_was_never_sent_are_ignored() {
    let mut tx = endless(window(6, sack()));
    tx.sends(0);
    for _ in 0..9 {
        assert_eq!(tx.sacked(100, 0, &[(3, 7), (8, 4000), (6, 7)]), NOTHING);
    }
    assert_eq!(tx.counters().fast_retransmits, 0);
}

#[test]
fn half_a_segment_is_no_segment() {
    let mut tx = endless(window(6, sack()));
    tx.sends(0);
    let mut blocks = SackBlocks::NONE;
    blocks.push(1500, 3999);
    tx.on_ack(
        us(10),
        Ack {
            ack: 0,
            ece: false,
            syn: false,
            sack: blocks,
            cut: false,
            below: false,
            hops: 0,
        },
    );
    assert_eq!(tx.board.pipe(0), 5000); // only segment 2 has left
}

#[test]
fn a_lost_tail_is_rescued_once() {
    let mut tx = flow(window(8, sack()), 8000);
    tx.sends(0); // 0, 6 and 7 are lost
    tx.sacked(100, 0, &[(1, 2)]);
    tx.sacked(101, 0, &[(1, 3)]);
    assert_eq!(tx.sacked(102, 0, &[(1, 4)]), [0]);
    assert_eq!(tx.sacked(103, 0, &[(1, 5)]), NOTHING);
    // No hole is left below the data that arrived, and no data to send: the last segment, as a rescue.
    assert_eq!(tx.sacked(104, 0, &[(1, 6)]), [7]);
    assert_eq!(tx.sacked(200, 6, &[(7, 8)]), [6]);
    assert_eq!(tx.acked(300, 8), NOTHING);
    assert!(tx.is_done());
    assert_eq!(tx.counters().timeouts, 0);
}

#[test]
fn a_second_tail_in_the_same_recovery_is_not_rescued() {
    let config = TcpConfig {
        receive_window: 8000,
        ..sack()
    };
    let mut tx = flow(window(8, config), 9000);
    tx.sends(0); // 0, 6 and 7 are lost; 8 has to wait for the receive window
    assert_eq!(tx.sacked(100, 0, &[(1, 4)]), [0]);
    assert_eq!(tx.sacked(103, 0, &[(1, 5)]), NOTHING);
    assert_eq!(tx.sacked(104, 0, &[(1, 6)]), [7]);
    assert_eq!(tx.sacked(200, 6, &[(7, 8)]), [8, 6]);
}

#[test]
fn after_a_timeout_what_the_receiver_holds_is_skipped() {
    let mut tx = endless(window(
        6,
        TcpConfig {
            dupack_threshold: None,
            ..sack()
        },
    ));
    tx.sends(0); // 0, 2 and 5 are lost
    tx.sacked(100, 0, &[(1, 2)]);
    tx.sacked(101, 0, &[(3, 5), (1, 2)]);
    assert_eq!(tx.times_out(200), [0]);
    assert_eq!(tx.acked(300, 2), [2, 5]); // 3 and 4 were reported before the timeout
    assert_eq!(tx.acked(400, 5), [6, 7]);
}

#[test]
fn a_receiver_that_forgot_what_it_held_gets_it_again() {
    let mut tx = endless(window(3, sack()));
    tx.sends(0);
    tx.sacked(100, 0, &[(1, 3)]);
    tx.acked(150, 1); // and no word of 1 and 2, which it claimed to hold
    let due = tx.deadline().expect("something is outstanding");
    tx.on_timeout(due);
    assert_eq!(tx.sends(due.as_ns() / 1000), [1]);
}

#[test]
fn a_repair_that_is_lost_too_waits_for_the_timer() {
    let mut tx = flow(window(5, sack()), 5000);
    tx.sends(0);
    assert_eq!(tx.sacked(100, 0, &[(1, 4)]), [0]);
    assert_eq!(tx.sacked(110, 0, &[(1, 5)]), NOTHING);
    assert_eq!(tx.times_out(200), [0]);
    assert_eq!(tx.acked(300, 5), NOTHING);
    assert!(tx.is_done());
}
