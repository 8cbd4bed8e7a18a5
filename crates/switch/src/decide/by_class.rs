//! Fast path for MulBuff at a port with class queues, as long as its packets wait in the line: decides and
//! enqueues in one step.
//!
//! Equivalent to [`Decider::admit`] followed by [`Ranked::joins_line`], without looking up the port, the class
//! and the place of the flow twice. Cases that are rare on a hop are left to those two.

use super::Decider;
use crate::ports::{Line, NONE, Ranked, Store, Wire};
use crate::{AnyBuffer, Capacity, Class};
use sidestep_types::{PortId, Time};

impl Decider {
    /// Decides about the packet of parcel `at`, which wants the port with this queue, line and wire. Its TTL
    /// must not have ended here. Returns `None` if the driver has to decide in the general way; steps done so
    /// far may be repeated then. Otherwise the packet has joined the line, and the inner value is its departure
    /// if nothing is before it, so that the driver can plan its arrival.
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
