use super::*;

#[test]
fn a_lost_segment_is_sent_again_after_one_rto() {
    let mut tx = endless(window(1, tcp()));
    assert_eq!(tx.sends(0), [0]);
    assert_eq!(tx.sends(1), NOTHING); // the window is full
    assert_eq!(tx.times_out(200), [0]); // the same one again
    assert_eq!(tx.counters().retransmits, 1);
}

#[test]
fn with_ns3s_rule_any_acknowledgement_of_new_data_ends_the_back_off() {
    let mut config = tcp();
    config.rto.backoff_ends = BackoffEnds::Ack;
    let mut tx = endless(window(1, config));
    tx.sends(0);
    assert_eq!(tx.times_out(200), [0]);
    assert_eq!(tx.times_out(600), [0]);
    assert_eq!(tx.acked(650, 1), [1, 2]);
    assert_eq!(tx.rto(), us(200)); // no sample, and still the first timeout again
    assert_eq!(tx.deadline(), Some(us(850)));
    assert_eq!(tx.times_out(850), [1]);
    assert_eq!(tx.rto(), us(400)); // doubled from there
}

#[test]
fn the_timeout_doubles_until_a_segment_sent_once_is_acknowledged() {
    let mut tx = endless(window(1, tcp()));
    tx.sends(0);
    assert_eq!(tx.times_out(200), [0]);
    assert_eq!(tx.times_out(600), [0]);
    assert_eq!(tx.acked(650, 1), [1, 2]);
    assert_eq!(tx.rto(), us(800)); // Karn: whose round trip was it?
    tx.acked(750, 2);
    assert_eq!(tx.rto(), us(300)); // 100 + 4 * 50
}

#[test]
fn with_timestamps_what_was_sent_again_is_a_sample_from_its_last_sending() {
    let mut config = tcp();
    config.timestamps = true;
    let mut tx = endless(window(3, config));
    assert_eq!(tx.sends(0), [0, 1, 2]);
    assert_eq!(tx.times_out(200), [0]);
    assert_eq!(tx.times_out(600), [0]);
    tx.acked(650, 3); // a hole that the second repair has filled, 50 us ago
    assert_eq!(tx.rto(), us(200)); // 50 + 4 * 25, at least 200: no back-off is left
    assert_eq!(tx.deadline(), Some(us(850)));
    // A segment sent once gives a sample as usual, and the earlier retransmission has no further effect.
    tx.acked(1100, 4);
    assert_eq!(tx.rto(), us(575)); // (7 * 50 + 450) / 8 + 4 * (3 * 25 + 400) / 4
}

#[test]
fn without_back_off_the_timeout_stays() {
    let mut config = tcp();
    config.rto.backoff = false;
    let mut tx = endless(config);
    tx.sends(0);
    assert_eq!(tx.times_out(200), [0]);
    assert_eq!(tx.times_out(400), [0]);
}

#[test]
fn each_new_acknowledgement_restarts_the_timer() {
    let mut tx = endless(tcp());
    tx.sends(0);
    assert_eq!(tx.deadline(), Some(us(200)));
    tx.acked(150, 1);
    assert_eq!(tx.deadline(), Some(us(150 + 450))); // 150 + 4 * 75
    tx.dups(160, 2, 1);
    assert_eq!(tx.deadline(), Some(us(600)));
}

#[test]
fn after_a_timeout_everything_is_sent_again_in_slow_start() {
    let mut tx = endless(tcp());
    assert_eq!(tx.sends(0), [0, 1, 2, 3]);
    assert_eq!(tx.times_out(200), [0]);
    assert_eq!((tx.cwnd(), tx.ssthresh()), (1000, 2000));
    assert_eq!(tx.acked(300, 1), [1, 2]);
    assert_eq!(tx.acked(400, 2), [3]);
    assert_eq!(tx.acked(400, 4), [4, 5, 6]); // new data
    let counters = tx.counters();
    assert_eq!((counters.retransmits, counters.timeouts), (4, 1));
}

#[test]
fn what_turns_out_to_have_arrived_is_not_sent_again() {
    let mut tx = endless(tcp());
    tx.sends(0);
    assert_eq!(tx.times_out(200), [0]);
    assert_eq!(tx.acked(300, 4), [4, 5]); // only the first was lost
}

#[test]
fn a_second_timeout_of_the_same_segment_leaves_ssthresh_alone() {
    let mut tx = endless(window(10, tcp()));
    tx.sends(0);
    assert_eq!(tx.times_out(200), [0]);
    assert_eq!(tx.ssthresh(), 5000);
    assert_eq!(tx.times_out(600), [0]);
    assert_eq!(tx.ssthresh(), 5000);
}

