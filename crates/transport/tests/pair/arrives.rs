//! Delivery: every byte arrives.

use super::*;

/// Checks that a flow of `size` bytes is delivered completely, and that neither end then has anything left to
/// do.
fn all_arrives(config: TransportConfig, size: u64, fates: &[Fate]) -> Result<(), TestCaseError> {
    let mut net = Net::new(config, size);
    net.run(fates);
    prop_assert_eq!(net.delivered(), size);
    prop_assert!(net.tx.is_done());
    prop_assert_eq!(net.tx.machine().deadline(), None);
    prop_assert!(
        net.rx.is_none() || size == 0,
        "nothing is kept of a flow that is complete"
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn every_byte_arrives_whatever_the_network_does(
        config in config(),
        size in 0..60_000u64,
        fates in fates(),
    ) {
        all_arrives(config.into(), size, &fates)?;
    }

    #[test]
    fn every_byte_arrives_over_pfabric_too(
        mss in 1..1500u32,
        (window, probe_after, slow_start) in (0..20u32, 0..6u32, any::<bool>()),
        receive_window in 1..40_000u64,
        size in 0..30_000u64,
        fates in fates(),
    ) {
        let config = PfabricConfig {
            mss,
            window,
            rto: Time::from_us(100),
            probe_after,
            slow_start,
            receive_window,
            ranking: Ranking::Unacknowledged,
        };
        let size = size.min(u64::from(mss) * 200);
        all_arrives(config.into(), size, &fates)?;
    }

    #[test]
    fn more_data_on_the_same_connection_arrives_too(
        config in config(),
        sizes in proptest::collection::vec(0..9_000u64, 1..6),
        fates in fates(),
    ) {
        let config = TransportConfig::from(config);
        let mut net = Net::new(config.clone(), sizes[0]);
        let cut = fates.len() / 2;
        for (i, more) in sizes.iter().enumerate() {
            if i > 0 {
                net.push(&config, *more);
                prop_assert_eq!(net.tx.is_done(), *more == 0);
            }
            net.run(&fates[..if i == 0 { cut } else { fates.len() }]);
            prop_assert_eq!(net.delivered(), net.size);
            prop_assert!(net.tx.is_done());
            net.now += Time::from_ms(1);
        }
    }
}
