//! Conformance scenarios without a switch: a sender, its receiver, and a script of lost and late segments
//! between
//! them. These test D-SACK, duplicate thresholds and LIA, as `conformance/scenarios/` tests routes and agents.

use std::collections::BTreeMap;
use std::sync::Arc;

use sidestep_transport::mptcp::{Coupling, MptcpReceiver, MptcpSender};
use sidestep_transport::{
    Ack, Arrival, MptcpConfig, Receiver, Recovery, Reduction, ReorderingConfig, Segment, Sender,
    TcpConfig, TcpReceiver, TcpSender, ThresholdRule,
};
use sidestep_types::Time;

/// Fate of a segment that does not simply arrive.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Lost,
    /// Late by this many microseconds; the segments behind it are not.
    Late(u64),
}

/// Fates by subflow and by the number of its segments that have left before, retransmissions included.
type Script = &'static [((u8, usize), Fate)];

struct Path<S, R> {
    tx: S,
    rx: R,
    /// Returns the position in the message of the segment that left last; `hand` passes it to the receiver.
    place: fn(&S) -> u64,
    hand: fn(&mut R, Time, Arrival, u64),
    script: Script,
    /// One-way delay of each subflow.
    ways: &'static [Time],
    now: Time,
    /// Packets in flight by arrival, then by departure.
    flying: BTreeMap<(Time, usize), Flying>,
    departures: usize,
    /// For each subflow, the segments that have left, and the arrival of the last one that is not late.
    left: [(usize, Time); 2],
}

enum Flying {
    /// Segment, with its position in the message.
    Data(Segment, u64),
    Ack(Ack),
}

impl<S: Sender, R: Receiver> Path<S, R> {
    fn new(tx: S, rx: R, ways: &'static [Time], script: Script) -> Path<S, R> {
        Path {
            tx,
            rx,
            place: |_| 0,
            hand: |rx, now, arrival, _| rx.on_segment(now, arrival),
            script,
            ways,
            now: Time::ZERO,
            flying: BTreeMap::new(),
            departures: 0,
            left: [(0, Time::ZERO); 2],
        }
    }

    fn fly(&mut self, at: Time, what: Flying) {
        self.flying.insert((at, self.departures), what);
        self.departures += 1;
    }

    fn send(&mut self) {
        while let Some(segment) = self.tx.poll_send(self.now) {
            let subflow = segment.subflow();
            let (left, last) = &mut self.left[usize::from(subflow)];
            let on_time = (self.now + self.ways[usize::from(subflow)]).max(*last + us(1));
            let place = (self.place)(&self.tx);
            let fate = self
                .script
                .iter()
                .find(|(which, _)| *which == (subflow, *left));
            *left += 1;
            match fate {
                None => {
                    *last = on_time;
                    self.fly(on_time, Flying::Data(segment, place));
                }
                Some((_, Fate::Late(by))) => {
                    self.fly(on_time + us(*by), Flying::Data(segment, place))
                }
                Some((_, Fate::Lost)) => {}
            }
        }
    }

    fn arrive(&mut self, segment: &Segment, place: u64) {
        let arrival = Arrival {
            seq: segment.seq,
            len: segment.len,
            syn: false,
            ce: false,
            cwr: segment.cwr,
            trimmed: false,
            hops: 0,
        };
        (self.hand)(&mut self.rx, self.now, arrival, place);
        while let Some(ack) = self.rx.poll_ack(self.now) {
            let way = self.ways[usize::from(ack.subflow())];
            self.fly(self.now + way, Flying::Ack(ack));
        }
    }

    /// Runs until `end`, or until nothing is in flight; `hears` is called before and after each
    /// acknowledgement.
    fn run(&mut self, end: Time, mut hears: impl FnMut(&S, &Ack, bool)) {
        self.send();
        while let Some(&(at, departure)) = self.flying.keys().next() {
            let due = self.tx.deadline().filter(|due| *due < at);
            if due.unwrap_or(at) > end {
                return;
            }
            if let Some(due) = due {
                self.now = due;
                self.tx.on_timeout(due);
            } else {
                self.now = at;
                match self.flying.remove(&(at, departure)) {
                    None => unreachable!("it is the first"),
                    Some(Flying::Data(segment, place)) => self.arrive(&segment, place),
                    Some(Flying::Ack(ack)) => {
                        hears(&self.tx, &ack, false);
                        self.tx.on_ack(at, ack);
                        hears(&self.tx, &ack, true);
                    }
                }
            }
            self.send();
        }
    }
}

const fn us(us: u64) -> Time {
    Time::from_us(us)
}

fn tcp(rule: ThresholdRule, dsack: bool) -> TcpConfig {
    let usual = TcpConfig::default();
    TcpConfig {
        recovery: Recovery::Sack,
        reduction: Reduction::AtOnce,
        mss: 1000,
        initial_window: 10,
        reordering: ReorderingConfig {
            dsack,
            rule,
            undo: dsack || rule == ThresholdRule::Early,
            ..usual.reordering
        },
        ..usual
    }
}

const WAY: &[Time] = &[us(25)];

/// Returns the duplicates reported to a sender of 60 segments, its final threshold, the recoveries begun and
/// the windows restored.
fn told(config: TcpConfig, script: Script) -> (Vec<(u64, u64)>, u32, u32, u32) {
    let config = Arc::new(config);
    let tx = TcpSender::new(config.clone(), Some(60_000));
    let mut path = Path::new(tx, TcpReceiver::new(config), WAY, script);
    let mut duplicates = Vec::new();
    path.run(Time::MAX, |_, ack, heard| {
        if heard {
            duplicates.extend(ack.duplicate());
        }
    });
    assert!(path.tx.is_done() && path.rx.delivered() == 60_000);
    let (threshold, counted) = (path.tx.dupthresh(), path.tx.counters());
    let threshold = threshold.expect("it is on");
    (
        duplicates,
        threshold,
        counted.fast_retransmits,
        counted.undone,
    )
}