#[test]
fn the_third_duplicate_starts_fast_retransmit() {
    let mut tx = endless(window(8, tcp()));
    assert_eq!(tx.sends(0), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(tx.acked(100, 1), [8, 9]); // then segment 1 is missing
    assert_eq!(tx.dups(100, 3, 1), [vec![], vec![], vec![1]]);
    assert_eq!((tx.ssthresh(), tx.cwnd()), (4500, 7500)); // half of 9, and 3 have left
    assert_eq!(tx.dups(100, 3, 1), [vec![], vec![], vec![10]]);
    assert_eq!(tx.counters().fast_retransmits, 1);
    // All of it arrives: the window deflates without a burst.
    assert_eq!(tx.acked(200, 10), [11]);
    assert_eq!(tx.cwnd(), 2000);
    assert_eq!(tx.counters().retransmits, 1);
}

#[test]
fn a_partial_acknowledgement_repairs_the_next_hole() {
    let mut tx = endless(window(8, tcp()));
    tx.sends(0); // 1 and 4 are lost
    tx.acked(100, 1);
    assert_eq!(tx.dups(100, 3, 1), [vec![], vec![], vec![1]]);
    assert_eq!(tx.acked(200, 4), [4]);
    assert_eq!(tx.cwnd(), 7500 - 3000 + 1000); // 3 have left, 1 was sent again
    assert_eq!(tx.counters().fast_retransmits, 1);
    assert_eq!(tx.acked(300, 10), [10, 11]);
    assert_eq!(tx.counters().retransmits, 2);
}

#[test]
fn with_reno_a_partial_acknowledgement_ends_the_recovery_and_repairs_nothing() {
    let reno = TcpConfig {
        recovery: Recovery::Reno,
        ..tcp()
    };
    let mut tx = flow(window(8, reno), 10_000);
    tx.sends(0); // 1 and 4 are lost
    assert_eq!(tx.acked(100, 1), [8, 9]);
    assert_eq!(tx.dups(100, 3, 1), [vec![], vec![], vec![1]]);
    assert_eq!(tx.acked(200, 4), NOTHING); // no duplicate of 4 is to come: all else has arrived
    assert_eq!((tx.cwnd(), tx.ssthresh()), (4500, 4500));
    let due = tx.deadline().expect("the timer runs again");
    assert_eq!(due, us(200) + tx.rto());
    assert_eq!(tx.sends(300), NOTHING);
    tx.on_timeout(due);
    assert_eq!(tx.poll_send(due).map(|s| s.seq), Some(4000));
    assert_eq!(tx.counters().timeouts, 1);
}

#[test]
fn with_reno_a_second_hole_needs_three_duplicates_of_its_own() {
    let reno = TcpConfig {
        recovery: Recovery::Reno,
        ..tcp()
    };
    let mut tx = endless(window(8, reno));
    tx.sends(0); // 1 and 4 are lost
    assert_eq!(tx.acked(100, 1), [8, 9]);
    assert_eq!(tx.dups(100, 7, 1).concat(), [1, 10, 11]);
    assert_eq!(tx.acked(200, 4), NOTHING); // 4 to 11 are out, the window is 4.5
    assert_eq!(tx.dups(210, 3, 4), [vec![], vec![], vec![4]]);
    assert_eq!(tx.counters().fast_retransmits, 2);
}

#[test]
fn only_the_first_partial_acknowledgement_restarts_the_timer() {
    let mut tx = endless(window(8, tcp()));
    tx.sends(0); // 1, 3 and 5 are lost
    tx.acked(100, 1);
    tx.dups(100, 3, 1);
    tx.acked(200, 3);
    let after_first = tx.deadline();
    assert_eq!(after_first, Some(us(200) + tx.rto()));
    assert_eq!(tx.acked(300, 5), [5]);
    assert_eq!(tx.deadline(), after_first);
    tx.acked(310, 10);
    assert_eq!(tx.deadline(), Some(us(310) + tx.rto()));
}

#[test]
fn duplicates_right_after_a_recovery_start_no_other() {
    let mut tx = endless(tcp());
    tx.sends(0);
    tx.times_out(200);
    tx.acked(300, 4); // all that was outstanding; 4 and 5 leave
    assert_eq!(tx.dups(310, 4, 4), vec![vec![]; 4]);
    assert_eq!(tx.acked(400, 5), [6]); // from here on they count again
    assert_eq!(tx.dups(410, 3, 5), [vec![], vec![], vec![5, 7, 8, 9]]);
}

#[test]
fn the_duplicate_threshold_can_be_another() {
    let mut tx = endless(window(
        8,
        TcpConfig {
            dupack_threshold: Some(5),
            ..tcp()
        },
    ));
    tx.sends(0);
    assert_eq!(tx.dups(100, 4, 0), vec![vec![]; 4]);
    assert_eq!(tx.acked(100, 0), [0, 8]); // 4 and 5 that have left: room for one more
}

#[test]
fn with_fast_retransmit_off_only_the_timer_repairs() {
    for config in [tcp(), sack()] {
        let mut tx = endless(window(
            10,
            TcpConfig {
                dupack_threshold: None,
                ..config
            },
        ));
        tx.sends(0);
        for last in 2..=10 {
            assert_eq!(tx.sacked(100, 0, &[(1, last)]), NOTHING);
        }
        assert_eq!(tx.times_out(200), [0]);
        assert_eq!(tx.counters().fast_retransmits, 0);
    }
}

#[test]
fn limited_transmit_sends_a_new_segment_on_each_of_two_duplicates() {
    let mut tx = endless(TcpConfig {
        limited_transmit: true,
        ..tcp()
    });
    assert_eq!(tx.sends(0), [0, 1, 2, 3]);
    assert_eq!(tx.dups(100, 3, 0), [vec![4], vec![5], vec![0]]);
    assert_eq!(tx.ssthresh(), 2000); // half of 4: the two extra do not count
}

#[test]
fn limited_transmit_stops_at_two_however_high_the_threshold() {
    let mut tx = endless(TcpConfig {
        limited_transmit: true,
        dupack_threshold: Some(5),
        ..tcp()
    });
    tx.sends(0);
    assert_eq!(tx.dups(100, 4, 0), [vec![4], vec![5], vec![], vec![]]);
}

#[test]
fn a_repaired_hole_gives_no_round_trip_sample() {
    let mut tx = endless(window(8, tcp()));
    tx.sends(0);
    tx.dups(100, 3, 0);
    tx.acked(190, 8); // 1 to 7 have waited for 0
    assert_eq!(tx.rto(), us(200));
}
