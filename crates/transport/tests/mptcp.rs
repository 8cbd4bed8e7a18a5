//! Two endpoints with several subflows, each over a path that loses, trims, repeats, delays and marks: whatever
//! the paths do, every byte arrives, exactly once and in finite time, within one receive window.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use sidestep_transport::mptcp::{Coupling, Scheduler};
use sidestep_transport::{
    Ack, AckRule, AnyReceiver, AnySender, Arrival, Congestion, DelayedAck, Endpoint, MptcpConfig,
    Receiver, Recovery, Reduction, RtoConfig, Segment, Sender, TcpConfig, TransportConfig,
};
use sidestep_types::{Packet, Time};

/// Fate of one packet.
#[derive(Clone, Copy, Debug)]
struct Fate {
    copies: u8,
    delay_us: u64,
    marked: bool,
    trimmed: bool,
}

const GOOD: Fate = Fate {
    copies: 1,
    delay_us: 10,
    marked: false,
    trimmed: false,
};

enum Flying {
    Data(Segment, u64, Fate),
    Ack(Ack),
}

struct Net {
    now: Time,
    tx: Endpoint<AnySender>,
    rx: Endpoint<AnyReceiver>,
    /// Alarms of both ends, at a tie the sender's first.
    alarms: BTreeSet<(Time, bool)>,
    /// Packets in flight by arrival, then by departure.
    flying: BTreeMap<(Time, u64), Flying>,
    departures: u64,
    /// Set for each byte of the message that was sent.
    sent: Vec<bool>,
    delivered: u64,
    receive_window: u64,
    size: u64,
    subflows: u8,
}

impl Net {
    fn new(config: &MptcpConfig, size: u64) -> Net {
        let transport = TransportConfig::from(config.clone());
        Net {
            now: Time::ZERO,
            tx: Endpoint::sending(transport.sender(Some(size)), 0),
            rx: Endpoint::receiving(transport.receiver(), size, 1),
            alarms: BTreeSet::new(),
            flying: BTreeMap::new(),
            departures: 0,
            sent: vec![false; size as usize],
            delivered: 0,
            receive_window: config.receive_window(),
            size,
            subflows: config.subflows,
        }
    }

    fn run(&mut self, fates: &[Fate]) {
        for _step in 0..400_000 {
            self.poll(fates);
            let arrival = self.flying.first_key_value().map(|(key, _)| key.0);
            let alarm = self.alarms.first().copied();
            let Some(next) = arrival.into_iter().chain(alarm.map(|a| a.0)).min() else {
                return;
            };
            assert!(next >= self.now, "nothing is due in the past");
            self.now = next;
            match alarm.filter(|_| arrival != Some(next)) {
                Some(alarm) => self.wake(alarm),
                None => self.deliver(),
            }
        }
        panic!("still busy: {:?}", self.tx.counters());
    }

    fn poll(&mut self, fates: &[Fate]) {
        while let Some(segment) = self.tx.poll_send(self.now) {
            let data = self.check(segment);
            let fate = self.fate(fates);
            self.launch(fate, || Flying::Data(segment, data, fate));
        }
        while let Some(ack) = self.rx.poll_ack(self.now) {
            assert!(ack.subflow() < self.subflows);
            let fate = self.fate(fates);
            self.launch(fate, || Flying::Ack(ack));
        }
        let sending = self.tx.next_alarm().map(|at| (at, false));
        let receiving = self.rx.next_alarm().map(|at| (at, true));
        self.alarms.extend(sending.into_iter().chain(receiving));
    }

    fn wake(&mut self, alarm: (Time, bool)) {
        self.alarms.remove(&alarm);
        match alarm {
            (at, false) => drop(self.tx.on_alarm(self.now, at)),
            (at, true) => drop(self.rx.on_alarm(self.now, at)),
        }
    }

