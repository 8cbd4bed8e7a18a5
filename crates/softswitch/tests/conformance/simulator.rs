//! Arm of the simulator: senders that send at given times regardless of acknowledgements, and receivers that
//! answer at given times.

use crate::scenario::{ANSWERS, Answer, END, Flow, Scenario, tags};
use crate::{Paths, Step, WITHHELD};
use sidestep_config::decision::Decision;
use sidestep_sim::*;
use sidestep_transport::shim::{AnyShim, Shim, Stack};
use sidestep_transport::{
    Ack, AnyReceiver, AnySender, Arrival, Receiver, Segment, Sender, SenderCounters, TcpConfig,
};
use sidestep_types::{FlowId, Framing, HostId, Packet, SackBlocks, Seed, Time};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex};

/// Runs the scenario and returns the events of each packet.
pub fn run(scenario: &Scenario) -> Paths {
    let plan = |flow: &Flow| FlowPlan {
        src: HostId(flow.from),
        dst: HostId(flow.to),
        size: match tags(&scenario.shims) {
            Some(_) if flow.bytes > 0 => flow.size(),
            _ => 1 << 40,
        },
        start: Start::At(flow.start),
        class: 0,
        query: None,
        request: false,
        mss: None,
    };
    let plan = TrafficPlan {
        classes: vec!["all".into()],
        flows: scenario.flows.iter().map(plan).collect(),
        ..TrafficPlan::default()
    };
    let config = config(scenario);
    let mut world: World = World::new(&scenario.network, Arc::new(plan), config).expect("a world");
    let heard = Arc::new(Mutex::new(BTreeSet::new()));
    let came = Arc::new(Mutex::new(Came::new()));
    let (flows, answered, hears, comes) = (
        scenario.flows.clone(),
        scenario.flows.clone(),
        heard.clone(),
        came.clone(),
    );
    world.set_transport(
        move |id, _| {
            let (flow, heard) = (flows[id.0 as usize].clone(), hears.clone());
            let sent = 0;
            AnySender::Custom(Box::new(Scripted {
                id,
                flow,
                sent,
                heard,
            }))
        },
        move |id, _| {
            let answers = answered[id.0 as usize].answers.clone().into();
            let came = comes.clone();
            AnyReceiver::Custom(Box::new(Answering { id, answers, came }))
        },
    );
    // Shims of a scenario do not need a class.
    if scenario.shims.is_empty() {
        let flows: Arc<[Flow]> = scenario.flows.clone().into();
        world.set_shims(|_| {
            let says = PacketFlags(flows.clone());
            Stack::of(vec![AnyShim::Custom(Box::new(says))])
        });
    }
    world.run_until(END);
    let outcome = world.finish();
    assert_eq!(
        outcome.totals.in_flight, 0,
        "{}: all is over",
        scenario.name
    );
    let heard = heard.lock().expect("one thread").clone();
    let mut paths = Paths::new();
    let mut came = came.lock().expect("one thread").clone();
    let mut numbers: BTreeMap<(FlowId, bool), u64> = BTreeMap::new();
    let mut arrivals = Vec::new();
    let mut traces = outcome.traces;
    // Packets of a host in the order in which it sent them.
    traces.sort_by_key(|trace| trace.id);
    for trace in traces {
        let steps = trace
            .steps
            .iter()
            .filter_map(|step| Some((step.at, told(step.what)?)));
        // A packet dropped by a shim has arrived, but its sender does not receive it.
        let withheld = |(at, step): &(Time, Step)| {
            trace.ack && *step == Step::Delivered && !heard.contains(&(*at, trace.flow))
        };
        let steps = steps.map(|step| match withheld(&step) {
            true => (WITHHELD, Step::Withheld),
            false => step,
        });
        let n = numbers.entry((trace.flow, trace.ack)).or_default();
        *n += 1;
        let packet = match trace.ack {
            true => (trace.flow.0 + ANSWERS, *n - 1),
            false => (trace.flow.0, *n - 1),
        };
        let steps: Vec<(Time, Step)> = steps.collect();
        if let (false, Some((at, Step::Delivered))) = (trace.ack, steps.last()) {
            arrivals.push((*at, packet, (trace.flow, trace.seq)));
        }
        let before = paths.insert(packet, steps);
        assert!(
            before.is_none(),
            "packet {} of flow {} is listed twice",
            trace.seq,
            trace.flow.0
        );
    }
    // Data is delivered when its receiver gets it: shims may hold it, or drop a copy of held data.
    arrivals.sort();
    for (at, packet, bytes) in arrivals {
        let last = paths.get_mut(&packet).and_then(|path| path.last_mut());
        let last = last.expect("it arrived");
        *last = match came.get_mut(&bytes).and_then(VecDeque::pop_front) {
            Some(then) => {
                assert!(then >= at, "heard of before it came");
                (then, Step::Delivered)
            }
            None => (WITHHELD, Step::Withheld),
        };
    }
    paths
}

