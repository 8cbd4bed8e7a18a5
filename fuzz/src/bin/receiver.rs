//! Fuzzes a receiver with any sequence of segments and timeouts, against a model that keeps one bit a byte.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use sidestep_fuzz::Settings;
use sidestep_transport::{
    Ack, AckRule, Arrival, Congestion, Receiver, Recovery, TcpConfig, TcpReceiver,
};
use sidestep_types::Time;
use std::sync::Arc;

/// Next event, after this many microseconds.
#[derive(Arbitrary, Debug)]
struct Step {
    after_us: u8,
    event: Event,
}

#[derive(Arbitrary, Debug)]
enum Event {
    /// Segment in or near the window, where the model keeps track.
    Near {
        seq: Place,
        len: u16,
        ce: bool,
        cwr: bool,
    },
    /// Segment anywhere in sequence space.
    Far {
        seq: u64,
        len: u32,
        ce: bool,
        cwr: bool,
    },
    Syn,
    /// Segment without its payload.
    Trimmed {
        seq: Place,
        len: u16,
    },
    /// The timer expires.
    Due,
    /// The receiver is woken before its timer expires.
    Early,
}

#[derive(Arbitrary, Debug)]
enum Place {
    /// Next byte expected.
    Next,
    /// Byte this far beyond it.
    Ahead(u16),
    /// Byte this far before it.
    Behind(u16),
}

fuzz_target!(|conversation: (Settings, Vec<Step>)| {
    let (settings, steps) = conversation;
    let mut pair = Pair::new(settings.tcp());
    for step in steps.iter().take(400) {
        pair.now += Time::from_us(u64::from(step.after_us));
        pair.step(&step.event);
    }
});

/// Receiver and its model.
struct Pair {
    now: Time,
    config: Arc<TcpConfig>,
    rx: TcpReceiver,
    /// True for each byte that has arrived.
    have: Vec<bool>,
    /// Next byte expected.
    next: u64,
    acked: u64,
    /// Data segments since the last acknowledgement.
    waiting: u32,
    /// True if the next acknowledgement echoes a mark.
    echo: bool,
}

impl Pair {
    fn new(config: TcpConfig) -> Pair {
        // The model reads every byte of the window for every acknowledgement.
        let receive_window = config.receive_window.min(2048);
        let config = Arc::new(TcpConfig {
            receive_window,
            ..config
        });
        Pair {
            now: Time::ZERO,
            rx: TcpReceiver::new(config.clone()),
            config,
            have: Vec::new(),
            next: 0,
            acked: 0,
            waiting: 0,
            echo: false,
        }
    }

    fn step(&mut self, event: &Event) {
        match *event {
            Event::Near {
                ref seq,
                len,
                ce,
                cwr,
            } => {
                let seq = self.at(seq);
                self.segment(seq, u32::from(len), ce, cwr);
            }
            Event::Far { seq, len, ce, cwr } => self.segment(seq, len, ce, cwr),
            Event::Trimmed { ref seq, len } => {
                let seq = self.at(seq);
                self.trimmed(seq, u32::from(len));
            }
            Event::Syn => self.syn(),
            Event::Due => self.due(),
            Event::Early => self.early(),
        }
        assert_eq!(self.rx.delivered(), self.next, "bytes delivered");
    }

    fn at(&self, place: &Place) -> u64 {
        match *place {
            Place::Next => self.next,
            Place::Ahead(by) => self.next + u64::from(by),
            Place::Behind(by) => self.next.saturating_sub(u64::from(by)),
        }
    }

    /// Delivers a trimmed segment: no data arrives, and the missing part is reported at once.
    fn trimmed(&mut self, seq: u64, len: u32) {
        let arrival = Arrival {
            seq,
            len,
            syn: false,
            ce: true,
            cwr: true,
            trimmed: true,
            hops: 0,
        };
        self.rx.on_segment(self.now, arrival);
        if len == 0 {
            assert_eq!(self.acks(), [], "an empty segment is no data");
            return;
        }
        let acks = self.acks();
        let last = acks.last().expect("it is answered at once");
        self.is_current(last);
        let end = seq + u64::from(len);
        let here = |byte: u64| {
            byte < self.next || self.have.get((byte - self.next) as usize) == Some(&true)
        };
        let cut = (!(seq..end).all(here)).then_some((seq.max(self.next), end));
        assert_eq!(last.cut_off(), cut, "{last:?}");
    }

