//! Duplicate threshold over a network that loses nothing.

use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn where_nothing_is_lost_a_threshold_rises_until_repairs_end(
        share in proptest::sample::select(vec![0.5, 0.9, 1.0]),
        segments in 8..40u64,
        rule in one_of(ThresholdRule::WORDS, ThresholdRule::from_name),
        reduction in one_of(Reduction::WORDS, Reduction::from_name),
        (undo, limited_transmit) in any::<(bool, bool)>(),
        delays in proptest::collection::vec(1..400u64, 2..40),
    ) {
        let defaults = TcpConfig::default();
        let config = TcpConfig {
            recovery: Recovery::Sack,
            reduction,
            limited_transmit,
            mss: 1000,
            receive_window: segments * 1000,
            reordering: ReorderingConfig { dsack: true, rule, share, undo, ..defaults.reordering },
            rto: RtoConfig { min: Time::from_ms(5), initial: Time::from_ms(5), ..defaults.rto },
            ..defaults
        };
        let fates: Vec<Fate> = (delays.iter().cycle().take(10_000))
            .map(|delay_us| Fate { delay_us: *delay_us, ..GOOD })
            .collect();
        let mut net = Net::new(config.into(), 1_000_000);
        net.run(&fates);
        let counters = net.tx.counters();
        prop_assert!(net.tx.is_done());
        prop_assert_eq!(counters.timeouts, 0, "nothing is lost, and nothing takes so long");
        // Each retransmission arrives as a duplicate. The duplicates in flight at the end are not reported.
        prop_assert!(counters.dsacks <= counters.retransmits);
        prop_assert!(u64::from(counters.retransmits - counters.dsacks) <= segments);
        prop_assert!(undo || counters.undone == 0);
        prop_assert!(counters.undone <= counters.fast_retransmits);
        if rule != ThresholdRule::Fixed && share == 1.0 {
            // No length exceeds the window, and each D-SACK of a retransmission at the threshold raises the
            // threshold by
            // at least one; before it arrives, a recovery or two more may begin.
            prop_assert!(u64::from(counters.fast_retransmits) <= 3 * segments, "{:?}", counters);
        }
    }
}
