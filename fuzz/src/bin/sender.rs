//! Fuzzes a sender with any sequence of timeouts and acknowledgements, true or false. A sender never panics,
//! never sends bytes that it does not have or the receiver does not want, and never falls silent for good.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use sidestep_fuzz::Settings;
use sidestep_transport::{Ack, Congestion, LossDetection, Segment, Sender, TcpConfig, TcpSender};
use sidestep_types::{SackBlocks, Time};
use std::sync::Arc;

/// Next event, after this many microseconds.
#[derive(Arbitrary, Debug)]
struct Step {
    after_us: u8,
    event: Event,
}

#[derive(Arbitrary, Debug)]
enum Event {
    Ack {
        at: Place,
        ece: bool,
        syn: bool,
        sack: Vec<(Reach, Reach)>,
        /// True if the first block is data that a switch trimmed.
        cut: bool,
        /// True if the first block lies below the acknowledged byte.
        below: bool,
    },
    /// The timer expires.
    Due,
    /// The sender is woken before its timer expires.
    Early,
    /// The application has another message, once the previous one is acknowledged.
    Push(u16),
}

/// Next byte that the receiver expects.
#[derive(Arbitrary, Debug)]
enum Place {
    /// The byte acknowledged before.
    Duplicate,
    /// A byte this many segments further, within the bytes sent.
    Segments(u8),
    /// A byte this many bytes further; perhaps beyond the bytes sent.
    Bytes(u16),
    /// The end of the bytes sent.
    All,
    /// An old byte, or nonsense.
    Any(u64),
}

/// Distance from the acknowledged byte.
#[derive(Arbitrary, Debug)]
enum Reach {
    Segments(u8),
    Any(u32),
}

#[derive(Arbitrary, Debug)]
struct Conversation {
    settings: Settings,
    size: Option<u32>,
    steps: Vec<Step>,
}

fuzz_target!(|conversation: Conversation| {
    let Conversation {
        settings,
        size,
        steps,
    } = conversation;
    let mut talk = Talk::new(settings.tcp(), size.map(u64::from));
    talk.hear_out();
    for step in steps.iter().take(400) {
        talk.now += Time::from_us(u64::from(step.after_us));
        talk.step(&step.event);
        talk.hear_out();
    }
});

/// Sender, and its state as seen from outside.
struct Talk {
    now: Time,
    config: Arc<TcpConfig>,
    tx: TcpSender,
    /// Bytes of the message; `u64::MAX` for an endless one.
    total: u64,
    /// True once the handshake is over.
    open: bool,
    syn_sent: bool,
    /// True once the handshake's third packet has been sent.
    greeted: bool,
    /// True while the connection is still to be closed.
    lingers: bool,
    fin_sent: bool,
    /// True if the FIN was answered, and the answer is still to be acknowledged.
    fin_answered: bool,
    /// End of the highest byte sent.
    sent: u64,
    /// Highest acknowledgement of bytes sent.
    acked: u64,
    segments: u32,
    retransmits: u32,
    timeouts: u32,
}

impl Talk {
    fn new(config: TcpConfig, size: Option<u64>) -> Talk {
        let config = Arc::new(config);
        Talk {
            now: Time::ZERO,
            tx: TcpSender::new(config.clone(), size),
            total: size.unwrap_or(u64::MAX),
            open: !config.handshake,
            syn_sent: false,
            greeted: false,
            lingers: config.fin && size != Some(0),
            fin_sent: false,
            fin_answered: false,
            config,
            sent: 0,
            acked: 0,
            segments: 0,
            retransmits: 0,
            timeouts: 0,
        }
    }

    fn step(&mut self, event: &Event) {
        match event {
            Event::Ack {
                at,
                ece,
                syn,
                sack,
                cut,
                below,
            } => {
                let ack = Ack {
                    ack: self.place(at),
                    ece: *ece,
                    syn: *syn,
                    sack: self.blocks(sack),
                    cut: *cut,
                    below: *below && !*cut,
                    hops: 0,
                };
                self.ack(ack);
            }
            Event::Due => self.due(),
            Event::Early => {
                if self.tx.deadline().is_none_or(|due| self.now < due) {
                    self.tx.on_timeout(self.now);
                }
            }
            Event::Push(bytes) => {
                if self.tx.is_done() {
                    self.push(u64::from(*bytes));
                }
            }
        }
    }

    /// Starts another message: numbers and counts begin anew.
    fn push(&mut self, bytes: u64) {
        self.tx.push(bytes);
        self.total = bytes;
        (self.sent, self.acked) = (0, 0);
        (self.segments, self.retransmits, self.timeouts) = (0, 0, 0);
    }

    fn place(&self, at: &Place) -> u64 {
        let mss = u64::from(self.config.mss);
        match *at {
            Place::Duplicate => self.acked,
            Place::Segments(n) => (self.acked + u64::from(n) * mss).min(self.sent),
            Place::Bytes(n) => self.acked + u64::from(n),
            Place::All => self.sent,
            Place::Any(ack) => ack,
        }
    }

