use super::*;

fn dctcp(initial_alpha: f64) -> TcpConfig {
    TcpConfig {
        congestion: Congestion::Dctcp {
            gain: 1.0 / 16.0,
            initial_alpha,
            alpha_moves: AlphaMoves::Windows,
            loss_leaves: 0.5,
        },
        ..window(10, tcp())
    }
}

/// Settings of the sender of Vertigo's simulator: alpha moves on echoes, and a loss leaves three quarters.
fn by_echoes(initial_alpha: f64) -> TcpConfig {
    TcpConfig {
        congestion: Congestion::Dctcp {
            gain: 1.0 / 16.0,
            initial_alpha,
            alpha_moves: AlphaMoves::Echoes,
            loss_leaves: 0.75,
        },
        ..window(10, tcp())
    }
}

fn reno() -> TcpConfig {
    TcpConfig {
        congestion: Congestion::NewReno { ecn: true },
        ..window(10, tcp())
    }
}

#[test]
fn dctcp_cuts_once_in_a_window_of_data_by_half_of_alpha() {
    let mut tx = endless(dctcp(1.0));
    tx.sends(0);
    tx.echoed(100, 1); // alpha stays 1: all of this one-segment window was marked
    assert_eq!(tx.cwnd(), 5000);
    (2..=10).for_each(|s| drop(tx.echoed(100, s)));
    assert_eq!(tx.cwnd(), 5000);
    tx.echoed(200, 11); // the next window
    assert_eq!(tx.cwnd(), 2500);
    assert_eq!(tx.counters().echoes, 11);
}

#[test]
fn dctcp_hardly_reacts_to_a_rare_mark() {
    let mut tx = endless(dctcp(0.0));
    tx.window.ssthresh = 10_000;
    tx.sends(0);
    assert_eq!(tx.acked(100, 1), [10]);
    tx.echoed(100, 2); // alpha is still 0: its window has not ended
    assert_eq!(tx.cwnd(), 10_000);
    (3..=11).for_each(|s| drop(tx.acked(150, s)));
    tx.acked(200, 12); // 1 of the 10 up to segment 10 was marked: alpha 1/160
    tx.echoed(200, 13);
    assert_eq!(tx.cwnd(), (10_000.0 * (1.0 - 1.0 / 320.0)) as u64);
}

#[test]
fn the_window_does_not_grow_while_the_cut_one_is_acknowledged() {
    for config in [dctcp(1.0), reno()] {
        let mut tx = endless(config);
        tx.sends(0);
        tx.echoed(100, 1);
        let cut = tx.cwnd();
        (2..=10).for_each(|s| drop(tx.acked(100, s)));
        assert_eq!(tx.cwnd(), cut);
        (11..=17).for_each(|s| drop(tx.acked(200, s)));
        assert_eq!(tx.cwnd(), cut + 1000);
    }
}

#[test]
fn reno_halves_on_an_echo_and_says_so_on_the_next_new_segment() {
    let mut tx = endless(reno());
    assert!(tx.segments(0).iter().all(|s| s.ect && !s.cwr));
    (1..=5).for_each(|s| assert_eq!(tx.echoed(100, s), NOTHING));
    assert_eq!(tx.cwnd(), 5000);
    tx.on_ack(
        us(100),
        Ack {
            ack: 6000,
            ece: true,
            syn: false,
            sack: SackBlocks::NONE,
            cut: false,
            below: false,
            hops: 0,
        },
    );
    let next = tx.poll_send(us(100)).expect("the window has room");
    assert!(next.cwr && next.ect && next.seq == 10_000);
    assert_eq!(tx.poll_send(us(100)), None);
    tx.on_ack(
        us(101),
        Ack {
            ack: 7000,
            ece: true,
            syn: false,
            sack: SackBlocks::NONE,
            cut: false,
            below: false,
            hops: 0,
        },
    );
    assert!(!tx.poll_send(us(101)).expect("room").cwr);
}

#[test]
fn without_ecn_an_echo_means_nothing() {
    let mut tx = endless(window(10, tcp()));
    assert!(tx.segments(0).iter().all(|s| !s.ect));
    tx.echoed(100, 1);
    assert_eq!(tx.cwnd(), 11_000);
}

#[test]
fn a_reno_retransmission_cannot_be_marked_and_a_dctcp_one_can() {
    for (config, ect) in [(reno(), false), (dctcp(1.0), true)] {
        let mut tx = endless(config);
        tx.sends(0);
        tx.on_timeout(us(200));
        let again = tx.poll_send(us(200)).expect("the lost one");
        assert!(again.retransmit);
        assert_eq!(again.ect, ect);
    }
}

#[test]
fn a_loss_after_an_echo_halves_dctcp_again_but_not_reno() {
    for (config, ssthresh) in [(reno(), 5000), (dctcp(1.0), 4500)] {
        let mut tx = endless(config);
        tx.sends(0);
        tx.echoed(100, 1);
        assert_eq!(tx.cwnd(), 5000);
        tx.dups(100, 3, 1);
        assert_eq!(tx.counters().fast_retransmits, 1);
        assert_eq!(tx.ssthresh(), ssthresh);
    }
}

#[test]
fn an_echo_during_recovery_cuts_nothing_more() {
    let mut tx = endless(dctcp(1.0));
    tx.sends(0);
    tx.dups(100, 3, 0);
    assert_eq!(tx.ssthresh(), 5000);
    tx.echoed(200, 2);
    assert_eq!(tx.ssthresh(), 5000);
}

#[test]
fn by_echoes_unmarked_windows_leave_alpha_and_the_echo_that_ends_one_cuts_by_the_new_value() {
    for (config, alpha) in [
        // One window that ended at its first acknowledgement, then 1 marked of the next 10.
        (dctcp(1.0), 15.0 / 16.0 * 15.0 / 16.0 + 0.1 / 16.0),
        // 1 marked of all 11.
        (by_echoes(1.0), 15.0 / 16.0 + 1.0 / 11.0 / 16.0),
    ] {
        let mut tx = endless(config);
        tx.window.ssthresh = 10_000;
        tx.sends(0);
        (1..=10).for_each(|s| drop(tx.acked(100, s)));
        assert_eq!(tx.cwnd(), 11_000);
        tx.echoed(200, 11);
        assert_eq!(tx.cwnd(), (11_000.0 * (1.0 - alpha / 2.0)) as u64);
    }
}

#[test]
fn a_loss_leaves_the_share_that_is_said_by_duplicates_and_by_the_timer() {
    for (config, left) in [(dctcp(1.0), 5_000), (by_echoes(1.0), 7_500)] {
        let mut tx = endless(config.clone());
        tx.sends(0);
        tx.dups(100, 3, 0);
        assert_eq!(tx.ssthresh(), left);
        let mut tx = endless(config);
        tx.sends(0);
        tx.times_out(200);
        assert_eq!((tx.cwnd(), tx.ssthresh()), (1_000, left));
    }
}
