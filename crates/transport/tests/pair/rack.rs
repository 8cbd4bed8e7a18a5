//! Losses by time of sending: a sender that has evidence of a loss does not wait for its timer.

use super::*;

/// Evidence that a sender has: the last departure of each segment, and the reports of it.
#[derive(Default)]
pub struct Evidence {
    pub on: bool,
    /// By the first byte.
    left: BTreeMap<u64, Time>,
    /// The latest sending of all that selective acknowledgements have reported.
    reported: Time,
    timeouts: u32,
}

impl Evidence {
    pub fn send(&mut self, now: Time, segment: &Segment) {
        if self.on && segment.len > 0 {
            self.left.insert(segment.seq, now);
        }
    }

    pub fn hear(&mut self, now: Time, ack: &Ack) {
        // What left less than a round trip ago is not what is reported: an earlier sending of it is.
        let round_trip = Time::from_us(2 * GOOD.delay_us);
        for (from, to) in ack.arrived().filter(|_| self.on) {
            let sent = (self.left.range(from..to).map(|(_, at)| *at))
                .filter(|at| *at + round_trip <= now)
                .max();
            self.reported = self.reported.max(sent.unwrap_or(Time::ZERO));
        }
    }

    /// The sender's alarm went off; `knew`: it took its oldest segment for lost, and the window held that back.
    pub fn wake(&mut self, now: Time, tx: &Endpoint<AnySender>, knew: bool) {
        let timeouts = std::mem::replace(&mut self.timeouts, tx.counters().timeouts);
        if !self.on || tx.counters().timeouts == timeouts {
            return;
        }
        let waits = tx.acknowledged();
        let Some(left) = self.left.get(&waits) else {
            return;
        };
        assert!(
            knew || self.reported <= *left,
            "a timeout for byte {waits} at {now}: it left at {left}, and what left at {} was reported",
            self.reported
        );
    }
}

/// A network that keeps the order: it loses and marks.
fn ordered() -> impl Strategy<Value = Vec<Fate>> {
    let fate = (
        prop_oneof![2 => Just(0u8), 3 => Just(1u8)],
        proptest::bool::weighted(0.2),
    )
        .prop_map(|(copies, marked)| Fate {
            copies,
            marked,
            ..GOOD
        });
    proptest::collection::vec(fate, 0..150)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn no_sender_takes_a_timeout_for_a_segment_that_it_could_know_to_be_lost(
        config in config(),
        rack in draws::rack(),
        size in 0..60_000u64,
        mut fates in ordered(),
    ) {
        // A round trip is known: without one a repair that is answered soon may be taken for its original.
        fates.splice(..0, [GOOD; 2]);
        let congestion = match config.congestion {
            Congestion::Swift { .. } => Congestion::DCTCP,
            other => other,
        };
        // Far above the round trip of 20 us: no timer cuts a repair short.
        let rto = RtoConfig {
            min: Time::from_ms(5),
            initial: Time::from_ms(5),
            max: Time::from_s(1),
            jiffy: rack.frto.then_some(Time::from_us(100)),
            ..config.rto
        };
        let config = TcpConfig {
            recovery: Recovery::Sack,
            rack: Some(rack),
            receive_window: 1 << 20,
            handshake: true,
            syn_sample: true,
            delayed_ack: None,
            congestion,
            rto,
            ..config
        };
        let mut net = Net::new(config.into(), size);
        net.evidence.on = true;
        net.run(&fates);
        prop_assert_eq!(net.delivered(), size);
        prop_assert!(net.tx.is_done());
    }

    #[test]
    fn a_network_that_loses_nothing_and_keeps_the_order_sees_no_repair_and_no_timeout(
        rack in draws::rack(),
        size in 0..60_000u64,
        marked in proptest::collection::vec(any::<bool>(), 0..100),
    ) {
        let fates: Vec<Fate> = marked.iter().map(|marked| Fate { marked: *marked, ..GOOD }).collect();
        let config = TcpConfig {
            recovery: Recovery::Sack,
            congestion: Congestion::DCTCP,
            rack: Some(RackConfig { ack_delay: None, ..rack }),
            mss: 1000,
            ..TcpConfig::default()
        };
        let mut net = Net::new(config.into(), size);
        net.run(&fates);
        let counters = net.tx.counters();
        prop_assert_eq!((counters.retransmits, counters.timeouts, counters.probes), (0, 0, 0));
    }
}
