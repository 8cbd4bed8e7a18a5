//! Dialogues with a receiver, in bytes and microseconds.

mod duplicates;

use super::*;
use crate::{AckRule, Congestion, DelayedAck};

fn config() -> TcpConfig {
    TcpConfig {
        recovery: Recovery::Sack,
        receive_window: 20_000,
        ..TcpConfig::default()
    }
}

fn dctcp() -> TcpConfig {
    TcpConfig {
        congestion: Congestion::DCTCP,
        ..config()
    }
}

fn delayed(config: TcpConfig) -> TcpConfig {
    TcpConfig {
        delayed_ack: Some(DelayedAck {
            segments: 2,
            timeout: us(40),
        }),
        ack_rule: AckRule::Ns3,
        ..config
    }
}

const fn us(us: u64) -> Time {
    Time::from_us(us)
}

fn receiver(config: TcpConfig) -> TcpReceiver {
    TcpReceiver::new(Arc::new(config))
}

impl TcpReceiver {
    /// Hands over segment number `n`; returns the acknowledgements, in segments, each with its echo.
    fn gets(&mut self, at: u64, n: u64, ce: bool) -> Vec<(u64, bool)> {
        self.gets_cwr(at, n, ce, false)
    }

    fn gets_cwr(&mut self, at: u64, n: u64, ce: bool, cwr: bool) -> Vec<(u64, bool)> {
        let arrival = Arrival {
            seq: n * 1000,
            len: 1000,
            syn: false,
            ce,
            cwr,
            trimmed: false,
            hops: 0,
        };
        self.on_segment(us(at), arrival);
        self.says(at)
    }

    fn says(&mut self, at: u64) -> Vec<(u64, bool)> {
        let acks = std::iter::from_fn(|| self.poll_ack(us(at)));
        acks.map(|a| (a.ack / 1000, a.ece)).collect()
    }

    fn reports(&mut self, n: u64) -> Vec<(u32, u32)> {
        let arrival = Arrival {
            seq: n * 1000,
            len: 1000,
            syn: false,
            ce: false,
            cwr: false,
            trimmed: false,
            hops: 0,
        };
        self.on_segment(us(0), arrival);
        let ack = self.poll_ack(us(0)).expect("it answers at once");
        ack.sack.iter().map(|(a, b)| (a / 1000, b / 1000)).collect()
    }
}

#[test]
fn every_segment_is_acknowledged_at_once_by_default() {
    let mut rx = receiver(config());
    assert_eq!(rx.gets(0, 0, false), [(1, false)]);
    assert_eq!(rx.gets(1, 1, false), [(2, false)]);
    assert_eq!((rx.delivered(), rx.deadline()), (2000, None));
}

#[test]
fn a_delayed_acknowledgement_waits_for_a_second_segment_or_its_timeout() {
    let mut rx = receiver(delayed(config()));
    assert_eq!(rx.gets(0, 0, false), []);
    assert_eq!(rx.deadline(), Some(us(40)));
    assert_eq!(rx.gets(10, 1, false), [(2, false)]);
    assert_eq!(rx.deadline(), None);
    assert_eq!(rx.gets(20, 2, false), []);
    rx.on_timeout(us(59)); // early
    assert_eq!(rx.says(59), []);
    rx.on_timeout(us(60));
    assert_eq!(rx.says(60), [(3, false)]);
}

#[test]
fn disorder_is_answered_at_once_and_so_is_its_end() {
    let mut rx = receiver(delayed(config()));
    assert_eq!(rx.gets(0, 2, false), [(0, false)]);
    assert_eq!(rx.gets(1, 0, false), [(1, false)]);
    assert_eq!(rx.gets(2, 1, false), [(3, false)]);
    assert_eq!(rx.gets(3, 1, false), [(3, false)]); // seen before
    assert_eq!(rx.deadline(), None);
}

