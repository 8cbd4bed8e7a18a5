//! Dialogues with a pFabric sender. Segments are numbered from 0 and 1000 bytes long, times are microseconds.

use super::*;
use sidestep_types::SackBlocks;

fn config() -> PfabricConfig {
    PfabricConfig {
        mss: 1000,
        window: 4,
        rto: us(100),
        probe_after: 3,
        slow_start: true,
        receive_window: 1_000_000,
        ranking: Ranking::Unacknowledged,
    }
}

const fn us(us: u64) -> Time {
    Time::from_us(us)
}

fn flow(config: PfabricConfig, size: u64) -> PfabricSender {
    PfabricSender::new(&config, Some(size))
}

impl PfabricSender {
    fn segments(&mut self, at: u64) -> Vec<Segment> {
        std::iter::from_fn(|| self.poll_send(us(at))).collect()
    }

    fn sends(&mut self, at: u64) -> Vec<u64> {
        self.segments(at).iter().map(|s| s.seq / 1000).collect()
    }

    /// Acknowledges `segments` and the blocks `from..to`; returns the segments sent.
    fn heard(&mut self, at: u64, segments: u64, blocks: &[(u64, u64)]) -> Vec<u64> {
        self.told(at, segments, blocks, false)
    }

    fn told(&mut self, at: u64, segments: u64, blocks: &[(u64, u64)], cut: bool) -> Vec<u64> {
        let mut sack = SackBlocks::NONE;
        for (from, to) in blocks {
            let relative = |s: u64| ((s - segments) * 1000) as u32;
            sack.push(relative(*from), relative(*to));
        }
        let ack = Ack {
            ack: segments * 1000,
            ece: false,
            syn: false,
            sack,
            cut,
            below: false,
            hops: 0,
        };
        self.on_ack(us(at), ack);
        self.sends(at)
    }

    fn times_out(&mut self, at: u64) -> Vec<u64> {
        assert_eq!(self.deadline(), Some(us(at)));
        self.on_timeout(us(at));
        self.sends(at)
    }
}

const NOTHING: [u64; 0] = [];

#[test]
fn it_starts_with_the_whole_window_and_keeps_it() {
    let mut tx = flow(config(), 100_000);
    assert_eq!(tx.sends(0), [0, 1, 2, 3]);
    assert_eq!(tx.heard(10, 1, &[]), [4]);
    assert_eq!(tx.heard(11, 3, &[]), [5, 6]);
    assert_eq!(tx.cwnd(), 4);
}

#[test]
fn segments_say_how_much_the_flow_has_left() {
    let mut tx = flow(config(), 10_500);
    assert!(tx.segments(0).iter().all(|s| s.rank == Some(10_500)));
    tx.on_ack(us(10), ack(2000));
    assert!(tx.segments(10).iter().all(|s| s.rank == Some(8_500)));
    let rank = |config: &PfabricConfig| {
        let mut endless = PfabricSender::new(config, None);
        endless.poll_send(us(0)).expect("there is always more").rank
    };
    assert_eq!(rank(&config()), Some(u32::MAX));
    let unmarked = PfabricConfig {
        ranking: Ranking::Unmarked,
        ..config()
    };
    assert_eq!(rank(&unmarked), None);
}

