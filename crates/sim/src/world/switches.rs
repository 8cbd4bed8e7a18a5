//! The switch half of a run: packets at a switch, and what becomes of them.

use super::World;
use crate::agenda::Agenda;
use crate::fabric::Inside;
use crate::switching::{Done, Fate};
use crate::watch::DetourSeen;
use sidestep_switch::Action;
use sidestep_types::{PortId, SwitchId};
use std::hint::cold_path;

impl<A: Agenda> World<A> {
    #[inline(always)]
    pub(super) fn at_switch(&mut self, switch: u32, link: u32, parcel: u32) {
        match self.fabric.inside {
            Inside::Plain => {}
            Inside::Classes => {
                cold_path();
                return self.at_class_switch(switch, link, parcel);
            }
            Inside::Watched => {
                cold_path();
                return self.at_watched_switch(switch, link, parcel);
            }
        }
        let packet = &self.fabric.pool.get(parcel).packet;
        let dst = self.attachments[packet.dst.0];
        let traced = packet.traced();
        let (here, fabric) = (&mut self.switches[switch], &mut self.fabric);
        let at_hand = (link, parcel, dst);
        let done = here.forward::<A, false, ()>(fabric, at_hand, traced, &mut ());
        if let Some(done) = done {
            cold_path();
            self.done(switch, parcel, done, traced);
        }
    }

    /// Where some ports have class queues, in a function of its own: the loop over hops keeps its registers.
    #[inline(never)]
    fn at_class_switch(&mut self, switch: u32, link: u32, parcel: u32) {
        let packet = &self.fabric.pool.get(parcel).packet;
        let dst = self.attachments[packet.dst.0];
        let traced = packet.traced();
        let (here, fabric) = (&mut self.switches[switch], &mut self.fabric);
        if let Some(done) = here.forward_by_class(fabric, (link, parcel, dst), traced) {
            self.done(switch, parcel, done, traced);
        }
    }

    /// Where what comes in is watched, in the same way.
    #[inline(never)]
    fn at_watched_switch(&mut self, switch: u32, link: u32, parcel: u32) {
        let packet = &self.fabric.pool.get(parcel).packet;
        let dst = self.attachments[packet.dst.0];
        let traced = packet.traced();
        let (here, fabric) = (&mut self.switches[switch], &mut self.fabric);
        let at_hand = (link, parcel, dst);
        let done = match self.tracer.account {
            None => here.forward::<A, true, ()>(fabric, at_hand, traced, &mut ()),
            Some(_) => Some(self.forward_told(switch, link, parcel, dst)),
        };
        if let Some(done) = done {
            self.done(switch, parcel, done, traced);
        }
    }

    /// Counts what `switch` did with a parcel, where that is not what is done with nearly every one.
    #[inline(never)]
    fn done(&mut self, switch: u32, parcel: u32, done: Done, traced: bool) {
        match done.action {
            Action::Queued { port, .. } => {
                if port != done.want.port {
                    self.count_detour(parcel, SwitchId(switch), done.want.port, port);
                }
            }
            Action::Squeezed { port, .. } => {
                self.count_evicted(switch);
                if port != done.want.port {
                    self.count_detour(parcel, SwitchId(switch), done.want.port, port);
                }
            }
            Action::Dropped(_) => {
                self.count_evicted(switch);
                self.count_drop(parcel);
            }
            Action::NoMemory => unreachable!("the pool grows"),
        }
        if traced {
            self.trace(SwitchId(switch), parcel, done);
        }
    }

    /// By value: a reference to what was done would keep it in memory on every hop.
    #[cold]
    #[inline(never)]
    fn trace(&mut self, switch: SwitchId, parcel: u32, done: Done) {
        self.look_at_senders();
        let (now, wire) = (self.fabric.now, self.fabric.pool.get(parcel).packet.wire);
        self.tracer.switched(now, parcel, switch, &done, wire);
    }

    #[inline(never)]
    fn count_detour(&mut self, parcel: u32, switch: SwitchId, wanted: PortId, taken: PortId) {
        self.tracer.detour(DetourSeen {
            at: self.fabric.now,
            switch,
            wanted,
            taken,
        });
        self.tally.detour(&self.fabric.pool.get(parcel).packet);
    }

    /// Counts the packets that `switch` has just evicted, and frees those that it dropped.
    #[inline(never)]
    fn count_evicted(&mut self, switch: u32) {
        let evicted = std::mem::take(&mut self.switches[switch].evicted);
        for gone in &evicted {
            let packet = &self.fabric.pool.get(gone.parcel).packet;
            if packet.traced() {
                let (now, wire) = (self.fabric.now, packet.wire);
                self.tracer.evicted(now, SwitchId(switch), gone, wire);
            }
            match gone.fate {
                Fate::Moved(joined, _) if joined.detoured() => {
                    self.count_detour(gone.parcel, SwitchId(switch), gone.from, joined.port);
                }
                Fate::Moved(..) => {}
                Fate::Lost(_) => self.count_drop(gone.parcel),
            }
        }
        self.switches[switch].evicted = evicted;
        self.switches[switch].evicted.clear();
    }

    /// Counts a drop and frees the packet.
    #[inline(never)]
    fn count_drop(&mut self, parcel: u32) {
        let packet = &self.fabric.pool.get(parcel).packet;
        self.tally.dropped(self.fabric.now, packet);
        self.fabric.pool.free(parcel);
    }
}
