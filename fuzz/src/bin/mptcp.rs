//! Fuzzes several subflows between two ends, whose packets arrive in any order, twice, trimmed or never. Every
//! byte is delivered once, within the window of the message, and in the end all bytes are delivered.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use sidestep_fuzz::Settings;
use sidestep_transport::mptcp::{Coupling, Scheduler};
use sidestep_transport::{
    Ack, AnyReceiver, AnySender, Arrival, MptcpConfig, Receiver, Segment, Sender, TcpConfig,
    TransportConfig,
};
use sidestep_types::Time;
use std::sync::Arc;

/// Limit of rounds without a new byte: more than retransmissions of a full window on 16 subflows need.
const ROUNDS_WITHOUT_A_BYTE: u32 = 20_000;

#[derive(Arbitrary, Debug)]
struct Conversation {
    settings: Settings,
    subflows: u8,
    coupled: bool,
    reinject: bool,
    in_turn: bool,
    size: u16,
    steps: Vec<(u8, Event)>,
}

/// Next event, after so many microseconds. A packet is chosen by its index among those in flight.
#[derive(Arbitrary, Debug)]
enum Event {
    Data {
        which: u8,
        ce: bool,
        cut: bool,
        stays: bool,
    },
    Ack {
        which: u8,
        stays: bool,
    },
    LoseData(u8),
    LoseAck(u8),
    /// The timers expire, if they are due soon.
    Due,
}

struct Net {
    now: Time,
    tx: AnySender,
    rx: AnyReceiver,
    data: Vec<(Segment, u64)>,
    acks: Vec<Ack>,
    size: u64,
    window: u64,
    delivered: u64,
}

fuzz_target!(|talk: Conversation| {
    let mut tcp = talk.settings.tcp();
    // A close needs a host that answers late packets: crates/sim/tests/mptcp.rs.
    tcp.fin = false;
    // A subflow cannot use Swift.
    if tcp.congestion.name() == "swift" {
        tcp.congestion = TcpConfig::default().congestion;
    }
    // As many segments, if each segment is one byte.
    let size = u64::from(talk.size % 8_192);
    let config = MptcpConfig {
        tcp: Arc::new(tcp),
        subflows: talk.subflows % 16 + 1,
        coupling: if talk.coupled {
            Coupling::Lia
        } else {
            Coupling::Uncoupled
        },
        reinject: talk.reinject,
        scheduler: if talk.in_turn {
            Scheduler::RoundRobin
        } else {
            Scheduler::LowestRtt
        },
    };
    let window = config.receive_window();
    let config = TransportConfig::from(config);
    let mut net = Net {
        now: Time::ZERO,
        tx: config.sender(Some(size)),
        rx: config.receiver(),
        data: Vec::new(),
        acks: Vec::new(),
        size,
        window,
        delivered: 0,
    };
    net.hear_out();
    for (after, event) in talk.steps.iter().take(300) {
        net.now += Time::from_us(u64::from(*after));
        net.step(event);
        net.hear_out();
    }
    net.end();
});

impl Net {
    fn step(&mut self, event: &Event) {
        match *event {
            Event::Data {
                which,
                ce,
                cut,
                stays,
            } => {
                if let Some(at) = place(which, self.data.len()) {
                    let (segment, data) = self.data[at];
                    if !stays {
                        self.data.remove(at);
                    }
                    self.arrives(segment, data, ce, cut);
                }
            }
            Event::Ack { which, stays } => {
                if let Some(at) = place(which, self.acks.len()) {
                    let ack = self.acks[at];
                    if !stays {
                        self.acks.remove(at);
                    }
                    self.tx.on_ack(self.now, ack);
                }
            }
            Event::LoseData(which) => {
                if let Some(at) = place(which, self.data.len()) {
                    self.data.remove(at);
                }
            }
            Event::LoseAck(which) => {
                if let Some(at) = place(which, self.acks.len()) {
                    self.acks.remove(at);
                }
            }
            Event::Due => self.due(),
        }
    }

    fn arrives(&mut self, segment: Segment, data: u64, ce: bool, cut: bool) {
        let arrival = Arrival {
            seq: segment.seq,
            len: segment.len,
            syn: segment.syn,
            ce: ce && segment.ect,
            cwr: segment.cwr,
            trimmed: cut && segment.len > 0,
            hops: 0,
        };
        self.rx.on_mapped_segment(self.now, arrival, || data);
        let now = self.rx.delivered();
        assert!((self.delivered..=self.size).contains(&now));
        self.delivered = now;
    }

    fn due(&mut self) {
        let (tx, rx) = (Sender::deadline(&self.tx), Receiver::deadline(&self.rx));
        let Some(due) = tx.into_iter().chain(rx).min() else {
            return;
        };
        self.now = self.now.max(due);
        Sender::on_timeout(&mut self.tx, self.now);
        Receiver::on_timeout(&mut self.rx, self.now);
    }

    fn hear_out(&mut self) {
        // A full window on each of 16 subflows, and as many retransmissions.
        for _ in 0..40_000 {
            let Some(segment) = self.tx.poll_send(self.now) else {
                while let Some(ack) = self.rx.poll_ack(self.now) {
                    self.acks.push(ack);
                }
                return;
            };
            let data = self.tx.data_seq().unwrap_or(0);
            let end = data + u64::from(segment.len);
            assert!(end <= self.size, "{segment:?} beyond the end");
            assert!(
                segment.len == 0 || end <= self.delivered + self.window,
                "{segment:?} beyond the window"
            );
            self.data.push((segment, data));
        }
        panic!("the sender never stops");
    }

    /// Delivers every packet from now on, until all bytes are delivered and acknowledged. The rounds that a
    /// byte takes depend on the settings (a timer shorter than the delay of acknowledgements repeats it on
    /// every subflow), so the test only requires that the next byte arrives.
    fn end(&mut self) {
        let mut idle = 0;
        while idle < ROUNDS_WITHOUT_A_BYTE {
            let before = self.delivered;
            for (segment, data) in std::mem::take(&mut self.data) {
                self.arrives(segment, data, false, false);
            }
            self.hear_out();
            for ack in std::mem::take(&mut self.acks) {
                self.tx.on_ack(self.now, ack);
            }
            self.hear_out();
            if self.data.is_empty() && self.acks.is_empty() {
                if self.tx.is_done() {
                    assert_eq!(self.delivered, self.size);
                    return;
                }
                self.due();
                self.hear_out();
            }
            self.now += Time::from_us(1);
            idle = if self.delivered > before { 0 } else { idle + 1 };
        }
        panic!(
            "nothing new in {ROUNDS_WITHOUT_A_BYTE} rounds: {:?}, {} of {}",
            self.tx.counters(),
            self.delivered,
            self.size
        );
    }
}

fn place(which: u8, of: usize) -> Option<usize> {
    (of > 0).then(|| usize::from(which) % of.max(1))
}
