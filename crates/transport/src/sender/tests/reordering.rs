//! Spurious retransmissions: D-SACK, adapted thresholds, restored windows.

use super::*;
use crate::ThresholdRule;

/// Settings with SACK and D-SACK, which adapt the threshold and restore windows.
fn robust() -> TcpConfig {
    with(sack(), ThresholdRule::Dsack, true, true)
}

/// Settings that judge a retransmission by how soon it is acknowledged; the threshold adapts, and windows are
/// restored.
fn early(config: TcpConfig) -> TcpConfig {
    with(config, ThresholdRule::Early, false, true)
}

fn with(config: TcpConfig, rule: ThresholdRule, dsack: bool, undo: bool) -> TcpConfig {
    let mut config = window(10, config);
    config.reordering.rule = rule;
    config.reordering.dsack = dsack;
    config.reordering.undo = undo;
    config
}

impl TcpSender {
    /// Acknowledges `segments` and `blocks`, and reports segment `again` as a duplicate; returns the segments
    /// sent.
    fn dsacked(&mut self, at: u64, segments: u64, again: u64, blocks: &[(u64, u64)]) -> Vec<u64> {
        let below = again < segments;
        let bytes = |n: u64| (n * 1000) as u32;
        let mut sack = SackBlocks::NONE;
        match below {
            true => sack.push(bytes(segments - again - 1), bytes(segments - again)),
            false => sack.push(bytes(again - segments), bytes(again + 1 - segments)),
        }
        for (from, to) in blocks {
            sack.push(bytes(from - segments), bytes(to - segments));
        }
        let ack = Ack {
            ack: segments * 1000,
            ece: false,
            syn: false,
            sack,
            cut: false,
            below,
            hops: 0,
        };
        self.on_ack(us(at), ack);
        self.sends(at)
    }

    /// Returns the number of recoveries begun, duplicates reported, windows restored.
    fn told_of(&self) -> [u32; 3] {
        let counters = self.counters();
        [counters.fast_retransmits, counters.dsacks, counters.undone]
    }

    fn dsack_threshold(&self) -> u32 {
        self.dupthresh().expect("it is on")
    }
}

/// Returns a sender of ten segments, the first of them late: the third segment that overtakes it starts its
/// retransmission.
fn repaired(config: TcpConfig) -> TcpSender {
    let mut tx = endless(config);
    tx.sends(0);
    assert_eq!(tx.sacked(100, 0, &[(1, 2)]), NOTHING);
    assert_eq!(tx.sacked(101, 0, &[(1, 3)]), NOTHING);
    assert_eq!(tx.sacked(102, 0, &[(1, 4)])[0], 0);
    assert_eq!(tx.ssthresh(), 5000);
    tx
}

#[test]
fn a_dsack_of_the_only_repair_gives_the_window_back() {
    let mut tx = repaired(robust());
    assert_eq!(tx.acked(103, 4), NOTHING); // the first, late
    assert_eq!(tx.cwnd(), 5000);
    assert_eq!(tx.acked(104, 6), [10]);
    // D-SACK of the retransmission: the window of 10 is restored in slow start, and this acknowledgement grows
    // it. 7 to 10 are in flight.
    assert_eq!(tx.dsacked(203, 7, 0, &[]), [11, 12, 13, 14, 15, 16, 17]);
    assert_eq!((tx.cwnd(), tx.ssthresh()), (11_000, u64::MAX));
    assert_eq!(tx.told_of(), [1, 1, 1]);
    assert_eq!(tx.dsack_threshold(), 4);
    // Three segments overtake 7, which is not enough now; the fourth is.
    assert_eq!(tx.sacked(300, 7, &[(8, 11)]), NOTHING);
    assert_eq!(tx.sacked(301, 7, &[(8, 12)])[0], 7);
    assert_eq!(tx.told_of(), [2, 1, 1]);
}

#[test]
fn a_dsack_within_a_later_block_is_one_as_well() {
    let mut tx = endless(robust());
    tx.sends(0); // 0 is lost, 2 is late
    tx.sacked(100, 0, &[(1, 2)]);
    tx.sacked(101, 0, &[(3, 5), (1, 2)]);
    tx.sacked(102, 0, &[(3, 7), (1, 2)]);
    tx.sacked(103, 0, &[(3, 9), (1, 2)]);
    assert_eq!(tx.counters().retransmits, 2); // 0 and 2
    tx.sacked(104, 0, &[(1, 9)]);
    tx.dsacked(200, 0, 2, &[(1, 9)]);
    assert_eq!(tx.told_of(), [1, 1, 0], "0 was lost, as far as is known");
    // Six had overtaken 2 before it arrived.
    assert_eq!(tx.dsack_threshold(), 7);
}

