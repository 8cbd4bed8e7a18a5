use super::*;

fn prr(config: TcpConfig) -> TcpConfig {
    TcpConfig {
        reduction: Reduction::Prr,
        ..config
    }
}

fn dctcp() -> TcpConfig {
    TcpConfig {
        congestion: Congestion::DCTCP,
        ..window(10, tcp())
    }
}

#[test]
fn a_window_cut_at_once_is_silent_until_the_flight_fits_and_prr_sends_one_for_two() {
    let mut at_once = endless(dctcp());
    let mut prr = endless(prr(dctcp()));
    at_once.sends(0);
    prr.sends(0);
    assert_eq!(at_once.echoed(100, 1), NOTHING);
    assert_eq!(prr.echoed(100, 1), [10]);
    assert_eq!((at_once.cwnd(), prr.ssthresh()), (5000, 5000));
    for segments in 2..=10 {
        let expected = match segments {
            2..=5 => vec![],
            _ => vec![4 + segments],
        };
        assert_eq!(at_once.acked(100, segments), expected, "after {segments}");
        let expected = match segments {
            3 | 5 | 7 => vec![9 + segments.div_ceil(2)],
            10 => vec![14], // with the ninth, five were still under way
            _ => vec![],
        };
        assert_eq!(prr.acked(100, segments), expected, "after {segments}");
    }
    // Both sent five for the ten, and have five in flight.
    assert_eq!((at_once.next_seq, prr.next_seq), (15_000, 15_000));
    assert_eq!(prr.acked(200, 11), [15]);
    assert_eq!(prr.cwnd(), 5000); // it is over: the window is the one aimed at
}

#[test]
fn once_below_its_aim_prr_returns_to_it_by_one_segment_more_than_was_delivered() {
    let mut tx = endless(prr(dctcp()));
    tx.sends(0);
    assert_eq!(tx.echoed(100, 1), [10]);
    // Seven at once: three of the first ten and one more are in flight; the target is five.
    assert_eq!(tx.acked(101, 8), [11, 12]);
    assert_eq!(tx.acked(102, 9), [13]);
}

#[test]
fn prr_answers_duplicates_that_bring_news_while_a_window_comes_down() {
    for (base, blocks) in [(tcp(), false), (sack(), true)] {
        let config = TcpConfig {
            congestion: dctcp().congestion,
            dupack_threshold: None,
            limited_transmit: true,
            ..window(10, base)
        };
        let mut tx = endless(prr(config));
        tx.sends(0); // 1 is lost
        assert_eq!(tx.echoed(100, 1), [10]);
        let mut heard = |at, to| match blocks {
            true => tx.sacked(at, 1, &[(2, to)]),
            false => tx.acked(at, 1),
        };
        assert_eq!(heard(101, 3), NOTHING);
        assert_eq!(heard(102, 4), [11]);
        assert_eq!(heard(103, 5), NOTHING);
        assert_eq!(heard(104, 6), [12]);
    }
}

#[test]
fn with_sack_prr_repairs_at_once_and_sends_one_for_two_after_that() {
    let mut tx = endless(prr(window(10, sack())));
    tx.sends(0); // 0 is lost
    assert_eq!(tx.sacked(100, 0, &[(1, 2)]), NOTHING);
    assert_eq!(tx.sacked(101, 0, &[(1, 3)]), NOTHING);
    assert_eq!(tx.sacked(102, 0, &[(1, 4)]), [0]);
    assert_eq!(tx.ssthresh(), 5000);
    // Eight were in the network when the reduction began (10 less the two SACKed before): 5/8 each.
    assert_eq!(tx.sacked(103, 0, &[(1, 5)]), [10]);
    assert_eq!(tx.sacked(104, 0, &[(1, 6)]), NOTHING);
    // Five are in flight, the target; from here one leaves for each delivered.
    assert_eq!(tx.sacked(105, 0, &[(1, 7)]), NOTHING);
    assert_eq!(tx.sacked(106, 0, &[(1, 8)]), [11]);
    assert_eq!(tx.sacked(107, 0, &[(1, 9)]), [12]);
    assert_eq!(tx.sacked(108, 0, &[(1, 10)]), [13]);
    assert_eq!(tx.acked(200, 10), [14]);
    assert_eq!((tx.cwnd(), tx.next_seq - tx.first_unacked), (5000, 5000));
}

