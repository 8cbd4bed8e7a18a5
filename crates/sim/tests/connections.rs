//! Flows that share a connection: results predicted by theory, and plans that are refused.

use crate::common;

use common::*;
use sidestep_sim::*;
use sidestep_switch::{AnyBuffer, Buffer, DropReason, Queues, Verdict, Want};
use sidestep_transport::{AckRule, DelayedAck, RtoConfig, TcpConfig};
use sidestep_types::*;
use std::collections::BTreeMap;
use std::sync::Arc;

const HOPS: usize = 6;

/// Returns the time at which the last of these packets (IP bytes), handed over together, has crossed an idle
/// fat tree of 1 Gbps and 1 us.
fn pipeline(packets: &[u32]) -> Time {
    let mut left = [Time::ZERO; HOPS];
    let mut arrived = Time::ZERO;
    for &ip in packets {
        let wire = Bytes(u64::from(Framing::Ethernet.wire(ip)));
        arrived = Time::ZERO;
        for hop in &mut left {
            *hop = arrived.max(*hop) + BitRate::gbps(1).time_to_send(wire);
            arrived = *hop + Time::from_us(1);
        }
    }
    arrived
}

fn tcp() -> TcpConfig {
    TcpConfig {
        handshake: true,
        rto: RtoConfig {
            initial: Time::from_ms(50),
            ..dctcp().rto
        },
        ..dctcp()
    }
}

fn settings(tcp: TcpConfig) -> WorldConfig {
    WorldConfig {
        transport: tcp.into(),
        ..config("ecn", 1000, 1)
    }
}

/// Returns a plan in which host 0 asks host 15, over one connection if `shared`.
fn asked(rounds: &[(Time, u64, u64)], think: Time, shared: bool) -> Arc<TrafficPlan> {
    let mut made = TrafficPlan::clone(&plan(vec![]));
    asks(&mut made, 0, 15, rounds, think);
    if !shared {
        made.joint.clear();
    }
    made.into()
}

fn tree() -> Network {
    topology("fat_tree", &[("k", "4")])
}

/// Returns the time from hand-over to the last byte, of each flow.
fn spans(outcome: &Outcome) -> Vec<Time> {
    let span = |f: &FlowOutcome| f.finished.expect("complete") - f.started.expect("started");
    outcome.flows.iter().map(span).collect()
}

fn went(plan: Arc<TrafficPlan>, tcp: TcpConfig) -> Outcome {
    let outcome = run(&tree(), plan, settings(tcp), Time::from_s(1));
    assert_conserved(&outcome);
    outcome
}

#[test]
fn a_request_and_its_answer_on_one_connection_take_one_handshake() {
    let once = [(Time::ZERO, 1000, 2000)];
    let think = Time::from_us(100);
    let greeted = pipeline(&[40]) + pipeline(&[40]);
    let request = greeted + pipeline(&[40, 1040]);
    let answer = pipeline(&[1500, 580]);
    for (shared, expected) in [
        (true, [request, answer]),
        (false, [request, greeted + pipeline(&[40, 1500, 580])]),
    ] {
        let outcome = went(asked(&once, think, shared), tcp());
        assert_eq!(spans(&outcome), expected, "shared: {shared}");
        // SYN, its answer, a confirmation; three data packets and their acknowledgements.
        let greetings = if shared { 1 } else { 2 };
        assert_eq!(outcome.totals.sent, 3 * greetings + 6);
    }
    // Without think time the answer leaves behind the acknowledgement of its request.
    let outcome = went(asked(&once, Time::ZERO, true), tcp());
    assert_eq!(spans(&outcome)[1], pipeline(&[40, 1500, 580]));
    // Without handshakes, sharing saves nothing.
    let standing = || TcpConfig {
        handshake: false,
        ..tcp()
    };
    let [own, shared] = [false, true].map(|s| spans(&went(asked(&once, think, s), standing())));
    assert_eq!(own, shared);
    assert_eq!(own, [pipeline(&[1040]), answer]);
}

/// Buffer that drops the first data packet of flow 1, once in the network.
struct DropsOne(bool);