/// Six segments overtake segment 3: the third of them starts its retransmission, it arrives twice, and the
/// receiver reports that.
const LATE: Script = &[((0, 3), Fate::Late(20))];

#[test]
fn a_late_segment_is_told_as_a_duplicate_and_the_threshold_rises_above_what_overtook_it() {
    let moves = tcp(ThresholdRule::Dsack, true);
    assert_eq!(told(moves, LATE), (vec![(3_000, 4_000)], 7, 1, 1));
    let fixed = tcp(ThresholdRule::Fixed, true);
    assert_eq!(told(fixed, LATE), (vec![(3_000, 4_000)], 3, 1, 1));
    let silent = tcp(ThresholdRule::Fixed, false);
    assert_eq!(told(silent, LATE), (vec![], 3, 1, 0));
}

#[test]
fn a_lost_segment_is_no_duplicate_and_moves_nothing() {
    let script: Script = &[((0, 3), Fate::Lost)];
    for rule in [ThresholdRule::Fixed, ThresholdRule::Dsack] {
        assert_eq!(told(tcp(rule, true), script), (vec![], 3, 1, 0));
    }
}

/// Checks that with a round trip of 50 us an acknowledgement 18 us after a retransmission counts for the
/// original.
#[test]
fn an_early_acknowledgement_says_what_a_duplicate_says_and_sooner() {
    let early = tcp(ThresholdRule::Early, false);
    assert_eq!(told(early, LATE), (vec![], 7, 1, 1));
}

/// Checks that a segment overtaken by five begins another recovery at a threshold of 3, and none at 7.
#[test]
fn what_was_learned_of_one_late_segment_spares_the_next_a_repair() {
    let script: Script = &[((0, 3), Fate::Late(20)), ((0, 40), Fate::Late(5))];
    let (_, threshold, recoveries, _) = told(tcp(ThresholdRule::Fixed, true), script);
    assert_eq!((threshold, recoveries), (3, 2));
    let (duplicates, threshold, recoveries, _) = told(tcp(ThresholdRule::Dsack, true), script);
    assert_eq!((duplicates.len(), threshold, recoveries), (1, 7, 1));
}

/// Checks that two subflows, after a loss each, grow by the sum of the increments of RFC 6356 for each
/// acknowledgement, computed separately, within two segments.
#[test]
fn coupled_windows_grow_by_the_sum_of_what_rfc_6356_adds_for_each_acknowledgement() {
    const WAYS: &[Time] = &[us(50), us(120)];
    let script: Script = &[((0, 12), Fate::Lost), ((1, 15), Fate::Lost)];
    let grown = |coupling| {
        let config = MptcpConfig {
            subflows: 2,
            coupling,
            ..tcp(ThresholdRule::Fixed, false).into()
        };
        let tx = MptcpSender::with_mss(&config, 1000, None);
        let mut path = Path::new(tx, MptcpReceiver::new(&config), WAYS, script);
        path.place = |tx| tx.data_seq().unwrap_or(0);
        path.hand = |rx, now, arrival, place| rx.on_mapped_segment(now, arrival, place);
        path.run(Time::from_ms(2), |_, _, _| {});
        let windows = |tx: &MptcpSender| tx.subflows().map(|s| s.window).collect::<Vec<u64>>();
        let lost = path.tx.subflows().map(|s| s.counters.fast_retransmits);
        assert_eq!(lost.collect::<Vec<u32>>(), [1, 1]);
        let begin = windows(&path.tx);
        let (mut sum, mut acked) = ([0.0; 2], [0; 2]);
        path.run(Time::from_ms(12), |tx, ack, heard| {
            let i = usize::from(ack.subflow());
            let before = std::mem::replace(&mut acked[i], ack.ack);
            if !heard && before > 0 {
                sum[i] += rfc_6356(tx, i, (ack.ack - before) as f64);
            }
        });
        let end = windows(&path.tx);
        let grown: Vec<f64> = (0..2).map(|i| (end[i] - begin[i]) as f64).collect();
        (grown, sum)
    };
    let (coupled, sum) = grown(Coupling::Lia);
    for i in 0..2 {
        assert!(coupled[i] >= 3_000.0, "{coupled:?}");
        assert!(
            (coupled[i] - sum[i]).abs() <= 2_000.0,
            "{coupled:?} {sum:?}"
        );
    }
    let (alone, _) = grown(Coupling::Uncoupled);
    assert!(
        (0..2).all(|i| alone[i] > coupled[i] + 10_000.0),
        "{alone:?} {coupled:?}"
    );
}

/// Returns `min(alpha·acked·mss/cwnd_total, acked·mss/cwnd_i)`, section 3 of the RFC.
fn rfc_6356(tx: &MptcpSender, i: usize, acked: f64) -> f64 {
    let of = tx.subflows();
    let paths: Vec<(f64, f64)> = of
        .map(|s| (s.window as f64, s.round_trip.expect("known").ps() as f64))
        .collect();
    let total: f64 = paths.iter().map(|(cwnd, _)| cwnd).sum();
    let best = paths
        .iter()
        .map(|(cwnd, rtt)| cwnd / (rtt * rtt))
        .fold(0.0, f64::max);
    let rate: f64 = paths.iter().map(|(cwnd, rtt)| cwnd / rtt).sum();
    let alpha = total * best / (rate * rate);
    (alpha * acked * 1000.0 / total).min(acked * 1000.0 / paths[i].0)
}
