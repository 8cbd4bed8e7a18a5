//! Switch half of a run: packets at a switch, and the switch's decisions.

use super::World;
use crate::agenda::Agenda;
use crate::event::{PacketAction, PacketEvent};
use crate::fabric::SwitchFeatures;
use crate::network::End;
use crate::watch::DetourSeen;
use sidestep_switch::{Event, Joined, Sink};
use sidestep_types::SwitchId;
use std::hint::cold_path;

impl<A: Agenda> World<A> {
    #[inline(always)]
    pub(super) fn at_switch(&mut self, switch: u32, link: u32, parcel: u32) {
        match self.fabric.switch_features {
            SwitchFeatures::Plain => {}
            SwitchFeatures::Classes => {
                cold_path();
                return self.at_class_switch(switch, link, parcel);
            }
            SwitchFeatures::Watched => {
                cold_path();
                return self.at_watched_switch(switch, link, parcel);
            }
        }
        let packet = &self.fabric.pool.get(parcel).packet;
        let dst = self.attachments[packet.dst.0];
        let traced = packet.traced();
        let (here, fabric) = (&mut self.switches[switch], &mut self.fabric);
        let at_hand = (link, parcel, dst);
        if let Some(event) = here.forward::<A, false, ()>(fabric, at_hand, traced, &mut ()) {
            cold_path();
            self.happened(switch, parcel, event);
        }
    }

    /// Forwards a packet where some ports have class queues. A separate function: the loop over hops keeps its
    /// registers.
    #[inline(never)]
    fn at_class_switch(&mut self, switch: u32, link: u32, parcel: u32) {
        let packet = &self.fabric.pool.get(parcel).packet;
        let dst = self.attachments[packet.dst.0];
        let traced = packet.traced();
        let (here, fabric) = (&mut self.switches[switch], &mut self.fabric);
        if let Some(event) = here.forward_by_class(fabric, (link, parcel, dst), traced) {
            self.happened(switch, parcel, event);
        }
    }

    /// Forwards a packet where incoming packets are watched. A separate function for the same reason.
    #[inline(never)]
    fn at_watched_switch(&mut self, switch: u32, link: u32, parcel: u32) {
        let packet = &self.fabric.pool.get(parcel).packet;
        let dst = self.attachments[packet.dst.0];
        let traced = packet.traced();
        let (here, fabric) = (&mut self.switches[switch], &mut self.fabric);
        let at_hand = (link, parcel, dst);
        let event = match self.observers.account {
            None => here.forward::<A, true, ()>(fabric, at_hand, traced, &mut ()),
            Some(_) => Some(self.forward_with_reasons(switch, link, parcel, dst)),
        };
        if let Some(event) = event {
            self.happened(switch, parcel, event);
        }
    }

    /// Handles the events of an arrival at `switch`: first those of evicted packets, then that of the packet
    /// that arrived.
    #[inline(never)]
    fn happened(&mut self, switch: u32, parcel: u32, event: Event) {
        if !self.switches[switch].evicted.is_empty() {
            let mut evicted = std::mem::take(&mut self.switches[switch].evicted);
            for (parcel, event) in evicted.drain(..) {
                self.take(switch, parcel, event);
            }
            self.switches[switch].evicted = evicted;
        }
        self.take(switch, parcel, event);
    }

    /// Traces and counts an event at `switch`, and frees the packet if it was dropped.
    #[inline]
    fn take(&mut self, switch: u32, parcel: u32, event: Event) {
        if self.fabric.pool.get(parcel).packet.traced() {
            self.trace(SwitchId(switch), parcel, event);
        }
        match event {
            Event::Enqueue(joined) | Event::Move(joined) => {
                if joined.detoured() {
                    self.count_detour(parcel, SwitchId(switch), joined);
                }
            }
            Event::Drop { .. } | Event::Evict { .. } => {
                let packet = &self.fabric.pool.get(parcel).packet;
                self.tally.dropped(self.fabric.now, packet);
                self.fabric.pool.free(parcel);
            }
        }
    }

    /// Reports an event of a traced packet to the observers.
    #[cold]
    #[inline(never)]
    fn trace(&mut self, switch: SwitchId, parcel: u32, event: Event) {
        if !event.waited() {
            self.look_at_senders();
        }
        self.observers.observe(&PacketEvent {
            at: self.fabric.now,
            parcel,
            packet: &self.fabric.pool.get(parcel).packet,
            what: PacketAction::At(End::Switch(switch), event),
        });
    }

    #[inline(never)]
    fn count_detour(&mut self, parcel: u32, switch: SwitchId, joined: Joined) {
        self.observers.tracer.detour(DetourSeen {
            at: self.fabric.now,
            switch,
            wanted: joined.wanted,
            taken: joined.port,
        });
        self.tally.detour(&self.fabric.pool.get(parcel).packet);
    }
}
