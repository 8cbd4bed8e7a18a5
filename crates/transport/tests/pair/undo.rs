//! Windows that are restored, over paths that lose, reorder, die and change their rate: a flow is never later for it
//! by more than one timeout.

use super::*;

/// Path whose rate changes, and which loses and delays some copies of some segments. The fate of a copy depends on its
/// segment, its count and the time at which it leaves, and not on what else a sender sends.
#[derive(Clone, Debug)]
pub struct Path {
    /// Spans of the path in turn: how long each lasts (the last one for ever), the time to send a segment, and whether
    /// what leaves in it arrives.
    spans: Vec<(u64, u64, bool)>,
    delay_us: u64,
    /// Lost copies: segment, count.
    lost: BTreeSet<(u64, u32)>,
    /// Late copies: segment, count, and by how much.
    late: BTreeMap<(u64, u32), u64>,
    sent: BTreeMap<u64, u32>,
    /// Time at which the path is free again, us.
    free_us: u64,
    /// Longest time from sending to arrival so far, us.
    longest_us: u64,
}

impl Path {
    /// Returns the time to send a segment, and whether it arrives, for one that leaves at `us`.
    fn span(&self, us: u64) -> (u64, bool) {
        let mut ends = 0;
        let (last, before) = self.spans.split_last().expect("a path has spans");
        for (lasts, each, alive) in before {
            ends += lasts;
            if us < ends {
                return (*each, *alive);
            }
        }
        (last.1, true)
    }

    /// Returns the fate of a segment that is sent now.
    pub fn fate(&mut self, now: Time, seq: u64) -> Fate {
        let now_us = now.as_ns() / 1000;
        let begins = now_us.max(self.free_us);
        self.free_us = begins + self.span(begins).0;
        let alive = self.span(self.free_us).1;
        let copy = self.sent.entry(seq / MSS).or_default();
        let key = (seq / MSS, *copy);
        *copy += 1;
        let late = self.late.get(&key).copied().unwrap_or(0);
        let delay_us = self.free_us - now_us + self.delay_us + late;
        self.longest_us = self.longest_us.max(delay_us);
        Fate {
            copies: u8::from(alive && !self.lost.contains(&key)),
            delay_us,
            ..GOOD
        }
    }
}

const MSS: u64 = 1460;

/// Returns the settings under test by name, without `undo`.
fn settings() -> Vec<(&'static str, TcpConfig)> {
    let tcp = |recovery, rule, dsack| TcpConfig {
        recovery,
        reordering: ReorderingConfig {
            rule,
            dsack,
            ..TcpConfig::default().reordering
        },
        ..TcpConfig::default()
    };
    use Recovery::{NewReno, Reno, Sack};
    use ThresholdRule::{Dsack, Early, Fixed};
    vec![
        ("newreno, early", tcp(NewReno, Early, false)),
        ("reno, early", tcp(Reno, Early, false)),
        ("sack, early", tcp(Sack, Early, false)),
        ("sack, dsack, early", tcp(Sack, Early, true)),
        ("sack, dsack, dsack", tcp(Sack, Dsack, true)),
        ("sack, dsack, fixed", tcp(Sack, Fixed, true)),
    ]
}

/// Run of a flow over a path.
#[derive(Debug)]
struct Took {
    finished: Time,
    /// Longest timeout in force, back-off included.
    timeout: Time,
    /// Longest time of a segment from sending to arrival.
    delay: Time,
    timeouts: u32,
}

/// Runs a flow of `segments` over `path`.
fn took(config: &TcpConfig, undo: bool, segments: u64, path: &Path) -> Took {
    let mut config = config.clone();
    config.reordering.undo = undo;
    let mut net = Net::new(config.into(), segments * MSS);
    net.path = Some(path.clone());
    net.run(&[]);
    Took {
        finished: net.finished.expect("every byte arrives"),
        timeout: net.longest,
        delay: Time::from_us(net.path.map_or(0, |path| path.longest_us)),
        timeouts: net.tx.counters().timeouts,
    }
}