/// Times at which the receiver of a flow got the bytes that begin at this number.
type Came = BTreeMap<(FlowId, u64), VecDeque<Time>>;

fn told(what: TraceEvent) -> Option<Step> {
    Some(match what {
        TraceEvent::Sent => return None,
        TraceEvent::At(End::Host(_), event) => {
            assert!(event.dropped().is_none(), "no link goes down");
            return None;
        }
        TraceEvent::At(End::Switch(switch), event) => Step::of(switch.0, event),
        TraceEvent::Delivered => Step::Delivered,
    })
}

fn config(scenario: &Scenario) -> WorldConfig {
    let kind = |decision: &Decision| SwitchConfig {
        route: decision.route.clone(),
        buffer: decision.buffer.clone(),
        sched: decision.sched.clone(),
        capacity: decision.capacity,
        pfc: None,
        sent: scenario.sent,
        cioq: None,
    };
    let kinds: Vec<SwitchConfig> = scenario.decisions.iter().map(kind).collect();
    WorldConfig {
        framing: Framing::Ethernet,
        ttl: scenario.ttl,
        switch: kinds[0].clone(),
        others: SwitchOverrides {
            of: (0..kinds.len()).map(|switch| Some(switch as u16)).collect(),
            kinds,
        },
        // Every flow has its own sender and receiver: only the segment size is used, and tags must fit beside
        // it.
        transport: TcpConfig {
            mss: scenario
                .flows
                .iter()
                .map(|f| f.bytes)
                .max()
                .unwrap_or(0)
                .max(1),
            ..TcpConfig::default()
        }
        .into(),
        transports: ClassTransports::default(),
        shims: scenario.shims.clone(),
        nic: None,
        seed: Seed(scenario.seed),
        changes: Vec::new(),
        trace: TraceFilter::Flows((0..scenario.flows.len() as u32).collect()),
    }
}

/// Shim that sets the class of each packet, and the end of its flow, as the frames of the other arm do.
struct PacketFlags(Arc<[Flow]>);

impl Shim for PacketFlags {
    fn down(&mut self, _: Time, packet: &mut Packet) {
        let flow = &self.0[packet.flow.0 as usize];
        packet.set_service(flow.rank as u8);
        packet.set_ends(flow.ends_with(packet.seq()));
    }
}

/// Sender of packet n at `start + n × every` that records the times of acknowledgements.
struct Scripted {
    id: FlowId,
    flow: Flow,
    sent: u64,
    heard: Arc<Mutex<BTreeSet<(Time, FlowId)>>>,
}

impl Scripted {
    fn next(&self) -> Option<Time> {
        (self.sent < self.flow.packets).then(|| self.flow.start + self.flow.every * self.sent)
    }
}

impl Sender for Scripted {
    fn on_ack(&mut self, now: Time, _: Ack) {
        let new = (self.heard.lock().expect("one thread")).insert((now, self.id));
        assert!(new, "two at once by one cable");
    }
    fn on_timeout(&mut self, _: Time) {}
    fn poll_send(&mut self, now: Time) -> Option<Segment> {
        self.next().filter(|at| *at <= now)?;
        let seq = self.flow.seq(self.sent);
        self.sent += 1;
        Some(Segment {
            seq,
            len: self.flow.bytes,
            syn: false,
            ect: self.flow.ect,
            cwr: false,
            retransmit: self.flow.again(self.sent - 1),
            rank: Some(self.flow.rank),
        })
    }
    fn deadline(&self) -> Option<Time> {
        self.next()
    }
    fn acknowledged(&self) -> u64 {
        0
    }
    fn is_done(&self) -> bool {
        false
    }
    fn counters(&self) -> SenderCounters {
        SenderCounters::default()
    }
}

/// Receiver that sends its answers at their times; the flow's data must arrive before the first of them.
struct Answering {
    id: FlowId,
    came: Arc<Mutex<Came>>,
    answers: VecDeque<Answer>,
}

impl Receiver for Answering {
    fn on_segment(&mut self, now: Time, arrival: Arrival) {
        let mut came = self.came.lock().expect("one thread");
        came.entry((self.id, arrival.seq))
            .or_default()
            .push_back(now);
        let first = self.answers.front().map_or(Time::MAX, |answer| answer.at);
        assert!(
            now < first,
            "an answer is due at {first}, and {now} is later"
        );
    }
    fn on_timeout(&mut self, _: Time) {}
    fn poll_ack(&mut self, now: Time) -> Option<Ack> {
        self.answers.front().filter(|answer| answer.at <= now)?;
        let Answer { ack, ece, .. } = self.answers.pop_front()?;
        Some(Ack {
            ack,
            ece,
            syn: false,
            sack: SackBlocks::NONE,
            cut: false,
            below: false,
            hops: 0,
        })
    }
    fn deadline(&self) -> Option<Time> {
        self.answers.front().map(|answer| answer.at)
    }
    fn delivered(&self) -> u64 {
        0
    }
}
