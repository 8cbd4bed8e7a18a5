//! Network of a sender and a receiver, with the packets in flight between them.

use super::*;

/// Fate of one packet.
#[derive(Clone, Copy, Debug)]
pub struct Fate {
    pub copies: u8,
    pub delay_us: u64,
    pub marked: bool,
    pub trimmed: bool,
}

pub const GOOD: Fate = Fate {
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

pub struct Net {
    pub now: Time,
    pub tx: Endpoint<AnySender>,
    /// Receiver, until the flow is complete and no acknowledgement is pending.
    pub rx: Option<Endpoint<AnyReceiver>>,
    alarms: BTreeSet<(Time, Side)>,
    /// Packets in flight by arrival, then by departure.
    flying: BTreeMap<(Time, u64), Flying>,
    departures: u64,
    mss: u32,
    receive_window: u64,
    handshake: bool,
    fin: bool,
    marks: bool,
    pub size: u64,
    pub law: swift::Law,
    pub evidence: rack::Evidence,
    /// Path that decides the fates of packets instead of a list of them.
    pub path: Option<undo::Path>,
    /// Time at which the last byte of the flow was delivered.
    pub finished: Option<Time>,
    /// Longest timeout in force so far, back-off included.
    pub longest: Time,
}

impl Net {
    pub fn new(config: TransportConfig, size: u64) -> Net {
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
            law: swift::Law::default(),
            evidence: rack::Evidence::default(),
            path: None,
            finished: None,
            longest: Time::ZERO,
        }
    }

    /// Starts another message of `size` bytes on the same connection: its sender goes on, its receiver is new.
    pub fn push(&mut self, config: &TransportConfig, size: u64) {
        let AnySender::Tcp(tx) = self.tx.machine_mut() else {
            panic!("it is TCP")
        };
        tx.push(size);
        self.rx = Some(Endpoint::receiving(config.receiver(), size, 1));
        self.size = size;
    }

    /// Runs until nothing is left to do. The packets meet `fates` in turn; later ones arrive.
    pub fn run(&mut self, fates: &[Fate]) {
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
        self.hold_law();
        let pace = self.pace();
        while let Some(segment) = self.tx.poll_send(self.now) {
            self.check(segment);
            self.evidence.send(self.now, &segment);
            if segment.len > 0 {
                self.law.send(self.now, pace);
            }
            let fate = match &mut self.path {
                Some(path) => path.fate(self.now, segment.seq),
                None => self.fate(fates),
            };
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

    fn hold_law(&mut self) {
        if let AnySender::Tcp(tx) = self.tx.machine() {
            self.longest = self.longest.max(tx.rto());
            self.law.hold(self.now, tx);
        }
    }

    fn pace(&self) -> Time {
        match self.tx.machine() {
            AnySender::Tcp(tx) => tx.pace(),
            _ => Time::ZERO,
        }
    }

    fn wake(&mut self, alarm: (Time, Side)) {
        self.alarms.remove(&alarm);
        let (at, side) = alarm;
        match (side, &mut self.rx) {
            (Side::Sending, _) => {
                let knew = match self.tx.machine() {
                    AnySender::Tcp(tx) => tx.waits_for_window(),
                    _ => false,
                };
                self.tx.on_alarm(self.now, at);
                self.evidence.wake(self.now, &self.tx, knew);
            }
            (Side::Receiving, Some(rx)) => {
                rx.on_alarm(self.now, at);
            }
            (Side::Receiving, None) => {}
        }
    }

    /// Returns the bytes that have arrived in order.
    pub fn delivered(&self) -> u64 {
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
                    hops: (s.seq % 7) as u8,
                };
                self.arrive(arrival, fates);
            }
            Flying::Ack(ack) => {
                self.evidence.hear(self.now, &ack);
                self.tx.on_ack(self.now, ack);
            }
        }
    }

    fn arrive(&mut self, arrival: Arrival, fates: &[Fate]) {
        match &mut self.rx {
            Some(rx) => {
                let complete = rx.on_segment(self.now, arrival);
                assert!(!complete || rx.delivered() == self.size);
                if complete {
                    self.finished.get_or_insert(self.now);
                }
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
