//! Strategies for settings of transports and for fates of packets.

use super::*;

/// Returns every registered controller, NewReno with marks, DCTCP as in Vertigo's simulator, and Swift with
/// targets that this
/// network never keeps.
fn congestions() -> Vec<Congestion> {
    let named = |entry: &Entry| {
        let config = TransportConfig::from_name(entry.name).expect("a listed name is known");
        config.tcp().map(|tcp| tcp.congestion)
    };
    let registered = ENTRIES.iter().filter_map(named);
    let marks = Congestion::NewReno { ecn: true };
    let echoes = Congestion::Dctcp {
        gain: 1.0 / 16.0,
        initial_alpha: 1.0,
        alpha_moves: AlphaMoves::Echoes,
        loss_leaves: 0.75,
    };
    let settings = SwiftConfig {
        base_target: Time::from_us(10),
        per_hop: Time::from_us(1),
        fs_range: Time::from_us(40),
        min_cwnd: 0.05,
        retransmit_reset: 3,
        ..swift::defaults()
    };
    registered
        .chain([marks, echoes, Congestion::Swift { settings }])
        .collect()
}

pub fn one_of<T: Clone + std::fmt::Debug + 'static>(
    words: &[&'static str],
    from_name: fn(&str) -> Option<T>,
) -> impl Strategy<Value = T> + use<T> {
    let known = |word: &&str| from_name(word).expect("a listed name is known");
    proptest::sample::select(words.iter().map(known).collect::<Vec<T>>())
}

#[expect(
    clippy::needless_update,
    reason = "a parameter that comes later keeps its default until it is drawn here"
)]
pub fn config() -> impl Strategy<Value = TcpConfig> {
    let congestion = proptest::sample::select(congestions());
    let recovery = one_of(Recovery::WORDS, Recovery::from_name);
    let growth = one_of(Growth::WORDS, Growth::from_name);
    let reduction = one_of(Reduction::WORDS, Reduction::from_name);
    let ranking = one_of(Ranking::WORDS, Ranking::from_name);
    let estimator = one_of(Estimator::WORDS, Estimator::from_name);
    let ends = one_of(BackoffEnds::WORDS, BackoffEnds::from_name);
    let rule = one_of(AckRule::WORDS, AckRule::from_name);
    let delayed_ack = proptest::option::of((0..5u32).prop_map(|segments| DelayedAck {
        segments,
        timeout: Time::from_us(40),
    }));
    let threshold = proptest::option::of(0..6u32);
    let share = proptest::sample::select(vec![0.1, 0.5, 0.9, 1.0]);
    let reordering = (
        one_of(ThresholdRule::WORDS, ThresholdRule::from_name),
        (share.clone(), 1..40u32, share),
        any::<[bool; 2]>(),
    )
        .prop_map(
            |(rule, (share, most, early), [dsack, undo])| ReorderingConfig {
                dsack,
                rule,
                share,
                most,
                early,
                undo,
            },
        );
    (
        congestion,
        (recovery, reduction, ranking, growth),
        (estimator, ends),
        (delayed_ack, rule),
        (threshold, reordering),
        (1..12u32, 1..60_000u64),
        (any::<[bool; 12]>(), proptest::option::of(rack()), 1..3u32),
    )
        .prop_map(
            |(
                congestion,
                (recovery, reduction, ranking, growth),
                (estimator, backoff_ends),
                (delayed_ack, ack_rule),
                (dupack_threshold, reordering),
                sizes,
                (yes, rack, window_floor),
            )| {
                let swift = matches!(congestion, Congestion::Swift { .. });
                let rack = rack.filter(|_| recovery == Recovery::Sack && !swift);
                TcpConfig {
                    congestion,
                    recovery,
                    rack,
                    growth,
                    reduction,
                    mss: 1000,
                    initial_window: sizes.0,
                    receive_window: sizes.1,
                    dupack_threshold,
                    reordering,
                    limited_transmit: yes[0],
                    limited_transmit_in_cwr: yes[7],
                    duplicates_in_cwr: yes[8],
                    echoes_in_loss: yes[9],
                    window_floor,
                    idle_restart: yes[1],
                    delayed_ack,
                    ack_rule,
                    rto: RtoConfig {
                        estimator,
                        min: Time::from_us(100),
                        initial: Time::from_us(500),
                        max: Time::from_ms(5),
                        granularity: Time::from_us(1),
                        backoff: yes[2],
                        backoff_ends,
                        jiffy: yes[10].then_some(Time::from_us(30)),
                    },
                    timestamps: yes[5],
                    syn_sample: !yes[3] || yes[6],
                    handshake: yes[3],
                    measured_round_trip: (yes[11] && !yes[3]).then_some(Time::from_us(20)),
                    fin: yes[4],
                    ranking,
                    ..TcpConfig::default()
                }
            },
        )
}

/// Draws settings of loss detection by time, with each of its parts or without.
pub fn rack() -> impl Strategy<Value = RackConfig> {
    let delay = proptest::option::of((0..200u64).prop_map(Time::from_us));
    let margin = prop_oneof![Just(0u64), 1..200u64].prop_map(Time::from_us);
    (any::<[bool; 2]>(), delay, margin, 1..6u32).prop_map(
        |([probe, frto], ack_delay, margin, threshold)| RackConfig {
            probe,
            ack_delay,
            margin,
            frto,
            threshold,
        },
    )
}

pub fn fates() -> impl Strategy<Value = Vec<Fate>> {
    let fate = (
        prop_oneof![2 => Just(0u8), 6 => Just(1u8), 1 => Just(2u8)],
        prop_oneof![4 => Just(10u64), 2 => 1..60u64, 1 => 60..1500u64],
        any::<bool>(),
        proptest::bool::weighted(0.2),
    )
        .prop_map(|(copies, delay_us, marked, trimmed)| Fate {
            copies,
            delay_us,
            marked,
            trimmed,
        });
    proptest::collection::vec(fate, 0..250)
}
