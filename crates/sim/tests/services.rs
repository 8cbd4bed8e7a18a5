//! Classes of service set by hosts, as switches see them.

use crate::common;

use common::*;
use sidestep_sim::*;
use sidestep_switch::{AnyBuffer, Buffer, Queues, Verdict, Want};
use sidestep_transport::shim;
use sidestep_types::{Rng, *};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

/// Flow, kind and service of every packet for which a switch was called, once each.
type Log = Arc<Mutex<BTreeSet<(u32, u8, u8)>>>;

/// Buffer policy that accepts and logs everything.
struct Logs(Log);

impl Buffer for Logs {
    fn admit(&mut self, packet: &Packet, _: Want, _: &mut dyn Queues, _: &mut Rng) -> Verdict {
        let kind = packet.kind() as u8;
        self.0
            .lock()
            .unwrap()
            .insert((packet.flow.0, kind, packet.service()));
        Verdict::Enqueue { mark: false }
    }
}

fn by_size(sets: &[(&str, &str)]) -> Vec<shim::Chosen> {
    vec![chosen_shim("by-size", sets)]
}

fn settings(shims: Vec<shim::Chosen>) -> WorldConfig {
    let mut settings = config("droptail", 100, 1);
    let mut transport = dctcp();
    transport.handshake = true;
    settings.transport = transport.into();
    settings.shims = shims;
    settings
}

/// Returns three flows, of 20 kB, of 200 kB and endless, each between different hosts.
fn three() -> Arc<TrafficPlan> {
    let sizes = [20_000, 200_000, FlowPlan::ENDLESS];
    let flows = sizes.iter().enumerate();
    plan(
        flows
            .map(|(i, size)| flow(2 * i as u32, 2 * i as u32 + 1, *size, Time::ZERO))
            .collect(),
    )
}

/// Returns a query for the services that switches see on each kind of packet of a flow.
fn seen(sets: &[(&str, &str)]) -> impl Fn(u32, Kind) -> Vec<u8> {
    let network = topology("single_switch", &[("hosts", "6")]);
    let log: Log = Arc::default();
    let mut world: World = World::new(&network, three(), settings(by_size(sets))).expect("a world");
    world.set_buffers(|_| AnyBuffer::Custom(Box::new(Logs(log.clone()))));
    world.run_until(Time::from_ms(20));
    assert_conserved(&world.finish());
    move |flow, kind| {
        let all = log.lock().unwrap();
        let of = all
            .iter()
            .filter(|seen| (seen.0, seen.1) == (flow, kind as u8));
        of.map(|seen| seen.2).collect()
    }
}

const ALL: [Kind; 4] = [Kind::Data, Kind::Ack, Kind::Syn, Kind::SynAck];

#[test]
fn by_size_a_flow_and_what_answers_it_are_in_one_class_from_end_to_end() {
    let seen = seen(&[("thresholds", "100 kB, 1 MB"), ("dscp", "46, 10, 8")]);
    for kind in ALL {
        assert_eq!(seen(0, kind), [46], "{kind:?}");
        assert_eq!(seen(1, kind), [10], "{kind:?}");
        assert_eq!(seen(2, kind), [8], "{kind:?}");
    }
}

#[test]
fn by_what_was_sent_every_flow_begins_in_the_first_class() {
    let by_sent = seen(&[("by", "sent"), ("thresholds", "100 kB, 1 MB")]);
    for kind in ALL {
        assert_eq!(by_sent(0, kind), [0], "{kind:?}");
    }
    assert_eq!(
        (by_sent(1, Kind::Data), by_sent(1, Kind::Ack)),
        (vec![0, 1], vec![0, 1])
    );
    assert_eq!(
        (by_sent(2, Kind::Data), by_sent(2, Kind::Ack)),
        (vec![0, 1, 2], vec![0, 1, 2])
    );
    assert_eq!(
        (by_sent(2, Kind::Syn), by_sent(2, Kind::SynAck)),
        (vec![0], vec![0])
    );
    let first = seen(&[("acks", "first"), ("dscp", "7, 5")]);
    assert_eq!(
        (first(2, Kind::Data), first(2, Kind::Ack)),
        (vec![5], vec![7])
    );
}

#[test]
fn classes_that_nobody_goes_by_move_no_packet() {
    let network = topology("fat_tree", &[("k", "4")]);
    let of = |shims| {
        let outcome = run(&network, three(), settings(shims), Time::from_ms(20));
        (outcome.totals, outcome.trajectory_hash, outcome.end)
    };
    assert_eq!(
        of(Vec::new()),
        of(by_size(&[("by", "sent"), ("thresholds", "3 kB")]))
    );
}