    /// Delivers a segment without data: a FIN if everything before it has arrived, else nothing.
    fn empty(&mut self, seq: u64) {
        if seq > 0 && seq == self.next {
            let fin = self.rx.poll_ack(self.now).expect("a FIN is answered");
            assert_eq!(fin.ack, self.next + 1, "{fin:?}");
            (self.acked, self.waiting) = (self.next, 0);
        }
        assert_eq!(self.acks(), [], "an empty segment is no data");
    }

    fn segment(&mut self, seq: u64, len: u32, ce: bool, cwr: bool) {
        let before = self.next;
        let (in_order, hole) = (seq == self.next, self.have.contains(&true));
        self.model(seq, len, ce, cwr);
        self.rx.on_segment(
            self.now,
            Arrival {
                seq,
                len,
                syn: false,
                ce,
                cwr,
                trimmed: false,
                hops: 0,
            },
        );
        if len == 0 {
            return self.empty(seq);
        }
        let acks = self.acks();
        self.waiting = if acks.is_empty() {
            self.waiting + 1
        } else {
            self.waiting
        };
        let whole = self.next >= seq.saturating_add(u64::from(len));
        if in_order && !hole && whole && self.config.delayed_ack.is_some() {
            self.may_wait(&acks);
        } else {
            let last = acks.last().expect("anything else is answered at once");
            self.is_current(last);
        }
        if seq > before {
            self.reports_first(seq, len, acks.last());
        }
    }

    /// Adds the segment to the model.
    fn model(&mut self, seq: u64, len: u32, ce: bool, cwr: bool) {
        if len == 0 {
            return;
        }
        self.echo = match self.config.congestion {
            Congestion::NewReno { ecn: false } | Congestion::Swift { .. } => false,
            Congestion::NewReno { ecn: true } => ce || (self.echo && !cwr),
            Congestion::Dctcp { .. } => ce,
        };
        let end = seq
            .saturating_add(u64::from(len))
            .min(self.next + self.config.receive_window);
        // `have` begins at the next byte expected.
        for byte in seq.max(self.next)..end.max(seq) {
            let i = (byte - self.next) as usize;
            if i >= self.have.len() {
                self.have.resize(i + 1, false);
            }
            self.have[i] = true;
        }
        let run = self.have.iter().take_while(|here| **here).count();
        self.have.drain(..run);
        self.next += run as u64;
    }

    /// Checks the delay of an acknowledgement: an in-order segment may wait for others, but not for many and
    /// not without a timer.
    fn may_wait(&mut self, acks: &[Ack]) {
        let delay = self.config.delayed_ack.expect("it delays");
        if acks.last().is_some_and(|ack| ack.ack == self.next) {
            return;
        }
        let due = self
            .rx
            .deadline()
            .expect("a timer runs while something waits");
        assert!(due <= self.now + delay.timeout, "due {due} at {}", self.now);
        assert!(
            self.config.ack_rule == AckRule::Linux || self.waiting < delay.segments.max(1),
            "{} segments wait",
            self.waiting
        );
    }

    fn is_current(&self, ack: &Ack) {
        assert_eq!((ack.ack, ack.ece), (self.next, self.echo), "{ack:?}");
        assert_eq!(self.rx.deadline(), None, "nothing waits any more");
    }

