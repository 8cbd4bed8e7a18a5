//! A flow with two subflows: a path, sequence numbers, losses and an order for each.

use crate::common;

use common::*;
use sidestep_sim::*;
use sidestep_switch::{AnyBuffer, Buffer, DropReason, Queues, Verdict, Want};
use sidestep_transport::{
    Ack, AnyReceiver, AnySender, Arrival, Receiver, Recovery, Segment, Sender, SenderCounters,
    TcpConfig, TransportConfig,
};
use sidestep_types::*;

/// A TCP for each subflow, and to each its part of the bytes.
struct Sends(Vec<AnySender>);

fn first(subflow: usize) -> u64 {
    Packet::first_of(subflow as u8)
}

impl Sends {
    /// The subflow whose deadline is next.
    fn next(&self) -> usize {
        let due = |subflow: &usize| self.0[*subflow].deadline().unwrap_or(Time::MAX);
        (0..self.0.len()).min_by_key(due).expect("one at least")
    }
}

impl Sender for Sends {
    fn on_ack(&mut self, now: Time, ack: Ack) {
        let subflow = usize::from(ack.subflow());
        let next = ack.ack - first(subflow);
        self.0[subflow].on_ack(now, Ack { ack: next, ..ack });
    }
    fn on_timeout(&mut self, now: Time) {
        let due = |sender: &&mut AnySender| sender.deadline().is_some_and(|due| due <= now);
        (self.0.iter_mut().filter(due)).for_each(|sender| sender.on_timeout(now));
    }
    fn poll_send(&mut self, now: Time) -> Option<Segment> {
        self.0.iter_mut().enumerate().find_map(|(subflow, sender)| {
            let segment = sender.poll_send(now)?;
            let seq = first(subflow) + segment.seq;
            Some(Segment { seq, ..segment })
        })
    }
    fn deadline(&self) -> Option<Time> {
        self.0[self.next()].deadline()
    }
    fn acknowledged(&self) -> u64 {
        first(self.next()) + self.0[self.next()].acknowledged()
    }
    fn is_done(&self) -> bool {
        self.0.iter().all(Sender::is_done)
    }
    fn counters(&self) -> SenderCounters {
        let mut sum = SenderCounters::default();
        for counted in self.0.iter().map(Sender::counters) {
            sum.segments += counted.segments;
            sum.retransmits += counted.retransmits;
            sum.timeouts += counted.timeouts;
            sum.fast_retransmits += counted.fast_retransmits;
        }
        sum
    }
}

struct Receives(Vec<AnyReceiver>);

impl Receiver for Receives {
    fn on_segment(&mut self, now: Time, arrival: Arrival) {
        let subflow = usize::from(Packet::subflow_of(arrival.seq));
        let seq = arrival.seq - first(subflow);
        self.0[subflow].on_segment(now, Arrival { seq, ..arrival });
    }
    fn on_timeout(&mut self, now: Time) {
        self.0
            .iter_mut()
            .for_each(|receiver| receiver.on_timeout(now));
    }
    fn poll_ack(&mut self, now: Time) -> Option<Ack> {
        self.0
            .iter_mut()
            .enumerate()
            .find_map(|(subflow, receiver)| {
                let ack = receiver.poll_ack(now)?;
                let next = first(subflow) + ack.ack;
                Some(Ack { ack: next, ..ack })
            })
    }
    fn deadline(&self) -> Option<Time> {
        self.0.iter().filter_map(Receiver::deadline).min()
    }
    fn delivered(&self) -> u64 {
        self.0.iter().map(Receiver::delivered).sum()
    }
    fn expected(&self, subflow: u8) -> u64 {
        Packet::first_of(subflow) + self.0[usize::from(subflow)].delivered()
    }
}

/// Loses packets, each once: data by its subflow and number, acknowledgements by what they acknowledge.
#[derive(Clone, Default)]
struct Loses {
    data: Vec<(u8, u64)>,
    acks: Vec<u64>,
}

impl Buffer for Loses {
    fn admit(
        &mut self,
        packet: &Packet,
        _: Want,
        _: &mut dyn Queues,
        _: &mut sidestep_types::Rng,
    ) -> Verdict {
        let mut lost = false;
        if packet.carries_data() {
            let of = packet.subflow();
            let number = (packet.seq() - Packet::first_of(of)) / 1460;
            lost = !packet.retransmit() && self.data.contains(&(of, number));
        } else if let Some(at) = self.acks.iter().position(|ack| *ack == packet.seq()) {
            self.acks.remove(at);
            lost = true;
        }
        match lost {
            true => Verdict::Drop(DropReason::Early),
            false => Verdict::Enqueue { mark: false },
        }
    }
}

const SIZE: u64 = 200_000;

