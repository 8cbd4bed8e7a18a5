//! Shims between the transport and the NIC of a host.

#[path = "../common/mod.rs"]
mod common;

mod agents;
mod mark;
mod order;
mod own;
mod tags;

use common::any::*;
use common::*;
use proptest::prelude::*;
use sidestep_sim::agenda::WheelAgenda;
use sidestep_sim::*;
use sidestep_switch::{AnyBuffer, Buffer, DropReason, Queues, Verdict, Want};
use sidestep_transport::shim::{self, AnyShim, Shim, Stack, Up};
use sidestep_transport::{AckRule, DelayedAck, Recovery, RtoConfig, TcpConfig, TransportConfig};
use sidestep_types::{Rng, *};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

fn order(timeout: &str) -> Vec<shim::Chosen> {
    vec![chosen_shim("order", &[("timeout", timeout)])]
}

/// Answers so to the first transmission of these packets of a flow.
#[derive(Clone)]
struct Loses(Vec<u64>, Verdict);

impl Buffer for Loses {
    fn admit(&mut self, packet: &Packet, _: Want, _: &mut dyn Queues, _: &mut Rng) -> Verdict {
        let first = packet.carries_data() && !packet.retransmit();
        match first && self.0.contains(&(packet.seq() / 1460)) {
            true => self.1,
            false => Verdict::Enqueue { mark: false },
        }
    }
}

/// One flow of 14 packets over one switch that loses these.
fn run_losing(lost: &[u64], config: WorldConfig) -> Outcome {
    let loses = Loses(lost.to_vec(), Verdict::Drop(DropReason::Early));
    run_with_buffer(|| loses.clone(), config)
}

fn run_with_buffer(make: impl Fn() -> Loses, config: WorldConfig) -> Outcome {
    let network = topology("single_switch", &[("hosts", "2")]);
    let one = plan(vec![flow(0, 1, 20_000, Time::ZERO)]);
    let mut world: World = World::new(&network, one, config).expect("a world");
    world.set_buffers(|_| AnyBuffer::Custom(Box::new(make())));
    world.run_until(Time::from_s(1));
    world.finish()
}

/// When the data that starts at this packet's byte arrived first.
fn arrived(outcome: &Outcome, packet: u64) -> Time {
    let mut data = outcome.traces.iter().filter(|t| !t.ack);
    let trace = data
        .find(|t| t.seq == packet * 1460 && ends(t))
        .expect("it arrived");
    trace.steps.last().expect("it was sent").at
}

fn ends(trace: &PacketTrace) -> bool {
    (trace.steps.last()).is_some_and(|step| step.what == TraceEvent::Delivered)
}

/// When each acknowledgement left, and of which byte.
fn acks(outcome: &Outcome) -> Vec<(Time, u64)> {
    let acks = outcome.traces.iter().filter(|trace| trace.ack);
    let mut acks: Vec<_> = acks.map(|t| (t.steps[0].at, t.seq / 1460)).collect();
    acks.sort_unstable();
    acks
}

/// New Reno without ECN, as agents need it.
fn newreno() -> TransportConfig {
    TransportConfig::from_name("newreno").expect("listed")
}