    fn blocks(&self, reported: &[(Reach, Reach)]) -> SackBlocks {
        let reach = |reach: &Reach| match *reach {
            Reach::Segments(n) => u32::from(n) * self.config.mss,
            Reach::Any(bytes) => bytes,
        };
        let mut blocks = SackBlocks::NONE;
        for (start, end) in reported.iter().take(3) {
            let (start, end) = (reach(start), reach(end));
            if start < end {
                blocks.push(start, end);
            }
        }
        blocks
    }

    fn ack(&mut self, ack: Ack) {
        self.tx.on_ack(self.now, ack);
        if !self.open {
            self.open = self.syn_sent && ack.syn && ack.ack == 0;
        } else if self.fin_sent && !ack.syn && ack.ack == self.total + 1 {
            self.fin_answered = self.lingers;
        } else if !ack.syn && ack.ack <= self.sent {
            self.acked = self.acked.max(ack.ack);
        }
    }

    fn due(&mut self) {
        if let Some(due) = self.tx.deadline() {
            self.now = self.now.max(due);
            let before = self.tx.counters().timeouts;
            self.tx.on_timeout(self.now);
            // The timer may release a paced segment, mark losses by time, or probe a tail.
            let ran_out = self.tx.counters().timeouts - before;
            let waits = self.paces() || self.config.loss_detection() == LossDetection::Rack;
            assert!(ran_out == 1 || ran_out == 0 && waits);
            self.timeouts += ran_out;
        }
    }

    /// Returns true if the sender may wait between two segments.
    fn paces(&self) -> bool {
        matches!(self.config.congestion, Congestion::Swift { .. })
    }

    /// Reads everything that the sender has to send now, and checks its state afterwards.
    fn hear_out(&mut self) {
        // Every byte in the window once, in segments that the application may each split.
        let most = 2 * (self.config.receive_window / u64::from(self.config.mss) + 401);
        for _ in 0..most {
            match self.tx.poll_send(self.now) {
                Some(segment) => self.check(segment),
                None => return self.check_rest(),
            }
        }
        panic!("the sender never stops: {:?}", self.tx);
    }

    fn check(&mut self, segment: Segment) {
        if segment.syn {
            assert!(
                !self.open && segment.len == 0 && segment.seq == 0,
                "{segment:?}"
            );
            assert_eq!(segment.retransmit, self.syn_sent, "{segment:?}");
            self.syn_sent = true;
            return;
        }
        if segment.len == 0 && self.lingers && self.acked == self.total {
            return self.check_close(segment);
        }
        if segment.len == 0 {
            // The handshake's third packet, once.
            let third = self.config.handshake && self.open && segment.seq == 0;
            assert!(
                third && !std::mem::replace(&mut self.greeted, true),
                "{segment:?}"
            );
            return;
        }
        let end = segment.seq + u64::from(segment.len);
        assert!(self.open, "{segment:?} before the connection stands");
        assert!((1..=self.config.mss).contains(&segment.len), "{segment:?}");
        assert!(
            end <= self.total,
            "{segment:?} is beyond {} bytes",
            self.total
        );
        let limit = self.acked + self.config.receive_window;
        assert!(
            end <= limit,
            "{segment:?} is beyond the receive window, {limit}"
        );
        assert!(
            segment.seq >= self.acked,
            "{segment:?} was acknowledged, up to {}",
            self.acked
        );
        let left = (self.total - self.acked).min(u64::from(u32::MAX)) as u32;
        assert!(
            (segment.rank).is_some_and(|rank| (segment.len..=left).contains(&rank)),
            "{segment:?} of {left} B left"
        );
        if segment.retransmit {
            assert!(
                end <= self.sent,
                "{segment:?} has new bytes, from {}",
                self.sent
            );
            self.retransmits += 1;
        } else {
            assert_eq!(
                segment.seq, self.sent,
                "{segment:?} leaves a gap or repeats"
            );
            self.sent = end;
        }
        self.segments += 1;
    }

    /// Checks a FIN until it is answered, then one packet more.
    fn check_close(&mut self, segment: Segment) {
        if self.fin_answered {
            assert_eq!(segment.seq, self.total + 1, "{segment:?}");
            (self.lingers, self.fin_sent, self.fin_answered) = (false, false, false);
            return;
        }
        assert_eq!(segment.seq, self.total, "{segment:?}");
        assert_eq!(segment.retransmit, self.fin_sent, "{segment:?}");
        self.fin_sent = true;
    }

    fn check_rest(&self) {
        let done = self.acked == self.total && !self.lingers;
        assert_eq!(self.tx.is_done(), done, "{} of {}", self.acked, self.total);
        let outstanding = self.sent > self.acked || (self.syn_sent && !self.open) || self.fin_sent;
        let deadline = self.tx.deadline();
        let due = deadline.is_some();
        assert!(
            due == outstanding || due && self.paces(),
            "due {deadline:?}"
        );
        assert!(done || due, "silent for good: {:?}", self.tx);
        assert!(self.tx.cwnd() > 0);
        let counted = self.tx.counters();
        assert_eq!(counted.segments, self.segments);
        assert_eq!(counted.retransmits, self.retransmits);
        assert_eq!(counted.timeouts, self.timeouts);
    }
}