#[test]
fn all_repairs_have_to_be_needless() {
    let mut tx = endless(robust());
    tx.sends(0); // 0 and 1 are late
    tx.sacked(100, 0, &[(2, 3)]);
    tx.sacked(101, 0, &[(2, 4)]);
    assert_eq!(tx.sacked(102, 0, &[(2, 5)]), [0]);
    assert_eq!(tx.sacked(103, 0, &[(2, 6)]), NOTHING);
    assert_eq!(tx.sacked(104, 0, &[(2, 7)]), [1]);
    tx.acked(106, 8);
    tx.dsacked(202, 8, 0, &[]);
    assert_eq!(tx.told_of(), [1, 1, 0]);
    assert_eq!(tx.cwnd(), 5000);
    tx.dsacked(205, 8, 1, &[]);
    assert_eq!(tx.told_of(), [1, 2, 1]);
    assert_eq!((tx.cwnd(), tx.ssthresh()), (10_000, u64::MAX));
}

#[test]
fn a_dsack_after_the_recovery_gives_back_what_the_window_lacks() {
    let mut tx = repaired(robust());
    tx.acked(103, 10);
    assert_eq!(tx.cwnd(), 5000);
    tx.acked(203, 15); // a window in congestion avoidance
    assert_eq!(tx.cwnd(), 6000);
    tx.dsacked(204, 15, 0, &[]);
    assert_eq!((tx.cwnd(), tx.ssthresh()), (10_000, u64::MAX));
    assert_eq!(tx.told_of(), [1, 1, 1]);
}

#[test]
fn a_dsack_on_an_acknowledgement_that_was_overtaken_is_heard() {
    let mut tx = repaired(robust());
    tx.acked(103, 8);
    tx.acked(104, 9);
    tx.dsacked(105, 7, 0, &[]);
    assert_eq!(tx.told_of(), [1, 1, 1]);
    assert_eq!(tx.cwnd(), 10_000);
}

#[test]
fn a_duplicate_of_what_was_sent_once_means_nothing() {
    let mut tx = repaired(robust());
    tx.acked(103, 4);
    tx.dsacked(104, 4, 2, &[]);
    assert_eq!(tx.told_of(), [1, 1, 0]);
    assert_eq!((tx.cwnd(), tx.dsack_threshold()), (5000, 3));
}

#[test]
fn a_threshold_that_is_fixed_stays_and_the_window_comes_back_nonetheless() {
    let mut tx = repaired(with(sack(), ThresholdRule::Fixed, true, true));
    tx.acked(103, 4);
    tx.dsacked(104, 5, 0, &[]);
    assert_eq!((tx.told_of(), tx.dsack_threshold()), ([1, 1, 1], 3));
}

#[test]
fn a_threshold_moves_without_undo_and_the_window_stays_cut() {
    let mut tx = repaired(with(sack(), ThresholdRule::Dsack, true, false));
    tx.acked(103, 4);
    tx.dsacked(104, 5, 0, &[]);
    assert_eq!((tx.told_of(), tx.dsack_threshold()), ([1, 1, 0], 4));
    assert_eq!(tx.ssthresh(), 5000);
}

#[test]
fn reordering_below_the_threshold_is_remembered_and_moves_nothing_by_itself() {
    let mut tx = endless(robust());
    tx.sends(0);
    tx.sacked(100, 0, &[(1, 3)]);
    tx.acked(101, 3); // two had overtaken 0
    assert_eq!(tx.dsack_threshold(), 3);
}

#[test]
fn a_share_of_the_reorderings_seen_passes() {
    for (share, threshold) in [(0.5, 3), (0.9, 7), (1.0, 7)] {
        let mut config = robust();
        config.reordering.share = share;
        let mut tx = endless(config);
        let mut sent = tx.sends(0).len() as u64;
        // Two segments that two have overtaken, then one that six have.
        let mut first_unacked = 0;
        for (i, more) in [2, 2].into_iter().enumerate() {
            let at = 100 * (i as u64 + 1);
            sent += tx
                .sacked(
                    at,
                    first_unacked,
                    &[(first_unacked + 1, first_unacked + 1 + more)],
                )
                .len() as u64;
            first_unacked += more + 1;
            sent += tx.acked(at + 1, first_unacked).len() as u64;
        }
        assert!(sent > first_unacked + 7);
        assert_eq!(
            tx.sacked(
                300,
                first_unacked,
                &[(first_unacked + 1, first_unacked + 4)]
            )[0],
            first_unacked
        );
        tx.sacked(
            301,
            first_unacked,
            &[(first_unacked + 1, first_unacked + 7)],
        );
        tx.acked(302, first_unacked + 7);
        tx.dsacked(400, first_unacked + 7, first_unacked, &[]);
        assert_eq!(tx.dsack_threshold(), threshold, "share {share}");
    }
}

