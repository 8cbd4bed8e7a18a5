//! Forwarding at a switch with class queues: a fast path for nearly every parcel.

use super::{CurrentParcel, Switch};
use crate::agenda::Agenda;
use crate::fabric::Fabric;
use crate::fib::Attachment;
use sidestep_switch::Event;
use sidestep_types::PortId;

impl Switch {
    /// Does what [`Switch::forward`] does, at a switch where nothing is watched.
    #[inline(always)]
    pub fn forward_by_class<A: Agenda>(
        &mut self,
        fabric: &mut Fabric<A>,
        (from, parcel, dst): (u32, u32, Attachment),
        told: bool,
    ) -> Option<Event> {
        let packet = &mut fabric.pool.get_mut(parcel).packet;
        packet.ttl = packet.ttl.saturating_sub(1);
        let ended = packet.ttl == 0;
        let wanted = if dst.switch == self.frame.me {
            dst.port
        } else {
            let hops = self.fib.hops(dst.switch);
            match self.decider.predict_port(packet, hops) {
                Some(port) => port,
                None => self.route(fabric, (from, parcel, dst.switch)),
            }
        };
        let at = (self.frame.link(wanted), wanted);
        if !ended && !told {
            let (decider, capacity) = (&mut self.decider, &self.frame.capacity);
            if fabric.joins_class(decider, capacity, at, parcel) {
                return None;
            }
        }
        self.admit::<A, false, ()>(fabric, from, parcel, wanted, (false, told), &mut ())
    }

    /// Returns the next port of a parcel toward switch `to`, where the route must be called.
    #[inline(never)]
    fn route<A: Agenda>(
        &mut self,
        fabric: &mut Fabric<A>,
        (from, parcel, to): (u32, u32, u32),
    ) -> PortId {
        let mut at_hand = CurrentParcel::<A, false> {
            fabric,
            frame: &self.frame,
            from,
            parcel,
            told: false,
            event: &mut None,
            evicted: &mut self.evicted,
        };
        (self.decider).route(&mut at_hand, self.fib.hops(to), &mut ())
    }
}
