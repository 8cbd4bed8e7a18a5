//! Storm control: how much of what is flooded may come in by a port.
//!
//! **Decision**     what goes to everyone, to a group or to a station that nobody knows passes while its
//!                  port's bucket for that holds enough.
//! **State**        a bucket per port and kind.
//! **Units**        bytes on the wire, without a VLAN's tag; picoseconds.
//! **Errors**       none; what does not pass is refused, with a reason of its own.
//! **Deviations**   of no standard. Questions for addresses that the switch answers itself are flooded to
//!                  nobody, and cost nothing.

use super::bucket::Bucket;
use super::notices::Noticed;
use super::packet::wire;
use crate::frame::Refusal;
use crate::setup::{Mac, Pace, Setup};
use sidestep_types::{PortId, Time};

/// Why frames are flooded.
const KINDS: usize = 3;
/// To everyone, to a group, to a station that nobody knows: what is said of one that does not pass.
const SAID: [(Refusal, Noticed); KINDS] = [
    (Refusal::StormBroadcast, Noticed::StormBroadcast),
    (Refusal::StormMulticast, Noticed::StormMulticast),
    (Refusal::StormUnknown, Noticed::StormUnknown),
];

/// One port's limits, and what is left of them.
#[derive(Clone, Debug)]
struct Guard {
    limits: [Option<Pace>; KINDS],
    burst: Time,
    buckets: [Bucket; KINDS],
}

/// All ports'.
#[derive(Debug)]
pub(super) struct Storms {
    ports: Vec<Guard>,
}

impl Storms {
    /// Those of `setup`, with buckets that are full.
    pub fn new(setup: &Setup) -> Storms {
        let guard = |storms: &crate::setup::Storms| Guard {
            limits: [storms.broadcast, storms.multicast, storms.unknown],
            burst: storms.burst,
            buckets: Default::default(),
        };
        let ports = setup.ports.iter().map(|port| guard(&port.bridge.storms));
        Storms {
            ports: ports.collect(),
        }
    }

    /// Takes other limits over. What a bucket lacked it lacks still.
    pub fn reload(&mut self, setup: &Setup) {
        let old = std::mem::replace(self, Storms::new(setup));
        for (new, old) in self.ports.iter_mut().zip(old.ports) {
            new.buckets = old.buckets;
        }
    }

    /// A frame of so many bytes to `dst` came in by `port` and is to be flooded: why it may not be.
    pub fn stops(
        &mut self,
        now: Time,
        port: PortId,
        dst: Mac,
        length: usize,
    ) -> Option<(Refusal, Noticed)> {
        let kind = match (dst == Mac::BROADCAST, dst.is_group()) {
            (true, _) => 0,
            (false, true) => 1,
            (false, false) => 2,
        };
        let guard = &mut self.ports[port.index()];
        let cost = guard.limits[kind]?.cost(u32::from(wire(length)));
        let passes = guard.buckets[kind].take(now, cost, guard.burst);
        (!passes).then_some(SAID[kind])
    }
}
