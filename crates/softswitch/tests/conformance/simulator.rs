//! The simulator's arm: senders that send at given times and hear nothing.

use crate::scenario::{END, Flow, Scenario};
use crate::{Paths, Step, reason};
use sidestep_config::decision::Decision;
use sidestep_sim::*;
use sidestep_transport::{
    Ack, AnyReceiver, AnySender, Arrival, Receiver, Segment, Sender, SenderCounters, TcpConfig,
};
use sidestep_types::{Framing, HostId, Seed, Time};
use std::sync::Arc;

/// Runs the scenario and says what became of each packet.
pub fn run(scenario: &Scenario) -> Paths {
    let plan = |flow: &Flow| FlowPlan {
        src: HostId(flow.from),
        dst: HostId(flow.to),
        size: 1 << 40,
        start: Start::At(flow.start),
        class: 0,
        query: None,
        request: false,
        mss: None,
    };
    let plan = Plan {
        classes: vec!["all".into()],
        flows: scenario.flows.iter().map(plan).collect(),
        ..Plan::default()
    };
    let config = config(scenario);
    let mut world: World = World::new(&scenario.network, Arc::new(plan), config).expect("a world");
    let flows = scenario.flows.clone();
    world.set_transport(
        move |flow, _| {
            let flow = flows[flow.0 as usize].clone();
            AnySender::Custom(Box::new(Scripted { flow, sent: 0 }))
        },
        |_, _| AnyReceiver::Custom(Box::new(Deaf)),
    );
    world.run_until(END);
    let outcome = world.finish();
    assert_eq!(
        outcome.totals.in_flight, 0,
        "{}: all is over",
        scenario.name
    );
    let mut paths = Paths::new();
    for trace in outcome.traces {
        let steps = trace
            .steps
            .iter()
            .filter_map(|step| Some((step.at, told(step.what)?)));
        let before = paths.insert((trace.flow.0, trace.seq), steps.collect());
        assert!(
            before.is_none(),
            "packet {} of flow {} is there twice",
            trace.seq,
            trace.flow.0
        );
    }
    paths
}

fn told(what: TraceEvent) -> Option<Step> {
    Some(match what {
        TraceEvent::Sent | TraceEvent::QueuedByHost { .. } => return None,
        TraceEvent::Queued { switch, joined, .. } => Step::Queued {
            switch: switch.0,
            joined,
        },
        TraceEvent::Dropped {
            switch,
            wanted,
            reason: why,
        } => Step::Dropped {
            switch: switch.0,
            wanted,
            reason: reason(why),
        },
        TraceEvent::DroppedByHost { .. } => unreachable!("no link goes down"),
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
        cioq: None,
    };
    let kinds: Vec<SwitchConfig> = scenario.decisions.iter().map(kind).collect();
    WorldConfig {
        framing: Framing::Ethernet,
        ttl: scenario.ttl,
        switch: kinds[0].clone(),
        others: Others {
            of: (0..kinds.len()).map(|switch| Some(switch as u16)).collect(),
            kinds,
        },
        // Not used: every flow has ends of its own.
        transport: TcpConfig::default().into(),
        shims: Vec::new(),
        nic: None,
        seed: Seed(scenario.seed),
        changes: Vec::new(),
        trace: TraceFilter::Flows((0..scenario.flows.len() as u32).collect()),
    }
}

/// Sends packet n at `start + n × every`, numbered in `seq`.
struct Scripted {
    flow: Flow,
    sent: u64,
}

impl Scripted {
    fn next(&self) -> Option<Time> {
        (self.sent < self.flow.packets).then(|| self.flow.start + self.flow.every * self.sent)
    }
}

impl Sender for Scripted {
    fn on_ack(&mut self, _: Time, _: Ack) {}
    fn on_timeout(&mut self, _: Time) {}
    fn poll_send(&mut self, now: Time) -> Option<Segment> {
        self.next().filter(|at| *at <= now)?;
        let seq = self.sent;
        self.sent += 1;
        Some(Segment {
            seq,
            len: self.flow.bytes,
            syn: false,
            ect: self.flow.ect,
            cwr: false,
            retransmit: false,
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

/// Says nothing.
struct Deaf;

impl Receiver for Deaf {
    fn on_segment(&mut self, _: Time, _: Arrival) {}
    fn on_timeout(&mut self, _: Time) {}
    fn poll_ack(&mut self, _: Time) -> Option<Ack> {
        None
    }
    fn deadline(&self) -> Option<Time> {
        None
    }
    fn delivered(&self) -> u64 {
        0
    }
}
