//! Trimmed segments are retransmitted without a timeout, and the window shrinks once for them.

use super::*;

fn quiet(config: TcpConfig) -> TcpConfig {
    TcpConfig {
        dupack_threshold: None,
        ..window(8, config)
    }
}

#[test]
fn a_cut_segment_is_sent_again_at_once() {
    for config in [tcp(), sack()] {
        let mut tx = flow(quiet(config), 8_000);
        assert_eq!(tx.sends(0).len(), 8);
        assert_eq!(tx.acked(10, 2), NOTHING);
        assert_eq!(tx.told(11, 2, &[(2, 3)]), [2]);
        let counters = tx.counters();
        assert_eq!((counters.cuts, counters.retransmits), (1, 1));
        assert_eq!((counters.timeouts, counters.fast_retransmits), (0, 0));
    }
}

#[test]
fn cuts_of_one_window_reduce_it_once() {
    for config in [tcp(), sack()] {
        let mut tx = endless(quiet(config));
        tx.sends(0);
        tx.told(10, 0, &[(0, 1)]);
        assert_eq!(tx.ssthresh(), 4000);
        tx.told(11, 0, &[(1, 2)]);
        tx.told(12, 0, &[(2, 3)]);
        assert_eq!(tx.ssthresh(), 4000);
    }
}

#[test]
fn an_echo_and_a_cut_of_one_window_are_one_congestion_event() {
    let ecn = TcpConfig {
        congestion: Congestion::NewReno { ecn: true },
        ..quiet(sack())
    };
    let mut tx = endless(ecn);
    tx.sends(0);
    tx.echoed(10, 1);
    assert_eq!(tx.cwnd(), 4000);
    tx.told(11, 1, &[(1, 2)]);
    assert_eq!(tx.cwnd(), 4000);
}

#[test]
fn a_cut_in_the_next_window_reduces_it_again() {
    let mut tx = endless(quiet(sack()));
    tx.sends(0);
    assert_eq!(tx.told(10, 0, &[(0, 1)]), [0]);
    assert_eq!(tx.cwnd(), 4000);
    assert_eq!(tx.acked(20, 8), [8, 9, 10, 11]);
    assert_eq!(tx.acked(29, 9).len(), 1);
    assert_eq!(tx.told(30, 9, &[(9, 10)]), [9]);
    assert_eq!(tx.cwnd(), 2000);
}

#[test]
fn the_first_repair_leaves_whatever_the_window_and_the_others_as_it_has_room() {
    let mut tx = flow(quiet(sack()), 8_000);
    tx.sends(0);
    // Eight are in the network, the window is four: the first is retransmitted all the same, the second is not.
    assert_eq!(tx.told(10, 0, &[(0, 1)]), [0]);
    assert_eq!(tx.told(11, 0, &[(1, 2)]), NOTHING);
    assert_eq!(tx.told(12, 0, &[(2, 3)]), NOTHING);
    // Only 0 and 4 to 7 are in the network after 3 has arrived.
    assert_eq!(tx.sacked(13, 0, &[(3, 4)]), NOTHING);
    assert_eq!(tx.sacked(14, 0, &[(3, 5)]), NOTHING);
    assert_eq!(tx.sacked(15, 0, &[(3, 6)]), [1]);
    assert_eq!(tx.sacked(16, 0, &[(3, 7)]), [2]);
}

#[test]
fn without_selective_acknowledgements_a_partial_one_repeats_no_repair() {
    let mut tx = flow(window(8, tcp()), 8_000);
    tx.sends(0);
    assert_eq!(tx.told(10, 0, &[(0, 1)]), [0]);
    assert_eq!(tx.dups(11, 2, 0), [[]; 2] as [[u64; 0]; 2]);
    assert_eq!(tx.told(13, 0, &[(3, 4)]), NOTHING);
    assert_eq!(tx.dups(14, 4, 0), [vec![], vec![3], vec![], vec![]]);
    assert_eq!(tx.acked(20, 3), NOTHING); // 3 is on its way
    assert_eq!(tx.acked(21, 8), NOTHING);
    assert!(tx.is_done());
    assert_eq!(tx.counters().retransmits, 2);
}

#[test]
fn duplicates_after_a_cut_start_no_second_recovery() {
    let mut tx = flow(window(8, sack()), 8_000);
    tx.sends(0);
    assert_eq!(tx.told(10, 0, &[(0, 1)]), [0]);
    for n in 2..=8 {
        assert_eq!(tx.sacked(10 + n, 0, &[(1, n)]), NOTHING);
    }
    assert_eq!(tx.counters().retransmits, 1);
}