    /// Returns the segment's position in the message, and checks that it is within the window of all subflows.
    fn check(&mut self, segment: Segment) -> u64 {
        assert!(segment.subflow() < self.subflows);
        let data = self.tx.data_seq();
        assert_eq!(data.is_some(), segment.len > 0, "{segment:?}");
        let data = data.unwrap_or(0);
        let end = data + u64::from(segment.len);
        assert!(end <= self.size, "{segment:?} is beyond the flow's end");
        assert!(
            segment.len == 0 || end <= self.rx.delivered() + self.receive_window,
            "{segment:?} is beyond the receive window"
        );
        self.sent[data as usize..end as usize].fill(true);
        if let Some(rank) = segment.rank {
            let left = (self.size - self.delivered).max(u64::from(segment.len));
            assert!(u64::from(rank) >= left, "{segment:?}");
        }
        data
    }

    fn fate(&mut self, fates: &[Fate]) -> Fate {
        self.departures += 1;
        let turn = self.departures as usize - 1;
        fates.get(turn).copied().unwrap_or(GOOD)
    }

    fn launch(&mut self, fate: Fate, packet: impl Fn() -> Flying) {
        for copy in 0..u64::from(fate.copies) {
            let at = self.now + Time::from_us(fate.delay_us + copy * 7);
            self.flying
                .insert((at, self.departures * 4 + copy), packet());
        }
    }

    fn deliver(&mut self) {
        let (_, packet) = self.flying.pop_first().expect("something flies");
        match packet {
            Flying::Data(s, data, fate) => {
                let arrival = Arrival {
                    seq: s.seq,
                    len: s.len,
                    syn: s.syn,
                    ce: fate.marked && s.ect,
                    cwr: s.cwr,
                    trimmed: fate.trimmed && s.len > 0,
                    hops: 0,
                };
                let complete = self.rx.on_mapped_segment(self.now, arrival, || data);
                assert!(!complete || self.rx.delivered() == self.size);
                assert!(self.rx.delivered() >= self.delivered);
                self.delivered = self.rx.delivered();
                let got = &self.sent[..self.delivered as usize];
                assert!(got.iter().all(|sent| *sent), "delivered before it was sent");
            }
            Flying::Ack(ack) => self.tx.on_ack(self.now, ack),
        }
    }

    fn sender(&self) -> &sidestep_transport::MptcpSender {
        match self.tx.machine() {
            AnySender::Mptcp(all) => all,
            _ => panic!("it is MPTCP"),
        }
    }
}

fn config() -> impl Strategy<Value = MptcpConfig> {
    let congestion = prop_oneof![
        Just(Congestion::NewReno { ecn: false }),
        Just(Congestion::NewReno { ecn: true }),
        Just(Congestion::DCTCP),
    ];
    let delayed = proptest::option::of((0..5u32).prop_map(|segments| DelayedAck {
        segments,
        timeout: Time::from_us(40),
    }));
    let threshold = proptest::option::of(1..6u32);
    let sizes = (1..6u32, 500..30_000u64, 1..=16u8);
    (congestion, delayed, threshold, sizes, any::<[bool; 9]>()).prop_map(
        |(congestion, delayed_ack, dupack_threshold, (initial, window, subflows), yes)| {
            let tcp = TcpConfig {
                congestion,
                recovery: if yes[0] {
                    Recovery::Sack
                } else {
                    Recovery::NewReno
                },
                reduction: if yes[1] {
                    Reduction::Prr
                } else {
                    Reduction::AtOnce
                },
                mss: 1000,
                initial_window: initial,
                receive_window: window,
                dupack_threshold,
                limited_transmit: yes[2],
                idle_restart: yes[3],
                delayed_ack,
                ack_rule: if yes[4] { AckRule::Linux } else { AckRule::Ns3 },
                rto: RtoConfig {
                    min: Time::from_us(100),
                    initial: Time::from_us(500),
                    max: Time::from_ms(5),
                    ..TcpConfig::default().rto
                },
                handshake: yes[5],
                ..TcpConfig::default()
            };
            MptcpConfig {
                tcp: Arc::new(tcp),
                subflows,
                coupling: if yes[6] {
                    Coupling::Lia
                } else {
                    Coupling::Uncoupled
                },
                reinject: yes[7],
                scheduler: if yes[8] {
                    Scheduler::RoundRobin
                } else {
                    Scheduler::LowestRtt
                },
            }
        },
    )
}