fn ack(ack: u64) -> Ack {
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

#[test]
fn duplicates_start_nothing_but_let_new_data_go() {
    let mut tx = flow(config(), 100_000);
    tx.sends(0);
    assert_eq!(tx.heard(10, 0, &[(1, 2)]), [4]);
    assert_eq!(tx.heard(11, 0, &[(1, 3)]), [5]);
    assert_eq!(tx.heard(12, 0, &[(1, 4)]), [6]);
    assert_eq!(tx.heard(13, 0, &[(1, 5)]), [7]);
    assert_eq!(tx.deadline(), Some(us(100)));
}

#[test]
fn a_timeout_sends_again_only_what_is_missing() {
    let mut tx = flow(config(), 4_000);
    tx.sends(0);
    assert_eq!(tx.heard(10, 0, &[(1, 2), (3, 4)]), NOTHING);
    assert_eq!(tx.times_out(100), [0]); // slow start: one segment
    assert_eq!(tx.heard(110, 2, &[(3, 4)]), [2]);
    assert_eq!(tx.heard(120, 4, &[]), NOTHING);
    assert!(tx.is_done());
    assert_eq!(tx.deadline(), None);
    assert_eq!(tx.counters().retransmits, 2);
}

#[test]
fn after_a_timeout_the_window_doubles_to_half_and_then_grows_by_one() {
    let eight = PfabricConfig {
        window: 8,
        ..config()
    };
    let mut tx = flow(eight, 100_000);
    tx.sends(0);
    assert_eq!(tx.times_out(100), [0]);
    assert_eq!(tx.cwnd(), 1);
    assert_eq!(tx.heard(110, 1, &[]), [1, 2]);
    assert_eq!(tx.heard(120, 3, &[]), [3, 4, 5, 6]);
    assert_eq!(tx.cwnd(), 4); // half of eight: from here one a round trip
    assert_eq!(tx.heard(130, 6, &[]), [7, 8, 9]);
    assert_eq!(tx.cwnd(), 4);
    assert_eq!(tx.heard(131, 7, &[]), [10, 11]);
    assert_eq!(tx.cwnd(), 5);
}

#[test]
fn without_slow_start_the_window_stays() {
    let steady = PfabricConfig {
        slow_start: false,
        ..config()
    };
    let mut tx = flow(steady, 100_000);
    tx.sends(0);
    assert_eq!(tx.times_out(100), [0, 1, 2, 3]);
}

#[test]
fn the_timeout_never_grows() {
    let mut tx = flow(config(), 100_000);
    tx.sends(0);
    assert_eq!(tx.times_out(100), [0]);
    assert_eq!(tx.times_out(200), [0]);
    assert_eq!(tx.deadline(), Some(us(300)));
}

#[test]
fn after_so_many_timeouts_only_a_byte_at_a_time_is_sent_until_it_is_answered() {
    let mut tx = flow(config(), 100_000);
    tx.sends(0);
    tx.times_out(100);
    tx.times_out(200);
    for at in [300, 400] {
        tx.on_timeout(us(at));
        let probes = tx.segments(at);
        assert_eq!(probes.len(), 1);
        assert_eq!((probes[0].seq, probes[0].len), (0, 1));
        assert!(tx.is_probing());
    }
    tx.on_ack(us(410), ack(1)); // the probe's byte
    assert!(!tx.is_probing());
    let segments = tx.segments(410);
    assert_eq!(segments.len(), 1); // slow start
    assert_eq!((segments[0].seq, segments[0].len), (1, 999));
    assert_eq!(tx.heard(420, 1, &[]), [1, 2]);
    assert_eq!(tx.times_out(520), [1]); // and the count begins anew
}

#[test]
fn what_a_switch_has_cut_is_sent_again_at_once() {
    let mut tx = flow(config(), 100_000);
    tx.sends(0);
    assert_eq!(tx.told(10, 0, &[(1, 2)], true), [1]);
    assert_eq!(tx.told(11, 0, &[(2, 3), (3, 4)], true), [2, 4]);
    assert_eq!(tx.counters().cuts, 2);
    assert_eq!(tx.cwnd(), 4);
}

#[test]
fn nonsense_is_ignored() {
    let mut tx = flow(config(), 100_000);
    tx.sends(0);
    tx.on_ack(us(1), ack(9_000));
    assert_eq!(tx.heard(2, 0, &[(7, 9)]), NOTHING);
    tx.on_timeout(us(50));
    assert_eq!((tx.acknowledged(), tx.counters().timeouts), (0, 0));
}
