//! Hop at a port with class queues.

use super::{Fabric, Queue};
use crate::agenda::Agenda;
use sidestep_switch::{Capacity, Decider};
use sidestep_types::PortId;

impl<A: Agenda> Fabric<A> {
    /// Lets `decider` decide whether a parcel joins the line of `link`, at `port`, and queues it there. If it
    /// returns false, nothing has changed that the switch would not do again.
    #[inline(always)]
    pub fn joins_class(
        &mut self,
        decider: &mut Decider,
        capacity: &Capacity,
        (link, port): (u32, PortId),
        parcel: u32,
    ) -> bool {
        // A packet that leaves the part is mailed by `enqueue`.
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
