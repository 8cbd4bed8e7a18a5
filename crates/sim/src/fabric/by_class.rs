//! A hop at a port with class queues.

use super::{Fabric, Queue};
use crate::agenda::Agenda;
use sidestep_switch::{Capacity, Decider};
use sidestep_types::PortId;

impl<A: Agenda> Fabric<A> {
    /// Has `decider` decide whether a parcel joins what stands in the line of `link`, at `port`, and queues it there. If
    /// that is not done, nothing is that a switch would not do again.
    #[inline(always)]
    pub fn joins_class(
        &mut self,
        decider: &mut Decider,
        capacity: &Capacity,
        (link, port): (u32, PortId),
        parcel: u32,
    ) -> bool {
        // What leaves the part is mailed by `enqueue`.
        if A::PART && self.agenda.border().leaves(link) {
            return false;
        }
        let Queue::Ranked(ranked) = &mut self.wiring.queues[link] else {
            return false;
        };
        let l = &mut self.links[link];
        let at = (port, ranked, &mut l.line, &self.wiring.wires[l.wire]);
        let now = (self.now, self.unbuffered);
        let Some(first) = decider.joins_class(capacity, at, &mut self.pool, now, parcel) else {
            return false;
        };
        if let Some(departs) = first {
            self.plan_first(link, departs);
        }
        true
    }
}