    fn syn(&mut self) {
        let syn = Arrival {
            seq: 0,
            len: 0,
            syn: true,
            ce: false,
            cwr: false,
            trimmed: false,
            hops: 0,
        };
        self.rx.on_segment(self.now, syn);
        let ack = self.rx.poll_ack(self.now).expect("a SYN is answered");
        assert!(
            ack.syn && ack.ack == self.next && !ack.ece && ack.sack.is_empty(),
            "{ack:?}"
        );
        assert_eq!(self.acks(), [], "and answered once");
        self.acked = self.next;
    }

    fn due(&mut self) {
        let Some(due) = self.rx.deadline() else {
            return self.early();
        };
        self.now = self.now.max(due);
        self.rx.on_timeout(self.now);
        let acks = self.acks();
        self.is_current(acks.last().expect("what waited is acknowledged"));
    }

    fn early(&mut self) {
        if self.rx.deadline().is_none_or(|due| self.now < due) {
            self.rx.on_timeout(self.now);
            assert_eq!(self.acks(), [], "nothing is due");
        }
    }

    /// Returns all acknowledgements that are due, after checking each.
    fn acks(&mut self) -> Vec<Ack> {
        let mut acks = Vec::new();
        while let Some(ack) = self.rx.poll_ack(self.now) {
            assert!(acks.len() < 2, "a segment is answered twice at most");
            assert!(!ack.syn, "nobody asked");
            assert!(ack.ack >= self.acked, "{} after {}", ack.ack, self.acked);
            assert!(ack.ack <= self.next, "{} is not here", ack.ack);
            self.acked = ack.ack;
            self.waiting = 0;
            self.check_blocks(&ack);
            acks.push(ack);
        }
        if let Some(last) = acks.last().filter(|last| last.ack == self.next) {
            self.check_all_reported(last);
        }
        acks
    }

    /// RFC 2018: checks that each block is held, as long as possible, and reported once.
    fn check_blocks(&self, ack: &Ack) {
        let relative = |(start, end): (u64, u64)| (start - ack.ack, end - ack.ack);
        let blocks: Vec<_> = news(ack).map(relative).collect();
        assert!(blocks.is_empty() || self.config.recovery == Recovery::Sack);
        for (i, &(start, end)) in blocks.iter().enumerate() {
            let [from, to] = [start, end].map(|at| at as usize);
            assert!(0 < from && from < to && to <= self.have.len(), "{blocks:?}");
            assert!(
                self.have[from..to].iter().all(|here| *here),
                "{blocks:?} is not all here"
            );
            assert!(
                !self.have[from - 1] && self.have.get(to) != Some(&true),
                "{blocks:?} is cut"
            );
            assert!(!blocks[..i].contains(&(start, end)), "{blocks:?} repeats");
        }
    }

    /// Checks that all data beyond a hole is reported. RFC 8257: the acknowledgement before a change of marks
    /// covers earlier data, so only the last acknowledgement is checked.
    fn check_all_reported(&self, last: &Ack) {
        let held = self.have.chunk_by(|a, b| a == b);
        let held = held.filter(|run| run[0]).count();
        if self.config.recovery == Recovery::Sack && !last.cut {
            let told = usize::from(last.duplicate().is_some());
            assert_eq!(news(last).count(), held.min(3 - told), "{last:?}");
        }
    }

    /// RFC 2018: checks that the first block has the segment that caused it, if that lies beyond a hole.
    fn reports_first(&self, seq: u64, len: u32, last: Option<&Ack>) {
        let kept = seq.saturating_sub(self.next) < self.have.len() as u64;
        if self.config.recovery != Recovery::Sack || seq < self.next || !kept || len == 0 {
            return;
        }
        let cut = last.and_then(Ack::cut_off);
        let first = cut.or_else(|| last.and_then(|ack| news(ack).next()));
        let (start, end) = first.expect("a hole is reported");
        assert!(
            (start..end).contains(&seq),
            "{start}..{end} is not where {seq} arrived"
        );
    }
}

/// Returns the blocks, except one of duplicate data.
fn news(ack: &Ack) -> impl Iterator<Item = (u64, u64)> {
    let within = ack.duplicate().is_some() && !ack.below;
    ack.arrived().skip(usize::from(within))
}
