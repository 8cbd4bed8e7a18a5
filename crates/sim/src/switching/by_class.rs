//! A switch with class queues sees a parcel off: in one go where that is done with nearly every one.

use super::{Done, Switch};
use crate::agenda::Agenda;
use crate::fabric::Fabric;
use crate::fib::Attachment;
use sidestep_switch::Carrier;
use sidestep_switch::ports::Live;
use sidestep_types::PortId;

impl Switch {
    /// What [`Switch::forward`] does, at a switch of which nothing is watched.
    #[inline(always)]
    pub fn forward_by_class<A: Agenda>(
        &mut self,
        fabric: &mut Fabric<A>,
        (from, parcel, dst): (u32, u32, Attachment),
        told: bool,
    ) -> Option<Done> {
        let packet = &mut fabric.pool.get_mut(parcel).packet;
        packet.ttl = packet.ttl.saturating_sub(1);
        let ended = packet.ttl == 0;
        let wanted = if dst.switch == self.frame.me {
            dst.port
        } else {
            let hops = self.fib.hops(dst.switch);
            match self.decider.foresee(packet, hops) {
                Some(port) => port,
                None => self.pick(fabric, (from, parcel, dst.switch)),
            }
        };
        let at = (self.frame.link(wanted), wanted);
        if !ended && !told {
            let (decider, capacity) = (&mut self.decider, &self.frame.capacity);
            if fabric.joins_class(decider, capacity, at, parcel) {
                return None;
            }
        }
        self.forward_to::<A, false, ()>(fabric, from, parcel, wanted, (false, told), &mut ())
    }

    /// The port by which a parcel goes on to switch `to`, where the route has to be asked.
    #[inline(never)]
    fn pick<A: Agenda>(
        &mut self,
        fabric: &mut Fabric<A>,
        (from, parcel, to): (u32, u32, u32),
    ) -> PortId {
        let (decider, fib, mut at_hand) = self.deciding::<A, false>(fabric, from, parcel);
        let (packet, outputs) = at_hand.at_hand();
        decider.pick(packet, fib.hops(to), &mut Live(outputs))
    }
}