#[test]
fn blocks_are_reported_newest_first_and_only_with_sack() {
    let mut rx = receiver(config());
    assert_eq!(rx.reports(2), [(2, 3)]);
    assert_eq!(rx.reports(6), [(6, 7), (2, 3)]);
    assert_eq!(rx.reports(4), [(4, 5), (6, 7), (2, 3)]);
    assert_eq!(rx.reports(8), [(8, 9), (4, 5), (6, 7)]);
    assert_eq!(rx.reports(3), [(2, 5), (8, 9), (6, 7)]);
    assert_eq!(rx.reports(0), [(1, 4), (7, 8), (5, 6)]);
    let mut rx = receiver(TcpConfig {
        recovery: Recovery::NewReno,
        ..config()
    });
    assert_eq!(rx.reports(2), []);
}

#[test]
fn what_lies_beyond_the_receive_window_is_ignored() {
    let mut rx = receiver(config());
    assert_eq!(rx.gets(0, 20, false), [(0, false)]);
    (0..20).for_each(|n| drop(rx.gets(0, n, false)));
    assert_eq!(rx.delivered(), 20_000);
}

#[test]
fn dctcp_echoes_exactly_what_was_marked() {
    let mut rx = receiver(dctcp());
    assert_eq!(rx.gets(0, 0, true), [(1, true)]);
    assert_eq!(rx.gets(1, 1, false), [(2, false)]);
    assert_eq!(rx.gets(2, 2, true), [(3, true)]);
}

#[test]
fn dctcp_with_delayed_acknowledgements_answers_each_change_of_marks() {
    let mut rx = receiver(delayed(dctcp()));
    assert_eq!(rx.gets(0, 0, false), []);
    assert_eq!(rx.gets(1, 1, true), [(1, false)]); // what came before, unmarked
    assert_eq!(rx.deadline(), Some(us(41)));
    assert_eq!(rx.gets(2, 2, true), [(3, true)]); // two marked ones
    assert_eq!(rx.gets(3, 3, true), []);
    assert_eq!(rx.gets(4, 4, false), [(4, true)]);
    assert_eq!(rx.gets(5, 5, false), [(6, false)]);
    assert_eq!(rx.gets(6, 6, true), []); // nothing waits to be told apart
}

#[test]
fn a_classic_echo_lasts_until_the_sender_has_reduced() {
    let mut rx = receiver(TcpConfig {
        congestion: Congestion::NewReno { ecn: true },
        ..config()
    });
    assert_eq!(rx.gets(0, 0, true), [(1, true)]);
    assert_eq!(rx.gets(1, 1, false), [(2, true)]);
    assert_eq!(rx.gets_cwr(2, 2, false, true), [(3, false)]);
    assert_eq!(rx.gets_cwr(3, 3, true, true), [(4, true)]); // reduced, and marked again
}

#[test]
fn each_syn_is_answered() {
    let mut rx = receiver(config());
    for _ in 0..2 {
        let syn = Arrival {
            seq: 0,
            len: 0,
            syn: true,
            ce: false,
            cwr: false,
            trimmed: false,
            hops: 0,
        };
        rx.on_segment(us(0), syn);
        let answer = rx.poll_ack(us(0)).expect("a SYN-ACK");
        assert!(answer.syn && answer.ack == 0);
        assert_eq!(rx.poll_ack(us(0)), None);
    }
}

/// Returns segment `n`, trimmed.
fn trimmed(n: u64) -> Arrival {
    Arrival {
        seq: n * 1000,
        len: 1000,
        syn: false,
        ce: true,
        cwr: false,
        trimmed: true,
        hops: 0,
    }
}

#[test]
fn a_cut_segment_is_told_at_once_and_not_delivered() {
    let newreno = TcpConfig {
        recovery: Recovery::NewReno,
        ..config()
    };
    for config in [newreno, dctcp(), delayed(config())] {
        let mut rx = receiver(config);
        rx.on_segment(us(0), trimmed(0));
        let ack = rx.poll_ack(us(0)).expect("it is told at once");
        assert_eq!((ack.ack, ack.ece), (0, false));
        assert_eq!(ack.cut_off(), Some((0, 1000)));
        assert_eq!(ack.arrived().count(), 0);
        assert_eq!(rx.poll_ack(us(0)), None);
        assert_eq!((rx.delivered(), rx.deadline()), (0, None));
    }
}