#[test]
fn a_threshold_never_exceeds_its_most() {
    let mut config = robust();
    config.reordering.most = 5;
    let mut tx = repaired(config);
    tx.sacked(103, 0, &[(1, 9)]);
    tx.acked(104, 9);
    tx.dsacked(200, 9, 0, &[]);
    assert_eq!(tx.dsack_threshold(), 5);
}

#[test]
fn a_timeout_behind_duplicates_takes_the_threshold_back() {
    let mut tx = repaired(robust());
    tx.sacked(103, 0, &[(1, 9)]);
    tx.acked(104, 10);
    tx.dsacked(200, 10, 0, &[]);
    assert_eq!(tx.dsack_threshold(), 9);
    tx.acked(201, 11);
    assert_eq!(tx.sacked(202, 11, &[(12, 15)]), NOTHING); // below 9
    let due = tx.deadline().expect("something is outstanding");
    tx.on_timeout(due);
    assert_eq!(tx.dsack_threshold(), 3);
}

#[test]
fn a_timeout_without_duplicates_leaves_the_threshold() {
    let mut tx = repaired(robust());
    tx.acked(103, 10);
    tx.dsacked(104, 10, 0, &[]);
    let due = tx.deadline().expect("something is outstanding");
    tx.on_timeout(due);
    assert_eq!(tx.dsack_threshold(), 4);
}

#[test]
fn limited_transmit_goes_on_up_to_a_threshold_that_moves() {
    let config = TcpConfig {
        limited_transmit: true,
        ..robust()
    };
    let mut tx = endless(config);
    tx.sends(0);
    assert_eq!(tx.sacked(100, 0, &[(1, 2)]), [10]);
    assert_eq!(tx.sacked(101, 0, &[(1, 3)]), [11]);
    assert_eq!(tx.sacked(102, 0, &[(1, 4)]), [0]);
    tx.sacked(103, 0, &[(1, 6)]);
    tx.acked(104, 12);
    tx.dsacked(105, 12, 0, &[]); // five had overtaken it
    assert_eq!((tx.dsack_threshold(), tx.cwnd()), (6, 10_000));
    // 12 to 21 are in flight: one more leaves on each of five duplicates.
    let each = (1..=5).map(|n| tx.sacked(200 + n, 12, &[(13, 13 + n)]));
    assert_eq!(each.flatten().collect::<Vec<u64>>(), [22, 23, 24, 25, 26]);
    assert_eq!(tx.sacked(206, 12, &[(13, 19)])[0], 12);
}

#[test]
fn a_window_that_came_down_step_by_step_comes_back() {
    let config = TcpConfig {
        reduction: Reduction::Prr,
        ..robust()
    };
    let mut tx = repaired(config);
    tx.sacked(103, 0, &[(1, 5)]);
    tx.acked(104, 5);
    tx.dsacked(105, 6, 0, &[]);
    assert_eq!((tx.cwnd(), tx.ssthresh()), (11_000, u64::MAX));
    assert_eq!(tx.told_of(), [1, 1, 1]);
    assert!(!tx.reducing);
}

#[test]
fn dctcp_gets_its_window_back_and_keeps_its_alpha() {
    let congestion = Congestion::Dctcp {
        gain: 0.5,
        initial_alpha: 0.5,
        alpha_moves: AlphaMoves::Windows,
        loss_leaves: 0.5,
    };
    let mut tx = repaired(TcpConfig {
        congestion,
        ..robust()
    });
    tx.acked(103, 4);
    tx.dsacked(104, 4, 0, &[]);
    assert_eq!((tx.cwnd(), tx.ssthresh()), (10_000, u64::MAX));
    tx.echoed(105, 5);
    assert!(tx.ssthresh() < 10_000, "a mark cuts as before");
}

#[test]
fn a_mark_since_the_recovery_keeps_the_window_cut() {
    let congestion = Congestion::NewReno { ecn: true };
    let mut tx = repaired(TcpConfig {
        congestion,
        ..robust()
    });
    tx.acked(103, 10);
    tx.acked(104, 12); // beyond what was cut for
    tx.echoed(105, 13);
    let cut = tx.cwnd();
    tx.dsacked(106, 13, 0, &[]);
    assert_eq!((tx.cwnd(), tx.told_of()), (cut, [1, 1, 0]));
}

