//! Two endpoints over a tiny network that loses, cuts, repeats, delays and marks: whatever it
//! does, every byte arrives, exactly once and in finite time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use sidestep_transport::host::answer_late;
use sidestep_transport::{
    Ack, AckRule, AnyReceiver, AnySender, Arrival, BackoffEnds, Congestion, DelayedAck, ENTRIES,
    Endpoint, Estimator, PfabricConfig, Ranking, Receiver, Recovery, Reduction, ReorderingConfig,
    RtoConfig, Segment, Sender, TcpConfig, TcpReceiver, TcpSender, ThresholdRule, TransportConfig,
};
use sidestep_types::{Entry, Time};

/// What happens to one packet.
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
    Data(Segment, Fate),
    Ack(Ack),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Sending,
    Receiving,
}

struct Net {
    now: Time,
    tx: Endpoint<AnySender>,
    /// Until the flow is complete and nothing is owed.
    rx: Option<Endpoint<AnyReceiver>>,
    alarms: BTreeSet<(Time, Side)>,
    /// By arrival, then by departure.
    flying: BTreeMap<(Time, u64), Flying>,
    departures: u64,
    mss: u32,
    receive_window: u64,
    handshake: bool,
    fin: bool,
    marks: bool,
    size: u64,
}

impl Net {
    fn new(config: TransportConfig, size: u64) -> Net {
        Net {
            now: Time::ZERO,
            tx: Endpoint::sending(config.sender(Some(size)), 0),
            rx: Some(Endpoint::receiving(config.receiver(), size, 1)),
            alarms: BTreeSet::new(),
            flying: BTreeMap::new(),
            departures: 0,
            mss: config.mss(),
            receive_window: config.receive_window(),
            handshake: config.tcp().is_some_and(|tcp| tcp.handshake),
            fin: config.tcp().is_some_and(|tcp| tcp.fin),
            marks: config.nature().ranking != Ranking::Unmarked,
            size,
        }
    }

    /// Another message of `size` bytes on the same connection: its sender goes on, its receiver is new.
    fn push(&mut self, config: &TransportConfig, size: u64) {
        let AnySender::Tcp(tx) = self.tx.machine_mut() else {
            panic!("it is TCP")
        };
        tx.push(size);
        self.rx = Some(Endpoint::receiving(config.receiver(), size, 1));
        self.size = size;
    }

    /// Runs until nothing is left to do. The packets meet `fates` in turn, later ones go through.
    fn run(&mut self, fates: &[Fate]) {
        for _step in 0..200_000 {
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
                None => self.deliver(fates),
            }
        }
        panic!("still busy: {:?}", self.tx.counters());
    }

    fn poll(&mut self, fates: &[Fate]) {
        while let Some(segment) = self.tx.poll_send(self.now) {
            self.check(segment);
            let fate = self.fate(fates);
            self.launch(fate, || Flying::Data(segment, fate));
        }
        while let Some(ack) = self.rx.as_mut().and_then(|rx| rx.poll_ack(self.now)) {
            let fate = self.fate(fates);
            self.launch(fate, || Flying::Ack(ack));
        }
        self.rx.take_if(|rx| rx.is_done());
        let sending = self.tx.next_alarm().map(|at| (at, Side::Sending));
        let receiving = self.rx.as_mut().and_then(|rx| rx.next_alarm());
        let receiving = receiving.map(|at| (at, Side::Receiving));
        self.alarms.extend(sending.into_iter().chain(receiving));
    }

    fn wake(&mut self, alarm: (Time, Side)) {
        self.alarms.remove(&alarm);
        let (at, side) = alarm;
        match (side, &mut self.rx) {
            (Side::Sending, _) => {
                self.tx.on_alarm(self.now, at);
            }
            (Side::Receiving, Some(rx)) => {
                rx.on_alarm(self.now, at);
            }
            (Side::Receiving, None) => {}
        }
    }

    /// Bytes that have arrived in order.
    fn delivered(&self) -> u64 {
        self.rx.as_ref().map_or(self.size, |rx| rx.delivered())
    }

    fn check(&self, segment: Segment) {
        let end = segment.seq + u64::from(segment.len);
        let last = self.size + u64::from(self.fin && segment.len == 0);
        assert!(end <= last, "{segment:?} is beyond the flow's end");
        assert!(
            segment.len == 0 || end <= self.delivered() + self.receive_window,
            "{segment:?} is beyond the receive window"
        );
        let confirms = self.handshake && segment.seq == 0;
        let closes = self.fin && segment.seq >= self.size;
        assert!(!closes || self.tx.acknowledged() == self.size);
        assert!(
            segment.syn || segment.len > 0 || confirms || closes,
            "an empty segment"
        );
        assert!(segment.len <= self.mss);
        let left = self.size - self.tx.acknowledged();
        let marked = self.marks && !segment.syn;
        assert_eq!(segment.rank.is_some(), marked, "{segment:?}");
        if let Some(rank) = segment.rank {
            assert!(u64::from(rank) <= left, "{segment:?}");
            assert!(rank >= segment.len, "{segment:?}");
        }
    }

    fn fate(&mut self, fates: &[Fate]) -> Fate {
        self.departures += 1;
        let turn = self.departures as usize - 1;
        fates.get(turn).copied().unwrap_or(GOOD)
    }

    fn launch(&mut self, fate: Fate, packet: impl Fn() -> Flying) {
        for copy in 0..u64::from(fate.copies) {
            let at = self.now + Time::from_us(fate.delay_us + copy * 7);
            let key = (at, self.departures * 4 + copy);
            self.flying.insert(key, packet());
        }
    }

    fn deliver(&mut self, fates: &[Fate]) {
        let (_, packet) = self.flying.pop_first().expect("something flies");
        match packet {
            Flying::Data(s, fate) => {
                let arrival = Arrival {
                    seq: s.seq,
                    len: s.len,
                    syn: s.syn,
                    ce: fate.marked && s.ect,
                    cwr: s.cwr,
                    trimmed: fate.trimmed && s.len > 0,
                };
                self.arrive(arrival, fates);
            }
            Flying::Ack(ack) => self.tx.on_ack(self.now, ack),
        }
    }

    fn arrive(&mut self, arrival: Arrival, fates: &[Fate]) {
        match &mut self.rx {
            Some(rx) => {
                let complete = rx.on_segment(self.now, arrival);
                assert!(!complete || rx.delivered() == self.size);
            }
            None => {
                if let Some(ack) = answer_late(self.size, &arrival) {
                    let fate = self.fate(fates);
                    self.launch(fate, || Flying::Ack(ack));
                }
            }
        }
    }
}