fn path(spans: &[(u64, u64, bool)]) -> Path {
    Path {
        spans: spans.to_vec(),
        delay_us: 3,
        lost: BTreeSet::new(),
        late: BTreeMap::new(),
        sent: BTreeMap::new(),
        free_us: 0,
        longest_us: 0,
    }
}

/// Returns the settings with a first window of `segments`.
fn at_once(config: TcpConfig, segments: u32) -> TcpConfig {
    TcpConfig {
        initial_window: segments,
        ..config
    }
}

/// A slow path dies under the second half of a flow and comes back fast: the repairs are sooner than the path seemed to
/// allow, and all were needed. Each of them was once taken for spurious, and the others waited for a timeout each.
#[test]
fn a_path_that_comes_back_faster_costs_one_timeout_with_and_without_undo() {
    let cases: [&[(u64, u64, bool)]; 5] = [
        &[(20_000, 1_230, true), (5_000, 1_230, false), (0, 12, true)],
        // The first segment alone tells the round trip.
        &[(1_300, 1_230, true), (40_000, 1_230, false), (0, 12, true)],
        // Ten times faster, not a hundred.
        &[(9_000, 600, true), (3_000, 600, false), (0, 60, true)],
        // The path dies twice.
        &[
            (12_000, 1_230, true),
            (12_000, 1_230, false),
            (30_000, 120, true),
            (9_000, 120, false),
            (0, 12, true),
        ],
        // It comes back slower: nothing is too soon.
        &[(300, 12, true), (15_000, 12, false), (0, 1_230, true)],
    ];
    for spans in cases {
        for (name, config) in settings() {
            let config = at_once(config, 30);
            let [with, without] = [true, false].map(|undo| took(&config, undo, 30, &path(spans)));
            let each = [&with, &without].map(|took| (took.finished, took.timeouts));
            assert_eq!(each[0], each[1], "{name}, {spans:?}");
        }
    }
}

/// Draws a path that never becomes slower, for flows of up to `segments` segments. First copies are lost, alone and from
/// some segment on, and late; repairs arrive. A lost or late repair may cost one of two senders several timeouts that
/// the other was spared by chance, whether or not windows are restored.
fn any_path(segments: u64) -> impl Strategy<Value = Path> {
    let each = proptest::sample::select(vec![1u64, 12, 120, 1_230]);
    let span = (1..40_000u64, each);
    let late = (0..segments, prop_oneof![1..100u64, 100..20_000u64]);
    (
        proptest::collection::vec(span, 1..5),
        1..60u64,
        (
            proptest::collection::btree_set(0..segments, 0..20),
            0..2 * segments,
        ),
        proptest::collection::vec(late, 0..20),
    )
        .prop_map(move |(mut spans, delay_us, (mut lost, from), late)| {
            spans.sort_by_key(|(_, each)| std::cmp::Reverse(*each));
            lost.extend(from..segments);
            Path {
                spans: spans
                    .iter()
                    .map(|(lasts, each)| (*lasts, *each, true))
                    .collect(),
                delay_us,
                lost: lost.into_iter().map(|segment| (segment, 0)).collect(),
                late: late
                    .into_iter()
                    .map(|(segment, us)| ((segment, 0), us))
                    .collect(),
                ..path(&[])
            }
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn undo_never_makes_a_flow_later_by_more_than_a_timeout(
        (name, config) in proptest::sample::select(settings()),
        (segments, path) in (5..80u64).prop_flat_map(|n| (Just(n), any_path(n))),
        (limited_transmit, backoff) in any::<(bool, bool)>(),
    ) {
        let mut config = TcpConfig { limited_transmit, ..at_once(config, segments as u32) };
        config.rto.backoff = backoff;
        let [with, without] = [true, false].map(|undo| took(&config, undo, segments, &path));
        // The timer starts again with each acknowledgement, so that of a late segment counts as well.
        let timeout = with.timeout.max(without.timeout) + with.delay.max(without.delay);
        prop_assert!(
            with.finished <= without.finished + timeout,
            "{name}: {with:?}, without undo {without:?}"
        );
    }
}