#[test]
fn a_mark_before_the_recovery_stays_answered() {
    let congestion = Congestion::NewReno { ecn: true };
    let mut tx = endless(TcpConfig {
        congestion,
        ..robust()
    });
    tx.sends(0);
    tx.echoed(99, 1); // cuts to 5 for everything below 10
    assert_eq!((tx.cwnd(), tx.ssthresh()), (5000, 5000));
    tx.sacked(100, 1, &[(2, 4)]);
    assert_eq!(tx.sacked(101, 1, &[(2, 5)]), [1]);
    tx.acked(102, 5);
    tx.dsacked(103, 6, 1, &[]);
    assert_eq!((tx.cwnd(), tx.ssthresh(), tx.cut), (5000, 5000, true));
    assert_eq!(tx.told_of(), [1, 1, 1]);
}

#[test]
fn a_segment_that_a_switch_has_cut_was_lost_and_the_window_stays() {
    let mut tx = repaired(robust());
    tx.told(103, 0, &[(5, 6), (1, 4)]);
    tx.acked(104, 5);
    tx.dsacked(105, 5, 0, &[]);
    assert_eq!((tx.told_of(), tx.ssthresh()), ([1, 1, 0], 5000));
}

#[test]
fn a_timeout_whose_repairs_were_all_needless_is_undone() {
    let mut tx = endless(window(4, robust()));
    tx.sends(0);
    assert_eq!(tx.times_out(200), [0]);
    assert_eq!(tx.cwnd(), 1000);
    assert_eq!(tx.acked(210, 1), [1, 2]); // of the first sending
    tx.dsacked(300, 1, 0, &[]);
    assert_eq!(tx.told_of(), [0, 1, 0]);
    tx.acked(301, 3);
    tx.dsacked(302, 3, 1, &[]);
    assert_eq!(tx.counters().undone, 0);
    let again = tx.counters().retransmits;
    tx.dsacked(303, 3, 2, &[]);
    if again > 3 {
        tx.dsacked(304, 4, 3, &[]);
    }
    assert_eq!(tx.counters().undone, 1);
    assert!(tx.cwnd() >= 4000 && tx.ssthresh() == u64::MAX);
}

#[test]
fn a_repair_acknowledged_too_soon_was_needless() {
    let mut tx = endless(early(tcp()));
    tx.sends(0);
    assert_eq!(tx.acked(100, 1), [10, 11]); // a round trip of 100
    assert_eq!(tx.dups(101, 3, 1), [vec![], vec![], vec![1]]);
    assert_eq!((tx.cwnd(), tx.ssthresh()), (8500, 5500));
    // Acknowledged less than half of 100 us after the retransmission: the window of 11 segments is restored,
    // and this acknowledgement adds one.
    assert_eq!(tx.acked(150, 5), [12, 13, 14, 15, 16]);
    assert_eq!((tx.cwnd(), tx.ssthresh()), (12_000, u64::MAX));
    assert_eq!((tx.told_of(), tx.dsack_threshold()), ([1, 0, 1], 4));
}

/// RFC 6582 starts no second recovery for data in flight at the first, unless that one was spurious.
#[test]
fn a_loss_in_what_was_in_flight_at_a_needless_recovery_is_repaired_at_once() {
    let mut tx = endless(early(tcp()));
    tx.sends(0);
    tx.acked(100, 1);
    tx.dups(101, 3, 1);
    tx.acked(150, 5);
    assert_eq!((tx.counters().undone, tx.dsack_threshold()), (1, 4));
    assert_eq!(tx.dups(151, 4, 5).concat(), [5]);
    assert_eq!(tx.counters().fast_retransmits, 2);
}

#[test]
fn what_duplicates_have_inflated_is_not_kept() {
    let mut tx = endless(early(tcp()));
    tx.sends(0);
    tx.acked(100, 1);
    tx.dups(101, 9, 1);
    assert_eq!(tx.cwnd(), 14_500); // 5.5 segments, and one for each duplicate
    tx.acked(110, 11);
    assert_eq!((tx.cwnd(), tx.counters().undone), (12_000, 1));
}

#[test]
fn a_repair_acknowledged_later_was_needed() {
    let mut tx = endless(early(tcp()));
    tx.sends(0);
    tx.acked(100, 1);
    tx.dups(101, 3, 1);
    tx.acked(151, 5);
    assert_eq!(tx.told_of(), [1, 0, 0]);
    assert_eq!((tx.ssthresh(), tx.dsack_threshold()), (5500, 3));
}