#[test]
fn the_blocks_after_a_cut_are_what_arrived() {
    let mut rx = receiver(config());
    rx.gets(0, 2, false);
    rx.on_segment(us(1), trimmed(1));
    let ack = rx.poll_ack(us(1)).unwrap();
    assert_eq!(ack.cut_off(), Some((1000, 2000)));
    assert_eq!(ack.arrived().collect::<Vec<_>>(), [(2000, 3000)]);
}

#[test]
fn two_cuts_are_told_one_by_one() {
    let mut rx = receiver(config());
    rx.on_segment(us(0), trimmed(0));
    rx.on_segment(us(0), trimmed(3));
    let told: Vec<_> = std::iter::from_fn(|| rx.poll_ack(us(0)))
        .map(|ack| ack.cut_off())
        .collect();
    assert_eq!(told, [Some((0, 1000)), Some((3000, 4000))]);
}

#[test]
fn a_cut_of_what_has_arrived_is_an_ordinary_duplicate() {
    let mut rx = receiver(config());
    rx.gets(0, 0, false);
    rx.gets(0, 2, false);
    for n in [0, 2] {
        rx.on_segment(us(1), trimmed(n));
        let ack = rx.poll_ack(us(1)).unwrap();
        assert_eq!((ack.ack, ack.cut_off()), (1000, None));
        assert_eq!(ack.arrived().collect::<Vec<_>>(), [(2000, 3000)]);
    }
}

/// Round trip of a handshake, as its second half measures it (RFC 6298 3, Karn).
#[test]
fn a_handshake_is_timed_unless_its_answer_was_sent_twice_or_never_acknowledged() {
    let arrival = |syn, len| Arrival {
        seq: 0,
        len,
        syn,
        ce: false,
        cwr: false,
        trimmed: false,
        hops: 0,
    };
    let opened = |steps: &[(u64, bool, u32)]| {
        let mut rx = receiver(config());
        for &(at, syn, len) in steps {
            rx.on_segment(us(at), arrival(syn, len));
            rx.says(at);
        }
        rx.opened()
    };
    assert_eq!(opened(&[]), Opened::Unseen);
    assert_eq!(opened(&[(10, true, 0), (90, false, 1000)]), Opened::Unseen);
    assert_eq!(
        opened(&[(10, true, 0), (90, false, 0)]),
        Opened::Took(us(80))
    );
    let twice = [(10, true, 0), (60, true, 0), (90, false, 0)];
    assert_eq!(opened(&twice), Opened::Again(us(30)));
    // A late SYN has no effect on an established connection; nor has a second confirmation.
    let late = [(10, true, 0), (90, false, 0), (95, true, 0), (99, false, 0)];
    assert_eq!(opened(&late), Opened::Took(us(80)));
    // A connection established from the beginning.
    assert_eq!(opened(&[(90, false, 0)]), Opened::Unseen);
}

/// Delays acknowledgements as Linux does: by 40 us at most, half of the smallest timeout.
fn linux(config: TcpConfig) -> TcpConfig {
    let mut config = TcpConfig {
        delayed_ack: Some(DelayedAck {
            segments: 2,
            timeout: Time::from_ms(40),
        }),
        ack_rule: AckRule::Linux,
        ..config
    };
    config.rto.min = us(80);
    config
}

/// Returns a receiver that has answered the first sixteen segments at once.
fn past_the_first(config: TcpConfig) -> TcpReceiver {
    let mut rx = receiver(TcpConfig {
        receive_window: 1_000_000,
        mss: 1000,
        ..linux(config)
    });
    for n in 0..16 {
        assert_eq!(rx.gets(n, n, false), [(n + 1, false)], "at once");
    }
    rx
}

