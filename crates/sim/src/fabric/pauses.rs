//! Pauses on the fabric's links: when frames are sent, when they arrive, and what stops.

use super::Fabric;
use crate::agenda::Agenda;
use crate::pfc::FramePlan;
use crate::pool::NONE;
use sidestep_types::Time;

impl<A: Agenda> Fabric<A> {
    /// Counts `parcel`, which waits for `out` now, for the link it came in by, and sends a pause
    /// there when it is due.
    pub(super) fn hold(&mut self, ingress: u32, out: u32, parcel: u32) {
        let bytes = self.buffered(parcel);
        let Some(pfc) = &mut self.pfc else { return };
        if pfc.hold(ingress, out, parcel, bytes) {
            self.send_frame(ingress, true);
        }
    }

    /// A packet that came over `ingress` found no room.
    pub(super) fn turned_away(&mut self, ingress: u32) {
        let Some(pfc) = &mut self.pfc else { return };
        if pfc.turned_away(ingress) {
            self.send_frame(ingress, true);
        }
    }

    /// `parcel` has left by `out`, or was taken out of its queue: it counts no more. Sends a resume.
    pub(super) fn release(&mut self, out: u32, parcel: u32) {
        let bytes = self.buffered(parcel);
        let Some(pfc) = &mut self.pfc else { return };
        if let Some(ingress) = pfc.release(out, parcel, bytes) {
            self.send_frame(ingress, false);
        }
    }

    /// The transmission of `parcel` by `link` has ended, in a network with pauses.
    pub(super) fn left(&mut self, link: u32, parcel: u32) {
        let now = self.now;
        let line = &mut self.links[link].line;
        if line.settled().packets == 0 {
            // Pauses made it later than was foreseen.
            line.free_at = now;
        }
        if link >= self.hosts {
            self.release(link, parcel);
        }
        let pfc = self.pfc.as_mut().expect("a network with pauses");
        if pfc.paused(link) {
            pfc.stopped(link, now);
        }
    }

    /// Sends a pause or resume to the sender of `ingress`: behind the packet on the wire, ahead of all others.
    fn send_frame(&mut self, ingress: u32, pause: bool) {
        let Some(pfc) = &self.pfc else { return };
        let (back, bytes) = pfc.way_back(ingress);
        let sending = self.links[back].line.sending();
        let mut begins = self.now;
        if sending != NONE {
            begins = begins.max(self.pool.get(sending).departs);
        }
        let wire = self.wire(back);
        let arrives = begins + wire.time_to_send(bytes) + wire.delay;
        let pfc = self.pfc.as_mut().expect("a network with pauses");
        if let Some(plan) = pfc.send(ingress, pause, arrives) {
            self.plan_frame(ingress, plan);
        }
    }

    fn plan_frame(&mut self, ingress: u32, plan: FramePlan) {
        let slot = self.inner_slot(ingress);
        let tie = self.tie(slot, plan.count);
        self.agenda.schedule(slot, plan.at, tie);
    }

    /// A pause or resume has reached the sender of `link`.
    pub(super) fn frame_arrived(&mut self, link: u32) {
        let now = self.now;
        let pfc = self.pfc.as_mut().expect("a network with pauses");
        let (pause, next) = pfc.frame_arrived(link, now);
        let idle = self.links[link].line.sending() == NONE;
        if idle && pause {
            pfc.stopped(link, now);
        }
        if let Some(plan) = next {
            self.plan_frame(link, plan);
        }
        if idle && !pause {
            self.send_next(link);
        }
    }

    /// Pauses that switches have sent.
    pub fn pauses(&self) -> u64 {
        self.pfc.as_ref().map_or(0, |pfc| pfc.pauses())
    }

    /// How often and how long the sender of `link` has been paused.
    pub fn paused(&self, link: u32) -> (u64, Time) {
        let pfc = self.pfc.as_ref();
        pfc.map_or_else(Default::default, |pfc| pfc.seen(link, self.now))
    }

    /// Links that wait for each other and will for ever, with the time when the last of them came
    /// to a stop.
    pub fn deadlocks(&self) -> Vec<(Time, Vec<u32>)> {
        let idle = |link| self.links[link].line.sending() == NONE;
        let pfc = self.pfc.as_ref();
        pfc.map_or_else(Vec::new, |pfc| pfc.deadlocks(idle))
    }
}