#[test]
fn before_a_round_trip_is_known_nothing_is_too_soon() {
    let mut tx = endless(early(tcp()));
    tx.sends(0);
    tx.dups(100, 3, 0);
    tx.acked(101, 4);
    assert_eq!((tx.told_of(), tx.dsack_threshold()), ([1, 0, 0], 3));
}

#[test]
fn with_sack_a_repair_that_is_selectively_acknowledged_too_soon_was_needless() {
    let mut tx = endless(early(sack()));
    tx.sends(0); // 0 is lost, 2 is late
    tx.sacked(100, 0, &[(1, 2)]);
    tx.sacked(101, 0, &[(3, 6), (1, 2)]);
    tx.sacked(102, 0, &[(3, 9), (1, 2)]);
    assert_eq!(tx.counters().retransmits, 2);
    tx.sacked(103, 0, &[(1, 9)]);
    assert_eq!(tx.dsack_threshold(), 7);
    assert_eq!(tx.counters().undone, 0, "0 may have been lost");
    tx.acked(203, 9);
    assert_eq!(tx.counters().undone, 0, "and was");
}

#[test]
fn an_early_timeout_is_undone() {
    let mut tx = endless(early(tcp()));
    tx.sends(0);
    tx.acked(100, 1);
    let due = tx.deadline().expect("something is outstanding");
    tx.on_timeout(due);
    let at = due.as_ns() / 1000;
    assert_eq!(tx.sends(at), [1]);
    let backed_off = tx.rto();
    // The timer declared 3 to 11 lost as well, so these holes come first.
    assert_eq!(tx.acked(at + 10, 3), [3, 4]);
    assert_eq!((tx.counters().undone, tx.rto()), (0, backed_off));
    tx.acked(at + 11, 12);
    assert_eq!(tx.counters().undone, 1);
    assert!(tx.cwnd() >= 11_000 && tx.ssthresh() == u64::MAX);
    // No segment that was sent once has given a round trip since, and the back-off is over nonetheless.
    assert_eq!(backed_off, tx.rto() + tx.rto());
}

/// The path has become faster: no repair was needless, although each is acknowledged too soon.
#[test]
fn repairs_that_come_too_soon_go_on_until_every_hole_is_filled() {
    let reno = TcpConfig {
        recovery: Recovery::Reno,
        ..tcp()
    };
    for config in [tcp(), reno, sack()] {
        let mut tx = flow(early(config), 10_000);
        tx.sends(0);
        tx.acked(100, 1);
        let due = tx.deadline().expect("something is outstanding");
        tx.on_timeout(due);
        let mut at = due.as_ns() / 1000;
        let mut repairs = tx.sends(at);
        let mut acked = 1;
        while acked < 10 {
            assert_eq!(tx.counters().undone, 0);
            at += 3;
            acked += repairs.len() as u64;
            repairs = tx.acked(at, acked);
        }
        assert!(tx.is_done() && at < due.as_ns() / 1000 + 20);
        assert_eq!((tx.counters().timeouts, tx.counters().retransmits), (1, 9));
    }
}

#[test]
fn with_sack_nothing_is_given_back_while_another_segment_is_missing() {
    let mut tx = endless(early(sack()));
    tx.sends(0); // 1 is late, 5 is lost
    tx.acked(100, 1);
    assert_eq!(tx.sacked(101, 1, &[(2, 5)])[0], 1);
    tx.sacked(102, 1, &[(2, 5), (6, 7)]);
    tx.sacked(103, 5, &[(6, 7)]); // 1, two microseconds after its repair
    assert_eq!((tx.counters().undone, tx.ssthresh()), (0, 5500));
    // 5 was only late as well.
    tx.acked(104, 8);
    assert_eq!((tx.counters().undone, tx.ssthresh()), (1, u64::MAX));
}

#[test]
fn the_next_message_keeps_the_threshold_and_counts_anew() {
    let mut tx = flow(robust(), 10_000);
    tx.sends(0);
    tx.sacked(100, 0, &[(1, 4)]);
    tx.acked(101, 10);
    tx.dsacked(102, 10, 0, &[]);
    assert_eq!((tx.told_of(), tx.dsack_threshold()), ([1, 1, 1], 4));
    tx.push(20_000);
    assert_eq!((tx.told_of(), tx.dsack_threshold()), ([0; 3], 4));
    assert_eq!(tx.cwnd(), 10_000);
}

#[test]
fn a_connection_that_was_told_nothing_keeps_nothing() {
    assert!(endless(sack()).reordering.is_none());
    assert!(endless(tcp()).reordering.is_none());
}