#[test]
fn as_linux_a_flow_begins_with_sixteen_answers_and_goes_on_with_every_second() {
    let mut rx = past_the_first(config());
    assert_eq!(rx.gets(16, 16, false), []);
    assert_eq!(rx.deadline(), Some(us(56)), "half of the smallest timeout");
    assert_eq!(rx.gets(17, 17, false), [(18, false)]);
    assert_eq!(rx.gets(18, 18, false), []);
    rx.on_timeout(us(58));
    assert_eq!(rx.says(58), [(19, false)]);
}

/// Checks a long flow without a gap longer than the smallest timeout.
#[test]
fn as_linux_a_flow_that_goes_on_does_not_begin_anew() {
    let mut rx = past_the_first(config());
    for n in 8..20 {
        assert_eq!(rx.gets(60 * (n - 7), 2 * n, false), [], "{n}");
        let answer = [(2 * n + 2, false)];
        assert_eq!(rx.gets(60 * (n - 7) + 1, 2 * n + 1, false), answer, "{n}");
    }
}

#[test]
fn as_linux_half_a_receive_window_of_segments_is_answered_at_once() {
    for (receive_window, at_once) in [(10_000, 5), (3_000, 2), (31_999, 15), (40_000, 16)] {
        let mut rx = receiver(TcpConfig {
            receive_window,
            mss: 1000,
            ..linux(config())
        });
        let answered = |n: &u64| !rx.gets(*n, *n, false).is_empty();
        assert_eq!((0..30).take_while(answered).count(), at_once);
    }
}

#[test]
fn as_linux_more_than_so_many_less_one_full_segments_are_answered() {
    let mut config = linux(config());
    let delayed = config.delayed_ack.as_mut().expect("it is delayed");
    delayed.segments = 3;
    let mut rx = receiver(TcpConfig {
        receive_window: 1_000_000,
        mss: 1000,
        ..config
    });
    let answered: Vec<u64> = (0..24)
        .filter(|n| !rx.gets(*n, *n, false).is_empty())
        .collect();
    assert_eq!(answered[16..], [18, 21]);
}

#[test]
fn as_linux_two_short_segments_are_no_full_one() {
    let mut rx = past_the_first(config());
    let mut short = |seq, len| {
        let arrival = Arrival {
            seq,
            len,
            syn: false,
            ce: false,
            cwr: false,
            trimmed: false,
            hops: 0,
        };
        rx.on_segment(us(20), arrival);
        rx.says(20).len()
    };
    assert_eq!([short(16_000, 400), short(16_400, 600)], [0, 0]);
    assert_eq!(short(17_000, 1), 1, "more than a full segment");
}

#[test]
fn as_linux_a_silence_or_a_segment_seen_before_begins_anew() {
    let mut rx = past_the_first(config());
    assert_eq!(rx.gets(200, 16, false), [(17, false)], "a silence");
    assert_eq!(rx.gets(201, 17, false), [(18, false)]);
    let mut rx = past_the_first(config());
    assert_eq!(rx.gets(16, 0, false), [(16, false)]);
    assert_eq!(rx.gets(17, 16, false), [(17, false)], "seen before");
}

#[test]
fn as_linux_each_change_of_marks_is_told_before_and_after_it() {
    let mut rx = past_the_first(dctcp());
    assert_eq!(rx.gets(16, 16, false), []);
    assert_eq!(rx.gets(17, 17, true), [(17, false), (18, true)]);
    assert_eq!(rx.gets(18, 18, true), []);
    assert_eq!(rx.gets(19, 19, true), [(20, true)]);
    assert_eq!(rx.gets(20, 20, false), [(21, false)]);
}

#[test]
fn as_linux_the_first_mark_of_a_latch_is_told_at_once() {
    let mut rx = past_the_first(TcpConfig {
        congestion: Congestion::NewReno { ecn: true },
        ..config()
    });
    assert_eq!(rx.gets(16, 16, true), [(17, true)]);
    assert_eq!(rx.gets(17, 17, false), [(18, true)]);
    assert_eq!(rx.gets(18, 18, false), []);
}
