//! Sequences: one policy answers every step, while the queues of its switch and the time advance.

use crate::draw::{draw_ingress, draw_queue};
use crate::policy::{Policy, STEPS};
use crate::row::Row;
use sidestep_switch::testing::StillQueues;
use sidestep_switch::{Depth, Nature, Queues};
use sidestep_types::{Bytes, PortId, Rng, Time};

/// Returns the number of rows that one policy answers: those of a sequence if it remembers, else one.
pub fn steps(policy: Policy) -> u32 {
    if policy.nature.remembers { STEPS } else { 1 }
}

/// Begins row number `step` of sequence `number`.
pub fn begin(policy: Policy, settings: &str, number: u32, step: u32, queues: &StillQueues) -> Row {
    let mut row = Row::default();
    row.put("row", number * steps(policy) + step);
    row.put("settings", settings);
    if policy.nature.remembers {
        row.put("sequence", number);
        row.put("step", step);
        row.put("now_ps", queues.now.ps());
    }
    row
}

/// Adds the time at which each queue is empty, if the policy remembers.
pub fn put_empty_at(row: &mut Row, policy: Policy, queues: &StillQueues) {
    if policy.nature.remembers {
        row.put_list("empty_at_ps", queues.empty_at.iter().map(|at| at.ps()));
    }
}

/// Sets the queues at time zero: each queue empties when its contents are sent.
pub fn at_first(mut queues: StillQueues) -> StillQueues {
    plan_ends(&mut queues);
    queues
}

/// Draws the same switch at a later time. No queue shrinks faster than its port sends. A queue that is empty
/// emptied as planned.
pub fn later(rng: &mut Rng, before: &StillQueues, nature: Nature) -> StillQueues {
    let mut queues = before.clone();
    queues.ingress = draw_ingress(rng, queues.ports());
    for port in ports(before) {
        // Half of the queues stay unchanged.
        match rng.below(8) {
            0 => empty(&mut queues, port),
            1..=3 => draw_queue(rng, &mut queues, port, nature),
            _ => {}
        }
    }
    let soonest = |port: PortId| before.empty_at[port.index()].saturating_sub(left(&queues, port));
    let soonest = ports(before).map(soonest).max();
    // At once, or after up to the transmission time of 4 or 25 packets of 1500 bytes.
    let most = [1, 50_000, 300_000][rng.below(3) as usize];
    queues.now = before.now.max(soonest.unwrap_or_default()) + Time::from_ns(rng.below(most));
    plan_ends(&mut queues);
    queues
}

fn empty(queues: &mut StillQueues, port: PortId) {
    queues.depths[port.index()] = Depth::default();
    queues.classes[port.index()] = Vec::new();
    queues.worst[port.index()] = None;
}

fn plan_ends(queues: &mut StillQueues) {
    for port in ports(queues) {
        if queues.depths[port.index()].packets > 0 {
            queues.empty_at[port.index()] = queues.now + left(queues, port);
        }
    }
}

/// Returns the time that `port` needs to send its queue.
fn left(queues: &StillQueues, port: PortId) -> Time {
    let Depth { packets, bytes } = queues.depths[port.index()];
    let wire = bytes + packets * queues.framing.unbuffered();
    queues.time_to_send(port, Bytes(u64::from(wire)))
}

fn ports(queues: &StillQueues) -> impl Iterator<Item = PortId> + use<> {
    (0..queues.ports()).map(PortId)
}