impl Buffer for DropsOne {
    fn admit(&mut self, packet: &Packet, _: Want, _: &mut dyn Queues, _: &mut Rng) -> Verdict {
        let it = packet.flow.0 == 1 && packet.carries_data() && !packet.retransmit();
        match it && !std::mem::replace(&mut self.0, true) {
            true => Verdict::Drop(DropReason::Full),
            false => Verdict::Enqueue { mark: false },
        }
    }
}

#[test]
fn the_servers_first_timeout_is_made_of_the_handshake_it_answered() {
    let answer_takes = |handshake, shared| {
        let mut tcp = TcpConfig { handshake, ..tcp() };
        tcp.rto.min = Time::from_us(1);
        let config = settings(tcp);
        let plan = asked(&[(Time::ZERO, 100, 100)], Time::from_us(100), shared);
        let mut world: World = World::new(&tree(), plan, config).unwrap();
        world.set_buffers(|_| AnyBuffer::Custom(Box::new(DropsOne(false))));
        world.run_until(Time::from_s(1));
        let outcome = world.finish();
        assert_eq!((outcome.totals.timeouts, outcome.flows[1].drops), (1, 1));
        spans(&outcome)[1]
    };
    // RFC 6298: R + 4 R/2. R is the time of the SYN's answer and of its acknowledgement.
    let greeted = pipeline(&[40]) + pipeline(&[40]);
    let (timeout, initial) = (greeted * 3, Time::from_ms(50));
    assert_eq!(answer_takes(true, true), timeout + pipeline(&[140]));
    // The confirmation and the data leave together.
    assert_eq!(
        answer_takes(true, false),
        greeted + timeout + pipeline(&[140])
    );
    assert_eq!(answer_takes(false, true), initial + pipeline(&[140]));
}

#[test]
fn a_connection_that_was_idle_keeps_its_window_or_begins_again() {
    let size = 1460 * 40;
    let rounds = [0, 20].map(|ms| (Time::from_ms(ms), 1000, size));
    let answers = |idle_restart, shared| {
        let tcp = TcpConfig {
            idle_restart,
            initial_window: 2,
            handshake: true,
            ..dctcp()
        };
        let outcome = went(asked(&rounds, Time::from_us(100), shared), tcp);
        let took = spans(&outcome);
        assert_eq!(outcome.flows[3].segments, 40);
        ([took[0], took[2]], [took[1], took[3]])
    };
    let greeted = pipeline(&[40]) + pipeline(&[40]);
    let (request, plain) = (pipeline(&[1040]), pipeline(&[1500; 40]));
    for idle_restart in [false, true] {
        let (requests, [first, second]) = answers(idle_restart, true);
        assert_eq!(requests, [greeted + pipeline(&[40, 1040]), request]);
        assert!(first > plain, "slow start takes its time: {first}");
        match idle_restart {
            false => assert_eq!(second, plain),
            true => assert_eq!(second, first),
        }
    }
    // On separate connections no window is carried over.
    let (_, [first, second]) = answers(false, false);
    assert_eq!(first, second);
}

/// A second request before the first answer is done: its answer waits until all of the first is acknowledged.
#[test]
fn messages_take_turns_and_no_acknowledgement_is_kept_back() {
    let rounds = [(Time::ZERO, 1000, 14_600), (Time::from_us(100), 1000, 1000)];
    let standing = TcpConfig {
        handshake: false,
        ..tcp()
    };
    let outcome = went(asked(&rounds, Time::ZERO, true), standing.clone());
    let done = |f: usize| outcome.flows[f].finished.unwrap();
    // The request is acknowledged before its answer.
    assert_eq!(
        spans(&outcome)[1],
        pipeline(&[&[40], &[1500; 10][..]].concat())
    );
    assert_eq!(outcome.flows[3].started, Some(done(2)));
    assert!(done(2) < done(1), "the test is about a busy connection");
    assert_eq!(done(3), done(1) + pipeline(&[40]) + pipeline(&[1040]));

    // One segment never makes the two that a delayed acknowledgement waits for: each request would wait for its
    // acknowledgement.
    let delayed = TcpConfig {
        delayed_ack: Some(DelayedAck {
            segments: 2,
            timeout: Time::from_ms(40),
        }),
        ack_rule: AckRule::Ns3,
        ..standing
    };
    let rounds = [0, 1, 2].map(|ms| (Time::from_ms(ms), 1000, 1000));
    let outcome = went(asked(&rounds, Time::ZERO, true), delayed);
    // Behind the acknowledgement of the message in the other direction.
    let (alone, behind) = (pipeline(&[1040]), pipeline(&[40, 1040]));
    assert_eq!(
        spans(&outcome),
        [alone, behind, behind, behind, behind, behind]
    );
}