#[test]
fn without_sack_a_duplicate_stands_for_a_segment() {
    let mut tx = endless(prr(window(10, tcp())));
    tx.sends(0); // 0 and 5 are lost
    assert_eq!(tx.dups(100, 2, 0), vec![vec![]; 2]);
    assert_eq!(tx.acked(102, 0), [0]);
    assert_eq!(tx.acked(103, 0), [10]);
    assert_eq!(tx.acked(104, 0), NOTHING);
    assert_eq!(tx.acked(105, 0), NOTHING);
    assert_eq!(tx.acked(106, 0), [11]);
    assert_eq!(tx.acked(107, 0), [12]);
    // 0 arrives. 6 to 9 were guessed already; 5 is retransmitted.
    assert_eq!(tx.presumed_arrived, 8000);
    assert_eq!(tx.acked(200, 5), [5, 13]); // with 10 to 12 that makes five under way
    assert_eq!(tx.presumed_arrived, 4000);
    tx.acked(300, 14);
    assert_eq!(tx.phase, super::super::Phase::Open);
    assert_eq!(tx.ssthresh(), 5000);
    assert!(tx.cwnd() <= 5000);
}

#[test]
fn a_timeout_ends_a_reduction() {
    let mut tx = endless(prr(dctcp()));
    tx.sends(0);
    tx.echoed(100, 1);
    let due = tx.deadline().expect("something is outstanding");
    tx.on_timeout(due);
    assert_eq!(tx.cwnd(), 1000);
    assert_eq!(tx.sends(due.as_ns() / 1000), [1]);
    assert_eq!(tx.acked(due.as_ns() / 1000 + 100, 2), [2, 3]); // slow start
}

#[test]
fn no_reduction_begins_without_an_echo_or_a_loss() {
    let mut tx = endless(prr(dctcp()));
    tx.sends(0);
    assert_eq!(tx.acked(100, 1), [10, 11]);
    assert_eq!(tx.cwnd(), 11_000);
}

#[test]
fn prr_lets_one_go_at_first_even_where_the_flight_already_fits() {
    let mut tx = endless(window(4, prr(dctcp())));
    tx.sends(0);
    assert_eq!(tx.echoed(100, 2), [4]); // two under way, two the aim
    assert_eq!(tx.ssthresh(), 2000);
    assert_eq!(tx.acked(101, 3), NOTHING);
}

#[test]
fn prr_repairs_two_for_one_while_repairs_arrive_and_no_further_loss_is_seen() {
    let mut tx = endless(prr(window(10, sack())));
    tx.sends(0); // 0 to 4 are lost
    tx.sacked(100, 0, &[(5, 6)]);
    tx.sacked(101, 0, &[(5, 7)]);
    assert_eq!(tx.sacked(102, 0, &[(5, 8)]), [0]);
    assert_eq!(tx.sacked(103, 0, &[(5, 9)]), [1]);
    assert_eq!(tx.sacked(104, 0, &[(5, 10)]), [2]);
    assert_eq!(tx.sacked(200, 1, &[(5, 10)]), [3, 4]);
    assert_eq!(tx.sacked(201, 2, &[(5, 10)]), [10, 11]); // and five are under way
    assert_eq!(tx.sacked(202, 3, &[(5, 10)]), [12]);
}

#[test]
fn a_reduction_that_ends_early_leaves_the_window_aimed_at() {
    let mut tx = endless(prr(dctcp()));
    tx.sends(0);
    assert_eq!(tx.echoed(100, 1), [10]);
    assert_eq!(tx.acked(101, 2), NOTHING);
    assert_eq!(tx.cwnd(), 9000); // as much as is under way
    tx.acked(200, 11);
    assert_eq!(tx.cwnd(), 6000); // five, and one for a window acknowledged
}
