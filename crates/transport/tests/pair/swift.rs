//! Windows that follow delays.

use super::*;

/// Last window of Swift, and the times of its last cut and of the last segment.
#[derive(Default)]
pub struct Law {
    pub settings: Option<SwiftConfig>,
    window: f64,
    cut: Option<Time>,
    /// Set once a round trip is known: before that, nothing bounds cuts.
    measured: bool,
    sent: Option<Time>,
}

impl Law {
    /// Least round trip of a packet in a network that keeps the law.
    const ROUND_TRIP: Time = Time::from_us(2 * GOOD.delay_us);

    /// Checks that the window is within its bounds, and was not cut twice in a round trip.
    pub fn hold(&mut self, now: Time, tx: &TcpSender) {
        let Some(settings) = &self.settings else {
            return;
        };
        let window = tx.window_in_segments();
        let within = settings.min_cwnd..=settings.max_cwnd;
        assert!(within.contains(&window), "{window} of {settings:?}");
        if window < self.window
            && let Some(before) = self.cut.replace(now)
            && self.measured
        {
            let since = now - before;
            assert!(since >= Law::ROUND_TRIP, "cut at {before} and at {now}");
        }
        self.window = window;
        self.measured |= tx.acknowledged() > 0 && tx.counters().retransmits == 0;
    }

    /// Checks that data sent now keeps the pace `pace`.
    pub fn send(&mut self, now: Time, pace: Time) {
        if let Some(before) = self.sent.replace(now)
            && self.settings.is_some()
        {
            let due = before.saturating_add(pace);
            assert!(now >= due, "sent at {before} and {now} at a pace of {pace}");
        }
    }
}

/// Returns the default settings of Swift.
pub fn defaults() -> SwiftConfig {
    let swift = TransportConfig::from_name("swift").expect("it is listed");
    match swift.tcp().expect("it is TCP").congestion {
        Congestion::Swift { settings } => settings,
        other => panic!("{other:?}"),
    }
}

fn any_swift() -> impl Strategy<Value = SwiftConfig> {
    let targets = (1..200u64, 0..20u64, 0..400u64);
    let scaled = (1..50u32, 51..200u32);
    let gains = (1..30u32, 1..=10u32, 1..=10u32);
    let windows = (1..100u32, 100..5_000u32);
    (targets, scaled, gains, windows).prop_map(|(targets, scaled, gains, windows)| SwiftConfig {
        base_target: Time::from_us(targets.0),
        per_hop: Time::from_us(targets.1),
        fs_range: Time::from_us(targets.2),
        fs_min_cwnd: f64::from(scaled.0) / 10.0,
        fs_max_cwnd: f64::from(scaled.1) / 10.0,
        ai: f64::from(gains.0) / 10.0,
        beta: f64::from(gains.1) / 10.0,
        max_mdf: f64::from(gains.2) / 10.0,
        min_cwnd: f64::from(windows.0) / 100.0,
        max_cwnd: f64::from(windows.1) / 100.0,
        retransmit_reset: u32::MAX,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn a_window_that_follows_delays_is_cut_once_a_round_trip_and_keeps_its_bounds_and_its_pace(
        config in config(),
        swift in any_swift(),
        size in 0..60_000u64,
        mut fates in fates(),
    ) {
        // Without undo, since an undone cut does not count, and may be repeated at once.
        let reordering = ReorderingConfig { undo: false, ..config.reordering };
        let congestion = Congestion::Swift { settings: swift };
        let config = TcpConfig { congestion, reordering, rack: None, ..config };
        fates.iter_mut().for_each(|fate| fate.delay_us += GOOD.delay_us);
        let mut net = Net::new(config.into(), size);
        net.law.settings = Some(swift);
        net.run(&fates);
        prop_assert_eq!(net.delivered(), size);
        prop_assert!(net.tx.is_done());
        prop_assert_eq!(net.tx.machine().deadline(), None);
    }
}