#[test]
fn what_goes_one_way_goes_by_one_path() {
    let mut made = TrafficPlan::clone(&plan(vec![]));
    let rounds = [0, 1, 2].map(|ms| (Time::from_ms(ms), 1000, 1000));
    for dst in 8..16 {
        asks(&mut made, 0, dst, &rounds, Time::from_us(10));
    }
    let paths = |joint: bool| {
        let mut made = made.clone();
        if !joint {
            made.joint.clear();
        }
        let mut config = settings(tcp());
        config.trace = TraceFilter::Flows((0..48).collect());
        let outcome = run(&tree(), made.into(), config, Time::from_s(1));
        let mut paths: BTreeMap<(u32, bool), Vec<Vec<SwitchId>>> = BTreeMap::new();
        let arrived = |t: &&PacketTrace| {
            t.steps
                .last()
                .is_some_and(|step| step.what == TraceEvent::Delivered)
        };
        for trace in outcome.traces.iter().filter(arrived) {
            let switch = |step: &TraceStep| step.what.queued().map(|(switch, _)| switch);
            let path = trace.steps.iter().filter_map(switch).collect();
            // From host 0, or to it.
            let away = (trace.flow.0 % 2 == 0) != trace.ack;
            let of = paths.entry((trace.flow.0 / 6, away)).or_default();
            if !of.contains(&path) {
                of.push(path);
            }
        }
        assert_eq!(paths.len(), 16);
        paths.into_values().map(|of| of.len()).collect::<Vec<_>>()
    };
    assert_eq!(paths(true), [1; 16]);
    assert!(paths(false).iter().all(|n| *n > 1));
}

#[test]
fn another_transport_takes_turns_and_shares_the_path() {
    let rounds = [(Time::ZERO, 1000, 14_600), (Time::from_us(100), 1000, 1000)];
    let mut config = settings(tcp());
    config.transport = pfabric().into();
    let outcome = run(
        &tree(),
        asked(&rounds, Time::ZERO, true),
        config,
        Time::from_s(1),
    );
    assert_conserved(&outcome);
    let done = |f: usize| outcome.flows[f].finished.unwrap();
    assert!(done(2) < done(1) && done(3) > done(1) + pipeline(&[40]));
}

#[test]
fn connections_that_cannot_be_are_refused_with_a_reason() {
    let good = asked(
        &[(Time::ZERO, 10, 10), (Time::ZERO, 10, 10)],
        Time::ZERO,
        true,
    );
    let said = |change: &dyn Fn(&mut TrafficPlan)| {
        let mut plan = TrafficPlan::clone(&good);
        change(&mut plan);
        let made = World::<agenda::WheelAgenda>::new(&tree(), plan.into(), settings(tcp()));
        made.err().unwrap_or_default()
    };
    assert_eq!(said(&|_| {}), "");
    assert!(said(&|p| p.joint.swap(0, 1)).contains("in the order of their numbers"));
    assert!(
        said(&|p| p.joint[3].flow.0 = 9)
            .contains("flow 9 shares a connection with flow 0, and one of them is not")
    );
    let not_open = said(&|p| p.joint[3].opener.0 = 1);
    assert!(
        not_open.contains("flow 3 shares the connection of flow 1, but flow 1 does not open it")
    );
    let endless = said(&|p| p.flows[3].size = FlowPlan::ENDLESS);
    assert!(endless.contains("flow 3 is endless and cannot share a connection"));
    let elsewhere = said(&|p| p.flows[2].src.0 = 3);
    assert!(elsewhere.contains("flow 2 shares the connection of flow 0 but joins other hosts"));
    let other = said(&|p| p.flows[3].mss = std::num::NonZeroU16::new(500));
    assert!(other.contains("flow 3 shares the connection of flow 0 but has another mss"));
    let unasked = said(&|p| p.flows[3].start = Start::At(Time::ZERO));
    assert!(unasked.contains("flow 3 answers on the connection of flow 0 but follows no flow"));
}
