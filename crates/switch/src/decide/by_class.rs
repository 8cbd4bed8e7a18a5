//! MulBuff at a port with class queues, while what waits stands in its line: decided and queued in one go.
//!
//! It is what [`Decider::admit`] and [`Ranked::joins_line`] do one after the other, which
//! find the port, the class and the place of the flow anew. What is not done on nearly every hop is left to these.

use super::Decider;
use crate::ports::{Line, NONE, Ranked, Store, Wire};
use crate::{AnyBuffer, Capacity, Class};
use sidestep_types::{PortId, Time};

impl Decider {
    /// The packet of parcel `at`, whose TTL has not ended here, wants the port with this queue, line and wire. If it joins the
    /// line, says when it departs if nothing is before it: the driver plans its arrival. `None` where the driver has to
    /// decide as ever; what was done then may be done again.
    #[inline(always)]
    pub fn joins_class<S: Store>(
        &mut self,
        capacity: &Capacity,
        (port, ranked, line, wire): (PortId, &mut Ranked, &mut Line, &Wire),
        store: &mut S,
        (now, unbuffered): (Time, u32),
        at: u32,
    ) -> Option<Option<Time>> {
        let AnyBuffer::MulBuff(mulbuff) = &self.buffer else {
            return None;
        };
        let classes = ranked.classes_in_line()?;
        let packet = &store.parcel(at).packet;
        let bytes = u32::from(packet.wire) - unbuffered;
        let depth = line.settle(store, now, unbuffered);
        if !capacity.fits_own(depth, bytes) || !mulbuff.sees() {
            return None;
        }
        let waiting = line.waits(store, unbuffered);
        let data = packet.carries_data();
        let came = classes.see_in_order(packet, data, now, waiting)?;
        if let Some(flows) = came.flows() {
            let queue = Class {
                depth: waiting,
                flows,
            };
            if !mulbuff.takes(packet.service(), bytes, queue) {
                return None;
            }
        }
        let alone = line.sending() == NONE;
        classes.join_in_order(came, packet, (waiting, alone));
        if data && mulbuff.marks(waiting) {
            let marked = store.parcel_mut(at).packet.mark();
            self.counts[port.index()].marks += u64::from(marked);
        }
        line.grow(bytes);
        Some(line.queue(store, wire, now, at))
    }
}
