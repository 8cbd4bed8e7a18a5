//! Losses by time of sending: a sender that has evidence of a loss does not wait for its timer.

use super::*;

/// Evidence that a sender has: the last departure of each segment, and the reports of its arrival.
#[derive(Default)]
pub struct Evidence {
    pub on: bool,
    /// Last departure of each segment, by first byte.
    left: BTreeMap<u64, Time>,
    /// Latest departure of all segments reported by selective acknowledgements.
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
        // A segment that left less than a round trip ago is not the one reported: its earlier transmission is.
        let round_trip = Time::from_us(2 * GOOD.delay_us);
        for (from, to) in ack.arrived().filter(|_| self.on) {
            let sent = (self.left.range(from..to).map(|(_, at)| *at))
                .filter(|at| *at + round_trip <= now)
                .max();
            self.reported = self.reported.max(sent.unwrap_or(Time::ZERO));
        }
    }

    /// Checks a timeout after the sender's alarm went off. `knew`: the sender considered its oldest segment
    /// lost, and only the window delayed its retransmission.
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

/// Draws fates of a network that keeps the order: it loses and marks.
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
        // The first packets give a round trip: without one, a retransmission answered soon may count as its
        // original.
        fates.splice(..0, [GOOD; 2]);
        let congestion = match config.congestion {
            Congestion::Swift { .. } => Congestion::DCTCP,
            other => other,
        };
        // Far above the round trip of 20 us: no timer interrupts a recovery.
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
