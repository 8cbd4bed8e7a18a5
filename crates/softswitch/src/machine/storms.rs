//! Storm control: limits of flooded traffic by ingress port.
//!
//! **Decision**     a broadcast, a multicast, or a frame to an unknown station passes while its port's bucket
//!                  for that kind holds enough.
//! **State**        a bucket per port and kind.
//! **Units**        bytes on the wire, without a VLAN tag; picoseconds.
//! **Errors**       none; a frame over the limit is refused, with a reason for each kind.
//! **Deviations**   from no standard. Requests for addresses that the switch answers itself are not flooded,
//!                  and cost nothing.

use super::bucket::Bucket;
use super::notices::Noticed;
use super::packet::wire;
use crate::frame::Refusal;
use crate::setup::{Mac, Pace, Setup};
use sidestep_types::{PortId, Time};

/// Number of kinds of flooded frames.
const KINDS: usize = 3;
/// Refusal and notice of each kind: broadcast, multicast, unknown station.
const SAID: [(Refusal, Noticed); KINDS] = [
    (Refusal::StormBroadcast, Noticed::StormBroadcast),
    (Refusal::StormMulticast, Noticed::StormMulticast),
    (Refusal::StormUnknown, Noticed::StormUnknown),
];

/// Limits of one port, and their buckets.
#[derive(Clone, Debug)]
struct Guard {
    limits: [Option<Pace>; KINDS],
    burst: Time,
    buckets: [Bucket; KINDS],
}

/// Storm control of all ports.
#[derive(Debug)]
pub(super) struct Storms {
    ports: Vec<Guard>,
}

impl Storms {
    /// Returns the limits that `setup` configures, with full buckets.
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

    /// Applies other limits. The buckets keep their fill.
    pub fn reload(&mut self, setup: &Setup) {
        let old = std::mem::replace(self, Storms::new(setup));
        for (new, old) in self.ports.iter_mut().zip(old.ports) {
            new.buckets = old.buckets;
        }
    }

    /// Charges a frame of `length` bytes to `dst`, which came in by `port` and is to be flooded; returns the
    /// reason if it exceeds a limit.
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