#[test]
fn a_repair_that_is_cut_again_is_sent_again() {
    let mut tx = flow(quiet(sack()), 1_000);
    assert_eq!(tx.sends(0), [0]);
    assert_eq!(tx.told(10, 0, &[(0, 1)]), [0]);
    assert_eq!(tx.told(20, 0, &[(0, 1)]), [0]);
    assert_eq!(tx.acked(30, 1), NOTHING);
    assert!(tx.is_done());
}

#[test]
fn a_cut_beyond_the_recovery_begins_another_when_that_ends() {
    let mut tx = endless(quiet(sack()));
    tx.sends(0);
    tx.told(10, 0, &[(0, 1)]);
    assert_eq!(tx.sacked(11, 0, &[(1, 6)]), [8]);
    tx.told(20, 0, &[(8, 9), (1, 6)]);
    assert!(tx.acked(21, 8).contains(&8) || tx.counters().retransmits == 2);
    assert!(tx.ssthresh() <= 4000);
    assert_eq!(tx.counters().cuts, 2);
}

#[test]
fn what_has_arrived_or_was_never_sent_is_not_cut() {
    let mut tx = flow(quiet(sack()), 8_000);
    tx.sends(0);
    assert_eq!(tx.sacked(10, 1, &[(3, 4)]), NOTHING);
    assert_eq!(tx.told(11, 1, &[(3, 4)]), NOTHING);
    assert_eq!(tx.told(12, 1, &[(70, 71)]), NOTHING);
    assert_eq!((tx.counters().cuts, tx.cwnd() >= 8000), (0, true));
}

#[test]
fn an_overtaken_acknowledgement_still_tells_of_a_cut() {
    let mut tx = flow(quiet(sack()), 8_000);
    tx.sends(0);
    assert_eq!(tx.acked(10, 2), NOTHING);
    assert_eq!(tx.told(11, 1, &[(5, 6)]), [5]);
}

#[test]
fn after_a_timeout_a_cut_repair_is_sent_again_as_the_window_has_room() {
    let mut tx = flow(quiet(sack()), 8_000);
    tx.sends(0);
    assert_eq!(tx.times_out(200), [0]);
    assert_eq!(tx.told(210, 0, &[(0, 1)]), [0]);
}

#[test]
fn segments_say_how_much_the_flow_has_left() {
    let mut tx = flow(window(2, tcp()), 4_500);
    assert!(tx.segments(0).iter().all(|s| s.rank == Some(4_500)));
    tx.on_ack(
        us(10),
        Ack {
            ack: 2000,
            ece: false,
            syn: false,
            sack: SackBlocks::NONE,
            cut: false,
            below: false,
            hops: 0,
        },
    );
    assert!(tx.segments(10).iter().all(|s| s.rank == Some(2_500)));
    assert_eq!(endless(tcp()).segments(0)[0].rank, Some(u32::MAX));
}

#[test]
fn a_sender_that_is_told_to_marks_no_segment_not_even_the_one_that_opens() {
    let unmarked = TcpConfig {
        ranking: Ranking::Unmarked,
        handshake: true,
        ..tcp()
    };
    let mut tx = flow(unmarked, 4_500);
    let ranks = |segments: Vec<Segment>| segments.iter().filter_map(|s| s.rank).count();
    assert_eq!(ranks(tx.segments(0)), 0);
    tx.on_ack(
        us(10),
        Ack {
            ack: 0,
            ece: false,
            syn: true,
            sack: SackBlocks::NONE,
            cut: false,
            below: false,
            hops: 0,
        },
    );
    let after = tx.segments(10);
    assert_eq!((after.len() > 1, ranks(after)), (true, 0));
}

#[test]
fn when_all_is_cut_a_proportional_reduction_still_lets_repairs_go() {
    let prr = TcpConfig {
        reduction: Reduction::Prr,
        ..quiet(sack())
    };
    let mut tx = flow(prr, 8_000);
    tx.sends(0);
    let repairs: Vec<u64> = (0..8)
        .flat_map(|n| tx.told(10 + n, 0, &[(n, n + 1)]))
        .collect();
    assert!(
        repairs.len() >= 4 && repairs.starts_with(&[0, 1]),
        "{repairs:?}"
    );
    assert!(tx.cwnd() > 0);
}