/// Every registered controller, and NewReno with marks.
fn congestions() -> Vec<Congestion> {
    let named = |entry: &Entry| {
        let config = TransportConfig::from_name(entry.name).expect("a listed name is known");
        config.tcp().map(|tcp| tcp.congestion)
    };
    let registered = ENTRIES.iter().filter_map(named);
    let marks = Congestion::NewReno { ecn: true };
    registered.chain([marks]).collect()
}

fn one_of<T: Clone + std::fmt::Debug + 'static>(
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
fn config() -> impl Strategy<Value = TcpConfig> {
    let congestion = proptest::sample::select(congestions());
    let recovery = one_of(Recovery::WORDS, Recovery::from_name);
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
        (recovery, reduction, ranking),
        (estimator, ends),
        (delayed_ack, rule),
        (threshold, reordering),
        (1..12u32, 1..60_000u64),
        any::<[bool; 5]>(),
    )
        .prop_map(
            |(
                congestion,
                (recovery, reduction, ranking),
                (estimator, backoff_ends),
                (delayed_ack, ack_rule),
                (dupack_threshold, reordering),
                sizes,
                yes,
            )| {
                TcpConfig {
                    congestion,
                    recovery,
                    reduction,
                    mss: 1000,
                    initial_window: sizes.0,
                    receive_window: sizes.1,
                    dupack_threshold,
                    reordering,
                    limited_transmit: yes[0],
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
                    },
                    handshake: yes[3],
                    fin: yes[4],
                    ranking,
                    ..TcpConfig::default()
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
    )
        .prop_map(|(copies, delay_us, marked, trimmed)| Fate {
            copies,
            delay_us,
            marked,
            trimmed,
        });
    proptest::collection::vec(fate, 0..250)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn every_byte_arrives_whatever_the_network_does(
        config in config(),
        size in 0..60_000u64,
        fates in fates(),
    ) {
        let mut net = Net::new(config.into(), size);
        net.run(&fates);
        prop_assert_eq!(net.delivered(), size);
        prop_assert!(net.tx.is_done());
        prop_assert_eq!(net.tx.machine().deadline(), None);
        prop_assert!(net.rx.is_none() || size == 0, "nothing is kept of a flow that is complete");
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
        let mut net = Net::new(config.into(), size);
        net.run(&fates);
        prop_assert_eq!(net.delivered(), size);
        prop_assert!(net.tx.is_done());
        prop_assert_eq!(net.tx.machine().deadline(), None);
        prop_assert!(net.rx.is_none() || size == 0, "nothing is kept of a flow that is complete");
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

    #[test]
    fn no_sequence_of_acknowledgements_breaks_a_sender(
        config in config(),
        size in proptest::option::of(0..200_000u64),
        moves in proptest::collection::vec(
            (0..40_000u64, any::<[u8; 4]>(), 0..400u64, proptest::array::uniform6(0..30_000u32)),
            0..120,
        ),
    ) {
        let window = config.receive_window;
        let pfabric = PfabricConfig {
            mss: config.mss,
            window: config.initial_window,
            rto: config.rto.min,
            probe_after: config.dupack_threshold.unwrap_or(2),
            slow_start: config.limited_transmit,
            receive_window: window,
            ranking: config.ranking,
        };
        let mut tx = if config.idle_restart {
            AnySender::Tcp(TcpSender::new(Arc::new(config), size))
        } else {
            TransportConfig::from(pfabric).sender(size)
        };
        let (mut now, mut sent, mut heard) = (Time::ZERO, 0, 0);
        for (ack, how, wait, edges) in moves {
            now += Time::from_us(wait);
            let mut sack = sidestep_types::SackBlocks::NONE;
            for pair in edges.chunks(2).take(usize::from(how[0] % 4)) {
                if pair[0] < pair[1] {
                    sack.push(pair[0], pair[1]);
                }
            }
            // Mostly plausible, sometimes absurd.
            let ack = match how[1] {
                0..3 => u64::MAX - ack,
                3..20 => ack * 50,
                _ => ack,
            };
            match how[2] % 5 {
                0 => tx.on_timeout(now),
                1 => tx.on_timeout(tx.deadline().map_or(now, |d| d.min(now))),
                _ => {
                    if ack <= sent && how[3] % 16 != 0 {
                        heard = heard.max(ack);
                    }
                    tx.on_ack(now, Ack { ack, ece: how[3] & 1 == 1, syn: how[3] % 16 == 0, sack, cut: how[3] & 6 == 2, below: how[3] & 10 == 8 });
                }
            }
            for _ in 0..300 {
                let Some(s) = tx.poll_send(now) else { break };
                let end = s.seq + u64::from(s.len);
                prop_assert!(s.len == 0 || end <= size.unwrap_or(u64::MAX));
                prop_assert!(s.len == 0 || end <= heard + window, "{:?} with {} acknowledged", s, heard);
                sent = sent.max(end);
            }
            prop_assert_eq!(tx.poll_send(now), None);
        }
    }

    #[test]
    fn a_receiver_delivers_what_a_bitmap_would(
        config in config(),
        segments in proptest::collection::vec((0..300u64, 0..60u32, any::<[bool; 4]>()), 0..150),
    ) {
        const SPAN: usize = 1000;
        let window = config.receive_window.min(100);
        let sack = config.recovery == Recovery::Sack;
        let config = TcpConfig { receive_window: window, ..config };
        let mut rx = TcpReceiver::new(Arc::new(config.clone()));
        let mut seen = [false; SPAN];
        let mut next = 0usize;
        for (i, (seq, len, how)) in segments.into_iter().enumerate() {
            let now = Time::from_us(i as u64 * 20);
            let syn = how[0] && how[1] && how[2];
            let trimmed = how[1] && how[3];
            rx.on_segment(now, Arrival { seq, len, syn, ce: how[3], cwr: how[2], trimmed });
            let whole = !syn && !trimmed;
            let known = |b: &usize| seen[*b];
            let again: Vec<usize> = (seq as usize..seq as usize + len as usize)
                .skip_while(|b| !known(b))
                .take_while(known)
                .collect();
            let again = again.first().map(|from| (*from as u64, (from + again.len()) as u64));
            let again = again.filter(|_| whole && sack && config.reordering.dsack);
            let mut told = None;
            if whole {
                let limit = next + window as usize;
                let end = (seq as usize + len as usize).min(limit);
                (seq as usize..end).for_each(|b| seen[b] = true);
                next += seen[next..].iter().take_while(|b| **b).count();
            }
            prop_assert_eq!(rx.delivered(), next as u64);
            while let Some(ack) = rx.poll_ack(now) {
                let fin = u64::from(len == 0 && !syn && !trimmed && seq > 0 && seq == next as u64);
                prop_assert!(ack.ack <= next as u64 + fin);
                prop_assert!(sack || ack.arrived().next().is_none());
                if let Some((from, to)) = ack.cut_off() {
                    prop_assert!(trimmed && from >= next as u64);
                    prop_assert_eq!(to, seq + u64::from(len));
                }
                told = told.or(ack.duplicate());
                let within = ack.duplicate().is_some() && !ack.below;
                for (from, to) in ack.arrived().skip(usize::from(within)) {
                    let block = from as usize..to as usize;
                    prop_assert!(!seen[block.start - 1] && !seen[block.end]);
                    prop_assert!(seen[block].iter().all(|b| *b));
                }
            }
            prop_assert_eq!(told, again);
            if how[0] {
                rx.on_timeout(now);
            }
        }
    }
}

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
        // Each repair arrives once more. What was under way at the end is told by nobody.
        prop_assert!(counters.dsacks <= counters.retransmits);
        prop_assert!(u64::from(counters.retransmits - counters.dsacks) <= segments);
        prop_assert!(undo || counters.undone == 0);
        prop_assert!(counters.undone <= counters.fast_retransmits);
        if rule != ThresholdRule::Fixed && share == 1.0 {
            // No length exceeds the window, each D-SACK of a repair at the threshold raises that by one
            // at least, and until it is heard of a recovery or two more may begin.
            prop_assert!(u64::from(counters.fast_retransmits) <= 3 * segments, "{:?}", counters);
        }
    }
}