fn fates() -> impl Strategy<Value = Vec<Fate>> {
    let fate = (
        prop_oneof![2 => Just(0u8), 6 => Just(1u8), 1 => Just(2u8)],
        prop_oneof![4 => Just(10u64), 2 => 1..60u64, 1 => 60..1500u64],
        any::<bool>(),
        proptest::bool::weighted(0.2),
    );
    let fate = fate.prop_map(|(copies, delay_us, marked, trimmed)| Fate {
        copies,
        delay_us,
        marked,
        trimmed,
    });
    proptest::collection::vec(fate, 0..250)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn every_byte_arrives_by_whatever_path(
        config in config(),
        size in 0..60_000u64,
        fates in fates(),
    ) {
        let mut net = Net::new(&config, size);
        net.run(&fates);
        prop_assert_eq!(net.rx.delivered(), size);
        prop_assert!(net.tx.is_done());
        prop_assert_eq!(Sender::deadline(net.tx.machine()), None);
        let total: u64 = net.sender().subflows().map(|s| s.bytes).sum();
        let again: u64 = net.sender().subflows().map(|s| u64::from(s.reinjections)).sum();
        prop_assert!(total >= size && total <= size + again * 1000);
        prop_assert!(config.reinject && config.subflows > 1 || again == 0);
    }

    #[test]
    fn no_sequence_of_acknowledgements_breaks_it(
        config in config(),
        size in proptest::option::of(0..200_000u64),
        moves in proptest::collection::vec(
            (0..40_000u64, any::<[u8; 5]>(), 0..400u64, proptest::array::uniform6(0..30_000u32)),
            0..120,
        ),
    ) {
        let mut tx = TransportConfig::from(config.clone()).sender(size);
        let mut now = Time::ZERO;
        for (ack, how, wait, edges) in moves {
            now += Time::from_us(wait);
            let mut sack = sidestep_types::SackBlocks::NONE;
            for pair in edges.chunks(2).take(usize::from(how[0] % 4)) {
                if pair[0] < pair[1] {
                    sack.push(pair[0], pair[1]);
                }
            }
            let ack = Packet::first_of(how[4] % 16) + if how[1] < 3 { ack * 50 } else { ack };
            match how[2] % 5 {
                0 => tx.on_timeout(now),
                1 => tx.on_timeout(tx.deadline().map_or(now, |d| d.min(now))),
                _ => tx.on_ack(now, Ack { ack, ece: how[3] & 1 == 1, syn: how[3] % 16 == 0, sack, below: how[3] & 40 == 40, cut: how[3] & 6 == 2, hops: how[2] }),
            }
            for _ in 0..600 {
                let Some(s) = tx.poll_send(now) else { break };
                let end = tx.data_seq().unwrap_or(0) + u64::from(s.len);
                prop_assert!(end <= size.unwrap_or(u64::MAX));
            }
            prop_assert_eq!(tx.poll_send(now), None);
        }
    }

    #[test]
    fn a_receiver_delivers_what_a_bitmap_would(
        segments in proptest::collection::vec((0..4u8, 0..300u64, 0..300u64, 1..60u32), 0..150),
    ) {
        // Bytes arrive only where a correct sender may have sent them: in the window of the message. The window
        // of
        // a subflow is as large, and never the reason that bytes are ignored.
        let tcp = TcpConfig { receive_window: 400, ..TcpConfig::default() };
        let config = MptcpConfig { subflows: 4, ..MptcpConfig::from(tcp) };
        let mut rx = TransportConfig::from(config).receiver();
        let mut seen = [false; 1000];
        let mut next = 0;
        for (subflow, seq, data, len) in segments {
            let arrival = Arrival {
                seq: Packet::first_of(subflow) + seq,
                len,
                syn: false,
                ce: false,
                cwr: false,
                trimmed: false,
                hops: 0,
            };
            rx.on_mapped_segment(Time::ZERO, arrival, || data);
            seen[data as usize..data as usize + len as usize].fill(true);
            next += seen[next..].iter().take_while(|b| **b).count();
            prop_assert_eq!(rx.delivered(), next as u64);
            while let Some(ack) = rx.poll_ack(Time::ZERO) {
                prop_assert_eq!((ack.subflow(), ack.ack), (subflow, rx.expected(subflow)));
            }
        }
    }
}