/// Two flows between leaves with four spines, the second much later. Each has two subflows, and the
/// first leaf loses what it must.
fn run_over_two_paths(loses: &Loses, mut settings: WorldConfig) -> Outcome {
    let network = topology(
        "leaf_spine",
        &[("leaves", "2"), ("spines", "4"), ("hosts_per_leaf", "2")],
    );
    let flows = plan(vec![
        flow(0, 2, SIZE, Time::ZERO),
        flow(1, 3, SIZE, Time::from_ms(200)),
    ]);
    let tcp = TransportConfig::from(TcpConfig {
        recovery: Recovery::NewReno,
        ..dctcp()
    });
    settings.transport = tcp.clone();
    let mut world: World = World::new(&network, flows, settings).expect("a world");
    let same = tcp.clone();
    world.set_transport(
        move |_, plan| {
            let halves = [plan.size / 2, plan.size - plan.size / 2];
            let made = halves.map(|half| tcp.sender(Some(half)));
            AnySender::Custom(Box::new(Sends(made.into())))
        },
        move |_, _| {
            let made = [same.receiver(), same.receiver()];
            AnyReceiver::Custom(Box::new(Receives(made.into())))
        },
    );
    world.set_buffers(|switch| {
        let loses = if switch.0 == 0 {
            loses.clone()
        } else {
            Loses::default()
        };
        AnyBuffer::Custom(Box::new(loses))
    });
    assert!(world.run_until(Time::from_s(2)));
    world.finish()
}

/// The links from the first leaf to a spine that packets of the first flow took.
fn uplinks(outcome: &Outcome) -> usize {
    let mut taken = Vec::new();
    for trace in outcome.traces.iter().filter(|t| t.flow.0 == 0 && !t.ack) {
        if let Some((_, joined)) = trace.steps[1].what.queued() {
            taken.push((Packet::subflow_of(trace.seq), joined.port));
        }
    }
    taken.sort_unstable();
    taken.dedup();
    assert_eq!(taken.len(), 2, "each subflow has one way: {taken:?}");
    taken.dedup_by_key(|(_, port)| *port);
    taken.len()
}

fn settings() -> WorldConfig {
    let mut settings = config("droptail", 1000, 3);
    settings.trace = TraceFilter::Flows(vec![0]);
    settings
}

#[test]
fn subflows_take_paths_of_their_own_and_are_in_order_each_for_itself() {
    let outcome = run_over_two_paths(&Loses::default(), settings());
    assert_conserved(&outcome);
    assert_eq!(uplinks(&outcome), 2);
    for flow in &outcome.flows {
        assert_eq!((flow.delivered_bytes, flow.retransmits), (SIZE, 0));
        assert_eq!((flow.reordered, flow.transport_reordered), (0, 0));
    }
}

#[test]
fn losses_of_one_subflow_are_repaired_there_and_none_is_spurious() {
    let loses = Loses {
        data: vec![(1, 3), (1, 20)],
        ..Loses::default()
    };
    for shims in [vec![], vec![chosen_shim("order", &[("timeout", "100 us")])]] {
        let mut settings = settings();
        let shimmed = !shims.is_empty();
        settings.shims = shims;
        let outcome = run_over_two_paths(&loses, settings);
        assert_conserved(&outcome);
        assert_eq!(uplinks(&outcome), 2);
        for flow in &outcome.flows {
            assert_eq!(
                (flow.drops, flow.retransmits, flow.timeouts),
                (2, 2, 0),
                "{flow:?}"
            );
            assert_eq!((flow.spurious_retransmits, flow.reordered), (0, 0));
            assert_eq!((flow.transport_reordered, flow.delivered_bytes), (0, SIZE));
        }
        assert_eq!(outcome.totals.shim_held > 0, shimmed);
    }
}

#[test]
fn a_timeout_is_held_against_what_its_own_subflow_lost() {
    // The last packets of the second subflow: nothing behind them tells of the loss.
    let last = (SIZE / 2).div_ceil(1460) - 1;
    let loses = Loses {
        data: vec![(1, last)],
        ..Loses::default()
    };
    let outcome = run_over_two_paths(&loses, settings());
    let flow = &outcome.flows[0];
    assert_eq!((flow.timeouts, flow.spurious_timeouts), (1, 0));
    assert_eq!((flow.retransmits, flow.spurious_retransmits), (1, 0));
}

#[test]
fn what_comes_after_the_end_is_answered_by_subflow() {
    // The last acknowledgement is lost on its way to the sender, in the leaf of the receiver.
    for subflow in 0..2 {
        let loses = Loses {
            acks: vec![Packet::first_of(subflow) + SIZE / 2],
            ..Loses::default()
        };
        let outcome = run_over_two_paths(&loses, settings());
        let flow = &outcome.flows[0];
        assert_eq!((flow.timeouts, flow.spurious_timeouts), (1, 1), "{subflow}");
        assert_eq!((flow.retransmits, flow.spurious_retransmits), (1, 1));
        assert!(flow.finished.expect("delivered") < Time::from_ms(5));
    }
}
