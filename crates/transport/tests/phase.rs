//! Two endless DCTCP flows over one queue: the share of each, and the packets marked.
//!
//! Hosts of 1 Gbps, a bottleneck of 100 Mbps that marks at 20 packets, 20 us a cable. Full frames of 1538
//! bytes; acknowledgements return after a fixed time.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

use sidestep_transport::{
    Ack, Arrival, Congestion, Receiver, Reduction, Segment, Sender, TcpConfig, TcpReceiver,
    TcpSender,
};
use sidestep_types::Time;

/// Packets in the queue, including the one being sent, from which on the next is marked.
const MARK_AT: usize = 20;
const NIC: Time = Time::from_ns(12_304);
const BOTTLENECK: Time = Time::from_ns(123_040);
const CABLE: Time = Time::from_us(20);
const BACK: Time = Time::from_us(120);

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Start(usize),
    /// A segment reaches the queue: flow, first byte, bytes, and CWR.
    Reach(usize, u64, u32, bool),
    /// The first packet leaves the queue.
    Leave,
    /// An acknowledgement returns, perhaps with an echo.
    Back(usize, u64, bool),
}

/// Counts of a flow.
#[derive(Clone, Copy, Default)]
struct Counts {
    packets: u64,
    marked: u64,
    /// Reductions of its window.
    cuts: u64,
}

struct Dumbbell {
    now: Time,
    due: BinaryHeap<Reverse<(Time, u64, Event)>>,
    events: u64,
    senders: [TcpSender; 2],
    receivers: [TcpReceiver; 2],
    nics: [Time; 2],
    queue: VecDeque<(usize, Arrival)>,
    counts: [Counts; 2],
}

impl Dumbbell {
    /// Creates the network; the second flow starts `apart` after the first.
    fn new(reduction: Reduction, apart: Time) -> Dumbbell {
        let config = Arc::new(TcpConfig {
            congestion: Congestion::DCTCP,
            reduction,
            ..TcpConfig::default()
        });
        let mut net = Dumbbell {
            now: Time::ZERO,
            due: BinaryHeap::new(),
            events: 0,
            senders: [(); 2].map(|()| TcpSender::new(config.clone(), None)),
            receivers: [(); 2].map(|()| TcpReceiver::new(config.clone())),
            nics: [Time::ZERO; 2],
            queue: VecDeque::new(),
            counts: Default::default(),
        };
        net.plan(Time::ZERO, Event::Start(0));
        net.plan(apart, Event::Start(1));
        net
    }

    fn plan(&mut self, at: Time, event: Event) {
        self.events += 1;
        self.due.push(Reverse((at, self.events, event)));
    }

    fn run(&mut self, until: Time) {
        while self.due.peek().is_some_and(|next| next.0.0 <= until) {
            let Reverse((at, _, event)) = self.due.pop().expect("just seen");
            self.now = at;
            match event {
                Event::Start(flow) => self.drive(flow),
                Event::Reach(flow, seq, len, cwr) => self.reach(flow, seq, len, cwr),
                Event::Leave => self.leave(),
                Event::Back(flow, ack, ece) => self.back(flow, ack, ece),
            }
        }
    }

    fn drive(&mut self, flow: usize) {
        while let Some(Segment { seq, len, cwr, .. }) = self.senders[flow].poll_send(self.now) {
            self.nics[flow] = self.nics[flow].max(self.now) + NIC;
            self.plan(self.nics[flow] + CABLE, Event::Reach(flow, seq, len, cwr));
        }
    }

    fn reach(&mut self, flow: usize, seq: u64, len: u32, cwr: bool) {
        let ce = self.queue.len() >= MARK_AT;
        self.counts[flow].packets += 1;
        self.counts[flow].marked += u64::from(ce);
        let arrival = Arrival {
            seq,
            len,
            syn: false,
            ce,
            cwr,
            trimmed: false,
            hops: 0,
        };
        self.queue.push_back((flow, arrival));
        if self.queue.len() == 1 {
            self.plan(self.now + BOTTLENECK, Event::Leave);
        }
    }

    fn leave(&mut self) {
        let (flow, arrival) = self.queue.pop_front().expect("one was being sent");
        if !self.queue.is_empty() {
            self.plan(self.now + BOTTLENECK, Event::Leave);
        }
        self.receivers[flow].on_segment(self.now, arrival);
        while let Some(ack) = self.receivers[flow].poll_ack(self.now) {
            self.plan(self.now + BACK, Event::Back(flow, ack.ack, ack.ece));
        }
    }

    fn back(&mut self, flow: usize, ack: u64, ece: bool) {
        let before = self.senders[flow].ssthresh();
        let ack = Ack {
            ack,
            ece,
            syn: false,
            sack: Default::default(),
            cut: false,
            below: false,
            hops: 0,
        };
        self.senders[flow].on_ack(self.now, ack);
        self.counts[flow].cuts += u64::from(self.senders[flow].ssthresh() != before);
        self.drive(flow);
    }
}

/// Returns the counts of four seconds after the first, of the flow that got more and of the other.
fn shares(reduction: Reduction, apart: Time) -> (Counts, Counts) {
    let mut net = Dumbbell::new(reduction, apart);
    net.run(Time::from_s(1));
    net.counts = Default::default();
    net.run(Time::from_s(5));
    let [a, b] = net.counts;
    if a.packets > b.packets {
        (a, b)
    } else {
        (b, a)
    }
}

fn eight_starts(reduction: Reduction) -> Vec<(Counts, Counts)> {
    let starts = (1..=8).map(|i| Time::from_us(i * 977));
    starts.map(|apart| shares(reduction, apart)).collect()
}

fn share(more: &Counts, less: &Counts) -> f64 {
    more.packets as f64 / (more.packets + less.packets) as f64
}

fn marked(counts: &Counts) -> f64 {
    counts.marked as f64 / counts.packets as f64
}

#[test]
fn cut_at_once_two_dctcp_flows_lock_and_the_small_window_pays_more_often() {
    for (more, less) in eight_starts(Reduction::AtOnce) {
        let held = share(&more, &less);
        assert!((0.705..0.765).contains(&held), "{held}");
        // The smaller flow is marked and cut more often: only that keeps its window small.
        let marks = (marked(&more), marked(&less));
        assert!((0.25..0.29).contains(&marks.0), "{marks:?}");
        assert!((0.37..0.41).contains(&marks.1), "{marks:?}");
        assert!(less.cuts > more.cuts, "{} and {}", less.cuts, more.cuts);
    }
}

#[test]
fn by_proportional_rate_reduction_two_dctcp_flows_are_equal() {
    for (more, less) in eight_starts(Reduction::Prr) {
        let held = share(&more, &less);
        assert!((0.5..0.545).contains(&held), "{held}");
        let marks = [marked(&more), marked(&less)];
        let alike = marks.iter().all(|share| (0.285..0.345).contains(share));
        assert!(alike, "{marks:?}");
    }
}

#[test]
fn what_a_connection_does_that_is_told_nothing_is_fair() {
    assert_eq!(TcpConfig::default().reduction, Reduction::Prr);
}
