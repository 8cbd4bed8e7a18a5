//! Connections that close with a FIN: the times of its packets, and the repair of lost ones.

use crate::common;

use common::*;
use sidestep_sim::*;
use sidestep_switch::{AnyBuffer, Buffer, DropReason, Queues, Verdict, Want};
use sidestep_transport::TcpConfig;
use sidestep_types::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Returns the time that a packet of `ip` bytes takes over the six links of an idle fat tree.
fn crossing(ip: u32) -> Time {
    let wire = Bytes(u64::from(Framing::Ethernet.wire(ip)));
    (BitRate::gbps(1).time_to_send(wire) + Time::from_us(1)) * 6
}

fn tree() -> Network {
    topology("fat_tree", &[("k", "4")])
}

fn settings(fin: bool) -> WorldConfig {
    WorldConfig {
        transport: TcpConfig { fin, ..dctcp() }.into(),
        trace: TraceFilter::Flows(vec![0, 1]),
        ..config("ecn", 1000, 1)
    }
}

/// Adds a flow elsewhere, much later, that keeps the run going.
fn and_a_late_one(mut plan: TrafficPlan) -> Arc<TrafficPlan> {
    plan.flows.push(flow(1, 2, 1000, Time::from_ms(400)));
    plan.into()
}

/// Returns a plan that sends one segment from host 0 to host 15.
fn one() -> Arc<TrafficPlan> {
    and_a_late_one(TrafficPlan::clone(&plan(vec![flow(
        0,
        15,
        1460,
        Time::ZERO,
    )])))
}

/// Returns the arrival, number and direction of each packet of flow 0 without payload.
fn arrived(outcome: &Outcome) -> Vec<(Time, u64, bool)> {
    let mut found = Vec::new();
    for trace in outcome.traces.iter().filter(|t| t.flow == FlowId(0)) {
        let last = trace.steps.last().expect("it was sent");
        if last.what == TraceEvent::Delivered && (trace.ack || trace.seq > 0) {
            found.push((last.at, trace.seq, trace.ack));
        }
    }
    found.sort();
    found
}

fn sent(outcome: &Outcome) -> u64 {
    outcome.totals.sent
}

#[test]
fn a_close_is_three_packets_behind_the_last_acknowledgement_and_no_part_of_the_completion_time() {
    let [left, closed] = [false, true].map(|fin| {
        let outcome = run(&tree(), one(), settings(fin), Time::from_s(1));
        assert_conserved(&outcome);
        outcome
    });
    assert_eq!(left.flows[0].finished, Some(crossing(1500)));
    assert_eq!(closed.flows[0].finished, Some(crossing(1500)));
    let at = |crossings: u64| crossing(1500) + crossing(40) * crossings;
    assert_eq!(arrived(&left), [(at(1), 1460, true)]);
    let expected = [
        (at(1), 1460, true),
        (at(2), 1460, false),
        (at(3), 1461, true),
        (at(4), 1461, false),
    ];
    assert_eq!(arrived(&closed), expected);
    // The late flow ends the run before its own FIN.
    assert_eq!(sent(&closed), sent(&left) + 3);
    let (a, b) = (&left.flows[0], &closed.flows[0]);
    assert_eq!((a.segments, a.retransmits), (b.segments, b.retransmits));
    assert_eq!(
        (closed.classes[0].sent, closed.classes[0].delivered),
        (2, 2)
    );
}

/// Buffer that drops the first FIN of flow 0, or the first answer to it, once in the network.
struct DropsOne {
    answer: bool,
    done: Arc<AtomicBool>,
}

impl Buffer for DropsOne {
    fn admit(&mut self, packet: &Packet, _: Want, _: &mut dyn Queues, _: &mut Rng) -> Verdict {
        let (kind, seq) = match self.answer {
            true => (Kind::Ack, 1461),
            false => (Kind::Data, 1460),
        };
        let it = packet.flow.0 == 0 && packet.kind() == kind && packet.seq() == seq;
        match it && !self.done.swap(true, Ordering::Relaxed) {
            true => Verdict::Drop(DropReason::Full),
            false => Verdict::Enqueue { mark: false },
        }
    }
}

#[test]
fn a_fin_whose_exchange_is_lost_is_sent_again_after_the_timeout() {
    for answer in [false, true] {
        let mut world: World = World::new(&tree(), one(), settings(true)).unwrap();
        let done = Arc::new(AtomicBool::new(false));
        world.set_buffers(|_| {
            let done = done.clone();
            AnyBuffer::Custom(Box::new(DropsOne { answer, done }))
        });
        world.run_until(Time::from_s(1));
        let outcome = world.finish();
        assert_conserved(&outcome);
        let totals = &outcome.totals;
        assert_eq!(totals.drops.iter().sum::<u64>(), 1);
        assert_eq!((totals.timeouts, totals.retransmits), (1, 0));
        assert_eq!(totals.spurious_timeouts, u64::from(answer));
        assert_eq!(totals.spurious_retransmits, 0);
        // The round trip is 118 us, so the timeout is the minimum, 10 ms, counted from the departure of the
        // FIN.
        let fin = crossing(1500) + crossing(40) + Time::from_ms(10);
        let again = fin + crossing(40);
        assert!(
            arrived(&outcome).contains(&(again, 1460, false)),
            "{answer}"
        );
        let end = arrived(&outcome).pop().expect("closed");
        assert_eq!(end, (again + crossing(40) * 2, 1461, false));
    }
}

#[test]
fn on_a_shared_connection_each_side_closes_its_own_once() {
    let rounds = [0, 20].map(|ms| (Time::from_ms(ms), 1000, 2000));
    let packets = |shared: bool, fin: bool| {
        let mut made = TrafficPlan::clone(&plan(vec![]));
        asks(&mut made, 0, 15, &rounds, Time::from_us(100));
        if !shared {
            made.joint.clear();
        }
        let outcome = run(
            &tree(),
            and_a_late_one(made),
            settings(fin),
            Time::from_s(1),
        );
        assert_conserved(&outcome);
        assert_eq!(outcome.totals.timeouts, 0);
        sent(&outcome)
    };
    // A FIN and its acknowledgement each way; or three packets for each of four flows.
    assert_eq!(packets(true, true) - packets(true, false), 4);
    assert_eq!(packets(false, true) - packets(false, false), 12);
}
